"""Two score tables side by side: their runs, metrics and topics matched, whatever the tools call them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.io.run_names import run_name
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.notes import Note
from irassay.prose import first_few
from irassay.scores import Scores

ROUNDING = 1e-9  # of doubles, relative to values above 1
SINGLE_ROUNDING = 1e-6  # of values that passed through single precision
MIN_ROUNDED_VALUES = 3  # different values that need all decimals, from which a metric counts as rounded to them
DECIMALS = range(3, 9)  # a table with fewer decimals than this is taken to have the first; with more, all

Names = tuple[tuple[str, str], ...]  # what each of the two tables calls the same thing


@dataclass(frozen=True, eq=False)
class SideBySide:
    """The values of two tables, for what both of them have."""

    systems: Names
    metrics: Names
    topics: tuple[str, ...]
    values: Floats  # [table, system, topic, metric]; NaN where a table has none
    decimals: tuple[tuple[Any, ...], ...]  # [table][metric] a number, 'single', or None for doubles
    notes: tuple[str, ...]

    def tolerance(self, table: int) -> Floats:
        """[system, topic, metric] how far a value may be from the number that was rounded to it."""
        values = np.abs(np.nan_to_num(self.values[table]))
        shares = np.array([SINGLE_ROUNDING if d == "single" else ROUNDING for d in self.decimals[table]])
        units = np.array([0.5 * 10.0**-d if isinstance(d, int) else 0.0 for d in self.decimals[table]])
        return np.asarray(units + shares * np.maximum(1.0, values))


def side_by_side(first: Scores, second: Scores) -> SideBySide:
    """The two tables, matched; InputError if they have no run, metric or topic in common."""
    tables = (first, second)
    systems = _name_pairs([table.systems for table in tables], (str, run_name, str.casefold))
    if not systems and len(first.systems) == len(second.systems) == 1:
        systems = ((first.systems[0], second.systems[0]),)
    metrics = _name_pairs([table.metrics for table in tables], (plain_name, metric_key, _name_and_cutoff, _metric_name))
    second_topics = set(second.topics)
    topics = tuple(dict.fromkeys([*first.topics, *second.topics]))
    for noun, common, kind in (("runs", systems, "systems"), ("metrics", metrics, "metrics")):
        if not common:
            names = (first_few(list(getattr(table, kind))) for table in tables)
            raise InputError(f"The tables have no {noun} in common: one has {next(names)}, the other {next(names)}.")
    if not any(topic in second_topics for topic in first.topics):
        one, two = (first_few(list(table.topics)) for table in tables)
        raise InputError(f"The tables have no topics in common: one has {one}, the other {two}.")
    values = np.full((2, len(systems), len(topics), len(metrics)), np.nan)
    for n, table in enumerate(tables):
        place = {topic: t for t, topic in enumerate(topics)}
        s, m = (
            [names.index(pair[n]) for pair in pairs]
            for names, pairs in ((table.systems, systems), (table.metrics, metrics))
        )
        values[n][:, [place[topic] for topic in table.topics]] = table.values[np.ix_(s, range(len(table.topics)), m)]
    decimals = tuple(metric_decimals(each) for each in values)
    notes = _unmatched_notes(tables, systems, metrics)
    return SideBySide(systems, metrics, topics, values, decimals, notes)


def _name_pairs(names: Sequence[Sequence[str]], keys: Sequence[Callable[[str], Any]]) -> Names:
    """The names that mean the same in both lists by the first key that makes them equal and unique."""
    pairs: list[tuple[str, str]] = []
    left, right = ([*each] for each in names)
    for key in keys:
        by_key = [{}, {}]  # type: list[dict[Any, list[str]]]
        for side, of in zip((left, right), by_key, strict=True):
            for name in side:
                of.setdefault(key(name), []).append(name)
        same = [
            (of_key[0], by_key[1][k][0])
            for k, of_key in by_key[0].items()
            if len(of_key) == len(by_key[1].get(k, ())) == 1
        ]
        pairs += same
        left = [name for name in left if name not in {one for one, _ in same}]
        right = [name for name in right if name not in {two for _, two in same}]
    order = {name: n for n, name in enumerate(names[0])}
    return tuple(sorted(pairs, key=lambda pair: order[pair[0]]))


def plain_name(name: str) -> str:
    """A metric's name without the zeros that NTCIREVAL writes, as in nDCG@0010."""
    return re.sub(r"@0+(?=\d)", "@", name)


def known_metric(name: str) -> Metric | None:
    """Our metric of this name in any tool's spelling; None if there is none."""
    try:
        return parse(plain_name(name))
    except InputError:
        return None


def metric_key(name: str) -> str:
    """The canonical string of a metric; its own name if it is not one of ours."""
    return str(known_metric(name) or name.casefold())


def _name_and_cutoff(name: str) -> tuple[Any, ...]:
    metric = known_metric(name)
    return (metric.name, metric.cutoff) if metric else (name.casefold(), None)


def _metric_name(name: str) -> str:
    metric = known_metric(name)
    return metric.name if metric else name.casefold()


def metric_decimals(values: Floats) -> tuple[Any, ...]:
    """[metric] the decimals of the values [system, topic, metric] of a table; 'single', or None for doubles.

    A metric such as P@5 has few decimals anyway, so it counts as rounded only if the whole table is.

    >>> metric_decimals(np.array([[[0.2, 0.1234], [0.4, 0.5678], [0.6, 0.4567]]]))
    (4, 4)
    """
    by_metric = [_value_decimals(values[:, :, m]) for m in range(values.shape[2])]
    whole = _value_decimals(values)
    return tuple(
        each if isinstance(each, int) and _last_digits(values[:, :, m], each) >= MIN_ROUNDED_VALUES else whole
        for m, each in enumerate(by_metric)
    )


def _value_decimals(values: Floats) -> Any:
    known = values[~np.isnan(values)]
    for decimals in DECIMALS:
        if np.allclose(known, np.round(known, decimals), rtol=1e-13, atol=1e-13):
            return decimals
    return "single" if np.array_equal(known, known.astype(np.float32).astype(np.float64)) else None


def _last_digits(values: Floats, decimals: int) -> int:
    """How many different values need all of these decimals."""
    known = np.unique(values[~np.isnan(values)])
    return int((np.abs(known - np.round(known, decimals - 1)) > 10.0**-decimals / 2).sum())


def _unmatched_notes(tables: Sequence[Scores], systems: Names, metrics: Names) -> tuple[str, ...]:
    notes = []
    for n, which in enumerate(("first", "second")):
        for noun, names, pairs in (("run", tables[n].systems, systems), ("metric", tables[n].metrics, metrics)):
            only = [name for name in names if name not in {pair[n] for pair in pairs}]
            if only:
                notes.append(
                    Note(f"only in the {which} table, so not compared: {first_few(only)}", "", len(only), noun)
                )
    renamed = [f"{one} and {two}" for one, two in (*systems, *metrics) if metric_key(one) != metric_key(two)]
    if renamed:
        notes.append(Note(f"compared although their names differ: {first_few(renamed)}", caveat=True))
    return tuple(notes)
