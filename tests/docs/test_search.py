"""The search of the built site finds every metric and command by each of its names, and answers to common questions."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from irassay.declarations import index
from irassay.metrics.grammar import catalogue

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, to drive a browser")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="needs Chromium, and there is none on this machine"),
    pytest.mark.skipif(not (SITE / "searchindex.js").exists(), reason="needs the site; `make docs` builds it"),
]
FIRST = 8  # results that a reader looks at
# What researchers who do not know irassay look for, and the page that answers it.
QUESTIONS = {
    "per topic scores": "questions",
    "exponential gain": "questions",
    "C/W/L": "concepts/user-models",
    "end stop": "concepts/end-of-a-list",
    "ties": "concepts/ties-and-missing-topics",
    "missing topics": "concepts/ties-and-missing-topics",
    "condensed lists": "concepts/missing-judgements",
    "RBP residual": "concepts/missing-judgements",
    "significance test": "choose/test",
    "family-wise error": "choose/test",
    "Holm correction": "generated/commands/compare",
    "confidence interval difference": "concepts/comparing-systems",
    "equivalence": "concepts/comparing-systems",
    "how many topics": "choose/topics",
    "discriminative power": "concepts/reliability",
    "validity": "concepts/reliability",
    "LLM labels": "tutorials/model-labels",
    "prediction-powered": "concepts/judges",
    "Krippendorff alpha": "generated/commands/judges",
    "PyTerrier": "tutorials/pyterrier",
    "ir_measures": "interop",
    "trec_eval flags": "tutorials/trec-eval",
    "Slurm": "cluster",
    "parallel": "cluster",
    "tools disagree": "diff",
    "own metric": "tutorials/writing-a-metric",
    "r.gain shape": "generated/reference/metric-author",
    "write an axiom": "tutorials/writing-an-axiom",
    "cite BibTeX": "generated/commands/cite",
    "may be best": "concepts/profile",
    "LaTeX table": "tutorials/paper-table",
    "CI regression": "check",
    "No topic": "messages",
    "file formats parquet": "inputs",
    "diversity subtopic": "tutorials/diversity",
    "satisfaction": "tutorials/sessions",
    "cube test": "tutorials/dynamic",
    "speed benchmark": "benchmarks",
    "verified against other tools": "generated/trust/oracles",
    "robustness": "generated/commands/meta-robustness",
    "reproduce moffat2012": "tutorials/reproducing",
    "fragility": "generated/commands/meta-fragility",
    "pandas data frame": "frames",
    "time-biased gain": "generated/metrics/TBG",
    "licence": "questions",
    "Windows": "questions",
    "contributing": "contributing",
    "tied scores": "concepts/ties-and-missing-topics",
    "negative grades": "questions",
    "ndcg differs from gdeval": "errata",
    "alpha-nDCG ndeval": "generated/metrics/alpha_nDCG",
    "number of topics": "choose/topics",
    "compact letter display": "concepts/comparing-systems",
    "LLM judgments": "tutorials/model-labels",
    "session format": "inputs",
    "dynamic domain": "tutorials/dynamic",
    "memory": "questions",
    "ranx": "tutorials/ranx",
    "own method": "tutorials/writing-a-method",
    "error code": "messages",
    "JSON schema": "json",
    "lab remote server": "lab",
    "results changed version": "json",
    "license": "questions",
    "score table": "inputs",
    "gain per grade": "questions",
    "ERG": "concepts/user-models",
    "pool depth": "questions",
    "RAG": "questions",
    "report a bug": "questions",
    "RBP persistence parameter": "questions",
    "preference judgments": "questions",
    "ir_datasets": "frames",
    "plots": "gallery",
}
SEARCH = """names => Object.fromEntries(names.map(name =>
  [name, Search._performSearch(...Search._parseQuery(name)).reverse().map(result => result[0])]))"""


def pages() -> Iterator[tuple[str, str]]:
    """Every name, and the page that it should find."""
    for metric in catalogue().values():
        for name in (metric.name, *metric.declaration.all_aliases):
            yield name, f"generated/metrics/{metric.name}"
    yield "mean average precision", "generated/metrics/AP"
    yield "normalized discounted cumulative gain", "generated/metrics/nDCG"
    for command in index()["commands"]:
        yield command, f"generated/commands/{command.replace(' ', '-')}"


def first_results(words: Iterable[str]) -> dict[str, list[str]]:
    """The first pages that the site's search finds, by what is searched for."""
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page()
        page.goto((SITE / "search.html").as_uri())
        page.wait_for_function("typeof Search !== 'undefined' && Search._index !== null")
        found = page.evaluate(SEARCH, list(words))
        chromium.close()
    return {each: results[:FIRST] for each, results in found.items()}


def test_each_name_finds_its_page_among_the_first() -> None:
    wanted = dict(pages())
    found = first_results(wanted)
    assert len(wanted) > 200
    assert [name for name, target in wanted.items() if target not in found[name]] == []


def test_each_question_finds_the_page_that_answers_it() -> None:
    found = first_results(QUESTIONS)
    assert [words for words, target in QUESTIONS.items() if target not in found[words]] == []
