"""A real browser for tests of pages: Debian's chromium, without a screen."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser. Tests skip without one, but not in continuous integration."""
    where = next((path for path in map(shutil.which, NAMES) if path), None)
    if where is None:
        if os.environ.get("CI"):
            pytest.fail("no chromium: .ci/run installs it")
        pytest.skip("no chromium: pages are not tried in a browser (apt install chromium)")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        # Root has no sandbox; the pages are our own.
        one = driver.chromium.launch(executable_path=where, args=["--no-sandbox"])
        yield one
        one.close()


def assert_soon(read: Callable[[], Any], wanted: Any, seconds: float = 20) -> None:
    """Assert what a page comes to say. Many of its events follow after an action has returned."""
    end = time.monotonic() + seconds
    while (found := read()) != wanted and time.monotonic() < end:
        time.sleep(0.02)
    assert found == wanted, f"{found!r} instead of {wanted!r}"


class Visit:
    """A page that was opened, with all that it said and asked for."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.page = browser.new_context(**options).new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.failed: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("response", self._reply)
        self.page.goto(address)

    def _reply(self, reply: Any) -> None:
        if reply.status >= 400:
            self.failed.append(reply.url)

    def rest(self) -> None:
        """Wait until what was begun is drawn: scrolling, say, hides what is told of a cell."""
        frames = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.page.evaluate(frames)

    def tabbed(self) -> tuple[list[str], list[str]]:
        """Controls that Tab does not reach, and those that do not show that they are in focus."""
        found: list[str] = self.page.evaluate(
            """() => {
              const kinds = "a, button, input, select, summary, [tabindex='0']";
              const all = [...document.querySelectorAll(kinds)].filter(e => !e.disabled);
              const seen = all.filter(e => e.checkVisibility() && e.getClientRects().length);
              seen.forEach((e, i) => { e.dataset.control = i; });
              document.activeElement.blur();
              return seen.map(e => e.outerHTML.slice(0, 120));
            }"""
        )
        left, unseen = set(range(len(found))), []
        for _ in range(len(found) + 2):
            self.page.keyboard.press("Tab")
            at, seen = self.page.evaluate(
                """() => {
                  const one = document.activeElement, style = getComputedStyle(one);
                  const seen = [style.outlineStyle, style.boxShadow].some(x => x !== "none");
                  return [Number(one.dataset.control ?? -1), seen];
                }"""
            )
            left.discard(at)
            if at >= 0 and not seen:
                unseen.append(found[at])
        return [found[i] for i in sorted(left)], unseen

    def axe(self) -> list[str]:
        """What axe-core finds, as short sentences."""
        checker = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
        # The size of targets belongs to WCAG 2.2 AA, but has to be asked for.
        asked = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
        found = checker.run(self.page, options=asked).response["violations"]
        return [f"{v['impact']}: {v['id']}: {v['nodes'][0]['html']}" for v in found]

    def close(self) -> None:
        self.page.context.close()
