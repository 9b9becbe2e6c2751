"""Pictures of a report: the README's commands, then screenshots.

`python docs/site_tools/report_picture.py` writes the README's picture, down to the end of the
ranking, and that of two systems' lists. It needs chromium and playwright. The site's front page has
a picture of its own, made when the site is built; where no browser is, it is the README's.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOP = ROOT / "docs" / "_static" / "report.png"
LISTS = ROOT / "docs" / "how-to" / "images" / "report-lists.png"
WIDTH, HEIGHT = 1100, 900


def main() -> None:
    make(TOP, LISTS)


def make(top: Path, lists: Path | None = None) -> None:
    """Take a picture of the report's top and, if asked for, of its two lists."""
    top.parent.mkdir(exist_ok=True)
    if (browser_path := shutil.which("chromium")) is None or not find_spec("playwright"):
        print("no chromium or no playwright here: the front page shows the README's picture")
        shutil.copy(TOP, top)
        return
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        for words in _commands():
            subprocess.run(
                [sys.executable, "-c", "from hungjury.cli.main import main; main()", *words],
                cwd=folder, check=True, capture_output=True,
            )  # fmt: skip
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto((Path(folder) / "demo" / "report.html").as_uri())
            page.wait_for_selector("html[data-ready]")
            table = page.locator("#systems").bounding_box()
            end = {"x": 0, "y": 0, "width": WIDTH, "height": table["y"] + table["height"] + 24}
            _save(page.screenshot(full_page=True, clip=end), top)
            if lists is not None:
                _save(page.locator("section:has(#pair)").screenshot(), lists)
            browser.close()


def _save(taken: bytes, path: Path) -> None:
    """With few colours, which makes it small."""
    from PIL import Image

    picture = Image.open(io.BytesIO(taken)).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path.relative_to(ROOT))


def _commands() -> list[list[str]]:
    """The words of the README's commands that make a collection and its report."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```sh\n(hungjury simulate.*?)```", text, re.S)
    assert block is not None
    lines = [shlex.split(line, comments=True) for line in block[1].splitlines()]
    return [words[1:] for words in lines if words[:1] == ["hungjury"]]


if __name__ == "__main__":
    main()
