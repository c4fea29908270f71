"""The list of what Chen and Sakai (2023) claim, and what became of each claim."""

from collections.abc import Callable, Iterator
from functools import partial

from irassay.papers.chen2023 import tables as printed
from irassay.papers.chen2023.claims import (
    ALIKE,
    Claim,
    ExaminedCollection,
    Instance,
    Rows,
    Taus,
    between,
    chosen,
    favourable,
    finding,
    leading,
    middling,
    only_for_err,
    shown,
    trailing,
)
from irassay.papers.reproduction import CheckedClaim, checked_claim

NEAR = 0.02  # of a power or an area, what is called much the same
STATIC = ("Precision", "DCG", "RBP")  # browsing without regard to relevance


def taus(
    model: str, wanted: Callable[[str, str], bool], good: Callable[[float], bool], tau: Taus
) -> Iterator[Instance]:
    """tau of certain pairs of aggregations under a model."""
    for (a, b), value in tau.get(model, {}).items():
        if a < b and wanted(a, b):
            yield f"{a} and {b} {value:.3f}", good(value)


def least_alike(model: str, a: str, others: tuple[str, ...], tau: Taus, *, gap: float = 0.0) -> Iterator[Instance]:
    """Each tau of one aggregation with some others is below those among the others, by a gap at least."""
    if model in tau:
        rest = min(value for (x, y), value in tau[model].items() if x in others and y in others)
        most = max(tau[model][a, other] for other in others)
        yield f"{a} with the others at most {most:.3f}, they among themselves at least {rest:.3f}", most < rest - gap


def lowest_mean(model: str, a: str, tau: Taus) -> Iterator[Instance]:
    """On average the aggregation is less similar to the others than any of them."""
    pairs = tau.get(model, {})
    means = {x: sum(v for (y, _), v in pairs.items() if y == x) / (len(printed.AGGREGATIONS) - 1) for x, _ in pairs}
    if means:
        rest = min((value, x) for x, value in means.items() if x != a)
        yield f"mean tau of {a} {means[a]:.3f}, of {rest[1]} {rest[0]:.3f}", means[a] < rest[0]


def same_ranking(tau: Taus) -> Iterator[Instance]:
    """Under static browsing ERG and ETG rank alike, under Precision AVG too."""
    for model, a in (*((model, "ETG") for model in STATIC), ("Precision", "AVG")):
        if model in tau:
            yield f"{model} ERG and {a} {tau[model]['ERG', a]:.3f}", tau[model]["ERG", a] > 1 - 1e-9


def etg_under_err(rows: Rows) -> Iterator[Instance]:
    """Under INST and AP ETG is near ERG or above, under ERR behind AVG and ERR."""
    for model, row in rows.items():
        if model in ("INST", "AP"):
            yield shown(model, row, "ETG", "ERG"), row["ETG"] > row["ERG"] - NEAR
        elif model == "ERR":
            yield shown(model, row, "ETG", "AVG", "ERR"), row["ETG"] < min(row["AVG"], row["ERR"])


def fin_power(rows: Rows) -> Iterator[Instance]:
    """FIN is near ERG or above under RBP and INST, neither first nor last under AP and DCG, last under Precision."""
    for model, row in rows.items():
        if model in ("RBP", "INST"):
            yield shown(model, row, "FIN", "ERG"), row["FIN"] > row["ERG"] - NEAR
        elif model in ("DCG", "AP"):
            yield shown(model, row, "FIN"), min(row.values()) < row["FIN"] < max(row.values())
        elif model == "Precision":
            yield shown(model, row, "FIN"), row["FIN"] == min(row.values())


def fin_consistency(rows: Rows) -> Iterator[Instance]:
    """FIN is last under Precision and third from last under ERR."""
    worse = {"Precision": 0, "ERR": 2}
    for model, row in chosen(worse, rows):
        found = sum(value < row["FIN"] for value in row.values())
        yield f"{shown(model, row, 'FIN')}, {found} worse", found == worse[model]


def pe_elsewhere(rows: Rows) -> Iterator[Instance]:
    """PE lies between FIN and MAX, or above both."""
    for model, row in chosen(("Precision", "DCG", "RBP", "INST"), rows):
        yield shown(model, row, "PE", "FIN", "MAX"), row["PE"] >= min(row["FIN"], row["MAX"])


