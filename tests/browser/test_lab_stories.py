"""The lab in a real browser: what people do with mouse, finger and keyboard, and what they take away."""

import gzip
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from irassay.simulation import simulate
from tests.browser.conftest import CHROMIUM, RunningLab, visit, wait_until

pytest.importorskip("playwright.sync_api", reason="needs playwright, to drive a browser")
pytest.importorskip("uvicorn", reason="needs the extra lab")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, and there is none on this machine")


def drop(page: Any, *paths: Path) -> None:
    """Drops files or folders on the page, as the browser does it."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 600, "y": 500, "data": data})


def grades(page: Any) -> list[int]:
    """The grades of the example ranking."""
    labels = page.locator("#ranking li").evaluate_all("items => items.map(item => item.getAttribute('aria-label'))")
    return [int(label.split("grade ")[1].split(",")[0]) for label in labels]


def test_a_folder_is_dropped(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    source = simulate(2, 6, 3).write(tmp_path / "mine")
    for path in source.iterdir():
        if path.is_file() and path.name != "qrels.txt":
            path.unlink()
    run = next((source / "runs").iterdir())
    (source / "runs" / f"{run.stem}.gz").write_bytes(gzip.compress(run.read_bytes()))
    run.unlink()
    (source / ".hidden").write_text("x")
    visit(page, lab, "data")
    drop(page, source)
    page.get_by_role("list", name="Chosen files").get_by_text("qrels.txt").wait_for()
    wait_until(page, "document.querySelector('#run').files.length === 3")
    page.get_by_role("button", name="Upload").click()
    page.locator("article.here").get_by_text("3 runs").wait_for()
    page.get_by_role("link", name="Leaderboard").click()
    page.get_by_text("3 systems, 6 topics").wait_for()


def test_a_chosen_file_gets_another_role_or_is_left_out(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("101 0 D1 1\n")
    visit(page, lab, "data")
    page.get_by_label("Runs").set_input_files([tmp_path / "one.txt", tmp_path / "two.txt"])
    page.get_by_label("What one.txt is").select_option(label="Judgements")
    page.get_by_role("button", name="Leave out two.txt").click()
    counts = [page.locator(f"#{id}").evaluate("input => input.files.length") for id in ("qrels", "run")]
    assert counts == [1, 0] and page.locator("#picked li").count() == 1


def test_a_metric_is_found_by_another_name_and_moved(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "leaderboard?metrics=AP")
    field = page.get_by_role("combobox", name="Metric")
    field.fill("BriskUser")
    page.get_by_role("option").filter(has_text="Brisk").wait_for()
    field.press("ArrowDown")
    field.press("Enter")
    page.get_by_role("columnheader", name="Brisk", exact=True).wait_for()
    slider = page.get_by_role("slider", name="speed", exact=True)
    slider.focus()
    slider.press("ArrowLeft")
    page.get_by_role("button", name="Parameters of Brisk(speed=").wait_for()
    page.locator("#board thead").get_by_text("Brisk(speed=").wait_for()
    assert "Brisk%28speed" in page.url
    page.get_by_role("combobox", name="Metric").fill("average precision")
    page.get_by_role("option").filter(has_text="AP").first.wait_for()


def test_a_score_table_suggests_its_own_metrics(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    rows = [
        f"s{s}\t{name}\t{t}\t{value}\n"
        for s in range(3)
        for t in range(8)
        for name, value in (("num_ret", 100), ("mine", (s + t) % 5 / 5))
    ]
    (tmp_path / "scores.tsv").write_text("".join(rows))
    lab.upload(("scores", tmp_path / "scores.tsv"), name="table")
    visit(page, lab, "leaderboard")
    page.locator("#board thead th").nth(3).get_by_text("mine", exact=True).wait_for()  # before the count
    page.get_by_role("combobox", name="Metric").focus()
    assert page.get_by_role("listbox").get_by_role("option").all_inner_texts()[0].startswith("mine")


def test_documents_are_dragged_with_mouse_and_finger(page: Any, lab: RunningLab, browser: Any) -> None:
    visit(page, lab, "users?metrics=RBP")
    items = page.get_by_role("list", name="Example ranking").get_by_role("listitem")
    items.first.wait_for()
    assert grades(page)[:4] == [2, 0, 1, 0]
    earned = page.locator(".facts").first.inner_text()
    items.nth(0).drag_to(items.nth(2))
    assert grades(page)[:4] == [0, 1, 2, 0]
    wait_until(page, "text => document.querySelector('.facts').innerText !== text", arg=earned)
    assert "ranking=0%2C1%2C2" in page.url
    page.get_by_role("button", name="Grade 0 at rank 1,").click()
    wait_until(page, "document.querySelector('#ranking li').getAttribute('aria-label').startsWith('Rank 1, grade 1')")

    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone = context.new_page()
    phone.goto(lab.line)
    visit(phone, lab, "users?metrics=RBP")
    items = phone.get_by_role("list", name="Example ranking").get_by_role("listitem")
    items.first.wait_for()
    items.nth(3).scroll_into_view_if_needed()
    grip, target = items.nth(0).locator(".grip").bounding_box(), items.nth(3).bounding_box()
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    session = context.new_cdp_session(phone)
    for kind, share in (("touchStart", 0.0), ("touchMove", 0.4), ("touchMove", 1.0)):
        points = [{"x": x, "y": y + share * (target["y"] + target["height"] / 2 - y)}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    wait_until(
        phone, "document.querySelector('#ranking li:nth-child(4)').getAttribute('aria-label').includes('grade 2')"
    )
    context.close()


def test_every_user_says_what_it_thinks_of_two_systems(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP(p=0.95)&metrics=RBP(p=0.3)&a=T1-plain&b=T3-plain")
    page.get_by_text("RBP(p=0.95): T1-plain is better than T3-plain.").wait_for()
    page.get_by_text("RBP(p=0.3): T1-plain is better than T3-plain.").wait_for()
    assert page.get_by_text("95% interval").count() >= 2
    page.get_by_text("significantly above or below T1-plain").wait_for()
    row = page.get_by_role("list", name="Systems by RBP(p=0.95)").get_by_role("listitem").filter(has_text="T3-plain")
    assert "▼" in row.inner_text() and row.locator(".whisker").count() == 1
    page.locator("#b").select_option("T1-diverse")
    page.get_by_text("T1-plain minus T1-diverse is").first.wait_for()
    shown = page.locator("#verdict").inner_text()
    page.reload()
    page.get_by_text("T1-plain minus T1-diverse is").first.wait_for()
    assert page.locator("#verdict").inner_text() == shown


def test_gain_times_weight_is_what_a_rank_adds(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "topics?topic=112&a=T1-plain&b=T3-plain&metric=nDCG@10")
    first = page.get_by_role("list", name="Ranking of T1-plain").get_by_role("listitem").first
    first.wait_for()
    gain, weight, adds = (float(first.locator(f".{name}").inner_text()) for name in ("gain", "weight", "value"))
    assert gain > 0 and abs(gain * weight - adds) < 2e-4
    assert page.locator("svg.links path.moved").count() > 0
    page.locator("#heat-hint a").nth(3).click()  # the most decisive topic
    wait_until(page, "text => document.querySelector('#pair-title').innerText.includes(text)", arg="Topic 112")


def test_labels_of_a_model_move_the_leaderboard(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "judges")
    board = page.locator("#boards")
    board.get_by_role("columnheader", name="model.qrels.txt").wait_for()
    assert board.locator("tbody tr").count() == 16
    collection = lab.client.get("/api/collections").json()[0]
    body = {"metrics": ["nDCG@10"]}
    scored = lab.finished(lab.client.post(f"/api/collections/{collection['id']}/score", json=body)).json()["results"]
    best = max(row["value"] for row in scored if row["metric"] == "nDCG@10" and row["topic"] == "all")
    assert f"{best:.4f}" in board.locator("tbody tr").first.inner_text()


def test_the_command_and_the_code_give_what_the_page_shows(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    source = simulate(2, 8, 4).write(tmp_path)
    runs = sorted((source / "runs").iterdir())
    for run in runs:
        run.rename(source / run.name)
    names = [run.name for run in runs]
    lab.upload(("qrels", source / "qrels.txt"), *(("run", source / name) for name in names), name="of files")
    for path, number in (
        ("leaderboard?metrics=RBP(p=0.5)&metrics=Brisk", "#board tbody td.n:nth-child(4)"),
        ("users?metrics=RBP(p=0.5)&metrics=Brisk", "#board .value"),
        ("topics?metric=Brisk&topic=103", "#rankings .value"),
    ):
        visit(page, lab, path)
        page.locator(".sources pre").first.wait_for(state="attached")
        shown = page.locator(number).first.evaluate("cell => cell.firstChild.textContent")
        command, code = page.locator(".sources").first.locator("pre").all_text_contents()
        printed = "".join(answer(shlex.split(line), source) for line in command.splitlines())
        assert shown in printed, path
        assert shown in answer([sys.executable, "-c", code], source), path


def answer(words: list[str], folder: Path) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", *words] if words[0] == "irassay" else words
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("path", "word"),
    [("leaderboard?metrics=AP", "T1-plain"), ("users?metrics=RBP", "T1-plain"), ("topics?metric=AP", "112")],
)
def test_results_are_taken_away_in_every_form(page: Any, lab: RunningLab, path: str, word: str) -> None:
    visit(page, lab, path)
    for form, start in (("Markdown", "|"), ("CSV", ","), ("LaTeX", "tabular")):
        button = page.get_by_role("button", name=f"Copy as {form}")
        button.click()
        page.get_by_role("button", name="Copied").wait_for()
        text = page.evaluate("navigator.clipboard.readText()")
        assert word in text and start in text
        page.get_by_role("button", name=f"Copy as {form}").wait_for()
    for form, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("JSON", b"{"), ("HTML", b"<!")):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download {form}").click()
        assert Path(download.value.path()).read_bytes().lstrip().lower().startswith(start.lower())


def test_the_workspace_is_exported_as_a_report(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    source = simulate(2, 8, 4).write(tmp_path)
    runs = [("run", run) for run in sorted((source / "runs").iterdir())]
    lab.upload(("qrels", source / "qrels.txt"), *runs, name="small")
    visit(page, lab, "data")
    with page.expect_download() as download:
        page.locator("article.here").get_by_role("button", name="Export report").click()
    assert "</html>" in Path(download.value.path()).read_text()


def test_axioms_show_two_rankings_and_a_report_its_picture(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    visit(page, lab, "metrics?method=axioms&metrics=P&s.depth=3&s.axioms=all")
    page.get_by_role("button", name="Run", exact=True).click()
    example = page.locator(".counterexample").first
    example.get_by_role("list", name="better ranking").wait_for()
    assert example.get_by_role("list", name="worse ranking").is_visible()
    source = simulate(2, 8, 4).write(tmp_path)
    runs = [("run", run) for run in sorted((source / "runs").iterdir())]
    lab.upload(("qrels", source / "qrels.txt"), *runs, name="small")
    visit(page, lab, "metrics?method=report&metrics=AP&metrics=nDCG@10&s.splits=20")
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator("#result table.profile").first.wait_for()
    assert page.locator("#result table").first.get_attribute("class").strip() == "profile"


def test_a_link_to_a_removed_collection_says_so(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    uploaded = lab.upload(("qrels", ("q.txt", b"1 0 a 1\n")), ("run", ("r.txt", b"1 Q0 a 1 1 r\n")), name="gone")
    assert lab.client.delete(f"/api/collections/{uploaded['id']}").status_code == 204
    answered = lab.client.get(f"/leaderboard?collection={uploaded['id']}", headers={"Accept": "text/html"})
    assert answered.status_code == 404 and "There is no collection with this id" in answered.text


def test_long_and_odd_names_are_shown_as_text(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    source = simulate(2, 6, 3).write(tmp_path)
    names = ["x" * 180 + ".txt", "<script>alert(1)<_script>.txt", "a b 'c'.txt"]
    runs = [
        ("run", (name, run.read_bytes())) for name, run in zip(names, sorted((source / "runs").iterdir()), strict=True)
    ]
    lab.upload(("qrels", source / "qrels.txt"), *runs, name="<img src=x onerror=alert(1)>")
    for path, place in (("leaderboard", "#board tbody th"), ("users", "#board li .name"), ("topics", "#heat thead th")):
        visit(page, lab, path)
        page.locator(place).filter(has_text="<script>alert(1)<_script>").first.wait_for()
        wait_until(page, "document.documentElement.scrollWidth <= innerWidth")


def test_the_keyboard_is_enough(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "leaderboard?metrics=AP&metrics=RR")
    page.get_by_role("columnheader", name="RR").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.get_by_role("columnheader", name="RR").get_by_role("button").press("Enter")
    wait_until(page, "document.querySelector('th[aria-sort]').textContent.startsWith('RR')")
    page.get_by_role("button", name="Pin T3-short").press("Space")
    assert "pin=T3-short" in page.url
    page.get_by_role("button", name="Remove AP").press("Enter")
    page.get_by_role("columnheader", name="AP", exact=True).wait_for(state="detached")
    assert page.url.count("metrics=") == 1
