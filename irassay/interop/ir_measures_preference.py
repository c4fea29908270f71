"""The measures of ir_measures, computed by irassay: the same numbers in less time."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from irassay.errors import InputError
from irassay.interop import required_package
from irassay.io.frames import frame_from_memory
from irassay.io.trec import Qrels, Run
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.grammar import metric_or_none
from irassay.metrics.metric import Metric
from irassay.scoring.score import score

if TYPE_CHECKING:
    import polars as pl

ir_measures: Any = required_package("ir_measures", "ir-measures")

SAME = {  # measures of ir_measures that irassay computes with the same numbers
    "AP", "Bpref", "IPrec", "Judged", "NumQ", "NumRel", "NumRet", "P", "R", "RR", "Rprec", "SetAP", "SetF", "SetP",
    "SetR", "Success", "infAP", "nDCG",
}  # fmt: skip


class PreferredProvider(ir_measures.Provider):
    """Measures of other providers of ir_measures, computed by irassay with the same numbers."""

    NAME = "irassay_preferred"

    def supports(self, measure: Any) -> bool:
        """Whether ir_measures would use a provider whose conventions are known, and irassay has the same number."""
        return usual_provider(measure) in POLICIES and same_metric(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        return PreferredEvaluator(list(measures), list(qrels) if isinstance(qrels, Iterator) else qrels)


class PreferredEvaluator(ir_measures.Evaluator):
    """Scores runs as providers of ir_measures do; runs that irassay might see differently are left to them."""

    def __init__(self, measures: list[Any], given: Any) -> None:
        self.given = given
        topics = given if isinstance(given, Mapping) else getattr(self.own_qrels, "topics", ())
        super().__init__(measures, set(topics))

    @cached_property
    def own_qrels(self) -> Qrels | None:
        """The judgements; None if they are left to ir_measures, such as two grades of a document, or fractions."""
        try:
            own = Qrels.of(_text_frame(self.given, "grade"))
        except InputError:
            return None
        return own if (own.frame["grade"] % 1 == 0).all() else None

    @cached_property
    def usual_evaluator(self) -> Any:
        """The evaluator that ir_measures would use by itself."""
        return _usual_evaluator(self.measures, self.given)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        run = list(run) if isinstance(run, Iterator) else run
        if isinstance(run, Mapping) or self.own_qrels is None:  # pytrec_eval reads dicts as they are, and faster
            return self.usual_evaluator.iter_calc(run)
        try:
            return iter(self._scores(Run("run", _text_frame(run, "score"), "run"), self.own_qrels))
        except InputError:  # such as a document that is listed twice
            return self.usual_evaluator.iter_calc(run)

    def _scores(self, run: Run, qrels: Qrels) -> list[Any]:
        """The scores of a run on the topics that it answers."""
        scored: list[Any] = []
        for provider, policy in POLICIES.items():
            chosen = {str(same_metric(each)): each for each in self.measures if usual_provider(each) == provider}
            if not chosen:
                continue
            scores = score(run, qrels, list(chosen), judging=policy)
            for topic, values in zip(scores.topics, scores.values[0].tolist(), strict=True):
                named = zip(scores.metrics, values, strict=True)
                scored += [ir_measures.Metric(topic, chosen[name], value) for name, value in named if value == value]
        return scored


def _other_providers() -> list[Any]:
    """The providers of ir_measures without ours."""
    return [each for each in ir_measures.DefaultPipeline.providers if each is not PREFERRED]


def _usual_evaluator(measures: Iterable[Any], qrels: Any) -> Any:
    """The evaluator that ir_measures uses without this module."""
    return ir_measures.providers.FallbackProvider(_other_providers()).evaluator(measures, qrels)


def usual_provider(measure: Any) -> str:
    """The provider that ir_measures uses by itself; '' if it has none."""
    return next((each.NAME for each in _other_providers() if each.supports(measure) and each.is_available()), "")


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


class PreferenceBlock(AbstractContextManager["PreferenceBlock"]):
    """What `prefer` returns: it ends with the `with` block, or with `undo`."""

    def __init__(self) -> None:
        providers = ir_measures.DefaultPipeline.providers
        self.was_on = PREFERRED in providers
        providers[:0] = [] if self.was_on else [PREFERRED]

    def undo(self) -> None:
        """Leaves all measures of ir_measures to its own providers again."""
        ir_measures.DefaultPipeline.providers[:] = _other_providers()

    def __exit__(self, *problem: object) -> None:
        if not self.was_on:
            self.undo()


def prefer() -> PreferenceBlock:
    """Computes the measures of ir_measures with irassay, for speed; the numbers are the same to 1e-9.

    Equal scores and missing topics are treated as by the provider that ir_measures would use. What irassay does not
    compute in the same way, or not faster, stays with that provider.

    >>> with prefer():
    ...     ir_measures.calc_aggregate([ir_measures.RR @ 10], {"1": {"b": 1}}, {"1": {"a": 2.0, "b": 1.0}})
    {RR@10: 0.5}
    """
    return PreferenceBlock()


_answered_topics = partial(JudgingPolicy, missing="skip", on_unjudged="zero")
POLICIES = {  # how providers order equal scores, and in which precision they compare scores
    "pytrec_eval": _answered_topics(score_precision="single"),
    "msmarco": _answered_topics(ties="docid-asc"),
    "judged": _answered_topics(ties="docid-asc"),
}
PREFERRED = PreferredProvider()
