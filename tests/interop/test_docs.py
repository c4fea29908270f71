"""The programs in docs/interop.md run."""

import re
import warnings
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "interop.md"


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning")
def test_the_programs_of_the_page_run(
    oracles: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ir_measures")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("pyterrier")
    monkeypatch.chdir(oracles / "inputs/adhoc")
    programs = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(programs) == 3
    names: dict[str, object] = {}
    for program in programs:
        exec(program, names)
    printed = capsys.readouterr().out
    assert "irassay_INST(T=2.25,A='MAX')" in printed and r"\toprule" in printed
