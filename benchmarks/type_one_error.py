"""How often each test finds a difference that is not there, by simulation.

    python benchmarks/type_one_error.py [--repetitions 2000] [--jobs 2] [--shapes | --scales | --warnings --only apart]

20 systems on 50 topics at alpha = .05. "pair" is the share of equal pairs called different, which a test of
one pair at a time should keep at 5 %; "family" the share of repetitions in which any equal pair was called
different, which a test of all pairs should keep at 5 %. For bh and by, "family" is the mean share of equal pairs
among those called different.

With --shapes: families of 15 equal systems with 10, 25 and 50 topics that err, by the shape of scores. Scores like
AP and P@10 have a mean of .3, and systems differ in how they spread about it; those of "like AP, low" have a mean of
.2 and differ more; scores like RR are of alike systems. All
systems being equal, Bonferroni's correction errs in the families in which Holm's does.

With --scales: the same of skewed scores whose scales go from 1 to 8, and of scores that look like them but do no harm,
for 5 to 40 equal systems, all pairs or one baseline, two-sided or one-sided; the share of families of intervals that
miss a difference of 0; and in how many tables `compare` warns. One-sided comparisons ask whether the first system of a
pair is better; the systems are in random order, or in order of their scales, which is the worst case.

With --warnings: in how many tables `compare` warns with 25 topics and, of a third as many tables, with 50, by scores
and systems; and for 2 and 3 systems in how many families of 25 topics max-t-stepdown errs. The statistics of the rule
were chosen on the shapes that come first; the others are a check, but its constants were set with them seen. With
--baseline all are compared with one system, which is drawn at random; max-t-stepdown is then tried with 15 systems.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from irassay.parallel import context, process_executor, sum_blocks
from irassay.stats.corrections import corrected_p
from irassay.stats.paired_sample import sample
from irassay.stats.paired_test import PairedTest, find_test
from irassay.stats.skewed_scales import skew_misleads

TOPICS, SYSTEMS, ALPHA, TRIALS = 50, 20, 0.05, 999
Floats = np.ndarray
Scores = tuple[Floats, Floats]  # [topic, system] scores, [system] true means
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]


def scores(rng: np.random.Generator, means: Floats, spreads: Floats, skewed: bool = False) -> Scores:
    """Topic effects, plus residuals that are normal or exponential."""
    shape = (TOPICS, SYSTEMS)
    residual = rng.exponential(size=shape) - 1 if skewed else rng.normal(size=shape)
    return rng.normal(size=(TOPICS, 1)) + means + spreads * residual, means


def exchangeable(rng: np.random.Generator) -> Scores:
    return scores(rng, np.zeros(SYSTEMS), np.ones(SYSTEMS))


def two_noisy(rng: np.random.Generator) -> Scores:
    return scores(rng, np.zeros(SYSTEMS), np.where(np.arange(SYSTEMS) < 2, 5.0, 1.0))


def skewed(rng: np.random.Generator) -> Scores:
    """Spreads from .5 to 2 and skewed residuals: the differences are not symmetric."""
    return scores(rng, np.zeros(SYSTEMS), np.linspace(0.5, 2, SYSTEMS), skewed=True)


def half_equal(rng: np.random.Generator) -> Scores:
    return scores(rng, np.maximum(0, np.arange(SYSTEMS) - 9) * 0.5, np.ones(SYSTEMS))


def half_equal_noisy(rng: np.random.Generator) -> Scores:
    """As half equal, but two of the equal systems are noisy and the better ones stable."""
    spreads = np.where(np.arange(SYSTEMS) < 2, 5.0, 1.0)
    return scores(rng, np.maximum(0, np.arange(SYSTEMS) - 9) * 0.5, spreads)


def one_poor(rng: np.random.Generator) -> Scores:
    """All equal but one that is far worse."""
    return scores(rng, np.where(np.arange(SYSTEMS) == 0, -5.0, 0.0), np.ones(SYSTEMS))


SETTINGS: dict[str, Callable[[np.random.Generator], Scores]] = {
    "exchangeable": exchangeable,
    "two noisy": two_noisy,
    "skewed": skewed,
    "half equal": half_equal,
    "half, noisy": half_equal_noisy,
    "one poor": one_poor,
}
PAIRWISE = ("t", "wilcoxon", "sign", "permutation", "bootstrap", "bootstrap-shift")
FAMILY = ("tukey", "anova-tukey", "max-t", "max-t-stepdown", "bootstrap-max-t")
CORRECTED = ("bonferroni", "holm", "bh", "by")
NAMES = (*PAIRWISE, *FAMILY, *(f"t, {name}" for name in CORRECTED))


def repetition(number: int, setting: str) -> Floats:
    """[test, (pair, family)] error rates of one simulated collection."""
    place = list(SETTINGS).index(setting)
    rng = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(place, number)))
    X, means = SETTINGS[setting](rng)
    trials = {name: TRIALS if find_test(name).resamples else None for name in (*PAIRWISE, *FAMILY)}
    tests = [PairedTest(name, trials=trials[name], seed=number) for name in trials]
    found = [test.run(X.T[:, :, None])[0].metric(0) for test in tests]
    ps = [test.p for test in found] + [corrected_p(found[0].p, name) for name in CORRECTED]
    equal = means[found[0].i] == means[found[0].j]
    called = np.stack(ps) < ALPHA  # [test, pair]
    family = called[:, equal].any(axis=1).astype(float)
    wrong = called[:, equal].sum(axis=1) / np.maximum(1, called.sum(axis=1))
    discovery = np.array([name in ("t, bh", "t, by") for name in NAMES])
    return np.stack([called[:, equal].mean(axis=1), np.where(discovery, wrong, family)], axis=1)


def beta(rng: np.random.Generator, topics: int, mean: float = 0.3, most: float = 8, systems: int = 15) -> Floats:
    """Scores like AP: skewed, more so for systems whose scores spread more."""
    concentration = np.geomspace(1, most, systems)
    return rng.beta(mean * concentration, (1 - mean) * concentration, size=(topics, systems))


def reciprocal(rng: np.random.Generator, topics: int) -> Floats:
    """Scores like RR: one over the rank of the first relevant result, found with a chance that is the topic's."""
    return 1 / rng.geometric(np.clip(0.05 + 0.3 * rng.random((topics, 1)), 0, 1), size=(topics, 15))


