"""Laws that every method must obey, whatever it asks; exceptions are declared on the method."""

import dis
import inspect
import json
from collections.abc import Callable
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import numpy as np
import polars as pl
import pytest

import irassay.meta
import irassay.meta.comparison
import irassay.meta.judges.method
import irassay.meta.plan
import irassay.meta.table
from irassay.bibliography import cited_works
from irassay.declarations import index
from irassay.errors import InputError
from irassay.io.trec import Qrels
from irassay.meta.preference import Choices
from irassay.meta.robustness.altered_judgements import Confusion
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import Ratings
from irassay.method import METHODS, Method
from irassay.parallel import context
from irassay.results import Result, load, result_from_json, result_json
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.runs_or_scores import RunsOrScores
from irassay.settings import Record, Setting
from irassay.simulation import simulate
from irassay.stats.paired_test import PairedTest
from irassay.views.formats import view_text
from irassay.views.theme import themed_spec
from tests.support.keywords import CALLS

for name in dir(irassay.meta):  # enters every method there is
    getattr(irassay.meta, name)

KEY = ["topic", "doc", "grade"]
SYSTEMS, TOPICS, METRICS = 6, 10, ("m0", "m1", "m2", "m3")
ORDER = np.random.default_rng(7)


def cube(systems: int = SYSTEMS, metrics: int = len(METRICS), seed: int = 3) -> Scores:
    """Scores of systems that differ somewhat, the same a metric at a time whatever metrics there are."""
    rng = np.random.default_rng(seed)
    ability, difficulty = 0.08 * np.arange(systems)[:, None], 0.2 * rng.normal(size=(1, TOPICS))
    values = [(0.3 + ability + difficulty + 0.1 * rng.normal(size=(systems, TOPICS))).round(4) for _ in range(metrics)]
    names = tuple(f"s{n}" for n in range(systems)), tuple(f"t{n}" for n in range(TOPICS))
    return Scores(np.stack(values, axis=2), *names, METRICS[:metrics])


def rated() -> RatedUnits:
    """Units of one system, a parameter of which mixes each metric with the next."""
    scores = cube(systems=1)
    ratings = Ratings(scores.topics, np.tile([1.0, 2, 3, 4, 5], 2), 1, 5)

    def mixed(value: float) -> Scores:
        return replace(scores, values=(1 - value) * scores.values + value * np.sqrt(np.abs(scores.values)))

    return RatedUnits(scores, ratings, lambda parameter: mixed, scores.metrics)


def judged(runs: int = 4) -> JudgedRuns:
    collection = simulate(seed=1, topics=6, systems=4)
    return JudgedRuns.of(list(collection.runs)[:runs], collection.qrels, ["AP", "nDCG@10", "P@5"])


def labelled(seed: int) -> dict[str, dict[str, float]]:
    """Labels of the simulated documents, some of them other than the judgements."""
    rng = np.random.default_rng(seed)
    found: dict[str, dict[str, float]] = {}
    for topic, doc, grade in simulate(seed=1, topics=6, systems=4).qrels.frame.select(KEY).iter_rows():
        found.setdefault(topic, {})[doc] = grade if rng.random() < 0.8 else float(rng.integers(0, 4))
    return found


# What each kind of input may be.
INPUTS: dict[str, Callable[[], Any]] = {
    "scores": cube,
    "rated": rated,
    "judged": judged,
    "evaluated": lambda: RunsOrScores(judged()),
    "first": cube,
    "second": lambda: replace(cube(), values=cube().values + np.eye(SYSTEMS, TOPICS)[:, :, None] / 8),
    "human": lambda: labelled(0),
    "others": lambda: {f"judge {n}": labelled(n) for n in (1, 2, 3)},
    "metrics": lambda: ["AP_IA", "alpha_nDCG@10", "P@2"],
    "log": lambda: str(Path(__file__).parents[1] / "golden" / "inputs" / "log.tsv"),
}
ABOUT_TWO_RUNS = {"check": {"evaluated": lambda: RunsOrScores(judged(2))}, "claim": {"judged": lambda: judged(2)}}
EXAMPLES = CALLS | {"runs": list(simulate(seed=1, topics=6, systems=4).runs), "depth": 3}
for entry in index()["commands"].values():
    import_module(entry["where"].partition(":")[0])  # which declares the method
# Other commands, such as score and validate, are declared in the same way; tests/cli/test_derived.py tests them.
ALL = [method for method in METHODS.values() if method.function.__module__.startswith("irassay.meta.")]
OF_SCORES = [method for method in ALL if "scores" in method.inputs]


def method_path(method: Method[..., Any]) -> str:
    return method.path


