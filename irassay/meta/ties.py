"""Ties: how far the order of tied results could move scores, and which pairs of systems could change places."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints, NDArray
from irassay.io.run_names import repeated_name_error
from irassay.judging.judged_lists import JudgedRun
from irassay.meta.shared_options import Seed
from irassay.method import method
from irassay.notes import Note, merged_notes
from irassay.parallel import with_progress
from irassay.results import Result
from irassay.scoring.columns import Columns, ScoredRun
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.remarks import check_any_judged, file_notes, name_notes, scale_note
from irassay.scoring.tie_range import TiedLists, tie_range, tie_range_run, tied_lists, uncut_runs
from irassay.settings import MAX_DRAWS, Option

NOISE = 1e-10  # share of the largest mean, below which a difference is 0


@dataclass(frozen=True, eq=False, repr=False)
class Ties(Result):
    """Scores over all orders of tied results, and the pairs of systems whose order depends on them."""

    saved_as: ClassVar[str] = "ties"

    systems: tuple[str, ...]
    topics: tuple[str, ...]  # sorted
    metrics: tuple[str, ...]
    higher_is_better: tuple[bool, ...]  # [metric]
    values: Floats  # [system, topic, metric, end] least, expected and largest; NaN if a topic is left out
    means: Floats  # [system, metric, end] the same, over topics
    given: Floats  # [system, metric] the mean score in the order that was used
    tied: Ints  # [system] lists with tied results
    sampled: Bools  # [metric] the ends of some list are those of random orders, so that they may be too narrow
    common_least: Floats  # [metric, pair] the least difference of two means if all runs share one order of documents
    common_largest: Floats  # [metric, pair] the largest
    trials: int
    seed: int

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """[pair] the first and second systems."""
        return np.triu_indices(len(self.systems), k=1)

    @property
    def movable(self) -> Ints:
        """[system, metric] the lists whose score depends on the order of tied results."""
        with np.errstate(invalid="ignore"):
            return np.count_nonzero(self.values[..., 2] - self.values[..., 0] > NOISE, axis=1)

    @property
    def difference(self) -> Floats:
        """[metric, pair] first minus second, in the order that was used."""
        first, second = self.pairs
        return (self.given[first] - self.given[second]).T

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """[metric, pair] the least and the largest difference of two means, if each run has its own order of ties."""
        first, second = self.pairs
        least, largest = self.means[..., 0], self.means[..., 2]
        return (least[first] - largest[second]).T, (largest[first] - least[second]).T

    def could_change(self, least: Floats, largest: Floats) -> Bools:
        """[metric, pair] whether differences between these ends include one of another sign."""
        noise = NOISE * np.nanmax(np.abs(self.means), initial=0.0)
        sign = np.where(np.abs(self.difference) > noise, np.sign(self.difference), 0.0)
        return np.where(
            sign > 0, least < -noise, np.where(sign < 0, largest > noise, (largest > noise) | (least < -noise))
        )

    def ranked(self) -> list[tuple[str, float]]:
        """The systems and their largest range of a mean, the widest first."""
        wide = np.nanmax(self.means[..., 2] - self.means[..., 0], axis=1, initial=0.0)
        return [(self.systems[s], float(wide[s])) for s in np.argsort(-wide, kind="stable")]


@method(
    "How far could the order of tied results move scores?",
    cite="mcsherry2008 cabanac2010 lin2019",
    scores_by="all",
    examples=("irassay meta ties qrels.txt runs/ -m nDCG@10 -m AP",),
)
def ties(
    judged: JudgedRuns,
    *,
    trials: Annotated[
        int, Option("Number of random orders of documents, each for all runs.", low=1, high=MAX_DRAWS, panel="Testing")
    ] = 100,
    seed: Seed = 0,
) -> Ties:
    """Find the least, expected and largest score over all orders of tied results, and which pairs could swap.

    The ends of a difference are exact if every run may have its own order of tied documents. With one order of
    documents for all runs the range is narrower, and random orders show a part of it.
    """
    metrics = judged.parsed_metrics
    policy = judged.scoring
    needs = frozenset().union(*(metric.meaning.needs for metric in metrics))
    runs = uncut_runs(judged.runs, judged.qrels, judged.judging, needs)
    options: dict[str, Any] = {
        "missing": judged.judging.missing,
        "no_relevant": policy.no_relevant,
        "rel": policy.level,
    }
    columns, plain = Columns(metrics, tie_range=True, **options), Columns(metrics, **options)
    scored, drawn, counts = list[ScoredRun](), list[Floats](), list[int]()
    sampled = np.zeros(len(metrics), dtype=np.bool_)
    for run in with_progress(iter(runs), len(runs), "reading runs"):
        lists = tied_lists(run, judged.judging.depth)
        ranges = [[tie_range(each, metric, seed) for each in lists] for metric in metrics]
        scored.append(tie_range_run(run, columns, ranges))
        sampled |= [any(each.sampled_ends.any() for each in of_metric) for of_metric in ranges]
        drawn.append(_scores_of_orders(run, lists, plain, trials, seed))
        counts.append(sum(int(((each.ties.size > 1) & each.r.inside).any(axis=1).sum()) for each in lists))
    names = [run.name for run in scored]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise repeated_name_error(twice)
    check_any_judged((note for run in scored for note in run.notes), len(scored), judged.judging)
    by_name = sorted(range(len(scored[0].topics)), key=lambda t: scored[0].topics[t])
    topics = tuple(scored[0].topics[t] for t in by_name)
    cube = np.stack([run.values[by_name] for run in scored])
    means = columns.cube(cube, names, topics, ()).means().reshape(len(names), len(metrics), 3)
    in_orders = _means_of_orders(plain, np.stack(drawn)[:, :, by_name], names, topics)  # [order, system, metric]
    first, second = np.triu_indices(len(names), k=1)
    differences = [(each[:, first] - each[:, second]) for each in np.moveaxis(in_orders, 2, 0)]  # [metric][order, pair]
    return Ties(
        systems=tuple(names),
        topics=topics,
        metrics=tuple(map(str, metrics)),
        higher_is_better=tuple(metric.meaning.higher_is_better for metric in metrics),
        values=cube.reshape(len(names), len(topics), len(metrics), 3),
        means=means,
        given=in_orders[0],
        tied=np.array(counts),
        sampled=sampled,
        common_least=np.stack([each.min(axis=0) for each in differences]),
        common_largest=np.stack([each.max(axis=0) for each in differences]),
        trials=trials,
        seed=seed,
        notes=_notes(judged, scored),
    )


def _notes(judged: JudgedRuns, scored_runs: list[ScoredRun]) -> tuple[Note, ...]:
    """Notes on the files, the runs, their names and the judging scale."""
    notes: list[str] = file_notes(judged.runs)
    notes += dict.fromkeys(note for run in scored_runs for note in run.notes)
    notes += name_notes(judged.runs, [run.name for run in scored_runs], judged.judging.names)
    notes.append(scale_note(scored_runs[0].max_grade, judged.judging.max_grade is None, scored_runs[0].largest))
    return merged_notes(notes)


def _scores_of_orders(run: JudgedRun, lists: list[TiedLists], columns: Columns, trials: int, seed: int) -> Floats:
    """[1 + order, topic, metric] scores in the order that was used, then in random orders of all documents."""
    given = run.in_order([np.stack([each.scores(m) for m in columns.metrics], axis=1) for each in lists])
    rows = [np.repeat(given[at][:, :, None], 1 + trials, axis=2) for at in run.rows]  # [batch][n, metric, order]
    for part, each, keys in zip(rows, lists, run.keys(), strict=True):
        for m, metric in enumerate(columns.metrics):
            affected = np.flatnonzero(each.affects(metric))
            tied = each[affected]
            for trial in range(trials if len(affected) else 0):
                order = tied.ties.order_by(random_priority(keys[affected], seed, trial))
                part[affected, m, 1 + trial] = tied.scores(metric, order)
    orders = np.moveaxis(run.in_order(rows), 2, 0)
    return np.stack([columns.scores(run, np.ascontiguousarray(scores))[0] for scores in orders])


def random_priority(keys: NDArray[np.uint64], seed: int, trial: int) -> Floats:
    """[n, depth] a random number for each document, the same wherever it is returned, from the keys of documents."""
    with np.errstate(over="ignore"):
        mixed = keys ^ np.random.default_rng([seed, trial]).integers(1 << 63, dtype=np.uint64)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # SplitMix64
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))).astype(np.float64)


def _means_of_orders(columns: Columns, drawn: Floats, names: list[str], topics: tuple[str, ...]) -> Floats:
    """[order, system, metric] means over topics, from scores [system, order, topic, metric]."""
    return np.stack([columns.cube(scores, names, topics, ()).means() for scores in np.moveaxis(drawn, 1, 0)])
