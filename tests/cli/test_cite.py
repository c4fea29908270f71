"""BibTeX entries by the names of metrics, methods and tests, and of irassay itself."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

from irassay.bibliography import entries, parsed_entries, plain_text
from irassay.cli.cite import cite
from irassay.declarations import index
from irassay.errors import InputError
from irassay.metrics.grammar import catalogue
from irassay.stats.tests import TESTS


def keys(*names: str) -> list[str]:
    return [entry.key for entry in parsed_entries(cite(names))]


def test_without_names_it_is_irassay_itself_as_in_citation_cff() -> None:
    (entry,) = parsed_entries(cite())
    facts = dict(
        re.findall(r"^(\w[\w-]*): *\"?(.+?)\"?$", (Path(__file__).parents[2] / "CITATION.cff").read_text(), re.M)
    )
    assert (entry.key, entry.kind, entry.field("version")) == ("irassay", "software", version("irassay"))
    assert entry.field("title").lower() == facts["title"].lower()
    assert f"- name: {entry.field('author')}" in (Path(__file__).parents[2] / "CITATION.cff").read_text()
    assert entry.field("version") == facts["version"]
    assert entry.field("year") == facts.get("date-released", entry.field("year"))[:4]


@pytest.mark.parametrize(
    ("name", "works"),
    [
        ("RBP", ["moffat2008"]),
        ("rbp.95", ["moffat2008"]),
        ("ndcg_cut_10", ["jarvelin2002"]),
        ("recip_rank", ["voorhees1999"]),
        ("MAP-IA", ["agrawal2009"]),
        ("D#-nDCG@10", ["sakai2011"]),
        ("AP(A='ERG')", ["chen2023"]),
        ("IA(metric='ERR@5')", ["agrawal2009", "chapelle2009"]),
        ("tukey", ["carterette2012"]),
        ("similarity", list(index()["commands"]["meta similarity"]["cite"])),
        ("meta similarity", list(index()["commands"]["meta similarity"]["cite"])),
        ("score", ["irassay"]),
    ],
)
def test_names_of_metrics_commands_and_tests(name: str, works: list[str]) -> None:
    assert keys(name) == works


def test_a_work_is_printed_once_and_a_command_may_be_two_words() -> None:
    assert keys("RBP", "RBP_resid", "meta", "similarity") == [
        "moffat2008",
        *index()["commands"]["meta similarity"]["cite"],
    ]


def test_everything_that_is_declared_can_be_cited() -> None:
    for name in (*catalogue(), *index()["commands"], *TESTS):
        assert {*keys(name)} <= entries().keys()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RBBP", "There is no metric, command or test RBBP; did you mean RBP?"),
        ("discriminatio", "did you mean discrimination?"),
        ("zzz", "irassay metrics and irassay help list them."),
        ("RBP(p=7)", "p must be a number above 0 and below 1"),
        ("", "There is no metric"),
    ],
)
def test_unknown_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        cite((name,))


def test_accents_stay_latex() -> None:
    assert 'J{\\"a}rvelin' in cite(("nDCG",)) and "Järvelin" in plain_text(cite(("nDCG",)))
