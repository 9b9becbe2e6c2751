"""Data for rankers: LETOR text, arrays, labels of judges, folds; and what is wrong with them."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest

from hungjury.base.errors import InputError
from hungjury.data.labels import read_judgments, read_qrels
from hungjury.judges.merge import merge
from hungjury.ltr import join_data, make_folds, ranking_data, read_fold, read_letor

TEXT = """\
# a comment
2 qid:10 1:0.5 3:-1.5e2 #docid = GX01 inc = 1 prob = 0.3
0 qid:10 2:1 4:nan # GX02

1 qid:a-b 1:7\t4:2 #docid=GX03
"""


def test_letor_text():
    for source in (io.StringIO(TEXT), io.BytesIO(gzip.compress(TEXT.encode()))):
        data = read_letor(source)
        assert data.queries == ["10", "a-b"]
        assert data.offsets.tolist() == [0, 2, 3]
        assert data.documents == ["GX01", "GX02", "GX03"]
        assert data.labels.values.tolist() == [2, 0, 1]
        np.testing.assert_array_equal(
            data.features, [[0.5, 0, -150, 0], [0, 1, 0, np.nan], [7, 0, 0, 2]]
        )
    assert data.qrels() == {"10": {"GX01": 2, "GX02": 0}, "a-b": {"GX03": 1}}
    assert read_letor(io.StringIO(TEXT), columns=6).features.shape == (3, 6)


def test_rows_that_get_wider_and_documents_without_ids():
    rng = np.random.default_rng(0)
    table = rng.random((60, 40)).round(3) * (
        rng.random((60, 40)) < np.linspace(0.1, 0.9, 60)[:, None]
    )
    lines = []
    for i, row in enumerate(table):
        cells = " ".join(f"{j + 1}:{v}" for j, v in enumerate(row.tolist()) if v)
        lines.append(f"{i % 3} qid:{i // 4} {cells}")
    data = read_letor(io.StringIO("\n".join(lines)))
    width = int(np.flatnonzero(table.any(axis=0)).max()) + 1
    np.testing.assert_array_equal(data.features, table[:, :width])
    assert data.documents[:5] == ["0-1", "0-2", "0-3", "0-4", "1-1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x qid:1 1:2\n", "1: the label 'x' is not a number"),
        ("1 1:2 2:3\n", "expected qid:QUERY after the label, found '1:2'"),
        ("1 qid: 1:2\n", "expected qid:QUERY"),
        ("1\n", "expected qid:QUERY after the label, found ''"),
        ("1 qid:1 1:2\n0 qid:1 0:5\n", "2: found feature 0"),
        ("1 qid:1 200000:5\n", "found feature 200000"),
        ("1 qid:1 7\n", "expected FEATURE:VALUE, found '7'"),
        ("1 qid:1 -3:7\n", "features count from 1"),
        ("1 qid:1 7:\n", "expected FEATURE:VALUE, found '7:'"),
        ("1 qid:1 :7\n", "expected FEATURE:VALUE, found ':7'"),
        ("1 qid:1 1.5:7\n", "expected FEATURE:VALUE"),
        ("1 qid:1 1:x\n", "the value of feature '1:x' is not a number"),
        ("1 qid:1 1:inf\n", "is not a number"),
        ("# nothing\n", "no row of features"),
        ("1 qid:1\n", "no row of features"),
        ("1 qid:1 1:2\n0 qid:2 1:2\n0 qid:1 1:3\n", "the rows of query '1' are not adjacent"),
        ("1 qid:1 1:2\n-1 qid:1 1:3\n", "2: the label -1.0 is below 0"),
        ("1 qid:1 1:2\n\n0.5 qid:1 1:3\n", "3: the label 0.5 is not an integer grade"),
        ("31 qid:1 1:2\n", "the label 31.0 is larger than the largest grade 30"),
    ],
)
def test_bad_lines(text, said):
    with pytest.raises(InputError, match="remedy") as error:
        read_letor(io.StringIO(text))
    assert said in str(error.value)


def test_labels_that_are_probabilities():
    data = read_letor(io.StringIO("0.25 qid:1 1:2\n1 qid:1 1:3\n"), labels="probabilities")
    assert data.labels.values.tolist() == [[0.75, 0.25], [0, 1]]
    assert data.labels.gains().tolist() == [0.25, 1]
    with pytest.raises(InputError, match=r"2: the label 2.0 is not a probability"):
        read_letor(io.StringIO("0.25 qid:1 1:2\n2 qid:1 1:3\n"), labels="probabilities")
    with pytest.raises(InputError, match="invalid value 'soft' for labels"):
        read_letor(io.StringIO("1 qid:1 1:2\n"), labels="soft")


X = np.arange(12.0).reshape(6, 2)
Y = [0, 1, 2, 0, 1, 0]


def test_arrays_with_groups_or_with_queries():
    for groups in ([2, 3, 1], np.array([2, 3, 1]), ["a", "a", "b", "b", "b", "c"]):
        data = ranking_data(X, Y, groups)
        assert data.offsets.tolist() == [0, 2, 5, 6]
    assert data.queries == ["a", "b", "c"]
    chosen = data.select([2, 0])
    assert chosen.queries == ["c", "a"]
    np.testing.assert_array_equal(chosen.features, X[[5, 0, 1]])
    assert chosen.labels.values.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("features", "labels", "groups", "said"),
    [
        (X, Y, [2, 3], "the groups add up to 5 rows, but there are 6"),
        (X, Y, [2, 0, 4], "query 2 of 3 has 0 documents"),
        (X, Y, [8, -2], "query 2 of 2 has -2 documents"),
        (X, Y, [2.5, 3.5], "there are 2 groups for 6 rows"),
        (X, Y, [], "the groups have the shape"),
        (X, Y, None, "the rows of each query are not known"),
        (X, Y, [1, 1, 2, 2, 1, 1], "the rows of query '1' are not adjacent"),
        (X, Y[:5], [6], "the labels have the shape (5,), but there are 6 rows"),
        (X, [0, 1, -1, 0, 0, 0], [6], "the label -1 of row 2 is below 0"),
        (X, [0, 1, 0.5, 0, 0, 0], [6], "the label 0.5 of row 2 is not an integer grade"),
        (X, [0, 1, 99, 0, 0, 0], [6], "the label 99 of row 2 is larger than the largest grade"),
        (X, [0, 1, np.nan, 0, 0, 0], [6], "the label nan of row 2 is not a number"),
        (X, ["a"] * 6, [6], "the labels are not numbers"),
        (X, np.full((6, 3), 0.4), [6], "does not sum to 1"),
        (X, np.ones((6, 1)), [6], "there are probabilities of 1 grades"),
        (X[:, 0], Y, [6], "the features have the shape (6,)"),
        (X[:0], [], [0], "the features have the shape (0, 2)"),
        (np.full((6, 2), "x"), Y, [6], "the features are not numbers"),
    ],
)
def test_bad_arrays(features, labels, groups, said):
    with pytest.raises(InputError, match="remedy") as error:
        ranking_data(features, labels, groups)
    assert said in str(error.value)


@pytest.mark.parametrize("kind", ["csr_matrix", "coo_matrix", "csc_array"])
def test_sparse_features_are_those_of_the_array(kind):
    made = getattr(pytest.importorskip("scipy.sparse"), kind)
    dense, sparse = (ranking_data(table, Y, [2, 4]) for table in (X, made(X)))
    for change in (
        lambda data: data.select([1]),
        lambda data: data.padded_to(5),
        lambda data: join_data([data.select([0]), data.select([1])]),
    ):
        assert change(sparse).features.toarray().tolist() == change(dense).features.tolist()
    with pytest.raises(InputError, match="not numbers"):
        ranking_data(made(X * 1j), Y, [2, 4])


def test_labels_of_merged_judges():
    votes = ["one,10,GX01,2", "one,10,GX02,0", "two,10,GX01,1", "two,10,GX02,0"]
    table = io.StringIO("\n".join(["judge,topic,document,label", *votes]))
    judgments = read_judgments(table, grades=range(3))
    data = read_letor(io.StringIO(TEXT))
    soft = data.judged_by(merge(judgments, "binmv", rel=2))
    assert soft.queries == ["10"]
    assert soft.labels.values.tolist() == [[0.5, 0.5], [1, 0]]
    assert any("left out: a-b" in str(note) for note in soft.notes)
    graded = data.judged_by(merge(judgments, "em-neu"))
    assert graded.labels.values.shape == (2, 3)
    hard = data.judged_by(read_qrels({"10": {"GX01": 1}, "a-b": {"GX03": -1}}))
    assert hard.labels.values.tolist() == [1, 0, 0]
    assert [note.kind for note in hard.notes] == ["unlabelled-documents"]
    with pytest.raises(InputError, match="no document of the features has a label"):
        data.judged_by({"10": {"else": 1}})
    with pytest.raises(InputError, match="no document of the features has a label"):
        data.judged_by({"other": {"GX01": 1}})


def test_folds_keep_the_order_of_queries():
    data = ranking_data(np.arange(26.0).reshape(13, 2), [1] * 13, [str(q) for q in range(13)])
    folds = make_folds(data, 5)
    tested = [fold[2].queries for fold in folds]
    assert tested[0] == ["11", "12"]
    assert tested[1] == ["0", "1", "2"]
    assert folds[0][1].queries == ["9", "10"]
    assert folds[0][0].queries == [str(q) for q in range(9)]
    assert sorted(q for queries in tested for q in queries) == sorted(data.queries)
    for train, valid, test in folds:
        assert not set(train.queries) & set(valid.queries + test.queries)
        assert len(train.queries) + len(valid.queries) + len(test.queries) == 13
        assert train.features[:, 0].tolist() == [2.0 * int(q) for q in train.queries]
    with pytest.raises(InputError, match="2 folds of 13 queries"):
        make_folds(data, 2)


def test_a_folder_is_a_fold(tmp_path):
    (tmp_path / "train.txt").write_text("1 qid:1 1:2\n0 qid:1 1:3 2:5\n")
    (tmp_path / "vali.txt.gz").write_bytes(gzip.compress(b"1 qid:2 1:2\n"))
    with pytest.raises(InputError, match=r"test.txt is missing"):
        read_fold(tmp_path)
    for what, values in (("feature", [[1.0, 2, 3]]), ("label", [1]), ("group", [7])):
        np.save(tmp_path / f"test_{what}.npy", values)
    parts = read_fold(tmp_path)
    assert [part.features.shape for part in parts] == [(2, 3), (1, 3), (1, 3)]
    assert join_data(parts).queries == ["1", "2", "7"]
    with pytest.raises(InputError, match="are not adjacent"):
        join_data([parts[0], parts[0]])
    with pytest.raises(InputError, match="no such folder"):
        read_fold(tmp_path / "nowhere")
    (tmp_path / "test_label.npy").write_text("no array")
    with pytest.raises(InputError, match="not an array saved by numpy"):
        read_fold(tmp_path)
