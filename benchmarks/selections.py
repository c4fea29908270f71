"""Whether the metrics that may be best contain the best, and how few they are.

    python benchmarks/selections.py [--repetitions 100] [--splits 40] [--jobs 2] [--only false,divisor-power,dealt,...]

"false": M metrics that measure the same quality of K systems on T topics equally well; the share of studies in which
some metric is behind another, by criterion. It should be at most 5 %. In some settings the scale of the noise is
log-normal by topic and metric. "divisor-consistency" and "divisor-power": the same for one criterion, whose jackknife
error is divided by a rule's number, compared with other divisors, and how often a metric with more noise is found to be
behind. "unlike": how much noise differs by topic and metric on real collections (h), which the rule depends on.
"dealt": as "false", with real scores divided by their spread, whose metrics are dealt at random in every topic, which
makes them equal. "sharp": 26 of the 143 runs of TREC-COVID round 1 by 12 metrics; how many may be best, and how often
RR, P@5, ERR and RBP(p=0.5) are outside; on its 30 topics, and on 50 made from them; then RR of TREC-8 on 50 real
topics. "halves": the same runs, and 26 of those of DL 2019 and of TREC-8; how often the metric with the highest
estimate on one half of the topics may be best on the other half, and how many may. All but the first three need
../shared/data.
"""

import argparse
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.assays.profile import Profile, ScoreBounds, profile
from irassay.io.tables import read_scores
from irassay.meta.complete_scores import CompleteScores, complete_scores
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discriminated_pairs, discrimination
from irassay.meta.split_taus import SPLITS, excess_error_of_tau, fixed_split_taus, split_halves, unlike_noise
from irassay.parallel import context, map_blocks
from irassay.scores import Scores
from irassay.scoring.score import score
from irassay.stats.paired_test import PairedTest
from irassay.stats.resolved_pairs import excess_error_of_share, resolved_shares
from irassay.stats.selection import selection, without_each

DATA = Path(__file__).parents[2] / "shared" / "data"
FOLDER = DATA / "trec-covid-1"
METRICS = ("AP", "nDCG", "nDCG@10", "P@5", "P@10", "RR", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "ERR", "Q", "bpref")
DL_METRICS = ["map", "P_10", "Rprec", "bpref", "P_100", "recip_rank", "iprec_at_recall_0.00"]
NARROW = ("RR", "P@5", "RBP(p=0.5)", "ERR")  # that look at few results, and should be outside
SYSTEMS, SUBSETS = 26, 10
CRITERIA = ("power", "consistency", "agreement")
MADE_TOPICS = 50
Setting = tuple[int, int, int, float, float, float]
# systems, topics, metrics, spread of quality, share of noise that metrics have in common, spread of log scale of noise
SETTINGS: list[Setting] = [
    *((8, topics, metrics, spread, 0.5, 0.0) for topics, metrics, spread in product((10, 25), (2, 10), (0.1, 0.5))),
    (20, 50, 5, 0.2, 0.8, 0.0),
    *((26, 25, 2, 0.5, 0.5, scale) for scale in (0.5, 1.0)),
    *((8, 25, 10, 0.5, 0.5, scale) for scale in (0.5, 1.0)),
]
Noise = Callable[[np.random.Generator, tuple[int, ...]], Floats]
NOISES: dict[str, Noise] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "t 4": lambda rng, shape: rng.standard_t(4, size=shape) / np.sqrt(2),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "zero-inflated": lambda rng, shape: (rng.random(shape) < 0.4) * rng.exponential(2, size=shape),
    "in steps": lambda rng, shape: np.round(rng.normal(size=shape)),
}
# systems, topics, metrics, noise, spread of its log scale by topic and metric, share of noisy cells of topic and metric
DIVISOR_DESIGNS = [
    (12, 15, 3, "t 4", 0.0, 0.0),
    (12, 35, 8, "exponential", 0.3, 0.0),
    (40, 15, 3, "normal", 0.7, 0.0),
    (15, 60, 4, "normal", 0.4, 0.0),
    (18, 20, 20, "t 4", 0.5, 0.0),
    (30, 30, 2, "exponential", 0.0, 0.0),
    (10, 40, 6, "in steps", 0.8, 0.0),
    (20, 30, 2, "normal", 0.0, 0.1),
    (40, 35, 5, "zero-inflated", 0.0, 0.0),
    (60, 12, 5, "zero-inflated", 0.5, 0.0),
    (80, 20, 4, "exponential", 0.0, 0.0),
    (100, 15, 3, "normal", 0.7, 0.0),
    (120, 40, 2, "in steps", 0.4, 0.0),
    (143, 30, 6, "t 4", 0.3, 0.0),
]
DivisorDesign = tuple[int, int, int, str, float, float]
# The spread of the systems' true means, so that there is something to find.
QUALITY = {"consistency": 0.5, "power": 1.5}
DIVISORS = (1.0, 1.2, 1.4)  # the rule itself comes first
NOISIER, MUCH_NOISE = 1.6, 4.0  # the noise of a worse metric, and of a noisy cell, times that of the others


