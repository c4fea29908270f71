"""The lab in a real browser: several tabs, odd data and odd addresses, and what is taken away from a result."""

import csv
import gzip
import io
import json
import re
import sqlite3
import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from irassay.simulation import simulate
from tests.browser.conftest import CHROMIUM, RunningLab, visit, wait_until
from tests.browser.test_lab_stories import answer, grades

pytest.importorskip("playwright.sync_api", reason="needs playwright, to drive a browser")
pytest.importorskip("uvicorn", reason="needs the extra lab")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, and there is none on this machine")
FIVE = '''from typing import Annotated

import irassay as ia

Share = Annotated[float, ia.Domain("number", 0, 1, "both"), "A share."]
Count = Annotated[int, ia.Domain("whole", 1, 9), "A count."]
Word = Annotated[str, ia.Domain("word", words=("calm", "keen")), "A mood."]


@ia.user_model("Five")
def Five(r, a: Share = 0.5, b: Count = 2, mood: Word = "calm", c: Share = 0.9, d: Share = 0.8):
    """Has five parameters."""
    return a ** (1 / b) * (c if mood == "calm" else d) + 0 * r.rank
'''


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small collection: judgements, four runs, and rated sessions."""
    return simulate(2, 8, 4).write(tmp_path_factory.mktemp("source"))


def runs_of(source: Path) -> list[Path]:
    return sorted((source / "runs").iterdir())


def brought(lab: RunningLab, source: Path, name: str) -> str:
    """The id of a new collection with the small one's judgements and runs."""
    files = [("run", run) for run in runs_of(source)]
    uploaded = lab.upload(("qrels", source / "qrels.txt"), *files, name=name)
    return str(uploaded["id"])


def first_collection(lab: RunningLab) -> str:
    return str(lab.client.get("/api/collections").json()[0]["id"])


def run_method(page: Any) -> str:
    """Runs the method of the form; returns the id of its job."""
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Copy as LaTeX").wait_for()
    return parse_qs(urlsplit(page.url).query)["job"][0]


def test_uploaded_ratings_are_answered(page: Any, lab: RunningLab, source: Path) -> None:
    visit(page, lab, "data")
    page.get_by_label("Judgements", exact=True).set_input_files(source / "session_qrels.txt")
    page.get_by_text("Further files").click()
    page.get_by_label("Sessions").set_input_files(source / "sessions.tsv")
    page.get_by_label("Ratings").set_input_files(source / "ratings.tsv")
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url(re.compile("collection="))
    for link in ("Metrics", "meta satisfaction"):
        with page.expect_navigation():  # so that the scripts of the page have run
            page.get_by_role("link", name=link).click()
    field = page.get_by_role("combobox", name="Metric")
    for metric in ("sDCG", "RBP"):
        field.fill(metric)
        field.press("Enter")
        page.get_by_role("button", name=f"Remove {metric}", exact=True).wait_for()
    page.get_by_label("folds").fill("4")
    found = lab.client.get(f"/api/jobs/{run_method(page)}/result").json()
    words = ["irassay", "meta", "satisfaction", "--sessions", "sessions.tsv", "--qrels", "session_qrels.txt"]
    words += ["--ratings", "ratings.tsv", "-m", "sDCG", "-m", "RBP", "--folds", "4", "--format", "json"]
    assert found["results"] == json.loads(answer(words, source))["results"]
    shown = page.locator("#result").inner_text()
    assert all(sentence in shown for sentence in found["sentences"][:1])


