"""What the package itself says: its version, and what its metrics are."""

import pydoc
from importlib.metadata import version

import irassay as ia


def test_the_version_is_that_of_the_distribution() -> None:
    assert ia.__version__ == version("irassay") and "__version__" in dir(ia)


def test_help_describes_a_metric() -> None:
    text = pydoc.plain(pydoc.render_doc(ia.RBP))
    assert "Continues to the next result with probability p at every rank." in text
    assert "p=0.8: Probability of continuing to the next result." in text and "moffat2008" in text
    assert all(len(line) <= 80 for line in text.splitlines())
