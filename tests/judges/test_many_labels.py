"""Tables merged in parts on disk: the same as in memory and as a loop; whole or not at all."""

from __future__ import annotations

import csv
import gzip
import random
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError, MeasureError
from oracles import judges as naive

pytest.importorskip("ibis", reason="tables in parts need ibis (extra 'clicks')")
Row = tuple[str, str, str, int]
STARTS = {"em-mv": naive.hard_start, "em-neu": naive.neutral_start}


def crowd(top: int, documents: int = 60, topics: int = 4, seed: int = 1) -> list[Row]:
    """Labels in random order; ids with quotes, commas, blanks and the word NA; odd judges."""
    chance = random.Random(seed)
    rows = []
    for number in range(documents):
        truth = chance.randint(0, top)
        for judge in chance.sample(range(8), 4):
            label = truth if chance.random() < 0.45 + 0.06 * judge else chance.randint(0, top)
            name = "NA" if number == 7 else f'd "{number}", x'
            rows.append((f"q{number % topics}", name, f"judge {judge}", label))
    chance.shuffle(rows)
    return rows


def written(rows: list[Row], path: Path, head: str = "topic,document,judge,label") -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head.split(","), *rows])
    return path


def assert_same(path: str, merged: Any, within: float) -> None:
    mine, theirs = hj.read_qrels(path).to_dict(), merged.to_dict()
    assert {t: set(d) for t, d in mine.items()} == {t: set(d) for t, d in theirs.items()}
    for topic, labels in theirs.items():
        for document, label in labels.items():
            assert mine[topic][document] == pytest.approx(label, abs=within), (topic, document)


SHORT = "em-mv(start=shares, tol=1e-6, rounds=7)"


@pytest.mark.parametrize(
    ("method", "scope", "top", "within"),
    [("binmv", "topic", 1, 1e-12), ("binmv", "all", 3, 1e-12), ("mv(ties=not)", "topic", 3, 0),
     ("mv(ties=not)", "all", 1, 0), ("em-mv", "topic", 1, 1e-6), ("em-mv", "all", 1, 1e-6),
     ("em-mv", "all", 3, 1e-6), ("em-neu", "topic", 3, 1e-6), ("em-neu", "all", 1, 1e-6),
     ("em-ordinal", "topic", 3, 1e-6), ("em-ordinal", "all", 1, 1e-6),
     ("em-ordinal", "all", 3, 1e-6), (SHORT, "topic", 1, 1e-6), (SHORT, "all", 3, 1e-6)],
)  # fmt: skip
def test_the_same_as_in_memory(
    tmp_path: Path, method: str, scope: Any, top: int, within: float
) -> None:
    source, grades = written(crowd(top), tmp_path / "labels.csv"), range(top + 1)
    found = hj.merge_table(
        source, tmp_path / "out.parquet", method, scope=scope, grades=grades, parts=3
    )
    judgments = hj.read_judgments(source, grades=grades)
    merged = hj.merge(judgments, method, scope=scope)
    assert_same(found.path, merged, within)
    assert (found.documents, found.judges) == (60, judgments.judges)
    assert found.labels.tolist() == np.bincount(judgments.judge).tolist()
    if scope == "all" and merged.fit is not None:
        assert found.fit.rounds == merged.fit.rounds
        assert found.fit.log_likelihood == pytest.approx(merged.fit.log_likelihood)
        assert found.fit.unit_confusion == pytest.approx(merged.fit.unit_confusion, abs=1e-6)
        assert [n.kind for n in found.notes] == [
            n.kind for n in merged.notes if n.kind == "not-converged"
        ]


@pytest.mark.parametrize(("method", "top"), [("em-mv", 2), ("em-neu", 1), ("binmv", 2)])
def test_the_same_as_a_loop(tmp_path: Path, method: str, top: int) -> None:
    rows = crowd(top, documents=25)
    found = hj.merge_table(
        written(rows, tmp_path / "labels.csv"), tmp_path / "out.csv", method,
        scope="all", grades=range(top + 1), parts=2,
    )  # fmt: skip
    votes: dict[str, dict[str, int]] = {}
    for topic, document, judge, label in rows:
        votes.setdefault(f"{topic} {document}", {})[judge] = label
    if method == "binmv":
        slow = {d: naive.shares([*v.values()], range(top + 1)) for d, v in votes.items()}
    else:
        slow = naive.dawid_skene(votes, range(top + 1), STARTS[method])[0]
    for topic, documents in hj.read_qrels(found.path).to_dict().items():
        for document, p in documents.items():
            loop = slow[f"{topic} {document}"]
            total = sum(loop.values())
            expected = [loop[g] / total for g in range(top + 1)]
            assert p == pytest.approx(expected[1] if top == 1 else expected, abs=1e-9)


def test_a_majority_tosses_coins_by_its_seed(tmp_path: Path) -> None:
    rows = [("q", f"d{i}", judge, int(judge == "a")) for i in range(200) for judge in "ab"]
    source = written(rows, tmp_path / "labels.csv")

    def labels(seed: int) -> dict[str, int]:
        found = hj.merge_table(source, tmp_path / "out.csv", "mv", seed=seed, parts=2)
        return hj.read_qrels(found.path).to_dict()["q"]

    first = labels(1)
    assert 60 < sum(first.values()) < 140
    assert labels(1) == first != labels(2)


