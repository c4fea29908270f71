"""Albahem et al. (2018): which metrics break three axioms, on every ranking of up to ten results.

No data are needed. The published counts are for rankings over two aspects, with one iteration, distinct documents, and
at least ten relevant documents per aspect; cases with the empty ranking do not count.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from irassay.meta.axioms.enumerated_scores import tolerance, tree_scores
from irassay.meta.axioms.method import GROUPS, Axioms, axioms
from irassay.meta.axioms.relations import named_axiom
from irassay.metrics.explanation import parsed_ranking
from irassay.metrics.grammar import parse
from irassay.papers.published import figures
from irassay.papers.reproduction import CheckedClaim, Figure, Reproduction, Request, checked_claim
from irassay.rankings.enumeration import EMPTY, Space
from irassay.views import altair as alt
from irassay.views.axioms.tree import INDUCED, Edge, relation_edges, tree_panel
from irassay.views.theme import inline_data

FIGURES = figures("albahem2018")
DEPTH = 10
FIGURE_SPACE = Space.of(2, 2)  # the rankings of Figures 1 to 5
AD_HOC_METRICS = ("RR", "P@5", "P@10", "nDCG@5", "nDCG@10", "AP")  # trec_eval's
METRICS_WITH_DEPTH = ("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "P_IA", "StRecall")
METRICS_AT_DEPTHS = tuple(f"{name}@{k}" for name in METRICS_WITH_DEPTH for k in (5, 10, 20))
DIVERSITY_METRICS = (*METRICS_AT_DEPTHS, "NRBP", "nNRBP", "AP_IA")  # ndeval's columns
DYNAMIC_METRICS = ("CT", "nCT", "ACT")  # of the TREC Dynamic Domain track
TESTED_METRICS = (*AD_HOC_METRICS, *DIVERSITY_METRICS, *DYNAMIC_METRICS)
UNLISTED_METRICS = ("nERR_IA", "alpha_DCG", "nNRBP")  # in ndeval's output, but not in Section 4.1
LATER_METRICS = ("RBU", "D_nDCG@10", "Dsharp_nDCG@10")  # left to later work by the paper
INTENT_AWARE_METRICS = ("AP_IA", "P_IA@10", "IA(metric='RR')", "IA(metric='nDCG@10')")

AXIOM_FORMULAS = {"relevance": "m(S) <= m(S.r)", "irrelevance": "m(S.x) <= m(S)", "redundancy": "m(S.p) <= m(S.n)"}
KEPT_MARK, BROKEN_MARK = "✓", "×"
TABLE_1: dict[str, list[str]] = FIGURES["table_1"]
PICTURES = {  # Figures 2 to 5: the axioms whose relations are drawn, between the rankings of Figure 1
    "figure 2": ("relevance",),
    "figure 3": ("irrelevance",),
    "figure 4": ("redundancy",),
    "figure 5": ("relevance", "irrelevance", "redundancy"),
}
FIVE_EACH = "a,a,a,a,a,b,b,b,b,b"  # the judgements in the example of Section 4.3


def reproduce(request: Request) -> Reproduction:
    """Count the violations of every metric in the paper, and score its examples."""
    result = axioms(TESTED_METRICS, depth=DEPTH)
    cells = (*table_1(result), *figure_1(), *figures_2_to_5(), *text_figures(result))
    named_charts = {"1": ("table-1", partial(violation_chart, result))} | {
        picture: (picture.replace(" ", "-"), partial(relation_chart, picture)) for picture in PICTURES
    }
    return Reproduction(
        "albahem2018",
        cells,
        tuple(checked_claims(result)) if not request.tables else (),
        notes=tuple(notes(result)),
        charts=tuple(chart for table, chart in named_charts.items() if request.wants(table)),
    )


def violations(result: Axioms, metric: str) -> dict[str, tuple[int, int]]:
    """(violations, cases) by column of Table 1; the last has what follows from the axioms but none of them states."""
    assert result.induced is not None
    induced = int(result.induced.broken[result.metrics.index(metric), 0]), int(result.induced.cases[0])
    stated = {column: result.count(metric, name) for name, column in AXIOM_FORMULAS.items()}
    return {**stated, "Induction": induced}


def table_1(result: Axioms) -> Iterator[Figure]:
    """The marks of the two metrics in the table, and the violations of every other metric, which are not printed."""
    for metric, marks in TABLE_1.items():
        for (column, (broken, _)), mark in zip(violations(result, metric).items(), marks, strict=True):
            yield Figure("1", metric, column, mark, BROKEN_MARK if broken else KEPT_MARK)
    for metric in result.metrics:
        if metric not in TABLE_1:
            for column, (broken, _) in violations(result, metric).items():
                yield Figure("1", metric, column, None, broken, 0)


def figure_1() -> Iterator[Figure]:
    """Every ranking of at most two results."""
    printed = [*FIGURES["figure_1"].split(), EMPTY]
    ours = [FIGURE_SPACE.text(index) for index in range(FIGURE_SPACE.size)]
    yield Figure("figure 1", "rankings", "listed", " ".join(sorted(printed)), " ".join(sorted(ours)), kind="label")


def relations_in(picture: str) -> list[Edge]:
    """The relations that Figure 2, 3, 4 or 5 draws; for Figure 5, also those that follow by induction."""
    names = PICTURES[picture]
    return relation_edges(FIGURE_SPACE, [named_axiom(name) for name in names], with_induced=len(names) > 1)


def figures_2_to_5() -> Iterator[Figure]:
    """The relations between the rankings of Figure 1, which the paper draws."""
    for picture in PICTURES:
        edges = relations_in(picture)
        stated = [edge for edge in edges if edge[2] != INDUCED]
        for part in (stated, edges) if len(edges) > len(stated) else (stated,):
            column = "stated" if part is stated else "stated or by induction"
            listed = " ".join(f"{FIGURE_SPACE.text(worse)}≤{FIGURE_SPACE.text(better)}" for worse, better, *_ in part)
            yield Figure(picture, "relations", column, None, len(part), 0, why=listed)


def text_figures(result: Axioms) -> Iterator[Figure]:
    """Counts and examples in Sections 3 to 5."""
    for metric, name, broken, cases in (("ACT", "irrelevance", 29496, 29523), ("AP_IA", "redundancy", 2026, 2026)):
        ours = result.count(metric, name)
        yield Figure("text", f"{metric}, {AXIOM_FORMULAS[name]}", "violations", broken, ours[0], 0)
        yield Figure("text", f"{metric}, {AXIOM_FORMULAS[name]}", "cases", cases, ours[1], 0)
    for ranking in ("a,a,a,a", "a,a,a,b"):
        yield Figure("text", ranking, "StRecall@3", 0.5, score_of("StRecall@3", ranking, "a,b"), 1)
    paper = score_of("ACT(dialect='paper')", "a,b")
    as_printed = f"as computed by the track's scorer; equations 7 and 8 as printed give {paper:.2f} for a,b"
    yield Figure("text", "a,b", "ACT", 0.0750, score_of("ACT", "a,b"), 4, why=as_printed)
    yield Figure("text", "a,b,x", "ACT", 0.0833, score_of("ACT", "a,b,x"), 4, why="printed as 0.08330; it is 1/12")
    for ranking, printed in (("a,x,x,a", 0.150), ("a,x,x,b", 0.125)):
        yield Figure("text", ranking, "AP_IA", printed, score_of("AP_IA", ranking, FIVE_EACH))
    one = axioms(["ACT", "AP_IA", "AP"], aspects=1, depth=DEPTH, induction=False)
    mark = BROKEN_MARK if one.count("ACT", "irrelevance")[0] else KEPT_MARK
    yield Figure("text", "ACT, one aspect", AXIOM_FORMULAS["irrelevance"], None, mark)
    space = Space.of(1, DEPTH)
    largest_gap = np.abs(tree_scores(parse("AP_IA"), space) - tree_scores(parse("AP"), space)).max()
    yield Figure("text", "AP_IA - AP, one aspect", "largest difference", None, float(largest_gap), 9)
    yield Figure("text", "redundancy, one aspect", "cases", None, one.count("AP_IA", "redundancy")[1], 0)


def score_of(metric: str, ranking: str, pool: str | None = None) -> float:
    """The score of a ranking in the notation of `explain`.

    >>> score_of("AP_IA", "a,x,x,b", FIVE_EACH)
    0.125
    """
    return float(parse(metric).score(parsed_ranking(ranking, pool)[0])[0])


def checked_claims(result: Axioms) -> Iterator[CheckedClaim]:
    """The claims in the text."""
    act, ap_ia = result.count("ACT", "irrelevance"), result.count("AP_IA", "redundancy")
    breaking = {metric for metric, good in zip(result.metrics, result.all_hold, strict=True) if not good}
    listed = [metric for metric in result.metrics if not metric.startswith(UNLISTED_METRICS)]
    yield checked_claim(
        "Of the metrics of TREC Web, TREC Dynamic Domain and ad hoc search, only ACT and AP-IA break an axiom "
        "(Section 4.2).",
        breaking == {"ACT", "AP_IA"},
        f"{len(result.metrics)} metrics on {result.space.size:,} rankings: {', '.join(sorted(breaking))} break one; "
        f"the other {len(result.metrics) - len(breaking)} break none in {int(result.cases[0, :, 0].sum()):,} cases "
        f"each. Section 4.1 lists {len(listed)} of the {len(result.metrics)}, if each depth of ndeval counts; "
        f"{', '.join(UNLISTED_METRICS)} are also in ndeval's output.",
    )
    [path] = [edge for edge in relations_in("figure 5") if [*map(FIGURE_SPACE.text, edge[:2])] == ["bx", "bb"]]
    yield checked_claim(
        "bx is not better than bb, by irrelevance and relevance monotonicity together (Section 3.2).",
        path[2] == INDUCED,
        "bx ≤ b by the one, b ≤ bb by the other; no single axiom relates bx and bb.",
    )
    yield checked_claim(
        "ACT breaks irrelevance monotonicity in almost 99 % of the cases, 29,496 of 29,523 (Section 4.2).",
        act == (29496, 29523),
        f"{act[0]:,} of {act[1]:,}, which is {act[0] / act[1]:.1%}. Floating point would also count two ties.",
    )
    yield averaging_claim()
    with_five = axioms(["AP_IA"], depth=DEPTH, pool=5, induction=False).count("AP_IA", "redundancy")
    yield checked_claim(
        "AP-IA breaks redundancy in all 2,026 cases (Section 4.2).",
        ap_ia == (2026, 2026),
        f"{ap_ia[0]:,} of {ap_ia[1]:,} with ten relevant documents for each aspect; with five, as in the example of "
        f"Section 4.3, {with_five[0]:,}, because a sixth document of an aspect is then not judged.",
    )
    counts = {metric: violations(result, metric)["Induction"] for metric in TABLE_1}
    yield checked_claim(
        "Both also break relations that follow by induction (Section 4.2).",
        all(broken for broken, _ in counts.values()),
        ", ".join(f"{metric} {broken:,} of {cases:,}" for metric, (broken, cases) in counts.items())
        + ". A metric that breaks no axiom breaks nothing that follows from them, so induction adds no verdict.",
    )
    yield checked_claim(
        "ACT satisfies redundancy (Section 5).",
        result.count("ACT", "redundancy")[0] == 0,
        "{:,} of {:,} cases.".format(*result.count("ACT", "redundancy")),
    )
    one = axioms(["ACT", "AP_IA"], aspects=1, depth=DEPTH, induction=False)
    broken, cases = one.count("ACT", "irrelevance")
    yield checked_claim(
        "With one aspect ACT still breaks irrelevance monotonicity, AP-IA is AP, and redundancy does not apply "
        "(Section 5).",
        broken > 0 and one.count("AP_IA", "redundancy")[1] == 0,
        f"ACT breaks it in {broken:,} of {cases:,} cases; AP_IA and AP are equal on all {one.space.size:,} "
        "rankings; redundancy has no case.",
    )
    yield intent_aware_claim()
    paper, tool = score_of("ACT(dialect='paper')", "a,b"), score_of("ACT", "a,b")
    yield checked_claim(
        "Equations 7 and 8 define the ACT that was computed (Section 2).",
        abs(paper - tool) < 1e-9,
        f"On a,b they give {paper:.2f}, but the paper prints {tool:.4f}: the scorer multiplies by gamma even for the "
        "first document of an aspect, and divides by MH. rel(d, a) in the exponents of equations 3, 4 and 7 means "
        "nrel, the number seen before.",
    )
    padded = score_of("P@10", "1,1"), score_of("P", "1,1"), score_of("alpha_nDCG@10", "a,b", FIVE_EACH)
    yield checked_claim(
        "On short rankings P@10 and alpha-nDCG@10 count missing results as not relevant; P without a depth does not "
        "(Section 5).",
        padded[0] == 0.2 and padded[1] == 1 and padded[2] < 1,
        f"On two relevant results P@10 is {padded[0]:.1f}, P {padded[1]:.1f}; on a,b alpha_nDCG@10 is {padded[2]:.3f}.",
    )


def averaging_claim() -> CheckedClaim:
    """Whether a non-relevant result raises ACT exactly when CT is above its mean so far."""
    space = Space.of(2, DEPTH)
    act, ct = (tree_scores(parse(metric), space) for metric in ("ACT", "CT"))
    longer = np.arange(1, space.first(DEPTH)) * space.q + 1 + space.nothing
    rises = act[longer] > act[1 : space.first(DEPTH)] + tolerance(act)
    above = ct[1 : space.first(DEPTH)] > act[1 : space.first(DEPTH)] + tolerance(act)
    return checked_claim(
        "ACT breaks it because it averages CT over all positions (Section 4.3).",
        bool((rises == above).all()),
        f"ACT(S.x) is above ACT(S) exactly where CT(S) is: in {int((rises == above).sum()):,} of {len(rises):,} cases. "
        f"The {int((~rises).sum())} where it does not rise have only x's, or one relevant result and then x's.",
    )


def intent_aware_claim() -> CheckedClaim:
    """Whether other intent-aware metrics break redundancy, as AP-IA does."""
    result = axioms(INTENT_AWARE_METRICS, axioms=("redundancy",), depth=DEPTH, induction=False)
    broken = [metric for metric, good in zip(result.metrics, result.all_hold, strict=True) if not good]
    return checked_claim(
        "The intent-aware framework can give counter-intuitive results if an aspect is rare in the ranking "
        "(Section 5).",
        bool(broken),
        f"Of {', '.join(result.metrics)}, {', '.join(broken)} breaks redundancy, because AP rewards a document for the "
        "relevant ones above it.",
    )


def notes(result: Axioms) -> Iterator[str]:
    """How cases were counted, and the results of the metrics that the paper leaves to later work."""
    yield (
        f"{result.space.size:,} rankings of up to {DEPTH} results over two aspects; {DEPTH} documents per aspect are "
        "judged relevant; cases with the empty ranking are left out, as in the paper."
    )
    later = axioms(LATER_METRICS, axioms=GROUPS["albahem2018"], depth=DEPTH, induction=False)
    broken = [
        f"{metric} breaks {axiom.title} in {later.count(metric, axiom.name)[0]:,} cases"
        for metric in later.metrics
        for axiom in later.axioms
        if later.count(metric, axiom.name)[0]
    ]
    summary = "; ".join(broken) or "none breaks an axiom"
    yield f"The paper leaves {', '.join(later.metrics)} to later work: {summary}."


def relation_chart(picture: str) -> "alt.AnyChart":
    """Figure 2, 3, 4 or 5: an arrow from each ranking to those that should score no less."""
    edges = relations_in(picture)
    names = ", ".join(named_axiom(name).title for name in PICTURES[picture])
    follows = "; faint lines follow by induction" if len(PICTURES[picture]) > 1 else ""
    title = f"albahem2018, {picture.capitalize()}: {names}"
    panel = tree_panel(FIGURE_SPACE, edges, np.zeros(len(edges), dtype=bool), title)
    return panel.properties(title=alt.Title(title, subtitle=f"An arrow leads to what should score no less{follows}."))


def violation_chart(result: Axioms) -> "alt.AnyChart":
    """The share of cases in which each metric breaks each axiom."""
    cells = [
        {"metric": metric, "axiom": column, "broken": broken / cases, "cases": cases, "violations": broken}
        for metric in result.metrics
        for column, (broken, cases) in violations(result, metric).items()
    ]
    base = alt.Chart(inline_data(cells), title="albahem2018, Table 1: violations, and their share of the cases").encode(
        x=alt.X("axiom:N", sort=None, title=None, axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("metric:N", sort=None, title=None),
        tooltip=["metric:N", "axiom:N", "violations:Q", "cases:Q"],
    )
    scale = alt.Scale(domain=[0, 1], range=["#f2f2f2", "#D55E00"])
    squares = base.mark_rect(stroke="#d0d0d0").encode(
        color=alt.Color("broken:Q", scale=scale, legend=alt.Legend(format="%", title="share"))
    )
    counts = base.mark_text(fontSize=10, color="#222222").encode(text=alt.Text("violations:Q", format=","))
    return (squares + counts).properties(width=440)
