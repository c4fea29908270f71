"""What charts look like."""

import pytest

from irassay.views.theme import dashed
from tests.support.assays import nine_systems

made = pytest.fixture(scope="module")(nine_systems)


def test_more_lines_than_colours_differ_by_dashes():
    rows = [{"line": f"m{n}", "p": 1.0} for n in range(12)]
    spec = dashed({"data": {"values": rows}, "encoding": {"color": {"field": "line", "type": "nominal"}}})
    dash = spec["encoding"]["strokeDash"]["scale"]
    assert spec["encoding"]["color"]["scale"]["domain"] == dash["domain"]
    looks = {(n % 8, tuple(dash["range"][n])) for n in range(12)}
    assert len(looks) == 12
