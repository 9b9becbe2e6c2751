"""Nested records by paths, lists as rows, and the exports of tools."""

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import hungjury as hj
from builders.reading import refused, write
from hungjury.data.labels import as_gold

EXPORTS = Path(__file__).parent / "exports"
RECORD = {
    "inputs": {"qid": "1"},
    "doc": "a",
    "outputs": {"score": {"value": 2}},
    "extra": {"metadata": {"model": "gpt", "prompt": "short"}},
}
PATHS = "topic=inputs.qid,label=outputs.score.value,judge=extra.metadata.model"


def labels(panel):
    return {judge: panel.qrels_of(judge).to_dict() for judge in panel.judges}


def sources(tmp_path, records):
    """The same records as JSON lines, an array, one per line of an array, objects and frames."""
    yield write(tmp_path, "a.jsonl", "".join(json.dumps(one) + "\n" for one in records))
    yield write(tmp_path, "a.json", json.dumps(records))
    yield write(tmp_path, "b.json", json.dumps(records, indent=2))
    yield records
    yield pd.DataFrame(records)
    yield pl.DataFrame(records)


def test_paths_in_every_form(tmp_path):
    llama = json.loads(json.dumps(RECORD).replace("gpt", "llama").replace("2", "0"))
    for source in sources(tmp_path, [RECORD, llama]):
        panel = hj.read_judgments(source, columns=PATHS)
        assert labels(panel) == {"gpt": {"1": {"a": 2}}, "llama": {"1": {"a": 0}}}


def test_an_unknown_path_lists_those_that_exist(tmp_path):
    for source in sources(tmp_path, [RECORD]):
        wrong = PATHS.replace("score.value", "score.grade")
        error = refused(lambda s=source, w=wrong: hj.read_judgments(s, columns=w), "unknown-column")
        assert "'outputs.score.grade'" in error.message
        assert "outputs.score.value, extra.metadata.model" in error.message


def test_a_judge_from_several_columns(tmp_path):
    columns = f"{PATHS}+extra.metadata.prompt"
    assert hj.read_judgments([RECORD], columns=columns).judges == ["gpt+short"]
    path = write(tmp_path, "a.csv", "qid,docno,model,prompt,label\n1,a,g,x,1\n1,a,g,y,0\n")
    found = hj.read_judgments(path, columns="judge=model+prompt")
    assert labels(found) == {"g+x": {"1": {"a": 1}}, "g+y": {"1": {"a": 0}}}


def test_dotted_headers_are_columns(tmp_path):
    path = write(tmp_path, "a.csv", "in.qid,in.doc,out.score,meta.model\n1,a,2,g\n1,b,0,g\n")
    columns = "topic=in.qid,document=in.doc,label=out.score,judge=meta.model"
    assert labels(hj.read_judgments(path, columns=columns)) == {"g": {"1": {"a": 2, "b": 0}}}
    keys = [{"in.qid": 1, "in": {"doc": "a"}, "out.score": 1, "meta": {"model": "g"}}]
    assert labels(hj.read_judgments(keys, columns=columns)) == {"g": {"1": {"a": 1}}}


def test_lists_become_rows():
    records = [
        {
            "question": "1",
            "docs": [{"id": "a", "by": {"g": 1, "l": 0}}, {"id": "b", "by": {"g": 0}}],
        },
        {"question": "2", "docs": []},
    ]
    found = hj.read_judgments(records, columns="document=docs.id,judge=docs.by.@,label=docs.by.*")
    assert labels(found) == {"g": {"1": {"a": 1, "b": 0}}, "l": {"1": {"a": 0}}}
    parallel = [{"qid": "1", "contexts": ["a", "b"], "ratings": [2, 0]}]
    columns = "document=contexts,label=ratings"
    assert hj.read_qrels(parallel, columns=columns).to_dict() == {"1": {"a": 2, "b": 0}}


@pytest.mark.parametrize("ratings", [[2], [], [1, 0, 2]])
def test_lists_of_different_lengths_are_refused(ratings):
    records = [{"qid": "1", "contexts": ["a", "b"], "ratings": ratings}]
    call = lambda: hj.read_qrels(records, columns="document=contexts,label=ratings")  # noqa: E731
    refused(call, "uneven-lists")


def test_objects_by_topic(tmp_path):
    nested = {"1": {"a": 2, "b": 0}, "2": {"a": 1}}
    for name, text in (("a", json.dumps(nested)), ("b", json.dumps(nested, indent=1))):
        path = write(tmp_path, f"{name}.json", text)
        assert hj.read_qrels(path).to_dict() == nested
        assert hj.read_runs(path).ranked(name, "1") == [("a", 2.0), ("b", 0.0)]
    deep = write(tmp_path, "deep.json", json.dumps({"ann": nested, "bob": {"1": {"a": 0}}}))
    columns = "judge=@,topic=*.@,document=*.*.@,label=*.*.*"
    found = hj.read_judgments(deep, columns=columns)
    assert labels(found) == {"ann": nested, "bob": {"1": {"a": 0}}}


