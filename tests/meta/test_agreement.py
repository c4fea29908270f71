"""Agreement of significant differences: TREC-8 as in moffat2012, its class agreements, and what must add up."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.agreement import agreement, class_agreement
from irassay.meta.discrimination import discrimination
from irassay.scores import Scores
from tests.support.collections import simulated, trec8

PAIRS = (("rr", "p10"), ("rr", "ap"), ("p10", "ap"))


@pytest.mark.parametrize(
    ("test", "recorded"),
    [
        ("t", "paired t two-sided"),
        ("sign", "exact two-sided sign test, zeros dropped"),
    ],
)
def test_counts_on_trec_8(shared: Path, test: str, recorded: str) -> None:
    expected = json.loads((shared / "oracles" / "meta" / "trec8" / "expected.json").read_text())["tests"][recorded]
    found = agreement(trec8(shared), test=test)
    for one, other in PAIRS:
        assert found.of(one, other) == expected[f"{one}-{other}"]
    assert (found.power() * found.pairs).round().tolist() == list(expected["significant"].values())


def test_counts_on_trec_8_by_the_exact_wilcoxon(shared: Path, oracles: Path) -> None:
    """R's own convolution, checked there against coin (tests/oracles/r/wilcoxon.R)."""
    lines = [line.split("\t") for line in (oracles / "r/wilcoxon.tsv").read_text().splitlines()]
    found = agreement(trec8(shared), test="wilcoxon")
    assert [[w[1], w[2], *map(int, w[3:])] for w in lines if w[0] == "pair"] == [
        [one, other, *found.of(one, other).values()] for one, other in PAIRS
    ]
    power = dict(zip(found.metrics, (found.power() * found.pairs).round().tolist(), strict=True))
    assert {w[1]: float(w[2]) for w in lines if w[0] == "significant"} == power


def test_percentages_of_trec_8_printed_in_moffat2012(shared: Path) -> None:
    found = agreement(trec8(shared), test="t")
    percent = 100 / found.pairs
    assert (np.abs(100 * found.power() - [55.6, 64.5, 72.5]).round(2) <= 0.17).all()
    printed = {("rr", "p10"): (51.2, 0.0), ("rr", "ap"): (50.2, 0.3), ("p10", "ap"): (60.4, 0.0)}
    for (one, other), (same, opposite) in printed.items():
        counts = found.of(one, other)
        assert round(abs(percent * counts["SSA"] - same), 2) <= 0.17
        assert round(abs(percent * counts["SSD"] - opposite), 2) <= 0.17


def test_class_agreements_from_the_printed_parts(oracles: Path) -> None:
    """Tables 1(b) and 2(b) of moffat2012 have what their caption says above the diagonal below it."""
    with (oracles / "meta" / "classagree" / "class_agreement_recomputed.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 72
    for row in rows:
        SSA, SN, NS, NN = (np.array(float(row[name])) for name in ("SSA", "SN", "NS", "NN"))
        significant, neither = 100 * class_agreement(SSA, SN, NS), 100 * class_agreement(NN, SN, NS)
        assert significant == pytest.approx(float(row["ssa_class_recomputed"]), abs=0.0051)
        assert neither == pytest.approx(float(row["nn_class_recomputed"]), abs=0.0051)
        assert significant == pytest.approx(float(row["published_below_diagonal"]), abs=0.2)
        assert neither == pytest.approx(float(row["published_above_diagonal"]), abs=0.4)


def test_what_must_add_up() -> None:
    scores = simulated(12, 20, 4)
    found = agreement(scores, test="tukey", trials=200, seed=2)
    assert (found.pairs - found.SSA - found.SSD == found.SN + found.NS + found.NN).all()
    assert (found.SN == found.NS.T).all() and (found.SSA == found.SSA.T).all()
    assert (found.SSD.diagonal() == 0).all() and (found.SN.diagonal() == 0).all()
    assert found.power() == pytest.approx(discrimination(scores, test="tukey", trials=200, seed=2).power())
    assert found.significance_class.diagonal() == pytest.approx(1)
    dice = 2 * found.SSA / (found.SSA.diagonal()[:, None] + found.SSA.diagonal())
    assert found.significance_class[found.SSD == 0] == pytest.approx(dice[found.SSD == 0])


def test_a_constant_metric_agrees_with_nothing_and_is_flagged() -> None:
    values = simulated(6, 12, 2).values.copy()
    values[:, :, 1] = 0.5
    found = agreement(Scores(values, tuple("abcdef"), tuple(map(str, range(12))), ("AP", "flat")))
    assert found.power()[1] == 0 and np.isnan(found.significance_class[1, 1]) and found.significance_class[0, 1] == 0
    assert found.constant.tolist() == [False, True] and any("flat" in note for note in found.notes)


def test_pairs_of_metrics_that_agree_alike_share_what_is_said() -> None:
    values = np.random.default_rng(0).random((5, 20, 2)) + 0.2 * np.arange(5)[:, None, None]
    cube = np.concatenate([values, 2 * values], axis=2)
    scores = Scores(cube, tuple("abcde"), tuple(map(str, range(20))), ("AP", "RR", "AP2", "RR2"))
    sentences = " ".join(agreement(scores).view().sentences)
    assert sentences.startswith(
        "2 pairs of metrics (AP and AP2; RR and RR2) agree most: they share 100% of their significant differences"
    )
    assert "4 pairs of metrics agree least" in sentences


def test_costs_agree_with_benefits() -> None:
    values = simulated(6, 12, 1).values
    both = Scores(
        np.concatenate([values, -values], axis=2), tuple("abcdef"), tuple(map(str, range(12))), ("AP", "time")
    )
    counts = agreement(both.costs("time")).of("AP", "time")
    assert counts["SSD"] == counts["SN"] == counts["NS"] == 0 < counts["SSA"]


def test_bad_requests_are_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match="alpha must be a number of at least 1e-15 and below 1; found 5"):
        agreement(simulated(4, 6, 1), alpha=5)
    with pytest.raises(InputError, match="at least 2 systems"):
        agreement(simulated(1, 6, 1))


def test_power_is_known_at_one_level() -> None:
    found = agreement(simulated(5, 8, 2), alpha=0.1)
    assert (found.power() == found.power(0.1)).all() and found.ranked()[0][1] == found.power().max()
    with pytest.raises(InputError, match=r"alpha=0\.05: expected 0\.1"):
        found.power(0.05)
