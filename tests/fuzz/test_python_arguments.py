"""Whatever is given for an argument in Python: an answer, or one InputError of one line that is short."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl
import pytest

import irassay as ia
from irassay.declarations import index
from irassay.errors import MAX_LENGTH
from irassay.method import METHODS

SCORES = ia.Scores(np.random.default_rng(5).random((4, 6, 2)), "abcd", "123456", ("AP", "P@5"))  # type: ignore[arg-type]
RUNS = {"1": {"a": 2.5, "b": 1.25}, "2": {"a": 1.5}}
QRELS = {"1": {"a": 0, "b": 1}, "2": {"a": 2}}


class Unprintable:
    """An object of which not even a repr can be had."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


# What no argument can be, and what some may be in another place.
ODD: dict[str, Any] = {
    "none": None,
    "object": object(),
    "unprintable": Unprintable(),
    "class": int,
    "complex": 1j,
    "nan": float("nan"),
    "inf": float("inf"),
    "huge": 10**400,
    "bytes": b"x",
    "control": "\x1b[31m\n\0",
    "long": "x" * 100_000,
    "nested": nested(3000),
    "lists": [[]],
    "dict": {1: {2: 3}},
    "none by none": {None: None},
    "array of no axes": np.array(1.0),
    "matrix": np.ones((2, 3)),
    "objects": np.array([None, "a", {}], dtype=object),
    "records": np.zeros(2, [("a", int)]),
    "masked": np.ma.masked_array([1.0, 2.0], [False, True]),
    "small float": np.float32(3e38),
    "frame": pl.DataFrame({"a": [1, None]}),
    "no frame": pl.LazyFrame({"a": [1]}),
    "scores": SCORES,
}


def answers(call: Callable[[], Any]) -> None:
    """Asserts that a call answers, or says what is wrong in a line."""
    try:
        call()
    except ia.InputError as problem:
        message = str(problem)
        assert message.isprintable() and 0 < len(message) <= MAX_LENGTH + 10


def keywords() -> Iterator[tuple[str, str]]:
    """Every keyword of every method that is about scores."""
    for command in index()["commands"].values():
        import_module(command["where"].partition(":")[0])
    for path, method in METHODS.items():
        if "scores" in method.inputs and command_of_ours(method):
            yield from ((path, name) for name in dict.fromkeys(s.name for s in method.settings))


def command_of_ours(method: Any) -> bool:
    return str(method.function.__module__).startswith("irassay.")


@pytest.mark.parametrize("path", sorted({path for path, _ in keywords()}))
def test_every_keyword_of_a_method_is_held_to_its_type(path: str) -> None:
    method = METHODS[path]
    for name in [name for at, name in keywords() if at == path]:
        for odd in (ODD[key] for key in ("object", "unprintable", "complex", "nan", "bytes", "nested", "records")):
            with pytest.raises(ia.InputError) as problem:
                method(SCORES, **{name: odd})
            assert name in str(problem.value) and str(problem.value).isprintable()


