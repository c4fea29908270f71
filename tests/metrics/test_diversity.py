"""Diversity metrics against ndeval, pyndeval, ir_measures, NTCIREVAL and RBU's authors' program, and by hand."""

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import irassay.rankings.ideals
from irassay.errors import InputError
from irassay.io.trec import Qrels, Run, read_qrels, read_run
from irassay.judging.judge import judge
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.grammar import parse
from irassay.rankings.batch import Rankings, plain_arrays
from irassay.rankings.pool import Pool
from tests.support.compared import agrees

EXACT = partial(pytest.approx, rel=0, abs=1e-9)
PRINTED = {"rel": 0, "abs": 5e-5 + 1e-9}  # four decimals

# ndeval's columns in our names; {} is where parameters go.
NDEVAL = {
    "strec": "StRecall",
    "alpha-DCG": "alpha_DCG(alpha={alpha})",
    "alpha-nDCG": "alpha_nDCG(alpha={alpha})",
    "ERR-IA": "ERR_IA(alpha={alpha})",
    "nERR-IA": "nERR_IA(alpha={alpha})",
    "NRBP": "NRBP(alpha={alpha},beta={beta})",
    "nNRBP": "nNRBP(alpha={alpha},beta={beta})",
    "MAP-IA": "AP_IA",
    "P-IA": "P_IA",
}


def in_our_words(column: str, alpha: float = 0.5, beta: float = 0.5) -> str:
    name, at, cutoff = column.partition("@")
    return NDEVAL[name].format(alpha=alpha, beta=beta) + at + cutoff


def by_topic(metric: str, judged: JudgedRun) -> dict[str, float]:
    scores = parse(metric).score(judged.rankings)
    return {topic: float(score) for topic, score in zip(judged.topics, scores, strict=True)}


def answered(judged: JudgedRun) -> list[str]:
    return [topic for topic, n in zip(judged.topics, judged.rankings.retrieved, strict=True) if n]


def cells(judged: JudgedRun, table: Path, alpha: float = 0.5, beta: float = 0.5) -> Iterator[tuple[str, str, str, str]]:
    """Topic, column, what ndeval prints, what we would print; means too. Its NaN, for want of relevance, is our 0."""
    rows = list(csv.DictReader(table.read_text().splitlines()))
    for column in list(rows[0])[2:]:
        ours = by_topic(in_our_words(column, alpha, beta), judged)
        ours["amean"] = float(np.mean([ours[topic] for topic in answered(judged)]))
        for row in rows:
            undefined = "nan" in row[column]
            assert not undefined or (column == "nNRBP" and (row["topic"] == "amean" or ours[row["topic"]] == 0))
            if not undefined and row["topic"] in ours:
                yield row["topic"], column, row[column], f"{ours[row['topic']]:.6f}"


OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    ".c": {},
    ".traditional": {"order": "score"},
    ".alpha0.2.beta0.8": {"alpha": 0.2, "beta": 0.8},
    ".alpha1": {"alpha": 1.0},
    ".M5": {"depth": 5},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("run", ["divA", "divB"])
def test_every_cell_of_ndeval(oracles: Path, run: str, options: str) -> None:
    how = {"order": "rank"} | OPTIONS[options]
    parameters = {name: how.pop(name) for name in ("alpha", "beta") if name in how}
    inputs = oracles / "inputs" / "diversity"
    judged = judge(
        read_run(inputs / f"{run}.txt"), read_qrels(inputs / "qrels.txt"), JudgingPolicy(qrels_format="subtopic", **how)
    )
    found = list(cells(judged, oracles / "ndeval" / f"{run}{options}.csv", **parameters))
    assert len(found) > 140
    assert [(t, c) for t, c, theirs, ours in found if not agrees("ndeval", ours, theirs)] == []


def test_a_greedy_ideal_can_be_beaten(oracles: Path) -> None:
    inputs = oracles / "inputs" / "diversity"
    run, qrels = read_run(inputs / "greedy_run.txt"), read_qrels(inputs / "greedy_qrels.txt")
    judged = judge(run, qrels, JudgingPolicy(order="rank", qrels_format="subtopic"))
    assert all(ours == theirs for _, _, theirs, ours in cells(judged, oracles / "ndeval" / "greedy.csv"))
    assert by_topic("nNRBP", judged)["1"] == EXACT(1.04)


