"""Assay: everything there is to say of some metrics on one collection, computed once."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Floats
from irassay.assays.other_judgements import OtherJudgements, other_judgements, scores_by
from irassay.assays.profile import Profile, profile
from irassay.assays.ratings import UserRatings, ratings_criterion
from irassay.errors import InputError, argument
from irassay.io.detection import detected_reader, read_judgements
from irassay.io.trec import Qrels
from irassay.meta.agreement import Agreement, agreement
from irassay.meta.axioms.method import Axioms, axioms
from irassay.meta.comparison import compare
from irassay.meta.comparison_by_metric import Comparison
from irassay.meta.complete_scores import complete_scores
from irassay.meta.consistency import Consistency, consistency
from irassay.meta.discrimination import Discrimination, discrimination
from irassay.meta.intuitiveness import Intuitiveness, intuitiveness
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.meta.satisfaction.method import Satisfaction
from irassay.meta.shared_options import ALL_PAIRS, Alpha, Groups, Splits
from irassay.meta.similarity import Similarity, similarity, similarity_result
from irassay.meta.unanimity import Unanimity, unanimity
from irassay.method import method
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.notes import Note
from irassay.results import Result
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.runs_or_scores import RunsOrScores
from irassay.scoring.score import parsed_metrics
from irassay.scoring.system_lists import ListCounts, ListReader, SystemLists, list_counts
from irassay.settings import Option, Settings
from irassay.stats.paired_test import PairedTest, paired_test_label

DEFAULT_METRICS = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@10", "INST(T=2.25)", "Q", "bpref")
DIVERSITY_METRICS = ("alpha_nDCG@10", "ERR_IA@10", "AP_IA", "StRecall@10")  # usual too, where judgements are by subtopic
TREC_EVAL_COUNTS = frozenset({"numq", "numret", "numrel", "numrelret", "numnonreljudgedret", "runid"})  # of trec_eval: no metrics
SIMPLE_METRICS = ("P@10", "StRecall@10")  # what diversity metrics are held against: relevance, and aspects covered
# Axioms for pairs of rankings, and checks of one metric by itself.
ADHOC_AXIOMS = ("relevance", "irrelevance", "priority", "swap", "replacement")
DIVERSITY_AXIOMS = ("relevance", "irrelevance", "redundancy", "priority", "swap", "replacement")
CHECKS = ("boundedness", "localisation", "completeness", "realisability", "moffat2012")
GRADES, DEPTH, ASPECTS = 2, 6, 2  # of the rankings that are enumerated: some thousand, so that it takes seconds


@dataclass(frozen=True, eq=False, repr=False)
class Assay(Result):
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
    axioms: tuple[Axioms, ...] = field(metadata={"name_in_files": "properties"})  # ad hoc metrics, diversity metrics
    checks: tuple[Axioms, ...]  # of one metric by itself, likewise
    refused: Mapping[str, str]  # metrics that cannot score enumerated rankings, and why
    intuitiveness: Intuitiveness | None  # of diversity metrics, where there are several
    unanimity: Unanimity | None
    also: tuple[Any, ...] = ()  # results of further methods, each with a view
    known: Mapping[str, Metric] = field(default_factory=dict)  # the metrics that are ours or the user's, by name
    remarks: tuple[str, ...] = ()  # sentences on metrics that were left out or added
    profile: Profile | None = None  # None in files saved by 0.1.0
    matters: Mapping[str, float] = field(default_factory=dict)  # share of pairs of lists ordered against the axioms
    lists: ListCounts = field(default_factory=ListCounts)  # the counts behind it, and what metrics look at here
    other: OtherJudgements | None = None  # by the main metric
    ratings: Satisfaction | None = None  # where users' ratings were given

    @property
    def properties(self) -> tuple[Axioms, ...]:
        """The axioms, under the name that they had in 0.1.0."""
        return self.axioms

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in the order given."""
        return self.scores.metrics

    @property
    def new(self) -> tuple[str, ...]:
        """The metrics that a user defined."""
        return tuple(name for name, metric in self.known.items() if not is_published(metric))

    @property
    def test(self) -> str:
        """The test behind power, and behind the comparison of systems, in words."""
        return paired_test_label(self.discrimination.test, self.discrimination.correction)

    def width(self) -> Floats | None:
        """[system, metric] how far missing judgements could move the mean score."""
        return None if self.bounds is None else np.abs(self.bounds[:, :, 1] - self.bounds[:, :, 0])

    def axioms_of(self, metric: str, among: Sequence[Axioms]) -> Axioms | None:
        """The enumeration that the metric took part in, whatever the scores call it."""
        return next((found for found in among if self.canonical_name(metric) in found.metrics), None)

    def canonical_name(self, metric: str) -> str:
        """What enumerations call a metric: its canonical name."""
        return str(self.known[metric]) if metric in self.known else metric


