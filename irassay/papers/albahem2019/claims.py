"""The claims of Albahem et al. (2019), each checked against the recomputed counts."""

from collections.abc import Iterator

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.papers.albahem2019 import tables as printed
from irassay.papers.albahem2019.counts import (
    ALL_DIMENSIONS,
    RANKED_SETS,
    ROUNDS,
    YEARS,
    Counts,
    correlation,
    table_1_matches,
)
from irassay.papers.albahem2019.ranks import rank_claims
from irassay.papers.reproduction import CheckedClaim, checked_claim

STRONG_RHO = 0.6  # the correlation from which the paper calls rankings strongly correlated
SETS, METRICS = tuple(printed.SETS), printed.METRICS


def checked_claims(counts: Counts) -> tuple[CheckedClaim, ...]:
    """Every claim with its verdict."""
    parts = (_table_1, rank_claims, _efforts, _unanimity, _table_4, _footnote_5, _errata)
    return tuple(claim for part in parts for claim in part(counts))


def _column_of(name: str) -> int:
    return METRICS.index(name)


def _table_1(counts: Counts) -> Iterator[CheckedClaim]:
    y = counts.years.index("2016")
    beats = {i: counts.marked_tests[i].beats("binomial")[y, 0] for i in ("1", "10")}
    clustered = {i: counts.marked_tests[i].beats("topics")[y, 0] for i in ("1", "10")}
    share = {i: counts.marked_tests[i].shares()[y, 0] for i in ("1", "10")}
    n, r = _column_of("nCT"), _column_of("RBU")
    rivals = [_column_of("α-nDCG"), _column_of("nERR-IA")]
    won, lost, won_by_topic = (
        sum(int(matrix[pick].sum()) for matrix in matrices.values())
        for matrices, pick in ((beats, (n, rivals)), (beats, (rivals, n)), (clustered, (n, rivals)))
    )
    marks = sum(int(matrix.sum()) for matrix in beats.values())
    confirmed = sum(int((beats[i] & clustered[i]).sum()) for i in beats)
    confirmed_by_runs = sum(int((beats[i] & counts.marked_tests[i].beats("runs")[y, 0]).sum()) for i in beats)
    yield checked_claim(
        "nCT is usually significantly more intuitive than α-nDCG and nERR-IA, which ignore effort, and never "
        "significantly less (2016).",
        won >= 3 and lost == 0,
        f"At iterations 1 and 10 it wins {won} of 4 comparisons and loses {lost} by the paper's sign test; with "
        f"topics as clusters it wins {won_by_topic}.",
    )
    yield checked_claim(
        "Of the metrics that cover all dimensions, nCT is more intuitive than RBU at iteration 1, and significantly so "
        "at 10.",
        bool(share["1"][n, r] > share["1"][r, n] and beats["10"][n, r]),
        f"At iteration 1 nCT has {share['1'][n, r]:.4f} and RBU {share['1'][r, n]:.4f}, so RBU is ahead, also in "
        f"the printed Table 1; at iteration 10 they have {share['10'][n, r]:.4f} and {share['10'][r, n]:.4f}.",
    )
    yield _other_years(counts)
    yield _disagreement(counts)
    yield checked_claim(
        "The differences marked + are significant.",
        confirmed == marks,
        "The sign test treats every pair of runs on every topic as an independent case. Of "
        f"{marks} marks {confirmed} remain if all cases of a topic change sides together, and {confirmed_by_runs} by a "
        "jackknife over runs and topics.",
    )


def _other_years(counts: Counts) -> CheckedClaim:
    n, s = _column_of("nCT"), SETS.index(ALL_DIMENSIONS)
    summaries, lost = [], 0
    for year in YEARS:
        beats = [counts.tests[i].beats("binomial")[counts.years.index(year), s] for i in ("1", "10")]
        winners = [[METRICS[m] for m in np.flatnonzero(matrix[:, n])] for matrix in beats]
        lost += sum(map(len, winners)) if year != "2016" else 0
        winner_names = ", ".join(dict.fromkeys(name for names in winners for name in names)) or "none"
        summaries.append(f"{year}: {sum(int(matrix[n].sum()) for matrix in beats)} wins of 12, lost to {winner_names}")
    beats_2015 = counts.beats_2015[[0, -1]]
    source = "2015" if counts.has_2015 else "2015, by the authors' counts"
    wins, losses = int(beats_2015[:, n].sum()), int(beats_2015[:, :, n].sum())
    return checked_claim(
        "Trends are consistent in the other years.",
        lost + losses == 0,
        f"nCT against all others at iterations 1 and 10, all three dimensions: {'; '.join(summaries)}; {source}: "
        f"{wins} wins of 12, {losses} losses.",
    )


