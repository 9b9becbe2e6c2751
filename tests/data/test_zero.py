"""Scales that start at 1, labels far above all others, and gold labels on another scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError
from hungjury.cli.failing import command_line

RNG = np.random.default_rng(5)


def labels(top: int, start: int = 0) -> dict[str, dict[str, int]]:
    """Labels of ten topics."""
    drawn = RNG.integers(start, top + 1, size=(10, 26)).tolist()
    return {f"t{t}": {f"d{d}": n for d, n in enumerate(row)} for t, row in enumerate(drawn)}


def panel(top: int, start: int = 0) -> dict[str, Any]:
    return {name: labels(top, start) for name in ("ann", "bob", "eve")}


def runs() -> dict[str, Any]:
    return {
        name: {f"t{t}": {f"d{d}": float(RNG.random()) for d in range(26)} for t in range(10)}
        for name in ("one", "two", "three")
    }


USES = {
    "leaderboard": lambda votes, **more: hj.leaderboard(votes, runs(), "P@5", draws=100, **more),
    "merge": lambda votes, **more: hj.merge(votes, "mv", **more),
    "agreement": lambda votes, **more: hj.agreement(votes, **more),
    "aware": lambda votes, **more: hj.aware(votes, runs(), "P@5", replicates=20, **more),
    "plan": lambda votes, **more: hj.plan(votes, runs(), "P@5", 20, **more),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_judges_who_never_give_0_are_asked_about(use: Any) -> None:
    votes = panel(4, start=1)
    with pytest.raises(InputError) as caught:
        use(votes)
    assert caught.value.code == "no-zero"
    typed = caught.value.render(
        command_line({"grades": "--grades", "map": "--map", "rel": "--rel"})
    )
    assert "--grades 1-4" in typed
    assert "--rel 2" in typed
    use(votes, grades="1-4")
    use(votes, grades=range(5))
    use(votes, rel=2)
    use(votes, map={1: 0, 2: 0, 3: 1, 4: 1})


def test_the_lowest_relevant_grade_may_not_be_the_lowest_label() -> None:
    with pytest.raises(InputError, match="no judge ever gives 0"):
        hj.merge(panel(4, start=1), "mv", rel=1)


def test_declared_grades_from_1_are_counted_from_0() -> None:
    votes = panel(4, start=1)
    shifted = {j: {t: {d: n - 1 for d, n in row.items()} for t, row in of.items()}
               for j, of in votes.items()}  # fmt: skip
    read, told = hj.read_judgments(votes, grades="1-4"), hj.read_judgments(shifted)
    assert read.qrels_of("bob").to_dict() == told.qrels_of("bob").to_dict()
    assert read.grades == told.grades == (0, 1, 2, 3)
    assert read.settings.grades == (1, 2, 3, 4)
    assert [note.kind for note in read.notes] == ["zero-set"]


def test_positive_labels_of_one_qrels_are_noted_at_most() -> None:
    qrels = hj.read_qrels(labels(4, start=1))
    assert [note.kind for note in qrels.notes] == ["no-zero"]
    assert hj.read_qrels({"1": {"a": 1, "b": 2}}).notes == ()
    for number, noted in ((99, []), (100, ["no-zero"])):
        some = {f"d{i}": 1 + i % 3 for i in range(number)}
        assert [note.kind for note in hj.read_qrels({"1": some}).notes] == noted


def test_a_typing_error_is_listed_with_its_count() -> None:
    wrong = labels(3)
    wrong["t3"]["d4"] = wrong["t5"]["d6"] = 33
    report = hj.audit(wrong)
    assert report.exit_code == 1
    (note,) = report.notes
    assert note.kind == "stray-labels"
    assert "33 (2)" in str(note)
    assert not hj.read_qrels(labels(3)).notes
    assert not hj.read_qrels({"1": {str(i): [0, 1, 3, 7, 15][i % 5] for i in range(500)}}).notes


@pytest.mark.parametrize(("gold", "judges"), [(1, 3), (9, 3), (3, 1), (2, 1)])
def test_gold_on_another_scale_is_refused(gold: int, judges: int) -> None:
    with pytest.raises(InputError) as caught:
        hj.leaderboard(panel(judges), runs(), "ERR@10", gold=labels(gold), draws=100)
    assert caught.value.code == "gold-scale"
    hj.leaderboard(panel(judges), runs(), "P@5", gold=labels(gold), rel=1, draws=100)
    with pytest.raises(InputError, match="gold labels are"):
        hj.aware(panel(judges), runs(), "P@5", "supervised", gold=labels(gold))


@pytest.mark.parametrize("stray", [250, 999])
def test_a_stray_gold_label_is_refused(stray: int) -> None:
    gold = labels(3)
    gold["t1"]["d1"] = stray
    with pytest.raises(InputError, match=rf"\({stray} \(1\)\)"):
        hj.leaderboard(panel(3), runs(), "ERR@10", gold=gold, draws=100)


def test_a_small_sample_without_the_highest_grade_is_ordinary() -> None:
    gold = {"t1": {"d0": 0, "d1": 1, "d2": 2, "d5": 1}}
    board = hj.leaderboard(panel(3), runs(), "P@5", gold=gold, draws=100)
    assert not {"gold-scale", "gold-no-zero"} & {note.kind for note in board.notes}


def test_what_is_unusual_about_gold_labels_is_noted() -> None:
    votes = panel(3)
    gold = {t: dict(row) for t, row in votes["bob"].items()}
    board = hj.leaderboard(votes, runs(), "P@5", gold=gold, draws=100)
    assert [n.subjects for n in board.notes if n.kind == "gold-equals-judge"] == [("bob",)]
    gold["t1"]["d1"] = gold["t2"]["d1"] = -1
    gold = {t: {d: n for d, n in row.items() if n != 0} for t, row in gold.items()}
    notes = {n.kind: n for n in hj.leaderboard(votes, runs(), "P@5", gold=gold, draws=100).notes}
    assert notes["gold-negative"].count == 2
    assert "gold-no-zero" in notes
