"""A report with other judgements, or with a baseline: what it says of them, and what it refuses."""

import re

import numpy as np
import pytest

import irassay as ia
from irassay.assays.assay import assay
from irassay.assays.criteria import OTHERS
from irassay.assays.other_judgements import other_judgements, scores_by
from irassay.errors import InputError
from irassay.reports.page import page
from irassay.reports.sections import sections
from irassay.scoring.judged_runs import JudgedRuns
from irassay.stats.compare_correlations import mean_ranks
from irassay.stats.paired_test import PairedTest
from irassay.views.assay import against_baseline

QUICK = {"splits": 5, "test": PairedTest("max-t-stepdown", trials=50)}


def collection(topics=12, documents=20, systems=5, seed=0):
    rng = np.random.default_rng(seed)
    docs = [f"d{n}" for n in range(documents)]
    truth = {str(t): rng.integers(0, 3, documents) for t in range(topics)}
    qrels = {t: dict(zip(docs, map(int, grades), strict=True)) for t, grades in truth.items()}
    runs = {
        f"s{s}": {
            t: dict(zip(docs, map(float, g + rng.normal(0, 0.3 + 0.6 * s, documents)), strict=True))
            for t, g in truth.items()
        }
        for s in range(systems)
    }
    return runs, qrels


def test_the_same_judgements_change_nothing():
    runs, qrels = collection()
    found = assay(runs, qrels, ["nDCG@10", "AP"], other=qrels, **QUICK)
    other = found.other
    assert other.judges.of("other")[0] == 1
    assert other.judges.conclusions.tau[0, 0] == 1
    np.testing.assert_array_equal(other.human.p, other.model.p)
    np.testing.assert_array_equal(mean_ranks(other.human.mean), mean_ranks(other.model.mean))
    assert other.both is None
    np.testing.assert_allclose(found.profile.by(OTHERS).estimate[:2], 1)
    assert np.isnan(found.profile.by(OTHERS).estimate[2:]).all()  # controls are judged by nobody
    text = page(found)
    assert "What would other judgements change?" in text
    answer = text[text.index('<div class="answers">') : text.index('aria-label="caveats"')]
    assert "To rank systems by nDCG@10 with the labels of other: yes." in re.sub("<[^>]+>", "", answer)
    judged = "All results looked at are judged, so robustness to missing judgements equals discriminative power."
    assert judged in found.view().sentences
    assert "stays first" in text


def test_the_judgements_have_the_name_of_their_file_with_the_default_metrics_too(tmp_path):
    runs, qrels = collection()
    human, model = tmp_path / "human.txt", tmp_path / "model.txt"
    for path in (human, model):
        path.write_text("".join(f"{t} 0 {d} {g}\n" for t, grades in qrels.items() for d, g in grades.items()))
    for metrics in ([], ["AP"]):
        found = assay(runs, human, *([metrics] if metrics else []), other=model, **QUICK)
        assert found.other.judges.names == ("human", "model")
        assert "To replace labels of human on single documents: yes." in found.view().sentences[-2]


def test_further_topics_of_the_model_give_intervals_by_both():
    runs, qrels = collection(topics=16)
    human = {topic: grades for topic, grades in qrels.items() if int(topic) < 10}
    given = JudgedRuns.of(runs, human, ["AP"])
    again = scores_by(given, given.scores(), qrels)
    found = other_judgements(given, given.scores(), again, "AP", qrels, test=QUICK["test"], alpha=0.05)
    assert found.both.labelled == 10
    assert found.both.further == 6
    same = ia.compare(given.scores(), "AP", test=QUICK["test"], also=ia.score(runs, qrels, ["AP"]))
    np.testing.assert_allclose(found.both.both.difference, same.powered[0].both.difference)


def test_scores_alone_cannot_be_judged_anew():
    runs, qrels = collection()
    with pytest.raises(InputError, match="other needs runs and judgements"):
        assay(scores=ia.score(runs, qrels, ["AP"]), other=qrels, **QUICK)


def test_against_a_baseline_every_system_has_a_verdict():
    runs, qrels = collection(topics=60)
    found = assay(runs, qrels, ["AP", "RR"], baseline="s2", **QUICK)
    table = against_baseline(found.comparison)
    assert sorted(row[0] for row in table.rows) == ["s0", "s1", "s3", "s4"]
    verdicts = {row[0]: row[1] for row in table.rows}
    assert verdicts["s0"] == "better"
    assert verdicts["s4"] == "worse"
    systems = next(section for section in sections(found) if section.id == "systems")
    assert "each with the baseline s2" in systems.views[0].sentences[0]
    assert "compared by AP, the first metric, " in systems.views[0].sentences[0]
    assert [name for name, _ in systems.views[1].charts] == ["intervals"]
    with pytest.raises(InputError, match="baseline"):
        assay(runs, qrels, ["AP"], baseline="nobody", **QUICK)


def test_agreement_with_other_judgements_is_tau_of_the_two_rankings():
    from scipy.stats import kendalltau

    runs, qrels = collection(systems=8)
    rng = np.random.default_rng(1)
    noisy = {
        t: {d: int(rng.integers(0, 3)) if rng.random() < 0.5 else g for d, g in each.items()}
        for t, each in qrels.items()
    }
    found = assay(runs, qrels, ["AP", "nDCG@10"], other=noisy, max_grade=2, **QUICK)
    again = ia.score(runs, noisy, ["AP", "nDCG@10"], max_grade=2)
    expected = [kendalltau(found.scores.means()[:, m], again.means()[:, m]).statistic for m in range(2)]
    np.testing.assert_allclose(found.profile.by(OTHERS).estimate[:2], expected, atol=1e-12)
    text = re.sub("</?abbr[^>]*>", "", page(found))
    assert "Agreement with other judgements: " in text and "Definition: tau between the rankings" in text
