"""How long the 39 C/W/L/A metrics on TREC-COVID round 1 take, from files to report data, stage by stage.

Run `python benchmarks/cwla_covid.py [FOLDER]`, FOLDER having `qrels.txt` and `runs/`; by default that of ../shared.
"""

import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "trec-covid-1"
JOBS = 2


def imported() -> SimpleNamespace:
    named = ("agreement", "consistency", "discrimination", "similarity")
    found = {name: getattr(import_module(f"irassay.meta.{name}"), name) for name in named}
    rest = {"grid": "metrics.grids", "score": "scoring.score", "view_of": "views.view"}
    found |= {name: getattr(import_module(f"irassay.{module}"), name) for name, module in rest.items()}
    return SimpleNamespace(**found)


def stages(folder: Path) -> dict[str, float]:
    taken: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        made = work()
        taken[name] = time.perf_counter() - start
        return made

    ia = timed("import", imported)
    metrics = ia.grid("cwla").metrics
    scores = timed("read and score", lambda: ia.score(str(folder / "runs"), str(folder / "qrels.txt"), metrics))
    results = [
        timed("similarity", lambda: ia.similarity(scores)),
        timed("consistency, B = 1,000", lambda: ia.consistency(scores, splits=1000)),
        timed(
            "discrimination, randomised HSD, B = 10,000",
            lambda: ia.discrimination(scores, test="tukey", trials=10_000),
        ),
        timed("agreement, t", lambda: ia.agreement(scores, test="t")),
    ]
    views = timed("views", lambda: [ia.view_of(result) for result in results])
    timed("charts", lambda: [make().to_dict() for view in views for _, make in view.charts])
    systems, topics, kinds = scores.values.shape
    print(f"{systems} runs x {topics} topics x {kinds} metrics, {JOBS} jobs")
    return taken


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    with import_module("irassay.parallel").context(jobs=JOBS):
        taken = stages(folder)
    for name, seconds in {**taken, "all": sum(taken.values())}.items():
        print(f"{name:<45}{seconds:8.2f} s")


if __name__ == "__main__":
    main()
