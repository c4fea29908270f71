"""Tables 1, 2, 4 and 5 of moffat2012: parts (a) from scores, parts (b) from parts (a) as printed."""

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

HALF = 0.05  # how far a printed percentage may be from what was rounded
FROM_SCORES = " from scores"  # of a table made anew, where the paper's follows from another
RESIDUE = 0.17  # points by which the figures of TREC-8 that can be recomputed differ at most


@dataclass(frozen=True)
class Side:
    """A class agreement of Table 1(b) or 2(b): where it stands, and what part (a) makes of it."""

    collection: str
    row: str
    column: str
    printed: str  # above or below the diagonal
    figure: float
    captioned: float  # the class that the caption puts there
    other: float  # the class that it puts on the other side
    margin: float  # how far `captioned` may be off, since part (a) is rounded
    other_margin: float

    @property
    def as_captioned(self) -> bool:
        """Whether part (a) can give the figure as the caption defines it."""
        return abs(self.figure - self.captioned) <= self.margin + HALF + 1e-9

    @property
    def exchanged(self) -> bool:
        """Whether part (a) can give the figure as the caption defines it for the other side."""
        return abs(self.figure - self.other) <= self.other_margin + HALF + 1e-9


def classes(SSA: Floats, SSD: Floats, one: Floats, other: Floats) -> Floats:
    """[2, n] class agreement on what differs and on what does not, in percent, from shares of pairs in percent.

    `one` and `other` are the power of the two metrics.

    >>> classes(*np.array([[50.0], [0.0], [60.0], [70.0]])).round(2).tolist()
    [[76.92], [57.14]]
    """
    SN, NS = one - SSA - SSD, other - SSA - SSD
    NN = 100 - SSA - SSD - SN - NS
    return np.array([200 * same / (2 * same + SN + NS) for same in (SSA, NN)])


def from_printed(SSA: float, SSD: float, one: float, other: float) -> tuple[Floats, Floats]:
    """[2], [2] the two class agreements, and how far each may be off because the four figures are rounded."""
    printed = np.array([[SSA], [SSD], [one], [other]])
    moved = printed + HALF * np.array(list(itertools.product((-1, 1), repeat=4))).T
    moved[1] = moved[1].clip(0)
    made = classes(*printed)
    return made[:, 0], np.abs(classes(*moved) - made).max(axis=1)


def sides(collection: str) -> list[Side]:
    """Every figure of Table 1(b) or 2(b), in the order in which they are printed."""
    a, b = PART_A[collection], PART_B[collection]
    found = []
    for i, j in itertools.permutations(range(len(NAMES)), 2):
        low, high = min(i, j), max(i, j)
        made, margin = from_printed(a[low, high], a[high, low], a[i, i], a[j, j])
        if i > j:  # the caption puts agreement on what differs above the diagonal
            made, margin = made[::-1], margin[::-1]
        printed = "above the diagonal" if i < j else "below the diagonal"
        found.append(Side(collection, NAMES[i], NAMES[j], printed, float(b[i, j]), *made.tolist(), *margin.tolist()))
    return found


def part_b(collection: str) -> list[Figure]:
    """Class agreements from part (a), each as the class that it turns out to be."""
    table, formulas, cells = f"{TABLES[collection][0]}b", ("2SSA/(2SSA+SN+NS)", "2NN/(2NN+SN+NS)"), []
    for side in sides(collection):
        captioned, found = formulas if side.printed.startswith("above") else formulas[::-1]
        why = f"appears transposed: by the caption this is {captioned}, which is {side.captioned:.1f}; it is {found}"
        cells.append(Figure(table, side.row, side.column, side.figure, side.other, 1, side.other_margin, why))
    return cells


def adaptive_b(collection: str) -> list[Figure]:
    """Tables 4(b) and 5(b) from their parts (a) and the power of the other metrics; SSD, not printed, is taken as 0."""
    a, b = ADAPTIVE_A[collection], ADAPTIVE_B[collection]
    power = dict(zip((*NAMES, *ADAPTIVE), (*PART_A[collection].diagonal(), *a.diagonal()), strict=True))
    cells = []
    for i, j in np.argwhere(~np.isnan(a) & (np.arange(len(COMPARED)) > np.arange(len(ADAPTIVE))[:, None])).tolist():
        made, margin = from_printed(a[i, j], 0.0, power[ADAPTIVE[i]], power[COMPARED[j]])
        table, printed = f"{TABLES[collection][1]}b", None if np.isnan(b[i, j]) else float(b[i, j])
        why = "illegible in our copy of the paper" if printed is None else ""
        cells.append(Figure(table, ADAPTIVE[i], COMPARED[j], printed, float(made[0]), 1, float(margin[0]), why))
    return cells


