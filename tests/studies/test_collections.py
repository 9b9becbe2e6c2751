"""Several collections in one study: side by side, each as it would be alone."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.processes import ENVIRONMENT
from builders.study_jobs import SCRIPT, kill_at_work, starts, stored_keys
from hungjury.base.errors import InputError, StudyFailed
from hungjury.cli.main import hungjury as command
from hungjury.studies.data import Sources, read_collection, read_collections
from hungjury.studies.engines import Engine
from hungjury.studies.gold import CONSTANT
from hungjury.studies.jobs import as_text
from hungjury.studies.papers import label_sets
from hungjury.studies.recipe import Study, run_study
from oracles import studies as naive

pytestmark = pytest.mark.long  # whole studies of two collections

ALONE = Engine("local", 1)
GRADES: dict[str, Any] = {"grades": range(4)}
AWARE = "aware(sizes=[2, 3], tuples=3, replicates=2, measures=['AP', 'nDCG(base=2)@20'])"
RECIPES = [
    "markov(repetitions=1, rates=[0.5], lists=6)",
    "graded-ap(repetitions=1, rates=[0.5], step=0.5)",
    "random-relevance(repetitions=1, rates=[0.5], samples=20)",
    "crowd(tuples=2, measures=['RBP'])",
    AWARE,
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two collections of grades 0 to 3 that differ in everything, also in their judges' number."""
    place = tmp_path_factory.mktemp("several")
    for name, systems, judges, seed in (("first", 7, 5, 1), ("second", 6, 4, 2)):
        accuracies = tuple(np.linspace(0.9, 0.5, judges))
        hj.simulate(
            systems=systems, topics=5 + seed, documents=70, depth=25, grades=4,
            accuracies=accuracies, seed=seed,
        ).write(place / name)  # fmt: skip
    return place / "first", place / "second"


def collections(folders: tuple[Path, Path]) -> list[Sources]:
    return read_collections(list(map(str, folders)), **GRADES)


def table(study: Study, name: str) -> Any:
    return study.report.tables[name]


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


@pytest.fixture(scope="module")
def studies(
    folders: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Study]:
    out = tmp_path_factory.mktemp("out")
    return {
        recipe.partition("(")[0]: run_study(recipe, collections(folders), out, 3, ALONE)
        for recipe in RECIPES
    }


@pytest.mark.parametrize("recipe", RECIPES)
def test_each_collection_is_studied_as_if_it_were_alone(
    recipe: str, studies: dict[str, Study], folders: tuple[Path, Path], tmp_path: Path
) -> None:
    both = studies[recipe.partition("(")[0]]
    for place, folder in enumerate(folders):
        alone = run_study(recipe, Sources.in_folder(folder, **GRADES), tmp_path, 3, ALONE)
        found = both.finished[place].results
        assert as_text(found) == as_text(alone.finished[0].results)
    assert both.finished[0].results.keys() & both.finished[1].results.keys(), "keys may coincide"


def test_tables_side_by_side(
    studies: dict[str, Study], folders: tuple[Path, Path], tmp_path: Path
) -> None:
    one, other = (
        run_study(RECIPES[0], Sources.in_folder(f, **GRADES), tmp_path / f.name, 3, ALONE)
        for f in folders
    )
    for row, first, second in zip(
        *(table(s, "table-5.3").rows for s in (studies["markov"], one, other)), strict=True
    ):
        assert list(row) == [*first, *second[1:]]
    heads = table(studies["markov"], "table-5.3").columns
    assert heads[1] == "first AP"
    assert heads[6] == "second AP"
    assert [row[0] for row in table(studies["markov"], "table-5.2").rows] == ["first", "second"]
    lines = table(studies["markov"], "figure-5.6").rows
    assert [line[1:] for line in lines if line[0] == "second"] == [
        line[1:] for line in table(other, "figure-5.6").rows
    ]


def test_figures_have_a_panel_for_each_collection(studies: dict[str, Study]) -> None:
    # No topic has few highly relevant documents: graded-ap draws no empty panels for them.
    for name, number in (("markov", 8), ("graded-ap", 2), ("random-relevance", 6)):
        figure = [*studies[name].report.figures.values()][-1].draw()
        titles = [axes.get_title(loc="left") for axes in figure.axes[:number]]
        assert len(figure.axes) == number
        assert titles[0].startswith("first,")
        assert titles[-1].startswith("second,")
    names = list(studies["crowd"].report.figures)
    assert names == ["tau_ap-RBP-first", "tau_ap-RBP-second"]