def about(method: Method[..., Any]) -> dict[str, Any]:
    """What the method may be asked about; what has a default is left to it, but for metrics alone."""
    needed = [name for name in method.inputs if name != "metrics" or len(method.inputs) == 1]
    inputs = INPUTS | ABOUT_TWO_RUNS.get(method.path, {})
    return {name: inputs[name]() for name in needed}


def asked(method: Method[..., Any], **changed: Any) -> dict[str, Any]:
    """Examples of the keywords that the method takes."""
    known = {setting.name for setting in method.settings}
    own = {setting.name for setting in method.settings if not setting.record}
    left_out = {"runs"} if "qrels" in own else set()  # they go together, and would have to fit the scores
    given = {name: value for name, value in EXAMPLES.items() if name in own - left_out}
    return given | ({"test": PairedTest("t")} if "test" in known - own else {}) | changed


def answer(result: Any) -> dict[str, Any]:
    """What a result says, free of scale where it can be: groups and power, or what it ranks."""
    if hasattr(result, "groups"):
        return {**result.groups(), "power": result.power().tolist()}
    if hasattr(result, "power") and not hasattr(result, "components"):
        return dict(zip(result.metrics, result.power().tolist(), strict=True))
    return dict(result.ranked())


def same(method: Method[..., Any], one: dict[str, Any], other: dict[str, Any], off: float = 1e-9) -> None:
    assert one.keys() == other.keys(), method.path
    for name, value in one.items():
        words = isinstance(value, str)
        assert other[name] == (value if words else pytest.approx(value, abs=off, nan_ok=True)), (method.path, name)


@pytest.mark.parametrize("method", ALL, ids=method_path)
def test_a_method_asks_a_question_and_says_what_it_returns(method: Method[..., Any]) -> None:
    assert method.question.endswith(("?", ".")) and method.summary.endswith((".", ":")), method.path
    assert issubclass(get_type_hints(method.function)["return"], Result)
    assert all(setting.option.help for setting in method.settings), method.path


@pytest.mark.parametrize("method", ALL, ids=method_path)
def test_a_result_ranks_saves_loads_shows_itself_and_knows_its_settings(
    method: Method[..., Any], tmp_path: Path
) -> None:
    found = method(**about(method), **asked(method))
    ranked = found.ranked()
    assert all(isinstance(name, str) and isinstance(value, int | float) for name, value in ranked), method.path
    found.save(tmp_path / "result.json")
    again = load(tmp_path / "result.json")
    assert type(again) is type(found) and result_json(again) == result_json(found) and again.ranked() == ranked
    assert result_json(result_from_json(result_json(found))) == result_json(found)
    assert set(found.settings.given) == {setting.name for setting in method.settings}
    assert found.settings.method == method.name
    assert again.citations == found.citations and found.citations[: len(method.cite)] == method.cite
    assert not cited_works(set(found.citations))[1], method.path
    assert {setting.key for setting in method.settings} <= set(found.settings.flat())
    assert again.settings.given.keys() == found.settings.given.keys()
    view = found.view()
    assert view.sentences and all(view_text(view, form) for form in ("json", "tsv", "csv", "latex", "markdown"))
    assert all("vega-lite" in json.dumps(themed_spec(make()), allow_nan=False) for _, make in view.charts)


@pytest.mark.parametrize("method", ALL, ids=method_path)
def test_the_number_of_workers_changes_nothing(method: Method[..., Any]) -> None:
    changed = (
        {"test": PairedTest("permutation", trials=600)} if "correction" in [s.name for s in method.settings] else {}
    )
    one = method(**about(method), **asked(method, **changed))
    with context(jobs=3):
        three = method(**about(method), **asked(method, **changed))
    assert result_json(one) == result_json(three), method.path


@pytest.mark.parametrize("axis", ["systems", "topics"])
@pytest.mark.parametrize("method", OF_SCORES, ids=method_path)
def test_the_order_of_systems_and_topics_changes_nothing(method: Method[..., Any], axis: str) -> None:
    scores = cube()
    turned = scores.select(**{axis: ORDER.permutation(getattr(scores, axis)).tolist()})
    one, other = (answer(method(given, **asked(method))) for given in (scores, turned))
    same(method, one, other)


