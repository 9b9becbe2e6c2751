"""``python -m benchmarks.timings.label``: from a key to the next document, in a large plan.

`hungjury label` serves a plan of 10,000 documents of 2 KB. Requests go over one connection on the
loopback interface, as a browser's do; with ``--browser PATH`` keys are pressed in a real Chromium,
and the time is taken from the key to the frame that shows the next document.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.machine import machine_facts, versions

WORDS = [
    "captain",
    "ship",
    "sailed",
    "coast",
    "river",
    "storms",
    "trade",
    "furs",
    "people",
    "of",
    "the",
]
GOAL = 0.050  # seconds
WATCH = """() => {
  window.taken = [];
  const shown = document.getElementById('document');
  document.addEventListener('keydown', () => { window.began = performance.now(); }, true);
  new MutationObserver(() => requestAnimationFrame(() => setTimeout(
    () => window.taken.push(performance.now() - window.began)))
  ).observe(shown, { childList: true, characterData: true, subtree: true });
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--labels", type=int, default=300)
    parser.add_argument("--people", type=int, default=3)
    parser.add_argument("--browser", help="path of a Chromium")
    asked = parser.parse_args()
    for name, value in {**machine_facts(), **versions()}.items():
        print(f"{name}: {value}")
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), asked.documents)
        process, addresses = start(folder, asked.people)
        try:
            report("requests", requests(addresses[0], asked.labels))
            if asked.browser:
                report("keys in Chromium", keys(addresses[1], asked.labels, asked.browser))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


def make(folder: Path, count: int) -> None:
    chance = random.Random(1)
    topics = [f"q{t}" for t in range(50)]
    (folder / "queries.tsv").write_text("".join(f"{t}\ttrade on the river\n" for t in topics))
    with open(folder / "plan.tsv", "w") as plan, open(folder / "corpus.jsonl", "w") as corpus:
        plan.write("topic\tdocument\n")
        for i in range(count):
            plan.write(f"{chance.choice(topics)}\td{i}\n")
            text = " ".join(chance.choices(WORDS, k=350))
            corpus.write(json.dumps({"_id": f"d{i}", "title": f"Title {i}", "text": text}) + "\n")


def start(folder: str, people: int) -> tuple[subprocess.Popen[str], list[str]]:
    names = [word for n in range(people) for word in ("--person", f"judge{n}")]
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "hungjury", "label", "plan.tsv", "--queries", "queries.tsv",
         "--documents", "corpus.jsonl", "-o", "labels.db", "--share", "0.1", "--no-browser",
         "--port", "0", *names],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    found = [process.stdout.readline().split()[-1] for _ in range(people)]
    print(f"ready after {time.perf_counter() - began:.1f} s")
    return process, found


def requests(address: str, count: int) -> list[float]:
    host, path = re.fullmatch(r"http://([^/]+)(/.*)", address).groups()  # type: ignore[union-attr]
    connection = http.client.HTTPConnection(host)
    connection.request("GET", path)
    reply = connection.getresponse()
    cookie = reply.headers["set-cookie"].split(";")[0]
    base = re.search(r"url=(/\w+/)", reply.read().decode())[1]  # type: ignore[index]
    headers = {"Cookie": cookie, "Origin": f"http://{host}", "Content-Type": "application/json"}

    def post(what: str, body: dict[str, Any]) -> Any:
        connection.request("POST", base + what, json.dumps(body), headers)
        return json.loads(connection.getresponse().read())

    taken, task = [], post("task", {})["task"]
    for i in range(count):
        began = time.perf_counter()
        task = post("label", {"item": task["item"], "grade": i % 4, "seconds": 1})["task"]
        taken.append(time.perf_counter() - began)
    return taken


def keys(address: str, count: int, browser: str) -> list[float]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        page.goto(address)
        page.wait_for_selector("#task:not([hidden])")
        page.evaluate(WATCH)
        for i in range(count):
            page.keyboard.press(str(i % 4))
            page.wait_for_function("n => window.taken.length > n", arg=i)
        taken = page.evaluate("window.taken")
        chromium.close()
    return [milliseconds / 1000 for milliseconds in taken]


def report(what: str, taken: list[float]) -> None:
    ordered = sorted(taken)
    middle, high = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    good = "within" if high <= GOAL else "not within"
    print(
        f"{what}: median {middle * 1000:.1f} ms, 95 % below {high * 1000:.1f} ms, "
        f"largest {ordered[-1] * 1000:.1f} ms ({len(taken)} answers; {good} {GOAL * 1000:.0f} ms)"
    )


if __name__ == "__main__":
    main()
