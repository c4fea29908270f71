"""Which metrics are sound, which are not, and where that cannot be told."""

from dataclasses import replace

import numpy as np
import pytest

from irassay.assays.assay import assay
from irassay.assays.findings import findings
from irassay.assays.soundness import in_doubt, lacking, margin, soundness
from irassay.metrics.grammar import parse
from irassay.reports.page import page
from irassay.scores import Scores
from tests.support.assays import METRICS, QUICK, nine_systems

made = pytest.fixture(scope="module")(nine_systems)


def test_metrics_that_break_common_sense_are_not_sound(made):
    judged = soundness(made)
    assert judged["AP_IA"].word == "not sound"
    assert judged["INST(T=2.25,A='MAX')"].word == "not sound"
    assert any("redundancy" in objection.evidence for objection in judged["AP_IA"].objections)
    assert judged["nDCG@10"].word != "not sound"


def test_a_metric_that_gives_all_the_same_ranks_nothing():
    rng = np.random.default_rng(0)
    values = np.stack([rng.random((6, 12)) + np.arange(6)[:, None], np.ones((6, 12))], axis=2)
    found = assay(scores=Scores(values, tuple("abcdef"), tuple(map(str, range(12))), ("mystery", "flat")), **QUICK)
    judged = soundness(found)
    assert judged["flat"].word == "not sound"
    assert judged["flat"].objections[0].kind == "constant"
    assert found.bounds is None
    assert found.properties == ()
    assert any("Known by their scores only" in finding.text for finding in findings(found))
    assert "Known by its scores only." in page(found)


def test_a_metric_that_tells_nothing_apart_where_another_does_is_used_with_care():
    rng = np.random.default_rng(0)
    good = rng.random((6, 20)) / 10 + np.arange(6)[:, None]
    noise = rng.random((6, 20))
    scores = Scores(np.stack([good, noise], axis=2), tuple("abcdef"), tuple(map(str, range(20))), ("good", "noise"))
    judged = soundness(assay(scores=scores, **QUICK))
    assert judged["good"].word == "sound"
    assert [objection.kind for objection in judged["noise"].objections] == ["blind", "unsteady"]
    assert judged["noise"].word == "with care"


def test_metrics_are_not_blamed_for_systems_that_are_alike():
    rng = np.random.default_rng(0)
    names = tuple(map(str, range(20)))
    for systems in ("ab", "abcdef"):
        scores = Scores(rng.random((len(systems), 20, 2)), tuple(systems), names, ("one", "other"))
        found = assay(scores=scores, **QUICK)
        judged = soundness(found)
        assert {verdict.word for verdict in judged.values()} == {"cannot be told"}
        assert findings(found)[0].text.startswith("Whether 2 metrics are sound cannot be told from these")
        text = page(found)
        assert '<span class="badge cannot-be-told">' in text
        assert "1 pairs of systems" not in text


def test_missing_judgements_count_by_what_the_metric_promises(made):
    margins = {name: margin(made.known.get(name) or parse(name)) for name in (*METRICS, "bpref", "P@10")}
    assert margins["P@10"] < margins["AP"] < margins["bpref"] == np.inf
    assert margin(parse("AP(judged_only=True)")) == np.inf
    every = replace(made, bounds=made.bounds + np.array([0.0, 9.0]))
    assert in_doubt(every).all()
    assert lacking(every)
    said = [finding.text for finding in findings(every) if "lacks judgements" in finding.text]
    assert len(said) == 1
    assert all(objection.kind != "doubt" for verdict in soundness(every).values() for objection in verdict.objections)