def test_every_cell_of_ndeval_on_the_web_track(shared: Path) -> None:
    folder = shared / "data" / "web-2012"
    qrels = read_qrels(folder / "qrels.diversity.gz")
    tables = sorted((folder / "ndeval").glob("*.csv"))
    assert len(tables) == 8
    for table in tables:
        judged = judge(
            read_run(folder / "runs" / f"{table.stem}.gz"), qrels, JudgingPolicy(order="rank", qrels_format="subtopic")
        )
        found = list(cells(judged, table))
        assert len(found) == 51 * 21
        assert [(t, c) for t, c, theirs, ours in found if not agrees("ndeval", ours, theirs)] == []


def test_negative_grades_are_worth_as_much_as_0(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "web-2012"
    text = gzip.decompress((folder / "qrels.diversity.gz").read_bytes()).decode()
    (tmp_path / "raised.txt").write_text(text.replace(" -2\n", " 0\n"))
    run = read_run(folder / "runs" / "ql-catb-filtered.gz")
    kept = judge(run, read_qrels(folder / "qrels.diversity.gz"), JudgingPolicy(order="rank", qrels_format="subtopic"))
    raised = judge(run, read_qrels(tmp_path / "raised.txt"), JudgingPolicy(order="rank", qrels_format="subtopic"))
    for name in [*map(in_our_words, NDEVAL), "D_nDCG@10", "D_Q@10", "Dsharp_nDCG@10", "RBU", "IA(metric='nDCG@10')"]:
        assert by_topic(name, kept) == EXACT(by_topic(name, raised))


@pytest.mark.parametrize("run", ["divA", "divB"])
@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.5), (0.2, 0.8)])
def test_every_double_of_pyndeval(oracles: Path, run: str, alpha: float, beta: float) -> None:
    inputs = oracles / "inputs" / "diversity"
    qrels = read_qrels(inputs / "qrels.txt")
    judged = judge(read_run(inputs / f"{run}.txt"), qrels, JudgingPolicy(ties="docid-asc", qrels_format="subtopic"))
    theirs = json.loads((oracles / "pyndeval" / f"{run}.alpha{alpha}.beta{beta}.json").read_text())
    for column in theirs["1"]:
        ours = by_topic(in_our_words(column, alpha, beta), judged)
        expected = {topic: scores[column] or 0.0 for topic, scores in theirs.items() if topic in ours}
        assert agrees("pyndeval", {topic: ours[topic] for topic in expected}, expected, 1e-9)
    assert "alpha-DCG@1" in theirs["1"]


@pytest.mark.parametrize("run", ["divA", "divB"])
def test_every_double_of_ir_measures(oracles: Path, run: str) -> None:
    inputs = oracles / "inputs" / "diversity"
    qrels = read_qrels(inputs / "qrels.txt")
    judged = judge(read_run(inputs / f"{run}.txt"), qrels, JudgingPolicy(ties="docid-asc", qrels_format="subtopic"))
    theirs = json.loads((oracles / "ir_measures" / f"{run}.json").read_text())
    for name in theirs["1"]:
        expected = {topic: scores[name] or 0.0 for topic, scores in theirs.items()}
        assert agrees("ir_measures", by_topic(name, judged), expected, 1e-9)


def given_weights(path: Path, topic: int, subtopic: int, weight: int) -> dict[str, dict[str, float]]:
    weights: dict[str, dict[str, float]] = {}
    for fields in map(str.split, path.read_text().splitlines()):
        weights.setdefault(fields[topic].lstrip("0"), {})[fields[subtopic].lstrip("a")] = float(fields[weight])
    return weights


def gold(oracles: Path) -> Qrels:
    """The judgements of RBU's program: those of ndeval, but without a topic that has nothing relevant."""
    rows = [line.split("\t") for line in (oracles / "inputs" / "rbu" / "gold.tsv").read_text().splitlines()]
    columns = {"topic": 0, "doc": 1, "grade": 2, "subtopic": 3}
    frame = pl.DataFrame({name: [row[place].lstrip("a") for row in rows] for name, place in columns.items()})
    return Qrels.of(frame.with_columns(pl.col("grade").cast(pl.Float64)))


