"""The two tests of Albahem et al. (2019) on each year of TREC Dynamic Domain, from scores or published counts."""

import csv
import io
import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.tables import read_iterations
from irassay.meta.intuitiveness import Intuitiveness, intuitiveness
from irassay.meta.unanimity import Unanimity, unanimity
from irassay.meta.wins_by_round import dense_ranks, rank_agreement
from irassay.notes import Note
from irassay.papers.albahem2019 import tables as printed
from irassay.papers.published import DataFile, Published, is_original
from irassay.scores import Scores
from irassay.stats.clusters import binomial_sign

YEARS = ("2016", "2017")  # those whose scores are required
LAST_YEAR = "2015"  # its scores may be missing; it then comes from the authors' counts
ROUNDS = tuple(map(str, range(1, 11)))
SIMPLE = ("p", "strec", "ttime", "rtime", "ntime")
RANKED_SETS = {**printed.SETS, **printed.OTHER_SETS}
ALL_SETS = {**RANKED_SETS, **printed.EFFORTS}
ALL_DIMENSIONS = "Rel and Div and Eff"
NOT_AT_HAND = Note(
    (
        "The scores of 2015 are public, but not at hand: put trec-all-2015-evals.csv (data/evals/trec-dd/2015 of "
        "github.com/aalbahem/ir-eval-meta-analysis) anywhere below the folder of ",
        argument("data"),
        ", or use ",
        argument("fetch"),
        " to download it.",
    )
)
EXPECTED_FORMAT = "the columns and iterations of trec-all-2016-evals.csv"
FULL_SET = list(ALL_SETS).index(ALL_DIMENSIONS)


@dataclass(frozen=True, eq=False)
class Counts:
    """The outcomes of both tests. Rounds are iterations 1 to 10; sets are those of `ALL_SETS`, in order."""

    years: tuple[str, ...]  # with scores: 2016, 2017 and, if its file was found, 2015
    note_2015: str  # where the figures of 2015 come from, and how to get its scores
    has_original_2015: bool  # whether the scores of 2015 are the published ones; True if there are none
    scores: dict[str, Scores]  # by iteration; each year is a collection
    tests: dict[str, Intuitiveness]  # by iteration, for all sets and efforts
    marked_tests: dict[str, Intuitiveness]  # at iterations 1 and 10, with tests by topic, for all three dimensions
    unanimity_tests: dict[str, Unanimity]  # by iteration
    by_algorithm_2: dict[str, Unanimity]  # by iteration, computed by Algorithm 2 as printed
    test_wins: Ints  # [year, round, set, metric] for years with scores
    nominal_wins: Ints  # [year, round, set, metric] the same, significant or not
    unanimity_wins: Ints  # [year, round, set, metric] for 2016, 2017 and 2015; without `OTHER_SETS` and efforts
    correct_2015: Ints  # [round, metric, other] cases won in the intuitiveness test, all three dimensions
    p_2015: Floats  # [round, metric, other] of the sign test
    disagreement_2015: Floats  # [round, metric, other] share of cases

    @property
    def has_2015(self) -> bool:
        """Whether the scores of 2015 were found, so that every set can be ranked over three years."""
        return LAST_YEAR in self.years

    @property
    def years_phrase(self) -> str:
        """The years with scores, in words: 2016 and 2017 alone, or all three years."""
        return "2015, 2016 and 2017" if self.has_2015 else "2016 and 2017 alone"

    @property
    def beats_2015(self) -> Bools:
        """[round, metric, other] Whether the metric beats the other in 2015, for all three dimensions."""
        return self._ahead_2015 & (self.p_2015 < 0.05)

    @property
    def _ahead_2015(self) -> Bools:
        return self.correct_2015 > self.correct_2015.swapaxes(1, 2)

    def test_ranks(self, column: str, year: int | None = None) -> Ints:
        """[set, metric] Ranks by intuitiveness in one year, or in all years with scores."""
        return ranks_in(self.test_wins, column, year)

    def three_year_ranks(self, set_name: str, column: str, significant: bool = True) -> Ints:
        """[metric] Ranks by intuitiveness over all years that can be counted: three for all dimensions together."""
        wins = (self.test_wins if significant else self.nominal_wins).sum(axis=0)[:, list(ALL_SETS).index(set_name)]
        if set_name == ALL_DIMENSIONS and not self.has_2015:
            wins = wins + (self.beats_2015 if significant else self._ahead_2015).sum(axis=2)
        return dense_ranks(wins_at(wins, column))

    def all_dimension_ranks(self, column: str) -> Ints:
        """[metric] Ranks by intuitiveness for all three dimensions, over all three years."""
        return self.three_year_ranks(ALL_DIMENSIONS, column)

    def table_2_ranks(self, set_name: str, column: str) -> Ints:
        """[metric] Ranks by intuitiveness: recomputed if all years have scores, otherwise as printed in Table 2."""
        if self.has_2015:
            return self.three_year_ranks(set_name, column)
        return np.array(printed.ranks(printed.TABLE_2, set_name, column))

    def ranks_of_2015(self, column: str) -> Ints:
        """[metric] Ranks by intuitiveness for all three dimensions, in 2015."""
        return dense_ranks(wins_at(self.beats_2015.sum(axis=2), column))

    def disagreement(self, iteration: str) -> dict[str, Floats]:
        """[metric, other] Share of cases in which two metrics disagree, in each of the three years."""
        rates = dict(zip(self.years, self.tests[iteration].disagreement_rate()[:, 0], strict=True))
        return rates | {LAST_YEAR: self.disagreement_2015[ROUNDS.index(iteration)]}

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
    scores, note_2015, is_published = _scores_by_iteration(published)
    complex_metrics, sets = tuple(printed.COMPLEX.values()), list(ALL_SETS.values())
    settings: dict[str, Any] = {"simple": SIMPLE, "tested": complex_metrics, "simple_sets": sets, "trials": 1}
    tests = {i: intuitiveness(s, **settings) for i, s in scores.items()}
    unanimity_tests = {i: unanimity(s, **settings) for i, s in scores.items()}
    years = tests["1"].collections
    unanimity_wins = np.stack([unanimity_tests[i].wins()[:, : len(printed.SETS)] for i in ROUNDS], axis=1)
    if LAST_YEAR in years:
        y = years.index(LAST_YEAR)
        correct, p, rate = (
            np.stack([values[y, FULL_SET] for values in by_round])
            for by_round in zip(
                *((tests[i].correct, tests[i].binomial, tests[i].disagreement_rate()) for i in ROUNDS), strict=True
            )
        )
    else:
        correct, p, rate = _tests_of_2015(published)
        unanimity_wins = np.concatenate([unanimity_wins, _unanimity_of_2015(published)[None]])
    return Counts(
        years=years,
        note_2015=note_2015,
        has_original_2015=is_published,
        scores=scores,
        tests=tests,
        marked_tests={
            i: intuitiveness(scores[i], simple=printed.SETS[ALL_DIMENSIONS], tested=complex_metrics, seed=seed)
            for i in ("1", "10")
        },
        unanimity_tests=unanimity_tests,
        by_algorithm_2={i: unanimity(s, variant="printed", **settings) for i, s in scores.items()},
        test_wins=np.stack([tests[i].wins("binomial") for i in ROUNDS], axis=1),
        nominal_wins=np.stack([tests[i].wins("none") for i in ROUNDS], axis=1),
        unanimity_wins=unanimity_wins,
        correct_2015=correct,
        p_2015=p,
        disagreement_2015=rate,
    )


