"""The view of the possible effect of missing judgements, by metric and by system."""

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.findings import estimate_text
from irassay.assays.profile import COMPLETE
from irassay.views import altair as alt
from irassay.views.assay.landscape import LOOKS, METRIC, NEW
from irassay.views.charts import chart_rows, name_axis, tooltips
from irassay.views.theme import inline_data
from irassay.views.view import View, column_table


def missing_judgements(found: Assay) -> View | None:
    """The possible effect of missing judgements; None for scores without judgements."""
    width = found.width()
    if width is None or found.bounds is None:
        return None
    low, high = found.bounds.min(axis=2), found.bounds.max(axis=2)  # [system, metric]
    first, second = np.triu_indices(len(low), k=1)
    undecided = ((low[first] <= high[second]) & (low[second] <= high[first])).mean(axis=0)
    bounded = [name for name, metric in found.known.items() if metric.bounded(found.scores.has_costs)]
    kinds = ["bounds" if name in bounded else "imputation range" for name in found.metrics]
    columns = {
        "metric": found.metrics,
        "median width": np.median(width, axis=0),
        "largest width": width.max(axis=0),
        f"smallest significant ({found.test})": found.discrimination.smallest_significant(found.alpha),
        "largest non-significant": found.discrimination.largest_nonsignificant(found.alpha),
        "undecided pairs": undecided,
        "kind": kinds,
    }
    worst, best = int(np.nanargmax(undecided)), int(np.nanargmin(undecided))
    start = f"Missing judgements leave the order of {undecided[best]:.0%} of the pairs of systems undecided by"
    if undecided[best] < undecided[worst]:
        rest = f"{found.metrics[best]}, the fewest, and of {undecided[worst]:.0%} by {found.metrics[worst]}, the most"
    else:
        rest = "every metric" if len(undecided) > 1 else f"{found.metrics[best]}"
    sentences = [f"{start} {rest}."]
    each = found.profile.by(COMPLETE) if found.profile else None
    if each is not None and found.profile is not None:
        estimate = each.estimate[: len(found.metrics)]
        high, low = int(np.nanargmax(estimate)), int(np.nanargmin(estimate))
        by = [f"{name} ({kind})" for name, kind in zip(found.metrics, found.profile.bounds, strict=True)]
        if estimate[low] < estimate[high]:
            shares = f"by {by[high]} {estimate_text(each, high)}, the most; by {by[low]} {estimate_text(each, low)}, the fewest"
        else:
            shares = (
                f"{estimate[high]:.1%} by every metric"
                if len(estimate) > 1
                else f"by {by[high]} {estimate_text(each, high)}"
            )
        sentences.append(
            "Pairs that are significant as judged and in the worst and the best case of the missing judgements "
            f"({found.test}; {1 - found.alpha:.0%} interval over topics): {shares}."
        )
    notes = (
        "width: the mean score if all unjudged documents, and ranks past the end of a list, had the top grade, minus "
        "that if none were relevant. For metrics that cannot fall with a better grade these are bounds, for others a "
        "range.",
        "undecided pairs: pairs of systems whose ranges overlap.",
        "smallest significant, largest non-significant: between these two differences of means the verdict depends on "
        "the variance of each pair; if they meet, there is one threshold.",
    )
    table = column_table("judgements", columns, "Missing judgements", digits=3)
    charts = (("judgements", lambda: judged_intervals(found)),)
    return View("Missing judgements", tuple(sentences), (table,), notes, charts)


def judged_intervals(found: Assay) -> "alt.AnyChart":
    """Every system's mean by the main metric, and its range under missing judgements."""
    assert found.bounds is not None
    m = found.metrics.index(found.main)
    mean = found.scores.means()[:, m]
    order = np.argsort(-mean if found.scores.higher_is_better[m] else mean, kind="stable")
    systems = [found.scores.systems[s] for s in order]
    worst, best = found.bounds[order, m].T
    lines = chart_rows({"system": systems, "mean": mean[order], "worst": worst, "best": best})
    tip = tooltips("system", mean=".4f", worst=".4f", best=".4f")
    base = alt.Chart(inline_data(lines)).encode(y=name_axis("system", systems), tooltip=tip)
    x = alt.X("worst:Q", title=f"{found.main}: mean, and its range under missing judgements")
    return (
        base.mark_rule(strokeWidth=4, opacity=0.45, color=LOOKS[NEW][0]).encode(x=x, x2="best:Q")
        + base.mark_point(filled=True, size=40, opacity=1, color=LOOKS[METRIC][0]).encode(x="mean:Q")
    ).properties(width=420, height=alt.Step(13))
