"""What people label: plans, grades and texts; and results shown while they do."""

from __future__ import annotations

import gzip
import json
import socket
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hungjury.base.errors import InputError
from hungjury.data.texts import DOCUMENTS, QUERIES, Text, find_texts
from hungjury.labelling.app import listen
from hungjury.labelling.items import Grade, Item, batches, parse_grades, read_items
from hungjury.labelling.results import Results, summarised


@pytest.mark.parametrize(
    "text",
    [
        "topic,document\nq1,a\nq1,b\nq2,a\n",
        "order,topic,document,probability\n3,q2,a,1\n1,q1,a,0.5\n2,q1,b,0.2\n",
        "# hungjury plan\n# seed: 1\ntopic,document,probability,order,judge:gpt\n"
        "q1,a,.5,1,3\nq1,b,.2,2,\nq2,a,1,3,0\n",
        "q1 a\nq1 b\n\nq2 a\n",
        "q1 0 a 3\nq1 0 b 0\nq2 0 a -1\n",
        '{"query_id": "q1", "doc_id": "a"}\n{"query_id": "q1", "doc_id": "b"}\n'
        '{"query_id": "q2", "doc_id": "a"}\n',
    ],
)
def test_any_table_of_topics_and_documents_is_a_plan(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan").write_text(text)
    found = read_items(str(tmp_path / "plan"))
    assert [(i.topic, i.document) for i in found.items] == [("q1", "a"), ("q1", "b"), ("q2", "a")]
    assert (found.text != "") == text.startswith("# hungjury plan")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,document\n", "no documents"),
        ("# hungjury plan\n# seed: 1\n", "no documents"),
        ("q1 a b\n", "plan:1: expected a topic and a document, found 3 columns"),
        ("# x\nq1 a\nq1 a\n", "plan:3: document 'a' of topic 'q1' is also in line 2"),
        ("topic,rank\nq1,1\n", "no column for the document"),
    ],
)
def test_bad_plans_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "plan").write_text(text)
    with pytest.raises(InputError) as error:
        read_items(str(tmp_path / "plan"))
    assert message in str(error.value)


def test_documents_of_a_topic_come_together_within_a_batch() -> None:
    topics = "ababc" + "baccb" + "a"
    items = [Item(t, str(i)) for i, t in enumerate(topics)]
    assert batches(items, range(11), 5) == [[0, 2, 1, 3, 4], [5, 9, 6, 7, 8], [10]]


# ---- scales


def test_grades_are_digits_with_a_meaning() -> None:
    assert parse_grades("0 no, 1: partly, in a way, 3 = yes") == (
        Grade(0, "no"), Grade(1, "partly, in a way"), Grade(3, "yes")
    )  # fmt: skip
    assert parse_grades("0,1") == (Grade(0, ""), Grade(1, ""))


@pytest.mark.parametrize("text", ["", "0 no", "1 yes, 0 no", "0 no, 0 yes", "no, yes", "0 a, 10 b"])
def test_other_grades_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="grades"):
        parse_grades(text)


# ---- texts


def test_documents_as_json_lines_are_found_by_id(tmp_path: Path) -> None:
    rows = [
        {"_id": "a", "title": "A", "text": "one\n\ntwo"},
        {"_id": 'b"', "title": "", "text": "é"},
        {"title": "id comes last", "_id": "c"},
        {"_id": "empty", "title": " ", "text": ""},
        {"_id": 7, "text": "seven"},
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "corpus.jsonl").write_text(lines, encoding="utf-8")
    with gzip.open(tmp_path / "packed.gz", "wt") as packed:
        packed.write(lines)
    for name in ("corpus.jsonl", "packed.gz"):
        wanted = ["a", 'b"', "c", "empty", "7", "absent"]
        texts = find_texts([str(tmp_path / name)], wanted, DOCUMENTS)
        assert texts.missing == {"empty", "absent"}
        assert texts.get("a") == Text("A", "one\n\ntwo")
        assert texts.get('b"') == Text("", "é")
        assert texts.get("c") == Text("id comes last", "")
        assert texts.get("7") == Text("", "seven")
        assert texts.get("absent") == Text()


def test_queries_and_documents_in_columns(tmp_path: Path) -> None:
    def found(text: str, kind: Any) -> Text:
        (tmp_path / "x.tsv").write_bytes(text.encode())
        return find_texts([str(tmp_path / "x.tsv")], ["2"], kind).get("2")

    assert found("1\tother\n2\twho is he\n", QUERIES) == Text("who is he", "")
    assert found("2\twho is he\tlong\r\n", QUERIES) == Text("who is he", "long")
    assert found("\ufeffqid\tdescription\tquery\n2\td\tq\n", QUERIES) == Text("q", "d")
    assert found("2\ttext\n", DOCUMENTS) == Text("", "text")
    assert found("2\ttitle\ttext\n", DOCUMENTS) == Text("title", "text")
    assert found("2\thttp://x\ttitle\tbody\n", DOCUMENTS) == Text("title", "body")


