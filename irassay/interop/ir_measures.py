"""ir_measures: irassay's metrics as its measures, with a provider; and its own measures, computed faster.

Importing this module registers both. `python -m irassay.interop.ir_measures` is then the command of ir_measures.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from irassay.declarations import doc
from irassay.domains import Domain
from irassay.errors import InputError
from irassay.interop import required_package
from irassay.io.frames import frame_from_memory
from irassay.io.trec import RUN_COLUMNS, Qrels, Run
from irassay.metrics.declaration import Declaration
from irassay.metrics.grammar import catalogue, metric_or_none, parse
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.scoring.score import score

if TYPE_CHECKING:
    import ir_measures
    import polars as pl
else:
    ir_measures = required_package("ir_measures", "ir-measures")

PREFIX = "irassay_"  # of our measures whose names ir_measures has too
SHARED_NAMES = frozenset(ir_measures.measures.registry)
NOT_PASSED_ON = {  # what a metric may need that ir_measures has no place for
    "turns": "a session or Dynamic Domain run",
    "passages": "passage judgements",
    "lengths": "document lengths",
    "preferences": "preferences between documents",
    "costs": "the costs of results",
}
SAME = frozenset(  # measures of ir_measures that irassay computes with the same numbers
    "AP Bpref IPrec Judged NumQ NumRel NumRet P R RR Rprec SetAP SetF SetP SetR Success infAP nDCG".split()
)
TYPES: dict[str, Any] = {"flag": bool, "whole": int, "number": (float, int), "word": str, "text": str}

_classes: dict[str, type["IrassayMeasure"]] = {}


class IrassayMeasure(ir_measures.Measure):
    """A metric of irassay as a measure of ir_measures."""

    base: ClassVar[Metric]  # without parameters
    irassay_metric: Metric

    def __init__(self, metric: Metric | None = None, /, **params: Any) -> None:
        metric, cutoff = metric or self.base, params.pop("cutoff", None)
        metric = metric(**params) if params else metric
        metric = metric if cutoff is None else metric @ cutoff
        _refuse_without_input(metric)
        super().__init__(**dict(metric.given), **({} if metric.cutoff is None else {"cutoff": metric.cutoff}))
        self.irassay_metric = metric
        self.validated = True

    def __call__(self, **params: Any) -> "IrassayMeasure":
        return type(self)(self.irassay_metric, **params)

    def __repr__(self) -> str:
        metric = self.irassay_metric
        return _their_name(metric.name) + str(metric).removeprefix(metric.name)

    def __reduce__(self) -> tuple[Any, ...]:  # their classes are made when they are first asked for
        return measure, (str(self.irassay_metric),)

    def aggregator(self) -> "OverTopics":
        """The mean over topics; for some metrics a geometric mean or a sum."""
        return OverTopics(self.irassay_metric.meaning.over_topics)


class OverTopics:
    """The scores of a metric on topics as one number; topics without a score are left out."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.scores: list[float] = []

    def add(self, value: float) -> None:
        """Adds the score of a topic."""
        self.scores.append(value)

    def result(self) -> float:
        """The mean, geometric mean or sum, as irassay computes it."""
        topics = tuple(map(str, range(len(self.scores))))
        cube = Scores(np.array(self.scores)[None, :, None], ("run",), topics, ("metric",), over_topics=(self.kind,))
        return float(cube.means()[0, 0])


def measure(metric: Any) -> IrassayMeasure:
    """irassay's metric as a measure of ir_measures, even if ir_measures has one of the same name.

    >>> measure("RBP(p=0.9)@10"), measure("aINSQ(T=2)") @ 20, measure("RBP") == ir_measures.RBP
    (irassay_RBP(p=0.9)@10, aINSQ(T=2.0)@20, False)
    """
    ours = parse(metric)
    _refuse_without_input(ours)
    return _measure_class(ours.name)(ours)


def _refuse_without_input(metric: Metric) -> None:
    """Refuses a metric that needs more than judgements and a run."""
    lacking = [text for need, text in NOT_PASSED_ON.items() if need in metric.needs]
    if any(isinstance(value, str) and value.startswith("@") for _, value in metric.given):
        lacking = ["parameters by topic"]
    if lacking:
        raise InputError(f"{metric} needs {lacking[0]}, which ir_measures does not pass on; use irassay.score instead.")


