"""The simulated collection is the same for a seed, is consistent, and behaves like real collections."""

import hashlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from irassay import InputError, Qrels, Scores, parse, score
from irassay.io.sessions import read_session_qrels, read_sessions
from irassay.io.sidefiles import read_groups, read_lengths
from irassay.judging.judge import judge
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.satisfaction.ratings import Ratings
from irassay.simulation import simulate
from irassay.simulation.collection import SimulatedCollection
from irassay.stats.correlation import kendall

METRICS = ("AP", "nDCG@1", "nDCG@5", "nDCG@10", "nDCG@20", "P@1", "P@10", "RR", "Judged@10", "Judged@100", "R@100")
# Of the data files for seed 3 with 5 topics, 7 systems and 10 sessions: it changes if a number changes.
CHECKSUM = "4fe81a940ed3fa9899b138c1c8c7811abbad9d54fcd50f5698b3c35c8e841201"


@pytest.fixture(scope="module")
def collection() -> SimulatedCollection:
    return simulate()


@pytest.fixture(scope="module")
def scores(collection: SimulatedCollection) -> Scores:
    return score(collection.runs, collection.qrels, METRICS)


def mean(scores: Scores, metric: str) -> np.ndarray:
    return scores.of(metric).mean(axis=1)


def beside_plain(collection: SimulatedCollection, kind: str, means: np.ndarray) -> np.ndarray:
    """[team] The score of the run of a kind minus that of the plain run of its team."""
    by_run = dict(zip(collection.truth["run"], means.tolist(), strict=True))
    runs = [run for run in by_run if run.endswith(kind)]
    return np.array([by_run[run] - by_run[run.replace(kind, "plain")] for run in runs])


def checksum(folder: Path, but: str = "") -> str:
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != but):
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def test_a_seed_makes_the_files_byte_identical(tmp_path: Path) -> None:
    for name, seed in (("one", 3), ("same", 3), ("other", 4)):
        simulate(seed, topics=5, systems=7, sessions=10).write(tmp_path / name)
    assert checksum(tmp_path / "one") == checksum(tmp_path / "same") != checksum(tmp_path / "other")
    assert checksum(tmp_path / "one", but="README.txt") == CHECKSUM


def test_files_contain_the_collection_in_memory(
    collection: SimulatedCollection, scores: Scores, tmp_path: Path
) -> None:
    folder = collection.write(tmp_path / "new" / "folder")
    read = score(folder / "runs", folder / "qrels.txt", METRICS)
    assert sorted(read.systems) == sorted(scores.systems)
    # The first run is scored in full, and the others cut and together, which may differ in the last bit. In the order of
    # the files, with the same run first, the collection in memory gives the same bits.
    by_name = {run.name: run for run in collection.runs}
    in_memory = score([by_name[system] for system in read.systems], collection.qrels, METRICS)
    assert in_memory.systems == read.systems and np.array_equal(in_memory.values, read.values)
    np.testing.assert_allclose(read.select(systems=scores.systems).values, scores.values, rtol=0, atol=1e-15)
    assert read_groups(folder / "groups.tsv") == collection.groups
    assert read_lengths(folder / "lengths.tsv").equals(collection.lengths)
    assert Qrels.of(folder / "qrels.diversity.txt").frame.equals(collection.diversity_qrels.frame)
    assert Qrels.of(folder / "session_qrels.txt").frame.equals(collection.session_qrels.frame)
    for name in ("sessions", "ratings"):
        table: pl.DataFrame = getattr(collection, name)
        assert pl.read_csv(folder / f"{name}.tsv", separator="\t", schema=table.schema).equals(table)
    assert collection.user in (folder / "README.txt").read_text(encoding="utf-8")


def test_runs_of_another_collection_are_never_mixed_in(tmp_path: Path) -> None:
    simulate(topics=3, systems=4, sessions=4).write(tmp_path)
    with pytest.raises(InputError, match=r"T2-plain\.txt.*choose a new folder"):
        simulate(topics=3, systems=3, sessions=4).write(tmp_path)


