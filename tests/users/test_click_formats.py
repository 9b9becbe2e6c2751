"""Click logs in the formats of others: Yandex, TREC sessions."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from builders.click_logs import assert_class, yandex_actions
from hungjury.base.errors import InputError
from hungjury.data.reading import sources
from hungjury.users import logs as actions
from hungjury.users.clicks import calibrate
from oracles import users as naive_users

ibis = pytest.importorskip("ibis", reason="counting clicks needs ibis (extra 'clicks')")


def test_yandex_pages(tmp_path):
    text = (
        "7_1\tu1,u2,u3 : u2 , u1 , u2;  7_1\tu1,u2,u3 :;8_1\tu1,u2,u3 : zz , u3\n;"
        " nonsense ; 9_2\tu1,u2,u1 : u1 , u1 ;\n"
    )
    path = tmp_path / "pages"
    path.write_bytes(gzip.compress(text.encode()))
    model = calibrate(path, ranks=3)
    one = model["all"]
    assert one.moves == ((1, 1, 0), (1, 0, 0), (0, 0, 0))
    assert one.visits == (3, 2, 1)
    log = model.log
    assert log is not None
    assert (log.records, log.off_page, log.repeated, log.backward) == (7, 1, 1, 1)
    assert (log.pages_without_clicks, log.unreadable, log.sessions) == (1, 1, 3)


@pytest.mark.parametrize("large", [1 << 26, 100])
def test_yandex_actions(large, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LARGE", large)
    monkeypatch.setenv("HUNGJURY_THREADS", "3")
    text, records = yandex_actions(3)
    path = tmp_path / "log.txt"
    odd = ["junk", "41\t500\tC\tu1", "42\t1\tQ\t3\t1\tu1\tu2", "42\t2\tX\tu1", "42\t3\tC"]
    path.write_text(text + "\n".join(odd) + "\n")
    model = calibrate(path, pages="moves")
    assert_class(model["all"], naive_users.paths(records, 10), 10)
    log = model.log
    assert log is not None
    assert log.unreadable == 2
    # a click in a session without a page, and one on nothing, are off the page
    assert log.records == len(records) + 2
    assert log.off_page == sum(r["rank"] is None for r in records) + 2
    pages = text.count("\tQ\t")
    assert log.pages_without_clicks == pages - len({(r["session"], r["page"]) for r in records})


def test_holding_times_by_query_of_a_log_of_actions(tmp_path: Path) -> None:
    text, records = yandex_actions(3)
    path = tmp_path / "log.txt"
    path.write_text(text)
    walks = naive_users.paths(records, 10)
    found = dict(calibrate(path, rates_by="query", min_sessions=1).query_rates)
    for query in {w[0]["query"] for w in walks}:
        spent = naive_users.holding_times([w for w in walks if w[0]["query"] == query], 10)
        rates = [naive_users.rate(times) for times in spent]
        if any(rates):
            assert found.pop(query) == pytest.approx(rates)
    assert not found


@pytest.mark.parametrize("large", [1 << 26, 100])
def test_a_bad_line_is_numbered_from_the_beginning_of_the_log(large, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LARGE", large)
    monkeypatch.setattr(sources, "CHUNK", 100)
    monkeypatch.setenv("HUNGJURY_THREADS", "3")
    pages = [f"{s}\t{t}\tQ\t3\t1\tu1\tu2" for s in range(40) for t in range(2)]
    pages[70] = pages[70].replace("u1", "u\r1")
    path = tmp_path / "log.txt"
    path.write_text("\n".join(pages) + "\n", newline="")
    with pytest.raises(InputError, match="carriage return") as caught:
        calibrate(path)
    assert caught.value.line == 71


def no_sort(*_: Any) -> None:
    raise AssertionError("a log whose sessions stand together needs no sorting")


@pytest.mark.parametrize(("large", "end"), [(1 << 26, "\n"), (100, "\r\n")])
def test_yandex_actions_of_sessions_that_stand_together(large, end, tmp_path, monkeypatch):
    """One pass of our own reader, on parts of the file too, gives what the sorted log gives."""
    monkeypatch.setattr(sources, "LARGE", large)
    monkeypatch.setattr(sources, "CHUNK", 100)
    monkeypatch.setattr(actions, "BATCH", 50)
    monkeypatch.setenv("HUNGJURY_THREADS", "3")
    text, records = yandex_actions(6)
    odd = ["junk", "99\tnever\tC\tu1", "98\t1\tQ\t3\t1\tu1\t\tu2", "98\t2\tC\t", "\t1\tC\tu1"]
    lines = text.splitlines() + odd
    grouped = sorted(lines, key=lambda line: line.split("\t")[0])
    mixed, together = tmp_path / "mixed", tmp_path / "together"
    mixed.write_text(end.join(lines) + end)
    together.write_text(end.join([*grouped[:50], "", *grouped[50:]]))
    qrels = {f"{q}_1": {"u1": q % 2, "u2": int(q == 4)} for q in range(5)}
    models = [calibrate(mixed, pages="moves"), calibrate(mixed, qrels, min_sessions=2)]
    monkeypatch.setattr(actions, "group_by_session", no_sort)
    again = [calibrate(together, pages="moves"), calibrate(together, qrels, min_sessions=2)]
    assert again == models
    assert_class(models[0]["all"], naive_users.paths(records, 10), 10)
    log = models[0].log
    assert log is not None
    assert (log.unreadable, log.without_time, log.without_session) == (1, 1, 1)


def test_a_session_that_goes_on_in_another_file(tmp_path):
    """Its clicks are on the page that the first file shows."""
    page = ["Q\t3\t1\tu1\tu2\tu3", "C\tu2", "C\tu1"]
    first = [f"1\t0\t{page[0]}", f"1\t5\t{page[1]}"]
    second = [f"1\t9\t{page[2]}", *(f"2\t{i}\t{line}" for i, line in enumerate(page))]
    one, other, whole = (tmp_path / name for name in ("one", "other", "whole"))
    for path, lines in ((one, first), (other, second), (whole, first + second)):
        path.write_text("\n".join(lines) + "\n")
    model = calibrate([one, other], ranks=3)
    assert model == calibrate(whole, ranks=3)
    assert model["all"].moves == ((0, 0, 0), (2, 0, 0), (0, 0, 0))
    assert model.log is not None
    assert (model.log.sessions, model.log.off_page) == (2, 0)


def test_yandex_actions_with_bytes_that_are_no_text_and_pages_that_are_too_long(tmp_path):
    path = tmp_path / "log"
    urls = "\t".join(f"u{i}" for i in range(12))
    lines = []
    for query in ("3", "4"):
        lines.append(f"{query}\t0\tQ\t{query}\t1\t{urls}")
        lines += [f"{query}\t{i + 1}\tC\tu{u}" for i, u in enumerate((9, 10, 0, 9))]
    path.write_bytes("\n".join(lines).encode().replace(b"Q\t3\t", b"Q\t\xff\t"))
    model = calibrate(path)
    one = model["all"]
    assert (one.visits[0], one.visits[9], one.moves[9][0], one.moves[0][9]) == (2, 4, 2, 2)
    assert model.log is not None
    assert model.log.off_page == 2


def test_yandex_actions_in_several_files(tmp_path):
    text, records = yandex_actions(4)
    lines = text.splitlines(keepends=True)
    for i in range(5):
        (tmp_path / f"{i}.txt").write_text("".join(lines[i * 80 : i * 80 + 80]))
    model = calibrate(tmp_path, {f"{q}_1": {"u1": q % 2} for q in range(5)}, min_sessions=2)
    walks = naive_users.paths(records, 10)
    pages = [line.split("\t") for line in lines]
    shows = {(int(p[0]), int(p[1])) for p in pages if p[2] == "Q" and "u1" in p[5:]}
    single = [w for w in walks if w[0]["query"] in ("1_1", "3_1")
              and (w[0]["session"], w[0]["page"]) in shows]  # fmt: skip
    assert model["navigational"].moves == tuple(map(tuple, naive_users.moves(single, 10)))


TREC = """<?xml version="1.0" encoding="UTF-8"?>
<sessiontrack2014>
<session num="1" starttime="23:59:00.5"><topic num="7"><desc>x</desc></topic>
 <interaction num="1" starttime="23:59:10"><query>a b</query>
  <results><result rank="1"><url>u</url></result></results>
  <clicked>
   <click num="1" starttime="23:59:50.0" endtime="00:00:10.0"><rank>2</rank></click>
   <click num="2" starttime="00:00:20.0" endtime="00:00:50.0"><rank>1</rank></click>
   <click num="3" starttime="00:01:00.0"><rank>2</rank></click>
  </clicked></interaction>
 <interaction num="2"><query>c</query><results/></interaction>
 <interaction num="3"><query>c</query><clicked>
   <click num="1" starttime="00:03:00" endtime="00:02:00"><rank>2</rank></click>
   <click num="2" starttime="soon"><rank>1</rank></click>
   <click num="3" starttime="00:05:00"><rank>eleven</rank></click>
  </clicked></interaction>
 <currentquery starttime="00:09:00"><query>d</query></currentquery>
