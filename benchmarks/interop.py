"""Times ir_measures and PyTerrier alone and inside `prefer()`, on runs as data frames, records and dicts.

    python benchmarks/interop.py [--topics 1000] [--depth 1000]

Both must give the same numbers to 1e-9. The shorter of two runs counts.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np


def collection(topics: int, depth: int) -> dict[str, tuple[Any, Any]]:
    """Judgements and a run in each form that ir_measures takes, with 100 judged documents for each topic."""
    import ir_measures
    import pandas as pd

    rng = np.random.default_rng(0)

    def by_document(names: Any, values: Any) -> dict[str, Any]:
        return {f"d{i}": value for i, value in zip(names.tolist(), values.tolist(), strict=True)}

    qrels, run = {}, {}
    for t in range(topics):
        qrels[f"q{t}"] = by_document(rng.choice(2 * depth, 100, replace=False), rng.integers(0, 4, 100))
        run[f"q{t}"] = by_document(rng.choice(2 * depth, depth, replace=False), rng.random(depth).round(4))
    rows = [[(t, d, v) for t, docs in data.items() for d, v in docs.items()] for data in (qrels, run)]
    records = [ir_measures.Qrel(*row) for row in rows[0]], [ir_measures.ScoredDoc(*row) for row in rows[1]]
    frames = (
        pd.DataFrame(rows[0], columns=["query_id", "doc_id", "relevance"]),
        pd.DataFrame(rows[1], columns=["query_id", "doc_id", "score"]),
    )
    return {"data frames": frames, "records": records, "dicts": (qrels, run)}


def seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    times = []
    for _ in range(2):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--topics", type=int, default=1000)
    options.add_argument("--depth", type=int, default=1000)
    given = options.parse_args()
    warnings.simplefilter("ignore")
    import ir_measures
    import pyterrier as pt

    from irassay.interop.ir_measures import prefer

    measures = [
        ir_measures.parse_measure(text) for text in ("nDCG@10", "AP", "P@10", "RR", "R@100", "RR@10", "Judged@10")
    ]
    print(f"{len(measures)} measures, {given.topics} topics, {given.depth} results each")
    forms = collection(given.topics, given.depth)
    calls = {name: lambda form=form: ir_measures.calc_aggregate(measures, *form) for name, form in forms.items()}
    qrels, run = (frame.rename(columns=pt_names()) for frame in forms["data frames"])
    topics = qrels[["qid"]].drop_duplicates().assign(query="a")
    settings = {"dataframe": False, "names": ["run"], "validate": "ignore"}
    calls["pt.Experiment"] = lambda: pt.Experiment([run], topics, qrels, measures, **settings)["run"]
    for name, call in calls.items():
        theirs, expected = seconds(call)
        with prefer():
            ours, found = seconds(call)
        expected, found = ({str(k): v for k, v in each.items()} for each in (expected, found))
        furthest = max(abs(expected[each] - found[each]) for each in expected)
        assert furthest < 1e-9
        gain = f"{theirs / ours:.1f} times as fast"
        print(f"{name:14} {theirs:7.2f} s, with prefer() {ours:6.2f} s: {gain} (largest difference {furthest:.0e})")


def pt_names() -> dict[str, str]:
    """The names of columns in PyTerrier."""
    return {"query_id": "qid", "doc_id": "docno", "relevance": "label"}


if __name__ == "__main__":
    main()
