"""The view of an assay: the answer in sentences, and the profile of every metric."""

from dataclasses import replace
from textwrap import wrap

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.axiom_results import axiom_rates, depth_of, judgements_of
from irassay.assays.controls import HASH, HASHES
from irassay.assays.findings import (
    DEFAULT_CRITERIA,
    NO_VALIDITY,
    criterion_definition,
    findings,
    metrics_on_front,
    validity_text,
)
from irassay.assays.profile import COMPLETE, DISCRIMINATES, RATINGS, Profile
from irassay.errors import argument
from irassay.meta.comparison import Comparisons
from irassay.meta.comparison_by_metric import Comparison
from irassay.views.assay.landscape import landscape
from irassay.views.assay.other import other_view
from irassay.views.comparison import metric_view, outcome_counts
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


def metrics_view(assay: Assay) -> View:
    """Every metric, and the controls, by every criterion."""
    profile = assay.profile
    tables = [_metrics_table(assay, profile), _profile_table(assay, profile)] if profile else []
    tables += [_axioms(assay), _costs(assay)]
    charts = (("landscape", lambda: landscape(assay)),) if profile else ()
    return View("Metrics", (), tuple(tables), _notes(assay), charts, ("shao1989",))


def _metrics_table(assay: Assay, profile: Profile) -> Table:
    """[metric] the estimates side by side."""
    best, _ = metrics_on_front(assay)
    known = axiom_rates(assay)
    lines: list[tuple[Cell, ...]] = []
    for row, name in enumerate(profile.names):
        each = known.get(name)
        broken: Cell = None if name in profile.controls else NOT_TESTED if each is None else str(len(each.broken))
        where: Cell = None if name in profile.controls else "yes" if best[row] else "no"
        lines.append((name, *(plain_value(each.estimate[row]) for each in profile.criteria), broken, where))
    columns = ("metric", *(each.name for each in profile.criteria), "axioms broken", "on the front")
    title = f"Estimates; significance by {assay.test}"
    return Table("metrics", columns, tuple(lines), title, digits=3, asides=_asides(profile))


def _asides(profile: Profile) -> dict[tuple[int, int], str]:
    """(row, column) of the estimates to their interval and, below it, the replication rate."""
    assay = {}
    for column, each in enumerate(profile.criteria, 1):
        for row in np.flatnonzero(~np.isnan(each.estimate)):
            low, high, again = (float(values[row]) for values in (each.low, each.high, each.replication))
            known, to = not np.isnan(low), "–" if low >= 0 else " to "
            below = [f"replication {again:.2f}"] if not np.isnan(again) else []
            if each.name == COMPLETE and row < len(profile.metrics):
                below.append("imputation range" if profile.bounds[row].startswith("range") else profile.bounds[row])
            interval = f"({low:.3f}{to}{high:.3f})" if known else ""
            assay[int(row), column] = "\n".join([interval, *below])
        reasons = {row: why for row, why in enumerate(each.remarks[: len(profile.metrics)]) if why}
        assay |= {(row, column): "\n".join(["", *wrap(why, 30)]) for row, why in reasons.items()}
    return assay


def _profile_table(assay: Assay, profile: Profile) -> Table:
    """[criterion and metric] the estimate, its interval, and its replication rate."""
    lines: list[tuple[Cell, ...]] = []
    for each in profile.criteria:
        for row, name in enumerate(profile.names):
            numbers = (plain_value(values[row]) for values in (each.estimate, each.low, each.high, each.replication))
            what = [f"mean and range of {HASHES} hashes"] if name == HASH else []
            what += [profile.bounds[row]] if each.name == COMPLETE and name not in profile.controls else []
            what += [assay.test] if each.name in (DISCRIMINATES, COMPLETE) else []
            what += [each.remarks[row]] if each.remarks and each.remarks[row] else []
            lines.append((name, each.name, *numbers, "; ".join(what)))
    columns = ("metric", "criterion", "estimate", "low", "high", "replication", "remark")
    return Table("profile", columns, tuple(lines), "Profile", digits=3, main=True)


