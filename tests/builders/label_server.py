"""A labelling server in a process of its own, and a plan to label."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import hungjury as hj

HOSTILE = "<script>window.hurt=1</script>"
QUERIES = {"q1": "who named the river", "q2": f"causes of storms {HOSTILE}"}


def make_plan(folder: Path, count: int = 60) -> None:
    """A plan, queries and documents; every third text tries to run a script."""
    rows = [("q1" if i % 2 else "q2", f"d{i}") for i in range(count)]
    lines = [f"{t},{d},{i + 1}\n" for i, (t, d) in enumerate(rows)]
    (folder / "plan.csv").write_text("topic,document,order\n" + "".join(lines))
    (folder / "queries.tsv").write_text("".join(f"{t}\t{q}\n" for t, q in QUERIES.items()))
    with open(folder / "corpus.jsonl", "w") as corpus:
        for i, (_, d) in enumerate(rows):
            text = f"Document {i} names a river. Storms come and go."
            hurt = f" {HOSTILE}<img src=x onerror=window.hurt=2>" if i % 3 == 0 else ""
            row = {"_id": d, "title": f"Title {i}{hurt}", "text": text + hurt}
            corpus.write(json.dumps(row) + "\n")


def make_panel(folder: Path, budget: int) -> dict[tuple[str, str], int]:
    """Simulated judges and runs, a plan for them, texts; what the gold labels are."""
    demo = folder / "demo"
    hj.simulate(topics=4, systems=3).write(demo)
    people = hj.read_judgments(str(demo / "judges" / "*"))
    runs = hj.read_runs(str(demo / "runs" / "*"))
    hj.plan(people, runs, "nDCG@10", budget).write(str(folder / "plan.csv"))
    labels = hj.read_qrels(str(demo / "gold.qrels")).to_dict()
    gold = {(t, d): grade for t, rows in labels.items() for d, grade in rows.items()}
    (folder / "corpus.jsonl").write_text("".join(f"{d}\ttext\n" for _, d in gold))
    (folder / "queries.tsv").write_text("".join(f"{t}\tquery\n" for t in labels))
    return gold


class Server:
    """`hungjury label` on a free port, or on a given one."""

    def __init__(
        self, folder: Path, *more: str, names: tuple[str, ...] = ("anna",), texts: bool = True,
        seconds: float | None = None,
    ) -> None:  # fmt: skip
        self.folder = folder
        limit = "" if seconds is None else f"EXCHANGE_SECONDS = {seconds}"
        program = f"import hungjury.labelling.app as app; app.{limit}; " if limit else ""
        program += "from hungjury.cli.main import main; main()"
        people = [word for name in names for word in ("--person", name)]
        files = ["--queries", "queries.tsv", "--documents", "corpus.jsonl"] if texts else []
        port = [] if "--port" in more else ["--port", "0"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, "label", "plan.csv", *files, *people, "-o", "labels.db",
             "--no-browser", *port, *more],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.addresses = {}
        for _ in names:
            line = self.process.stdout.readline()
            found = re.fullmatch(r"(.*\S)\s+(http://127\.0\.0\.1:(\d+)(/enter\?token=\S+))\n", line)
            assert found, f"{line!r} {self.process.stderr and self.process.stderr.read()}"
            self.addresses[found[1]] = found[2]
            self.port, self.enter = int(found[3]), found[4]

    def stop(self) -> str:
        """Ctrl-C, and what was said then."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=60)
        return said

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()


class Client:
    """Plain HTTP, without a browser's manners; entered with a token unless told otherwise."""

    def __init__(self, server: Server, enter: str | None = None) -> None:
        self.server, self.cookie, self.base = server, "", ""
        status, headers, body = self.ask("GET", enter or server.enter)
        self.entered = status
        if status == 200:
            self.cookie = headers["set-cookie"].split(";")[0]
            self.base = re.search(r'url=(/\w+/)"', body)[1]  # type: ignore[index]

    def ask(
        self, method: str, path: str, body: Any = None, drop: tuple[str, ...] = (), **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and text. Headers may be replaced, or dropped, by name."""
        host = f"127.0.0.1:{self.server.port}"
        sent = {"Host": host, "Cookie": self.cookie}
        if method == "POST":
            sent |= {"Origin": f"http://{host}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-").title(): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if name not in drop:
                connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(data or b"")))
        connection.endheaders(data)
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, {k.lower(): v for k, v in reply.getheaders()}, text

    def post(self, what: str, body: Any = None, **more: Any) -> tuple[int, Any]:
        status, _, text = self.ask("POST", self.base + what, body or {}, **more)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text
