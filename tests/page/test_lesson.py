"""The lesson in a real browser: every part by mouse and by keyboard, in both themes and widths."""

import gzip
import re

import pytest

from .conftest import AXE

WIDE, NARROW = {"width": 1000, "height": 800}, {"width": 375, "height": 740}


def test_budget_and_policy(lesson_html):
    data = lesson_html.encode()
    assert len(data) <= 500_000
    assert len(gzip.compress(data)) <= 150_000
    assert "default-src 'none'" in lesson_html
    assert "http://" not in lesson_html.replace("http://www.w3.org/", "")


def test_the_badge_and_no_error(watch, lesson_file):
    """Would catch a browser that computes other numbers than Python."""
    page = watch().open(lesson_file)
    text = page.locator("#badge").inner_text()
    assert page.locator("#badge").get_attribute("class") == "badge good", text
    assert float(re.search(r"difference (\S+)$", text)[1]) < 1e-9
    assert int(text.split()[0]) > 100


def test_a_wrong_golden_number_turns_the_badge(watch, lesson_html, tmp_path):
    changed = re.sub(
        r'"evidence":-(\d)', lambda m: f'"evidence":-{(int(m[1]) + 1) % 10}', lesson_html, count=1
    )
    assert changed != lesson_html
    (tmp_path / "wrong.html").write_text(changed, encoding="utf-8")
    page = watch().open(tmp_path / "wrong.html")
    assert page.locator("#badge").get_attribute("class") == "badge bad"


def test_the_two_views(watch, lesson_file):
    page = watch().open(lesson_file)
    assert page.locator("#views-picture .node").count() == 10
    page.click("[data-view=complete]")
    assert page.locator("#views-picture .edge").count() == 10
    page.locator("#tau").fill("8")
    assert "3^8 = 6,561 entries" in page.locator("#views-cost").inner_text()
    page.click("[data-view=substituted]")
    page.locator("#tau").fill("4")
    assert page.locator("#views-picture .edge").count() == 6
    page.click("[data-view=random]")
    assert page.locator("#views-picture .edge.both").count() > 0
    assert "#" in page.url
    assert "tau=4" in page.url


def test_the_classroom_moment_by_mouse(watch, lesson_file):
    """10.3 given x: independent by determinism; 10.10: dependent again."""
    page = watch().open(lesson_file)
    page.click("text=10.3 given all x")
    assert (
        page.locator("#ask-verdict").inner_text()
        == "y(1) and y(3) are independent given x(1), x(2), x(3)."
    )
    why = page.locator("#ask-why").inner_text()
    assert "Ordinary d-separation" in why
    assert "I = 0 nats" in why
    assert page.locator("#ask-picture .node.determined").count() == 6
    page.click("text=10.10 given all x")
    assert "may be dependent" in page.locator("#ask-verdict").inner_text()
    assert "An open way" in page.locator("#ask-why").inner_text()
    nats = float(re.search(r"I = (\S+) nats", page.locator("#ask-why").inner_text())[1])
    assert nats > 1e-6
    page.click('#ask-picture [data-node="x_2"]')
    assert "given x(1), x(3)" in page.locator("#ask-verdict").inner_text()
    page.check("input[name=tool][value=b]")
    page.click('#ask-picture [data-node="y_2"]')
    assert "y(1) and y(2)" in page.locator("#ask-verdict").inner_text()


