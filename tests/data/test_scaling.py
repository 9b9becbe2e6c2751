"""Labels on open scales: each scaling against loops, its laws, what it refuses, one per judge."""

import functools
import io
import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.magnitudes import made_up, probabilities, rows
from builders.reading import write
from hungjury.base.errors import InputError, MeasureError, UnknownName
from hungjury.cli.main import hungjury as command
from hungjury.data.open_scales import SCALINGS, patterns_of
from oracles import expected as naive_expected
from oracles import scaling as naive_scaling

NAMES = ["geometric", "median", "linear", "percentile"]
PANEL = {
    "ann": {"1": {"a": 10, "b": 50, "c": 200.5}, "2": {"a": 5, "d": 20}},
    "bob": {"1": {"a": 0.1, "b": 0.4}, "2": {"a": 3, "d": 0.4}},
}


def test_every_scaling_has_a_loop():
    assert [cls.name for cls in SCALINGS] == NAMES
    for name in NAMES:
        assert callable(getattr(naive_scaling, name))


@pytest.mark.parametrize("by", ["judge", "topic", "all"])
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("geometric", {}),
        ("geometric", {"k": 2.5}),
        ("median", {}),
        ("median", {"k": 0.5}),
        ("linear", {}),
        ("linear", {"low": 0}),
        ("linear", {"low": -5, "high": 1e6}),
        ("percentile", {}),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_as_the_loops_say(name, given, by, seed):
    panel = made_up(seed)
    inside = ", ".join(f"{k}={v}" for k, v in {**given, "by": by}.items())
    judgments = hj.read_judgments(panel, scaling=f"{name}({inside})")
    assert judgments.soft
    scale = functools.partial(getattr(naive_scaling, name), **given)
    expected = naive_scaling.scaled(rows(panel), scale, by)
    assert probabilities(judgments) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_more_judges_than_topics():
    panel = {f"j{j}": {f"{t}": {"a": 1 + j + 3 * t, "b": 5 + j * t, "c": 20.5 * (j + 1) + t}
                       for t in range(2)} for j in range(5)}  # fmt: skip
    found = hj.read_judgments(panel, scaling="linear(by=topic)")
    expected = naive_scaling.scaled(rows(panel), naive_scaling.linear, "topic")
    assert probabilities(found) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("by", ["judge", "topic", "all"])
def test_a_higher_label_is_never_less_probable(name, by):
    found = hj.read_judgments(made_up(5), scaling=f"{name}(by={by})")
    given = hj.read_judgments(made_up(5), scaling="linear(low=0, high=1e9, by=all)")
    topic = np.repeat(np.arange(3), np.diff(found.pool.offsets))[found.document]
    for j in range(3):
        for t in range(3):
            mine = (found.judge == j) & (topic == t)
            p, x = found.label[mine], given.label[mine]
            assert ((p >= 0) & (p <= 1)).all()
            higher = x[:, None] > x[None, :]
            assert (p[:, None] > p[None, :])[higher].all()
            assert (p[:, None] == p[None, :])[x[:, None] == x[None, :]].all()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("geometric", lambda x: 7 * x),
        ("median", lambda x: 7 * x),
        ("linear", lambda x: 7 * x - 100),
        ("percentile", lambda x: x**3 - 100),
    ],
)
def test_what_does_not_matter(name, change):
    plain = hj.read_judgments(PANEL, scaling=name)
    bob = {t: {d: change(x) for d, x in q.items()} for t, q in PANEL["bob"].items()}
    other = hj.read_judgments({**PANEL, "bob": bob}, scaling=name)
    assert other.label == pytest.approx(plain.label)
    # ... but does where all judges are scaled together.
    joint = hj.read_judgments(PANEL, scaling=f"{name}(by=all)").label
    assert joint != pytest.approx(plain.label)


