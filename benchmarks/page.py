"""The page's size, and how long a click takes on 60 nodes. python benchmarks/page.py

It needs a Chromium of the system; a frame has 16.7 ms.
"""

import gzip
import shutil
import tempfile
from pathlib import Path

import pyro
import pyro.distributions as dist
import torch
from playwright.sync_api import sync_playwright

from pgm_rnn.page import lesson, own

CLICK = """() => {
  const times = [];
  for (let i = 0; i < 41; i++) {
    const node = document.querySelectorAll("#ask-picture .node")[1 + i];
    const start = performance.now();
    node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    node.getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[20];
}"""


def chain() -> None:
    x = torch.zeros(())
    for t in range(60):
        x = pyro.sample(f"x_{t}", dist.Normal(0.5 * x, 1.0))


def main() -> None:
    whole = lesson(quick=True).encode()
    print(f"lesson: {len(whole) / 1000:.0f} kB, {len(gzip.compress(whole)) / 1000:.0f} kB gzipped")
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for name, html in (("lesson", whole.decode()), ("60 nodes", own(chain))):
            path = Path(folder) / "page.html"
            path.write_text(html, encoding="utf-8")
            page = browser.new_page()
            page.goto(f"file://{path}")
            if name == "60 nodes":
                print(f"a click on 60 nodes: {page.evaluate(CLICK):.1f} ms (median of 41)")
            paint = page.evaluate(
                "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
            )
            print(f"first paint, {name}: {paint or float('nan'):.0f} ms")
        browser.close()


if __name__ == "__main__":
    main()
