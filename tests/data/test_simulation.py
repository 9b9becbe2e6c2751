"""Simulated collections: shares of labels as declared."""

from __future__ import annotations

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError
from hungjury.data.simulation import Simulation


def shares(made: Simulation) -> dict[str, float]:
    """How often each judge gives the true grade, by loops."""
    truth = made.gold.to_dict()
    out = {}
    for judge in made.judgments.judges:
        given = made.judgments.qrels_of(judge).to_dict()
        same = [label == truth[t][d] for t, labels in given.items() for d, label in labels.items()]
        out[judge] = sum(same) / len(same)
    return out


def test_what_is_simulated_unless_something_else_is_said() -> None:
    made = hj.simulate()
    same = hj.simulate(
        8, 20, 300, 50, (0.9, 0.8, 0.7, 0.6, 0.45), 2, 0, odd=(), hardness=0.3, fooled=0, reach=1
    )
    assert made.gold.to_dict() == same.gold.to_dict()
    assert made.runs.to_dict() == same.runs.to_dict()
    for judge in made.judgments.judges:
        mine, other = (one.judgments.qrels_of(judge).to_dict() for one in (made, same))
        assert mine == other
    lengths = {len(made.runs.ranked(s, t)) for s in made.runs.systems for t in made.runs.topics}
    assert (len(made.runs.systems), len(made.gold.topics), lengths) == (8, 20, {50})


@pytest.mark.parametrize("grades", [2, 4])
def test_judges_are_as_accurate_as_declared(grades: int) -> None:
    made = hj.simulate(4, 40, 100, 30, (0.9, 0.6, 0.3), grades)
    assert list(shares(made).values()) == pytest.approx([0.9, 0.6, 0.3], abs=0.03)
    assert made.gold.grades == tuple(range(grades))
    labels = [label for documents in made.gold.to_dict().values() for label in documents.values()]
    assert {*labels} == set(range(grades))


def test_fooled_judges_err_on_the_same_documents() -> None:
    made = hj.simulate(4, 40, 100, 30, (1.0, 1.0), fooled=0.2)
    assert (
        made.judgments.qrels_of("judge1").to_dict() == made.judgments.qrels_of("judge2").to_dict()
    )
    assert shares(made)["judge1"] == pytest.approx(0.8, abs=0.03)


def test_odd_judges_are_what_they_are_called() -> None:
    odd = ("copycat", "constant", "lazy", "reversed", "coder", "lazy")
    made = hj.simulate(4, 40, 100, 30, (1.0,), 3, odd=odd)
    truth, told = shares(made), {j: made.judgments.qrels_of(j) for j in made.judgments.judges}
    size, gold = len(made.gold), made.gold.to_dict()
    assert made.judgments.judges == ["judge1", *odd[:-1], "lazy2"]
    assert truth["copycat"] == pytest.approx(1 - 0.01 * 2 / 3, abs=0.01)
    assert {g for labels in told["constant"].to_dict().values() for g in labels.values()} == {2}
    assert len(told["lazy"]) == pytest.approx(size / 3, rel=0.1)
    assert truth["lazy"] == pytest.approx(0.5 + 0.5 / 3, abs=0.05)
    assert len(told["coder"]) == pytest.approx(0.9 * size, rel=0.03)
    backwards = [
        label == 2 - gold[t][d]
        for t, labels in told["reversed"].to_dict().items()
        for d, label in labels.items()
    ]
    assert np.mean(backwards) == pytest.approx(0.75 + 0.25 / 3, abs=0.04)


def test_better_systems_score_higher_and_the_pool_has_their_first_20() -> None:
    made = hj.simulate(3, 40, 100, 30)
    scores = hj.evaluate(made.gold, made.runs, ["AP"]).mean()[0]
    assert scores[0] > scores[1] > scores[2]
    labelled = made.gold.to_dict()
    for topic in made.runs.topics:
        tops = {d for s in made.runs.systems for d, _ in made.runs.ranked(s, topic)[:20]}
        assert tops <= set(labelled[topic]) <= tops | {f"doc{topic}-0"}
    relevant = [max(labels.values()) for labels in labelled.values()]
    assert min(relevant) == 1


@pytest.mark.parametrize(
    "wrong", [{"fooled": 1.1}, {"fooled": -0.1}, {"hardness": -1}, {"reach": 1.1},
              {"accuracies": ()}, {"accuracies": (0.5, 1.1)}],
)  # fmt: skip
def test_shares_that_are_none(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        hj.simulate(**wrong)
