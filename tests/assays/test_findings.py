"""What an assay comes to, in sentences."""

import re
from dataclasses import replace

import numpy as np
import pytest

from irassay.assays.answers import (
    ANSWER_WORDS,
    _best_sentences,
    _dominated_sentences,
    _robustness_sentences,
)
from irassay.assays.assay import Assay, assay
from irassay.assays.criteria import CONSISTENCY, POWER, RATINGS, ROBUSTNESS
from irassay.assays.criterion_sentences import MAX_LISTED_METRICS
from irassay.assays.findings import ANSWER, CAVEAT, EVIDENCE, findings, own_metric_sentence
from irassay.assays.metric_kinds import kind_names
from irassay.assays.overall_answer import overall_sentences
from irassay.errors import InputError
from irassay.metrics.grids import grid
from irassay.metrics.labels import metric_labels
from irassay.prose import name_list
from irassay.reports.sections import sections
from irassay.scores import Scores
from irassay.stats.selection import Selection
from tests.support.assays import METRICS, QUICK, nine_systems

assay_of_nine = pytest.fixture(scope="module")(nine_systems)


def test_the_answer_comes_first_in_short_sentences_then_at_most_three_caveats(assay_of_nine):
    all_findings = findings(assay_of_nine)
    roles = [finding.role for finding in all_findings]
    assert roles == sorted(roles, key=(ANSWER, CAVEAT, EVIDENCE).index)
    assert all_findings[0].text.startswith("No metric is significantly better than another on ")
    assert all_findings[1].text.startswith("On these 20 topics ")
    assert 1 <= roles.count(CAVEAT) <= 3
    for finding in all_findings:
        if finding.role == ANSWER:
            sentences = re.split(r"(?<=\.) (?=[A-Z])", finding.text)
            assert len(sentences) <= 3 and all(len(sentence.split()) <= 25 for sentence in sentences)


def test_findings_point_to_sections_that_exist(assay_of_nine):
    known = {section.id for section in sections(assay_of_nine)}
    assert {finding.section for finding in findings(assay_of_nine)} - {""} <= known


def test_few_topics_are_said_to_be_few(assay_of_nine):
    assert any("20 topics are few" in finding.text for finding in findings(assay_of_nine))


def test_metrics_are_behind_only_where_the_selection_says_so(assay_of_nine):
    texts = [finding.text for finding in findings(assay_of_nine)]
    for each in assay_of_nine.profile.criteria:
        [on_criterion] = [text for text in texts if text.startswith(f"{each.name.capitalize()}: ")]
        assert "intervals are at 95%" in on_criterion
        behind = [
            name for name, rivals in zip(assay_of_nine.metrics, each.selection.behind, strict=True) if rivals.any()
        ]
        if behind:
            may_be_best = [name for name in assay_of_nine.metrics if name not in behind]
            is_shorter = len(may_be_best) < len(behind)
            are = "is" if len(behind) == 1 else "are"
            words = "may be best; " if is_shorter else f"{are} significantly behind another metric; "
            assert f" {name_list(may_be_best if is_shorter else behind, MAX_LISTED_METRICS)} {words}" in on_criterion
        else:
            assert "No metric is significantly behind another." in on_criterion


def test_systems_that_tie_are_said_to_be_tied_first():
    from irassay.assays.findings import first_systems

    rng = np.random.default_rng(0)
    values = rng.random((5, 12, 2)) + np.arange(5)[:, None, None]
    values[3, :, 1] = values[4, :, 1]
    found = assay(scores=Scores(values, tuple("abcde"), tuple(map(str, range(12))), ("x", "y")), **QUICK)
    assert first_systems(found) == [["e"], ["d", "e"]]
    texts = [finding.text for finding in findings(found)]
    assert "2 systems rank first by at least one metric: e by 1 (tied by 1), d tied by 1." in texts


