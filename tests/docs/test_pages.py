"""A quick check of the site without building it: its generated pages are well formed, and its data are complete."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import irassay
from irassay.declarations import index
from irassay.metrics.catalogue import FAMILIES
from irassay.metrics.declaration import NEED_MESSAGES
from irassay.metrics.grammar import catalogue, parse
from irassay.reports.headings import HEADINGS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)#\s]+\.md)[^)]*\)")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of the atlas, the reference and the oracles, by their paths in docs/generated."""
    sys.path.insert(0, str(DOCS / "_extensions"))
    try:
        import full_names  # noqa: F401
        import method_advice  # noqa: F401
        import metric_pages  # noqa: F401
        from atlas_pages import atlas_pages
        from oracle_pages import oracle_pages
        from reference_pages import reference_pages
    finally:
        sys.path.remove(str(DOCS / "_extensions"))
    folders = {
        "atlas": atlas_pages(tmp_path_factory.mktemp("pictures")),
        "reference": reference_pages(),
        "trust": oracle_pages(),
    }
    return {f"{folder}/{name}.md": text for folder, pages in folders.items() for name, text in pages}


def generated_names(generated: dict[str, str]) -> set[str]:
    """The paths of all generated pages, in docs/generated."""
    metrics = (f"metrics/{name}.md" for name in (*(each.name for each in catalogue().values()), "index"))
    commands = (f"commands/{name.replace(' ', '-')}.md" for name in (*index()["commands"], "index"))
    return {*generated, *metrics, *commands}


def prose_lines(text: str) -> Iterator[str]:
    """The lines that are in no block of code."""
    inside = False
    for line in text.splitlines():
        if line.startswith("```") and "{" not in line:
            inside = not inside
        elif not inside:
            yield line


def test_generated_pages_have_one_title_and_whole_tables(generated: dict[str, str]) -> None:
    for path, text in generated.items():
        lines = list(prose_lines(text))
        assert sum(line.startswith("# ") for line in lines) == 1, path
        width = 0
        for line in lines:
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            assert cells == width or not width or not cells, (path, line)
            width = cells


def test_links_of_generated_pages_lead_to_pages(generated: dict[str, str]) -> None:
    known = generated_names(generated)
    for path, text in generated.items():
        for link in LINK.findall(text):
            target = (DOCS / "generated" / path).parent.joinpath(link).resolve()
            is_generated = target.is_relative_to(DOCS / "generated")
            assert str(target.relative_to(DOCS / "generated")) in known if is_generated else target.exists(), (
                path,
                link,
            )


def test_every_column_and_every_function_is_on_a_page(generated: dict[str, str]) -> None:
    assert [each for each in HEADINGS if f"`{each}`".replace("|", "\\|") not in generated["reference/columns.md"]] == []
    named = generated["reference/python.md"]
    public = (name for name in irassay.__all__ if name not in ("meta", "papers", "stats", "__version__"))
    assert [name for name in public if f"### {name}\n" not in named] == []
    assert "missing: Literal['zero', 'skip', 'error'] = 'zero'," in named  # with its default
    assert "| `gain` | `Floats` | [n, depth] the gain of each result" in generated["reference/metric-author.md"]


@pytest.mark.usefixtures("forgotten")
def test_the_example_of_a_metric_scores(generated: dict[str, str], tmp_path: Path) -> None:
    code = generated["reference/metric-author.md"].split("```python\n")[1].split("```")[0]
    (tmp_path / "mine.py").write_text(code)
    irassay.define(tmp_path / "mine.py")
    scores = irassay.parse("FoundEarly@4").score(irassay.Rankings.of([[2, 0, 1, 1], [0, 0, 1, 1]]))
    assert scores.tolist() == pytest.approx([0.5, 0.0])


def test_every_test_of_metrics_says_when_to_use_it(generated: dict[str, str]) -> None:
    from method_advice import ADVICE  # found by the fixture

    commands = set(index()["commands"])
    assert ADVICE.keys() <= commands
    assert {name for name in commands if name.startswith("meta ")} <= ADVICE.keys()


def test_the_readme_names_every_command_and_the_verification_page_every_method() -> None:
    texts = {"": ROOT / "README.md", "meta ": DOCS / "verification.md"}
    for start, path in texts.items():
        words = set(re.findall(r"[\w]+", path.read_text(encoding="utf-8")))
        assert [name for name in index()["commands"] if name.startswith(start) and name.split()[-1] not in words] == []


