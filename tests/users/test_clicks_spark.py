"""The same counts on Spark as on DuckDB; skipped where Spark cannot run."""

from __future__ import annotations

import random

import pytest

from builders.click_logs import yandex_actions
from hungjury.users.clicks import calibrate

pytest.importorskip("ibis", reason="counting clicks needs ibis (extra 'clicks')")
pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Interleaved sessions with ties in time, and everything that is odd."""
    chance = random.Random(3)
    lines = ["session,query,rank,time"]
    for _ in range(2000):
        session = chance.randrange(150)
        rank = chance.choice(["1", "1", "2", "3", "4", "5", "9", "0", "11", "", "x"])
        time = chance.choice([*map(str, range(30)), "7.5", "", "never"])
        lines.append(f"{session},q{session % 5},{rank},{time}")
    folder = tmp_path_factory.mktemp("logs")
    (folder / "log.csv").write_text("\n".join(lines) + "\n")
    return folder / "log.csv"


LABELS = {"q0": {"a": 1}, "q1": {"a": 1, "b": 1}, "q2": {"a": 0}, "q3": {"a": 1}}


def assert_same(mine, theirs):
    assert mine.log == theirs.log
    for a, b in zip(mine.classes, theirs.classes, strict=True):
        assert (a.visits, a.moves, a.held, a.pages) == (b.visits, b.moves, b.held, b.pages)
        assert a.stationary == pytest.approx(b.stationary)
        assert a.rates == pytest.approx(b.rates)


def test_a_table_of_text(spark, log):
    options = {"qrels": LABELS, "min_sessions": 20}
    assert_same(calibrate(log, engine="spark", **options), calibrate(log, **options))


def test_dates(spark, tmp_path):
    times = ["2020-01-01 00:00:01.250", "2020-01-01 00:00:04", "never", "2020-01-01 00:01:00.5"]
    rows = [f"1,{rank},{time}" for rank, time in zip([1, 2, 2, 1], times, strict=True)]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(["session,rank,time", *rows, *rows]) + "\n")
    assert_same(calibrate(log, engine="spark"), calibrate(log))


def test_yandex_actions(spark, tmp_path):
    log = tmp_path / "log.txt"
    log.write_text(yandex_actions(5)[0])
    assert_same(calibrate(log, engine="spark"), calibrate(log))


def test_parquet_and_a_table_of_sparks_own(spark, log, tmp_path):
    import ibis

    expected = calibrate(log)
    frame = spark.read.csv(str(log), header=True).coalesce(1)
    frame.write.parquet(str(tmp_path / "parts"))
    assert_same(calibrate(tmp_path / "parts", engine="spark"), expected)
    frame.createOrReplaceTempView("my_log")
    assert_same(calibrate(ibis.pyspark.connect(spark).table("my_log")), expected)
