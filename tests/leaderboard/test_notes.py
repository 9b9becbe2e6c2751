"""What a leaderboard warns about, and where each warning begins."""

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from hungjury.cli.main import hungjury as command
from hungjury.leaderboard.board import best_elsewhere


def judgments_of(topics=12, judges=3, documents=6, change=None):
    """Every judge labels everything, the first documents relevant; `change` edits the labels."""
    labels = {
        f"j{k}": {
            f"t{t:02}": {f"d{d}": int(d + (k + t + d) % 3 // 2 < 3) for d in range(documents)}
            for t in range(topics)
        }
        for k in range(judges)
    }
    if change is not None:
        change(labels)
    return hj.read_judgments(labels)


def runs_of(topics=12, empty=()):
    """System s puts document s first; `empty` retrieved nothing for any judged topic."""
    return hj.read_runs(
        {
            f"s{s}": {
                "elsewhere" if s in empty else f"t{t:02}": {
                    f"d{(d + s) % 6}": 6.0 - d for d in range(6)
                }
                for t in range(topics)
            }
            for s in range(3)
        }
    )


def notes_of(judgments, runs, **options):
    options = {"draws": 100, "outlook": False} | options
    found = hj.leaderboard(judgments, runs, "P@2", **options)
    return {note.kind: note for note in found.notes}


def test_nothing_is_told_where_nothing_is_odd():
    assert set(notes_of(judgments_of(), runs_of())) <= {"judges"}


@pytest.mark.parametrize(("topics", "told"), [(9, True), (10, False)])
def test_fewer_than_ten_topics(topics, told):
    found = notes_of(judgments_of(topics), runs_of(topics))
    assert ("few-topics" in found) == told
    if told:
        assert found["few-topics"].count == 9
        assert found["few-topics"].about == "result"


@pytest.mark.parametrize(("judges", "told"), [(1, False), (2, True), (3, False)])
def test_two_judges(judges, told):
    assert ("two-judges" in notes_of(judgments_of(judges=judges), runs_of())) == told


@pytest.mark.parametrize(("topics_left", "told"), [(6, False), (5, True)])
def test_more_than_half_of_the_documents_with_one_label(topics_left, told):
    """Two of three judges label only some of the twelve topics."""

    def shorten(labels):
        for name in ("j1", "j2"):
            labels[name] = dict(list(labels[name].items())[:topics_left])

    found = notes_of(judgments_of(change=shorten), runs_of())
    assert ("one-label" in found) == told
    if told:
        assert found["one-label"].count == 7 * 6
        assert "42 of 72 documents" in str(found["one-label"])


def test_one_judge_labels_everything_alone():
    assert "one-label" not in notes_of(judgments_of(judges=1), runs_of())


def test_systems_that_retrieved_nothing():
    found = notes_of(judgments_of(), runs_of(empty=(0, 2)))
    assert found["nothing-retrieved"].count == 2
    assert found["nothing-retrieved"].subjects == ("s0", "s2")


def test_a_list_that_lacks_some_topics_is_not_empty():
    runs = runs_of().to_dict()
    runs["s1"] = {"t00": runs["s1"]["t00"]}
    assert "nothing-retrieved" not in notes_of(judgments_of(), hj.read_runs(runs))


def test_judges_with_one_label_for_everything():
    def flatten(labels):
        labels["same"] = {t: dict.fromkeys(documents, 1) for t, documents in labels["j0"].items()}
        nearly = {t: dict.fromkeys(documents, 0) for t, documents in labels["j0"].items()}
        nearly["t00"]["d0"] = 1
        labels["nearly"] = nearly

    found = notes_of(judgments_of(change=flatten), runs_of())
    assert found["constant-judge"].count == 1
    assert found["constant-judge"].subjects == ("same",)


def test_the_level_is_that_of_the_intervals():
    given = {"draws": 400, "outlook": False, "target": "population"}
    wide = hj.leaderboard(judgments_of(), runs_of(), "P@2", level=0.99, **given)
    narrow = hj.leaderboard(judgments_of(), runs_of(), "P@2", level=0.5, **given)
    assert wide.settings.level == 0.99
    assert wide.systems[0] == "s0"  # scores 1 on every topic
    assert (wide.high - wide.low > narrow.high - narrow.low)[1:].all()
    inside = (narrow.low <= narrow.mean) & (narrow.mean <= narrow.high)
    assert inside.all()


@pytest.mark.parametrize("merge", ["binmv", "mv", "em-neu", "aware", "aware(sgl_fro_md)"])
def test_every_note_is_told_once(merge):
    """Notes about labels, runs and the merge, whatever the merge."""
    given = {
        f"j{k}": {f"t{t:02}": {f"d{d}": (d + k) % 3 // 2 for d in range(6)} for t in range(12)}
        for k in range(3)
    }
    judgments = hj.read_judgments(given, grades=range(2))
    runs = runs_of().to_dict()
    del runs["s1"]["t03"]
    found = hj.leaderboard(judgments, hj.read_runs(runs), "P@2", merge, draws=100, replicates=10)
    texts = [str(note) for note in found.notes]
    assert len(texts) == len(set(texts))
    assert [note.kind for note in found.notes].count("missing-topic") == 1


def test_notes_on_judges_are_told_first(tmp_path):
    """Files are odd more often than judges, and matter less."""
    for judge in "ab":
        lines = [f"t{t} 0 d{d} {int(d < 3)}" for t in range(2) for d in range(6)]
        (tmp_path / f"{judge}.qrels").write_text("\n".join(lines) + "\n")
    tied = [f"t{t} Q0 d{d} 1 1.0 s" for t in range(2) for d in range(6)]
    (tmp_path / "s.run").write_text("\n".join(tied) + "\n")
    words = ["leaderboard", "--judges", f"{tmp_path}/*.qrels", "--runs", f"{tmp_path}/s.run"]
    done = CliRunner().invoke(command, [*words, "-m", "P@2", "--draws", "100"])
    assert done.exit_code == 0, done.stderr
    told = done.stderr
    assert 0 <= told.index("only two judges") < told.index("equal scores")


@pytest.mark.parametrize(
    ("first", "other", "told"),
    [(0.35, 0.45, True), (0.45, 0.35, False), (0.4, 0.4, False), (0.344, 0.346, True),
     (0.341, 0.344, False)],
)  # fmt: skip
def test_a_larger_chance_to_be_the_best_further_down_is_explained(first, other, told):
    """Exactly where the percentages that are shown contradict the order."""
    beats = np.array([[0.5, 0.53, 1], [0.47, 0.5, 1], [0, 0, 0.5]])
    chances = np.array([first, other, 1 - first - other])
    notes = best_elsewhere(["a", "b", "c"], {"p_best": chances, "beats": beats})
    assert bool(notes) == told
    if told:
        assert notes[0].subjects == ("b",)
        assert "beats it with a chance of 53 %" in str(notes[0])
        assert notes[0].about == "result"


def test_boards_explain_who_is_likeliest_to_be_the_best():
    told = 0
    for seed in (26, 27, 28, 29, 52):
        made = hj.simulate(
            systems=6 + seed % 5, topics=8 + 4 * (seed % 4), documents=60, seed=seed
        )  # fmt: skip
        board = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=500, outlook=False)
        shown = np.round(100 * board.p_best)
        kinds = [note.kind for note in board.notes]
        assert ("best-elsewhere" in kinds) == (shown.max() > shown[0])
        told += "best-elsewhere" in kinds
    assert told


def test_order_chances_and_gates_follow_labels_that_support_no_level():
    """Means are then the panel's, but it is not by these that systems are ranked."""
    made = hj.simulate(systems=8, topics=12, documents=60, fooled=0.1, seed=4)
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", budget=30)
    truth, gold = made.gold.to_dict(), {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = truth[topic][document]
    given = {"gold": gold, "plan": plan, "draws": 500}
    found = hj.leaderboard(made.judgments, made.runs, "nDCG@10", **given)
    assert not found.correction.level_known
    assert found.correction.decides == "gold"
    note = next(note for note in found.notes if note.kind == "unknown-level")
    assert "ranks and chances follow the labels" in note.text
    assert np.diff(found.mean).max() > 0  # the panel alone ranks in another order
    assert np.diff(found.centre).max() <= 0
    assert found.beats[0, 1:].min() > 0.5
    assert found.p_best.argmax() == 0
    first, second = found.systems[:2]
    (decided,) = hj.gate(made.judgments, made.runs, second, first, "nDCG@10", **given)
    assert decided.difference == pytest.approx(found.centre[0] - found.centre[1])
    assert decided.difference > 0
    assert decided.chance > 0.5
