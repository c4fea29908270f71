"""The view of an assay: the answer in sentences, and every metric in a row."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.findings import findings
from irassay.assays.soundness import BOUNDS_BEYOND, RANGE_BEYOND, STEADY, WEAK, WORDS, Soundness, doubts, soundness
from irassay.views.assay.landscape import landscape
from irassay.views.scores import means_table
from irassay.views.view import Cell, Table, View


def view(result: Assay) -> View:
    """The answer in sentences, and a row for every metric."""
    judged = soundness(result)
    shown = overview(result, judged)
    return replace(shown, title="Assay", sentences=tuple(finding.text for finding in findings(result, judged)))


def overview(found: Assay, judged: Mapping[str, Soundness]) -> View:
    """Every metric in a row: what is said of it, and the numbers behind that."""
    low, high = found.consistency.interval()
    moved, significant = doubts(found)
    power, steady = found.discrimination.power(found.alpha), found.consistency.mean
    order = sorted(range(len(found.metrics)), key=lambda m: (WORDS.index(judged[found.metrics[m]].word), -power[m]))
    lines: list[tuple[Cell, ...]] = []
    for m in order:
        metric = found.metrics[m]
        near = found.similarity.nearest(metric)
        tested = found.axioms_of(metric, found.properties)
        broken = None if tested is None else int((tested.violations[tested.metrics.index(metric), :, 0] > 0).sum())
        lines.append(
            (
                *(metric, judged[metric].word, float(power[m])),
                *(float(steady[m]), float(low[m]), float(high[m])),
                broken,
                None if np.isnan(moved[m]) else float(moved[m] / significant[m]),
                *((near[0][0], float(near[0][1])) if near else (None, None)),
                judged[metric].against,
            )
        )
    columns = (
        *("metric", "verdict", f"power ({found.test})", "consistency", "low", "high", "broken", "doubt"),
        *("most like", "tau", "against it"),
    )
    notes = (
        "Not sound: ranks nothing where others do, or breaks a property of common sense. With care: less than "
        f"{WEAK:.0%} of the best metric's power; significantly less consistent than the best, by more than {STEADY:g}; "
        f"or missing judgements could move a mean by more than {BOUNDS_BEYOND:g} significant differences ("
        f"{RANGE_BEYOND:g} where there is only an imputation range; not asked of metrics for incomplete judgements). "
        "Cannot be told: systems so few or so much alike that no metric tells them apart.",
        f"power: pairs of systems told apart at {found.alpha:g} by {found.test}. consistency: mean tau between halves "
        "of the topics, with its interval over topics. broken: properties broken, of those tested. doubt: what missing "
        "judgements could move a system's mean by (the median over systems), in differences that are significant by "
        "that test.",
    )
    shown = Table("metrics", columns, tuple(lines), digits=3)
    return View("Metrics", (), (shown,), notes, (("landscape", lambda: landscape(found, judged)),))


def standing(found: Assay) -> View:
    """Mean scores, and which system each metric puts first."""
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
    columns = ("metric", "first", "mean", f"not told from it ({found.test})")
    leaders = Table("leaders", columns, tuple(firsts), "Who is put first")
    table = replace(means_table(ranked, 4), title="Mean scores")
    return View("Scores", (), (table, leaders), found.scores.notes)