def test_a_column_for_collections_where_there_are_several(studies: dict[str, Study]) -> None:
    found = table(studies["crowd"], "table-2")
    assert list(found.columns)[:4] == ["systems", "gold", "merge", "measure"]
    assert list(found.columns)[4:] == ["M=2", "M=3", "M=4"]
    short = [row for row in found.rows if row[0] == "second"]
    assert len(short) == len(found.rows) / 2
    merged = [row for row in short if row[2] != CONSTANT]
    assert len(merged) < len(short)
    assert all(row[-1] is None and row[-2] is not None for row in merged), "4 judges, 3 at most"


def test_collections_are_the_systems_factor(studies: dict[str, Study]) -> None:
    """TH (4.28) and (4.31), by loops over what the tables say at each size."""
    study = studies["aware"]
    observed = []
    for collection in ("first", "second"):
        for measure in ("AP", "nDCG-base-2-20"):
            for row in table(study, f"tau_ap-{measure}-{collection}").rows:
                if row[0].startswith("votes("):  # not the thesis', and not in the analysis
                    continue
                for size, value in zip((2, 3), row[1:], strict=True):
                    observed.append({"systems": collection, "measure": measure, "size": size,
                                     "approach": row[0], "y": value})  # fmt: skip
    assert len(observed) == 2 * 2 * 34 * 2
    wanted = naive.anova(
        observed, "y", ["size", "approach", "measure", "systems"],
        [("approach", "measure"), ("approach", "systems"), ("measure", "systems")],
    )  # fmt: skip
    found = {row[0]: row for row in table(study, "table-4.1").rows}
    assert list(found) == ["K-tuple Size", "Approach", "Measure", "Systems", "Approach*Measure",
                           "Approach*Systems", "Measure*Systems", "Error", "Total"]  # fmt: skip
    for source, line in found.items():
        name = {"K-tuple Size": "size"}.get(source, source.lower())
        ss, df = wanted[name][:2]
        assert line[1] == pytest.approx(ss, abs=1e-9)
        assert line[2] == df
    parts = [row[0] for row in table(study, "table-4.3").rows]
    assert parts == ["K-tuple Size", "Granularity", "Gap", "Weight", "Measure", "Systems",
                     "Granularity*Gap", "Granularity*Weight", "Gap*Weight", "Error",
                     "Total"]  # fmt: skip


def test_figures_of_the_systems_factor(studies: dict[str, Study]) -> None:
    report = studies["aware"].report
    figures = report.figures
    assert report.tables["table-4.1"].caption.startswith(
        "Table 4.1: AP correlation, analysis of variance"
    )
    assert figures["figure-4.7c"].title == "Figure 4.7c: RMSE, interaction of systems and approach"
    for effects, interactions in (("figure-4.4", "figure-4.5c"), ("figure-4.6", "figure-4.7c")):
        panels = [axes.get_title(loc="left") for axes in figures[effects].draw().axes]
        assert panels == ["(a) approach", "(b) size", "(c) measure", "(d) systems"]
        (axes,) = figures[interactions].draw().axes
        assert [t.get_text() for t in axes.get_xticklabels()] == ["first", "second"]


def test_too_few_sizes(folders: tuple[Path, Path], tmp_path: Path) -> None:
    pair = collections(folders)
    judges = [folders[1] / "judges" / f"judge{i}.qrels" for i in (1, 2, 3)]
    fewer = replace(Sources.in_folder(folders[1], judges=judges, **GRADES), name="fewer")
    with pytest.raises(InputError, match=r"collection fewer: .*compares sizes of tuples"):
        run_study("aware", [pair[0], fewer], tmp_path, engine=ALONE)


