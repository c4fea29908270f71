"""What an assay comes to, in sentences."""

import pytest

from irassay.assays.findings import findings, own_metric_sentence
from irassay.assays.profile import TITLES
from irassay.reports.sections import sections
from tests.support.assays import METRICS, nine_systems

made = pytest.fixture(scope="module")(nine_systems)


def test_the_first_finding_is_the_front(made):
    first = findings(made)[0].text
    assert first.startswith(
        "On discriminative power, consistency over topics, robustness to missing judgements and axioms, with 9 systems on "
        "20 topics,"
    )


def test_findings_point_to_sections_that_exist(made):
    known = {section.id for section in sections(made)}
    assert {finding.section for finding in findings(made)} - {""} <= known


def test_few_topics_are_said_to_be_few(made):
    assert any("20 topics are few" in finding.text for finding in findings(made))


def test_differences_are_stated_only_where_the_interval_says_so(made):
    texts = [finding.text for finding in findings(made)]
    for each in made.profile.criteria:
        said = [text for text in texts if text.startswith(f"{TITLES[each.name].capitalize()} (")]
        assert any("no two differ" in text for text in said) == (not each.ahead.any())
        assert all("95% interval" in text for text in said)


def test_shares_that_survive_missing_judgements_are_compared_by_bounds_of_one_kind(made):
    said = [finding.text for finding in findings(made) if finding.text.startswith("Robustness to missing judgements (")]
    kinds = dict.fromkeys(made.profile.bounds)
    assert len(said) == len(kinds) == 2
    for text, kind in zip(said, kinds, strict=True):
        assert f"missing judgements allow; {kind}; 95% interval" in text


def test_the_profile_of_one_metric_names_every_criterion(made):
    text = own_metric_sentence(made, METRICS[0])
    assert text.startswith(f"Profile of {METRICS[0]}: Discriminative power")
    for word in (
        *("Consistency over topics", "Robustness to missing judgements", "Agreement with other metrics"),
        *("Axioms: satisfies all", "Ranks the systems most like"),
    ):
        assert word in text
