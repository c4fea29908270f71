"""How often intervals of the reliability methods hold what they should, and their tests err, by simulation.

    python benchmarks/reliability.py [--repetitions 400] [PART …]

Scores are system + topic + residual effects, of known size. An interval is right where it holds the value of a very
large sample (of topics, and of systems where these are a sample too): 95 % should be. A test is right where it finds no
difference that is not there: in 95 %. docs/verification.md has what this printed.
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from irassay.io.click_logs import ClickLog
from irassay.meta.consistency import consistency
from irassay.meta.effort import effort
from irassay.meta.generalizability import generalizability
from irassay.meta.intuitiveness import intuitiveness
from irassay.meta.preference import Choices, preference
from irassay.meta.similarity import similarity
from irassay.meta.unanimity import unanimity
from irassay.scores import Scores
from irassay.stats.power import power_of_t, topics_for_anova, topics_for_t, topics_for_width

TOPICS = (10, 25, 50)
Floats = np.ndarray
Row = tuple[str, str, Floats]  # what is claimed, the setting, [repetition] whether it held


def scores_of(values: Floats, *metrics: str) -> Scores:
    """Scores of values [system, topic, metric]."""
    names = (tuple(map(str, range(n))) for n in values.shape[:2])
    return Scores(values, *names, metrics or tuple(f"m{n}" for n in range(values.shape[2])))


def effects(rng: np.random.Generator, shape: tuple[int, ...], skewed: bool) -> Floats:
    return rng.exponential(size=shape) - 1 if skewed else rng.normal(size=shape)


def generalizability_part(repetitions: int) -> Iterator[Row]:
    """Every repetition is a metric of its own."""
    for skewed in (False, True):
        for systems in (10, 30):
            for topics in TOPICS:
                rng = np.random.default_rng([1, systems, topics, skewed])
                parts = (0.5, 1.0, 1.0)  # standard deviations of systems, topics and the rest
                shapes = ((systems, 1, repetitions), (1, topics, repetitions), (systems, topics, repetitions))
                values = sum(sd * effects(rng, shape, skewed) for sd, shape in zip(parts, shapes, strict=True))
                found = generalizability(scores_of(np.asarray(values)))
                where = f"{'skewed' if skewed else 'normal'}, {systems} systems, {topics} topics"
                true = 0.25 / (0.25 + 1 / topics), 0.25 / (0.25 + 2 / topics)
                for name, ends, value in zip(
                    ("E rho²", "Phi"), (found.interval(), found.absolute_interval()), true, strict=True
                ):
                    yield f"95 % interval of {name} holds it", where, (ends[0] <= value) & (value <= ends[1])


def correlated(rng: np.random.Generator, level: Floats, topics: int, shared: float) -> Floats:
    """[system, topic, metric] of two metrics, whose residuals share a part of their variance."""
    shape = (len(level), topics, 2)
    both, own = rng.normal(size=(*shape[:2], 1)), rng.normal(size=shape)
    return level[:, None] + np.sqrt(shared) * both + np.sqrt(1 - shared) * own


def similarity_part(repetitions: int) -> Iterator[Row]:
    """The value is the mean tau over samples of so many topics; systems stay the same."""
    for systems, spread in ((10, 0.5), (30, 0.5), (30, 0.1)):
        for topics in TOPICS:
            rng = np.random.default_rng([2, systems, topics, int(10 * spread)])
            level = spread * (rng.normal(size=(systems, 1)) + 0.3 * rng.normal(size=(systems, 2)))
            found = [similarity(scores_of(correlated(rng, level, topics, 0.5))) for _ in range(repetitions)]
            true = np.mean([each.tau[0, 1] for each in found])
            ends = np.array([[end[0, 1] for end in each.interval()] for each in found])
            where = f"{systems} systems (sd of means {spread:g}), {topics} topics"
            yield "95 % interval of tau over topics holds it", where, (ends[:, 0] <= true) & (true <= ends[:, 1])


def consistency_part(repetitions: int) -> Iterator[Row]:
    """The value is the mean over samples of so many topics; systems stay the same."""
    for systems, spread in ((10, 0.5), (30, 0.5), (30, 0.1)):
        for topics in TOPICS:
            rng = np.random.default_rng([3, systems, topics, int(10 * spread)])
            level = spread * rng.normal(size=(systems, 1, 1))
            found = [
                consistency(scores_of(level + rng.normal(size=(systems, topics, 1))), splits=200)
                for _ in range(repetitions)
            ]
            true = np.mean([each.mean[0] for each in found])
            ends = np.array([[end[0] for end in each.interval()] for each in found])
            where = f"{systems} systems (sd of means {spread:g}), {topics} topics"
            yield "95 % interval of the mean tau of halves holds it", where, (ends[:, 0] <= true) & (true <= ends[:, 1])


def three(rng: np.random.Generator, systems: int, topics: int, own: float) -> Scores:
    """Two metrics that follow a simple one equally well; what they get wrong may go together by system, too."""
    simple = rng.normal(size=(systems, 1)) + rng.normal(size=(systems, topics))
    by_topic, by_system = rng.normal(size=(2, systems, topics)), own * rng.normal(size=(2, systems, 1))
    return scores_of(
        np.stack([simple + by_topic[0] + by_system[0], simple + by_topic[1] + by_system[1], simple], axis=2)
    )


def intuitiveness_part(repetitions: int) -> Iterator[Row]:
    """The two metrics are equally right, so that a test should find a difference in 5 %."""
    tests = {"topics": "sign flips by topic", "runs": "jackknife", "binomial": "sign test, as published"}
    for own, errors in ((0.0, "errors by topic"), (0.5, "errors by system too")):
        for systems, topics in ((10, 10), (10, 25), (20, 25), (20, 50)):
            rng = np.random.default_rng([4, systems, topics, int(own > 0)])
            samples = (three(rng, systems, topics, own) for _ in range(repetitions))
            found = [intuitiveness(scores, simple=("m2",), trials=999) for scores in samples]
            for test, name in tests.items():
                held = np.array([each.p(test)[0, 0, 0, 1] >= 0.05 for each in found])
                yield f"no false difference by {name}", f"{systems} systems, {topics} topics, {errors}", held


def unanimity_part(repetitions: int) -> Iterator[Row]:
    for systems, topics in ((10, 10), (10, 25), (20, 25), (20, 50)):
        for how, fixed in (("bootstrap", True), ("jackknife", False)):
            rng = np.random.default_rng([5, systems, topics, fixed])
            ability = rng.normal(size=(systems, 1)) if fixed else None
            true = unanimity_of(rng, systems, ability)
            found = []
            for _ in range(repetitions):
                scores = follower(rng, systems, topics, ability)
                found.append(
                    unanimity(scores, simple=("m1",), interval=how, trials=None if how == "jackknife" else 999)
                )
            where = f"{systems} systems {'as they are' if fixed else 'drawn anew'}, {topics} topics"
            for name, value in (("bits", true[0]), ("gamma", true[1])):
                low, high = (
                    np.array([getattr(each, f"{name}_{end}")[0, 0, 0] for each in found]) for end in ("low", "high")
                )
                yield f"95 % interval of {name} by {how} holds it", where, (low <= value) & (value <= high)


def follower(rng: np.random.Generator, systems: int, topics: int, ability: Floats | None) -> Scores:
    """A metric that follows a simple one, with errors of its own on every topic."""
    level = rng.normal(size=(systems, 1)) if ability is None else ability
    simple = level + rng.normal(size=(systems, topics))
    return scores_of(np.stack([simple + rng.normal(size=simple.shape), simple], axis=2))


def unanimity_of(rng: np.random.Generator, systems: int, ability: Floats | None) -> tuple[float, float]:
    """The bits and gamma of a large sample: many topics, and where systems are drawn, many draws of them."""
    drawn = [
        unanimity(follower(rng, systems, 4000 if ability is not None else 20, ability), simple=("m1",), trials=1)
        for _ in range(5 if ability is not None else 1000)
    ]
    return float(np.mean([each.bits[0, 0, 0] for each in drawn])), float(
        np.mean([each.gamma[0, 0, 0] for each in drawn])
    )


def preference_part(repetitions: int) -> Iterator[Row]:
    """Choices of one topic go together: people follow true scores, and each topic has its own shift of the metric's."""
    for topics in TOPICS:

        def study(rng: np.random.Generator, count: int) -> tuple[Scores, Choices]:
            true = rng.normal(size=(6, count))
            metric = true + rng.normal(size=true.shape)
            at, pair = np.repeat(np.arange(count), 8), np.array([rng.permutation(6)[:2] for _ in range(8 * count)])
            lead = true[pair[:, 0], at] - true[pair[:, 1], at] + rng.normal(size=len(at)) / 2
            sides = (tuple(map(str, pair[:, side])) for side in (0, 1))
            return scores_of(metric[:, :, None]), Choices(tuple(map(str, at)), *sides, np.sign(lead).astype(np.int8))

        rng = np.random.default_rng([6, topics])
        scores, choices = study(rng, 5000)
        value = preference(scores, choices=choices, trials=1).agreement[0]
        found = [
            preference(scores, choices=choices, trials=999)
            for scores, choices in (study(rng, topics) for _ in range(repetitions))
        ]
        held = np.array([each.low[0] <= value <= each.high[0] for each in found])
        yield "95 % interval of agreement with choices holds it", f"8 choices a topic, {topics} topics", held


