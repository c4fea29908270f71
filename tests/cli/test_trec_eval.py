"""`irassay trec_eval` prints what trec_eval 10 printed, byte for byte."""

import re
from pathlib import Path

import pytest

from irassay.cli.program import run as irassay

VARIANTS = {
    "all_trec": ["-q", "-m", "all_trec"],
    "c.all_trec": ["-q", "-c", "-m", "all_trec"],
    "l2": ["-q", "-m", "all_trec", "-l2"],
    "J": ["-q", "-m", "all_trec", "-J"],
    "M5": ["-q", "-m", "all_trec", "-M", "5"],
    "rbp": ["-q", "-m", "rbp", "-m", "rbp_resid"],
    "gains137": ["-q", "-m", "ndcg.1=1,2=3,3=7"],
}


@pytest.mark.parametrize("name", ["runA", "runB", "runC"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_output_is_byte_for_byte_that_of_trec_eval(
    oracles: Path, capsys: pytest.CaptureFixture[str], name: str, variant: str
) -> None:
    inputs = oracles / "inputs" / "adhoc"
    qrels = inputs / ("qrels.txt" if variant.startswith("c.") else "qrels_no7.txt")
    expected = (oracles / "trec_eval" / f"{name}.{variant}.txt").read_text()
    if variant in ("l2", "J", "M5"):  # these were made with some measures only
        asked = sorted({re.sub(r"_(\d[\d.]*)$", r".\1", line.split()[0]) for line in expected.splitlines()})
        if variant != "M5":
            asked = sorted({one.split(".")[0] for one in asked})
        words = [*VARIANTS[variant][3:], "-q", *(word for one in asked for word in ("-m", one))]
    else:
        words = VARIANTS[variant]
    if variant == "gains137":  # two calls, one after another
        expected = "".join(line for line in expected.splitlines(True) if line.startswith("ndcg"))
    assert irassay(["trec_eval", *words, str(qrels), str(inputs / f"{name}.txt")]) == 0
    assert capsys.readouterr().out == expected
