"""The view of an assay: the answer in sentences, and the profile of every metric."""

from dataclasses import replace
from textwrap import wrap

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.axiom_results import axiom_rates, depth_of, judgements_of
from irassay.assays.controls import HASH, HASHES
from irassay.assays.findings import (
    DEFAULT_CRITERIA,
    VALIDITY_WITH_RATINGS,
    criterion_definition,
    findings,
    metrics_on_front,
)
from irassay.assays.profile import COMPLETE, DISCRIMINATES, RATINGS, Profile
from irassay.errors import argument
from irassay.meta.comparison import Comparisons
from irassay.meta.comparison_by_metric import Comparison
from irassay.views.assay.landscape import landscape
from irassay.views.assay.other import other_view
from irassay.views.comparison import metric_view
from irassay.views.methods import methods_paragraph
from irassay.views.scores import means_table
from irassay.views.view import Cell, Table, View, column_table, plain_value

NOT_TESTED, NOT_MEASURED = "not tested", "not measured"
MATTERS, PAIRS = "how often it matters here", "of pairs of lists"


def view(result: Assay) -> View:
    """The answer in sentences, and the profile of every metric."""
    sentences = tuple(finding.text for finding in findings(result))
    shown = replace(metrics_view(result), title="Assay", sentences=sentences)
    if result.other is None:
        return shown
    other = other_view(result.other)
    return replace(shown, sentences=(*sentences, *other.sentences), tables=(*shown.tables, *other.tables))


def metrics_view(found: Assay) -> View:
    """Every metric, and the controls, by every criterion."""
    profile = found.profile
    tables = [_metrics_table(found, profile), _profile_table(found, profile)] if profile else []
    tables += [_axioms(found), _costs(found)]
    charts = (("landscape", lambda: landscape(found)),) if profile else ()
    return View("Metrics", (), tuple(tables), _notes(found), charts, ("shao1989",))


def _metrics_table(found: Assay, made: Profile) -> Table:
    """[metric] the estimates side by side."""
    best, _ = metrics_on_front(found)
    known = axiom_rates(found)
    lines: list[tuple[Cell, ...]] = []
    for row, name in enumerate(made.names):
        each = known.get(name)
        broken: Cell = None if name in made.controls else NOT_TESTED if each is None else str(len(each.broken))
        where: Cell = None if name in made.controls else "yes" if best[row] else "no"
        lines.append((name, *(plain_value(each.estimate[row]) for each in made.criteria), broken, where))
    columns = ("metric", *(each.name for each in made.criteria), "axioms broken", "on the front")
    title = f"Estimates; significance by {found.test}"
    return Table("metrics", columns, tuple(lines), title, digits=3, asides=_asides(made))


def _asides(made: Profile) -> dict[tuple[int, int], str]:
    """(row, column) of the estimates to their interval and, below it, the replication rate."""
    found = {}
    for column, each in enumerate(made.criteria, 1):
        for row in np.flatnonzero(~np.isnan(each.estimate)):
            low, high, again = (float(values[row]) for values in (each.low, each.high, each.replication))
            known, to = not np.isnan(low), "–" if low >= 0 else " to "
            below = [f"replication {again:.2f}"] if not np.isnan(again) else []
            if each.name == COMPLETE and row < len(made.metrics):
                below.append("imputation range" if made.bounds[row].startswith("range") else made.bounds[row])
            interval = f"({low:.3f}{to}{high:.3f})" if known else ""
            found[int(row), column] = "\n".join([interval, *below])
        said = {row: why for row, why in enumerate(each.remarks[: len(made.metrics)]) if why}
        found |= {(row, column): "\n".join(["", *wrap(why, 30)]) for row, why in said.items()}
    return found


def _profile_table(found: Assay, made: Profile) -> Table:
    """[criterion and metric] the estimate, its interval, and its replication rate."""
    lines: list[tuple[Cell, ...]] = []
    for each in made.criteria:
        for row, name in enumerate(made.names):
            numbers = (plain_value(values[row]) for values in (each.estimate, each.low, each.high, each.replication))
            what = [f"mean and range of {HASHES} hashes"] if name == HASH else []
            what += [made.bounds[row]] if each.name == COMPLETE and name not in made.controls else []
            what += [found.test] if each.name in (DISCRIMINATES, COMPLETE) else []
            what += [each.remarks[row]] if each.remarks and each.remarks[row] else []
            lines.append((name, each.name, *numbers, "; ".join(what)))
    columns = ("metric", "criterion", "estimate", "low", "high", "replication", "remark")
    return Table("profile", columns, tuple(lines), "Profile", digits=3, main=True)


