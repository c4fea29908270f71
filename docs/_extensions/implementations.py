"""Who else implements a metric, and where tools and papers differ: from one table and from the page of errata."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from irassay.metrics.metric import Metric

PLAIN_WORDS = {"precision", "recall", "hit", "hits", "success", "utility"}  # names that also mean something else
ERRATA = Path(__file__).parents[1] / "errata.md"

# Metrics by tool, in irassay's names. What trec_eval implements is declared with each metric.
TOOLS = {
    "ir_measures (and PyTerrier, which uses it)": (
        "AP AP_IA Accuracy BPM bpref Compat ERR ERR_IA INSQ INST IPrec Judged RR nDCG NERR8 NERR9 NERR10 NERR11 NRBP "
        "NumQ NumRel NumRelRet NumRet P P_IA R RBP Rprec SDCG SetAP SetF RelP StRecall Success alpha_DCG "
        "alpha_nDCG infAP nERR_IA nNRBP"
    ),
    "ranx": "AP bpref DCG SetF Success Hits nDCG P Rprec RBP R RR",
    "cwl_eval": "P SDCG RBP INSQ INST NERR8 NERR9 NERR10 NERR11 AP RR BPM IFT TBG U SET TrAP",
    "gdeval": "nDCG ERR",
    "ndeval and pyndeval": "StRecall alpha_DCG alpha_nDCG ERR_IA nERR_IA NRBP nNRBP AP_IA P_IA",
    "NTCIREVAL": "AP RR P Success nDCG Q ERR nERR RBP O P_measure P_plus NCU StRecall D_nDCG D_Q Dsharp_nDCG Dsharp_Q",
    "trec-dd-jig": "CT ACT nCT EU nEU sDCG nsDCG",
    "ir_metrics (jiang2016)": "P RBP GP GRBP DCG nDCG AP GAP RR ERR TBG U sDCG nsDCG esNDCG",
    "the authors' program": "RBU Compat",
}


def implementing_tools(metric: Metric) -> list[str]:
    """The tools that implement a metric, trec_eval first."""
    tools = ["trec_eval"] if metric.declaration.trec_eval else []
    return tools + [tool for tool, names in TOOLS.items() if metric.name in names.split()]


@dataclass(frozen=True)
class Erratum:
    """One item of the page of errata."""

    section: str
    lead: str  # what it prints in bold, or its first sentence
    sentence: str  # its first sentence
    text: str  # all of it, with its commands


@cache
def errata_items() -> list[Erratum]:
    """Every item of the page of errata."""
    items, section = [], ""
    for block in re.split(r"\n(?=### |(?:- |\d+\. ))", ERRATA.read_text(encoding="utf-8")):
        if block.startswith("### "):
            section = block.split("\n")[0].removeprefix("### ")
        elif section and (item := re.match(r"(?:- |\d+\. )(.*)", block, re.S)):
            text, prose = item[1], " ".join(item[1].partition("```")[0].split())
            sentence = re.split(r"(?<=\.) (?=\w)|: ", prose.replace("**", ""))[0].rstrip(".")
            bold = re.match(r"\*\*(.+?)\*\*", prose)
            items.append(Erratum(section, bold[1] if bold else sentence, sentence, text))
    return items


def differences(metric: Metric) -> Iterator[str]:
    """A link to each item of the errata that is about a metric: its lead or one of its commands names it."""
    others = (name for name in metric.declaration.all_aliases if len(name) > 1 and name not in PLAIN_WORDS)
    names = "|".join(map(re.escape, [*others, *([metric.name] if len(metric.name) > 1 else [])]))
    in_lead = re.compile(rf"(?<![\w@-])(?:{names})(?![\w-])" if names else "$^")
    in_command = re.compile(rf"""(?:explain |-m )"?{re.escape(metric.name)}(?![\w-])""")
    for item in errata_items():
        if in_lead.search(item.lead) or in_command.search(item.text):
            yield f"[{item.section}](../../errata.md#{anchor(item.section)}): {item.sentence}."


def anchor(heading: str) -> str:
    """The anchor that MyST gives to a heading.

    >>> anchor("moffat2012: Models and Metrics"), anchor("C/W/L/A")
    ('moffat2012-models-and-metrics', 'cwla')
    """
    return re.sub(r"[^\w\- ]", "", heading.lower().replace("/", "")).replace(" ", "-")
