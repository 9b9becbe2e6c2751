"""Pictures of a report: the README's commands, then screenshots.

`python docs/site_tools/report_picture.py` writes the picture of the front page, down to the end of
the ranking, and that of two systems' lists. It needs chromium and playwright.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOP = ROOT / "docs" / "_static" / "report.png"
LISTS = ROOT / "docs" / "how-to" / "images" / "report-lists.png"
WIDTH, HEIGHT = 1100, 900


def main() -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        for words in _commands():
            subprocess.run(
                [sys.executable, "-c", "from hungjury.cli.main import main; main()", *words],
                cwd=folder, check=True, capture_output=True,
            )  # fmt: skip
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto((Path(folder) / "demo" / "report.html").as_uri())
            page.wait_for_selector("html[data-ready]")
            table = page.locator("#systems").bounding_box()
            end = {"x": 0, "y": 0, "width": WIDTH, "height": table["y"] + table["height"] + 24}
            _save(page.screenshot(full_page=True, clip=end), TOP)
            _save(page.locator("section:has(#pair)").screenshot(), LISTS)
            browser.close()


def _save(taken: bytes, path: Path) -> None:
    """With few colours, which makes it small."""
    from PIL import Image

    picture = Image.open(io.BytesIO(taken)).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path.relative_to(ROOT))


def _commands() -> list[list[str]]:
    """The words of the first commands of the README, after the installation."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"```sh\n(.*?)```", text, re.S)
    assert first is not None
    lines = [shlex.split(line, comments=True) for line in first[1].splitlines()]
    return [words[1:] for words in lines if words[:1] == ["hungjury"]]


if __name__ == "__main__":
    main()
