"""Preference: a metric's agreement with people's choices between two result lists."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.preference import Choices, preference
from irassay.results import result_json
from irassay.scores import Scores
from irassay.views.view import view_of


def small() -> Scores:
    """Three systems on two topics: m agrees with what is chosen below, n is constant, k is a cost."""
    m = np.array([[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    return Scores(np.stack([m, np.ones_like(m), -m], axis=2), ("A", "B", "C"), ("1", "2"), ("m", "n", "k")).costs("k")


def chosen(*rows: tuple[str, str, str, int], users: tuple[str, ...] = ()) -> Choices:
    topics, left, right, sign = zip(*rows, strict=True)
    return Choices(topics, left, right, np.array(sign, dtype=np.int8), users)


def study(choices: int = 400, count: int = 40, seed: int = 0) -> tuple[Scores, Choices]:
    """People follow `true` with some noise; `near` follows it too, `random` follows nothing."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(6, count))
    values = np.stack([true, true + rng.normal(size=true.shape), rng.normal(size=true.shape)], axis=2)
    systems, topics = tuple("ABCDEF"), tuple(f"t{i}" for i in range(count))
    pairs = [rng.choice(6, 2, replace=False) for _ in range(choices)]
    at = rng.integers(0, count, choices)
    lead = [true[a, t] - true[b, t] + rng.normal() / 2 for (a, b), t in zip(pairs, at, strict=True)]
    rows = [(topics[t], systems[a], systems[b], int(np.sign(d))) for (a, b), t, d in zip(pairs, at, lead, strict=True)]
    people = tuple(f"p{i % 25}" for i in range(choices))
    return Scores(values, systems, topics, ("true", "near", "random")), chosen(*rows, users=people)


def test_agreement_counted_by_hand() -> None:
    found = preference(
        small(),
        choices=chosen(
            ("1", "A", "B", 1), ("1", "C", "A", -1), ("2", "A", "C", -1), ("2", "B", "C", 1), ("2", "A", "B", 0)
        ),
    )
    assert found.choices() == 4 and found.undecided == 1 and found.topics == 2
    assert found.agree.tolist() == [3, 0, 3] and found.differ.tolist() == [1, 0, 1] and found.tied.tolist() == [0, 4, 0]
    assert found.agreement.tolist() == [0.75, 0.5, 0.75] and found.strict().tolist() == [0.75, 0, 0.75]
    assert found.gamma()[0] == 0.5 and np.isnan(found.gamma()[1])
    assert found.p[1] == 1 and found.pair_p[0, 2] == 1
    assert np.isnan([found.low[1], found.high[1]]).all()  # n is constant: every resample gives one half
    assert any(note.startswith("no interval for n") for note in found.notes)


def test_who_stands_on_the_left_does_not_matter() -> None:
    scores, choices = study()
    turned = replace(choices, left=choices.right, right=choices.left, chosen=-choices.chosen)
    assert result_json(preference(scores, choices=choices, trials=200)) == result_json(
        preference(scores, choices=turned, trials=200)
    )


def test_the_metric_that_people_follow_is_found_and_one_they_do_not_is_no_better_than_a_coin() -> None:
    scores, choices = study()
    found = preference(scores, choices=choices, trials=2000)
    assert [name for name, _ in found.ranked()] == ["true", "near", "random"]
    assert found.p[0] < 0.001 and found.p[2] > 0.05
    assert (found.low < found.agreement).all() and (found.agreement < found.high).all()
    assert found.low[2] < 0.5 < found.high[2] and found.pair_p[0, 2] < 0.001
    by_user = preference(scores, choices=choices, clusters="user", trials=2000)
    assert (by_user.agreement == found.agreement).all() and by_user.clusters == "user"


def test_choices_of_one_topic_count_together() -> None:
    """The same choice ten times over is no more evidence about topics, though it is more rows."""
    scores, choices = study(60)
    tenfold = Choices(
        choices.topics * 10, choices.left * 10, choices.right * 10, np.tile(choices.chosen, 10), choices.users * 10
    )
    once, often = preference(scores, choices=choices, trials=500), preference(scores, choices=tenfold, trials=500)
    assert often.choices() == 10 * once.choices()
    assert often.p == pytest.approx(once.p) and often.low == pytest.approx(once.low)


def test_intervals_cover_what_many_more_topics_show() -> None:
    scores, choices = study(20_000, count=20_000, seed=1)
    truth = preference(scores, choices=choices, trials=2).agreement[1]
    inside = 0
    for part in range(100):
        scores, choices = study(200, seed=part + 2)
        found = preference(scores, choices=choices, trials=200)
        inside += found.low[1] <= truth <= found.high[1]
    assert 88 <= inside <= 99


def test_choices_without_scores_are_counted() -> None:
    scores = small()
    values = scores.values.copy()
    values[2, 1, 0] = np.nan
    found = preference(
        replace(scores, values=values),
        choices=chosen(("1", "A", "B", 1), ("2", "A", "C", -1), ("9", "A", "B", 1), ("1", "A", "Z", 1)),
    )
    assert found.choices() == 1 and found.unscored == 3
    assert any("3 without a score" in note for note in view_of(found).notes)
    assert any("choices of only 1 topic" in note for note in found.notes)


