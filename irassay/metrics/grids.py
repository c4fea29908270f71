"""The sets of metrics that the papers compare, each under one name."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from irassay.errors import InputError
from irassay.metrics.cwl import AGGREGATIONS
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric

EFFORTS = ("", "effort=(0.25,1,1)", "effort='time'")  # static, four times as much for a relevant result, by time

AGGREGATION_PARAMETERS = ("A", "beta", "end", "horizon")  # parameters on what a user takes away, not on how it browses


@dataclass(frozen=True)
class Grid:
    """A named set of metrics, as canonical metric strings."""

    name: str
    cite: str
    metrics: tuple[str, ...]
    canonical: tuple[str, ...] = ()  # those that are a published metric, where the others vary one part of it
    simple: tuple[str, ...] = ()  # those that measure one dimension only, against which the others are tested


def grid(name: str) -> Grid:
    """The grid of this name.

    >>> len(grid("cwla").metrics), grid("cwla").canonical[2]
    (39, "RBP(end='stop')@10")
    """
    if name not in GRIDS:
        raise InputError(f"There is no grid called '{name}'; the grids are {', '.join(GRIDS)}.")
    return GRIDS[name]


def canonical_metrics(metrics: Iterable[str]) -> tuple[str, ...]:
    """Those of the metrics that are canonical in the C/W/L/A grid, where a variant of theirs is present too.

    >>> canonical_metrics(["RBP(end='stop')@10", "RBP(A='MAX',end='stop')@10", "SDCG(end='stop')@10"])
    ("RBP(end='stop')@10",)
    """
    given = list(metrics)
    known = set(GRIDS["cwla"].metrics)
    varied = [browsing_model(metric) for metric in given if metric in known]
    return tuple(m for m in given if m in GRIDS["cwla"].canonical and varied.count(browsing_model(m)) > 1)


def browsing_model(metric: str) -> str:
    """The user model behind a metric, whatever it aggregates and however it ends; '' where we do not know it.

    >>> browsing_model("RBP(p=0.5,A='MAX',end='stop')@10"), browsing_model("ERR@10"), browsing_model("mystery")
    ('RBP(p=0.5)@10', 'ERR@10', '')
    """
    parsed = _known(metric)
    if parsed is None:
        return ""
    kept = tuple((key, value) for key, value in parsed.given if key not in AGGREGATION_PARAMETERS)
    return str(replace(parsed, given=kept))


def aggregation(metric: str) -> str:
    """What the metric's user takes away (ERG, MAX, …); '' where the metric is no user model of ours.

    >>> aggregation("RBP(A='MAX')@10"), aggregation("ERR@10"), aggregation("nDCG@10")
    ('MAX', 'ERR', '')
    """
    parsed = _known(metric)
    return str(parsed.params.get("A") or "") if parsed and parsed.is_model else ""


def _known(metric: str) -> Metric | None:
    try:
        return parse(metric)
    except InputError:
        return None


def _written(name: str, arguments: Iterable[str], cutoff: int) -> str:
    inside = ",".join(filter(None, arguments))
    return name + (f"({inside})" if inside else "") + f"@{cutoff}"


def _cwla() -> Grid:
    """chen2023, Table 1: six browsing models times seven aggregations, without three that are constant."""
    models = {"P": "gain='linear'", "SDCG": "", "RBP": "", "INST": "T=2.25", "AP": "", "ERR": ""}
    metrics, canonical = [], []
    for model, own in models.items():
        for aggregation in AGGREGATIONS:
            if aggregation == "ERR" and model in ("P", "SDCG", "RBP"):
                continue  # without regard to relevance the user stops where the user stops
            unsaid = "" if model == "AP" else "ERR" if model == "ERR" else "ERG"
            said = "" if aggregation == unsaid else f"A='{aggregation}'"
            # AP's user stops within the list by itself; the original ERR has an open end.
            end = "" if model == "AP" or aggregation == unsaid == "ERR" else "end='stop'"
            metrics.append(_written(model, (own, said, end), 10))
            if aggregation == ("ERR" if model == "ERR" else "ERG"):
                canonical.append(metrics[-1])
    return Grid("cwla", "chen2023", tuple(metrics), tuple(canonical))


def _effort() -> Grid:
    """jiang2016, Table 3: twelve metrics with static effort, effort by relevance and effort by time, and five more."""
    metrics = []
    for effort in EFFORTS:
        metrics += [
            _written("P", (effort, "end='list'"), 9),
            _written("AP", (effort,), 9),
            _written("RR", (effort,), 9),
            _written("GP", (effort, "end='list'"), 9),
            _written("GAP", (effort,), 9),
            _written("RBP", ("gain='binary'", effort, "end='list'"), 9),
            _written("RBP", ("p=0.6", "gain='binary'", effort, "end='list'"), 9),
            _written("GRBP", (effort, "end='list'"), 9),
            _written("GRBP", ("p=0.6", effort, "end='list'"), 9),
            _written("ERR", (effort,), 9),
            _written("DCG", (effort, "end='list'", "gain='exp'"), 9),
            _written("nDCG", (effort, "end='list'", "gain='exp'"), 9),
        ]
    metrics += [_written(name, ("dialect='jiang'",), 9) for name in ("TBG", "U", "sDCG", "nsDCG")]
    return Grid("effort", "jiang2016", (*metrics, "esNDCG@9"))


def _dynamic() -> Grid:
    """albahem2019, Table 1: seven metrics of dynamic search after ten iterations, and three simple ones."""
    unit = "unit='iteration'"
    complex_ones = (
        *(_written(name, (), 10) for name in ("ACT", "nCT", "nEU", "nsDCG")),
        *(_written(name, (unit,), 10) for name in ("alpha_nDCG", "nERR_IA")),
        _written("RBU", ("dialect='albahem2019'", "p=0.99", "e=0.05", unit), 10),
    )
    simple = (_written("P", ("end='list'", unit), 10), _written("StRecall", (unit,), 10), _written("TotTime", (), 10))
    return Grid("dynamic", "albahem2019", (*complex_ones, *simple), simple=simple)


GRIDS = {made.name: made for made in (_cwla(), _effort(), _dynamic())}

# What the score tables published with albahem2019 call the metrics of its grid.
PUBLISHED_NAMES = dict(
    zip(
        GRIDS["dynamic"].metrics,
        ("act", "nct", "nEU", "nsDCG", "alpha-nDCG", "nERR-IA", "rbu_0.990_0.050", "p", "strec", "ttime"),
        strict=True,
    )
)
