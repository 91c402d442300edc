"""For the documentation: docstrings' examples as code, not as quotations."""

import re

import griffe

EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n(?!>>>)|\Z)", re.MULTILINE | re.DOTALL)


class DoctestBlocks(griffe.Extension):
    """Fences every run of `>>>` lines and what they print."""

    def on_object(self, *, obj: griffe.Object, **kwargs: object) -> None:
        """Called for each module, class and function."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(
                lambda m: f"```pycon\n{m[0].rstrip()}\n```", obj.docstring.value
            )
