"""The two tests of Albahem et al. (2019) on each year of TREC Dynamic Domain, from scores or from published counts."""

import csv
import io
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.io.tables import read_iterations
from irassay.meta.intuitiveness import Intuitiveness, intuitiveness
from irassay.meta.standings import dense_ranks, rank_agreement
from irassay.meta.unanimity import Unanimity, unanimity
from irassay.papers.albahem2019 import tables as printed
from irassay.papers.published import DataFile, Published
from irassay.scores import Scores
from irassay.stats.clustered import binomial_sign

YEARS = ("2016", "2017")  # those with scores
ROUNDS = tuple(map(str, range(1, 11)))
SIMPLE = ("p", "strec", "ttime", "rtime", "ntime")
EVERY = {**printed.SETS, **printed.EFFORTS}
WHOLE = "Rel and Div and Eff"


@dataclass(frozen=True, eq=False)
class Counts:
    """What both tests come to. Rounds are iterations 1 to 10; sets are those of `printed.SETS`, in order."""

    scores: dict[str, Scores]  # by iteration, years being collections
    tests: dict[str, Intuitiveness]  # by iteration, of all sets and the efforts
    marked: dict[str, Intuitiveness]  # at iterations 1 and 10, with tests by topic, of all three dimensions
    unanimous: dict[str, Unanimity]  # by iteration
    printed: dict[str, Unanimity]  # by iteration, by Algorithm 2 as printed
    test_wins: Ints  # [year, round, set, metric] of 2016 and 2017
    unanimity_wins: Ints  # [year, round, set, metric] of 2016, 2017 and 2015
    correct_2015: Ints  # [round, metric, other] cases won in the intuitiveness test, all three dimensions
    p_2015: Floats  # [round, metric, other] of the sign test
    disagreement_2015: Floats  # [round, metric, other] share of cases

    @property
    def beats_2015(self) -> Bools:
        """[round, metric, other] the metric beats the other in 2015, all three dimensions."""
        return (self.correct_2015 > self.correct_2015.swapaxes(1, 2)) & (self.p_2015 < 0.05)

    @property
    def wins_2015(self) -> Ints:
        """[round, metric] how many others the metric beats in 2015."""
        return self.beats_2015.sum(axis=2)

    def test_ranks(self, column: str, year: int | None = None) -> Ints:
        """[set, metric] ranks by intuitiveness of one year, or of both."""
        wins = self.test_wins if year is None else self.test_wins[[year]]
        return dense_ranks(at(wins.sum(axis=0), column))

    def whole_ranks(self, column: str) -> Ints:
        """[metric] ranks by intuitiveness with all three dimensions, over all three years."""
        return dense_ranks(at(self.test_wins.sum(axis=0)[:, -1] + self.wins_2015, column))

    def ranks_of_2015(self, column: str) -> Ints:
        """[metric] ranks by intuitiveness with all three dimensions in 2015."""
        return dense_ranks(at(self.wins_2015, column))

    def unanimity_ranks(self, column: str, year: int | None = None) -> Ints:
        """[set, metric] ranks by unanimity of one year, or of all three."""
        wins = self.unanimity_wins if year is None else self.unanimity_wins[[year]]
        return dense_ranks(at(wins.sum(axis=0), column))


def at(wins: Ints, column: str) -> Ints:
    """The wins [round, ...] at an iteration, or over all."""
    return wins.sum(axis=0) if column == "All" else wins[int(column) - 1]


