"""Moffat, Scholer and Thomas (2012): the figures in the text, the curves, and the agreement of metrics.

Only parts (a) of Tables 1, 2, 4 and 5 need data. Their figures for AP, P@10 and RR on TREC-8 follow from matrices that
Urbano et al. published; the others need run files, which only TREC participants get.
"""

from collections.abc import Iterator, Mapping

from irassay.meta.agreement import Agreement
from irassay.papers.moffat2012.agreement import (
    FROM_SCORES,
    adaptive_b_figures,
    agreements,
    figures_from_scores,
    part_b_figures,
)
from irassay.papers.moffat2012.claims import checked_claims
from irassay.papers.moffat2012.figures import curves, figure_1, figure_2, scores_2c, transposition_chart
from irassay.papers.moffat2012.tables import FIGURES, MATRICES, PAIRS, SYSTEMS
from irassay.papers.moffat2012.tables import TABLES as COMPARISONS
from irassay.papers.reproduction import Figure, Reproduction, Request

ORDER: list[str] = FIGURES["tables"]
CHARTS = {
    "figure-1": (figure_1, ("figure 1",)),
    "figure-2": (figure_2, ("figure 2",)),
    "tables-1b-2b": (transposition_chart, ("1b", "2b")),
}  # the function that draws each, and the tables it belongs to


def reproduce(request: Request) -> Reproduction:
    """Recompute every figure that the paper prints."""
    by_collection = agreements(request)
    cells = [*text_figures(), *figures_from_scores(by_collection)]
    for collection in COMPARISONS:
        cells += [*part_b_figures(collection), *adaptive_b_figures(collection)]
    return Reproduction(
        "moffat2012",
        tuple(sorted(cells, key=lambda cell: (ORDER.index(cell.table.removesuffix(FROM_SCORES)), cell.table))),
        tuple(checked_claims(by_collection)) if not request.tables else (),
        notes=tuple(notes(by_collection)),
        charts=tuple((name, draw) for name, (draw, tables) in CHARTS.items() if any(map(request.wants, tables))),
    )


def text_figures() -> Iterator[Figure]:
    """The figures in Sections 2, 4 and 5."""
    insq, rbp, sdcg, prec = (curves(name, 101) for name in ("INSQ", "RBP(p=0.73)", "SDCG@100", "P@100"))
    yield Figure("text", "S", "normalises INSQ", 0.6449, 1 / (4 * float(insq.W[0])), 4)
    for rank, printed in ((1, 0.388), (2, 0.172), (3, 0.097)):
        yield Figure("text", f"W({rank})", "INSQ", printed, float(insq.W[rank - 1]))
    yield Figure("text", "W(100), in 1e-4", "INSQ", 1.5, 1e4 * float(insq.W[99]), 1)
    yield Figure("text", "W(100), in 1e-15", "RBP(p=0.73)", 6.0, 1e15 * float(rbp.W[99]), 0, why=(
        f"the printed figure is the weight of rank 101, {1e15 * float(rbp.W[100]):.1f}e-15, just as R(100) of INSQ is "
        "R(101)"
    ))  # fmt: skip
    yield Figure("text", "W(1)", "RBP(p=0.95)", 0.05, float(curves("RBP(p=0.95)", 1).W[0]), 2)
    yield Figure("text", "W(1) / W(100)", "SDCG@100", 7.0, float(sdcg.W[0] / sdcg.W[99]), 0)
    yield Figure("text", "1 / V(100)", "SDCG@100", 7.0, 1 / float(sdcg.V[99]), 0)
    yield Figure("text", "L(100)", "P@100", 1.0, float(prec.L[99]), 1)
    yield Figure("text", "largest other L", "P@100", 0.0, float(prec.L[:99].max()), 1)
    yield Figure("text", "R(100)", "SDCG@100", 0.0, float(sdcg.R[99]), 1)
    yield Figure("text", "R(100)", "INSQ", 0.0151, float(insq.R[99]), 4, why=(
        f"the printed figure is the residual after 101 ranks, {float(insq.R[100]):.4f}"
    ))  # fmt: skip
    for collection, systems in SYSTEMS.items():
        yield Figure("text", "system pairs", collection, PAIRS[collection], systems * (systems - 1) // 2, 0)
    for T, printed in ((1, 2.58), (5, 10.52), (25, 50.50)):
        yield Figure("text", f"expected depth, T = {T}", "INSQ", printed, curves(f"INSQ(T={T})", 1).depth, 2)
    yield Figure("figure 1", "H(100)", "SDCG@100", 1.0, float(sdcg.H[99]), 1)
    static, adaptive, deeper = scores_2c()
    yield Figure("figure 2", "score of example (c)", "INSQ(T=5)", 0.350, static)
    yield Figure("figure 2", "score of example (c)", "aINSQ(T=5)", 0.502, adaptive, why=(
        f"equation 3 gives {adaptive:.4f}; with its factor one rank deeper, aINSQ(T=5,shift=1), it is {deeper:.4f}"
    ))  # fmt: skip


def notes(by_collection: Mapping[str, Agreement]) -> Iterator[str]:
    """The data used and missing, and how tables were recomputed."""
    for collection, result in by_collection.items():
        pairs = f"{result.systems} systems, {result.pairs:,} pairs"
        yield f"{collection}: {pairs}, two-sided paired t-test at {result.alpha:g}."
        yield from result.notes
    missing = [
        collection for collection in COMPARISONS if len(getattr(by_collection.get(collection), "metrics", ())) < 11
    ]
    if missing:
        yield (
            f"The rest of parts (a) needs the {' and '.join(missing)} run files, which only TREC participants get. "
            "If you have them, give the runs and judgements of one collection at a time."
        )
    if "TREC-8" not in by_collection:
        names = ", ".join(file.name for file in MATRICES.values())
        yield f"The figures for RR, P@10 and AP on TREC-8 need the published files {names}."
    yield (
        "Parts (b) are computed from the printed parts (a); a figure matches if values that round to those in part (a) "
        "can give it. Tables 4 and 5 do not print SSD, which was taken as 0."
    )
