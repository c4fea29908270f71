"""Scores and judgements at the edge, by every test and method: an answer in time without NaN in its claims, or a sentence."""

import json
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import irassay as ia
from irassay.arrays import Floats
from irassay.assays.findings import findings
from irassay.declarations import index
from irassay.errors import InputError
from irassay.io.click_logs import ClickLog
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import Ratings
from irassay.method import METHODS, Method
from irassay.reports.page import page
from irassay.results import Result, result_from_json
from irassay.results import result_json as saved
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.stats.paired_test import PairedTest, find_test
from irassay.stats.tests import TESTS
from irassay.views.formats import view_text
from irassay.views.render import as_text
from tests.support.keywords import CALLS

for command in index()["commands"].values():  # enters every method there is
    import_module(command["where"].partition(":")[0])
find_test("t")  # enters every test

LIMIT = 60  # seconds for one answer; the slowest takes a few
METRICS = ("m0", "m1", "m2", "m3")
CHOSEN = [METHODS[path] for path in METHODS if METHODS[path].function.__module__.startswith("irassay.meta.")]
OF_SCORES = [method for method in CHOSEN if "scores" in method.inputs]


def tables() -> Iterator[tuple[str, Floats]]:
    """Names, and scores [system, topic, metric]."""
    usual = np.random.default_rng(5).random((5, 8, 4)).round(3)

    def but(value: object, *places: object) -> Floats:
        changed = usual.copy()
        for place in places:
            changed[place] = value
        return changed

    yield "one topic", usual[:, :1]
    yield "two topics", usual[:, :2]
    yield "one system", usual[:1]
    yield "two systems", usual[:2]
    yield "one of each", usual[:1, :1, :1]
    yield "one metric", usual[:, :, :1]
    yield "no system", usual[:0]
    yield "no topic", usual[:, :0]
    yield "no metric", usual[:, :, :0]
    yield "identical systems", np.repeat(usual[:1], 5, axis=0)
    yield "identical topics", np.repeat(usual[:, :1], 8, axis=1)
    yield "identical metrics", np.repeat(usual[:, :, :1], 4, axis=2)
    yield "opposed metrics", usual[:, :, :1] * [1, -1, 1, -1]
    yield "constant", np.full_like(usual, 0.5)
    yield "a constant metric", but(0.5, np.s_[..., 0])
    yield "a constant difference", but(usual[1] + 0.25, 0)
    yield "zeros", np.zeros_like(usual)
    yield "negative zeros", -np.zeros_like(usual)
    yield "negative", -usual
    yield "denormal", usual * 1e-310
    yield "the least there is", np.where(usual > 0.5, 5e-324, 0.0)
    yield "1e-200", usual * 1e-200
    yield "1e-160", usual * 1e-160
    yield "1e160", usual * 1e160
    yield "1e300", np.where(usual > 0.5, 1e300, -1e300)
    yield "one of 1e300", but(1e300, (0, 0))
    yield "1e308", usual * 1e308
    yield "holes", but(np.nan, np.s_[0, ::2], (1, 1))
    yield "a system without scores", but(np.nan, 0)
    yield "a topic without scores", but(np.nan, np.s_[:, 0])
    yield "a metric without scores", but(np.nan, np.s_[..., 0])
    yield "no topic in common", but(np.nan, np.s_[0, :4], np.s_[1, 4:])
    yield "metrics on other topics", but(np.nan, np.s_[:, 0, 0], np.s_[:, 1, 1])
    yield "no scores", np.full_like(usual, np.nan)


TABLES = dict(tables())


def cube(values: Floats) -> Scores:
    names = (tuple(f"{letter}{n}" for n in range(size)) for letter, size in zip("stm", values.shape, strict=True))
    return Scores(values, *names)


def asked(method: Method[..., Any], test: str = "t") -> dict[str, Any]:
    """Keywords of the method, with a test where it takes one."""
    own = {setting.name for setting in method.settings if not setting.record}
    given = {name: value for name, value in CALLS.items() if name in own}
    trials = {"trials": 100} if TESTS[test].resamples else {}
    return given | ({"test": PairedTest(test, **trials)} if "band" in {s.name for s in method.settings} else {})


