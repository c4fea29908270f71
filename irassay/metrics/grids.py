"""Grids: the sets of metrics that papers compare, each under one name."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from irassay.errors import InputError
from irassay.metrics.cwl import AGGREGATIONS
from irassay.metrics.grammar import metric_or_none

EFFORTS = ("", "effort=(0.25,1,1)", "effort='time'")  # static, four times as much for relevant results, by time

AGGREGATION_PARAMETERS = ("A", "beta", "end", "horizon")  # they do not change how the user browses


@dataclass(frozen=True)
class Grid:
    """A named set of metrics, as canonical metric strings."""

    name: str
    cite: str
    metrics: tuple[str, ...]
    canonical: tuple[str, ...] = ()  # published metrics, of which the others vary one part
    simple: tuple[str, ...] = ()  # metrics of one dimension, which the others are compared with


def grid(name: str) -> Grid:
    """The grid with this name.

    >>> len(grid("cwla").metrics), grid("cwla").canonical[2]
    (39, "RBP(end='stop')@10")
    """
    if name not in GRIDS:
        raise InputError(f"There is no grid '{name}'; the grids are {', '.join(GRIDS)}.")
    return GRIDS[name]


def canonical_metrics(metrics: Iterable[str]) -> tuple[str, ...]:
    """The metrics that are canonical in the C/W/L/A grid and have a variant among the others.

    >>> canonical_metrics(["RBP(end='stop')@10", "RBP(A='MAX',end='stop')@10", "SDCG(end='stop')@10"])
    ("RBP(end='stop')@10",)
    """
    names = list(metrics)
    in_grid = set(GRIDS["cwla"].metrics)
    varied = [browsing_model(metric) for metric in names if metric in in_grid]
    return tuple(m for m in names if m in GRIDS["cwla"].canonical and varied.count(browsing_model(m)) > 1)


def browsing_model(metric: str) -> str:
    """The user model of a metric, without its aggregation and end; '' if it is unknown.

    >>> browsing_model("RBP(p=0.5,A='MAX',end='stop')@10"), browsing_model("ERR@10"), browsing_model("mystery")
    ('RBP(p=0.5)@10', 'ERR@10', '')
    """
    parsed = metric_or_none(metric)
    if parsed is None:
        return ""
    given = tuple((key, value) for key, value in parsed.given if key not in AGGREGATION_PARAMETERS)
    return str(replace(parsed, given=given))


def aggregation(metric: str) -> str:
    """The aggregation of a metric (ERG, MAX, …); '' if it is not a user model.

    >>> aggregation("RBP(A='MAX')@10"), aggregation("ERR@10"), aggregation("nDCG@10")
    ('MAX', 'ERR', '')
    """
    parsed = metric_or_none(metric)
    return str(parsed.params.get("A") or "") if parsed and parsed.is_model else ""


def _metric_string(name: str, *arguments: str, cutoff: int = 10) -> str:
    inside = ",".join(filter(None, arguments))
    return name + (f"({inside})" if inside else "") + f"@{cutoff}"


def _cwla() -> Grid:
    """chen2023, Table 1: six browsing models times seven aggregations, without three that are constant."""
    models = {"P": "gain='linear'", "SDCG": "", "RBP": "", "INST": "T=2.25", "AP": "", "ERR": ""}
    metrics, canonical = [], []
    for model, own in models.items():
        for aggregation in AGGREGATIONS:
            if aggregation == "ERR" and model in ("P", "SDCG", "RBP"):
                continue  # a user who ignores relevance always stops at the same rank
            default = "" if model == "AP" else "ERR" if model == "ERR" else "ERG"
            choice = "" if aggregation == default else f"A='{aggregation}'"
            # AP's user always stops within the list; the original ERR has an open end.
            end = "" if model == "AP" or aggregation == default == "ERR" else "end='stop'"
            metrics.append(_metric_string(model, own, choice, end))
            if aggregation == ("ERR" if model == "ERR" else "ERG"):
                canonical.append(metrics[-1])
    return Grid("cwla", "chen2023", tuple(metrics), tuple(canonical))


def _effort() -> Grid:
    """jiang2016, Table 3: twelve metrics with static effort, effort by relevance and effort by time, and five more."""
    end, binary, exponential = "end='list'", "gain='binary'", "gain='exp'"
    metrics = [
        _metric_string(name, *arguments, cutoff=9)
        for effort in EFFORTS
        for name, *arguments in (
            ("P", effort, end), ("AP", effort), ("RR", effort), ("GP", effort, end), ("GAP", effort),
            ("RBP", binary, effort, end), ("RBP", "p=0.6", binary, effort, end),
            ("GRBP", effort, end), ("GRBP", "p=0.6", effort, end), ("ERR", effort),
            ("DCG", effort, end, exponential), ("nDCG", effort, end, exponential),
        )
    ]  # fmt: skip
    metrics += [f"{name}(dialect='jiang')@9" for name in ("TBG", "U", "sDCG", "nsDCG")]
    return Grid("effort", "jiang2016", (*metrics, "esNDCG@9"))


def _dynamic() -> Grid:
    """albahem2019, Table 1: seven metrics of dynamic search after ten iterations, and three simple ones."""
    unit = "unit='iteration'"
    complex_ones = (
        *("ACT@10", "nCT@10", "nEU@10", "nsDCG@10", f"alpha_nDCG({unit})@10", f"nERR_IA({unit})@10"),
        f"RBU(dialect='albahem2019',p=0.99,e=0.05,{unit})@10",
    )
    simple = (f"P(end='list',{unit})@10", f"StRecall({unit})@10", "TotTime@10")
    return Grid("dynamic", "albahem2019", (*complex_ones, *simple), simple=simple)


GRIDS = {each.name: each for each in (_cwla(), _effort(), _dynamic())}

# Names of the grid's metrics in the score tables published with albahem2019.
PUBLISHED_NAMES = dict(
    zip(
        GRIDS["dynamic"].metrics,
        ("act", "nct", "nEU", "nsDCG", "alpha-nDCG", "nERR-IA", "rbu_0.990_0.050", "p", "strec", "ttime"),
        strict=True,
    )
)
