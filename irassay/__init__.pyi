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
from irassay.meta.shared_options import EveryTeam, Teams
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
    metrics: Any = ('AP', 'nDCG@10', 'P@10', 'RR', 'RBP', 'Judged@10'),
    *,
    bounds: bool = False,
    tie_range: bool | None = None,
    order: Literal['score', 'rank', 'file'] = 'score',
    ties: Literal['docid', 'docid-asc', 'file'] = 'docid',
    score_precision: Literal['double', 'single'] = 'double',
    on_duplicate: Literal['error', 'first', 'nonrelevant'] | None = None,
    missing: Literal['zero', 'skip', 'error'] = 'zero',
    on_unjudged: Literal['error', 'zero'] | None = None,
    depth: int | None = None,
    max_grade: float | None = None,
    lengths: str | Path | Mapping[str, float] | Frame | None = None,
    costs: str | Path | Mapping[str, float] | None = None,
    weights: str | Path | Mapping[str, Mapping[str, float]] | None = None,
    topic_params: str | Path | Mapping[str, Mapping[str, float]] | None = None,
    qrels_format: str = 'auto',
    names: Literal['file', 'tag'] = 'file',
    run_format: str = 'auto',
    rel: float | None = None,
    no_relevant: Literal['zero', 'skip'] = 'zero',
    judged_only: bool = False,
    judging: JudgingPolicy = ...,
    scoring: ScoringPolicy = ...,
) -> Scores:
    """What does each run score?"""

def compare(
    scores: Scores,
    metrics: str | Sequence[str] | None = None,
    *,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = 'max-t-stepdown',
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = 'none',
    trials: int | None = None,
    seed: int = 0,
    compat: bool = False,
    band: float = 0.0,
    baseline: str | None = None,
    alpha: float = 0.05,
    also: Path | str | OtherQrels | Scores | None = None,
    also_scores: Path | str | ModelScores | Scores | None = None,
    margin: float | None = None,
    margin_d: float | None = None,
    alternative: Literal['two-sided', 'greater', 'less'] = 'two-sided',
    across_metrics: bool = False,
) -> Comparisons:
    """Which systems differ, by how much, and how certain is it?"""

def judges(
    human: str | Path | Source | Qrels | Mapping[str, Any],
    others: Any,
    *,
    runs: tuple[str, ...] | Any = (),
    metrics: tuple[str, ...] = (),
    groups: Path | str | Teams | Mapping[str, str] | None = None,
    by: Literal['kappa', 'linear kappa', 'quadratic kappa', 'nominal alpha', 'ordinal alpha', 'interval alpha'] = 'kappa',
    alpha: float = 0.05,
    halves: int = 100,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = 'max-t-stepdown',
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = 'none',
    trials: int | None = None,
    seed: int = 0,
    compat: bool = False,
    band: float = 0.0,
    order: Literal['score', 'rank', 'file'] = 'score',
    ties: Literal['docid', 'docid-asc', 'file'] = 'docid',
    score_precision: Literal['double', 'single'] = 'double',
    on_duplicate: Literal['error', 'first', 'nonrelevant'] | None = None,
    missing: Literal['zero', 'skip', 'error'] = 'zero',
    on_unjudged: Literal['error', 'zero'] | None = None,
    depth: int | None = None,
    max_grade: float | None = None,
    lengths: str | Path | Mapping[str, float] | Frame | None = None,
    costs: str | Path | Mapping[str, float] | None = None,
    weights: str | Path | Mapping[str, Mapping[str, float]] | None = None,
    topic_params: str | Path | Mapping[str, Mapping[str, float]] | None = None,
    qrels_format: str = 'auto',
    names: Literal['file', 'tag'] = 'file',
    run_format: str = 'auto',
    rel: float | None = None,
    no_relevant: Literal['zero', 'skip'] = 'zero',
    judged_only: bool = False,
    judging: JudgingPolicy = ...,
    scoring: ScoringPolicy = ...,
) -> Judges:
    """Can other labels, such as a model's, replace these judgements?"""

def axioms(
    metrics: str | Metric | Sequence[str | Metric] = ('ACT', 'AP_IA', 'alpha_nDCG@10', 'nERR_IA@10', 'NRBP', 'nDCG@10', 'AP', 'RR', 'P@10'),
    *,
    axioms: tuple[str, ...] = ('albahem2018',),
    aspects: int | None = None,
    depth: int = 10,
    grades: int = 1,
    pool: int | None = None,
    weights: tuple[float, ...] | None = None,
    multi_aspect: bool = False,
    witnesses: int = 1,
    exact: bool = False,
    induction: bool = True,
    sample: int | None = None,
    seed: int = 0,
) -> Axioms:
    """Which axioms does a metric break?"""

