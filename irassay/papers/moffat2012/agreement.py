"""Tables 1, 2, 4 and 5 of moffat2012: parts (a) from scores, and parts (b) from the printed parts (a)."""

import io
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument
from irassay.meta.agreement import Agreement, agreement
from irassay.papers.moffat2012.tables import (
    ADAPTIVE,
    ADAPTIVE_A,
    ADAPTIVE_B,
    COMPARED,
    MATRICES,
    METRICS,
    NAMES,
    PAIRS,
    PART_A,
    PART_B,
    SYSTEMS,
    TABLES,
    TOPICS,
)
from irassay.papers.reproduction import Figure, Request
from irassay.scores import Scores
from irassay.scoring.score import score

ROUNDING = 0.05  # largest rounding error of a printed percentage
FROM_SCORES = " from scores"  # ends the name of a table from scores, if the same table also follows from another one
LARGEST_RESIDUE = 0.17  # percentage points: the largest difference among the TREC-8 figures that can be recomputed


@dataclass(frozen=True)
class Side:
    """A class agreement in Table 1(b) or 2(b): its place, and what follows from part (a)."""

    collection: str
    row: str
    column: str
    printed: str  # above or below the diagonal
    figure: float
    captioned: float  # the class that belongs there according to the caption
    other: float  # the class that belongs on the other side
    margin: float  # largest error of `captioned`, because part (a) is rounded
    other_margin: float

    @property
    def as_captioned(self) -> bool:
        """Whether the figure can follow from part (a) as the caption defines it."""
        return abs(self.figure - self.captioned) <= self.margin + ROUNDING + 1e-9

    @property
    def exchanged(self) -> bool:
        """Whether the figure can follow from part (a) as the caption defines it for the other side."""
        return abs(self.figure - self.other) <= self.other_margin + ROUNDING + 1e-9


def class_agreements(SSA: Floats, SSD: Floats, one: Floats, other: Floats) -> Floats:
    """[2, n] Class agreement on significant and on non-significant differences, in percent, from percentages of pairs.

    `one` and `other` are the powers of the two metrics.

    >>> class_agreements(*np.array([[50.0], [0.0], [60.0], [70.0]])).round(2).tolist()
    [[76.92], [57.14]]
    """
    SN, NS = one - SSA - SSD, other - SSA - SSD
    NN = 100 - SSA - SSD - SN - NS
    return np.array([200 * same / (2 * same + SN + NS) for same in (SSA, NN)])


def agreements_from_printed(SSA: float, SSD: float, one: float, other: float) -> tuple[Floats, Floats]:
    """[2], [2] The two class agreements, and their largest errors, because the four figures are rounded."""
    printed = np.array([[SSA], [SSD], [one], [other]])
    shifted = printed + ROUNDING * np.array(list(itertools.product((-1, 1), repeat=4))).T
    shifted[1] = shifted[1].clip(0)
    agreements = class_agreements(*printed)
    return agreements[:, 0], np.abs(class_agreements(*shifted) - agreements).max(axis=1)


def sides(collection: str) -> list[Side]:
    """Every figure of Table 1(b) or 2(b), in printed order."""
    a, b = PART_A[collection], PART_B[collection]
    figures = []
    for i, j in itertools.permutations(range(len(NAMES)), 2):
        low, high = min(i, j), max(i, j)
        both, margin = agreements_from_printed(a[low, high], a[high, low], a[i, i], a[j, j])
        if i > j:  # by the caption, agreement on significant differences is above the diagonal
            both, margin = both[::-1], margin[::-1]
        printed = "above the diagonal" if i < j else "below the diagonal"
        figures.append(Side(collection, NAMES[i], NAMES[j], printed, float(b[i, j]), *both.tolist(), *margin.tolist()))
    return figures


def part_b_figures(collection: str) -> list[Figure]:
    """Class agreements from part (a), each as the class that the figure turns out to be."""
    table, formulas, cells = f"{TABLES[collection][0]}b", ("2SSA/(2SSA+SN+NS)", "2NN/(2NN+SN+NS)"), []
    for side in sides(collection):
        captioned, actual = formulas if side.printed.startswith("above") else formulas[::-1]
        why = f"appears transposed: the caption says {captioned}, which is {side.captioned:.1f}; the figure is {actual}"
        cells.append(Figure(table, side.row, side.column, side.figure, side.other, 1, side.other_margin, why))
    return cells


