"""Click logs of every kind against the loops of naive_users.py, and what is odd in them."""

from __future__ import annotations

import csv
import gzip
import io
import random
from pathlib import Path
from typing import Any

import pytest

import naive_users
from hungjury.collection import sources
from hungjury.errors import HungjuryError, InputError
from hungjury.users import actions, readers
from hungjury.users.clicks import calibrate, long_run_distribution
from hungjury.users.model import UserClass, UserModel

ibis = pytest.importorskip("ibis", reason="counting clicks needs ibis (extra 'clicks')")
pytest.importorskip("duckdb", reason="counting clicks needs duckdb (extra 'clicks')")
RANKS = 6


def make_log(seed: int, sessions: int = 60, odd: bool = True) -> list[dict[str, Any]]:
    """Interleaved sessions with ties in time, records out of order, clicks off the page."""
    chance = random.Random(seed)
    ranks = [1, 1, 1, 2, 2, 3, 4, 5, 6] + [0, 7, -2, 99, None] * odd
    records: list[dict[str, Any]] = []
    for _ in range(sessions * 5):
        session = chance.randrange(sessions)
        records.append(
            {
                "session": f"s{session}",
                "query": f"q{session % 3 + chance.choice([0, 0, 0, 1])}",
                "page": chance.choice(["1", "1", "2"]),
                "rank": chance.choice(ranks),
                "time": float(chance.randrange(12)),
            }
        )
        if odd and chance.random() < 0.05:
            records[-1][chance.choice(["session", "time"])] = None
    return records


def write_csv(records: list[dict[str, Any]], path: Path) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    return path


def write_parquet(records: list[dict[str, Any]], path: Path) -> Path:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(records), path)
    return path


def assert_class(one: UserClass, walks: Any, ranks: int = RANKS) -> None:
    """Everything that is counted, against the loops."""
    moves = naive_users.moves(walks, ranks)
    assert list(one.visits or ()) == naive_users.visits(walks, ranks)
    assert [list(row) for row in one.moves or ()] == moves
    assert one.pages == len(walks)
    for mine, theirs in zip(one.transitions or (), naive_users.transitions(moves), strict=True):
        assert mine == pytest.approx(theirs)
    assert list(one.never_left or ()) == [i + 1 for i, row in enumerate(moves) if not any(row)]
    assert one.stationary == pytest.approx(
        [float(v) for v in naive_users.long_run_distribution(moves) or ()]
    )
    assert one.backward == pytest.approx(naive_users.backward_share(moves))
    if one.rates is not None:
        spent = naive_users.holding_times(walks, ranks)
        assert list(one.held or ()) == [len(times) for times in spent]
        for rate, times in zip(one.rates, spent, strict=True):
            assert rate == pytest.approx(naive_users.rate(times))


def assert_report(model: UserModel, records: list[dict[str, Any]], ranks: int = RANKS) -> None:
    log = model.log
    assert log is not None
    walks = naive_users.paths(records, ranks)
    moves = naive_users.moves(walks, ranks)
    assert log.records == len(records)
    assert log.without_session == sum(r["session"] is None for r in records)
    named = [r for r in records if r["session"] is not None]
    assert log.without_time == sum("time" in r and r["time"] is None for r in named)
    timed = [r for r in named if "time" not in r or r["time"] is not None]
    assert log.off_page == sum(not naive_users.on_page(r, ranks) for r in timed)
    assert log.counted == sum(map(len, walks))
    assert log.repeated == sum(moves[i][i] for i in range(ranks))
    assert log.backward == sum(moves[i][j] for i in range(ranks) for j in range(i))
    assert log.out_of_order == naive_users.out_of_order(records, ranks)
    assert log.sessions == len({walk[0]["session"] for walk in walks})


# Tables


@pytest.mark.parametrize("seed", range(3))
def test_a_table_equals_the_loops(seed, tmp_path):
    records = make_log(seed)
    model = calibrate(write_parquet(records, tmp_path / "log.parquet"), ranks=RANKS, pages="moves")
    assert_class(model["all"], naive_users.paths(records, RANKS))
    assert_report(model, records)


