"""ir_measures: irassay's metrics as its measures, with a provider; and its own measures, computed faster.

Importing this module registers both. `python -m irassay.interop.ir_measures` is then the command of ir_measures.
"""

import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import numpy as np

from irassay.declarations import doc
from irassay.domains import Domain
from irassay.errors import InputError
from irassay.interop import public_attribute, required_package
from irassay.interop.ir_measures_preference import prefer
from irassay.io.frames import frame_from_memory
from irassay.io.trec import RUN_COLUMNS, Qrels, Run
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.declaration import Declaration
from irassay.metrics.grammar import catalogue, metric_or_none, parse
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.scoring.score import score

ir_measures: Any = required_package("ir_measures", "ir-measures")

__all__ = ["PROVIDER", "IrassayMeasure", "IrassayProvider", "ir_measures", "measure", "prefer"]

PREFIX = "irassay_"  # of our measures whose names ir_measures has too
SHARED_NAMES = frozenset(ir_measures.measures.registry)
NOT_PASSED_ON = {  # what a metric may need that ir_measures has no place for
    "turns": "a session or Dynamic Domain run",
    "passages": "passage judgements",
    "lengths": "document lengths",
    "preferences": "preferences between documents",
    "costs": "the costs of results",
}
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
        """The same measure with other parameters."""
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
        raise InputError(
            f"{metric} needs {' and '.join(lacking)}, which ir_measures does not pass on; use irassay.score instead."
        )


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
    measure_class = type(
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
    _classes[name] = measure_class
    registered = measure_class()
    ir_measures.measures.registry[own] = registered
    PROVIDER.SUPPORTED_MEASURES[:] = [each for each in PROVIDER.SUPPORTED_MEASURES if own != each.NAME] + [registered]
    return measure_class


def _parameters(declaration: Declaration) -> dict[str, Any]:
    """The parameters of a metric as ir_measures describes them."""
    declared = dict(declaration.with_A.parameters if declaration.with_A else {}) | dict(declaration.parameters)
    info = ir_measures.ParamInfo
    parameters = {
        key: info(dtype=_parameter_type(each.domain), default=each.default, desc=each.sentence)
        for key, each in declared.items()
        if key != "unit"
    }
    return parameters | {"cutoff": info(dtype=int, desc="Number of results that count.")}


def _parameter_type(domain: Domain) -> Any:
    """The Python type of a parameter; None if it has several, such as a table or a word."""
    return None if domain.optional else TYPES.get(domain.kind)


class IrassayEvaluator(ir_measures.Evaluator):
    """Scores runs by irassay's metrics."""

    def __init__(self, measures: Iterable[IrassayMeasure], qrels: Qrels) -> None:
        super().__init__(list(measures), set(qrels.topics))
        self.qrels = qrels

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """The score of every judged topic; NaN if the metric leaves the topic out."""
        by_metric = {str(each.irassay_metric): each for each in self.measures}
        metrics = [each.irassay_metric for each in by_metric.values()]
        scores = score(plain_run(run), self.qrels, metrics, judging=JudgingPolicy(on_unjudged="zero"))
        for topic, values in zip(scores.topics, scores.values[0].tolist(), strict=True):
            for metric, value in zip(scores.metrics, values, strict=True):
                yield ir_measures.Metric(topic, by_metric[metric], value)


class IrassayProvider(ir_measures.Provider):
    """irassay: metrics of the C/W/L/A framework, effort, diversity and trec_eval."""

    NAME = "irassay"
    SUPPORTED_MEASURES: ClassVar[list[IrassayMeasure]] = []

    def supports(self, measure: Any) -> bool:
        """Whether this is a measure of irassay."""
        return isinstance(measure, IrassayMeasure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> IrassayEvaluator:
        chosen = list(measures)
        if theirs := [each for each in chosen if not self.supports(each)]:
            name = theirs[0].NAME
            raise ValueError(f"unsupported measure {theirs[0]}: it is ir_measures' own; irassay's is measure('{name}')")
        return IrassayEvaluator(chosen, Qrels.of(qrels))

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns that a run needs. PyTerrier asks before an experiment, so that notes for it are given here."""
        for each in measures:
            kind = each.irassay_metric.meaning.over_topics
            if kind != "mean" and "pyterrier" in sys.modules:
                own = "irassay.interop.pyterrier.experiment computes it"
                total = "sum" if kind == "sum" else f"{kind} mean"
                warnings.warn(
                    f"pt.Experiment shows the mean of {each} over topics, not the {total}; {own}.", stacklevel=2
                )
        return ["query_id", "doc_id", "score"]


def plain_run(run: Any) -> Run:
    """A run of ir_measures: a dict, a data frame or namedtuples."""
    return Run("run", frame_from_memory(run, "run", RUN_COLUMNS), "run")


PROVIDER = IrassayProvider()


def __getattr__(name: str) -> Any:
    """irassay's metric of this name as a measure, or what ir_measures has, so that one import changes a program."""
    is_ours = name in ir_measures.measures.registry and metric_or_none(name) is not None
    return measure(name) if is_ours else public_attribute(ir_measures, name)


def _register() -> None:
    """Makes the provider and all metrics that need only judgements and a run known to ir_measures."""
    ir_measures.providers.register(PROVIDER)
    ir_measures.DefaultPipeline.providers.append(PROVIDER)
    for metric in list(catalogue().values()):
        if not metric.needs & NOT_PASSED_ON.keys():
            _measure_class(metric.name)


if __name__ == "__main__":
    from importlib import import_module

    import_module("irassay.interop.ir_measures")  # under its own name
    import_module("ir_measures.__main__").main_cli()
else:
    _register()