def _their_name(name: str) -> str:
    """The name of a metric of ours in ir_measures."""
    return PREFIX + name if name in SHARED_NAMES else name


def _measure_class(name: str) -> type[IrassayMeasure]:
    """The class of measures for a metric, which is registered the first time."""
    base = parse(name)
    if name in _classes and _classes[name].base.declaration is base.declaration:
        return _classes[name]
    own = _their_name(name)
    recall = "recall" if base.declaration.number_is == "recall" else "cutoff"  # IPrec@0.1
    made = type(
        f"_{own}",
        (IrassayMeasure,),
        {
            "__name__": own,
            "__doc__": f"{doc(base.declaration.function)}\n",
            "__module__": __name__,
            "NAME": own,
            "PRETTY_NAME": f"{name} (irassay)",
            "SHORT_DESC": base.declaration.summary,
            "AT_PARAM": recall,
            "SUPPORTED_PARAMS": _parameters(base.declaration),
            "base": base,
        },
    )
    _classes[name] = made
    registered = made()
    ir_measures.measures.registry[own] = registered
    PROVIDER.SUPPORTED_MEASURES[:] = [each for each in PROVIDER.SUPPORTED_MEASURES if own != each.NAME] + [registered]
    return made


def _parameters(declaration: Declaration) -> dict[str, Any]:
    """The parameters of a metric as ir_measures describes them."""
    declared = dict(declaration.with_A.parameters if declaration.with_A else {}) | dict(declaration.parameters)
    info = ir_measures.ParamInfo
    parameters = {
        key: info(dtype=_type(each.domain), default=each.default, desc=each.sentence)
        for key, each in declared.items()
        if key != "unit"
    }
    return parameters | {"cutoff": info(dtype=int, desc="Number of results that count.")}


def _type(domain: Domain) -> Any:
    """The Python type of a parameter; None if it has several, such as a table or a word."""
    return None if domain.optional else TYPES.get(domain.kind)


class IrassayEvaluator(ir_measures.Evaluator):
    """Scores runs by irassay's metrics."""

    def __init__(self, measures: Iterable[IrassayMeasure], qrels: Qrels) -> None:
        super().__init__(list(measures), set(qrels.topics))
        self.qrels = qrels

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """The score of every judged topic; NaN if the metric leaves the topic out."""
        by_metric = {str(each.irassay_metric): each for each in self.measures}
        metrics = [each.irassay_metric for each in by_metric.values()]
        scores = score(plain_run(run), self.qrels, metrics, on_unjudged="zero")
        for topic, values in zip(scores.topics, scores.values[0].tolist(), strict=True):
            for metric, value in zip(scores.metrics, values, strict=True):
                yield ir_measures.Metric(topic, by_metric[metric], value)


class IrassayProvider(ir_measures.Provider):
    """irassay: metrics of the C/W/L/A framework, effort, diversity and trec_eval."""

    NAME = "irassay"
    SUPPORTED_MEASURES: ClassVar[list[IrassayMeasure]] = []

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Whether this is a measure of irassay."""
        return isinstance(measure, IrassayMeasure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> IrassayEvaluator:
        chosen = list(measures)
        if theirs := [each for each in chosen if not self.supports(each)]:
            name = theirs[0].NAME
            raise ValueError(f"unsupported measure {theirs[0]}: it is ir_measures' own; irassay's is measure('{name}')")
        return IrassayEvaluator(chosen, Qrels.of(qrels))


def plain_run(run: Any) -> Run:
    """A run of ir_measures: a dict, a data frame or namedtuples."""
    return Run("run", frame_from_memory(run, "run", RUN_COLUMNS), "run")


class PreferredProvider(ir_measures.Provider):
    """The measures of one provider of ir_measures, computed by irassay with the same numbers."""

    def __init__(self, usual: str, **policy: str) -> None:
        super().__init__()
        self.NAME = PREFIX + usual
        self.usual = ir_measures.providers.registry[usual]
        self.policy = policy  # the order of equal scores, and the precision in which they are compared

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Whether ir_measures would use the usual provider, and irassay has the same number."""
        others = (each for each in ir_measures.DefaultPipeline.providers if not isinstance(each, PreferredProvider))
        provider = next((each for each in others if each.supports(measure) and each.is_available()), None)
        return provider is self.usual and same_metric(measure) is not None

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> ir_measures.Evaluator:
        given = list(qrels) if isinstance(qrels, Iterator) else qrels
        try:
            own = Qrels.of(_text_frame(given, "grade"))
        except InputError:  # such as a document with two grades
            return self.usual.evaluator(measures, given)
        whole = (own.frame["grade"] % 1 == 0).all()
        return PreferredEvaluator(self, list(measures), given, own) if whole else self.usual.evaluator(measures, given)


