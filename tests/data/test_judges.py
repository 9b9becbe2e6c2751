"""Labels of several judges, wherever their names are, and the scales that judges use."""

import gzip

import pandas
import pytest

import hungjury as hj
from builders.commands import hungjury
from builders.reading import FRAMES, TABLES, codes, joined, qrels_rows, write
from hungjury.base.errors import InputError
from hungjury.data.labels import as_labels

PANEL = {"ann": {"1": {"a": 1, "b": 0}, "2": {"a": 2}}, "bob": {"1": {"a": 0}, "2": {"c": 1}}}


def panel_rows():
    return [
        (who, t, d, v) for who, labels in PANEL.items() for t, ds in labels.items()
        for d, v in ds.items()
    ]  # fmt: skip


def assert_panel(judgments, names=("ann", "bob")):
    assert judgments.judges == list(names)
    assert judgments.topics == ["1", "2"]
    assert len(judgments) == 5
    for mine, name in zip(PANEL, names, strict=True):
        assert judgments.qrels_of(name).to_dict() == PANEL[mine]
    assert (judgments.matrix() == -32768).sum() == 3  # not judged: four documents, five labels


@pytest.mark.parametrize("make", [list, pandas.DataFrame])
def test_a_table_in_memory_is_that_of_judges_if_it_names_them(make):
    names = ("judge", "topic", "document", "label")
    table = [dict(zip(names, row, strict=True)) for row in panel_rows()]
    assert_panel(as_labels(make(table)))
    alone = [{name: row[name] for name in names[1:]} for row in table if row["judge"] == "ann"]
    assert as_labels(make(alone)).to_dict() == PANEL["ann"]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a.qrels.gz", "a"),
        ("a.txt", "a"),
        ("a.QRELS.TXT", "a"),
        ("gpt-4.1.qrels", "gpt-4.1"),
        ("llama3.2.prompt-1.txt.gz", "llama3.2.prompt-1"),
        ("judge", "judge"),
        ("judge.v2", "judge.v2"),
        ("a b.csv", "a b"),
    ],
)
def test_a_file_names_its_judge(tmp_path, file, name):
    other = write(tmp_path, "zz.qrels", "1 0 d 1\n")
    path = write(tmp_path, file, gzip.compress(b"1 0 d 0\n"))
    assert hj.read_judgments([path, other]).judges == [name, "zz"]


def test_one_file_per_judge(tmp_path):
    for name, labels in PANEL.items():
        write(tmp_path, f"{name}.qrels.gz", gzip.compress(joined(qrels_rows(labels))))
    assert_panel(hj.read_judgments(str(tmp_path / "*.qrels.gz")))
    assert_panel(hj.read_judgments(tmp_path / f"{name}.qrels.gz" for name in PANEL))
    assert_panel(hj.read_judgments([tmp_path / f"{n}.qrels.gz" for n in ("bob", "ann")][::-1]))


@pytest.mark.parametrize("column", ["judge", "assessor", "worker", "annotator"])
@pytest.mark.parametrize("kind", [*TABLES, *FRAMES])
def test_a_judge_column(tmp_path, kind, column):
    who, topic, document, label = map(list, zip(*panel_rows(), strict=True))
    columns = {column: who, "query_id": topic, "doc_id": document, "relevance": label}
    if kind in FRAMES:
        source = FRAMES[kind](columns)
    else:
        source = write(tmp_path, "labels", TABLES[kind](columns))
    assert_panel(hj.read_judgments(source))


def test_the_columns_of_crowd_kit():
    crowd = pandas.DataFrame(
        {"task": ["x", "x", "y"], "worker": ["u", "v", "u"], "label": [1, 0, 1]}
    )
    judgments = hj.read_judgments(crowd)
    assert judgments.topics == ["topic"]
    assert judgments.judges == ["u", "v"]
    assert judgments.qrels_of("u").to_dict() == {"topic": {"x": 1, "y": 1}}


def test_the_second_column_of_qrels_names_the_judge_only_when_asked(tmp_path):
    rows = [(t, who, d, str(v)) for who, t, d, v in panel_rows()]
    path = write(tmp_path, "jg", joined(rows))
    assert_panel(hj.read_judgments(path, judge_column="iteration"))
    with pytest.raises(hj.HungjuryError, match="iteration"):
        hj.read_judgments(path)
    halves = [write(tmp_path, f"half{i}", joined(rows[i::2])) for i in (0, 1)]
    assert hj.read_judgments(halves).judges == ["half0", "half1"]
    assert set(hj.read_judgments(halves, judge_column="iteration").judges) == {"ann", "bob"}