def counted(published: Published, seed: int = 0) -> Counts:
    """The outcome of both tests on the published files."""
    correct, p, disagreement = _tests_of_2015(published)
    of_2015 = _unanimity_of_2015(published)
    with published.unpacked_folder(printed.FILES["SCORES_2016"], printed.FILES["SCORES_2017"]) as folder:
        paths = [f"{year}={folder / f'trec-all-{year}-evals.csv'}" for year in YEARS]
        scores = read_iterations(paths)
    complex_ones, sets = tuple(printed.COMPLEX.values()), list(EVERY.values())
    how: dict[str, Any] = {"simple": SIMPLE, "tested": complex_ones, "simple_sets": sets, "trials": 1}
    tests = {i: intuitiveness(s, **how) for i, s in scores.items()}
    unanimous = {i: unanimity(s, **how) for i, s in scores.items()}
    chosen = slice(len(printed.SETS))
    by_unanimity = np.stack([unanimous[i].wins()[:, chosen] for i in ROUNDS], axis=1)
    return Counts(
        scores=scores,
        tests=tests,
        marked={
            i: intuitiveness(scores[i], simple=printed.SETS[WHOLE], tested=complex_ones, seed=seed) for i in ("1", "10")
        },
        unanimous=unanimous,
        printed={i: unanimity(s, variant="printed", **how) for i, s in scores.items()},
        test_wins=np.stack([tests[i].wins("binomial")[:, chosen] for i in ROUNDS], axis=1),
        unanimity_wins=np.concatenate([by_unanimity, of_2015[None]]),
        correct_2015=correct,
        p_2015=p,
        disagreement_2015=disagreement,
    )


def table_1(result: Intuitiveness, year: int = 0) -> dict[tuple[str, str], str]:
    """Every two metrics as Table 1 prints them: the shares of both, marked if better, and that of disagreements."""
    share, rate = result.shares()[year, 0], result.disagreement_rate()[year, 0]
    beats = result.beats("binomial")[year, 0]
    names = printed.METRICS

    def shown(a: int, b: int) -> str:
        return f"{share[a, b]:.4f}{'+' if beats[a, b] else ''}"

    return {
        (names[a], names[b]): f"{shown(a, b)}/{shown(b, a)} ({100 * rate[a, b]:.2f}%)"
        for a in range(len(names))
        for b in range(a + 1, len(names))
    }


def table_1_matches(counts: Counts, rbu: str = "rbu_0.990_0.050", time_is_cost: bool = False) -> int:
    """How many of the 42 cells of Table 1 come out, with other parameters of RBU, or with time's sign turned."""
    same = 0
    for iteration in ("1", "10"):
        scores = counts.scores[iteration]
        if time_is_cost:
            scores = replace(scores, values=np.where(np.array(scores.metrics) == "ttime", -1, 1) * scores.values)
        metrics = [*list(printed.COMPLEX.values())[:-1], rbu]
        found = table_1(intuitiveness(scores, simple=printed.SETS[WHOLE], tested=tuple(metrics), trials=1))
        wanted = printed.table_1(iteration)
        same += sum(found[pair] == wanted[pair] for pair in wanted)
    return same


def correlation(first: Ints, second: Ints, exact: bool = False) -> tuple[str, float, float]:
    """Spearman's rho of two rankings as Table 4 prints it, rho itself, and p."""
    rho, p = rank_agreement(first, second, exact=exact)
    return f"{rho:.2f}" + ("*" if p < 0.05 else ""), float(rho), float(p)


def _rows(published: Published, file: DataFile) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(published.content(file).decode())))


def _tests_of_2015(published: Published) -> tuple[Ints, Floats, Floats]:
    """[round, metric, other] cases won, p of the sign test and shares of disagreements, by the authors' counts."""
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
    """[round, set, metric] how many others each metric exceeds, by the authors' values."""
    value = {
        (row["iteration"], row["dimensions"], row["metric"]): float(row["mu"])
        for row in _rows(published, printed.FILES["UNANIMITY_2015"])
    }
    names, sets = printed.COMPLEX.values(), ["+".join(chosen) for chosen in printed.SETS.values()]
    mu = np.array([[[value[i, chosen, name] for name in names] for chosen in sets] for i in ROUNDS])
    return (mu[..., :, None] > mu[..., None, :]).sum(axis=3)
