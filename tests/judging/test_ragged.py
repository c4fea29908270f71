"""Topics with very many judgements have a pool of their own: the scores are the same, and room follows the data."""

from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.judging.judged_lists import groups_by_area
from tests.golden.cases import LISTS

ROOT = Path(__file__).parents[2]
ORACLES = ROOT / "tests/oracles/inputs"
OWN = ROOT / "tests/golden/inputs"
ADHOC = (sorted((OWN / "runs").iterdir()), ORACLES / "adhoc/qrels.txt")
DIVERSE = ([ORACLES / "diversity/divA.txt", ORACLES / "diversity/divB.txt"], ORACLES / "diversity/qrels.txt")
DYNAMIC = ([ORACLES / "dd/ddA.txt", ORACLES / "dd/ddB.txt"], ORACLES / "dd/topics.xml")
CASES = {
    "classic": (*ADHOC, {}),
    "models": (*ADHOC, {"missing": "skip", "topic_params": OWN / "topic_params.tsv"}),
    "four": (*ADHOC, {"bounds": True}),
    "aspects": (*DIVERSE, {}),
    "weights": (*DIVERSE, {"weights": OWN / "weights.txt", "bounds": True}),
    "sessions": ([OWN / "sessions"], OWN / "sessions", {}),
    "dynamic": (*DYNAMIC, {}),
    "passages": (*DYNAMIC, {"lengths": ORACLES / "dd/doc_lengths.tsv", "bounds": True}),
    "sums": (DYNAMIC[0], ORACLES / "dd/qrels_old_scorer.txt", {"qrels_format": "passage-sum"}),
}
CUBE = "CT(dialect='paper') CT(dialect='jig2016') ACT(dialect='paper') ACT(dialect='jig2016') nCT nDCG@10 P@5 AP"
METRICS = LISTS | {"weights": LISTS["aspects"], "passages": f"EU nEU {CUBE}", "sums": CUBE}


@pytest.mark.parametrize("case", CASES)
def test_pools_of_their_own_change_no_number(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, qrels, how = CASES[case]
    metrics = METRICS[case].split()
    monkeypatch.setattr("irassay.judging.scanned_runs.library", lambda: None)
    whole = ia.score(list(map(str, runs)), str(qrels), metrics, **how)
    monkeypatch.setattr("irassay.judging.judged_lists.MAX_CELLS", 0)
    monkeypatch.setattr("irassay.judging.judged_lists.CELLS_PER_RESULT", 0)
    parted = ia.score(list(map(str, runs)), str(qrels), metrics, **how)
    np.testing.assert_allclose(parted.values, whole.values, rtol=1e-12, atol=1e-14)
    assert (parted.topics, parted.notes) == (whole.topics, whole.notes)


def test_nothing_of_a_group_is_much_larger_than_the_others() -> None:
    rng = np.random.default_rng(0)
    high, wide = (10 ** rng.uniform(0, 5, (2, 3000))).astype(np.int64)
    groups = groups_by_area(high, wide)
    assert sorted(np.concatenate(groups).tolist()) == list(range(3000))
    assert sum(len(g) * int(high[g].max()) * int(wide[g].max()) for g in groups) < 4 * (high * wide).sum()
