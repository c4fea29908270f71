"""A lab and a browser for the stories of people who use it."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab.conftest import RunningLab

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MINE = '''import irassay as ia


@ia.user_model("Brisk", aliases="BriskUser")
def Brisk(r, speed=0.5):
    """Continues with probability 1 - speed."""
    return 1 - speed + 0 * r.rank
'''


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    folder = tmp_path_factory.mktemp("lab")
    (folder / "mine.py").write_text(MINE)
    running = RunningLab(
        "--demo", "--allow-code", "--define", str(folder / "mine.py"), "--workspace", str(folder / "workspace")
    )
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright import sync_api

    with sync_api.sync_playwright() as engine:
        chromium = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def page(lab: RunningLab, browser: Any) -> Iterator[Any]:
    """A page that has visited the printed address; nothing may be said on the console or leave the machine."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=lab.base)
    shown = context.new_page()
    messages: list[str] = []
    shown.on("console", lambda message: messages.append(message.text))
    shown.on("pageerror", lambda error: messages.append(str(error)))
    shown.on(
        "request",
        lambda sent: messages.append(sent.url) if not sent.url.startswith((lab.base, "data:", "blob:")) else None,
    )
    shown.set_default_timeout(60_000)
    shown.goto(lab.line)
    yield shown
    context.close()
    for each in lab.client.get("/api/collections").json()[1:]:  # that a story brought
        lab.client.delete(f"/api/collections/{each['id']}")
    assert not messages


def visit(page: Any, lab: RunningLab, path: str) -> None:
    page.goto(f"{lab.base}/{path}")


def wait_until(page: Any, expression: str, arg: Any = None) -> None:
    """Waits until an expression is true; `wait_for_function` would evaluate it in the page, whose policy forbids that."""
    for _ in range(1200):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")