def profile_of(scores: Scores, seed: int) -> Profile:
    """The profile of scores without judgements, by fewer resamples than a report."""
    test = PairedTest("max-t-stepdown", trials=1000, seed=seed)
    power, steady = discrimination(scores, test=test, levels=(0.05,)), consistency(scores, splits=200, seed=seed)
    bounds = ScoreBounds(("outer bounds",) * len(scores.metrics))
    return profile(scores, bounds, power, steady, test=test)


def false_selections(seed: int, setting: Setting) -> list[bool]:
    """[criterion] whether one of several equally good metrics is behind another."""
    systems, topics, metrics, spread, common, scale = setting
    rng = np.random.default_rng([seed, systems, topics, metrics])
    noise = np.sqrt(common) * rng.normal(size=(systems, topics, 1))
    noise = noise + np.sqrt(1 - common) * rng.normal(size=(systems, topics, metrics))
    noise = noise * np.exp(scale * rng.normal(size=(topics, metrics)))
    names = (
        tuple(f"{kind}{n}" for n in range(count)) for kind, count in (("s", systems), ("t", topics), ("m", metrics))
    )
    scores = Scores(spread * rng.normal(size=(systems, 1, 1)) + noise, *names)
    return [bool(each.selection.behind.any()) for each in profile_of(scores, seed).criteria if each.selection]


def divisor_selections(number: int, shared: tuple[DivisorDesign, str]) -> list[float]:
    """The rule's divisor; by it and by others, whether one of equal metrics is behind, and whether a noisier one is."""
    (systems, topics, metrics, noise, scale, noisy), criterion = shared
    rng = np.random.default_rng([number, 11, systems, topics, metrics])
    shape, quality = (systems, topics, metrics), QUALITY[criterion] * rng.normal(size=(systems, 1, 1))
    own = NOISES[noise](rng, shape) + NOISES[noise](rng, (systems, topics, 1))
    own *= np.exp(scale * rng.normal(size=shape[1:])) * np.where(rng.random(shape[1:]) < noisy, MUCH_NOISE, 1.0)
    found = []
    for factors in (np.ones(metrics), np.where(np.arange(metrics) == 0, NOISIER, 1.0)):
        names = (tuple(f"{kind}{n}" for n in range(size)) for kind, size in zip("stm", shape, strict=True))
        made = complete_scores(Scores(quality + factors * own, *names), "This")
        rule, estimates = (split_taus if criterion == "consistency" else powers)(made, number)
        made_selections = [
            selection(estimates[0], estimates[1:], 0.05, trials=999, excess=d) for d in (rule, *DIVISORS)
        ]
        found.append([bool(each.behind[0].any() if len(found) else each.behind.any()) for each in made_selections])
    return [rule, *found[0], *found[1]]


def split_taus(made: CompleteScores, seed: int) -> tuple[float, Floats]:
    """The divisor of the error of tau between halves, and [left out, metric] tau: on all topics, then without each."""
    [taus] = fixed_split_taus(made, all_but_each(made), SPLITS, seed)
    return excess_error_of_tau(made.values), taus