@pytest.mark.parametrize("size", [{"topics": 1}, {"systems": 1}, {"seed": -1}, {"depth": 5}, {"sessions": 0}])
def test_sizes_that_are_too_small_are_refused(size: dict[str, int]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(size))}=.*at least"):
        simulate(**size)


def test_sessions_and_runs_do_not_depend_on_each_other() -> None:
    one, other = simulate(topics=5, systems=4, sessions=10), simulate(topics=5, systems=4, sessions=6)
    assert all(a.frame.equals(b.frame) for a, b in zip(one.runs, other.runs, strict=True))
    more = simulate(topics=5, systems=9, sessions=10)
    assert more.sessions.equals(one.sessions) and more.ratings.equals(one.ratings)


def test_judgements_by_aspect_agree_with_the_graded_ones(collection: SimulatedCollection) -> None:
    judgements, parts = collection.qrels.frame, collection.diversity_qrels.frame
    assert sorted(judgements["grade"].unique()) == [0, 1, 2, 3]
    assert collection.diversity_qrels.has_subtopics and not collection.qrels.varied_topics
    best = parts.group_by("topic", "doc", maintain_order=True).agg(pl.col("grade").max())
    assert best.sort("topic", "doc").equals(judgements.select("topic", "doc", "grade").sort("topic", "doc"))
    by_popularity = parts.filter(pl.col("grade") > 0)["subtopic"].value_counts(sort=True)
    assert by_popularity["subtopic"].to_list() == ["1", "2", "3", "4", "5", "6"]  # the first aspect is the most popular
    relevant = judgements.filter(pl.col("grade") > 0)["topic"].value_counts()["count"]
    assert len(relevant) == 50 and relevant.max() > 5 * relevant.min()


def test_every_document_has_a_length_and_lengths_are_skewed(collection: SimulatedCollection) -> None:
    returned = pl.concat([run.frame["doc"] for run in collection.runs] + [collection.sessions["doc"].drop_nulls()])
    assert returned.is_in(collection.lengths["doc"].implode()).all()
    words = collection.lengths["words"]
    assert words.mean() > 1.2 * words.median() > 0


def test_judging_was_pooled_so_some_results_are_unjudged(scores: Scores) -> None:
    assert 0.95 < mean(scores, "Judged@10").mean() < 1
    assert 0.4 < mean(scores, "Judged@100").mean() < 0.8


def test_runs_of_a_team_are_similar_and_copies_most_similar(collection: SimulatedCollection) -> None:
    tops = {
        run.name: set(run.frame.group_by("topic").head(10).select("topic", "doc").rows()) for run in collection.runs
    }

    def shared(one: str, other: str) -> float:
        return len(tops[one] & tops[other]) / len(tops[one])

    assert shared("T2-plain", "T2-copy") > 0.75
    assert shared("T2-plain", "T2-copy") > shared("T1-plain", "T1-short") > 1.2 * shared("T1-plain", "T2-plain")


def test_better_systems_win_on_average(collection: SimulatedCollection, scores: Scores) -> None:
    quality = collection.truth["quality"].to_numpy()
    for metric, smallest_tau in (("nDCG@10", 0.8), ("AP", 0.7), ("RR", 0.6)):
        assert kendall(quality, mean(scores, metric)) > smallest_tau


def test_topics_differ_in_difficulty(scores: Scores) -> None:
    by_topic = scores.of("AP").mean(axis=0)
    assert by_topic.min() < 0.15 and by_topic.max() > 0.6


def test_ndcg_and_ap_agree_but_not_in_everything(scores: Scores) -> None:
    assert 0.8 < kendall(mean(scores, "nDCG@10"), mean(scores, "AP")) < 0.95


def test_ndcg_discriminates_better_than_rr(collection: SimulatedCollection, scores: Scores) -> None:
    power = dict(discrimination(scores, trials=1000, groups=collection.groups).ranked())
    assert power["AP"] > power["nDCG@10"] > 1.5 * power["RR"] > 0


