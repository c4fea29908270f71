"""ranx: its Qrels, Run and Report, in and out; and calls like its own that irassay answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irassay.errors import InputError, as_found
from irassay.interop import public_attribute, required_package
from irassay.io import trec
from irassay.judging.policy import JudgingPolicy
from irassay.meta.comparison import Comparisons
from irassay.meta.comparison import compare as compared
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.scoring.score import score
from irassay.stats.paired_test import paired_test_label

if TYPE_CHECKING:
    import polars as pl

ranx: Any = required_package("ranx", "ranx")

Qrels, Run = ranx.Qrels, ranx.Run

__all__ = ["Qrels", "Run", "compare", "evaluate", "pairs_frame", "qrels_to_ranx", "report", "run_to_ranx", "scores_of"]

TESTS = {"student": "t", "fisher": "permutation", "tukey": "tukey"}  # ranx's names
LETTERS = 26  # that its reports have for systems


def qrels_to_ranx(qrels: Any) -> Any:
    """Judgements as ranx has them: a path, a dict, a frame or irassay's Qrels."""
    frame = trec.Qrels.of(qrels).frame
    fractions = frame.filter(frame["grade"] % 1 != 0)
    if len(fractions):
        raise InputError(f"ranx has whole grades only; found {fractions['grade'][0]:g}.")
    return ranx.Qrels(_by_topic(frame.with_columns(frame["grade"].cast(int)), "grade"))


def run_to_ranx(run: Any, name: str | None = None) -> Any:
    """A run as ranx has it: a path, a dict, a frame or irassay's Run."""
    own = trec.Run.of(run)
    return ranx.Run(_by_topic(own.frame, "score"), name=name or own.name)


def _by_topic(frame: "pl.DataFrame", value: str) -> dict[str, dict[str, Any]]:
    """The values by topic and document."""
    by_topic: dict[str, dict[str, Any]] = {}
    for topic, doc, number in frame.select("topic", "doc", value).iter_rows():
        by_topic.setdefault(topic, {})[doc] = number
    return by_topic


def scores_of(qrels: Any, runs: Sequence[Any], metrics: Any) -> Scores:
    """irassay's scores of runs; metrics in ranx's or irassay's names, such as 'map@100-l2' or 'INST(T=2)'."""
    named = [replace(trec.Run.of(run), name=_run_name(run, i)) for i, run in enumerate(runs, start=1)]
    chosen = [_metric(name) for name in _name_list(metrics)]
    return score(named, trec.Qrels.of(qrels), chosen, judging=JudgingPolicy(on_unjudged="zero"))


def _name_list(metrics: Any) -> list[Any]:
    """One or several metrics as a list."""
    return [metrics] if isinstance(metrics, str | Metric) else list(metrics)


def _run_name(run: Any, place: int) -> str:
    """The name of a run; like ranx's for a run without one."""
    return getattr(run, "name", None) or f"run_{place}"


def _metric(name: Any) -> Metric:
    """The metric of a name of ranx, which may end in a level of relevance."""
    text, _, level = str(name).partition("-l") if isinstance(name, str) else (name, "", "")
    if not level:
        return parse(name)
    metric = parse(text)
    if not level.isdigit() or "rel" not in metric.params or metric.params.get("gain", "binary") != "binary":
        raise InputError(f"{name}: {metric} has no level of relevance; give its gains, as in nDCG(gain=(0,0,2,3))@10.")
    return metric(rel=int(level))


def evaluate(
    qrels: Any,
    run: Any,
    metrics: Any,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = True,
) -> Any:
    """Scores a run by irassay, with the arguments and the answer of `ranx.evaluate`.

    Topics that the run does not answer count as 0, and topics without judgements are left out; ranx refuses both unless
    `make_comparable` is true. `threads` changes nothing.
    """
    del threads
    names = _name_list(metrics)
    scores = scores_of(qrels, [run], names)
    answered = {*trec.Run.of(run).topics}
    if not make_comparable and answered != {*scores.topics}:
        raise InputError("The run and the judgements do not have the same topics; give make_comparable=True.")
    by_name: dict[str, Any] = {}
    for name in map(str, names):
        chosen = scores[str(_metric(name))]
        values, mean = chosen.values[0, :, 0], float(chosen.means()[0, 0])
        std = float(np.nanstd(values))
        by_name[name] = values.copy() if not return_mean else {"mean": mean, "std": std} if return_std else mean
        if save_results_in_run and isinstance(run, ranx.Run):
            run.mean_scores[name] = mean
            run.scores[name] = dict(zip(scores.topics, values.tolist(), strict=True))
    return by_name[str(names[0])] if len(names) == 1 else by_name


