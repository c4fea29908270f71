"""Collections that several tests score or compare."""

import csv
from pathlib import Path

import numpy as np

from irassay.metrics.grammar import parse
from irassay.rankings.batch import Rankings
from irassay.scores import Scores


def dynamic_domain(oracles: Path) -> Scores:
    folder = oracles / "meta" / "consistency"
    metrics = ("act", "nct", "nEU", "nsDCG", "alpha-nDCG", "nERR-IA", "rbu_0.990_0.050")
    cubes = []
    for metric in metrics:
        with (folder / f"scores_{metric}.csv").open() as file:
            header, *rows = list(csv.reader(file))
        cubes.append([[float(value) for value in row[1:]] for row in rows])
    systems = tuple(row[0] for row in rows)
    return Scores(np.array(cubes).transpose(1, 2, 0), systems, tuple(header[1:]), metrics)


def simulated(systems: int, topics: int, metrics: int, seed: int = 0) -> Scores:
    rng = np.random.default_rng(seed)
    level = np.linspace(0.2, 0.6, systems)[:, None, None]
    values = (level + 0.2 * rng.standard_normal((systems, topics, metrics))).clip(0, 1)
    names = [tuple(f"{what}{i}" for i in range(n)) for what, n in (("s", systems), ("t", topics), ("m", metrics))]
    return Scores(values, *names)


def graded(systems: int, topics: int, depth: int, seed: int, metrics: tuple[str, ...]) -> Scores:
    """Random lists with grades 0 to 3, scored by metrics of the catalogue."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.2, 0.7, systems)
    grades = rng.binomial(3, quality[:, None, None], size=(systems, topics, depth)) * (
        rng.random((topics, depth)) < 0.7
    )
    r = Rankings.of(grades.reshape(-1, depth), max_grade=3)
    values = np.stack([parse(metric).score(r) for metric in metrics], axis=1)
    names = [tuple(f"{what}{i}" for i in range(n)) for what, n in (("s", systems), ("t", topics))]
    return Scores(values.reshape(systems, topics, -1), *names, metrics)


def collection(
    seed: int = 0, systems: int = 8, topics: int = 10
) -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]]]:
    """Runs that find relevant documents the earlier the better they are, and judgements of most documents."""
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {f"run{s}": {} for s in range(systems)}
    for t in range(topics):
        grades = rng.choice([0, 0, 0, 1, 2], 40)
        docs = [f"d{t}-{i:02}" for i in range(40)]
        qrels[str(t)] = {doc: int(grade) for doc, grade in zip(docs[:32], grades, strict=False)}
        for s in range(systems):
            merit = grades * (s + 1) / systems + rng.normal(0, 1, 40)
            found = np.argsort(-merit)[:15]
            runs[f"run{s}"][str(t)] = {docs[i]: 100.0 - rank for rank, i in enumerate(found)}
    return runs, qrels


def trec8(shared: Path) -> Scores:
    folder = shared / "data" / "trec-8"
    cubes = [np.loadtxt(folder / f"adhoc8_{metric}.csv", delimiter=",", skiprows=1) for metric in ("rr", "p10", "ap")]
    cube = np.stack(cubes, axis=2).swapaxes(0, 1)  # [system, topic, metric]
    return Scores(cube, *(tuple(map(str, range(n))) for n in cube.shape[:2]), ("rr", "p10", "ap"))
