"""The metrics of an assay, and the scores by them: those given, those added, and the simple ones to compare with."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from irassay.assays.profile import scores_side_by_side
from irassay.declarations import is_built_in
from irassay.errors import InputError
from irassay.io.detection import detected_reader, read_judgements
from irassay.io.trec import Qrels
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.notes import Note
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.score import parsed_metrics
from irassay.scoring.system_lists import ListReader, SystemLists

DEFAULT_METRICS = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@10", "INST(T=2.25)", "Q", "bpref")
DIVERSITY_METRICS = (
    "alpha_nDCG@10",
    "ERR_IA@10",
    "AP_IA",
    "StRecall@10",
)  # also by default, if judgements are by subtopic
# By irassay's names and trec_eval's: counts, and measures of how much is judged.
COUNTS = {"numq", "numret", "numrel", "numrelret", "numnonrelret", "numnonreljudgedret", "runid"}
NO_QUALITY = frozenset(COUNTS | {"judged", "unj", "rbpresid"})
SIMPLE_METRICS = ("P@10", "StRecall@10")  # to compare diversity metrics with: relevance, and covered aspects


def is_published(metric: Metric) -> bool:
    """Whether the metric is in the catalogue, not defined by the user."""
    return is_built_in(metric.declaration.function)


def scores_of_quality(scores: Scores) -> tuple[Scores, list[str]]:
    """The scores by metrics of quality, unless there are none, and a note on those left out."""
    kept, remarks = _names_of_quality(scores.metrics)
    return (scores.select(metrics=kept) if remarks else scores), remarks


def _names_of_quality(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The metrics that measure quality, not counts or how much is judged; all if none does. And a note about it."""
    left_out = [name for name in names if re.split("[(@]", name)[0].lower().replace("_", "") in NO_QUALITY]
    kept = [name for name in names if name not in left_out]
    if not left_out or not kept:
        return list(names), []
    return kept, [Note("Left out, because they do not measure quality: {metrics}.", metrics=left_out)]


def with_added_metrics(judged_runs: JudgedRuns) -> tuple[JudgedRuns, list[str]]:
    """The runs with their metrics and those added, with judgements read if needed for that; and notes."""
    kept, remarks = _names_of_quality([str(parse(metric)) for metric in judged_runs.metrics])
    if remarks:
        judged_runs = replace(
            judged_runs, metrics=tuple(metric for metric in judged_runs.metrics if str(parse(metric)) in kept)
        )
    metrics = judged_runs.metrics
    all_own = bool(metrics) and not any(is_published(parse(metric)) for metric in metrics)
    if not all_own and metrics != DEFAULT_METRICS:
        return judged_runs, remarks
    added: list[str] = list(DEFAULT_METRICS) if all_own else []
    policy, qrels = judged_runs.judging, judged_runs.qrels
    reader = detected_reader(judged_runs.runs, qrels, policy.run_format)
    if reader.kind == "trec":
        qrels = read_judgements(qrels, reader, policy.qrels_file)
        by_subtopic = isinstance(qrels, Qrels) and qrels.has_subtopics
        if policy.column_2 == "subtopic" or (policy.column_2 == "auto" and by_subtopic):
            added += DIVERSITY_METRICS
    why = "for comparison" if all_own else "because the judgements are by subtopic"
    remarks += [Note(f"Added {why}: {{metrics}}.", metrics=[str(parse(name)) for name in added])] if added else []
    return replace(judged_runs, qrels=qrels, metrics=(*metrics, *added)), remarks


def known_metrics(names: Iterable[str]) -> dict[str, Metric]:
    """The metrics whose names can be parsed."""
    metrics = {}
    for name in names:
        with suppress(InputError):
            metrics[name] = parse(name)
    return metrics


def score_cubes(judged_runs: JudgedRuns) -> tuple[Scores, Scores, Scores | None, SystemLists | None]:
    """The scores, the same with bounds, the scores by simple metrics if there are diversity metrics, and the lists."""
    metrics = parsed_metrics(judged_runs.metrics, judged_runs.scoring.rel, judged_runs.scoring.judged_only)
    names = [str(metric) for metric in metrics]
    reader = ListReader(judged_runs, known_metrics(names))
    with_bounds = _three_each(judged_runs.scores(bounds=True, watch=reader.add), names)
    simple = None
    if any("aspects" in metric.meaning.needs for metric in metrics):
        plain = replace(judged_runs.scoring, rel=None, judged_only=False)
        simple = replace(judged_runs, scoring=plain).scores(SIMPLE_METRICS)
    scores = with_bounds.select(metrics=names)
    return scores, with_bounds, simple, reader.lists(scores)


def _three_each(scores: Scores, names: Sequence[str]) -> Scores:
    """Scores as judged, worst and best for each metric; without bounds, as judged three times."""
    ends = [(name, f"{name}{end}") for name in names for end in ("", "[worst]", "[best]")]
    columns = [scores.metrics.index(each if each in scores.metrics else name) for name, each in ends]
    return replace(
        scores,
        values=scores.values[:, :, columns],
        metrics=tuple(each for _, each in ends),
        higher_is_better=tuple(scores.higher_is_better[m] for m in columns),
        over_topics=tuple(scores.over_topics[m] for m in columns),
    )


def against_simple(scores: Scores, simple: Scores | None, diverse: Sequence[str]) -> Scores | None:
    """The scores by diversity metrics and simple ones; None without diversity metrics or judgements."""
    if simple is None or not diverse:
        return None
    return scores_side_by_side(scores.select(metrics=diverse), simple)