@pytest.mark.parametrize("frame", FRAMES)
def test_the_iteration_column_of_a_frame(frame):
    columns = {"qid": ["1", "1"], "docno": ["a", "a"], "label": [0, 1], "iteration": ["i", "j"]}
    made = FRAMES[frame](columns)
    assert hj.read_judgments(made, judge_column="iteration").judges == ["i", "j"]
    both = FRAMES[frame]({**columns, "judge": ["x", "y"]})
    assert hj.read_judgments(both).judges == ["x", "y"]
    assert hj.read_judgments(both, judge_column="iteration").judges == ["i", "j"]


def test_the_second_column_of_qrels_beside_a_table_is_no_judge(tmp_path):
    table = write(tmp_path, "a.csv", "qid,docno,label,worker\n1,a,1,ann\n")
    plain = write(tmp_path, "b.qrels", "1 0 a 0\n")
    try:
        found = hj.read_judgments([table, plain]).judges
    except hj.HungjuryError:
        found = "refused"
    assert found in (["ann", "b"], "refused")


def test_a_dictionary_of_judges():
    assert_panel(hj.read_judgments(PANEL))


def test_two_judges_do_not_conflict_but_one_may_repeat_himself():
    panel = pandas.DataFrame(
        {"topic": ["1"] * 3, "document": ["a"] * 3, "judge": ["x", "y", "x"], "label": [0, 1, 0]}
    )
    judgments = hj.read_judgments(panel)
    assert len(judgments) == 2
    assert codes(judgments) == {"duplicate": 1}


# Scales of judges: labels that do not belong, and judges who do not share a scale.


def labels(grades, start=0):
    """One topic with a document for each grade."""
    return {"1": {f"d{start + i}": grade for i, grade in enumerate(grades)}}


def refused(panel, code, **options):
    with pytest.raises(InputError) as caught:
        hj.read_judgments(panel, **options)
    assert caught.value.code == code, caught.value
    return caught.value


GRADED = [0, 1, 2, 3] * 300


def test_a_few_labels_above_the_scale_are_refused():
    odd = [*GRADED[:-2], 6, 9]
    panel = {"ann": labels(GRADED), "bob": labels(odd)}
    error = refused(panel, "stray-labels")
    assert "2 labels outside the scale 0-3" in error.message
    assert "6 (1), 9 (1)" in error.message
    assert "bob 2" in error.message
    assert "ann" not in error.message
    assert (error.file, error.line) == ("<dict>['bob']", 1199)
    assert "range(4)" in error.remedy
    assert "range(10)" in error.remedy


def test_every_remedy_of_stray_labels_helps():
    panel = {"ann": labels(GRADED), "bob": labels([*GRADED[:-2], 6, 9])}
    for options in (
        {"grades": range(4), "outside": "missing"},
        {"map": "6:missing,9:missing"},
        {"map": {6: None, 9: None}},
    ):
        found = hj.read_judgments(panel, **options)
        assert found.grades == (0, 1, 2, 3)
        assert len(found) == 2398
    assert hj.read_judgments(panel, grades=range(10)).max_grade == 9
    clipped = hj.read_judgments(panel, grades=range(4), outside="clip")
    assert clipped.qrels_of("bob").to_dict()["1"]["d1199"] == 3
    assert codes(clipped)["outside"] == 2


@pytest.mark.parametrize(("share", "stray"), [(2400, True), (1000, True), (999, False)])
def test_stray_labels_are_one_in_a_thousand_or_fewer(share, stray):
    panel = {
        "ann": labels([0, 1, 2, 3] * 100),
        "bob": labels([*([0, 3] * share)[: share - 401], 5]),
    }
    assert sum(len(docs["1"]) for docs in panel.values()) == share
    if stray:
        refused(panel, "stray-labels")
    else:
        assert hj.read_judgments(panel).max_grade == 5