def test_the_graph_by_keyboard_alone(watch, lesson_file):
    page = watch().open(lesson_file)
    page.select_option("#ask-figure", "10.8")
    page.locator("#ask-predict").focus()
    page.keyboard.press("Tab")
    focused = "document.activeElement.dataset.node"
    first = page.evaluate(focused)
    assert first
    page.keyboard.press("ArrowRight")
    second = page.evaluate(focused)
    assert second != first
    page.keyboard.press("a")
    assert page.locator("#ask-picture .node.end-a").get_attribute("data-node") == second
    page.keyboard.press("ArrowRight")
    third = page.evaluate(focused)
    page.keyboard.press("b")
    assert page.locator("#ask-picture .node.end-b").get_attribute("data-node") == third
    page.keyboard.press("ArrowRight")
    fourth = page.evaluate(focused)
    page.keyboard.press("Enter")
    assert (
        page.locator(f'#ask-picture [data-node="{fourth}"]').get_attribute("aria-pressed") == "true"
    )
    assert page.evaluate(focused) == fourth  # the focus stays
    page.keyboard.press("Enter")
    assert (
        page.locator(f'#ask-picture [data-node="{fourth}"]').get_attribute("aria-pressed")
        == "false"
    )


def test_predict_first(watch, lesson_file):
    page = watch().open(lesson_file, "#reveal=0")
    assert page.locator("#ask-verdict").inner_text() == "Predict first, then reveal."
    assert page.locator("#ask-why li").count() == 0
    page.click("#ask-predict")
    assert "independent" in page.locator("#ask-verdict").inner_text()


def test_when_to_stop(watch, lesson_file):
    page = watch().open(lesson_file)
    first = page.locator("#length-samples").inner_text()
    page.click("#length-again")
    assert page.locator("#length-samples").inner_text() != first
    page.locator("#length-seed").fill("7")
    page.locator("#length-seed").press("Enter")
    assert page.locator("#length-samples").inner_text() == first
    for rule in ("halt", "tau", "eos"):
        page.click(f"[data-rule={rule}]")
        rows = page.locator("#length-table tr")
        drawn = [float(rows.nth(i).locator("td").nth(0).text_content()) for i in range(11)]
        exact = [float(rows.nth(i).locator("td").nth(1).text_content()) for i in range(11)]
        assert sum(exact) == pytest.approx(1, abs=1e-3)
        assert max(abs(a - b) for a, b in zip(drawn, exact, strict=True)) < 0.08
    cell = page.locator("[data-cell=cell-1-1]")
    assert not page.locator("#cell-1-1").is_visible()
    cell.focus()
    page.keyboard.press("Enter")
    assert page.locator("#cell-1-1").is_visible()
    assert cell.get_attribute("aria-expanded") == "true"


def test_context(watch, lesson_file):
    page = watch().open(lesson_file)
    before = page.locator("#context-bars").inner_text().split("\n")
    page.locator("#x1").focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    after = page.locator("#context-bars").inner_text().split("\n")
    first = slice(0, before.index("y(2)"))
    assert before[first] == after[first]  # fig 10.9's y(1) does not know x as an input
    assert before != after
    page.check("input[name=entry][value=initial]")
    assert page.locator("#context-bars").inner_text().split("\n")[first] != after[first]


def test_what_is_missing(watch, lesson_file):
    page = watch().open(lesson_file)
    page.locator("#missing-text").fill("abc?bc")
    assert page.locator("#missing-bars .bar").count() == 3
    assert float(page.locator("#missing-bars .bar-value").nth(0).inner_text()) > 0.8  # an a
    page.locator("#missing-text").fill("a???")
    assert "3^3 = 27 re-runs" in page.locator("#missing-words").inner_text()
    page.locator("#missing-text").fill("axb")
    assert '"x" is not a symbol' in page.locator("#missing-error").inner_text()
    page.locator("#missing-text").fill("????????")
    assert "At most 7 gaps" in page.locator("#missing-error").inner_text()


def test_experiments_have_plots_and_tables(watch, lesson_file):
    from pgm_rnn.experiments import names

    page = watch().open(lesson_file)
    assert page.locator(".experiment svg").count() >= len(names()) - 1
    page.locator(".experiment summary").first.click()
    assert page.locator(".experiment table").first.is_visible()


