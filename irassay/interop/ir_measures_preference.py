"""The measures of ir_measures, computed by irassay: the same numbers in less time."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from irassay.errors import InputError
from irassay.interop import required_package
from irassay.io.frames import frame_from_memory
from irassay.io.trec import Qrels, Run
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.grammar import metric_or_none
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.scoring.score import score

if TYPE_CHECKING:
    import polars as pl

ir_measures: Any = required_package("ir_measures", "ir-measures")

SAME = {  # measures of ir_measures that irassay computes with the same numbers
    "AP", "Bpref", "IPrec", "Judged", "NumQ", "NumRel", "NumRet", "P", "R", "RR", "Rprec", "SetAP", "SetF", "SetP",
    "SetR", "Success", "infAP", "nDCG",
}  # fmt: skip


class PreferredProvider(ir_measures.Provider):
    """The measures of one provider of ir_measures, computed by irassay with the same numbers."""

    def __init__(self, usual: str, policy: JudgingPolicy) -> None:
        super().__init__()
        self.NAME = f"irassay_{usual}"
        self.usual = ir_measures.providers.registry[usual]
        self.policy = policy  # the order of equal scores, and the precision in which they are compared

    def supports(self, measure: Any) -> bool:
        """Whether ir_measures would use the usual provider, and irassay has the same number."""
        others = (each for each in ir_measures.DefaultPipeline.providers if not isinstance(each, PreferredProvider))
        provider = next((each for each in others if each.supports(measure) and each.is_available()), None)
        return provider is self.usual and same_metric(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        given = list(qrels) if isinstance(qrels, Iterator) else qrels
        try:
            own = Qrels.of(_text_frame(given, "grade"))
        except InputError:  # such as a document with two grades
            return self.usual.evaluator(measures, given)
        whole = (own.frame["grade"] % 1 == 0).all()
        return PreferredEvaluator(self, list(measures), given, own) if whole else self.usual.evaluator(measures, given)


class PreferredEvaluator(ir_measures.Evaluator):
    """Scores runs as a provider of ir_measures does; runs that irassay might see differently are left to it."""

    def __init__(self, by: PreferredProvider, measures: list[Any], given: Any, qrels: Qrels) -> None:
        super().__init__(measures, set(qrels.topics))
        self.by, self.given, self.qrels = by, given, qrels

    @cached_property
    def usual(self) -> Any:
        """The evaluator of the provider itself."""
        return self.by.usual.evaluator(self.measures, self.given)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        run = list(run) if isinstance(run, Iterator) else run
        by_metric = {str(same_metric(each)): each for each in self.measures}
        scores = self._scores(run, list(by_metric))
        if scores is None:
            yield from self.usual.iter_calc(run)
            return
        for topic, values in zip(scores.topics, scores.values[0].tolist(), strict=True):
            for metric, value in zip(scores.metrics, values, strict=True):
                if not np.isnan(value):  # the run answers the topic
                    yield ir_measures.Metric(topic, by_metric[metric], value)

    def _scores(self, run: Any, metrics: list[str]) -> Scores | None:
        """The scores of a run; None if it is left to the provider, such as one that lists a document twice."""
        if isinstance(run, Mapping) and self.by.usual is ir_measures.pytrec_eval:
            return None  # pytrec_eval reads dicts as they are, which is faster
        try:
            return score(Run("run", _text_frame(run, "score"), "run"), self.qrels, metrics, judging=self.by.policy)
        except InputError:
            return None


def same_metric(measure: Any) -> Metric | None:
    """irassay's metric with the numbers of a measure of ir_measures; None if some numbers differ."""
    name = measure.NAME
    if (
        (name == "SetF" and measure["beta"] != 1)  # their beta means something else
        or (name == "nDCG" and "gains" in measure.params)
        or (name == "IPrec" and (measure["judged_only"] or round(measure["recall"], 2) != measure["recall"]))
        or name not in SAME
    ):
        return None
    return metric_or_none(str(measure))


def _text_frame(data: Any, value: str) -> "pl.DataFrame":
    """Judgements or a run of ir_measures as a frame; InputError if its names are not text."""
    frame = frame_from_memory(data, "data", ("topic", "doc", value))
    if not all(isinstance(name, str) for name in _first_names(data)):
        raise InputError("Topics and documents must be text.")
    return frame


def _first_names(data: Any) -> list[Any]:
    """The first topic and document of judgements or a run; None for each that has another name than in ir_measures."""
    if isinstance(data, Mapping):
        return [*islice(data, 1), *islice(chain.from_iterable(data.values()), 1)]
    if hasattr(data, "iloc"):
        columns = [data[name] if name in data.columns else [None] for name in ("query_id", "doc_id")]
        return [name for column in columns for name in islice(column, 1)]
    return [getattr(data[0], name, None) for name in ("query_id", "doc_id")] if data else []


class Preference(AbstractContextManager["Preference"]):
    """What `prefer` returns: it ends with the `with` block, or with `undo`."""

    def __init__(self) -> None:
        providers = ir_measures.DefaultPipeline.providers
        self.was_on = PREFERRED[0] in providers
        providers[:0] = [] if self.was_on else PREFERRED

    def undo(self) -> None:
        """Leaves all measures of ir_measures to its own providers again."""
        providers = ir_measures.DefaultPipeline.providers
        providers[:] = [each for each in providers if each not in PREFERRED]

    def __exit__(self, *problem: object) -> None:
        if not self.was_on:
            self.undo()


def prefer() -> Preference:
    """Computes the measures of ir_measures with irassay, for speed; the numbers are the same to 1e-9.

    Equal scores and missing topics are treated as by the provider that ir_measures would use. What irassay does not
    compute in the same way, or not faster, stays with that provider.

    >>> with prefer():
    ...     ir_measures.calc_aggregate([ir_measures.RR @ 10], {"1": {"b": 1}}, {"1": {"a": 2.0, "b": 1.0}})
    {RR@10: 0.5}
    """
    return Preference()


_answered_topics = partial(JudgingPolicy, missing="skip", on_unjudged="zero")
PREFERRED = (
    PreferredProvider("pytrec_eval", _answered_topics(score_precision="single")),
    PreferredProvider("msmarco", _answered_topics(ties="docid-asc")),
    PreferredProvider("judged", _answered_topics(ties="docid-asc")),
)
