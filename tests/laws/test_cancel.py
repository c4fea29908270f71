"""Cancelling ends every long computation within a second of work."""

import threading
import time
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irassay as ia
from irassay.parallel import Cancelled, context
from irassay.reports.page import report
from irassay.scores import Scores
from irassay.simulation import simulate
from irassay.simulation.collection import SimulatedCollection

MOST = 10**6  # resamples, so that nothing is done before it is cancelled
BEGUN = 0.3  # seconds of work before it is cancelled
METRICS = ["AP", "nDCG@10", "RBP", "P@10"]


@cache
def scores() -> Scores:
    """60 systems on 150 topics by six metrics."""
    rng = np.random.default_rng(0)
    values = 0.01 * np.arange(60)[:, None, None] + 0.2 * rng.normal(size=(1, 150, 1))
    names = (tuple(f"{letter}{n:03}" for n in range(size)) for letter, size in (("s", 60), ("t", 150), ("m", 6)))
    return Scores(values + 0.1 * rng.normal(size=(60, 150, 6)), *names)


@cache
def collection() -> SimulatedCollection:
    return simulate(seed=1, topics=40, systems=20)


@cache
def labels(seed: int) -> dict[str, dict[str, float]]:
    """Labels of the simulated documents, some of them other than the judgements."""
    rng, found = np.random.default_rng(seed), dict[str, dict[str, float]]()
    for topic, doc, grade in collection().qrels.frame.select(["topic", "doc", "grade"]).iter_rows():
        found.setdefault(topic, {})[doc] = grade if rng.random() < 0.8 else float(rng.integers(0, 4))
    return found


def judged() -> ia.JudgedRuns:
    return ia.JudgedRuns.of(list(collection().runs), collection().qrels, METRICS)


LONG: dict[str, Callable[[Path], Any]] = {
    **{
        f"compare by {test}": lambda folder, test=test: ia.compare(scores(), test=test, trials=MOST)
        for test in ("max-t-stepdown", "max-t", "bootstrap-max-t", "tukey", "permutation", "bootstrap")
    },
    "table": lambda folder: ia.table(scores(), trials=MOST),
    "plan": lambda folder: ia.plan(scores(), difference=0.02, trials=MOST),
    "topics": lambda folder: [ia.topics(scores()) for _ in count()],
    "discrimination": lambda folder: ia.meta.discrimination(scores(), trials=MOST),
    "consistency": lambda folder: ia.meta.consistency(scores(), splits=30_000, subsets=3000),
    "similarity": lambda folder: ia.meta.similarity(scores(), subsets=30_000),
    "alternatives": lambda folder: ia.meta.alternatives(scores(), reference="m000", trials=MOST),
    "robustness": lambda folder: ia.meta.robustness(judged(), thin=(0.3, 0.5, 0.7), repeats=500),
    "judges": lambda folder: ia.judges(
        labels(0), {"one": labels(1), "two": labels(2)}, runs=list(collection().runs), bootstraps=20_000
    ),
    "axioms": lambda folder: ia.axioms(["AP_IA", "alpha_nDCG@10", "ERR_IA", "nNRBP"], depth=15),
    "axioms by sampling": lambda folder: ia.axioms(["AP_IA", "RBP"], depth=30, sample=MOST),
    "assay": lambda folder: ia.assay(list(collection().runs), collection().qrels, METRICS, trials=MOST // 10),
    "report": lambda folder: [report(small_assay(), folder / "page.html") for _ in count()],
    "score": lambda folder: [ia.score(list(collection().runs), collection().qrels, METRICS) for _ in count()],
}


class Budget(threading.Event):
    """Is set once this process has worked for some time; other processes may keep it waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.end = time.process_time() + BEGUN

    def is_set(self) -> bool:
        """Whether the time is over."""
        return time.process_time() > self.end


@cache
def small_assay() -> Any:
    simulated = simulate(seed=2, topics=8, systems=5)
    return ia.assay(list(simulated.runs), simulated.qrels, ["AP", "P@5"], trials=100, splits=20)


@pytest.fixture(scope="module")
def _prepared(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The inputs are made, and what is slow to import is imported."""
    scores(), labels(2)
    report(small_assay(), tmp_path_factory.mktemp("page") / "page.html")
    ia.judges(labels(0), {"one": labels(1)}, runs=list(collection().runs), bootstraps=10)


@pytest.mark.usefixtures("_prepared")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", LONG)
def test_a_long_computation_ends_within_a_second_once_it_is_cancelled(name: str, jobs: int, tmp_path: Path) -> None:
    budget = Budget()
    with context(jobs=jobs, cancel=budget), pytest.raises(Cancelled):
        LONG[name](tmp_path)
    assert time.process_time() - budget.end < 1
