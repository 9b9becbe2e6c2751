"""A large file read in parts beside each other gives what one reader gives, errors included."""

import gzip
import random

import numpy as np
import pytest

import hungjury as hj
from hungjury import native
from hungjury.base.errors import HungjuryError
from hungjury.data.alignment import align
from hungjury.data.reading import sources
from hungjury.data.runs import as_runs

QRELS = {str(t): {"a": 1, "b": 0, "c": 2} for t in range(0, 40, 2)}
MEASURES = ["AP", "nDCG@3", "Judged@2", "NumRet"]


def lines_of(rng, topics=40):
    """A run: lists of any length, some topics unjudged, scores with ties."""
    rows = []
    for topic in range(topics):
        documents = rng.sample("abcdefghij", rng.randint(1, 8))
        rows += [f"{topic} Q0 {d} {i} {rng.choice('123.')}.5 sys" for i, d in enumerate(documents)]
    return [row.replace("..", ".") for row in rows]


def outcome(path, threads, monkeypatch):
    """Scores and notes, or the whole error."""
    monkeypatch.setenv("HUNGJURY_THREADS", str(threads))
    try:
        scores = hj.evaluate(QRELS, path, MEASURES)
    except HungjuryError as error:
        return str(error)
    return scores.systems, scores.topics, scores.values.tolist(), scores.notes


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(sources, "LARGE", 100)


def test_parts_hold_all_bytes_and_topics_stay_whole(tmp_path, small_parts):
    path = tmp_path / "run"
    path.write_text("\n".join(lines_of(random.Random(1))))
    whole = sources.Source(str(path), path)
    for number in (2, 3, 5):
        parts = whole.parts(number)
        assert len(parts) == number
        contents = [part.content() for part in parts]
        assert b"".join(contents) == path.read_bytes()
        topics = [{line.split()[0] for line in c.splitlines()} for c in contents]
        assert sum(map(len, topics)) == len(set().union(*topics))


def test_a_file_without_a_place_to_cut_stays_whole(tmp_path, small_parts):
    path = tmp_path / "run"
    path.write_text("".join(f"1 Q0 d{i} 1 1 sys\n" for i in range(100)))
    assert sources.Source(str(path), path).parts(2) == [sources.Source(str(path), path)]
    packed = tmp_path / "run.gz"
    packed.write_bytes(gzip.compress("\n".join(lines_of(random.Random(1))).encode(), 0))
    assert len(sources.Source(str(packed), packed).parts(2)) == 1


def spoilt(rng, rows):
    """Something odd or wrong somewhere."""
    at = rng.randrange(len(rows))
    kind = rng.randrange(8)
    if kind == 0:
        rows[at] = rows[at].rsplit(" ", 1)[0]  # too few columns
    elif kind == 1:
        rows[at] = rows[at].replace(".5 ", ".x ")
    elif kind == 2:
        rows.insert(at, rows[at])  # a document twice
    elif kind == 3:
        rng.shuffle(rows)  # lines of a topic not together
    elif kind == 4:
        rows[at] = rows[at].replace("sys", "other")
    elif kind == 5:
        rows[at] = "# " + rows[at]
    elif kind == 6:
        rows.insert(at, "")
    else:
        rows.append(rows[0])  # the first topic comes back
    return rows


def test_any_number_of_cores_gives_the_same_scores_notes_and_errors(
    tmp_path, small_parts, monkeypatch
):
    rng = random.Random(7)
    path = tmp_path / "run"
    failed = 0
    for _ in range(60):
        rows = lines_of(rng)
        for _ in range(rng.randrange(3)):
            rows = spoilt(rng, rows)
        path.write_text("\n".join(rows) + rng.choice(["", "\n", "\r\n"]))
        alone = outcome(str(path), 1, monkeypatch)
        failed += isinstance(alone, str)
        for threads in (2, 3):
            assert outcome(str(path), threads, monkeypatch) == alone
    assert 10 < failed < 50


def test_parts_are_indeed_read(tmp_path, small_parts, monkeypatch):
    seen = []
    whole = sources.Source.pieces
    monkeypatch.setattr(
        sources.Source,
        "pieces",
        lambda self, *a, **k: seen.append(self.begin) or whole(self, *a, **k),
    )
    path = tmp_path / "run"
    path.write_text("\n".join(lines_of(random.Random(1))))
    outcome(str(path), 2, monkeypatch)
    assert any(seen)


def test_ids_outside_the_pool_survive_the_joining_of_parts(tmp_path, small_parts, monkeypatch):
    path = tmp_path / "run"
    path.write_text("\n".join(lines_of(random.Random(1))))
    found = []
    for threads in (1, 3):
        monkeypatch.setenv("HUNGJURY_THREADS", str(threads))
        others = align(as_runs(str(path)), hj.read_qrels(QRELS).pool, others=10, named=True).others
        rows = range(len(others.rank))
        found.append([(others.topic[k], others.rank[k], others.id(k)) for k in rows])
    assert found[0] == found[1]
    assert len(found[0]) > 20


def test_numbers_are_those_python_reads():
    """Every length and every place of the dot, with and without a sign, to the last bit."""
    rng = random.Random(3)
    texts = []
    for size in range(1, 21):
        for dot in range(-1, size + 1):
            digits = "".join(rng.choice("0123456789") for _ in range(size))
            number = digits if dot < 0 else f"{digits[:dot]}.{digits[dot:]}"
            texts += [number, f"-{number}", f"+{number}", f"0{number}", f"{number}e-3"]
    for end in ("", "\n"):  # at the very end of a file and before its end
        table = native.LabelTable()
        table.feed("\n".join(f"1 0 d{i} {t}" for i, t in enumerate(texts)).encode() + end.encode())
        table.finish()
        read = table.take_columns()["label"]
        assert np.array_equal(read, [float(t) for t in texts])