def _axioms(found: Assay) -> Table:
    """[metric] which axioms it keeps and breaks, in enumerated rankings and on this collection."""
    lines: list[tuple[Cell, ...]] = []
    for metric, each in axiom_rates(found).items():
        if each is None:
            lines.append((metric, NOT_TESTED, None, NOT_MEASURED, None, NOT_TESTED, None))
            continue
        rate = max(each.rates.values(), default=0.0)
        matters = NOT_MEASURED if each.matters is None else each.matters
        words = each.words or "none"
        lines.append((metric, str(len(each.broken)), rate, matters, each.pairs or None, words, ", ".join(each.kept)))
    columns: tuple[str, ...] = ("metric", "broken at any rate", "largest rate", MATTERS, PAIRS, "breaks", "keeps")
    if not found.matters:
        columns, lines = (*columns[:4], *columns[5:]), [(*line[:4], *line[5:]) for line in lines]
    return Table("axioms", columns, tuple(lines), "Axioms", digits=4)


def _costs(found: Assay) -> Table:
    """[metric] its depth, and the judgements it needs."""
    seen, missing = found.lists.results, found.lists.unjudged
    lines = tuple((m, depth_of(found, m), judgements_of(found, m), seen.get(m), missing.get(m)) for m in found.metrics)
    columns = ("metric", "depth", "judgements it needs", "results looked at here", "of these not judged")
    return Table("cost", columns if seen else columns[:3], lines if seen else tuple(line[:3] for line in lines), "Cost")


def _notes(found: Assay) -> tuple[str, ...]:
    made = found.profile
    rated = made.by(RATINGS) if made else None
    notes = [
        "None of these criteria shows that a metric measures what users want."
        if rated is None
        else VALIDITY_WITH_RATINGS
    ]
    if made is not None:
        notes += [f"{each.name}: {criterion_definition(found, each.name)}." for each in made.criteria]
        notes.append(
            f"low and high: {1 - made.alpha:.0%} interval over topics by the delete-d jackknife, leaving out a fifth of "
            "the topics at a time, with Student's t (for 'repeats' normal quantiles) and the critical value of the "
            "test on all topics (for tests of one pair at a time: Student's t). Systems are taken as given. An "
            "interval without width means that all these subsets agree, as they do if nothing or everything is "
            "significant, not that the estimate is certain. With 21 topics drawn from a real collection, 91 to 99 % of "
            "such intervals contained the value expected on as many topics, but only half of those of 'discriminates' "
            "for metrics with many ties, such as RR, because the critical value varies too."
        )
        half = (
            f"the share of {made.halves} random splits of the topics in which both halves order two metrics in the same "
            f"way on the criterion, averaged over the other metrics. It describes {made.topics // 2} topics, not "
            f"{made.topics}; for 'repeats' it is a few hundredths too low, because each half is split only a few times."
            if made.halves
            else "not estimated, because halves of fewer than 8 topics are too small."
        )
        notes.append(f"replication: {half}")
        notes.append(
            "on the front: no other metric is significantly better on one of these criteria without being worse on "
            f"another: {', '.join(DEFAULT_CRITERIA)}. Better means that the interval of the difference, corrected for all pairs of "
            "metrics (Bonferroni), lies above 0; everything else is a tie. Metrics whose axioms were not tested are "
            "compared only with each other."
        )
        if rated is not None:
            notes.append(
                f"{RATINGS}: a 95% interval that resamples what was rated (users and tasks if the ratings name them), "
                "not the topics of the runs; with few users it is too narrow (in a simulation, 84% of such intervals "
                "contained the true value with 6 users, and 92% with 20). There is no replication rate. Better means "
                "the same for the difference of two correlations, corrected for all pairs of metrics."
            )
        if made.by(COMPLETE):
            notes.append(
                f"{COMPLETE}: a pair counts if its difference is significant, with the same sign, as judged and in the "
                "worst and the best case of every topic; a mixture of these cases may still reverse it. What is unknown "
                "is whether the unjudged documents that one of the two systems returns are relevant. Exact bounds: some "
                "judgements of these documents make the difference this large or small, and none larger or smaller. "
                "Outer bounds: one system's worst minus the other's best, as if a document that both return could be "
                "relevant for one and not for the other, and as if ranks past the end of a list could be relevant; they "
                "are wider. A range of two imputations: none or all of it is relevant; judgements could still make the "
                "difference larger or smaller. Judged results only: unjudged documents are left out, so nothing is "
                "imputed and the criterion adds nothing to discrimination. Metrics are compared on this criterion only "
                "if their bounds are of the same kind."
            )
        notes.append(
            "Controls are not metrics: they are left out of the agreement, the replication and the front of the others. "
            "Axioms and cost do not apply to them."
        )
    rates = "broken at any rate: axioms with at least one violation among enumerated short rankings; largest rate: the "
    rates += "share of cases there. "
    if found.matters:
        rates += (
            f"{MATTERS}: among pairs of equally long lists of one topic, of which one has at every rank at least as many "
            "results of every grade or better (so priority, swap and replacement require at least the same score), the "
            "share in which the metric scores the other one higher; lists are cut to the metric's depth, and unjudged "
            "documents count as not relevant."
        )
    else:
        rates += (
            "How often that matters in the lists of this collection was not measured: a high rate among enumerated "
            "rankings does not mean that it does."
        )
    notes.append(rates)
    if found.lists.results:
        notes.append(
            "results looked at here: ranks of all lists of all systems down to the metric's depth; a document that "
            "several systems return counts once for each of them."
        )
    return tuple(notes)