def _disagreement(counts: Counts) -> CheckedClaim:
    pair = np.triu_indices(len(METRICS), k=1)
    first, last = (counts.disagreement(i) for i in ("1", "10"))
    by_year: dict[str, list[Floats]] = {year: [first[year][pair], last[year][pair]] for year in first}
    more = {year: int((late > early).sum()) for year, (early, late) in by_year.items()}
    return checked_claim(
        "Metrics disagree more at iteration 10 than at iteration 1.",
        all(count > len(pair[0]) / 2 for count in more.values()),
        "Mean share of cases over all pairs of metrics, and the number of pairs with a larger share: "
        + "; ".join(
            f"{year} {early.mean():.1%} and {late.mean():.1%}, {more[year]} of {len(pair[0])}"
            for year, (early, late) in by_year.items()
        )
        + ".",
    )


def _efforts(counts: Counts) -> Iterator[CheckedClaim]:
    a, b = _column_of("nCT"), _column_of("nEU")
    agreements: dict[str, tuple[int, int, int]] = {}
    for s, name in enumerate(printed.EFFORTS, start=len(RANKED_SETS)):
        correct = np.stack([counts.tests[i].correct[:, s] for i in ROUNDS])  # [round, year, metric, other]
        for_nct, for_neu = correct[:, :, a, b], correct[:, :, b, a]
        agreements[name] = (int(for_nct.sum()), int(for_neu.sum()), int((for_nct > for_neu).sum()))
    total = len(ROUNDS) * len(counts.years)
    by_iteration = all(agreements[name][0] > agreements[name][1] for name in ("r-it", "neg-it"))
    yield checked_claim(
        "As simple metrics of effort, r-it and neg-it agree more with nCT than with nEU, and tot-time more with nEU.",
        by_iteration and agreements["tot-time"][1] > agreements["tot-time"][0],
        f"Where nCT and nEU disagree, {counts.years_phrase.removesuffix(' alone')}, all iterations: "
        + "; ".join(
            f"{name} sides {for_nct:,} times with nCT and {for_neu:,} with nEU (nCT ahead in {ahead} of {total} rounds)"
            for name, (for_nct, for_neu, ahead) in agreements.items()
        )
        + ". r-it and neg-it give the same order of runs.",
    )


def _unanimity(counts: Counts) -> Iterator[CheckedClaim]:
    ranks = {column: counts.unanimity_ranks(column) for column in printed.COLUMNS}
    full, rel = SETS.index(ALL_DIMENSIONS), SETS.index("Rel")
    leaders = {
        name: [int(ranks[column][full, _column_of(name)]) for column in printed.COLUMNS] for name in ("nCT", "RBU")
    }
    relevance_ranks = [int(ranks[column][rel, _column_of("nCT")]) for column in printed.COLUMNS]
    yield checked_claim(
        "By unanimity with all dimensions, nCT and RBU rank ahead of the others.",
        set(leaders["nCT"]) == {1} and set(leaders["RBU"]) == {2},
        f"Ranks at iterations 1, 3, 10 and over all: nCT {', '.join(map(str, leaders['nCT']))}, RBU "
        f"{', '.join(map(str, leaders['RBU']))}.",
    )
    yield checked_claim(
        "By unanimity with relevance, nCT ranks first in every iteration.",
        set(relevance_ranks) == {1},
        f"Ranks at iterations 1, 3, 10 and over all: {', '.join(map(str, relevance_ranks))}.",
    )


