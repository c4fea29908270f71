"""How often simultaneous 95 % intervals miss some true difference, by simulation.

    python benchmarks/interval_coverage.py [--repetitions 400] [--jobs 2]

15 systems whose true means are 0, 1 or 5 standard deviations apart. A family misses where any of its 105 intervals does
not hold its true difference: 5 % of families should.
"""

import argparse
from collections.abc import Callable

import numpy as np

from irassay.parallel import context, process_executor, sum_blocks
from irassay.stats.paired_test import PairedTest

SYSTEMS, ALPHA, TRIALS = 15, 0.05, 999
SPACINGS, TOPICS = (0.0, 1.0, 5.0), (10, 25, 50)
Floats = np.ndarray
SCALES = np.linspace(0.5, 2, SYSTEMS)
SHAPES: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "normal, unequal scales": lambda rng, shape: SCALES * rng.normal(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
    "exponential, unequal scales": lambda rng, shape: SCALES * (rng.exponential(size=shape) - 1),
}
NAMES = ("max-t", "bootstrap-max-t", "t, bonferroni")


def repetition(number: int, setting: tuple[str, float, int]) -> Floats:
    """[test] 1 where a family of intervals misses a true difference."""
    shape, spacing, topics = setting
    key = (list(SHAPES).index(shape), SPACINGS.index(spacing), topics, number)
    rng = np.random.default_rng(np.random.SeedSequence(1, spawn_key=key))
    means = spacing * np.arange(SYSTEMS)
    X = rng.normal(size=(topics, 1)) + means + SHAPES[shape](rng, (topics, SYSTEMS))
    missed = []
    for name in NAMES:
        how = PairedTest("t") if name.startswith("t,") else PairedTest(name, trials=TRIALS, seed=number)
        found = how.run(X.T[:, :, None])[0].metric(0)
        low, high = found.interval(1 - ALPHA / len(found.p) if name.startswith("t,") else 1 - ALPHA)
        true = means[found.i] - means[found.j]
        missed.append(float(np.any((true < low) | (true > high))))
    return np.array(missed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    numbers = range(options.repetitions)
    error = 100 * np.sqrt(ALPHA * (1 - ALPHA) / len(numbers))
    print(f"{len(numbers)} repetitions; standard error of a true 5 %: {error:.1f}")
    print(f"families that miss, %, at {' / '.join(map(str, TOPICS))} topics")
    with context(executor=process_executor(options.jobs)):
        for shape in SHAPES:
            for spacing in SPACINGS:
                each = [sum_blocks(repetition, numbers, (shape, spacing, topics)) / len(numbers) for topics in TOPICS]
                cells = [" / ".join(f"{100 * rates[test]:.1f}" for rates in each) for test in range(len(NAMES))]
                said = "   ".join(f"{name} {cell}" for name, cell in zip(NAMES, cells, strict=True))
                print(f"{shape:28} spacing {spacing:g}   {said}", flush=True)


if __name__ == "__main__":
    main()