def test_twice_the_magnitude_is_twice_the_odds():
    labels = {"1": {"a": 3, "b": 6, "c": 12}}
    p = hj.read_qrels(labels, scaling="geometric").p
    assert p / (1 - p) == pytest.approx([0.5, 1, 2])
    p = hj.read_qrels(labels, scaling="geometric(k=2)").p
    assert p / (1 - p) == pytest.approx([0.25, 1, 4])


def test_the_probabilities_that_magnitudes_were_made_from_are_found_again():
    # Judges who tell odds, each in a unit of their own; by noise in all, merged in the mean.
    rng = np.random.default_rng(0)
    truth = np.concatenate([half := rng.uniform(0.05, 0.5, 200), 1 - half])
    odds = truth / (1 - truth)  # their geometric mean is 1
    exact = {f"d{d}": float(300 * x) for d, x in enumerate(odds)}
    assert hj.read_qrels({"1": exact}, scaling="geometric").p == pytest.approx(truth)
    panel = {
        f"j{j}": {"1": {f"d{d}": float(10**j * x) for d, x in enumerate(odds * noise)}}
        for j, noise in enumerate(rng.lognormal(0, 0.5, (9, len(odds))))
    }
    merged = hj.merge(hj.read_judgments(panel, scaling="geometric"), "binmv")
    found = np.array([merged.to_dict()["1"][f"d{d}"] for d in range(len(odds))])
    assert abs(found - truth).mean() < 0.04
    joint = hj.merge(hj.read_judgments(panel, scaling="geometric(by=all)"), "binmv")
    wrong = np.array([joint.to_dict()["1"][f"d{d}"] for d in range(len(odds))])
    assert abs(wrong - truth).mean() > 0.1


def test_magnitudes_at_the_ends_of_what_a_float_holds():
    p = hj.read_qrels({"1": {"a": 1e-300, "b": 1, "c": 1e300}}, scaling="geometric(k=9)").p
    assert p.tolist() == [0, 0.5, 1]
    p = hj.read_qrels({"1": {"a": 1e-30, "b": 1e-20, "c": 1e60}}, scaling="median").p
    assert p[0] == pytest.approx(1e-10)


def test_zeros_are_not_relevant_by_the_median():
    p = hj.read_qrels({"1": {"a": 0, "b": 2, "c": 2}}, scaling="median").p
    assert p.tolist() == [0, 0.5, 0.5]


def test_an_object_will_do():
    from hungjury.data.open_scales import Linear

    qrels = hj.read_qrels({"1": {"a": 25, "b": 100}}, scaling=Linear(low=0))
    assert qrels.p.tolist() == [0.25, 1]
    assert qrels.settings.scaling == "linear(low=0)"


def test_qrels_are_those_of_one_judge():
    labels = {"1": {"a": 1, "b": 4}, "2": {"a": 16, "b": 64}}
    whole = hj.read_qrels(labels, scaling="linear").p
    assert whole.tolist() == [0, 3 / 63, 15 / 63, 1]
    assert hj.read_qrels(labels, scaling="linear(by=all)").p.tolist() == whole.tolist()
    assert hj.read_qrels(labels, scaling="linear(by=topic)").p.tolist() == [0, 1, 0, 1]


# What is told


def test_whole_numbers_are_scaled_too_and_results_tell_so():
    labels = {"1": {"a": 900, "b": 2000}}
    qrels = hj.read_qrels(labels, scaling="percentile")
    assert qrels.p.tolist() == [0.25, 0.75]
    assert qrels.grades == (0, 1)
    (note,) = qrels.notes
    assert (note.kind, note.count) == ("scaled", 2)
    assert note.text == "2 labels from 900 to 2000 scaled to probabilities by percentile"
    scores = hj.evaluate(qrels, {"s": {"1": {"a": 1.0}}}, ["eRAP"])
    assert scores.settings.labels.scaling == "percentile"
    judgments = hj.read_judgments(PANEL, scaling="geometric( by = topic )")
    assert judgments.settings.scaling == 'geometric(by="topic")'
    assert judgments.qrels_of("ann").settings.scaling == 'geometric(by="topic")'
    merged = hj.merge(judgments, "binmv")
    assert merged.settings.scaling == 'geometric(by="topic")'