def test_deeper_metrics_are_more_consistent(scores: Scores) -> None:
    tau = dict(consistency(scores, splits=300, subsets=10).ranked())
    assert tau["nDCG@20"] > tau["nDCG@10"] > tau["nDCG@5"] > tau["nDCG@1"]
    assert tau["AP"] > tau["P@10"] > tau["P@1"] and tau["AP"] > tau["RR"]


def test_diverse_runs_win_on_diversity_and_not_on_relevance(collection: SimulatedCollection) -> None:
    metrics = ["alpha_nDCG@20", "StRecall@10", "AP"]
    scores = score(collection.runs, collection.diversity_qrels, metrics, qrels_format="subtopic")
    novelty, coverage, relevance = (beside_plain(collection, "diverse", mean(scores, metric)) for metric in metrics)
    assert novelty.mean() > 0.01 and (novelty > 0).mean() > 0.8
    assert coverage.mean() > 0.03 and (coverage > 0).mean() > 0.8
    assert relevance.mean() < -0.01 and (relevance > 0).mean() < 0.2


def test_short_runs_lose_recall_and_nothing_at_the_top(collection: SimulatedCollection, scores: Scores) -> None:
    assert (beside_plain(collection, "short", mean(scores, "R@100")) < -0.1).all()
    assert (beside_plain(collection, "short", mean(scores, "AP")) < -0.02).all()
    assert np.abs(beside_plain(collection, "short", mean(scores, "nDCG@10"))).max() < 0.03


def test_sessions_have_several_queries_and_some_are_empty(collection: SimulatedCollection) -> None:
    queries = collection.sessions.unique(["session", "query"])
    assert 2 <= queries["session"].value_counts()["count"].min() < queries["session"].value_counts()["count"].max()
    empty = collection.sessions.filter(pl.col("doc").is_null())
    assert 0.02 < empty.height / queries.height < 0.12 and empty["rank"].is_null().all()
    assert collection.sessions.filter(pl.col("rank") > 10).is_empty()
    shown = collection.sessions.drop_nulls().rename({"session": "topic"})
    assert shown.join(collection.session_qrels.frame, on=["topic", "doc"], how="anti").is_empty()


def test_ratings_come_from_users_and_tasks(collection: SimulatedCollection) -> None:
    ratings = collection.ratings
    assert ratings.columns == ["unit", "rating", "user", "task"]
    assert sorted(ratings["rating"].unique()) == [1, 2, 3, 4, 5]
    assert ratings["unit"].to_list() == collection.sessions["session"].unique(maintain_order=True).to_list()
    assert ratings["user"].n_unique() == ratings["task"].n_unique() == 40
    assert set(ratings["task"]) <= set(collection.qrels.topics)


def test_satisfaction_follows_graded_metrics_and_adaptive_effort_best(
    collection: SimulatedCollection, tmp_path: Path
) -> None:
    folder = collection.write(tmp_path)
    sessions, qrels = read_sessions(folder / "sessions.tsv"), read_session_qrels(folder / "session_qrels.txt")
    queries = judge(sessions, qrels).queries
    assert queries is not None
    ratings = Ratings.read(folder / "ratings.tsv")
    assert queries.sessions == ratings.units
    adaptive, static = "RBP(effort=(0.25,1,1,1))", "RBP"
    metrics = [collection.user, adaptive, static, "nDCG@10", "DCG@10", "ERR", "AP"]
    means = [queries.mean(parse(metric).score(queries.rankings)) for metric in metrics]
    r = dict(zip(metrics, np.corrcoef([*means, ratings.values])[-1].tolist(), strict=False))
    assert all(0.3 < r[metric] < 0.6 for metric in (adaptive, static, "nDCG@10", "DCG@10", "ERR"))
    assert r[collection.user] > r[adaptive] > r[static] + 0.03 > r["nDCG@10"]
    assert r["AP"] < r[static]