def agreements(request: Request) -> dict[str, Agreement]:
    """What scores there are say of each collection: the user's runs, or else the published matrices of TREC-8."""
    found: dict[str, Agreement] = {}
    if request.runs or request.qrels:
        collection, scores = _from_runs(request)
        found[collection] = agreement(scores)
    there = {name: file for name, file in MATRICES.items() if request.published.has(file)}
    if "TREC-8" not in found and there:
        values = [_matrix(request.published.content(file)) for file in there.values()]  # [metric][system, topic]
        cube = np.stack(values, axis=2)
        systems, topics = (tuple(map(str, range(1, n + 1))) for n in cube.shape[:2])
        found["TREC-8"] = agreement(Scores(cube, systems, topics, tuple(there)))
    return found


def _matrix(content: bytes) -> Floats:
    """[system, topic] scores from a table with a line for each topic."""
    return np.loadtxt(io.BytesIO(content), delimiter=",", skiprows=1).T


def _from_runs(request: Request) -> tuple[str, Scores]:
    """The collection that a user's runs belong to, and their scores by the metrics of the paper."""
    if not request.runs or request.qrels is None:
        raise InputError(
            f"moffat2012 needs runs and judgements together; give both {argument('runs')} and {argument('qrels')}"
        )
    scores = score(list(request.runs), request.qrels, METRICS.values())
    for collection, topics in TOPICS.items():
        if set(scores.topics) <= {str(topic) for topic in topics}:
            return collection, replace(scores, metrics=tuple(METRICS))
    raise InputError(
        f"{request.qrels} judges topics such as {scores.topics[0]}; moffat2012 compares the runs of the TREC-8 ad hoc "
        "track (topics 401 to 450) and of the TREC-10 web track (501 to 550)"
    )


def from_scores(found: Mapping[str, Agreement]) -> list[Figure]:
    """Parts (a) of all four tables, and parts (b) of Tables 1 and 2 for the metrics that there are scores of."""
    return [
        replace(cell, why=_why(cell, collection, found.get(collection)))
        for collection in TABLES
        for table in (_part_a, _adaptive_a, _measured_b)
        for cell in table(collection, found.get(collection))
    ]


def _part_a(collection: str, found: Agreement | None) -> Iterator[Figure]:
    """Power on the diagonal, SSA above it, SSD below, in percent of all pairs."""
    for (i, j), printed in np.ndenumerate(PART_A[collection]):
        ours = _percent(found, "SSD" if i > j else "SSA", NAMES[i], NAMES[j])
        yield Figure(f"{TABLES[collection][0]}a", NAMES[i], NAMES[j], float(printed), ours, 1)


def _adaptive_a(collection: str, found: Agreement | None) -> Iterator[Figure]:
    """SSA with adaptive INSQ, and its power, in percent of all pairs."""
    for (i, j), printed in np.ndenumerate(ADAPTIVE_A[collection]):
        if not np.isnan(printed):
            ours = _percent(found, "SSA", ADAPTIVE[i], COMPARED[j])
            yield Figure(f"{TABLES[collection][1]}a", ADAPTIVE[i], COMPARED[j], float(printed), ours, 1)


def _measured_b(collection: str, found: Agreement | None) -> Iterator[Figure]:
    """Class agreements from scores, read as the class that each figure turns out to be."""
    if found is None:
        return
    known = [name for name in NAMES if name in found.metrics]
    for row, column in itertools.permutations(known, 2):
        above = NAMES.index(row) < NAMES.index(column)
        shares = found.insignificance_class if above else found.significance_class
        printed = PART_B[collection][NAMES.index(row), NAMES.index(column)]
        ours = 100 * shares[found.metrics.index(row), found.metrics.index(column)]
        yield Figure(f"{TABLES[collection][0]}b{FROM_SCORES}", row, column, float(printed), float(ours), 1)


def _percent(found: Agreement | None, outcome: str, row: str, column: str) -> float | None:
    if found is None or not {row, column} <= set(found.metrics):
        return None
    return 100 * found.of(row, column)[outcome] / found.pairs


def _why(cell: Figure, collection: str, found: Agreement | None) -> str:
    """What a figure lacks, or why it is not quite the published one."""
    if found is None or cell.difference is None:
        matrices = collection == "TREC-8" and {cell.row, cell.column} <= set(MATRICES)
        return f"needs {'the matrices of --data or ' if matrices else ''}the {collection} run files"
    if cell.status == "match":
        return ""
    if found.systems != SYSTEMS[collection]:
        return f"{found.systems} of {SYSTEMS[collection]} runs were given"
    if round(abs(cell.difference), 2) > RESIDUE:
        return ""
    off = round(abs(cell.difference) * PAIRS[collection] / 100)
    pairs = f", {off} of {PAIRS[collection]:,} pairs" if cell.table.endswith("a") else ""
    return f"within {RESIDUE} points{pairs}: the paper names neither its test nor the program that scored the runs"
