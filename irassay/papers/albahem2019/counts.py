"""The two tests of Albahem et al. (2019) on each year of TREC Dynamic Domain, from scores or published counts."""

import csv
import io
import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.io.tables import read_iterations
from irassay.meta.intuitiveness import Intuitiveness, intuitiveness
from irassay.meta.unanimity import Unanimity, unanimity
from irassay.meta.wins_by_round import dense_ranks, rank_agreement
from irassay.papers.albahem2019 import tables as printed
from irassay.papers.published import DataFile, Published
from irassay.scores import Scores
from irassay.stats.clustered import binomial_sign

YEARS = ("2016", "2017")  # those with scores
ROUNDS = tuple(map(str, range(1, 11)))
SIMPLE = ("p", "strec", "ttime", "rtime", "ntime")
ALL_SETS = {**printed.SETS, **printed.EFFORTS}
ALL_DIMENSIONS = "Rel and Div and Eff"


@dataclass(frozen=True, eq=False)
class Counts:
    """The outcomes of both tests. Rounds are iterations 1 to 10; sets are those of `printed.SETS`, in order."""

    scores: dict[str, Scores]  # by iteration; each year is a collection
    tests: dict[str, Intuitiveness]  # by iteration, for all sets and efforts
    marked_tests: dict[str, Intuitiveness]  # at iterations 1 and 10, with tests by topic, for all three dimensions
    unanimity_tests: dict[str, Unanimity]  # by iteration
    by_algorithm_2: dict[str, Unanimity]  # by iteration, computed by Algorithm 2 as printed
    test_wins: Ints  # [year, round, set, metric] for 2016 and 2017
    unanimity_wins: Ints  # [year, round, set, metric] for 2016, 2017 and 2015
    correct_2015: Ints  # [round, metric, other] cases won in the intuitiveness test, all three dimensions
    p_2015: Floats  # [round, metric, other] of the sign test
    disagreement_2015: Floats  # [round, metric, other] share of cases

    @property
    def beats_2015(self) -> Bools:
        """[round, metric, other] Whether the metric beats the other in 2015, for all three dimensions."""
        return (self.correct_2015 > self.correct_2015.swapaxes(1, 2)) & (self.p_2015 < 0.05)

    @property
    def wins_2015(self) -> Ints:
        """[round, metric] The number of other metrics that the metric beats in 2015."""
        return self.beats_2015.sum(axis=2)

    def test_ranks(self, column: str, year: int | None = None) -> Ints:
        """[set, metric] Ranks by intuitiveness in one year, or in both."""
        return ranks_in(self.test_wins, column, year)

    def all_dimension_ranks(self, column: str) -> Ints:
        """[metric] Ranks by intuitiveness for all three dimensions, over all three years."""
        return dense_ranks(wins_at(self.test_wins.sum(axis=0)[:, -1] + self.wins_2015, column))

    def ranks_of_2015(self, column: str) -> Ints:
        """[metric] Ranks by intuitiveness for all three dimensions, in 2015."""
        return dense_ranks(wins_at(self.wins_2015, column))

    def unanimity_ranks(self, column: str, year: int | None = None) -> Ints:
        """[set, metric] Ranks by unanimity in one year, or in all three."""
        return ranks_in(self.unanimity_wins, column, year)


def wins_at(wins: Ints, column: str) -> Ints:
    """The wins [round, ...] at one iteration, or summed over all."""
    return wins.sum(axis=0) if column == "All" else wins[int(column) - 1]


def ranks_in(wins: Ints, column: str, year: int | None) -> Ints:
    """[set, metric] Ranks by wins [year, round, set, metric] in one year, or in all."""
    return dense_ranks(wins_at(wins.sum(axis=0) if year is None else wins[year], column))