def adaptive_agreements(collection: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Agreement of adaptive INSQ with other metrics on significant differences, and its largest error.

    It follows from Table 4(a) or 5(a) and the power of the metrics; SSD is not printed and taken as 0.
    """
    a = ADAPTIVE_A[collection]
    power = dict(zip((*NAMES, *ADAPTIVE), (*PART_A[collection].diagonal(), *a.diagonal()), strict=True))
    by_metrics = {}
    for i, j in np.argwhere(~np.isnan(a) & (np.arange(len(COMPARED)) > np.arange(len(ADAPTIVE))[:, None])).tolist():
        both, margin = agreements_from_printed(a[i, j], 0.0, power[ADAPTIVE[i]], power[COMPARED[j]])
        by_metrics[ADAPTIVE[i], COMPARED[j]] = float(both[0]), float(margin[0])
    return by_metrics


def adaptive_b_figures(collection: str) -> list[Figure]:
    """Tables 4(b) and 5(b) from parts (a)."""
    table, cells = f"{TABLES[collection][1]}b", []
    for (row, column), (ours, margin) in adaptive_agreements(collection).items():
        figure = float(ADAPTIVE_B[collection][ADAPTIVE.index(row), COMPARED.index(column)])
        if np.isnan(figure):
            cells.append(Figure(table, row, column, None, ours, 1, kind="illegible"))
        else:
            cells.append(Figure(table, row, column, figure, ours, 1, margin))
    return cells


def agreements(request: Request) -> dict[str, Agreement]:
    """The agreement of metrics by collection: from the user's runs, or from the published matrices of TREC-8."""
    by_collection: dict[str, Agreement] = {}
    if request.runs or request.qrels:
        collection, scores = _from_runs(request)
        by_collection[collection] = agreement(scores)
    matrices = {name: file for name, file in MATRICES.items() if request.published.has(file)}
    if "TREC-8" not in by_collection and matrices:
        values = [_matrix(request.published.content(file)) for file in matrices.values()]  # [metric][system, topic]
        cube = np.stack(values, axis=2)
        systems, topics = (tuple(map(str, range(1, n + 1))) for n in cube.shape[:2])
        by_collection["TREC-8"] = agreement(Scores(cube, systems, topics, tuple(matrices)))
    return by_collection


def _matrix(content: bytes) -> Floats:
    """[system, topic] Scores from a table with one line per topic."""
    return np.loadtxt(io.BytesIO(content), delimiter=",", skiprows=1).T


def _from_runs(request: Request) -> tuple[str, Scores]:
    """The collection that a user's runs belong to, and their scores with the paper's metrics."""
    if not request.runs or request.qrels is None:
        raise InputError(
            f"moffat2012 needs runs and judgements together; give both {argument('runs')} and {argument('qrels')}."
        )
    scores = score(list(request.runs), request.qrels, METRICS.values())
    for collection, topics in TOPICS.items():
        if set(scores.topics) <= {str(topic) for topic in topics}:
            return collection, replace(scores, metrics=tuple(METRICS))
    raise InputError(
        f"{request.qrels} judges topics such as {scores.topics[0]}; moffat2012 needs runs and judgements of the TREC-8 "
        "ad hoc track (topics 401 to 450) or of the TREC-10 web track (501 to 550)."
    )


def figures_from_scores(by_collection: Mapping[str, Agreement]) -> list[Figure]:
    """Parts (a) of all four tables, and parts (b) of Tables 1 and 2 for the metrics that have scores."""
    return [
        replace(cell, why=_explanation(cell, collection, by_collection.get(collection)))
        for collection in TABLES
        for table in (_part_a, _adaptive_a, _part_b_from_scores)
        for cell in table(collection, by_collection.get(collection))
    ]


def _part_a(collection: str, result: Agreement | None) -> Iterator[Figure]:
    """Power on the diagonal, SSA above it and SSD below, in percent of all pairs."""
    for (i, j), printed in np.ndenumerate(PART_A[collection]):
        ours = _percent(result, "SSD" if i > j else "SSA", NAMES[i], NAMES[j])
        yield Figure(f"{TABLES[collection][0]}a", NAMES[i], NAMES[j], float(printed), ours, 1)


def _adaptive_a(collection: str, result: Agreement | None) -> Iterator[Figure]:
    """SSA with adaptive INSQ, and its power, in percent of all pairs."""
    for (i, j), printed in np.ndenumerate(ADAPTIVE_A[collection]):
        if not np.isnan(printed):
            ours = _percent(result, "SSA", ADAPTIVE[i], COMPARED[j])
            yield Figure(f"{TABLES[collection][1]}a", ADAPTIVE[i], COMPARED[j], float(printed), ours, 1)


def _part_b_from_scores(collection: str, result: Agreement | None) -> Iterator[Figure]:
    """Class agreements from scores, each as the class that the figure turns out to be."""
    if result is None:
        return
    scored = [name for name in NAMES if name in result.metrics]
    for row, column in itertools.permutations(scored, 2):
        above = NAMES.index(row) < NAMES.index(column)
        shares = result.insignificance_class if above else result.significance_class
        printed = PART_B[collection][NAMES.index(row), NAMES.index(column)]
        ours = 100 * shares[result.metrics.index(row), result.metrics.index(column)]
        table = f"{TABLES[collection][0]}b{FROM_SCORES}"
        yield Figure(table, row, column, float(printed), float(ours), 1, kind="ours")  # counted as printed in part (b)


def _percent(result: Agreement | None, outcome: str, row: str, column: str) -> float | None:
    if result is None or not {row, column} <= set(result.metrics):
        return None
    return 100 * result.of(row, column)[outcome] / result.pairs


def _explanation(cell: Figure, collection: str, result: Agreement | None) -> str:
    """The data that a figure needs, or why it differs slightly from the published one."""
    if result is None or cell.difference is None:
        matrices = collection == "TREC-8" and {cell.row, cell.column} <= set(MATRICES)
        return f"needs {'the published matrices or ' if matrices else ''}the {collection} run files"
    if cell.status == "match":
        return ""
    if result.systems != SYSTEMS[collection]:
        return f"{result.systems} of {SYSTEMS[collection]} runs were given"
    if round(abs(cell.difference), 2) > LARGEST_RESIDUE:
        return ""
    off = round(abs(cell.difference) * PAIRS[collection] / 100)
    pairs = f", {off} of {PAIRS[collection]:,} pairs" if cell.table.endswith("a") else ""
    return (
        f"within {LARGEST_RESIDUE} points{pairs}: the paper names neither its test nor the program that scored the runs"
    )
