"""The pages of metrics: what formulas mean, who else implements a metric, and where tools differ."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from irassay.metrics.grammar import catalogue, parse

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def extensions(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:  # other tests import them from elsewhere, or not at all
        if name in ("formula_symbols", "implementations"):
            del sys.modules[name]


def test_every_symbol_of_the_table_is_in_a_formula_and_parameters_are_left_to_their_own_table() -> None:
    from formula_symbols import NAMED, SYMBOLS, symbol_meanings

    explained = {name: list(symbol_meanings(metric.declaration)) for name, metric in catalogue().items()}
    used = {meaning for meanings in explained.values() for meaning in meanings}
    assert {*SYMBOLS.values(), *NAMED.values()} <= used
    assert not any(meaning.startswith("$N$") for meaning in explained["utility"])  # its own parameter
    assert {name for name, meanings in explained.items() if not meanings} == set()


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("P", "the length of the list"),
        ("nDCG", "there is no limit"),
        ("Q", "there is no limit"),
        ("alpha_DCG", "there is no limit"),
        ("CT", "the number of iterations"),
    ],
)
def test_what_a_formula_means_without_a_cutoff(metric: str, words: str) -> None:
    from formula_symbols import symbol_meanings

    assert f"$k$: the cutoff; without one, {words}" in list(symbol_meanings(parse(metric).declaration))


@pytest.mark.parametrize("name", catalogue())
def test_every_formula_is_converted_whole(name: str) -> None:
    convert = pytest.importorskip(
        "latex2mathml.converter", reason="only the build of the documentation needs it"
    ).convert
    declaration = catalogue()[name].declaration
    for formula in (declaration.formula, *([declaration.with_A.formula] if declaration.with_A else ())):
        assert formula.count("{") == formula.count("}")
        several = rf"\begin{{split}}{formula}\end{{split}}" if r"\\" in formula else formula
        texts = re.sub(r"<[^>]*>", "", convert(several))
        assert not re.search(r"\\(?![_#])|&(?!#)", texts), "a command that the converter does not know"


def test_tools_implement_metrics_that_there_are() -> None:
    from implementations import TOOLS, implementing_tools

    for names in TOOLS.values():
        assert {*names.split()} <= catalogue().keys()
    assert implementing_tools(parse("RR"))[:2] == ["trec_eval", "ir_measures (and PyTerrier, which uses it)"]
    assert implementing_tools(parse("sINSQ")) == []


def test_the_metrics_of_ir_measures_are_those_of_its_registry() -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="compared where it is installed")
    from implementations import TOOLS

    own = (
        name for name, each in ir_measures.measures.registry.items() if type(each).__module__.startswith("ir_measures")
    )
    theirs = {parse(name).name for name in own}  # without those that other tests added
    listed = next(names for tool, names in TOOLS.items() if tool.startswith("ir_measures"))
    assert {*listed.split()} <= theirs
    assert {*listed.split()} >= {parse(name).name for name in ("P", "SetP", "nDCG", "RBP", "Compat", "α_nDCG", "infAP")}


def test_an_erratum_is_on_the_page_of_the_metric_that_it_is_about_and_links_to_its_heading() -> None:
    from implementations import anchor, differences, errata_items

    headings = re.findall(r"^### (.+)$", (DOCS / "errata.md").read_text(encoding="utf-8"), re.M)
    assert {item.section for item in errata_items()} == {*headings}
    assert anchor("chen2023: C/W/L/A") == "chen2023-cwla"
    found = {name: list(differences(parse(name))) for name in ("bpref", "P", "SET", "alpha_nDCG", "CT", "sINSQ")}
    assert [item.partition("]")[0] for item in found["bpref"]] == ["[ranx"]
    assert found["SET"] == ["[cwl_eval](../../errata.md#cwl_eval): SET starts one rank late."]
    assert len(found["alpha_nDCG"]) == 2 and len(found["CT"]) == 3
    assert found["P"] == found["sINSQ"] == []  # 'precision' is also a word
