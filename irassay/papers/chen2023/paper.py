"""A meta-evaluation of C/W/L/A metrics (Chen and Sakai 2023), on any collection of runs."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from irassay.errors import InputError, argument
from irassay.meta.alternatives import alternatives
from irassay.meta.complete_scores import complete_scores
from irassay.meta.consistency import split_consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.similarity import similarity
from irassay.meta.split_taus import split_halves
from irassay.metrics.grammar import parse
from irassay.metrics.grids import aggregation, grid
from irassay.notes import Note
from irassay.papers.chen2023 import charts
from irassay.papers.chen2023 import tables as printed
from irassay.papers.chen2023.claim_rules import ExaminedCollection, Measurements
from irassay.papers.chen2023.claims import checked_claims
from irassay.papers.chen2023.collections import ScoredCollection, found_collections, scored_collection
from irassay.papers.reproduction import Figure, Kind, NamedChart, Reproduction, Request
from irassay.rankings.batch import Rankings
from irassay.scoring.score import score
from irassay.stats.correlation import fieller
from irassay.stats.paired_test import PairedTest

Item = TypeVar("Item")

SPLITS, TRIALS = 1000, 2000  # as in the paper
MONTE_CARLO = 0.006  # of a mean tau over 1,000 splits, on either side
COLUMNS_2 = {"topics": "#topics", "levels": "rel. levels", "relevant": "#rel. per topic", "runs": "#runs"}  # Table 2
MODELS = dict(zip(("P", "SDCG", "RBP", "INST", "AP", "ERR"), printed.MODELS, strict=True))
# Not in the grid: the paper's other value of T, and RBP with users who read on past the list.
OTHER_T = {a: f"INST(T=2.5,A='{a}',end='stop')@10" for a in printed.AGGREGATIONS}
READ_ON = ("RBP@10", "RBP(A='FIN')@10")
SCORED_METRICS = (*grid("cwla").metrics, *OTHER_T.values(), *READ_ON)

READING = (
    "Our copy of the paper mixes figures of neighbouring cells in Figure 1. Where an interval has several readings we "
    "took the one that fits the formula ({} intervals); {} without a fitting one count as illegible. Only the others "
    "are counted as printed."
)
MONTE_CARLO_NOTE = (
    "Mean taus over splits, and powers, are Monte-Carlo estimates; the marks in Table 3 (better than the worst k) are "
    "from the paper's test, which treats splits of the same topics as independent."
)
LAYOUT = (
    "put its judgements (one file with qrels in its name) and its run files (in a folder runs) into a folder {} below "
    "the folder of "
)


def reproduce(request: Request) -> Reproduction:
    """Recompute Table 1 and the intervals in Figure 1; everything else for every collection found or given."""
    notes: list[str] = [
        "Figure 1's panels for INST, AP and ERR on TR19DL, and Table 3's marks, are illegible in our copy of the "
        "paper.",
        "In C/W/L/A metrics, users left at rank 10 are assumed to stop there; in the original ERR they are not.",
    ]
    if request.published.fetch:
        notes.append(
            Note((argument("fetch"), " downloads nothing here: get the collections from the pages named below."))
        )
    collections = _collections(request)
    studies = {each.name: examined(each, SPLITS, TRIALS, request.seed) for each in collections}
    missing = [name for name in printed.TABLE_2 if name not in studies]
    cells = [*_table_1(), *_intervals()]
    for each in collections:
        cells += [*_table_2(each), *_collection_figures(studies[each.name])]
        notes += [_collection_note(each, request.seed), *studies[each.name].similarity.notes]
    notes += [MONTE_CARLO_NOTE] if collections else []
    cells += [cell for name in missing if "" not in studies for cell in _missing_figures(name)]
    notes += [] if "" in studies else [_missing_note(name) for name in missing]
    return Reproduction(
        "chen2023",
        tuple(cells),
        () if request.tables else checked_claims(studies),
        notes=tuple(notes),
        charts=tuple(chart for study in studies.values() for chart in _named_charts(study, request, len(studies))),
        remarks=(_reading_remark(),) if request.wants("figure 1") else (),
        checked_on="the collection given" if request.runs else "",
    )


def _reading_remark() -> str:
    """How the damaged intervals of Figure 1 were read."""
    kinds = [interval.kind for interval in printed.intervals()]
    return READING.format(kinds.count("read to fit"), kinds.count("illegible"))


def _collections(request: Request) -> list[ScoredCollection]:
    """The user's own collection, or those of the paper that are below the data folders."""
    if bool(request.runs) != bool(request.qrels):
        raise InputError(
            f"chen2023 needs both runs and judgements; give {argument('runs')} and {argument('qrels')}, or neither."
        )
    if request.runs:
        scores = score(list(request.runs), str(request.qrels), SCORED_METRICS)
        return [ScoredCollection("", scores, {"topics": len(scores.topics), "runs": len(scores.systems)})]
    found = found_collections(request.published)
    wanted = [table for table in ("3", "figure 2") if table in request.tables]
    if not found and wanted:
        label = wanted[0].capitalize() if wanted[0].startswith("figure") else f"Table {wanted[0]}"
        raise InputError(
            f"{label} of chen2023 needs runs and judgements, and no folder {' or '.join(printed.FOLDERS)} with both is "
            f"below {', '.join(map(str, request.published.folders))}; add one, or give {argument('runs')} and "
            f"{argument('qrels')}."
        )
    return [scored_collection(files, SCORED_METRICS, request.published) for files in found]


