"""Intuitiveness and unanimity against plain loops that do the work of the published scripts, in one run.

    python benchmarks/meta_loops.py

The scripts of albahem2019 keep scores as text in nested dictionaries, turn them into numbers at each use, and visit
every case for every two metrics (intuitiveness), or three times for every metric (unanimity); so do the loops here.
Both sides see TREC Dynamic Domain 2016 after ten iterations, and their counts must be equal. Ours does more: sign
flips of topics (10,000), the jackknife over runs and topics, and bootstrap intervals (2,000). Times are the best of
several calls.
"""

import math
import time
from collections.abc import Callable
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np

from irassay.io.tables import read_iterations
from irassay.meta.intuitiveness import intuitiveness
from irassay.meta.unanimity import unanimity
from irassay.scores import Scores

TABLE = Path(__file__).parent.parent / "tests" / "oracles" / "meta" / "dd" / "scores_2016_iterations_1_10.csv.gz"
SIMPLE = ("p", "strec", "ttime")
METRICS = ("act", "nct", "nEU", "nsDCG", "alpha-nDCG", "nERR-IA", "rbu_0.990_0.050")
SETS = [chosen for size in (1, 2, 3) for chosen in combinations(SIMPLE, size)]

Nested = dict[str, dict[str, dict[str, Any]]]  # run, topic, metric


def nested(scores: Scores, kind: Callable[[float], Any]) -> Nested:
    """The scores by run, topic and metric, as text or as numbers, without holes."""
    table: Nested = {}
    for s, run in enumerate(scores.systems):
        table[run] = {}
        for t, topic in enumerate(scores.topics):
            if not np.isnan(scores.values[s, t]).any():
                row = map(kind, scores.values[s, t].tolist())
                table[run][topic] = dict(zip(scores.metrics, row, strict=True))
    return table


def intuitiveness_loop(table: Nested, first: str, second: str, simple: tuple[str, ...]) -> tuple[int, int, int, int]:
    """Cases, disagreements, and how often each of two metrics was right."""
    topics = sorted({topic for row in table.values() for topic in row})
    total = apart = left = right = wrong = 0
    for one, other in combinations(table, 2):
        for topic in topics:
            if topic not in table[one] or topic not in table[other]:
                continue
            total += 1
            d1 = float(table[one][topic][first]) - float(table[other][topic][first])
            d2 = float(table[one][topic][second]) - float(table[other][topic][second])
            gaps = [float(table[one][topic][name]) - float(table[other][topic][name]) for name in simple]
            if d1 * d2 < 0:
                apart += 1
                left += all(d1 * gap > 0 for gap in gaps)
                right += all(d2 * gap > 0 for gap in gaps)
            else:
                wrong += not all(d1 * gap >= 0 for gap in gaps)
                wrong += not all(d2 * gap >= 0 for gap in gaps)
    return total, apart, left, right


def unanimity_loop(table: Nested, metric: str, simple: tuple[str, ...]) -> tuple[float, int, int, float]:
    """m_ij, set_ij, m_set_ij and the bits of one metric, each counted in a pass of its own."""
    topics = sorted({topic for row in table.values() for topic in row})
    cases = [
        (table[one][topic], table[other][topic])
        for one, other in permutations(table, 2)
        for topic in topics
        if topic in table[one] and topic in table[other]
    ]
    nominal = len(table) * (len(table) - 1) * len(topics)
    improved = sum(1 if a[metric] > b[metric] else 0.5 if a[metric] == b[metric] else 0 for a, b in cases)
    unanimous = sum(all(a[name] >= b[name] for name in simple) for a, b in cases)
    together = sum(all(a[name] >= b[name] for name in (metric, *simple)) for a, b in cases)
    bits = math.log2((together / nominal) / ((improved / nominal) * (unanimous / nominal)))
    return improved, unanimous, together, bits


def timed(call: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """The least time of several calls, and what the last one returned."""
    best, result = math.inf, None
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
    return best, result


def printed(name: str, slow: float, fast: float) -> None:
    print(f"| {name} | {slow:.2g} | {fast:.2g} | {slow / fast:.0f} |", flush=True)


def main() -> None:
    scores = read_iterations(TABLE)["10"].select(metrics=[*METRICS, *SIMPLE])
    text, numbers = nested(scores, repr), nested(scores, float)
    print(f"{len(scores.systems)} runs × {len(scores.topics)} topics.\n")
    print("| | loop, s | ours, s | times |\n|---|---|---|---|")

    slow, counts = timed(lambda: intuitiveness_loop(text, "act", "nct", SIMPLE), 3)
    two = scores.select(metrics=["act", "nct", *SIMPLE])
    fast, found = timed(lambda: intuitiveness(two, simple=SIMPLE), 30)
    assert counts == (
        11_090,
        *(int(n) for n in (found.disagreements[0, 0, 0, 1], *found.correct[0, 0][[0, 1], [1, 0]])),
    )
    printed("intuitiveness, two metrics, one set", slow, fast)

    pairs = list(combinations(range(len(METRICS)), 2))
    for name, sets in (("one set", [SIMPLE]), ("seven sets", SETS)):
        slow, every = timed(
            lambda s=sets: [intuitiveness_loop(text, METRICS[a], METRICS[b], q) for q in s for a, b in pairs], 1
        )
        fast, found = timed(lambda s=sets: intuitiveness(scores, simple=SIMPLE, simple_sets=s), 20)
        places = [(0, s, a, b) for s in range(len(sets)) for a, b in pairs]
        for (c, s, a, b), counts in zip(places, every, strict=True):
            ours = (found.disagreements[c, s, a, b], found.correct[c, s, a, b], found.correct[c, s, b, a])
            assert counts[1:] == tuple(map(int, ours))
        printed(f"intuitiveness, seven metrics, {name}", slow, fast)

    for name, metrics, sets in (
        ("five metrics, one set", METRICS[:5], [SIMPLE]),
        ("seven metrics, seven sets", METRICS, SETS),
    ):
        slow, every = timed(lambda m=metrics, s=sets: [unanimity_loop(numbers, k, q) for q in s for k in m], 1)
        fast, joined = timed(lambda m=metrics, s=sets: unanimity(scores, simple=SIMPLE, tested=m, simple_sets=s), 20)
        places = [(0, s, m) for s in range(len(sets)) for m in range(len(metrics))]
        for at, (improved, unanimous, together, bits) in zip(places, every, strict=True):
            assert (improved, unanimous, together) == (joined.improved[at], joined.unanimous[at], joined.together[at])
            assert abs(bits - joined.bits[at]) < 1e-12
        printed(f"unanimity, {name}", slow, fast)


if __name__ == "__main__":
    main()
