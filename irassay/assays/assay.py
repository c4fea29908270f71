"""The results of every method for some metrics on one collection."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Floats
from irassay.assays.assayed_metrics import (
    DEFAULT_METRICS,
    SIMPLE_METRICS,
    against_simple,
    is_published,
    known_metrics,
    score_cubes,
    scores_of_quality,
    with_added_metrics,
)
from irassay.assays.other_judgements import OtherJudgements, other_judgements, scores_by
from irassay.assays.profile import Profile, ScoreBounds, kind_of_bounds, profile
from irassay.assays.ratings import UserRatings, ratings_criterion
from irassay.errors import InputError, argument
from irassay.io.input_files import chosen_runs
from irassay.meta.agreement import Agreement, agreement
from irassay.meta.axioms.method import Axioms, axioms
from irassay.meta.comparison import compare
from irassay.meta.comparison_by_metric import Comparison
from irassay.meta.complete_scores import complete_scores
from irassay.meta.consistency import Consistency, consistency
from irassay.meta.discrimination import Discrimination, discrimination
from irassay.meta.dominance import Dominance, dominance
from irassay.meta.fragility.method import Fragility, fragility
from irassay.meta.fragility.sums import is_summed
from irassay.meta.intuitiveness import Intuitiveness, intuitiveness
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.meta.satisfaction.method import Satisfaction
from irassay.meta.satisfaction.ratings import Ratings
from irassay.meta.shared_options import ALL_PAIRS, Alpha, Groups, Splits
from irassay.meta.similarity import Similarity, similarity, similarity_result
from irassay.meta.unanimity import Unanimity, unanimity
from irassay.method import method
from irassay.metrics.metric import Metric
from irassay.results import Result
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.runs_or_scores import RunsOrScores
from irassay.scoring.score import label_settings
from irassay.scoring.system_lists import ListCounts, list_counts
from irassay.settings import DefaultMetrics, Option, Settings
from irassay.stats.paired_test import PairedTest, paired_test_label
from irassay.stats.selection import MARGIN

# Axioms for pairs of rankings, and checks of single metrics.
ADHOC_AXIOMS = ("relevance", "irrelevance", "priority", "swap", "replacement")
DIVERSITY_AXIOMS = ("relevance", "irrelevance", "redundancy", "priority", "swap", "replacement")
CHECKS = ("boundedness", "localisation", "completeness", "realisability", "moffat2012")
SUMMED_METRIC = "nDCG@10"
BEST_SYSTEMS = 10  # whose differences are tried by changed judgements and for every user
GRADES, DEPTH, ASPECTS = 2, 6, 2  # of the rankings enumerated: some thousand, which takes seconds


@dataclass(frozen=True, eq=False, repr=False)
class Assay(Result):
    """The results of every method for some metrics on one collection."""

    saved_as: ClassVar[str] = "assay"
    scores: Scores  # [system, topic, metric]
    bounds: Floats | None  # [system, metric, 2] mean scores with unjudged documents not relevant, and top grade
    main: str  # the metric for the comparison of systems
    seed: int
    alpha: float
    comparison: Comparison  # by the main metric
    similarity: Similarity
    consistency: Consistency
    discrimination: Discrimination
    agreement: Agreement
    axioms: tuple[Axioms, ...] = field(metadata={"name_in_files": "properties"})  # ad hoc metrics, diversity metrics
    checks: tuple[Axioms, ...]  # of single metrics, in the same order
    refused: Mapping[str, str]  # metrics that cannot score enumerated rankings, and why
    intuitiveness: Intuitiveness | None  # of diversity metrics, if there are several
    unanimity: Unanimity | None
    also: tuple[Any, ...] = ()  # results of further methods, each with a view
    known: Mapping[str, Metric] = field(default_factory=dict)  # the metrics with a definition, by name
    remarks: tuple[str, ...] = ()  # sentences on metrics that were left out or added
    profile: Profile | None = None  # None in files saved by 0.1.0
    matters: Mapping[str, float] = field(default_factory=dict)  # share of pairs of lists ordered against the axioms
    lists: ListCounts = field(default_factory=ListCounts)  # the counts behind it
    other: OtherJudgements | None = None  # by the main metric
    ratings: Satisfaction | None = None  # if users' ratings were given
    fragility: Fragility | None = None  # of the best systems by the main metric or nDCG@10, if runs were given
    dominance: Dominance | None = None  # of the same systems

    @property
    def properties(self) -> tuple[Axioms, ...]:
        """The axioms, by their name in 0.1.0."""
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
        """The significance test of discriminative power and of the comparison, in words."""
        return paired_test_label(self.discrimination.test, self.discrimination.correction)

    def width(self) -> Floats | None:
        """[system, metric] how far missing judgements could move the mean score."""
        return None if self.bounds is None else np.abs(self.bounds[:, :, 1] - self.bounds[:, :, 0])

    def axioms_of(self, metric: str, among: Sequence[Axioms]) -> Axioms | None:
        """The axiom results that include the metric, by its canonical name."""
        return next((each for each in among if self.canonical_name(metric) in each.metrics), None)

    def canonical_name(self, metric: str) -> str:
        """The name of a metric in axiom results."""
        return str(self.known[metric]) if metric in self.known else metric


def check_main_metric(main: str | None, expected: Scores | None = None) -> None:
    """Refuses a main metric that is not among the metrics."""
    if main and expected is not None:
        try:
            expected.resolved_metric(main)
        except InputError as error:
            error.argument = "main"
            raise


def look_at_ratings(ratings: Any) -> None:
    """Refuses a table that has no ratings; rated sessions are read later."""
    if Path(ratings).is_file():
        Ratings.read(ratings)


@method(
    "What is each metric good for on this collection?",
    path="report",
    check=check_main_metric,
    look=look_at_ratings,
    scores_by="all",
    draws=True,
    presenter="irassay.cli.output:write_report",
    without_options="plot",
    least_runs=2,
    examples=("irassay report qrels.txt runs/ -o report.html", "irassay report --scores table.tsv --define mine.py"),
)
def assay(
    about: Annotated[RunsOrScores, DefaultMetrics(DEFAULT_METRICS)],
    *,
    main: Annotated[
        str | None, Option("Metric to compare systems by.", also=("--by",), shown="the first", metavar="METRIC")
    ] = None,
    baseline: Annotated[str | None, Option("Compare the other systems with this run only.")] = None,
    other: Annotated[
        OtherQrels | Any | None, "Other judgements of the same topics, such as a model's, to compare with."
    ] = None,
    ratings: Annotated[
        UserRatings | Any | None,
        "Users' ratings of these lists (table: unit rating, unit = SYSTEM/TOPIC) or of other searches (folder of "
        "sessions).",
    ] = None,
    groups: Groups = None,
    test: PairedTest = ALL_PAIRS,
    splits: Splits = 1000,
    alpha: Alpha = 0.05,
    margin: Annotated[
        float, Option("Largest difference on a criterion that counts as no worse.", low=0, high=1)
    ] = MARGIN,
    also: tuple[Result, ...] = (),
    truth: Mapping[str, float] | None = None,
) -> Assay:
    """Score, compare and meta-evaluate a collection, and write one self-contained page about it.

    Is your own metric any good? With --define, it is shown beside the published ones.

    `main` is the metric for the comparison of systems, by default the first; with a `baseline`, systems are compared
    with it only. `other` judgements are compared with these. `ratings` are users' ratings of these lists, or of other
    sessions, which the metrics score. A metric is dominated by another one that is significantly better on one
    criterion and shown to be at most `margin` worse on all others. `also` are results of further methods to show.
    `truth` is the true quality of each system, if known, as a positive control. Counts in a table of scores, such as
    num_ret, are left out. The default metrics are added if all metrics are the user's own; diversity metrics are added
    to the default ones if judgements are by subtopic.
    """
    about = about.with_default_metrics(DEFAULT_METRICS)
    settings = about.settings
    simple, bounds, with_bounds, lists = None, None, None, None
    if about.judged is not None:
        judged_runs, remarks = with_added_metrics(about.judged)
        settings = replace(settings, inputs={**settings.inputs, **label_settings(judged_runs.parsed_metrics)})
        scores, with_bounds, simple, lists = score_cubes(judged_runs)
        bounds = with_bounds.means().reshape(len(with_bounds.systems), -1, 3)[:, :, 1:]
    elif about.scores is not None:
        scores, remarks = scores_of_quality(about.scores)
    complete = complete_scores(scores, "A report", topics=4).scores
    definitions = known_metrics(scores.metrics)
    main_metric = scores.resolved_metric(main) if main else scores.metrics[0]
    other_result, other_scores = None, None
    if other is not None:
        if about.judged is None:
            raise InputError(argument("other"), " needs runs and judgements; scores say nothing about documents.")
        other_scores = scores_by(judged_runs, scores, other)
        by_name = replace(judged_runs, qrels=about.judged.qrels)  # unread judgements have the name of their file
        other_result = other_judgements(
            by_name, scores, other_scores, main_metric, other, test=test, alpha=alpha, baseline=baseline
        )
    axiom_results, checks, refused = _axiom_results(definitions.values())
    diverse = [name for name, m in definitions.items() if "aspects" in m.meaning.needs and name not in SIMPLE_METRICS]
    with_simple = against_simple(scores, simple, diverse)
    seed = test.seed
    consistencies = consistency(scores, splits=splits, alpha=alpha, seed=seed)
    discriminations = discrimination(scores, test=test, levels=_levels(alpha), groups=groups)
    kinds = tuple(kind_of_bounds(definitions.get(name), scores.has_costs) for name in scores.metrics)
    score_bounds = ScoreBounds(kinds, with_bounds, lists.unjudged if lists else {})
    profiled = profile(scores, score_bounds, discriminations, consistencies, test=test, truth=truth, other=other_scores)
    profiled = replace(profiled, margin=margin)
    rated = None
    if ratings is not None:
        agrees, rated = ratings_criterion(scores, definitions, ratings, alpha=alpha, seed=seed, truth=truth)
        profiled = replace(profiled, criteria=(*profiled.criteria, agrees))
    fragile, dominant = (
        _claims(judged_runs, complete, main_metric, alpha, seed) if about.judged is not None else (None, None)
    )
    counts = list_counts(lists, scores, definitions)
    return Assay(
        scores=scores,
        bounds=bounds,
        main=main_metric,
        seed=seed,
        alpha=alpha,
        comparison=compare(complete, main_metric, test=test, alpha=alpha, baseline=baseline).by(),
        similarity=(similarity if len(scores.metrics) > 1 else similarity_result)(scores, alpha=alpha, seed=seed),
        consistency=consistencies,
        discrimination=discriminations,
        agreement=agreement(scores, alpha=alpha, test=PairedTest("t", seed=seed)),
        axioms=axiom_results,
        checks=checks,
        refused=refused,
        intuitiveness=intuitiveness(with_simple, simple=SIMPLE_METRICS, seed=seed)
        if with_simple and len(diverse) > 1
        else None,
        unanimity=unanimity(with_simple, simple=SIMPLE_METRICS, seed=seed) if with_simple else None,
        also=tuple(also),
        known=definitions,
        remarks=tuple(remarks),
        profile=profiled,
        matters={m: counts.against[m] / pairs for m, pairs in counts.dominating.items() if pairs},
        lists=counts,
        other=other_result,
        ratings=rated,
        fragility=fragile,
        dominance=dominant,
        settings=Settings(inputs={"about": settings}),
    )


def _claims(
    judged_runs: JudgedRuns, scores: Scores, metric: str, alpha: float, seed: int
) -> tuple[Fragility | None, Dominance | None]:
    """What claims about the best systems depend on; None if runs cannot be read again, or are not ad hoc lists.

    Changed judgements are tried by nDCG@10 if the metric is no sum of gains, because whole lists take long to rescore.
    """
    merit = scores.oriented().values[:, :, scores.metrics.index(metric)].mean(axis=1)
    best = [scores.systems[s] for s in np.argsort(-merit, kind="stable")[:BEST_SYSTEMS]]
    runs = chosen_runs(judged_runs.runs, scores.systems, best) if len(best) > 1 else None
    if runs is None:
        return None, None
    top = replace(judged_runs, runs=runs, metrics=(metric,))
    with suppress(InputError):
        quick = top if is_summed(top.parsed_metrics[0]) else replace(top, metrics=(SUMMED_METRIC,))
        return fragility(quick, alpha=alpha, seed=seed), dominance(top, alpha=alpha)
    return None, None


def _levels(alpha: float) -> tuple[float, ...]:
    """The levels of discriminative power, of which alpha is the main one.

    >>> _levels(0.05), _levels(0.01), _levels(0.2)
    ((0.01, 0.05, 0.1), (0.01, 0.1), (0.2, 0.01, 0.1))
    """
    return (0.01, 0.05, 0.10) if alpha == 0.05 else (alpha, *sorted({0.01, 0.10} - {alpha}))


def _axiom_results(metrics: Iterable[Metric]) -> tuple[tuple[Axioms, ...], tuple[Axioms, ...], Mapping[str, str]]:
    """The axioms and checks of every metric that can score enumerated rankings, and why others cannot."""
    from irassay.meta.axioms.feasibility import scorable_metrics
    from irassay.rankings.enumeration import Space

    given = list(metrics)
    by_aspect = [metric for metric in given if "aspects" in metric.meaning.needs]
    by_grade = [metric for metric in given if metric not in by_aspect]
    kinds: tuple[tuple[list[Metric], tuple[str, ...], dict[str, Any]], ...] = (
        (by_grade, ADHOC_AXIOMS, {"aspects": 1, "grades": GRADES}),
        (by_aspect, DIVERSITY_AXIOMS, {"aspects": ASPECTS, "grades": 1}),
    )
    results: list[Axioms] = []
    checks: list[Axioms] = []
    refused: dict[str, str] = {}
    for members, names, size in kinds:
        scorable, refusals = scorable_metrics(members, Space.of(depth=DEPTH, **size))
        refused |= {str(refusal.metric): refusal.sentence for refusal in refusals}
        if scorable:
            results.append(axioms(scorable, axioms=names, depth=DEPTH, induction=False, **size))
            checks.append(axioms(scorable, axioms=CHECKS, depth=DEPTH, induction=False, **size))
    return tuple(results), tuple(checks), refused