def similar(tau: float) -> bool:
    """Whether the paper would call rankings similar."""
    return tau >= ALIKE


def trio(a: str, b: str) -> bool:
    """Both are of MAX, FIN and PE."""
    return {a, b} <= {"MAX", "FIN", "PE"}


MAX_BEHIND = {"DCG": 0, "RBP": 0, "INST": 0, "ERR": 0, "AP": 1}  # how many are worse than MAX
CLAIMS = (
    Claim("Under Precision, DCG and RBP, ERG and ETG rank runs alike, under Precision AVG too.", "tau", same_ranking),
    Claim(
        "Under Precision no two aggregations have a tau above .90, but those that rank alike.",
        "tau",
        partial(taus, "Precision", lambda a, b: not {a, b} <= {"ERG", "ETG", "AVG"}, lambda tau: tau <= ALIKE),
    ),
    *(
        Claim(
            f"Under {model}, MAX is less similar to ETG, ERG and FIN than they are to each other.",
            "tau",
            partial(least_alike, model, "MAX", ("ETG", "ERG", "FIN")),
        )
        for model in ("DCG", "RBP")
    ),
    Claim(
        "Under INST, MAX is less similar to ETG and ERG than they are to each other.",
        "tau",
        partial(least_alike, "INST", "MAX", ("ETG", "ERG")),
    ),
    Claim(
        "Under AP, the aggregation ERR ranks runs very differently from all others.",
        "tau",
        partial(least_alike, "AP", "ERR", ("ERG", "ETG", "AVG", "MAX", "FIN", "PE"), gap=0.1),
    ),
    Claim(
        "Under AP, AVG is similar to ERG.", "tau", partial(taus, "AP", lambda a, b: {a, b} == {"AVG", "ERG"}, similar)
    ),
    Claim("Under AP, MAX, FIN and PE are similar to each other.", "tau", partial(taus, "AP", trio, similar)),
    Claim("Under ERR, ETG is the least similar to the others.", "tau", partial(lowest_mean, "ERR", "ETG")),
    Claim(
        "Under ERR, ERG, AVG and ERR are similar to each other, and so are MAX, FIN and PE.",
        "tau",
        partial(taus, "ERR", lambda a, b: trio(a, b) or {a, b} <= {"ERG", "AVG", "ERR"}, similar),
    ),
    *(
        Claim(text, "consistency", cases, spared)
        for text, cases, spared in (
            ("ERG is the most or second most consistent, in all but one of twelve cases.", partial(leading, "ERG"), 1),
            ("ETG is the most or second most consistent, in all but two of twelve cases.", partial(leading, "ETG"), 1),
            (
                "MAX is last or next to last in consistency, in all but one of twelve cases.",
                partial(trailing, "MAX", dict.fromkeys(printed.MODELS, 1)),
                1,
            ),
            ("AVG is overall less consistent than ERG and ETG and more so than MAX.", middling, 1),
            ("FIN is the least consistent under Precision, and third from last under ERR.", fin_consistency, 0),
            ("Under AP and ERR, PE is a compromise of FIN and MAX in consistency.", partial(between, ("AP", "ERR")), 0),
            ("Under the other models PE lies between FIN and MAX or above both.", pe_elsewhere, 0),
            ("The aggregation ERR is consistent under ERR, but not under INST and AP.", partial(only_for_err, 3), 0),
            ("With their canonical aggregation all metrics have a favourable consistency.", favourable, 1),
        )
    ),
    *(
        Claim(text, "curve", cases, spared)
        for text, cases, spared in (
            ("ERG has the best or second best discriminative power in general.", partial(leading, "ERG"), 1),
            ("ETG is as strong as ERG, but under ERR falls behind AVG and ERR.", etg_under_err, 0),
            (
                "MAX is last in power under DCG, RBP, INST and ERR, and next to last under AP.",
                partial(trailing, "MAX", MAX_BEHIND),
                0,
            ),
            ("AVG has less power than ERG and ETG and more than MAX.", middling, 1),
            ("FIN is strong under RBP and INST, mediocre under AP and DCG, and last under Precision.", fin_power, 0),
            ("PE is a compromise of FIN and MAX in power.", partial(between, printed.MODELS), 1),
            (
                "The aggregation ERR is second in power under ERR, and poor under INST and AP.",
                partial(only_for_err, 2),
                0,
            ),
            ("With their canonical aggregation all metrics have good power.", favourable, 1),
        )
    ),
)


