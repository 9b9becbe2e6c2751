"""The site's notebook runs, and its cells show tables and pictures."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from builders.paths import DOCS

pytest.importorskip("nbclient", reason="pip install 'hungjury[docs]'")
pytest.importorskip("ipykernel", reason="pip install 'hungjury[docs]'")
pytest.importorskip("matplotlib", reason="pip install 'hungjury[report]'")
pytestmark = pytest.mark.notebook


def test_every_cell_shows_a_table_or_a_picture(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("notebook", DOCS / "site_tools" / "notebook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    cells = [cell for cell in module.run(DOCS / "notebook.ipynb").cells if cell.cell_type == "code"]
    for cell in cells:
        (output,) = cell.outputs
        wanted = "image/png" if ".plot(" in cell.source else "text/html"
        assert wanted in output.data, cell.source
    page = "".join(map(module._cell, cells))
    pictures = re.findall('<img alt="([^"]+)"', page)
    assert len(pictures) == sum(".plot(" in cell.source for cell in cells)
    assert "P(row beats column) by nDCG@10" in pictures
