"""The claims of Chen and Sakai (2023), one by one: on their own tables, and on the collection given."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from irassay.meta.alternatives import Alternatives
from irassay.meta.consistency import Consistency
from irassay.meta.discrimination import Discrimination
from irassay.meta.similarity import Similarity
from irassay.papers.chen2023 import tables as printed
from irassay.papers.reproduction import CheckedClaim, checked_claim

Row = dict[str, float]  # by aggregation
Rows = dict[str, Row]  # by browsing model
Taus = dict[str, dict[tuple[str, str], float]]  # by browsing model, of two aggregations
Instance = tuple[str, bool]  # what was looked at, with its figures, and whether it is as claimed
SAME = 1e-9
SLACK = 0.002  # of a mean tau or a power, what splits or resamples alone may make of it
ALIKE = 0.9  # the tau from which the paper calls rankings similar


@dataclass(frozen=True, eq=False)
class Measured:
    """What the claims speak of, by browsing model; empty where the paper prints no figures."""

    consistency: Rows
    power: Rows  # share of pairs of runs with p < .05
    curve: Rows  # 1 less the area under the ASL curve, so that more is better
    tau: Taus


@dataclass(frozen=True, eq=False)
class ExaminedCollection:
    """A collection examined as in the paper."""

    name: str
    metric: dict[tuple[str, str], str]  # of a browsing model with an aggregation
    measured: Measured
    similarity: Similarity
    consistency: Consistency
    discrimination: Discrimination
    alternatives: Alternatives | None  # to the original ERR; None with too few topics
    inst_tau: float  # between INST with T = 2.25 and 2.5
    rbp_tau: tuple[float, float]  # between ERG and FIN of RBP, stopping at rank 10 and reading on


@dataclass(frozen=True)
class Claim:
    """A sentence, what to look at, and in how many cases of a collection it may fail, by its own words."""

    text: str
    about: str  # tau, consistency or curve; where it is the curve, the power is looked at as well
    cases: Callable[[Any], Iterator[Instance]]  # of those figures
    spared: int = 0


def place(row: Row, a: str) -> int:
    """1 for the highest; those that are equal share the place."""
    return 1 + sum(value > row[a] + SAME for value in row.values())


def below(row: Row, a: str) -> int:
    """How many are worse."""
    return sum(value < row[a] - SAME for value in row.values())


def shown(model: str, row: Row, *aggregations: str) -> str:
    """Some values of a row, for people."""
    return f"{model} {', '.join(f'{a} {row[a]:.3f}' for a in aggregations)}"


def leading(a: str, rows: Rows) -> Iterator[Instance]:
    """The aggregation is best or second best."""
    for model, row in rows.items():
        yield f"{shown(model, row, a)}, place {place(row, a)}", place(row, a) <= 2


def trailing(a: str, wanted: dict[str, int], rows: Rows) -> Iterator[Instance]:
    """At most so many are worse than the aggregation under each of these models."""
    for model, row in chosen(wanted, rows):
        yield f"{shown(model, row, a)}, {below(row, a)} worse", below(row, a) <= wanted[model]


def chosen(models: Iterable[str], rows: Rows) -> list[tuple[str, Row]]:
    """The rows of these models, in their order, where there are any."""
    return [(model, rows[model]) for model in models if model in rows]


def middling(rows: Rows) -> Iterator[Instance]:
    """AVG does not exceed ERG and ETG, and exceeds MAX."""
    for model, row in rows.items():
        under = row["AVG"] <= min(row["ERG"], row["ETG"]) + SAME
        yield shown(model, row, "AVG", "ERG", "ETG", "MAX"), under and row["AVG"] > row["MAX"] + SAME


def between(models: Iterable[str], rows: Rows) -> Iterator[Instance]:
    """PE lies between FIN and MAX."""
    for model, row in chosen(models, rows):
        low, high = sorted((row["FIN"], row["MAX"]))
        yield shown(model, row, "PE", "FIN", "MAX"), low - SLACK <= row["PE"] <= high + SLACK


def favourable(rows: Rows) -> Iterator[Instance]:
    """The canonical aggregation is among the three best."""
    for model, row in rows.items():
        a = printed.CANONICAL[model]
        yield f"{shown(model, row, a)}, place {place(row, a)}", place(row, a) <= 3


def only_for_err(top: int, rows: Rows) -> Iterator[Instance]:
    """The aggregation ERR does well under the model ERR, and is last or next to last under INST and AP."""
    for model, row in rows.items():
        if model == "ERR":
            yield f"{shown(model, row, 'ERR')}, place {place(row, 'ERR')}", place(row, "ERR") <= top
        elif "ERR" in row:
            yield f"{shown(model, row, 'ERR')}, {below(row, 'ERR')} worse", below(row, "ERR") <= 1


def held(claim: Claim, tables: dict[str, Measured], whole: bool) -> tuple[bool | None, str]:
    """Whether the claim holds over some collections, and in how many cases; with all cases or those that fail."""
    said, failed, every = [], 0, 0
    for name, measured in tables.items():
        cases = list(claim.cases(getattr(measured, claim.about)))
        so, not_so = ([text for text, good in cases if good == kind] for kind in (True, False))
        failed, every = failed + len(not_so), every + len(cases)
        if cases:
            which = f" ({'; '.join(so)})" if whole and so else ""
            but = f"; not {'; '.join(not_so)}" if not_so else ""
            said.append(f"{name}: {len(so)} of {len(cases)}{which}{but}")
    return (failed <= claim.spared * len(tables) if every else None), ". ".join(said)


def finding(claim: Claim, study: ExaminedCollection | None) -> CheckedClaim:
    """The claim on the collection, or, without one, on the figures of the paper; evidence from both."""
    in_print = {name: Measured(table, {}, {}, printed.taus(name)) for name, table in printed.TABLE_3.items()}
    published, as_printed = held(claim, in_print, whole=False)
    if study is None:
        if published is None:
            return checked_claim(claim.text, None, "Figure 2 has curves without figures; give runs and judgements.")
        return checked_claim(claim.text, published, f"By the figures in print, {as_printed}.")
    by = "; 1 less the area under the ASL curve" if claim.about == "curve" else ""
    here, found = held(claim, {f"Here ({study.name}{by})": study.measured}, whole=True)
    if claim.about == "curve":
        by_power = replace(claim, about="power")
        found += f". {held(by_power, {'By the pairs with p < .05 alone': study.measured}, whole=False)[1]}"
    return checked_claim(claim.text, here, f"{found}. In print, {as_printed}." if as_printed else f"{found}.")
