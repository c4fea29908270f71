"""A meta-evaluation of C/W/L/A metrics (Chen and Sakai 2023), on any collection of runs."""

import itertools
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from irassay.errors import InputError, argument
from irassay.meta.alternatives import alternatives
from irassay.meta.complete_scores import complete_scores
from irassay.meta.consistency import split_consistency, split_halves
from irassay.meta.discrimination import discrimination
from irassay.meta.similarity import similarity
from irassay.metrics.grammar import parse
from irassay.metrics.grids import aggregation, grid
from irassay.papers.chen2023 import charts
from irassay.papers.chen2023 import tables as printed
from irassay.papers.chen2023.claim_rules import ExaminedCollection, Measurements
from irassay.papers.chen2023.claims import checked_claims
from irassay.papers.reproduction import Figure, NamedChart, Reproduction, Request
from irassay.rankings.batch import Rankings
from irassay.scores import Scores
from irassay.scoring.score import score
from irassay.stats.correlation import fieller
from irassay.stats.paired_test import PairedTest

Item = TypeVar("Item")

SPLITS, TRIALS = 1000, 2000  # as in the paper
MONTE_CARLO = 0.006  # of a mean tau over 1,000 splits, on either side
MODELS = dict(zip(("P", "SDCG", "RBP", "INST", "AP", "ERR"), printed.MODELS, strict=True))
# Not in the grid: the paper's other value of T, and RBP with users who read on past the list.
OTHER_T, READ_ON = "INST(T=2.5,end='stop')@10", ("RBP@10", "RBP(A='FIN')@10")

READING = (
    "Our copy of the paper mixes figures of neighbouring cells in Figure 1, so where an interval has several readings "
    "we took the one that fits the formula; {} intervals without such a reading count as illegible. So matching "
    "intervals show which formula was used, not that nothing is misprinted."
)
NOT_PUBLIC = (
    "The runs of WWW3 and TR19DL are not public, so Figure 1, Table 3 and Figure 2 cannot be recomputed as printed; "
    "give runs and judgements to compute them for another collection."
)


def reproduce(request: Request) -> Reproduction:
    """Recompute Table 1 and the intervals in Figure 1, and everything else for a user's runs and judgements."""
    cells = [*_table_1(), *_intervals()]
    notes = [
        "Figure 1's panels for INST, AP and ERR on TR19DL, and Table 3's marks, are illegible in our copy of the "
        "paper.",
        "In C/W/L/A metrics, users left at rank 10 are assumed to stop there; in the original ERR they are not.",
    ]
    study: ExaminedCollection | None = None
    named_charts: list[NamedChart] = []
    if request.runs and request.qrels:
        scores = score(list(request.runs), str(request.qrels), (*metrics().values(), OTHER_T, *READ_ON))
        study = examined(scores, SPLITS, TRIALS, request.seed)
        cells += _collection_figures(study)
        named_charts = [
            ("figure-1", partial(charts.heat_maps, study.similarity)),
            ("table-3", partial(charts.consistencies, study.consistency)),
            ("figure-2", partial(charts.curves, study.discrimination)),
        ]
        notes += [
            f"The collection has {len(scores.systems)} runs and {len(scores.topics)} topics; {SPLITS:,} splits and "
            f"{TRIALS:,} resamples of the randomised HSD, seed {request.seed}.",
            "Mean taus over splits, and powers, are Monte-Carlo estimates; the marks in Table 3 (better than the worst "
            "k) are from the paper's test, which treats splits of the same topics as independent.",
            *study.similarity.notes,
        ]
    elif request.runs or request.qrels:
        raise InputError(
            f"chen2023 needs both runs and judgements; give {argument('runs')} and {argument('qrels')}, or neither."
        )
    else:
        notes.append(NOT_PUBLIC)
    return Reproduction(
        "chen2023",
        tuple(cells),
        () if request.tables else checked_claims(study),
        notes=tuple(notes),
        charts=tuple(
            chart for chart in named_charts if request.wants(chart[0].removeprefix("table-").replace("-", " "))
        ),
        remarks=(READING.format(sum(low is None for _, _, _, low, _ in printed.intervals())),)
        if request.wants("figure 1")
        else (),
    )


def metrics() -> dict[tuple[str, str], str]:
    """The metric of every browsing model with every aggregation, as Table 1 combines them."""
    return {(MODELS[parse(metric).name], aggregation(metric)): metric for metric in grid("cwla").metrics}


