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
from irassay.meta.robustness.altered_judgements import Confusion
from irassay.meta.robustness.method import Robustness
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.meta.satisfaction.fitting import Fitting
from irassay.meta.satisfaction.method import Satisfaction
from irassay.meta.satisfaction.sensitivity import Sensitivity
from irassay.meta.shared_options import EveryTeam
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
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = 'max-t-stepdown',
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = 'none',
    trials: int | None = None,
    seed: int = 0,
    compat: bool = False,
    band: float = 0.0,
    levels: tuple[float, ...] = (0.01, 0.05, 0.1),
    groups: Path | str | EveryTeam | Mapping[str, str] | None = None,
) -> Discrimination:
    """How many pairs of systems does a metric discriminate?"""

def agreement(
    scores: Scores,
    *,
    alpha: float = 0.05,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = 't',
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = 'none',
    trials: int | None = None,
    seed: int = 0,
    compat: bool = False,
    band: float = 0.0,
) -> Agreement:
    """Do metrics find the same pairs of systems significantly different?"""

def satisfaction(
    scores: Any = ...,
    ratings: Any = ...,
    *,
    folds: int = 10,
    partitions: int = 10,
    group: Literal['none', 'user', 'task'] = 'none',
    tuned: tuple[str, ...] = (),
    trials: int = 2000,
    seed: int = 0,
    **policies: Any,
) -> Satisfaction:
    """Do metrics agree with users' ratings?"""

def consistency(
    scores: Scores,
    *,
    splits: int = 1000,
    compat: bool = False,
    group_by: Literal['none', 'browse'] = 'none',
    alpha: float = 0.05,
    subsets: int = 100,
    seed: int = 0,
) -> Consistency:
    """Does a metric rank systems the same on other topics?"""

def dominance(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ('nDCG@10', 'AP'),
    *,
    gain: Literal['linear', 'exp', 'binary'] = 'linear',
    show: tuple[str, ...] = (),
    alpha: float = 0.05,
    **policies: Any,
) -> Dominance:
    """Does a system beat another for every user?"""

def fragility(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ('nDCG@10', 'AP'),
    *,
    pair: tuple[str, ...] = (),
    top: int | None = None,
    other: Path | str | OtherQrels | Any = None,
    noise: Path | str | Confusion | Mapping[float, Mapping[float, float]] | None = None,
    assessors: int = 1000,
    alpha: float = 0.05,
    test: Literal['t', 'bonferroni', 'max-t'] = 't',
    trials: int = 10000,
    seed: int = 0,
    **policies: Any,
) -> Fragility:
    """How few judgements does a significant difference depend on?"""

@overload
def intuitiveness(
    scores: Scores,
    *,
    simple: tuple[str, ...] = (),
    tested: tuple[str, ...] = (),
    simple_sets: Literal['together', 'each', 'all'] | tuple[tuple[str, ...], ...] = 'together',
    ties: Literal['strict', 'lenient'] = 'strict',
    trials: int = 10000,
    seed: int = 0,
) -> Intuitiveness:
    """When two metrics disagree, which one sides with the simple ones?"""

@overload
def intuitiveness(
    scores: Mapping[str, Scores],
    *,
    simple: tuple[str, ...] = (),
    tested: tuple[str, ...] = (),
    simple_sets: Literal['together', 'each', 'all'] | tuple[tuple[str, ...], ...] = 'together',
    ties: Literal['strict', 'lenient'] = 'strict',
    trials: int = 10000,
    seed: int = 0,
) -> Standings:
    """When two metrics disagree, which one sides with the simple ones?"""

def similarity(
    scores: Scores,
    *,
    also: tuple[Literal['tau_ap', 'spearman', 'rbo'], ...] = (),
    alpha: float = 0.05,
    subsets: int = 200,
    seed: int = 0,
) -> Similarity:
    """How similarly do metrics rank systems?"""

@overload
def unanimity(
    scores: Scores,
    *,
    simple: tuple[str, ...] = (),
    tested: tuple[str, ...] = (),
    simple_sets: Literal['together', 'each', 'all'] | tuple[tuple[str, ...], ...] = 'together',
    variant: Literal['amigo', 'printed'] = 'amigo',
    interval: Literal['bootstrap', 'jackknife'] = 'bootstrap',
    trials: int | None = None,
    seed: int = 0,
) -> Unanimity:
    """How well does a metric's verdict match the one all simple metrics share?"""