def compare(
    qrels: Any,
    runs: Sequence[Any],
    metrics: Any,
    stat_test: str | None = None,
    n_permutations: int | None = None,
    max_p: float = 0.01,
    random_seed: int = 42,
    **shown_by_ranx: Any,
) -> Comparisons:
    """Compares runs by irassay, with the arguments of `ranx.compare`.

    By default all pairs are tested as one family (max-t-stepdown) at `max_p`. 'student' gives ranx's p-values,
    uncorrected; 'fisher' is the randomisation test, whose p is never 0; 'tukey' permutes within topics.
    `report(result)` is a Report of ranx.
    """
    known = ("threads", "rounding_digits", "show_percentages", "make_comparable")
    if odd := [name for name in shown_by_ranx if name not in known]:
        raise InputError(f"compare takes no {odd[0]}; it takes the arguments of ranx.compare.")
    settings: dict[str, Any] = {} if stat_test is None else {"test": TESTS.get(stat_test.lower(), stat_test)}
    if settings.get("test") != "t":
        settings |= {"seed": random_seed} | ({"trials": n_permutations} if n_permutations else {})
    scores = scores_of(qrels, runs, metrics)
    return replace(compared(scores, alpha=max_p, **settings), scores=scores)


class _Report(ranx.data_structures.report.Report):
    """A report of ranx, for metrics and tests that it has no names for."""

    def get_metric_label(self, m: str) -> str:
        return m

    def get_stat_test_label(self, stat_test: str) -> str:
        return stat_test


def report(comparison: Comparisons, digits: int = 3) -> Any:
    """A comparison of irassay as a Report of ranx, which has letters for 26 systems."""
    if not isinstance(comparison, Comparisons):
        raise InputError(f"A report needs a comparison of irassay; found {as_found(comparison)}.")
    if len(comparison.systems) > LETTERS:
        fix = "use to_latex() of the comparison"
        raise InputError(f"A report of ranx has room for {LETTERS} systems; found {len(comparison.systems)}; {fix}.")
    results: dict[str, dict[str, float]] = {system: {} for system in comparison.systems}
    tests = ranx.data_structures.frozenset_dict.FrozensetDict()
    outcomes: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for one in comparison.by_metric:
        for system, mean in zip(one.systems, one.aggregate.tolist(), strict=True):
            results[system][one.metric] = mean
        for i, (first, second) in enumerate(one.pairs):
            pair = tests.setdefault((first, second), {})
            pair[one.metric] = {"p_value": float(one.p[i]), "significant": bool(one.p[i] < one.alpha)}
            won, tied, lost = (int(count[i]) for count in (one.wins, one.ties, one.losses))
            outcomes.setdefault((first, second), {})[one.metric] = {"W": won, "T": tied, "L": lost}
            outcomes.setdefault((second, first), {})[one.metric] = {"W": lost, "T": tied, "L": won}
    first_one = comparison.by_metric[0]
    label = paired_test_label(first_one.test.test.name, first_one.correction)
    fields = {"max_p": first_one.alpha, "win_tie_loss": outcomes, "rounding_digits": digits, "stat_test": label}
    return _Report(list(results), results, tests, list(comparison.metrics), **fields)


def pairs_frame(report: Any) -> "pl.DataFrame":
    """The pairs of systems in a Report of ranx: means, p and topics won, with the column names of irassay."""
    import polars as pl

    rows, compared_pairs = list[dict[str, Any]](), {*report.comparisons}  # not all, with a baseline
    for metric in report.metrics:
        for i, system in enumerate(report.model_names):
            for other in report.model_names[i + 1 :]:
                if frozenset((system, other)) not in compared_pairs:
                    continue
                test, topics = report.comparisons[system, other][metric], report.win_tie_loss[system, other][metric]
                means = {"mean": report.results[system][metric], "mean of other": report.results[other][metric]}
                won = {"wins": topics["W"], "ties": topics["T"], "losses": topics["L"]}
                row = {"metric": metric, "system": system, "other": other, **means, "p": float(test["p_value"])}
                rows.append({**row, **won, "significant": bool(test["significant"])})
    return pl.DataFrame(rows)


def __getattr__(name: str) -> Any:
    """What ranx has under this name, such as fuse, so that one import changes a program."""
    return public_attribute(ranx, name)
