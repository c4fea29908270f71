"""Every reference can be read, and unknown keys are reported."""

import re

from irassay.bibliography import cited_works, entries


def test_every_reference_can_be_read():
    for entry in entries().values():
        assert entry.field("title") and entry.field("year")
        assert not re.search(r"[\\{}]", entry.reference)
        assert entry.bibtex.count("{") == entry.bibtex.count("}") and entry.bibtex.count("@") == 1
        names = re.findall(r"^ +(\w+) *=", entry.bibtex, re.M)
        assert len(names) == len(set(names)), entry.key
    works, unknown = cited_works(["chen2023", "nobody1999", "chen2023"])
    assert [entry.key for entry in works] == ["chen2023"]
    assert unknown == ["nobody1999"]
