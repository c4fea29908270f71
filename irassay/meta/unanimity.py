"""Unanimity: how well a metric's verdict matches the one that all simple metrics share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Counts, Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import checked_alpha
from irassay.meta.pair_verdicts import (
    MetricSelection,
    PairwiseResult,
    check_simple_metrics,
    metric_selection,
    simple_and_tested,
    verdict_blocks,
)
from irassay.meta.shared_options import Seed, SimpleNames, SimpleSets, TestedNames
from irassay.meta.wins_by_round import standings_by_round
from irassay.method import method
from irassay.notes import Note
from irassay.scores import Scores
from irassay.settings import MAX_DRAWS, Option
from irassay.stats.clusters import repeat_table, t_tail, two_way_error
from irassay.stats.levels import require_level_95

FIELD_COUNT = 6  # the counts of `_counts`


@dataclass(frozen=True, eq=False, repr=False)
class Unanimity(PairwiseResult):
    """How much each metric's verdicts tell about the verdict that the simple metrics share."""

    saved_as: ClassVar[str] = "unanimity"
    formerly: ClassVar[dict[str, str]] = {"interval": "interval_by"}

    improved: Floats  # [collection, set, metric] cases in which the metric prefers a system; a tie counts half
    unanimous: Ints  # [collection, set, metric] cases in which no simple metric objects
    together: Ints  # [collection, set, metric] unanimous cases in which the metric does not object either
    valid: Ints  # [collection, set, metric] cases with all scores
    bits: Floats  # [collection, set, metric] pointwise mutual information
    bits_low: Floats  # [collection, set, metric] the ends of the 95 % interval
    bits_high: Floats  # [collection, set, metric]
    gamma: Floats  # [collection, set, metric] agreement minus disagreement, among cases without ties
    gamma_low: Floats  # [collection, set, metric]
    gamma_high: Floats  # [collection, set, metric]
    p: Floats  # [collection, set, metric, other] that the bits of two metrics differ
    constant: Bools  # [collection, metric] the metric never prefers a system
    variant: str
    interval_by: str  # 'bootstrap' or 'jackknife'
    trials: int
    seed: int

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """[collection, set, metric] the ends of the intervals of the bits, which are known at 0.95 only."""
        require_level_95(level)
        return self.bits_low, self.bits_high

    def nominal(self) -> Ints:
        """[collection] how many cases there would be without missing scores; 'amigo' counts both orders of a pair."""
        systems, topics = np.array(self.systems), np.array(self.topics)
        return systems * (systems - 1) * topics // (1 if self.variant == "amigo" else 2)

    def dropped(self) -> Ints:
        """[collection, set, metric] cases left out because a score is missing."""
        return self.nominal()[:, None, None] - self.valid

    def conditional(self) -> Floats:
        """[collection, set, metric] P(the metric does not object | no simple metric objects)."""
        return self.together / np.where(self.unanimous, self.unanimous, np.nan)

    def beats(self, significant: bool = False, alpha: float = 0.05) -> Bools:
        """[collection, set, metric, other] whether the metric has more bits, or significantly more, than the other."""
        more = self.bits[..., :, None] > self.bits[..., None, :]
        return more & (self.p < checked_alpha(alpha)) if significant else more


def check_unanimity(
    simple: Sequence[str], tested: Sequence[str], interval: str, trials: int | None, expected: Scores | None = None
) -> None:
    """Refuses to compare with no simple metric or with none but these, and resamples of a jackknife."""
    check_simple_metrics(simple)
    if expected is not None:
        simple_and_tested(expected, simple, tested, least=1)
    if interval == "jackknife" and trials is not None:
        raise InputError("The jackknife does not resample; leave out ", argument("trials", trials), ".")


