"""Compact letter displays: letters that any two share exactly when they do not differ."""

import numpy as np

from irassay.arrays import Bools, Ints

MAX_COLUMNS = 2000  # columns of insert and absorb, whose number may grow without bounds; beyond, a greedy cover


def letter_columns(different: Bools) -> Bools:
    """[letter, place] who has each letter, given who differs [place, place]; the letter of the first place is first.

    Insert and absorb, then letters that add nothing are swept away [piepho2004]. Where columns become too many, they
    are found one by one instead, each from a pair that shares no letter yet: the same law, perhaps with other letters.

    >>> letter_columns(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)).astype(int)
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    held = inserted_and_absorbed(different)
    swept = _swept(_covered(~different) if held is None else held)
    return swept[np.lexsort(~swept.T[::-1])]


def inserted_and_absorbed(different: Bools) -> Bools | None:
    """[letter, place] who has each letter before any is swept away; None where there are too many.

    From one column that holds everybody, each pair that differs splits every column that holds both into one without
    the first and one without the second; a column inside another one goes.
    """
    places = len(different)
    columns = [(1 << places) - 1]  # bit k is place k
    for place in range(places):
        columns = _inserted(columns, place, sum(1 << int(k) for k in np.flatnonzero(different[place, :place])))
        if len(columns) > MAX_COLUMNS:
            return None
    return np.array([[column >> k & 1 for k in range(places)] for column in columns], dtype=np.bool_)


def letters(different: Bools) -> list[str]:
    """[place] each one's letters, a to z, then aa, ab and so on, separated by spaces.

    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ['a', 'a b', 'b']
    """
    return [" ".join(letter(int(n)) for n in np.flatnonzero(held)) for held in letter_columns(different).T]


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


def _inserted(columns: list[int], place: int, against: int) -> list[int]:
    """The columns when a place differs from all of `against`, which are among the places before it.

    One pair after another splits a column that holds the place into one without it and one without all it differs
    from, so that both are made at once.
    """
    if not against:
        return columns
    me = 1 << place
    kept = [column for column in columns if not (column & me and column & against)]
    split = [column for column in columns if column & me and column & against]
    without_me = _absorbed([column & ~me for column in split], kept)
    without_them = _absorbed([column & ~against for column in split], kept)
    return [*kept, *without_me, *without_them]


def _absorbed(new: list[int], kept: list[int]) -> list[int]:
    """The new columns that are inside no other one."""
    found: list[int] = []
    for column in sorted(set(new), key=int.bit_count, reverse=True):
        if not any(column & other == column for other in found) and not any(column & o == column for o in kept):
            found.append(column)
    return found


def _covered(alike: Bools) -> Bools:
    """[letter, place] groups of places that are all alike, one by one until every two that are alike share one."""
    places = len(alike)
    wanted = alike | np.eye(places, dtype=np.bool_)  # [place, place] pairs that share no letter yet
    groups = []
    while wanted.any():
        group = np.arange(places) == np.argmax(wanted.any(axis=1))
        while (fits := alike[group].all(axis=0) & ~group).any():
            gain = wanted[group].sum(axis=0)  # [place] pairs that it would settle
            group[np.argmax(np.where(fits, gain, -1))] = True
        wanted[np.ix_(group, group)] = False
        groups.append(group)
    return np.array(groups)


def _swept(held: Bools) -> Bools:
    """[letter, place] without the letters of a place that join it to nobody it is not joined to by another letter."""
    held = held.copy()
    shared: Ints = held.T.astype(np.int64) @ held.astype(np.int64)  # [place, place] letters in common
    for column in held[::-1]:
        for place in np.flatnonzero(column)[::-1]:
            mates = column.copy()
            mates[place] = False
            alone = not mates.any()
            if (shared[place, place] > 1) if alone else bool(np.all(shared[place, mates] > 1)):
                shared[place, column] -= 1
                shared[column, place] -= 1
                shared[place, place] += 1
                column[place] = False
    return held[held.any(axis=1)]
