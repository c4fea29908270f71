"""Rules that check the claims of Chen and Sakai (2023), on their own tables and on a user's collection."""

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
Instance = tuple[str, bool]  # a case with its figures, and whether it is as claimed
Rule = tuple[Callable[[Any], Iterator[Instance]], int]  # the cases of a quantity, and how many may fail
EQUAL_TOLERANCE = 1e-9
RESAMPLING_SLACK = 0.002  # how much a mean tau or a power may vary with the splits or resamples
SIZE_NOUNS = ("topics", "levels", "relevant documents per topic", "runs")  # in the order of Table 2
SIMILAR_TAU = 0.9  # the tau from which the paper calls rankings similar


@dataclass(frozen=True, eq=False)
class Measurements:
    """The quantities that the claims are about, by browsing model; empty if the paper prints no figures."""

    consistency: Rows
    power: Rows  # share of pairs of runs with p < .05
    curve: Rows  # 1 minus the area under the ASL curve, so that higher is better
    tau: Taus


@dataclass(frozen=True, eq=False)
class ExaminedCollection:
    """A collection examined as in the paper."""

    name: str  # as in Table 2; empty for a user's own
    sizes: dict[str, float]  # its columns of Table 2
    metric: dict[tuple[str, str], str]  # by browsing model and aggregation
    measured: Measurements
    similarity: Similarity
    consistency: Consistency
    discrimination: Discrimination
    alternatives: Alternatives | None  # to the original ERR; None if there are too few topics
    inst_tau: float  # between INST with T = 2.25 and 2.5
    other_inst_taus: dict[tuple[str, str], float]  # between aggregations of INST with T = 2.5
    rbp_tau: tuple[float, float]  # between ERG and FIN of RBP, stopping at rank 10 and reading on

    @property
    def title(self) -> str:
        """The collection in a sentence: WWW3 (39 runs, 80 topics), or Here (…) for a user's own."""
        return f"{self.name or 'Here'} ({self.sizes['runs']:g} runs, {self.sizes['topics']:g} topics"

    @property
    def printed_name(self) -> str:
        """The collection of the paper that it is, by name or, for a user's own, by its numbers of runs and topics."""
        same_size = [
            name
            for name, sizes in printed.TABLE_2.items()
            if all(self.sizes[column] == sizes[column] for column in ("runs", "topics"))
        ]
        return self.name or next(iter(same_size), "")

    @property
    def size_difference(self) -> str:
        """Why its figures may differ from the paper's: other numbers of runs, topics or relevant documents."""
        published = printed.TABLE_2.get(self.name, {})
        different = [
            f"{self.sizes[column]:.{int(column == 'relevant')}f} {noun}, not {size:g}"
            for (column, size), noun in zip(published.items(), SIZE_NOUNS, strict=False)
            if abs(self.sizes[column] - size) >= 0.05
        ]
        return f"the files at hand have {'; '.join(different)}" if different else ""


Studies = dict[str, ExaminedCollection]  # by name as in Table 2


@dataclass(frozen=True)
class PaperClaim:
    """A claim, the quantity it is about, and in how many cases per collection its own words allow it to fail."""

    text: str
    quantity: str  # tau, consistency or curve; for the curve, the power is reported too
    cases: Callable[[Any], Iterator[Instance]]  # of that quantity
    allowed_failures: int = 0


def labelled_values(model: str, row: Row, *aggregations: str) -> str:
    """Values of a row with their names."""
    return f"{model} {', '.join(f'{a} {row[a]:.3f}' for a in aggregations)}"


def leading_case(model: str, row: Row, a: str, lowest_rank: int) -> Instance:
    """The rank of an aggregation, 1 for the highest, and whether it is high enough; ties share a rank."""
    rank = 1 + sum(value > row[a] + EQUAL_TOLERANCE for value in row.values())
    return f"{labelled_values(model, row, a)}, place {rank}", rank <= lowest_rank


def trailing_case(model: str, row: Row, a: str, allowed: int) -> Instance:
    """The number of aggregations that are worse than one, and whether it is small enough."""
    worse = sum(value < row[a] - EQUAL_TOLERANCE for value in row.values())
    return f"{labelled_values(model, row, a)}, {worse} worse", worse <= allowed


def leading_cases(a: str, rows: Rows) -> Iterator[Instance]:
    """Cases of: the aggregation is best or second best."""
    for model, row in rows.items():
        yield leading_case(model, row, a, 2)