@method(
    "How well does a metric's verdict match the one all simple metrics share?",
    cite="albahem2019 amigo2018",
    affine=True,
    compares_metrics=True,
    by_iteration=standings_by_round,
    check=check_unanimity,
    least_runs=2,
    examples=("irassay meta unanimity qrels.txt runs/ -m nDCG@10 -m AP --simple P@10 --simple RR",),
)
def unanimity(
    scores: Scores,
    *,
    simple: SimpleNames = (),
    tested: TestedNames = (),
    simple_sets: SimpleSets = "together",
    variant: Annotated[
        Literal["amigo", "printed"], "Algorithm 2 as the authors' programs compute it, or as it is printed."
    ] = "amigo",
    interval: Annotated[Literal["bootstrap", "jackknife"], "How intervals are computed."] = "bootstrap",
    trials: Annotated[
        int | None, Option("Number of resamples.", shown="2000", low=1, high=MAX_DRAWS, panel="Testing")
    ] = None,
    seed: Seed = 0,
) -> Unanimity:
    """Measure how well a metric's verdict matches the one that all simple metrics share (albahem2019, Algorithm 2).

    'amigo' is what the authors' programs compute; 'printed' is Algorithm 2 of [albahem2019] as printed, in which ties
    of a metric make it look more unanimous. `interval` is 'bootstrap', which resamples topics, or 'jackknife', which
    leaves out systems and topics. `simple_sets` is as in `intuitiveness`.

    >>> same = np.array([0.1, 0.5, 0.9])[:, None, None].repeat(2, axis=2)
    >>> found = unanimity(Scores(same, ("A", "B", "C"), ("1",), ("P", "RR")), simple=("RR",))
    >>> found.bits.item(), found.gamma.item()
    (1.0, 1.0)
    """
    trials = 0 if interval == "jackknife" else 2000 if trials is None else trials
    selection = metric_selection(scores, simple, tested, simple_sets, least=1)
    parts = selection.parts.values()
    arrays = [_collection_arrays(selection, part, variant, interval, trials, seed) for part in parts]
    constant = np.array([part.noise()[: len(selection.metrics)] == 0 for part in parts])
    return Unanimity(
        **selection.result(arrays),
        constant=constant,
        variant=variant,
        interval_by=interval,
        trials=trials,
        seed=seed,
        notes=(*scores.notes, *_constant_notes(selection, constant), *selection.missing_score_notes()),
    )


def _collection_arrays(
    selection: MetricSelection, part: Scores, variant: str, interval: str, trials: int, seed: int
) -> dict[str, Any]:
    """[set, metric] each array of the result, for one collection."""
    blocks = list(_counts(part, len(selection.metrics), selection.simple, variant))
    nominal = len(part.systems) * (len(part.systems) - 1) * len(part.topics) / (1 if variant == "amigo" else 2)
    if interval == "jackknife":
        by_case = np.concatenate(blocks)  # [topic, system, field, set, metric]
        total = by_case.sum(axis=(0, 1), dtype=np.float64) / 2
        ends = _jackknife(by_case, total, nominal)
    else:
        by_topic = np.concatenate([block.sum(axis=1, dtype=np.float64) / 2 for block in blocks])
        total = by_topic.sum(axis=0)
        ends = _bootstrap(by_topic, nominal, trials, seed)
    valid, unanimous, together = total[[0, 2, 3]].astype(np.int64)
    counts = {"improved": total[1], "unanimous": unanimous, "together": together, "valid": valid}
    return counts | {"bits": _bits(total, nominal), "gamma": _gamma(total)} | ends


def _counts(part: Scores, metrics: int, simple: Sequence[Sequence[int]], variant: str) -> Iterator[Counts]:
    """[topic, system, field, set, metric] counts on blocks of topics; every case is counted for both of its systems.

    The fields: valid cases, those in which the metric improves, those in which the simple metrics are unanimous, those
    in which it joins them, and, among cases without ties, agreements minus disagreements and the number of cases.
    """
    for _, verdicts in verdict_blocks(part):
        known = verdicts.known
        sides = [
            np.stack([array[:, :, chosen].all(axis=2) for chosen in simple], axis=2).astype(np.float32)
            for array in (known, known & ~verdicts.worse, known & ~verdicts.better, verdicts.better, verdicts.worse)
        ]
        all_known, up, down, above, below = (side.swapaxes(2, 3) for side in sides)  # [topic, system, other, set]
        columns = np.concatenate([all_known, up, down, up * down, above, below], axis=3)
        has, better, worse = (
            (array[:, :, :metrics].astype(np.float32) @ columns).reshape(*array.shape[:2], metrics, FIELD_COUNT, -1)
            for array in (known, verdicts.better, verdicts.worse)
        )  # [topic, system, metric, column, set]
        unanimous = has[..., 1, :] + has[..., 2, :]
        together = unanimous - worse[..., 1, :] - better[..., 2, :]
        valid = has[..., 0, :]
        if variant == "amigo":
            valid, improved = 2 * valid, valid
        else:
            tied = has - better - worse
            improved = valid - tied[..., 0, :] / 2
            unanimous = unanimous - has[..., 3, :]
            together = together - tied[..., 3, :]
        agree, differ = better[..., 4, :] + worse[..., 5, :], worse[..., 4, :] + better[..., 5, :]
        fields = (valid, improved, unanimous, together, agree - differ, has[..., 4, :] + has[..., 5, :])
        yield np.stack(fields, axis=2).swapaxes(3, 4)


