"""A paired test is one file: what is declared there is known to the command line, the tables and the methods."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import irassay
from irassay.errors import InputError
from irassay.prose import did_you_mean
from irassay.stats.paired_test import PairedTest, find_test
from irassay.stats.tests import TESTS

TOY = '''"""A toy."""

import numpy as np

from irassay.stats.pair_tests import paired_test
from irassay.stats.paired_sample import Outcome, Sample


@paired_test("toss", "student1908", "directed banded", label="tossed coin test", short="tossed coin",
             aliases="coin headortail", caveat="A coin takes no notice of systems.")
def toss(sample: Sample, how) -> Outcome:
    """Does a coin fall on its head (a toy)?

    It has no memory.
    """
    return Outcome(sample.t, np.full(sample.t.shape, 0.25), sample.error)
'''
ASK = """
import importlib.util, json, sys
spec = importlib.util.find_spec("irassay.stats.tests")
tests = importlib.util.module_from_spec(spec)
tests.__path__.append(sys.argv[1])
sys.modules[spec.name] = tests
spec.loader.exec_module(tests)

import numpy as np
import irassay as ia
from irassay.cli.index import declared_index
from irassay.prose import did_you_mean
from irassay.views.formats import view_text

scores = ia.Scores(np.random.default_rng(1).random((3, 8, 1)), ("A", "B", "C"), tuple("12345678"), ("AP",))
index = declared_index()
choices = {tuple(record["choices"]) for key, record in index["arguments"].items()
           if key.split()[0] == "test" and "wilcoxon" in record.get("choices", ())}
compared = ia.compare(scores, test="toss", correction="holm", band=0.1)
print(json.dumps({
    "offered": all("toss" in each for each in choices) and bool(choices),
    "aliases": index["aliases"].get("coin"),
    "doc": "irassay.stats.tests.toss:toss" in index["docs"],
    "hint": did_you_mean("coin", ["t", "toss"]),
    "p": compared.by().p.tolist(),
    "text": view_text(compared.view(methods=True), "json"),
    "table": view_text(ia.table(scores, test="toss").view(), "json"),
    "power": view_text(ia.meta.discrimination(scores, test="toss").view(), "json"),
}))
"""


def test_a_file_is_all_that_a_new_test_takes(tmp_path: Path) -> None:
    (tmp_path / "toss.py").write_text(TOY)
    root = Path(irassay.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", ASK, str(tmp_path)], capture_output=True, text=True, cwd=root)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["offered"] and found["aliases"] == "toss" and found["doc"]
    assert found["hint"] == "did you mean toss?"
    assert found["p"] == [0.75, 0.75, 0.75]
    assert "two-sided tossed coin test with Holm's correction for 3 comparisons" in found["text"]
    assert "Student, 1908" in found["text"] and "It has no memory." in found["text"]
    assert "two-sided tossed coin test" in found["table"]
    assert "tossed coin, uncorrected" in found["power"] and "A coin takes no notice of systems." in found["power"]


def test_every_test_has_wording_of_its_own() -> None:
    for words in ({test.label for test in TESTS.values()}, {test.short for test in TESTS.values()}):
        assert len(words) == len(TESTS)
    assert all(test.label.endswith("test") or " test " in test.label for test in TESTS.values())
    assert all(find_test(test.one_pair_test) for test in TESTS.values() if test.one_pair_test)


@pytest.mark.parametrize("test", sorted(set(TESTS) - {"sign"}))
def test_only_a_test_that_declares_it_takes_a_dead_band(test: str) -> None:
    with pytest.raises(InputError, match="Only the sign test has a dead band"):
        PairedTest(test, band=0.1)


def test_other_names_of_a_test_lead_to_it() -> None:
    for test in TESTS.values():
        for alias in test.aliases:
            assert did_you_mean(alias, TESTS) == f"did you mean {test.name}?"