def test_the_same_log_in_every_dress(tmp_path):
    import pandas
    import polars

    records = make_log(7)
    expected = calibrate(write_parquet(records, tmp_path / "log.parquet"), ranks=RANKS)
    plain = write_csv(records, tmp_path / "log.csv")
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    tabs = tmp_path / "log.tsv"
    tabs.write_text(plain.read_text().replace(",", "\t"))
    folder = tmp_path / "parts"
    folder.mkdir()
    for name, some in (("a", records[:150]), ("b", records[150:])):
        write_csv(some, folder / f"{name}.csv")
    (folder / "_SUCCESS").touch()
    frame = polars.DataFrame(records, infer_schema_length=None)
    dresses: list[Any] = [plain, packed, tabs, folder, str(folder / "*.csv")]
    dresses += [[folder / "a.csv", folder / "b.csv"], io.StringIO(plain.read_text())]
    dresses += [frame, pandas.DataFrame(records), ibis.memtable(frame.to_arrow())]
    for log in dresses:
        model = calibrate(log, ranks=RANKS)
        assert model == expected
        assert model.log == expected.log


def test_a_log_without_times_and_queries_goes_by_record_order(tmp_path):
    records = [{k: r[k] for k in ("session", "rank")} for r in make_log(2)]
    model = calibrate(write_csv(records, tmp_path / "log.csv"), ranks=RANKS, pages="moves")
    assert_class(model["all"], naive_users.paths(records, RANKS))
    assert_report(model, records)
    assert model["all"].rates is None


def test_classes_by_labels(tmp_path):
    records = make_log(4, sessions=200)
    labels = {"q0": {"a": 1, "b": 0}, "q1": {"a": 1, "b": 2}, "q2": {"a": 0, "b": 2}}
    path = write_parquet(records, tmp_path / "log.parquet")
    walks = naive_users.paths(records, RANKS)
    for nav_rel, navigational in ((1, {"q0", "q2"}), (2, {"q1", "q2"})):
        model = calibrate(path, labels, nav_rel, ranks=RANKS, pages="moves")
        mine = [w for w in walks if w[0]["query"] in navigational]
        others = [w for w in walks if w[0]["query"] in set(labels) - navigational]
        assert_class(model["navigational"], mine)
        assert_class(model["informational"], others)
        assert model.log is not None
        assert model.log.unlabelled == sum(len(w) for w in walks if w[0]["query"] not in labels)
        assert model.nav_rel == nav_rel
        ones = naive_users.long_run_distribution(naive_users.moves(mine, RANKS))
        assert dict(model.by_relevant)["1"] == pytest.approx([float(v) for v in ones or ()])


def test_holding_times_of_frequent_queries_only(tmp_path):
    records = make_log(5)
    sessions = {q: len({r["session"] for r in records if r["query"] == q and r["session"]})
                for q in ("q0", "q1", "q2", "q3")}  # fmt: skip
    least = sorted(sessions.values())[2]
    model = calibrate(write_csv(records, tmp_path / "log.csv"), ranks=RANKS, min_sessions=least)
    walks = [w for w in naive_users.paths(records, RANKS) if sessions[w[0]["query"]] >= least]
    spent = naive_users.holding_times(walks, RANKS)
    assert list(model["all"].held or ()) == [len(times) for times in spent]
    assert_report(model, records)


def test_times_of_any_kind(tmp_path):
    rows = [("2020-01-01 00:00:00.250", 1), ("2020-01-01 00:00:10.750", 2),
            ("2020-01-01 00:00:30", 1), ("2020-01-01 00:00:31", 1)]  # fmt: skip
    records = [{"sid": 1, "position": rank, "timestamp": time} for time, rank in rows]
    as_text = calibrate(write_csv(records, tmp_path / "log.csv"))
    import polars

    frame = polars.DataFrame(records).with_columns(polars.col("timestamp").str.to_datetime())
    as_dates = calibrate(frame)
    expected = naive_users.rate([10.5, 1.0])
    for model in (as_text, as_dates):
        assert model["all"].held == (2, 1, *[0] * 8)
        assert (model["all"].rates or ())[0] == pytest.approx(expected)


