"""The page in a browser: it works without a network, sorts, shows tooltips, and fits phones and desktops."""

import shutil

import numpy as np
import pytest

from irassay.assays.assay import assay
from irassay.reports.page import report, single_page
from irassay.scores import Scores
from irassay.simulation import simulate
from irassay.views.view import view_of

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, to drive a browser")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium, and there is none on this machine")

METRICS = ["nDCG@10", "AP", "RR", "INST(T=2.25,A='MAX')", "alpha_nDCG@10", "ERR_IA@10"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    collection = simulate(seed=3, topics=20, systems=9)
    found = assay(list(collection.runs), collection.diversity_qrels, METRICS, trials=200, splits=50)
    return report(found, tmp_path_factory.mktemp("page") / "report.html", title="Nine systems")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def grid_path(tmp_path_factory):
    """A page of browsing models with several aggregations, whose charts have panels."""
    collection = simulate(seed=3, topics=20, systems=6)
    metrics = [f"{model}(A='{a}',end='stop')@10" for model in ("RBP", "SDCG", "INST") for a in ("ERG", "MAX", "AVG")]
    found = assay(list(collection.runs), collection.qrels, metrics, trials=100, splits=20)
    return report(found, tmp_path_factory.mktemp("grid") / "report.html")


@pytest.fixture
def opened(browser, path):
    """Opens the page without a network; at the end nothing must have been said on the console, and no request made."""
    pages = []

    def open_page(width=1280, height=900, scheme="light", path=path):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, offline=True)
        page = context.new_page()
        messages: list[str] = []
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on(
            "request",
            lambda request: (
                messages.append(request.url) if not request.url.startswith(("file:", "data:", "blob:")) else None
            ),
        )
        page.goto(path.as_uri())
        pages.append((context, messages))
        return page

    yield open_page
    for context, messages in pages:
        context.close()
        assert messages == []


def draw_all(page):
    """Scrolls through the whole page until every chart that is shown was drawn.

    A chart takes its own height when it is drawn: a click made before that may begin and end on different elements.
    """
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    figures = page.locator("figure.chart")
    for n in range(figures.count()):
        figures.nth(n).scroll_into_view_if_needed()
        page.wait_for_function("(n) => document.querySelectorAll('figure.chart')[n].dataset.drawn === 'yes'", arg=n)
    return figures.count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 900)])
def test_everything_is_drawn_and_nothing_overflows(opened, width, height, scheme):
    page = opened(width, height, scheme)
    assert draw_all(page) > 12
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = "[...document.querySelectorAll('main > section > *, .card .body > *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).length"
    assert page.evaluate(wide) == 0


def test_charts_with_panels_are_drawn_in_silence(opened, grid_path):
    page = opened(path=grid_path)
    assert draw_all(page) > 12
    assert page.evaluate(
        "JSON.stringify(JSON.parse(document.getElementById('data').textContent).charts).includes('strokeWidth')"
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_panels_in_a_grid_are_drawn(opened, tmp_path, width):
    scores = Scores(np.random.default_rng(1).random((4, 8, 3)), tuple("abcd"), tuple("12345678"), ("AP", "RR", "P@5"))
    (tmp_path / "scores.html").write_text(single_page(view_of(scores)))
    page = opened(width, path=tmp_path / "scores.html")
    assert draw_all(page) == 1
    assert page.locator("canvas").bounding_box()["height"] > 100  # a title alone has 32 pixels
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_tables_sort_by_the_column_that_is_clicked(opened):
    page = opened()
    draw_all(page)
    rows = "[...document.querySelector('#discrimination table').querySelectorAll('tbody tr')]"
    column = f"{rows}.map((row) => parseFloat(row.cells[2].textContent))"
    table = page.locator("#discrimination table").first
    head = table.locator("th button", has_text="power 0.05")
    head.click()
    falling = page.evaluate(column)
    assert falling == sorted(falling, reverse=True)
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("power 0.05")
    head.click()
    assert page.evaluate(column) == falling[::-1] == sorted(falling)
    table.locator("th button", has_text="metric").first.click()
    names = table.locator("tbody tr td:first-child").all_inner_texts()
    assert sorted(names, key=str.lower) == names


def test_the_picture_of_the_profile_sorts_and_fits(opened):
    page = opened(390)
    table = page.locator("table.profile")
    assert table.bounding_box()["width"] <= 390
    names = table.locator("tbody th").all_inner_texts()
    head = table.locator("thead th.n button").nth(1)  # consistency
    head.click()
    falling = [float(text) for text in table.locator("tbody td:nth-child(3) b").all_inner_texts()]
    assert falling == sorted(falling, reverse=True)
    assert sorted(table.locator("tbody th").all_inner_texts()) == sorted(names)


def test_metrics_that_are_behind_on_a_ticked_criterion_are_struck_out(opened):
    page = opened()
    chips = page.locator("#chosen .chip")
    for box in page.locator("#picker input").all():
        box.uncheck()
    assert page.locator("#chosen .chip.off").count() == 0
    assert page.locator("#none-chosen").is_hidden()
    page.locator("#picker input").first.check()
    behind = page.locator("table.profile tbody td:nth-child(2):not(.best)").count()
    assert page.locator("#chosen .chip.off").count() == behind < chips.count()


def test_a_tooltip_shows_what_a_point_stands_for(opened):
    page = opened()
    draw_all(page)
    figure = page.locator("figure[data-name=similarity]")
    figure.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('figure[data-name=similarity]').dataset.drawn === 'yes'")
    box = figure.locator("canvas").bounding_box()
    tip = page.locator("#vg-tooltip-element.visible")
    for step in [*range(3, 10)] * 30:  # somewhere on the diagonal of the matrix; a slow machine shows it later
        page.mouse.move(box["x"] + box["width"] * step / 12, box["y"] + box["height"] * 0.8)
        page.wait_for_timeout(60)
        if tip.count():
            break
    assert "tau" in tip.inner_text()


def pictures(pdf):
    """How many canvases the pages of a PDF show: each is cleared once, which Chromium prints as a mask.

    Forms are no measure: what is translucent in a chart, as the intervals and points of the landscape, has its own.
    """
    return pdf.count(b"/SMask <</Type /Mask")


def test_a_page_printed_at_once_has_all_its_charts(opened):
    page = opened(scheme="dark")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = false; })")
    figures = page.locator("figure.chart").count()
    page.evaluate(
        "addEventListener('beforeprint', () => { window.closed_ = document.querySelectorAll('details:not([open])').length; })"
    )
    printed = page.pdf(print_background=True)
    assert page.evaluate("window.closed_") == 0
    assert page.evaluate("document.querySelectorAll('figure.chart canvas').length") == figures > 12
    assert pictures(printed) == figures


