"""Results of every kind that ranks systems, for the tests of their views."""

from typing import Any

import numpy as np

from irassay.meta.agreement import agreement
from irassay.meta.alternatives import alternatives
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.robustness.method import robustness_of_scores
from irassay.meta.robustness.rejudged_scores import rejudged_scores
from irassay.meta.similarity import similarity
from irassay.metrics.grids import grid
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from tests.support.collections import collection, graded

FEW = (
    "RBP(end='stop')@10",
    "RBP(A='MAX',end='stop')@10",
    "P(gain='linear',end='stop')@10",
    "RBP(A='ERR',end='stop')@10",
)


def example_results() -> dict[str, Any]:
    """One result of each kind, with a constant metric among them, and two of the whole grid."""
    scores = graded(9, 16, 10, 0, FEW)
    runs, qrels = collection()
    teams = {name: "us" if name == "run0" else "them" for name in runs}
    reference, cases = rejudged_scores(
        JudgedRuns.of(runs, qrels, ["AP", "RBP"]),
        other=qrels,
        thin=(0.5,),
        pool_depth=(3,),
        noise={2: {1: 1}},
        groups=teams,
        repeats=2,
    )
    whole = graded(8, 12, 10, 1, grid("cwla").metrics)
    return {
        "similarity": similarity(scores, also=("tau_ap", "spearman", "rbo"), subsets=20),
        "consistency": consistency(scores, splits=20, compat=True, group_by="browse", subsets=10),
        "discrimination": discrimination(scores, trials=100, groups={name: name[-1] for name in scores.systems}),
        "agreement": agreement(scores),
        "robustness": robustness_of_scores(reference, cases),
        "alternatives": alternatives(scores, reference=FEW[0], similar=0.2, trials=50, splits=20),
        "grid similarity": similarity(whole, subsets=10),
        "grid consistency": consistency(whole, splits=20, subsets=10),
        "grid discrimination": discrimination(whole, test="t"),
        "grid agreement": agreement(whole),
    }


def tiny(values: Any, metrics: tuple[str, ...]) -> Scores:
    cube = np.asarray(values, dtype=float)
    return Scores(cube, tuple(f"s{i}" for i in range(len(cube))), tuple(map(str, range(cube.shape[1]))), metrics)


RESULTS = example_results()