def computed_counts(published: Published, seed: int = 0) -> Counts:
    """The outcomes of both tests on the published files."""
    correct, p, disagreement = _tests_of_2015(published)
    of_2015 = _unanimity_of_2015(published)
    with published.unpacked_folder(printed.FILES["SCORES_2016"], printed.FILES["SCORES_2017"]) as folder:
        paths = [f"{year}={folder / f'trec-all-{year}-evals.csv'}" for year in YEARS]
        scores = read_iterations(paths)
    complex_metrics, sets = tuple(printed.COMPLEX.values()), list(ALL_SETS.values())
    settings: dict[str, Any] = {"simple": SIMPLE, "tested": complex_metrics, "simple_sets": sets, "trials": 1}
    tests = {i: intuitiveness(s, **settings) for i, s in scores.items()}
    unanimity_tests = {i: unanimity(s, **settings) for i, s in scores.items()}
    without_efforts = slice(len(printed.SETS))
    by_unanimity = np.stack([unanimity_tests[i].wins()[:, without_efforts] for i in ROUNDS], axis=1)
    return Counts(
        scores=scores,
        tests=tests,
        marked_tests={
            i: intuitiveness(scores[i], simple=printed.SETS[ALL_DIMENSIONS], tested=complex_metrics, seed=seed)
            for i in ("1", "10")
        },
        unanimity_tests=unanimity_tests,
        by_algorithm_2={i: unanimity(s, variant="printed", **settings) for i, s in scores.items()},
        test_wins=np.stack([tests[i].wins("binomial")[:, without_efforts] for i in ROUNDS], axis=1),
        unanimity_wins=np.concatenate([by_unanimity, of_2015[None]]),
        correct_2015=correct,
        p_2015=p,
        disagreement_2015=disagreement,
    )


def table_1(result: Intuitiveness, year: int = 0) -> dict[tuple[str, str], str]:
    """The cells of Table 1 for every two metrics: both shares, marked if better, and the rate of disagreement."""
    share, rate = result.shares()[year, 0], result.disagreement_rate()[year, 0]
    beats = result.beats("binomial")[year, 0]
    names = printed.METRICS

    def marked_share(a: int, b: int) -> str:
        return f"{share[a, b]:.4f}{'+' if beats[a, b] else ''}"

    return {
        (names[a], names[b]): f"{marked_share(a, b)}/{marked_share(b, a)} ({100 * rate[a, b]:.2f}%)"
        for a, b in itertools.combinations(range(len(names)), 2)
    }


def table_1_matches(counts: Counts, rbu: str = "rbu_0.990_0.050", time_is_cost: bool = False) -> int:
    """How many of the 42 cells of Table 1 match, with other parameters of RBU, or with the sign of time reversed."""
    same = 0
    for iteration in ("1", "10"):
        scores = counts.scores[iteration]
        if time_is_cost:
            scores = replace(scores, values=np.where(np.array(scores.metrics) == "ttime", -1, 1) * scores.values)
        metrics = [*list(printed.COMPLEX.values())[:-1], rbu]
        result = intuitiveness(scores, simple=printed.SETS[ALL_DIMENSIONS], tested=tuple(metrics), trials=1)
        ours, published = table_1(result), printed.table_1(iteration)
        same += sum(ours[pair] == published[pair] for pair in published)
    return same


def correlation(first: Ints, second: Ints, exact: bool = False) -> tuple[str, float, float]:
    """Spearman's rho of two rankings as Table 4 prints it, rho itself, and p."""
    rho, p = rank_agreement(first, second, exact=exact)
    return f"{rho:.2f}" + ("*" if p < 0.05 else ""), float(rho), float(p)


def _rows(published: Published, file: DataFile) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(published.content(file).decode())))


def _tests_of_2015(published: Published) -> tuple[Ints, Floats, Floats]:
    """[round, metric, other] Cases won, p of the sign test, and shares of disagreements, from the authors' counts."""
    place = {name: m for m, name in enumerate(printed.COMPLEX.values())}
    correct, rate = np.zeros((2, len(ROUNDS), len(place), len(place)))
    for row in _rows(published, printed.FILES["TESTS_2015"]):
        if row["left"] in place and row["right"] in place:
            cell = (int(row["iteration"]) - 1, place[row["left"]], place[row["right"]])
            correct[cell] = float(row["left_disagree_wins"])
            rate[cell] = float(row["disagree_count"]) / float(row["total"])
    others = correct.swapaxes(1, 2)
    return correct.astype(np.int64), binomial_sign(np.maximum(correct, others), correct + others), rate


def _unanimity_of_2015(published: Published) -> Ints:
    """[round, set, metric] The number of other metrics that each exceeds, from the authors' values."""
    value = {
        (row["iteration"], row["dimensions"], row["metric"]): float(row["mu"])
        for row in _rows(published, printed.FILES["UNANIMITY_2015"])
    }
    names, sets = printed.COMPLEX.values(), ["+".join(simple) for simple in printed.SETS.values()]
    mu = np.array([[[value[i, simple, name] for name in names] for simple in sets] for i in ROUNDS])
    return (mu[..., :, None] > mu[..., None, :]).sum(axis=3)