def test_what_is_stored_for_one_is_used_beside_another(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    said: list[str] = []
    for chosen in (collections(folders)[:1], collections(folders), collections(folders)[::-1]):
        run_study(RECIPES[0], chosen, tmp_path, 3, ALONE, announce=said.append)
    assert said == [
        "3 jobs: 0 stored already, 3 to do",
        "6 jobs: 3 stored already, 3 to do",
        "6 jobs: 6 stored already, 0 to do",
    ]


@pytest.mark.long
def test_a_killed_study_of_two_goes_on_where_it_was(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    path, log, count = tmp_path / "jobs.sqlite", tmp_path / "log", 10
    arguments = [os.pathsep.join(map(str, folders)), path, log, count, 1]
    call = [*SCRIPT, *map(str, arguments)]
    kill_at_work(call, log, count + 4)
    assert len(stored_keys(path)) == count, "both collections have the same keys"
    done = subprocess.run(call, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    reused, results = map(int, done.stdout.split())
    assert count < reused < 2 * count
    assert results == 2 * count
    assert len(starts(log)) <= 2 * count + 2


# names, descriptions, errors


def test_names_and_descriptions(folders: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = folders
    one = read_collection(f"T08={first}", **GRADES)
    assert one.name == "T08"
    assert one.digest == Sources.in_folder(first, **GRADES).digest
    described = tmp_path / "small.json"
    described.write_text(json.dumps({
        "folder": os.path.relpath(first, tmp_path), "runs": os.path.relpath(second, tmp_path) +
        "/runs/*1.run", "grades": [0, 1, 2, 3], "outside": "clip", "only": ["judge1", "judge2"],
    }))  # fmt: skip
    small = read_collection(str(described), grades=None, outside="error", duplicates="first")
    assert small.name == "small"
    assert {Path(p).resolve().parent.parent for p in small.runs} == {second.resolve()}
    assert Path(str(small.gold)).resolve() == (first / "gold.qrels").resolve()
    assert small.labels.grades == (0, 1, 2, 3)
    assert (small.labels.outside, small.labels.duplicates) == ("clip", "first")
    assert small.labels.only == ("judge1", "judge2")
    for text, problem in (
        ('{"folder": "x", "grade": 3}', "unknown key 'grade'"),
        ("[1]", "not a description"),
        ("{", "not a description"),
        ('{"folder": "nowhere"}', "no such folder"),
        ('{"folder": 5}', "'folder' must be a path"),
        ('{"runs": ["a", null]}', "'runs' must be a path or a list of paths"),
        ('{"gold": "gold.qrels"}', "no runs"),
    ):
        described.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_collection(str(described))


def test_a_folder_without_runs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no runs"):
        read_collection(str(tmp_path))


def test_collections_that_cannot_be_told_apart(folders: tuple[Path, Path]) -> None:
    first = str(folders[0])
    with pytest.raises(InputError, match="2 collections are called 'first'"):
        read_collections([first, first])
    with pytest.raises(InputError, match="2 collections contain the same files, like 'a'"):
        read_collections([f"a={first}", f"b={first}"])


def test_errors_name_the_collection(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hj.simulate(systems=4, topics=3, documents=40, depth=9).write(tmp_path / "binary")
    both = [str(folders[0]), str(tmp_path / "binary")]
    with pytest.raises(InputError, match=r"collection binary: .*these are binary"):
        run_study("graded-ap", read_collections(both), tmp_path / "out", engine=ALONE)

    def pools_job(data: Any, seed: int, **arguments: Any) -> None:
        raise ZeroDivisionError("no luck")

    monkeypatch.setattr(label_sets, "pools_job", pools_job)
    with pytest.raises(StudyFailed, match="2 of 6 jobs failed\n  first: pools/gold/0: Zero"):
        run_study(RECIPES[0], collections(folders), tmp_path / "out", engine=ALONE)


@pytest.mark.usefixtures("svg_only")
def test_two_collections_on_the_command_line(folders: tuple[Path, Path], tmp_path: Path) -> None:
    flags = ["--data", f"T08={folders[0]}", "--data", folders[1], "--grades", "0-3", "--jobs", 1,
             "--repetitions", 1, "--rates", 0.5, "--lists", 6, "-o", tmp_path]  # fmt: skip
    done = CliRunner().invoke(
        command, ["study", "markov", *map(str, flags)], catch_exceptions=False
    )
    assert done.exit_code == 0
    (home,) = tmp_path.glob("markov/T08+second_*")
    assert {"repetitions-1", "rates-0.5", "grades-0-1-2-3"} <= set(home.name.split("_"))
    (first,) = home.glob("table-5.2-*.csv")
    assert [r[""] for r in rows(first)] == ["T08", "second"]
    page = (home / "index.html").read_text()
    assert page.count("<dt>collection</dt>") == 2
    assert "<dd>T08</dd>" in page


def test_names_too_long_for_a_file(folders: tuple[Path, Path]) -> None:
    name = "x" * 300
    assert read_collection(f"{name}={folders[0]}").name == name
    for path in (name, f"{name}.json"):
        with pytest.raises(InputError):
            read_collection(path)
