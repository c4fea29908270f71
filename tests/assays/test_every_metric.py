"""A report on any metric of the catalogue is made wherever the metric scores."""

from pathlib import Path
from typing import Any

import pytest

import irassay as ia
from irassay.metrics.grammar import catalogue

HERE = Path(__file__).parent.parent / "oracles" / "inputs"
FEW: dict[str, Any] = {"splits": 5, "test": ia.PairedTest("max-t-stepdown", trials=50)}
COLLECTIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "adhoc": ("run[ABC].txt", "qrels.txt", {}),
    "diversity": ("div[AB].txt", "qrels.txt", {}),
    "dd": ("dd[AB].txt", "topics.xml", {"lengths": HERE / "dd" / "doc_lengths.tsv", "missing": "skip"}),
}


@pytest.mark.parametrize(("collection", "cutoff"), [("adhoc", ""), ("adhoc", "@5"), ("diversity", "@5"), ("dd", "@5")])
def test_a_report_on_any_metric_that_scores_is_made(collection: str, cutoff: str) -> None:
    runs, qrels, more = COLLECTIONS[collection]
    given = str(HERE / collection / runs), HERE / collection / qrels
    made = []
    for name in catalogue():
        try:
            ia.score(*given, [name + cutoff], **more)
        except ia.InputError:
            continue
        found = ia.assay(*given, [name + cutoff, "P@10"], **more, **FEW)
        assert found.view().sentences, name
        made.append(name)
    assert len(made) > 40
