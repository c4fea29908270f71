"""The lab in a real browser: the bench with the numbers of the command line, and nothing stale beside anything new."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from irassay.simulation import simulate
from tests.browser.conftest import CHROMIUM, RunningLab, visit, wait_until
from tests.browser.test_lab_stories import answer

pytest.importorskip("playwright.sync_api", reason="needs playwright, to drive a browser")
pytest.importorskip("uvicorn", reason="needs the extra lab")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, and there is none on this machine")
STEADY = '''import irassay as ia


@ia.user_model("Steady")
def Steady(r, q=0.5):
    """Continues with probability q."""
    return q + 0 * r.rank
'''


def board(page: Any, label: str) -> dict[str, tuple[str, str]]:
    """The systems of a user, best first, with the mean and the mark that are shown."""
    rows = page.get_by_role("list", name=f"Systems by {label}", exact=True).get_by_role("listitem")
    texts = rows.evaluate_all(
        "all => all.map(row => ['.name', '.value', 'sup'].map(x => row.querySelector(x).innerText))"
    )
    return {name: (value.removesuffix(mark).strip(), mark) for name, value, mark in texts}


def test_users_say_what_the_command_line_says(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    source = simulate(2, 8, 4).write(tmp_path)
    runs = [("run", run) for run in sorted((source / "runs").iterdir())]
    lab.upload(("qrels", source / "qrels.txt"), *runs, name="small")
    users = {"RBP(p=0.8)": "p", "INST(T=2)": "T", "SDCG@10": "cutoff"}
    names = [path.stem for _, path in runs][:2]
    visit(page, lab, "users?" + "&".join(f"metrics={user}" for user in users) + f"&a={names[0]}&b={names[1]}")
    for n, parameter in enumerate(users.values()):
        slider = page.get_by_role("group", name=f"User {n + 1}:").get_by_role("slider", name=parameter, exact=True)
        for _ in range(3):
            slider.press("ArrowRight")
    moved = ["RBP(p=0.815)", "INST(T=2.15)", "SDCG@13"]  # by round steps
    for user in moved:
        page.locator("#verdict p:not(.outdated)").get_by_text(f"{user}:").wait_for()
        page.get_by_role("list", name=f"Systems by {user}", exact=True).wait_for()
    words = ["qrels.txt", "runs", *(word for user in moved for word in ("-m", user)), "--format", "json"]
    means = json.loads(answer(["irassay", "score", *words], source))["results"]
    test = ["--test", "t", "--correction", "holm", "--baseline", names[0]]
    pairs = json.loads(answer(["irassay", "compare", *words, *test], source))["results"]["pairs"]
    for user in moved:
        scored = {row["run"]: row["value"] for row in means if row["metric"] == user}
        differs = {row["other"] for row in pairs if row["metric"] == user and row["significant"] == "yes"}
        differs |= {row["system"] for row in pairs if row["metric"] == user and row["significant"] == "yes"}
        shown = board(page, user)
        assert {name: value for name, (value, _) in shown.items()} == {n: f"{v:.4f}" for n, v in scored.items()}
        assert list(shown) == sorted(scored, key=lambda name: -scored[name])
        assert {name for name, (_, mark) in shown.items() if mark} == differs - {names[0]}
    two = json.loads(
        answer(
            ["irassay", "compare", "qrels.txt", *(f"runs/{n}.txt" for n in names), *words[2:], "--test", "t"], source
        )
    )
    for n, row in enumerate(two["results"]["pairs"]):
        text = page.locator("#verdict p").nth(n).inner_text()
        low, gap, high = (
            row[name] if row["system"] == names[0] else -row[name] for name in ("low", "difference", "high")
        )
        assert f"{gap:+.4f} on 8 topics, 95% interval {min(low, high):+.4f} to {max(low, high):+.4f}" in text
        assert ("No significant difference" in text) == (row["significant"] == "no")


def test_the_chart_of_ranks_follows_the_user_that_is_changed(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=INST(T=2)&metrics=RBP")
    title = page.locator("#bump-title")
    page.get_by_role("group", name="User 1: INST").get_by_role("slider", name="T", exact=True).press("ArrowRight")
    title.get_by_text("rank by T of INST").wait_for()
    user = page.get_by_role("group", name="User 2: RBP")
    user.get_by_text("Gain, effort, aggregation and more").click()
    user.get_by_role("combobox", name="gain", exact=True).select_option("exp")  # RBP has no T
    title.get_by_text("rank by p of RBP").wait_for()
    user.get_by_role("checkbox", name="cut the list").check()
    title.get_by_text("rank by cutoff of RBP").wait_for()
    before = page.locator("svg.bump line.now").get_attribute("x1")
    user.get_by_role("slider", name="cutoff", exact=True).press("ArrowRight")
    wait_until(page, "x => document.querySelector('svg.bump line.now').getAttribute('x1') !== x", arg=before)
    user.get_by_role("checkbox", name="cut the list").uncheck()
    title.get_by_text("rank by p of RBP").wait_for()  # there is no cutoff to mark


def test_a_system_is_not_compared_with_itself(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP&a=T1-plain&b=T2-plain")
    page.get_by_text(re.compile("T1-plain minus T2-plain is")).wait_for()
    page.locator("#b").select_option("T1-plain")
    page.get_by_text("Choose two systems to compare them.").wait_for()
    page.locator("#b").select_option("T3-plain")
    page.get_by_text(re.compile("T1-plain minus T3-plain is")).wait_for()


def test_numbers_of_a_user_that_is_refused_keep_their_name(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP(p=0.8)")
    page.locator("#verdict").get_by_text("95% interval").wait_for()
    page.get_by_label("p value").fill("3")
    page.get_by_label("p value").press("Enter")
    page.get_by_role("alert").get_by_text("p must be a number above 0 and below 1; found 3").wait_for()
    assert page.locator(".bench.outdated").count() == 1
    page.locator("#b").select_option("T3-plain")  # what is drawn again
    assert page.get_by_role("list", name="Systems by RBP(p=0.8)", exact=True).is_visible()
    page.get_by_label("p value").fill("0.5")
    page.get_by_label("p value").press("Enter")
    page.get_by_role("list", name="Systems by RBP(p=0.5)", exact=True).wait_for()
    page.get_by_text(re.compile("T1-plain minus T3-plain is")).wait_for()
    assert page.locator(".bench.outdated").count() == 0 and page.locator("#problem").is_hidden()


def test_axioms_of_older_code_are_not_shown(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP")
    page.get_by_label("Code of the metric").fill(STEADY)
    page.locator("#axioms").get_by_text(re.compile("rankings of up to 4 results")).wait_for()
    shown = page.evaluate(
        """code => {
            const field = document.getElementById("code");
            field.value = code;
            field.dispatchEvent(new Event("input"));
            return document.getElementById("axioms").innerText;
        }""",
        STEADY.replace("Steady", "Other"),
    )
    assert shown.strip() == "The axioms are tested again."
    page.locator("#axioms").get_by_text(re.compile("Other breaks")).first.wait_for()
    page.get_by_label("Code of the metric").fill("import irassay as ia\n\nia.nothing\n")
    page.get_by_text("Your code, line 3").wait_for()
    page.locator("#axioms").get_by_text("tested as soon as the code declares a metric").wait_for()
    page.get_by_role("group", name="User 2: Other").get_by_role("slider", name="q", exact=True).press("ArrowRight")
    page.get_by_role("list", name="Systems by Other(q=0.5").wait_for()  # what ran before goes on
    page.reload()
    assert page.get_by_label("Code of the metric").input_value().endswith("ia.nothing\n")
    visit(page, lab, "metrics?method=axioms&metrics=Other&s.depth=3")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Other breaks").first.wait_for()


def test_a_fifth_user_is_not_written_onto_a_full_bench(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP&metrics=INST&metrics=INSQ&metrics=AP")
    page.get_by_role("group", name="User 4: AP").wait_for()
    page.get_by_label("Code of the metric").fill(STEADY.replace("Steady", "Fifth"))
    page.get_by_text("There are 4 users on the bench; remove one to add Fifth.").wait_for()
    assert page.locator(".user").count() == 4 and page.locator("#problem").is_hidden()
    page.get_by_role("button", name="Remove AP").click()
    field = page.get_by_role("combobox", name="Add a user")
    field.fill("Fifth")
    field.press("Enter")
    page.get_by_role("group", name="User 4: Fifth").get_by_role("slider", name="q", exact=True).wait_for()


def test_copying_and_downloading_say_that_they_wait(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "metrics?method=score&metrics=AP")
    page.get_by_role("button", name="Run", exact=True).click()
    held: list[Any] = []
    page.route("**/result?format=*", lambda route: held.append(route))
    for label, doing in (("Copy as CSV", "Copying …"), ("Download JSON", "Preparing …")):
        page.get_by_role("button", name=label).click()
        waiting = page.get_by_role("button", name=doing)
        waiting.wait_for()
        assert waiting.is_disabled() and page.get_by_role("button", name=label).count() == 0
        while not held:  # until the page has asked
            page.wait_for_timeout(20)
        if doing == "Copying …":
            held.pop().continue_()
            page.get_by_role("button", name="Copied").wait_for()
            assert page.evaluate("navigator.clipboard.readText()").startswith("run,metric,")
        else:
            with page.expect_download() as download:
                held.pop().continue_()
            assert json.loads(Path(download.value.path()).read_text())["results"]
        page.get_by_role("button", name=label).wait_for()


def test_a_removed_collection_has_a_page(page: Any, lab: RunningLab) -> None:
    uploaded = lab.upload(("run", ("a.txt", b"1 Q0 d1 1 1 a\n")), name="short-lived")
    assert lab.client.delete(f"/api/collections/{uploaded['id']}").status_code == 204
    answered = page.request.get(f"{lab.base}/topics?collection={uploaded['id']}")
    assert answered.status == 404 and "There is no collection with this id." in answered.text()
    visit(page, lab, "api/docs")  # a page of the same origin whose scripts wait for nothing
    page.set_content(answered.text())
    assert page.get_by_role("link", name="Leaderboard").count() == 1


def test_progress_and_cancel_are_in_sight(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "metrics?method=compare&metrics=AP&s.trials=9000000&s.test=bootstrap")
    page.get_by_role("button", name="Run", exact=True).click()
    cancel = page.get_by_role("button", name="Cancel")
    cancel.wait_for()
    box = cancel.bounding_box()
    assert 0 < box["y"] < 900 - box["height"] and page.evaluate("scrollY") == 0
    cancel.click()
    page.get_by_role("alert").get_by_text("The job was cancelled.").wait_for()


def test_a_link_shows_the_same_bench_in_another_tab(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "users?metrics=RBP(p=0.6)&metrics=Brisk(speed=0.3)&a=T2-plain&b=T3-plain&ranking=3,0,1")
    page.locator("#verdict p").nth(1).get_by_text("T2-plain minus T3-plain").wait_for()
    page.get_by_role("list", name="Systems by Brisk(speed=0.3)").wait_for()
    other = page.context.new_page()
    other.goto(page.url)
    other.locator("#verdict p").nth(1).get_by_text("T2-plain minus T3-plain").wait_for()
    other.get_by_role("list", name="Systems by Brisk(speed=0.3)").wait_for()
    for place in ("#verdict", "#board", "#ranking", "#users"):
        assert other.locator(place).inner_text() == page.locator(place).inner_text()
    other.close()


def test_topics_of_another_pair_are_not_shown(page: Any, lab: RunningLab) -> None:
    visit(page, lab, "topics?metric=AP&a=T1-plain&b=T2-plain")
    page.locator("#result").get_by_text("Topics by AP: T1-plain and T2-plain").wait_for()
    shown = page.evaluate(
        """() => {
            const menu = document.getElementById("b");
            menu.value = "T3-plain";
            menu.dispatchEvent(new Event("change"));
            return document.getElementById("result").innerText;
        }"""
    )
    assert shown.strip() == "Comparing T1-plain and T3-plain over topics …"
    page.locator("#heat tbody a").first.click()  # which does not keep the result away
    page.get_by_role("list", name="Ranking of T3-plain").wait_for()
    page.locator("#result").get_by_text("Topics by AP: T1-plain and T3-plain").wait_for()


def test_a_user_without_scores_says_why_and_the_others_go_on(page: Any, lab: RunningLab, tmp_path: Path) -> None:
    source = simulate(2, 8, 4).write(tmp_path)
    runs = [("run", run) for run in sorted((source / "runs").iterdir())]
    uploaded = lab.upload(("qrels", source / "qrels.txt"), *runs, name="without lengths")
    visit(page, lab, f"users?metrics=TBG&metrics=RBP(p=0.8)&collection={uploaded['id']}")
    page.get_by_role("group", name="User 1").get_by_text("TBG needs document lengths").wait_for()
    page.get_by_role("list", name="Systems by RBP(p=0.8)").wait_for()
    before = board(page, "RBP(p=0.8)")
    page.get_by_role("group", name="User 2").get_by_role("slider", name="p", exact=True).fill("0.5")
    page.get_by_role("list", name="Systems by RBP(p=0.5)").wait_for()
    assert len(before) == 4 and board(page, "RBP(p=0.5)") != before
    assert page.locator("#problem").is_hidden() and page.locator(".bench.outdated").count() == 0
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("scrollTo(0, 0)")
    assert page.get_by_role("region", name="Verdict").bounding_box()["y"] < 844  # in sight of the sliders
