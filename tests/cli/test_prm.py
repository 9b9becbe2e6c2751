"""The command `hungjury prm`."""

import csv
import io
import json
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.prm_panels import MODEL, ROWS, many_topics, pairs_of, panel
from hungjury.base.errors import InputError
from hungjury.cli.main import hungjury
from hungjury.judges.prm import prm
from oracles import prm as naive_prm


@pytest.fixture
def folder(tmp_path):
    """Two judges' files, and one with a level that nobody gave twice."""
    for judge in "XY":
        lines = [f"{t} 0 {d} {level}\n" for t, d, j, level in ROWS if j == judge]
        (tmp_path / f"{judge}.qrels").write_text("".join(lines))
    (tmp_path / "one.txt").write_text("1 0 a 2\n1 0 b 0\n2 0 c -2\n")
    (tmp_path / "alone").write_text("1 0 alone 3\n")
    return tmp_path


def command(folder, *options, judges="*.qrels"):
    return CliRunner().invoke(hungjury, ["prm", "--judges", str(folder / judges), *options])


def done(folder, *options, grades="-2-2", **more):
    result = command(folder, "--grades", grades, *options, **more)
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def test_command_table(folder):
    result = done(folder, "--rel", "1")
    lines = result.stdout.splitlines()
    assert lines[0] == "relevant: grade 1 and above"
    shown = {int(line.split()[0]): float(line.split()[1]) for line in lines[2:]}
    for level in (-2, 0, 1, 2):
        assert shown[level] == pytest.approx(naive_prm.prm(ROWS, level, [1, 2]), abs=5e-4)
    assert "do not trust it" in result.stderr


def test_command_shows_every_threshold(folder):
    shown = done(folder).stdout
    assert "relevant: grade 1 and above" in shown
    assert "relevant: grade 2 and above" in shown
    assert "relevant: grade 3 and above" not in shown


def test_command_is_quiet(folder):
    assert done(folder, "--quiet").stderr == ""


def test_command_counts(folder):
    shown = done(folder, "--rel", "1", "--qrels", str(folder / "one.txt")).stdout
    expected = sum(naive_prm.prm(ROWS, level, [1, 2]) for level in (2, 0, -2))
    assert "the qrels label 1 documents relevant" in shown
    assert f"another judge would label about {expected:.0f} relevant" in shown


def test_command_csv(folder):
    rows = list(csv.DictReader(io.StringIO(done(folder, "--format", "csv", "--quiet").stdout)))
    assert [(int(row["rel"]), int(row["level"])) for row in rows] == list(
        product((1, 2), (-2, 0, 1, 2))
    )
    for row in rows:
        relevant = list(range(int(row["rel"]), 3))
        agreed, seen = naive_prm.prm_counts(ROWS, int(row["level"]), relevant)
        assert (int(row["pairs"]), int(row["pairs_relevant"])) == (seen, agreed)
        assert float(row["p"]) == pytest.approx(agreed / seen)
        if len({topic for topic, _, _, level in ROWS if str(level) == row["level"]}) > 1:
            assert float(row["low"]) <= float(row["high"])
        else:
            assert row["low"] == row["high"] == ""


def strict_json(text):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)["rows"]


def test_command_json(folder):
    options = ["--rel", "2", "--smoothing", "1", "--draws", "20", "--seed", "5"]
    rows = strict_json(done(folder, "--format", "json", "--quiet", *options).stdout)
    assert [row["level"] for row in rows] == [-2, 0, 1, 2]
    model = prm(panel(ROWS), 2, None, 1, 20, 5)
    assert rows == [{"rel": 2, **row} for row in model.rows()]


def test_command_intervals(tmp_path):
    rows = many_topics(8)
    for judge in "XYZ":
        lines = [f"{t} 0 {d} {level}\n" for t, d, j, level in rows if j == judge]
        (tmp_path / f"{judge}.qrels").write_text("".join(lines))
    shown = {}
    for options in (("--seed", "5"), ("--seed", "6"), ("--draws", "9")):
        words = ("--rel", "1", "--format", "json", "--quiet", *options)
        text = done(tmp_path, *words, grades="0-1").stdout
        shown[options] = [(row["low"], row["high"]) for row in strict_json(text)]
    model = prm(panel(rows), seed=5)
    assert shown["--seed", "5"] == list(zip(model.low.values(), model.high.values(), strict=True))
    assert shown["--seed", "6"] != shown["--seed", "5"]
    model = prm(panel(rows), draws=9)
    assert shown["--draws", "9"] == list(zip(model.low.values(), model.high.values(), strict=True))