def turned(given: Any) -> Any:
    """The same input with its topics, or units, in another order."""
    if isinstance(given, Scores):
        return given.select(topics=ORDER.permutation(given.topics).tolist())
    if isinstance(given, RatedUnits):
        ratings = given.ratings.select(ORDER.permutation(given.ratings.units).tolist())
        return replace(given, scores=turned(given.scores), ratings=ratings)
    if isinstance(given, RunsOrScores):
        return replace(given, judged=turned(given.judged))
    if isinstance(given, JudgedRuns):
        runs = [replace(run, frame=by_topic(run.frame)) for run in given.runs]
        return replace(given, runs=runs, qrels=Qrels(by_topic(given.qrels.frame), given.qrels.source))
    if isinstance(given, Choices):
        rows = ORDER.permutation(len(given.topics))
        return Choices(
            *(tuple(np.array(each)[rows]) for each in (given.topics, given.left, given.right)), given.chosen[rows]
        )
    if isinstance(given, dict):
        names = ORDER.permutation(list(given)) if "101" in given else given  # topics, or judges
        return {str(name): turned(given[str(name)]) for name in names}
    return given


def by_topic(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a frame, with its topics in another order."""
    parts = frame.partition_by("topic")
    return pl.concat([parts[n] for n in ORDER.permutation(len(parts))])


def content(result: Result) -> Any:
    """What a result says, without its settings; what it lists by topic, or by unit, is sorted by name."""
    saved = json.loads(result_json(result), parse_float=lambda text: round(float(text), 10))  # sums differ by rounding
    saved.pop("settings")
    for axis in ("topics", "units"):
        names = getattr(result, axis, None)
        if isinstance(names, tuple) and isinstance(names[0], str):
            for field in fields(result):
                value = getattr(result, field.name)
                if field.name == axis or (isinstance(value, np.ndarray) and value.shape[-1:] == (len(names),)):
                    saved[field.name] = np.asarray(value)[..., np.argsort(names)].tolist()
    return saved


DRAWING = [method for method in ALL if "seed" in {setting.name for setting in method.settings}]


@pytest.mark.parametrize("method", DRAWING, ids=method_path)
def test_what_is_drawn_does_not_depend_on_the_order_of_topics(method: Method[..., Any]) -> None:
    given = about(method)
    drawn: dict[str, Any] = {"test": PairedTest("max-t", trials=300)} if records(method) else {}
    drawn |= {"folds": 3} if "folds" in {setting.name for setting in method.settings} else {}
    drawn |= {"noise": Confusion({0.0: {0.0: 0.7, 1.0: 0.3}})} if "thin" in asked(method) else {}
    settings = asked(method, **drawn)
    choices = {"choices": turned(settings["choices"])} if "choices" in settings else {}
    one = method(**given, **settings)
    other = method(**{name: turned(value) for name, value in given.items()}, **(settings | choices))
    assert content(one) == content(other), method.path


@pytest.mark.parametrize("method", [method for method in ALL if method.traits.affine], ids=method_path)
def test_affine_scores_get_the_same_answer(method: Method[..., Any]) -> None:
    given = about(method)
    held = given.get("scores") or given["rated"].scores
    scale = 2.0 ** np.arange(-1, len(held.metrics) - 1)  # which is exact
    moved = replace(held, values=0.25 + scale * held.values)
    changed = {"scores": moved} if "scores" in given else {"rated": replace(given["rated"], scores=moved)}
    same(method, answer(method(**given, **asked(method))), answer(method(**(given | changed), **asked(method))))


@pytest.mark.parametrize("method", [m for m in OF_SCORES if not m.traits.compares_metrics], ids=method_path)
def test_a_metric_alone_gets_the_answer_it_gets_in_company(method: Method[..., Any]) -> None:
    scores = cube()
    whole = method(scores, **asked(method))
    for metric in METRICS[:2]:
        alone = method(scores.select(metrics=[metric]), **asked(method))
        if hasattr(whole, "groups"):
            assert alone.groups() == whole.groups(metric)
            assert alone.power()[0] == pytest.approx(whole.power()[whole.metrics.index(metric)])
        else:
            assert dict(alone.ranked())[metric] == pytest.approx(dict(whole.ranked())[metric]), method.path


@pytest.mark.parametrize("method", ALL, ids=method_path)
def test_every_keyword_is_read(method: Method[..., Any]) -> None:
    read = {step.argval for step in dis.get_instructions(method.function) if step.opname.startswith("LOAD_")}
    inner = [const for const in method.function.__code__.co_consts if inspect.iscode(const)]
    read |= {step.argval for code in inner for step in dis.get_instructions(code) if step.opname.startswith("LOAD_")}
    parameters = inspect.signature(method.function).parameters
    assert set(parameters) <= read, (method.path, set(parameters) - read)


SEEN: set[str] = set()


class Watched(PairedTest):
    """A paired test that notes which of its fields are read once it is made."""

    def __post_init__(self, *spelled: Any) -> None:
        super().__post_init__(*spelled)
        object.__setattr__(self, "watched", True)

    def __getattribute__(self, name: str) -> Any:
        if "watched" in object.__getattribute__(self, "__dict__"):
            SEEN.add(name)
        return super().__getattribute__(name)


def records(method: Method[..., Any]) -> list[str]:
    hints = get_type_hints(method.function)
    return [name for name, kind in hints.items() if isinstance(kind, type) and issubclass(kind, Record)]


@pytest.mark.parametrize("method", [method for method in ALL if records(method)], ids=method_path)
def test_every_field_of_a_record_is_read(method: Method[..., Any]) -> None:
    SEEN.clear()
    examples: tuple[dict[str, Any], ...] = (
        {"test": "sign", "band": 0.01},
        {"test": "permutation", "trials": 30, "seed": 1, "compat": True},
        {"test": "sign", "band": 0.01, "correction": "max-t", "trials": 99, "seed": 1},  # of all pairs, for a plan
    )
    for given in examples:
        method.function(**about(method), **asked(method, test=Watched(**given)))
    assert {field.name for field in fields(PairedTest)} <= SEEN, method.path


@pytest.mark.parametrize("method", [method for method in ALL if records(method)], ids=method_path)
def test_a_result_records_what_it_takes_to_repeat_it_and_no_more(method: Method[..., Any]) -> None:
    given = about(method)
    drawn = method(**given, **asked(method, test=PairedTest("max-t"))).provenance()["parameters"]
    assert (drawn["trials"], drawn["seed"]) == (10_000, 0) and "band" not in drawn
    plain = method(**given, **asked(method, test=PairedTest("t"), trials=None)).provenance()["parameters"]
    assert not {"trials", "band"} & set(plain) and ("seed" in plain) == method.traits.draws
    banded = method(**given, **asked(method, test=PairedTest("sign", band=0.01), trials=None)).provenance()
    assert banded["parameters"]["band"] == 0.01


@pytest.mark.parametrize("method", ALL, ids=method_path)
def test_what_a_method_does_not_take_is_refused(method: Method[..., Any]) -> None:
    if method.input_type not in (JudgedRuns, RunsOrScores):  # whose policies are those of scoring
        with pytest.raises(InputError, match="takes no sed"):
            method(**about(method), sed=3)
    with pytest.raises(InputError, match=r"give settings by name|takes no"):
        method(*about(method).values(), 1, 2, 3, nothing=4)


@pytest.mark.parametrize(
    ("method", "setting"),
    [
        pytest.param(m, s, id=f"{m.path}-{s.name}")
        for m in ALL
        for s in m.settings
        if not s.record and "Literal" in str(s.kind)
    ],
)
def test_a_word_that_a_setting_does_not_know_is_refused(method: Method[..., Any], setting: Setting) -> None:
    odd = ["odd"] if get_origin(setting.kind) is tuple else "odd"
    with pytest.raises(InputError, match=f"{setting.name} must be one of .*; found 'odd'"):
        method(**about(method), **asked(method, **{setting.name: odd}))


@pytest.mark.parametrize(
    ("method", "setting"),
    [
        pytest.param(m, s, id=f"{m.path}-{s.name}")
        for m in ALL
        for s in m.settings
        if not s.record and (s.option.low, s.option.high) != (None, None)
    ],
)
def test_a_number_beyond_what_a_setting_allows_is_refused(method: Method[..., Any], setting: Setting) -> None:
    low, high = setting.domain.low, setting.domain.high
    for odd in ([] if low is None else [int(low) - 1]) + ([] if high is None else [int(high) + 1]):
        value = (odd,) if get_origin(setting.kind) is tuple else odd
        with pytest.raises(InputError, match=f"^{setting.name} must be {setting.domain.describe()}; found {odd}"):
            method(**about(method), **asked(method, **{setting.name: value}))


def test_records_are_flattened_and_one_seed_fills_all() -> None:
    flat = METHODS["meta discrimination"](cube(), test="permutation", correction="holm", trials=40, seed=2)
    whole = METHODS["meta discrimination"](cube(), test=PairedTest("permutation", "holm", trials=40, seed=2))
    assert result_json(flat) == result_json(whole) and flat.settings.seed == 2
    assert flat.settings.flat()["correct"] == "holm"


def test_files_are_read_and_named_in_the_settings(tmp_path: Path) -> None:
    teams = {f"s{n}": "us" if n < 3 else "them" for n in range(SYSTEMS)}
    (tmp_path / "teams.tsv").write_text("".join(f"{run}\t{team}\n" for run, team in teams.items()))
    one, other = (
        METHODS["meta discrimination"](cube(), test="t", groups=g) for g in (str(tmp_path / "teams.tsv"), teams)
    )
    assert (one.across == other.across).all() and one.settings.paths() == [str(tmp_path / "teams.tsv")]
    assert one.provenance()["inputs"][0]["sha256"] and not other.settings.paths()