SHAPES: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda rng, topics: rng.normal(size=(topics, 15)),
    "exponential, unequal scales": lambda rng, topics: (
        np.linspace(0.5, 2, 15) * (rng.exponential(size=(topics, 15)) - 1)
    ),
    "like AP": beta,
    "like P@10": lambda rng, topics: rng.binomial(10, beta(rng, topics)) / 10,
    "like RR": reciprocal,
    "like AP, low": lambda rng, topics: beta(rng, topics, mean=0.2, most=20),
}
BY_SHAPE = ("max-t", "max-t-stepdown", "bootstrap-max-t", "t, holm", "wilcoxon, holm")


def family(number: int, setting: tuple[str, int]) -> Floats:
    """[test] 1 where some of 15 equal systems are called different."""
    shape, topics = setting
    rng = np.random.default_rng(np.random.SeedSequence(2, spawn_key=(list(SHAPES).index(shape), topics, number)))
    X = SHAPES[shape](rng, topics)
    erred = []
    for name in BY_SHAPE:
        test, _, correction = name.partition(", ")
        trials = TRIALS if find_test(test).resamples else None
        p = PairedTest(test, correction=correction or "none", trials=trials, seed=number).run(X.T[:, :, None])[1]
        erred.append(float((p < ALPHA).any()))
    return np.array(erred)


def by_shape(repetitions: int) -> None:
    """Prints how many families err, by shape and number of topics."""
    for shape in SHAPES:
        rates = [sum_blocks(family, range(repetitions), (shape, n)) for n in (10, 25, 50)]
        cells = [" / ".join(f"{100 * rate[t] / repetitions:.1f}" for rate in rates) for t in range(len(BY_SHAPE))]
        print(f"{shape:28}" + "   ".join(f"{n} {c}" for n, c in zip(BY_SHAPE, cells, strict=True)), flush=True)


