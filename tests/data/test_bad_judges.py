"""Bad input of several judges: tables with a column each, folders, maps, scales, patterns."""

import pytest

import hungjury as hj
from builders.bad_input import QRELS, RUN, complaint, nothing_else, refused, write
from hungjury.base.errors import MeasureError, UnknownName

assert nothing_else

LONG = "query,passage,model,stars\n1,a,gpt,2\n1,a,llama,1\n1,b,gpt,0\n1,b,llama,0\n"
ROLES = "topic=query,document=passage,judge=model,label=stars"
TABLES = {  # content, options, line, what is said
    "columns nobody knows": (LONG, {}, 1, ("unknown columns: query, passage", "topic=NAME")),
    "a column that is not there": (
        LONG, {"columns": "label=rating,document=passage,judge=model"}, None,
        ("no column 'rating'", "query, passage, model, stars")),
    "two columns for the document": (
        "topic,docid,doc_id,judge,label\n1,a,b,x,1\n", {}, None, "2 columns may be the document"),
    "two columns for the judge": (
        "topic,doc,judge,worker,label\n1,a,b,x,1\n", {}, None, "2 columns may be the judge"),
    "an id that is missing": (
        LONG + "1,,gpt,1\n", {"columns": ROLES}, 6, "the passage is missing"),
    "a judge that is missing": (LONG + "1,c,,1\n", {"columns": ROLES}, 6, "the model is missing"),
    "a refusal": (
        LONG + '1,c,gpt,"Sorry, I cannot"\n', {"columns": ROLES}, 6,
        ("'Sorry, I cannot' is not a number", 'missing="drop"')),
    "an empty label": (LONG + "1,c,gpt,\n", {"columns": ROLES}, 6, "the label is missing"),
    "a word beside the map": (
        LONG + "1,c,gpt,maybe\n", {"columns": ROLES, "map": "yes:1,no:0"}, 6, "'maybe'"),
    "a map to a word": (LONG, {"columns": ROLES, "map": "2:high"}, None, "'high'"),
    "a label twice in the map": (LONG, {"columns": ROLES, "map": "2:1,2.0:0"}, None, "twice"),
    "the label 0 twice in the map": (LONG, {"columns": ROLES, "map": "0:1,0:0"}, None, "twice"),
    "a code": (LONG + "1,c,gpt,999\n", {"columns": ROLES}, 6, ("999 (1)", "999:missing")),
    "a negative label": (LONG + "1,c,gpt,-1\n", {"columns": ROLES}, 6, ("-1 (1)", "gpt 1")),
    "steps": (
        "topic,doc,judge,label\n1,a,x,0\n1,b,x,33\n1,c,x,66\n", {}, 4, 'map="0:0,33:1,66:2"'),
    "outside": (LONG, {"columns": ROLES, "grades": range(2)}, 2, 'outside="clip" or "missing"'),
    "clip without a scale": (LONG, {"columns": ROLES, "outside": "clip"}, None, "no grades"),
    "a pattern for nobody": (LONG, {"columns": ROLES, "only": "claude*"}, None,
                             ("no judge matches 'claude*'", "gpt, llama")),
    "patterns that leave nobody": (LONG, {"columns": ROLES, "without": "*"}, None, "no judge"),
    "wide, without documents": ("topic,gpt,llama\n1,1,0\n", {"wide": True}, None, "document"),
    "wide, columns nobody knows": ("q,d,gpt\n1,a,1\n", {"wide": True}, 1, "unknown columns"),
    "wide, a refusal": (
        "topic,document,gpt,llama\n1,a,1,0\n1,b,,no idea\n", {"wide": True}, 3, "'no idea'"),
    "wide, a row too short": ("topic,document,gpt\n1,a,1\n1,b\n", {"wide": True}, 3, "found 2"),
    "wide, with a judge column": (
        "topic,document,gpt\n1,a,1\n", {"wide": True, "judge_column": "iteration"}, None, "wide"),
    "wide, in columns without names": ("1 0 a 1\n", {"wide": True}, None, "header"),
    "a scaling for nobody": (
        LONG, {"columns": ROLES, "scaling": "human=linear"}, None, "no scaling for 2 judges"),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_bad_tables_of_judges(tmp_path, case):
    content, options, line, says = TABLES[case]
    path = write(tmp_path, "panel.csv", content)
    found = complaint(lambda: hj.read_judgments(path, **options))
    for words in [says] if isinstance(says, str) else says:
        assert words in found
    if line is not None:
        assert found.startswith(f"{path}:{line}: ")
    # Whoever takes a path takes the options, and refuses the same.
    for call in (hj.agreement, lambda p, **o: hj.leaderboard(p, RUN, "AP", **o)):
        assert complaint(lambda call=call: call(path, **options)) == found


def test_folders_of_judges(tmp_path):
    for judge in ("gpt", "llama"):
        (tmp_path / judge).mkdir()
        write(tmp_path / judge, "1.qrels", "1 0 a 1\n1 0 b 0\n")
    folder = str(tmp_path / "gpt")
    refused(lambda: hj.read_judgments([folder]), "only one", file=folder + "/1.qrels")
    bad = write(tmp_path / "llama", "2.qrels", "2 0 a 1\n2 0\n")
    panel = str(tmp_path / "*")
    refused(lambda: hj.read_judgments(panel), "expected 4 columns", file=bad, line=2)
    write(tmp_path / "llama", "2.qrels", "1 0 a 0\n")
    refused(lambda: hj.read_judgments(panel), "both by judge 'llama'", file=bad, line=1)
    (tmp_path / "none").mkdir()
    refused(lambda: hj.read_judgments(panel), "empty", file=str(tmp_path / "none"))


@pytest.mark.parametrize(
    ("panel", "says"),
    [
        ({"a": {"1": {"x": 1}}, "b": 3}, "int"),
        ({"a": {"1": {"x": 1}}, "b": "no/such/file"}, "no such file"),
        ({"a": {"1": {"x": 1}}, "b": {"1": 3}}, "int"),
        ({"a": {"1": {"x": "yes"}}, "b": {"1": {"x": 1}}}, "'yes' is not a number"),
    ],
)
def test_dictionaries_of_judges(panel, says):
    assert says in complaint(lambda: hj.read_judgments(panel))


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("NDGC@10", UnknownName, "nDCG"),
        ("RBP(P=0.5)", MeasureError, "no parameter P"),
        ("Rbp@x", UnknownName, ""),
        ("rbp", UnknownName, "trec_eval's 'rbp'"),
        ("MAP", UnknownName, "did you mean AP?"),
    ],
)
def test_names_of_measures(name, error, says):
    assert says in complaint(lambda: hj.evaluate(QRELS, RUN, name), error)


def test_measures_of_ir_measures_that_mean_something_else():
    ir_measures = pytest.importorskip("ir_measures")
    for measure in (ir_measures.alpha_nDCG @ 10, ir_measures.Compat(p=0.9)):
        assert complaint(lambda m=measure: hj.evaluate(QRELS, RUN, m), UnknownName)