def test_labels_above_a_binary_scale_are_stray():
    panel = {"ann": labels([0, 1] * 1000), "bob": labels([*[0, 1] * 999, 0, 2])}
    error = refused(panel, "stray-labels")
    assert "1 label outside the scale 0-1 of all others: 2 (1)" in error.message


def test_a_code_is_stray_however_often_it_occurs():
    panel = {"ann": labels([0, 1, 2, 3]), "bob": labels([0, 3, 999, 999])}
    error = refused(panel, "stray-labels")
    assert "999 (2)" in error.message
    assert "range(1000)" not in error.remedy
    refused(panel, "stray-labels", scaling="linear")
    assert len(hj.read_judgments(panel, map="999:missing", scaling="linear")) == 6


def test_negative_labels_of_judges_are_stray_unless_declared():
    panel = {"ann": labels([0, 1, -1]), "bob": labels([-2, 1, 0])}
    error = refused(panel, "stray-labels")
    assert "-2 (1), -1 (1)" in error.message
    kept = hj.read_judgments(panel, grades=range(-2, 2))
    assert kept.grades == (0, 1)
    assert kept.qrels_of("ann").to_dict() == panel["ann"]
    assert hj.read_judgments(panel, map="-1:0,-2:0").qrels_of("bob").to_dict() == labels([0, 1, 0])
    assert hj.read_qrels(panel["ann"]).to_dict() == panel["ann"]


SCALES = {
    "gpt_binary": labels([0, 1] * 40),
    "gpt_graded": labels([0, 1, 2, 3] * 20),
    "llama_graded": labels([3, 1, 2, 0] * 20),
    "rubric": labels([0, 5, 4, 3] * 20),
}


def test_judges_on_different_scales_are_listed():
    error = refused(SCALES, "mixed-scales")
    for line in ("0-1: 1 judge (gpt_binary)", "0-3: 2 judges (gpt_graded, llama_graded)",
                 "0-5: 1 judge (rubric)"):  # fmt: skip
        assert f"\n  {line}" in error.message
    assert 'only="PATTERN"' in error.remedy


def test_every_remedy_of_different_scales_helps():
    assert hj.read_judgments(SCALES, only="*_graded").max_grade == 3
    assert hj.read_judgments(SCALES, without=["gpt_b*", "rubric"]).judges == [
        "gpt_graded", "llama_graded",
    ]  # fmt: skip
    scaled = hj.read_judgments(SCALES, scaling="linear")
    assert scaled.soft
    assert scaled.qrels_of("rubric").to_dict()["1"]["d1"] == 1.0
    assert hj.read_judgments(SCALES, grades=range(6)).max_grade == 5


def test_a_remedy_with_a_rule_for_many_judges_is_kept_short():
    names = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu"]
    panel = {name: labels([0, 0.5, i + 2]) for i, name in enumerate(names)}
    panel |= {"ape": labels([0, 1, 2, 3] * 20), "yak": labels([0, 1, 2, 3] * 20)}
    error = refused(panel, "mixed-scales")
    assert 'scaling="linear" turns the labels' in error.remedy
    assert hj.read_judgments(panel, scaling="linear").soft
    for left in (["ant"], names[:-1]):
        few = {name: panel[name] for name in (*left, "ape", "yak")}
        remedy = refused(few, "mixed-scales").remedy
        assert remedy.count("=linear(low=0") == len(left) + 1
        assert "ant=linear(low=0, high=2)" in remedy


def test_stray_labels_are_told_beside_different_scales():
    panel = {**SCALES, "gpt_graded": labels([0, 1, 2, 999] * 20)}
    assert "on none of these scales: 999 (20)" in refused(panel, "mixed-scales").message


def test_a_judge_without_the_highest_grade_is_told_not_refused():
    panel = {"ann": labels([0, 1, 2, 3] * 20), "bob": labels([0, 1, 2, 2] * 20)}
    found = hj.read_judgments(panel)
    (note,) = [n for n in found.notes if n.kind == "top-unused"]
    assert note.subjects == ("bob",)


def test_few_labels_say_nothing_about_a_scale():
    panel = {"ann": labels([0, 1, 2, 3] * 20), "bob": labels([0, 1, 1, 0] * 5)}
    assert hj.read_judgments(panel).max_grade == 3
    assert "top-unused" not in codes(hj.read_judgments(panel))


