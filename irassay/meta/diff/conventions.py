"""Conventions by which tools differ: the values that each may have, in words, and how a list is scored under them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from irassay.arrays import Floats, share
from irassay.errors import InputError
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings
from irassay.rankings.pool import one_aspect_pool
from irassay.rankings.scenarios import condensed, with_results_only

# Conventions in which a tool may differ from the reference, trec_eval 10; fewer once some metrics were not explained.
MAX_CHANGES = (3, 3, 2, 2, 2, 1)
CUTOFFS = (1, 3, 5, 10, 20, 100, 1000)
DEPTHS = (1000, 500, 200, 100, 50, 20, 10, 5)
SHARES = (0.5, 0.0, 0.2, 0.8, 1.0)  # of alpha and beta, for metrics of diversity
IDEALS = ("judged", "retrieved", "retrieved at the cutoff", "uncut")
READING = {  # how runs are read: the reference first
    "ties": ("docid", "docid-asc", "file", "file-reversed", "other"),
    "score_precision": ("double", "single"),
    "order": ("score", "rank", "file"),
    "on_duplicate": ("first", "nonrelevant"),
}
PARAMETERS = ("rel", "gain", "norm", "max_grade", "alpha", "beta")  # conventions that metrics have as parameters
REARRANGED = ("file-reversed", "other")  # orders of equal scores that the readers do not have
TITLES = {
    "order": "order of results",
    "ties": "order of equal scores",
    "score_precision": "precision of the run's scores",
    "on_duplicate": "document listed twice",
    "depth": "depth of lists",
    "cutoff": "cutoff",
    "judged_only": "unjudged results",
    "rel": "lowest relevant grade",
    "gain": "gain",
    "discount": "discount",
    "ideal": "ideal list",
    "norm": "recall base at the cutoff",
    "divisor": "divisor",
    "max_grade": "top of the scale",
    "alpha": "alpha",
    "beta": "beta",
    "missing": "topic without a score",
    "decimals": "precision of the table",
}
WORDS: dict[str, dict[Any, str]] = {
    "order": {"score": "by score", "rank": "by rank", "file": "as in the file"},
    "ties": {
        "docid": "by document id, descending",
        "docid-asc": "by document id, ascending",
        "file": "as in the file",
        "file-reversed": "as in the file, reversed",
        "other": "some other order",
    },
    "score_precision": {"double": "double", "single": "single"},
    "on_duplicate": {"first": "counts once", "nonrelevant": "takes a rank again"},
    "depth": {None: "whole"},
    "cutoff": {None: "none"},
    "judged_only": {
        False: "count as not relevant",
        True: "removed",
        "unlisted": "removed, unless they have a negative grade",
    },
    "gain": {
        "raw": "the grade",
        "linear": "grade / top grade",
        "exp": "2^grade - 1",
        "binary": "1 if relevant",
    },
    "discount": {
        ("log2", 2.0): "1/log2(rank + 1)",
        ("jk", 2.0): "1/log2(rank) from rank 2",
        ("jk", 10.0): "1/log10(rank) from rank 10",
        ("dd", 2.0): "1/(1 + log2(rank))",
        ("dd", 10.0): "1/(1 + log10(rank))",
        ("ln", math.e): "1/ln(rank + 1)",
        ("ln", 10.0): "1/log10(rank + 1)",
    },
    "ideal": {
        "judged": "all judged documents",
        "retrieved": "retrieved documents only",
        "retrieved at the cutoff": "documents retrieved above the cutoff only",
        "uncut": "all judged documents, not cut at the cutoff",
    },
    "norm": {"R": "all relevant documents", "min": "the cutoff, if it is smaller"},
    "divisor": {"": "as defined", "returned": "results returned, if fewer", "cutoff": "the cutoff, if it is smaller"},
    "missing": {"zero": "scored 0", "skip": "left out"},
    "decimals": {None: "full", "single": "single precision"},
}

Choice = tuple[str, Any]  # a convention and its value
Choices = frozenset[Choice]  # those that differ from the reference


def value_words(name: str, value: Any) -> str:
    """The value of a convention in words."""
    known = WORDS.get(name, {})
    if value in known:
        return known[value]
    number = f"{value:g}" if isinstance(value, float) else str(value)
    return {"depth": f"first {number}", "decimals": f"{number} decimals"}.get(name, number)


@dataclass(frozen=True, eq=False)
class ConventionSpace:
    """The conventions that may matter to one metric: the value of each in the reference, then others."""

    metric: Metric
    options: Mapping[str, tuple[Any, ...]]

    def reference(self, name: str) -> Any:
        """The value of a convention in the reference."""
        return (READING.get(name) or self.options[name])[0]

    def value(self, choices: Choices, name: str) -> Any:
        """The value of a convention under these choices."""
        return dict(choices).get(name, self.reference(name))

    def candidates(self, changes: int) -> list[Choices]:
        """Every combination of exactly this many changes that can be scored together."""
        others = {name: values[1:] for name, values in self.options.items() if len(values) > 1}
        candidates = []
        for names in combinations(others, changes):
            if not _fit_together(names):
                continue
            candidates += [
                frozenset(zip(names, values, strict=True)) for values in product(*(others[n] for n in names))
            ]
        return candidates


def _fit_together(names: Sequence[str]) -> bool:
    """Whether changes of these conventions have a meaning together."""
    return not ("order" in names and {"ties", "score_precision"} & {*names})


def convention_space(
    metric: Metric, other: Metric, grades: Sequence[float], longest: int, repeats: bool
) -> ConventionSpace:
    """The conventions that matter to a metric, which another table may call otherwise."""
    params, named = metric.params, other.params
    own = {*metric.meaning.defaults}
    top = max(grades, default=1.0)
    levels = tuple(level for level in sorted({*grades}) if level > 0)
    by_aspect = "aspects" in metric.needs
    options: dict[str, tuple[Any, ...]] = {**READING}
    if not repeats:
        del options["on_duplicate"]
    if by_aspect:  # the order of grades does not give the extreme values
        options["ties"] = tuple(order for order in READING["ties"] if order != "other")
    options["depth"] = (None, *(depth for depth in DEPTHS if depth < longest))
    cutoffs = (metric.cutoff, other.cutoff, None, *(k for k in CUTOFFS if metric.meaning.sized or k <= longest))
    options["cutoff"] = tuple(dict.fromkeys(cutoffs))
    options["judged_only"] = _option_values(params["judged_only"], (False, True, "unlisted"))
    if "rel" in own:
        options["rel"] = _option_values(params["rel"], (named.get("rel", 1), 1, *levels))
    if "gain" in own:
        options["gain"] = _option_values(params["gain"], (named.get("gain", "raw"), "raw", "exp", "binary", "linear"))
    if "discount" in own:
        given = (params["discount"], float(params["b"]))
        plain = () if metric.meaning.normalised else (("ln", math.e), ("ln", 10.0))
        options["discount"] = _option_values(given, (*(d for d in WORDS["discount"] if d[0] != "ln"), *plain))
    if "norm" in own:
        options["norm"] = _option_values(params["norm"], ("R", "min"))
    if "max_grade" in own and top < 4:
        options["max_grade"] = _option_values(
            params["max_grade"] or top, (top, *(g for g in (2.0, 3.0, 4.0) if g > top))
        )
    for name in [each for each in ("alpha", "beta") if by_aspect and each in own]:
        options[name] = _option_values(params[name], (named.get(name, params[name]), *SHARES))
    if "pool" in metric.meaning.needs:
        options["ideal"] = ("judged", "uncut") if by_aspect else IDEALS
    if metric.name in ("P", "R"):
        options["divisor"] = ("", "returned" if metric.name == "P" else "cutoff")
    return ConventionSpace(metric, options)


def _option_values(first: Any, others: Sequence[Any]) -> tuple[Any, ...]:
    """The values of a convention, each once, that of the reference first."""
    return tuple(dict.fromkeys((first, *others)))


def reading_policy(space: ConventionSpace, choices: Choices, policy: JudgingPolicy) -> JudgingPolicy:
    """How runs are read under these choices; runs whose equal scores are ordered otherwise come in that order."""
    values = {name: space.value(choices, name) for name in READING}
    return replace(policy, **values | {"ties": "file" if values["ties"] in REARRANGED else values["ties"]})


def convention_scores(r: Rankings, space: ConventionSpace, choices: Choices) -> Floats | None:
    """[n] the scores of lists, read as chosen, under the other choices; None if the metric cannot have them."""
    chosen = dict(choices)
    metric, cutoff = space.metric, chosen.get("cutoff", space.metric.cutoff)
    try:
        return _setting_scores(r, replace(metric, cutoff=cutoff), chosen)
    except InputError:
        return None


def _setting_scores(r: Rankings, metric: Metric, chosen: Mapping[str, Any]) -> Floats:
    params = {name: chosen[name] for name in PARAMETERS if name in chosen}
    factor: Any = 1.0
    if "discount" in chosen:
        shape, base = chosen["discount"]
        factor = 1 / math.log(2, base) if shape == "ln" else 1.0  # 1/log_b(i + 1) = 1/(log2(i + 1) log_b(2))
        params |= {"discount": "log2", "b": 2.0} if shape == "ln" else {"discount": shape, "b": base}
    metric = metric(**params)
    r = r if chosen.get("depth") is None else r.top(chosen["depth"])
    if removed := chosen.get("judged_only", metric.params["judged_only"]):  # before the list is cut
        r = with_results_only(r, r.judged) if removed == "unlisted" else condensed(r)
    metric = metric(judged_only=False)
    ideal, cut = chosen.get("ideal", "judged"), metric.size
    if ideal in ("retrieved at the cutoff", "uncut") and cut is not None:
        r = r.top(cut)
    if ideal.startswith("retrieved"):
        r = replace(r, pool=one_aspect_pool(r.grade, r.retrieved), topic=np.arange(len(r)))
    if ideal == "uncut" and not (metric.meaning.sized and metric.meaning.kind == "user_model"):
        metric = replace(metric, cutoff=None)
    if chosen.get("divisor") and cut is not None:
        known = r.retrieved if chosen["divisor"] == "returned" else metric.seen(r).relevant_known
        smaller = np.minimum(known, cut)
        factor = (
            share(np.full(len(r), float(cut)), smaller) if metric.name == "P" else share(known.astype(float), smaller)
        )
    return np.asarray(metric.score(r) * factor)