def effort_part(repetitions: int) -> Iterator[Row]:
    """Clicks and times as in jiang2016, Table 2, on 36 results of each user, whose times differ by a factor."""
    P, T, spread = np.array([0.26, 0.50, 0.55]), np.array([20.6, 37.1, 60.3]), 0.3
    seconds = 4.4 + P * T * np.exp(spread**2 / 2)
    for users in TOPICS:
        rng, held = np.random.default_rng([8, users]), []
        for _ in range(repetitions):
            user = np.repeat(np.arange(users), 36)
            grade = rng.choice(3, len(user), p=[0.5, 0.3, 0.2])
            clicked = rng.random(len(user)) < P[grade]
            dwell = rng.exponential(T[grade] * np.exp(rng.normal(0, spread, users))[user])
            names, one = tuple(map(str, user)), np.ones(len(user))
            found = effort(ClickLog(names, names, one, grade.astype(float), clicked, dwell, one > 0))
            true = seconds / seconds[-1]
            held.append((found.effort_low <= true) & (true <= found.effort_high))
        for g in (0, 1):
            yield f"95 % interval of the effort of grade {g} holds it", f"{users} users", np.array(held)[:, g]


def plan_part(repetitions: int) -> Iterator[Row]:
    rng = np.random.default_rng(7)
    size, residual = 10 * repetitions, 0.05
    topics = topics_for_t(0.1, residual)
    gap = rng.normal(0.1, np.sqrt(2 * residual), (size, topics))
    said = 100 * power_of_t(topics, 0.1, residual)
    yield (
        f"paired t-test has the power {said:.1f} %",
        f"{topics} topics",
        stats.ttest_1samp(gap, 0, axis=1).pvalue < 0.05,
    )
    for systems in (2, 10):
        topics = topics_for_anova(0.1, residual, systems)
        level = np.array([-0.05, 0.05, *[0.0] * (systems - 2)])
        values = rng.normal(level[:, None, None], np.sqrt(residual), (systems, topics, size))
        yield (
            f"one-way ANOVA of {systems} systems has at least the power 80 %",
            f"{topics} topics",
            stats.f_oneway(*values).pvalue < 0.05,
        )
    topics = topics_for_width(0.1, residual)
    sd = rng.normal(0, np.sqrt(2 * residual), (size, topics)).std(axis=1, ddof=1)
    width = 2 * stats.t.ppf(0.975, topics - 1) * sd / np.sqrt(topics)
    error = width.std() / np.sqrt(size)
    print(f"plan              mean width where 0.1 is planned: {width.mean():.5f} +- {error:.5f}, {topics} topics")


PARTS: dict[str, Callable[[int], Iterator[Row]]] = {
    "generalizability": generalizability_part,
    "similarity": similarity_part,
    "consistency": consistency_part,
    "intuitiveness": intuitiveness_part,
    "unanimity": unanimity_part,
    "preference": preference_part,
    "effort": effort_part,
    "plan": plan_part,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--repetitions", type=int, default=400)
    options = parser.parse_args()
    for part in options.parts or PARTS:
        for claim, where, held in PARTS[part](options.repetitions):
            share = (held.sum() + 1) / (len(held) + 2)
            error = 100 * np.sqrt(share * (1 - share) / len(held))
            print(f"{part:17} {claim:52} {where:46} {100 * held.mean():5.1f} % +- {error:.1f}", flush=True)


if __name__ == "__main__":
    main()