# The formats of others


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


def yandex_actions(seed: int) -> tuple[str, list[dict[str, Any]]]:
    """A log of Q and C records, sessions interleaved; and its clicks as records."""
    chance = random.Random(seed)
    lines, records = [], []
    page: dict[int, tuple[int, int, list[str]]] = {}
    for number in range(400):
        session = chance.randrange(40)
        if session not in page or chance.random() < 0.15:
            query, urls = chance.randrange(5), [f"u{chance.randrange(30)}" for _ in range(10)]
            page[session] = (number, query, urls)
            lines.append("\t".join([str(session), str(number), "Q", str(query), "1", *urls]))
            continue
        begin, query, urls = page[session]
        url = chance.choice([*urls, *urls, *urls, "elsewhere"])
        lines.append(f"{session}\t{number}\tC\t{url}")
        rank = urls.index(url) + 1 if url in urls else None
        records.append({"session": session, "query": f"{query}_1", "page": begin, "rank": rank,
                        "time": float(number)})  # fmt: skip
    chance.shuffle(lines)  # times tell the order
    return "\n".join(lines) + "\n", records


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


@pytest.mark.parametrize("large", [1 << 26, 100])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
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
    qrels = {f"{q}_1": {"d": q % 2, "e": int(q == 4)} for q in range(5)}
    models = [calibrate(mixed, pages="moves"), calibrate(mixed, qrels, min_sessions=2)]
    monkeypatch.setattr(readers, "group_by_session", no_sort)
    again = [calibrate(together, pages="moves"), calibrate(together, qrels, min_sessions=2)]
    assert again == models
    assert_class(models[0]["all"], naive_users.paths(records, 10), 10)
    log = models[0].log
    assert log is not None
    assert (log.unreadable, log.without_time, log.without_session) == (1, 1, 1)


def test_yandex_actions_with_bytes_that_are_no_text_and_pages_that_are_too_long(tmp_path):
    path = tmp_path / "log"
    urls = "\t".join(f"u{i}" for i in range(12))
    lines = []
    for query in ("3", "4"):
        lines.append(f"{query}\t0\tQ\t{query}\t1\t{urls}")
        lines += [f"{query}\t{i + 1}\tC\tu{u}" for i, u in enumerate((9, 10, 0, 9))]
    path.write_bytes("\n".join(lines).encode().replace(b"Q\t3\t", b"Q\t\xff\t"))
    model = calibrate(path, {"\N{REPLACEMENT CHARACTER}_1": {"d": 1}, "4_1": {"d": 0}})
    for one in (model["navigational"], model["informational"]):
        assert (one.visits[0], one.visits[9], one.moves[9][0], one.moves[0][9]) == (1, 2, 1, 1)
    assert model.log is not None
    assert model.log.off_page == 2


def test_yandex_actions_in_several_files(tmp_path):
    text, records = yandex_actions(4)
    lines = text.splitlines(keepends=True)
    for i in range(5):
        (tmp_path / f"{i}.txt").write_text("".join(lines[i * 80 : i * 80 + 80]))
    model = calibrate(tmp_path, {f"{q}_1": {"d": q % 2} for q in range(5)}, min_sessions=2)
    walks = naive_users.paths(records, 10)
    single = [w for w in walks if w[0]["query"] in ("1_1", "3_1")]
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
    model = calibrate(shared_data / "clicks-yandex" / "trainSample.gz")
    log, one = model.log, model["all"]
    assert log is not None
    assert log.records == 50_321
    assert log.unreadable == 0
    assert 0 < log.off_page < 500
    assert one.never_left == ()
    assert sum(one.stationary) == pytest.approx(1)
    assert 0.15 < (one.backward or 0) < 0.25
    assert sum(one.visits or ()) == log.counted


