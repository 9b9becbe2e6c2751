"""A panel that agrees poorly with gold labels: said in the headline, and nothing is concluded."""

import json
from dataclasses import replace

import numpy as np
import pytest

import hungjury as hj
from hungjury.labelling.results import summarised

POOR = "agrees poorly with gold labels"


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=4, topics=12, documents=60, depth=30, grades=3, seed=2)


@pytest.fixture(scope="module")
def noise(made):
    """The same judges, with their labels shuffled."""
    given = made.judgments
    return replace(given, label=np.random.default_rng(0).permutation(given.label))


def labelled(plan, gold):
    truth, out = gold.to_dict(), {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        out.setdefault(topic, {})[document] = truth[topic][document]
    return out


def board(made, judgments, labels=150, **given):
    plan = hj.plan(judgments, made.runs, "nDCG@10", labels)
    if "gold_design" not in given and given.pop("planned", True):
        given["plan"] = plan
    gold = given.pop("gold", None) or labelled(plan, made.gold)
    return hj.leaderboard(judgments, made.runs, "nDCG@10", gold=gold, draws=200, **given)


@pytest.mark.parametrize("planned", [True, False])
def test_nothing_is_concluded(made, noise, planned, tmp_path):
    found = board(made, noise, planned=planned)
    assert found.correction.estimate == ("combined" if planned else "model")
    assert found.correction.poor
    assert not found.apart.any()
    assert len(found.groups) == 1
    head = str(found).splitlines()[0]
    assert POOR in head
    assert "nothing can be concluded" in head
    assert "No pair of systems is told apart" in str(found)
    assert "can be told apart;" not in str(found)
    told = json.loads(found.to_json())
    assert told["correction"]["poor_agreement"] is True
    assert told["correction"]["concludes"] is False
    assert "nothing can be concluded" in summarised(told)[0]
    found.write_page(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "nothing can be concluded</h1>" in page
    assert "You may conclude" not in page
    assert POOR in found.to_html()


def test_gold_labels_alone_still_conclude(made, noise):
    found = board(made, noise, estimate="direct")
    assert found.correction.poor
    assert found.correction.concludes
    assert "rests on gold labels alone" in str(found).splitlines()[0]
    exact = board(made, noise, gold=made.gold)
    assert exact.correction.estimate == "exact"
    assert exact.apart.any()


def test_a_good_panel_is_not_called_poor(made, tmp_path):
    found = board(made, made.judgments)
    assert not found.correction.poor
    assert POOR not in str(found)
    found.write_page(tmp_path / "page.html")
    assert "You may conclude" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_three_labels_show_nothing(made):
    assert not board(made, made.judgments, labels=3).correction.concludes


def test_agreement_is_the_correlation_of_grades(made):
    found = board(made, made.judgments)
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 150)
    truth = made.gold.to_dict()
    gold = [truth[t][d] for t, d in zip(plan.topics, plan.documents, strict=True)]
    mean = [np.mean([v for v in row if v is not None])
            for row in zip(*plan.votes.values(), strict=True)]  # fmt: skip
    middle, low, high = found.correction.agreement
    assert middle == pytest.approx(np.corrcoef(mean, gold)[0, 1])
    assert low < middle < high
    assert np.arctanh(high) - np.arctanh(low) == pytest.approx(2 * 1.96 / np.sqrt(147))


def test_a_gate_does_not_decide(made, noise):
    plan = hj.plan(noise, made.runs, "nDCG@10", 150)
    gold = labelled(plan, made.gold)
    (found,) = hj.gate(noise, made.runs, "system4", "system1", judges=True, gold=gold, plan=plan,
                       draws=200)  # fmt: skip
    assert found.verdict == "undecided"
    assert POOR in str(found)
    assert POOR in json.loads(found.to_json())["why"]


def test_a_gate_allows_for_looks(made):
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 150)
    given = {"judges": True, "gold": labelled(plan, made.gold), "plan": plan, "draws": 200}
    (once,) = hj.gate(made.judgments, made.runs, "system4", "system1", **given)
    (often,) = hj.gate(made.judgments, made.runs, "system4", "system1", looks=[150, 300], **given)
    stretch = hj.leaderboard(made.judgments, made.runs, "nDCG@10", gold=given["gold"], plan=plan,
                             draws=200, looks=[150, 300]).correction.stretch  # fmt: skip
    assert often.high - often.low == pytest.approx(stretch * (once.high - once.low))
