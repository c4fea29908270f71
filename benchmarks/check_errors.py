"""How often `irassay check` passes a system that lost the tolerance, and one of unchanged quality, by simulation.

    python benchmarks/check_errors.py [--studies 4000]

The tolerance is .005, alpha .05, and the metric's range 1. "symmetric": normal changes. "rare": a share of topics loses
as much as brings the mean to -.005, and all others stay the same. "hidden": the same with noise on every topic; while
the losses are not seen, no rule can tell it from noise alone. "worse": the share of studies in which some of four
metrics, each at -.005, is called worse.
"""

import argparse

import numpy as np

from irassay.meta.check import Check

TOLERANCE = 0.005
Floats = np.ndarray


def checked(change: Floats) -> Check:
    """The check of changes [metric, topic]."""
    metrics, topics = change.shape
    names = tuple(f"m{n}" for n in range(metrics)), "new", "old", tuple(f"t{n}" for n in range(topics))
    values = np.stack([0.5 + change, np.full_like(change, 0.5)])
    return Check(*names, values, (True,) * metrics, np.ones(metrics), False, TOLERANCE, 0.05, "unproven")


def share_passed(change: Floats) -> float:
    """The share of studies [study, topic] that pass."""
    return checked(change).verdicts.count("no worse") / len(change)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=4000)
    studies = parser.parse_args().studies
    rng = np.random.default_rng(1)
    more = np.random.default_rng(2)

    def skewed(n: int) -> Floats:
        sizes = more.exponential(1, (studies, n))
        return sizes * np.where(more.random((studies, n)) < 0.3, -0.1, (0.03 - TOLERANCE) / 0.7)

    cases = {
        "symmetric, sd .02, at -.005": lambda n: rng.normal(-TOLERANCE, 0.02, (studies, n)),
        "symmetric, sd .05, at -.005": lambda n: rng.normal(-TOLERANCE, 0.05, (studies, n)),
        "rare: 1 % lose .5": lambda n: -0.5 * (rng.random((studies, n)) < 0.01),
        "rare: 5 % lose .1": lambda n: -0.1 * (rng.random((studies, n)) < 0.05),
        "rare: .5 % lose 1": lambda n: -1.0 * (rng.random((studies, n)) < 0.005),
        "rare: 5 % lose .1 on average (exponential)": lambda n: (
            -rng.exponential(0.1, (studies, n)) * (rng.random((studies, n)) < 0.05)
        ),
        "hidden: 1 % lose .5, noise of sd .01": lambda n: (
            rng.normal(0, 0.01, (studies, n)) - 0.5 * (rng.random((studies, n)) < 0.01)
        ),
        "unchanged, sd .02": lambda n: rng.normal(0, 0.02, (studies, n)),
        "unchanged, sd .05": lambda n: rng.normal(0, 0.05, (studies, n)),
        "skewed: 30 % lose .1, the others gain, all exponential, at -.005": skewed,
    }
    topics = (25, 50, 200, 600, 1000)
    print("| changes | " + " | ".join(f"{n:,} topics" for n in topics) + " |\n|---|" + "---|" * len(topics))
    for name, draw in cases.items():
        print(f"| {name} | " + " | ".join(f"{100 * share_passed(draw(n)):.1f}" for n in topics) + " |")
    worse = np.mean(["worse" in checked(rng.normal(-TOLERANCE, 0.02, (4, 50))).verdicts for _ in range(studies)])
    print(f"called worse by some of four metrics, 50 topics: {100 * worse:.1f} %")


if __name__ == "__main__":
    main()