# What NTCIREVAL computes of the global gain, over lists that were cut, in our names.
NTCIREVAL_INSIDE_D = {
    "RR": "RR", "O-measure": "O", "P-measure": "P_measure", "P-plus": "P_plus", "AP": "AP", "Q-measure": "Q(norm='R')",
    "NCUrb,P": "NCU(stop='rb',beta=0,gamma=0.95)", "NCUrb,BR": "NCU(stop='rb',gamma=0.95)", "AP@{k:04}": "AP(norm='min')",
    "nDCG@{k:04}": "nDCG(discount='jk')", "P@{k:04}": "P", "Hit@{k:04}": "Success",
}  # fmt: skip


@pytest.mark.parametrize("run", ["divA", "divB"])
@pytest.mark.parametrize("k", [5, 10])
def test_ntcireval_to_the_digits_of_its_pipeline(oracles: Path, run: str, k: int) -> None:
    weights = given_weights(oracles / "ntcireval" / "syn.Iprob", 0, 1, 2)
    weights["6"] = {str(int(subtopic) - 1): weight for subtopic, weight in weights["6"].items()}  # it counts from 1
    ranked = read_run(oracles / "inputs" / "diversity" / f"{run}.txt")
    judged = judge(ranked, gold(oracles), JudgingPolicy(order="rank", qrels_format="subtopic", weights=weights))
    names = {
        f"MSnDCG@{k:04}": f"D_nDCG@{k}",
        f"Q@{k:04}": f"D_Q@{k}",
        f"I-rec@{k:04}": f"StRecall@{k}",
    }
    lines = [line.split() for line in (oracles / "ntcireval" / f"{run}.l{k}.Dnev").read_text().splitlines()]
    scores = [line for line in lines if len(line) == 3 and line[1].endswith("=")]
    theirs = {(topic.lstrip("0"), name.rstrip("=")): float(value) for topic, name, value in scores}
    ours = {name: by_topic(metric, judged) for name, metric in names.items()}
    for name, by_name in ours.items():
        for topic, score in by_name.items():
            assert agrees("ntcireval", score, theirs[topic, name], 7e-5), (name, topic)  # of rounded gains
    for sharp, name, metric in (("D#-nDCG", "MSnDCG", "Dsharp_nDCG"), ("D#-Q", "Q", "Dsharp_Q")):
        for topic, score in by_topic(f"{metric}@{k}", judged).items():
            parts = [f"I-rec@{k:04}", f"{name}@{k:04}"]
            assert score == EXACT(np.mean([ours[part][topic] for part in parts]))
            printed = np.mean([theirs[topic, part] for part in parts])  # what it adds up is what it printed
            assert printed == pytest.approx(theirs[topic, f"{sharp}@{k:04}"], **PRINTED), (sharp, topic)
    for name, inner in NTCIREVAL_INSIDE_D.items():
        for topic, score in by_topic(f'D(metric="{inner}")@{k}', judged).items():
            theirs_here = theirs[topic, name.format(k=k)]
            assert agrees("ntcireval", score, theirs_here, 7e-5), (name, topic)
    for topic, subtopics in weights.items():
        recall = by_topic(f"StRecall@{min(len(subtopics), k)}", judged)[topic]
        assert recall == pytest.approx(theirs[topic, "I-rec@n"], **PRINTED)


@pytest.mark.parametrize("run", ["divA", "divB"])
@pytest.mark.parametrize(("p", "e"), [("0.8", "0.03"), ("0.9", "0.5"), ("0.99", "0.0"), ("0.99", "0.05")])
def test_every_double_of_the_authors_rbu(oracles: Path, run: str, p: str, e: str) -> None:
    lists: dict[str, dict[str, float]] = {}
    for rank, line in enumerate((oracles / "inputs" / "rbu" / f"{run}.tsv").read_text().splitlines()):
        topic, doc = line.split("\t")
        lists.setdefault(topic, {})[doc] = -float(rank)
    weights = given_weights(oracles / "inputs" / "rbu" / "gold.tsv", 0, 3, 4)
    judged = judge(Run.of(lists), gold(oracles), JudgingPolicy(qrels_format="subtopic", weights=weights))
    ours = by_topic(f"RBU(p={p},e={e})", judged)
    table = (oracles / "rbu" / f"{run}.p{p}.e{e}.doubles.tsv").read_text().splitlines()
    theirs = {topic: float(value) for topic, value in (line.split("\t") for line in table)}
    assert np.isnan(theirs.pop("4"))  # an aspect that nothing is about; ours is never satisfied
    assert agrees("rbu", {topic: ours[topic] for topic in theirs}, theirs, 1e-9)
    assert np.isfinite(ours["4"])
    assert by_topic("RBU", judged) == by_topic("RBU(p=0.8,e=0.03)", judged)