def examined(scores: Scores, splits: int, trials: int, seed: int = 0) -> ExaminedCollection:
    """Similarity, consistency and discriminative power of the grid's metrics on a collection."""
    by_model = metrics()
    ours = scores.select(metrics=list(by_model.values()))
    similarities = similarity(ours, seed=seed)
    complete = complete_scores(ours, "Consistency", topics=4)
    halves = split_halves(len(complete.scores.topics), splits, seed)
    consistency = split_consistency(complete, halves, compat=True, group_by="browse", trials=trials, seed=seed)
    test = PairedTest("tukey", trials=trials, compat=True, seed=seed)
    powers = discrimination(ours, test=test)
    power, area = powers.power(0.05), powers.asl_area()
    position = {key: ours.metrics.index(metric) for key, metric in by_model.items()}
    under_err = [metric for (model, _), metric in by_model.items() if model == "ERR"]
    extra = similarity(scores.select(metrics=[by_model["INST", "ERG"], OTHER_T, *READ_ON]), seed=seed)
    measured = Measurements(
        consistency=_by_model({key: float(consistency.mean[m]) for key, m in position.items()}),
        power=_by_model({key: float(power[m]) for key, m in position.items()}),
        curve=_by_model({key: float(1 - area[m]) for key, m in position.items()}),
        tau={
            model: {(a, b): similarities.of(row[a], row[b]) for a, b in itertools.permutations(row, 2)}
            for model, row in _by_model(by_model).items()
        },
    )
    return ExaminedCollection(
        name=f"{len(scores.systems)} runs, {len(scores.topics)} topics",
        metric=by_model,
        measured=measured,
        similarity=similarities,
        consistency=consistency,
        discrimination=powers,
        alternatives=alternatives(
            ours.select(metrics=under_err), reference=by_model["ERR", "ERR"], splits=splits, test=test
        )
        if len(scores.topics) >= 8
        else None,
        inst_tau=extra.of(by_model["INST", "ERG"], OTHER_T),
        rbp_tau=(similarities.of(by_model["RBP", "ERG"], by_model["RBP", "FIN"]), extra.of(*READ_ON)),
    )


def _by_model(items: dict[tuple[str, str], Item]) -> dict[str, dict[str, Item]]:
    """The items of each model by aggregation."""
    return {model: {a: item for (m, a), item in items.items() if m == model} for model in printed.MODELS}


def _table_1() -> list[Figure]:
    """Which combinations are constant, found by scoring many random lists."""
    grades = np.random.default_rng(0).integers(0, 4, (200, 10)).astype(np.float64)
    lists = Rankings.of(grades, max_grade=3)
    grid_metrics = metrics()
    cells = []
    for name, model in MODELS.items():
        for a in printed.AGGREGATIONS:
            gain = "gain='linear'," if name == "P" else ""
            metric = grid_metrics.get((model, a), f"{name}({gain}A='{a}',end='stop')@10")
            scores = parse(metric).score(lists)
            canonical = printed.CANONICAL[model] == a
            constant = a == "ERR" and model in printed.CONSTANT
            published = "constant" if constant else "canonical" if canonical else "alternative"
            is_constant = bool(np.ptp(scores) < 1e-12)
            ours = "constant" if is_constant else "canonical" if metric in grid("cwla").canonical else "alternative"
            why = f"Its score is {scores[0]:.6f} whatever the results." if is_constant else ""
            cells.append(Figure("1", model, a, published, ours, why=why))
    return cells


def _intervals() -> list[Figure]:
    """The intervals in Figure 1, from its values of tau, which are integers over the number of pairs."""
    cells = []
    for model, collection, tau, low, high in printed.intervals():
        runs = printed.COLLECTIONS[collection][0]
        pairs = runs * (runs - 1) // 2
        exact = [k / pairs for k in range(-pairs, pairs + 1, 2) if f"{k / pairs:.3f}" == f"{tau:.3f}"]
        ours = "({:.3f}, {:.3f})".format(*(float(end) for end in fieller(exact[0], runs)))
        published = None if low is None or high is None else f"({low:.3f}, {high:.3f})"
        why = "illegible in our copy of the paper" if published is None else ""
        row, column = f"{model} on {collection}", f"tau = {tau:.3f}"
        cells.append(Figure("figure 1, intervals", row, column, published, ours, why=why))
    return cells


def _collection_figures(study: ExaminedCollection) -> list[Figure]:
    """Figure 1, Table 3 and Figure 2 for a collection, beside the published Table 3 if it has the collection's size."""
    similarities = study.similarity
    size = len(similarities.systems), similarities.topics
    printed_name = next((name for name, counts in printed.COLLECTIONS.items() if counts == size), None)
    position = {key: similarities.metrics.index(metric) for key, metric in study.metric.items()}
    beats = study.consistency.beats()
    cells = []
    for i, j in similarities.pairs():
        (model, one), (other_model, other) = list(study.metric)[i], list(study.metric)[j]
        if model == other_model:
            ours = f"{similarities.tau[i, j]:.3f} ({similarities.low[i, j]:.3f}, {similarities.high[i, j]:.3f})"
            is_constant = bool(similarities.constant[[i, j]].any())
            cells.append(_unless_constant(is_constant, Figure("figure 1", model, f"{one} and {other}", None, ours)))
    for model, row in study.measured.consistency.items():
        for a, mean in row.items():
            published = printed.TABLE_3[printed_name][model][a] if printed_name else None
            is_constant = bool(similarities.constant[position[model, a]])
            cells.append(_unless_constant(is_constant, Figure("3", model, a, published, mean, within=MONTE_CARLO)))
    cells += [Figure("3, better than the worst", *key, None, int(beats[m]), digits=0) for key, m in position.items()]
    for model, row in study.measured.power.items():
        cells += [Figure("figure 2", model, f"{a}, power at .05", None, value) for a, value in row.items()]
        curve = study.measured.curve[model]
        cells += [Figure("figure 2", model, f"{a}, area under the curve", None, 1 - curve[a]) for a in row]
    return cells


def _unless_constant(is_constant: bool, cell: Figure) -> Figure:
    """The cell, without a figure if its metric is constant."""
    return replace(cell, ours=None, why="Every run has the same mean, so there is no ranking.") if is_constant else cell