def test_without_a_scaling_nothing_is_said_of_it():
    assert hj.read_qrels({"1": {"a": 1}}).settings.scaling is None
    assert hj.read_judgments({"x": {"1": {"a": 1}}}).settings.scaling is None


def test_labels_below_0_are_told():
    qrels = hj.read_qrels({"1": {"a": -3, "b": -1, "c": 1}}, scaling="linear")
    assert qrels.p.tolist() == [0, 0.5, 1]
    assert {n.kind: n.count for n in qrels.notes} == {"scaled": 3, "scaled-negative": 2}


def test_labels_that_are_all_the_same_are_told():
    panel = {"ann": {"1": {"a": 7, "b": 7}}, "bob": {"1": {"a": 1, "b": 2}}}
    for name in ("geometric", "median", "percentile"):
        judgments = hj.read_judgments(panel, scaling=name)
        assert judgments.label[:2].tolist() == [0.5, 0.5]
        note = next(n for n in judgments.notes if n.kind == "scaled-constant")
        assert note.count == 1
        assert "judge 'ann'" in str(note)


@pytest.mark.parametrize(
    ("duplicates", "taken"), [("first", [1, 9, 3]), ("last", [9, 4, 3]), ("max", [9, 9, 3])]
)
def test_a_document_counts_once(duplicates, taken):
    labels = "1 0 a 1\n1 0 b 9\n1 0 a 9\n1 0 b 4\n1 0 c 3\n1 0 c 3\n"
    for name in NAMES:
        p = hj.read_qrels(io.StringIO(labels), duplicates=duplicates, scaling=name).p
        scale = getattr(naive_scaling, name)
        assert p == pytest.approx([scale(x, taken) for x in taken])
    with pytest.raises(InputError, match="labelled 9 here and 1"):
        hj.read_qrels(io.StringIO(labels), scaling="linear")


# What is refused


@pytest.mark.parametrize(
    ("scaling", "label", "said", "remedy"),
    [
        ("geometric", "0", "geometric of the labels: the label 0 is not above 0", '"median"'),
        ("geometric", "-2.5", "the label -2.5 is not above 0", '"percentile"'),
        ("median", "-1", "the label -1 is below 0", '"linear"'),
        ("linear(high=5)", "5.5", "the label 5.5 is not between 1 and 5", "leave them out"),
        ("linear(low=2, high=5)", "1.5", "the label 1.5 is not between 2 and 5", "ends"),
    ],
)
def test_labels_that_do_not_fit(scaling, label, said, remedy):
    with pytest.raises(InputError) as caught:
        hj.read_qrels(io.StringIO(f"1 0 a 3\n1 0 b {label}\n1 0 c 1\n1 0 d 2\n"), scaling=scaling)
    assert said in caught.value.message
    assert caught.value.line == 2
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("scaling", "said"),
    [
        ("median", "their median is 0"),
        ("linear(by=topic)", "labels from 0 to 0"),
    ],
)
def test_sets_of_labels_that_cannot_be_scaled(scaling, said):
    panel = {"ann": {"1": {"a": 1, "b": 2}}, "bob": {"1": {"a": 0, "b": 0}, "2": {"a": 0}}}
    with pytest.raises(InputError, match=said) as caught:
        hj.read_judgments(panel, scaling=scaling)
    assert "judge 'bob'" in caught.value.message
    assert ("topic '1'" in caught.value.message) == ("topic" in scaling)
    assert "percentile" in caught.value.remedy
    assert hj.read_judgments(panel, scaling="linear(low=0, high=2)").label.tolist() == [
        0.5, 1, 0, 0, 0,
    ]  # fmt: skip


def test_labels_too_far_apart():
    with pytest.raises(InputError, match="too far apart"):
        hj.read_qrels({"1": {"a": -1.7e308, "b": 1.7e308}}, scaling="linear")


