"""All pairs of 129 systems on 50 topics: this package against loops over scipy, in one run.

    python benchmarks/stats_peers.py

Scores are simulated with the size of TREC-8. Each of our times is the median of several runs, a peer's is of
one run over all pairs; scipy's permutation test is timed on some pairs and scaled to all, and its randomised
HSD is given the faster of two batch sizes.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import stats

from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_test import PairedTest

TOPICS, SYSTEMS, METRICS, TRIALS, SOME = 50, 129, 40, 10_000, 40


def pvalues_many(cube: np.ndarray, test: str, trials: int | None = None) -> PairTests:
    """The test of every pair by scores [system, topic, metric]."""
    return PairedTest(test, trials=trials).run(cube)[0]


def pvalues(X: np.ndarray, test: str, trials: int | None = None) -> PairTests:
    """The test of every pair by scores [topic, system]."""
    return pvalues_many(X.T[:, :, None], test, trials)


def simulated(seed: int) -> np.ndarray:
    """[system, topic, metric] scores between 0 and 1 with topic and system effects, to four digits."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(scale=0.5, size=(SYSTEMS, 1, 1))
    difficulty = rng.normal(scale=1.2, size=(1, TOPICS, 1))
    shared = rng.normal(scale=0.7, size=(SYSTEMS, TOPICS, 1))
    own = rng.normal(scale=0.4, size=(SYSTEMS, TOPICS, METRICS))
    return (1 / (1 + np.exp(1 - ability - difficulty - shared - own))).round(4)


def seconds(work: Callable[[], object], times: int = 1) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def hsd_by_scipy(X: np.ndarray, batch: int | None) -> None:
    def spread(*columns: np.ndarray, axis: int) -> np.ndarray:
        means = np.stack([column.mean(axis=axis) for column in columns])
        return np.ptp(means, axis=0)

    stats.permutation_test(
        list(X.T), spread, permutation_type="samples", alternative="greater", n_resamples=TRIALS, batch=batch
    )


def mean_difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
    return np.mean(x - y, axis=axis)


def main() -> None:
    cube = simulated(1)
    X = np.ascontiguousarray(cube[:, :, 0].T)  # [topic, system]
    pairs = [(i, j) for i in range(SYSTEMS) for j in range(i + 1, SYSTEMS)]
    some = [pairs[n] for n in np.random.default_rng(0).choice(len(pairs), SOME, replace=False)]
    rows: list[tuple[str, float, float]] = []  # what, our seconds, the peer's

    loop_t = seconds(lambda: [stats.ttest_rel(X[:, i], X[:, j]).pvalue for i, j in pairs])
    rows.append(("paired t, scipy in a loop", seconds(lambda: pvalues(X, "t"), 21), loop_t))
    wide = X[:, [i for i, _ in pairs]] - X[:, [j for _, j in pairs]]
    once_t = seconds(lambda: stats.ttest_1samp(wide, 0.0))
    rows.append(("paired t, scipy along an axis", seconds(lambda: pvalues(X, "t"), 21), once_t))

    def wilcoxon_loop() -> list[float]:
        gaps = ((X[:, i] - X[:, j]).round(10) for i, j in pairs)
        return [stats.wilcoxon(gap, method="asymptotic").pvalue for gap in gaps]

    loop_w = seconds(wilcoxon_loop)
    rows.append(("Wilcoxon, scipy in a loop", seconds(lambda: pvalues(X, "wilcoxon"), 11), loop_w))

    def permutation_loop() -> None:
        for i, j in some:
            stats.permutation_test(
                (X[:, i], X[:, j]),
                mean_difference,
                permutation_type="samples",
                vectorized=True,
                n_resamples=TRIALS,
            )

    loop_p = seconds(permutation_loop) * len(pairs) / SOME
    ours_p = seconds(lambda: pvalues(X, "permutation", trials=TRIALS), 5)
    rows.append((f"sign flips, B = {TRIALS:,}, scipy's permutation_test (scaled from {SOME} pairs)", ours_p, loop_p))

    scipy_hsd = min(seconds(partial(hsd_by_scipy, X, batch)) for batch in (None, 100))
    one = seconds(lambda: pvalues(X, "tukey", trials=TRIALS), 5)
    rows.append((f"randomised HSD, B = {TRIALS:,}, scipy's permutation_test", one, scipy_hsd))
    many = seconds(lambda: pvalues_many(cube, "tukey", trials=TRIALS))
    tables = [np.ascontiguousarray(cube[:, :, m].T) for m in range(METRICS)]
    singles = seconds(lambda: [pvalues(table, "tukey", trials=TRIALS) for table in tables])
    rows.append((f"randomised HSD of {METRICS} metrics, against {METRICS} single runs", many, singles))

    print(f"{SYSTEMS} systems × {TOPICS} topics, all {len(pairs):,} pairs.\n")
    print("| | ours, s | peer, s | times |\n|---|---|---|---|")
    for what, ours, peer in rows:
        print(f"| {what} | {ours:.2g} | {peer:.3g} | {peer / ours:,.{int(peer < 20 * ours)}f} |")
    print("\nOurs alone, one metric")
    for name in ("max-t", "max-t-stepdown", "bootstrap", "bootstrap-shift", "anova-tukey", "sign"):
        print(f"{name:46}{seconds(partial(pvalues, X, name, trials=TRIALS), 5):10.4f}")


if __name__ == "__main__":
    main()
