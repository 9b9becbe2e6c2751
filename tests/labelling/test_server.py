"""The labelling server over plain HTTP: who is let in, what is refused, and the command itself."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import hungjury as hj
from builders import commands
from builders.label_server import HOSTILE, Client, Server, make_panel, make_plan

pytest.importorskip("starlette", reason="pip install 'hungjury[label]'")
pytest.importorskip("uvicorn", reason="pip install 'hungjury[label]'")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("label")
    make_plan(folder)
    with Server(folder, names=(f"Ann {HOSTILE}", "anna", "ben")) as running:
        yield running


def clients(server: Server) -> list[Client]:
    return [Client(server, one.split(str(server.port))[1]) for one in server.addresses.values()]


def test_only_this_machine_can_connect(server: Server) -> None:
    for family, kind, _, _, where in socket.getaddrinfo(socket.gethostname(), server.port):
        if kind == socket.SOCK_STREAM and not str(where[0]).startswith(("127.", "::1")):
            with socket.socket(family, kind) as one:
                one.settimeout(5)
                assert one.connect_ex(where) != 0


def test_the_token_lets_in_and_nothing_else_does(server: Server) -> None:
    client = Client(server)
    assert client.entered == 200
    assert client.ask("GET", client.base)[0] == 200
    token = server.enter.split("=")[1]
    for wrong in ("/enter", "/enter?token=", "/enter?token=x", f"/enter?token={token[:-1]}",
                  f"/enter?token={token}x", "/enter?token=%C3%A9"):  # fmt: skip
        assert Client(server, wrong).entered == 403
    for path in ("", "page.js", "page.css", "progress", "nothing"):
        status, _, text = client.ask("GET", client.base + path, drop=("Cookie",))
        assert (status, "printed for you" in text) == (403, True)
    status, told = client.post("task", drop=("Cookie",))
    assert (status, set(told)) == (403, {"error"})
    name = client.cookie.split("=")[0]
    assert client.post("task", cookie=f"{name}=wrong")[0] == 403


def test_one_person_cannot_act_as_another(server: Server) -> None:
    _, anna, ben = clients(server)
    assert anna.base != ben.base
    other = ben.cookie.split("=")[0] + "=" + anna.cookie.split("=")[1]
    assert anna.ask("POST", ben.base + "task", {}, cookie=other)[0] == 403


def test_the_cookie_is_for_this_site_alone(server: Server) -> None:
    client = Client(server)
    cookie = client.ask("GET", server.enter)[1]["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert f"path={client.base}" in cookie


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "[::2]:{port}", "",
     "user@127.0.0.1:{port}", "127.0.0.1:{port}/x", "localhost.:{port}", "0.0.0.0:{port}", "[::1",
     "localhost:{port},evil.example", "localhost:{port} evil.example", "localhost:x"],
)  # fmt: skip
def test_other_hosts_are_refused_so_rebinding_fails(server: Server, host: str) -> None:
    client = Client(server)
    shown = host.format(port=server.port)
    # An address that the HTTP parser itself refuses never reaches us.
    assert client.ask("GET", client.base, host=shown)[0] in (400, 421)
    assert client.post("task", host=shown, origin=f"http://{shown}")[0] in (400, 421)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "localhost:9000", "localhost", "[::1]:{port}"]
)
def test_loopback_hosts_are_served_also_through_a_tunnel(server: Server, host: str) -> None:
    client = Client(server)
    shown = host.format(port=server.port)
    assert client.post("task", host=shown, origin=f"http://{shown}")[0] == 200


def test_only_the_page_itself_changes_anything(server: Server) -> None:
    client = Client(server)
    for origin in ("http://evil.example", "null", f"http://localhost:{server.port}",
                   f"https://127.0.0.1:{server.port}", "http://127.0.0.1:1"):  # fmt: skip
        assert client.post("task", origin=origin)[0] == 403
    assert client.post("task", drop=("Origin",))[0] == 403
    assert client.post("task", content_type="text/plain")[0] == 415
    assert client.ask("GET", client.base, origin="http://evil.example")[0] == 403


def test_nothing_changes_by_get_and_other_methods_are_refused(server: Server) -> None:
    client = Client(server)
    before = client.ask("GET", client.base + "progress")[2]
    for what in ("task", "label", "skip", "undo"):
        assert client.ask("GET", client.base + what)[0] == 404
        assert client.ask("HEAD", client.base + what)[0] == 404
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert client.ask(method, client.base + "label")[0] == 405
    assert client.ask("GET", client.base + "progress")[2] == before


def test_every_reply_carries_the_policies(server: Server) -> None:
    client = Client(server)
    for path in (server.enter, client.base, client.base + "page.js", "/nothing/"):
        _, headers, _ = client.ask("GET", path)
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
    assert "content-security-policy" in client.ask("GET", "/", host="evil.example")[1]


def test_requests_are_bounded_in_size(server: Server) -> None:
    client = Client(server)
    item = client.post("task")[1]["task"]["item"]
    assert client.post("label", b" " * 70_000)[0] == 413
    note = {"item": item, "grade": 1, "note": "x" * 4001}
    assert client.post("label", note)[0] == 400
    assert client.post("skip", {"item": item, "reason": "x" * 501})[0] == 400
    assert client.ask("GET", client.base + "?" + "x" * 20_000)[0] == 431
    assert client.ask("GET", client.base, x_more="x" * 20_000)[0] == 431


@pytest.mark.parametrize(
    "change",
    [{"item": -1}, {"item": 60}, {"item": "0"}, {"item": True}, {"item": None}, {"grade": 4},
     {"grade": -1}, {"grade": "1"}, {"grade": True}, {"grade": 1.0}, {"note": 1},
     {"seconds": "x"}, {"seconds": float("nan")}, {"seconds": float("inf")}, {"seconds": True},
     {"seconds": None}],
)  # fmt: skip
def test_answers_that_make_no_sense_are_refused(server: Server, change: dict[str, object]) -> None:
    client = Client(server)
    state = client.post("task")[1]
    good = {"item": state["task"]["item"], "grade": 1, "note": "", "seconds": 1.5}
    status, told = client.post("label", {**good, **change})
    assert (status, list(told)) == (400, ["error"])
    assert client.post("task")[1]["progress"] == state["progress"]


@pytest.mark.parametrize("seconds", [-3, 1e300, 10**400])
def test_times_are_limited(server: Server, seconds: float) -> None:
    client = Client(server)
    item = client.post("task")[1]["task"]["item"]
    status, _ = client.post("label", {"item": item, "grade": 1, "seconds": seconds})
    assert status == 200


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 30_000, b"\xff", b'"x"'])
def test_bodies_that_are_no_objects_are_refused(server: Server, body: bytes) -> None:
    client = Client(server)
    assert client.ask("POST", client.base + "label", body)[0] == 400


def test_nothing_is_served_from_the_disk_but_the_page(server: Server) -> None:
    client = Client(server)
    for path in ("labels.db", "corpus.jsonl", "../plan.csv", "..%2f..%2fplan.csv", "schema.sql",
                 "%2e%2e/plan.csv", "page.html", "/etc/passwd", "page.js%00"):  # fmt: skip
        status, _, text = client.ask("GET", client.base + path)
        assert (status, text) in ((404, "Page not found."), (404, "Not Found"))


def test_a_name_may_be_anything_printable(server: Server) -> None:
    client = clients(server)[0]
    assert client.post("task")[1]["person"] == f"Ann {HOSTILE}"
    assert HOSTILE not in client.ask("GET", client.base)[2]


def test_labels_are_read_through_a_link_while_they_are_given(server: Server) -> None:
    (server.folder / "link.db").symlink_to("labels.db")
    client = Client(server)
    task = client.post("task")[1]["task"]
    client.post("label", {"item": task["item"], "grade": 2})
    read = hj.read_qrels(str(server.folder / "link.db")).to_dict()
    assert read[task["topic"]][task["document"]] == 2


def test_stopping_and_starting_again(tmp_path: Path) -> None:
    """The address stays the same; what has no text is named, and how to go on is said."""
    make_plan(tmp_path, 6)
    lines = (tmp_path / "corpus.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "corpus.jsonl").write_text("".join(lines[:4]))
    (tmp_path / "queries.tsv").write_text("q1\twho\n")
    with Server(tmp_path) as first:
        first.kill()
    with Server(tmp_path, "--port", str(first.port)) as again:
        assert again.addresses == first.addresses
        client = Client(again)
        state = client.post("task")[1]
        assert state["progress"]["total"] == 2  # q1's documents d1 and d3
        client.post("label", {"item": state["task"]["item"], "grade": 2, "seconds": 1})
        said = again.stop()
    assert again.process.returncode == 0
    assert "1 query without text, not shown: q2" in said
    assert "2 documents without text, not shown: d4, d5" in said
    assert "labels.db: 1 of 6 documents are labelled" in said
    assert "hungjury label plan.csv --queries queries.tsv" in said
    assert "hungjury label --export labels.qrels labels.db" in said
    assert not (tmp_path / "labels.db-wal").exists()
    done = commands.hungjury("label", "--export", "-", "labels.db", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "q1 0 d1 2\n")
    commands.hungjury("label", "--export", "all.csv", "--all", "labels.db", cwd=tmp_path)
    assert (tmp_path / "all.csv").read_text().splitlines()[1].startswith("q1,d1,anna,2,0,1.0,")


@pytest.mark.parametrize("loss", ["deleted", "truncated", "overwritten"])
def test_a_lost_database_stops_the_server_with_an_error(tmp_path: Path, loss: str) -> None:
    make_plan(tmp_path, 3)
    with Server(tmp_path) as running:
        client = Client(running)
        item = client.post("task")[1]["task"]["item"]
        item = client.post("label", {"item": item, "grade": 1})[1]["task"]["item"]
        if loss == "deleted":
            (tmp_path / "labels.db").unlink()
        else:
            (tmp_path / "labels.db").write_bytes(b"x" * 9000 * (loss == "overwritten"))
        status, told = client.post("label", {"item": item, "grade": 2})
        assert (status, "was deleted, moved, replaced" in told["error"]) == (507, True)
        _, said = running.process.communicate(timeout=60)
    assert running.process.returncode == 2
    (rescued,) = tmp_path.glob("labels-rescued-*.db")
    assert str(rescued) in said
    assert "Traceback" not in said
    assert hj.read_qrels(str(rescued)).to_dict() == {"q2": {"d0": 1}}
    rescued.rename(tmp_path / "labels.db")  # as the error says
    with Server(tmp_path) as again:
        assert Client(again).post("task")[1]["task"]["item"] == item


def test_a_port_in_use_and_a_database_in_use_are_told(tmp_path: Path) -> None:
    make_plan(tmp_path, 3)
    with Server(tmp_path) as running:
        common = ("label", "plan.csv", "--no-browser", "-o")
        port = ("--port", str(running.port))
        done = commands.hungjury(*common, "other.db", *port, cwd=tmp_path)
        assert done.returncode == 2
        assert f"port {running.port} is in use" in done.stderr
        assert not (tmp_path / "other.db").exists()
        (tmp_path / "link.db").symlink_to("labels.db")
        for name in ("labels.db", "link.db", "moved.db"):
            if name == "moved.db":
                (tmp_path / "labels.db").rename(tmp_path / name)
            done = commands.hungjury(*common, name, "--port", "0", cwd=tmp_path)
            assert done.returncode == 2
            assert "another `hungjury label` is using this database" in done.stderr
    (tmp_path / "hard.db").hardlink_to(tmp_path / "moved.db")
    done = commands.hungjury(*common, "hard.db", "--port", "0", cwd=tmp_path)
    assert (done.returncode, "has 2 names (hard links)" in done.stderr) == (2, True)


def test_idle_connections_do_not_lock_people_out(server: Server) -> None:
    idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(250)]
    for i, one in enumerate(idle):
        if i % 2:
            with suppress(OSError):  # it was closed to make room
                one.sendall(b"POST /x/label HTTP/1.1\r\nHost: localhost\r\n")
    assert Client(server).post("task")[0] == 200
    for one in idle:
        one.close()


def test_a_request_that_drips_is_closed_in_time(tmp_path: Path) -> None:
    make_plan(tmp_path, 3)
    with Server(tmp_path, seconds=0.5) as running:
        with socket.create_connection(("127.0.0.1", running.port), timeout=30) as slow:
            end = time.monotonic() + 30
            with suppress(BrokenPipeError, ConnectionResetError):  # closed, however it drips
                while time.monotonic() < end:
                    slow.sendall(b"G")
                    time.sleep(0.1)
            assert time.monotonic() < end
        assert Client(running).post("task")[0] == 200


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plan.csv", "-o", "l.db", "--answers", "queries.tsv"], "--answers needs --scale"),
        (
            [
                "plan.csv",
                "-o",
                "l.db",
                "--answers",
                "queries.tsv",
                "--scale",
                "1-5",
                "--documents",
                "corpus.jsonl",
            ],
            "--answers takes the place of --documents",
        ),
        (["plan.csv", "-o", "l.db", "--rubric", "absent"], "no such file"),
        (["plan.csv", "-o", "l.db", "--context", "plan.csv"], "expected context as JSON lines"),
        (["plan.csv"], "-o labels.db"),
        (["plan.csv", "-o", "l.db", "--all"], "--all needs --export"),
        (["plan.csv", "-o", "l.db", "--link", "https://x"], "{document}"),
        (["plan.csv", "-o", "l.db", "--grades", "no"], "cannot read 'no'"),
        (["plan.csv", "-o", "l.db", "--person", " "], "1 to 60 printable characters"),
        (["plan.csv", "-o", "l.db", "--person", "a", "--person", "a"], "a different name"),
        (["plan.csv", "-o", "l.db", "--documents", "queries.tsv"], "none of the wanted documents"),
        (["plan.csv", "-o", "l.db", "--queries", "absent"], "no such file"),
        (["plan.csv", "-o", "l.db", "-m", "AP"], "results on the page need"),
        (["--export", "x", "labels.db", "--person", "a"], "nothing else"),
        (["plan.csv", "-o", "plan.csv"], "it is an input"),
        (["plan.csv", "-o", ":memory:"], "labels in memory would be lost"),
        (["plan.csv", "-o", "/dev/null"], "not a regular file"),
        (["plan.csv", "-o", "queries.tsv"], "not a database of labels"),
        (["absent.csv", "-o", "l.db"], "no such file"),
        (["--export", "x.qrels", "plan.csv"], "not a database of labels"),
    ],
)
def test_bad_input_is_told_and_nothing_is_left(
    tmp_path: Path, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("uvicorn.Server.run")  # a page would be waited for
    make_plan(tmp_path, 3)
    before = sorted(tmp_path.iterdir())
    port = [] if "--export" in words else ["--port", "0"]
    done = commands.hungjury("label", *words, *port, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.long
def test_results_are_shown_beside_and_the_database_serves_as_gold(tmp_path: Path) -> None:
    gold = make_panel(tmp_path, budget=60)
    files = ("--judges", "demo/judges/*", "--runs", "demo/runs/*", "-m", "nDCG@10")
    with Server(tmp_path, "--grades", "0 no, 1 yes", *files) as running:
        client = Client(running)
        state = client.post("task")[1]
        (said,) = state["results"]["sentences"]
        assert said == "The first results come at the end of the first batch."
        while (task := state["task"]) is not None:
            grade = gold[task["topic"], task["document"]]
            body = {"item": task["item"], "grade": grade, "seconds": 1}
            state = client.post("label", body)[1]
        assert state["progress"]["done"] == 60
        for _ in range(600):
            shown = json.loads(client.ask("GET", client.base + "progress")[2])["results"]
            if "Corrected by 60 labels of people." in shown["sentences"]:
                break
            time.sleep(0.1)
        assert "of 3 pairs of systems can be told apart" in shown["sentences"][0]
        assert "with 50 more labels" in shown["sentences"][2]
        assert "Pairs that can be told apart are settled" in shown["sentences"][-1]
        assert sorted(row[0] for row in shown["rows"]) == ["system1", "system2", "system3"]
        running.stop()
    labels = hj.read_qrels(str(tmp_path / "labels.db")).to_dict()
    found = {(t, d): g for t, rows in labels.items() for d, g in rows.items()}
    assert found == {pair: gold[pair] for pair in found}
    assert len(found) == 60
    gold_files = ("--gold", "labels.db", "--format", "json")
    done = commands.hungjury("leaderboard", *files, *gold_files, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    board = json.loads(done.stdout)
    assert board["gold"] is not None
    assert (board["correction"]["design"], board["correction"]["labels"]) == ("plan", 60)
