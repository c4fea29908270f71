"""What the README and the other pages say of commands and files is true of this tree."""

import re
import shlex
from pathlib import Path

import pytest

from irassay.cli.parser import parsed_values
from irassay.cli.program import command_and_rest
from irassay.declarations import index

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "benchmarks" / "README.md"]
PAGES = [page for page in PAGES if page.name != "CHANGELOG.md"]  # which speaks of what was, too
PAGES = [page for page in PAGES if not {"generated", "_build"} & set(page.parts)]  # `make docs` checks its own
TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
COMMAND = re.compile(r"^ *(?:\$ )?irassay (?!-)(.*)$|`irassay (?!-)([^`]*)`", re.MULTILINE)
NAMED = re.compile(r"`([\w-]+/[\w/.-]+\.(?:py|md|toml|c|json|bib))`")


def commands() -> list[tuple[str, str]]:
    """Every command that a page gives with its arguments, and the page."""
    found = [(page, one or other) for page, text in TEXTS.items() for one, other in COMMAND.findall(text)]
    return [
        (page, line)
        for page, line in dict.fromkeys(found)
        if len(line.split()) > 2 and not {"…", "PAPER"} & set(line.split()) and not is_defined_there(line)
    ]


def is_defined_there(line: str) -> bool:
    """Whether the command is a method of the page's own file."""
    return "--define" in line and line.startswith("meta ") and " ".join(line.split()[:2]) not in index()["commands"]


@pytest.mark.parametrize(("page", "line"), commands())
def test_a_command_is_one_that_the_program_takes(page: str, line: str) -> None:
    words = shlex.split(line, comments=True)
    words = words[: next((n for n, word in enumerate(words) if word in (">", "|", "2>&1")), None)]
    name, rest = command_and_rest(words, index()["commands"])
    if name != "trec_eval":  # which takes trec_eval's own options
        assert parsed_values(name, index()["commands"][name], rest)


@pytest.mark.parametrize("page", TEXTS)
def test_files_that_a_page_names_are_there(page: str) -> None:
    text = TEXTS[page]
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
    present = [link for link in links if "generated/" not in link]  # what `make docs` writes, it checks
    assert [link for link in present if not (ROOT / page).parent.joinpath(link).exists()] == []
    named = [name for name in NAMED.findall(text) if "NAME" not in name]
    assert [name for name in named if not any((ROOT / part / name).exists() for part in ("", "irassay"))] == []


def test_the_readme_counts_the_metrics() -> None:
    count = len(index()["metrics"])
    assert f"It has {count} effectiveness metrics" in TEXTS["README.md"]
