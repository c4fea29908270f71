"""The chart of scores: means with their intervals over topics."""

import numpy as np

from irassay.arrays import Floats
from irassay.scores import SMALLEST_SCORE, Scores
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, interval_lines, tooltips
from irassay.views.table_columns import grid_columns
from irassay.views.theme import row_chart

MAX_SYSTEMS, MAX_METRICS = 60, 12  # shown in the chart
LEVEL = 0.95  # of its intervals


def mean_intervals(scores: Scores, level: float = LEVEL) -> tuple[Floats, Floats]:
    """[system, metric] the ends of Student's interval of each mean over topics, for one mean at a time.

    The interval of a sum is that of the mean times the number of topics; that of a geometric mean comes from the
    logarithms. NaN if there are fewer than two topics.
    """
    from scipy.special import stdtrit

    over, known = np.array(scores.over_topics), ~np.isnan(scores.values)
    n, geometric = known.sum(axis=1), over == "geometric"
    values: Floats = np.where(geometric, np.log(np.maximum(scores.values, SMALLEST_SCORE)), scores.values)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(known, values, 0.0).sum(axis=1) / n
        squares = (np.where(known, values - mean[:, None], 0.0) ** 2).sum(axis=1)
        error = np.where(n > 1, np.sqrt(squares / (n * (n - 1))), np.nan)
    reach, times = stdtrit(np.maximum(n - 1, 1), (1 + level) / 2) * error, np.where(over == "sum", n, 1)
    low, high = (np.exp(end, out=end, where=geometric) for end in ((mean - reach) * times, (mean + reach) * times))
    return low, high


def means_chart(scores: Scores) -> "alt.AnyChart":
    """A panel per metric with every system's mean and its interval over topics, the best by the first metric on top."""
    metrics = [
        m for m, name in enumerate(scores.metrics) if not name.endswith(("[worst]", "[best]", "[least]", "[largest]"))
    ]
    means, (low, high) = scores.means(), mean_intervals(scores)
    merit = means[:, metrics[0]] * (1 if scores.higher_is_better[metrics[0]] else -1)
    order = np.argsort(-np.nan_to_num(merit, nan=-np.inf), kind="stable")
    systems, panels = order[:MAX_SYSTEMS], metrics[:MAX_METRICS]
    names = [scores.systems[s] for s in systems]
    drawn = {"mean": means, "low": low, "high": high}  # [system, metric]
    drawn = {name: values[systems][:, panels].T for name, values in drawn.items()}
    columns = grid_columns({"metric": [scores.metrics[m] for m in panels], "system": names}, drawn)
    lines = chart_rows(columns, np.isfinite(columns["mean"]))
    under = [f"over {len(scores.topics)} topics; lines: {LEVEL:.0%} intervals of each mean (Student's)"]
    if len(systems) < len(order):
        under.append(f"the best {MAX_SYSTEMS} of {len(order)} systems by {scores.metrics[metrics[0]]}")
    if len(panels) < len(metrics):
        under.append(f"the first {MAX_METRICS} of {len(metrics)} metrics")

    def panel(metric: str) -> "alt.LayerChart":
        base = row_chart([line for line in lines if line["metric"] == metric], title=metric).encode(
            y=alt.Y("system:N", sort=names, title=None),
            tooltip=tooltips("system", "metric", **dict.fromkeys(("mean", "low", "high"), ".4f")),
        )
        x = alt.X("low:Q", title=f"mean {metric}", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5))
        circles = base.mark_point(filled=True, size=45, opacity=1).encode(x="mean:Q")
        return (interval_lines(base, x) + circles).properties(width=220, height=alt.Step(15))

    charts = [panel(scores.metrics[m]) for m in panels]
    if len(charts) == 1:
        return charts[0].properties(title=chart_title(f"Mean {scores.metrics[panels[0]]}", under), width=420)
    return alt.concat(*charts, columns=3, title=chart_title("Mean scores", under))