def _collection_note(collection: ScoredCollection, seed: int) -> str:
    scores = collection.scores
    return (
        f"{collection.name or 'The collection'} has {len(scores.systems)} runs and {len(scores.topics)} topics; "
        f"{SPLITS:,} splits and {TRIALS:,} resamples of the randomised HSD, seed {seed}."
    )


def _missing_note(name: str) -> Note:
    """Where the collection is published, and where to put it."""
    source = f"{name} is not at hand: {printed.FOLDERS[name]['source']}. To recompute its figures, "
    other = (", or give runs and judgements of another collection with ", argument("runs"), " and ", argument("qrels"))
    return Note((source, LAYOUT.format(name), argument("data"), *other, "."))


def _named_charts(study: ExaminedCollection, request: Request, number: int) -> list[NamedChart]:
    """The charts of a collection, with its name if there are several."""
    makers: dict[str, Callable[[], Any]] = {
        "figure-1": partial(charts.heat_maps, study.similarity, study.name),
        "table-3": partial(charts.consistencies, study.consistency, study.name),
        "figure-2": partial(charts.curves, study.discrimination, study.name),
    }
    suffix = f"-{study.name}" if number > 1 else ""
    return [
        (f"{name}{suffix}", make)
        for name, make in makers.items()
        if request.wants(name.removeprefix("table-").replace("-", " "))
    ]


def metrics() -> dict[tuple[str, str], str]:
    """The metric of every browsing model with every aggregation, as Table 1 combines them."""
    return {(MODELS[parse(metric).name], aggregation(metric)): metric for metric in grid("cwla").metrics}


def examined(collection: ScoredCollection, splits: int, trials: int, seed: int = 0) -> ExaminedCollection:
    """Similarity, consistency and discriminative power of the grid's metrics on a collection."""
    scores, by_model = collection.scores, metrics()
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
    extra = similarity(scores.select(metrics=[by_model["INST", "ERG"], *OTHER_T.values(), *READ_ON]), seed=seed)
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
        name=collection.name,
        sizes=collection.sizes,
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
        inst_tau=extra.of(by_model["INST", "ERG"], OTHER_T["ERG"]),
        other_inst_taus={(a, b): extra.of(OTHER_T[a], OTHER_T[b]) for a, b in itertools.permutations(OTHER_T, 2)},
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
            published = "×" if constant else "canonical" if canonical else "alternative"
            is_constant = bool(np.ptp(scores) < 1e-12)
            ours = "×" if is_constant else "canonical" if metric in grid("cwla").canonical else "alternative"
            why = f"Its score is {scores[0]:.6f} whatever the results." if is_constant else ""
            cells.append(Figure("1", model, a, published, ours, why=why, kind="printed" if constant else "label"))
    return cells


def _table_2(collection: ScoredCollection) -> list[Figure]:
    """The sizes of a collection, beside those in Table 2 if the paper used it."""
    published, cells = printed.TABLE_2.get(collection.name, {}), []
    for column, size in collection.sizes.items():
        digits = int(column == "relevant")
        cell = Figure("2", collection.name or "yours", COLUMNS_2[column], published.get(column), size, digits)
        why = "the files at hand are not the paper's" if cell.status == "differs" else ""
        cells.append(replace(cell, why=why))
    return cells


