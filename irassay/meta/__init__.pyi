"""The meta-evaluations. Written by `make index` from the declarations; a test keeps it current."""

from collections.abc import Mapping
from irassay.meta.agreement import Agreement
from irassay.meta.alternatives import Alternatives
from irassay.meta.consistency import Consistency
from irassay.meta.discrimination import Discrimination
from irassay.meta.dominance import Dominance
from irassay.meta.effort import Effort
from irassay.meta.fragility.method import Fragility
from irassay.meta.generalizability import Generalizability
from irassay.meta.intuitiveness import Intuitiveness
from irassay.meta.multiverse.method import Multiverse
from irassay.meta.preference import Choices, Preference
from irassay.meta.robustness.method import Robustness
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.meta.robustness.perturb import Confusion
from irassay.meta.satisfaction.fitting import Fitting, Sensitivity
from irassay.meta.satisfaction.method import Satisfaction
from irassay.meta.shared_options import Teams
from irassay.meta.similarity import Similarity
from irassay.meta.ties import Ties
from irassay.meta.unanimity import Unanimity
from irassay.meta.wins_by_round import Standings
from irassay.scores import Scores
from irassay.stats.paired_test import PairedTest
from pathlib import Path
from typing import Any, Literal, overload


def discrimination(
    scores: Scores,
    *,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = ...,
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = ...,
    trials: int | None = ...,
    seed: int = ...,
    compat: bool = ...,
    band: float = ...,
    levels: tuple[float, ...] = ...,
    groups: Path | str | Teams | Mapping[str, str] | None = ...,
) -> Discrimination:
    """How many pairs of systems does a metric discriminate?"""

def agreement(
    scores: Scores,
    *,
    alpha: float = ...,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = ...,
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = ...,
    trials: int | None = ...,
    seed: int = ...,
    compat: bool = ...,
    band: float = ...,
) -> Agreement:
    """Do metrics find the same pairs of systems significantly different?"""

def satisfaction(
    scores: Any = ...,
    ratings: Any = ...,
    *,
    folds: int = ...,
    partitions: int = ...,
    group: Literal['none', 'user', 'task'] = ...,
    tuned: tuple[str, ...] = ...,
    trials: int = ...,
    seed: int = ...,
    **policies: Any,
) -> Satisfaction:
    """Do metrics agree with users' ratings?"""

def consistency(
    scores: Scores,
    *,
    splits: int = ...,
    compat: bool = ...,
    group_by: Literal['none', 'browse'] = ...,
    alpha: float = ...,
    subsets: int = ...,
    seed: int = ...,
) -> Consistency:
    """Does a metric rank systems the same on other topics?"""

def dominance(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ...,
    *,
    gain: Literal['linear', 'exp', 'binary'] = ...,
    show: tuple[str, ...] = ...,
    alpha: float = ...,
    **policies: Any,
) -> Dominance:
    """Does a system beat another for every user?"""

def fragility(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ...,
    *,
    pair: tuple[str, ...] = ...,
    top: int | None = ...,
    other: Path | str | OtherQrels | Any = ...,
    noise: Path | str | Confusion | Mapping[float, Mapping[float, float]] | None = ...,
    assessors: int = ...,
    alpha: float = ...,
    test: Literal['t', 'bonferroni', 'max-t'] = ...,
    trials: int = ...,
    seed: int = ...,
    **policies: Any,
) -> Fragility:
    """How few judgements does a significant difference depend on?"""

@overload
def intuitiveness(
    scores: Scores,
    *,
    simple: tuple[str, ...] = ...,
    tested: tuple[str, ...] = ...,
    simple_sets: Literal['together', 'each', 'all'] | tuple[tuple[str, ...], ...] = ...,
    ties: Literal['strict', 'lenient'] = ...,
    trials: int = ...,
    seed: int = ...,
) -> Intuitiveness:
    """When two metrics disagree, which one sides with the simple ones?"""

@overload
def intuitiveness(
    scores: Mapping[str, Scores],
    *,
    simple: tuple[str, ...] = ...,
    tested: tuple[str, ...] = ...,
    simple_sets: Literal['together', 'each', 'all'] | tuple[tuple[str, ...], ...] = ...,
    ties: Literal['strict', 'lenient'] = ...,
    trials: int = ...,
    seed: int = ...,
) -> Standings:
    """When two metrics disagree, which one sides with the simple ones?"""