def batch(aspects: Any, pool: Any, weights: Any = None, **fields: Any) -> Rankings:
    """Lists [n, depth, a], all of one topic, whose judged documents are [p, a]."""
    aspects, pool = np.asarray(aspects, dtype=np.int8), np.asarray(pool, dtype=np.int8)
    n, depth, a = aspects.shape
    share = np.full(a, 1 / a) if weights is None else np.asarray(weights)
    carries = {"aspects"} if weights is None else {"aspects", "weights"}
    r = Rankings(
        grade=aspects.max(axis=2).astype(float),
        judged=np.ones((n, depth), dtype=bool),
        retrieved=np.full(n, depth),
        topic=np.zeros(n, dtype=np.int64),
        pool=Pool(pool.max(axis=1)[None].astype(float), np.array([len(pool)]), pool[None], share[None]),
        max_grade=float(pool.max(initial=1)),
        **plain_arrays(n, depth),
        aspects=aspects,
        carries=frozenset(carries),
    )
    return replace(r, **fields)


def loop_ideal(pool: np.ndarray, alpha: float) -> list[float]:
    """The gains of the greedy order, written as one would on paper; documents come largest id first."""
    left, worth, gains = [list(np.flatnonzero(doc > 0)) for doc in pool], [1.0] * pool.shape[1], []
    while any(left):
        scores = []
        for doc in left:
            score = 0.0
            for aspect in doc:
                score += worth[aspect]
            scores.append(score)
        best = scores.index(max(scores))
        gains.append(scores[best])
        for aspect in left.pop(best):
            worth[aspect] *= 1 - alpha
    return gains


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.2, 0.5, 0.9, 1.0])
def test_the_ideal_of_many_topics_is_that_of_each(alpha: float) -> None:
    rng = np.random.default_rng(7)
    pools = rng.integers(-2, 4, size=(9, 60, 7)) * (rng.random((9, 60, 7)) < np.linspace(0, 0.6, 9)[:, None, None])
    found = irassay.rankings.ideals.greedy_gains(pools > 0, alpha, 60)
    for pool, gains in zip(pools, found, strict=True):
        alone = loop_ideal(pool, alpha)
        assert gains.tolist() == alone + [0.0] * (60 - len(alone))


def test_the_ideal_does_not_depend_on_how_many_topics_are_ranked_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = np.random.default_rng(8).random((11, 30, 5)) < 0.2
    together = irassay.rankings.ideals.greedy_gains(pools, 0.3, 25)
    monkeypatch.setattr(irassay.rankings.ideals, "CELLS_AT_A_TIME", 300)
    assert (irassay.rankings.ideals.greedy_gains(pools, 0.3, 25) == together).all()


@pytest.mark.parametrize("k", [1, 7, 20, 21, 50, 100, 300])
@pytest.mark.parametrize("alpha", [0.2, 0.5, 1.0])
def test_any_depth_and_any_alpha(alpha: float, k: int) -> None:
    rng = np.random.default_rng(k)
    pool = rng.random((150, 6)) < 0.1
    listed = pool[rng.permutation(150)[:120]]
    r = batch([listed], pool)
    seen, gains = np.zeros(6), []
    for doc in listed[:k]:
        gains.append(((1 - alpha) ** seen * doc).sum())
        seen += doc
    ideal = loop_ideal(pool, alpha)[:k]
    ranks = np.arange(1, k + 1)
    for name, discount in (("DCG", 1 / np.log2(ranks + 1)), ("ERR", 1 / ranks)):
        total, best = gains @ discount[: len(gains)], ideal @ discount[: len(ideal)]
        plain, normalised = ("alpha_DCG", "alpha_nDCG") if name == "DCG" else ("ERR_IA", "nERR_IA")
        divisor = 1.0 if k == 1 else 6 * ((1 - alpha) ** (ranks - 1.0) @ discount)
        assert parse(f"{plain}(alpha={alpha})@{k}").score(r) == EXACT(total / divisor)
        assert parse(f"{normalised}(alpha={alpha})@{k}").score(r) == EXACT(total / best)


