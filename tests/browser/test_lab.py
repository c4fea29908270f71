"""The lab in a real browser: what a person does, one story per test."""

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from irassay.simulation import simulate
from tests.browser.conftest import CHROMIUM, RunningLab, visit, wait_until

pytest.importorskip("playwright.sync_api", reason="needs playwright, to drive a browser")
pytest.importorskip("uvicorn", reason="needs the extra lab")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, and there is none on this machine")
PAGES = (
    "data",
    "leaderboard",
    "users",
    "users?metrics=RBP&metrics=INST&metrics=AP",
    "topics",
    "topics?topic=112",
    "metrics",
    "metrics?method=meta/consistency",
    "judges",
    "api/docs",
)
AXE = Path(os.environ.get("IRASSAY_AXE", "axe.min.js"))  # axe-core, which is not part of this project
CODE = """import irassay as ia


@ia.user_model("Steady")
def Steady(r, q=0.5):
    \"\"\"Continues with probability q.\"\"\"
    return q + 0 * r.rank
"""


def test_the_token_leaves_the_address(page: Any) -> None:
    assert "token" not in page.url
    assert page.evaluate("document.cookie") == ""


def test_files_are_brought_and_their_problems_are_shown_with_file_and_line(
    page: Any, lab: RunningLab, tmp_path: Path
) -> None:
    simulate(2, 6, 3).write(tmp_path)
    (tmp_path / "broken.txt").write_text("101 Q0 D0001 1 high broken\n")
    visit(page, lab, "data")
    page.get_by_label("Name").fill("<b>mine</b>")
    page.get_by_label("Judgements", exact=True).set_input_files(tmp_path / "qrels.txt")
    page.get_by_label("Runs").set_input_files([*sorted((tmp_path / "runs").iterdir()), tmp_path / "broken.txt"])
    page.get_by_label("Other judgements").set_input_files(tmp_path / "qrels.txt")
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url(re.compile("collection="))
    assert page.get_by_role("link", name="<b>mine</b>").is_visible()  # as text
    assert page.locator(".facts").first.inner_text().split("\n")[0].startswith("judgements ")
    assert page.get_by_text("broken.txt:1: error: found the score 'high'").is_visible()
    page.get_by_role("button", name="Remove <b>mine</b>").click()
    page.get_by_role("button", name="Remove <b>mine</b>").click()
    page.get_by_role("link", name="<b>mine</b>").wait_for(state="detached")


