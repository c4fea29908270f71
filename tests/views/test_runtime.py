"""The script that draws charts on a page: made once, and kept where it can be."""

from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.views import theme
from irassay.views.theme import runtime


def test_the_script_of_charts_is_made_once_and_kept_if_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(theme, "subprocess_call", lambda how, snippet: made.append(snippet) or "say('</script>\u00e9')")
    for folder, times in ((tmp_path / "kept", 1), (tmp_path / "a file" / "kept", 2)):
        (tmp_path / "a file").write_text("")
        monkeypatch.setenv("IRASSAY_CACHE", str(folder))
        made.clear()
        for _ in range(2):
            runtime.cache_clear()
            assert runtime() == "say('<\\/script>\u00e9')"
        assert len(made) == times
    runtime.cache_clear()


def test_a_picture_is_drawn_only_to_a_file_of_a_kind_that_is_known(tmp_path: Path) -> None:
    scores = ia.Scores(np.random.default_rng(0).random((3, 6, 1)), tuple("abc"), tuple("123456"), ("AP",))
    with pytest.raises(ia.InputError, match=r"must end in \.svg or \.png or \.pdf or \.html"):
        ia.compare(scores).plot(tmp_path / "a.docx")
    assert not list(tmp_path.iterdir())
