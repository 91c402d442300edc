"""Put the page together: template, styles, modules and data in one file that asks for nothing."""

import base64
import hashlib
import json
import re
from functools import cache
from importlib import resources
from typing import Any

from pgm_rnn.errors import PgmError

MODULES = (
    "dom", "separation", "numbers", "net", "state", "picture", "ask", "views", "lengths",
    "context", "missing", "experiments", "quiz", "golden", "main",
)  # fmt: skip


def page(template: str, data: dict[str, Any], **values: Any) -> str:
    """The HTML of a template, with `data` as JSON that no site name can break out of."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(text), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals.update(math=math)
    script = bundle()
    return environment.get_template(template).render(
        data=embedded(data), script=script, script_hash=_hash(script), style=text("page.css"),
        font=font(), **values,
    )  # fmt: skip


def embedded(data: dict[str, Any]) -> str:
    """JSON for a script element: no "<" in it, so it can't end the element."""
    said = json.dumps(_rounded(data), ensure_ascii=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        said = said.replace(char, f"\\u{ord(char):04x}")
    return said


def _rounded(value: Any) -> Any:
    """Floats with fifteen digits: what a double holds for sure."""
    if isinstance(value, float):
        return float(f"{value:.15g}")
    if isinstance(value, dict):
        return {key: _rounded(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(v) for v in value]
    return value


def text(name: str) -> str:
    """A file of this room."""
    return resources.files("pgm_rnn.page").joinpath(name).read_text(encoding="utf-8")


@cache
def bundle() -> str:
    """All modules as one: browsers load no module files from a folder.

    Raises PgmError if two modules share a name, which would be one name then.
    """
    parts, seen = [], {}  # type: ignore[var-annotated]
    for module in MODULES:
        body = text(f"js/{module}.js")
        body = re.sub(r"^import .*?;\n", "", body, flags=re.M | re.S)
        body = re.sub(r"^export (?=function|const)", "", body, flags=re.M)
        for name in re.findall(r"^(?:function|const) (\w+)", body, flags=re.M):
            if seen.setdefault(name, module) != module:
                raise PgmError(f"{name} is in {seen[name]}.js and in {module}.js")
        parts.append(f"// {module}.js\n{body}")
    whole = "\n".join(parts)
    if "</script" in whole.lower():
        raise PgmError("a module holds </script")
    return whole


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()


def math(latex: str, display: bool = False) -> Any:
    """MathML of a formula."""
    from latex2mathml.converter import convert
    from markupsafe import Markup

    return Markup(convert(latex, display="block" if display else "inline"))


@cache
def font() -> str:
    """The letters of the drawings, cut out of matplotlib's STIX fonts, as a data address."""
    import io

    from fontTools import subset
    from fontTools.ttLib import TTFont
    from matplotlib import get_data_path

    path = f"{get_data_path()}/fonts/ttf/STIXGeneralBolIta.ttf"
    loaded = TTFont(path, recalcTimestamp=False)
    options = subset.Options(hinting=False)
    options.drop_tables += ["FFTM"]
    cutter = subset.Subsetter(options)
    cutter.populate(text="abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    cutter.subset(loaded)
    loaded.flavor = "woff"
    out = io.BytesIO()
    loaded.save(out)
    return "data:font/woff;base64," + base64.b64encode(out.getvalue()).decode()