def test_what_is_read(tmp_path: Path) -> None:
    """Other names of columns, Parquet, compressed and several files, tables without topics."""
    import polars

    rows, method = crowd(1), "em-mv(rounds=5)"
    source = written(rows, tmp_path / "labels.csv")
    merged = hj.merge(hj.read_judgments(source, grades=range(2)), method, scope="all")
    head = "query,passage,model,label"
    named = "topic=query,document=passage,judge=model"
    other = written(rows, tmp_path / "other.csv", head)
    frame = polars.read_csv(source, infer_schema_length=None)
    frame.write_parquet(tmp_path / "labels.parquet")
    (tmp_path / "labels.csv.gz").write_bytes(gzip.compress(source.read_bytes()))
    halves = [written(rows[:90], tmp_path / "a.csv"), written(rows[90:], tmp_path / "b.csv")]
    for given, columns in (
        (other, named),
        (tmp_path / "labels.parquet", None),
        (tmp_path / "labels.csv.gz", None),
        ([str(half) for half in halves], None),
    ):
        found = hj.merge_table(
            given, tmp_path / "out.csv", method, scope="all", columns=columns, parts=2
        )
        assert_same(found.path, merged, 1e-6)
    one = written([row[1:] for row in rows], tmp_path / "one.csv", "document,judge,label")
    found = hj.merge_table(one, tmp_path / "out.csv", method, parts=2)
    assert found.fit is not None  # one topic, though not in one part
    assert_same(found.path, hj.merge(one, method, grades=range(2)), 1e-6)


def test_policies_hold(tmp_path: Path) -> None:
    rows = [*crowd(1), ("q0", "only", "judge 1", -1), ("q9", "a", "x", 7), ("q9", "a", "x", 0)]
    source = written(rows, tmp_path / "labels.csv")
    how: dict[str, Any] = {"grades": range(-1, 2), "outside": "missing", "duplicates": "last"}
    judgments = hj.read_judgments(source, **how)
    for method in ("binmv", "mv(ties=not)", "em-mv(rounds=3)"):
        found = hj.merge_table(source, tmp_path / "out.csv", method, scope="all", parts=12, **how)
        assert_same(found.path, hj.merge(judgments, method, scope="all"), 1e-6)
    rows = crowd(3)
    source = written(rows, tmp_path / "labels.csv")
    found = hj.merge_table(source, tmp_path / "out.csv", "binmv", rel=2, grades="0-3", parts=2)
    judgments = hj.read_judgments(source, grades="0-3")
    assert_same(found.path, hj.merge(judgments, "binmv", rel=2), 1e-12)
    assert (found.settings.rel, found.settings.merge) == (2, "binmv")


@pytest.mark.parametrize("which", ["first", "last", "max"])
def test_conflicting_labels(tmp_path: Path, which: Any) -> None:
    rows = crowd(3, documents=100)
    again = [(topic, document, judge, 3 - label) for topic, document, judge, label in rows]
    source = written([*rows, *again], tmp_path / "labels.csv")
    judgments = hj.read_judgments(source, grades=range(4), duplicates=which)
    found = hj.merge_table(source, tmp_path / "out.csv", "binmv", grades=range(4), parts=3,
                           duplicates=which)  # fmt: skip
    assert_same(found.path, hj.merge(judgments, "binmv"), 1e-12)
    with pytest.raises(InputError, match="is labelled"):
        hj.merge_table(source, tmp_path / "out.csv", "binmv", grades=range(4), parts=2)


def test_whole_or_not_at_all(tmp_path: Path) -> None:
    good = written(crowd(1), tmp_path / "good.csv")
    bad = written([*crowd(1), ("q1", "z", "judge 1", 5)], tmp_path / "bad.csv")
    place = tmp_path / "out"
    place.mkdir()
    with pytest.raises(InputError, match=r"bad\.csv: the label 5 is not among") as caught:
        hj.merge_table(bad, place / "merged.csv", "binmv", parts=3)
    assert caught.value.line is None
    assert not list(place.iterdir())
    hj.merge_table(good, place / "merged.csv", "binmv", parts=3)
    before = (place / "merged.csv").read_bytes()
    with pytest.raises(InputError, match="the label 5"):
        hj.merge_table(bad, place / "merged.csv", "binmv", parts=3)
    assert [one.name for one in place.iterdir()] == ["merged.csv"]
    assert (place / "merged.csv").read_bytes() == before


def test_a_file_that_is_replaced_keeps_its_mode_and_link(tmp_path: Path) -> None:
    source = written(crowd(1), tmp_path / "labels.csv")
    output, link = tmp_path / "merged.csv", tmp_path / "link.csv"
    output.write_text("old")
    output.chmod(0o600)
    link.symlink_to(output)
    hj.merge_table(source, link, "binmv", parts=2)
    assert output.stat().st_mode & 0o777 == 0o600
    assert link.is_symlink()
    assert hj.read_qrels(output).topics