@pytest.mark.parametrize(
    ("scaling", "kind", "said"),
    [
        ("geometrical", UnknownName, "did you mean geometric"),
        ("linear(low=3, high=3)", MeasureError, "low must be below high"),
        ("geometric(k=0)", MeasureError, "k is 0"),
        ("percentile(by=document)", MeasureError, "by is 'document'"),
        (2, InputError, "invalid value 2 for scaling"),
    ],
)
def test_names_that_are_none(scaling, kind, said):
    with pytest.raises(kind, match=said):
        hj.read_qrels({"1": {"a": 1}}, scaling=scaling)


def test_grades_and_probabilities_of_grades_are_not_scaled():
    with pytest.raises(InputError, match="grades are declared") as caught:
        hj.read_judgments(PANEL, grades=range(4), scaling="linear")
    assert "leave out grades" in caught.value.remedy
    table = "topic,document,p0,p1\n1,a,0.5,0.5\n"
    with pytest.raises(InputError, match="already has a probability for every grade"):
        hj.read_qrels(io.StringIO(table), scaling="linear")


@pytest.mark.parametrize("labels", [{"a": 0.5, "b": 30}, {"a": 1, "b": 1001}])
def test_open_scales_are_refused_with_the_remedy(labels):
    with pytest.raises(InputError) as caught:
        hj.read_qrels({"1": labels})
    assert 'scaling="geometric"' in caught.value.remedy
    assert hj.read_qrels({"1": labels}, scaling="geometric").p == pytest.approx(
        [naive_scaling.geometric(x, list(labels.values())) for x in labels.values()]
    )


# On the command line


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for who, topics in made_up(1).items():
        lines = (f"{t} 0 {d} {x}\n" for t, q in topics.items() for d, x in q.items())
        (tmp_path / f"{who}.qrels").write_text("".join(lines))
    for s in range(3):
        order = np.random.default_rng(s).permutation(9)
        lines = (f"{t} Q0 d{d} {n} {9 - n} s{s}\n" for t in range(3) for n, d in enumerate(order))
        (tmp_path / f"s{s}.run").write_text("".join(lines))


def run(*words):
    return CliRunner().invoke(command, words)


@pytest.mark.parametrize("scaling", ["geometric", "percentile(by=topic)"])
def test_expected_measures_of_magnitudes(files, scaling):
    done = run("evaluate", "j1.qrels", "*.run", "-m", "eRAP", "--scaling", scaling,
               "--format", "csv", "-q")  # fmt: skip
    assert done.exit_code == 0, done.output
    name, _, by = scaling.partition("(by=")
    labels = made_up(1)["j1"]
    p = naive_scaling.scaled(
        rows({"j1": labels}), getattr(naive_scaling, name), by.rstrip(")") or "judge"
    )
    order = [f"d{d}" for d in np.random.default_rng(2).permutation(9)]
    for topic, pool in labels.items():
        chances = [p.get(("j1", topic, d)) for d in order]
        expected = naive_expected.erap(chances, [p["j1", topic, d] for d in pool])
        line = next(x for x in done.stdout.splitlines() if x.startswith(f"s2,{topic},"))
        assert float(line.split(",")[3]) == pytest.approx(expected)


def test_merging_and_ranking_by_magnitudes(files):
    how = ["--judges", "*.qrels", "--scaling", "geometric", "--quiet"]
    done = run("merge", *how, "--method", "binmv", "--soft", "-o", "soft")
    assert done.exit_code == 0, done.output
    each = naive_scaling.scaled(rows(made_up(1)), naive_scaling.geometric, "judge")
    merged = hj.read_qrels("soft").to_dict()
    for topic, documents in merged.items():
        for document, p in documents.items():
            said = [x for (_, t, d), x in each.items() if (t, d) == (topic, document)]
            assert p == pytest.approx(sum(said) / len(said))
    board = run("leaderboard", *how, "--runs", "*.run", "--merge", "binmv", "-m", "eRAP",
                "--draws", "100", "--format", "json", "--report", "page.html")  # fmt: skip
    assert board.exit_code == 0, board.output
    assert json.loads(board.stdout)["settings"]["labels"]["scaling"] == "geometric"
    with open("page.html", encoding="utf-8") as page:
        assert "scaled to probabilities by geometric" in page.read()


