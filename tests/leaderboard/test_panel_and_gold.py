"""A panel compared with gold labels: agreement of grades, what is poor, whole topics."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.leaderboard.correction import agreement_with_sample
from hungjury.leaderboard.sample import gold_sample

pytestmark = pytest.mark.filterwarnings("error")
SETTING = SimpleNamespace(rel=None)


def panel(share=0.6, judges=4, documents=30, seed=1):
    """Votes with gaps, and gold labels that they follow more or less."""
    rng = np.random.default_rng(seed)
    gold = {f"d{i:02}": int(g) for i, g in enumerate(rng.integers(0, 3, documents))}
    votes = {
        f"j{k}": {"t": {d: int(np.clip(g + rng.integers(-1, 2), 0, 2)) for d, g in gold.items()
                        if k == 0 or rng.random() < share}}
        for k in range(judges)
    }  # fmt: skip
    return votes, {"t": gold}


def test_agreement_is_the_correlation_of_mean_votes_and_gold():
    votes, gold = panel()
    judgments = hj.read_judgments(votes, grades=range(3))
    said, told = [], []
    for document, grade in gold["t"].items():
        given = [of["t"][document] for of in votes.values() if document in of["t"]]
        said.append(sum(given) / len(given))
        told.append(grade)
    found = agreement_with_sample(gold_sample(gold, judgments), judgments, SETTING)
    r = np.corrcoef(said, told)[0, 1]
    half = 1.96 / np.sqrt(len(told) - 3)  # Fisher's transform
    expected = r, np.tanh(np.arctanh(r) - half), np.tanh(np.arctanh(r) + half)
    assert found == pytest.approx(expected)


def test_a_panel_that_says_what_gold_says():
    _, gold = panel()
    judgments = hj.read_judgments({"a": gold, "b": gold}, grades=range(3))
    found = agreement_with_sample(gold_sample(gold, judgments), judgments, SETTING)
    assert found == pytest.approx((1, 1, 1))
    assert max(found) <= 1


@pytest.mark.parametrize("number", [3, 4])
def test_three_labels_say_nothing_about_agreement(number):
    votes, gold = panel()
    judgments = hj.read_judgments(votes, grades=range(3))
    labels = dict(enumerate_grades(gold, number))
    found = agreement_with_sample(gold_sample({"t": labels}, judgments), judgments, SETTING)
    assert (found == (0, -1, 1)) == (number < 4)


def enumerate_grades(gold, number):
    """The first documents whose grades are 0, 2, 1, 0, ... in turn."""
    left = list(gold["t"].items())
    for i in range(number):
        wanted = (0, 2, 1)[i % 3]
        place = next(p for p, (_, grade) in enumerate(left) if grade == wanted)
        yield left.pop(place)


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=3, topics=6, documents=40, depth=20, seed=4)


def board(made, measure="P@5", **given):
    return hj.leaderboard(
        made.judgments, made.runs, measure, draws=100, target="topics", outlook=False, **given
    )


@pytest.mark.parametrize(
    ("agreement", "poor"),
    [
        ((0.20, 0.10, 0.30), False),
        ((0.19, 0.10, 0.30), True),
        ((0.50, 0.00, 0.80), True),  # it may be no agreement at all
        ((0.50, 0.01, 0.80), False),
        ((-0.5, -0.8, -0.1), True),
    ],
)
def test_agreement_below_a_fifth_is_poor(made, agreement, poor):
    found = replace(board(made, gold=made.gold).correction, agreement=agreement)
    assert found.poor is poor
    assert found.concludes  # gold labels of the whole pool need no panel
    for estimate, concludes in (("direct", True), ("combined", not poor), ("model", not poor)):
        assert replace(found, estimate=estimate).concludes is concludes


def test_labels_of_whole_topics_shift_the_panels_means(made):
    """The panel's mean, plus what gold labels add to it on the topics that have them."""
    truth = made.gold.to_dict()
    some = made.gold.topics[:4]
    found = board(made, gold={t: truth[t] for t in some}, gold_design="topics")
    by_panel = board(made, panel_error=0)
    scores = hj.evaluate(made.gold, made.runs, "P@5")
    for mean, system in zip(found.mean, found.systems, strict=True):
        said = by_panel.cells[by_panel.systems.index(system)]
        row = scores.values[0][scores.systems.index(system)]
        at = [by_panel.topics.index(t) for t in some]
        gold = [row[scores.topics.index(t)] for t in some]
        assert mean == pytest.approx(said.mean() + np.mean(gold) - said[at].mean())


def test_an_estimate_that_does_not_exist(made):
    with pytest.raises(HungjuryError, match="estimate"):
        board(made, gold=made.gold, estimate="panel")


def test_grades_are_those_of_labels_and_gold():
    votes, gold = panel()
    judgments = hj.read_judgments(votes, grades=range(3))
    assert gold_sample(gold, judgments).grades == (0, 1, 2)
    assert gold_sample({"t": dict.fromkeys(gold["t"], 4)}, judgments).grades == (0, 1, 2, 3, 4)
    assert gold_sample(gold, judgments, rel=2).grades == (0, 1)


def test_other_numbers_of_labels_are_round():
    """Now, 50 and 100 more, then 100, 200, 500 and 1000, as far as there are documents."""
    made = hj.simulate(systems=3, topics=20, documents=60, depth=50, seed=4)
    rng = np.random.default_rng(1)
    gold = {t: {d: g for d, g in of.items() if rng.random() < 0.1} for t, of in
            made.gold.to_dict().items()}  # fmt: skip
    found = board(made, gold=gold, gold_design="random").correction
    now, pool = found.labels, len(made.judgments.pool)
    assert pool > 500
    wanted = {now, now + 50, now + 100, *(n for n in (100, 200, 500, 1000) if n > now)}
    assert [n for n, _ in found.expected] == sorted(n for n in wanted if n <= pool)
