"""The view of an assay: the answer in sentences, and the profile of every metric."""

from dataclasses import replace
from textwrap import wrap

import numpy as np

from irassay.arrays import Bools
from irassay.assays.assay import Assay
from irassay.assays.axiom_results import axiom_rates, depth_of, judgements_of
from irassay.assays.controls import HASH, HASHES
from irassay.assays.criteria import AGREEMENT, FEW_TOPICS_AFFECT, ROBUSTNESS, Criterion
from irassay.assays.criterion_sentences import missing_estimate_reason
from irassay.assays.dominance import dominated_by
from irassay.assays.findings import EVIDENCE, findings, first_systems
from irassay.assays.profile import NOT_A_BOUND, Profile
from irassay.errors import argument
from irassay.meta.comparison import Comparisons
from irassay.meta.comparison_by_metric import Comparison
from irassay.views.assay.landscape import landscape
from irassay.views.assay.notes import MATTERS, NO_INTERVAL, assay_notes
from irassay.views.assay.other import other_view
from irassay.views.comparison import metric_view
from irassay.views.comparison_notes import actual_test, skew_warnings, skewed_score_notes
from irassay.views.comparison_tables import closest_first, wins_ties_losses
from irassay.views.methods import methods_paragraph
from irassay.views.scores import means_table
from irassay.views.table_columns import column_table, plain_value
from irassay.views.view import Cell, Detail, Table, View

NOT_TESTED, NOT_MEASURED = "not tested", "not measured"
SELECTION_COLUMNS = ("may be best", "behind", "share of halves", "exact bounds")
PAIRS = "of pairs of lists"


def view(result: Assay) -> View:
    """The answer in sentences, and the profile of every metric."""
    sentences = tuple(each.text if each.role != EVIDENCE else Detail(each.text) for each in findings(result))
    shown = metrics_view(result)
    shown = replace(shown, title="Assay", sentences=sentences, notes=(*shown.notes, *_skew_warning(result)))
    if result.other is None:
        return shown
    other = other_view(result.other)
    return replace(shown, sentences=(*sentences, *other.sentences), tables=(*shown.tables, *other.tables))


def _skew_warning(result: Assay) -> list[str]:
    """That the test errs by some metrics: in discriminative power, or in comparing systems by the main one."""
    compared = skew_warnings(result.comparison, result.main, actual_test(result.comparison))
    skewed = {*result.discrimination.skewed, *([result.main] if compared else [])}
    names = [metric for metric in result.metrics if metric in skewed]
    return skewed_score_notes(result.discrimination.topics, names, by=result.test)[:1] if names else []


def metrics_view(assay: Assay) -> View:
    """Every metric, and the controls, by every criterion."""
    profile = assay.profile
    tables = [_metrics_table(assay, profile), _profile_table(assay, profile)] if profile else []
    tables += [head_to_head(assay, profile)] if profile and len(profile.metrics) == 2 else []
    tables += [_axioms_table(assay), _costs_table(assay)]
    several = profile is not None and len(profile.metrics) > 1  # the landscape of one metric says less than its numbers
    charts = (("landscape", lambda: landscape(assay)),) if several else ()
    return View("Metrics", (), tuple(tables), assay_notes(assay), charts, ("shao1989",))


def _metrics_table(assay: Assay, profile: Profile) -> Table:
    """[metric] the estimates side by side."""
    known, dominated = axiom_rates(assay), dominated_by(assay)
    lines: list[tuple[Cell, ...]] = []
    for row, name in enumerate(profile.names):
        each = known.get(name)
        broken: Cell = None if name in profile.controls else NOT_TESTED if each is None else str(len(each.broken))
        rivals: Cell = None if name in profile.controls else _metric_list(profile, dominated[row])
        lines.append((name, *(plain_value(each.estimate[row]) for each in profile.criteria), broken, rivals))
    columns = ("metric", *(each.name for each in profile.criteria), "axioms broken", "dominated by")
    title = f"Estimates; significance by {assay.test}; bold: may be best"
    best = [(c, each.selection.may_be_best) for c, each in enumerate(profile.criteria, 1) if each.selection]
    marks = frozenset((int(row), c) for c, may_be_best in best for row in np.flatnonzero(may_be_best))
    return Table("metrics", columns, tuple(lines), title, digits=3, asides=_asides(assay, profile), marks=marks)