def test_several_alphas_in_one_call_each_have_their_ideal() -> None:
    rng = np.random.default_rng(3)
    pool = rng.random((40, 5)) < 0.2
    r = batch([pool[rng.permutation(40)[:20]]], pool)
    names = [f"{m}(alpha={a})@{k}" for m in ("alpha_nDCG", "nERR_IA") for a in (0.1, 0.5, 0.9) for k in (5, 20)]
    together = [parse(name).score(r)[0] for name in names]
    apart = [parse(name).score(batch(r.aspects, pool))[0] for name in names]
    assert together == apart
    assert len({round(score, 9) for score in together}) == len(names)


def test_ideals_are_built_once_for_all_runs(monkeypatch: pytest.MonkeyPatch, oracles: Path) -> None:
    built: list[tuple[float, int]] = []
    real = irassay.rankings.ideals.greedy_gains

    def counted(about: Any, alpha: float, depth: int) -> Any:
        built.append((alpha, depth))
        return real(about, alpha, depth)

    monkeypatch.setattr(irassay.rankings.ideals, "greedy_gains", counted)
    inputs = oracles / "inputs" / "diversity"
    qrels = read_qrels(inputs / "qrels.txt")
    for run in ("divA", "divB", "divA"):
        judged = judge(read_run(inputs / f"{run}.txt"), qrels, JudgingPolicy(qrels_format="subtopic"))
        for name in ("alpha_nDCG@5", "alpha_nDCG@20", "nERR_IA@10", "alpha_nDCG(alpha=0.2)@20"):
            by_topic(name, judged)
    assert [alpha for alpha, _ in built] == [0.5, 0.2]


def test_without_a_cutoff_the_list_is_compared_with_one_that_has_no_end() -> None:
    r = batch([[[1, 0], [0, 0], [1, 1]]], [[1, 1], [1, 0], [1, 0]])
    gains = np.array([1, 0, 1.5])
    terms = np.arange(1, 3000)
    endless = (0.5 ** (terms - 1.0) / np.log2(terms + 1)).sum()
    assert parse("alpha_DCG").score(r) == EXACT(gains @ (1 / np.log2([2, 3, 4])) / (2 * endless))
    assert parse("ERR_IA").score(r) == EXACT(gains @ [1, 1 / 2, 1 / 3] / (2 * 2 * np.log(2)))
    assert parse("ERR_IA(alpha=1)").score(r) == EXACT((1 + 1 / 3) / 2)
    assert parse("alpha_nDCG(alpha=0)").score(r) == EXACT((1 + 2 / 2) / (2 + 1 / np.log2(3) + 1 / 2))
    for name in ("alpha_DCG(alpha=0)", "ERR_IA(alpha=0)"):
        with pytest.raises(InputError, match="add a cutoff"):
            parse(name).score(r)
        assert np.isfinite((parse(name) @ 3).score(r)).all()


def test_at_the_first_rank_ndeval_does_not_divide() -> None:
    r = batch([[[1, 1, 0]]], [[1, 1, 0], [0, 0, 1]])
    assert parse("alpha_DCG@1").score(r) == EXACT(2)
    assert parse("ERR_IA@1").score(r) == EXACT(2)
    assert parse("alpha_nDCG@1").score(r) == EXACT(1)
    assert parse("alpha_DCG@1").range == (0, np.inf)
    assert parse("alpha_DCG@2").range == (0, 1)


ALL_OF_THEM = [
    *("StRecall@5", "alpha_DCG@5", "alpha_nDCG@5", "ERR_IA@5", "nERR_IA@5", "NRBP", "nNRBP", "AP_IA", "P_IA@5"),
    *("IA(metric='nDCG@5')", "D_nDCG@5", "D_Q@5", "Dsharp_nDCG@5", "Dsharp_Q@5", "RBU(e=0.0)"),
]


@pytest.mark.parametrize("name", ALL_OF_THEM)
def test_a_topic_without_relevant_documents_scores_0(name: str) -> None:
    for pool in ([[0, 0], [0, 0]], [[-2, 0], [0, -2]]):
        assert parse(name).score(batch([[[0, 0], [-2, 0]]], pool)).tolist() == [0.0]


