"""What an assay comes to, in sentences."""

import numpy as np
import pytest

from irassay.assays.findings import findings, own
from irassay.assays.soundness import Soundness, soundness
from irassay.reports.sections import sections
from tests.support.assays import METRICS, nine_systems

made = pytest.fixture(scope="module")(nine_systems)


def test_the_first_finding_counts_the_verdicts(made):
    words = [verdict.word for verdict in soundness(made).values()]
    first = findings(made)[0].text
    assert first.startswith(
        f"{words.count('sound')} of {len(METRICS)} metrics are sound for these 9 systems on 20 topics"
    )
    assert f"{words.count('not sound')} are not sound (INST(T=2.25,A='MAX'), AP_IA)" in first


def test_findings_point_to_sections_that_exist(made):
    known = {section.id for section in sections(made, soundness(made))}
    assert {finding.section for finding in findings(made)} - {""} <= known


def test_few_topics_are_said_to_be_few(made):
    assert any("20 topics are few" in finding.text for finding in findings(made))


def test_a_metric_that_is_only_harmless_is_not_called_good(made):
    power, steady = made.discrimination.power(made.alpha), made.consistency.mean
    last = [name for m, name in enumerate(METRICS) if power[m] == power.min() and steady[m] == steady.min()]
    best = METRICS[int(np.argmax(power))]
    assert own(made, best, Soundness(best, ())).startswith(f"Is {best} any good? Yes: it breaks none")
    assert last
    said = own(made, last[0], Soundness(last[0], ()))
    assert said.startswith(f"Is {last[0]} any good? It does no harm, but adds little: it breaks none of the properties")
    assert "of 6 in power" in said
    assert "place 6 of 6 in consistency" in said