def test_a_description_and_a_narrative_are_both_shown(tmp_path: Path) -> None:
    row = {"query_id": "2", "title": "t", "description": "d", "narrative": "n"}
    (tmp_path / "topics").write_text(json.dumps(row))
    assert find_texts([str(tmp_path / "topics")], ["2"], QUERIES).get("2") == Text("t", "d\n\nn")


def test_reading_stops_when_all_is_found(tmp_path: Path) -> None:
    (tmp_path / "x").write_text('{"_id": "a", "text": "t"}\nnot json\n')
    assert len(find_texts([str(tmp_path / "x")], ["a"], DOCUMENTS)) == 1
    with pytest.raises(InputError, match="x:2: expected a JSON object"):
        find_texts([str(tmp_path / "x")], ["a", "b"], DOCUMENTS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d1\ttext\n", "wanted are 'a', the file has 'd1'"),
        ('{"name": "a"}\n', "no id in the first object"),
        ("a text\n", "expected documents as JSON lines or tab-separated columns"),
    ],
)
def test_texts_of_other_ids_or_formats_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(InputError) as error:
        find_texts([str(tmp_path / "x")], ["a"], DOCUMENTS)
    assert message in str(error.value)


def test_a_very_long_text_has_an_end(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a\t" + "x" * 600_000)
    body = find_texts([str(tmp_path / "x")], ["a"], DOCUMENTS).get("a").body
    assert body.endswith("[100,000 more characters are not shown]")


# Results shown while people label, and where the server listens.


def board(**more: Any) -> dict[str, Any]:
    """The part of a leaderboard's JSON that the page uses."""
    rows = [("a", 0.9, 1, 1), ("b", 0.1, 2, 3), ("c", 0.0, 2, 3)]
    systems = [
        dict(zip(("system", "p_best", "rank_low", "rank_high"), r, strict=True)) for r in rows
    ]
    return {"measure": "nDCG@10", "systems": systems, "groups": [["a"], ["b", "c"]], **more}


def test_results_say_what_is_settled_and_what_more_labels_buy() -> None:
    told = summarised(board())
    assert told[0].startswith("nDCG@10: 2 of 3 pairs of systems can be told apart")
    assert "do not correct" in told[1]
    assert "Stop at the end of a batch" in told[-1]
    expected = [[100, 0.0512], [150, 0.0421], [200, 0.04]]
    correction = {"labels": 100, "expected": expected, "looks": [], "concludes": True}
    told = summarised(board(correction=correction))
    assert told[1:3] == [
        "Corrected by 100 labels of people.",
        "Smallest difference that can be told apart: 0.0512; with 50 more labels 0.0421.",
    ]
    assert "Stop at the end of a batch" in told[-1]
    told = summarised(board(correction={**correction, "looks": [50, 100, 150]}))
    assert "Pairs that can be told apart are settled" in told[-1]


PROGRAM = """
import os, pathlib, sys, time
go_on, asked = pathlib.Path("go-on"), pathlib.Path("asked")
asked.write_text((asked.read_text() if asked.exists() else "") + " ".join(sys.argv[1:]) + ";")
while not go_on.exists():
    time.sleep(0.01)
print("a warning" if asked.read_text().count(";") == 1 else "error: no runs", file=sys.stderr)
print(pathlib.Path("board.json").read_text())
sys.exit(asked.read_text().count(";") - 1)
"""


def test_results_follow_the_labels_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hungjury.labelling.results.COMMAND", [sys.executable, "-c", PROGRAM])
    Path("board.json").write_text(json.dumps(board(filler=["x" * 100_000])))  # more than a pipe has

    def next_after(batches: int, before: Any) -> Any:
        for _ in range(3000):
            if (shown := results.after(batches)) != before:
                return shown
            time.sleep(0.01)
        raise AssertionError("nothing new is shown")

    with closing(Results(["leaderboard", "-m"])) as results:
        first = results.after(0)
        assert first is not None
        assert "end of the first batch" in first["sentences"][0]
        assert results.after(1) == first  # it is being worked out
        assert results.after(2) == first
        Path("go-on").touch()
        shown = next_after(1, first)
        assert shown["columns"] == ["system", "P(best)", "ranks"]
        assert shown["rows"][1] == ["b", "10 %", "2–3"]
        failed = next_after(2, shown)
        assert failed["sentences"] == ["The leaderboard could not be made: no runs"]
        assert results.after(2) == failed
    assert Path("asked").read_text() == "leaderboard -m;" * 2


def test_no_results_are_asked_for() -> None:
    with closing(Results([])) as results:
        assert results.after(3) is None


def test_closing_ends_a_leaderboard_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    monkeypatch.setattr("hungjury.labelling.results.COMMAND", sleep)
    results = Results(["leaderboard"])
    results.after(1)
    process = results._process
    assert process is not None
    assert process.poll() is None
    results.close()
    assert process.returncode is not None


def test_the_server_listens_on_loopback_and_replies_at_once() -> None:
    with listen(0) as at:
        assert at.getsockname()[0] == "127.0.0.1"
        assert at.proto == socket.IPPROTO_TCP  # else asyncio leaves Nagle's algorithm on
        with pytest.raises(InputError, match="is in use"):
            listen(at.getsockname()[1])
