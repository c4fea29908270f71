"""Scores search runs, and tests the metrics that score them. Written by `make index` from the declarations; a test keeps it current."""

from collections.abc import Mapping, Sequence
from irassay.arrays import Frame
from irassay.assays.assay import Assay
from irassay.assays.ratings import UserRatings
from irassay.io.sources import Source
from irassay.io.validation import Problems
from irassay.meta.axioms.result import Axioms
from irassay.meta.check import Check
from irassay.meta.claim import Claim
from irassay.meta.comparison import Comparisons
from irassay.meta.diff.method import Diff
from irassay.meta.judges.method import Judges
from irassay.meta.model_judgements import ModelScores
from irassay.meta.plan import Plan
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.meta.shared_options import Teams
from irassay.meta.table import PaperTable
from irassay.meta.topics import Topics
from irassay.metrics.explanation import Explanation
from irassay.metrics.listing import Catalogue
from irassay.papers.reproduction import Reproduction
from pathlib import Path
from typing import Any, Literal
from irassay.domains import Domain as Domain
from irassay.errors import InputError as InputError
from irassay.io.tables import read_scores as read_scores
from irassay.io.tables import write_scores as write_scores
from irassay.io.trec import Qrels as Qrels
from irassay.io.trec import Run as Run
from irassay.io.trec import read_qrels as read_qrels
from irassay.io.trec import read_run as read_run
from irassay.io.trec import read_runs as read_runs
from irassay.judging.policy import JudgingPolicy as JudgingPolicy
from irassay.meta.axioms.relations import axiom as axiom
from irassay.meta.satisfaction.rated import RatedUnits as RatedUnits
from irassay.method import method as method
from irassay.metrics.decorators import metric as metric
from irassay.metrics.decorators import stop_model as stop_model
from irassay.metrics.decorators import user_model as user_model
from irassay.metrics.grammar import catalogue as catalogue
from irassay.metrics.grammar import parse as parse
from irassay.metrics.grids import grid as grid
from irassay.metrics.metric import Metric as Metric
from irassay.notes import Note as Note
from irassay.parallel import Cancelled as Cancelled
from irassay.parallel import context as context
from irassay.rankings.batch import Rankings as Rankings
from irassay.rankings.pool import Pool as Pool
from irassay.reports.page import report as report
from irassay.results import Result as Result
from irassay.results import load as load
from irassay.scores import Scores as Scores
from irassay.scoring.judged_runs import JudgedRuns as JudgedRuns
from irassay.scoring.policy import ScoringPolicy as ScoringPolicy
from irassay.settings import Option as Option
from irassay.simulation import simulate as simulate
from irassay.stats.paired_test import PairedTest as PairedTest
from irassay.userfile import define as define
from irassay.views.view import Table as Table
from irassay.views.view import View as View

NAMES: dict[str, str]
from irassay import meta as meta, papers as papers, stats as stats

ACT: Metric
AP: Metric
AP11: Metric
AP_IA: Metric
Accuracy: Metric
BPM: Metric
CT: Metric
Compat: Metric
D: Metric
DCG: Metric
D_Q: Metric
D_nDCG: Metric
Dsharp: Metric
Dsharp_Q: Metric
Dsharp_nDCG: Metric
ERR: Metric
ERR_IA: Metric
EU: Metric
G: Metric
GAP: Metric
GMAP: Metric
GMbpref: Metric
GP: Metric
GRBP: Metric
Hits: Metric
IA: Metric
IFT: Metric
INSQ: Metric
INST: Metric
IPrec: Metric
Judged: Metric
NCU: Metric
NERR10: Metric
NERR11: Metric
NERR8: Metric
NERR9: Metric
NRBP: Metric
NegIter: Metric
NumNonrelRet: Metric
NumPrefs: Metric
NumPrefsMet: Metric
NumQ: Metric
NumRel: Metric
NumRelRet: Metric
NumRet: Metric
O: Metric
P: Metric
P_IA: Metric
P_measure: Metric
P_plus: Metric
Prefs: Metric
PrefsRnonrel: Metric
Q: Metric
R: Metric
RBP: Metric
RBP_resid: Metric
RBU: Metric
RR: Metric
RecipIter: Metric
RelP: Metric
Rndcg: Metric
Rprec: Metric
RprecMult: Metric
SDCG: Metric
SET: Metric
SetAP: Metric
SetF: Metric
StRecall: Metric
Success: Metric
TBG: Metric
Terminal: Metric
TotTime: Metric
TrAP: Metric
U: Metric
Unj: Metric
aINSQ: Metric
alpha_DCG: Metric
alpha_nDCG: Metric
binG: Metric
bpref: Metric
esNDCG: Metric
infAP: Metric
nCT: Metric
nDCG: Metric
nDCG_rel: Metric
nERR: Metric
nERR_IA: Metric
nEU: Metric
nNRBP: Metric
nsDCG: Metric
sDCG: Metric
sINSQ: Metric
utility: Metric