def test_a_long_name_does_not_break_the_layout(opened):
    page = opened()
    page.evaluate(
        "document.querySelectorAll('td:first-child').forEach((each) => { each.textContent = 'x'.repeat(120); })"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_charts_are_called_by_their_titles(opened):
    page = opened()
    draw_all(page)
    names = page.eval_on_selector_all("figure.chart", "all => all.map((each) => each.getAttribute('aria-label'))")
    inner = page.eval_on_selector_all(
        "figure.chart [aria-label]", "all => all.map((e) => e.getAttribute('aria-label'))"
    )
    assert "Vega visualization" not in {*names, *inner}
    assert "Consistency over halves of the topics" in {*names, *inner}


def test_a_table_gives_its_latex(opened):
    page = opened()
    draw_all(page)
    page.locator("#discrimination button[data-latex]").first.click()
    page.wait_for_function("document.querySelector('dialog textarea').value !== ''")
    text = page.locator("dialog textarea").input_value()
    assert text.startswith(r"\begin{tabular}") and r"nDCG@10 &" in text
    page.locator("#close").click()
    assert not page.locator("dialog").is_visible()


def test_the_theme_follows_the_system_until_the_reader_chooses(opened):
    page = opened(scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.locator("#theme").click()
    light = page.evaluate(ground)
    assert (dark, light) == ("rgb(22, 24, 29)", "rgb(255, 255, 255)")
    page.locator("figure[data-name=landscape]").scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('figure[data-name=landscape] canvas') !== null")


def test_a_link_opens_the_card_of_a_metric(opened):
    page = opened()
    draw_all(page)
    page.evaluate("document.querySelectorAll('details.card').forEach((card) => { card.open = false; })")
    link = page.locator("#metrics").get_by_role("link", name="RR", exact=True).first
    card = (link.get_attribute("href") or "").removeprefix("#")
    for _ in range(2):  # also when the address does not change
        link.click()
        page.wait_for_function(f"document.getElementById('{card}').open")
        assert page.locator(f"#{card} .models").is_visible()
        page.evaluate(f"document.getElementById('{card}').open = false")


def test_charts_take_the_room_that_was_left_for_them(opened):
    page = opened(1280)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    heights = "[...document.querySelectorAll('figure.chart')].map((e) => e.getBoundingClientRect().height)"
    before = page.evaluate(heights)
    draw_all(page)
    assert page.evaluate(heights) == before
    drawn = page.evaluate(
        "[...document.querySelectorAll('figure.chart canvas')].map((e) => e.getBoundingClientRect().height)"
    )
    names = page.evaluate("[...document.querySelectorAll('figure.chart')].map((e) => e.dataset.name)")
    wrong = [
        (name, room, chart)
        for name, room, chart in zip(names, before, drawn, strict=True)
        if not 0 <= room - chart < 50
    ]
    assert wrong == []


@pytest.mark.parametrize("width", [390, 1280])
def test_names_of_metrics_and_charts_are_whole(opened, width):
    page = opened(width)
    draw_all(page)
    # the order of systems may scroll: its boxes are as wide as their names
    fitted = "[...document.querySelectorAll('figure.chart:not([data-scrolls])')]"
    wide = f"{fitted}.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.dataset.chart)"
    assert page.evaluate(wide) == []
    heads = "[...document.querySelectorAll('th button')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)"
    assert page.evaluate(heads) == []
    if width > 640:
        cell = page.locator("#metrics table").first.locator("td", has_text="INST(T=2.25").first
        assert cell.locator("a").bounding_box()["height"] < 24  # one line


def test_a_long_table_says_how_much_is_hidden_and_shows_it(opened):
    page = opened()
    draw_all(page)
    page.evaluate(
        "() => { const body = document.querySelector('#systems tbody'); const box = body.closest('.scroll'); box.classList.remove('short');"
        " for (let n = 0; n < 60; n++) body.append(body.rows[0].cloneNode(true)); box.dispatchEvent(new Event('scroll')); }"
    )
    box, cue = page.locator("#systems .scroll").first, page.locator("#systems .cue").first
    page.wait_for_function("document.querySelector('#systems .cue').textContent.includes('more of 69 rows')")
    cue.get_by_role("button", name="show all rows").click()
    assert box.evaluate("(e) => e.scrollHeight - e.clientHeight") <= 1
    cue.get_by_role("button", name="show fewer rows").click()
    assert box.evaluate("(e) => e.scrollHeight - e.clientHeight") > 500