def test_what_cannot_be_merged_in_parts(tmp_path: Path) -> None:
    source, output = written(crowd(1), tmp_path / "labels.csv"), tmp_path / "out.csv"
    (tmp_path / "empty.csv").write_text("topic,document,judge,label\n")
    (tmp_path / "log.xml").write_text("<log></log>")
    negative = written([("q", "d", "a", -1)], tmp_path / "negative.csv")

    class Aggregator:
        def fit_predict(self, data: Any) -> Any:
            raise AssertionError

    for error, words, arguments, options in (
        (MeasureError, "learns from users", (source, output, "prm"), {}),
        (MeasureError, "merges measures, not labels", (source, output, "aware"), {}),
        (MeasureError, "cannot learn from all", (source, output, Aggregator()), {"scope": "all"}),
        (InputError, "neither Parquet nor CSV", (source, tmp_path / "out.txt", "binmv"), {}),
        (InputError, "would be overwritten", (source, source, "binmv"), {}),
        (InputError, "has no rows", (tmp_path / "empty.csv", output, "binmv"), {}),
        (InputError, "looks like trec sessions", (tmp_path / "log.xml", output, "binmv"), {}),
        (InputError, "no column for the judge", (written([], tmp_path / "x.csv", "topic,document"),
                                                 output, "binmv"), {}),
        (InputError, "every label is negative", (negative, output, "binmv"), {"grades": "-1-1"}),
        (InputError, "parts must be an integer", (source, output, "binmv"), {"parts": 0}),
        (InputError, "invalid value 'abacus'", (source, output, "binmv"), {"engine": "abacus"}),
        (InputError, "cannot be written", (source, tmp_path / "no" / "out.csv", "binmv"), {}),
        (InputError, "the table cannot be merged", (
            written([*crowd(1), ("a", "b")], tmp_path / "ragged.csv"), output, "binmv"), {}),
    ):  # fmt: skip
        with pytest.raises(error, match=words) as caught:
            hj.merge_table(*arguments, **{"parts": 2, **options})  # type: ignore[arg-type]
        assert caught.value.remedy
        assert not output.exists()


def test_a_table_of_judges_and_progress(tmp_path: Path) -> None:
    source, seen = written(crowd(1), tmp_path / "labels.csv"), []
    found = hj.merge_table(
        source, tmp_path / "out.csv", "em-mv", scope="all", parts=3,
        progress=lambda done, total, what: seen.append((done, total, what)),
    )  # fmt: skip
    assert seen[:3] == [(n, 3, "merging parts") for n in (1, 2, 3)]
    assert seen[-1] == (3, 3, f"round {found.fit.rounds[0]} of EM")
    rows = found.table().to_dicts()
    assert [row["judge"] for row in rows] == [f"judge {k}" for k in range(8)]
    assert [row["P(1|1)"] for row in rows] == found.fit.unit_confusion[:, 1, 1].tolist()
    assert sum(row["labels"] for row in rows) == 240


def test_other_processes(tmp_path: Path) -> None:
    source = written(crowd(3), tmp_path / "labels.csv")
    merged = hj.merge(hj.read_judgments(source, grades=range(4)), "em-neu(rounds=5)", scope="all")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as workers:
        found = hj.merge_table(source, tmp_path / "out.parquet", "em-neu(rounds=5)", scope="all",
                               grades=range(4), parts=2, workers=workers)  # fmt: skip
    assert_same(found.path, merged, 1e-6)


@pytest.mark.cluster
def test_workers_of_dask(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    source = written(crowd(1), tmp_path / "labels.csv")
    judgments = hj.read_judgments(source, grades=range(2))
    with distributed.Client(
        n_workers=2, threads_per_worker=1, dashboard_address=None, set_as_default=False
    ) as client:
        for method, within in (("binmv", 1e-12), ("em-mv", 1e-6)):
            found = hj.merge_table(
                source, tmp_path / "out.csv", method, scope="all", parts=4, workers=client
            )
            assert_same(found.path, hj.merge(judgments, method, scope="all"), within)


@pytest.mark.cluster
def test_spark(tmp_path: Path, spark: Any) -> None:
    source = written(crowd(3), tmp_path / "labels.csv")
    judgments = hj.read_judgments(source, grades=range(4))
    for method, scope, within in (
        ("binmv", "topic", 1e-12), ("em-mv", "topic", 1e-6), ("em-mv", "all", 1e-6),
    ):  # fmt: skip
        found = hj.merge_table(source, tmp_path / "out.csv", method, scope=scope,
                               grades=range(4), parts=4, engine="spark")  # fmt: skip
        assert_same(found.path, hj.merge(judgments, method, scope=scope), within)
    with pytest.raises(InputError, match=r"labels\.csv: the label [23] is not among"):
        hj.merge_table(source, tmp_path / "bad.csv", "binmv", engine="spark", parts=2)
    assert not (tmp_path / "bad.csv").exists()
