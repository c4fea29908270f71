"""What an assay takes, adds and leaves out."""

from pathlib import Path

import numpy as np
import pytest

import irassay
from irassay.assays.assay import assay
from irassay.assays.assayed_metrics import DIVERSITY_METRICS
from irassay.assays.findings import findings
from irassay.errors import InputError
from irassay.reports.page import page
from irassay.scores import Scores
from irassay.simulation import simulate
from irassay.userfile import define
from tests.support.assays import QUICK, nine_systems

assay_of_nine = pytest.fixture(scope="module")(nine_systems)


def test_counts_are_no_metrics():
    rng = np.random.default_rng(0)
    metrics = ("num_q", "map", "num_ret", "num_rel", "num_rel_ret")
    scores = Scores(rng.random((4, 8, 5)), tuple("abcd"), tuple(map(str, range(8))), metrics)
    found = assay(scores=scores, **QUICK)
    assert found.metrics == ("map",)
    left = "Left out, because they do not measure quality: num_q, num_ret, num_rel, num_rel_ret."
    assert findings(found)[-1].text == left
    assert assay(scores=scores.select(metrics=["num_ret"]), **QUICK).metrics == ("num_ret",)


def test_how_much_is_judged_is_no_quality_and_not_robust_to_missing_judgements():
    collection = simulate(seed=3, topics=8, systems=4)
    found = assay(
        list(collection.runs), collection.qrels, ["AP", "Judged@10", "RBP_resid", "num_nonrel_judged_ret"], **QUICK
    )
    assert found.metrics == ("AP",)
    alone = assay(list(collection.runs), collection.qrels, ["Judged@10"], **QUICK)
    assert alone.metrics == ("Judged@10",) and not any("keeps" in each.text for each in findings(alone))


def test_subtopical_judgements_bring_diversity_metrics():
    collection = simulate(seed=3, topics=6, systems=4)
    found = assay(list(collection.runs), collection.diversity_qrels, **QUICK)
    assert set(DIVERSITY_METRICS) < set(found.metrics)
    assert "because the judgements are by subtopic" in findings(found)[-1].text
    assert not set(DIVERSITY_METRICS) & set(assay(list(collection.runs), collection.qrels, **QUICK).metrics)


def test_a_report_needs_systems_and_topics():
    scores = Scores(np.zeros((2, 3, 1)), ("a", "b"), ("1", "2", "3"), ("AP",))
    with pytest.raises(InputError, match="at least 4 topics"):
        assay(scores=scores)
    with pytest.raises(InputError, match="runs and judgements, or a table of scores"):
        assay()


def test_one_metric_is_enough():
    rng = np.random.default_rng(1)
    found = assay(scores=Scores(rng.random((5, 8, 1)), tuple("abcde"), tuple(map(str, range(8))), ("AP",)), **QUICK)
    assert findings(found)[0].text.startswith("On these 8 topics AP separates ")
    assert 'id="similarity"' not in page(found)


@pytest.mark.usefixtures("forgotten")
def test_a_user_metric_is_marked_and_answered(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "import irassay as ia\n\n@ia.user_model('Mine', cite='me2026')\ndef Mine(r, p=0.7):\n"
        '    """Goes on with probability p."""\n    import numpy as np\n    return np.full(r.gain.shape, p)\n'
    )
    define(file)
    collection = simulate(seed=3, topics=8, systems=6)
    found = assay(list(collection.runs), collection.qrels, ["AP", "RBP(p=0.7)", "Mine"], **QUICK)
    assert found.new == ("Mine",)
    texts = [finding.text for finding in findings(found)]
    assert texts[0].startswith("Mine may be best by ")
    [own] = [text for text in texts if text.startswith("Profile of Mine: ")]
    assert "Ranks the systems most like RBP(p=0.7) (tau 1.000)" in own
    text = page(found)
    alone = assay(list(collection.runs), collection.qrels, ["Mine"], **QUICK)
    assert alone.metrics[0] == "Mine"
    assert "nDCG@10" in alone.metrics
    assert "RBP p=0.8" in str(alone) and "RBP(p=0.8)" not in str(alone)
    assert '<i class="new">new</i>' in text
    assert "<code>me2026</code> (not in the bibliography)" in text


def test_claims_about_the_best_systems_are_those_of_the_methods(tmp_path: Path) -> None:
    collection = simulate(seed=3, topics=12, systems=14)
    collection.write(tmp_path)
    runs, qrels = tmp_path / "runs", tmp_path / "qrels.txt"
    found = assay(runs, qrels, ["nDCG@10", "AP"], splits=20)
    best = [name for name, _ in found.comparison.ranked()][:10]
    assert found.fragility is not None and found.dominance is not None
    assert set(found.dominance.systems) == set(best) and found.fragility.compared == 45
    files = [next(runs.glob(f"{name}*")) for name in best]
    alone = irassay.meta.fragility(files, qrels, ["nDCG@10"])
    assert [pair.changes for pair in found.fragility.pairs] == [pair.changes for pair in alone.pairs]
    assert assay(scores=found.scores, splits=20).fragility is None
