"""trec_eval's measures of preferences: its own output, and plain loops over pairs of documents."""

import json
import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.metrics.trec_measures import PREFERENCE_MEASURES
from tests.support.compared import agrees

Judgement = tuple[str, str, str, float]  # group, subgroup, document, level


@pytest.mark.parametrize(("format_", "file"), [("prefs", "prefs"), ("qrels_prefs", "groups")])
def test_every_measure_is_trec_evals_as_a_metric(oracles: Path, format_: str, file: str) -> None:
    folder = oracles / "inputs" / "preferences"
    expected = json.loads((oracles / "trec_eval" / "prefs" / "doubles.json").read_text())[f"{format_}-c"]
    scores = ia.score(folder / "run", folder / file, list(PREFERENCE_MEASURES), qrels_format=format_)
    assert len(scores.topics) == 12
    for m, name in enumerate(PREFERENCE_MEASURES):
        for t, topic in enumerate(scores.topics):
            assert agrees("trec_eval", scores.values[0, t, m], expected[f"{name} {topic}"], 1e-12), (name, topic)


def closed(preferred: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The preferences and all that follow from them, one at a time."""
    while more := {(a, d) for a, b in preferred for c, d in preferred if b == c} - preferred:
        preferred = preferred | more
    return preferred


def by_loops(judgements: list[Judgement], run: list[str]) -> dict[str, float]:
    """All measures of one topic; `run` has the documents in order."""
    documents = sorted({doc for _, _, doc, _ in judgements})
    listed = [doc for doc in run if doc in documents]
    place = {doc: i for i, doc in enumerate([*listed, *(doc for doc in documents if doc not in listed)])}

    def is_met(a: str, b: str) -> bool:
        return a in listed and place[a] < place[b]

    def counts(pair: tuple[str, str], scope: str) -> bool:
        inside = sum(doc in listed for doc in pair)
        return inside >= {"": 0, "_imp": 1, "_ret": 2}[scope]

    values = dict.fromkeys(PREFERENCE_MEASURES, 0.0)
    groups = sorted({group for group, *_ in judgements})
    pairs_of: dict[str, set[tuple[str, str]]] = {}
    for group in groups:
        own = [row for row in judgements if row[0] == group]
        direct = {(a, b) for _, s, a, x in own for _, t, b, y in own if s == t and x > y}
        pairs_of[group] = closed(direct)
    every = [pair for group in groups for pair in pairs_of[group]]
    values["prefs_num_prefs_poss"] = len(every)
    values["prefs_num_prefs_ful"] = sum(is_met(*pair) for pair in every)
    values["prefs_num_prefs_ful_ret"] = sum(is_met(*pair) and counts(pair, "_ret") for pair in every)
    for scope in ("", "_ret", "_imp"):
        possible = [pair for pair in every if counts(pair, scope)]
        if possible:
            values[f"prefs_simp{scope}"] = sum(is_met(*pair) for pair in possible) / len(possible)
        ratios = []
        for a, b in combinations(documents, 2):
            both = possible.count((a, b)) + possible.count((b, a))
            if both:
                ratios.append((possible.count((a, b)) * is_met(a, b) + possible.count((b, a)) * is_met(b, a)) / both)
        values[f"prefs_pair{scope}"] = sum(ratios) / len(ratios) if ratios else 0.0
        shares = []
        for group in groups:
            own_pairs = [pair for pair in pairs_of[group] if counts(pair, scope)]
            shares.append(sum(is_met(*pair) for pair in own_pairs) / len(own_pairs) if own_pairs else 0.0)
        values[f"prefs_avgjg{scope}"] = sum(shares) / len(groups)
    for scope in ("", "_ret"):
        shares = []
        for group in groups:
            level = {doc: x for g, _, doc, x in judgements if g == group}
            inside = [doc for doc in level if counts((doc, doc), scope)]
            relevant = [doc for doc in inside if level[doc] > 0]
            nonrelevant = sorted((doc for doc in inside if level[doc] == 0), key=place.__getitem__)
            all_relevant = [doc for doc in level if level[doc] > 0]
            pairs = [pair for pair in pairs_of[group] if counts(pair, scope)]
            more_met = more = 0
            surplus = len(relevant) - len(nonrelevant)
            if surplus >= 0:
                more_met = surplus * sum(doc in listed for doc in all_relevant)
                more = surplus * len(all_relevant)
            elif len({s for g, s, *_ in judgements if g == group}) > 1:
                left_out = nonrelevant[len(all_relevant) :]
                pairs = [pair for pair in pairs if not {*pair} & {*left_out}]
            else:
                kept = nonrelevant[: len(relevant)]
                pairs = [(a, b) for a, b in pairs if b not in nonrelevant]
                pairs += [(a, b) for a in inside for b in kept]  # also a nonrelevant one, as trec_eval does
            met = sum(is_met(*pair) for pair in pairs) + more_met
            shares.append(met / (len(pairs) + more) if len(pairs) + more else float("nan"))
        total = sum(shares)
        values[f"prefs_avgjg_Rnonrel{scope}"] = total / len(groups) if total > 0 else 0.0
    return values


def random_cases(count: int) -> Iterator[tuple[list[Judgement], dict[str, float]]]:
    """Judgements of one topic, and scores of a run with ties, unjudged documents and missing ones."""
    chance = random.Random(7)
    for case in range(count):
        documents = [f"d{i}" for i in range(chance.randint(2, 9))]
        judgements: list[Judgement] = []
        for group in range(chance.randint(1, 3)):
            true_level = {doc: float(chance.randint(0, 3)) for doc in documents}
            for subgroup in range(chance.randint(1, 3)):
                own = chance.sample(documents, chance.randint(1, len(documents)))
                judgements += [(f"u{group}", f"s{subgroup}", doc, true_level[doc]) for doc in own]
        pool = [*documents, *(f"x{i}" for i in range(3))]
        size = 0 if case % 20 == 0 else chance.randint(1, len(pool))
        yield judgements, {doc: float(chance.randint(0, 4)) for doc in chance.sample(pool, size)} or {"x": 1.0}


def test_measures_are_those_of_plain_loops_over_pairs() -> None:
    cases = dict(enumerate(random_cases(200)))
    rows = [(f"{t}", *row) for t, (judgements, _) in cases.items() for row in judgements]
    frame = pl.DataFrame(rows, schema=["topic", "subtopic", "subgroup", "doc", "grade"], orient="row")
    runs = {f"{t}": run for t, (_, run) in cases.items()}
    scores = ia.score({"run": runs}, frame, list(PREFERENCE_MEASURES), qrels_format="prefs")
    for t, topic in enumerate(scores.topics):
        judgements, run = cases[int(topic)]
        expected = by_loops(judgements, sorted(run, key=lambda doc: (-run[doc], doc)))
        for m, name in enumerate(PREFERENCE_MEASURES):
            assert scores.values[0, t, m] == pytest.approx(expected[name], abs=1e-12), (topic, name)


def test_a_cutoff_leaves_out_the_results_after_it() -> None:
    frame = {"topic": ["1"] * 3, "doc": ["a", "b", "c"], "grade": [2.0, 1.0, 0.0]}
    scores = ia.score({"1": {"c": 3.0, "a": 2.0, "b": 1.0}}, pl.DataFrame(frame), ["Prefs", "Prefs@1"],
                      qrels_format="qrels_prefs")  # fmt: skip
    assert scores.values.ravel().tolist() == pytest.approx([1 / 3, 0.0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 u s a 1\n1 u s b 2\n1 u t a 2\n1 u t b 1\n", "documents b and a are preferred to each other"),
        ("1 u s a 1\n1 u s b 0\n1 u t a 0\n", "document a has the level 0 in one subgroup"),
        ("1 u s a 1\n1 u s a 2\n", "line 2: found the grade 2 for document a of topic 1, but 1 on line 1"),
        ("1 u s a -1\n", "line 1: found the level -1; expected 0 or more"),
        ("1 u a 1\n", "found 4 fields per line; expected 5 fields"),
    ],
)
def test_preferences_that_contradict_each_other_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "prefs").write_text(text)
    with pytest.raises(InputError) as error:
        ia.score({"1": {"a": 1.0}}, tmp_path / "prefs", ["prefs_simp"], qrels_format="prefs")
    assert message in str(error.value)


def test_grades_and_preferences_are_not_taken_for_each_other() -> None:
    run, judged = {"1": {"a": 1.0}}, {"1": {"a": 1, "b": 0}}
    with pytest.raises(InputError, match="AP needs grades, but the judgements are read as preferences"):
        ia.score(run, judged, ["AP"], qrels_format="qrels_prefs")
    with pytest.raises(InputError, match="needs preferences between documents"):
        ia.score(run, judged, ["prefs_simp"])