def _scores_by_iteration(published: Published) -> tuple[dict[str, Scores], str, bool]:
    """The scores of each iteration, each year as a collection; a note on those of 2015; whether they are published."""
    file = printed.FILES["SCORES_2015"]
    content, problem = published.optional_content(file)
    is_published = content is None or is_original(content, file)
    with published.unpacked_folder(*(printed.FILES[f"SCORES_{year}"] for year in YEARS)) as folder:
        if content is None:
            note = f"The scores of 2015 could not be downloaded: {problem}" if problem else NOT_AT_HAND
        else:
            path = next((path for path in published.used_paths if path.name.startswith(file.name)), file.name)
            _check_columns(str(path), content)
            (folder / file.name).write_bytes(content)
            other = f", which has the right format but is not the published file (Git blob {file.git_blob})"
            note = f"The scores of 2015 were read from {path}{'' if is_published else other}."
        years = YEARS if content is None else (*YEARS, LAST_YEAR)
        scores = read_iterations([f"{year}={folder / f'trec-all-{year}-evals.csv'}" for year in years])
    return scores, note, is_published


def _check_columns(path: str, content: bytes) -> None:
    """Refuse a file of scores of 2015 that has not the columns and iterations of the other years."""
    rows = csv.DictReader(io.StringIO(content.decode(errors="replace")))
    needed = ["run", "iteration", "topic", *SIMPLE, *printed.COMPLEX.values()]
    missing = [name for name in needed if name not in (rows.fieldnames or ())]
    if missing:
        found = f"no column {', '.join(missing)}"
        raise InputError(file=path, line=1, found=found, expected=EXPECTED_FORMAT, fix="use the authors' file")
    absent = sorted(set(ROUNDS) - {row["iteration"] for row in rows}, key=int)
    if absent:
        found = f"no rows of iteration {', '.join(absent)}"
        raise InputError(file=path, found=found, expected=EXPECTED_FORMAT, fix="use the authors' file")


def table_1(result: Intuitiveness) -> dict[tuple[str, str], str]:
    """The cells of Table 1 (2016) for two metrics: both shares, marked if better, and the rate of disagreement."""
    year = result.collections.index("2016")
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
