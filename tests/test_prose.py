"""What may have been meant by a word that is not known."""

import subprocess
import sys

import pytest

from irassay.errors import InputError
from irassay.metrics.grammar import parse
from irassay.metrics.trec_measures import requested_measures
from irassay.prose import closest_names
from irassay.stats.paired_test import PairedTest


@pytest.mark.parametrize(
    ("text", "suggested"),
    [
        ("ngcd", "nDCG"),
        ("dncg", "nDCG"),
        ("RPB", "RBP"),
        ("nDGC@10", "nDCG@10"),
        ("ndcg10", "nDCG@10"),
        ("P10", "P@10"),
        ("alpha-ndcg@10", "alpha_nDCG@10"),
        ("nDGC(gain='exp')@10", "nDCG(gain='exp')@10"),
        ("recip_rnk", "RR"),
        ("S@10", "Success@10"),
    ],
)
def test_a_metric_nearly_right_is_suggested_as_it_would_be_typed(text: str, suggested: str) -> None:
    with pytest.raises(InputError, match="did you mean") as refused:
        parse(text)
    assert f"did you mean {suggested}?" in str(refused.value)
    assert parse(suggested)


@pytest.mark.parametrize("text", ["foo", "nDCG@@10", "ndcg@10)", "x+y", "user"])
def test_nothing_is_suggested_where_nothing_is_near(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(text)
    assert "did you mean" not in str(refused.value)


def test_names_of_other_tools_are_known() -> None:
    with pytest.raises(InputError, match=r"must be one of .*; did you mean t\?"):
        PairedTest("ttest")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"did you mean P\.10\?"):
        requested_measures(["P_10"])
    assert closest_names("fdr", ["none", "bh", "by"]) == ["bh"]
    assert closest_names("T-test", ["max-t", "t"]) == ["t"]


@pytest.mark.parametrize(
    ("words", "suggested"),
    [
        (["scroe"], "score"),
        (["mta", "similarity"], "meta similarity"),
        (["discrimination"], "meta discrimination"),
        (["compare", "q", "r", "--tset", "t"], "--test"),
        (["compare", "q", "r", "--corect", "holm"], "--correct"),
        (["compare", "q", "r", "--test", "tukeyhsd"], "tukey"),
        (["compare", "q", "r", "--correct", "fdr"], "bh"),
        (["trec_eval", "-m", "ndcg_cut_10", "q", "r"], "ndcg_cut.10"),
        (["eval", "q", "r"], "score or trec_eval"),
        (["compare", "q", "r", "--level", "0.1"], "--alpha"),
        (["compare", "q", "r", "--significance=0.1"], "--alpha"),
        (["compare", "q", "r", "--format", "tex"], "latex"),
        (["score", "q", "r", "--out", "x"], "--output"),
    ],
)
def test_commands_and_options_nearly_right_are_suggested(words: list[str], suggested: str) -> None:
    done = subprocess.run([sys.executable, "-m", "irassay", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and f"did you mean {suggested}?" in done.stderr


def test_very_long_names_are_compared_in_no_time() -> None:
    assert closest_names("x" * 100_000, ["y" * 100_000, "AP"]) == []
    assert closest_names("AP" * 5000, ["AP" * 5000 + "x"]) == ["AP" * 5000 + "x"]
