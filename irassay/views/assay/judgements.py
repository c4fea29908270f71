"""The view of the possible effect of missing judgements, by metric and by system."""

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.findings import estimate_text
from irassay.assays.profile import COMPLETE
from irassay.views import altair as alt
from irassay.views.assay.landscape import LOOKS, METRIC, NEW
from irassay.views.charts import down, points, tips
from irassay.views.theme import data
from irassay.views.view import View, by_column


def missing_judgements(found: Assay) -> View | None:
    """The possible effect of missing judgements; None for scores without judgements."""
    width = found.width()
    if width is None or found.bounds is None:
        return None
    low, high = found.bounds.min(axis=2), found.bounds.max(axis=2)  # [system, metric]
    first, second = np.triu_indices(len(low), k=1)
    undecided = ((low[first] <= high[second]) & (low[second] <= high[first])).mean(axis=0)
    held = [name for name, metric in found.known.items() if metric.bounded(found.scores.has_costs)]
    kinds = ["bounds" if name in held else "imputation range" for name in found.metrics]
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
        most, least = int(np.nanargmax(estimate)), int(np.nanargmin(estimate))
        text = f"Significant as judged and in the worst and the best case of what is missing ({found.test}; "
        by = [f"{name} ({kind})" for name, kind in zip(found.metrics, found.profile.bounds, strict=True)]
        text += f"{1 - found.alpha:.0%} interval over topics): of all pairs "
        if estimate[least] < estimate[most]:
            text += f"by {by[most]} {estimate_text(each, most)}, the most; by {by[least]} {estimate_text(each, least)}, the fewest."
        elif len(estimate) > 1:
            text += f"{estimate[most]:.1%} by every metric."
        else:
            text += f"by {by[most]} {estimate_text(each, most)}."
        said.append(text)
    notes = (
        "width: the mean score if all that was not judged, and places beyond a list, had the top grade, less that if "
        "it had none. Of metrics that can only grow with a better grade these are bounds; of the others a range.",
        "undecided pairs: pairs of systems whose ranges overlap.",
        "smallest significant, largest non-significant: between these two differences of means the test decides by the "
        "spread of each pair; there is one threshold only where they meet.",
    )
    table = by_column("judgements", columns, "Missing judgements", digits=3)
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
    lines = points({"system": systems, "mean": mean[order], "worst": worst, "best": best})
    tip = tips("system", mean=".4f", worst=".4f", best=".4f")
    base = alt.Chart(data(lines)).encode(y=down("system", systems), tooltip=tip)
    x = alt.X("worst:Q", title=f"{found.main}: mean, and its range under missing judgements")
    return (
        base.mark_rule(strokeWidth=4, opacity=0.45, color=LOOKS[NEW][0]).encode(x=x, x2="best:Q")
        + base.mark_point(filled=True, size=40, opacity=1, color=LOOKS[METRIC][0]).encode(x="mean:Q")
    ).properties(width=420, height=alt.Step(13))