def test_full_names_are_of_metrics(generated: dict[str, str]) -> None:
    from full_names import FULL_NAMES  # found by the fixture

    assert FULL_NAMES.keys() <= {each.name for each in catalogue().values()}


def test_formulas_become_mathml_without_a_command_left() -> None:
    converter = pytest.importorskip(
        "latex2mathml.converter", reason="needs latex2mathml; `make docs-setup` installs it"
    )
    formulas = {name: converter.convert(metric.declaration.formula) for name, metric in catalogue().items()}
    assert [name for name, text in formulas.items() if re.search(r"\\[^_#]", text)] == []


def test_the_atlas_is_of_metrics_that_there_are() -> None:
    names = {each.name for each in catalogue().values()}
    metrics = set()
    for path in (DOCS / "atlas").glob("*.json"):
        found = json.loads(path.read_text(encoding="utf-8"))
        size = len(found["metrics"])
        assert {each["name"] for each in found["metrics"]} <= names
        assert all(str(parse(each["spelling"])) == each["spelling"] for each in found["metrics"])
        assert all(len(values) == size for part in found["criteria"].values() for values in part.values())
        assert [len(row) for row in found["tau"]] == [size] * size
        metrics |= {each["spelling"] for each in found["metrics"]}
    assert len(metrics) >= 40


def test_the_messages_are_those_that_the_program_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from irassay.cli import main

    irassay.simulate(1, 12, 6).write(tmp_path)
    run = (tmp_path / "runs" / "T1-diverse.txt").read_text().splitlines(keepends=True)
    (tmp_path / "twice.txt").write_text("".join([*run[:3], run[0]]))
    (tmp_path / "qrels.other.txt").write_text(
        re.sub("^", "x", (tmp_path / "qrels.txt").read_text().strip(), flags=re.M)
    )
    monkeypatch.chdir(tmp_path)
    lines = (DOCS / "messages.md").read_text(encoding="utf-8").splitlines()
    pairs = [(line, lines[n + 1]) for n, line in enumerate(lines) if line.startswith("$ ")]
    assert len(pairs) > 7
    for line, message in pairs:
        monkeypatch.setattr("sys.argv", shlex.split(line.removeprefix("$ ")))
        with pytest.raises(SystemExit) as ended:
            main()
        assert (ended.value.code, capsys.readouterr().err.strip()) == (2, message), line


def test_every_metric_has_a_family_and_a_worked_ranking(generated: dict[str, str]) -> None:
    from file_examples import file_example_blocks  # found by the fixture
    from metric_pages import overview, worked_example

    page = overview(list(catalogue().values()))
    assert [heading for heading in FAMILIES.values() if f"## {heading}\n" not in page] == []
    for metric in catalogue().values():
        if text := "\n".join(file_example_blocks(metric.name)):
            assert metric.name in text
        else:
            example, _ = worked_example(metric)
            assert example.metric.name == metric.name


def test_every_error_code_is_explained() -> None:
    page = (DOCS / "messages.md").read_text(encoding="utf-8")
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "irassay").rglob("*.py"))
    codes = {*re.findall(r'code="([a-z-]+)"', source), *(f"needs-{need}" for need in NEED_MESSAGES)}
    assert len(codes) > 15
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []


@pytest.mark.parametrize(
    ("metric", "code"),
    [
        ("ERR(max_grade=2)", "grade-above-scale"), ("GAP", "probability-per-grade"), ("alpha_nDCG@10", "no-subtopics"),
        ("CT@3", "needs-turns"), ("TBG", "needs-lengths"), ("RBPP", "no-metric"), ("nDCG@@10", "not-a-metric"),
    ],
)  # fmt: skip
def test_errors_about_a_metric_have_the_codes_of_the_page(metric: str, code: str) -> None:
    simulated = irassay.simulate(1, 4, 2)
    with pytest.raises(irassay.InputError) as raised:
        irassay.score(simulated.runs, simulated.qrels, [metric])
    assert raised.value.code == code


def test_spelling() -> None:
    codespell = shutil.which("codespell", path=str(Path(sys.executable).parent)) or shutil.which("codespell")
    if codespell is None:
        pytest.skip("needs codespell")
    pages = [*ROOT.glob("*.md"), *DOCS.glob("*.md"), *DOCS.glob("[!_g]*/**/*.md"), ROOT / "irassay" / "index.json"]
    result = subprocess.run(
        [codespell, "--ignore-words-list", "ttest", *map(str, pages)], capture_output=True, text=True
    )
    assert result.stdout == ""