def _metric_list(profile: Profile, which: Bools) -> str:
    """The metrics for which an array [metric] is true."""
    return ", ".join(f"{profile.metrics[m]}" for m in np.flatnonzero(which))


def _asides(assay: Assay, profile: Profile) -> dict[tuple[int, int], str]:
    """(row, column) of the estimates to their interval and, below it, the replication rate."""
    asides, several = {}, len(profile.metrics) > 1
    for column, each in enumerate(profile.criteria, 1):
        for row in np.flatnonzero(~np.isnan(each.estimate)):
            low, high, again = (float(values[row]) for values in (each.low, each.high, each.replication))
            known, to = not np.isnan(low), "–" if low >= 0 else " to "
            below = [f"replication {again:.2f}"] if several and not np.isnan(again) else []
            if each.name == ROBUSTNESS and row < len(profile.metrics):
                below.append("not a bound" if profile.bounds[row] == NOT_A_BOUND else profile.bounds[row])
                below += [f"exact bounds {each.exact[row]:.3f}"] if each.exact.shape and each.exact[row] >= 0 else []
            interval = f"({low:z.3f}{to}{high:z.3f})" if known else f"({NO_INTERVAL})"
            asides[int(row), column] = "\n".join([interval, *below])
        missing = np.flatnonzero(np.isnan(each.estimate[: len(profile.metrics)])).tolist()
        reasons = {row: missing_estimate_reason(assay, profile, each, row) for row in missing}
        asides |= {(row, column): "\n".join(["", *wrap(why, 30)]) for row, why in reasons.items()}
    return asides


def _profile_table(assay: Assay, profile: Profile) -> Table:
    """[criterion and metric] the estimate, its interval, whether the metric may be best, and its replication rate."""
    lines: list[tuple[Cell, ...]] = []
    for each in profile.criteria:
        for row, name in enumerate(profile.names):
            numbers = (plain_value(values[row]) for values in (each.estimate, each.low, each.high, each.replication))
            what = [f"mean and range of {HASHES} hashes"] if name == HASH else []
            what += [profile.bounds[row]] if each.name == ROBUSTNESS and name not in profile.controls else []
            what += [assay.test] if each.is_share else []
            if each.remarks and each.remarks[row]:
                what.append(each.remarks[row])
            elif np.isnan(each.estimate[row]) and name not in profile.controls:
                what.append(missing_estimate_reason(assay, profile, each, row))
            lines.append((name, each.name, *numbers, *_selection_cells(profile, each, row), "; ".join(what)))
    columns = ("metric", "criterion", "estimate", "low", "high", "replication", *SELECTION_COLUMNS, "remark")
    return Table("profile", columns, tuple(lines), "Profile", digits=3, main=True, detail=True)


def _selection_cells(profile: Profile, each: Criterion, row: int) -> tuple[Cell, ...]:
    """Whether a metric may be best, whom it is behind, its share of halves, and its estimate by exact bounds."""
    exact = float(each.exact[row]) if each.exact.shape and row < len(each.exact) else np.nan
    if each.selection is None or row >= len(profile.metrics) or np.isnan(each.selection.estimate[row]):
        return None, None, None, exact
    best = "yes" if each.selection.may_be_best[row] else "no"
    return best, _metric_list(profile, each.selection.behind[row]), float(each.share_of_halves[row]), exact


def head_to_head(assay: Assay, profile: Profile) -> Table:
    """[criterion] the difference of two metrics with its interval, or why they cannot be compared."""
    one, other = profile.metrics
    lines: list[tuple[Cell, ...]] = []
    for each in profile.criteria:
        difference, chosen = float(each.estimate[0] - each.estimate[1]), each.selection
        remark, reach = _why_not_compared(assay, profile, each), np.nan
        if not remark and chosen is not None:
            reach = float(chosen.half_width[0, 1])
            same = "with two metrics it is the same for both" if each.name == AGREEMENT else "always the same"
            verdict = f"{one if difference > 0 else other} is significantly higher"
            remark = verdict if chosen.behind.any() else "not significant"
            if not 0 < reach < np.inf:
                few = reach and each.name != AGREEMENT
                remark, reach = f"{NO_INTERVAL}: {'too few topics' if few else same}", np.nan
        largest = each.largest_difference
        low, high = np.clip([difference - reach, difference + reach], -largest, largest)
        lines.append((each.name, difference, float(low), float(high), remark))
    columns = ("criterion", "difference", "low", "high", "remark")
    return Table("head to head", columns, tuple(lines), f"{one} minus {other}", digits=3)