def assay(
    runs: Any = None,
    qrels: Any = None,
    metrics: Any = (),
    *,
    main: str | None = None,
    baseline: str | None = None,
    other: Path | str | OtherQrels | Any | None = None,
    ratings: Path | str | UserRatings | Any | None = None,
    groups: Path | str | EveryTeam | Mapping[str, str] | None = None,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = 'max-t-stepdown',
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = 'none',
    trials: int | None = None,
    seed: int = 0,
    compat: bool = False,
    band: float = 0.0,
    splits: int = 1000,
    alpha: float = 0.05,
    margin: float = 0.1,
    also: tuple[Result, ...] = (),
    truth: Mapping[str, float] | None = None,
    **policies: Any,
) -> Assay:
    """What is each metric good for on this collection?"""

def validate(
    paths: tuple[str, ...] | str | Path,
    *,
    strict: bool = False,
) -> Problems:
    """What is wrong with these files?"""

def explain(
    metric: str | Metric,
    ranking: str | Any = None,
    *,
    pool: str | None = None,
    max_grade: float | None = None,
    lengths: str | Sequence[float] | None = None,
    ranks: int = 10,
) -> Explanation:
    """What does a metric model, and how does a ranking earn its score?"""

def topics(
    runs: Any = None,
    qrels: Any = None,
    metrics: Any = (),
    *,
    pair: tuple[str, ...] = (),
    baseline: str | None = None,
    topic: str | None = None,
    texts: bool = False,
    documents: Path | None = None,
    alpha: float = 0.05,
    **policies: Any,
) -> Topics:
    """Which topics make two systems differ, and which are hard?"""

def check(
    runs: Any = None,
    qrels: Any = None,
    metrics: Any = (),
    *,
    tolerance: float = 0.005,
    alpha: float = 0.05,
    fail_on: Literal['unproven', 'worse'] = 'unproven',
    new: str | None = None,
    old: str | None = None,
    **policies: Any,
) -> Check:
    """Did search get worse?"""

def claim(
    runs: Any = ...,
    qrels: Any = ...,
    metrics: Any = ('nDCG@10', 'AP'),
    *,
    other: Path | str | OtherQrels | Any = None,
    alpha: float = 0.05,
    seed: int = 0,
    **policies: Any,
) -> Claim:
    """Does one system beat another, and what does that depend on?"""

def diff(
    first: Any,
    second: Any,
    *,
    qrels: Any = None,
    runs: Any = None,
) -> Diff:
    """Which tool is right?"""

def plan(
    scores: Scores,
    metrics: str | Sequence[str] | None = None,
    *,
    difference: float | None = None,
    margin: float | None = None,
    pair: str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    groups: Path | str | Teams | Mapping[str, str] | None = None,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = 'max-t-stepdown',
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = 'none',
    trials: int | None = None,
    seed: int = 0,
    compat: bool = False,
    band: float = 0.0,
    baseline: str | None = None,
    alternative: Literal['two-sided', 'greater', 'less'] = 'two-sided',
    across_metrics: bool = False,
    systems: int | None = None,
    also: Path | str | OtherQrels | Scores | None = None,
    also_scores: Path | str | ModelScores | Scores | None = None,
    model_correlation: float | None = None,
    model_topics: int | None = None,
) -> Plan:
    """How many topics does it take to detect a difference?"""

def table(
    scores: Scores,
    metrics: str | Sequence[str] | None = None,
    *,
    test: PairedTest | Literal['anova-tukey', 'bootstrap', 'bootstrap-max-t', 'bootstrap-shift', 'max-t', 'max-t-stepdown', 'permutation', 'sign', 't', 'tukey', 'wilcoxon'] = 'max-t-stepdown',
    correction: Literal['none', 'bonferroni', 'holm', 'bh', 'by', 'max-t'] = 'none',
    trials: int | None = None,
    seed: int = 0,
    compat: bool = False,
    band: float = 0.0,
    baseline: str | None = None,
    alpha: float = 0.05,
) -> PaperTable:
    """Make the results table of a paper."""

def metrics(
    pattern: str = '',
) -> Catalogue:
    """Which metrics are there, and what does each model?"""

def reproduce(
    paper: Literal['albahem2018', 'albahem2019', 'chen2023', 'jiang2016', 'moffat2012'],
    *,
    tables: tuple[str, ...] = (),
    data: tuple[Path, ...] = (),
    fetch: bool = False,
    runs: tuple[str, ...] = (),
    qrels: Path | None = None,
    seed: int = 0,
) -> Reproduction:
    """Can a paper's figures be reproduced?"""