def on_scales(scale: float, draw: Draw) -> Callable[[np.random.Generator, int, int], Floats]:
    """Scores of mean 0 whose standard deviations go from 1 to `scale`, a topic's own effect added."""

    def scores(rng: np.random.Generator, topics: int, systems: int) -> Floats:
        return rng.normal(size=(topics, 1)) + np.linspace(1, scale, systems) * draw(rng, (topics, systems))

    return scores


SCALES: dict[str, Callable[[np.random.Generator, int, int], Floats]] = {
    "exponential, 1 to 8": on_scales(8, lambda rng, shape: rng.exponential(size=shape) - 1),
    "exponential, 1 to 4": on_scales(4, lambda rng, shape: rng.exponential(size=shape) - 1),
    "log-normal, 1 to 8": on_scales(8, lambda rng, shape: rng.lognormal(0, 0.8, size=shape) - np.exp(0.32)),
    "like AP, low": lambda rng, topics, systems: beta(rng, topics, mean=0.2, most=20, systems=systems),
    "normal": on_scales(1, lambda rng, shape: rng.normal(size=shape)),
    "normal, 1 to 8": on_scales(8, lambda rng, shape: rng.normal(size=shape)),
    "exponential, equal": on_scales(1, lambda rng, shape: rng.exponential(size=shape)),
    "zero-inflated log-normal": on_scales(1, lambda rng, shape: (rng.random(shape) < 0.7) * rng.lognormal(size=shape)),
    "zero-inflated log-normal, 1 to 5": on_scales(
        5, lambda rng, shape: (rng.random(shape) < 0.7) * rng.lognormal(size=shape) - 0.7 * np.exp(0.5)
    ),
}
DESIGNS: dict[str, dict[str, Any]] = {  # of a comparison; the baseline has the smallest scale
    "all pairs": {},
    "one-sided": {"alternative": "greater"},
    "one-sided, in order": {"alternative": "greater"},
    "baseline": {"baseline": 0},
    "one-sided baseline": {"baseline": 0, "alternative": "less"},
}
BY_SCALE = ("max-t-stepdown", "t, holm", "wilcoxon, holm", "sign, holm", "bootstrap-max-t")


def scaled_family(number: int, setting: tuple[str, int, int, str]) -> Floats:
    """[measure] 1 where each test errs, where intervals of max-t-stepdown miss 0, and where `compare` warns."""
    name, systems, topics, design = setting
    key = (list(SCALES).index(name), systems, topics, number)
    rng = np.random.default_rng(np.random.SeedSequence(3, spawn_key=key))
    values = SCALES[name](rng, topics, systems)
    if design == "one-sided":  # which system of a pair is the first does not depend on the scale
        values = values[:, rng.permutation(systems)]
    pairs = sample(values.T[:, :, None], **DESIGNS[design])
    erred, misses = [], 0.0
    for label in BY_SCALE:
        test, _, correction = label.partition(", ")
        trials = TRIALS if find_test(test).resamples else None
        how = PairedTest(test, correction=correction or "none", trials=trials, seed=number)
        found = how.pair_tests(pairs, intervals=label == BY_SCALE[0])
        erred.append(float((how.corrected_p(found, found) < ALPHA).any()))
        if label == BY_SCALE[0]:
            low, high = found.interval()
            misses = float(((low > 0) | (high < 0)).any())
    return np.array([*erred, misses, skew_misleads(pairs, 0)], dtype=np.float64)


def by_scale(repetitions: int) -> None:
    """Prints how many families err, and how many are warned of, by scores, systems, topics and design."""
    grid = [(name, 15, "all pairs") for name in SCALES]
    grid += [(name, systems, "all pairs") for systems in (5, 40) for name in ("exponential, 1 to 8", "normal")]
    grid += [("exponential, 1 to 8", 15, design) for design in DESIGNS if design != "all pairs"]
    print(f"{'10 / 25 / 50 topics':48}" + "".join(f"{name:>22}" for name in (*BY_SCALE, "intervals miss", "warned")))
    for name, systems, design in grid:
        rates = [sum_blocks(scaled_family, range(repetitions), (name, systems, n, design)) for n in (10, 25, 50)]
        cells = (" / ".join(f"{100 * rate / repetitions:.1f}" for rate in row) for row in zip(*rates, strict=True))
        row = f"{name}; {systems} systems, {design}"
        print(f"{row:48}" + "".join(f"{cell:>22}" for cell in cells), flush=True)


