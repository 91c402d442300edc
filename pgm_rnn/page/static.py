"""Drawings that show without JavaScript: the library's SVG, fit to stand inside a page."""

import re
from typing import Any


def inline(svg: bytes, prefix: str) -> Any:
    """The SVG as markup; its ids bear a prefix, since two pictures on a page would share them.

    What comes from names is escaped by the drawing already. Numbers are cut to a tenth of a point.
    """
    from markupsafe import Markup

    body = svg.decode()
    body = body[body.index("<svg") :]
    safe = re.sub(r"[^\w-]", "-", prefix)
    body = re.sub(r'\bid="', f'id="{safe}-', body)
    body = re.sub(r"url\(#", f"url(#{safe}-", body)
    body = re.sub(r"(\d+\.\d)\d+", r"\1", body)
    head, rest = body.split("</desc>", 1)  # the picture's own title and words stay
    rest = re.sub(r"<title>[^<]*</title>", "", rest)
    rest = re.sub(r' (?:xml:space="preserve"|class="[^"]*"|data-[a-z]+="[^"]*")', "", rest)
    return Markup(re.sub(r"\n+", "\n", f"{head}</desc>{rest}"))
