"""Benchmarks can still be run: what they import is there. What help says of errors is what they found."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from irassay.meta.comparison import compare
from irassay.views.comparison_notes import SIMULATED

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_a_benchmark_finds_what_it_measures(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    assert callable(import_module(name).main)
    sys.modules.pop(name)


def test_the_error_rates_in_the_help_of_compare_are_those_of_the_finished_run() -> None:
    lines = (FOLDER / "README.md").read_text().replace("**", "").splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("| scores | max-t | t, holm"))
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start + 2 : start + 8]]
    found = {name: [[float(x) for x in rate.split("/")] for rate in rates] for name, *rates in cells}

    def rounded(rates: list[float]) -> str:
        return " / ".join(str(int(rate + 0.5)) for rate in rates)

    told = " ".join((compare.__doc__ or "").split())
    said = {
        "normal": "{} % of normal scores",
        "like AP": "{} % of scores like AP",
        "like AP, low": "{} % where these are low",
        "exponential, unequal scales": "{} % of exponential scores on unequal scales",
        "like P@10": "{} % like P@10",
        "like RR": "{} % like RR",
    }
    for shape, words in said.items():
        assert words.format(rounded(found[shape][0])) in told, shape
    t = [rounded(found[shape][1]) for shape in said]
    assert f"t with bonferroni or holm {', '.join(t[:-1])} and {t[-1]} %" in told
    most = [max(rates[2][at] for rates in found.values()) for at in range(3)]
    assert f"bootstrap-max-t at most {rounded(most)} %" in told


def test_the_notes_on_skewness_are_those_of_the_finished_runs() -> None:
    lines = (FOLDER / "README.md").read_text().replace("**", "").splitlines()

    def rates(start: str, column: int) -> list[list[float]]:  # [row, topics] of a line's cell
        cells = [line.strip("|").split("|") for line in lines if line.startswith(start)]
        return [[float(x) for x in row[column].split("/")] for row in cells if "/" in row[column]]

    def span(found: list[list[float]], at: int) -> str:
        low, high = (int(end([row[at] for row in found]) + 0.5) for end in (min, max))
        return f"{low} to {high}" if low < high else f"{low}"

    rows = [("| like AP, low", "| exponential, unequal scales | 1"), ("| exponential, unequal scales |",)]
    errs, holm, bootstrap = ([found for start in rows[0] for found in rates(start, column)][:2] for column in (1, 2, 3))
    misses = [found for found in rates(rows[1][0], 2) if len(found) == 3][-3:]
    for at, topics in enumerate((10, 25, 50)):
        told = SIMULATED[topics]
        assert told[:3] == (span(errs, at), span(misses, at), span(holm, at)), topics
        assert told[3].startswith(("at most 1", span(bootstrap, at))), topics
