"""How long the 39 C/W/L/A metrics on TREC-COVID round 1 take, from files to report data, stage by stage.

Run `python benchmarks/cwla_covid.py [FOLDER]`, FOLDER having `qrels.txt` and `runs/`; by default that of ../shared.
Seconds and CPU seconds are shown. Scoring lists that are read and judged already, which is part of reading and scoring,
stands apart: the median of eleven turns.
"""

import statistics
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
    rest |= {"Columns": "scoring.columns", "judged_lists": "judging.scanned", "JudgingPolicy": "judging.policy"}
    rest |= {"parsed_metrics": "scoring.score"}
    found |= {name: getattr(import_module(f"irassay.{module}"), name) for name, module in rest.items()}
    return SimpleNamespace(**found)


def clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def lists_alone(ia: SimpleNamespace, runs: str, qrels: str, metrics: tuple[str, ...]) -> tuple[float, float]:
    columns = ia.Columns(ia.parsed_metrics(metrics))
    turns = []
    for _ in range(11):
        judged = list(ia.judged_lists(runs, qrels, ia.JudgingPolicy(), reach=columns.reach))
        start = clocks()
        for run, found, _ in columns.runs_with_scores(judged):
            columns.scores(run, found)
        turns.append([now - then for then, now in zip(start, clocks(), strict=True)])
    seconds, cpu = map(statistics.median, zip(*turns, strict=True))
    return seconds, cpu


def stages(folder: Path) -> dict[str, tuple[float, float]]:
    taken: dict[str, tuple[float, float]] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        start, begun = clocks()
        made = work()
        now, done = clocks()
        taken[name] = now - start, done - begun
        return made

    ia = timed("import", imported)
    metrics = ia.grid("cwla").metrics
    runs, qrels = str(folder / "runs"), str(folder / "qrels.txt")
    scores = timed("read and score", lambda: ia.score(runs, qrels, metrics))
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
    print(f"{systems} runs x {topics} topics x {kinds} metrics, {JOBS} jobs; seconds, CPU seconds")
    print("{:<45}{:8.3f} {:8.3f}".format("scoring alone, from judged lists", *lists_alone(ia, runs, qrels, metrics)))
    return taken


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    with import_module("irassay.parallel").context(jobs=JOBS):
        taken = stages(folder)
    taken["all"] = tuple(map(sum, zip(*taken.values(), strict=True)))
    for name, (seconds, cpu) in taken.items():
        print(f"{name:<45}{seconds:8.2f} {cpu:8.2f}")


if __name__ == "__main__":
    main()
