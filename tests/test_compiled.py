"""Compiled libraries are used where they fit, and done without where they do not."""

from pathlib import Path

import pytest

from irassay.compiled import load_library
from irassay.io import scan


@pytest.mark.skipif(scan.library() is None, reason="the scanner is not compiled, or turned off")
def test_a_library_that_does_not_fit_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_library(scan.LIBRARY, scan.API_VERSION, scan.SIGNATURES) is not None
    assert load_library(scan.LIBRARY, scan.API_VERSION + 1, scan.SIGNATURES) is None
    assert load_library(scan.LIBRARY, scan.API_VERSION, {"no_such_function": "i p"}) is None
    assert load_library(tmp_path / "none.shared", 1, {}) is None
    (tmp_path / "text.shared").write_text("compiled for another machine")
    assert load_library(tmp_path / "text.shared", 1, {}) is None
    monkeypatch.setenv("IRASSAY_NATIVE", "0")
    assert load_library(scan.LIBRARY, scan.API_VERSION, scan.SIGNATURES) is None
