"""Topics: which of them drive the difference between two systems, how few it depends on, and which are hard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from irassay.arrays import TIE, Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.addresses import dataset_of
from irassay.io.document_texts import document_texts
from irassay.meta.complete_scores import aggregate_notes, checked_alpha
from irassay.meta.rank_shares import RankShares, rank_shares
from irassay.meta.shared_options import Alpha
from irassay.meta.system_lookup import named_pair, system_by_name
from irassay.method import method
from irassay.notes import Note
from irassay.prose import count_phrase, first_few
from irassay.results import Result
from irassay.score_names import quoted_name
from irassay.scores import Scores
from irassay.scoring.runs_or_scores import RunsOrScores
from irassay.scoring.score import parsed_metrics
from irassay.settings import DefaultMetrics, Option, Settings
from irassay.stats.influence import (
    VerdictChange,
    leave_one_out,
    sign_flipping_topics,
    student_p,
    student_t,
    verdict_flipping_topics,
)
from irassay.stats.jackknife import student_critical
from irassay.stats.levels import alpha_of_level

DEFAULT_METRICS = ("nDCG@10",)


@dataclass(frozen=True, eq=False, repr=False)
class Topics(Result):
    """The scores of systems by topic under one metric, and the difference between two of them."""

    saved_as: ClassVar[str] = "topics"

    metric: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  # [system, topic]
    higher_is_better: bool
    pair: tuple[str, str]  # the difference is first minus second
    chosen: str  # how the pair was chosen: given, best, baseline
    alpha: float
    one: RankShares | None = None  # the rankings of one topic, if a topic is given
    texts: Mapping[str, str] = field(default_factory=dict, metadata={"saved": False})  # of topics, if they are known
    document_texts: Mapping[str, str] = field(default_factory=dict)  # of the rankings, if they are known

    def of(self, system: str) -> Floats:
        """[topic] the scores of a system."""
        return np.asarray(self.values[self.systems.index(system)])

    @cached_property
    def difference(self) -> Floats:
        """[topic] the first system of the pair minus the second; ties are exactly 0."""
        d = self.of(self.pair[0]) - self.of(self.pair[1])
        return np.where(np.abs(d) <= TIE * self.span, 0.0, d)

    @property
    def span(self) -> float:
        """The range of the pair's scores."""
        return float(np.ptp(np.stack([self.of(name) for name in self.pair])))

    @property
    def order(self) -> Ints:
        """[topic] the positions of the topics, largest difference first; equal ones in the order given."""
        return np.argsort(-self.difference, kind="stable")

    @cached_property
    def mean_difference(self) -> float:
        """The mean over topics of the difference."""
        mean = float(self.difference.mean())
        return 0.0 if abs(mean) <= TIE * self.span else mean

    @property
    def is_constant(self) -> bool:
        """Whether the difference is the same on every topic, so that it has no spread."""
        return float(np.ptp(self.difference)) <= TIE * self.span

    @cached_property
    def p(self) -> float:
        """p of the paired t-test on all topics; without spread, p of flipping the signs of topics."""
        n = len(self.topics)
        d, mean = self._rescaled(self.difference), self._rescaled(np.array(self.mean_difference))
        squares = 0.0 if self.is_constant else float(((d - d.mean()) ** 2).sum())
        return float(student_p(student_t(n, mean, np.array(squares)), n))

    def _rescaled(self, x: Floats, back: bool = False) -> Floats:
        """[...] in units of the power of two above the range of scores, so that squares are finite; or back."""
        exponent = int(np.frexp(self.span)[1])
        return np.ldexp(x, exponent if back else -exponent)

    def interval(self, level: float | None = None) -> tuple[float, float]:
        """The ends of Student's interval of the mean difference, by default at 1 - alpha."""
        n = len(self.topics)
        alpha = alpha_of_level(level, self.alpha)
        spread = float(self._rescaled(self._rescaled(self.difference).std(ddof=1), back=True))
        reach = float(student_critical(alpha, n) * spread / np.sqrt(n))
        return self.mean_difference - reach, self.mean_difference + reach

    @cached_property
    def without(self) -> tuple[Floats, Floats]:
        """[topic], [topic] the mean difference, and p of the paired t-test, with each topic left out."""
        mean, t = leave_one_out(self._rescaled(self.difference), span=float(self._rescaled(np.array(self.span))))
        return self._rescaled(mean, back=True), student_p(t, len(self.topics) - 1)

    @cached_property
    def sign_lost(self) -> Ints:
        """The fewest topics without which the mean difference is 0 or changes sign; empty if there are none."""
        return sign_flipping_topics(self._rescaled(self.difference))

    @cached_property
    def verdict_lost(self) -> VerdictChange:
        """Topics without which the t-test reaches the opposite verdict at alpha."""
        return verdict_flipping_topics(self._rescaled(self.difference), self.alpha)

    @property
    def significant(self) -> bool:
        """Whether the difference is significant on all topics."""
        return self.p < self.alpha

    def hardest(self) -> Ints:
        """[topic] the positions of the topics, worst mean over systems first."""
        return np.argsort(self.values.mean(axis=0) * (1 if self.higher_is_better else -1), kind="stable")

    def best_first(self) -> Ints:
        """[system] the positions of the systems, best mean first."""
        return np.argsort(self.values.mean(axis=1) * (-1 if self.higher_is_better else 1), kind="stable")

    def ranked(self) -> list[tuple[str, float]]:
        """The topics and their differences, largest first."""
        return [(self.topics[t], float(self.difference[t])) for t in self.order]