def _axioms(assay: Assay) -> Table:
    """[metric] which axioms it keeps and breaks, in enumerated rankings and on this collection."""
    lines: list[tuple[Cell, ...]] = []
    for metric, each in axiom_rates(assay).items():
        if each is None:
            lines.append((metric, NOT_TESTED, None, NOT_MEASURED, None, NOT_TESTED, None))
            continue
        rate = max(each.rates.values(), default=0.0)
        matters = NOT_MEASURED if each.matters is None else each.matters
        words = each.words or "none"
        lines.append((metric, str(len(each.broken)), rate, matters, each.pairs or None, words, ", ".join(each.kept)))
    columns: tuple[str, ...] = ("metric", "broken at any rate", "largest rate", MATTERS, PAIRS, "breaks", "keeps")
    if not assay.matters:
        columns, lines = (*columns[:4], *columns[5:]), [(*line[:4], *line[5:]) for line in lines]
    return Table("axioms", columns, tuple(lines), "Axioms", digits=4)


def _costs(assay: Assay) -> Table:
    """[metric] its depth, and the judgements it needs."""
    seen, missing = assay.lists.results, assay.lists.unjudged
    lines = tuple((m, depth_of(assay, m), judgements_of(assay, m), seen.get(m), missing.get(m)) for m in assay.metrics)
    columns = ("metric", "depth", "judgements it needs", "results looked at here", "of these not judged")
    return Table("cost", columns if seen else columns[:3], lines if seen else tuple(line[:3] for line in lines), "Cost")


def _notes(assay: Assay) -> tuple[str, ...]:
    profile = assay.profile
    rated = profile.by(RATINGS) if profile else None
    notes = [NO_VALIDITY if rated is None else validity_text(assay)]
    if profile is not None:
        notes += [f"{each.name}: {criterion_definition(assay, each.name)}." for each in profile.criteria]
        notes.append(
            f"low and high: {1 - profile.alpha:.0%} interval over topics by the delete-d jackknife, leaving out a "
            "fifth of the topics at a time, with Student's t (for 'repeats' normal quantiles) and the critical value "
            "of the test on all topics (for tests of one pair at a time: Student's t). Systems are taken as given. An "
            "interval without width means that all these subsets agree, as they do if nothing or everything is "
            "significant, not that the estimate is certain. With 21 topics drawn from a real collection, 91 to 99 % of "
            "such intervals contained the value expected on as many topics, but only half of those of 'discriminates' "
            "for metrics with many ties, such as RR, because the critical value varies too."
        )
        half = (
            f"the share of {profile.halves} random splits of the topics in which both halves order two metrics in the "
            f"same way on the criterion, averaged over the other metrics. It describes {profile.topics // 2} topics, "
            f"not {profile.topics}; for 'repeats' it is a few hundredths too low, because each half is split only a "
            "few times."
            if profile.halves
            else "not estimated, because halves of fewer than 8 topics are too small."
        )
        notes.append(f"replication: {half}")
        notes.append(
            "on the front: no other metric is significantly better on one of these criteria without being worse on "
            f"another: {', '.join(DEFAULT_CRITERIA)}. Better means that the interval of the difference, corrected for "
            "all pairs of metrics (Bonferroni), lies above 0; everything else is a tie. Metrics whose axioms were not "
            "tested are compared only with each other."
        )
        if rated is not None:
            notes.append(
                f"{RATINGS}: a 95% interval that resamples what was rated (users and tasks if the ratings name them), "
                "not the topics of the runs; with few users it is too narrow (in a simulation, 84% of such intervals "
                "contained the true value with 6 users, and 92% with 20). There is no replication rate. Better means "
                "the same for the difference of two correlations, corrected for all pairs of metrics."
            )
        if profile.by(COMPLETE):
            notes.append(
                f"{COMPLETE}: a pair counts if its difference is significant, with the same sign, as judged and in the "
                "worst and the best case of every topic; a mixture of these cases may still reverse it. What is "
                "unknown is whether the unjudged documents that one of the two systems returns are relevant. Exact "
                "bounds: some judgements of these documents make the difference this large or small, and none larger "
                "or smaller. Outer bounds: one system's worst minus the other's best, as if a document that both "
                "return could be relevant for one and not for the other, and as if ranks past the end of a list could "
                "be relevant; they are wider. A range of two imputations: none or all of it is relevant; judgements "
                "could still make the difference larger or smaller. Judged results only: unjudged documents are left "
                "out, so nothing is imputed and the criterion adds nothing to discrimination. Metrics are compared on "
                "this criterion only if their bounds are of the same kind."
            )
        notes.append(
            "Controls are not metrics: they are left out of the agreement, the replication and the front of the "
            "others. Axioms and cost do not apply to them."
        )
    rates = "broken at any rate: axioms with at least one violation among enumerated short rankings; largest rate: the "
    rates += "share of cases there. "
    if assay.matters:
        rates += (
            f"{MATTERS}: among pairs of equally long lists of one topic, of which one has at every rank at least as "
            "many results of every grade or better (so priority, swap and replacement require at least the same "
            "score), the share in which the metric scores the other one higher; lists are cut to the metric's depth, "
            "and unjudged documents count as not relevant."
        )
    else:
        rates += (
            "How often that matters in the lists of this collection was not measured: a high rate among enumerated "
            "rankings does not mean that it does."
        )
    notes.append(rates)
    if assay.lists.results:
        notes.append(
            "results looked at here: ranks of all lists of all systems down to the metric's depth; a document that "
            "several systems return counts once for each of them."
        )
    return tuple(notes)