def is_published(metric: Metric) -> bool:
    """Whether the metric is one of the catalogue's own, not one that a user defined."""
    return metric.declaration.function.__module__.startswith("irassay.")


@method(
    "What is each metric good for on this collection?",
    path="report",
    presenter="irassay.cli.output:write_report",
    without_options="plot",
    examples=("irassay report qrels.txt runs/ -o report.html", "irassay report --scores table.tsv --define mine.py"),
)
def assay(
    about: RunsOrScores,
    *,
    main: Annotated[
        str | None, Option("The metric that systems are compared by.", also=("--by",), shown="the first", metavar="METRIC")
    ] = None,
    baseline: Annotated[str | None, Option("Compare the other systems with this run only.")] = None,
    other: Annotated[
        OtherQrels | Any | None, "Other judgements of the same topics, such as a model's: what would they change?"
    ] = None,
    ratings: Annotated[
        UserRatings | Any | None,
        "What users said of these lists (a table: unit rating, a unit being SYSTEM/TOPIC) or of other searches (a "
        "folder of sessions): which metrics agree?",
    ] = None,
    groups: Groups = None,
    test: PairedTest = ALL_PAIRS,
    splits: Splits = 1000,
    alpha: Alpha = 0.05,
    also: tuple[Result, ...] = (),
    truth: Mapping[str, float] | None = None,
) -> Assay:
    """Score, compare and meta-evaluate a collection, and write one self-contained page about it.

    A metric of your own (--define) is shown beside the is_published ones: is it any good?

    `main` is the metric by which systems are compared in detail, the first one unless said; `baseline` the system that
    they are then compared with, instead of every two. `other` judgements are held against these. `ratings` by
    users are of these lists, or of other sessions, which the metrics score. `also` are results of
    further methods to be shown with these, `truth` the true quality of each system where it is known, a positive
    control. Counts in a table of scores, such as num_ret, are left out. The usual
    metrics are added to compare with where all metrics are the user's own, and diversity metrics to the usual ones
    where judgements are by subtopic.
    """
    about = about.with_default_metrics(DEFAULT_METRICS)
    simple: Scores | None = None
    bounds: Floats | None = None
    whole: Scores | None = None
    lists: SystemLists | None = None
    if about.judged is not None:
        given, remarks = _with_added_metrics(about.judged)
        scores, whole, simple, lists = _score_cubes(given)
        bounds = whole.means().reshape(len(whole.systems), -1, 3)[:, :, 1:]
    elif about.scores is not None:
        scores, remarks = _without_counts(about.scores)
    complete = complete_scores(scores, "A report", topics=4).scores
    known = _known_metrics(scores.metrics)
    chosen = next((name for name, label in scores.labels.items() if label == main), main) or scores.metrics[0]
    chosen = chosen if chosen in scores.metrics else str(parse(chosen))
    told: OtherJudgements | None = None
    again: Scores | None = None
    if about.judged is not None:
        if other is not None:
            again = scores_by(given, scores, other)
            how: dict[str, Any] = {"test": test, "alpha": alpha, "baseline": baseline}
            told = other_judgements(given, scores, again, chosen, other, **how)
    elif other is not None:
        raise InputError(f"{argument('other')} needs runs and judgements; scores say nothing of documents.")
    tested, checks, refused = _axiom_results(known.values())
    diverse = [name for name, metric in known.items() if "aspects" in metric.meaning.needs and name not in SIMPLE_METRICS]
    with_simple = _against_simple(scores, simple, diverse)
    seed = test.seed
    steady = consistency(scores, splits=splits, alpha=alpha, seed=seed)
    power = discrimination(scores, test=test, levels=tuple(sorted({0.01, alpha, 0.10})), groups=groups)
    kinds = [kind_of_bounds(known.get(name), scores.has_costs) for name in scores.metrics]
    usual: dict[str, Any] = {"test": test, "alpha": alpha, "splits": splits}
    usual["unjudged"] = lists.unjudged if lists else None
    profiled = profile(scores, whole, power, steady, outer=kinds, truth=truth, other=again, **usual)
    rated: Satisfaction | None = None
    if ratings is not None:
        agrees, rated = ratings_criterion(scores, known, ratings, alpha=alpha, seed=seed, truth=truth)
        profiled = replace(profiled, criteria=(*profiled.criteria, agrees))
    looked = list_counts(lists, scores, known)
    return Assay(
        scores=scores,
        bounds=bounds,
        main=chosen,
        seed=seed,
        alpha=alpha,
        comparison=compare(complete, chosen, test=test, alpha=alpha, baseline=baseline).by(),
        similarity=(similarity if len(scores.metrics) > 1 else similarity_result)(scores, alpha=alpha, seed=seed),
        consistency=steady,
        discrimination=power,
        agreement=agreement(scores, alpha=alpha, test=PairedTest("t", seed=seed)),
        axioms=tested,
        checks=checks,
        refused=refused,
        intuitiveness=intuitiveness(with_simple, simple=SIMPLE_METRICS, seed=seed)
        if with_simple and len(diverse) > 1
        else None,
        unanimity=unanimity(with_simple, simple=SIMPLE_METRICS, seed=seed) if with_simple else None,
        also=tuple(also),
        known=known,
        remarks=tuple(remarks),
        profile=profiled,
        matters={m: looked.against[m] / pairs for m, pairs in looked.dominating.items() if pairs},
        lists=looked,
        other=told,
        ratings=rated,
        settings=Settings(inputs={"about": about.settings}),
    )