def similarity(
    scores: Scores,
    *,
    also: tuple[Literal['tau_ap', 'spearman', 'rbo'], ...] = ...,
    alpha: float = ...,
    subsets: int = ...,
    seed: int = ...,
) -> Similarity:
    """How similarly do metrics rank systems?"""

@overload
def unanimity(
    scores: Scores,
    *,
    simple: tuple[str, ...] = ...,
    tested: tuple[str, ...] = ...,
    simple_sets: Literal['together', 'each', 'all'] | tuple[tuple[str, ...], ...] = ...,
    variant: Literal['amigo', 'printed'] = ...,
    interval: Literal['bootstrap', 'jackknife'] = ...,
    trials: int | None = ...,
    seed: int = ...,
) -> Unanimity:
    """How well does a metric's verdict match the one all simple metrics share?"""

@overload
def unanimity(
    scores: Mapping[str, Scores],
    *,
    simple: tuple[str, ...] = ...,
    tested: tuple[str, ...] = ...,
    simple_sets: Literal['together', 'each', 'all'] | tuple[tuple[str, ...], ...] = ...,
    variant: Literal['amigo', 'printed'] = ...,
    interval: Literal['bootstrap', 'jackknife'] = ...,
    trials: int | None = ...,
    seed: int = ...,
) -> Standings:
    """How well does a metric's verdict match the one all simple metrics share?"""

def alternatives(
    scores: Scores,
    *,
    reference: str = ...,
    similar: float = ...,
    splits: int = ...,
    alpha: float = ...,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = ...,
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = ...,
    trials: int | None = ...,
    seed: int = ...,
    compat: bool = ...,
    band: float = ...,
) -> Alternatives:
    """Which metrics could replace another one?"""

def multiverse(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ...,
    *,
    pair: tuple[str, ...] = ...,
    other: Path | str | OtherQrels | Any = ...,
    only: tuple[str, ...] = ...,
    add: tuple[str, ...] = ...,
    without: tuple[str, ...] = ...,
    alpha: float = ...,
    trials: int = ...,
    seed: int = ...,
    **policies: Any,
) -> Multiverse:
    """Does a claim hold whatever the metric, ties, judgements and test?"""

def ties(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ...,
    *,
    trials: int = ...,
    seed: int = ...,
    **policies: Any,
) -> Ties:
    """How far could the order of tied results move scores?"""

def effort(
    log: Any,
    *,
    summary: float = ...,
    examined: Literal['recorded', 'last-click'] = ...,
    alpha: float = ...,
) -> Effort:
    """How much time do users spend on results of each grade?"""

def generalizability(
    scores: Scores,
    *,
    reliability: float = ...,
    topics: tuple[int, ...] = ...,
    alpha: float = ...,
) -> Generalizability:
    """How reliable are means over these topics, and how many topics are needed?"""

def preference(
    scores: Scores,
    *,
    choices: Path | str | Choices | None = ...,
    clusters: Literal['topic', 'user'] = ...,
    trials: int = ...,
    seed: int = ...,
) -> Preference:
    """Does a metric prefer the result list that people prefer?"""

def robustness(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ...,
    *,
    other: Path | str | OtherQrels | Any | None = ...,
    thin: tuple[float, ...] = ...,
    pool_depth: tuple[int, ...] = ...,
    noise: Path | str | Confusion | Mapping[float, Mapping[float, float]] | None = ...,
    groups: Path | str | Teams | Mapping[str, str] | None = ...,
    found_within: int | None = ...,
    repeats: int = ...,
    alpha: float = ...,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = ...,
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = ...,
    trials: int | None = ...,
    seed: int = ...,
    compat: bool = ...,
    band: float = ...,
    **policies: Any,
) -> Robustness:
    """Do metrics rank systems the same under other judgements?"""

def sensitivity(
    scores: Any = ...,
    ratings: Any = ...,
    *,
    sweep: tuple[str, ...] = ...,
    folds: int = ...,
    partitions: int = ...,
    trials: int = ...,
    seed: int = ...,
    **policies: Any,
) -> Sensitivity:
    """How much does a parameter's value matter for agreement with users?"""

def fitting(
    scores: Any = ...,
    ratings: Any = ...,
    *,
    sweep: tuple[str, ...] = ...,
    objective: Literal['nrmse', 'pearson'] = ...,
    folds: int = ...,
    partitions: int = ...,
    group: Literal['none', 'user', 'task'] = ...,
    seed: int = ...,
    **policies: Any,
) -> Fitting:
    """Which parameter value agrees best with users, and how well does it predict new units?"""
