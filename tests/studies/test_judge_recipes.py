"""The studies crowd and aware: layout, numbers against direct computations, needs, seeds."""

from __future__ import annotations

import csv
import io
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.study_jobs import run_jobs
from hungjury.base.errors import HungjuryError
from hungjury.cli.main import hungjury as command
from hungjury.studies.combining import APPROACHES
from hungjury.studies.data import Sources, study_data
from hungjury.studies.engines import Engine
from hungjury.studies.jobs import Job, ResultStore, as_text, integer_seed
from hungjury.studies.papers import RECIPES
from hungjury.studies.papers.aware import MEASURES
from hungjury.studies.recipe import Study, run_study

pytestmark = pytest.mark.long  # whole studies of panels

ALONE = Engine("local", 1)
JUDGES = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("panel")
    accuracies = (0.95, 0.85, 0.7, 0.6, 0.5)
    hj.simulate(
        systems=6, topics=5, documents=60, depth=25, accuracies=accuracies, seed=5
    ).write(place)  # fmt: skip
    return place


@pytest.fixture(scope="module")
def crowd(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return run_study(
        "crowd", Sources.in_folder(folder), tmp_path_factory.mktemp("out"), engine=ALONE
    )  # fmt: skip


@pytest.fixture(scope="module")
def aware(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Pairs, all of them, and some tuples of three."""
    recipe = "aware(sizes=[2, 3], tuples=10, replicates=2)"
    return run_study(
        recipe, Sources.in_folder(folder), tmp_path_factory.mktemp("out"), engine=ALONE
    )  # fmt: skip


def table(study: Study, name: str) -> Any:
    return study.report.tables[name]


def rows(study: Study, name: str) -> list[dict[str, str]]:
    """As they are in the CSV file."""
    return list(csv.DictReader(io.StringIO(table(study, name).to_csv())))


def judge_means(folder: Path, name: str) -> list[Any]:
    """What systems score under each judge."""
    judges = sorted((folder / "judges").iterdir())
    runs = str(folder / "runs" / "*")
    return [hj.evaluate(path, runs, name).mean()[0] for path in judges]


def gold_means(folder: Path, name: str) -> Any:
    return hj.evaluate(folder / "gold.qrels", str(folder / "runs" / "*"), name).mean()[0]


# crowd


def test_tables_of_crowd_are_laid_out_as_printed(crowd: Study) -> None:
    first = table(crowd, "table-1")
    assert list(first.columns) == [
        "gold", "measure", "mean tau", "+- tau", "mean tau_ap", "+- tau_ap"
    ]  # fmt: skip
    assert [row[:2] for row in map(list, first.rows)][3:6] == [
        ["DGS", "DCG(base=10)"],
        ["DGS", "eRDCG(prob=[0.05, 0.95], unjudged=0)"],
        ["RGS", "eRDCG(prob=[0.05, 0.95], unjudged=0)"],
    ]
    second = table(crowd, "table-2")
    assert list(second.columns) == ["gold", "merge", "measure", "M=2", "M=3", "M=4"]
    assert [tuple(row[:3]) for row in second.rows][:7] == [
        ("DGS", "MV", "AP"), ("DGS", "EM", "AP"), ("DGS", "AWARE", "AP"),
        ("DGS", "BINMV", "eRAP(unjudged=0)"), ("DGS", "QBINMV", "eRAP(unjudged=0)"),
        ("RGS", "BINMV", "eRAP(unjudged=0)"), ("RGS", "QBINMV", "eRAP(unjudged=0)"),
    ]  # fmt: skip
    assert len(second.rows) == len(table(crowd, "table-2-tau").rows) == 3 * 7 + 3 * 2
    assert [tuple(row[:2]) for row in second.rows][-2:] == [
        ("DGS", "constant judge"), ("RGS", "constant judge")
    ]  # fmt: skip


def test_a_constant_judge_is_in_every_table(folder: Path, crowd: Study) -> None:
    """To whom no document is relevant: systems are ranked by the judged documents they retrieve."""
    chances = "eRAP(prob=[0.05, 0.95], unjudged=0)"
    nothing: dict[str, dict[str, int]] = {}
    for path in (folder / "judges").iterdir():
        for line in path.read_text().splitlines():
            topic, _, document, _ = line.split()
            nothing.setdefault(topic, {})[document] = 0
    means = hj.evaluate(nothing, str(folder / "runs" / "*"), chances).mean()[0]
    expected = hj.stats.tau_ap(means, gold_means(folder, chances))
    first = {(r["gold"], r["measure"]): r for r in rows(crowd, "table-1")}
    row = first["RGS", f"constant judge, {chances}"]
    assert float(row["mean tau_ap"]) == pytest.approx(expected, abs=1e-12)
    assert row["+- tau_ap"] == ""
    *_, last = [r for r in rows(crowd, "table-2") if r["measure"] == chances and r["gold"] == "RGS"]
    assert [float(last[f"M={k}"]) for k in (2, 3, 4)] == pytest.approx([expected] * 3, abs=1e-12)


def test_single_judges_are_scored_directly(folder: Path, crowd: Study) -> None:
    chances = "eRAP(prob=[0.05, 0.95], unjudged=0)"
    for row, mine, gold in zip(rows(crowd, "table-1"), ("AP", chances, chances),
                               ("AP", "AP", chances), strict=False):  # fmt: skip
        truth = gold_means(folder, gold)
        means = judge_means(folder, mine)
        tau = [hj.stats.kendall(one, truth) for one in means]
        assert float(row["mean tau"]) == pytest.approx(np.mean(tau), abs=1e-12)
        half = 2.7764451 * np.std(tau, ddof=1) / math.sqrt(JUDGES)
        assert float(row["+- tau"]) == pytest.approx(half, rel=1e-6)
        tau_ap = [hj.stats.tau_ap(one, truth) for one in means]
        assert float(row["mean tau_ap"]) == pytest.approx(np.mean(tau_ap), abs=1e-12)


def test_pairs_of_judges_are_combined_directly(folder: Path, crowd: Study) -> None:
    """Ten tuples are all pairs there are: nothing is left to chance."""
    means, truth = judge_means(folder, "AP"), gold_means(folder, "AP")
    pairs = [(a + b) / 2 for a, b in itertools.combinations(means, 2)]
    (row,) = [r for r in rows(crowd, "table-2") if (r["merge"], r["measure"]) == ("AWARE", "AP")]
    expected = np.mean([hj.stats.tau_ap(pair, truth) for pair in pairs])
    assert float(row["M=2"]) == pytest.approx(expected, abs=1e-12)


def test_only_the_printed_sizes_unless_others_are_asked_for(tmp_path: Path) -> None:
    hj.simulate(
        systems=4, topics=3, documents=40, depth=15, accuracies=[0.8] * 9, seed=1
    ).write(tmp_path)  # fmt: skip
    sources = Sources.in_folder(tmp_path)
    study = run_study("crowd(measures=['AP'], tuples=2)", sources, tmp_path / "out", engine=ALONE)
    assert list(table(study, "table-2").columns[3:]) == ["M=2", "M=3", "M=4", "M=5", "M=8"]
    assert {job for job in study.finished[0].results if job.startswith("merge/mv")} == {
        f"merge/mv/{k}/0"
        for k in range(2, 9)  # and the block of tuples
    }
    asked = run_study(
        "crowd(measures=['AP'], tuples=2, sizes=[6, 3])", sources, tmp_path / "out", engine=ALONE
    )  # fmt: skip
    assert list(table(asked, "table-2").columns[3:]) == ["M=3", "M=6"]


def test_grades_and_judges_left_out(tmp_path: Path) -> None:
    """Relevant from grade 2 on; the first judge has nothing relevant on the first topic."""
    hj.simulate(systems=5, topics=4, documents=50, depth=20, grades=4, seed=2).write(tmp_path)
    lazy, *others = sorted((tmp_path / "judges").iterdir())
    lines = [line.split() for line in lazy.read_text().splitlines()]
    first = lines[0][0]
    lazy.write_text("".join(
        f"{topic} {who} {document} {min(int(grade), 1) if topic == first else grade}\n"
        for topic, who, document, grade in lines
    ))  # fmt: skip
    runs, truth = str(tmp_path / "runs" / "*"), tmp_path / "gold.qrels"
    gold = hj.evaluate(truth, runs, "AP(rel=2)").mean()[0]
    for drop, judges in ((False, [lazy, *others]), (True, others)):
        recipe = f"crowd(measures=['AP'], rel=2, sizes=[2], tuples=1, drop_empty={drop})"
        study = run_study(recipe, Sources.in_folder(tmp_path), tmp_path / "out", engine=ALONE)
        each = [hj.stats.tau_ap(hj.evaluate(j, runs, "AP(rel=2)").mean()[0], gold) for j in judges]
        found = float(rows(study, "table-1")[0]["mean tau_ap"])
        assert found == pytest.approx(np.mean(each), abs=1e-12)
        assert study.report.remarks[0].startswith(f"{len(judges)} judges")


@pytest.mark.parametrize("seed", [0, 1])
def test_all_jobs_see_the_same_tuples(folder: Path, tmp_path: Path, seed: int) -> None:
    """Mean votes by eRRBP are uniform AWARE by RBP: on the same tuples, exactly."""
    study = run_study(
        "crowd(measures=['RBP'], tuples=3)", Sources.in_folder(folder), tmp_path, seed, ALONE
    )  # fmt: skip
    found = {(r["gold"], r["merge"]): r for r in rows(study, "table-2")}
    for size in ("M=2", "M=3"):
        aware, binmv = (float(found["DGS", who][size]) for who in ("AWARE", "BINMV"))
        assert aware == pytest.approx(binmv, abs=1e-12)


# aware


def test_tables_of_aware_are_laid_out_as_printed(aware: Study) -> None:
    for name in ("table-4.1", "table-4.2"):
        found = table(aware, name)
        assert list(found.columns) == ["Source", "SS", "DF", "MS", "F", "p-value", "omega2"]
        assert [(row[0], row[2]) for row in found.rows] == [
            ("K-tuple Size", 1), ("Approach", 33), ("Measure", 2), ("Approach*Measure", 66),
            ("Error", 101), ("Total", 203),
        ]  # fmt: skip
        assert [row[6] != row[6] for row in found.rows] == [True, False, False, False, True, True]
        assert r"Error & " in found.to_latex()
        assert "< 0.0001" in str(found)
    for name in ("table-4.3", "table-4.4"):
        assert [row[0] for row in table(aware, name).rows] == [
            "K-tuple Size", "Granularity", "Gap", "Weight", "Measure", "Granularity*Gap",
            "Granularity*Weight", "Gap*Weight", "Error", "Total",
        ]  # fmt: skip
    for number, letters in itertools.product(("4.8", "4.9"), ("d", "e", "f")):
        groups = table(aware, f"figure-{number}{letters}")
        assert len(groups.rows) == {"d": 2, "e": 5, "f": 3}[letters]
    summary = table(aware, "table-4.5")
    assert list(summary.columns) == ["", "AP correlation", "RMSE"]
    assert [row[0] for row in summary.rows if row[0]] == [
        "Approach",
        "Granularity",
        "Gap",
        "Weight",
    ]
    by_size = table(aware, "tau_ap-nDCG-base-2-20")
    assert list(by_size.columns) == ["approach", "k=2", "k=3"]
    voted = ["votes(sgl_tau_msd)", "votes(tpc_kld_msd)"]
    assert [row[0] for row in by_size.rows] == [*APPROACHES, *voted]


def test_both_orientations_of_weights_are_shown(folder: Path, aware: Study) -> None:
    """Against tuples studied directly, with the seed that the study's jobs share."""
    given = (str(folder / "judges" / "*"), str(folder / "runs" / "*"), list(MEASURES))
    shown = {r["estimator"]: r for r in rows(aware, "orientations") if "AP" in r["response"]}
    for orientation in ("dissimilarity", "printed"):
        direct = hj.studies.tuple_study(
            *given, folder / "gold.qrels", 1, [2, 3], 10, ["sgl_tau_msd", "tpc_fro_md"],
            replicates=2, seed=integer_seed(0, "tuples"), orientation=orientation,
        )  # fmt: skip
        for name in ("sgl_tau_msd", "tpc_fro_md"):
            mean = np.mean([row.tau_ap for row in direct.rows if row.approach == name])
            assert float(shown[name][orientation]) == pytest.approx(mean, abs=1e-9)
    assert list(table(aware, "sensitivity").columns)[2:] == ["dissimilarity", "printed", "survives"]
    merges = {one.text for one in aware.report.claims} - {
        row[0] for row in table(aware, "sensitivity").rows
    }
    assert "mv is the best of mv and EM" in merges  # which no orientation touches
    printed = table(aware, "table-4.3-printed-orientation")
    assert [r[0] for r in printed.rows] == [r[0] for r in table(aware, "table-4.3").rows]
    assert [r[1] for r in printed.rows] != [r[1] for r in table(aware, "table-4.3").rows]
    assert table(aware, "table-4.1-printed-orientation").rows[1][2] == 33


@pytest.mark.parametrize(("what", "name"), [("tau_ap", "table-4.1"), ("rmse", "table-4.2")])
def test_sums_of_squares_are_those_of_the_means(aware: Study, what: str, name: str) -> None:
    """The design is balanced: sums of squares are squared distances of marginal means."""
    values = np.array([
        [[row["k=2"], row["k=3"]] for row in rows(aware, f"{what}-{measure}")
         if row["approach"] in APPROACHES]
        for measure in ("AP", "nDCG-base-2-20", "ERR-20")
    ], dtype=float)  # fmt: skip
    if what == "rmse":
        values /= values.max(axis=(1, 2), keepdims=True)
    found = {row["Source"]: float(row["SS"]) for row in rows(aware, name)}
    grand = values.mean()
    assert found["Total"] == pytest.approx(((values - grand) ** 2).sum())
    for source, axes in (("Measure", (1, 2)), ("Approach", (0, 2)), ("K-tuple Size", (0, 1))):
        means = values.mean(axis=axes)
        expected = ((means - grand) ** 2).sum() * values.size / len(means)
        assert found[source] == pytest.approx(expected)


def test_pairs_are_weighted_equally_by_uni(folder: Path, aware: Study) -> None:
    for what, near in (("tau_ap", hj.stats.tau_ap), ("rmse", hj.stats.rmse)):
        means, truth = judge_means(folder, "ERR@20"), gold_means(folder, "ERR@20")
        each = [near((a + b) / 2, truth) for a, b in itertools.combinations(means, 2)]
        found = {row["approach"]: row for row in rows(aware, f"{what}-ERR-20")}
        assert float(found["uni"]["k=2"]) == pytest.approx(np.mean(each), abs=1e-9)


def test_top_groups_begin_with_the_best(aware: Study) -> None:
    summary = [list(row) for row in table(aware, "table-4.5").rows]
    for column, number in ((1, "4.4"), (2, "4.6")):
        groups = table(aware, f"figure-{number}e").rows
        means = [row[0] for row in groups]
        assert means == sorted(means, reverse=column == 1)
        best = [row[1] for row in groups if row[2][0] == "X"]
        top = [row[column] for row in summary[: len(best)]]
        assert top == best
        nxt = summary[len(best)]
        assert nxt[column] == "" or nxt[0] == "Granularity"


def test_every_figure_is_drawn(aware: Study, crowd: Study) -> None:
    names = set(aware.report.figures)
    assert {"figure-4.4", "figure-4.4e", "figure-4.5a", "figure-4.5b", "figure-4.6", "figure-4.6e",
            "figure-4.7a", "figure-4.7b", "figure-4.8", "figure-4.8g", "figure-4.8h", "figure-4.8i",
            "figure-4.9", "figure-4.9g", "figure-4.9h", "figure-4.9i", "tau_ap-AP",
            "rmse-ERR-20"} <= names  # fmt: skip
    for one in (*aware.report.figures.values(), *crowd.report.figures.values()):
        assert one.draw().axes


def test_files_of_crowd(folder: Path, tmp_path: Path) -> None:
    flags = ["--measures", "AP", "--sizes", "2", "--sizes", "3", "--tuples", "2", "--jobs", "1"]
    done = CliRunner().invoke(
        command, ["study", "crowd", "--data", str(folder), "-o", str(tmp_path), *flags],
        catch_exceptions=False,
    )  # fmt: skip
    assert done.exit_code == 0
    assert "EM almost never reaches MV" in done.output  # the claims, with their verdicts
    assert " inconclusive" in done.output or " holds" in done.output
    home = tmp_path / "crowd"
    (mine,) = (path for path in home.iterdir() if path.is_dir())
    assert mine.name.endswith("_measures-AP_sizes-2-3_tuples-2")
    first, second = (
        "table-1-tau-and-tau_ap-averaged-over-judges-with-95-confidence",
        "table-2-tau_ap-for-different-merging-strategies-and-numbers-M-of",
    )
    tables = ("claims", "sensitivity", "sensitivity-numbers", "single-judges", "table-2-tau")
    assert {path.name for path in mine.iterdir()} == {
        "index.html",
        *(f"{name}.{form}" for name in (*tables, first, second) for form in ("csv", "tex")),
        *(f"tau_ap-AP.{form}" for form in ("pdf", "svg", "png")),
    }
    more = CliRunner().invoke(
        command, ["study", "crowd", "--data", str(folder), "-o", str(home.parent), *flags,
                  "--tuples", "3"], catch_exceptions=False,
    )  # fmt: skip
    assert more.exit_code == 0
    assert {path.name for path in home.iterdir()} >= {"jobs.sqlite", mine.name}


def test_a_study_with_one_measure(folder: Path, tmp_path: Path) -> None:
    recipe = "aware(measures=['AP'], sizes=[2, 3, 4], tuples=2, replicates=2)"
    study = run_study(recipe, Sources.in_folder(folder), tmp_path, engine=ALONE)
    sources = [row[0] for row in table(study, "table-4.1").rows]
    assert sources == ["K-tuple Size", "Approach", "Error", "Total"]
    assert "figure-4.5b" not in study.report.figures


def test_the_same_numbers_in_any_order(folder: Path, tmp_path: Path) -> None:
    sources = Sources.in_folder(folder)
    recipe = RECIPES.parse("aware(measures=['AP'], sizes=[2, 3], tuples=3, replicates=3)")
    jobs = recipe.jobs(study_data(sources))
    found = []
    for name, seed, listed in (("a", 0, jobs), ("b", 0, jobs[::-1]), ("c", 1, jobs)):
        with ResultStore(tmp_path / name) as store:
            found.append(run_jobs(listed, sources, store, seed, ALONE).results)
    assert as_text(found[0]) == as_text(found[1])
    assert all(as_text(found[0][key]) != as_text(found[2][key]) for key in found[0])


def test_jobs_may_share_a_seed() -> None:
    first, second, third = (Job(key, print, draws=word) for key, word in
                            (("a", "x"), ("b", "x"), ("c", "")))  # fmt: skip
    assert first.seed(3) == second.seed(3) == integer_seed(3, "x") != first.seed(4)
    assert third.seed(3) == integer_seed(3, "c")


# needs


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Collections with one, two and three judges."""
    places = {}
    for number in (1, 2, 3):
        places[number] = tmp_path_factory.mktemp("few")
        hj.simulate(
            systems=3, topics=3, documents=30, depth=10, accuracies=[0.8] * number
        ).write(places[number])  # fmt: skip
    return places


def test_what_is_missing_is_said_before_any_job(
    folder: Path, few: dict[int, Path], tmp_path: Path
) -> None:
    runs, judges = str(folder / "runs" / "*"), str(folder / "judges" / "*")
    whole = Sources.in_folder(folder)
    one_run = Sources.of(sorted((folder / "runs").iterdir())[:1], judges, folder / "gold.qrels")
    single = Sources.in_folder(few[1], judge_column="iteration")
    cases: list[tuple[str, Sources, str]] = [
        ("crowd", Sources.of(runs, judges), "needs gold labels, but no gold"),
        ("aware", Sources.of(runs, judges), "needs gold labels, but no gold"),
        ("crowd", Sources.of(runs, gold=folder / "gold.qrels"), "no judges were given"),
        ("aware", Sources.of(runs, gold=folder / "gold.qrels"), "no judges were given"),
        ("crowd", one_run, "needs at least two runs"),
        ("aware", single, "needs at least two judges, but there is only one"),
        ("crowd", Sources.in_folder(few[2]), "at least 3 judges, but there are only 2"),
        ("aware", Sources.in_folder(few[3]), "compares sizes of tuples, but there is only 2"),
        ("crowd(rel=2)", whole, "largest grade of the judgments is 1"),
        ("aware(rel=2)", whole, "largest grade of the judgments is 1"),
        ("crowd(measures=['nDCG@10'])", whole, "no counterpart for probabilities"),
        ("aware(measures=['AP', 'RBP', 'AP'])", whole, "must be a list of different names"),
        ("markov(labels=['gold', 'gold'])", whole, "must be a list of different names"),
        ("aware(sizes=[2, 6])", whole, "from 1 to 5"),
        ("aware(sizes=['two'])", whole, "sizes"),
    ]
    for recipe, sources, message in cases:
        with pytest.raises(HungjuryError, match=message) as caught:
            run_study(recipe, sources, tmp_path / "out", engine=ALONE)
        assert caught.value.remedy
    assert not (tmp_path / "out").exists()


def test_predicted_relevance_of_a_panel(tmp_path: Path) -> None:
    """The tables are those of `prm` with gold and each family as users and assessors."""
    made = hj.simulate(systems=4, topics=6, documents=30, depth=12, grades=3, seed=3)
    made.write(tmp_path / "made")
    families = "^judge[12]|^judge"
    recipe = f'prm(families="{families}", draws=5, measures=["AP"])'
    study = run_study(recipe, Sources.in_folder(tmp_path / "made"), tmp_path / "out")
    parameters = rows(study, "parameters")
    votes = {"gold": made.gold.to_dict()} | {
        name: made.judgments.qrels_of(name).to_dict() for name in made.judgments.judges
    }
    others = ["judge3", "judge4", "judge5"]
    for users, assessors, pair in (
        (others, "gold", ("gold", "judge")),
        ("gold", others, ("judge", "gold")),
        ("gold", "judge1", ("judge1", "gold")),
    ):
        model = hj.prm({k: v for k, v in votes.items() if k in ("gold", "judge1", *others)},
                       users=users, assessors=assessors)  # fmt: skip
        mine = [row for row in parameters if (row["label of"], row["relevant to"]) == pair]
        assert [float(row["p"]) for row in mine] == pytest.approx(list(model.p.values()))
        binary, expected = model.relevant_counts()
        (counted,) = [row for row in rows(study, "relevant-documents")
                      if (row["label of"], row["relevant to"]) == pair]  # fmt: skip
        assert float(counted["binary"]) == binary
        assert float(counted["expected"]) == pytest.approx(expected)
    assert [row["users"] for row in rows(study, "systems")] == ["judge1", "judge2", "judge"]
    assert all(-1 <= float(row["tau"]) <= 1 for row in rows(study, "systems"))
