"""Tables nobody would write on purpose: a result or an error of ours with a remedy, never anything
else, and what is read is finite."""

import csv
import io
import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import hungjury as hj
from hungjury.base.errors import HungjuryError

NAMES = ["qid", "docno", "label", "score", "rank", "run", "worker", "iteration", "p0", "p1", "x"]
NUMBERS = ["0", "1", "2", "-1", "0.5", "1e3", "1e999", "nan", "inf", "１", "1_0", "", " 1 ", "0x1"]
TEXTS = st.one_of(
    st.sampled_from(["a", "b", "1", "2", "NA", '"', "é", "#", "all", "\x1b[0m", "=1+1", "$x_1$"]),
    st.text(max_size=6),
)
CELLS = st.one_of(st.sampled_from(NUMBERS), TEXTS)
VALUES = st.one_of(CELLS, st.integers(), st.floats(), st.none(), st.booleans(), st.just([]))


@st.composite
def tables(draw, cells):
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6))
    rows = draw(st.lists(st.tuples(*(cells for _ in names)), max_size=5))
    return names, rows


def refused_or_finite(read, data):
    try:
        found = read(io.BytesIO(data)).to_dict()
    except HungjuryError as error:
        found, remedy = {}, error.remedy
        assert remedy
    values = [v for inner in found.values() for v in inner.values()]
    for one in values:
        assert np.isfinite(list(one.values()) if isinstance(one, dict) else one).all()


@settings(max_examples=150)
@given(tables(CELLS), st.sampled_from([",", "\t"]))
def test_separated_tables(table, mark):
    names, rows = table
    text = io.StringIO()
    csv.writer(text, delimiter=mark).writerows([names, *rows])
    data = text.getvalue().encode("utf-8", "surrogatepass")
    refused_or_finite(hj.read_qrels, data)
    refused_or_finite(hj.read_runs, data)


@settings(max_examples=150)
@given(tables(VALUES))
def test_json_lines(table):
    names, rows = table
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    refused_or_finite(hj.read_qrels, data)
    refused_or_finite(hj.read_runs, data)