EXPECTED = {
    "promptfoo": {
        "mistral:large": {"7": {"d1": 1, "d2": 0}},
        "openai:small": {"7": {"d1": 2, "d2": 0}},
    },
    "inspect": {"lenient": {"7": {"d1": 2, "d2": 1}}, "strict": {"7": {"d1": 2, "d2": 0}}},
    "labelstudio": {"3": {"7": {"d1": 2, "d2": 0}}, "4": {"7": {"d1": 1}}},
    "argilla": {"u1": {"7": {"d1": 2, "d2": 0}}, "u2": {"7": {"d1": 1}}},
    "prodigy": {"news-anna": {"7": {"d1": 2}}, "news-ben": {"7": {"d1": 1, "d2": 0}}},
    "umbrela": {"small": {"tides": {"The moon pulls the sea.": 3, "Bread recipes.": 0}}},
}
MORE = {"promptfoo": {"extract": "number"}, "umbrela": {"missing": "drop"}}


@pytest.mark.parametrize("tool", EXPECTED)
def test_exports_of_judges(tool):
    path = next(EXPORTS.glob(f"{tool}.*"))
    found = hj.read_judgments(path, layout=tool, **MORE.get(tool, {}))
    assert labels(found) == EXPECTED[tool]
    other = "inspect" if tool != "inspect" else "umbrela"
    refused(lambda: hj.read_judgments(path, layout=other), "other-layout")


def test_exports_of_opensearch(tmp_path):
    path = EXPORTS / "opensearch.json"
    expected = {"blue kettle": {"d1": 2, "d2": 0}, "lamp": {"d1": 1}}
    assert hj.read_qrels(path, layout="opensearch").to_dict() == expected
    one = json.loads(path.read_text(encoding="utf-8"))
    hits = [{"_id": name, "_source": {**one, "name": name}} for name in "AB"]
    answer = write(tmp_path, "answer.json", json.dumps({"took": 3, "hits": {"hits": hits}}))
    panel = hj.read_judgments(answer, layout="opensearch")
    assert labels(panel) == {"A": expected, "B": expected}


def test_umbrela_answers_that_were_not_understood_are_not_zeros():
    path = EXPORTS / "umbrela.jsonl"
    error = refused(lambda: hj.read_judgments(path, layout="umbrela"), "unreadable-label")
    assert "failed result_status" in error.message
    still = lambda: hj.read_judgments(path, layout="umbrela", extract="number")  # noqa: E731
    refused(still, "unreadable-label")


def test_columns_change_a_layout():
    path = EXPORTS / "inspect.json"
    columns = "judge=eval.model,label=samples.scores.strict.value"
    found = hj.read_judgments(path, layout="inspect", columns=columns)
    assert labels(found) == {"openai/small": {"7": {"d1": 2, "d2": 0}}}


def test_a_layout_needs_json(tmp_path):
    path = write(tmp_path, "a.qrels", "1 0 a 1\n")
    refused(lambda: hj.read_qrels(path, layout="inspect"), "not-json")
    with pytest.raises(hj.HungjuryError, match="layout"):
        hj.read_qrels(path, layout="other")


def test_gold_labels_have_a_layout_of_their_own(tmp_path):
    panel = {j: {"7": {"d1": 1 + i, "d2": 0}} for i, j in enumerate("xy")}
    runs = {s: {"7": {"d1": a, "d2": 1.0}} for s, a in (("s", 2.0), ("t", 0.5))}
    export = EXPORTS / "labelstudio.json"
    found = as_gold(export, layout="labelstudio")  # of two people, by a column
    assert labels(found) == EXPECTED["labelstudio"]
    other = write(tmp_path, "ann.qrels", "7 0 d1 2\n7 0 d2 0\n")
    assert as_gold([other]).to_dict() == {"7": {"d1": 2, "d2": 0}}
    copy = write(tmp_path, "bob.qrels", "7 0 d1 1\n")
    assert as_gold([other, copy]).judges == ["ann", "bob"]  # by files
    error = refused(lambda: hj.merge(panel, "mv", gold_layout="inspect"), "no-gold")
    assert error.argument == "gold_layout"
    how = {"gold": export, "gold_layout": "labelstudio", "target": "topics"}
    board = hj.leaderboard(panel, runs, "AP", draws=100, **how)
    assert board.scale == "gold"
    assert hj.gate(panel, runs, "t", "s", "AP", **how)[0].verdict == "better"


def test_excel(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["qid", "docno", "worker", "label"], [1, "a", "x", 2], [1, "b", "x", 0.0],
                [1, "a", "y", "yes"]):  # fmt: skip
        book.active.append(row)
    path = str(tmp_path / "a.xlsx")
    book.save(path)
    expected = {"x": {"1": {"a": 2, "b": 0}}, "y": {"1": {"a": 1}}}
    assert labels(hj.read_judgments(path, map="yes:1")) == expected
    assert refused(lambda: hj.read_judgments(path), "unreadable-label").line == 4
    book.create_sheet("more").append(["x"])
    book.save(path)
    refused(lambda: hj.read_judgments(path), "many-sheets")


def test_archives_that_are_not_excel(tmp_path):
    import zipfile

    path = str(tmp_path / "log.eval")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
    with pytest.raises(hj.HungjuryError) as caught:
        hj.read_judgments(path)
    assert caught.value.code in ("not-excel", "missing-extra")  # the second: without openpyxl