def checked_claims(study: ExaminedCollection | None) -> tuple[CheckedClaim, ...]:
    """What became of each claim, on the collection if there is one."""
    return (
        *(finding(claim, study) for claim in CLAIMS),
        _err(study),
        _patience(study),
        _cutoff(study),
        _closer(),
    )


def _err(study: ExaminedCollection | None) -> CheckedClaim:
    claim = "For ERR, the aggregation ERG instead of ERR has more power and a similar ranking of runs (RQ4)."
    under_err = {name: table["ERR"] for name, table in printed.TABLE_3.items()}
    consistent = "; ".join(f"{name}: {row['ERG']:.3f} against {row['ERR']:.3f}" for name, row in under_err.items())
    if study is None:
        tau = printed.taus("WWW3")["ERR"]["ERG", "ERR"]
        said = f"In print, consistency {consistent}, tau on WWW3 {tau:.3f}; Figure 2 has curves without figures."
        return checked_claim(claim, None, said)
    power, curve = study.measured.power["ERR"], study.measured.curve["ERR"]
    tau = study.measured.tau["ERR"]["ERG", "ERR"]
    gap, low, high = study.consistency.difference(study.metric["ERR", "ERG"], study.metric["ERR", "ERR"])
    again = ""
    if study.alternatives is not None:
        confirmed = study.metric["ERR", "ERG"] in study.alternatives.confirmed()
        again = f" Chosen on one half of the topics, it is {'' if confirmed else 'not '}confirmed on the other."
    return checked_claim(
        claim,
        power["ERG"] > power["ERR"] and curve["ERG"] > curve["ERR"] and tau >= ALIKE,
        f"Power {power['ERG']:.3f} against {power['ERR']:.3f}, area above the ASL curve {curve['ERG']:.3f} against "
        f"{curve['ERR']:.3f}, tau {tau:.3f}, consistency {gap:+.3f} "
        f"[{low:+.3f}, {high:+.3f}] with topics as the sample.{again} In print, consistency {consistent}.",
    )


def _patience(study: ExaminedCollection | None) -> CheckedClaim:
    claim = "INST has T = 2.25 (Section 3.1, Figure 1) or T = 2.5 (Tables 1 and 3)."
    said = "The paper gives both values, and its runs are not public, so that which one was used cannot be told."
    here = f" Here the rankings with either have tau = {study.inst_tau:.3f}." if study else ""
    return checked_claim(claim, None, said + here)


def _cutoff(study: ExaminedCollection | None) -> CheckedClaim:
    claim = "Lists are cut at rank 10 (Section 6); what this means for users who would read on is not said."
    found = " and ".join(f"{printed.taus(name)['RBP']['ERG', 'FIN']:.3f}" for name in printed.TABLE_3)
    said = (
        f"Read to infinity, RBP with FIN is RBP with ERG, their tau 1; the paper prints {found}. So whoever is left at "
        "rank 10 was taken to stop there."
    )
    if study is None:
        return checked_claim(claim, True, said)
    stop, on = study.rbp_tau
    here = f" Here tau is {stop:.3f} if they stop, {on:.3f} if they read on."
    return checked_claim(claim, on > 1 - 1e-9 > stop, said + here)


def _closer() -> CheckedClaim:
    means = {
        name: {model: sum(tau.values()) / len(tau) for model, tau in printed.taus(name).items()}
        for name in printed.TABLE_3
    }
    both = {model: (means["WWW3"][model], value) for model, value in means["TR19DL"].items()}
    return checked_claim(
        "Rankings by different aggregations are generally more similar on WWW3 than on TR19DL.",
        all(first > second for first, second in both.values()),
        "Mean tau in print, of the panels that can be read: "
        + "; ".join(f"{model} {first:.3f} and {second:.3f}" for model, (first, second) in both.items())
        + ".",
    )