def test_the_profile_of_one_metric_names_every_criterion(assay_of_nine):
    text = own_metric_sentence(assay_of_nine, METRICS[0])
    assert text.startswith(f"Profile of {METRICS[0]}: Discriminative power")
    for word in (
        *("Consistency over topics", "Robustness to missing judgements", "Agreement with other metrics"),
        *("Axioms: keeps all", "Ranks the systems most like"),
    ):
        assert word in text


def test_the_answer_on_two_metrics_compares_them():
    rng = np.random.default_rng(1)
    values = np.arange(8)[:, None, None] / 8 + rng.normal(size=(8, 24, 2)) * np.array([0.2, 1.5])
    scores = Scores(values, tuple("abcdefgh"), tuple(map(str, range(24))), ("steady", "noisy"))
    texts = [each.text for each in findings(assay(scores=scores, **QUICK)) if each.role == ANSWER]
    assert texts[0] == "steady is significantly better than noisy on discriminative power and consistency."
    assert texts[1].startswith("On these 24 topics steady separates significantly more systems than noisy (")
    assert texts[2].startswith("steady is significantly more consistent over topics than noisy (tau ")


def test_metrics_are_named_again_where_it_would_not_be_clear_who_is_meant():
    rng = np.random.default_rng(1)
    values = np.arange(8)[:, None, None] / 8 + rng.normal(size=(8, 24, 3)) * np.array([0.2, 1.5, 1.5])
    scores = Scores(values, tuple("abcdefgh"), tuple(map(str, range(24))), ("steady", "x", "y"))
    texts = [each.text for each in findings(assay(scores=scores, **QUICK)) if each.role == ANSWER]
    assert texts[0] == (
        "steady may be best by both discriminative power and consistency. "
        "Each of the other 2 metrics is significantly behind another metric on at least one criterion."
    )
    assert texts[1].startswith("On these 24 topics steady separates the most systems (")
    assert texts[2].startswith("steady is the most consistent over topics (tau ")


@pytest.mark.parametrize(
    ("behind", "sentence"),
    [
        (
            {4: 1},
            "a has the highest consistency over topics (tau 0.90); 3 others may be as good.",
        ),  # behind b, not behind a
        ({4: 0, 3: 0}, "a, b and c may be the most consistent over topics (tau 0.70 to 0.90)."),
        ({4: 0, 3: 0, 2: 0, 1: 0}, "a is the most consistent over topics (tau 0.90)."),
    ],
)
def test_the_answer_says_who_may_be_best_and_no_more(assay_of_nine, behind, sentence):
    estimate = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    p = np.ones((5, 5))
    for low, high in behind.items():
        p[low, high] = p[high, low] = 0.001
    each = replace(
        assay_of_nine.profile.by(CONSISTENCY), selection=Selection(estimate, p, np.full((5, 5), np.nan), 0.05)
    )
    profile = replace(assay_of_nine.profile, metrics=tuple("abcde"))
    assert _best_sentences(profile, each, ANSWER_WORDS[CONSISTENCY])[0] == sentence


def selection_of(estimate: list[float], behind: set[int]) -> Selection:
    """A selection in which some metrics are significantly behind the first."""
    p = np.ones((len(estimate), len(estimate)))
    for row in behind:
        p[row, 0] = p[0, row] = 0.001
    return Selection(np.array(estimate), p, np.full(p.shape, np.nan), 0.05)


def test_of_many_metrics_the_answer_names_those_that_are_behind_by_kind(assay_of_nine):
    metrics = metric_labels(grid("cwla").metrics).with_labels(grid("cwla").metrics)
    behind = {m for m, metric in enumerate(metrics) if "A=MAX" in metric.label or metric.label == "P*@10 A=FIN"}
    estimate = [0.6 - 0.001 * m - 0.3 * (m in behind) for m in range(39)]
    each = replace(assay_of_nine.profile.by(CONSISTENCY), selection=selection_of(estimate, behind))
    profile = replace(assay_of_nine.profile, metrics=metrics, criteria=(each,))
    first, second = _best_sentences(profile, each, ANSWER_WORDS[CONSISTENCY])
    assert first == "P*@10 A=ERG has the highest consistency over topics (tau 0.60); 31 others may be as good."
    assert second == "All metrics with A=MAX and P*@10 A=FIN are significantly less consistent (tau 0.26 to 0.30)."