def means_view(assay: Assay) -> View:
    """Mean scores, and which system each metric ranks first."""
    m = assay.metrics.index(assay.main)
    means = assay.scores.means()
    key = means[:, m] if assay.scores.higher_is_better[m] else -means[:, m]
    order = np.argsort(-np.nan_to_num(key, nan=-np.inf), kind="stable")
    ranked = assay.scores.select(systems=[assay.scores.systems[s] for s in order])
    firsts: list[tuple[Cell, ...]] = []
    power = assay.discrimination
    for n, metric in enumerate(assay.metrics):
        top = int(np.argmax(assay.similarity.means()[:, n]))
        against = (power.first == top) | (power.second == top)
        open_ = int(np.sum(power.p[against, n] >= assay.alpha))
        first = assay.similarity.systems[top]
        firsts.append((metric, first, float(means[assay.scores.systems.index(first), n]), open_))
    columns = ("metric", "first", "mean", f"not significantly below ({assay.test})")
    leaders = Table("leaders", columns, tuple(firsts), "System ranked first by each metric")
    table = replace(means_table(ranked, 4), title="Mean scores")
    return View("Scores", (_compared_by(assay),), (table, leaders), assay.scores.notes)


def _compared_by(assay: Assay) -> str:
    """Which metric the systems are compared by, which pairs, and how to choose another metric."""
    several = len(assay.metrics) > 1
    first = ", the first metric given" if several and assay.main == assay.metrics[0] else ""
    other = f"; {argument('main')} chooses another metric" if several else ""
    base = assay.comparison.baseline
    pairs = f"each with the baseline {base}" if base else "all pairs"
    return f"Systems are compared by {assay.main}{first}, {pairs} ({assay.test}){other}."


def against_baseline(assay: Comparison) -> Table:
    """[system] its difference from the baseline with its interval and verdict, best first."""
    low, high = assay.interval()
    order = np.argsort(-assay.test.difference, kind="stable")
    signs = np.where(assay.significant, np.sign(assay.test.difference), 0).astype(int)
    columns = {
        "system": [assay.systems[s] for s in assay.test.i],
        "verdict": np.array(["not significant", "better", "worse"])[signs],
        "difference": assay.test.difference,
        "low": low,
        "high": high,
        "corrected p": assay.p,
        **outcome_counts(assay),
    }
    title = f"Against the baseline {assay.baseline}, by {assay.metric}"
    return column_table("baseline", columns, title, order, p_columns=("corrected p",))


def comparison_view(assay: Assay) -> View:
    """Which systems differ by the main metric; with a baseline, a verdict for each system instead of a matrix."""
    shown = metric_view(assay.comparison, assay.main)
    methods = methods_paragraph(Comparisons((assay.comparison,)))
    shown = replace(shown, sentences=(*shown.sentences, methods))
    if assay.comparison.baseline is None:
        return shown
    charts = tuple(chart for chart in shown.charts if chart[0] != "matrix")
    return replace(shown, tables=(against_baseline(assay.comparison),), charts=charts)
