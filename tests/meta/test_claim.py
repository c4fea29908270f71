"""The claim: its status, its parts, its first screen and its page."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import irassay as ia
from irassay.cli import main
from irassay.errors import InputError
from irassay.meta.claim import Claim
from irassay.reports.claim_page import claim_page
from irassay.results import load
from irassay.views.claim import claim_tiles

OURS = Path(__file__).parents[1] / "golden" / "inputs"
QRELS = Path(__file__).parents[1] / "oracles" / "inputs" / "adhoc" / "qrels_nonneg.txt"


def collection(topics: int = 10, odd: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """Runs of which the first puts the relevant documents first, and the judgements."""
    qrels = {f"q{t}": {f"d{n}": int(n < 3 + t % 3) for n in range(12)} for t in range(topics)}
    best = {t: {doc: -float(doc[1:]) for doc in of} for t, of in qrels.items()}
    worst = {t: {doc: float(doc[1:]) + (int(doc[1:]) % 3) for doc in of} for t, of in qrels.items()}
    return {f"best{odd}": best, f"worst{odd}": worst}, qrels


@pytest.fixture(scope="module")
def holding() -> Claim:
    return ia.claim(*collection())


def test_the_claim_holds_in_one_direction_only(holding: Claim) -> None:
    runs, qrels = collection()
    back = ia.claim(dict(reversed(runs.items())), qrels)
    assert (holding.holds, holding.status) == (True, 0)
    assert (back.holds, back.status) == (False, 1)
    assert back.pair.difference == pytest.approx(-holding.pair.difference)
    assert "significantly worse" in str(back)


def test_a_claim_that_every_user_contradicts_says_so(holding: Claim) -> None:
    runs, qrels = collection()
    back = ia.claim(dict(reversed(runs.items())), qrels)
    certificate = "best is at least as good as worst for every user"
    assert certificate in str(holding) and certificate in str(back)
    assert "depends on the user" not in str(back)
    assert [(tile.figure, tile.label) for tile in claim_tiles(back)[:2]] == [
        ("no user", "prefers worst"),
        ("–", "nothing to undo"),
    ]
    assert "worst is not significantly better, so there is nothing to undo." in str(back)


def test_the_user_who_disagrees_is_not_called_a_metric_that_agrees() -> None:
    qrels = {f"q{t}": {"a": int(t < 8), "b": 3 * (t < 5), "c": 1, "d": 0} for t in range(10)}
    first, second = ({t: {top: 2.0, then: 1.0} for t in qrels} for top, then in ("ac", "bd"))
    runs = {"first": first, "second": second}
    assert ia.score(runs, qrels, ["P@1"]).means()[:, 0].tolist() == [0.8, 0.5]
    tile = claim_tiles(ia.claim(runs, qrels, ["P@1"]))[0]
    assert (tile.figure, tile.label) == (
        "rank 1",
        "a user who stops there prefers second",
    )  # by gains of 8/30 and 15/30


def test_only_a_lead_at_every_rank_is_said_to_beat() -> None:
    qrels = {f"q{t}": {"a": 1, "b": 0, "c": 1} for t in range(6)}
    first = {t: {"a": 3.0, "c": 2.0, "b": 1.0} for t in qrels}
    second = {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in qrels}
    found = str(ia.meta.dominance({"A": first, "B": second}, qrels))
    assert "A is at least as good as B for every user" in found and "A beats B" not in found


def test_sampled_orders_of_ties_prove_nothing() -> None:
    runs, qrels = collection()
    tied = {t: {doc: float(score < -5) for doc, score in of.items()} for t, of in runs["best"].items()}
    lengths = {f"d{n}": 100 + 50 * n for n in range(12)}
    sentences = claim_tiles(ia.claim({"tied": tied, "worst": runs["worst"]}, qrels, ["TBG"], lengths=lengths))[
        3
    ].sentences
    assert "the orders that were tried" in sentences[0] and "all their orders" not in sentences[0]


def test_the_parts_are_those_of_the_methods(holding: Claim) -> None:
    runs, qrels = collection()
    metric = ["nDCG@10"]
    assert holding.pair.changes == ia.meta.fragility(runs, qrels, metric).pairs[0].changes
    assert (holding.multiverse.t == ia.meta.multiverse(runs, qrels, metric).t).all()
    assert holding.dominance.dominates.tolist() == ia.meta.dominance(runs, qrels, metric).dominates.tolist()
    assert holding.ties.means.tolist() == ia.meta.ties(runs, qrels, metric).means.tolist()


def test_the_document_has_the_difference_and_four_parts(holding: Claim) -> None:
    results = json.loads(holding.to_json())["results"]
    assert {"claim", "dominance", "fragility", "multiverse", "ties"} <= results.keys()
    scores = ia.score(*collection(), ["nDCG@10"])
    assert results["claim"][0]["difference"] == pytest.approx(float(scores.means()[0, 0] - scores.means()[1, 0]))
    assert results["fragility"][0]["changes"] == holding.pair.changes


def test_a_claim_is_saved_and_loaded(holding: Claim, tmp_path: Path) -> None:
    holding.save(tmp_path / "claim.json")
    again = load(tmp_path / "claim.json")
    assert str(again) == str(holding) and again.status == 0


def test_the_first_screen_is_short_and_names_a_system(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "new" / "claim.html"
    words = ["claim", str(QRELS), str(OURS / "runs" / "sys1.txt"), str(OURS / "runs" / "sys2.txt"), "-o", str(page)]
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.argv", ["irassay", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert ended.value.code in (0, 1) and "sys1" in out.splitlines()[0]
    assert len((out + err).splitlines()) <= 25
    assert "<!doctype html>" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("number", [1, 3])
def test_a_claim_is_about_two_runs(number: int) -> None:
    runs, qrels = collection()
    some = {f"run{n}": runs["best"] for n in range(number)}
    with pytest.raises(InputError, match="about two runs"):
        ia.claim(some, qrels)


def test_the_page_has_one_sentence_four_tiles_and_one_picture_first(holding: Claim) -> None:
    html = claim_page(holding)
    first = html[html.index('<section id="answer">') : html.index('<section id="dominance">')]
    assert first.count("<p") == 1 and first.count('class="tile"') == 4 and first.count("<figure") == 1
    assert f"{holding.pair.difference:+.4f}" in first
    for part in ("dominance", "fragility", "multiverse", "ties"):
        assert f'href="#{part}"' in first and f'<section id="{part}">' in html


def test_names_are_escaped_on_the_page() -> None:
    html = claim_page(ia.claim(*collection(odd="<script>x</script>")))
    assert "<script>x" not in re.sub(r'<script type="application/json".*', "", html, flags=re.DOTALL)


@pytest.mark.parametrize("name", ["dominance", "fragility", "multiverse", "ties"])
def test_runs_of_which_nothing_is_judged_are_refused(name: str) -> None:
    runs, qrels = collection()
    unknown = {
        run: {t: {f"x{doc}": s for doc, s in of.items()} for t, of in lists.items()} for run, lists in runs.items()
    }
    with pytest.raises(InputError, match=r"no result is judged.*To score it anyway, use on_unjudged"):
        getattr(ia.meta, name)(unknown, qrels, ["P@5"])
    assert getattr(ia.meta, name)(unknown, qrels, ["P@5"], on_unjudged="zero").view().sentences