def test_a_kind_is_named_only_if_all_its_metrics_are_meant():
    metrics = ["nDCG@5", "nDCG@10", "nDCG@20", "P@5", "P@10", "P@20", "AP"]
    assert kind_names(metrics[:5], metrics) == "all nDCG variants, P@5 and P@10"
    assert kind_names([*metrics[1:3], *metrics[4:]], metrics) == "nDCG@10, nDCG@20, P@10 and 2 more"


def test_the_answer_says_what_the_metrics_that_lead_lack(assay_of_nine):
    """With 143 systems, say, no metric may be best by all criteria."""
    criteria = [
        replace(assay_of_nine.profile.by(name), selection=selection_of(estimate, {1, 2}))
        for name, estimate in ((POWER, [0.5, 0.4, 0.3]), (CONSISTENCY, [0.9, 0.8, 0.7]))
    ]
    robust, order = selection_of([0.2, 0.0, 0.0], {1, 2}), [1, 2, 0]  # the last metric leads
    robust = replace(robust, estimate=robust.estimate[order], p=robust.p[np.ix_(order, order)])
    criteria.append(replace(assay_of_nine.profile.by(ROBUSTNESS), selection=robust))
    profile = replace(assay_of_nine.profile, metrics=("a", "b", "c"), criteria=tuple(criteria))
    sentences = overall_sentences(profile, np.zeros(3, np.bool_))
    assert sentences == [
        "No metric wins on everything: each is significantly behind another on discriminative power, consistency or "
        "robustness.",
        "a separates the most systems. c separates significantly fewer, but is significantly more robust to missing "
        "judgements.",
        "The choice depends on what matters to you.",
    ]
    as_robust = selection_of([0.0, 0.1, 0.2], {1, 2})  # the first is behind both
    profile = replace(profile, criteria=(*criteria[:2], replace(criteria[2], selection=as_robust)))
    dominated = overall_sentences(profile, np.array([False, False, True]))
    assert dominated[1].startswith(
        "a separates the most systems. b separates significantly fewer, but is significantly"
    )


def test_a_criterion_without_an_estimate_rules_out_no_metric(assay_of_nine):
    criteria = [
        replace(assay_of_nine.profile.by(name), selection=selection_of(estimate, set()))
        for name, estimate in ((POWER, [0.5, 0.4]), (CONSISTENCY, [np.nan, np.nan]), (ROBUSTNESS, [0.2, 0.1]))
    ]
    profile = replace(assay_of_nine.profile, metrics=("a", "b"), criteria=tuple(criteria))
    sentences = overall_sentences(profile, np.zeros(2, np.bool_))
    assert (
        sentences[0] == "Neither metric is significantly better than the other on discriminative power or robustness."
    )


@pytest.mark.parametrize(
    ("behind", "first"),
    [
        ({POWER: 1, ROBUSTNESS: 0}, "Neither metric wins on everything: a is significantly better on discriminative"),
        ({POWER: 1}, "a is significantly better than b on discriminative power."),
        ({ROBUSTNESS: 0}, "b is significantly better than a on robustness."),
    ],
)
def test_of_two_metrics_the_answer_names_the_better_one_by_criterion(assay_of_nine, behind, first):
    criteria = []
    for name in (POWER, CONSISTENCY, ROBUSTNESS):
        estimate = [0.3, 0.5] if behind.get(name) == 0 else [0.5, 0.3]
        p = np.full((2, 2), 0.001 if name in behind else 1.0)
        chosen = Selection(np.array(estimate), p, np.full((2, 2), np.nan), 0.05)
        criteria.append(replace(assay_of_nine.profile.by(name), selection=chosen))
    profile = replace(assay_of_nine.profile, metrics=("a", "b"), criteria=tuple(criteria))
    sentences = overall_sentences(profile, np.zeros(2, np.bool_))
    assert sentences[0].startswith(first)
    assert sentences[1].startswith("On ") and sentences[1].endswith("no difference is significant.")
    assert ("The choice depends on what matters to you." in sentences) == (len(behind) == 2)


