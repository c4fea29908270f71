"""Every block function can move to another process: it, its blocks, what they share and its results survive pickling."""

import ast
import pickle
from collections.abc import Callable, Iterator
from functools import cache, wraps
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from typing import Any

import pytest

import irassay
from irassay.assays.assay import assay
from irassay.meta.axioms.method import axioms
from irassay.method import Method
from irassay.parallel import context
from irassay.results import result_json
from irassay.scoring.score import score
from irassay.simulation import simulate
from irassay.stats.paired_test import PairedTest, find_test
from irassay.stats.tests import TESTS
from tests.laws.test_methods import ALL, about, asked, cube, method_path

PACKAGE = Path(irassay.__file__).parent
MAPS = {"map_blocks", "each_block", "sum_blocks"}
SEEN: set[str] = set()


def once(test: Callable[..., None]) -> Callable[..., None]:
    """The test, which passes at once if it has passed before in this process with the same arguments."""
    return wraps(test)(cache(test))


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def through_pickle(function: Callable[[Any, Any], Any], work: list[Any], shared: Any) -> Iterator[Any]:
    """An executor that sends everything as if to another process."""
    SEEN.add(f"{function.__module__}.{function.__qualname__}")
    function, shared = pickled((function, shared))
    for block in work:
        yield pickled(function(pickled(block), shared))


def block_functions() -> dict[str, str]:
    """Every block function in the package by the name under which it is pickled, with the place where it is used."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(("irassay", *path.relative_to(PACKAGE).with_suffix("").parts))
        text = path.read_text()
        if module == "irassay.parallel" or not any(name in text for name in MAPS):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAPS:
                place, name = f"{path.relative_to(PACKAGE)}:{node.lineno}", ast.unparse(node.args[0])
                function = getattr(import_module(module), name, None)
                assert isfunction(function), f"{place}: {name} is not at module level"
                found[f"{function.__module__}.{function.__qualname__}"] = place
    return found


@pytest.mark.parametrize("method", ALL, ids=method_path)
@once
def test_a_method_gives_the_same_result_when_its_blocks_are_pickled(method: Method[..., Any]) -> None:
    given = asked(method) | about(method)
    expected = result_json(method(**given))
    with context(executor=through_pickle):
        assert result_json(method(**given)) == expected


@pytest.mark.parametrize("test", sorted(TESTS))
@once
def test_a_paired_test_gives_the_same_p_values_when_its_blocks_are_pickled(test: str) -> None:
    how = PairedTest(test, trials=1500 if find_test(test).resamples else None)
    expected = how.run(cube().values)[1]
    with context(executor=through_pickle):
        assert how.run(cube().values)[1].tolist() == expected.tolist()


@once
def test_an_assay_and_a_sample_of_rankings_are_the_same_when_their_blocks_are_pickled() -> None:
    collection = simulate(seed=2, topics=8, systems=5)
    metrics = ["AP", "nDCG@10", "P@5", "RBP"]
    expected = (
        result_json(assay(list(collection.runs), collection.qrels, metrics)),
        result_json(axioms(["AP"], depth=12, sample=300)),
    )
    with context(executor=through_pickle):
        found = (
            result_json(assay(list(collection.runs), collection.qrels, metrics)),
            result_json(axioms(["AP"], depth=12, sample=300)),
        )
    assert found == expected


@once
def test_scores_are_the_same_when_their_blocks_are_pickled() -> None:
    """Also by a user model that is followed rank by rank, which has a note on the users left."""
    collection = simulate(seed=2, topics=8, systems=5)
    runs, metrics = list(collection.runs), ["AP", "nDCG@10", "IFT"]
    expected = [result_json(score(runs, collection.qrels, metrics, bounds=bounds)) for bounds in (False, True)]
    with context(executor=through_pickle):
        assert [
            result_json(score(runs, collection.qrels, metrics, bounds=bounds)) for bounds in (False, True)
        ] == expected


@pytest.mark.parametrize("runs", ["several runs", "one long run"])
def test_files_score_the_same_in_blocks_of_few_topics_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: str
) -> None:
    folder = simulate(seed=4, topics=9, systems=4).write(tmp_path / "made")
    paths = sorted((folder / "runs").iterdir())[: None if runs == "several runs" else 1]
    given = paths, folder / "qrels.txt", ["AP", "nDCG@10", "RBP@7", "P(judged_only=True)@5"]
    monkeypatch.setattr("irassay.scoring.batches.ROWS_AT_A_TIME", 2)
    if runs == "one long run":
        monkeypatch.setattr("irassay.io.sources.LONG_SIZE", 1)
    expected, blocks = result_json(score(*given)), list[int]()

    def counted(function: Callable[[Any, Any], Any], work: list[Any], shared: Any) -> Iterator[Any]:
        blocks.append(len(work))
        return through_pickle(function, work, shared)

    with context(executor=counted):
        assert result_json(score(*given)) == expected
    assert sum(blocks) >= 5
    with context(jobs=3):
        assert result_json(score(*given)) == expected


def test_files_are_read_where_they_are_scored(tmp_path: Path) -> None:
    folder = simulate(seed=5, topics=7, systems=3).write(tmp_path / "made")
    given = folder / "runs", folder / "qrels.txt", ["AP", "nDCG@10"]
    expected = result_json(score(*given))
    with context(executor=through_pickle):
        assert result_json(score(*given)) == expected
    assert "irassay.scoring.run_tasks.score_runs" in SEEN


def test_every_block_function_is_at_module_level_and_was_tried(tmp_path: Path) -> None:
    places = block_functions()
    for method in ALL:
        test_a_method_gives_the_same_result_when_its_blocks_are_pickled(method)
    for test in TESTS:
        test_a_paired_test_gives_the_same_p_values_when_its_blocks_are_pickled(test)
    test_an_assay_and_a_sample_of_rankings_are_the_same_when_their_blocks_are_pickled()
    test_scores_are_the_same_when_their_blocks_are_pickled()
    test_files_are_read_where_they_are_scored(tmp_path)
    assert places.keys() <= SEEN, {place for name, place in places.items() if name not in SEEN}
