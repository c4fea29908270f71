"""Collections in which all is tied, missing or alike: every method on runs and judgements answers, or refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irassay as ia

KINDS = ("plain", "nothing relevant", "all relevant", "negative", "fractions", "ties", "gaps", "same run")
Nested = dict[str, dict[str, Any]]


def collection(kind: str, seed: int) -> tuple[dict[str, Nested], Nested, Nested]:
    """Runs, judgements, and other judgements of the same topics."""
    rng = np.random.default_rng(seed)
    systems, topics, depth = int(rng.choice([1, 2, 3])), int(rng.choice([1, 3, 8])), int(rng.choice([1, 3, 8]))

    def documents(many: int, value: Callable[[], Any]) -> dict[str, Any]:
        return {f"d{d}": value() for d in rng.choice(12, many, replace=False)}

    def grade() -> float:
        usual = int(rng.integers(0, 3))
        found = {"nothing relevant": 0, "all relevant": 1, "negative": usual - 2, "fractions": float(rng.random())}
        return found.get(kind, usual)

    def points() -> float:
        return float(rng.integers(0, 2)) if kind == "ties" else float(rng.random())

    runs = {f"s{s}": {f"t{t}": documents(depth, points) for t in range(topics)} for s in range(systems)}
    if kind == "gaps":
        runs = {name: dict(list(run.items())[i % 2 :]) or run for i, (name, run) in enumerate(runs.items())}
    if kind == "same run":
        runs = dict.fromkeys(runs, runs["s0"])
    qrels = {f"t{t}": documents(int(rng.choice([1, 4, 10])), grade) for t in range(topics)}
    return runs, qrels, {topic: documents(8, lambda: int(rng.integers(0, 3))) for topic in qrels}


CALLS: dict[str, Callable[[Any, Any, Any], ia.Result]] = {
    "score": lambda runs, qrels, other: ia.score(runs, qrels, ["AP", "nDCG@10", "RBP"], bounds=True),
    "skip": lambda runs, qrels, other: ia.score(runs, qrels, ["AP"], missing="skip", no_relevant="skip"),
    "topics": lambda runs, qrels, other: ia.topics(runs, qrels, ["AP"]),
    "judges": lambda runs, qrels, other: ia.judges(qrels, {"m": other}, bootstraps=20),
    "judges' runs": lambda runs, qrels, other: ia.judges(
        qrels, {"m": other}, runs=runs, metrics=("AP",), bootstraps=20
    ),
    "other": lambda runs, qrels, other: ia.meta.robustness(runs, qrels, ["AP"], other=other, max_grade=2),
    "thin": lambda runs, qrels, other: ia.meta.robustness(runs, qrels, ["AP"], thin=(0.5,), repeats=2),
    "pool": lambda runs, qrels, other: ia.meta.robustness(runs, qrels, ["AP"], pool_depth=(1, 3)),
    "assay": lambda runs, qrels, other: ia.assay(runs, qrels, ["AP", "P@5"], splits=5, trials=30),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_answers_or_refuses(kind: str, tmp_path: Path) -> None:
    for seed, (name, call) in enumerate(CALLS.items()):
        for runs, qrels, other in (collection(kind, seed), collection(kind, 100 + seed)):
            try:
                found = call(runs, qrels, other)
            except ia.InputError:
                continue
            message = str(found)
            assert " nan" not in message.lower(), name
            json.loads(found.to_json())
            found.save(tmp_path / "saved.json")
            assert str(ia.load(tmp_path / "saved.json")) == message, name


def test_a_tau_without_an_interval_is_said_so() -> None:
    rng = np.random.default_rng(4)
    runs = {f"s{s}": {f"t{t}": {f"d{d}": rng.random() for d in range(3)} for t in range(2)} for s in range(3)}
    qrels = {"t0": {"d0": 1, "d1": 0}, "t1": {"d5": 1, "d0": 0}}
    found = ia.judges(qrels, {"m": {"t0": {"d0": 1, "d1": 0}, "t1": {"d2": 1}}}, runs=runs, metrics=("AP",))
    message = str(found.view())
    assert "no interval for tau of m by AP" in message


def test_there_is_no_picture_of_systems_that_are_all_tied() -> None:
    runs = {f"s{s}": {f"t{t}": {"d0": 2.0, "d1": 1.0} for t in range(4)} for s in range(3)}
    found = ia.meta.robustness(runs, {f"t{t}": {"d0": 1, "d1": 1} for t in range(4)}, ["AP"], thin=(0.5,), repeats=2)
    assert found._repr_html_()
    with pytest.raises(ia.InputError, match="no picture"):
        found.plot()


def test_a_picture_that_would_be_empty_is_left_out(tmp_path: Path) -> None:
    scores = ia.Scores(np.zeros((3, 4, 1)), ("a", "b", "c"), ("1", "2", "3", "4"), ("AP",))
    found = ia.meta.generalizability(scores)
    assert "<img" not in found._repr_html_()
    with pytest.raises(ia.InputError, match="nothing to draw"):
        found.plot(tmp_path / "empty.png")
