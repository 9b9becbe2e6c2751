"""Labels that come in from elsewhere and go out again; plans that the database hands on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hungjury as hj
from builders.commands import hungjury as run
from hungjury.base.errors import InputError
from hungjury.data.reading.formats import labelled_columns
from hungjury.leaderboard.plan_file import as_plans

EXPORTS = Path(__file__).parent.parent / "data" / "exports"


def votes(path: Path) -> dict[str, dict[str, dict[str, int]]]:
    judged = hj.read_judgments(str(path))
    return {name: judged.qrels_of(name).to_dict() for name in judged.judges}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("labelstudio.json", {"3": {"7": {"d1": 2, "d2": 0}}, "4": {"7": {"d1": 1}}}),
        ("argilla.json", {"u1": {"7": {"d1": 2, "d2": 0}}, "u2": {"7": {"d1": 1}}}),
        ("prodigy.jsonl", {"news-anna": {"7": {"d1": 2}}, "news-ben": {"7": {"d1": 1, "d2": 0}}}),
    ],
)
def test_exports_of_tools_come_in(tmp_path: Path, name: str, expected: object) -> None:
    words = ["label", "--import", str(EXPORTS / name), "--layout", name.partition(".")[0], "x.db"]
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("3 labels read, 3 new; x.db: 2 of 2 documents are labelled")
    assert votes(tmp_path / "x.db") == expected
    again = run(*words, cwd=tmp_path)  # nothing is stored twice
    assert again.stderr.startswith("3 labels read, 0 new")
    if name == "prodigy.jsonl":
        at = labelled_columns(str(tmp_path / "x.db"), "labels")["at"]
        assert at[0] == "2023-11-14T22:13:20.000+00:00"


def test_what_goes_out_comes_in_again_with_who_when_and_why(tmp_path: Path) -> None:
    table = (
        "topic,document,judge,label,adjudicated,seconds,at,note\n"
        'q1,a,anna,1,0,2.5,2026-01-05T09:00:00,"well, no"\n'
        "q1,a,ben,2,0,1.0,2026-01-05T09:01:00,\n"
        "q1,a,anna,2,1,4.0,2026-01-06T09:00:00,asked ben\n"
        "q2,b,ben,0,0,1.0,2026-01-05T09:02:00,\n"
    )
    (tmp_path / "in.csv").write_text(table)
    assert run("label", "--import", "in.csv", "one.db", cwd=tmp_path).returncode == 0
    out = ("--all", "--export", "out.csv", "one.db")
    assert run("label", *out, cwd=tmp_path).returncode == 0
    assert run("label", "--import", "out.csv", "two.db", cwd=tmp_path).returncode == 0
    for name in ("one.db", "two.db"):
        found = labelled_columns(str(tmp_path / name), "labels")
        rows = list(zip(*(found[c] for c in table.partition("\n")[0].split(",")), strict=True))
        assert set(rows) == {
            ("q1", "a", "anna", 1, 0, 2.5, "2026-01-05T09:00:00", "well, no"),
            ("q1", "a", "ben", 2, 0, 1.0, "2026-01-05T09:01:00", ""),
            ("q1", "a", "anna", 2, 1, 4.0, "2026-01-06T09:00:00", "asked ben"),
            ("q2", "b", "ben", 0, 0, 1.0, "2026-01-05T09:02:00", ""),
        }
        assert hj.read_qrels(str(tmp_path / name)).to_dict() == {"q1": {"a": 2}, "q2": {"b": 0}}


def test_labels_without_a_judge_need_a_person(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("topic,document,label\nq1,a,yes\nq1,b,no\n")
    words = ["label", "--import", "a.csv", "--map", "yes:1,no:0", "x.db"]
    assert "no column for the judge" in run(*words, cwd=tmp_path).stderr
    assert run(*words, "--person", "anna", cwd=tmp_path).returncode == 0
    assert votes(tmp_path / "x.db") == {"anna": {"q1": {"a": 1, "b": 0}}}


def test_nothing_is_stored_if_labels_contradict(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("topic,document,judge,label\nq1,a,anna,1\n")
    (tmp_path / "two.csv").write_text(
        "topic,document,judge,label\nq1,new,carl,1\nq1,a,anna,2\nq1,c,ben,7\n"
    )
    run("label", "--import", "one.csv", "x.db", cwd=tmp_path)
    done = run("label", "--import", "two.csv", "x.db", cwd=tmp_path)
    assert done.returncode == 2
    assert "2 labels cannot be stored" in done.stderr
    assert "anna, topic q1, document a: 2, but 1 is stored" in done.stderr
    assert "ben, topic q1, document c: 7 is not one of the grades" in done.stderr
    assert votes(tmp_path / "x.db") == {"anna": {"q1": {"a": 1}}}


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> hj.Simulation:
    """A collection with two plans, whose documents are labelled in a database."""
    monkeypatch.chdir(tmp_path)
    sim = hj.simulate(topics=10, systems=4, documents=60, depth=20, seed=3)
    sim.write(tmp_path)
    gold = sim.gold.to_dict()
    for name, budget in (("one", 40), ("two", 80)):
        have = "labels.db" if name == "two" else None
        plan = hj.plan(sim.judgments, sim.runs, "nDCG@10", budget, have=have)
        plan.write(f"{name}.csv")
        rows = zip(plan.topics, plan.documents, strict=True)
        lines = [f"{t},{d},anna,{gold[t].get(d, 0)}" for t, d in rows]
        Path("labels.csv").write_text("topic,document,judge,label\n" + "\n".join(lines) + "\n")
        done = run("label", f"{name}.csv", "-o", "labels.db", "--import", "labels.csv")
        assert done.returncode == 0, done.stderr
    return sim


def test_a_database_hands_its_plans_on(planned: hj.Simulation) -> None:
    files = planned.judgments, planned.runs, "nDCG@10"
    stored = hj.leaderboard(*files, gold="labels.db", draws=100)
    given = hj.leaderboard(*files, gold="labels.db", plan=["one.csv", "two.csv"], draws=100)
    read = hj.leaderboard(*files, gold=hj.read_qrels("labels.db"), draws=100)
    assert stored.correction.design == "plan"
    assert stored.to_dict() == given.to_dict() == read.to_dict()
    unknown = hj.leaderboard(*files, gold=hj.read_qrels("labels.db").to_dict(), draws=100)
    assert unknown.correction.design != "plan"
    random = hj.leaderboard(*files, gold="labels.db", gold_design="random", draws=100)
    assert random.correction.design == "random"
    assert [plan.budget for plan in as_plans("labels.db")] == [40, 80]
    assert len(as_plans("one.csv", "labels.db")) == 2  # the same plan once
    of_gold = hj.agreement_with_gold(planned.judgments, "labels.db")
    with_plans = hj.agreement_with_gold(planned.judgments, "labels.db", plan=["one.csv", "two.csv"])
    assert of_gold.to_dict() == with_plans.to_dict()


def test_commands_take_the_plans_of_a_database(planned: hj.Simulation) -> None:
    panel = ["--judges", "judges/*", "--runs", "runs/*", "--gold", "labels.db", "--draws", "100"]
    board = json.loads(run("leaderboard", *panel, "--format", "json").stdout)
    assert board["correction"]["design"] == "plan"
    pair = ["--baseline", "system4", "--candidate", "system1", "--margin", "0.01"]
    done = run("gate", *panel, *pair, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "not known" not in done.stderr


def test_an_edited_plan_is_refused_before_anybody_labels(planned: hj.Simulation) -> None:
    text = Path("one.csv").read_text().replace("# seed: 0", "# seed: 1")
    Path("edited.csv").write_text(text)
    done = run("label", "edited.csv", "-o", "other.db")
    assert done.returncode == 2
    assert "the plan was changed after it was written" in done.stderr
    assert not Path("other.db").exists()
    with pytest.raises(InputError):
        as_plans("edited.csv")