def test_the_audit_tells_how_labels_were_scaled(files):
    done = run("audit", "--judges", "*.qrels", "--scaling", "median")
    assert "scaled to probabilities by median" in done.stdout


def test_gold_labels_stay_grades(files):
    with open("gold", "w", encoding="utf-8") as gold:
        gold.write("0 0 d1 1\n0 0 d2 0\n")
    how = ["--judges", "*.qrels", "--runs", "*.run", "--scaling", "geometric", "--gold", "gold"]
    done = run("leaderboard", *how, "--merge", "binmv", "-m", "eRAP", "--format", "json")
    assert done.exit_code == 0, done.output  # the scaling would refuse the label 0
    assert json.loads(done.stdout)["correction"]["labels"] == 2


@pytest.mark.parametrize("words", [["agreement"], ["prm"], ["aware", "--runs", "*.run"]])
def test_commands_on_grades_say_so(files, words):
    done = run(*words, "--judges", "*.qrels", "--scaling", "geometric")
    assert "these labels are probabilities" in str(done.exception)


@pytest.mark.parametrize(
    ("labels", "said"),
    [([3.5, 1], "3.5 is fractional, but not between"), ([7, 0.5], "7 is mixed with .* as 0.5")],
)
def test_open_scales_are_refused_by_their_first_odd_label(labels, said):
    with pytest.raises(InputError, match=said):
        hj.read_qrels({"1": {"a": labels[0], "b": labels[1]}})


# A scaling for every judge: chosen by patterns, against loops, and as the remedy of an error.


BINARY, GRADED, STARS = [0, 1] * 40, [0, 1, 2, 3] * 20, [0, 5, 4, 3] * 20


def labels(grades):
    return {"1": {f"d{i}": grade for i, grade in enumerate(grades)}}


MIXED = {
    "crowd": labels(BINARY),
    "gpt_long": labels(GRADED),
    "gpt_short": labels(GRADED[::-1]),
    "rubric": labels(STARS),
}


@pytest.mark.parametrize("by", ["judge", "topic", "all"])
def test_each_judge_has_the_scaling_of_the_first_pattern(by):
    panel = made_up(1)
    given = {"j1": f"median(by={by}, k=2)", "j[12]": "percentile", "*": f"linear(by={by})"}
    found = probabilities(hj.read_judgments(panel, scaling=given))
    expected = {}
    for who, scale, together in (
        ("j1", functools.partial(naive_scaling.median, k=2), by),
        ("j2", naive_scaling.percentile, "judge"),
        ("j0", naive_scaling.linear, by),
    ):
        expected |= naive_scaling.scaled(rows({who: panel[who]}), scale, together)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_all_means_all_judges_of_the_pattern():
    panel = made_up(2)
    found = probabilities(hj.read_judgments(panel, scaling="j0=percentile,*=linear(by=all)"))
    two = {who: panel[who] for who in ("j1", "j2")}
    expected = naive_scaling.scaled(rows(two), naive_scaling.linear, "all")
    assert {k: v for k, v in found.items() if k[0] != "j0"} == pytest.approx(expected)


def test_text_and_dictionaries_say_the_same():
    by_text = "crowd=linear(low=0, high=1),gpt_*=linear(low=0, high=3), *=percentile"
    by_dict = {
        "crowd": "linear(low=0, high=1)",
        "gpt_*": "linear(low=0, high=3)",
        "*": "percentile",
    }
    one, two = (hj.read_judgments(MIXED, scaling=given) for given in (by_text, by_dict))
    assert probabilities(one) == probabilities(two)
    assert one.settings == two.settings
    assert hj.read_judgments(MIXED, scaling=one.settings.scaling).settings == one.settings
    assert one.qrels_of("gpt_long").to_dict()["1"]["d1"] == pytest.approx(1 / 3)
    assert one.qrels_of("crowd").to_dict()["1"]["d1"] == 1