@pytest.mark.parametrize(
    ("kept", "parts"),
    [
        ([0.2, 0.1], ["a keeps 20% of all pairs", "b keeps 10%.", "The difference is not significant."]),
        ([0.2, 0.1, 0.1], ["a keeps 20% of all pairs", "2 metrics keep 10%.", "No difference between metrics is"]),
    ],
)
def test_a_difference_in_robustness_that_is_not_significant_is_said_to_be_so(assay_of_nine, kept, parts):
    robust = replace(assay_of_nine.profile.by(ROBUSTNESS), selection=selection_of(kept, set()))
    profile = replace(assay_of_nine.profile, metrics=tuple("abc"[: len(kept)]), criteria=(robust,))
    text = " ".join(_robustness_sentences(profile, False))
    assert all(part in text for part in parts)


@pytest.mark.parametrize(
    ("kept", "behind", "sentence"),
    [
        ([0.3, 0.2, 0.1], {2}, "b may be as good."),
        ([0.3, 0.1, 0.2, 0.0], {3}, "c and b may be as good."),
        ([0.3, 0.2, 0.2, 0.2, 0.1], {4}, "3 others may be as good."),
        ([0.3, 0.3, 0.1], {2}, None),
    ],
)
def test_metrics_that_may_be_the_most_robust_are_named_too(assay_of_nine, kept, behind, sentence):
    robust = replace(assay_of_nine.profile.by(ROBUSTNESS), selection=selection_of(kept, behind))
    profile = replace(assay_of_nine.profile, metrics=tuple("abcde"[: len(kept)]), criteria=(robust,))
    first, *also, last = _robustness_sentences(profile, False)
    assert first.endswith("30% of all pairs separated, no matter which system all missing judgements favour.")
    assert first.startswith("a") and "significantly fewer" in last
    assert also == ([sentence] if sentence else [])


def test_systems_are_not_compared_by_a_metric_that_was_not_scored():
    rng = np.random.default_rng(0)
    scores = Scores(rng.random((3, 8, 1)), ("a", "b", "c"), tuple("12345678"), ("AP",))
    with pytest.raises(InputError, match="The scores have no metric RR; they have AP"):
        assay(scores, main="RR", **QUICK)


def noisy_scores(topics: int, noise: list[float], names: tuple[str, ...]) -> Scores:
    """Eight systems of rising quality by metrics with more or less noise."""
    draws = np.random.default_rng(1).normal(size=(8, topics, len(noise)))
    values = np.arange(8)[:, None, None] / 8 + draws * np.array(noise)
    return Scores(values, tuple("abcdefgh"), tuple(map(str, range(topics))), names)


def evidence_on(found: Assay, criterion: str) -> str:
    """The evidence on a criterion."""
    return next(each.text for each in findings(found) if each.text.startswith(f"{criterion.capitalize()}: "))


def test_metrics_that_are_not_behind_all_those_named_are_behind_another(assay_of_nine):
    p = np.ones((4, 4))
    p[3, 0] = p[0, 3] = 0.001  # d is behind a, not shown to be behind b and c
    each = replace(
        assay_of_nine.profile.by(CONSISTENCY),
        selection=Selection(np.array([0.9, 0.8, 0.7, 0.6]), p, np.full((4, 4), 0.0), 0.05),
    )
    profile = replace(assay_of_nine.profile, metrics=tuple("abcd"))
    assert _best_sentences(profile, each, ANSWER_WORDS[CONSISTENCY]) == [
        "a, b and c may be the most consistent over topics (tau 0.70 to 0.90).",
        "d is significantly less consistent than another metric (tau 0.60).",
    ]


