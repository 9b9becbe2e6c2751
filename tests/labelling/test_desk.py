"""Who labels what, and the desk: labels in their database, undone, adjudicated and exported."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest

import hungjury as hj
from hungjury.base.errors import InputError
from hungjury.data.texts import DOCUMENTS, QUERIES, find_texts
from hungjury.labelling.desk import AWAY, Dealing, Desk, Display
from hungjury.labelling.exchange import all_labels, progress_sentence
from hungjury.labelling.items import Answer, DocumentList, Item, batches, parse_grades
from hungjury.labelling.store import LabelStore
from oracles.judges import alpha


def desk(path: Path, topics: str = "aabb", names: tuple[str, ...] = ("anna",), **more: Any) -> Desk:
    items = DocumentList("plan", [Item(t, f"d{i}") for i, t in enumerate(topics)])
    store = LabelStore(str(path), items, parse_grades("0 no, 1 yes, 2 very"))
    return Desk(store, Display(), store.register(names), **more)


def give(at: Desk, person: int, grade: int, **more: Any) -> None:
    item = at.task(person)["task"]["item"]
    at.answer(person, item, Answer(grade, **more), 2.5)


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
    assert progress_sentence(str(path)) == "4 of 4 documents are labelled"


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


LOSSES = ["deleted", "moved", "replaced", "folder", "truncated", "overwritten", "cut", "log"]


def lose(folder: Path, loss: str) -> None:
    """Do to a database what other programs may do to it while it is open."""
    path, log = folder / "labels.db", folder / "labels.db-wal"
    if loss == "folder":
        shutil.rmtree(folder)
    elif loss == "log":
        log.write_bytes(b"")
    elif loss == "truncated":
        path.write_bytes(b"")
    elif loss == "overwritten":  # in place, with as many bytes
        path.write_bytes(b"x" * path.stat().st_size)
    elif loss == "cut":
        os.truncate(path, path.stat().st_size - 1)
    else:
        path.rename(folder.parent / "elsewhere.db")
        if loss == "deleted":
            (folder.parent / "elsewhere.db").unlink()
        elif loss == "replaced":
            path.write_bytes(b"")


def lose_while_writing(at: Desk, folder: Path, loss: str) -> None:
    item = at.task(1)["task"]["item"]
    with at.store.transaction():
        at.store.answer(1, item, Answer(1), 1.0, False)
        lose(folder, loss)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("when", ["labelling", "committing", "closing"])
def test_a_lost_database_is_rescued_and_nothing_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loss: str, when: str
) -> None:
    folder, spare = tmp_path / "work", tmp_path / "spare"
    folder.mkdir(), spare.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spare))
    at = desk(folder / "labels.db")
    give(at, 1, 2)
    if when == "committing" and loss != "log":
        with pytest.raises(InputError, match="deleted, moved, replaced or overwritten"):
            lose_while_writing(at, folder, loss)
    else:
        lose(folder, loss)
    for _ in range(2 * (when == "labelling")):
        with pytest.raises(InputError, match="deleted, moved, replaced or overwritten") as caught:
            give(at, 1, 1)
        assert at.store.lost is caught.value
    at.store.close()
    (rescued,) = (spare if loss == "folder" else folder).glob("labels-rescued-*.db")
    assert at.store.lost is not None
    assert str(rescued) in str(at.store.lost)
    assert gold(rescued)["a"]["d0"] == 2
    again = LabelStore(str(rescued))  # it is a database to go on with
    assert len([*again.events()]) == 2
    again.close()


def test_labels_that_cannot_be_rescued_yet_are_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    at = desk(tmp_path / "labels.db")
    give(at, 1, 2)
    lose(tmp_path, "truncated")
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "mkstemp", full)
        with pytest.raises(InputError, match="only in memory"):
            give(at, 1, 1)
    with pytest.raises(InputError, match="all labels stored so far are in"):
        at.store.check()
    at.store.close()
    assert gold(Path(at.store.rescued)) == {"a": {"d0": 2}}


def test_a_long_log_is_moved_to_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hungjury.labelling.store.LONGEST_LOG", 0)
    at = desk(tmp_path / "labels.db")
    for grade in (2, 1, 0):
        give(at, 1, grade)
    assert at.store.lost is None
    (tmp_path / "copy.db").write_bytes((tmp_path / "labels.db").read_bytes())
    assert gold(tmp_path / "copy.db") == {"a": {"d0": 2, "d1": 1}, "b": {"d2": 0}}
    at.store.close()


@pytest.mark.parametrize(("loss", "said"), [("truncated", "is empty"), ("deleted", "was deleted")])
def test_a_log_without_its_database_is_not_thrown_away(
    tmp_path: Path, loss: str, said: str
) -> None:
    (tmp_path / "work").mkdir()
    path = tmp_path / "work" / "labels.db"
    (path.parent / "labels.db-wal").write_bytes(b"labels")  # of a process that was killed
    path.touch()
    lose(path.parent, loss)
    before = sorted(path.parent.iterdir())
    with pytest.raises(InputError, match=f"the database {said}, but its log"):
        LabelStore(str(path), DocumentList("plan", [Item("a", "d0")]))
    assert sorted(path.parent.iterdir()) == before


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
    assert "1 with conflicting labels" in progress_sentence(str(path))
    again = desk(path, "ab", ("anna",))
    assert again.progress(1)["conflicts"] == 1
    deciding = again.adjudicating()
    said = deciding.task(1)["task"]["said"]  # anna may decide on a document that she labelled
    assert [(one["person"], one["grade"]) for one in said] == [("anna", 1), ("ben", 0)]
    assert (deciding.progress(1)["done"], deciding.progress(1)["total"]) == (0, 1)
    give(deciding, 1, 2)
    assert deciding.task(1)["task"] is None
    again.load()
    assert again.progress(1)["conflicts"] == 0
    assert gold(path) == {"a": {"d0": 2}, "b": {"d1": 1}}
    deciding.undo(1)
    assert gold(path) == {"a": {"d0": 1}, "b": {"d1": 1}}
    give(deciding, 1, 2)
    again.store.close()
    assert gold(path) == {"a": {"d0": 2}, "b": {"d1": 1}}
    assert hj.read_judgments(str(path)).qrels_of("anna").to_dict()["a"] == {"d0": 1}
    table = all_labels(str(path)).splitlines()
    assert table[0] == "topic,document,judge,label,adjudicated,seconds,at,note,plan"
    found = sorted(tuple(line.split(",")[:6]) for line in table[1:])
    assert found == [
        ("a", "d0", "anna", "1", "0", "2.5"), ("a", "d0", "anna", "2", "1", "2.5"),
        ("a", "d0", "ben", "0", "0", "2.5"), ("b", "d1", "anna", "1", "0", "2.5"),
        ("b", "d1", "ben", "1", "0", "2.5"),
    ]  # fmt: skip


def test_every_label_can_be_read_with_who_gave_it(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    at = desk(path, "ab", ("anna", "ben"), share=1.0)
    for person, grade in ((1, 2), (1, 1), (2, 0), (2, 1)):
        give(at, person, grade)
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
    at.store.close()


def test_a_database_takes_further_plans(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    at = desk(path, "aa")
    give(at, 1, 1)
    at.store.close()
    longer = desk(path, "aab")  # with documents of the first, one of them labelled
    assert (longer.progress(1)["done"], longer.progress(1)["total"]) == (1, 3)
    longer.store.close()
    other = desk(path, "cc")
    assert (other.progress(1)["done"], other.progress(1)["total"]) == (0, 2)
    assert other.task(1)["task"]["topic"] == "c"
    give(other, 1, 2)
    other.store.close()
    store = LabelStore(str(path))  # all plans, in the order in which they came
    every = Desk(store, Display(), store.people())
    assert (every.progress(1)["done"], every.progress(1)["total"]) == (2, 5)
    store.close()
    assert progress_sentence(str(path)) == "2 of 5 documents of 3 plans are labelled"
    rows = [line.split(",") for line in all_labels(str(path)).splitlines()[1:]]
    assert len({row[-1] for row in rows}) == 2  # by the plan that a document came with


def test_no_document_gets_more_labels_than_raters(tmp_path: Path) -> None:
    names = ("anna", "ben", "carl", "dora")
    for raters in (1, 2, 3):
        at = desk(tmp_path / f"{raters}.db", "aabb", names, share=0.5, raters=raters)
        for person in (1, 2, 3, 4):
            while at.task(person)["task"]:
                give(at, person, 1)
        given = [len(at.dealing.given(i)) for i in range(4)]
        assert given == [1, raters, 1, raters]
        at.store.close()


def test_agreement_between_people_is_shown(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels.db", "aabb", ("anna", "ben"), share=1.0)
    assert at.progress(1)["agreement"] is None
    for person, grades in ((1, (0, 0, 2, 1)), (2, (0, 0, 2, 2))):
        for grade in grades:
            give(at, person, grade)
    found = alpha([[0, 0], [0, 0], [2, 2], [1, 2]], "ordinal")
    assert at.progress(1)["agreement"] == (
        "People agree on 3 of 4 documents that several labelled "
        f"(Krippendorff’s alpha {found:.2f})."
    )
    at.store.close()


def test_the_scale_stays_once_there_are_labels(tmp_path: Path) -> None:
    path = str(tmp_path / "labels.db")
    items = DocumentList("plan", [Item("a", "d0"), Item("a", "d1")])
    LabelStore(path, items).close()
    store = LabelStore(path, items, parse_grades("0 no, 1 yes"))
    at = Desk(store, Display(), store.register(["anna"]))
    give(at, 1, 1)
    store.close()
    kept = LabelStore(path, items)
    assert kept.grades == parse_grades("0 no, 1 yes")
    kept.close()
    with pytest.raises(InputError, match="another scale"):
        LabelStore(path, items, parse_grades("0 no, 1 yes, 2 very"))


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
        LabelStore(str(path), DocumentList("plan", [Item("a", "d0")]))
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
    assert Display(queries, documents).available(items) == {0}
    assert Display(queries, documents, "https://x/{document}").available(items) == {0, 1}
    assert Display(None, documents).available(items) == {0, 2}


def test_links_are_filled_with_quoted_ids() -> None:
    shown = Display(link="https://x.org/{topic}?d={document}")
    task = shown.task(Item("a b", "../?x=1&<d>"))
    assert task["link"] == "https://x.org/a%20b?d=..%2F%3Fx%3D1%26%3Cd%3E"


# Who labels what: dealing documents out to several people.


def dealing(topics: str, size: int = 50, **more: Any) -> Dealing:
    items = [Item(t, str(i)) for i, t in enumerate(topics)]
    return Dealing(list(topics), batches(items, range(len(items)), size), **more)


def take(deal: Dealing, person: int, now: float = 0.0) -> int | None:
    deal.alive(person, now)
    item = deal.choose(person, now)
    if item is not None:
        deal.deal(person, item)
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