def _why_not_compared(assay: Assay, profile: Profile, each: Criterion) -> str:
    """Why two metrics cannot be compared on a criterion; empty if they can."""
    if each.selection is None:
        return f"{NO_INTERVAL}: saved by an earlier version"
    for m in np.flatnonzero(np.isnan(each.selection.estimate)):
        why = missing_estimate_reason(assay, profile, each, int(m))
        return f"{NO_INTERVAL}, not compared: {profile.metrics[m]}, {why}"
    if np.isnan(each.selection.p[0, 1]):
        return f"{NO_INTERVAL}, not compared: {FEW_TOPICS_AFFECT} the difference"
    return ""


def _axioms_table(assay: Assay) -> Table:
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
    return Table("axioms", columns, tuple(lines), "Axioms", digits=4, detail=True)


def _costs_table(assay: Assay) -> Table:
    """[metric] its depth, and the judgements it needs."""
    seen, missing = assay.lists.results, assay.lists.unjudged
    lines = tuple((m, depth_of(assay, m), judgements_of(assay, m), seen.get(m), missing.get(m)) for m in assay.metrics)
    columns = ("metric", "depth", "judgements it needs", "results looked at here", "of these not judged")
    rows = lines if seen else tuple(line[:3] for line in lines)
    return Table("cost", columns if seen else columns[:3], rows, "Cost", detail=True)


def means_view(assay: Assay) -> View:
    """Mean scores, and which system each metric ranks first."""
    m = assay.metrics.index(assay.main)
    means = assay.scores.means()
    key = means[:, m] if assay.scores.higher_is_better[m] else -means[:, m]
    order = np.argsort(-np.nan_to_num(key, nan=-np.inf), kind="stable")
    ranked = assay.scores.select(systems=[assay.scores.systems[s] for s in order])
    firsts: list[tuple[Cell, ...]] = []
    power = assay.discrimination
    ties = first_systems(assay)
    for n, metric in enumerate(assay.metrics):
        top = int(np.argmax(assay.similarity.means()[:, n]))
        against = (power.first == top) | (power.second == top)
        open_ = int(np.sum(power.p[against, n] >= assay.alpha))
        first = assay.similarity.systems[top]
        tied = ", ".join(system for system in ties[n] if system != first)
        leader, tied = (first, tied) if ties[n] else (None, "all systems")
        firsts.append((metric, leader, float(means[assay.scores.systems.index(first), n]), tied, open_))
    columns = ("metric", "first", "mean", "tied first", f"not significantly below ({assay.test})")
    leaders = Table("leaders", columns, tuple(firsts), "System ranked first by each metric")
    table = replace(means_table(ranked, 4), title="Mean scores")
    return View("Scores", (_compared_by(assay),), (table, leaders), assay.scores.notes)


def _compared_by(assay: Assay) -> str:
    """Which metric the systems are compared by, which pairs, and how to choose another metric."""
    several = len(assay.metrics) > 1
    first = ", the first metric" if several and assay.main == assay.metrics[0] else ""
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
        **wins_ties_losses(assay),
    }
    title = f"Against the baseline {assay.baseline}, by {assay.metric}"
    return column_table("baseline", columns, title, order, p_columns=("corrected p",))


def comparison_view(assay: Assay) -> View:
    """Which systems differ by the main metric; with a baseline, a verdict for each system instead of a matrix."""
    shown = metric_view(assay.comparison, assay.main)
    methods = methods_paragraph(Comparisons((assay.comparison,)))
    shown = replace(shown, sentences=(*shown.sentences, Detail(methods)))
    if assay.comparison.baseline is None:
        tables = (closest_first(each, assay.alpha) if each.name == "pairs" else each for each in shown.tables)
        return replace(shown, tables=tuple(tables))
    return replace(shown, tables=(against_baseline(assay.comparison),))