def centred(draw: Draw, mean: float) -> Draw:
    """The scores less their true mean."""
    return lambda rng, shape: draw(rng, shape) - mean


def topic_scaled(rng: np.random.Generator, topics: int, systems: int) -> Floats:
    """Exponential scores on a scale that is the topic's."""
    return rng.exponential(size=(topics, 1)) * rng.exponential(size=(topics, systems))


def groups(low: float, high: float, systems: int) -> Floats:
    """Scales of two groups, the second of which is not the smaller."""
    return np.where(np.arange(systems) < systems // 2, low, high)


CHOSEN_ON: dict[str, Draw] = {
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
    "log-normal .8": lambda rng, shape: rng.lognormal(0, 0.8, size=shape) - np.exp(0.32),
    "zero-inflated log-normal": centred(
        lambda rng, shape: (rng.random(shape) < 0.7) * rng.lognormal(size=shape), 0.7 * np.exp(0.5)
    ),
    "gamma .5": centred(lambda rng, shape: rng.gamma(0.5, size=shape), 0.5),
}
NORMAL: dict[str, Draw] = {"normal": lambda rng, shape: rng.normal(size=shape)}
OTHERS: dict[str, Draw] = {
    "Weibull .7": centred(lambda rng, shape: rng.weibull(0.7, size=shape), 1.2658),
    "log-normal 1": centred(lambda rng, shape: rng.lognormal(size=shape), np.exp(0.5)),
    "inverse Gaussian": centred(lambda rng, shape: rng.wald(1, 1, size=shape), 1),
    "zero-inflated exponential": centred(
        lambda rng, shape: (rng.random(shape) < 0.5) * rng.exponential(size=shape), 0.5
    ),
    "geometric": centred(lambda rng, shape: rng.geometric(0.4, size=shape), 2.5),
    "beta .5, 2": centred(lambda rng, shape: rng.beta(0.5, 2, size=shape), 0.2),
    "minus exponential": lambda rng, shape: 1 - rng.exponential(size=shape),
}
SPREADS: dict[str, Callable[[int], Floats]] = {
    "1 to 8": lambda systems: np.linspace(1, 8, systems),
    "1 to 4": lambda systems: np.linspace(1, 4, systems),
    "1 and 4": lambda systems: groups(1, 4, systems),
    "1 to 5": lambda systems: np.linspace(1, 5, systems),
    "1 to 3, by ratio": lambda systems: np.geomspace(1, 3, systems),
    "equal": np.ones,
}
Table = Callable[[np.random.Generator, int, int], Floats]
WARNED: dict[str, Table] = {
    f"{name}, {spread}": lambda rng, topics, systems, draw=draw, spread=spread: (
        rng.normal(size=(topics, 1)) + SPREADS[spread](systems) * draw(rng, (topics, systems))
    )
    for shapes, spreads in (
        (CHOSEN_ON, ("1 to 8", "1 to 4", "1 and 4", "equal")),
        (NORMAL, ("1 to 8", "1 to 4", "1 and 4", "equal")),
        (OTHERS, ("1 to 5", "1 to 3, by ratio", "equal")),
    )
    for name, draw in shapes.items()
    for spread in spreads
} | {
    "like AP, low": lambda rng, topics, systems: beta(rng, topics, mean=0.2, most=20, systems=systems),
    "like nDCG, high": lambda rng, topics, systems: 1 - beta(rng, topics, mean=0.2, most=20, systems=systems),
    "like P@10, low": lambda rng, topics, systems: (
        rng.binomial(10, beta(rng, topics, mean=0.2, most=20, systems=systems)) / 10
    ),
    "like P@10, equal": lambda rng, topics, systems: rng.binomial(10, rng.beta(0.6, 1.4, (topics, systems))) / 10,
    "exponential, equal, scaled by topic": topic_scaled,
    **{
        f"{name}, equal, means {apart:g} apart": lambda rng, topics, systems, draw=CHOSEN_ON[name], apart=apart: (
            np.linspace(0, apart, systems) + draw(rng, (topics, systems))
        )
        for name in CHOSEN_ON
        for apart in (1.0, 2.0)
    },
}
TABLES = {2: 600, 3: 600, 5: 600, 8: 300, 15: 150, 40: 60}  # of 25 topics, by systems


def is_tested(name: str, systems: int, topics: int, baseline: bool) -> bool:
    """Whether the error of max-t-stepdown is estimated, too."""
    return (systems == 15 if baseline else systems <= 3) and topics == 25 and "equal" not in name


def warned_table(number: int, setting: tuple[str, int, int, bool]) -> Floats:
    """[measure] 1 where `compare` warns, and where max-t-stepdown errs, if that is estimated."""
    name, systems, topics, baseline = setting
    key = (list(WARNED).index(name), systems, topics, number)
    rng = np.random.default_rng(np.random.SeedSequence(4, spawn_key=key))
    values = WARNED[name](rng, topics, systems).T[:, :, None]
    pairs = sample(values, baseline=int(rng.integers(systems)) if baseline else None)
    how = PairedTest("max-t-stepdown", trials=199, seed=number)
    found = how.pair_tests(pairs, intervals=False) if is_tested(name, systems, topics, baseline) else None
    erred = found is not None and (how.corrected_p(found, found) < ALPHA).any()
    return np.array([skew_misleads(pairs, 0), erred], dtype=np.float64)


def by_warning(only: str, baseline: bool) -> None:
    """Prints in how many tables `compare` warns, by scores, systems and topics."""
    print(f"{'25 / 50 topics (max-t-stepdown errs)':38}" + "".join(f"{f'{systems} systems':>26}" for systems in TABLES))
    for name in (name for name in WARNED if only in name):
        cells = []
        for systems, tables in TABLES.items():
            numbers = {25: range(tables), 50: range(tables // 3)}
            settings = {n: (name, systems, n, baseline) for n in numbers}
            rates = [100 * sum_blocks(warned_table, numbers[n], settings[n]) / len(numbers[n]) for n in numbers]
            warned = " / ".join(f"{rate[0]:.0f}" for rate in rates)
            cells.append(f"{warned} ({rates[0][1]:.1f})" if is_tested(name, systems, 25, baseline) else warned)
        print(f"{name:38}" + "".join(f"{cell:>26}" for cell in cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--shapes", action="store_true", help="families of 15 equal systems, by shape and topics")
    parser.add_argument("--scales", action="store_true", help="families of equal systems on unequal scales")
    parser.add_argument("--warnings", action="store_true", help="tables of which `compare` warns, by scores")
    parser.add_argument("--only", default="", help="with --warnings: scores whose name contains this")
    parser.add_argument("--baseline", action="store_true", help="with --warnings: one random system against the others")
    options = parser.parse_args()
    numbers = range(options.repetitions)
    errors = (f"{100 * np.sqrt(rate * (1 - rate) / len(numbers)):.1f} at {rate:.0%}" for rate in (0.05, 0.10, 0.20))
    print(f"{len(numbers)} repetitions; standard error of a share of families: {', '.join(errors)}", flush=True)
    with context(executor=process_executor(options.jobs)):
        if options.warnings:
            by_warning(options.only, options.baseline)
            return
        if options.shapes or options.scales:
            (by_shape if options.shapes else by_scale)(options.repetitions)
            return
        rates = {setting: sum_blocks(repetition, numbers, setting) / len(numbers) for setting in SETTINGS}
    print(f"{'pair / family, %':18}" + "".join(f"{setting:>16}" for setting in SETTINGS))
    for row, name in enumerate(NAMES):
        cells = (f"{100 * rate[row, 0]:.1f} / {100 * rate[row, 1]:.1f}" for rate in rates.values())
        print(f"{name:18}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()