def _table_4(counts: Counts) -> Iterator[CheckedClaim]:
    rankings = {
        (name, column): (counts.table_2_ranks(name, column), counts.unanimity_ranks(column)[s])
        for s, name in enumerate(SETS)
        for column in printed.COLUMNS
    }
    rho = {key: correlation(*both)[1] for key, both in rankings.items()}
    starred = [key for key, both in rankings.items() if correlation(*both)[2] < 0.05]
    exact = [key for key in starred if correlation(*rankings[key], exact=True)[2] < 0.05]
    strong = [rho[name, column] for name in ("Div", "Eff", ALL_DIMENSIONS) for column in printed.COLUMNS]
    by_iteration = {c: [rho[c, column] for column in ("1", "3", "10")] for c in ("Rel and Div", ALL_DIMENSIONS)}
    yearly = {
        year: [
            correlation(counts.test_ranks(column, y)[s], counts.unanimity_ranks(column, y)[s])[2] < 0.05
            for column in printed.COLUMNS
            for s in range(len(SETS))
        ]
        for y, year in enumerate(counts.years)
    }
    of_2015 = [
        correlation(counts.ranks_of_2015(column), counts.unanimity_ranks(column, len(YEARS))[-1])[2] < 0.05
        for column in printed.COLUMNS
    ]
    full_set = {year: sum(tests[len(SETS) - 1 :: len(SETS)]) for year, tests in yearly.items()}
    full_set["2015"] = sum(of_2015)
    shares = ", ".join(f"{year}: {sum(tests)} of {len(tests)}" for year, tests in sorted(yearly.items()))
    partly = (
        f" For 2015 only all three dimensions can be checked: {full_set['2015']} of {len(of_2015)}, compared with "
        f"{full_set['2016']} and {full_set['2017']} in 2016 and 2017."
    )
    earlier = yearly.get("2015", yearly["2016"])
    yield checked_claim(
        "For diversity, effort and all three dimensions, every correlation between the two rankings is 0.6 or more.",
        min(strong) >= 0.6,
        f"The lowest is {min(strong):.3f}.",
    )
    yield checked_claim(
        "For two dimensions or more, correlations are higher in early iterations than in later ones.",
        all(values[0] > values[1] > values[2] for values in by_iteration.values()),
        "; ".join(f"{c}: {', '.join(f'{value:.2f}' for value in values)}" for c, values in by_iteration.items()) + ".",
    )
    yield checked_claim(
        "Significant correlations are more frequent in 2015 and 2016 than in 2017.",
        min(sum(yearly["2016"]), sum(earlier)) > sum(yearly["2017"])
        and (counts.has_2015 or full_set["2015"] > full_set["2017"]),
        f"{shares}.{'' if counts.has_2015 else partly}",
    )
    yield checked_claim(
        "The two frameworks agree to a high degree.",
        len(exact) > len(rankings) / 2,
        f"{len(starred)} of {len(rankings)} correlations have p < .05 by the t approximation for seven metrics, "
        f"{len(exact)} by the exact permutation test; the median rho is {np.median(list(rho.values())):.2f}.",
    )


def _footnote_5(counts: Counts) -> Iterator[CheckedClaim]:
    """Whether the rankings that footnote 5 mentions but does not show agree with those that the paper shows."""

    def claim(text: str, pairs: list[tuple[Ints, Ints]], compared: str) -> CheckedClaim:
        """Whether most correlations are what the paper calls strong; None if only two years deny it."""
        rhos = [correlation(*pair)[1] for pair in pairs]
        strong = sum(rho >= STRONG_RHO for rho in rhos)
        holds = strong > len(rhos) / 2
        return checked_claim(
            text,
            holds if counts.has_2015 else holds or None,
            f"{compared}: rho is {STRONG_RHO} or more, which the paper calls strong, in {strong} of {len(rhos)} cases, "
            f"and {min(rhos):.2f} at worst ({counts.years_phrase}).",
        )

    ranks = counts.three_year_ranks
    between = [i for i in ROUNDS if i not in printed.COLUMNS]
    yield claim(
        "At other iterations the trends are the same (footnote 5).",
        [(ranks(name, i), ranks(name, "All")) for name in SETS for i in between],
        f"Ranks at iterations {', '.join(between)} against those over all",
    )
    yield claim(
        "For other combinations of dimensions the trends are the same (footnote 5).",
        [(ranks(name, c), ranks(ALL_DIMENSIONS, c)) for name in printed.OTHER_SETS for c in printed.COLUMNS],
        f"Ranks for {' and for '.join(printed.OTHER_SETS)} against those for all dimensions",
    )
    yield claim(
        "Without regard to significance the trends are the same (footnote 5).",
        [(ranks(name, c), ranks(name, c, significant=False)) for name in SETS for c in printed.COLUMNS],
        "Ranks with and without significance for five sets at iterations 1, 3, 10 and over all",
    )


def _errata(counts: Counts) -> Iterator[CheckedClaim]:
    same = np.stack([counts.unanimity_tests[i].beats() == counts.by_algorithm_2[i].beats() for i in ROUNDS])
    same = same[:, :, : len(SETS)]  # without the efforts
    different, total = int((~same.all(axis=(3, 4))).sum()), same[..., 0, 0].size
    as_formula, as_minus = table_1_matches(counts, time_is_cost=True), table_1_matches(counts)
    yield checked_claim(
        "Unanimity is computed by Algorithm 2.",
        different == 0,
        "The published values, and Table 3, come from the authors' program, which counts both orders of a pair, and "
        "half of all cases in favour of the metric whatever its ties. Algorithm 2 as printed orders metrics "
        f"differently in {different} of {total} cases ({counts.years_phrase.removesuffix(' alone')}, ten iterations, "
        "five sets).",
    )
    yield checked_claim(
        "tot-time is used as in its formula, a sum of seconds.",
        as_formula == 42,
        "The published scores contain seconds with a minus sign, so that higher is better; with the sign of the "
        f"formula {as_formula} of the 42 cells of Table 1 match, with the minus {as_minus}.",
    )