def test_grades_beside_fractions_are_different_scales():
    panel = {"ann": labels([0, 3]), "bob": labels([0.5, 2.5])}
    error = refused(panel, "mixed-scales")
    assert "0-3: 1 judge (ann)" in error.message
    assert "0-2.5 with fractions: 1 judge (bob)" in error.message
    assert hj.read_judgments({"ann": labels([0, 1]), "bob": labels([0.5, 0.25])}).soft


@pytest.mark.parametrize(
    ("steps", "fitting"),
    [
        ([0, 33, 66, 99], "0:0,33:1,66:2,99:3"),
        ([0, 100], "0:0,100:1"),
        ([0, 5, 10], "0:0,5:1,10:2"),
    ],
)
def test_wide_steps_are_refused_with_the_map_that_fits(steps, fitting):
    one = labels(steps)
    for read, source in ((hj.read_qrels, one), (hj.read_judgments, {"a": one, "b": one})):
        with pytest.raises(InputError) as caught:
            read(source)
        assert caught.value.code == "wide-steps"
        assert f'map="{fitting}"' in caught.value.remedy
        assert read(source, map=fitting).max_grade == len(steps) - 1
        assert read(source, grades=steps).max_grade == steps[-1]


def test_wide_steps_beyond_the_largest_grade_are_not_grades():
    with pytest.raises(InputError, match="the label 5000 is too large for a grade"):
        hj.read_qrels(labels([0, 50, 5000]))


@pytest.mark.parametrize("steps", [[0, 2, 4], [0, 5], [0, 1, 5], [3], [0, 33, 50, 99]])
def test_other_grades_may_leave_some_out(steps):
    assert hj.read_qrels(labels(steps)).max_grade == steps[-1]


def test_patterns_that_match_no_judge_are_refused():
    for option in ("only", "without"):
        with pytest.raises(InputError, match="no judge matches 'claude"):
            hj.read_judgments(SCALES, **{option: "claude*"})
    with pytest.raises(InputError, match="leave no judge"):
        hj.read_judgments(SCALES, without="*")


def test_judges_are_in_natural_order(tmp_path):
    names = ["judge10", "judge2", "judge1"]
    files = [write(tmp_path, f"{n}.qrels", "1 0 a 1\n1 0 b 0\n") for n in names]
    assert hj.read_judgments(files).judges == ["judge1", "judge2", "judge10"]
    assert hj.read_judgments(dict.fromkeys(names, labels([1, 0]))).judges == [
        "judge1", "judge2", "judge10",
    ]  # fmt: skip
    panel = hj.read_judgments({"10": labels([1, 0]), "9": labels([0, 1])})
    assert panel.qrels_of("9").to_dict() == labels([0, 1])


def test_the_command_line_writes_remedies_as_options(tmp_path):
    for name, one in SCALES.items():
        rows = [("1", "0", d, str(g)) for d, g in one["1"].items()]
        write(tmp_path, f"{name}.qrels", joined(rows))

    def run(*words):
        return hungjury("merge", "--judges", "*.qrels", "--method", "mv", *words, cwd=tmp_path)

    done = run()
    assert done.returncode == 2
    assert "--only PATTERN or --without PATTERN" in done.stderr
    assert "--grades 0-5" in done.stderr
    done = run("--only", "*_graded", "--quiet")
    assert done.returncode == 0, done.stderr


def test_panels_of_dl21_and_dl19(shared_data):
    llama = str(shared_data / "dl21" / "judges-llama" / "prompt[0-3]*")
    error = refused(llama, "stray-labels")
    assert "18 labels outside the scale 0-3" in error.message
    assert "prompt32 18" in error.message
    found = hj.read_judgments(llama, grades=range(4), outside="missing", duplicates="first")
    assert found.judges[:4] == ["prompt0", "prompt1", "prompt2", "prompt3"]
    many = str(shared_data / "dl19" / "judges" / "*")
    error = refused(many, "mixed-scales")
    assert "999 (331)" in error.message
    assert "0-5 with fractions" in error.message
    assert "331 labels" in refused(many, "stray-labels", only="irg_*").message
    titles = str(shared_data / "dl19" / "judges" / "irg_*_title_*")
    assert len(hj.read_judgments(titles, only="irg_qwen*").judges) > 7
