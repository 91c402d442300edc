"""The fonts of the drawings: the STIX files that matplotlib ships, and no others.

A machine's own fonts would change the coordinates of texts, and a machine without any would show
boxes. A private fontconfig file names one folder, wherever the package lies.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from xml.sax.saxutils import escape

NAME = "STIXGeneral"
FALLBACK = "STIX Two Text, STIXGeneral, Times New Roman, serif"

# `rescan 0`: never look again whether the file has changed; it is gone after the first picture.
_CONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{fonts}</dir>
  <cachedir>{cache}</cachedir>
  <config><rescan><int>0</int></rescan></config>
</fontconfig>
"""


def folder() -> Path | None:
    """The folder of matplotlib's fonts, found without importing matplotlib."""
    spec = find_spec("matplotlib")
    if spec is None or spec.origin is None:
        return None
    fonts = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    return fonts if fonts.is_dir() else None


@contextmanager
def private() -> Iterator[None]:
    """Let fontconfig see those fonts alone; what it reads now stays for the whole process."""
    fonts = folder()
    if fonts is None:
        yield
        return
    names = ("FONTCONFIG_FILE", "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT")
    before = {name: os.environ.pop(name) for name in names if name in os.environ}
    with tempfile.TemporaryDirectory(prefix="pgm-rnn-fonts-") as temporary:
        config = Path(temporary, "fonts.conf")
        text = _CONFIG.format(fonts=escape(str(fonts)), cache=escape(temporary))
        config.write_text(text, encoding="utf-8")
        os.environ["FONTCONFIG_FILE"] = str(config)
        try:
            with _silent():
                yield
        finally:
            del os.environ["FONTCONFIG_FILE"]
            os.environ.update(before)


@contextmanager
def _silent() -> Iterator[None]:
    """No words on stderr: fontconfig also looks through the system's templates, which it does
    not use, and grumbles where they are newer than itself."""
    try:
        stderr = os.dup(2)
    except OSError:  # there is none
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