def test_metrics_that_cannot_be_compared_are_not_said_to_be_as_good():
    found = assay(scores=noisy_scores(5, [0.05, 0.9, 0.9], ("x", "y", "z")), **QUICK)
    texts = [each.text for each in findings(found) if each.role == ANSWER]
    assert any("The metrics cannot be compared on consistency over topics (tau " in text for text in texts)
    assert any("): fewer than 6 topics affect any difference." in text for text in texts)
    assert not any("may be best" in text for text in texts)
    assert "3 of 3 pairs of metrics could not be compared" in evidence_on(found, CONSISTENCY)


def test_a_metric_without_an_estimate_is_named_with_the_reason():
    scores = noisy_scores(24, [0.2, 0.2, 0.2], ("x", "y", "flat"))
    flat = np.where(np.arange(3) == 2, 0.5, scores.values)
    found = assay(scores=replace(scores, values=flat), **QUICK)
    assert "Left out: flat (every system has the same mean)." in evidence_on(found, CONSISTENCY)
    texts = [each.text for each in findings(found)]
    assert any(
        text.endswith("has the best mean by all metrics that do not give all systems the same mean.") for text in texts
    )


def test_all_metrics_with_the_highest_estimate_are_named():
    scores = noisy_scores(24, [0.2, 0.2, 1.5], ("x", "twin", "noisy"))
    found = assay(scores=replace(scores, values=scores.values[:, :, [0, 0, 2]]), **QUICK)
    assert evidence_on(found, POWER).startswith("Discriminative power: x and twin have the highest, ")


def test_one_metric_is_answered_with_its_intervals():
    found = assay(scores=noisy_scores(24, [0.5], ("x",)), **QUICK)
    texts = [each.text for each in findings(found) if each.role == ANSWER]
    assert len(texts) == 2 and all(" The 95% interval over topics is " in text for text in texts)
    assert "may be best" not in " ".join(each.text for each in findings(found))
    assert not [note for note in found.view().notes if note.startswith(("may be best", "dominated by", "replication"))]


def test_a_metric_that_was_not_compared_on_every_criterion_is_not_ruled_out(assay_of_nine):
    power, steady = selection_of([0.5, 0.4, 0.3], {1, 2}), selection_of([np.nan, 0.8, 0.9], set())
    criteria = (
        replace(assay_of_nine.profile.by(POWER), selection=power),
        replace(assay_of_nine.profile.by(CONSISTENCY), selection=replace(steady, p=np.where(np.eye(3), np.nan, 1.0))),
    )
    profile = replace(assay_of_nine.profile, metrics=("a", "b", "c"), criteria=criteria)
    assert overall_sentences(profile, np.zeros(3, np.bool_)) == [
        "a is behind no other metric, but was not compared on consistency.",
        "Every other metric is significantly behind another on discriminative power.",
    ]


def test_metrics_dominated_by_the_same_one_are_said_to_be_dominated_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = assay(scores=noisy_scores(8, [0.2, 0.2, 0.2], ("x", "y", "z")), **QUICK)
    by_x = np.array([[False, False, False], [True, False, False], [True, True, False]])  # [metric, rival]
    for dominated, text in (
        (by_x, "y and z are dominated by x."),
        (by_x & [[False], [False], [True]], "z is dominated by x and y."),
        (by_x & [[False] * 3, [True] * 3, [False, True, False]], "y and z are dominated by other metrics."),
    ):
        monkeypatch.setattr("irassay.assays.answers.dominated_by", lambda _, each=dominated: each)
        assert _dominated_sentences(found) == [text]


def test_what_to_choose_by_is_left_to_the_ratings_if_they_decide(assay_of_nine):
    profile = assay_of_nine.profile
    assert overall_sentences(profile, np.zeros(len(profile.metrics), bool))[-1].startswith("Choose by")
    power, several = profile.by(POWER), len(profile.metrics)
    for p, is_decided in ((1.0, False), (0.001, True)):
        selection = replace(power.selection, estimate=np.arange(several) / several, p=np.full((several, several), p))
        both = replace(profile, criteria=(*profile.criteria, replace(power, name=RATINGS, selection=selection)))
        sentences = overall_sentences(both, np.zeros(several, bool))
        assert any("Choose by" in sentence for sentence in sentences) != is_decided
