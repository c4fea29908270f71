"""The tour."""

import sys
from pathlib import Path
from shlex import split

from irassay.cli.demo import demo, next_commands, typed_command
from irassay.cli.program import run

COMMANDS = ("score", "compare", "report")


def test_demo_writes_the_report_and_a_summary(tmp_path):
    lines = demo(output=tmp_path / "out", topics=8, systems=6, keep=tmp_path / "kept").splitlines()
    assert (tmp_path / "out" / "report.html").is_file()
    assert (tmp_path / "kept" / "qrels.txt").is_file()
    assert lines[0] == "Simulated 6 systems on 8 topics; their true quality is known."
    assert lines[4].startswith("The report is ") and lines[4].endswith("kept, with a README.")
    assert "plain runs" in lines[3] and "their true order (tau 1.00)" in lines[3]
    assert lines[5:7] == ["", "Next:"] and len(lines) == 10


def test_the_next_commands_are_spelled_as_they_must_be_typed_and_run(tmp_path, monkeypatch, capsys):
    """Here, as a shell finds the command, by its path, and by its module."""
    demo(output=tmp_path / "out", topics=8, systems=6, keep=tmp_path / "my files")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "irassay"
    program.touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert next_commands(None)[0] == "bin/irassay demo --keep collection"
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    lines = [split(line) for line in next_commands(Path("my files"))]
    assert [words[:3] for words in lines] == [["irassay", name, "my files/qrels.txt"] for name in COMMANDS]
    for words in lines[:2]:
        assert run(words[1:]) == 0 and "T1-plain" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["somewhere/irassay/__main__.py"])
    assert typed_command().endswith(" -m irassay")
