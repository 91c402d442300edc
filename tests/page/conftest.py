"""A browser from the system, and the pages that the tests open."""

import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).parent
AXE = HERE / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
NODE = shutil.which("node")

needs_node = pytest.mark.skipif(NODE is None, reason="no node here: apt-get install nodejs")


@pytest.fixture(scope="session")
def chromium():
    """The system's Chromium, driven by playwright."""
    api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lesson_html():
    from pgm_rnn.page import lesson

    return lesson(quick=True)


@pytest.fixture(scope="session")
def lesson_file(lesson_html, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(lesson_html, encoding="utf-8")
    return path


class Watch:
    """A page that remembers what went wrong: console errors and requests."""

    def __init__(self, page):
        self.page, self.errors, self.requests = page, [], []
        page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda e: self.errors.append(str(e)))
        page.on("request", lambda r: self.requests.append(r.url))

    def open(self, path, state=""):
        self.page.goto(f"file://{path}{state}")
        return self.page

    def check(self):
        assert self.errors == []
        outside = [r for r in self.requests if not r.startswith(("file:", "data:", "blob:"))]
        assert outside == []


@pytest.fixture
def watch(chromium):
    made = []

    def start(**options):
        context = chromium.new_context(**options)
        made.append(context)
        found = Watch(context.new_page())
        made.append(found)
        return found

    yield start
    for one in made:
        one.check() if isinstance(one, Watch) else None
    for one in made:
        one.close() if not isinstance(one, Watch) else None
