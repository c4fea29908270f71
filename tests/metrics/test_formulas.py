"""Each metric's formula as a plain loop over ranks, against what irassay computes on 200 random rankings."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

from irassay.metrics.grammar import catalogue, parse
from irassay.metrics.listing import metric_help
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from tests.metrics import formulas
from tests.metrics.formulas.rankings import LOOPS, Scorer

for file in iter_modules(formulas.__path__):
    import_module(f"{formulas.__name__}.{file.name}")  # which registers its loops


@cache
def all_scores(scorer: Scorer) -> tuple[Scores, Mapping[str, Any]]:
    """The scores of every metric that this scorer is for, and its lists by topic."""
    return scorer([metric for metric, (own, _) in LOOPS.items() if own is scorer])


@pytest.mark.parametrize("metric", LOOPS)
def test_the_score_is_that_of_the_formula(metric: str) -> None:
    scorer, loop = LOOPS[metric]
    scores, lists = all_scores(scorer)
    parsed = parse(metric)
    given = dict(parsed.given) | ({} if parsed.cutoff is None else {"k": parsed.cutoff})
    computed = dict(zip(scores.topics, scores.of(str(parsed))[0].tolist(), strict=True))
    assert len(computed) == len(lists) == 200 and any(computed.values())
    assert computed == pytest.approx({topic: loop(each, **given) for topic, each in lists.items()}, rel=0, abs=1e-9)


@pytest.mark.parametrize("metric", catalogue().values(), ids=str)
def test_every_metric_has_a_formula_and_its_transcription(metric: Metric) -> None:
    assert metric.declaration.formula
    assert metric.declaration.with_A is None or metric.declaration.with_A.formula
    assert metric.name in {parse(each).name for each in LOOPS}


def test_help_shows_the_formula() -> None:
    assert "  C(i) = p\n  \\text{RBP} = (1-p)" in metric_help(parse("RBP"))