def powers(made: CompleteScores, seed: int) -> tuple[float, Floats]:
    """The divisor of the error of power, and [left out, metric] the power: on all topics, then without each."""
    found = discriminated_pairs(made, PairedTest("max-t-stepdown", trials=2000, seed=seed), (0.05,))
    rule, [sets] = found.significance_rule(made.values, 0.05), all_but_each(made)
    shares = resolved_shares(made.values, None, 0, made.noise, sets[1:], rule)[0]
    return excess_error_of_share(found.topics), np.vstack([found.power(0.05), shares])


def all_but_each(made: CompleteScores) -> Bools:
    """[1, left out, topic] all topics, then all but each."""
    return without_each(np.ones((1, made.values.shape[1]), np.bool_))


def dealt_selections(seed: int, scores: Scores) -> list[bool]:
    """[criterion] whether a metric is behind another, if each topic's metrics are dealt at random."""
    part, rng = some_systems(scores, seed), np.random.default_rng([seed, 1])
    values = part.values / part.values.std(axis=(0, 1))
    dealt = np.stack([values[:, t, rng.permutation(values.shape[2])] for t in range(values.shape[1])], axis=1)
    made = profile_of(Scores(dealt, part.systems, part.topics, part.metrics), seed)
    return [bool(each.selection.behind.any()) for each in made.criteria if each.selection]


def some_systems(scores: Scores, seed: int) -> Scores:
    """The scores of some systems, drawn at random."""
    drawn = np.random.default_rng(seed).choice(len(scores.systems), SYSTEMS, replace=False)
    return scores.select(systems=[scores.systems[s] for s in sorted(drawn)])


def with_made_topics(scores: Scores, seed: int) -> Scores:
    """The scores on 50 topics, each made from two real ones.

    A system's mean stays. Its deviations from it on the two topics are added with weights cos a and sin a of a random
    angle a, so that they vary over topics, and together over systems and metrics, as on the real topics.
    """
    rng, mean = np.random.default_rng([seed, 2]), scores.values.mean(axis=1, keepdims=True)
    pairs = np.array([rng.choice(len(scores.keys), 2, replace=False) for _ in range(MADE_TOPICS)])
    angle = rng.uniform(0, 2 * np.pi, size=(MADE_TOPICS, 1))
    one, other = (scores.values[:, part] - mean for part in pairs.T)
    made = mean + np.cos(angle) * one + np.sin(angle) * other
    return Scores(made, scores.systems, tuple(f"made{n}" for n in range(MADE_TOPICS)), scores.metrics)


def sharpness(seed: int, shared: tuple[Scores, tuple[str, ...], bool]) -> list[tuple[int, list[bool]]]:
    """[criterion] how many metrics may be best, and which of the narrow ones are outside."""
    scores, narrow, makes_topics = shared
    part = some_systems(scores, seed)
    found = profile_of(with_made_topics(part, seed) if makes_topics else part, seed)
    outside = [scores.metrics.index(name) for name in narrow]
    chosen = [each.selection.may_be_best for each in found.criteria if each.selection]
    return [(int(best.sum()), [not best[m] for m in outside]) for best in chosen]


