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
    names = {"like AP, low": "like AP, low, less alike", "exponential, unequal scales": "exponential, scales .5 to 2"}
    for shape, (max_t, t_holm, *_) in found.items():
        assert f"{names.get(shape, shape)} {rounded(max_t)} {rounded(t_holm)}" in told, shape
    most = [max(rates[2][at] for rates in found.values()) for at in range(3)]
    assert f"bootstrap-max-t in at most {rounded(most)} %" in told


def test_the_notes_on_skewness_are_those_of_the_finished_run() -> None:
    lines = (FOLDER / "README.md").read_text().replace("**", "").splitlines()
    (line,) = (line for line in lines if line.startswith("| exponential, 1 to 8 | 15 | all pairs |"))
    columns = [[int(float(x) + 0.5) for x in cell.split("/")] for cell in line.strip("|").split("|")[3:5]]
    assert dict(zip((10, 25, 50), zip(*columns, strict=True), strict=True)) == SIMULATED
