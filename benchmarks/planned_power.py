"""Whether plans come true, and whether a family across metrics errs as seldom as it says, by simulation.

    python benchmarks/planned_power.py [--repetitions 1000] [--jobs 2]

"plan": a pilot of 25 topics is planned from, for a difference of .5 standard deviations between two of K systems that
are otherwise equal; then so many new topics are drawn, and the pair is tested among all as planned. "power" is the
share of repetitions that find it, which should be that asked for, .8, with max-t, and somewhat more with step-down;
"topics" the median plan; "covered" the share of pilots whose 95 % interval of topics contains the number that the true
variance needs. "few": the same for larger differences, which take few topics. "union": K equal systems by M metrics
that correlate at .5; the share of families with any significant pair by any metric at 5 %, with the correction within
each metric and across metrics. "model": the variance of a prediction-powered difference by that of the human one,
simulated and as planned with.
"""

import argparse
from dataclasses import dataclass

import numpy as np

from irassay.meta.comparison import compare
from irassay.meta.plan import plan
from irassay.parallel import context, map_blocks
from irassay.scores import Scores
from irassay.stats.power import remaining_variance, topics_for_t
from irassay.stats.prediction_powered import prediction_powered

PILOT, DIFFERENCE = 25, 0.5
Floats = np.ndarray


def scores_of(cube: Floats) -> Scores:
    """Scores [system, topic, metric] under plain names."""
    systems, topics, metrics = cube.shape
    letters = (("s", systems), ("t", topics), ("M", metrics))
    return Scores(cube, *(tuple(f"{kind}{n:04d}" for n in range(count)) for kind, count in letters))


def residuals(rng: np.random.Generator, shape: tuple[int, ...], skewed: bool) -> Floats:
    """Of mean 0 and a variance of 1/2, so that a difference has 1."""
    return (rng.exponential(size=shape) - 1 if skewed else rng.normal(size=shape)) * np.sqrt(0.5)


@dataclass(frozen=True)
class Setting:
    """What is planned for."""

    systems: int
    test: str
    skewed: bool
    difference: float = DIFFERENCE
    alternative: str = "two-sided"


def planned(seed: int, setting: Setting) -> tuple[int, bool, bool]:
    """The topics planned, whether the difference was found, and whether the interval holds the true number."""
    rng = np.random.default_rng(seed)
    systems, skewed, difference = setting.systems, setting.skewed, setting.difference
    how = {"test": setting.test, "trials": 999, "seed": seed, "alternative": setting.alternative}
    pilot = plan(scores_of(residuals(rng, (systems, PILOT, 1), skewed)), difference=difference, **how)
    need, low, high = (int(n[0]) for n in pilot.family_topics())
    cube = residuals(rng, (systems, need, 1), skewed)
    cube[0] += difference
    found = compare(scores_of(cube), **how).by()
    true = topics_for_t(difference, 0.5, alpha=float(pilot.level[0]))
    return need, bool(found.significant[0]), low <= true <= high


def union(seed: int, setting: tuple[int, int, int, str]) -> tuple[bool, bool]:
    """Whether any pair by any metric came out significant: corrected within metrics, and across them."""
    systems, metrics, topics, test = setting
    rng = np.random.default_rng(seed)
    cube = rng.normal(size=(systems, topics, 1)) + rng.normal(size=(systems, topics, metrics))
    given = {"test": "t", "correction": "holm"} if test == "t, holm" else {"test": test, "trials": 999, "seed": seed}
    found = (compare(scores_of(cube), across_metrics=across, **given) for across in (False, True))
    within, across = (any(one.significant.any() for one in each.by_metric) for each in found)
    return within, across


def model(seed: int, human: int, further: int, correlation: float) -> float:
    """A difference of two systems by human and model scores together, whose truth is 0."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(2, human + further))
    judged = correlation * truth + np.sqrt(1 - correlation**2) * rng.normal(size=truth.shape)
    pair = np.array([0]), np.array([1])
    given = truth[:, :human], judged[:, :human], judged[:, human:]
    return float(prediction_powered(*given, *pair, trials=9).difference[0])


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--repetitions", type=int, default=1000)
    asked.add_argument("--jobs", type=int, default=2)
    given = asked.parse_args()
    seeds = list(range(given.repetitions))
    with context(jobs=given.jobs):
        for systems in (2, 5, 15):
            for test in ("max-t", "max-t-stepdown"):
                for skewed in (False, True):
                    made = map_blocks(planned, seeds, Setting(systems, test, skewed))
                    need, found, held = (np.array(each) for each in zip(*made, strict=True))
                    shape = "exponential" if skewed else "normal"
                    print(
                        f"plan   {systems:2} systems, {test:15} {shape:11}: topics {np.median(need):4.0f}, "
                        f"power {found.mean():.3f}, covered {held.mean():.3f}",
                        flush=True,
                    )
            for difference in (0.8, 1.2, 1.6, 2.2, 3.0, 5.0):
                for way in ("two-sided", "greater"):
                    made = map_blocks(planned, seeds, Setting(systems, "max-t", False, difference, way))
                    need, found, _ = (np.array(each) for each in zip(*made, strict=True))
                    print(
                        f"few    {systems:2} systems, difference {difference:g}, {way:9}: "
                        f"topics {np.median(need):4.0f}, power {found.mean():.3f}",
                        flush=True,
                    )
        for systems, metrics, topics in ((5, 2, 25), (5, 5, 25)):
            for test in ("max-t", "max-t-stepdown", "t, holm"):
                made = map_blocks(union, seeds, (systems, metrics, topics, test))
                within, across = np.array(made).mean(axis=0)
                print(
                    f"union  {systems:2} systems, {metrics} metrics, {topics} topics, {test:15}: "
                    f"within {within:.3f}, across {across:.3f}",
                    flush=True,
                )
    for human, further in ((25, 100), (50, 50), (50, 500)):
        for correlation in (0.5, 0.8):
            found = [model(seed, human, further, correlation) for seed in range(4 * given.repetitions)]
            told = remaining_variance(correlation, 1.0, human, further)
            print(
                f"model  {human} and {further} topics, correlation {correlation}: "
                f"simulated {np.var(found) * human / 2:.3f}, planned {told:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
