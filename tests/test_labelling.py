"""Labelling without a browser: plans, scales, texts, who sees what, and what is stored."""

from __future__ import annotations

import gzip
import json
import random
import socket
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import hungjury as hj
from hungjury.collection.texts import DOCUMENTS, QUERIES, Text, find_texts
from hungjury.errors import InputError
from hungjury.labelling.dealing import AWAY, Answer, Dealing
from hungjury.labelling.desk import Desk, Shown
from hungjury.labelling.export import all_labels, summary
from hungjury.labelling.grades import Grade, parse_grades
from hungjury.labelling.items import Item, batches, read_items
from hungjury.labelling.results import Results, sentences
from hungjury.labelling.server import listen
from hungjury.labelling.store import Store

# ---- plans


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
    items = read_items(str(tmp_path / "plan"))
    assert [(i.topic, i.document) for i in items] == [("q1", "a"), ("q1", "b"), ("q2", "a")]
    if "probability" in text:
        assert [i.probability for i in items] == [0.5, 0.2, 1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,document\n", "no documents"),
        ("# hungjury plan\n# seed: 1\n", "no documents"),
        ("q1 a b\n", "plan:1: expected a topic and a document, found 3 columns"),
        ("# x\nq1 a\nq1 a\n", "plan:3: document 'a' of topic 'q1' is also in line 2"),
        ("# x\ntopic,document,probability\nq1,a,0\n", "plan:3: the probability is 0"),
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
    assert batches(items, 5) == [[0, 2, 1, 3, 4], [5, 9, 6, 7, 8], [10]]


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


# ---- who sees what


def dealing(topics: str, size: int = 50, **more: Any) -> Dealing:
    items = [Item(t, str(i)) for i, t in enumerate(topics)]
    return Dealing(list(topics), batches(items, size), **more)


def take(deal: Dealing, judge: int, now: float = 0.0) -> int | None:
    deal.alive(judge, now)
    item = deal.choose(judge, now)
    if item is not None:
        deal.deal(judge, item)
    return item


def test_one_person_goes_through_the_batches_in_order() -> None:
    deal = dealing("abaabbca", 5)
    seen = []
    while (item := take(deal, 1)) is not None:
        seen.append(item)
        deal.answer(1, item, Answer(0))
    assert seen == [0, 2, 3, 1, 4, 5, 6, 7]


def test_two_people_work_on_two_topics_and_meet_at_the_end() -> None:
    deal = dealing("aabb", people=2)
    assert (take(deal, 1), take(deal, 2)) == (0, 2)
    deal.answer(1, 0, Answer(1))
    assert take(deal, 1) == 1
    deal.answer(1, 1, Answer(1))
    assert take(deal, 1) == 3
    deal.answer(2, 2, Answer(1))
    assert take(deal, 2) is None


def test_a_skipped_document_goes_to_somebody_else_and_not_back() -> None:
    deal = dealing("ab", people=2)
    assert take(deal, 1) == 0
    deal.answer(1, 0, Answer(None, "I cannot tell"))
    assert take(deal, 1) == 1
    deal.answer(1, 1, Answer(0))
    assert take(deal, 1) is None
    assert take(deal, 2) == 0


def test_a_person_who_left_does_not_keep_a_document() -> None:
    deal = dealing("a", people=2)
    assert take(deal, 1) == 0
    assert take(deal, 2, now=AWAY - 1) is None
    assert take(deal, 2, now=AWAY + 1) == 0


@pytest.mark.parametrize("seed", range(20))
def test_dealing_against_a_plain_account_of_its_rules(seed: int) -> None:
    """Random people who label, skip, undo and come late: nobody sees a document twice, every
    document gets the labels it should, and batches are finished in order."""
    chance = random.Random(seed)
    count, people, share = 60, chance.randint(1, 3), chance.choice([0.0, 0.25, 1.0])
    deal = dealing("".join(chance.choice("abcd") for _ in range(count)), 10,
                   people=people, share=share)  # fmt: skip
    shown: dict[int, list[int]] = {who: [] for who in range(people)}
    said: dict[tuple[int, int], int | None] = {}
    for _ in range(3000):
        who = chance.randrange(people)
        if deal.current(who) is None:
            item = take(deal, who)
            if item is None:
                continue
            shown[who].append(item)
        item = deal.current(who)
        assert item is not None
        if chance.random() < 0.1 and (back := deal.last_answered(who)) is not None:
            deal.answer(who, back, None)
            del said[who, back]
            assert deal.current(who) == back
            continue
        grade = None if chance.random() < 0.05 else chance.randrange(3)
        deal.answer(who, item, Answer(grade))
        said[who, item] = grade
    twice = {i for i in range(count) if int((i + 1) * share) > int(i * share)}
    assert len(twice) == round(share * count)
    for who in range(people):
        assert len(set(shown[who])) == len(shown[who])
    for item in range(count):
        labels = [g for (_, i), g in said.items() if i == item and g is not None]
        skips = [g for (_, i), g in said.items() if i == item and g is None]
        wanted = 2 if item in twice and people > 1 else 1
        assert len(labels) == min(wanted, people - len(skips)) or len(labels) == wanted
    labelled = {i for (_, i), g in said.items() if g is not None}
    assert deal.overall().done == len(labelled)
    assert deal.overall().total == count
    assert deal.overall().left == 0


# ---- the desk and its database


def desk(path: Path, topics: str = "aabb", names: tuple[str, ...] = ("anna",), **more: Any) -> Desk:
    items = [Item(t, f"d{i}", 0.5) for i, t in enumerate(topics)]
    store = Store(str(path), items, parse_grades("0 no, 1 yes, 2 very"))
    return Desk(store, items, Shown(), store.register(names), **more)


def give(at: Desk, judge: int, grade: int, **more: Any) -> None:
    item = at.task(judge)["task"]["item"]
    at.answer(judge, item, Answer(grade, adjudicated=at.adjudicate, **more), 2.5)


def gold(path: Path) -> dict[str, dict[str, int]]:
    return hj.read_qrels(str(path)).to_dict()


def test_answers_are_stored_at_once_and_labelling_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    at = desk(path)
    give(at, 1, 2, note="a note")
    assert gold(path) == {"a": {"d0": 2}}  # read while the database is open
    before = at.task(1)["task"]
    at.store.close()
    again = desk(path)
    assert again.task(1)["task"] == before
    for grade in (0, 1, 2):
        give(again, 1, grade)
    assert again.task(1)["task"] is None
    assert gold(path) == {"a": {"d0": 2, "d1": 0}, "b": {"d2": 1, "d3": 2}}
    again.store.close()
    assert summary(str(path)) == "4 of 4 documents are labelled"


def test_the_database_survives_a_power_cut_as_far_as_sqlite_can(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels.db")
    base = at.store._base
    assert base.execute("pragma journal_mode").fetchone() == ("wal",)
    assert base.execute("pragma synchronous").fetchone() == (2,)  # FULL
    at.store.close()
    assert (tmp_path / "labels.db").stat().st_mode & 0o077 == 0  # it holds tokens


def test_undo_goes_back_as_far_as_wanted_and_keeps_the_history(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    at = desk(path)
    give(at, 1, 1)
    give(at, 1, 2, note="hm")
    third = at.task(1)["task"]["item"]
    back = at.undo(1)["task"]
    assert (back["document"], back["before"]) == ("d1", {"grade": 2, "reason": "", "note": "hm"})
    assert at.undo(1)["task"]["document"] == "d0"
    assert not at.undo(1)["undo"]
    for grade in (0, 0):
        give(at, 1, grade)
    assert at.task(1)["task"]["item"] == third
    assert gold(path) == {"a": {"d0": 0, "d1": 0}}
    at.store.close()
    rows = sqlite3.connect(path).execute("select grade, undone from answers").fetchall()
    assert rows == [(1, 1), (2, 1), (0, 0), (0, 0)]


def test_a_request_that_is_repeated_is_stored_once(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels.db")
    item = at.task(1)["task"]["item"]
    at.answer(1, item, Answer(1), 1.0)
    assert not at.answer(1, item, Answer(1), 1.0)["refused"]
    assert at.answer(1, item, Answer(2), 1.0)["refused"]
    assert gold(tmp_path / "labels.db") == {"a": {"d0": 1}}
    at.store.close()


def test_a_label_that_cannot_be_stored_is_not_counted(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels.db")
    item = at.task(1)["task"]["item"]
    at.store._base.execute("pragma query_only = on")
    with pytest.raises(sqlite3.OperationalError):
        at.answer(1, item, Answer(1), 1.0)
    assert at.state(1)["task"]["item"] == item
    assert at.progress(1)["done"] == 0
    at.store._base.execute("pragma query_only = off")
    assert at.answer(1, item, Answer(1), 1.0)["progress"]["done"] == 1
    at.store.close()


def test_the_first_label_counts_until_it_is_adjudicated(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    at = desk(path, "ab", ("anna", "ben"), share=1.0)
    give(at, 1, 2, note="why")
    give(at, 1, 1)
    give(at, 2, 0)
    give(at, 2, 1)
    at.undo(1), at.undo(1)  # anna's label stays the first when she changes it
    give(at, 1, 1)
    give(at, 1, 1)
    assert gold(path) == {"a": {"d0": 1}, "b": {"d1": 1}}
    at.store.close()
    assert "1 with conflicting labels" in summary(str(path))
    for name, shown in (("anna", []), ("carl", [("anna", 1), ("ben", 0)])):
        again = desk(path, "ab", (name,), adjudicate=True)
        me = again.judges[0].number
        task = again.task(me)["task"]
        assert [(one["judge"], one["grade"]) for one in (task or {"said": []})["said"]] == shown
        if task:
            assert (again.progress(me)["done"], again.progress(me)["total"]) == (0, 1)
            give(again, me, 2)
            assert again.task(me)["task"] is None
        again.store.close()
    assert gold(path) == {"a": {"d0": 2}, "b": {"d1": 1}}
    table = all_labels(str(path)).splitlines()
    assert table[0] == "topic,document,judge,label,adjudicated,seconds,at,note"
    found = sorted(tuple(line.split(",")[:6]) for line in table[1:])
    assert found == [
        ("a", "d0", "anna", "1", "0", "2.5"), ("a", "d0", "ben", "0", "0", "2.5"),
        ("a", "d0", "carl", "2", "1", "2.5"), ("b", "d1", "anna", "1", "0", "2.5"),
        ("b", "d1", "ben", "1", "0", "2.5"),
    ]  # fmt: skip


def test_every_label_can_be_read_with_who_gave_it(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    at = desk(path, "ab", ("anna", "ben"), share=1.0)
    for judge, grade in ((1, 2), (1, 1), (2, 0), (2, 1)):
        give(at, judge, grade)
    judged = hj.read_judgments(str(path))  # also while the database is open
    assert judged.judges == ["anna", "ben"]
    assert judged.qrels_of("anna").to_dict() == {"a": {"d0": 2}, "b": {"d1": 1}}
    assert judged.qrels_of("ben").to_dict() == {"a": {"d0": 0}, "b": {"d1": 1}}
    at.store.close()


def test_labels_are_blind(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels.db", "ab", ("anna", "ben"), share=1.0)
    give(at, 1, 2, note="secret")
    task = at.task(2)["task"]
    assert task["item"] == 0 or at.task(2)
    assert task["said"] == []
    assert "secret" not in json.dumps(task)
    assert "0.5" not in json.dumps(task)  # nor the probability
    at.store.close()


def test_a_longer_plan_goes_on_and_another_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    at = desk(path, "aa")
    give(at, 1, 1)
    at.store.close()
    longer = desk(path, "aab")
    assert longer.progress(1)["total"] == 3
    longer.store.close()
    with pytest.raises(InputError, match="labels of another plan"):
        desk(path, "bbb")
    with pytest.raises(InputError, match="labels of another plan"):
        desk(path, "aa")  # a document that is stored would be lost


def test_a_second_server_on_one_database_is_refused(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels.db")
    with pytest.raises(InputError, match="another `hungjury label` is using this database"):
        desk(tmp_path / "labels.db")
    at.store.close()
    desk(tmp_path / "labels.db").store.close()


def test_the_scale_stays_once_there_are_labels(tmp_path: Path) -> None:
    path, items = str(tmp_path / "labels.db"), [Item("a", "d0"), Item("a", "d1")]
    Store(path, items).close()
    at = Desk(store := Store(path, items, parse_grades("0 no, 1 yes")), items, Shown(),
              store.register(["anna"]))  # fmt: skip
    give(at, 1, 1)
    store.close()
    kept = Store(path, items)
    assert kept.grades == parse_grades("0 no, 1 yes")
    kept.close()
    with pytest.raises(InputError, match="another scale"):
        Store(path, items, parse_grades("0 no, 1 yes, 2 very"))


@pytest.mark.parametrize("kind", ["text", "sqlite"])
def test_some_other_file_is_not_taken_for_labels(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "other.db"
    if kind == "text":
        path.write_text("1 0 a 1\n" * 1000)
    else:
        base = sqlite3.connect(path)
        base.execute("create table x (y)")
        base.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match="not a database of labels"):
        Store(str(path), [Item("a", "d0")])
    assert path.read_bytes() == before
    if kind == "sqlite":
        with pytest.raises(InputError, match="not a database of labels"):
            hj.read_qrels(str(path))


def test_a_database_without_labels_is_told(tmp_path: Path) -> None:
    desk(tmp_path / "labels.db").store.close()
    with pytest.raises(InputError, match="nothing has been labelled yet"):
        hj.read_qrels(str(tmp_path / "labels.db"))


def test_documents_without_text_are_not_dealt_out(tmp_path: Path) -> None:
    (tmp_path / "corpus").write_text("d0\ttext\nd2\ttext\n")
    (tmp_path / "queries").write_text("a\tquery\n")
    items = [Item("a", "d0"), Item("a", "d1"), Item("b", "d2")]
    queries = find_texts([str(tmp_path / "queries")], ["a", "b"], QUERIES)
    documents = find_texts([str(tmp_path / "corpus")], ["d0", "d1", "d2"], DOCUMENTS)
    assert Shown(queries, documents).available(items) == {0}
    assert Shown(queries, documents, "https://x/{document}").available(items) == {0, 1}
    assert Shown(None, documents).available(items) == {0, 2}


def test_links_are_filled_with_quoted_ids() -> None:
    shown = Shown(link="https://x.org/{topic}?d={document}")
    task = shown.task(Item("a b", "../?x=1&<d>"))
    assert task["link"] == "https://x.org/a%20b?d=..%2F%3Fx%3D1%26%3Cd%3E"


# ---- results beside the server


def board(**more: Any) -> dict[str, Any]:
    """The part of a leaderboard's JSON that the page uses."""
    rows = [("a", 0.9, 1, 1), ("b", 0.1, 2, 3), ("c", 0.0, 2, 3)]
    systems = [
        dict(zip(("system", "p_best", "rank_low", "rank_high"), r, strict=True)) for r in rows
    ]
    return {"measure": "nDCG@10", "systems": systems, "groups": [["a"], ["b", "c"]], **more}


def test_results_say_what_is_settled_and_what_more_labels_buy() -> None:
    told = sentences(board())
    assert told[0].startswith("nDCG@10: 2 of 3 pairs of systems can be told apart")
    assert "do not correct" in told[1]
    assert "Stop at the end of a batch" in told[-1]
    expected = [[100, 0.0512], [150, 0.0421], [200, 0.04]]
    correction = {"labels": 100, "expected": expected, "looks": [], "concludes": True}
    told = sentences(board(correction=correction))
    assert told[1:3] == [
        "Corrected by 100 labels of people.",
        "Smallest difference that can be told apart: 0.0512; with 50 more labels 0.0421.",
    ]
    assert "Stop at the end of a batch" in told[-1]
    told = sentences(board(correction={**correction, "looks": [50, 100, 150]}))
    assert "What is told apart is settled" in told[-1]


def test_results_follow_the_labels_without_waiting() -> None:
    done, go_on, asked = threading.Event(), threading.Event(), []

    def run(arguments: Any) -> tuple[bool, str]:
        asked.append(list(arguments))
        go_on.wait(10)
        done.set()
        return (True, json.dumps(board())) if len(asked) == 1 else (False, "error: no runs\n")

    results = Results(["leaderboard"], run)
    first = results.after(0)
    assert not asked
    assert results.after(1) == first  # it is being worked out
    go_on.set()
    assert done.wait(10)
    for _ in range(1000):
        if (shown := results.after(1)) != first:
            break
        time.sleep(0.01)
    assert shown["columns"] == ["system", "P(best)", "ranks"]
    assert shown["rows"][1] == ["b", "10 %", "2–3"]
    results.after(2)
    for _ in range(1000):
        if (failed := results.after(2)) != shown:
            break
        time.sleep(0.01)
    assert failed["sentences"] == ["The leaderboard could not be made: no runs"]
    assert asked == [["leaderboard"]] * 2
    results.close()


def test_closing_ends_a_leaderboard_in_the_middle() -> None:
    results = Results(["completion", "bash"])
    results.after(1)
    while results._process is None:
        time.sleep(0.01)
    results.close()
    assert not results._thread.is_alive()
    assert results._process.poll() is not None


def test_the_server_listens_on_loopback_and_replies_at_once() -> None:
    with listen(0) as at:
        assert at.getsockname()[0] == "127.0.0.1"
        assert at.proto == socket.IPPROTO_TCP  # else asyncio leaves Nagle's algorithm on
        with pytest.raises(InputError, match="is in use"):
            listen(at.getsockname()[1])
