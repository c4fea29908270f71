"""PyTerrier: irassay's metrics in `pt.Experiment`, and an experiment that compares systems as irassay does."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from irassay.errors import InputError, argument, as_found
from irassay.interop import public_attribute, required_package
from irassay.interop.ir_measures import ir_measures, measure
from irassay.io.trec import Qrels, Run
from irassay.meta.comparison import Comparisons, compare
from irassay.metrics.grammar import parse, parse_each
from irassay.metrics.metric import Metric
from irassay.notes import Note
from irassay.scores import Scores
from irassay.scoring.score import score

pyterrier: Any = required_package("pyterrier", "pyterrier")

__all__ = ["Experiment", "experiment", "measure"]

CORRECTIONS = {  # the names of statsmodels
    "b": "bonferroni", "h": "holm", "fdr_bh": "bh", "fdr_i": "bh", "fdr_p": "bh", "fdr_by": "by", "fdr_n": "by",
    "fdr_c": "by",
}  # fmt: skip
SHOWN_OTHERWISE = {"perquery": False, "dataframe": True, "highlight": None, "round": None}  # of pt.Experiment's table
ABOUT_RUNNING = ("verbose", "validate", "plan", "precompute_prefix")  # they change no number
RESPONSE_TIME = "mrt"
TREC_FAMILIES = {"P", "recall", "ndcg_cut", "map_cut", "success", "iprec_at_recall"}  # each for several cutoffs

for _name, _measure in ir_measures.measures.registry.items():
    if not hasattr(pyterrier.measures, _name):  # it was imported before our measures were registered
        setattr(pyterrier.measures, _name, _measure)


def experiment(
    retr_systems: Sequence[Any] | Mapping[str, Any],
    topics: Any,
    qrels: Any,
    eval_metrics: Iterable[Any],
    names: Sequence[str] | None = None,
    *,
    batch_size: int | None = None,
    filter_by_qrels: bool = False,
    filter_by_topics: bool = True,
    baseline: int | str | None = None,
    test: str | Callable[..., Any] | None = None,
    correction: str | None = None,
    correction_alpha: float = 0.05,
    **others: Any,
) -> Comparisons | Scores:
    """Compares pipelines or result frames of PyTerrier; it takes the arguments of `pt.Experiment`.

    By default all pairs of systems are tested as one family (max-t-stepdown) at `correction_alpha`; the help of
    `irassay compare` says where that holds. `test="t"` gives the p-values of `pt.Experiment`, uncorrected. Metrics are
    measures of ir_measures or irassay, or strings such as 'map' or 'RBP(p=0.9)@10'. Equal scores are those that are
    equal in single precision, as in `pt.Experiment`.

    `result.scores` has the means and the scores on every topic; of a single system, they are the result. Keywords that
    `pt.Experiment` does not have are settings of `irassay.score` or `irassay.compare`, such as rel=2 or margin=0.01.
    """
    systems = _named_systems(retr_systems, names)
    metrics, notes = _metrics(eval_metrics)
    if others.get("save_dir") is not None:
        raise InputError(argument("save_dir"), " is not available here; write results with pyterrier.io.write_results.")
    if shown := [name for name, usual in SHOWN_OTHERWISE.items() if others.get(name, usual) != usual]:
        text = f"{', '.join(shown)} ignored: use the formats of the result, and result.scores for single topics"
        notes.append(Note(text))
    unused = {*SHOWN_OTHERWISE, *ABOUT_RUNNING, "save_dir", "save_mode", "save_format"}
    settings = {"score_precision": "single"} | {name: value for name, value in others.items() if name not in unused}
    topics = pyterrier.io.read_topics(topics) if isinstance(topics, str) else topics
    topics, judgements = _shared_topics(topics, Qrels.of(qrels), filter_by_qrels, filter_by_topics)
    runs = [Run.of(_results(system, topics, batch_size), name) for name, system in systems.items()]
    own = {setting.name for setting in compare.settings}
    scored = {name: value for name, value in settings.items() if name not in own}
    scores = score(runs, judgements, metrics, **{"on_unjudged": "zero"} | scored)
    scores = replace(scores, notes=(*scores.notes, *notes))
    if len(systems) == 1:
        return scores
    compared = {name: value for name, value in settings.items() if name in own}
    tested = _test_settings(test, correction) | {"alpha": correction_alpha} | compared
    result = compare(scores, baseline=_baseline_name(baseline, list(systems)), **tested)
    return replace(result, scores=scores)


def _named_systems(systems: Sequence[Any] | Mapping[str, Any], names: Sequence[str] | None) -> dict[str, Any]:
    """The systems by name; a pipeline describes itself, and a frame is run1, run2 and so on."""
    if isinstance(systems, Mapping):
        return dict(systems)
    if not isinstance(systems, list | tuple):
        raise InputError(
            "retr_systems must be a list or dict of pipelines or result frames; found ", as_found(systems), "."
        )
    if names is None:
        own = (f"run{i}" if hasattr(system, "columns") else str(system) for i, system in enumerate(systems, start=1))
        names = list(own)
    if len(names) != len(systems) or len(set(names)) != len(names):
        raise InputError(f"{len(systems)} systems need as many different names; found {as_found(list(names))}.")
    return dict(zip(names, systems, strict=True))


def _metrics(given: Iterable[Any]) -> tuple[list[Metric], list[Note]]:
    """The metrics of an experiment, and a note if the response time was among them."""
    metrics: list[Metric] = []
    requested = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    for each in requested:
        if each == RESPONSE_TIME:
            continue
        is_family = each in TREC_FAMILIES if isinstance(each, str) else False
        metrics += map(parse, ir_measures.parse_trec_measure(each)) if is_family else parse_each([each])
    note = Note(f"{RESPONSE_TIME}, the response time, left out: it is not a score")
    return metrics, [note] if RESPONSE_TIME in requested else []


def _shared_topics(topics: Any, qrels: Qrels, by_qrels: bool, by_topics: bool) -> tuple[Any, Qrels]:
    """Topics and judgements, each without topics that the other does not have, if requested."""
    import polars as pl

    if topics is None:
        return topics, qrels
    asked = list(map(str, topics["qid"]))
    if by_qrels:
        judged = {*qrels.topics}
        topics = topics[[topic in judged for topic in asked]]
    if by_topics:
        qrels = Qrels(qrels.frame.filter(pl.col("topic").is_in(asked)), qrels.source, qrels.notes)
    if not len(topics) or not len(qrels.frame):
        raise InputError("Topics and judgements have no topic in common; check column qid of both.")
    return topics, qrels


def _results(system: Any, topics: Any, batch_size: int | None) -> Any:
    """The results of a pipeline, in batches of topics if requested; a frame is a result already."""
    if hasattr(system, "columns"):
        return system
    if not hasattr(system, "transform"):
        raise InputError(f"A system must be a pipeline or a result frame; found {as_found(system)}.")
    if batch_size is None:
        return system.transform(topics)
    return required_package("pandas", "pandas").concat(list(system.transform_gen(topics, batch_size=batch_size)))


def _test_settings(test: Any, correction: str | None) -> dict[str, Any]:
    """The test and correction in irassay's names; with a correction, the test is t unless another is given."""
    if callable(test):
        raise InputError("test must be the name of a test, such as 't'; found a function.", argument="test")
    if correction is not None:
        return {"test": test or "t", "correction": CORRECTIONS.get(correction, correction)}
    return {} if test is None else {"test": test}


def _baseline_name(baseline: int | str | None, names: list[str]) -> str | None:
    """The name of the baseline, which may be given by its place."""
    if baseline is None or isinstance(baseline, str):
        return baseline
    if not 0 <= int(baseline) < len(names):
        raise InputError(argument("baseline", baseline), f" must be from 0 to {len(names) - 1}, the place of a system.")
    return names[int(baseline)]


Experiment = experiment  # so that one import changes a program


def __getattr__(name: str) -> Any:
    """What PyTerrier has under this name, for the rest of such a program."""
    return public_attribute(pyterrier, name)
