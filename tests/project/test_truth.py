"""Leaderboards of LLM judges against people's labels: the benchmark `benchmarks.truth`, reduced."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.truth.boards import BINS, DEFAULT, Compared, Distance, against, compare, estimate
from benchmarks.truth.plain_mean import ap_of_mean_votes, ndcg_of_mean_grades
from benchmarks.truth.public import Panel, dl21
from benchmarks.truth.reliability import pooled

import hungjury as hj
from hungjury.data.alignment import align
from hungjury.leaderboard.draws import Estimate


@pytest.fixture(scope="module")
def public(shared_data):
    return dl21(shared_data)


@pytest.mark.long
@pytest.mark.parametrize("measure", ["nDCG@10", "RBP(p=0.8, rel=2)"])
def test_chances_are_right_as_often_as_they_say(public, measure):
    panels = [p for p in public.panels(3, seed=5) if len(p.judges) == 5]
    found = [
        one
        for k, panel in enumerate(panels)
        for one in compare(public, panel, measure, DEFAULT, 300, k)
        if one.board in ("all", "5 random", "2 random")
    ]
    whole = pooled(found)
    assert whole.holds
    assert pooled([c for c in found if c.board == "all"]).sure > 0.08  # and it says something


def test_stray_labels_do_not_turn_a_board_upside_down(public):
    """Codes beyond the scale were once learned as a grade, and the order of grades with them."""
    everybody = Panel("one family", tuple(range(len(public.judgments.judges))))
    found = compare(public, everybody, "nDCG@10", DEFAULT, 200, 0)
    assert found[0].distance.tau_ap > 0.7


def test_a_board_of_few_systems_is_a_part_of_the_whole_one(public):
    panel = Panel("one family", (0, 5, 9))
    given = public.of(panel)
    whole = estimate(given, public.alignment, "nDCG@10", DEFAULT, 1000, 0)
    best = np.argsort(-whole.mean)[[0, 20]]
    names = [public.runs.systems[s] for s in best]
    runs = {s: {t: dict(public.runs.ranked(s, t)) for t in public.gold.topics} for s in names}
    two = hj.leaderboard(given, runs, "nDCG@10", target="topics", outlook=False, seed=3)
    share = (whole.draws[:, best[0]] > whole.draws[:, best[1]]).mean()
    assert two.systems == names
    assert two.beats[0, 1] == pytest.approx(share, abs=0.06)


def made_up(mean, draws):
    mean = np.array(mean)
    return Estimate("panel", mean, mean[:, None], draws, draws, None, together=False)


def test_pairs_are_counted_by_the_chance_they_got():
    rng = np.random.default_rng(0)
    mean = np.array([0.0, 0.5, 3.0])
    draws = mean + rng.normal(size=(2000, 3))
    truth = np.array([0.2, 0.1, 0.9])
    pairs, right, apart, wrong = against(made_up(mean, draws), truth, np.arange(3))
    expected, good = [0] * (len(BINS) - 1), [0] * (len(BINS) - 1)
    for a in range(3):
        for b in range(a + 1, 3):
            chance = np.mean(draws[:, b] > draws[:, a])  # b has the larger mean
            k = max(i for i in range(len(BINS) - 1) if chance >= BINS[i])
            expected[k] += 1
            good[k] += truth[b] > truth[a]
    assert pairs.tolist() == expected
    assert right.tolist() == good
    assert (apart, wrong) == (1, 0)
    _, _, apart, wrong = against(made_up(mean, draws), -truth, np.arange(3))
    assert (apart, wrong) == (1, 1)


def test_pooling_adds_up_pairs():
    panels = [Panel("mixed", (k,)) for k in range(4)]
    rng = np.random.default_rng(1)
    found = []
    for panel in panels:
        pairs = rng.integers(5, 50, 5)
        one = {"collection": "c", "measure": "m", "panel": panel, "way": "w", "board": "all"}
        found.append(Compared(**one, pairs=pairs, right=pairs - 1, apart=10, wrong=1))
    whole = pooled(found)
    assert whole.right == pytest.approx(1 - 4 / sum(c.pairs for c in found))
    assert whole.wrong == pytest.approx(0.1)
    assert (whole.low <= whole.right).all()
    assert (whole.right <= whole.high).all()
    assert not whole.holds  # one in ten told apart is wrong
    assert pooled([replace(c, wrong=0) for c in found]).share.sum() == pytest.approx(1)


def test_mean_grades_of_sure_judges_give_the_measure_itself():
    made = hj.simulate(systems=3, topics=4, documents=60, grades=4)
    sure = hj.read_judgments({name: made.gold.to_dict() for name in "ab"})
    aligned = align(made.runs, sure.pool)
    truth = hj.evaluate(made.gold, made.runs, ["nDCG@10", "AP(rel=2)"]).mean()
    assert ndcg_of_mean_grades(sure, aligned) == pytest.approx(truth[0])
    assert ap_of_mean_votes(sure, aligned) == pytest.approx(truth[1])


def test_distances_leave_the_level_out():
    truth = np.array([0.1, 0.4, 0.5, 0.9])
    far = Distance.of(truth + 0.2, truth)
    assert far.level == pytest.approx(0.2)
    assert far.error == pytest.approx(0, abs=1e-12)
    assert Distance.of(2 * truth, truth).fitted == pytest.approx(0, abs=1e-12)
    assert Distance.of(2 * truth, truth).error == pytest.approx(truth.std(ddof=1))