def score(
    runs: Any,
    qrels: Any,
    metrics: Any = ...,
    *,
    bounds: bool = ...,
    tie_range: bool | None = ...,
    order: Literal['score', 'rank', 'file'] = ...,
    ties: Literal['docid', 'docid-asc', 'file'] = ...,
    score_precision: Literal['double', 'single'] = ...,
    on_duplicate: Literal['error', 'first', 'nonrelevant'] | None = ...,
    missing: Literal['zero', 'skip', 'error'] = ...,
    on_unjudged: Literal['error', 'zero'] | None = ...,
    depth: int | None = ...,
    max_grade: float | None = ...,
    lengths: str | Path | Mapping[str, float] | Frame | None = ...,
    costs: str | Path | Mapping[str, float] | None = ...,
    weights: str | Path | Mapping[str, Mapping[str, float]] | None = ...,
    topic_params: str | Path | Mapping[str, Mapping[str, float]] | None = ...,
    qrels_format: str = ...,
    names: Literal['file', 'tag'] = ...,
    run_format: str = ...,
    rel: float | None = ...,
    no_relevant: Literal['zero', 'skip'] = ...,
    judged_only: bool = ...,
    judging: JudgingPolicy = ...,
    scoring: ScoringPolicy = ...,
) -> Scores:
    """What does each run score?"""

def compare(
    scores: Scores,
    metrics: str | Sequence[str] | None = ...,
    *,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = ...,
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = ...,
    trials: int | None = ...,
    seed: int = ...,
    compat: bool = ...,
    band: float = ...,
    baseline: str | None = ...,
    alpha: float = ...,
    also: Path | str | OtherQrels | Scores | None = ...,
    also_scores: Path | str | ModelScores | Scores | None = ...,
    margin: float | None = ...,
    margin_d: float | None = ...,
    alternative: Literal['two-sided', 'greater', 'less'] = ...,
    across_metrics: bool = ...,
) -> Comparisons:
    """Which systems differ, by how much, and how certain is it?"""

def judges(
    human: str | Path | Source | Qrels | Mapping[str, Any],
    others: Any,
    *,
    runs: tuple[str, ...] | Any = ...,
    metrics: tuple[str, ...] = ...,
    groups: Path | str | Teams | Mapping[str, str] | None = ...,
    by: Literal['kappa', 'linear kappa', 'quadratic kappa', 'nominal alpha', 'ordinal alpha', 'interval alpha'] = ...,
    alpha: float = ...,
    halves: int = ...,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = ...,
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = ...,
    trials: int | None = ...,
    seed: int = ...,
    compat: bool = ...,
    band: float = ...,
    order: Literal['score', 'rank', 'file'] = ...,
    ties: Literal['docid', 'docid-asc', 'file'] = ...,
    score_precision: Literal['double', 'single'] = ...,
    on_duplicate: Literal['error', 'first', 'nonrelevant'] | None = ...,
    missing: Literal['zero', 'skip', 'error'] = ...,
    on_unjudged: Literal['error', 'zero'] | None = ...,
    depth: int | None = ...,
    max_grade: float | None = ...,
    lengths: str | Path | Mapping[str, float] | Frame | None = ...,
    costs: str | Path | Mapping[str, float] | None = ...,
    weights: str | Path | Mapping[str, Mapping[str, float]] | None = ...,
    topic_params: str | Path | Mapping[str, Mapping[str, float]] | None = ...,
    qrels_format: str = ...,
    names: Literal['file', 'tag'] = ...,
    run_format: str = ...,
    rel: float | None = ...,
    no_relevant: Literal['zero', 'skip'] = ...,
    judged_only: bool = ...,
    judging: JudgingPolicy = ...,
    scoring: ScoringPolicy = ...,
) -> Judges:
    """Can other labels, such as a model's, replace these judgements?"""