def test_choices_are_read_in_words_numbers_and_names(tmp_path: Path) -> None:
    file = tmp_path / "choices.tsv"
    file.write_text(
        "topic\tleft\tright\tchoice\tuser\n1\tA\tB\tleft\tann\n1\tA\tB\tB\tbob\n2\tA\tB\tSame\tann\n2\tB\tA\t1\tann\n"
    )
    found = Choices.read(file)
    assert found.chosen.tolist() == [1, -1, 0, 1] and found.users == ("ann", "bob", "ann", "ann")
    assert found.topics == ("1", "1", "2", "2") and found.right == ("B", "B", "B", "A")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("topic\tleft\tright\n1\tA\tB\n", "line 1: 'topic left right'; expected a header"),
        ("topic\tleft\tright\tchoice\n1\tA\tB\tC\n", "line 2: 'C'; expected a choice"),
        ("topic\tleft\tright\tchoice\n1\tA\tB\n", "line 2: found 3 columns"),
        ("topic\tleft\tright\tchoice\n", "no choice; expected one per line"),
    ],
)
def test_bad_choices_are_refused_with_their_place(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "choices.tsv"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        Choices.read(file)
    with pytest.raises(InputError, match="There is no file"):
        Choices.read(tmp_path / "none.tsv")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s, c: preference(s, choices=c, clusters="user"), "choices name no user"),
        (lambda s, c: preference(s, choices=replace(c, chosen=np.zeros(1, np.int8))), "No choice prefers a list"),
        (lambda s, c: preference(s, choices=replace(c, topics=("7",))), "No choice prefers a list"),
    ],
)
def test_what_cannot_be_done_is_said(call: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call(small(), chosen(("1", "A", "B", 1)))  # type: ignore[operator]


def test_it_is_shown_and_drawn() -> None:
    scores, choices = study()
    shown = view_of(preference(scores, choices=choices, trials=500))
    assert shown.sentences[0].startswith("true agrees with the most choices: ")
    assert shown.sentences[-1].endswith("random.")
    assert "agreement" in str(shown.charts[0][1]().to_dict())


def test_choices_may_stand_apart_by_spaces_or_commas(tmp_path: Path) -> None:
    for mark in ("  ", ",", "\t"):
        file = tmp_path / "choices.txt"
        file.write_text(f"topic{mark}left{mark}right{mark}choice\n1{mark}A{mark}B{mark}left\n2{mark}A{mark}B{mark}B\n")
        found = Choices.read(file)
        assert found.left == ("A", "A") and found.chosen.tolist() == [1, -1]


def test_a_metric_alone_is_compared_with_nobody() -> None:
    scores, choices = study()
    sentences = view_of(preference(scores.select(metrics=scores.metrics[:1]), choices=choices)).sentences
    assert sentences[0].endswith("% of 400 choices.") and sentences[1].startswith("The 95% interval for true is ")
    assert "other" not in " ".join(sentences)


def test_of_metrics_that_agree_equally_often_hardly_any_is_behind() -> None:
    """Ten metrics follow the same truth with noise of their own; in 60 studies few have a metric behind another."""
    errors, separated = 0, 0
    for seed in range(60):
        rng = np.random.default_rng([7, seed])
        true = rng.normal(size=(6, 30))
        noise = rng.normal(size=(10, 6, 30))
        noise[0] *= 4 if seed % 6 == 0 else 1
        values = (true + noise).transpose(1, 2, 0)
        pairs = [(int(a), int(b), t) for t in range(30) for a, b in [rng.choice(6, 2, replace=False) for _ in range(5)]]
        rows = [(f"t{t}", f"s{a}", f"s{b}", 1 if true[a, t] > true[b, t] else -1) for a, b, t in pairs]
        names = tuple(f"s{i}" for i in range(6)), tuple(f"t{t}" for t in range(30)), tuple(f"m{i}" for i in range(10))
        selection = preference(Scores(values, *names), choices=chosen(*rows), trials=300, seed=seed).selection
        assert selection is not None
        if seed % 6 == 0:
            separated += bool(selection.behind[0].any())
        else:
            errors += bool(selection.behind.any())
    assert errors <= 6 and separated >= 6  # of 50 and 10 studies


def test_two_metrics_are_compared_as_by_a_paired_test_of_topics_of_equal_size() -> None:
    scores, choices = study(40 * 40)
    by_topic = [[i for i, topic in enumerate(choices.topics) if topic == name][:20] for name in scores.topics]
    kept = [i for rows in by_topic if len(rows) == 20 for i in rows]
    fields = {name: tuple(getattr(choices, name)[i] for i in kept) for name in ("topics", "left", "right", "users")}
    same = Choices(chosen=choices.chosen[kept], **fields)
    found = preference(scores.select(metrics=["true", "near"]), choices=same, trials=5000)
    assert found.selection is not None
    assert found.selection.p[0, 1] == pytest.approx(found.pair_p[0, 1], abs=0.02)