def test_two_tabs_have_a_state_each(page: Any, lab: RunningLab, source: Path) -> None:
    visit(page, lab, f"leaderboard?metrics=AP&collection={first_collection(lab)}")
    page.get_by_text("16 systems, 30 topics").wait_for()
    other = page.context.new_page()
    visit(other, lab, f"metrics?method=compare&metrics=RR&collection={first_collection(lab)}")
    id = brought(lab, source, "in one tab")
    visit(page, lab, f"leaderboard?metrics=RR&collection={id}")
    page.get_by_text("4 systems, 8 topics").wait_for()
    run_method(other)
    assert other.get_by_label("Collection").locator("option").count() == 1
    other.reload()
    other.get_by_role("button", name="Copy as LaTeX").wait_for()
    assert "in one tab" in other.get_by_label("Collection").inner_text()  # which the other tab does not look at
    assert other.locator("#collection").input_value() == first_collection(lab)
    page.reload()
    page.get_by_text("4 systems, 8 topics").wait_for()
    visit(page, lab, "data")
    assert page.locator(".jobs").get_by_role("link", name="compare").count() >= 1
    other.close()


def test_the_board_of_label_sets_is_taken_away(page: Any, lab: RunningLab) -> None:
    visit(page, lab, f"judges?collection={first_collection(lab)}")
    board = page.locator("section", has=page.locator("#by-judge"))
    board.get_by_role("columnheader", name="model.qrels.txt").wait_for()
    first = board.locator("tbody tr").first.locator("td.n").nth(1).inner_text()
    board.get_by_role("button", name="Copy as CSV").click()
    board.get_by_role("button", name="Copied").wait_for()
    rows = list(csv.reader(io.StringIO(page.evaluate("navigator.clipboard.readText()"))))
    assert rows[0][1:] == ["system", "qrels.txt", "model.qrels.txt"] and len(rows) == 17 and rows[1][2] == first
    with page.expect_download() as download:
        board.get_by_role("button", name="Download JSON").click()
    document = json.loads(Path(download.value.path()).read_text())
    assert [each["name"] for each in document["sets"]] == ["qrels.txt", "model.qrels.txt"]


def test_a_metric_with_five_parameters_is_written_and_kept(page: Any, lab: RunningLab) -> None:
    visit(page, lab, f"users?metrics=RBP&collection={first_collection(lab)}")
    page.locator("#code").fill(FIVE)
    page.get_by_text("It declares Five.").wait_for()
    visit(page, lab, f"users?metrics=Five&collection={first_collection(lab)}")
    user = page.get_by_role("group", name="User 1")
    user.get_by_role("slider", name="a", exact=True).wait_for()
    assert [user.get_by_role("slider", name=name, exact=True).count() for name in ("b", "c", "d")] == [1, 1, 1]
    means = page.get_by_role("list", name="Systems by").inner_text()
    user.get_by_role("combobox", name="mood").select_option("keen")
    wait_until(page, "text => document.querySelector('#board ol').innerText !== text", arg=means)
    visit(page, lab, f"leaderboard?metrics=Five(mood='keen')&collection={first_collection(lab)}")
    page.get_by_text("Five(mood='keen'): ").first.wait_for()
    assert page.locator("#problem").is_hidden()


def test_files_that_are_being_checked_say_so_until_they_are(page: Any, lab: RunningLab, source: Path) -> None:
    id = brought(lab, source, "being checked")
    arguments: Any = lab.process.args
    index = Path(arguments[arguments.index("--workspace") + 1]) / "index.sqlite"

    def set_notes(text: str) -> None:
        with sqlite3.connect(index, timeout=30) as database:
            database.execute("UPDATE collections SET notes = ? WHERE id = ?", (text, id))
        database.close()

    set_notes("null")
    visit(page, lab, f"data?collection={id}")
    page.locator("article.here").get_by_text("Checking the files …").wait_for()
    set_notes("[]")
    page.locator("article.here").get_by_text("No problems were found in the files.").wait_for()