def _bits(counts: Floats, nominal: float) -> Floats:
    """log2 P(both) / (P(metric) P(simple)); the counts have their field on axis -3."""
    _, improved, unanimous, together = (counts[..., field, :, :] for field in range(4))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log2(together * nominal / (improved * unanimous))


def _gamma(counts: Floats) -> Floats:
    """Agreements minus disagreements, as a share of the cases without ties."""
    with np.errstate(invalid="ignore"):
        return counts[..., 4, :, :] / counts[..., 5, :, :]


def _bootstrap(by_topic: Floats, nominal: float, trials: int, seed: int) -> dict[str, Floats]:
    """The ends of the percentile intervals and the p-values of differences, from resampled topics."""
    topics, *shape = by_topic.shape
    resampled = (repeat_table(topics, trials, seed).T @ by_topic.reshape(topics, -1)).reshape(trials, *shape)
    bits, gamma = _bits(resampled, nominal), _gamma(resampled)  # [trial, set, metric]
    p = np.empty((*bits.shape[1:], bits.shape[2]))
    for s in range(bits.shape[1]):
        with np.errstate(invalid="ignore"):
            lead = bits[:, s, :, None] - bits[:, s, None, :]  # [trial, metric, other]
        smaller = np.minimum((lead <= 0).sum(axis=0), (lead >= 0).sum(axis=0))
        p[s] = np.minimum(1.0, 2 * (smaller + 1) / (trials + 1))
    return _ends("bits", bits) | _ends("gamma", gamma) | {"p": p}


def _ends(name: str, drawn: Floats) -> dict[str, Floats]:
    """The 2.5 and 97.5 % quantiles over the trials; NaN if some trial has no value."""
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0, method="inverted_cdf")
    return {f"{name}_low": low, f"{name}_high": high}


def _jackknife(by_case: Counts, total: Floats, nominal: float) -> dict[str, Floats]:
    """The ends of the intervals and the p-values of differences, from leaving out systems and topics."""
    from scipy.special import stdtrit

    freedom = min(by_case.shape[:2]) - 1  # of topics and systems
    reach = float(stdtrit(freedom, 0.975))
    bits = partial(_bits, nominal=nominal)

    def lead(counts: Floats) -> Floats:
        value = bits(counts)
        return value[..., :, None] - value[..., None, :]

    ends: dict[str, Floats] = {}
    with np.errstate(invalid="ignore"):
        for name, statistic, limit in (("bits", bits, np.inf), ("gamma", _gamma, 1.0)):
            value, wide = statistic(total), reach * two_way_error([by_case], statistic)
            ends |= {f"{name}_low": np.maximum(value - wide, -limit), f"{name}_high": np.minimum(value + wide, limit)}
        return ends | {"p": t_tail(lead(total), two_way_error([by_case], lead), freedom)}


def _constant_notes(selection: MetricSelection, constant: Bools) -> list[Note]:
    """A note on metrics that never prefer a system, if there are any."""
    names = np.array(selection.metrics)[constant.any(axis=0)].tolist()
    note = "{metrics} never prefers a system; unanimity rewards that with the most bits, gamma does not."
    return [Note(note, metrics=names)] if names else []
