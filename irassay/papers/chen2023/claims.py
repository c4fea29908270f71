"""The claims of Chen and Sakai (2023), each with its verdict."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from irassay.papers.chen2023 import tables as printed
from irassay.papers.chen2023.claim_rules import (
    SIMILAR_TAU,
    ExaminedCollection,
    Instance,
    PaperClaim,
    Rows,
    Rule,
    Studies,
    Taus,
    between_cases,
    canonical_cases,
    checked_on_collections,
    deciding_studies,
    err_cases,
    labelled_values,
    leading_cases,
    middle_cases,
    rows_of,
    trailing_cases,
)
from irassay.papers.reproduction import CheckedClaim, checked_claim

SIMILAR_POWER = 0.02  # difference in power or area up to which the paper says about the same
STATIC_MODELS = ("Precision", "DCG", "RBP")  # browsing that ignores relevance


def tau_cases(model: str, groups: tuple[set[str], ...], is_within: bool, tau: Taus) -> Iterator[Instance]:
    """Cases of: under a model two aggregations of one group are similar, or those of no group are not."""
    for (a, b), value in tau.get(model, {}).items():
        if a < b and any({a, b} <= group for group in groups) == is_within:
            yield f"{a} and {b} {value:.3f}", value >= SIMILAR_TAU if is_within else value <= SIMILAR_TAU


def least_similar_cases(model: str, a: str, others: tuple[str, ...], gap: float, tau: Taus) -> Iterator[Instance]:
    """Case of: each tau of one aggregation with the others is below those among the others, by at least a gap."""
    if model in tau:
        lowest = min(value for (x, y), value in tau[model].items() if x in others and y in others)
        highest = max(tau[model][a, other] for other in others)
        text = f"{a} with the others at most {highest:.3f}, the others with each other at least {lowest:.3f}"
        yield text, highest < lowest - gap


def lowest_mean_cases(model: str, a: str, tau: Taus) -> Iterator[Instance]:
    """Case of: on average the aggregation is the least similar to the others."""
    pairs = tau.get(model, {})
    means = {x: sum(v for (y, _), v in pairs.items() if y == x) / (len(printed.AGGREGATIONS) - 1) for x, _ in pairs}
    if means:
        value, other = min((value, x) for x, value in means.items() if x != a)
        yield f"mean tau of {a} {means[a]:.3f}, of {other} {value:.3f}", means[a] < value


def same_ranking_cases(tau: Taus) -> Iterator[Instance]:
    """Cases of: under static browsing ERG and ETG give the same ranking, and under Precision AVG does too."""
    for model, a in (*((model, "ETG") for model in STATIC_MODELS), ("Precision", "AVG")):
        if model in tau:
            yield f"{model} ERG and {a} {tau[model]['ERG', a]:.3f}", tau[model]["ERG", a] > 1 - 1e-9


def etg_cases(rows: Rows) -> Iterator[Instance]:
    """Cases of: under INST and AP, ETG is close to ERG or above it; under ERR it is below AVG and ERR."""
    for model, row in rows.items():
        if model in ("INST", "AP"):
            yield labelled_values(model, row, "ETG", "ERG"), row["ETG"] > row["ERG"] - SIMILAR_POWER
        elif model == "ERR":
            yield labelled_values(model, row, "ETG", "AVG", "ERR"), row["ETG"] < min(row["AVG"], row["ERR"])


def fin_power_cases(rows: Rows) -> Iterator[Instance]:
    """Cases of: FIN is about as good as ERG under RBP and INST, average under AP and DCG, last under Precision."""
    for model, row in rows.items():
        if model in ("RBP", "INST"):
            yield labelled_values(model, row, "FIN", "ERG"), row["FIN"] > row["ERG"] - SIMILAR_POWER
        elif model in ("DCG", "AP"):
            yield labelled_values(model, row, "FIN"), min(row.values()) < row["FIN"] < max(row.values())
        elif model == "Precision":
            yield labelled_values(model, row, "FIN"), row["FIN"] == min(row.values())


def fin_consistency_cases(rows: Rows) -> Iterator[Instance]:
    """Cases of: FIN is last under Precision and third from last under ERR."""
    worse = {"Precision": 0, "ERR": 2}
    for model, row in rows_of(worse, rows):
        number = sum(value < row["FIN"] for value in row.values())
        yield f"{labelled_values(model, row, 'FIN')}, {number} worse", number == worse[model]


def pe_cases(rows: Rows) -> Iterator[Instance]:
    """Cases of: PE is between FIN and MAX, or above both."""
    for model, row in rows_of(("Precision", "DCG", "RBP", "INST"), rows):
        yield labelled_values(model, row, "PE", "FIN", "MAX"), row["PE"] >= min(row["FIN"], row["MAX"])


def strict_rule(cases: Callable[..., Iterator[Instance]], *arguments: Any) -> Rule:
    """A rule that holds in every case."""
    return partial(cases, *arguments), 0


def lenient_rule(cases: Callable[..., Iterator[Instance]], *arguments: Any) -> Rule:
    """A rule that may fail in one case of each collection."""
    return partial(cases, *arguments), 1


MAX_FIN_PE = {"MAX", "FIN", "PE"}
WORSE_THAN_MAX = {"DCG": 0, "RBP": 0, "INST": 0, "ERR": 0, "AP": 1}  # how many aggregations
RULES = {  # by quantity and claim
    "tau": {
        "Under Precision no two aggregations have a tau above .90, except those with the same ranking.": strict_rule(
            tau_cases, "Precision", ({"ERG", "ETG", "AVG"},), False
        ),
        "Under DCG, MAX is less similar to ETG, ERG and FIN than they are to each other.": strict_rule(
            least_similar_cases, "DCG", "MAX", ("ETG", "ERG", "FIN"), 0.0
        ),
        "Under RBP, MAX is less similar to ETG, ERG and FIN than they are to each other.": strict_rule(
            least_similar_cases, "RBP", "MAX", ("ETG", "ERG", "FIN"), 0.0
        ),
        "Under INST, MAX is less similar to ETG and ERG than they are to each other.": strict_rule(
            least_similar_cases, "INST", "MAX", ("ETG", "ERG"), 0.0
        ),
        "Under AP, the aggregation ERR ranks runs very differently from all others.": strict_rule(
            least_similar_cases, "AP", "ERR", ("ERG", "ETG", "AVG", "MAX", "FIN", "PE"), 0.1
        ),
        "Under AP, AVG is similar to ERG.": strict_rule(tau_cases, "AP", ({"AVG", "ERG"},), True),
        "Under AP, MAX, FIN and PE are similar to each other.": strict_rule(tau_cases, "AP", (MAX_FIN_PE,), True),
        "Under ERR, ETG is the least similar to the others.": strict_rule(lowest_mean_cases, "ERR", "ETG"),
        "Under ERR, ERG, AVG and ERR are similar to each other, and so are MAX, FIN and PE.": strict_rule(
            tau_cases, "ERR", ({"ERG", "AVG", "ERR"}, MAX_FIN_PE), True
        ),
    },
    "consistency": {
        "ERG is first or second in consistency, in all but one of twelve cases.": lenient_rule(leading_cases, "ERG"),
        "ETG is first or second in consistency, in all but two of twelve cases.": lenient_rule(leading_cases, "ETG"),
        "MAX is last or next to last in consistency, in all but one of twelve cases.": lenient_rule(
            trailing_cases, "MAX", dict.fromkeys(printed.MODELS, 1)
        ),
        "AVG is overall less consistent than ERG and ETG, and more consistent than MAX.": lenient_rule(middle_cases),
        "FIN is the least consistent under Precision, and third from last under ERR.": strict_rule(
            fin_consistency_cases
        ),
        "Under AP and ERR, PE is a compromise between FIN and MAX in consistency.": strict_rule(
            between_cases, ("AP", "ERR")
        ),
        "Under the other models PE is between FIN and MAX or above both.": strict_rule(pe_cases),
        "The aggregation ERR is consistent under ERR, but not under INST and AP.": strict_rule(err_cases, 3),
        "With their canonical aggregation all metrics have good consistency.": lenient_rule(canonical_cases),
    },
    "curve": {
        "ERG has the best or second best discriminative power in general.": lenient_rule(leading_cases, "ERG"),
        "ETG is as strong as ERG, but under ERR falls behind AVG and ERR.": strict_rule(etg_cases),
        "MAX is last in power under DCG, RBP, INST and ERR, and next to last under AP.": strict_rule(
            trailing_cases, "MAX", WORSE_THAN_MAX
        ),
        "AVG has less power than ERG and ETG and more than MAX.": lenient_rule(middle_cases),
        "FIN is strong under RBP and INST, mediocre under AP and DCG, and last under Precision.": strict_rule(
            fin_power_cases
        ),
        "PE is a compromise between FIN and MAX in power.": lenient_rule(between_cases, printed.MODELS),
        "The aggregation ERR is second in power under ERR, and poor under INST and AP.": strict_rule(err_cases, 2),
        "With their canonical aggregation all metrics have good power.": lenient_rule(canonical_cases),
    },
}
CLAIMS = (
    PaperClaim(
        "Under Precision, DCG and RBP, ERG and ETG give the same ranking of runs, and under Precision AVG does too.",
        "tau",
        same_ranking_cases,
    ),
    *(PaperClaim(text, quantity, *rule) for quantity, rules in RULES.items() for text, rule in rules.items()),
)


def checked_claims(studies: Studies) -> tuple[CheckedClaim, ...]:
    """Every claim with its verdict, on the collections if there are any."""
    return (
        *(checked_on_collections(claim, studies) for claim in CLAIMS),
        _err_claim(studies),
        _patience_claim(studies),
        _cutoff_claim(studies),
        _similarity_by_collection(studies),
    )


def _err_claim(studies: Studies) -> CheckedClaim:
    claim = "For ERR, the aggregation ERG instead of ERR has more power and gives a similar ranking of runs (RQ4)."
    under_err = {name: table["ERR"] for name, table in printed.TABLE_3.items()}
    consistencies = "; ".join(f"{name}: {row['ERG']:.3f} against {row['ERR']:.3f}" for name, row in under_err.items())
    if not studies:
        tau = printed.taus("WWW3")["ERR"]["ERG", "ERR"]
        evidence = f"In print, consistency {consistencies}, tau on WWW3 {tau:.3f}; Figure 2 has curves but no figures."
        return checked_claim(claim, None, evidence)
    deciding = deciding_studies(studies)
    outcomes = {name: _err_outcome(study) for name, study in studies.items()}
    evidence = " ".join(f"{f'{name}: ' if name else ''}{text}" for name, (_, text) in outcomes.items())
    return checked_claim(
        claim, all(outcomes[name][0] for name in deciding), f"{evidence} In print, consistency {consistencies}."
    )


def _err_outcome(study: ExaminedCollection) -> tuple[bool, str]:
    """Whether ERG instead of ERR has more power and a similar ranking on a collection, and the figures."""
    power, curve = study.measured.power["ERR"], study.measured.curve["ERR"]
    tau = study.measured.tau["ERR"]["ERG", "ERR"]
    gap, low, high = study.consistency.difference(study.metric["ERR", "ERG"], study.metric["ERR", "ERR"])
    confirmation = ""
    if study.alternatives is not None:
        is_confirmed = study.metric["ERR", "ERG"] in study.alternatives.confirmed()
        confirmation = (
            f" Chosen on one half of the topics, it is {'' if is_confirmed else 'not '}confirmed on the other."
        )
    holds = power["ERG"] > power["ERR"] and curve["ERG"] > curve["ERR"] and tau >= SIMILAR_TAU
    return holds, (
        f"Power {power['ERG']:.3f} against {power['ERR']:.3f}, area above the ASL curve {curve['ERG']:.3f} against "
        f"{curve['ERR']:.3f}, tau {tau:.3f}, consistency {gap:+.3f} "
        f"[{low:+.3f}, {high:+.3f}] with topics as the sample.{confirmation}"
    )


def _patience_claim(studies: Studies) -> CheckedClaim:
    """Which value of T gives the printed taus of INST."""
    claim = "INST has T = 2.25 (Section 3.1, Figure 1) or T = 2.5 (Tables 1 and 3)."
    fits = {
        name: [
            sum(f"{ours[pair]:.3f}" == f"{tau:.3f}" for pair, tau in taus.items()) // 2  # each pair in both orders
            for ours in (study.measured.tau["INST"], study.other_inst_taus)
        ]
        for name, study in studies.items()
        for taus in [printed.taus(name).get("INST", {})]
        if taus
    }
    here = "".join(
        f" {name or 'Here'}: the rankings with the two values have tau = {study.inst_tau:.3f}."
        for name, study in studies.items()
    )
    if not fits:
        evidence = "The paper gives both values; only its own runs of WWW3 can show which one was used."
        return checked_claim(claim, None, evidence + here)
    counts = "; ".join(
        f"{name}: {first} with T = 2.25, {second} with T = 2.5" for name, (first, second) in fits.items()
    )
    decided = all(first != second for first, second in fits.values())
    return checked_claim(claim, True if decided else None, f"Printed taus of INST that match, {counts}.{here}")


def _cutoff_claim(studies: Studies) -> CheckedClaim:
    claim = "Lists are cut at rank 10 (Section 6); the paper does not say what happens to users who would read on."
    taus = " and ".join(f"{printed.taus(name)['RBP']['ERG', 'FIN']:.3f}" for name in printed.TABLE_3)
    evidence = (
        f"If users read on forever, RBP with FIN equals RBP with ERG and their tau is 1, but the paper prints {taus}. "
        "So users left at rank 10 were assumed to stop there."
    )
    here = "".join(
        f" {name or 'Here'}: tau is {study.rbp_tau[0]:.3f} if they stop, {study.rbp_tau[1]:.3f} if they read on."
        for name, study in studies.items()
    )
    pairs = [study.rbp_tau for study in deciding_studies(studies).values()]
    return checked_claim(claim, all(on > 1 - 1e-9 > stop for stop, on in pairs), evidence + here)


def _similarity_by_collection(studies: Studies) -> CheckedClaim:
    is_recomputed = studies.keys() >= printed.TABLE_2.keys()
    taus = {name: studies[name].measured.tau if is_recomputed else printed.taus(name) for name in printed.TABLE_2}
    means = {
        name: {model: sum(tau.values()) / len(tau) for model, tau in by_model.items()}
        for name, by_model in taus.items()
    }
    both = {model: (means["WWW3"][model], value) for model, value in means["TR19DL"].items()}
    return checked_claim(
        "Rankings by different aggregations are generally more similar on WWW3 than on TR19DL.",
        all(first > second for first, second in both.values()),
        f"Mean tau {'recomputed' if is_recomputed else 'in print, of the legible panels'}: "
        + "; ".join(f"{model} {first:.3f} and {second:.3f}" for model, (first, second) in both.items())
        + ".",
    )
