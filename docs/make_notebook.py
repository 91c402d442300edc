"""Write docs/walkthrough.ipynb from docs/walkthrough.md. python docs/make_notebook.py"""

import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HERE = Path(__file__).parent


def notebook() -> nbformat.NotebookNode:
    """The walk-through, a cell for each block of text or Python."""
    text = (HERE / "walkthrough.md").read_text(encoding="utf-8")
    cells = []
    for i, part in enumerate(re.split(r"```python\n(.*?)```\n?", text, flags=re.DOTALL)):
        if part.strip():
            cells.append((new_code_cell if i % 2 else new_markdown_cell)(part.strip()))
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"  # the same file each time
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


if __name__ == "__main__":
    nbformat.write(notebook(), HERE / "walkthrough.ipynb")