def test_the_quiz(watch, lesson_file):
    page = watch().open(lesson_file)
    questions = page.locator(".question")
    assert questions.count() >= 5
    wrong = page.locator("label.option", has_text="Given h(3), y(1) tells nothing")
    wrong.click()
    reply = questions.nth(1).locator(".reply")
    assert reply.inner_text().startswith("Not so.")
    reply.locator("button").click()
    assert "y(1) and y(3) may be dependent given h(3)" in page.locator("#ask-verdict").inner_text()
    page.locator("label.option", has_text="It stands between past and future").click()
    assert reply.inner_text().startswith("Right.")
    assert page.locator("#quiz-score").inner_text().startswith("1 of")
    page.locator("#streak button").first.click()
    assert page.locator("#streak .reply").inner_text().startswith(("Right", "Not so"))
    page.locator("#streak .reply button").click()
    assert page.locator("#streak .reply").inner_text() == ""


def test_a_state_is_restored_from_its_address(watch, lesson_file):
    page = watch().open(
        lesson_file,
        "#figure=10.8&a=y_1&b=y_3&given=h_2&view=complete&tau=3&rule=halt&seed=5&text=ab%3F",
    )
    assert "y(1) and y(3) are independent given h(2)" in page.locator("#ask-verdict").inner_text()
    assert page.locator("#views-picture .node").count() == 3
    assert page.locator("[data-rule=halt]").get_attribute("aria-pressed") == "true"
    assert page.locator("#missing-text").input_value() == "ab?"
    strange = watch().open(
        lesson_file,
        "#figure=nothing&a=%3Cimg%3E&tau=1e9&k=-4&rule=toString&view=__proto__&entry=x"
        "&given=y_1|y_1",
    )
    assert strange.locator("#badge").get_attribute("class") == "badge good"
    assert strange.locator("#ask-verdict").inner_text()


def test_without_javascript(watch, lesson_file):
    page = watch(java_script_enabled=False).open(lesson_file)
    assert page.locator("svg").count() >= 8
    assert page.locator("h2").count() == 8
    assert page.locator("math").count() > 20
    assert "eq 10.35" in page.locator("main").inner_text()
    assert page.locator("#cell-1-1").is_visible()
    assert not page.locator("#ask-predict").is_visible()


def test_in_a_sandboxed_frame(watch, lesson_file, tmp_path):
    """replaceState throws there."""
    inside = f'sandbox="allow-scripts" src="file://{lesson_file}" width="900" height="700"'
    (tmp_path / "frame.html").write_text(f"<iframe {inside}></iframe>")
    one = watch()
    page = one.open(tmp_path / "frame.html")
    frame = page.frames[1]
    frame.click("[data-view=complete]")
    assert frame.locator("#views-picture .edge").count() == 10
    assert frame.locator("#badge").get_attribute("class") == "badge good"


def test_print(watch, lesson_file):
    page = watch().open(lesson_file)
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.locator("#ask-predict").is_visible()
    assert page.locator("#ask-verdict").is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_accessibility_and_width(watch, lesson_file, theme, size):
    page = watch(viewport=size, color_scheme=theme, reduced_motion="reduce").open(lesson_file)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size["width"], wide
    if not AXE.exists():
        pytest.skip("no axe-core here: npm ci --prefix tests/page")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']})"
    )
    told = [
        (v["id"], v["nodes"][0]["html"][:150], v["nodes"][0]["failureSummary"])
        for v in found["violations"]
    ]
    assert told == []


def tokens(css):
    """The colours of both themes."""
    light, dark = re.findall(r":root \{(.*?)\}", css, re.S)[:2]
    read = lambda block: dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))  # noqa: E731
    return {"light": read(light), "dark": {**read(light), **read(dark)}}


def contrast(a, b):
    """WCAG 2's ratio of two colours."""

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast_of_the_tokens(theme):
    from pgm_rnn.page.build import text

    colours = tokens(text("page.css"))[theme]
    for ground in ("paper", "panel"):
        for ink in ("ink", "soft", "accent", "good", "bad", "a", "b"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
        for mark in ("line", "bar", "focus"):
            assert contrast(colours[mark], colours[ground]) >= 3, (mark, ground)
    assert contrast(colours["ink"], colours["given"]) >= 4.5