def test_a_damaged_run_is_dropped_and_named(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    source = simulate(2, 6, 3).write(tmp_path)
    run, *others = sorted((source / "runs").iterdir())
    lines = run.read_bytes().splitlines(keepends=True)
    (tmp_path / "bad.txt.gz").write_bytes(gzip.compress(b"".join([*lines[:6], b"101 Q0 D1 seven\n", *lines[6:]])))
    visit(page, lab, "data")
    dropped = [source / "qrels.txt", tmp_path / "bad.txt.gz", *others]
    page.evaluate(
        """files => {
            const dropped = new DataTransfer();
            for (const file of files) dropped.items.add(new File([new Uint8Array(file.bytes)], file.name));
            document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true }));
        }""",
        [{"name": path.name, "bytes": list(path.read_bytes())} for path in dropped],
    )
    wait_until(page, "document.querySelector('#run').files.length === 3")
    page.get_by_role("button", name="Upload").click()
    page.get_by_text("bad.txt.gz:7: error: found 4 fields").wait_for()
    page.get_by_role("link", name="Leaderboard").click()
    page.get_by_role("alert").get_by_text("bad.txt.gz, line 7: found 4 fields").wait_for()


def test_scores_of_another_tool_have_their_own_metrics(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    rows = [f"s{s},{t},mine,{(7 * s + 3 * t) % 10 / 10}\n" for s in range(4) for t in range(12)]
    (tmp_path / "scores.csv").write_text("".join(["run,topic,metric,value\n", *rows]))
    lab.upload(("scores", tmp_path / "scores.csv"), name="another tool")
    visit(page, lab, "leaderboard")
    page.locator("#board thead").get_by_text("mine", exact=True).wait_for()
    page.get_by_text("mine: s2 has the highest mean").wait_for()
    assert page.locator("#problem").is_hidden()
    page.get_by_role("link", name="Topics").click()
    page.get_by_text("mine: 4 systems, 12 topics").wait_for()
    page.get_by_role("link", name="User models").click()
    page.get_by_text("User models need runs").wait_for()


def test_the_leaderboard_is_in_its_address(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "leaderboard?metrics=AP")
    field = page.get_by_role("combobox", name="Metric")
    field.fill("ndcg")
    page.get_by_role("option").filter(has_text="nDCG").first.wait_for()
    field.fill("nDCG@5")
    field.press("Enter")
    page.get_by_role("columnheader", name="nDCG@5", exact=True).wait_for()
    page.get_by_label("Baseline").select_option("T2-plain")
    page.get_by_text("significantly above or below T2-plain").wait_for()
    page.get_by_role("button", name="Pin T3-short").click()
    page.get_by_role("columnheader", name="system").get_by_role("button").click()
    rows = page.locator("#board tbody tr")
    first = rows.first.inner_text()
    assert "T3-short" in first
    page.get_by_label("Search systems").fill("T1")
    assert rows.count() == 4  # three of the team, and the pinned one
    shown = page.locator("#board").inner_text()
    page.reload()
    page.get_by_text("significantly above or below T2-plain").wait_for()
    assert page.locator("#board").inner_text() == shown


def test_a_metric_that_is_not_there_is_not_added(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "leaderboard?metrics=AP")
    field = page.get_by_role("combobox", name="Metric")
    field.fill("nDGC@10")
    field.press("Enter")
    page.get_by_text("did you mean nDCG@10?").wait_for()
    assert page.get_by_role("button", name="Remove").count() == 1
    page.get_by_label("Search systems").fill("nobody")
    page.get_by_text("No system has this in its name.").wait_for()


def test_names_stay_in_sight_on_a_phone(page: Any, lab: RunningLab) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, lab, "leaderboard?metrics=AP&metrics=nDCG@10&metrics=RBP&metrics=ERR")
    name = page.locator("#board tbody th").first
    name.wait_for()
    page.locator(".table-box").evaluate("box => { box.scrollLeft = 1000; }")
    box, frame = name.bounding_box(), page.locator(".table-box").bounding_box()
    assert box["x"] <= frame["x"] + 2 and page.evaluate("document.documentElement.scrollWidth") == 390


def test_gain_is_chosen_and_lengths_are_used(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP")
    means = page.get_by_role("list", name="Systems by")
    before = means.inner_text()
    page.get_by_text("Gain, effort, aggregation and more").click()
    page.get_by_role("combobox", name="gain", exact=True).select_option("exp")
    wait_until(page, "text => document.querySelector('#board ol').innerText !== text", arg=before)
    page.get_by_role("combobox", name="gain", exact=True).select_option("other …")
    page.get_by_label("gain value").fill("(0,1,1,1)")
    page.get_by_label("gain value").press("Enter")
    page.get_by_role("list", name="Systems by RBP(p=0.8,gain=(0,1,1,1))").wait_for()
    visit(page, lab, "users?metrics=TBG")
    page.get_by_role("list", name="Systems by TBG").wait_for()
    page.get_by_text("Command and code").click()
    page.get_by_text("--lengths lengths.tsv").wait_for()


def test_every_line_of_the_bump_chart_has_its_name(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP")
    page.locator("svg.bump g").first.wait_for()
    assert page.locator("svg.bump g").count() == page.locator("svg.bump g text").count() == 16


def test_moving_a_user_moves_the_conclusions(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP(p=0.8)")
    page.get_by_text("expects to read 5.00 results").wait_for()
    curve = page.locator("figure.curve polyline").first
    before = curve.get_attribute("points")
    board = page.get_by_role("list", name="Systems by")
    means = board.inner_text()
    slider = page.get_by_role("slider", name="p", exact=True)
    slider.focus()
    for _ in range(10):
        slider.press("ArrowRight")
    page.get_by_text("expects to read 5.00 results").wait_for(state="detached")
    wait_until(page, "text => document.querySelector('#board ol').innerText !== text", arg=means)
    assert curve.get_attribute("points") != before
    page.get_by_text(re.compile(r"minus .* on 30 topics, 95% interval")).wait_for()
    assert page.locator("svg.bump line.now").count() == 1
    assert "RBP" in page.url and "p%3D0.8%29" not in page.url


def test_users_stand_side_by_side_and_documents_are_moved(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP(p=0.95)")
    field = page.get_by_role("combobox", name="Add a user")
    field.fill("INST(T=2)")
    field.press("Enter")
    page.get_by_role("group", name="User 2: INST").get_by_role("slider", name="T", exact=True).wait_for()
    page.get_by_role("list", name="Systems by INST(T=2)").wait_for()
    first = page.get_by_role("list", name="Example ranking").get_by_role("listitem").first
    earned = first.get_attribute("aria-label")
    first.focus()
    first.press("ArrowDown")
    wait_until(page, "text => document.querySelector('#ranking li').getAttribute('aria-label') !== text", arg=earned)
    assert "ranking=0%2C2" in page.url


def test_a_topic_opens_two_rankings(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "topics")
    page.get_by_role("link", name="112", exact=True).first.click()
    page.get_by_role("list", name="Ranking of").first.get_by_role("listitem").first.wait_for()
    assert page.get_by_text("On topic 112,").is_visible()
    assert "topic=112" in page.url
    names = page.locator("#a").input_value(), page.locator("#b").input_value()
    answer = lab.client.get("/api/collections").json()[0]["id"]
    body = {"metrics": ["nDCG@10"], "settings": {"topic": "112", "pair": list(names)}}
    rows = lab.finished(lab.client.post(f"/api/collections/{answer}/topics", json=body)).json()["results"]
    assert page.locator("#rankings .doc").first.inner_text() == rows[0]["A"]


def test_texts_are_read_in_rankings_and_back_closes_them(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    source = simulate(2, 6, 2).write(tmp_path)
    runs = sorted((source / "runs").iterdir())
    names = sorted({line.split()[2] for run in runs for line in run.read_text().splitlines()})
    (tmp_path / "documents.tsv").write_text("".join(f"{name}\t<b>About {name}</b> {'x ' * 300}end\n" for name in names))
    files = [
        ("qrels", source / "qrels.txt"),
        ("documents", tmp_path / "documents.tsv"),
        *(("run", run) for run in runs),
    ]
    lab.upload(*files, name="with texts")
    visit(page, lab, "topics")
    page.get_by_role("link", name="103", exact=True).first.click()
    document = page.locator("#rankings .doc").first.inner_text()
    page.get_by_role("button", name=f"Text of {document}").first.click()
    dialog = page.get_by_role("dialog")
    assert dialog.get_by_text(f"<b>About {document}</b>").is_visible() and dialog.inner_text().count("x") >= 300
    page.keyboard.press("Escape")
    assert dialog.is_hidden()
    page.go_back()
    page.locator("#heat tbody a").first.wait_for()
    assert page.locator("#pair-of-rankings").is_hidden() and "topic=" not in page.url


def start_long_job(page: Any, lab: RunningLab, tmp_path: Path) -> str:
    """Starts a job that does not end by itself; the address of its collection, which is the newest one."""
    source = simulate(2, 6, 3).write(tmp_path)
    runs = [("run", run) for run in sorted((source / "runs").iterdir())]
    uploaded = lab.upload(("qrels", source / "qrels.txt"), *runs, name="doomed")
    visit(page, lab, "metrics?method=compare&metrics=AP&s.trials=9000000&s.test=bootstrap")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Cancel").wait_for()
    return f"/api/collections/{uploaded['id']}"


def test_a_reload_follows_a_job_which_ends_with_its_collection(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    collection = start_long_job(page, lab, tmp_path)
    with page.expect_response("**/events"):
        page.reload()
    page.get_by_role("button", name="Cancel").wait_for()
    assert lab.client.delete(collection).status_code == 204
    page.get_by_role("alert").get_by_text("The job was cancelled.").wait_for()


def test_a_job_that_goes_with_its_collection_before_it_is_followed_was_cancelled(
    page: Any, lab: RunningLab, tmp_path: Path
) -> None:
    reader = page.context.new_page()  # the browser says on its console that the events are not there
    collection = start_long_job(reader, lab, tmp_path)
    statuses: list[int] = []

    def remove_collection(route: Any) -> None:
        statuses.append(lab.client.delete(collection).status_code)
        route.continue_()

    reader.route("**/events", remove_collection, times=1)
    reader.reload()
    reader.get_by_role("alert").get_by_text("The job was cancelled.").wait_for()
    assert statuses == [204]


def test_a_method_runs_as_a_job_and_is_taken_away(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "metrics?method=meta/consistency&metrics=AP&metrics=RR")
    page.get_by_label("splits").fill("50")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("button", name="Copy as LaTeX").wait_for()
    page.get_by_role("button", name="Copy as LaTeX").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert "\\begin{tabular}" in page.evaluate("navigator.clipboard.readText()")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download JSON").click()
    document = json.loads(Path(download.value.path()).read_text())
    assert document["parameters"]["splits"] == 50
    page.get_by_text("Command and code").click()
    assert page.get_by_text("irassay meta consistency qrels.txt").is_visible()
    page.locator("figure.chart canvas").first.wait_for()
    result = page.locator("#result").inner_text()
    page.reload()
    page.locator("figure.chart canvas").first.wait_for()
    assert page.locator("#result .panel-body").inner_text() in result + page.locator("#result").inner_text()


def test_a_method_is_asked_about_two_of_the_runs(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "metrics?method=check&metrics=AP")
    page.locator("#two-runs").get_by_text("A check compares two runs, the new one and the old one.").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("alert").get_by_text("A check compares two runs").wait_for()
    for name in ("T2-plain", "T1-plain"):
        page.get_by_label("Two runs, in this order").select_option(
            label=page.locator("#run option", has_text=name).inner_text()
        )
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Copy as LaTeX").wait_for()
    job = parse_qs(urlsplit(page.url).query)["job"][0]
    inputs = lab.client.get(f"/api/jobs/{job}/result").json()["inputs"]
    assert [Path(each["path"]).stem for each in inputs[:3]] == ["qrels", "T2-plain", "T1-plain"]
    assert [Path(each["path"]).name for each in inputs[3:]] == ["mine.py"]  # which --define named


def test_a_job_is_cancelled(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "metrics?method=compare&metrics=AP&s.trials=9000000&s.test=bootstrap")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("alert").get_by_text("The job was cancelled.").wait_for()


def test_wrong_settings_are_refused_at_their_field(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "metrics?method=meta/consistency&metrics=AP")
    page.get_by_label("splits").fill("-3")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("must be a whole number").wait_for()
    assert page.get_by_label("splits").get_attribute("aria-invalid") == "true"


def test_judges_stand_beside_the_human_ones(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "judges")
    page.get_by_text(re.compile("model has a kappa of")).wait_for()
    assert page.get_by_text("Effect of the labels on conclusions").is_visible()


def test_a_metric_is_written(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP(p=0.5)")
    code = page.get_by_label("Code of the metric")
    code.fill(CODE.replace("return q + 0", "return q +* 0"))
    page.get_by_text("Your code, line 7").wait_for()
    assert page.locator("#lines .bad").inner_text().strip() == "7"
    code.fill(CODE)
    page.get_by_role("group", name="User 2: Steady").get_by_role("slider", name="q", exact=True).wait_for()
    page.get_by_text("expects to read 2.00 results").nth(1).wait_for()  # as RBP(p=0.5) does
    page.locator("#axioms").get_by_text("Axioms", exact=True).wait_for()
    code.fill(CODE.replace("q=0.5", "q=0.75"))
    page.get_by_text("expects to read 4.00 results").wait_for()
    code.fill(CODE.replace("Steady", "Calm"))
    page.get_by_role("group", name="User 2: Calm").wait_for()
    page.get_by_role("list", name="Systems by Calm").wait_for()
    page.locator("#axioms").get_by_text("Calm breaks").wait_for()
    assert page.get_by_role("group", name="Steady").count() == 0 and page.locator("#problem").is_hidden()


def test_no_page_is_wider_than_its_window(page: Any, lab: RunningLab) -> None:
    for path in PAGES:
        visit(page, lab, path)
        for width in (1920, 640, 390):  # 640 is a window of 1280 at 200 %
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(300)  # what is drawn again for this width may become wider
            wait_until(page, "document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not here; set IRASSAY_AXE to axe.min.js")
def test_axe_finds_nothing_serious(lab: RunningLab, browser: Any, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(lab.line)
    for path in PAGES:
        visit(page, lab, path)
        page.wait_for_timeout(2500)
        page.add_script_tag(path=str(AXE))
        found = page.evaluate("axe.run()")["violations"]
        serious = [
            (each["id"], [node["target"] for node in each["nodes"]][:3])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
        assert not serious, (path, serious)
    context.close()
