"""Answers are short: one idea in a sentence, with at most 25 words and two numbers; the rest is for --full."""

import re

import pytest

from irassay.views.view import brief_view, view_of
from tests.support.examples import RESULTS

MAX_WORDS, MAX_NUMBERS = 25, 2
NUMBER = re.compile(r"(?<![\w@.=±≥'-])[-+]?\d[\d,]*(?:\.\d+)?(?![\w=])")
CONVENTIONS = re.compile(r"\d+ ?% interval|\bat 0\.\d+|\b0\.\d+ level")  # levels are not results
EXCEPTIONS: dict[str, str] = {}  # how a sentence begins, to the reason why it is longer


def short_sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return re.split(r"(?<=[.:;]) (?=[A-Z])", text)


@pytest.mark.parametrize("name", RESULTS)
def test_sentences_of_an_answer_are_short(name: str) -> None:
    shown = brief_view(view_of(RESULTS[name]))
    assert shown.sentences
    for text in shown.sentences:
        for sentence in short_sentences(text):
            words, numbers = len(sentence.split()), len(NUMBER.findall(CONVENTIONS.sub("", sentence)))
            if not any(sentence.startswith(opening) for opening in EXCEPTIONS):
                assert words <= MAX_WORDS and numbers <= MAX_NUMBERS, (words, numbers, sentence)
