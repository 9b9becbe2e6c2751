"""Click logs of every kind against the loops of oracles/users.py, and what is odd in them."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import pytest

from builders.click_logs import (
    RANKS,
    assert_class,
    assert_report,
    make_log,
    write_csv,
    write_parquet,
)
from hungjury.base.errors import HungjuryError, InputError
from hungjury.users.clicks import calibrate, long_run_distribution
from oracles import users as naive_users

ibis = pytest.importorskip("ibis", reason="counting clicks needs ibis (extra 'clicks')")


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


def test_a_rate_needs_two_visits_with_a_known_end(tmp_path):
    """μ = (K - 1) / K over the mean of K >= 2 times; from one time alone nothing is known."""
    rows = [  # query, rank, time, until
        ("often", 1, 0, 4), ("often", 1, 10, 16),  # 4 and 6 seconds: 1/2 over their mean 5
        ("often", 2, 0, 3),  # one time
        ("often", 3, 0, 2), ("often", 3, 0, None),  # two visits, one with a known end
        ("often", 4, 5, 5), ("often", 4, 7, 7),  # no time at all
        ("often", 5, 0, 1), ("often", 5, 0, 2), ("often", 5, 0, 6),  # 2/3 over the mean 3
        ("once", 2, 0, 9),
    ]  # fmt: skip
    names = ("query", "rank", "time", "until")
    records = [{"session": s, **dict(zip(names, row, strict=True))} for s, row in enumerate(rows)]
    model = calibrate(
        write_parquet(records, tmp_path / "log.parquet"), ranks=RANKS, rates_by="query"
    )
    assert model["all"].held == (2, 2, 1, 2, 3, 0)
    of_all = (1 / 10, 1 / 12, None, None, 2 / 9, None)
    assert model["all"].rates == pytest.approx(of_all)
    assert len(model.query_rates) == 1, "a query without a rate is left out"
    ((query, rates),) = model.query_rates
    assert query == "often"
    assert rates == pytest.approx((1 / 10, None, None, None, 2 / 9, None))


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