def check_topics(
    pair: tuple[str, ...],
    baseline: str | None,
    topic: str | None = None,
    texts: bool = False,
    documents: Path | None = None,
    inputs: Sequence[str] = (),
    scores: Sequence[str] = (),
    expected: Scores | None = None,
) -> None:
    """Refuses settings that do not go together: two ways to choose systems, and rankings of no topic or no run."""
    if pair and baseline is not None:
        raise InputError("Give ", argument("pair"), " or ", argument("baseline"), ", not both.")
    if documents is not None and topic is None:
        raise InputError(argument("documents"), " are shown with one topic; name it with ", argument("topic"), ".")
    if scores and topic is not None:
        raise InputError(argument("topic", topic), " needs rankings, not score tables; give the runs.")
    if texts:
        _check_texts(topic, bool(inputs) and dataset_of(inputs[0]) is None)
    if expected is not None and expected.topics and topic is not None:
        check_topic(topic, expected.topics)


def _check_texts(topic: str | None, has_no_dataset: bool) -> None:
    """Refuses to show texts of no topic, or without a dataset that has them."""
    if topic is None or has_no_dataset:
        needs = " needs judgements from ir_datasets (irds:NAME) and "
        raise InputError(argument("texts"), needs, argument("topic"), ".", argument="texts")


def check_topic(topic: str, topics: Sequence[str]) -> None:
    """Refuses an unknown topic."""
    if topic not in topics:
        given = argument("topic", topic)
        raise InputError(given, f": there is no such topic; there are {first_few(topics)}.", argument=given)


@method(
    "Which topics make two systems differ, and which are hard?",
    path="topics",
    check=check_topics,
    scores_by="first",
    least_runs=2,
    examples=(
        "irassay topics qrels.txt bm25.run bert.run -m nDCG@10",
        "irassay topics qrels.txt runs/ -m AP --baseline bm25 --plot topics.png",
        "irassay topics qrels.txt bm25.run bert.run -m nDCG@10 --topic 101",
        "irassay topics --scores scores.tsv -m AP",
    ),
)
def topics(
    evaluated: Annotated[RunsOrScores, DefaultMetrics(DEFAULT_METRICS)],
    *,
    pair: Annotated[
        tuple[str, ...],
        Option(
            "The two runs to compare, separated by a comma or space.", greedy=True, shown="the two given, or the best"
        ),
    ] = (),
    baseline: Annotated[str | None, Option("Compare the best other run with this one: its name, file or tag.")] = None,
    topic: Annotated[str | None, Option("Show the two rankings of this topic side by side.")] = None,
    texts: Annotated[bool, "With a topic, also show its documents; ir_datasets may have to download them."] = False,
    documents: Annotated[
        Path | None, "File with the documents to show with a topic: lines of id, tab and text, or JSON objects."
    ] = None,
    alpha: Alpha = 0.05,
) -> Topics:
    """Differences between two systems by topic: which topics drive them, how few they depend on, which are hard.

    Two runs are compared in the given order, first minus second. With more runs: the best two, or the best and the
    baseline. The test is the paired t-test. With a topic, the two rankings are shown side by side with what each rank
    adds to the difference of the scores; that needs runs, while everything else works with score tables too.

    Topics have their texts if judgements are from ir_datasets (`irds:NAME`). A file of documents has one per line: its
    id, a tab and its text, or a JSON object with its id and its title, text or contents.
    """
    evaluated = evaluated.with_default_metrics(DEFAULT_METRICS)
    if evaluated.judged is None or evaluated.scores is not None:
        if topic is not None:
            raise InputError(argument("topic", topic), " needs rankings, not score tables; give the runs.")
        assert evaluated.scores is not None
        return _by_one_metric(evaluated.scores, evaluated.scores.metrics, pair, baseline, alpha)
    runs = evaluated.judged
    metric = parsed_metrics(runs.metrics, runs.scoring.rel, runs.scoring.judged_only)[0]
    result = _by_one_metric(runs.scores([metric]), runs.metrics, pair, baseline, alpha)
    result = replace(result, settings=Settings(inputs={"evaluated": runs.settings}))
    dataset = dataset_of(runs.qrels)
    if texts:
        _check_texts(topic, dataset is None)
    result = result if dataset is None else replace(result, texts=dataset.topic_texts())
    if topic is None:
        return result
    check_topic(topic, result.topics)
    t = result.topics.index(topic)
    scores = {name: float(result.of(name)[t]) for name in result.pair}
    one = rank_shares(runs, metric, topic, scores)
    listed = sorted({document for ranking in one.documents for document in ranking})
    known = dataset.document_texts(listed) if dataset is not None and texts else {}
    known |= document_texts(documents, listed) if documents is not None else {}
    return replace(result, one=one, document_texts=known)


