"""Metrics, methods and results are copied, pickled and used by several threads as other Python objects are."""

import asyncio
import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import irassay as ia

COLLECTION = ia.simulate(3, topics=6, systems=4, depth=20, sessions=4)
RUNS, QRELS, METRICS = list(COLLECTION.runs), COLLECTION.qrels, ["AP", "nDCG@10", "RBP"]
SCORES = ia.score(RUNS, QRELS, METRICS)

OBJECTS: dict[str, Callable[[], Any]] = {
    "metric": lambda: (ia.nDCG @ 10).with_alias("mine"),
    "method": lambda: ia.compare,
    "test": lambda: ia.PairedTest("sign", band=0.1),
    "run": lambda: RUNS[0],
    "judgements": lambda: QRELS,  # which were used, and keep what was derived from them
    "collection": lambda: COLLECTION,
    "note": lambda: ia.Note("are few", "a run", 3, "topic"),
    "error": lambda: ia.InputError("a\x1bb"),
    "scores": lambda: SCORES,
    "comparison": lambda: ia.compare(SCORES, "AP", test="permutation", trials=50),
    "plan": lambda: ia.plan(SCORES),
    "axioms": lambda: ia.axioms(["AP"], depth=3),
    "explanation": lambda: ia.explain("RBP"),
    "catalogue": lambda: ia.metrics("AP"),
    "discrimination": lambda: ia.meta.discrimination(SCORES, test="t"),
    "robustness": lambda: ia.meta.robustness(RUNS, QRELS, ["AP"], thin=(0.5,), repeats=2),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_what_is_pickled_or_copied_is_the_same(name: str) -> None:
    made = OBJECTS[name]()
    for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert type(again) is type(made) and str(again) == str(made)
        if isinstance(made, ia.Result):
            assert again.to_json() == made.to_json() and again.to_latex() == made.to_latex()


def test_a_pickled_metric_keeps_what_it_is_called() -> None:
    again = pickle.loads(pickle.dumps(ia.RBP(p=0.5).with_alias("patient")))
    assert again == ia.RBP(p=0.5) and again.alias == "patient"


def test_eight_threads_get_the_scores_that_one_gets() -> None:
    def scored(_: int) -> Any:
        ia.compare(SCORES, "AP", test="permutation", trials=50)
        return ia.score(RUNS, QRELS, METRICS).values

    with ThreadPoolExecutor(8) as pool:
        assert all(np.array_equal(values, SCORES.values) for values in pool.map(scored, range(16)))


def test_scores_are_made_inside_a_running_event_loop() -> None:
    async def scored() -> Any:
        with ia.context(jobs=2):
            here = ia.score(RUNS, QRELS, METRICS)
        there = await asyncio.to_thread(ia.score, RUNS, QRELS, METRICS)
        return np.array_equal(here.values, there.values) and np.array_equal(here.values, SCORES.values)

    assert asyncio.run(scored())


def test_an_interrupt_inside_a_metric_is_an_interrupt(forgotten: None) -> None:
    @ia.metric("Interrupted")
    def interrupted(r: Any) -> Any:
        """A user who presses a key."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ia.score(RUNS, QRELS, ["Interrupted"])
    assert np.array_equal(ia.score(RUNS, QRELS, METRICS).values, SCORES.values)
