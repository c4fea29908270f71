"""Metric strings, right and odd: a metric whose name means the same metric and whose scores are finite, or a sentence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irassay.errors import InputError
from irassay.metrics.aliases import known_aliases
from irassay.metrics.grammar import catalogue, metric_strings, parse, parse_each
from irassay.metrics.metric import Metric
from tests.laws.test_metrics import CARRIED, every_ranking
from tests.support.fuzz import TIMES

NAMES = sorted(catalogue())
BATCH = every_ranking(3, 3)
USUAL = "0 1 2 3 10 0.5 0.8 0.95 1.0 2.25 'ERG' 'ETG' 'AVG' 'MAX' 'FIN' 'PE' 'ERR' 'infinite' 'stop' 'list' 'leak'"
TABLES = "'binary' 'linear' 'exp' 'time' 'words' (0,1,2) (0,0.5,1) (0.25,1,1) (0.2,0.5,0.9) (1,) () True False None"
ODD = "-1 0.0 -0.0 1e-300 1e-16 1e16 1e300 1e308 1e309 -1e308 10**9 10000000000000000000000 1j b'1' '' '@T' 'é' '\\x1b'"
MORE = "{} {0:1} {1:5} {'a':1} {1000000000:1} {-1:2} (((1))) ((1,),) [1,2] (0,nan) x f(1) 1.0000000000000002 (2,1,0)"
VALUES = [*USUAL.split(), *TABLES.split(), *ODD.split(), *MORE.split()]
CUTOFFS = ["", "@1", "@2", "@10", "@1000", "@0", "@-1", "@1.5", "@'1'", "@True", "@100000000", "@1e5", "@" + "9" * 30]
SETTINGS = settings(max_examples=10 * TIMES)


def check_message(problem: InputError) -> None:
    text = str(problem)
    assert text and len(text) < 600, text


@st.composite
def written(draw: st.DrawFn) -> str:
    """A metric with some of its parameters, or those of others, at values that may be meant for something else."""
    name = draw(st.sampled_from(NAMES) | st.sampled_from(sorted(known_aliases())))
    metric = catalogue().get(name)
    own = [*metric.params, *(metric.declaration.with_A.defaults if metric.declaration.with_A else ())] if metric else []
    keys = draw(st.lists(st.sampled_from([*own, "A", "gain", "rel", "gains", "max_rel"]), max_size=3, unique=True))
    inner = ",".join(f"{key}={draw(st.sampled_from(VALUES))}" for key in keys)
    return name + (f"({inner})" if inner else "") + draw(st.sampled_from(CUTOFFS))


def check(text: str) -> None:
    try:
        metric = parse(text)
        again = parse(str(metric))
    except InputError as problem:
        return check_message(problem)
    assert again == metric and str(again) == str(metric) and hash(again) == hash(metric)
    assert parse_each(str(metric)) == [metric]
    if not metric.meaning.needs <= CARRIED | {"pool"}:
        return None
    try:
        scores = metric.score(BATCH)
    except InputError as problem:
        return check_message(problem)
    assert scores.shape == (len(BATCH),) and np.isfinite(scores).all(), text
    return None


@SETTINGS
@given(written())
def test_a_metric_string_means_itself_and_scores_are_finite(text: str) -> None:
    check(text)


@SETTINGS
@given(st.lists(st.sampled_from([*NAMES[:9], *"()@,='\"._-[]{}#\\ \t0195eé∞\x00\n", "A=", "@10", "((("]), max_size=12))
def test_any_text_is_a_metric_or_a_sentence(parts: list[str]) -> None:
    text = "".join(parts)
    metric_strings(text)
    try:
        assert isinstance(parse(text), Metric)
    except InputError as problem:
        check_message(problem)


@pytest.mark.parametrize(
    "text", ["P_" + "9" * 5000, "P@" + "9" * 5000, "RBP(p=" + "9" * 5000 + ")", "P" * 100_000, "(" * 10_000 + "P"]
)
def test_a_long_string_is_a_short_sentence(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(text)
    check_message(refused.value)