def test_command_json_of_an_unseen_level(folder):
    (folder / "alone").rename(folder / "Z.qrels")
    rows = strict_json(
        done(folder, "--format", "json", "--quiet", "--rel", "1", grades="-2-3").stdout
    )
    assert next(row for row in rows if row["level"] == 3)["p"] is None


def test_command_soft_labels(folder):
    target = folder / "soft"
    done(folder, "--rel", "1", "--qrels", str(folder / "one.txt"), "--soft", str(target))
    found = hj.read_qrels(target)
    assert found.soft
    expected = MODEL.soft_qrels(hj.read_qrels(folder / "one.txt"))
    assert found.to_dict() == expected.to_dict()


@pytest.mark.parametrize("options", [[], ["--rel", "1"], ["--qrels", "one.txt"]])
def test_command_soft_labels_want_labels_and_a_threshold(folder, options):
    result = command(folder, "--soft", str(folder / "soft"), *options)
    assert result.exit_code == 2
    assert "--soft needs --qrels and --rel" in result.stderr
    assert not (folder / "soft").exists()


@pytest.mark.parametrize(("name", "start"), [("p.svg", b"<?xml"), ("p.png", b"\x89PNG")])
@pytest.mark.usefixtures("laid_out")
def test_command_plot(folder, name, start):
    pytest.importorskip("matplotlib")
    done(folder, "--plot", str(folder / name))
    assert (folder / name).read_bytes().startswith(start)


def test_the_plot_names_the_levels_that_count_as_relevant(folder):
    pytest.importorskip("matplotlib")
    from hungjury.report.judge_plots import draw_prm

    models = [prm(panel(ROWS), rel=1), prm(panel(ROWS), relevant=[-2, 1])]
    (axes,) = draw_prm(models).axes
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["relevant: grade 1 and above", "relevant: levels -2, 1"]


def test_command_output_file(folder):
    result = done(folder, "--rel", "1", "--quiet", "-o", str(folder / "page"))
    assert result.stdout == ""
    assert (folder / "page").read_text() == done(folder, "--rel", "1", "--quiet").stdout


def test_command_judges_in_the_iteration_column(folder):
    lines = [f"{t} {judge} {d} {level}\n" for t, d, judge, level in ROWS]
    (folder / "all").write_text("".join(lines))
    options = ["--rel", "1", "--quiet"]
    found = done(folder, "--judge-column", "iteration", *options, judges="all")
    assert found.stdout == done(folder, *options).stdout


def test_command_complains(folder):
    (folder / "other").write_text("9 0 a 1\n")
    result = CliRunner().invoke(
        hungjury, ["prm", "--judges", str(folder / "alone"), "--judges", str(folder / "other")]
    )
    assert isinstance(result.exception, InputError)
    assert "no document was judged twice" in str(result.exception)
    assert command(folder, "--rel", "0").exit_code == 2
    assert command(folder, "--smoothing", "-1").exit_code == 2


def test_the_table_is_aligned_whatever_the_counts():
    model = prm(panel(pairs_of((0, 0), (0, 1), (1, 1))), 1)
    vars(model)["pairs"] = model.pairs + np.array([[111_111_108, 0], [0, 0]])
    lines = str(model).splitlines()
    assert "111,111,111" in lines[1]
    assert len({len(line) for line in lines}) == 1


def test_command_takes_levels_that_count_as_relevant(folder):
    lines = done(folder, "--relevant", "1").stdout.splitlines()
    assert lines[0] == "relevant: level 1"
    shown = {int(line.split()[0]): float(line.split()[1]) for line in lines[2:]}
    for level in (-2, 0, 1, 2):
        assert shown[level] == pytest.approx(naive_prm.prm(ROWS, level, [1]), abs=5e-4)