class PreferredEvaluator(ir_measures.Evaluator):
    """Scores runs as a provider of ir_measures does; runs that irassay might see differently are left to it."""

    def __init__(self, by: PreferredProvider, measures: list[ir_measures.Measure], given: Any, qrels: Qrels) -> None:
        super().__init__(measures, set(qrels.topics))
        self.by, self.given, self.qrels = by, given, qrels

    @cached_property
    def usual(self) -> ir_measures.Evaluator:
        """The evaluator of the provider itself."""
        return self.by.usual.evaluator(self.measures, self.given)

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        run = list(run) if isinstance(run, Iterator) else run
        by_metric = {str(same_metric(each)): each for each in self.measures}
        try:
            if isinstance(run, Mapping) and self.by.usual is ir_measures.pytrec_eval:
                raise InputError("pytrec_eval reads dicts as they are, which is faster.")
            own = Run("run", _text_frame(run, "score"), "run")
            scores = score(own, self.qrels, list(by_metric), missing="skip", on_unjudged="zero", **self.by.policy)
        except InputError:  # such as a document that is listed twice
            yield from self.usual.iter_calc(run)
            return
        for topic, values in zip(scores.topics, scores.values[0].tolist(), strict=True):
            for metric, value in zip(scores.metrics, values, strict=True):
                if not np.isnan(value):  # the run answers the topic
                    yield ir_measures.Metric(topic, by_metric[metric], value)


def same_metric(measure: ir_measures.Measure) -> Metric | None:
    """irassay's metric with the numbers of a measure of ir_measures; None if some numbers differ."""
    name = measure.NAME
    if (
        (name == "SetF" and measure["beta"] != 1)  # pytrec_eval weighs precision and recall the other way round
        or (name == "nDCG" and "gains" in measure.params)
        or (name == "IPrec" and (measure["judged_only"] or round(measure["recall"], 2) != measure["recall"]))
        or name not in SAME
    ):
        return None
    return metric_or_none(str(measure))


def _text_frame(data: Any, value: str) -> "pl.DataFrame":
    """Judgements or a run of ir_measures as a frame; InputError if its names are not text."""
    frame = frame_from_memory(data, "data", ("topic", "doc", value))
    first = next(iter(data), None) if isinstance(data, list) else None
    columns = [data[name] for name in ("query_id", "doc_id")] if hasattr(data, "iloc") else []
    names = [next(iter(column), "") for column in columns] or [getattr(first, "query_id", ""), getattr(first, "doc_id", "")]
    if not all(isinstance(name, str) for name in names):
        raise InputError("Topics and documents must be text.")
    return frame


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


PROVIDER = IrassayProvider()
PREFERRED = (
    PreferredProvider("pytrec_eval", score_precision="single"),
    PreferredProvider("msmarco", ties="docid-asc"),
    PreferredProvider("judged", ties="docid-asc"),
)


def _register() -> None:
    """Makes the provider and all metrics that need only judgements and a run known to ir_measures."""
    ir_measures.providers.register(PROVIDER)
    ir_measures.DefaultPipeline.providers.append(PROVIDER)
    for metric in list(catalogue().values()):
        if not metric.needs & NOT_PASSED_ON.keys():
            _measure_class(metric.name)


if __name__ == "__main__":
    from irassay.interop import ir_measures as _registered  # noqa: F401  under its own name
    from ir_measures.__main__ import main_cli

    main_cli()
else:
    _register()
