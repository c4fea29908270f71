"""Batches follow the data: their room, and that a list's score is its own whatever company it is in."""

import tracemalloc
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.io.passage_qrels import PassageQrels
from irassay.io.trec import Qrels, Run
from irassay.judging import judged_lists as batches
from irassay.judging.judge import judge
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.grammar import catalogue, parse
from tests.support.runs import dynamic_run, session_run

SIZES = [1, 300, 7, 0, 130, 3, 40, 300]


def uneven(seed: int = 0) -> tuple[Run, Qrels]:
    """Lists of all lengths, and judgements by subtopic of about half of what they have."""
    rng = np.random.default_rng(seed)
    run = [(str(t), f"d{i}", -float(i)) for t, size in enumerate(SIZES) for i in range(size)]
    qrels = [
        (str(t), subtopic, f"d{i}", float(rng.integers(0, 3)))
        for t, size in enumerate(SIZES)
        for i in range(size + 3)
        for subtopic in "12"
        if rng.random() < 0.5 or i == 0
    ]
    return (
        Run.of(pl.DataFrame(run, schema=["topic", "doc", "score"], orient="row")),
        Qrels.of(pl.DataFrame(qrels, schema=["topic", "subtopic", "doc", "grade"], orient="row")),
    )


def apart(
    monkeypatch: pytest.MonkeyPatch, run: Run, qrels: Qrels, policy: JudgingPolicy
) -> tuple[JudgedRun, JudgedRun]:
    """The run judged in one batch, and in one for each class of lengths."""
    whole = judge(run, qrels, policy)
    monkeypatch.setattr(batches, "MAX_CELLS", 0)
    monkeypatch.setattr(batches, "CELLS_PER_RESULT", 1)
    parts = judge(run, qrels, policy)
    assert len(whole.batches) == 1 < len(parts.batches)
    return whole, parts


def test_one_long_list_among_many_short_ones_takes_the_room_of_the_results() -> None:
    topics = np.concatenate([np.repeat("0", 100_000), np.arange(1, 20_000).astype(str)])
    frame = pl.DataFrame({"topic": topics, "doc": [f"d{i}" for i in range(len(topics))]})
    run = Run.of(frame.with_columns(score=-np.arange(frame.height)))
    judged = frame.gather([7, *range(100_000, frame.height)]).with_columns(grade=1.0)
    qrels = Qrels.of(judged)
    tracemalloc.start()
    try:
        scores = ia.score([run], qrels, ["AP", "nDCG@10", "RBP", "Q", "INST"])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200 << 20
    assert scores.of("AP")[0, [0, 1, -1]].tolist() == [1 / 8, 1, 1]


def test_a_score_depends_neither_on_padding_nor_on_company(monkeypatch: pytest.MonkeyPatch) -> None:
    run, qrels = uneven()
    lengths = dict.fromkeys(run.frame["doc"], 200.0)
    whole, parts = apart(monkeypatch, run, qrels, JudgingPolicy(qrels_format="subtopic", lengths=lengths, max_grade=2))
    more = {"turns", "costs", "weights"}
    r = replace(whole.rankings, carries=whole.rankings.carries | more)
    batches = [replace(batch, carries=batch.carries | more) for batch in parts.batches]
    tried = 0
    for name, metric in catalogue().items():
        if metric.meaning.needs & {"passages", "preferences"}:
            continue
        for m in (parse(name), parse(name) @ 5):
            together = m.score(r)
            alone = np.array([m.score(r[i : i + 1].top(max(size, 1)))[0] for i, size in enumerate(SIZES)])
            scale = 2e-15 * np.maximum(1, np.abs(together))
            for other in (alone, m.score(r.to_depth(500)), parts.in_order([m.score(batch) for batch in batches])):
                assert (np.abs(other - together) <= scale).all(), str(m)
            tried += 1
    assert tried > 60


def test_batches_of_like_length_make_up_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    run, qrels = uneven()
    whole, parts = apart(monkeypatch, run, qrels, JudgingPolicy(depth=100))
    for name in ("grade", "judged", "retrieved", "topic", "aspects"):
        np.testing.assert_array_equal(getattr(parts.rankings, name), getattr(whole.rankings, name))
    assert sum(batch.grade.size for batch in parts.batches) < whole.rankings.grade.size
    assert parts.notes == whole.notes


def test_places_are_where_results_lie_in_the_pool() -> None:
    run, qrels = uneven()
    judged = judge(run, qrels)
    (place,), r = judged.places(), judged.rankings
    assert ((place >= 0) == r.judged).all()
    np.testing.assert_array_equal(np.where(place >= 0, r.pool.grade.ravel()[place], 0), r.grade)
    assert (place // r.pool.grade.shape[1] == r.topic[:, None])[place >= 0].all()


@pytest.mark.parametrize("kind", ["trec", "dd", "session"])
def test_a_copy_that_is_kept_has_no_place(kind: str) -> None:
    docs = {"t": [["b", "b", "x"]]}
    frame = pl.DataFrame([("t", "b", 3), ("t", "b", 2), ("t", "x", 1)], schema=["topic", "doc", "score"], orient="row")
    run = {"trec": Run.of(frame), "dd": dynamic_run(docs), "session": session_run(docs)}[kind]
    qrels = PassageQrels.of([("t", "s", "b", "p", 2)]) if kind == "dd" else Qrels.of({"t": {"b": 2}})
    judged = judge(run, qrels, JudgingPolicy(on_duplicate="nonrelevant"))
    assert judged.places()[0].tolist() == [[0, -1, -1]]
    assert judged.rankings.grade.tolist() == [[2, 0, 0]]
    assert judged.rankings.judged.tolist() == [[True, kind == "trec", False]]


def test_the_number_of_a_query_takes_no_room() -> None:
    far = 10**12
    run = session_run({"s": [["a"], [], ["b"]]})
    run = replace(run, frame=run.frame.with_columns(turn=pl.Series([1, far - 1])), turns={"s": far, "t": 2})
    judged = judge(run, Qrels.of({"s": {"a": 1, "b": 1}, "t": {"a": 1}}))
    queries = judged.queries
    assert queries is not None
    assert judged.rankings.turns.tolist() == [far, 2]
    assert queries.times.tolist() == [1, far - 3, 1, 1, 2]
    assert queries.mean(parse("P@1").score(queries.rankings)).tolist() == [2 / far, 0]


def test_every_kind_takes_zero_for_a_missing_topic_and_refuses_what_it_does_not_know() -> None:
    qrels = Qrels.of({"t": {"a": 1}, "u": {"a": 1}})
    for run in (Run.of({"t": {"a": 1.0}}), dynamic_run({"t": [["a"]]}), session_run({"t": [["a"]]})):
        assert judge(run, qrels).rankings.retrieved.tolist() == [1, 0]
        assert judge(run, qrels, JudgingPolicy(missing="skip")).rankings.topic.tolist() == [0]
        with pytest.raises(InputError, match=r"1 judged (topic|session) \(u\)\. Add them, or use missing='zero'"):
            judge(run, qrels, JudgingPolicy(missing="error"))
        if run.kind != "trec":
            with pytest.raises(InputError, match=f"^costs has no meaning for {run.kind} runs. Leave it out.$"):
                judge(run, qrels, JudgingPolicy(costs={"web": 1.0}))
