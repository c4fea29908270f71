"""How often the joint test of `meta multiverse` finds a claim significant that is not true.

Run `python benchmarks/multiverse_level.py [STUDIES]`. Two systems are equally good: on each topic they could be
exchanged. Two metrics with another unit each (correlation .6) are scored in several ways: ten of their own, or ten that
nearly repeat one of the first metric. The share of studies with p of at most .05 is shown, and its standard error.
"""

import sys

import numpy as np

from irassay.arrays import Floats
from irassay.meta.multiverse.joint_test import joint_test

TRIALS, LEVEL = 399, 0.05
NEAR = 0.02  # standard deviation of what distinguishes a near-duplicate


def null_differences(rng: np.random.Generator, topics: int, repeated: bool, tail: float) -> Floats:
    """[specification, topic] differences of two systems that could be exchanged, with `tail` degrees of freedom."""
    topic_scale = rng.gamma(2.0, size=topics)  # topics differ in how far systems are apart
    shared = rng.standard_t(tail, size=topics)
    metric = 0.77 * shared + 0.63 * rng.standard_t(tail, size=(2, topics))
    own = rng.standard_t(tail, size=(10, topics))
    ways = metric[0] + NEAR * own if repeated else np.repeat(metric, 5, axis=0) + 0.5 * own
    return topic_scale * np.concatenate([metric * [[1.0], [25.0]], ways])


def main(studies: int = 1000) -> None:
    """Prints one row for each kind of specifications and number of topics."""
    print("| specifications | topics | median t | some specification | every specification |")
    print("|---|---|---|---|---|")
    for repeated, tail in ((False, 50), (True, 50), (True, 3)):
        kind = ("near-duplicates" if repeated else "different") + (", heavy tails" if tail == 3 else "")
        for topics in (10, 25, 50):
            rng, wrong = np.random.default_rng([repeated, tail, topics]), np.zeros(3)
            for _ in range(studies):
                d = null_differences(rng, topics, repeated, tail)
                found = joint_test(d, np.arange(len(d)), TRIALS, int(rng.integers(1 << 30)))
                wrong += np.array([found.median, found.some, found.every]) <= LEVEL
            print(
                f"| {kind} | {topics} | " + " | ".join(f"{share:.1%}" for share in wrong / studies) + " |", flush=True
            )
    print(f"standard error of 5 %: {np.sqrt(LEVEL * (1 - LEVEL) / studies):.1%}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
