"""References."""

import re

import pytest

from irassay.bibliography import entries, cited_works
from tests.support.assays import nine_systems

made = pytest.fixture(scope="module")(nine_systems)


def test_every_reference_can_be_read():
    for entry in entries().values():
        assert entry.field("title") and entry.field("year")
        assert not re.search(r"[\\{}]", entry.reference)
    found, unknown = cited_works(["chen2023", "nobody1999", "chen2023"])
    assert [entry.key for entry in found] == ["chen2023"]
    assert unknown == ["nobody1999"]