def axioms(
    metrics: str | Metric | Sequence[str | Metric] = ...,
    *,
    axioms: tuple[str, ...] = ...,
    aspects: int | None = ...,
    depth: int = ...,
    grades: int = ...,
    pool: int | None = ...,
    weights: tuple[float, ...] | None = ...,
    multi_aspect: bool = ...,
    witnesses: int = ...,
    exact: bool = ...,
    induction: bool = ...,
    sample: int | None = ...,
    seed: int = ...,
) -> Axioms:
    """Which axioms does a metric break?"""

def assay(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ...,
    *,
    main: str | None = ...,
    baseline: str | None = ...,
    other: Path | str | OtherQrels | Any | None = ...,
    ratings: Path | str | UserRatings | Any | None = ...,
    groups: Path | str | Teams | Mapping[str, str] | None = ...,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = ...,
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = ...,
    trials: int | None = ...,
    seed: int = ...,
    compat: bool = ...,
    band: float = ...,
    splits: int = ...,
    alpha: float = ...,
    margin: float = ...,
    also: tuple[Result, ...] = ...,
    truth: Mapping[str, float] | None = ...,
    **policies: Any,
) -> Assay:
    """What is each metric good for on this collection?"""

def validate(
    paths: tuple[str, ...] | str | Path,
    *,
    strict: bool = ...,
) -> Problems:
    """What is wrong with these files?"""

def explain(
    metric: str | Metric,
    ranking: str | Any = ...,
    *,
    pool: str | None = ...,
    max_grade: float | None = ...,
    lengths: str | Sequence[float] | None = ...,
    ranks: int = ...,
) -> Explanation:
    """What does a metric model, and how does a ranking earn its score?"""

def topics(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ...,
    *,
    pair: tuple[str, ...] = ...,
    baseline: str | None = ...,
    topic: str | None = ...,
    texts: bool = ...,
    documents: Path | None = ...,
    alpha: float = ...,
    **policies: Any,
) -> Topics:
    """Which topics make two systems differ, and which are hard?"""

def check(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ...,
    *,
    tolerance: float = ...,
    alpha: float = ...,
    fail_on: Literal['unproven', 'worse'] = ...,
    new: str | None = ...,
    old: str | None = ...,
    **policies: Any,
) -> Check:
    """Did search get worse?"""

def claim(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ...,
    *,
    other: Path | str | OtherQrels | Any = ...,
    alpha: float = ...,
    seed: int = ...,
    **policies: Any,
) -> Claim:
    """Does one system beat another, and what does that depend on?"""

def diff(
    first: Any,
    second: Any,
    *,
    qrels: Any = ...,
    runs: Any = ...,
) -> Diff:
    """Which tool is right?"""

def plan(
    scores: Scores,
    metrics: str | Sequence[str] | None = ...,
    *,
    difference: float | None = ...,
    margin: float | None = ...,
    pair: str | None = ...,
    alpha: float = ...,
    power: float = ...,
    groups: Path | str | Teams | Mapping[str, str] | None = ...,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = ...,
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = ...,
    trials: int | None = ...,
    seed: int = ...,
    compat: bool = ...,
    band: float = ...,
    baseline: str | None = ...,
    alternative: Literal['two-sided', 'greater', 'less'] = ...,
    across_metrics: bool = ...,
    systems: int | None = ...,
    also: Path | str | OtherQrels | Scores | None = ...,
    also_scores: Path | str | ModelScores | Scores | None = ...,
    model_correlation: float | None = ...,
    model_topics: int | None = ...,
) -> Plan:
    """How many topics does it take to detect a difference?"""

def table(
    scores: Scores,
    metrics: str | Sequence[str] | None = ...,
    *,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = ...,
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = ...,
    trials: int | None = ...,
    seed: int = ...,
    compat: bool = ...,
    band: float = ...,
    baseline: str | None = ...,
    alpha: float = ...,
) -> PaperTable:
    """Make the results table of a paper."""

def metrics(
    pattern: str = ...,
) -> Catalogue:
    """Which metrics are there, and what does each model?"""

def reproduce(
    paper: Literal['albahem2018', 'albahem2019', 'chen2023', 'jiang2016', 'moffat2012'],
    *,
    tables: tuple[str, ...] = ...,
    data: tuple[Path, ...] = ...,
    fetch: bool = ...,
    runs: tuple[str, ...] = ...,
    qrels: Path | None = ...,
    seed: int = ...,
) -> Reproduction:
    """Can a paper's figures be reproduced?"""