@contextmanager
def in_time(seconds: int = LIMIT) -> Iterator[None]:
    def late(*_: object) -> None:
        raise TimeoutError(f"no answer in {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def no_nan(constant: str) -> None:
    raise AssertionError(f"{constant} in JSON")


def holds(answer: Callable[[], Any], charts: bool = True) -> None:
    """The answer is claimed without NaN in every form, saved and loaded; or it is refused in a sentence or two."""
    with in_time():
        try:
            found = answer()
        except InputError as refused:
            message = str(refused)
            assert message and "\n" not in message and not re.search(r"\bnan\b|[Tt]raceback", message), message
            return
        view = found.view()
        for message in (view.title, *view.sentences, *view.notes):
            assert not re.search(r"\b(nan|inf)\b", str(message)), message
        json.loads(view_text(view, "json", found.provenance()), parse_constant=no_nan)
        for text in (as_text(view), view_text(view, "latex"), view_text(view, "markdown"), str(found)):
            assert not re.search(r"\bnan\b", text), text
        assert not charts or all(chart() is not None for _, chart in view.charts)
        assert not hasattr(found, "ranked") or found.ranked() is not None
        assert isinstance(found, Result) and saved(result_from_json(saved(found))) == saved(found)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("test", TESTS)
def test_every_paired_test(test: str, table: str) -> None:
    holds(lambda: ia.compare(cube(TABLES[table]), **asked(METHODS["compare"], test)), charts=False)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("path", [method.path for method in OF_SCORES])
def test_every_method_about_scores(path: str, table: str) -> None:
    holds(lambda: METHODS[path](cube(TABLES[table]), **asked(METHODS[path])))


def test_the_unit_of_scores_changes_no_p_value() -> None:
    scores = cube(np.random.default_rng(2).integers(0, 1000, (4, 9, 1)) / 1000)
    for test in TESTS:
        given = asked(METHODS["compare"], test)
        p = ia.compare(scores, **given).by().p.tolist()
        for power in (-900, -600, 600, 900):
            scaled = cube(np.ldexp(scores.values, power))
            assert ia.compare(scaled, **given).by().p.tolist() == p, (test, power)


USUAL = np.random.default_rng(3).random((1, 10, 4)).round(3)
RATED = {
    "one unit": (USUAL[:, :1], [3]),
    "two units": (USUAL[:, :2], [3, 4]),
    "one rating": (USUAL, [3] * 10),
    "ratings at both ends": (USUAL, [1, 5] * 5),
    "constant scores": (np.full_like(USUAL, 0.5), [1, 2, 3, 4, 5] * 2),
    "zeros": (np.zeros_like(USUAL), [1, 2, 3, 4, 5] * 2),
    "denormal": (USUAL * 1e-310, [1, 2, 3, 4, 5] * 2),
    "1e-160": (USUAL * 1e-160, [1, 2, 3, 4, 5] * 2),
    "1e160": (USUAL * 1e160, [1, 2, 3, 4, 5] * 2),
    "1e300": (USUAL * 1e300, [1, 2, 3, 4, 5] * 2),
    "identical metrics": (np.repeat(USUAL[..., :1], 4, axis=2), [1, 2, 3, 4, 5] * 2),
    "a constant metric": (USUAL * [0, 1, 1, 1], [1, 2, 3, 4, 5] * 2),
    "perfect": (
        np.tile([[[0.2]], [[0.4]], [[0.6]], [[0.8]], [[1.0]]], (2, 1, 4)).reshape(1, 10, 4),
        [1, 2, 3, 4, 5] * 2,
    ),
    "holes": (np.where(np.arange(10)[:, None] % 3, USUAL, np.nan), [1, 2, 3, 4, 5] * 2),
    "no scores": (np.full_like(USUAL, np.nan), [1, 2, 3, 4, 5] * 2),
}


def rated(name: str) -> RatedUnits:
    """Units of one system, a parameter of which mixes each metric with its square."""
    values, ratings = RATED[name]
    scores = cube(values)

    def mixed(value: float) -> Scores:
        return cube(np.clip((1 - value) * values + value * values * np.clip(values, 0, 1), -1e300, 1e300))

    users = tuple(f"user {n // 5 if len(ratings) < 10 else n}" for n in range(len(ratings)))
    given = Ratings(scores.topics, np.array(ratings, float), 1, 5, users)
    return RatedUnits(scores, given, lambda _: mixed, scores.metrics)


LIST = {f"d{n}": 10.0 - n for n in range(6)}
OTHER = {f"d{n}": float(n) for n in range(2, 9)}
GRADES = {f"d{n}": n % 3 for n in range(6)}
THREE = ("1", "2", "3")
JUDGED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "one topic": ({"a": {"1": LIST}, "b": {"1": OTHER}}, {"1": GRADES}),
    "one run": ({"a": dict.fromkeys(THREE, LIST)}, dict.fromkeys(THREE, GRADES)),
    "identical runs": (dict.fromkeys("abc", dict.fromkeys(THREE, LIST)), dict.fromkeys(THREE, GRADES)),
    "nothing relevant": (
        {"a": dict.fromkeys(THREE, LIST), "b": dict.fromkeys(THREE, OTHER)},
        dict.fromkeys(THREE, dict.fromkeys(GRADES, 0)),
    ),
    "everything relevant": (
        {"a": dict.fromkeys(THREE, LIST), "b": dict.fromkeys(THREE, OTHER)},
        dict.fromkeys(THREE, dict.fromkeys(GRADES, 1)),
    ),
    "nothing judged": (
        {"a": dict.fromkeys(THREE, LIST), "b": dict.fromkeys(THREE, OTHER)},
        {key: {"other": 1} for key in THREE},
    ),
    "one document": ({"a": {"1": {"x": 1.0}}, "b": {"1": {"y": 1.0}}}, {"1": {"x": 1}}),
    "no topic in common": ({"a": {"1": LIST}, "b": {"2": LIST}}, {"3": GRADES}),
    "tied and extreme scores": (
        {"a": dict.fromkeys(THREE, dict.fromkeys(LIST, 0.0)), "b": {key: {"d0": 1e308, "d1": -1e308} for key in THREE}},
        dict.fromkeys(THREE, GRADES),
    ),
}
LABELS = {
    "the same": (GRADES, GRADES),
    "reversed": (GRADES, {doc: 2 - grade for doc, grade in GRADES.items()}),
    "constant": (dict.fromkeys(GRADES, 1), dict.fromkeys(GRADES, 1)),
    "zeros": (dict.fromkeys(GRADES, 0), dict.fromkeys(GRADES, 0)),
    "one document": ({"d1": 1}, {"d1": 0}),
    "nothing in common": ({"d1": 1}, {"d2": 1}),
    "negative": (dict.fromkeys(GRADES, -1), GRADES),
}
# What each method that is not about scores may be about; axioms are about metrics, which have laws of their own.
LOGS: dict[str, tuple[list[str], list[float], list[bool], list[float]]] = {  # users, grades, clicks, seconds
    "one row": (["u"], [1], [True], [9.0]),
    "one user": (["u"] * 3, [0, 1, 2], [True] * 3, [1.0, 2.0, 3.0]),
    "no clicks": (["u", "v", "w"], [0, 1, 1], [False] * 3, [np.nan] * 3),
    "no time": (["u", "v", "w"], [0, 1, 2], [True] * 3, [0.0] * 3),
    "a top grade nobody clicks": (["u", "v", "w"], [0, 1, 2], [True, True, False], [5.0, 5.0, np.nan]),
    "clicks without a time": (["u", "v", "w"], [0, 1, 1], [True] * 3, [np.nan, 4.0, np.nan]),
    "very long": (["u", "v", "w", "x"], [0, 1, 0, 1], [True] * 4, [1e300, 1e-300, 1.0, 1e300]),
    "negative grades": (["u", "v", "w"], [-1, 0, 1], [True] * 3, [1.0, 2.0, 3.0]),
}


