"""Chains, user models and calibrated logs: whole outcomes stay what they were."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, call

import numpy as np
import pytest

import hungjury as hj
from builders.click_logs import make_log, yandex_actions
from builders.stored import Cases, check, compared_by_identity
from hungjury.data.reading.sources import expand
from hungjury.users import chain, clicks, logs, model, readers
from hungjury.users.model import Dynamic, LogReport, UserClass, UserModel

# Chains

CYCLE = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
HEADS_AND_TAILS = [[0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 1, 0]]
LAZY = [[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.5, 0.5]]
UNEVEN = [[0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0.5, 0, 0, 0.5, 0], [0, 0, 0, 0, 1], [1, 0, 0, 0, 0]]
TWO_LOOPS = [[0, 0.5, 0, 0.5], [0, 0, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
ALONE = [[1.0]]


def walked(matrix: Any) -> Any:
    walk = chain.Walk((2, 3, 7, 8, 9)[: len(matrix)], np.array(matrix, dtype=float))
    start = np.full(len(matrix), 1 / len(matrix))
    return [walk.period, walk.stationary, walk.after(3), walk.after(2, start), walk.distance(4),
            walk.mean_precision(), walk.mean_precision(5), walk.mean_precision(2, start),
            [walk.mixing_time(share) for share in (0.9, 0.75, 0.25, 0.05, 0.001)],
            walk.mixing_time()]  # fmt: skip


def sums(name: str) -> Any:
    hits = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], bool)
    ranks = np.array([[1, 2, 4, 7, 9], [1, 3, 4, 5, 8], [1, 2, 3, 4, 5], [2, 3, 5, 8, 9]], np.int32)
    length = np.array([9, 8, 5, 12])
    copies = np.stack([hits, ~hits, hits[::-1]])
    kept = chain.pull_sums(name, hits, ranks, length) * hits
    many = chain.pull_sums(name, copies, ranks, length) * copies
    alone = chain.pull_sums(name, hits[1:2], ranks[1:2, :], np.array([1])) * hits[1:2]
    each = [chain.finite_visits(name, hits, ranks, length, steps) for steps in (0, 1, 4)]
    return [kept, many, alone, each]


def chains() -> Cases:
    cases: dict[str, Callable[[], Any]] = {name: partial(sums, name) for name in chain.MODELS}
    matrices = {"cycle": CYCLE, "heads": HEADS_AND_TAILS, "lazy": LAZY, "uneven": UNEVEN,
                "loops": TWO_LOOPS, "alone": ALONE}  # fmt: skip
    cases |= {f"walk {name}": partial(walked, one) for name, one in matrices.items()}
    for name in chain.MODELS:
        for relevant, length in (([1, 2, 5], 10), ([4], 4), ([7, 3, 3], 7), ([1], 1)):
            cases[f"{name} {relevant} {length}"] = partial(user_walk, name, relevant, length)
    bad: dict[str, Any] = {
        "text": "x", "ragged": [[1], [0.5, 0.5]], "flat": [0.5, 0.5], "wide": [[0.5, 0.5]],
        "empty": [[]], "negative": [[1.5, -0.5], [0.5, 0.5]], "infinite": [[np.inf, 0], [0, 1]],
        "nan": [[np.nan, 1], [0, 1]], "sum": [[0.5, 0.4], [0.6, 0.6]],
        "nearly": [[0.5, 0.5 + 9e-7], [1, 0]], "not nearly": [[0.5, 0.5 + 2e-6], [1, 0]],
        "number": 3, "many": np.full((9, 9), 0.1),
    }  # fmt: skip
    cases |= {f"matrix {name}": partial(chain.transition_matrix, m) for name, m in bad.items()}
    parted = np.array([[1, 0, 0, 0], [0, 0.5, 0.5, 0], [0, 1, 0, 0], [0.2, 0.2, 0.3, 0.3]])
    moves = {
        "none": np.zeros((3, 3)), "one way": [[0, 3, 0], [0, 0, 2], [0, 0, 0]],
        "back": [[0, 3, 0], [2, 0, 1], [0, 0, 0]], "groups": [[1, 2, 0, 0], [4, 0, 0, 0],
        [0, 0, 0, 5], [0, 1, 2, 0]], "apart": [[2, 0, 0], [0, 1, 1], [0, 3, 0]],
        "stay": [[0, 1], [0, 2]],
    }  # fmt: skip
    cases |= {
        "closed": lambda: chain.closed_groups(parted),
        "not irreducible": lambda: chain.stationary_distribution(parted),
        "pulls": lambda: [chain.pulls("ID", 4), chain.pulls("LID", 4)],
        "ranks": lambda: [chain.ranks(np.arange(n)) for n in (1, 2, 9)],
        "no rank": partial(hj.users.user_walk, "GL_AD_ID", [], 3),
        "rank beyond": partial(hj.users.user_walk, "GL_AD_ID", [4], 3),
        "rank 0": partial(hj.users.user_walk, "GL_AD_ID", [0], 3),
        "bad model": partial(hj.users.user_walk, "XX", [1], 3),
        "bad share": lambda: hj.users.user_walk("GL_AD_ID", [1, 2], 3).mixing_time(1.0),
    }
    for name, one in moves.items():
        given = np.array(one, dtype=np.int64)
        cases[f"moves {name}"] = partial(chain.long_run_distribution, given)
    return cases


def user_walk(name: Any, relevant: list[int], length: int) -> Any:
    walk = hj.users.user_walk(name, relevant, length)
    return [walk.ranks, walk.transitions, walk.period, walk.mixing_time(0.01)]


def test_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = chains()
    check(__file__, "chains", cases)
    monkeypatch.setattr(chain, "ROOM", 7)  # pairs in many small blocks
    found = [sums(name) for name in ("GL_OR_ID", "GL_OR_LID")]
    monkeypatch.undo()
    for name, one in zip(("GL_OR_ID", "GL_OR_LID"), found, strict=True):
        assert all(map(np.allclose, one[0], sums(name)[0]))
        assert np.allclose(one[1], sums(name)[1])


# Models


def complete() -> UserModel:
    one = UserClass(
        "navigational", (0.25, 0.75, 0.0), Dynamic(0.1, 0.2, 0.3, 0.9, 0.01), visits=(3, 9, 0),
        moves=((0, 3, 0), (3, 6, 0), (0, 0, 0)),
        transitions=((0, 1, 0), (1 / 3, 2 / 3, 0), (0, 0, 1)),
        never_left=(3,), pages=2, backward=0.25, held=(2, 1, 0), rates=(0.5, None, 0.25),
    )  # fmt: skip
    other = UserClass("informational", (0.5, 0.25, 0.25), Dynamic(0.5, -0.3, 0.2), pages=100,
                      rates=(1.0, 2.0, None))  # fmt: skip
    by_query = (("q1", (None, 0.5, 3.0)), ("q2", (0.1, None, None)))
    log = LogReport(records=12, counted=9)
    return UserModel((one, other), 2, by_query, (("0", (1.0, 0.0, 0.0)),), "a test", log)


def read_again(*change: Any) -> Any:
    """The model after a change of its file: an entry, a path to it and a value."""
    content = json.loads(complete().to_json())
    if change:
        *path, last, value = change
        place = content
        for step in path:
            place = place[step]
        if value == "gone":
            del place[last]
        else:
            place[last] = value
    found = UserModel.from_content(content, file="file.json", source="source")
    return [found.content(), found == complete(), found.name, found.source]


WRONG: list[tuple[Any, ...]] = [
    ("format", "x"), ("version", 2), ("ranks", 0), ("ranks", 1001), ("ranks", "gone"), ("ranks", 4),
    ("classes", []), ("classes", "gone"), ("nav_rel", "x"), ("about", "gone"), ("log", None),
    ("log", "more", 3), ("by_relevant", "gone"), ("by_relevant", 0, ["1", [1, 0]]),
    ("query_rates", [["q", [1, 2]]]), ("query_rates", [["q", [1, 2, 0]]]),
    ("query_rates", [["q", [1, 2, None]]]), ("query_rates", "gone"),
    ("classes", 0, "name", "all"), ("classes", 0, "name", "gone"), ("classes", 0, "other", 1),
    ("classes", 0, "stationary", [0.25, 0.75]), ("classes", 0, "stationary", [0.25, 0.7, 0]),
    ("classes", 0, "stationary", [1.25, -0.25, 0]), ("classes", 0, "stationary", [1, 0, "0"]),
    ("classes", 0, "stationary", [True, 0, 0]), ("classes", 0, "stationary", [0.5, 0.5000005, 0]),
    ("classes", 0, "stationary", 3), ("classes", 0, "visits", [1, 2]),
    ("classes", 0, "visits", None), ("classes", 0, "held", [1, 2, 1e400]),
    ("classes", 0, "moves", [[1, 2, 3]]),
    ("classes", 0, "moves", [[1, 2, 3], [1, 2], [1, 2, 3]]), ("classes", 0, "transitions", 3),
    ("classes", 0, "rates", [1, 2]), ("classes", 0, "rates", [1, -2, 3]),
    ("classes", 0, "rates", [1, 1e400, 3]), ("classes", 0, "rates", "gone"),
    ("classes", 0, "never_left", [0]), ("classes", 0, "never_left", [4]),
    ("classes", 0, "never_left", [3, 1]), ("classes", 0, "dynamic", {"alpha": 1}),
    ("classes", 0, "dynamic", "alpha", "x"), ("classes", 0, "dynamic", "r2", None),
    ("classes", 0, "dynamic", "gone"), ("classes", 0, "stationary", "gone"),
]  # fmt: skip


def models() -> Cases:
    one = complete()
    grades = np.array([0, 1, 2, 1])
    cases: dict[str, Callable[[], Any]] = {f"file {c}": partial(read_again, *c) for c in WRONG}
    shipped = model.published_shape()
    alone = UserModel((UserClass("all", (0.5, 0.5), Dynamic(0.5, 0.0, 0.1), pages=99),))
    cases |= {
        "whole": read_again,
        "text": one.to_text,
        "shipped text": shipped.to_text,
        "html": one.to_html,
        "csv": one.to_csv,
        "json": lambda: [one.to_json(), shipped.to_json()],
        "names": lambda: [one.name, one.written, shipped.written, alone.name],
        "notes": lambda: [one.notes(), one.notes(1), one.notes(2), one.notes(99), alone.notes(),
                          shipped.notes(), one.notes(0)],
        "page notes": lambda: [one.page_notes(), shipped.page_notes()],
        "class notes": lambda: [one.class_notes(g, 2) for g in (grades, grades * 0, grades[1:2])],
        "classes": lambda: [one.class_of(grades), alone.class_of(grades)],
        "class": lambda: one["informational"],
        "no class": lambda: one["all"],
        "stationary": one.stationary,
        "discounts": lambda: [one.discounts(3), one.discounts(1), alone.discounts(2)],
        "too far": lambda: one.discounts(4),
        "rates": one.rates,
        "no rates": shipped.rates,
        "rates by topic": lambda: one.rates_by_topic(["q1", "x", "q2"], np.array([0, 1, 1])),
        "rises": lambda: [Dynamic(*c).rises(6) for c in ((1, 0, 0), (0, 0.1, 0), (-1, 0, 1),
                                                         (1, 0.1, 0), (0, 0, 1), (0, 1e-13, 1))],
        "values": lambda: [Dynamic(*c).values(4) for c in ((1, 0, 0), (0, 0.5, -1), (0.2, 0.1, 0))],
        "fits": lambda: [model.fit_dynamic(np.array(pi)) for pi in (
            [0.5, 0.25, 0.125, 0.125], [0.25] * 4, [0, 0, 1.0], [0.1, 0.2, 0.3, 0.4])],
        "user models": lambda: [model.user_model(one) is one,
                                model.user_model("published-shape") == shipped],
        "saved": lambda: saved(one),
        "one rank": lambda: saved(
            UserModel((UserClass("all", (1.0,), Dynamic(1.0, 0.0, 0.0)),), log=LogReport())),
        "scores": lambda: hj.evaluate(
            {"q1": {"a": 2, "b": 1}, "q2": {"a": 1, "b": 1}},
            {"q1": {"a": 1.0, "b": 2.0}, "q2": {"x": 3.0, "a": 2.0}},
            [hj.m.MP(model=one), hj.m.MP(model=one, rates=[1, 2, 3]), hj.m.nMCG(user=one, cutoff=3),
             hj.m.MP(model=one, nav_rel=1)]).values,
        "rates of a model": lambda: hj.m.MP(model=one, rates="model"),
    }  # fmt: skip
    return cases


def saved(one: UserModel) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "users.json"
        one.save(path)
        again = UserModel.load(path)
        return [again == one, again.log == one.log, again.name == str(path)]


def test_models() -> None:
    check(__file__, "models", models())


# Logs that are not tables

PAGES = (
    "7_1\tu1,u2,u3 : u2 , u1 , u2;  7_1\tu1,u2,u3 :;8_1\tu1,u2,u3 : zz , u3\n;"
    " nonsense ; 9_2\tu1,u2,u1 : u1 , u1 ;\n ;9_2\tu1:"
)
SESSIONS = """<sessions><session num="4" starttime="23:59:50.5"><topic num="t7"/>
<interaction num="1"><query>one  two</query><results><result><url>u1</url><id> d1 </id></result>
<result><url>u2</url></result></results><clicked>
<click starttime="23:59:58" endtime="00:00:08.5"><rank>2</rank></click>
<click starttime="00:00:20" endtime="x"><rank>1</rank></click>
<click starttime="1:2"><rank></rank></click></clicked></interaction></session>
<session num="5"><interaction><query> one  two </query></interaction>
<interaction><query>three</query><clicked><click starttime="5" endtime="9.5"><rank>3</rank></click>
</clicked></interaction></session></sessions>"""
RELEVANT = {"7_1": {"u1"}, "9_2": set(), "t7": {"d1", "u2", "zz"}, "three": {"a", "b"}}


def rows_of(text: str, kind: str, relevant: Any) -> Any:
    read = logs.yandex_page_clicks if kind == "pages" else logs.trec_session_clicks
    tally = logs.Tally()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_text(text, encoding="utf-8")
        try:
            rows = list(read(expand(path), tally, relevant))
        except hj.HungjuryError as error:
            return str(error).replace(folder, "FOLDER")
    return [rows, vars(tally)]


def texts() -> Cases:
    heads = {
        "parquet": b"PAR1....", "xml": b" <sessions>", "actions": b"1\t2\tQ\t3\n",
        "click": b"1\t2\tC\t3", "short": b"1\t2\tQ", "pages": b"7_1\tu1,u2 : u1;",
        "csv": b"a,b\n1,2\n", "tsv": b"a\tb\n1\t2\n",
        "colon": b"a:b\tc\n;d",
    }  # fmt: skip
    cases: dict[str, Callable[[], Any]] = {
        f"kind {n}": partial(kind_of, h) for n, h in heads.items()
    }
    for relevant in ({}, RELEVANT):
        cases[f"pages {len(relevant)}"] = partial(rows_of, PAGES, "pages", relevant)
        cases[f"sessions {len(relevant)}"] = partial(rows_of, SESSIONS, "sessions", relevant)
    cases["not xml"] = partial(rows_of, "<a>\n<b></a>", "sessions", {})
    cases["seconds"] = lambda: [
        logs._seconds(t) for t in (None, "", "7.5", "1:2", "2:0:1.5", "x:1")
    ]
    day = logs.DAY
    pairs = [(None, 5.0), (5.0, None), (5.0, 9.0), (1.0, 80_000.0), (0.0, day / 2), (1.0, day / 2)]
    cases["after"] = lambda: [logs._after(*pair) for pair in pairs]
    return cases


def kind_of(head: bytes) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(head)
        return readers._kind(expand(path)[0])


def test_texts() -> None:
    check(__file__, "texts", texts())


# Calibrated logs


def shown(found: UserModel) -> Any:
    return {name: value for name, value in found.content().items() if value or value == 0}


def calibrated(rows: Any, *given: Any, **how: Any) -> Any:
    """The whole model of a log: rows of a frame, the text of a file, or several of them."""
    import pandas

    if isinstance(rows, list):
        return shown(hj.calibrate(pandas.DataFrame(rows), *given, **how))
    with tempfile.TemporaryDirectory() as folder:
        files = {"log": rows} if isinstance(rows, str) else rows
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        try:
            return shown(hj.calibrate(folder, *given, **how))
        except hj.HungjuryError as error:
            return str(error).replace(folder, "FOLDER")


LABELS = {"q0": {"a": 1, "b": 0}, "q1": {"a": 1, "b": 2}, "q2": {"a": 0, "b": 2}}
TIMES = "session,rank,time,until\n1,1,2020-01-01 00:00:00.5,2020-01-01 00:00:02\n"
TIMES += "1,2,2020-01-01 00:00:03,\n1,3,late,\n2,1,2020-01-01 00:00:01,2020-01-01 00:00:00\n"


TOPICS = {"t7": {"d1": 1, "u2": 1, "zz": 1}, "three": {"a": 1, "b": 0}}
BARE = re.sub(r"<results>.*?</results>", "", SESSIONS, flags=re.DOTALL)


def calibrations() -> Cases:
    log = make_log(4, sessions=12)
    plain = [{k: r[k] for k in ("session", "rank")} for r in log]
    back = [{"session": 1, "rank": 2, "time": -1.0}]
    actions, _ = yandex_actions(2)
    cases: dict[str, Callable[[], Any]] = {
        "all": partial(calibrated, log, ranks=6),
        "moves": partial(calibrated, log, ranks=6, pages="moves"),
        "plain": partial(calibrated, plain, ranks=5),
        "classes": partial(calibrated, log, LABELS, ranks=6, min_sessions=3),
        "classes of moves": partial(calibrated, log, LABELS, 2, ranks=6, pages="moves"),
        "a column called relevant": partial(
            calibrated, [r | {"relevant": 3} for r in log], LABELS, ranks=6),
        "queries": partial(calibrated, log, LABELS, ranks=6, rates_by="query", min_sessions=4),
        "actions": partial(calibrated, actions, {"1_1": {"u3": 1}, "2_1": {"u1": 0}}),
        "pages": partial(calibrated, PAGES, {"7_1": {"u1": 1}, "9_2": {"u1": 0}}, ranks=3),
        "sessions": partial(calibrated, SESSIONS, ranks=3),
        "sessions with labels": partial(calibrated, SESSIONS, TOPICS, ranks=3),
        "sessions without documents": partial(calibrated, BARE, TOPICS, ranks=3),
        "times": partial(calibrated, TIMES, ranks=3),
        "renamed": partial(calibrated, "visit;place\n1;1\n1;3\n", ranks=3,
                           columns="session=visit,rank=place"),
        "no such column": partial(calibrated, "visit;place\n1;1\n", columns={"rank": "spot"}),
        "no rank": partial(calibrated, "session;place\n1;1\n"),
        "columns of pages": partial(calibrated, PAGES, columns="rank=x"),
        "mixed": partial(calibrated, {"a": PAGES, "b": TIMES}),
        "other columns": partial(calibrated, {"a": "session,rank\n1,1\n", "b": "session,place\n"}),
        "column twice": partial(calibrated, "session,rank,rank\n1,1,1\n"),
        "empty folder": partial(calibrated, {".hidden": "x"}),
        "no file": partial(hj.calibrate, []),
        "nothing on the page": partial(calibrated, [{"session": 1, "rank": 9}], ranks=3),
        "no clicks": partial(calibrated, "session,rank\n"),
        "negative": partial(calibrated, back),
        "no moves": partial(calibrated, [{"session": 1, "rank": 2}], pages="moves", ranks=3),
        "no return": partial(calibrated, [{"session": 1, "rank": r} for r in (1, 2)],
                             pages="moves", ranks=3),
        "empty class": partial(calibrated, [{"session": 1, "rank": 2, "query": "q1"}], LABELS,
                               ranks=3),
        "other names": partial(calibrated, [{"session": 1, "rank": 2, "query": "z"}], LABELS),
        "no query": partial(calibrated, plain, LABELS),
        "no times": partial(calibrated, plain, rates_by="query"),
        "no sessions needed": partial(calibrated, plain, ranks=5, min_sessions=0),
        "few ranks": partial(calibrated, log, ranks=2),
        "nav_rel": partial(calibrated, log, LABELS, 0),
        "soft": partial(calibrated, log, {"q0": {"a": 0.5}}),
        "memory": partial(calibrated, log, memory="much"),
    }  # fmt: skip
    return cases


def test_calibrations() -> None:
    pytest.importorskip("ibis", reason="counting clicks needs ibis (extra 'clicks')")
    check(__file__, "calibrations", calibrations())


@pytest.mark.parametrize("record", [False, True])
def test_tables_are_written_in_parts(record: bool, tmp_path: Path) -> None:
    """In the order of records, where these have numbers; in folders by their part."""
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("ibis", reason="engines need ibis (extra 'clicks')")
    columns = {"part": [1, 0, 1, 1], "word": ["b", "x", "a,", "c"]}
    if record:
        columns[readers.RECORD] = [3, 1, 2, 4]
    with readers.open_engine("duckdb", "200MB", home=tmp_path) as engine:
        assert engine.folder.parent == tmp_path
        table = engine.arrow(pyarrow.table(columns))
        for folder in ("parts", "again"):
            engine.write_parts(table if record else table.drop(readers.RECORD), tmp_path / folder)
    found = {str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*.csv")}
    whole = 'word\n"a,"\nb\nc\n'
    assert found.pop("parts/part=0/rows.csv") == "word\nx\n"
    several = found.pop("parts/part=1/rows.csv")
    assert several == whole if record else sorted(several) == sorted(whole)
    assert sorted(found) == ["again/part=0/rows.csv", "again/part=1/rows.csv"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again", "parts"]


def test_spark_is_asked_for_what_duckdb_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without Spark itself: headers and quotes, a folder for each part, and errors in words."""
    ibis = pytest.importorskip("ibis", reason="engines need ibis (extra 'clicks')")
    fake = {name: MagicMock() for name in ("pyspark", "pyspark.errors", "pyspark.sql")}
    fake["pyspark.errors"].PySparkException = OSError
    builder = fake["pyspark.sql"].SparkSession.builder.appName.return_value.config.return_value
    spark = builder.getOrCreate.return_value
    for name, module in fake.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(vars(ibis), "pyspark", MagicMock())
    (tmp_path / "log.csv").write_text("a;b\n1;2\n")
    with readers.open_engine("spark", "1GB") as engine:
        engine.table(expand(tmp_path / "log.csv"), "csv")
        how = {"header": True, "escape": '"'}
        assert spark.read.csv.call_args == call([str(tmp_path / "log.csv")], sep=";", **how)
        engine.read([tmp_path / "a", tmp_path / "b"])
        assert spark.read.parquet.call_args == call(str(tmp_path / "a"), str(tmp_path / "b"))
        engine.write_parts(MagicMock(columns=["part", "word"]), tmp_path / "parts")
        written = spark.sql.return_value.drop.return_value.write.partitionBy
        assert written.call_args == call("part")
        assert written.return_value.csv.call_args == call(str(tmp_path / "parts"), **how)
    broken = readers.open_engine("spark", "1GB")
    broken.__enter__()
    with pytest.raises(hj.HungjuryError, match="the log cannot be counted: too; late"):
        broken.__exit__(OSError, OSError("too\n\n late"), None)


