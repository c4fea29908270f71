"""Assay: everything there is to say of some metrics on one collection, computed once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.meta.agreement import Agreement, agreement
from irassay.meta.axioms.method import Axioms, axioms
from irassay.meta.comparison import Comparison, compare
from irassay.meta.complete import complete_scores
from irassay.meta.consistency import Consistency, consistency
from irassay.meta.discrimination import Discrimination, discrimination
from irassay.meta.intuitiveness import Intuitiveness, intuitiveness
from irassay.meta.similarity import Similarity, similarity
from irassay.meta.unanimity import Unanimity, unanimity
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.stats.paired_test import PairedTest, find_test

USUAL = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@10", "INST(T=2.25)", "Q", "bpref")
DIVERSE = ("alpha_nDCG@10", "ERR_IA@10", "AP_IA", "StRecall@10")  # usual too, where judgements are by subtopic
COUNTS = frozenset({"numq", "numret", "numrel", "numrelret", "numnonreljudgedret", "runid"})  # of trec_eval: no metrics
SIMPLE = ("P@10", "StRecall@10")  # what diversity metrics are held against: relevance, and aspects covered
# What common sense asks of two rankings, and what can be asked of one metric by itself.
PROPERTIES = ("relevance", "irrelevance", "priority", "swap", "replacement")
DIVERSITY_PROPERTIES = ("relevance", "irrelevance", "redundancy", "priority", "swap", "replacement")
CHECKS = ("boundedness", "localisation", "completeness", "realisability", "moffat2012")
GRADES, DEPTH, ASPECTS = 2, 6, 2  # of the rankings that are enumerated: some thousand, so that it takes seconds


@dataclass(frozen=True, eq=False)
class Assay:
    """The results of every method for some metrics on one collection."""

    saved_as: ClassVar[str] = "assay"
    scores: Scores  # [system, topic, metric]
    bounds: Floats | None  # [system, metric, 2] mean scores with nothing, and with the top grade, for what is unjudged
    main: str  # the metric by which systems are compared in detail
    seed: int
    alpha: float
    comparison: Comparison  # by the main metric
    similarity: Similarity
    consistency: Consistency
    discrimination: Discrimination
    agreement: Agreement
    properties: tuple[Axioms, ...]  # of rankings two by two: ad hoc metrics by grade, diversity metrics by aspect
    checks: tuple[Axioms, ...]  # of one metric by itself, likewise
    refused: Mapping[str, str]  # metrics that cannot score enumerated rankings, and why
    intuitiveness: Intuitiveness | None  # of diversity metrics, where there are several
    unanimity: Unanimity | None
    also: tuple[Any, ...] = ()  # results of further methods, each with a view
    known: Mapping[str, Metric] = field(default_factory=dict)  # the metrics that are ours or the user's, by name
    remarks: tuple[str, ...] = ()  # sentences on metrics that were left out or added

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in the order given."""
        return self.scores.metrics

    @property
    def new(self) -> tuple[str, ...]:
        """The metrics that a user defined."""
        return tuple(name for name, metric in self.known.items() if not published(metric))

    @property
    def test(self) -> str:
        """The test behind power, and behind the comparison of systems, in words."""
        return called(self.discrimination.test, self.discrimination.correction)

    def width(self) -> Floats | None:
        """[system, metric] how far missing judgements could move the mean score."""
        return None if self.bounds is None else np.abs(self.bounds[:, :, 1] - self.bounds[:, :, 0])

    def axioms_of(self, metric: str, among: Sequence[Axioms]) -> Axioms | None:
        """The enumeration that the metric took part in."""
        return next((found for found in among if metric in found.metrics), None)


def called(test: str, correction: str = "none") -> str:
    """A test of pairs of systems as sentences call it.

    >>> called("tukey"), called("t"), called("t", "holm")
    ('randomised Tukey HSD', 'paired t, uncorrected', 'paired t, holm')
    """
    words = {"tukey": "randomised Tukey HSD", "anova-tukey": "Tukey HSD", "t": "paired t"}
    name = words.get(test, test)
    return name if find_test(test).family else f"{name}, {'uncorrected' if correction == 'none' else correction}"


def published(metric: Metric) -> bool:
    """Whether the metric is one of the catalogue's own, not one that a user defined."""
    return metric.declaration.function.__module__.startswith("irassay.")


def assay(
    runs: Any = None,
    qrels: Any = None,
    metrics: Iterable[str | Metric] = USUAL,
    *,
    scores: Scores | None = None,
    main: str | None = None,
    groups: Mapping[str, str] | None = None,
    test: PairedTest = PairedTest("tukey"),
    splits: int = 1000,
    alpha: float = 0.05,
    also: Sequence[Any] = (),
    **reading: Any,
) -> Assay:
    """Scores runs with their bounds, compares systems, and puts every metric to every test.

    Give `runs` and `qrels` with the policies of `irassay.score`, or `scores` made by any tool, which have no bounds.
    `main` is the metric by which systems are compared in detail, the first one unless said. `also` are results of
    further methods to be shown with these. Counts in a table of scores, such as num_ret, are left out. The usual
    metrics are added to compare with where all metrics are the user's own, and diversity metrics to the usual ones
    where judgements are by subtopic.
    """
    remarks: list[str] = []
    simple: Scores | None = None
    bounds: Floats | None = None
    if scores is None:
        if runs is None or qrels is None:
            raise InputError("a report needs runs and judgements, or a table of scores; give one or the other")
        qrels, asked, remarks = _asked(runs, qrels, metrics, reading)
        scores, bounds, simple = _scored(runs, qrels, asked, reading)
    else:
        scores, remarks = _without_counts(scores)
    complete = complete_scores(scores, "A report", topics=4).scores
    known = _known(scores.metrics)
    chosen = scores.metrics[0] if main is None else str(parse(main)) if main not in scores.metrics else main
    properties, checks, refused = _enumerated(known.values())
    diverse = [name for name, metric in known.items() if "aspects" in metric.meaning.needs and name not in SIMPLE]
    tested = _against_simple(scores, simple, diverse)
    seed = test.seed
    return Assay(
        scores=scores,
        bounds=bounds,
        main=chosen,
        seed=seed,
        alpha=alpha,
        comparison=compare(complete, chosen, test=test, alpha=alpha).by(),
        similarity=similarity(scores, alpha=alpha, seed=seed),
        consistency=consistency(scores, splits=splits, alpha=alpha, seed=seed),
        discrimination=discrimination(scores, test=test, levels=tuple(sorted({0.01, alpha, 0.10})), groups=groups),
        agreement=agreement(scores, alpha=alpha, test=PairedTest("t", seed=seed)),
        properties=properties,
        checks=checks,
        refused=refused,
        intuitiveness=intuitiveness(tested, simple=SIMPLE, seed=seed) if tested and len(diverse) > 1 else None,
        unanimity=unanimity(tested, simple=SIMPLE, seed=seed) if tested else None,
        also=tuple(also),
        known=known,
        remarks=tuple(remarks),
    )


