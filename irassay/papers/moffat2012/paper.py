"""Moffat, Scholer and Thomas (2012): the figures in its text, its curves, and what metrics agree on.

No data are needed but for parts (a) of Tables 1, 2, 4 and 5. Of those, what AP, P@10 and RR say of TREC-8 follows from
matrices that Urbano et al. published; the rest needs run files, which TREC lends to its participants.
"""

from collections.abc import Iterator, Mapping

from irassay.meta.agreement import Agreement
from irassay.papers.moffat2012.agreement import FROM_SCORES, adaptive_b, agreements, from_scores, part_b
from irassay.papers.moffat2012.claims import checked_claims
from irassay.papers.moffat2012.figures import curves, figure_1, figure_2, scores_2c, transposed
from irassay.papers.moffat2012.tables import FIGURES, MATRICES, PAIRS, SYSTEMS
from irassay.papers.moffat2012.tables import TABLES as COMPARISONS
from irassay.papers.reproduction import Figure, Reproduction, Request

ORDER: list[str] = FIGURES["tables"]
CHARTS = {
    "figure-1": (figure_1, ("figure 1",)),
    "figure-2": (figure_2, ("figure 2",)),
    "tables-1b-2b": (transposed, ("1b", "2b")),
}  # what draws each, and the tables that it belongs to


def reproduce(request: Request) -> Reproduction:
    """Every figure that the paper prints, beside ours."""
    found = agreements(request)
    cells = [
        *in_the_text(),
        *from_scores(found),
        *(cell for collection in COMPARISONS for cell in (*part_b(collection), *adaptive_b(collection))),
    ]
    return Reproduction(
        "moffat2012",
        tuple(sorted(cells, key=lambda cell: (ORDER.index(cell.table.removesuffix(FROM_SCORES)), cell.table))),
        tuple(checked_claims(found)) if not request.tables else (),
        notes=tuple(notes(found)),
        charts=tuple((name, draw) for name, (draw, tables) in CHARTS.items() if any(map(request.wants, tables))),
    )


def in_the_text() -> Iterator[Figure]:
    """The figures of Sections 2, 4 and 5."""
    insq, rbp, sdcg, prec = (curves(name, 101) for name in ("INSQ", "RBP(p=0.73)", "SDCG@100", "P@100"))
    yield Figure("text", "S", "normalises INSQ", 0.6449, 1 / (4 * float(insq.W[0])), 4)
    for rank, printed in ((1, 0.388), (2, 0.172), (3, 0.097)):
        yield Figure("text", f"W({rank})", "INSQ", printed, float(insq.W[rank - 1]))
    yield Figure("text", "W(100), in 1e-4", "INSQ", 1.5, 1e4 * float(insq.W[99]), 1)
    yield Figure("text", "W(100), in 1e-15", "RBP(p=0.73)", 6.0, 1e15 * float(rbp.W[99]), 0, why=(
        f"printed is the weight of rank 101, {1e15 * float(rbp.W[100]):.1f}e-15, as R(100) of INSQ is that of 101"
    ))  # fmt: skip
    yield Figure("text", "W(1)", "RBP(p=0.95)", 0.05, float(curves("RBP(p=0.95)", 1).W[0]), 2)
    yield Figure("text", "W(1) / W(100)", "SDCG@100", 7.0, float(sdcg.W[0] / sdcg.W[99]), 0)
    yield Figure("text", "1 / V(100)", "SDCG@100", 7.0, 1 / float(sdcg.V[99]), 0)
    yield Figure("text", "L(100)", "P@100", 1.0, float(prec.L[99]), 1)
    yield Figure("text", "largest other L", "P@100", 0.0, float(prec.L[:99].max()), 1)
    yield Figure("text", "R(100)", "SDCG@100", 0.0, float(sdcg.R[99]), 1)
    yield Figure("text", "R(100)", "INSQ", 0.0151, float(insq.R[99]), 4, why=(
        f"printed is the residual after 101 ranks, {float(insq.R[100]):.4f}"
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


def notes(found: Mapping[str, Agreement]) -> Iterator[str]:
    """What was used, what is missing, and how tables were recomputed."""
    for collection, made in found.items():
        yield f"{collection}: {made.systems} systems, {made.pairs:,} pairs, two-sided paired t-test at {made.alpha:g}."
        yield from made.notes
    missing = [collection for collection in COMPARISONS if len(getattr(found.get(collection), "metrics", ())) < 11]
    if missing:
        yield (
            f"The rest of parts (a) needs the {' and '.join(missing)} run files, which TREC lends to participants: "
            "give them with --runs and --qrels, one collection at a time."
        )
    if "TREC-8" not in found:
        names = ", ".join(file.name for file in MATRICES.values())
        yield f"What RR, P@10 and AP say of TREC-8 follows from {names} (--data or --fetch)."
    yield (
        "Parts (b) follow from parts (a) as printed; a figure matches if some figures that round to those of part (a) "
        "give it. Tables 4 and 5 do not print SSD, which was taken as 0."
    )