def _missing_figures(name: str) -> Iterator[Figure]:
    """The figures that the paper prints for a collection that is not at hand."""
    why = f"{name} is not at hand (see the notes)"
    for column, size in printed.TABLE_2[name].items():
        yield Figure("2", name, COLUMNS_2[column], size, None, digits=int(column == "relevant"), why=why)
    for model, taus in printed.taus(name).items():
        for a, b in itertools.combinations(taus_order(model), 2):
            yield Figure("figure 1", f"{model} on {name}", f"{a} and {b}", tau_text(taus[a, b]), None, why=why)
    for model, row in printed.TABLE_3[name].items():
        yield from (Figure("3", f"{model} on {name}", a, mean, None, why=why) for a, mean in row.items())


def tau_text(tau: float) -> str:
    """A tau as Figure 1 prints it: a dash for the same ranking."""
    return "–" if tau > 1 - 1e-9 else f"{tau:.3f}"


def taus_order(model: str) -> list[str]:
    """The aggregations of a model that are not constant, in our order."""
    return [a for a in printed.AGGREGATIONS if not (a == "ERR" and model in printed.CONSTANT)]


def _intervals() -> list[Figure]:
    """The intervals in Figure 1, from its values of tau, which are integers over the number of pairs."""
    cells = []
    for interval in printed.intervals():
        runs = int(printed.TABLE_2[interval.collection]["runs"])
        pairs = runs * (runs - 1) // 2
        exact = [k / pairs for k in range(-pairs, pairs + 1, 2) if f"{k / pairs:.3f}" == f"{interval.tau:.3f}"]
        ours = "({:.3f}, {:.3f})".format(*(float(end) for end in fieller(exact[0], runs)))
        row, column = f"{interval.model} on {interval.collection}", f"tau = {interval.tau:.3f}"
        cells.append(Figure("figure 1, intervals", row, column, interval.text, ours, kind=interval.kind))
    return cells


def _collection_figures(study: ExaminedCollection) -> list[Figure]:
    """Figure 1, Table 3 and Figure 2 for a collection, beside the published figures if the paper used it."""
    name, similarities = study.name, study.similarity
    on, table_3, taus = charts.on_collection(name), printed.TABLE_3.get(study.printed_name, {}), printed.taus(name)
    position = {key: similarities.metrics.index(metric) for key, metric in study.metric.items()}
    why = study.size_difference
    not_printed: Kind = "illegible" if name in printed.TABLE_2 else "ours"
    beats = study.consistency.beats()
    cells = []
    for i, j in similarities.pairs():
        (model, one), (other_model, other) = list(study.metric)[i], list(study.metric)[j]
        if model == other_model:
            ours = tau_text(float(similarities.tau[i, j]))
            published: str | None = None
            kind = not_printed
            if model in taus:  # intervals are compared by themselves
                published, kind = tau_text(taus[model][one, other]), "printed"
            else:
                low, high = similarities.low[i, j], similarities.high[i, j]
                interval = f"({low:.3f}, {high:.3f})" if low < high else "(no interval)"
                ours = f"{similarities.tau[i, j]:.3f} {interval}"
            is_constant = bool(similarities.constant[[i, j]].any())
            cell = Figure("figure 1", f"{model}{on}", f"{one} and {other}", published, ours, why=why, kind=kind)
            cells.append(_unless_constant(is_constant, cell))
    for model, row in study.measured.consistency.items():
        for a, mean in row.items():
            is_constant = bool(similarities.constant[position[model, a]])
            cell = Figure("3", f"{model}{on}", a, table_3.get(model, {}).get(a), mean, within=MONTE_CARLO, why=why)
            cells.append(_unless_constant(is_constant, cell))
    cells += [
        Figure("3, better than the worst", f"{model}{on}", a, None, int(beats[m]), digits=0, kind=not_printed)
        for (model, a), m in position.items()
    ]
    for model, row in study.measured.power.items():
        cells += [Figure("figure 2", f"{model}{on}", f"{a}, power at .05", None, value) for a, value in row.items()]
        curve = study.measured.curve[model]
        cells += [Figure("figure 2", f"{model}{on}", f"{a}, area under the curve", None, 1 - curve[a]) for a in row]
    return cells


def _unless_constant(is_constant: bool, cell: Figure) -> Figure:
    """The cell, without a figure if its metric is constant."""
    return replace(cell, ours=None, why="Every run has the same mean, so there is no ranking.") if is_constant else cell
