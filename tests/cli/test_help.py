"""Help shows how to use a command, its examples run, and shells complete commands, options and values."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from irassay.cli.completion import completion
from irassay.cli.help import command_help
from irassay.cli.index import project_urls
from irassay.cli.program import run
from irassay.declarations import index
from irassay.errors import InputError
from irassay.simulation import simulate
from tests.support.example_files import write_example_files

COMMANDS = index()["commands"]
EXAMPLES = [line for entry in COMMANDS.values() for line in entry["examples"]]
ELSEWHERE = (
    "irassay demo",
    "irassay lab",
    "irassay reproduce",
)  # run by tests of their own, or in need of published data
HERE = {"PYTHONPATH": str(Path(__file__).parents[2])}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that examples name."""
    folder = tmp_path_factory.mktemp("examples")
    write_example_files(folder, simulate(1, 8, 6))
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example_which_help_shows(command: str) -> None:
    examples = COMMANDS[command]["examples"]
    assert examples
    assert all(line.startswith(f"irassay {command} ") for line in examples)
    shown = command_help(command, COMMANDS[command])
    assert all(f"\n  {line}" in shown for line in examples)


@pytest.mark.parametrize("line", [line for line in EXAMPLES if not line.startswith(ELSEWHERE)])
def test_every_example_runs(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split(line.partition(" > ")[0])[1:]
    if "--define" in words:  # which stays for the rest of a process
        subprocess.run([sys.executable, "-m", "irassay", *words], env=os.environ | HERE, check=True)
        return
    assert run(words) == 0
    assert any(capsys.readouterr())


def test_help_is_a_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    def output_of(*words: str) -> str:
        assert run(words) == 0
        return capsys.readouterr().out

    assert output_of("help") == output_of("--help")
    assert output_of("help", "score") == output_of("score", "--help")
    assert output_of("help", "meta") == output_of("meta", "--help")
    assert output_of("help", "meta", "similarity") == output_of("meta", "similarity", "--help")
    with pytest.raises(InputError, match="There is no command scor; did you mean score"):
        run(["help", "scor"])
    with pytest.raises(InputError, match="There is no command meta topics; did you mean topics"):
        run(["meta", "topics"])


def completions(*words: str, shell: str = "bash") -> list[str]:
    """The completions that bash offers for the last word."""
    script = (
        completion("bash")
        + f"""
COMP_WORDS=({" ".join(shlex.quote(word) for word in words)}); COMP_CWORD={len(words) - 1}
_irassay; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    )
    done = subprocess.run([shell, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_options_values_and_metrics() -> None:
    assert completions("irassay", "sc") == ["score"]
    assert completions("irassay", "meta", "dis") == ["discrimination"]
    assert completions("irassay", "help", "scor") == ["score"]
    assert completions("irassay", "score", "--ord") == ["--order"]
    assert completions("irassay", "score", "--order", "") == ["score", "rank", "file"]
    assert completions("irassay", "score", "--order", "=", "ra") == ["rank"]
    assert completions("irassay", "score", "qrels.txt", "-m", "alpha_n") == ["alpha_nDCG"]
    assert completions("irassay", "score", "--run-format", "js") == ["json", "jsonl"]
    assert completions("irassay", "explain", "INS") == ["INSQ", "INST"]
    assert completions("irassay", "score", "qre") == []  # files are bash's to complete


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_knows_every_command_and_option(shell: str) -> None:
    script = completion(shell)  # type: ignore[arg-type]
    for name, entry in COMMANDS.items():
        assert name.split()[-1] in script
        for flag in (flag for argument in entry["arguments"] for flag in argument.get("flags", ())):
            assert (flag.lstrip("-") if shell == "fish" else flag) in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("irassay sc", "score"),
        ("irassay score q --missing=s", "--missing=skip"),
        ("irassay score q -m nDCG@", "nDCG@10"),
    ],
)
def test_fish_completes(tmp_path: Path, line: str, found: str) -> None:
    (tmp_path / "irassay.fish").write_text(completion("fish"))
    command = f"source {tmp_path / 'irassay.fish'}; complete -C '{line}'"
    output = subprocess.run(["fish", "--no-config", "-c", command], capture_output=True, text=True, check=True).stdout
    assert found in [offer.split("\t")[0] for offer in output.splitlines()]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_zsh_reads_its_script(tmp_path: Path) -> None:
    (tmp_path / "_irassay").write_text(completion("zsh"))
    assert subprocess.run(["zsh", "-n", str(tmp_path / "_irassay")], check=False).returncode == 0


def test_no_help_ends_where_an_example_was_left_out() -> None:
    for name, entry in index()["commands"].items():
        assert not entry.get("more", "").rstrip().endswith((":", ",")), name


def test_help_ends_with_the_address_of_its_page_if_the_project_has_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = {"--help": "", "help meta": "", "help meta consistency": "generated/commands/meta-consistency.html"}
    for words, page in pages.items():
        monkeypatch.setitem(index()["urls"], "Documentation", "https://docs.example.org")
        assert run(words.split()) == 0
        assert capsys.readouterr().out.endswith(f"\nDocumentation: https://docs.example.org/{page}\n")
        monkeypatch.delitem(index()["urls"], "Documentation")
        assert run(words.split()) == 0
        assert "Documentation:" not in capsys.readouterr().out


def test_the_addresses_in_the_index_are_those_of_the_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("irassay.cli.index.PACKAGE", tmp_path / "irassay")
    for urls in ("", '[project.urls]\nDocumentation = "https://docs.example.org"'):
        (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "irassay"\n{urls}', encoding="utf-8")
        assert project_urls() == ({"Documentation": "https://docs.example.org"} if urls else {})
