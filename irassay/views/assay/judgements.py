"""The view of the possible effect of missing judgements, by metric and by system."""

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.criteria import ROBUSTNESS, interval_text
from irassay.prose import percent_text
from irassay.stats.paired_test import find_test
from irassay.views import altair as alt
from irassay.views.assay.landscape import LOOKS, METRIC, NEW
from irassay.views.charts import chart_rows, chart_title, name_axis, tooltips
from irassay.views.table_columns import column_table
from irassay.views.theme import row_chart
from irassay.views.view import Detail, View


def missing_judgements(assay: Assay) -> View | None:
    """The possible effect of missing judgements; None for scores without judgements."""
    width = assay.width()
    if width is None or assay.bounds is None:
        return None
    low, high = assay.bounds.min(axis=2), assay.bounds.max(axis=2)  # [system, metric]
    first, second = np.triu_indices(len(low), k=1)
    undecided = ((low[first] <= high[second]) & (low[second] <= high[first])).mean(axis=0)
    bounded = [name for name, metric in assay.known.items() if metric.bounded(assay.scores.has_costs)]
    kinds = ["bounds" if name in bounded else "not bounds" for name in assay.metrics]
    power = assay.discrimination
    studentized = find_test(power.test).studentized  # then each pair needs another difference
    needed = (
        {"threshold": power.threshold[power.levels.index(assay.alpha)]}
        if studentized
        else {f"smallest significant ({assay.test})": power.smallest_significant(assay.alpha)}
    )
    columns = {
        "metric": assay.metrics,
        "median width": np.median(width, axis=0),
        "largest width": width.max(axis=0),
        **needed,
        "largest non-significant": power.largest_nonsignificant(assay.alpha),
        "undecided pairs": undecided,
        "kind": kinds,
    }
    worst, best = int(np.nanargmax(undecided)), int(np.nanargmin(undecided))
    leave = f"missing judgements leave {percent_text(undecided[best], 0)} of the pairs of systems undecided"
    if undecided[best] < undecided[worst]:
        least, most = assay.metrics[best], assay.metrics[worst]
        sentences = [f"By {least}, {leave} (the fewest); by {most}, {percent_text(undecided[worst], 0)} (the most)."]
    else:
        sentences = [f"By {'every metric' if len(undecided) > 1 else assay.metrics[best]}, {leave}."]
    each = assay.profile.by(ROBUSTNESS) if assay.profile else None
    if each is not None and assay.profile is not None:
        estimate = each.estimate[: len(assay.metrics)]
        high, low = int(np.nanargmax(estimate)), int(np.nanargmin(estimate))
        case = "If missing judgements all go against the better system"
        kept = [f"{assay.metrics[m]} keeps {percent_text(estimate[m])}" for m in (high, low)]
        ends = [interval_text(float(each.low[m]), float(each.high[m]), each.is_share) for m in (high, low)]
        level = f"{1 - assay.alpha:.0%} interval"
        ends = [end if np.isnan(each.low[m]) else f"{level} {end}" for m, end in zip((high, low), ends, strict=True)]
        how = [f"{end}; {assay.profile.bounds[m]}" for m, end in zip((high, low), ends, strict=True)]
        if estimate[low] < estimate[high]:
            sentences += [f"{case}, {kept[0]} of all pairs significant ({how[0]}).", f"{kept[1]} ({how[1]})."]
        elif len(estimate) > 1:
            sentences.append(f"{case}, every metric keeps {percent_text(estimate[high])} of all pairs significant.")
        else:
            sentences.append(f"{case}, {kept[0]} of all pairs significant ({how[0]}).")
        sentences.append(Detail(f"Pairs are tested by {assay.test}."))
    notes = (
        "width: the mean score if all unjudged documents, and ranks past the end of a list, had the top grade, minus "
        "that if none were relevant. For metrics that cannot fall with a better grade these are bounds; for others, "
        "other judgements could go beyond them.",
        "undecided pairs: pairs of systems whose ranges overlap.",
        "threshold: difference that the median pair needs to be significant; it depends on the variance of each pair."
        if studentized
        else "smallest significant, largest non-significant: between these two differences of means the verdict "
        "depends on the variance of each pair; if they meet, there is one threshold.",
    )
    table = column_table("judgements", columns, "Missing judgements", digits=3)
    charts = (("judgements", lambda: judged_intervals(assay)),)
    return View("Missing judgements", tuple(sentences), (table,), notes, charts)


def judged_intervals(assay: Assay) -> "alt.AnyChart":
    """Every system's mean by the main metric, and its range under missing judgements."""
    assert assay.bounds is not None
    m = assay.metrics.index(assay.main)
    mean = assay.scores.means()[:, m]
    order = np.argsort(-mean if assay.scores.higher_is_better[m] else mean, kind="stable")
    systems = [assay.scores.systems[s] for s in order]
    worst, best = assay.bounds[order, m].T
    lines = chart_rows({"system": systems, "mean": mean[order], "worst": worst, "best": best})
    tip = tooltips("system", mean=".4f", worst=".4f", best=".4f")
    base = row_chart(lines).encode(y=name_axis("system", systems), tooltip=tip)
    x = alt.X("worst:Q", title=f"mean {assay.main}")
    under = "dot: mean as judged; bar: from no unjudged document relevant to all of the top grade"
    title = chart_title("What missing judgements could change", under)
    return (
        base.mark_rule(strokeWidth=4, opacity=0.45, color=LOOKS[NEW][0]).encode(x=x, x2="best:Q")
        + base.mark_point(filled=True, size=40, opacity=1, color=LOOKS[METRIC][0]).encode(x="mean:Q")
    ).properties(title=title, width=420, height=alt.Step(13))
