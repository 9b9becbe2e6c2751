"""The notebook: run when the site is built, and shown with what it printed."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

__all__ = ["make", "run"]

LONGEST = 120  # seconds for a cell


def run(notebook: Path) -> Any:
    """The notebook with its outputs; a cell that fails raises an error."""
    content = nbformat.read(notebook, as_version=4)
    NotebookClient(content, timeout=LONGEST, kernel_name="python3").execute()
    return content


def make(notebook: Path, page: Path) -> None:
    """Write a page with the cells and their outputs; pictures are inside it."""
    page.write_text("\n".join(_cell(cell) for cell in run(notebook).cells), encoding="utf-8")


def _cell(cell: Any) -> str:
    if cell.cell_type == "markdown":
        return f"{cell.source}\n"
    shown = "".join(_output(one) for one in cell.outputs)
    return f"```python\n{cell.source}\n```\n\n{shown}"


def _output(output: Any) -> str:
    """HTML where there is some, else a picture, else text."""
    data = {"text/plain": output.text} if "text" in output else output.data
    if "text/html" in data:
        return _raw(data["text/html"])
    if "image/png" in data:
        picture = data["image/png"].replace("\n", "")
        words = data["text/plain"].removeprefix("Plot(").removesuffix(")")
        return _raw(f'<img alt="{escape(words)}" src="data:image/png;base64,{picture}">')
    return f"```text\n{data['text/plain']}\n```\n\n"


def _raw(html: str) -> str:
    return f'```{{raw}} html\n<div class="output">\n{html}\n</div>\n```\n\n'