def click_log(users: list[str], grades: list[float], clicks: list[bool], seconds: list[float]) -> ClickLog:
    size = len(users)
    columns = np.arange(1.0, size + 1), np.array(grades, float), np.array(clicks), np.array(seconds)
    return ClickLog(tuple(users), ("q",) * size, *columns, examined=np.ones(size, dtype=np.bool_))


ABOUT: dict[str, tuple[dict[str, Any], Callable[[str], tuple[Any, ...]]]] = {
    "rated": (RATED, lambda name: (rated(name),)),
    "judged": (JUDGED, lambda name: (JudgedRuns.of(*JUDGED[name], ["AP", "nDCG@10", "P@5"]),)),
    "evaluated": (JUDGED, lambda name: (*JUDGED[name], ["AP", "nDCG@10", "P@5"])),
    "log": (LOGS, lambda name: (click_log(*LOGS[name]),)),
    "human": (LABELS, lambda name: ({"1": LABELS[name][0]}, {"model": {"1": LABELS[name][1]}})),
    "metrics": ({}, lambda name: ()),
    "first": (TABLES, lambda name: (cube(TABLES[name]), cube(TABLES[name].round(1)))),
}


def first(method: Method[..., Any]) -> str:
    return next(iter(method.inputs))


@pytest.mark.parametrize(
    ("path", "name"),
    [(m.path, name) for m in CHOSEN if m not in OF_SCORES for name in ABOUT[first(m)][0]],
)
def test_every_other_method(path: str, name: str) -> None:
    method = METHODS[path]
    holds(lambda: method(*ABOUT[first(method)][1](name), **asked(method)))


def test_judges_with_runs_at_the_edge() -> None:
    for runs, qrels in JUDGED.values():
        models = {"model": {topic: dict.fromkeys(docs, 1) for topic, docs in qrels.items()}}
        holds(lambda: ia.judges(qrels, models, runs=runs, metrics=["AP", "P@5"], bootstraps=20))  # noqa: B023


@pytest.mark.parametrize("name", ["identical systems", "constant", "zeros", "the least there is", "denormal", "1e308"])
def test_a_report_is_written(name: str) -> None:
    def answer() -> Result:
        found = ia.assay(scores=cube(TABLES[name]), splits=20, test=PairedTest("t"))
        assert "</html>" in page(found)
        assert not any(re.search(r"\b(nan|inf)\b", finding.text) for finding in findings(found))
        return found

    holds(answer)