def _by_one_metric(
    scores: Scores, metrics: Sequence[object], pair: str | tuple[str, ...], baseline: str | None, alpha: float
) -> Topics:
    """The topics under the first metric, with a note if there are further metrics."""
    if not scores.metrics:
        raise InputError("Topics are compared under a metric; name one.")
    others = count_phrase(len(metrics) - 1, "other metric")
    note = f"topics are compared under {scores.metrics[0]} only; {others} left out"
    notes = (*scores.notes, note) if len(metrics) > 1 else scores.notes
    return topics_of(replace(scores, notes=notes), pair=pair, baseline=baseline, alpha=alpha)


def topics_of(
    scores: Scores,
    metric: str = "",
    *,
    pair: str | tuple[str, ...] = (),
    baseline: str | None = None,
    alpha: float = 0.05,
) -> Topics:
    """The topics of scores under one metric, by default the first.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9]])[:, :, None]
    >>> found = topics_of(Scores(cube, ("A", "B"), tuple("1234"), ("AP",)), pair=("B", "A"))
    >>> found.ranked()[0][0], len(found.sign_lost)
    ('4', 0)
    """
    complete = scores.select(metrics=[scores.resolved_metric(metric or scores.metrics[0])]).complete()
    checked_alpha(alpha)
    if len(complete.systems) < 2:
        count = f"{len(complete.systems)}{' (the same run given twice counts once)' if complete.systems else ''}"
        raise InputError(f"Topics are compared between two systems; found {count}. Give more runs.")
    if len(complete.topics) < 2:
        count = f"at least two topics that every system has; found {len(complete.topics)}"
        raise InputError(f"A comparison needs {count}. Give runs and judgements that share more topics.")
    up, values = complete.higher_is_better[0], complete.values[:, :, 0]
    first, second, how = _pair(complete, values.mean(axis=1) * (1 if up else -1), pair, baseline)
    notes = (*complete.notes, *aggregate_notes(complete.metrics[0], complete.over_topics[0]))
    if not up:
        notes = (*notes, Note("lower is better for {metrics}", metrics=complete.metrics, caveat=True))
    names = tuple(quoted_name(key).strip("'") for key in complete.keys)
    return Topics(complete.metrics[0], complete.systems, names, values, up, (first, second), how, alpha, notes=notes)


def _pair(scores: Scores, merit: Floats, pair: str | tuple[str, ...], baseline: str | None) -> tuple[str, str, str]:
    """The two systems to compare, and how they were chosen."""
    pair = (pair,) if isinstance(pair, str) else pair
    check_topics(pair, baseline)
    if (names := named_pair(scores, pair)) is not None:
        return *names, "given"
    order = [scores.systems[s] for s in np.argsort(-merit, kind="stable")]
    if baseline is not None:
        baseline = system_by_name(scores, baseline, "baseline")
        best = next(name for name in order if name != baseline)
        return best, baseline, "given" if len(order) == 2 else "baseline"
    if len(order) == 2:
        return scores.systems[0], scores.systems[1], "given"
    return order[0], order[1], "best"
