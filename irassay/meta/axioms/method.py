"""Axioms: which desirable properties a metric breaks, over every ranking there is up to a depth [albahem2018]."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from irassay.errors import InputError
from irassay.meta.axioms import goals  # noqa: F401  registers its checks
from irassay.meta.axioms.comparing import MetricScores, compared
from irassay.meta.axioms.feasibility import LIMIT, refusal, too_many
from irassay.meta.axioms.hillclimb import climbed
from irassay.meta.axioms.induction import feasible, induced, joined
from irassay.meta.axioms.numeric import CHECKS, Check, Lab
from irassay.meta.axioms.relations import AXIOMS, Axiom, named, spelled
from irassay.meta.axioms.result import Axioms
from irassay.meta.axioms.treescores import all_scores, tolerance
from irassay.meta.axioms.witness import Witness
from irassay.method import method
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.parallel import as_one_step, stage
from irassay.rankings.enumeration import Space
from irassay.scoring.remarks import weightless
from irassay.scoring.score import METRICS
from irassay.settings import DRAWS, Option

__all__ = ["GROUPS", "Axioms", "axioms"]

GROUPS = {
    "albahem2018": ("relevance", "irrelevance", "redundancy"),
    "moffat2013": (
        "boundedness",
        "monotonicity",
        "convergence",
        "top_weightedness",
        "localisation",
        "completeness",
        "realisability",
    ),
    "moffat2012": ("ranking_only", "untruncated", "patience", "adapts", "goal"),
}
TOGETHER = 1 << 26  # scores that are kept at once
SMALL = 45  # rankings whose scores are kept for pictures
USUAL = ("ACT", "AP_IA", "alpha_nDCG@10", "nERR_IA@10", "NRBP", "nDCG@10", "AP", "RR", "P@10")


def asked(properties: Sequence[str]) -> tuple[tuple[Axiom, ...], tuple[Check, ...]]:
    """The properties and the checks that names stand for; a group's name or 'all' stands for several."""
    names: list[str] = []
    for name in properties:
        key = spelled(name)
        names += [*AXIOMS, *CHECKS] if key == "all" else GROUPS.get(key, (key,))
    unique = list(dict.fromkeys(names))
    found = [CHECKS[name] if name in CHECKS else named(name, (*CHECKS, *GROUPS)) for name in unique]
    relational = dict.fromkeys(axiom for axiom in found if isinstance(axiom, Axiom))
    return tuple(relational), tuple(check for check in found if isinstance(check, Check))


