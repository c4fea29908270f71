"""Intuitiveness and unanimity against plain loops over nested dictionaries, as the published scripts do it.

Both see the same scores, in one run; the counts must be equal. Ours adds what the loops lack: clustered tests with
10,000 trials and a jackknife, bootstrap intervals with 2,000. Usage: python benchmarks/meta_loops.py [SCORES]
where SCORES is a table with the columns run, iteration and topic, by default TREC Dynamic Domain 2016.
"""

import math
import sys
import time
from collections.abc import Callable
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np

from irassay.meta.intuitiveness import intuitiveness
from irassay.meta.unanimity import unanimity
from irassay.scores import Scores
from irassay.tables import read_iterations

TABLE = Path(__file__).parent.parent / "tests" / "oracles" / "meta" / "dd" / "scores_2016_iterations_1_10.csv.gz"
SIMPLE = ("p", "strec", "ttime")
COMPLEX = ("act", "nct", "nEU", "nsDCG", "alpha-nDCG")

Nested = dict[str, dict[str, dict[str, float]]]  # run, topic, metric


def nested(scores: Scores) -> Nested:
    """The scores by run, topic and metric, without holes."""
    table: Nested = {}
    for s, run in enumerate(scores.systems):
        table[run] = {}
        for t, topic in enumerate(scores.topics):
            if not np.isnan(scores.values[s, t]).any():
                table[run][topic] = dict(zip(scores.metrics, scores.values[s, t].tolist(), strict=True))
    return table


def intuitiveness_loop(table: Nested, first: str, second: str, simple: tuple[str, ...]) -> tuple[int, int, int, int]:
    """Cases, disagreements, and how often each of two metrics was right."""
    total = apart = left = right = 0
    for one, other in combinations(table, 2):
        for topic in table[one]:
            if topic not in table[other]:
                continue
            total += 1
            a, b = table[one][topic], table[other][topic]
            d1, d2 = a[first] - b[first], a[second] - b[second]
            if d1 * d2 < 0:
                apart += 1
                gaps = [a[name] - b[name] for name in simple]
                left += all(d1 * gap > 0 for gap in gaps)
                right += all(d2 * gap > 0 for gap in gaps)
    return total, apart, left, right


def unanimity_loop(table: Nested, metric: str, simple: tuple[str, ...]) -> tuple[float, int, int, float]:
    """m_ij, set_ij, m_set_ij and the bits of one metric."""
    topics = sorted({topic for row in table.values() for topic in row})
    improved, unanimous, together, cases = 0.0, 0, 0, 0
    for one, other in permutations(table, 2):
        for topic in topics:
            cases += 1
            if topic not in table[one] or topic not in table[other]:
                continue
            a, b = table[one][topic], table[other][topic]
            improved += 1 if a[metric] > b[metric] else 0.5 if a[metric] == b[metric] else 0
            unanimous += all(a[name] >= b[name] for name in simple)
            together += all(a[name] >= b[name] for name in (*simple, metric))
    bits = math.log2((together / cases) / ((improved / cases) * (unanimous / cases)))
    return improved, unanimous, together, bits


def timed(call: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """The least time of several calls, and what the last one returned."""
    best, result = math.inf, None
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
    return best, result


def main() -> None:
    scores = read_iterations(sys.argv[1] if len(sys.argv) > 1 else TABLE)["10"].select(metrics=[*COMPLEX, *SIMPLE])
    table = nested(scores)
    runs, topics = len(scores.systems), len(scores.topics)
    print(f"{runs} runs, {topics} topics, simple metrics {', '.join(SIMPLE)}; seconds, the best of some calls")

    two = scores.select(metrics=[*COMPLEX[:2], *SIMPLE])
    slow, counts = timed(lambda: intuitiveness_loop(table, *COMPLEX[:2], SIMPLE), 3)
    fast, found = timed(lambda: intuitiveness(two, SIMPLE), 20)
    at = (0, 0, 0, 1)
    assert counts == (found.cases[at], found.disagreements[at], found.correct[at], found.correct[0, 0, 1, 0])
    print(f"intuitiveness, one pair:      loop {slow:.4f}  ours with tests {fast:.4f}  {slow / fast:.0f} times as fast")

    pairs = list(combinations(COMPLEX, 2))
    slow, every = timed(lambda: [intuitiveness_loop(table, a, b, SIMPLE) for a, b in pairs], 2)
    fast, found = timed(lambda: intuitiveness(scores, SIMPLE), 20)
    for (a, b), counts in zip(pairs, every, strict=True):
        at = (0, 0, COMPLEX.index(a), COMPLEX.index(b))
        assert counts[:3] == (found.cases[at], found.disagreements[at], found.correct[at])
    print(
        f"intuitiveness, {len(pairs)} pairs:      loop {slow:.4f}  ours with tests {fast:.4f}  {slow / fast:.0f} times"
    )

    slow, rows = timed(lambda: [unanimity_loop(table, name, SIMPLE) for name in COMPLEX], 2)
    fast, joined = timed(lambda: unanimity(scores, SIMPLE), 20)
    for m, (improved, unanimous, together, bits) in enumerate(rows):
        at = (0, 0, m)
        assert (improved, unanimous, together) == (joined.improved[at], joined.unanimous[at], joined.together[at])
        assert abs(bits - joined.bits[at]) < 1e-12
    print(
        f"unanimity, {len(COMPLEX)} metrics:         loop {slow:.4f}  ours with intervals {fast:.4f}  {slow / fast:.0f} times"
    )

    sets = [chosen for size in (1, 2, 3) for chosen in combinations(SIMPLE, size)]
    slow, _ = timed(lambda: [unanimity_loop(table, name, chosen) for chosen in sets for name in COMPLEX], 1)
    fast, _ = timed(lambda: unanimity(scores, SIMPLE, simple_sets="all"), 10)
    print(
        f"unanimity, {len(sets)} sets:            loop {slow:.4f}  ours with intervals {fast:.4f}  {slow / fast:.0f} times"
    )
    slow, _ = timed(lambda: [intuitiveness_loop(table, a, b, chosen) for chosen in sets for a, b in pairs], 1)
    fast, _ = timed(lambda: intuitiveness(scores, SIMPLE, simple_sets="all"), 10)
    print(
        f"intuitiveness, {len(sets)} sets:        loop {slow:.4f}  ours with tests {fast:.4f}  {slow / fast:.0f} times"
    )


if __name__ == "__main__":
    main()