@overload
def unanimity(
    scores: Mapping[str, Scores],
    *,
    simple: tuple[str, ...] = (),
    tested: tuple[str, ...] = (),
    simple_sets: Literal['together', 'each', 'all'] | tuple[tuple[str, ...], ...] = 'together',
    variant: Literal['amigo', 'printed'] = 'amigo',
    interval: Literal['bootstrap', 'jackknife'] = 'bootstrap',
    trials: int | None = None,
    seed: int = 0,
) -> Standings:
    """How well does a metric's verdict match the one all simple metrics share?"""

def alternatives(
    scores: Scores,
    *,
    reference: str = 'nDCG@10',
    similar: float = 0.9,
    splits: int = 1000,
    alpha: float = 0.05,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = 'max-t-stepdown',
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = 'none',
    trials: int | None = None,
    seed: int = 0,
    compat: bool = False,
    band: float = 0.0,
) -> Alternatives:
    """Which metrics could replace another one?"""

def multiverse(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ('nDCG@10', 'AP'),
    *,
    pair: tuple[str, ...] = (),
    other: Path | str | OtherQrels | Any = None,
    only: tuple[str, ...] = (),
    add: tuple[str, ...] = (),
    without: tuple[str, ...] = (),
    alpha: float = 0.05,
    trials: int = 10000,
    seed: int = 0,
    **policies: Any,
) -> Multiverse:
    """Does a claim hold whatever the metric, ties, judgements and test?"""

def ties(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ('nDCG@10', 'AP'),
    *,
    trials: int = 100,
    seed: int = 0,
    **policies: Any,
) -> Ties:
    """How far could the order of tied results move scores?"""

def effort(
    log: Any,
    *,
    summary: float = 4.4,
    examined: Literal['recorded', 'last-click'] = 'recorded',
    alpha: float = 0.05,
) -> Effort:
    """How much time do users spend on results of each grade?"""

def generalizability(
    scores: Scores,
    *,
    reliability: float = 0.95,
    topics: tuple[int, ...] = (),
    alpha: float = 0.05,
) -> Generalizability:
    """How reliable are means over these topics, and how many topics are needed?"""

def preference(
    scores: Scores,
    *,
    choices: Path | str | Choices | None = None,
    clusters: Literal['topic', 'user'] = 'topic',
    trials: int = 10000,
    seed: int = 0,
) -> Preference:
    """Does a metric prefer the result list that people prefer?"""

def robustness(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ('nDCG@10', 'AP'),
    *,
    other: Path | str | OtherQrels | Any | None = None,
    thin: tuple[float, ...] = (),
    pool_depth: tuple[int, ...] = (),
    noise: Path | str | Confusion | Mapping[float, Mapping[float, float]] | None = None,
    groups: Path | str | EveryTeam | Mapping[str, str] | None = None,
    found_within: int | None = None,
    repeats: int = 20,
    alpha: float = 0.05,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = 't',
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = 'none',
    trials: int | None = None,
    seed: int = 0,
    compat: bool = False,
    band: float = 0.0,
    **policies: Any,
) -> Robustness:
    """Do metrics rank systems the same under other judgements?"""

def fitting(
    scores: Any = ...,
    ratings: Any = ...,
    *,
    sweep: tuple[str, ...] = (),
    objective: Literal['nrmse', 'pearson'] = 'nrmse',
    folds: int = 10,
    partitions: int = 10,
    group: Literal['none', 'user', 'task'] = 'none',
    seed: int = 0,
    **policies: Any,
) -> Fitting:
    """Which parameter value agrees best with users, and how well does it predict new units?"""

def sensitivity(
    scores: Any = ...,
    ratings: Any = ...,
    *,
    sweep: tuple[str, ...] = (),
    folds: int = 10,
    partitions: int = 10,
    trials: int = 2000,
    seed: int = 0,
    **policies: Any,
) -> Sensitivity:
    """How much does a parameter's value matter for agreement with users?"""