def _without_counts(scores: Scores) -> tuple[Scores, list[str]]:
    """The scores without what only counts topics and documents, unless there is nothing else, and a remark on that."""
    counts = [name for name in scores.metrics if name.partition("(")[0].lower().replace("_", "") in COUNTS]
    kept = [name for name in scores.metrics if name not in counts]
    if not counts or not kept:
        return scores, []
    said = f"Left out, counts being no measures of how good a system is: {', '.join(counts)}."
    return scores.select(metrics=kept), [said]


def _asked(
    runs: Any, qrels: Any, metrics: Iterable[str | Metric], reading: Mapping[str, Any]
) -> tuple[Any, list[str | Metric], list[str]]:
    """The judgements, read where that takes reading; the metrics asked for with those added; remarks on these."""
    from irassay.io.detection import detected
    from irassay.io.trec import Qrels

    listed: list[str | Metric] = [metrics] if isinstance(metrics, str | Metric) else [*metrics]
    mine = bool(listed) and not any(published(parse(metric)) for metric in listed)
    if not mine and tuple(listed) != USUAL:
        return qrels, listed, []
    added: list[str] = list(USUAL) if mine else []
    layout = reading.get("qrels_format") or "auto"
    if detected(runs, qrels, reading.get("run_format") or "auto").kind == "trec":
        qrels = Qrels.of(qrels)
        if layout == "subtopic" or (layout == "auto" and qrels.subtopical):
            added += DIVERSE
    why = "to compare with" if mine else "as the judgements are by subtopic"
    return qrels, [*listed, *added], [f"Added {why}: {', '.join(added)}."] if added else []


def _known(names: Iterable[str]) -> dict[str, Metric]:
    """The metrics whose names we understand."""
    found = {}
    for name in names:
        try:
            found[name] = parse(name)
        except InputError:
            continue
    return found


def _scored(
    runs: Any, qrels: Any, metrics: Iterable[str | Metric], reading: dict[str, Any]
) -> tuple[Scores, Floats, Scores | None]:
    """The scores, the means of their bounds, and, where diversity is measured, the scores by simple metrics."""
    from irassay.scoring.score import resolved, score

    asked = resolved(metrics, reading.pop("rel", None), reading.pop("judged_only", False))
    whole = score(runs, qrels, asked, bounds=True, **reading)
    names = [str(metric) for metric in asked]
    means = whole.means().reshape(len(whole.systems), len(names), 3)
    simple = None
    if any("aspects" in metric.meaning.needs for metric in asked):
        simple = score(runs, qrels, SIMPLE, **reading)
    return whole.select(metrics=names), means[:, :, 1:], simple


def _against_simple(scores: Scores, simple: Scores | None, diverse: Sequence[str]) -> Scores | None:
    """Diversity metrics beside simple ones; None where there are none, or no judgements to score simple ones by."""
    if simple is None or not diverse:
        return None
    part = scores.select(metrics=diverse)
    return Scores(
        np.concatenate([part.values, simple.values], axis=2),
        part.systems,
        part.topics,
        (*part.metrics, *simple.metrics),
        (*part.higher_is_better, *simple.higher_is_better),
        part.collection,
    )


def _enumerated(metrics: Iterable[Metric]) -> tuple[tuple[Axioms, ...], tuple[Axioms, ...], Mapping[str, str]]:
    """What enumeration says of every metric that can score short rankings: properties, checks, and who cannot."""
    from irassay.meta.axioms.feasibility import scorable
    from irassay.rankings.enumeration import Space

    given = list(metrics)
    by_aspect = [metric for metric in given if "aspects" in metric.meaning.needs]
    by_grade = [metric for metric in given if metric not in by_aspect]
    kinds: tuple[tuple[list[Metric], tuple[str, ...], dict[str, Any]], ...] = (
        (by_grade, PROPERTIES, {"aspects": 1, "grades": GRADES}),
        (by_aspect, DIVERSITY_PROPERTIES, {"aspects": ASPECTS, "grades": 1}),
    )
    found: list[Axioms] = []
    asked: list[Axioms] = []
    refused: dict[str, str] = {}
    for some, properties, size in kinds:
        can, cannot = scorable(some, Space.of(depth=DEPTH, **size))
        refused |= cannot
        if can:
            found.append(axioms(can, properties=properties, depth=DEPTH, induction=False, **size))
            asked.append(axioms(can, properties=CHECKS, depth=DEPTH, induction=False, **size))
    return tuple(found), tuple(asked), refused