def test_engines_get_files_that_they_can_read(tmp_path: Path) -> None:
    """As they are where the ending tells how they are packed, else as a plain copy."""
    text = b"session,rank\n1,1\n"
    packed = gzip.compress(text)
    given = {"plain.csv": text, "packed.gz": packed, "packed": packed, "plain.gz": text}
    for name, content in given.items():
        (tmp_path / name).write_bytes(content)
    engine = SimpleNamespace(folder=tmp_path / "copies")
    engine.folder.mkdir()
    sources = [expand(tmp_path / name)[0] for name in given] + expand(io.StringIO(text.decode()))
    found = readers._paths(engine, sources, ".csv")  # type: ignore[arg-type]
    copies = [engine.folder / f"input-{number}.csv" for number in (2, 3, 4)]
    assert found == [tmp_path / "plain.csv", tmp_path / "packed.gz", *copies]
    assert [path.read_bytes() for path in copies] == [text] * 3


def test_rates_of_rows() -> None:
    rows = [{"start": 1, "held": 3, "spent": 4.0}, {"start": 3, "held": 2, "spent": 0.0},
            {"start": 2, "held": 1, "spent": 5.0}, {"start": 1, "held": None}]  # fmt: skip
    assert clicks._rates(rows, 3) == (0.5, None, None)
    rows[2]["held"] = 2
    assert clicks._rates(rows, 3) == (0.5, 0.2, None)


def test_the_plot_is_drawn_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UserModel, "_drawn", lambda self, *how: (self.name, *how))
    assert model.published_shape().plot() == ("published-shape", "users.draw_users")


def test_records_with_arrays_are_compared_by_identity() -> None:
    assert compared_by_identity("hungjury.users") == ["Walk", "_Chain"]
