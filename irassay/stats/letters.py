"""Compact letter displays: two places share a letter exactly when they do not differ."""

import numpy as np

from irassay.arrays import Bools, Ints

MAX_COLUMNS = 2000  # of insert-and-absorb, which may need any number; above this, a greedy cover is used


def letter_columns(different: Bools) -> Bools:
    """[letter, place] which places have each letter, given which places differ; the first place's letters first.

    Insert-and-absorb, then redundant letters are removed [piepho2004]. If that takes too many columns, each is instead
    built from a pair that shares no letter yet. Letters may then differ, but the rule is the same.

    >>> letter_columns(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)).astype(int)
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    columns = insert_and_absorb_columns(different)
    columns = _without_redundant_letters(_greedy_cover(~different) if columns is None else columns)
    return columns[np.lexsort(~columns.T[::-1])]


def insert_and_absorb_columns(different: Bools) -> Bools | None:
    """[letter, place] which places have each letter, redundant ones included; None if there are too many letters.

    The first column has all places. Each pair that differs splits every column that has both into one without the first
    and one without the second. A column inside another one is dropped.
    """
    places = len(different)
    columns = [(1 << places) - 1]  # bit k is place k
    for place in range(places):
        columns = _split_columns(columns, place, sum(1 << int(k) for k in np.flatnonzero(different[place, :place])))
        if len(columns) > MAX_COLUMNS:
            return None
    return np.array([[column >> k & 1 for k in range(places)] for column in columns], dtype=np.bool_)


def letters(different: Bools) -> list[str]:
    """[place] the letters of each place, separated by spaces: a to z, then aa, ab and so on.

    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ['a', 'a b', 'b']
    """
    return [" ".join(letter(int(n)) for n in np.flatnonzero(own)) for own in letter_columns(different).T]


def letter(number: int) -> str:
    """The name of a group: a to z, then aa, ab, and so on.

    >>> [letter(n) for n in (0, 25, 26, 27, 702)]
    ['a', 'z', 'aa', 'ab', 'aaa']
    """
    name = ""
    number += 1
    while number:
        number, place = divmod(number - 1, 26)
        name = "abcdefghijklmnopqrstuvwxyz"[place] + name
    return name


def _split_columns(columns: list[int], place: int, against: int) -> list[int]:
    """The columns after those that contain the place and any of `against`, which it differs from, are split.

    `against` has a bit for each such place. One split gives what splitting pair by pair would end with: a column
    without the place, and one without all of `against`.
    """
    if not against:
        return columns
    me = 1 << place
    split = [column for column in columns if column & me and column & against]
    others = [column for column in columns if not (column & me and column & against)]
    without_me = _maximal_columns([column & ~me for column in split], others)
    without_them = _maximal_columns([column & ~against for column in split], others)
    return [*others, *without_me, *without_them]


def _maximal_columns(new: list[int], others: list[int]) -> list[int]:
    """The new columns that are not inside another one."""
    columns: list[int] = []
    for column in sorted(set(new), key=int.bit_count, reverse=True):
        if not any(column & other == column for other in (*columns, *others)):
            columns.append(column)
    return columns


def _greedy_cover(same: Bools) -> Bools:
    """[letter, place] groups of places that do not differ, added until every two such places share one."""
    places = len(same)
    uncovered = same | np.eye(places, dtype=np.bool_)  # [place, place] pairs that share no letter yet
    groups = []
    while uncovered.any():
        group = np.arange(places) == np.argmax(uncovered.any(axis=1))
        while (fits := same[group].all(axis=0) & ~group).any():
            gain = uncovered[group].sum(axis=0)  # [place] pairs that it would cover
            group[np.argmax(np.where(fits, gain, -1))] = True
        uncovered[np.ix_(group, group)] = False
        groups.append(group)
    return np.array(groups)


def _without_redundant_letters(columns: Bools) -> Bools:
    """[letter, place] without redundant letters.

    A letter of a place is redundant if the place shares another letter with each place that has it.
    """
    columns = columns.copy()
    shared: Ints = columns.T.astype(np.int64) @ columns.astype(np.int64)  # [place, place] letters in common
    for column in columns[::-1]:
        for place in np.flatnonzero(column)[::-1]:
            mates = column.copy()
            mates[place] = not (mates.sum() > 1)  # its own letters count only where it has no mates
            if np.all(shared[place, mates] > 1):
                shared[place, column] -= 1
                shared[column, place] -= 1
                shared[place, place] += 1
                column[place] = False
    return columns[columns.any(axis=1)]