CALLS: dict[str, Callable[[Any], Any]] = {
    "load": lambda odd: ia.load(odd),
    "define": lambda odd: ia.define(odd),
    "parse": lambda odd: ia.parse(odd),
    "explain": lambda odd: ia.explain(odd),
    "explain ranking": lambda odd: ia.explain("AP", odd),
    "explain pool": lambda odd: ia.explain("AP", "1,0", pool=odd),
    "metrics": lambda odd: ia.metrics(odd),
    "validate": lambda odd: ia.validate(odd),
    "read_qrels": lambda odd: ia.read_qrels(odd),
    "read_run": lambda odd: ia.read_run(odd),
    "read_runs": lambda odd: ia.read_runs(odd),
    "read_scores": lambda odd: ia.read_scores(odd),
    "write_scores": lambda odd: ia.write_scores(odd, "irassay", "/dev/null"),
    "write_scores file": lambda odd: ia.write_scores(SCORES, "irassay", odd),
    "simulate": lambda odd: ia.simulate(odd, 2, 2, depth=10, sessions=2),
    "simulate topics": lambda odd: ia.simulate(1, odd, 2, depth=10, sessions=2),
    "context": lambda odd: ia.context(odd).__enter__(),
    "report": lambda odd: ia.report(odd, "/dev/null"),
    "Scores": lambda odd: ia.Scores(odd, ("a",), ("1",), ("AP",)),
    "Scores systems": lambda odd: ia.Scores(np.ones((1, 1, 1)), odd, ("1",), ("AP",)),
    "Scores directions": lambda odd: ia.Scores(np.ones((1, 1, 1)), ("a",), ("1",), ("AP",), odd),
    "Scores notes": lambda odd: ia.Scores(np.ones((1, 1, 1)), ("a",), ("1",), ("AP",), notes=odd),
    "Rankings": lambda odd: ia.Rankings.of(odd),
    "Rankings best": lambda odd: ia.Rankings.of([1, 0], best=odd),
    "Note": lambda odd: ia.Note(odd),
    "Option": lambda odd: ia.Option("x", flag=odd),
    "user_model": lambda odd: ia.user_model("Mine", linear=odd),
    "score runs": lambda odd: ia.score(odd, QRELS, ["AP"]),
    "score qrels": lambda odd: ia.score(RUNS, odd, ["AP"]),
    "score metrics": lambda odd: ia.score(RUNS, QRELS, odd),
    "score lengths": lambda odd: ia.score(RUNS, QRELS, ["AP"], lengths=odd),
    "score depth": lambda odd: ia.score(RUNS, QRELS, ["AP"], depth=odd),
    "score judging": lambda odd: ia.score(RUNS, QRELS, ["AP"], judging=odd),
    "compare": lambda odd: ia.compare(odd),
    "compare metrics": lambda odd: ia.compare(SCORES, odd, test="t"),
    "judges runs": lambda odd: ia.judges(QRELS, {"m": QRELS}, runs=odd),
    "satisfaction": lambda odd: ia.meta.satisfaction(SCORES, odd),
    "PairedTest": lambda odd: ia.PairedTest(odd),
}


@pytest.mark.filterwarnings("ignore::polars.exceptions.PerformanceWarning")
@pytest.mark.parametrize("call", CALLS)
def test_odd_arguments_are_answered_or_refused_in_a_line(call: str) -> None:
    for odd in ODD.values():
        answers(lambda odd=odd: CALLS[call](odd))  # type: ignore[misc]


def test_numbers_of_numpy_are_numbers() -> None:
    made = ia.compare(SCORES, "AP", test="permutation", trials=np.int32(50), alpha=np.float32(0.5))
    assert type(made.settings["trials"]) is int and made.settings["alpha"] == 0.5


def test_runs_and_judgements_given_for_each_other_are_refused() -> None:
    for runs in (QRELS, {"a": QRELS}):
        with pytest.raises(ia.InputError, match=r"the run has grades \(0, 1, 2\) instead of scores.*runs come first"):
            ia.score(runs, RUNS, ["AP"])
    whole = {topic: {doc: float(grade) for doc, grade in docs.items()} for topic, docs in QRELS.items()}
    assert ia.score(whole, RUNS, ["AP"]).systems == ("run",)  # as the sentence says


def test_frames_of_odd_make_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [("1", "a", 2.0), ("1", "b", 1.0)]
    twice = pandas.DataFrame([(*row, 1.0) for row in rows], columns=["topic", "doc", "score", "score"])
    with pytest.raises(ia.InputError, match="two columns are called score"):
        ia.score(twice, QRELS, ["AP"])
    nested = pl.DataFrame(rows, ["topic", "doc", "score"], orient="row").with_columns(score=pl.lit([1.0]))
    with pytest.raises(ia.InputError, match=r"column 'score' holds List\(Float64\); expected one value per row"):
        ia.score(nested, QRELS, ["AP"])


def test_weights_of_aspects_without_a_metric_of_aspects_are_refused() -> None:
    with pytest.raises(ia.InputError, match="weights change no score of AP"):
        ia.axioms(["AP"], weights=(0.5, 0.5), depth=3)