@pytest.mark.parametrize("name", ALL_OF_THEM)
def test_judgements_without_subtopics_are_refused_in_a_sentence(name: str) -> None:
    judged = judge(Run.of({"1": {"a": 1.0}}), Qrels.of({"1": {"a": 1}}))
    with pytest.raises(InputError, match="needs judgements by subtopic"):
        by_topic(name, judged)


@pytest.mark.parametrize("name", ALL_OF_THEM)
def test_grades_may_be_fractions(name: str) -> None:
    whole = batch([[[1, 0], [0, 2], [1, 1]]], [[2, 1], [1, 1], [0, 2]])
    pool = replace(whole.pool, aspects=whole.pool.aspects.astype(float), _once={})
    assert parse(name).score(replace(whole, aspects=whole.aspects.astype(float), pool=pool)) == EXACT(
        parse(name).score(whole)
    )


def test_the_level_of_relevance_decides_what_an_aspect_is() -> None:
    r = batch([[[1, 0], [0, 2]]], [[1, 0], [0, 2]])
    assert parse("StRecall").score(r) == EXACT(1)
    assert parse("StRecall(rel=2)@1").score(r) == EXACT(0)
    assert parse("StRecall(rel=2)").score(r) == EXACT(1)
    assert parse("AP_IA(rel=2)").score(r) == EXACT(1 / 2)
    assert parse("IA(metric='AP(rel=2)')").score(r) == EXACT(1 / 2)


def test_the_worked_example_of_albahem2018() -> None:
    pool = [[1, 0]] * 5 + [[0, 1]] * 5
    a, b, x = [1, 0], [0, 1], [0, 0]
    assert parse("AP_IA").score(batch([[a, x, x, a]], pool)) == EXACT(0.15)
    assert parse("AP_IA").score(batch([[a, x, x, b]], pool)) == EXACT(0.125)


def test_err_ia_is_the_intent_aware_err_on_another_scale() -> None:
    rng = np.random.default_rng(5)
    pool = rng.random((30, 4)) < 0.2
    r = batch([pool[rng.permutation(30)[:12]]], pool)
    scale = 0.5 * (0.5 ** np.arange(10) / np.arange(1, 11)).sum()
    assert parse("IA(metric='ERR@10')").score(r) == EXACT(parse("ERR_IA@10").score(r) * scale)


def by_hand(r: Rankings, metric: str, weights: list[float]) -> float:
    """The sum over aspects of what a metric scores on plain lists."""
    pool = r.pool.aspects[0].astype(float)
    alone = [
        parse(metric).score(Rankings.of(r.aspects[0, :, s], best=pool[:, s], max_grade=r.max_grade))[0]
        for s in range(pool.shape[1])
    ]
    return float(np.dot(weights, alone))


@pytest.mark.parametrize("metric", ["AP", "nDCG@3", "RBP(p=0.7)", "ERR", "P@2", "R@3", "Q", "bpref", "INST(T=2.25)"])
def test_intent_aware_metrics_average_over_aspects(metric: str) -> None:
    aspects, pool = [[[1, 0, 0], [0, 2, 0], [1, 1, 0], [0, 0, 0]]], [[2, 1, 0], [1, 1, 0], [0, 2, 0], [0, 0, 0]]
    uniform = batch(aspects, pool)
    assert parse(f"IA(metric='{metric}')").score(uniform) == EXACT(by_hand(uniform, metric, [0.5, 0.5, 0.0]))
    weighted = batch(aspects, pool, weights=[0.7, 0.2, 0.1])
    assert parse(f"IA(metric='{metric}')").score(weighted) == EXACT(by_hand(weighted, metric, [0.7, 0.2, 0.1]))


AD_HOC = ["AP", "P@3", "P", "nDCG@3", "nDCG", "RBP", "INST", "ERR", "RR", "R@2", "Q", "bpref", "Rprec", "SDCG@3"]


