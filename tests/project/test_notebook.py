"""The site's notebook and those made from how-to pages run; cells show tables and pictures."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from builders.paths import DOCS

pytest.importorskip("nbclient", reason="pip install 'hungjury[docs]'")
pytest.importorskip("ipykernel", reason="pip install 'hungjury[docs]'")
pytest.importorskip("matplotlib", reason="pip install 'hungjury[report]'")
pytestmark = pytest.mark.notebook


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / "site_tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


notebook = load("notebook")
PAGES = [page for page in load("examples").pages_with_examples() if page.parent.name == "how-to"]


RUN = {"paper", "soft-labels", "compare-systems", "keep-results"}  # Python, pictures and commands


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES])
def test_the_notebook_of_a_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    made = notebook.from_page(page)
    assert made == notebook.from_page(page)
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    blocks = re.findall(r"^```(?:python|console)$", page.read_text(encoding="utf-8"), re.M)
    assert len(code) in (len(blocks), len(blocks) + 1), "with what the page needs first"
    if page.stem not in RUN:  # its examples, which are these cells, run in test_docs.py
        return
    for cell in notebook.executed(made, tmp_path).cells:
        if cell.cell_type == "code":
            printed = "".join(one.text for one in cell.outputs if one.output_type == "stream")
            assert "not found" not in printed, printed
            assert "Traceback" not in printed, printed


def test_every_cell_shows_a_table_or_a_picture() -> None:
    cells = [
        cell for cell in notebook.run(DOCS / "notebook.ipynb").cells if cell.cell_type == "code"
    ]
    for cell in cells:
        (output,) = cell.outputs
        wanted = "image/png" if ".plot(" in cell.source else "text/html"
        assert wanted in output.data, cell.source
    page = "".join(map(notebook._cell, cells))
    pictures = re.findall('<img alt="([^"]+)"', page)
    assert len(pictures) == sum(".plot(" in cell.source for cell in cells)
    assert "P(row beats column) by nDCG@10" in pictures
