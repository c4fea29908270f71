"""The claims of Albahem et al. (2019), one by one, against the recomputed counts."""

from collections.abc import Iterator

import numpy as np

from irassay.arrays import Floats
from irassay.papers.albahem2019 import tables as printed
from irassay.papers.albahem2019.counts import ROUNDS, WHOLE, YEARS, Counts, correlation, table_1_matches
from irassay.papers.albahem2019.ranks import rank_claims
from irassay.papers.reproduction import CheckedClaim, checked_claim

SETS, METRICS = tuple(printed.SETS), printed.METRICS


def checked_claims(counts: Counts) -> tuple[CheckedClaim, ...]:
    """What became of each claim."""
    return (
        *_table_1(counts),
        *rank_claims(counts),
        _efforts(counts),
        *_unanimity(counts),
        *_table_4(counts),
        *_errata(counts),
    )


def _place(name: str) -> int:
    return METRICS.index(name)


def _table_1(counts: Counts) -> Iterator[CheckedClaim]:
    beats = {i: counts.marked[i].beats("binomial")[0, 0] for i in ("1", "10")}
    clustered = {i: counts.marked[i].beats("topics")[0, 0] for i in ("1", "10")}
    share = {i: counts.marked[i].shares()[0, 0] for i in ("1", "10")}
    n, r = _place("nCT"), _place("RBU")
    rivals = [_place("α-nDCG"), _place("nERR-IA")]
    won, lost, kept = (
        sum(int(matrix[pick].sum()) for matrix in of.values())
        for of, pick in ((beats, (n, rivals)), (beats, (rivals, n)), (clustered, (n, rivals)))
    )
    marks = sum(int(matrix.sum()) for matrix in beats.values())
    stand = sum(int((beats[i] & clustered[i]).sum()) for i in beats)
    runs = sum(int((beats[i] & counts.marked[i].beats("runs")[0, 0]).sum()) for i in beats)
    yield checked_claim(
        "nCT is usually significantly more intuitive than α-nDCG and nERR-IA, which leave effort out, and never "
        "significantly less (2016).",
        won >= 3 and lost == 0,
        f"At iterations 1 and 10 it wins {won} of 4 comparisons and loses {lost} by the paper's sign test; with "
        f"topics as clusters it wins {kept}.",
    )
    yield checked_claim(
        "Of the metrics of all dimensions, nCT is more intuitive than RBU at iteration 1, significantly so at 10.",
        bool(share["1"][n, r] > share["1"][r, n] and beats["10"][n, r]),
        f"At iteration 1 nCT has {share['1'][n, r]:.4f} and RBU {share['1'][r, n]:.4f}, so that RBU is ahead, in "
        f"the printed Table 1 too; at iteration 10 they have {share['10'][n, r]:.4f} and {share['10'][r, n]:.4f}.",
    )
    yield _other_years(counts)
    yield _disagreement(counts)
    yield checked_claim(
        "The differences marked + are significant.",
        stand == marks,
        f"The sign test takes every pair of runs on every topic for an independent case. Of {marks} marks {stand} "
        f"stand when the cases of a topic change sides together, and {runs} by a jackknife over runs and topics.",
    )


def _other_years(counts: Counts) -> CheckedClaim:
    n, s = _place("nCT"), SETS.index(WHOLE)
    said, lost = [], 0
    for y, year in enumerate(YEARS):
        beats = [counts.tests[i].beats("binomial")[y, s] for i in ("1", "10")]
        against = [[METRICS[m] for m in np.flatnonzero(matrix[:, n])] for matrix in beats]
        lost += sum(map(len, against)) if year != "2016" else 0
        named = ", ".join(dict.fromkeys(name for names in against for name in names)) or "none"
        said.append(f"{year}: {sum(int(matrix[n].sum()) for matrix in beats)} wins of 12, lost to {named}")
    beats_2015 = counts.beats_2015[[0, -1]]
    wins, losses = int(beats_2015[:, n].sum()), int(beats_2015[:, :, n].sum())
    return checked_claim(
        "Trends are consistent in the other years.",
        lost + losses == 0,
        f"nCT against all others at iterations 1 and 10, all three dimensions: {'; '.join(said)}; 2015, by the "
        f"authors' counts: {wins} wins of 12, {losses} losses.",
    )


def _disagreement(counts: Counts) -> CheckedClaim:
    pair = np.triu_indices(len(METRICS), k=1)
    by_year: dict[str, list[Floats]] = {
        year: [counts.tests[i].disagreement_rate()[y, 0][pair] for i in ("1", "10")] for y, year in enumerate(YEARS)
    }
    by_year["2015"] = [counts.disagreement_2015[i][pair] for i in (0, -1)]
    more = {year: int((late > early).sum()) for year, (early, late) in by_year.items()}
    return checked_claim(
        "Metrics disagree more at iteration 10 than at iteration 1.",
        all(count > len(pair[0]) / 2 for count in more.values()),
        "Mean share of cases over all pairs of metrics, and pairs with more: "
        + "; ".join(
            f"{year} {early.mean():.1%} and {late.mean():.1%}, {more[year]} of {len(pair[0])}"
            for year, (early, late) in by_year.items()
        )
        + ".",
    )


