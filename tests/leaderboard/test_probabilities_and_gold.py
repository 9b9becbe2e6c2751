"""Judges who give probabilities, corrected by gold labels."""

import numpy as np
import pytest

import hungjury as hj


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=3, topics=6, documents=30, depth=10, grades=3, seed=3)


@pytest.fixture(scope="module")
def panel(made):
    """Probabilities that follow the gold labels, each judge with some noise."""
    rng = np.random.default_rng(1)
    return {
        f"j{k}": {
            t: {d: float(np.clip(0.25 + g / 4 + rng.normal(0, 0.2), 0, 1)) for d, g in of.items()}
            for t, of in made.gold.to_dict().items()
        }
        for k in range(3)
    }


def board(made, panel, gold, **given):
    return hj.leaderboard(panel, made.runs, "nDCG@10", draws=100, gold=gold, **given)


def test_labels_of_the_whole_pool_give_their_own_scores(made, panel, tmp_path):
    found = board(made, panel, made.gold)
    truth = hj.evaluate(made.gold, made.runs, "nDCG@10")
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    assert found.mean == pytest.approx([mean[s] for s in found.systems])
    found.write_page(tmp_path / "page.html")
    assert "against gold" in str(found)


def test_judges_are_compared_by_what_they_make_likelier(made, panel):
    found = board(made, panel, made.gold).gold
    truth = made.gold.to_dict()
    assert [row.kind for row in found.rows] == ["judge"] * 3 + ["panel"]
    for row in found.rows[:3]:
        pairs = [
            (p > 0.5, truth[t][d] >= 1) for t, of in panel[row.name].items() for d, p in of.items()
        ]
        assert row.documents == len(pairs)
        assert row.agreement == pytest.approx(np.mean([a == b for a, b in pairs]))


def test_a_plan_made_from_probabilities_can_be_used(made, panel):
    plan = hj.plan(panel, made.runs, "nDCG@10", 40)
    truth, gold = made.gold.to_dict(), {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = truth[topic][document]
    found = board(made, panel, gold, plan=plan)
    assert found.correction.estimate == "combined"
    assert found.correction.effective_judges is None
    assert np.isfinite(found.mean).all()


def test_one_gold_topic_has_a_bias_and_no_interval(made, panel):
    first = made.gold.topics[0]
    text = str(board(made, panel, {first: made.gold.to_dict()[first]}))
    assert "bias of the panel on 1 gold topic, mean over systems: " in text
    assert "inf" not in text
