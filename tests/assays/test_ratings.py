"""Agreement with users' ratings as a criterion of the profile: of these lists, or of other sessions."""

import json
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.assays.criteria import RATINGS
from irassay.assays.findings import NO_VALIDITY, VALIDITY_BY_RATINGS, findings
from irassay.errors import InputError
from irassay.meta.satisfaction.method import satisfaction
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import Ratings
from irassay.reports.sections import sections
from irassay.simulation import simulate
from irassay.views.view import view_of
from tests.support.assays import QUICK

METRICS = ["nDCG@10", "P@10", "RR"]
COLLECTION = simulate(seed=3, topics=10, systems=5)


def rated(noise: float = 0.4) -> Ratings:
    """Ratings of all lists but some, who follow nDCG@10 more or less, by six users."""
    scores = ia.score(list(COLLECTION.runs), COLLECTION.qrels, ["nDCG@10"])
    units = [f"{system}/{topic}" for system in scores.systems for topic in scores.topics]
    rng = np.random.default_rng(0)
    values = np.clip(np.round(1 + 4 * scores.values.ravel() + rng.normal(0, noise, len(units))), 1, 5)
    users = tuple(f"u{n % 6}" for n in range(len(units)))
    return Ratings(tuple(units[3:]), values[3:], 1.0, 5.0, users[3:])


def sessions(folder: Path) -> Path:
    """Six sessions of one query each, rated."""
    folder.mkdir()
    grades = [[2, 1, 0], [0, 0, 1], [2, 2, 0], [0, 1, 0], [1, 0, 2], [0, 0, 0]]
    lines = {"session": ["SessionID\tUser\tTopic\tPerformance"], "results": ["SessionID\tQno\trank\tURL"]}
    lines["qrels"] = ["SessionID\tURL\tRelevance"]
    for n, (graded, rating) in enumerate(zip(grades, [5, 2, 5, 3, 3, 1], strict=True)):
        lines["session"].append(f"{n}\tu{n}\tt{n}\t{rating}")
        lines["results"] += [f"{n}\t1\t{rank}\td{rank}" for rank in range(1, 4)]
        lines["qrels"] += [f"{n}\td{rank}\t{grade}" for rank, grade in enumerate(graded, 1)]
    for name, text in lines.items():
        (folder / name).write_text("\n".join(text) + "\n")
    return folder


def report(ratings: object, metrics: list[str] = METRICS):
    return ia.assay(list(COLLECTION.runs), COLLECTION.qrels, metrics, ratings=ratings, **QUICK)


def test_ratings_of_lists_are_a_criterion_with_the_numbers_of_satisfaction():
    from scipy.stats import pearsonr

    ratings = rated()
    found = report(ratings)
    each = found.profile.by(RATINGS)
    alone = ia.meta.satisfaction(found.scores, ratings)
    np.testing.assert_array_equal(each.estimate[:3], alone.pearson)
    np.testing.assert_array_equal([each.low[:3], each.high[:3]], alone.interval())
    place = {f"{s}/{t}": (i, j) for i, s in enumerate(found.scores.systems) for j, t in enumerate(found.scores.topics)}
    own = np.array([found.scores.values[place[unit]] for unit in ratings.units])
    np.testing.assert_allclose(each.estimate[:3], [pearsonr(x, ratings.values)[0] for x in own.T], atol=1e-12)
    assert each.estimate[0] == each.estimate[:3].max()
    assert abs(each.estimate[found.profile.names.index("control hash")]) < 0.2
    assert each.selection.behind[2, 0] and not each.selection.behind[:, 2].any()
    assert "47 result lists of these systems" in each.about


def test_the_page_says_what_ratings_show_and_what_the_other_criteria_do_not():
    found, without = report(rated()), report(None)
    texts = [finding.text for finding in findings(found)]
    assert any(text.startswith(VALIDITY_BY_RATINGS) for text in texts)
    assert not any(text.startswith(NO_VALIDITY) for text in texts)
    assert any(text.startswith("Agreement with user ratings: ") and "Pearson's r" in text for text in texts)
    assert "ratings" in {section.id for section in sections(found)}
    assert without.profile.by(RATINGS) is None and without.ratings is None
    assert any(finding.text.startswith(NO_VALIDITY) for finding in findings(without))


def test_metrics_score_rated_sessions_and_say_why_they_cannot(tmp_path):
    folder = sessions(tmp_path / "rated")
    found = report(folder, [*METRICS, "P(gain=(0,0,0,1))@10"])
    assert [Path(each["path"]).name for each in found.provenance()["inputs"]] == ["qrels", "results", "session"]
    each = found.profile.by(RATINGS)
    alone = satisfaction(RatedUnits.from_sessions(folder, METRICS))
    np.testing.assert_array_equal(each.estimate[:3], alone.pearson)
    assert np.isnan(each.estimate[3:]).all()
    assert each.remarks[3].startswith("not computed: ") and "4 entries" in each.remarks[3]
    assert each.remarks[-1].startswith("does not apply")
    assert "6 sessions of other searches, not these runs" in each.about
    table = next(table for table in view_of(found).tables if table.name == "profile")
    assert [line[-1] for line in table.rows if line[1] == RATINGS][3] == each.remarks[3]


def test_a_report_with_ratings_is_saved_and_loaded(tmp_path):
    found = report(rated())
    found.save(tmp_path / "report.json")
    again = ia.load(tmp_path / "report.json")
    np.testing.assert_array_equal(again.profile.by(RATINGS).estimate, found.profile.by(RATINGS).estimate)
    assert again.ratings.metrics == found.ratings.metrics
    assert json.loads((tmp_path / "report.json").read_text())


def test_ratings_of_something_else_are_refused_in_a_sentence(tmp_path):
    table = tmp_path / "ratings.tsv"
    table.write_text("unit\trating\nelsewhere/1\t3\nelsewhere/2\t4\n")
    with pytest.raises(
        InputError, match=r"no rated unit is a list of these runs; expected SYSTEM/TOPIC, such as .*/101"
    ):
        report(table)
    with pytest.raises(InputError, match="has no file session"):
        report(tmp_path)
    with pytest.raises(InputError, match="No metric can be computed on the sessions: The table of gain"):
        report(sessions(tmp_path / "rated"), ["P(gain=(0,0,0,1))@10"])
