"""Notebooks: the site's own, run when it is built and shown with what it printed, and one for every
page whose examples run, made from that page."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

__all__ = ["from_page", "make", "run", "write_all"]

LONGEST = 120  # seconds for a cell
SETUP = re.compile(r"<!-- examples: run(?: after `(.+?)`)? -->\n")
PARTS = re.compile(r"^```(\w*)\n(.*?)^```\n", re.S | re.M)


def run(notebook: Path) -> Any:
    """The notebook with its outputs; a cell that fails raises an error."""
    return executed(nbformat.read(notebook, as_version=4), notebook.parent)


def executed(content: Any, folder: Path) -> Any:
    """Run the cells in a folder."""
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(content, timeout=LONGEST, kernel_name="python3", resources=resources)
    return client.execute()


def write_all(pages: list[Path], folder: Path) -> None:
    """Write a notebook for each page, without outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        nbformat.write(from_page(page), folder / f"{page.stem}.ipynb")


def from_page(page: Path) -> Any:
    """A notebook with a page's text, its Python examples and its commands, without outputs."""
    text = page.read_text(encoding="utf-8")
    setup = SETUP.search(text)
    assert setup is not None, f"{page} promises no examples"
    text = SETUP.sub("", text)
    cells, at = [], 0
    if setup[1]:
        cells.append(nbformat.v4.new_code_cell(_shell(setup[1])))
    shows = False
    for part in PARTS.finditer(text):
        kind, body = part.groups()
        words = text[at : part.start()].strip()
        at = part.end()
        if words:
            cells.append(nbformat.v4.new_markdown_cell(words))
        if kind == "python":
            cells.append(nbformat.v4.new_code_cell(body.rstrip()))
        elif kind == "console":
            commands = re.findall(r"^\$ ((?:.*\\\n)*.*)$", body, re.M)
            cells.append(nbformat.v4.new_code_cell("\n".join(map(_shell, commands))))
        elif kind != "text" or words or not shows:  # the output of the cell above is left out
            cells.append(nbformat.v4.new_markdown_cell(part[0].rstrip()))
        shows = kind == "python"
    if words := text[at:].strip():
        cells.append(nbformat.v4.new_markdown_cell(words))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # the same notebook from the same page
    return nbformat.v4.new_notebook(cells=cells)


def _shell(command: str) -> str:
    return f"!{command}"


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