def test_back_and_forward_show_what_was_there(page: Any, lab: RunningLab) -> None:
    visit(page, lab, f"leaderboard?metrics=AP&metrics=RR&collection={first_collection(lab)}")
    page.get_by_role("columnheader", name="RR").wait_for()
    page.get_by_role("link", name="Topics").click()
    page.locator("#heat tbody a").first.click()
    page.get_by_role("list", name="Ranking of").first.wait_for()
    topic = parse_qs(urlsplit(page.url).query)["topic"]
    page.go_back()
    page.locator("#heat tbody a").first.wait_for()
    page.locator("#pair-of-rankings").wait_for(state="hidden")
    page.go_back()
    page.get_by_role("columnheader", name="RR").wait_for()
    page.go_forward()
    page.go_forward()
    page.get_by_role("list", name="Ranking of").first.wait_for()
    assert parse_qs(urlsplit(page.url).query)["topic"] == topic


def test_documents_are_moved_with_the_keyboard_alone(page: Any, lab: RunningLab) -> None:
    visit(page, lab, f"users?metrics=RBP&collection={first_collection(lab)}")
    page.get_by_role("list", name="Example ranking").get_by_role("listitem").first.wait_for()
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#ranking li')"):
            break
    before = grades(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert grades(page)[:3] == [before[1], before[2], before[0]]
    wait_until(page, "document.activeElement.getAttribute('aria-label').startsWith('Rank 3,')")  # once it is scored
    page.keyboard.press("1")
    wait_until(page, "document.activeElement.getAttribute('aria-label').startsWith('Rank 3, grade 1')")
    assert grades(page)[2] == 1


def test_what_is_taken_away_is_what_the_api_answers(page: Any, lab: RunningLab) -> None:
    visit(page, lab, f"metrics?method=compare&metrics=AP&s.test=t&collection={first_collection(lab)}")
    job = run_method(page)
    page.locator("figure.chart canvas").first.wait_for()
    document = lab.client.get(f"/api/jobs/{job}/result").json()
    best = max(row["mean"] for row in document["results"]["systems"])
    texts = {}
    for form in ("LaTeX", "Markdown", "CSV"):
        page.get_by_role("button", name=f"Copy as {form}").first.click()
        page.get_by_role("button", name="Copied").wait_for()
        texts[form] = page.evaluate("navigator.clipboard.readText()")
        page.get_by_role("button", name=f"Copy as {form}").first.wait_for()
        assert texts[form].strip() == lab.client.get(f"/api/jobs/{job}/result?format={form.lower()}").text.strip()
    assert "\\begin{tabular}" in texts["LaTeX"] and f"{best:.4f}" in texts["Markdown"]
    gap = document["results"]["pairs"][0]["difference"]
    assert str(gap) in {cell for row in csv.reader(io.StringIO(texts["CSV"])) for cell in row}
    files = {}
    for form in ("PNG", "SVG", "JSON"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download {form}").first.click()
        assert download.value.suggested_filename.endswith(f".{form.lower()}")
        files[form] = Path(download.value.path()).read_bytes()
    width, height = struct.unpack(">II", files["PNG"][16:24])
    assert width > 300 and height > 100
    assert ElementTree.fromstring(files["SVG"]).tag.endswith("svg")
    assert json.loads(files["JSON"]) == document


def test_an_exported_report_opens_by_itself(page: Any, lab: RunningLab, source: Path, tmp_path: Path) -> None:
    id = brought(lab, source, "exported <b>")
    visit(page, lab, f"data?collection={id}")
    with page.expect_download() as download:
        page.locator("article.here").get_by_role("button", name="Export report").click()
    (tmp_path / "report.html").write_bytes(Path(download.value.path()).read_bytes())
    reader = page.context.browser.new_context(offline=True).new_page()
    messages: list[str] = []
    reader.on("console", lambda message: messages.append(message.text))
    reader.on("pageerror", lambda error: messages.append(str(error)))
    reader.goto((tmp_path / "report.html").as_uri())
    reader.locator("table.profile").first.wait_for()
    assert not messages
    reader.context.close()


def test_a_collection_is_removed_in_one_tab_while_another_works_on_it(page: Any, lab: RunningLab, source: Path) -> None:
    id = brought(lab, source, "short-lived")
    visit(page, lab, f"metrics?method=compare&metrics=AP&s.trials=9000000&s.test=bootstrap&collection={id}")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Cancel").wait_for()
    other = page.context.new_page()
    visit(other, lab, f"data?collection={id}")
    for _ in range(2):
        other.get_by_role("button", name="Remove short-lived").click()
    other.get_by_role("link", name="short-lived").wait_for(state="detached")
    page.get_by_role("alert").get_by_text("The job was cancelled.").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("alert").get_by_text("There is no collection with this id.").wait_for()
    other.close()


def test_odd_files_are_read_or_named(page: Any, lab: RunningLab, source: Path) -> None:
    one, two, *_ = (run.read_bytes() for run in runs_of(source))
    zipped, plain = ("zipped.txt", gzip.compress(one)), ("plain.gz", b"\xef\xbb\xbf" + two.replace(b"\n", b"\r\n"))
    lab.upload(("qrels", source / "qrels.txt"), ("run", zipped), ("run", plain), name="wrong endings")
    visit(page, lab, "leaderboard?metrics=AP")
    page.get_by_text("2 systems, 8 topics").wait_for()
    visit(page, lab, "topics?metric=AP&topic=999")
    page.get_by_text("There is no topic 999; choose one below.").wait_for()
    lab.upload(("qrels", source / "qrels.txt"), ("run", ("wide.txt", one.decode().encode("utf-16"))), name="wide")
    visit(page, lab, "leaderboard?metrics=AP")
    page.get_by_role("alert").get_by_text("wide.txt looks like UTF-16 text").wait_for()


def test_runs_without_judgements_are_not_scored(page: Any, lab: RunningLab, source: Path) -> None:
    lab.upload(*(("run", run) for run in runs_of(source)), name="unjudged")
    for path in ("leaderboard", "topics"):
        visit(page, lab, path)
        page.get_by_text("unjudged has neither judgements with runs nor score tables.").wait_for()
    visit(page, lab, "judges")
    page.get_by_text("This collection has no judgements.").wait_for()
    visit(page, lab, "metrics?method=compare&metrics=AP")
    page.get_by_text("This needs files that the collection does not have: judgements and runs").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("alert").get_by_text("compare needs files that this collection does not have").wait_for()


def test_runs_with_other_topics_are_scored_on_all(page: Any, lab: RunningLab) -> None:
    qrels = b"".join(b"%d 0 d%d 1\n" % (t, t) for t in range(1, 9))
    halves = [
        b"".join(b"%d Q0 d%d 1 1 r\n" % (t, t) for t in topics) for topics in (range(1, 5), range(5, 9), range(20, 24))
    ]
    runs = [("run", (f"{name}.txt", run)) for name, run in zip("ab", halves, strict=False)]
    lab.upload(("qrels", ("q.txt", qrels)), *runs, name="disjoint")
    visit(page, lab, "leaderboard?metrics=AP")
    page.get_by_text("AP: a and b have the same mean, 0.5000").wait_for()
    lab.upload(("qrels", ("q.txt", qrels)), ("run", ("c.txt", halves[2])), name="elsewhere")
    visit(page, lab, "leaderboard?metrics=AP")
    page.get_by_role("alert").get_by_text("No topic of c.txt").wait_for()


def test_names_in_any_script_are_text(page: Any, lab: RunningLab, source: Path) -> None:
    names = ["😀.txt", "ربط.txt", "a \"quoted\" 'run'.txt", "<script>alert(1)<_script>.txt"]
    runs = [("run", (name, run.read_bytes())) for name, run in zip(names, runs_of(source), strict=True)]
    lab.upload(("qrels", source / "qrels.txt"), *runs, name='"><script>alert(1)</script> שלום 😀')
    visit(page, lab, "leaderboard?metrics=AP")
    for name in names:
        page.locator("#board tbody").get_by_text(Path(name).stem, exact=True).wait_for()
    visit(page, lab, "metrics?method=compare&metrics=AP")
    run_method(page)
    assert "ربط" in page.locator("#result").inner_text()
    visit(page, lab, "topics?metric=AP&topic=103")
    page.get_by_role("list", name="Ranking of").first.wait_for()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("leaderboard?metrics=nope", "there is no metric nope"),
        ("metrics?method=nope", "There is no method nope"),
        ("metrics?method=compare&job=none", "There is no job with this id."),
        ("topics?metric=%3Cscript%3E", "'<script>' is not a metric"),
    ],
)
def test_addresses_that_lead_nowhere_say_so(page: Any, lab: RunningLab, path: str, text: str) -> None:
    visit(page, lab, path)
    page.get_by_role("alert").get_by_text(text).first.wait_for()


