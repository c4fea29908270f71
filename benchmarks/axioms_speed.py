"""Times the three axioms of albahem2018 over every short ranking, against a plain loop over rankings.

    python benchmarks/axioms_speed.py [--deep]

The loop scores each ranking with a few lines of plain Python and looks its relations up by string; both must count
the same violations. The second line is irassay with 20 metrics. With --deep, all 2.4 million rankings of up to 13
results follow, in a process of its own whose largest memory is shown.
"""

import argparse
import itertools
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from irassay.meta.axioms.method import axioms
from irassay.parallel import context

DEPTH = 10
TWENTY = ["ACT", "AP_IA", "CT", "nCT", "RR", "P@5", "P@10", "nDCG@5", "nDCG@10", "AP", "StRecall@10", "P_IA@10"]
TWENTY += ["ERR_IA@10", "nERR_IA@10", "alpha_DCG@10", "alpha_nDCG@5", "alpha_nDCG@10", "NRBP", "nNRBP", "RBU"]


def act(ranking: str) -> float:
    seen, gain, total = {"a": 0, "b": 0}, 0.0, 0.0
    for letter in ranking:
        if letter != "x":
            seen[letter] += 1
            gain += 0.5 ** seen[letter] / 10
        total += gain
    return total / len(ranking) if ranking else 0.0


def ap_ia(ranking: str) -> float:
    seen, total = {"a": 0, "b": 0}, 0.0
    for rank, letter in enumerate(ranking, start=1):
        if letter != "x":
            seen[letter] += 1
            total += seen[letter] / rank
    return total / (2 * DEPTH)


def rr(ranking: str) -> float:
    return next((1 / rank for rank, letter in enumerate(ranking, start=1) if letter != "x"), 0.0)


def p10(ranking: str) -> float:
    return sum(letter != "x" for letter in ranking[:10]) / 10


PLAIN: dict[str, Callable[[str], float]] = {"ACT": act, "AP_IA": ap_ia, "RR": rr, "P@10": p10}


def pairs(ranking: str) -> Iterator[tuple[str, str]]:
    yield ranking, ranking + "a"
    yield ranking, ranking + "b"
    yield ranking + "x", ranking
    if ("a" in ranking) != ("b" in ranking):
        seen, new = "ab" if "a" in ranking else "ba"
        yield ranking + seen, ranking + new


def plain_loop() -> dict[str, int]:
    rankings = ["".join(s) for n in range(1, DEPTH + 1) for s in itertools.product("abx", repeat=n)]
    broken = {}
    for name, score in PLAIN.items():
        scores = {ranking: score(ranking) for ranking in rankings}
        below = (pair for ranking in rankings if len(ranking) < DEPTH for pair in pairs(ranking))
        broken[name] = sum(scores[worse] > scores[better] + 1e-12 for worse, better in below)
    return broken


def ours(metrics: list[str], depth: int, jobs: int = 1) -> dict[str, int]:
    with context(jobs=jobs):
        found = axioms(metrics, depth=depth)
    return dict(zip(found.metrics, found.violations[:, :, 0].sum(axis=1).tolist(), strict=True))


def timed(work: Callable[[], dict[str, int]]) -> tuple[float, dict[str, int]]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--deep", action="store_true", help="all rankings of up to 13 results too")
    options.add_argument("--only-deep", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.only_deep:
        seconds, _ = timed(lambda: ours(TWENTY, 13, jobs=2))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"irassay, 20 metrics, 2,391,484 rankings, 2 jobs: {seconds:.1f} s, {memory:.2f} GiB")
        return
    ours(["P@10"], 3)  # imports
    slow, expected = timed(plain_loop)
    fast, found = timed(lambda: ours(list(PLAIN), DEPTH))
    assert found == expected, (found, expected)
    print(f"plain loop, {len(PLAIN)} metrics, 88,573 rankings: {slow:.2f} s")
    print(f"irassay, the same with what follows: {fast:.2f} s ({slow / fast:.0f} times as fast)")
    print(f"irassay, 20 metrics: {timed(lambda: ours(TWENTY, DEPTH))[0]:.2f} s")
    if given.deep:
        subprocess.run([sys.executable, __file__, "--only-deep"], check=True)


if __name__ == "__main__":
    main()
