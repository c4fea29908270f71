"""Every chart says what it shows: a title, a label on each axis of numbers, and a legend without empty classes."""

from collections.abc import Iterator
from typing import Any

import pytest

import irassay as ia
from irassay.views.metric_labels import chart_specs
from irassay.views.view import view_of
from tests.support.examples import RESULTS
from tests.views.test_sentences import NAMES, demo_results

MORE = {"explain": lambda: ia.explain("RBP(p=0.5)", "1,0,1"), "axioms": lambda: ia.axioms(["RBP", "P@5"], depth=3)}


def parts(spec: Any, key: str) -> Iterator[Any]:
    """The values of a key anywhere in a specification."""
    if isinstance(spec, dict):
        for name, value in spec.items():
            if name == key:
                yield value
            yield from parts(value, key)
    elif isinstance(spec, list):
        for value in spec:
            yield from parts(value, key)


def specs(name: str) -> list[tuple[str, dict[str, Any]]]:
    result = RESULTS.get(name) or (MORE[name]() if name in MORE else demo_results()[name])
    return [(chart, make()) for chart, make in chart_specs(view_of(result))]


@pytest.mark.parametrize("name", [*RESULTS, *NAMES, *MORE])
def test_charts_have_titles_axis_labels_and_no_empty_classes(name: str) -> None:
    for chart, spec in specs(name):
        layers = [spec, *spec.get("layer", []), *spec.get("concat", []), *spec.get("hconcat", [])]
        assert any(layer.get("title") for layer in layers), chart
        for encoding in parts(spec, "encoding"):
            for axis in ("x", "y"):
                channel = encoding.get(axis, {})
                assert channel.get("type") != "quantitative" or channel.get("title", channel.get("field")), chart
        words = {value for rows in parts(spec, "values") for row in rows for value in row.values()}
        for scale in (encoding.get("color", {}).get("scale") for encoding in parts(spec, "encoding")):
            domain = (scale or {}).get("domain", [])
            assert words.issuperset(each for each in domain if isinstance(each, str)), (chart, domain)
