"""A page of a user's own program: any names, any size."""

import pyro
import pyro.distributions as dist
import pytest
import torch

from pgm_rnn import BadOption
from pgm_rnn.page import frame, own
from pgm_rnn.page.quiz import Query, WrongKey

NASTY = "</script><img src=x onerror=alert(1)>"


def hostile():
    a = pyro.sample(NASTY, dist.Bernoulli(torch.tensor(0.4)))
    b = pyro.sample("b\"'&<!--", dist.Bernoulli(0.2 + 0.5 * a))
    pyro.sample("constructor", dist.Bernoulli(0.1 + 0.5 * b))


def plated():
    p = pyro.sample("p|q", dist.Bernoulli(torch.tensor(0.3)))
    with pyro.plate("two", 1):
        q = pyro.sample("q", dist.Bernoulli(0.2 + 0.5 * p))
        pyro.sample("r", dist.Bernoulli(0.1 + 0.7 * q))


def chain():
    x = torch.zeros(())
    for t in range(60):
        x = pyro.sample(f"x_{t}", dist.Normal(0.5 * x, 1.0))


def write(tmp_path, html):
    path = tmp_path / "own.html"
    path.write_text(html, encoding="utf-8")
    return path


def test_hostile_names_stay_names(watch, tmp_path):
    """Would catch a name that is put in as markup."""
    page = watch().open(write(tmp_path, own(hostile, name="<b>mine</b>")))
    assert page.locator("img").count() == 0
    assert page.locator("h1").inner_text() == "<b>mine</b>: its graphical model"
    assert page.locator("#ask-picture .node").count() == 3
    assert NASTY in page.locator("#ask-question").inner_text()
    assert "nats" in page.locator("#ask-why").inner_text()
    assert page.locator("#badge").get_attribute("class") == "badge good"


def test_a_click_is_for_the_node_that_was_clicked(watch, tmp_path):
    """A drawing with plates lists its nodes in another order than the graph."""
    page = watch().open(write(tmp_path, own(plated)))
    page.check("input[name=tool][value=a]")
    page.click('#ask-picture [data-node="q"]')
    page.check("input[name=tool][value=b]")
    page.click('#ask-picture [data-node="r"]')
    page.check("input[name=tool][value=observe]")
    page.click('#ask-picture [data-node="p|q"]')
    assert page.locator("#ask-question").inner_text() == "Are q and r independent given p|q?"
    again = watch().open(tmp_path / "own.html", page.url[page.url.index("#") :])
    assert again.locator("#ask-question").inner_text() == "Are q and r independent given p|q?"
    names = "[...document.querySelectorAll('#ask-picture .node')].map(n => n.dataset.node)"
    assert sorted(page.evaluate(names)) == ["p|q", "q", "r"]


def test_sixty_nodes_answer_within_a_frame(watch, tmp_path):
    page = watch().open(write(tmp_path, own(chain, name="chain")))
    assert page.locator("#ask-picture .node").count() == 60
    took = page.evaluate(
        """() => {
          const times = [];
          for (let i = 0; i < 15; i++) {
            const node = document.querySelectorAll("#ask-picture .node")[10 + i];
            const start = performance.now();
            node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
            times.push(performance.now() - start);
          }
          return times.sort((a, b) => a - b)[7];
        }"""
    )
    print(f"a click on 60 nodes: {took:.1f} ms")
    assert page.locator("#ask-picture .node.observed").count() > 5


def test_a_wide_picture_scrolls_and_keeps_its_targets(watch, tmp_path):
    page = watch(viewport={"width": 375, "height": 700}).open(write(tmp_path, own(chain)))
    box = page.locator("#ask-picture .node .target").first.bounding_box()
    assert min(box["width"], box["height"]) >= 24
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_a_frame_in_a_notebook(watch, tmp_path):
    """Would catch quotation marks that end the attribute."""
    html = f"<!doctype html><title>notebook</title>{frame(hostile)._repr_html_()}"
    page = watch().open(write(tmp_path, html))
    inner = page.frames[1]
    assert inner.locator("#badge").get_attribute("class") == "badge good"
    assert inner.locator("#ask-picture .node").count() == 3


def test_what_verify_says_is_on_the_page():
    def leaking():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        pyro.sample("b", dist.Normal(a.detach().numpy().item(), 1.0))

    html = own(leaking, name="leaking")
    assert "Second opinion" in html
    with pytest.raises(BadOption, match="a question needs two"):
        own(lambda: pyro.sample("a", dist.Normal(0.0, 1.0)))


def test_a_wrong_key_stops_the_build():
    with pytest.raises(WrongKey, match="the library says"):
        Query("10.3", "y_1", "y_3", ("x_1", "x_2", "x_3"), False).check()
    Query("10.10", "y_1", "y_3", ("x_1", "x_2", "x_3"), False).check()


def test_on_the_command_line(tmp_path):
    from click.testing import CliRunner

    from pgm_rnn.cli import main

    model = tmp_path / "mine.py"
    model.write_text(
        "import pyro, pyro.distributions as dist\n"
        "def model():\n    a = pyro.sample('a', dist.Bernoulli(0.5))\n"
        "    pyro.sample('b', dist.Bernoulli(0.2 + 0.5 * a))\n"
    )
    out = tmp_path / "mine.html"
    found = CliRunner().invoke(main, ["page", f"{model}:model", "-o", str(out)])
    assert found.exit_code == 0, found.output
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    missing = CliRunner().invoke(
        main, ["page", f"{model}:model", "-o", str(tmp_path / "no" / "x.html")]
    )
    assert missing.exit_code == 2
    assert "there is no folder" in missing.stderr
    assert CliRunner().invoke(main, ["page", "--arg", "tau=3"]).exit_code == 2
