"""The view of alternatives."""

import json

from irassay.views.view import view_of
from tests.support.examples import RESULTS


def test_points_carry_their_role() -> None:
    points = json.dumps(dict(view_of(RESULTS["alternatives"]).charts)["alternatives"]().to_dict())
    assert '"role": "reference"' in points and '"tau"' in points
