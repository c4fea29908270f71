"""The scans that tuned the parameters of Jiang and Allan (2016), with the ranges of their programs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats
from irassay.io.trec import Qrels, Run
from irassay.judging.judge import judge
from irassay.judging.policy import JudgingPolicy
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import Ratings
from irassay.meta.satisfaction.sensitivity import Sensitivity, sensitivity
from irassay.meta.satisfaction.units import session_curve, session_scores
from irassay.metrics.catalogue.effort import JIANG_CLICK, cost_before, jiang_values
from irassay.metrics.grammar import parse
from irassay.papers.jiang2016.tables import BLOCKS
from irassay.rankings.effort import JIANG_SECONDS
from irassay.stats.compare_correlations import pearson

K = 9  # results on a page
HALF_LIVES = np.arange(1, 500)
SAVES = np.array([(low / 10, high / 10) for low in range(10) for high in range(1, 10)])  # for grades 1 and 2
LIMITS = np.arange(1, 1000)
PROBABILITIES = tuple(chance / 10 for chance in range(5, 11))
THRESHOLDS = tuple(chance / 20 for chance in range(21))
RATIOS = tuple(e / 2 for e in range(2, 21))
EFFORTS = tuple(e / 20 for e in range(1, 31))
SMOOTH = ("GRBP(end='list')@9", "GRBP(p=0.6,end='list')@9", "ERR@9", "DCG(end='list',gain='exp')@9")
FIGURE_1 = dict(zip(BLOCKS["D"], (*SMOOTH, "nDCG(end='list',gain='exp')@9"), strict=True))
GRADED_PATTERNS = {"GP@k": "GP({},end='list')@9", "GAP": "GAP({})@9", "GRBP, p = 0.8": "GRBP({},end='list')@9"}
EFFORT_ARGUMENTS = {"static": "", "e = 4": ",effort=(0.25,1,1)", "time": ",effort='time'"}
GRADED = {
    f"{name}, {effort}": pattern.format(f"h=(0.4,0.6){argument}")
    for name, pattern in GRADED_PATTERNS.items()
    for effort, argument in EFFORT_ARGUMENTS.items()
}


@dataclass(frozen=True, eq=False)
class Scans:
    """Pearson's r with the ratings over the values of each parameter."""

    tbg: Floats  # [save, h]
    u: Floats  # [T]
    es: Floats  # [P_reform, P_down]
    threshold: Floats  # [P(s = 1), metric]
    by_grade: Floats  # [effort of grade 0, effort of grade 1] GRBP, p = 0.6, where grade 2 costs 1
    ratio: Sensitivity  # to e, as in Figure 1

    def save_and_half_life(self) -> tuple[Floats, int]:
        """The best P_save for grades 1 and 2, and the best h; the last of ties, as in the authors' program."""
        best = np.argwhere(self.tbg >= self.tbg.max() - 1e-12)[-1]
        return SAVES[best[0]], int(HALF_LIVES[best[1]])

    def limit(self) -> int:
        """The best T."""
        return int(LIMITS[np.nanargmax(self.u)])

    def reform_and_down(self) -> tuple[float, float]:
        """The best P_reform and P_down."""
        reform, down = np.unravel_index(np.argmax(self.es), self.es.shape)
        return PROBABILITIES[reform], PROBABILITIES[down]


def parameter_scans(sessions: Run, qrels: Qrels, ratings: Ratings, trials: int = 200, seed: int = 0) -> Scans:
    """Scans of h and P_save for TBG, T for U, P_reform and P_down for esNDCG, thresholds, and efforts."""

    def correlations(metrics: Sequence[str], rows: int) -> Floats:
        """[row, column] Of metrics, some of which may be the same."""
        names = [str(parse(metric)) for metric in metrics]
        r = pearson(session_scores(sessions, qrels, metrics).values[0].T, ratings.values)
        by_name = dict(zip(dict.fromkeys(names), r, strict=True))
        return np.array([by_name[name] for name in names]).reshape(rows, -1)

    u_by_limit = session_curve(sessions, qrels, [f"U(dialect='jiang')@{K}"], "T")
    u = np.stack([u_by_limit(float(T)).values[0, :, 0] for T in LIMITS])
    paths = [f"esNDCG(P_reform={a},P_down={b})@{K}" for a in PROBABILITIES for b in PROBABILITIES]
    by_threshold = [
        metric.replace("h=(0.4,0.6)", f"h=({p},{1 - p:g})") for p in THRESHOLDS for metric in GRADED.values()
    ]
    by_grade = [f"GRBP(p=0.6,effort=({a},{b},1),end='list')@{K}" for a in EFFORTS for b in EFFORTS]
    curve = session_curve(sessions, qrels, list(FIGURE_1.values()), "e")
    rated = RatedUnits(curve(RATIOS[0]), ratings, lambda parameter: curve, tuple(FIGURE_1))
    return Scans(
        tbg=tbg_correlations(sessions, qrels, ratings),
        u=pearson(u, ratings.values),
        es=correlations(paths, len(PROBABILITIES)),
        threshold=correlations(by_threshold, len(THRESHOLDS)),
        by_grade=correlations(by_grade, len(EFFORTS)),
        ratio=sensitivity(rated, sweep=(f"e={','.join(map(str, RATIOS))}",), trials=trials, seed=seed),
    )


def tbg_correlations(sessions: Run, qrels: Qrels, ratings: Ratings) -> Floats:
    """[save, h] r of TBG, a sum over grades g of P_save(g) times the gain from the grade if always saved."""
    queries = judge(sessions, qrels, JudgingPolicy(depth=K)).queries
    assert queries is not None
    r = queries.rankings
    start_time, click = cost_before(jiang_values(r, JIANG_SECONDS)), jiang_values(r, JIANG_CLICK) * r.inside
    gain = np.stack(
        [
            [queries.mean((click * (r.grade == g) * 0.5 ** (start_time / h)).sum(axis=1)) for g in (1, 2)]
            for h in HALF_LIVES
        ]
    )  # [h, grade, session]
    scores = np.einsum("pg,hgs->phs", SAVES, gain)
    return pearson(scores.reshape(-1, scores.shape[2]), ratings.values).reshape(scores.shape[:2])