@pytest.mark.parametrize("name", AD_HOC)
def test_one_aspect_changes_nothing(name: str) -> None:
    grades = np.random.default_rng(2).integers(0, 3, size=(40, 5))
    r = replace(Rankings.of(grades, best=np.tile([2, 2, 1, 1, 0, 0], (40, 1))), carries=frozenset({"aspects"}))
    assert parse(f"IA(metric='{name}')").score(r) == EXACT(parse(name).score(r))
    if name in ("AP", "P@3", "P"):
        assert parse(name.replace("P", "P_IA")).score(r) == EXACT(parse(name).score(r))
    if name in ("nDCG@3", "nDCG", "Q"):
        assert parse(f"D_{name}").score(r) == EXACT(parse(name).score(r))


def test_the_metric_inside_is_spelled_in_one_way() -> None:
    assert str(parse("IA(metric='ndcg_cut_10')")) == "IA(metric='nDCG@10')"
    assert parse("IA(metric='map')") == parse("IA")
    metric = parse("IA(metric=\"nDCG(gain='exp')@10\")")
    assert parse(str(metric)) == metric


def test_the_metric_inside_carries_the_cutoff() -> None:
    r = batch([[[1, 0], [0, 0], [0, 1]]], [[1, 0], [0, 1]])
    assert parse("IA(metric='P')@5").score(r) == EXACT(parse("IA(metric='P@5')").score(r))
    with pytest.raises(InputError, match="two cutoffs"):
        parse("IA(metric='P@5')@5").score(r)


@pytest.mark.parametrize("name", ["alpha_nDCG@10", "CT@4", "IA"])
def test_only_ad_hoc_metrics_go_by_aspect(name: str) -> None:
    with pytest.raises(InputError, match="must be an ad hoc metric"):
        parse(f"IA(metric='{name}')")


def test_an_unknown_metric_inside_is_named() -> None:
    with pytest.raises(InputError, match="there is no metric nDGC"):
        parse("IA(metric='nDGC@10')")


def test_the_range_of_ia_is_that_of_the_metric_inside() -> None:
    assert parse("IA(metric='DCG')").range == (0, np.inf)
    assert parse("IA(metric='AP')").range == (0, 1)


def test_rbu_as_albahem2019_used_it() -> None:
    nothing = batch([[[0, 0]] * 25], [[1, 1]])
    for p, total in ((0.99, 21.9957), (0.8, 3.9849)):
        scores = [parse(f"RBU(dialect='albahem2019',p={p},e={e})").score(nothing)[0] for e in (0.0, 1.0)]
        assert scores[0] - scores[1] == pytest.approx(total, rel=0, abs=5e-5)
    r = batch([[[2, 0], [0, 1], [1, 1]]], [[2, 1], [1, 3]])
    java = parse("RBU(p=0.9,e=0.02)").score(r)
    assert parse("RBU(dialect='albahem2019',p=0.9,e=0.02)").score(r) == EXACT(java * 0.9 / 0.1)
    assert parse("RBU(dialect='albahem2019')").score(r) == EXACT(parse("RBU(p=0.99,e=0.05)").score(r) * 0.99 / 0.01)


def test_rbu_takes_the_scale_of_the_aspect_unless_told_otherwise() -> None:
    r = batch([[[1, 0]]], [[1, 0], [0, 3]])
    assert parse("RBU(p=0.5,e=0.0)").score(r) == EXACT(0.5 * 0.5 * (1 / 2))
    assert parse("RBU(p=0.5,e=0.0,max_grade=3)").score(r) == EXACT(0.5 * 0.5 * (1 / 8))


def test_an_empty_list_costs_nothing() -> None:
    empty = batch(np.zeros((1, 0, 2)), [[1, 1]], retrieved=np.array([0]))
    for name in ALL_OF_THEM:
        assert parse(name).score(empty).tolist() == [0.0]
    assert parse("RBU").score(empty).tolist() == [0.0]


def test_parameters_by_topic_are_refused_where_one_ideal_serves_all() -> None:
    r = batch([[[1, 0]]], [[1, 0], [0, 3]], topic_values={"alpha": np.array([0.5])})
    with pytest.raises(InputError, match="one number for all topics"):
        parse("alpha_nDCG(alpha='@alpha')@5").score(r)
    with pytest.raises(InputError, match="alpha must be a number from 0 to 1"):
        parse("alpha_nDCG(alpha=1.5)")


def precision(gain: list[float], _: list[float], k: int) -> float:
    return sum(each > 0 for each in gain[:k]) / k