def half_splits(seed: int, scores: Scores) -> list[tuple[bool, bool, int, int]]:
    """[criterion] whether the best on each half of the topics may be best on the other, and how many may be on each."""
    part = some_systems(scores, seed)
    [first] = split_halves(len(part.keys), 1, seed)
    halves = [[key for key, inside in zip(part.keys, first, strict=True) if inside == side] for side in (True, False)]
    criteria = zip(*(profile_of(part.select(topics=half), seed).criteria for half in halves), strict=True)
    selections = [(one.selection, other.selection) for one, other in criteria if one.selection and other.selection]
    return [
        (
            bool(b.may_be_best[int(np.nanargmax(a.estimate))]),
            bool(a.may_be_best[int(np.nanargmax(b.estimate))]),
            int(a.may_be_best.sum()),
            int(b.may_be_best.sum()),
        )
        for a, b in selections
    ]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--splits", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="false,divisor-consistency,divisor-power,unlike,dealt,sharp,halves")
    given = parser.parse_args()
    with context(jobs=given.jobs):
        if "false" in given.only:
            print("systems topics metrics spread common scale: false selections by power, consistency, agreement")
            for setting in SETTINGS:
                found = np.array(map_blocks(false_selections, range(given.repetitions), setting))
                print(*setting, *(f"{share:.1%}" for share in found.mean(axis=0)), flush=True)
        for criterion in (each for each in QUALITY if f"divisor-{each}" in given.only):
            others = ", ".join(f"{each:g}" for each in DIVISORS)
            print(
                f"{criterion}: systems topics metrics noise scale noisy: median divisor; false selections with it,",
                f"{others}; noisier metric behind, by the same",
            )
            for design in DIVISOR_DESIGNS:
                found = np.array(map_blocks(divisor_selections, range(given.repetitions), (design, criterion)))
                rates, sizes = found[:, 1:].mean(axis=0), len(DIVISORS) + 1
                cells = (" / ".join(f"{rate:.1%}" for rate in part) for part in (rates[:sizes], rates[sizes:]))
                print(*design, f"{np.median(found[:, 0]):.2f};", *cells, flush=True)
        if not FOLDER.exists():
            return
        scores = score(sorted((FOLDER / "runs").iterdir()), FOLDER / "qrels.txt", METRICS)
        tracks = {
            "TREC-COVID round 1": scores,
            "DL 2019": read_scores(DATA / "dl-2019" / "scores.tot.gz").select(metrics=DL_METRICS),
            "TREC-8": read_scores(sorted((DATA / "trec-8").glob("adhoc8_*.csv"))),
        }
        if "unlike" in given.only:
            print("spread of the log of the noise by topic and metric, about both means, and the divisor that it gives")
            for track, table in tracks.items():
                cubes = [complete_scores(some_systems(table, seed), "This").values for seed in range(SUBSETS)]
                both = np.median([(unlike_noise(cube), excess_error_of_tau(cube)) for cube in cubes], axis=0)
                print(track, *both.round(2), flush=True)
        if "dealt" in given.only:
            print("metrics dealt in every topic: false selections by power, consistency, agreement")
            for track, table in tracks.items():
                found = np.array(map_blocks(dealt_selections, range(given.repetitions), table))
                print(track, *(f"{share:.1%}" for share in found.mean(axis=0)), flush=True)
        if "sharp" in given.only:
            print("metrics that may be best, median and range; draws in which all of these are outside: 26 systems")
            settings = {
                f"TREC-COVID round 1, {', '.join(NARROW)}": (scores, NARROW, False),
                f"the same, {MADE_TOPICS} made topics": (scores, NARROW, True),
                "TREC-8, RR": (tracks["TREC-8"], ("adhoc8_rr",), False),
            }
            for track, setting in settings.items():
                draws = list(map_blocks(sharpness, range(SUBSETS), setting))
                for name, found in zip(CRITERIA, zip(*draws, strict=True), strict=False):
                    sizes, outside = [size for size, _ in found], np.array([each for _, each in found])
                    narrow = f"{int(outside.all(axis=1).sum())} of {SUBSETS}, by metric {outside.sum(axis=0).tolist()}"
                    print(f"{track}, {name}: {np.median(sizes):g}, {min(sizes)} to {max(sizes)}; {narrow}", flush=True)
        if "halves" in given.only:
            print("splits in which the best on one half may be best on the other, and how many may be: median, mean")
            for track, table in tracks.items():
                found = np.array(map_blocks(half_splits, range(given.splits), table), dtype=float)
                sizes = found[:, :, 2:]
                shares = (f"{share:.1%}" for share in found[:, :, :2].mean(axis=(0, 2)))
                print(track, *shares, *np.median(sizes, axis=(0, 2)), *sizes.mean(axis=(0, 2)).round(1), flush=True)


if __name__ == "__main__":
    main()