def trailing_cases(a: str, worse: dict[str, int], rows: Rows) -> Iterator[Instance]:
    """Cases of: at most this many are worse than the aggregation under each model."""
    for model, row in rows_of(worse, rows):
        yield trailing_case(model, row, a, worse[model])


def rows_of(models: Iterable[str], rows: Rows) -> list[tuple[str, Row]]:
    """The rows of these models, in this order, if they exist."""
    return [(model, rows[model]) for model in models if model in rows]


def middle_cases(rows: Rows) -> Iterator[Instance]:
    """Cases of: AVG does not exceed ERG and ETG, and exceeds MAX."""
    for model, row in rows.items():
        low, high = row["MAX"] + EQUAL_TOLERANCE, min(row["ERG"], row["ETG"]) + EQUAL_TOLERANCE
        yield labelled_values(model, row, "AVG", "ERG", "ETG", "MAX"), low < row["AVG"] <= high


def between_cases(models: Iterable[str], rows: Rows) -> Iterator[Instance]:
    """Cases of: PE is between FIN and MAX."""
    for model, row in rows_of(models, rows):
        low, high = min(row["FIN"], row["MAX"]) - RESAMPLING_SLACK, max(row["FIN"], row["MAX"]) + RESAMPLING_SLACK
        yield labelled_values(model, row, "PE", "FIN", "MAX"), low <= row["PE"] <= high


def canonical_cases(rows: Rows) -> Iterator[Instance]:
    """Cases of: the canonical aggregation is among the three best."""
    for model, row in rows.items():
        yield leading_case(model, row, printed.CANONICAL[model], 3)


def err_cases(lowest_rank: int, rows: Rows) -> Iterator[Instance]:
    """Cases of: the aggregation ERR does well under the model ERR, and is last or next to last under INST and AP."""
    for model, row in rows.items():
        if model == "ERR":
            yield leading_case(model, row, "ERR", lowest_rank)
        elif "ERR" in row:
            yield trailing_case(model, row, "ERR", 1)


def claim_outcome(claim: PaperClaim, tables: dict[str, Measurements], list_all: bool) -> tuple[bool | None, str]:
    """Whether a claim holds on these collections, and a summary that lists all cases or only those that fail."""
    summaries, failed, total = [], 0, 0
    for name, measured in tables.items():
        cases = list(claim.cases(getattr(measured, claim.quantity)))
        true_cases, false_cases = ([text for text, good in cases if good == kind] for kind in (True, False))
        failed, total = failed + len(false_cases), total + len(cases)
        if cases:
            holding = f" ({'; '.join(true_cases)})" if list_all and true_cases else ""
            failing = f"; not {'; '.join(false_cases)}" if false_cases else ""
            summaries.append(f"{name}: {len(true_cases)} of {len(cases)}{holding}{failing}")
    return (failed <= claim.allowed_failures * len(tables) if total else None), ". ".join(summaries)


def deciding_studies(studies: Studies) -> Studies:
    """The collections that decide a claim: the paper's own if any is at hand, otherwise all."""
    return {name: study for name, study in studies.items() if name in printed.TABLE_2} or studies


def checked_on_collections(claim: PaperClaim, studies: Studies) -> CheckedClaim:
    """The claim checked on the collections, or on the paper's figures if there is none; the evidence is from both."""
    in_print = {name: Measurements(table, {}, {}, printed.taus(name)) for name, table in printed.TABLE_3.items()}
    published, as_printed = claim_outcome(claim, in_print, list_all=False)
    if not studies:
        if published is None:
            return checked_claim(
                claim.text, None, "Figure 2 has curves but no figures; give runs and judgements to check it."
            )
        return checked_claim(claim.text, published, f"According to the printed figures, {as_printed}.")
    by = "; 1 minus the area under the ASL curve" if claim.quantity == "curve" else ""
    measured = {f"{study.title}{by})": study.measured for study in studies.values()}
    deciding = {f"{study.title}{by})": study.measured for study in deciding_studies(studies).values()}
    holds, _ = claim_outcome(claim, deciding, list_all=True)
    evidence = claim_outcome(claim, measured, list_all=True)[1]
    if claim.quantity == "curve":
        by_power = replace(claim, quantity="power")
        powers = {
            f"By power alone (p < .05{', ' if name else ''}{name})": study.measured for name, study in studies.items()
        }
        evidence += f". {claim_outcome(by_power, powers, list_all=False)[1]}"
    return checked_claim(claim.text, holds, f"{evidence}. In print, {as_printed}." if as_printed else f"{evidence}.")
