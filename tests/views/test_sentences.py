"""Answers are short: one idea in a sentence, with at most 25 words and two numbers; the rest is for --full."""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import irassay as ia
from irassay.cli.demo import session_satisfaction
from irassay.simulation import simulate
from irassay.views.view import brief_view, view_of
from tests.support.examples import RESULTS
from tests.test_ask import CASES, ROOT, asked_case

MAX_WORDS, MAX_NUMBERS = 25, 2
NUMBER = re.compile(r"(?<![\w@.=±'-])[-+]?\d[\d,]*(?:\.\d+)?(?![\w=])")
CONVENTIONS = re.compile(
    r"\d+ ?% interval|\bat 0\.\d+|≥ 0\.9|and \d+ more|=\([^)]*\)|\bgrade \d+"
)  # levels and names are no results
EXCEPTIONS = {  # how a sentence begins, to the reason why it is longer
    "Removing": "it names topics, which may be numbers",
    "Superscripts are": "the caption of a paper's table, which states the test",
    "Tested on": "it says which rankings were enumerated",
    "On these 9 topics": "it names the topics, and a range",
    "But AP_IA": "it is a counterexample, in decimals and as fractions",
}


@cache
def demo_results() -> dict[str, Any]:
    """Answers of commands on a small collection like the demo's."""
    collection = simulate(1, 12, 6)
    scores = ia.score(list(collection.runs), collection.qrels, ["nDCG@10", "AP", "RR"])
    two, ap = scores.select(systems=scores.systems[:2]), scores.select(metrics=["AP"])
    return {
        "compare": ia.compare(scores, trials=500),
        "compare a pair": ia.compare(two, trials=500),
        "compare with a baseline": ia.compare(scores, baseline=scores.systems[0], trials=500),
        "compare within a margin": ia.compare(scores, margin=0.05, trials=500),
        "compare with a model": ia.compare(ap.select(topics=ap.topics[:8]), also_scores=ap),
        "score": scores,
        "table": ia.table(scores, trials=500),
        "topics": ia.topics(ap),
        "topics of two systems": ia.topics(ap, pair=(scores.systems[0], scores.systems[-1])),
        "satisfaction": session_satisfaction(collection, 1),
        "plan": ia.plan(scores, difference=0.05),
        "plan equivalence": ia.plan(scores, difference=0.01, margin=0.05),
        "generalizability": ia.meta.generalizability(scores),
        "generalizability of one metric": ia.meta.generalizability(ap),
        "unanimity": ia.meta.unanimity(scores, simple=("RR",)),
        "agreement": ia.meta.agreement(scores),
        "check": ia.check(two),
        "diff": ia.diff(scores, replace(scores, values=scores.values.round(2))),
        "dominance": ia.meta.dominance(list(collection.runs), collection.qrels),
        "dominance of a pair": ia.meta.dominance(list(collection.runs)[:2], collection.qrels),
        "ties": ia.meta.ties(list(collection.runs), collection.qrels, trials=5),
    }


NAMES = (
    *("compare", "compare a pair", "compare with a baseline", "compare within a margin"),
    *("compare with a model", "score", "table"),
    *("topics", "topics of two systems", "satisfaction", "plan", "plan equivalence", "generalizability"),
    *("generalizability of one metric", "unanimity", "agreement", "check", "diff"),
    *("dominance", "dominance of a pair", "ties"),
)


def answer_sentences(text: str) -> list[str]:
    """The sentences of a text, where a colon or a semicolon does not end one."""
    return re.split(r"(?<=\.) (?=[A-Z\d])", text)


@pytest.mark.parametrize("name", [*RESULTS, *NAMES])
def test_sentences_of_an_answer_are_short(name: str) -> None:
    result = RESULTS[name] if name in RESULTS else demo_results()[name]
    first = brief_view(view_of(result)).sentences[0]
    assert len(first.split()) <= MAX_WORDS or name == "table"  # the caption of a paper's table
    check_sentences(result)


@pytest.mark.parametrize("command", CASES)
def test_sentences_of_every_command_are_short(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    check_sentences(asked_case(command))


def check_sentences(result: Any) -> None:
    """Asserts that the sentences of an answer are short, except those that are declared."""
    shown = brief_view(view_of(result))
    for sentence in (each for text in shown.sentences for each in answer_sentences(text)):
        words, numbers = len(sentence.split()), len(NUMBER.findall(CONVENTIONS.sub("", sentence)))
        if not any(sentence.startswith(opening) for opening in EXCEPTIONS):
            assert words <= MAX_WORDS and numbers <= MAX_NUMBERS, (words, numbers, sentence)


@pytest.mark.parametrize("name", NAMES)
def test_the_terminal_shows_at_most_twelve_columns_and_a_few_sentences_for_each_metric(name: str) -> None:
    shown = brief_view(view_of(demo_results()[name]))
    assert len(shown.sentences) <= 12
    assert all(len(table.columns) <= 12 for table in shown.tables)