def means_view(found: Assay) -> View:
    """Mean scores, and which system each metric ranks first."""
    m = found.metrics.index(found.main)
    means = found.scores.means()
    key = means[:, m] if found.scores.higher_is_better[m] else -means[:, m]
    order = np.argsort(-np.nan_to_num(key, nan=-np.inf), kind="stable")
    ranked = found.scores.select(systems=[found.scores.systems[s] for s in order])
    firsts: list[tuple[Cell, ...]] = []
    power = found.discrimination
    for n, metric in enumerate(found.metrics):
        top = int(np.argmax(found.similarity.means()[:, n]))
        against = (power.first == top) | (power.second == top)
        open_ = int(np.sum(power.p[against, n] >= found.alpha))
        first = found.similarity.systems[top]
        firsts.append((metric, first, float(means[found.scores.systems.index(first), n]), open_))
    columns = ("metric", "first", "mean", f"not significantly below ({found.test})")
    leaders = Table("leaders", columns, tuple(firsts), "System ranked first by each metric")
    table = replace(means_table(ranked, 4), title="Mean scores")
    return View("Scores", (_compared_by(found),), (table, leaders), found.scores.notes)


def _compared_by(found: Assay) -> str:
    """Which metric the systems are compared by, which pairs, and how to choose another metric."""
    several = len(found.metrics) > 1
    first = ", the first metric given" if several and found.main == found.metrics[0] else ""
    other = f"; {argument('main')} chooses another metric" if several else ""
    base = found.comparison.baseline
    pairs = f"each with the baseline {base}" if base else "all pairs"
    return f"Systems are compared by {found.main}{first}, {pairs} ({found.test}){other}."


def against_baseline(found: Comparison) -> Table:
    """[system] its difference from the baseline with its interval and verdict, best first."""
    low, high = found.interval()
    order = np.argsort(-found.test.difference, kind="stable")
    signs = np.where(found.significant, np.sign(found.test.difference), 0).astype(int)
    words = {1: "better", -1: "worse", 0: "not significant"}
    columns = {
        "system": [found.systems[s] for s in found.test.i[order]],
        "verdict": [words[int(sign)] for sign in signs[order]],
        "difference": found.test.difference[order],
        "low": low[order],
        "high": high[order],
        "corrected p": found.p[order],
        "wins": found.wins[order],
        "ties": found.ties[order],
        "losses": found.losses[order],
    }
    title = f"Against the baseline {found.baseline}, by {found.metric}"
    return column_table("baseline", columns, title, p_columns=("corrected p",))


def comparison_view(found: Assay) -> View:
    """Which systems differ by the main metric; with a baseline, a verdict for each system instead of a matrix."""
    shown = metric_view(found.comparison, found.main)
    methods = methods_paragraph(Comparisons((found.comparison,)))
    shown = replace(shown, sentences=(*shown.sentences, methods))
    if found.comparison.baseline is None:
        return shown
    charts = tuple(chart for chart in shown.charts if chart[0] != "matrix")
    return replace(shown, tables=(against_baseline(found.comparison),), charts=charts)
