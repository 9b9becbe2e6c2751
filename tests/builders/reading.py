"""Labels and runs for tests of reading, and the forms that users have them in."""

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from hungjury.base.errors import InputError

# Ids that other readers stumble over: NA, quotes, #, other scripts, leading zeros, plain numbers.
QRELS = {
    "2": {"NA": 1, 'a"b': 0, "doc#1": 2, "é文": 1},
    "10": {"0007": 0, "7": 1, "NULL": 3, "'x'": 0},
    "q-1": {"nan": 2, "-": 0},
}
RUNS = {
    "alpha": {
        "10": {"7": 9.5, "NULL": 9.25, "unjudged": 3.0, "0007": -1.0},
        "2": {"é文": 3.5, "doc#1": 2.5, "NA": 1.5, 'a"b': 1e-3},
        "q-1": {"-": 0.25, "nan": 0.125},
    },
    "beta": {
        "2": {'a"b': 12.0, "other": 11.0, "NA": 10.0},
        "10": {"'x'": 3.0, "NULL": 2.0, "7": 1.0},
        "q-1": {"nan": 5.0},
    },
}
MEASURES = ["AP", "nDCG@10", "P@2", "Judged@5", "Bpref", "NumRet", "ERR"]
FRAMES = {
    "pandas": pandas.DataFrame,
    "pandas objects": lambda c: pandas.DataFrame(c).astype(object),
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.table,
}


def qrels_rows(qrels=QRELS):
    return [(t, "0", d, str(label)) for t, docs in qrels.items() for d, label in docs.items()]


def run_rows(lists, tag):
    return [
        (t, "Q0", d, str(rank), repr(score), tag)
        for t, docs in lists.items()
        for rank, (d, score) in enumerate(docs.items(), 1)
    ]


def joined(rows, blank=" ", end="\n"):
    return "".join(blank.join(row) + end for row in rows).encode()


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def refused(call, code):
    """Return the error of a call, which has this code."""
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code, caught.value
    return caught.value


def gzipped(path, name):
    target = Path(path).with_name(name)
    target.write_bytes(gzip.compress(Path(path).read_bytes()))
    return str(target)


def codes(result):
    return {note.kind: note.count for note in result.notes}


def assert_same(one, other):
    """The same scores, and the same said about them."""
    assert (one.measures, one.systems, one.topics) == (other.measures, other.systems, other.topics)
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.status, other.status)
    assert one.settings == other.settings
    assert sorted(map(str, one.notes)) == sorted(map(str, other.notes))


LABEL_COLUMNS = {
    "ir_measures": ("query_id", "doc_id", "relevance"),
    "PyTerrier": ("qid", "docno", "label"),
    "ranx": ("q_id", "doc_id", "score"),
    "BEIR": ("query-id", "corpus-id", "score"),
    "ours": ("topic", "document", "label"),
    "capitals": ("Topic", "DocNo", "Rel"),
}
SCORE_COLUMNS = {
    "ir_measures": ("query_id", "doc_id", "score"),
    "PyTerrier": ("qid", "docno", "score"),
    "ranx": ("q_id", "doc_id", "score"),
    "BEIR": ("query-id", "corpus-id", "score"),
    "ours": ("topic", "document", "score"),
}


def label_columns(names):
    topic, document, label = zip(*((t, d, int(v)) for t, _, d, v in qrels_rows()), strict=True)
    return dict(zip(names, map(list, (topic, document, label)), strict=True))


def score_columns(names, lists):
    rows = [(t, d, s) for t, docs in lists.items() for d, s in docs.items()]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def separated(columns, mark, quote):
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(mark.join(quote(str(v)) for v in row) + "\n" for row in rows)


def csv_quoted(text):
    return '"' + text.replace('"', '""') + '"'


def csv_where_needed(text):
    return csv_quoted(text) if any(c in text for c in '",\n') else text


def json_lines(columns, **how):
    rows = zip(*columns.values(), strict=True)
    return "".join(json.dumps(dict(zip(columns, row, strict=True)), **how) + "\n" for row in rows)


def parquet(columns):
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()


TABLES = {
    "CSV": lambda c: separated(c, ",", csv_where_needed).encode(),
    "CSV, all quoted": lambda c: separated(c, ",", csv_quoted).encode(),
    "CSV, CRLF": lambda c: separated(c, ",", csv_where_needed).replace("\n", "\r\n").encode(),
    "CSV, blank lines": lambda c: (
        separated(c, ",", csv_where_needed).replace("\n", "\n\n").encode()
    ),
    "CSV, mark": lambda c: b"\xef\xbb\xbf" + separated(c, ",", csv_where_needed).encode(),
    "CSV, no final newline": lambda c: separated(c, ",", csv_where_needed).encode()[:-1],
    "CSV, blanks": lambda c: separated(c, " , ", str).encode(),
    "TSV": lambda c: separated(c, "\t", str).encode(),
    "TSV, CRLF": lambda c: separated(c, "\t", str).replace("\n", "\r\n").encode(),
    "JSON lines": lambda c: json_lines(c).encode(),
    "JSON lines, UTF-8": lambda c: json_lines(c, ensure_ascii=False).encode(),
    "JSON lines, blank lines": lambda c: json_lines(c).replace("\n", "\r\n\n").encode(),
    "Parquet": parquet,
}