def precision_at_level(gain: list[float], _: list[float], k: int) -> float:
    return sum(each >= 1 for each in gain[:k]) / k


def average_precision(gain: list[float], pool: list[float], k: int) -> float:
    hits = [sum(g > 0 for g in gain[: i + 1]) / (i + 1) for i, each in enumerate(gain[:k]) if each > 0]
    return sum(hits) / max(1, sum(each > 0 for each in pool))


def rbp(gain: list[float], _: list[float], k: int) -> float:
    return 0.2 * sum(0.8**i * each / 2 for i, each in enumerate(gain[:k]))


def err(gain: list[float], _: list[float], k: int) -> float:
    total, left = 0.0, 1.0
    for i, each in enumerate(gain[:k]):
        total, left = total + left * each / 2 / (i + 1), left * (1 - each / 2)
    return total


def ndcg(gain: list[float], pool: list[float], k: int) -> float:
    def dcg(each: list[float]) -> float:
        return float(sum(g / np.log2(i + 2) for i, g in enumerate(each[:k])))

    best = dcg(sorted(pool, reverse=True))
    return dcg(gain) / best if best else 0.0


@pytest.mark.parametrize(
    ("metric", "by_hand"),
    [
        ("P", precision),
        ("P(rel=1)", precision_at_level),
        ("AP", average_precision),
        ("RBP", rbp),
        ("ERR", err),
        ("nDCG", ndcg),
    ],
)
@pytest.mark.parametrize("k", [3, 10])
def test_any_metric_inside_d_by_hand(
    metric: str, by_hand: Callable[[list[float], list[float], int], float], k: int
) -> None:
    """Random lists of 0 to 8 results, some unjudged, some graded below 0, over topics with or without relevance."""
    random = np.random.default_rng(5)
    for _ in range(200):
        judged, weight = random.integers(-1, 3, (9, 3)), random.dirichlet([1, 1, 1])
        judged *= random.random() < 0.9
        found = random.permutation(12)[: random.integers(0, 9)]
        lists = np.array([judged[doc] if doc < 9 else [0, 0, 0] for doc in found]).reshape(1, -1, 3)
        r = batch(lists, judged, weight, max_grade=2.0, judged=(found < 9)[None])
        pool = (np.maximum(judged, 0) @ weight).tolist()
        gain = (np.maximum(lists[0], 0) @ weight).tolist()
        expected = by_hand(gain, pool, k)
        assert parse(f"D(metric='{metric}')@{k}").score(r)[0] == EXACT(expected)
        assert parse(f"D(metric='{metric}@{k}')").score(r)[0] == EXACT(expected)
        known = (judged > 0).any(axis=0)
        recall = (lists[0, :k] > 0).any(axis=0).sum() / max(1, known.sum())
        sharp = parse(f"Dsharp(metric='{metric}@{k}',gamma=0.3)").score(r)[0]
        assert sharp == EXACT(0.3 * recall + 0.7 * expected)


def test_named_metrics_of_global_gain_are_instances() -> None:
    r = batch(np.random.default_rng(1).integers(0, 3, (50, 6, 3)), [[2, 0, 1], [1, 1, 0], [0, 2, 2], [0, 0, 0]])
    for name, instance in {
        "D_nDCG": "D(metric='nDCG')", "D_Q@4": "D(metric='Q@4')", "Dsharp_nDCG@4": "Dsharp@4",
        "Dsharp_Q(gamma=0.2,gain='exp')": "Dsharp(metric='Q',gamma=0.2,gain='exp')",
    }.items():  # fmt: skip
        assert np.array_equal(parse(name).score(r), parse(instance).score(r))
    assert str(parse("D(metric='ndcg_cut_10')")) == "D(metric='nDCG@10')"
    assert parse("D(metric='P(rel=1)@5')") != parse("D(metric='P@5')")


@pytest.mark.parametrize("metric", ["StRecall", "nDCG(gain='exp')", "GAP", "TBG(dialect='jiang')", "RBP(gain=(0,1,2))"])
def test_d_refuses_metrics_of_grades(metric: str) -> None:
    with pytest.raises(InputError, match="D: metric must be an ad hoc metric"):
        parse(f'D(metric="{metric}")')
    with pytest.raises(InputError, match="two cutoffs"):
        parse("D(metric='P@5')@10").score(batch([[[1]]], [[1]]))