def kind_of_bounds(metric: Metric | None, costs: bool = False) -> str:
    """What the worst and best case of a difference of two systems are by a metric, where they are not exact.

    Documents that both systems return are taken to be relevant for one and not for the other, so that the bounds of
    a difference are outer ones, never too narrow; of a metric that a better grade may lower they are no bounds at all,
    and where unjudged results are left out of the lists there is nothing to impute.
    """
    if metric is not None and metric.params.get("judged_only"):
        return "judged results only, no bounds"
    return "outer bounds" if metric is not None and metric.bounded(costs) else "range of two imputations, no bounds"


def _without_counts(scores: Scores) -> tuple[Scores, list[str]]:
    """The scores without what only counts topics and documents, unless there is nothing else, and a remark on that."""
    kept, remarks = _names_without_counts(scores.metrics)
    return (scores.select(metrics=kept), remarks) if remarks else (scores, [])


def _names_without_counts(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The metrics without those that only count, unless there are no others, and a remark on that."""
    counts = [name for name in names if re.split("[(@]", name)[0].lower().replace("_", "") in TREC_EVAL_COUNTS]
    kept = [name for name in names if name not in counts]
    if not counts or not kept:
        return list(names), []
    note = "Left out, counts being no measures of how good a system is: {metrics}."
    return kept, [Note(note, metrics=counts)]


def _with_added_metrics(given: JudgedRuns) -> tuple[JudgedRuns, list[str]]:
    """The runs with the metrics asked for and those added, judgements read where that takes reading; remarks."""
    kept, remarks = _names_without_counts([str(parse(metric)) for metric in given.metrics])
    if remarks:
        given = replace(given, metrics=tuple(metric for metric in given.metrics if str(parse(metric)) in kept))
    listed = given.metrics
    mine = bool(listed) and not any(is_published(parse(metric)) for metric in listed)
    if not mine and listed != DEFAULT_METRICS:
        return given, remarks
    added: list[str] = list(DEFAULT_METRICS) if mine else []
    policy, qrels = given.judging, given.qrels
    reader = detected_reader(given.runs, qrels, policy.run_format)
    if reader.kind == "trec":
        qrels = read_judgements(qrels, reader, policy.qrels_file)
        by_subtopic = isinstance(qrels, Qrels) and qrels.has_subtopics
        if policy.column_2 == "subtopic" or (policy.column_2 == "auto" and by_subtopic):
            added += DIVERSITY_METRICS
    why = "to compare with" if mine else "as the judgements are by subtopic"
    remarks += [Note(f"Added {why}: {{metrics}}.", metrics=added)] if added else []
    return replace(given, qrels=qrels, metrics=(*listed, *added)), remarks


def _known_metrics(names: Iterable[str]) -> dict[str, Metric]:
    """The metrics whose names we understand."""
    found = {}
    for name in names:
        try:
            found[name] = parse(name)
        except InputError:
            continue
    return found


def _score_cubes(given: JudgedRuns) -> tuple[Scores, Scores, Scores | None, SystemLists | None]:
    """The scores, the same with bounds, the scores by simple metrics where diversity is measured, and the lists."""
    asked = parsed_metrics(given.metrics, given.scoring.rel, given.scoring.judged_only)
    names = [str(metric) for metric in asked]
    reader = ListReader(given, _known_metrics(names))
    whole = _three_each(given.scores(bounds=True, watch=reader.add), names)
    simple = None
    if any("aspects" in metric.meaning.needs for metric in asked):
        plain = replace(given.scoring, rel=None, judged_only=False)
        simple = replace(given, scoring=plain).scores(SIMPLE_METRICS)
    scores = whole.select(metrics=names)
    return scores, whole, simple, reader.lists(scores)


def _three_each(scores: Scores, names: Sequence[str]) -> Scores:
    """Scores as judged, at worst and at best of each metric; of one that has no bounds, as judged thrice."""
    ends = [(name, f"{name}{end}") for name in names for end in ("", "[worst]", "[best]")]
    found = [scores.metrics.index(each if each in scores.metrics else name) for name, each in ends]
    return replace(
        scores,
        values=scores.values[:, :, found],
        metrics=tuple(each for _, each in ends),
        higher_is_better=tuple(scores.higher_is_better[m] for m in found),
        over_topics=tuple(scores.over_topics[m] for m in found),
    )


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
        (*part.over_topics, *simple.over_topics),
    )


def _axiom_results(metrics: Iterable[Metric]) -> tuple[tuple[Axioms, ...], tuple[Axioms, ...], Mapping[str, str]]:
    """Axioms and checks of every metric that can score short rankings, and why the other metrics cannot."""
    from irassay.meta.axioms.feasibility import scorable_metrics
    from irassay.rankings.enumeration import Space

    given = list(metrics)
    by_aspect = [metric for metric in given if "aspects" in metric.meaning.needs]
    by_grade = [metric for metric in given if metric not in by_aspect]
    kinds: tuple[tuple[list[Metric], tuple[str, ...], dict[str, Any]], ...] = (
        (by_grade, ADHOC_AXIOMS, {"aspects": 1, "grades": GRADES}),
        (by_aspect, DIVERSITY_AXIOMS, {"aspects": ASPECTS, "grades": 1}),
    )
    tested: list[Axioms] = []
    checked: list[Axioms] = []
    refused: dict[str, str] = {}
    for members, names, size in kinds:
        scorable, refusals = scorable_metrics(members, Space.of(depth=DEPTH, **size))
        refused |= {str(refusal.metric): refusal.sentence for refusal in refusals}
        if scorable:
            tested.append(axioms(scorable, axioms=names, depth=DEPTH, induction=False, **size))
            checked.append(axioms(scorable, axioms=CHECKS, depth=DEPTH, induction=False, **size))
    return tuple(tested), tuple(checked), refused