@method(
    "Which axioms does a metric break?",
    cite="albahem2018",
    path="axioms",
    examples=("irassay axioms -m AP_IA -m RR --depth 4",),
)
def axioms(
    metrics: Annotated[str | Metric | Sequence[str | Metric], METRICS] = USUAL,
    *,
    properties: Annotated[
        tuple[str, ...],
        Option(
            "A property, or albahem2018, moffat2013, moffat2012, all; strict_ before a name; may be repeated.",
            flag="--property",
            short="-p",
            key="properties",
        ),
    ] = ("albahem2018",),
    aspects: Annotated[int | None, Option("Aspects, 1 to 4.", least=1, most=4, shown="2; 1 with --grades")] = None,
    depth: Annotated[int, Option("Longest ranking.", least=1, most=1000)] = 10,
    grades: Annotated[int, Option("Top grade; above 1: graded relevance.", least=1)] = 1,
    pool: Annotated[
        int | None, Option("Judged documents of each relevant kind.", least=1, most=100_000, shown="the depth")
    ] = None,
    weights: Annotated[tuple[float, ...] | None, Option("Weights of the aspects: 0.7,0.3.", shown="equal")] = None,
    multi_aspect: Annotated[bool, "Documents may carry several aspects."] = False,
    witnesses: Annotated[int, Option("Counterexamples of each broken property.", least=0)] = 1,
    exact: Annotated[bool, "Rational arithmetic, for the metrics that allow it."] = False,
    induction: Annotated[bool, "Also count relations that follow from several steps."] = True,
    sample: Annotated[
        int | None, Option("Do not enumerate: so many random rankings, and climbing from them.", most=DRAWS)
    ] = None,
    seed: Annotated[int, Option("Seed of --sample.", least=0)] = 0,
) -> Axioms:
    """Check metrics against desirable properties on every ranking up to a depth (albahem2018).

    A ranking is a string over `aspects` aspects (2, or 1 where there are grades) and x, one turn, distinct documents;
    `pool` documents of each kind were judged relevant (as many as the depth). `exact` compares fractions where a
    metric has a rule for them. `sample` draws so many deeper rankings at random and by hill climbing instead.

    >>> found = axioms(["AP_IA"], depth=4)
    >>> found.count("AP_IA", "redundancy"), found.witness("AP_IA", "redundancy").worse
    ((22, 22), 'aa')
    """
    space = Space.of(
        (2 if grades == 1 else 1) if aspects is None else aspects,
        depth,
        grades=grades,
        pool=pool,
        weights=weights,
        multi_aspect=multi_aspect,
    )
    listed = [metrics] if isinstance(metrics, str | Metric) else metrics
    chosen = list(dict.fromkeys(parse(metric) for metric in listed))
    relational, checks = asked([properties] if isinstance(properties, str) else properties)
    if not chosen or not (relational or checks):
        raise InputError("there is nothing to test; name at least one metric and one property")
    if sample is not None and exact:
        raise InputError("a sample is compared as it is scored; leave out exact, or leave out sample")
    if weights is not None and not any(metric.meaning.weighted for metric in chosen):
        said = weightless(chosen) or ["weights are those of aspects, which no metric here looks at"]
        raise InputError(f"{said[0]}; leave them out, or use IA(metric='AP') and the like")
    refused = [why for metric in chosen if (why := refusal(metric, space))]
    if refused:
        raise InputError("; ".join(refused))
    with as_one_step("trying rankings"):
        if sample is not None:
            return sampled(chosen, relational, checks, space, sample, max(witnesses, 1), seed)
        if space.size > LIMIT:
            raise InputError(too_many(space, chosen))
        together = induction and bool(stated(relational)) and feasible(space, stated(relational))
        size = max(1, TOGETHER // space.size)
        groups = [chosen[start : start + size] for start in range(0, len(chosen), size)]
        parts = []
        for nth, group in enumerate(groups):
            with stage(nth, len(groups)):
                parts.append(examined(group, relational, checks, space, witnesses, exact, together))
        return merged(parts)


def stated(relational: Sequence[Axiom]) -> list[Axiom]:
    """The properties whose consequences can be followed: those that are not strict and speak of no cutoff."""
    return [axiom for axiom in relational if not axiom.strict and not axiom.sized]


def examined(
    metrics: Sequence[Metric],
    relational: Sequence[Axiom],
    checks: Sequence[Check],
    space: Space,
    witnesses: int,
    exact: bool,
    together: bool,
) -> Axioms:
    """All questions to some metrics, whose scores are kept together."""
    with stage(0, 2):
        known = all_scores(metrics, space, exact)
    scored = []
    for metric, one in zip(metrics, known, strict=True):
        values, slack = one.values, tolerance(one.values)
        if one.exact is not None:
            values, slack = one.exact.numerator, 0
        scored.append(MetricScores(metric, values if metric.declaration.higher_is_better else -values, slack))
    with stage(1, 2):
        found = compared(space, relational, scored, witnesses)
    scores, open_ = [one.values for one in known], stated(relational)
    labs = [Lab(metric, space, s, tolerance(s)) for metric, s in zip(metrics, scores, strict=True) if checks]
    return Axioms(
        space=space,
        metrics=tuple(map(str, metrics)),
        properties=tuple(relational),
        cases=found.cases,
        violations=found.violations,
        witnesses=tuple(
            Witness.of(metric, axiom, space, pair, scores[m])
            for m, metric in enumerate(metrics)
            for p, axiom in enumerate(relational)
            for pair in found.first[m][p]
        ),
        verdicts=tuple(check.of(lab) for lab in labs for check in checks),
        induced=induced(space, open_, scored, found.of(relational, open_)) if together else None,
        exact=tuple(one.exact is not None for one in known),
        shortest=np.array([s[: space.first(small_depth(space) + 1)] for s in scores]),
        cite=cited(metrics, relational, checks),
    )


def cited(metrics: Sequence[Metric], relational: Sequence[Axiom], checks: Sequence[Check]) -> tuple[str, ...]:
    """The works to cite for the properties and the metrics."""
    works = [axiom.cite for axiom in relational] + [check.cite for check in checks]
    works += [metric.meaning.cite for metric in metrics]
    return tuple(dict.fromkeys(key for work in works for key in work))


def small_depth(space: Space) -> int:
    """The depth up to which the rankings are few enough for a picture."""
    return max(d for d in range(1, space.depth + 1) if d == 1 or space.first(d + 1) <= SMALL)


def sampled(
    metrics: Sequence[Metric],
    relational: Sequence[Axiom],
    checks: Sequence[Check],
    space: Space,
    sample: int,
    witnesses: int,
    seed: int,
) -> Axioms:
    """The same questions to rankings drawn at random, and to those that hill climbing finds from there."""
    if checks:
        names = ", ".join(check.name for check in checks)
        raise InputError(f"{names} need every ranking and not a sample of them; leave them out, or leave out sample")
    if sample < 1:
        raise InputError(f"a sample of {sample}; give the number of rankings to draw")
    found = climbed(metrics, relational, space, sample, witnesses, seed)
    return Axioms(
        space=space,
        metrics=tuple(map(str, metrics)),
        properties=tuple(relational),
        cases=np.array([[[one.cases] * 2 for one in row] for row in found], dtype=np.int64),
        violations=np.array([[[one.violations] * 2 for one in row] for row in found], dtype=np.int64),
        witnesses=tuple(witness for row in found for one in row for witness in one.witnesses),
        verdicts=(),
        induced=None,
        exact=(False,) * len(metrics),
        shortest=np.zeros((len(metrics), 0)),
        cite=cited(metrics, relational, ()),
        sampled=sample,
    )


def merged(parts: Sequence[Axioms]) -> Axioms:
    """The results of several groups of metrics as one."""
    closures = [part.induced for part in parts if part.induced is not None]
    together: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ("cases", "violations", "shortest")
    } | {
        name: tuple(one for part in parts for one in getattr(part, name))
        for name in ("metrics", "witnesses", "verdicts", "exact")
    }
    cite = tuple(dict.fromkeys(key for part in parts for key in part.cite))
    return replace(parts[0], **together, induced=joined(closures) if closures else None, cite=cite)