def test_odd_settings_in_an_address_change_nothing(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "leaderboard?metrics=AP&sort=none&baseline=nobody&pin=nobody")
    page.get_by_text("16 systems, 30 topics").wait_for()
    visit(page, lab, "users?metrics=AP&a=x&b=y&ranking=zz")
    page.get_by_text("16 systems, 30 topics").wait_for()
    visit(page, lab, "metrics?method=compare&metrics=AP&s.alpha=abc&s.nothing=3")
    assert page.get_by_label("alpha").input_value() == ""


def test_a_kept_job_shows_what_was_asked(page: Any, lab: RunningLab) -> None:
    visit(page, lab, f"metrics?method=meta/consistency&metrics=AP&metrics=RR&collection={first_collection(lab)}")
    page.get_by_label("splits").fill("40")
    run_method(page)
    visit(page, lab, "data")
    page.locator(".jobs").get_by_role("link", name="meta consistency").first.click()
    page.get_by_role("button", name="Copy as LaTeX").wait_for()
    assert page.get_by_label("splits").input_value() == "40"
    assert page.get_by_role("button", name="Remove RR").is_visible()


def test_without_the_token_a_page_says_where_it_is(lab: RunningLab, browser: Any) -> None:
    context = browser.new_context()
    stranger = context.new_page()
    answered = stranger.goto(f"{lab.base}/leaderboard")
    assert answered.status == 401
    stranger.get_by_text("Open the address that irassay lab printed").wait_for()
    ground = "getComputedStyle(document.querySelector('header.topbar')).position"
    assert stranger.evaluate(ground) == "sticky"  # it has the lab's style
    context.close()


