"""Eight threads that use the library at once get what they would get one after another."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import irassay as ia
from irassay.parallel import context
from irassay.simulation import simulate
from irassay.views.formats import view_text
from irassay.views.theme import themed_spec

THREADS = 8
METRICS = ["AP", "nDCG@10", "RBP(p=0.8)", "alpha_nDCG@10", "ERR_IA", "P@5", "recip_rank", "INST(T=2.25,A='MAX')"]


def answers(n: int) -> str:
    """What one thread asks: scores, a comparison, an explanation, axioms and a chart, as text."""
    collection = simulate(seed=n % 2 + 1, topics=6, systems=4)
    runs, metric = list(collection.runs), METRICS[n]
    with context(jobs=n % 3 + 1):
        scores = ia.score(runs, collection.diversity_qrels, [metric, "RR"])
        compared = ia.compare(scores, trials=600)
        found = [scores, compared, ia.explain(metric), ia.axioms([metric], depth=3), ia.metrics("DCG")]
        charts = [json.dumps(themed_spec(make())) for _, make in compared.view().charts]
    return "\n".join([*(view_text(each.view(), "json") for each in found), *charts])


def each_answer(threads: int) -> list[str]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(answers, range(THREADS)))


def test_eight_threads_get_the_same_bytes_as_one() -> None:
    expected = each_answer(1)
    assert len(set(expected)) == THREADS
    assert each_answer(THREADS) == expected


def test_eight_threads_can_be_the_first_to_import_and_to_ask() -> None:
    asks = "from tests.laws.test_threads import each_answer; import sys; sys.stdout.write(chr(0).join(each_answer(8)))"
    done = subprocess.run(
        [sys.executable, "-c", asks], capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\0") == each_answer(1)


def test_altair_checks_its_charts_again_after_the_last_thread_has_drawn() -> None:
    from altair.utils import schemapi

    from irassay.views.altair import without_validation

    before = schemapi.DEBUG_MODE
    first, second = without_validation(), without_validation()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert schemapi.DEBUG_MODE is False
    second.__exit__(None, None, None)
    assert schemapi.DEBUG_MODE is before


@pytest.mark.usefixtures("forgotten")
def test_metrics_that_change_the_working_folder_in_threads_leave_it_as_it_was(tmp_path: Path) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def wandering(name: str, then: Callable[[], object]) -> None:
        @ia.metric(name)
        def score(r):  # type: ignore[no-untyped-def]
            """Goes elsewhere."""
            os.chdir(tmp_path)
            then()
            return r.gain.sum(axis=1)

    wandering("Earlier", lambda: (begun.set(), may_end.wait(60)))
    wandering("Later", lambda: begun.wait(60))
    before = Path.cwd()
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(ia.score, {"a": {"1": {"x": 1.0}}}, {"1": {"x": 1}}, [m]) for m in ("Earlier", "Later")]
        asked[1].result()
        may_end.set()
        asked[0].result()
    assert Path.cwd() == before