@pytest.mark.parametrize("relevant", [[-2, 1], [0, 2], [1, 2], [2]])
def test_command_counts_any_levels_as_relevant(folder, relevant):
    """No threshold, no first level, no largest one gives these numbers."""
    target, text = folder / "soft", ",".join(map(str, relevant))
    options = ["--relevant", text, "--qrels", str(folder / "one.txt"), "--soft", str(target)]
    shown = done(folder, *options, "--format", "csv", "--quiet").stdout
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert [int(row["level"]) for row in rows] == [-2, 0, 1, 2]
    upwards = relevant == list(range(relevant[0], 3))
    named = ("rel", str(relevant[0])) if upwards else ("relevant", text)
    for row in rows:
        assert next(iter(row.items())) == named
        agreed, seen = naive_prm.prm_counts(ROWS, int(row["level"]), relevant)
        assert (int(row["pairs"]), int(row["pairs_relevant"])) == (seen, agreed)
        assert float(row["p"]) == pytest.approx(agreed / seen)
    soft = hj.read_qrels(target).to_dict()
    for topic, document, level in (("1", "a", 2), ("1", "b", 0), ("2", "c", -2)):
        expected = naive_prm.prm(ROWS, level, relevant)
        assert soft[topic][document] == pytest.approx(expected, abs=1e-12)
    page = done(folder, *options).stdout
    labelled = sum(level in relevant for level in (2, 0, -2))
    assert f"the qrels label {labelled} documents relevant" in page


def test_the_levels_of_these_tests_matter():
    """Other sets of relevant levels give other probabilities."""
    sets = ([-2, 1], [0, 2], [1, 2], [2], [-2], [0], [1], [0, 1, 2])
    found = {tuple(naive_prm.prm(ROWS, level, one) for level in (-2, 0, 1, 2)) for one in sets}
    assert len(found) == len(sets)


def test_levels_that_do_not_exist_are_named(folder):
    result = command(folder, "--grades", "-2-2", "--relevant", "1,7")
    assert isinstance(result.exception, InputError)
    assert "no label has the level 7; the levels are -2, 0, 1, 2" in str(result.exception)


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--relevant", "1", "--rel", "1"], "not both"), (["--relevant", "1;2"], "integers")],
)
def test_command_refuses_levels_it_cannot_read(folder, options, message):
    result = command(folder, "--grades", "-2-2", *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_command_users_counts_and_scores(folder):
    (folder / "run.txt").write_text("1 Q0 a 1 2 me\n1 Q0 b 2 1 me\n2 Q0 c 1 1 me\n")
    options = ["--rel", "1", "--users", "X", "--quiet", "--qrels", str(folder / "one.txt")]
    options += ["--smoothing", "1"]
    rows = strict_json(done(folder, *options, "--format", "json").stdout)
    model = prm(panel(ROWS), smoothing=1, users="X")
    assert [row["p"] for row in rows] == [*model.p.values()]
    counts = model.relevant_counts(hj.read_qrels(folder / "one.txt"))
    assert {(row["qrels_relevant"], row["qrels_expected"]) for row in rows} == {counts}
    assert sum(row["labels_relevant"] for row in rows) == model.relevant_counts()[0]
    scored = done(folder, *options, "--runs", str(folder / "run.txt"), "-m", "nDCG",
                  "--format", "json")  # fmt: skip
    (row,) = strict_json(scored.stdout)
    version = model.version("nDCG", 2)
    expected = hj.evaluate(hj.read_qrels(folder / "one.txt"), folder / "run.txt", version)
    assert row["mean"] == pytest.approx(expected.mean()[0, 0])
    assert "--runs needs --qrels" in command(folder, "--runs", "x", "--rel", "1").stderr
    assert "--measure needs --runs" in command(folder, "-m", "AP").stderr.replace(
        "-m n", "--measure n"
    )


def test_command_categories(tmp_path):
    (tmp_path / "labels.csv").write_text(
        "topic,document,judge,label\n1,a,X,Nav\n1,a,Y,Rel\n1,b,X,Non\n1,b,Y,Non\n"
    )
    options = ["--categories", "Nav:2,Rel:1,Non:0", "--relevant", "Nav,Rel", "--quiet"]
    result = command(tmp_path, *options, judges="labels.csv")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "relevant: levels Rel, Nav"
    twice = command(tmp_path, *options, "--map", "Nav:1", judges="labels.csv")
    assert "--categories or --map" in twice.stderr


def test_command_categories_are_the_whole_scale(tmp_path):
    words = ["High", "Low", "Non", "Junk"]
    rows = [f"1,d{i},j{j},{words[(i * j + i) % 4]}\n" for i in range(12) for j in (1, 2, 3)]
    (tmp_path / "labels.csv").write_text("topic,document,judge,label\n" + "".join(rows))
    options = ["--categories", "High:2,Low:1,Non:0,Junk:-2", "--relevant", "High", "--draws", "5"]
    result = command(tmp_path, *options, "--quiet", judges="labels.csv")
    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in result.stdout.splitlines()[2:]] == words[::-1]
    narrow = command(tmp_path, *options, "--grades", "0-2", judges="labels.csv")
    assert isinstance(narrow.exception, InputError)
