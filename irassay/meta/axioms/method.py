"""Axioms: which of them a metric breaks, tested on every ranking up to a depth [albahem2018]."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated, Any

import numpy as np

from irassay.errors import InputError, argument
from irassay.meta.axioms import goals  # noqa: F401  registers its checks
from irassay.meta.axioms.checks import CHECKS, MetricCheck
from irassay.meta.axioms.enumerated_scores import metric_scores
from irassay.meta.axioms.feasibility import MAX_RANKINGS, scorable_metrics, too_many_rankings
from irassay.meta.axioms.hillclimb import sampled_counts
from irassay.meta.axioms.induction import closure_is_feasible, induced_relations
from irassay.meta.axioms.relations import AXIOMS, Axiom, axiom_key, named_axiom
from irassay.meta.axioms.result import Axioms
from irassay.meta.axioms.violations import violation_counts
from irassay.meta.axioms.witness import Witness
from irassay.method import method
from irassay.metrics.grammar import parse_each
from irassay.metrics.metric import Metric
from irassay.parallel import as_one_step, stage
from irassay.rankings.enumeration import Space
from irassay.scoring.score import METRICS
from irassay.settings import MAX_DRAWS, Option

__all__ = ["GROUPS", "Axioms", "axioms"]

GROUPS = {
    "albahem2018": ("relevance", "irrelevance", "redundancy"),
    "moffat2013": (
        "boundedness", "monotonicity", "convergence", "top_weightedness", "localisation", "completeness",
        "realisability",
    ),
    "moffat2012": ("ranking_only", "untruncated", "patience", "adapts", "goal"),
}  # fmt: skip
SCORES_IN_MEMORY = 1 << 26  # of all metrics that are tested at once
DRAWN_RANKINGS = 45  # largest number of rankings in a chart of a tree
DEFAULT_METRICS = ("ACT", "AP_IA", "alpha_nDCG@10", "nERR_IA@10", "NRBP", "nDCG@10", "AP", "RR", "P@10")


def check_axioms(
    metrics: Any,
    axioms: str | Sequence[str],
    aspects: int | None,
    depth: int,
    grades: int,
    pool: int | None,
    weights: tuple[float, ...] | None,
    multi_aspect: bool,
    exact: bool,
    sample: int | None,
) -> None:
    """Refuses metrics and axioms that cannot be tested, and more rankings than fit."""
    space = Space.of(aspects, depth, grades=grades, pool=pool, weights=weights, multi_aspect=multi_aspect)
    chosen = list(dict.fromkeys(parse_each(metrics)))
    chosen_axioms, checks = axioms_and_checks([axioms] if isinstance(axioms, str) else axioms)
    if not chosen or not (chosen_axioms or checks):
        name = "axioms" if chosen else "metrics"
        raise InputError("There is nothing to test; name at least one metric and one axiom.", argument=name)
    if sample is not None and exact:
        raise InputError(
            "A sample cannot be compared exactly; leave out ", argument("exact"), " or ", argument("sample"), "."
        )
    if sample is not None and checks:
        names = ", ".join(check.name for check in checks)
        raise InputError("A check needs every ranking, not a sample; leave out ", argument("sample"), f", or {names}.")
    if weights is not None and not any("weights" in metric.uses for metric in chosen):
        names = ", ".join(map(str, chosen))
        fix = "leave them out, or name a metric that uses them, such as IA(metric='AP')"
        raise InputError(argument("weights"), f" change no score of {names}; {fix}.")
    if refusals := scorable_metrics(chosen, space)[1]:
        raise InputError("; ".join(refusal.sentence for refusal in refusals), argument="metrics")
    if sample is None and space.size > MAX_RANKINGS:
        raise too_many_rankings(space, chosen)


@method(
    "Which axioms does a metric break?",
    cite="albahem2018",
    path="axioms",
    check=check_axioms,
    examples=("irassay axioms -m AP_IA -m RR --depth 4",),
)
def axioms(
    metrics: Annotated[str | Metric | Sequence[str | Metric], METRICS] = DEFAULT_METRICS,
    *,
    axioms: Annotated[
        tuple[str, ...],
        Option(
            "Axiom, check or group to test (groups: albahem2018, moffat2013, moffat2012, all); strict_NAME also counts "
            "ties; may be repeated.",
            flag="--axiom",
            short="-p",
            also=("--property",),
            key="properties",
            old_keyword="properties",
        ),
    ] = ("albahem2018",),
    aspects: Annotated[
        int | None, Option("Number of aspects, 1 to 4.", low=1, high=4, shown="2; 1 with --grades")
    ] = None,
    depth: Annotated[int, Option("Length of the longest ranking.", low=1, high=1000)] = 10,
    grades: Annotated[int, Option("Top grade, 1 to 9; above 1, relevance is graded.", low=1, high=9)] = 1,
    pool: Annotated[
        int | None, Option("Judged documents of each relevant kind.", low=1, high=100_000, shown="the depth")
    ] = None,
    weights: Annotated[
        tuple[float, ...] | None, Option("Weights of the aspects, such as 0.7,0.3.", shown="equal")
    ] = None,
    multi_aspect: Annotated[bool, "Allow documents that are about several aspects."] = False,
    witnesses: Annotated[int, Option("Counterexamples to show for each broken axiom.", low=0)] = 1,
    exact: Annotated[bool, "Compare scores as exact fractions, for metrics that have a rule for them."] = False,
    induction: Annotated[bool, "Also count relations that follow from several axioms together."] = True,
    sample: Annotated[
        int | None,
        Option(
            "Instead of every ranking, try N per axiom and metric: half random, half found by hill climbing.",
            low=1,
            high=MAX_DRAWS,
        ),
    ] = None,
    seed: Annotated[int, Option("Random seed for --sample.", low=0)] = 0,
) -> Axioms:
    """Test metrics against axioms on every ranking up to a depth (albahem2018).

    A ranking is a string over `aspects` aspects (2, or 1 with grades) and x for a document that is not relevant: one
    turn of distinct documents. The pool has `pool` judged documents of each relevant kind (as many as the depth).
    `exact` compares fractions if a metric has a rule for them. `sample` tries that many rankings per axiom and metric
    instead of all: half of them random, half found by hill climbing.

    >>> found = axioms(["AP_IA"], depth=4)
    >>> found.count("AP_IA", "redundancy"), found.witness("AP_IA", "redundancy").worse
    ((22, 22), 'aa')
    """
    space = Space.of(aspects, depth, grades=grades, pool=pool, weights=weights, multi_aspect=multi_aspect)
    chosen = list(dict.fromkeys(parse_each(metrics)))
    chosen_axioms, checks = axioms_and_checks([axioms] if isinstance(axioms, str) else axioms)
    with as_one_step("trying rankings"):
        if sample is not None:
            return sampled_result(chosen, chosen_axioms, space, sample, max(witnesses, 1), seed)
        chained = chainable_axioms(chosen_axioms) if induction else []
        chained = chained if closure_is_feasible(space, chained) else []
        size = max(1, SCORES_IN_MEMORY // space.size)
        groups = [chosen[start : start + size] for start in range(0, len(chosen), size)]
        parts = []
        for nth, group in enumerate(groups):
            with stage(nth, len(groups)):
                parts.append(enumerated_result(group, chosen_axioms, checks, space, witnesses, exact, chained))
        return merged_results(parts)


def axioms_and_checks(names: Sequence[str]) -> tuple[tuple[Axiom, ...], tuple[MetricCheck, ...]]:
    """The axioms and the checks with these names; the name of a group, or 'all', stands for several."""
    keys: list[str] = []
    for key in map(axiom_key, names):
        keys += [*AXIOMS, *CHECKS] if key == "all" else GROUPS.get(key, (key,))
    checks = dict.fromkeys(CHECKS[key] for key in keys if key in CHECKS)
    chosen_axioms = dict.fromkeys(named_axiom(key, (*CHECKS, *GROUPS)) for key in keys if key not in CHECKS)
    return tuple(chosen_axioms), tuple(checks)


def chainable_axioms(chosen_axioms: Sequence[Axiom]) -> list[Axiom]:
    """The axioms from which further relations follow: those that are not strict and do not depend on a cutoff."""
    return [axiom for axiom in chosen_axioms if not axiom.strict and not axiom.uses_cutoff]


def enumerated_result(
    metrics: Sequence[Metric],
    chosen_axioms: Sequence[Axiom],
    checks: Sequence[MetricCheck],
    space: Space,
    witnesses: int,
    exact: bool,
    chained: Sequence[Axiom],
) -> Axioms:
    """The result for some metrics, whose scores of all rankings are in memory together."""
    with stage(0, 2):
        scores = metric_scores(metrics, space, exact)
    with stage(1, 2):
        counts = violation_counts(space, chosen_axioms, scores, witnesses)
    kept = [p for p, axiom in enumerate(chosen_axioms) if axiom in chained]
    chained_counts = counts.cases[:, kept], counts.violations[:, kept]
    return Axioms(
        space=space,
        metrics=tuple(map(str, metrics)),
        axioms=tuple(chosen_axioms),
        cases=counts.cases,
        violations=counts.violations,
        witnesses=tuple(
            Witness.of(one.metric, axiom, space, pair, one.values)
            for m, one in enumerate(scores)
            for p, axiom in enumerate(chosen_axioms)
            for pair in counts.pairs[m][p]
        ),
        verdicts=tuple(check.verdict(one) for one in scores for check in checks),
        induced=induced_relations(space, chained, scores, *chained_counts) if chained else None,
        exact=tuple(one.fractions is not None for one in scores),
        shortest=np.array([one.values[: space.first(drawn_depth(space) + 1)] for one in scores]),
        cite=works_to_cite(metrics, chosen_axioms, checks),
    )


def sampled_result(
    metrics: Sequence[Metric], chosen_axioms: Sequence[Axiom], space: Space, sample: int, witnesses: int, seed: int
) -> Axioms:
    """The result for a sample of rankings: half of them random, half found by hill climbing."""
    cases, violations, found = sampled_counts(metrics, chosen_axioms, space, sample, witnesses, seed)
    return Axioms(
        space=space,
        metrics=tuple(map(str, metrics)),
        axioms=tuple(chosen_axioms),
        cases=np.stack([cases, cases], axis=-1),
        violations=np.stack([violations, violations], axis=-1),
        witnesses=found,
        verdicts=(),
        induced=None,
        exact=(False,) * len(metrics),
        shortest=np.zeros((len(metrics), 0)),
        cite=works_to_cite(metrics, chosen_axioms, ()),
        sampled=sample,
    )


def works_to_cite(
    metrics: Sequence[Metric], chosen_axioms: Sequence[Axiom], checks: Sequence[MetricCheck]
) -> tuple[str, ...]:
    """The works to cite for the axioms, the checks and the metrics."""
    works = [axiom.cite for axiom in chosen_axioms] + [check.cite for check in checks]
    works += [metric.meaning.cite for metric in metrics]
    return tuple(dict.fromkeys(key for work in works for key in work))


def drawn_depth(space: Space) -> int:
    """The largest depth whose rankings are few enough for a chart."""
    return max(d for d in range(1, space.depth + 1) if d == 1 or space.first(d + 1) <= DRAWN_RANKINGS)


def merged_results(parts: Sequence[Axioms]) -> Axioms:
    """The results of several groups of metrics as one."""
    if len(parts) == 1:
        return parts[0]
    result = joined_by_metric(parts, "cases", "violations", "shortest", "metrics", "witnesses", "verdicts", "exact")
    closures = [part.induced for part in parts if part.induced is not None]
    induced = joined_by_metric(closures, "direct_broken", "closure_broken", "widest") if closures else None
    return replace(result, induced=induced, cite=tuple(dict.fromkeys(key for part in parts for key in part.cite)))


def joined_by_metric(parts: Sequence[Any], *names: str) -> Any:
    """The first record with the fields of these names, arrays or tuples by metric, joined from all records."""
    values = {name: [getattr(part, name) for part in parts] for name in names}
    joined = {
        name: tuple(chain(*each)) if isinstance(each[0], tuple) else np.concatenate(each)
        for name, each in values.items()
    }
    return replace(parts[0], **joined)