def test_a_form_takes_lists_and_says_what_is_of_earlier_settings(page: Any, lab: RunningLab, source: Path) -> None:
    id = brought(lab, source, "forms")
    visit(page, lab, f"metrics?method=meta/multiverse&collection={id}")
    page.get_by_label("only", exact=True).fill("metric=nDCG,AP, cutoff=10")
    job = run_method(page)
    given = {"only": ["metric=nDCG,AP", "cutoff=10"]}
    again = lab.client.post(f"/api/collections/{id}/meta/multiverse", json={"settings": given})
    assert lab.client.get(f"/api/jobs/{job}/result").json() == lab.finished(again).json()
    result = page.locator("#result")
    assert "outdated" not in (result.get_attribute("class") or "")
    page.get_by_label("alpha", exact=True).fill("0.1")
    page.get_by_label("alpha", exact=True).blur()
    wait_until(page, "document.querySelector('#result').classList.contains('outdated')")
    assert "job=" not in page.url and result.get_by_role("button", name="Copy as LaTeX").count()
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(re.compile("job="))
    assert job not in page.url
    wait_until(page, "!document.querySelector('#result').classList.contains('outdated')")


def test_an_unknown_address_has_the_navigation_for_those_with_the_token(lab: RunningLab) -> None:
    asked = {"Accept": "text/html"}
    known = lab.client.get("/nothing", headers=asked)
    assert known.status_code == 404 and all(f'href="/{name}"' in known.text for name in ("data", "users", "judges"))
    stranger = httpx.get(f"{lab.base}/nothing", headers=asked)
    assert stranger.status_code == 401 and "<nav" not in stranger.text