# What cannot be counted


def told(text: str, words: str, tmp_path: Path, **options: Any) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(HungjuryError, match=words) as caught:
        calibrate(path, **options)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("session,query,rank,time\n", "contains no clicks"),
        ("session,query,rank,time\n1,q,1,-3\n1,q,2,5\n", "1 of 2 clicks have a negative time"),
        ("session,query,rank,time\n1,q,11,3\n1,q,x,5\n", "no click in the log can be counted"),
        ("who,query,rank\n1,q,1\n", "no column for the session"),
        ("session,query\n1,q\n", "no column for the rank"),
        ("5,q,1,3\n5,q,2,9\n", "no column for the session; the columns are 5, q, 1, 3\n"),
        ("session,rank\n1,1\n1,2,3,4\n", "cannot be counted: .* Line: 3.* Columns: 2"),
        ("session,rank,session\n1,1,1\n", "name appears twice"),
        ("<sessiontrack><session>", "not well-formed XML"),
    ],
)
def test_bad_logs_are_told(text, words, tmp_path):
    told(text, words, tmp_path)


def test_bad_arguments_are_told(tmp_path):
    text = "session,query,rank,time\n1,q,1,3\n1,q,1,5\n"
    one, two = "session,rank\n1,1\n2,1\n", "session,rank\n1,1\n1,2\n"
    told(one, "but no moves between ranks", tmp_path, pages="moves")
    told(two, "but no rank to which users return", tmp_path, pages="moves")
    told(text, "class 'informational' has no page with a click", tmp_path, qrels={"q": {"d": 1}})
    told(text, "class 'navigational' has no page with a click", tmp_path, qrels={"q": {"d": 0}})
    told(text, "no click in the log can be counted", tmp_path, qrels={"x": {"d": 1}})
    told(text, "labels are probabilities", tmp_path, qrels={"q": {"d": 0.5}})
    told("session,rank\n1,1\n", "no query column", tmp_path, qrels={"q": {"d": 1}})
    told(text, "invalid value 'abacus' for engine", tmp_path, engine="abacus")
    told(text, "memory is 'lots'", tmp_path, memory="lots")
    told(text, "ranks must be an integer from 3", tmp_path, ranks=2)
    told(text, "nav_rel is 0", tmp_path, nav_rel=0)
    with pytest.raises(InputError, match="no such file"):
        calibrate(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="contains no files"):
        calibrate(tmp_path / "empty")
    with pytest.raises(InputError, match="no files were given"):
        calibrate([])
    (tmp_path / "other.csv").write_text("rank,session\n1,1\n")
    with pytest.raises(InputError, match="first line differs"):
        calibrate([tmp_path / "log.csv", tmp_path / "other.csv"])
    write_parquet(make_log(1), tmp_path / "other.parquet")
    with pytest.raises(InputError, match="different kinds: csv, parquet"):
        calibrate([tmp_path / "log.csv", tmp_path / "other.parquet"])


def test_broken_values_in_a_table_are_counted(tmp_path):
    rows = ["session,query,rank,time", "1,q,1,1", "1,q,one,2", "1,q,2,later", "1,q,2,4",
            "1,q,1,nan", "1,q,1,9", ",q,1,9"]  # fmt: skip
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows) + "\n")
    log = calibrate(path).log
    assert log is not None
    assert (log.records, log.counted, log.off_page) == (7, 3, 1)
    assert (log.without_time, log.without_session) == (2, 1)


# Laws of chains that fall apart


@pytest.mark.parametrize("seed", range(200))
def test_long_run_law_of_sparse_counts(seed):
    import numpy as np

    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 6))
    moves = rng.integers(1, 5, (size, size)) * (rng.random((size, size)) < 0.3)
    expected = naive_users.long_run_distribution(moves.tolist())
    law = long_run_distribution(moves)
    assert (law is None) == (expected is None)
    if law is not None and expected is not None:
        assert law == pytest.approx([float(v) for v in expected], abs=1e-12)
