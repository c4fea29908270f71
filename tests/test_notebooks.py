"""The notebooks under examples/ run from the first cell to the last, and their charts need no network."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import irassay as ia

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

EXAMPLES = Path(__file__).parents[1] / "examples"
NEEDS = {"paper_table": "pyterrier"}
VEGA_LITE = "application/vnd.vegalite.v6+json"


def result_texts(outputs: Iterable[Any]) -> list[str]:
    """The text of the outputs that are results of irassay."""
    shown = [output.get("data", {}) for output in outputs]
    return [data["text/plain"] for data in shown if 'class="irassay"' in data.get("text/html", "")]


@pytest.mark.parametrize("name", ["paper_table", "my_metric", "model_labels"])
def test_notebooks_run(name: str) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    stored = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    kinds, answers = [set(output.get("data", {})) for output in stored], result_texts(stored)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert [set(output.get("data", {})) for output in outputs] == kinds
    assert result_texts(outputs) == answers, "the notebook shows older sentences; execute it again"
    charts = [output["data"] for output in outputs if VEGA_LITE in output.get("data", {})]
    assert charts and all(chart["image/png"] and "text/html" not in chart for chart in charts)


def test_an_input_error_is_one_sentence_in_a_notebook() -> None:
    cell = nbformat.v4.new_code_cell("import irassay as ia\nia.score('nowhere.run', 'nowhere.txt', ['AP'])")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    nbclient.NotebookClient(notebook, timeout=60, allow_errors=True).execute()
    (error,) = (output for output in notebook.cells[0].outputs if output.output_type == "error")
    assert error.traceback == ["InputError: There is no file nowhere.txt."]


def test_a_renderer_that_the_user_chose_is_used() -> None:
    import altair as alt

    chart = ia.explain("RBP", "1,0").plot()
    assert set(chart._repr_mimebundle_()) == {VEGA_LITE, "image/png", "text/plain"}
    with alt.renderers.enable("json"):
        assert "image/png" not in chart._repr_mimebundle_()[0]
    assert set(chart.properties(width=100)._repr_mimebundle_()) == {VEGA_LITE, "image/png", "text/plain"}