</session>
</sessiontrack2014>
"""


def test_trec_sessions(tmp_path):
    path = tmp_path / "sessions.xml"
    path.write_text(TREC)
    model = calibrate(path, ranks=3)
    one = model["all"]
    assert one.moves == ((0, 1, 0), (1, 0, 0), (0, 0, 0))
    assert one.held == (1, 1, 0)
    assert one.pages == 2
    log = model.log
    assert log is not None
    assert (log.records, log.off_page, log.without_time, log.ends_early) == (6, 1, 1, 1)
    assert log.pages_without_clicks == 1


def test_real_pages(shared_data):
    """Users look at rank 1 most, which moves between ranks alone do not show."""
    path = shared_data / "clicks-yandex" / "trainSample.gz"
    model, moves = calibrate(path), calibrate(path, pages="moves")["all"]
    log, one = model.log, model["all"]
    assert one.stationary[0] == pytest.approx(0.195, abs=0.001)
    assert moves.stationary[0] == pytest.approx(0.058, abs=0.001)
    assert log is not None
    assert log.records == 50_321
    assert log.unreadable == 0
    assert 0 < log.off_page < 500
    assert one.never_left == ()
    assert sum(one.stationary) == pytest.approx(1)
    assert 0.15 < (one.backward or 0) < 0.25
    assert sum(one.visits or ()) == log.counted


# Classes of queries, by the documents of the page


def test_a_page_is_navigational_if_it_shows_one_relevant_document(tmp_path: Path) -> None:
    """The labels have three relevant documents; one page shows one of them, the other two."""
    log = tmp_path / "pages"
    log.write_text("7_1\tu1,u2,u3 : u1 ;7_1\tu4,u5,u6 : u5 , u4 ;8_1\tu1,u2,u3 : u2 ;")
    labels = {"7_1": {"u1": 1, "u4": 1, "u5": 2, "u9": 0}}
    model = calibrate(log, labels, ranks=3)
    assert model["navigational"].visits == (1, 0, 0)
    assert model["informational"].visits == (1, 1, 0)
    assert model.log.relevant_shown
    assert model.log.unlabelled == 1
    table = pd.DataFrame({"session": [1, 2, 2], "rank": [1, 2, 1], "query": ["7_1"] * 3})
    with pytest.raises(InputError, match="the class 'navigational' has 0 pages with clicks"):
        calibrate(table, labels, ranks=3)  # does not list its documents: three in the labels


def test_so_is_a_page_of_a_trec_session(tmp_path: Path) -> None:
    """The first page lists one of two relevant documents; the third lists nothing."""
    path = tmp_path / "sessions.xml"
    path.write_text(TREC)
    model = calibrate(path, {"7": {"u": 1, "v": 1}}, ranks=3)
    assert model["navigational"].pages == 1
    assert model["informational"].pages == 1
    assert model.log is not None
    assert model.log.relevant_shown


def test_a_trec_session_without_a_topic_is_named_by_its_query(tmp_path: Path) -> None:
    path = tmp_path / "sessions.xml"
    text = TREC.replace('<topic num="7"><desc>x</desc></topic>', "")
    path.write_text(text.replace("<query>a b</query>", "<query> a\n  b </query>"))
    model = calibrate(path, {"a b": {"u": 1}, "c": {"u": 1, "v": 1}}, ranks=3)
    assert model["navigational"].visits == (1, 2, 0)
    assert model["informational"].visits == (0, 1, 0)  # a click without a time is not counted
    path.write_text(text.replace("<query>a b</query>", ""))
    assert calibrate(path, ranks=3, rates_by="query")["all"].visits == (1, 3, 0)


@pytest.mark.parametrize("apart", [False, True])
def test_so_is_a_page_of_a_log_of_actions(apart: bool, tmp_path: Path) -> None:
    """u1 is shown twice and counts once; 8_1 has no labels; sessions may be interleaved."""
    pages = ["1\t0\tQ\t7\t1\tu1\tu2\tu1", "1\t1\tC\tu1", "1\t2\tQ\t7\t1\tu4\tu5\tu6", "1\t3\tC\tu5",
             "1\t4\tC\tu4"]  # fmt: skip
    other = ["2\t0\tQ\t8\t1\tu1\tu2\tu3", "2\t1\tC\tu2", "2\t2\tQ\t9\t1\tu1\tu2\tu3", "2\t3\tC\tu3"]
    lines = [*pages[:2], *other, *pages[2:]] if apart else pages + other
    log = tmp_path / "log"
    log.write_text("\n".join(lines) + "\n")
    labels = {"7_1": {"u1": 1, "u4": 1, "u5": 2, "u9": 0}, "9_1": {"u1": 0}}
    model = calibrate(log, labels, ranks=3)
    assert model["navigational"].visits == (1, 0, 0)
    assert model["informational"].visits == (1, 1, 1)
    assert model.log is not None
    assert model.log.relevant_shown
    assert model.log.unlabelled == 1


def test_labels_of_other_names_are_refused_with_both(tmp_path: Path) -> None:
    log = tmp_path / "pages"
    log.write_text("7_1\tu1,u2,u3 : u1 ;")
    with pytest.raises(InputError, match="queries such as '7_1', the labels have topics such") as e:
        calibrate(log, {"7": {"u1": 1}}, ranks=3)
    assert e.value.code == "no-labelled-query"
    assert "query_region" in str(e.value)


def test_columns_by_other_names(tmp_path):
    log = pd.DataFrame({"visit": [1, 1, 2, 3], "place": [1, 2, 1, 3]})
    named = log.set_axis(["session", "rank"], axis=1)
    expected = calibrate(named, ranks=3)
    assert calibrate(log, ranks=3, columns={"session": "visit", "rank": "place"}) == expected
    log.to_csv(tmp_path / "log.csv", index=False)
    assert calibrate(tmp_path / "log.csv", ranks=3, columns="session=visit,rank=place") == expected
    with pytest.raises(InputError, match="no column for the rank; the columns are visit, place"):
        calibrate(log, ranks=3, columns="session=visit")
    with pytest.raises(InputError, match="no column 'site'"):
        calibrate(log, ranks=3, columns="session=visit,rank=place,query=site")
    with pytest.raises(InputError, match="invalid columns: user=visit"):
        calibrate(log, columns="user=visit")
    assert "pages with clicks" in str(expected), "a table, not a name"