def _efforts(counts: Counts) -> CheckedClaim:
    a, b = _place("nCT"), _place("nEU")
    agrees: dict[str, tuple[int, int, int]] = {}
    for s, name in enumerate(printed.EFFORTS, start=len(SETS)):
        correct = np.stack([counts.tests[i].correct[:, s] for i in ROUNDS])  # [round, year, metric, other]
        for_nct, for_neu = correct[:, :, a, b], correct[:, :, b, a]
        agrees[name] = (int(for_nct.sum()), int(for_neu.sum()), int((for_nct > for_neu).sum()))
    total = len(ROUNDS) * len(YEARS)
    by_iteration = all(agrees[name][0] > agrees[name][1] for name in ("r-it", "neg-it"))
    return checked_claim(
        "As measures of effort, r-it and neg-it agree with nCT more than with nEU, tot-time with nEU more than nCT.",
        by_iteration and agrees["tot-time"][1] > agrees["tot-time"][0],
        "Where nCT and nEU disagree, 2016 and 2017, all iterations: "
        + "; ".join(
            f"{name} sides {for_nct:,} times with nCT and {for_neu:,} with nEU (nCT ahead in {ahead} of {total} rounds)"
            for name, (for_nct, for_neu, ahead) in agrees.items()
        )
        + ". r-it and neg-it order runs in the same way.",
    )


def _unanimity(counts: Counts) -> Iterator[CheckedClaim]:
    ranks = {column: counts.unanimity_ranks(column) for column in printed.COLUMNS}
    whole, rel = SETS.index(WHOLE), SETS.index("Rel")
    top = {name: [int(ranks[column][whole, _place(name)]) for column in printed.COLUMNS] for name in ("nCT", "RBU")}
    relevant = [int(ranks[column][rel, _place("nCT")]) for column in printed.COLUMNS]
    yield checked_claim(
        "By unanimity with all dimensions, nCT and RBU rank before the others.",
        set(top["nCT"]) == {1} and set(top["RBU"]) == {2},
        f"Ranks at iterations 1, 3, 10 and over all: nCT {', '.join(map(str, top['nCT']))}, RBU "
        f"{', '.join(map(str, top['RBU']))}.",
    )
    yield checked_claim(
        "By unanimity with relevance, nCT ranks first in every iteration.",
        set(relevant) == {1},
        f"Ranks at iterations 1, 3, 10 and over all: {', '.join(map(str, relevant))}.",
    )


def _table_4(counts: Counts) -> Iterator[CheckedClaim]:
    found = {
        (chosen, column): (np.array(printed.ranks(printed.TABLE_2, chosen, column)), counts.unanimity_ranks(column)[s])
        for s, chosen in enumerate(SETS)
        for column in printed.COLUMNS
    }
    rho = {key: correlation(*both)[1] for key, both in found.items()}
    starred = [key for key, both in found.items() if correlation(*both)[2] < 0.05]
    exact = [key for key in starred if correlation(*found[key], exact=True)[2] < 0.05]
    strong = [rho[chosen, column] for chosen in ("Div", "Eff", WHOLE) for column in printed.COLUMNS]
    falling = {c: [rho[c, column] for column in ("1", "3", "10")] for c in ("Rel and Div", WHOLE)}
    yearly = {
        year: [
            correlation(counts.test_ranks(column, y)[s], counts.unanimity_ranks(column, y)[s])[2] < 0.05
            for column in printed.COLUMNS
            for s in range(len(SETS))
        ]
        for y, year in enumerate(YEARS)
    }
    of_2015 = [
        correlation(counts.ranks_of_2015(column), counts.unanimity_ranks(column, len(YEARS))[-1])[2] < 0.05
        for column in printed.COLUMNS
    ]
    whole = {"2015": sum(of_2015), **{year: sum(many[len(SETS) - 1 :: len(SETS)]) for year, many in yearly.items()}}
    yield checked_claim(
        "For diversity, effort and all three dimensions, every correlation of the two rankings is 0.6 or more.",
        min(strong) >= 0.6,
        f"The least is {min(strong):.3f}.",
    )
    yield checked_claim(
        "For two dimensions or more, correlations are higher in early iterations than in later ones.",
        all(values[0] > values[1] > values[2] for values in falling.values()),
        "; ".join(f"{c}: {', '.join(f'{value:.2f}' for value in values)}" for c, values in falling.items()) + ".",
    )
    yield checked_claim(
        "Significant correlations are more frequent in 2015 and 2016 than in 2017.",
        sum(yearly["2016"]) > sum(yearly["2017"]) and whole["2015"] > whole["2017"],
        f"2016: {sum(yearly['2016'])} of {len(yearly['2016'])}, 2017: {sum(yearly['2017'])} of "
        f"{len(yearly['2017'])}. Of 2015 only all three dimensions can be checked: {whole['2015']} of "
        f"{len(of_2015)}, and {whole['2016']} and {whole['2017']} in 2016 and 2017.",
    )
    yield checked_claim(
        "The two frameworks agree to a high degree.",
        len(exact) > len(found) / 2,
        f"{len(starred)} of {len(found)} correlations have p < .05 by the t approximation for seven metrics, "
        f"{len(exact)} by every order of seven; the median rho is {np.median(list(rho.values())):.2f}.",
    )


def _errata(counts: Counts) -> Iterator[CheckedClaim]:
    same = np.stack([counts.unanimous[i].beats() == counts.printed[i].beats() for i in ROUNDS])[:, :, : len(SETS)]
    differ, every = int((~same.all(axis=(3, 4))).sum()), same[..., 0, 0].size
    turned, kept = table_1_matches(counts, time_is_cost=True), table_1_matches(counts)
    yield checked_claim(
        "Unanimity is computed by Algorithm 2.",
        differ == 0,
        f"The published values, and Table 3, come from the authors' program, which counts either order of a pair, "
        f"and half of all cases for the metric whatever its ties. Algorithm 2 as printed orders metrics otherwise "
        f"in {differ} of {every} cases (2016 and 2017, ten iterations, five sets).",
    )
    yield checked_claim(
        "tot-time is used as its formula has it, a sum of seconds.",
        turned == 42,
        f"The scores hold seconds with a minus, more being better; with the sign of the formula {turned} of the 42 "
        f"cells of Table 1 come out, with the minus {kept}.",
    )
