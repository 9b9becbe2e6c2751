"""Options of reading are accepted wherever files are."""

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError


@pytest.fixture
def files(tmp_path):
    """A collection whose judges write words, on disk."""
    made = hj.simulate(systems=3, topics=6, documents=40, depth=20)
    made.write(tmp_path)
    words = {"0": "no", "1": "yes"}
    judges = tmp_path / "words.csv"
    rows = ["query,passage,rating,model"]
    for judge in made.judgments.judges:
        for topic, labels in made.judgments.qrels_of(judge).to_dict().items():
            rows += [f"{topic},{d},{words[str(v)]},{judge}" for d, v in labels.items()]
    judges.write_text("\n".join(rows) + "\n")
    return made, str(judges), str(tmp_path / "runs" / "*"), str(tmp_path / "gold.qrels")


NAMED = "topic=query,document=passage,label=rating,judge=model"
WORDS = {"map": "yes:1,no:0", "columns": NAMED}


def test_labels_of_judges_are_read_with_the_options_everywhere(files):
    made, judges, runs, gold = files
    votes = made.judgments
    assert hj.merge(judges, "binmv", **WORDS).to_dict() == hj.merge(votes, "binmv").to_dict()
    assert hj.prm(judges, **WORDS).p == hj.prm(votes).p
    found = hj.agreement(judges, runs, "AP", ties="trec", **WORDS)
    expected = hj.agreement(votes, made.runs, "AP")
    assert found.alpha_nominal == expected.alpha_nominal
    assert found.rankings.scores.tolist() == expected.rankings.scores.tolist()
    one = hj.aware(judges, runs, "AP", "supervised", gold=gold, **WORDS)
    other = hj.aware(votes, made.runs, "AP", "supervised", gold=made.gold)
    assert one.values.tolist() == other.values.tolist()
    board = hj.leaderboard(judges, runs, "P@5", draws=100, **WORDS)
    assert board.mean.tolist() == hj.leaderboard(votes, made.runs, "P@5", draws=100).mean.tolist()
    plan = hj.plan(judges, runs, "P@5", 20, **WORDS)
    assert plan.documents == hj.plan(votes, made.runs, "P@5", 20).documents
    chosen = hj.merge(judges, "mv", only="judge1", **WORDS)
    assert chosen.to_dict() == votes.qrels_of("judge1").to_dict()


def test_runs_are_read_with_the_options(files, tmp_path):
    made, judges, runs, gold = files
    run = tmp_path / "fine.run"
    run.write_text("1 Q0 a 1 1.00000001 x\n1 Q0 b 2 1.0 x\n")
    qrels = {"1": {"a": 1, "b": 0}}
    double = hj.evaluate(qrels, str(run), "P@1")
    single = hj.evaluate(qrels, str(run), "P@1", score_precision="single", names="stem")
    assert [double.values[0, 0, 0], single.values[0, 0, 0]] == [1.0, 0.0]
    assert [double.systems, single.systems] == [["x"], ["fine"]]
    board = hj.leaderboard(judges, runs, "P@5", draws=100, score_precision="single", **WORDS)
    assert board.settings.score_precision == "single"
    read = hj.evaluate(gold, runs, "AP", grades=range(4))
    assert read.settings.labels.grades == (0, 1, 2, 3)
    assert np.array_equal(read.values, hj.evaluate(made.gold, made.runs, "AP").values)


def test_options_go_to_what_is_still_to_be_read(files):
    made, _, runs, gold = files
    board = hj.leaderboard(made.judgments, runs, "P@5", draws=100, columns="score=points")
    assert board.systems
    graded = hj.leaderboard(
        made.judgments, made.runs, "P@5", draws=100, gold=gold, gold_design="random", map="1:1"
    )
    assert graded.scale == "gold"


def test_options_that_nothing_can_take_are_refused(files):
    made, judges, runs, gold = files
    with pytest.raises(InputError, match="grades was given, but the labels and runs have been"):
        hj.evaluate(made.gold, runs, "AP", grades=range(2))
    with pytest.raises(InputError, match="score_precision was given"):
        hj.evaluate(gold, made.runs, "AP", score_precision="single")
    with pytest.raises(InputError, match="score_precision was given"):
        hj.merge(judges, "mv", score_precision="single", **WORDS)
    with pytest.raises(InputError, match="map was given"):
        hj.prm(made.judgments, map="1:0")
    with pytest.raises(TypeError, match="unexpected keyword argument 'precision'"):
        hj.leaderboard(judges, runs, "AP", precision="single")
    with pytest.raises(TypeError, match="unexpected keyword argument 'wide'"):
        hj.evaluate(gold, runs, "AP", wide=True)
    with pytest.raises(InputError, match="invalid value 'half' for score_precision"):
        hj.plan(judges, runs, "AP", 10, score_precision="half", **WORDS)


def test_labels_of_several_people_are_read_with_the_options(tmp_path):
    """Gold labels of two people take maps and columns, as those of one do."""
    from hungjury.cli.reading import Reading

    people = []
    for name, word in (("ann", "yes"), ("ben", "no")):
        people.append(str(tmp_path / f"{name}.csv"))
        (tmp_path / f"{name}.csv").write_text(f"query,passage,said\n1,a,{word}\n1,b,maybe\n")
    columns = "topic=query,document=passage,label=said"
    reading = Reading({"map": "yes:1,no:0", "missing": "drop", "columns": columns})
    one, two = reading.gold_of((people[0],)), reading.gold_of(tuple(people))
    assert one.to_dict() == {"1": {"a": 1}}
    assert (two.judges, two.label.tolist()) == (["ann", "ben"], [1.0, 0.0])


def test_misspelled_options_of_reading() -> None:
    with pytest.raises(TypeError, match="'gradez'; did you mean 'grades'"):
        hj.evaluate({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, "AP", gradez=3)  # type: ignore[call-arg]