def test_different_scales_are_refused_with_the_scaling_that_fits():
    with pytest.raises(InputError) as caught:
        hj.read_judgments(MIXED)
    (fitting,) = re.findall(r'scaling="([^"]*)"', caught.value.remedy)
    assert fitting == (
        "crowd=linear(low=0, high=1),rubric=linear(low=0, high=5),*=linear(low=0, high=3)"
    )
    found = hj.read_judgments(MIXED, scaling=fitting)
    assert found.soft
    for who, top in (("crowd", 1), ("gpt_long", 3), ("rubric", 5)):
        first = list(MIXED[who]["1"].items())[:4]
        expected = {document: pytest.approx(grade / top) for document, grade in first}
        assert dict(list(found.qrels_of(who).to_dict()["1"].items())[:4]) == expected


def test_the_remedy_names_many_judges_by_a_pattern():
    panel = {f"crowd{i}": labels(BINARY) for i in range(3)}
    panel |= {name: labels(GRADED) for name in ("gpt", "llama", "phi", "qwen")}
    with pytest.raises(InputError, match=re.escape("crowd*=linear(low=0, high=1),*=linear(")):
        hj.read_judgments(panel)
    assert patterns_of(["a_bin", "b_bin"], ["a", "b"]) == ["*_bin"]
    assert patterns_of(["ab", "ac"], []) == ["ab", "ac"]
    assert patterns_of(["a,b=[c]"], ["x"]) == ["a?b??c?"]


@pytest.mark.parametrize(
    ("scaling", "says"),
    [
        ("crowd=linear", "no scaling for 3 judges: gpt_long, gpt_short, rubric"),
        ("human=linear,*=linear", "the scaling of 'human' applies to no judge"),
        ("*=linear,gpt*=percentile", "the scaling of 'gpt*' applies to no judge"),
        ("crowd=linear,percentile", "invalid scaling"),
        ("=linear", "invalid scaling"),
        ({"*": None}, "invalid value None"),
        ({"*": {"*": "linear"}}, "invalid value"),
        ({}, "invalid value"),
        ("*=log", "log"),
    ],
)
def test_scalings_that_do_not_fit_the_judges(scaling, says):
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        hj.read_judgments(MIXED, scaling=scaling)
    assert caught.value.remedy


def test_labels_without_judges_have_one_scaling():
    with pytest.raises(InputError, match="these labels have no judges"):
        hj.read_qrels(labels([1, 30, 200.5]), scaling="*=linear")


def test_the_audit_goes_on_without_labels_that_cannot_be_scaled():
    panel = {"ann": labels([1, 10, 100]), "bob": labels([0, 5, 20])}
    found = hj.audit(panel, judgments=True, scaling="geometric")
    assert [error.code for error in found.errors] == ["unsuitable-scaling"]
    assert "labels: 3 by 2 judges" in str(found)


def test_on_the_command_line(tmp_path):
    for who, topics in MIXED.items():
        lines = (f"1 0 {document} {grade}\n" for document, grade in topics["1"].items())
        write(tmp_path, f"{who}.qrels", "".join(lines))
    files = str(tmp_path / "*.qrels")
    run = CliRunner().invoke
    refused = run(command, ["audit", "--judges", files])
    assert "--scaling 'crowd=linear(low=0, high=1),rubric" in refused.output
    given = "crowd=linear(high=1),rubric=linear(high=5),*=linear(high=3)"
    done = run(command, ["audit", "--judges", files, "--scaling", given, "--format", "json"])
    notes = json.loads(done.stdout)["notes"]
    assert [note["count"] for note in notes if note["kind"] == "scaled"] == [80, 80, 160]
