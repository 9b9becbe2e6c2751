"""Leaderboards corrected by gold labels."""

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.gold import board, labels_of, simulated
from hungjury.base.errors import HungjuryError
from hungjury.cli.main import hungjury as command
from hungjury.leaderboard.sample import gold_sample


@pytest.fixture(scope="module")
def made():
    return simulated()


@pytest.fixture(scope="module")
def plan(made):
    return hj.plan(made.judgments, made.runs, "nDCG@10", 120, seed=2)


def test_a_plan_corrects_the_board(made, plan):
    found = board(made, gold=labels_of(plan, made.gold), plan=plan)
    assert found.scale == "people"
    assert found.correction.estimate == "combined"
    assert found.correction.labels == 120
    truth = hj.evaluate(made.gold, made.runs, "nDCG@10")
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    people = np.array([mean[s] for s in found.systems])
    panel = board(made)
    other = np.array([mean[s] for s in panel.systems])
    assert np.abs(found.mean - people).mean() < 0.5 * np.abs(panel.mean - other).mean()
    assert ((found.low <= people) & (people <= found.high)).all()
    text = str(found)
    assert "corrected by 120 gold labels" in text
    assert "Smallest detectable difference" in text
    assert found.to_dict()["correction"]["labels"] == 120
    sizes = [size for _, size in found.correction.expected]
    assert sizes == sorted(sizes, reverse=True)


def test_a_plans_file_serves_as_well(made, plan, tmp_path):
    plan.write(tmp_path / "plan.csv")
    labels = labels_of(plan, made.gold)
    one = board(made, gold=labels, plan=plan)
    two = board(made, gold=labels, plan=tmp_path / "plan.csv")
    np.testing.assert_array_equal(one.samples, two.samples)


def test_stopping_early_uses_the_probabilities_there(made, plan):
    sample = gold_sample(labels_of(plan, made.gold, range(60)), made.judgments, plan=plan)
    rows = [
        made.judgments.pool.find(t, d) for t, d in zip(plan.topics, plan.documents, strict=True)
    ]
    assert sorted(rows[:60]) == sample.documents.tolist()
    expected = plan.probability_after(60)[:60]
    np.testing.assert_allclose(sample.probability[rows[:60]], expected)
    assert len(sample.skipped) == 0


def test_skipped_documents_are_told(made, plan):
    rows = [i for i in range(100) if i not in (3, 50, 51)]
    found = board(made, gold=labels_of(plan, made.gold, rows), plan=plan)
    assert found.correction.skipped == 3
    note = next(n for n in found.notes if n.kind == "skipped")
    assert "could be off by up to" in str(note)
    far = [*range(40), 119]
    sample = gold_sample(labels_of(plan, made.gold, far), made.judgments, plan=plan)
    assert len(sample.documents) == 40
    assert any(n.kind == "after-gap" for n in sample.notes)


def test_gold_of_whole_topics(made):
    truth = made.gold.to_dict()
    some = {t: truth[t] for t in list(truth)[:4]}
    found = board(made, gold=some, gold_design="topics")
    assert found.correction.estimate == "direct"
    assert found.correction.design == "topics"
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 200, "topics")
    assert board(made, gold=labels_of(plan, made.gold), plan=plan).correction.design == "topics"
    with pytest.raises(HungjuryError, match="gold labels of all pooled documents"):
        board(made, gold={"1": dict(list(truth["1"].items())[:5])}, gold_design="topics")


def test_gold_of_random_documents(made):
    rng = np.random.default_rng(5)
    truth = made.gold.to_dict()
    some = {t: {d: g for d, g in docs.items() if rng.random() < 0.4} for t, docs in truth.items()}
    found = board(made, gold=some, gold_design="random")
    assert found.correction.design == "random"
    assert found.correction.estimate == "combined"


def test_an_unknown_design_is_said(made, plan):
    found = board(made, gold=labels_of(plan, made.gold))
    assert found.correction.estimate == "model"
    assert "chosen in an unknown way" in str(found)
    assert any(n.kind == "unknown-design" for n in found.notes)


def test_average_precision_is_direct(made, plan):
    found = board(made, "AP", gold=labels_of(plan, made.gold), plan=plan)
    assert found.correction.estimate == "direct"
    kinds = {n.kind for n in found.notes}
    assert {"direct-only", "other-measure"} <= kinds
    chosen = board(made, gold=labels_of(plan, made.gold), plan=plan, estimate="direct")
    assert chosen.correction.estimate == "direct"
    np.testing.assert_array_equal(chosen.mean, chosen.correction.direct_mean)


def test_several_people(made, plan):
    labels = labels_of(plan, made.gold)
    other = {t: {d: min(g + 1, 2) for d, g in docs.items()} for t, docs in labels.items()}
    people = hj.read_judgments({"ann": labels, "bob": other}, grades=range(3))
    sample = gold_sample(people, made.judgments, plan=plan)
    assert sample.people.tolist() == [2] * 120
    changed = made.gold.labels[sample.documents] < 2
    np.testing.assert_allclose(sample.shares[changed].max(axis=1), 0.5)
    one = board(made, gold=labels, plan=plan, estimate="direct", target="topics")
    two = board(made, gold=people, plan=plan, estimate="direct", target="topics")
    assert two.mean.mean() > one.mean.mean()
    same = hj.read_judgments({"ann": labels, "bob": labels}, grades=range(3))
    three = board(made, gold=same, plan=plan, estimate="direct", target="topics")
    np.testing.assert_allclose(three.mean, one.mean)
    np.testing.assert_array_equal(sample.disagreement, np.ones(120))


def test_binary_labels(made, plan):
    found = board(made, "AP", gold=made.gold, rel=2)
    truth = hj.evaluate(made.gold, made.runs, "AP(rel=2)")
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    np.testing.assert_allclose(found.mean, [mean[s] for s in found.systems])


@pytest.mark.parametrize(
    ("rows", "change", "kind"),
    [(5, None, "few-labels"), (100, 1, "equal-labels")],
)
def test_little_to_learn_from(made, plan, rows, change, kind):
    labels = labels_of(plan, made.gold, range(rows))
    if change is not None:
        labels = {t: dict.fromkeys(docs, change) for t, docs in labels.items()}
    found = board(made, gold=labels, plan=plan)
    assert any(n.kind == kind for n in found.notes)
    assert np.isfinite(found.samples).all()


def test_labels_outside_are_told(made, plan):
    labels = labels_of(plan, made.gold)
    labels["1"] = {**labels.get("1", {}), "nowhere": 1}
    drawn = set(zip(plan.topics, plan.documents, strict=True))
    truth = made.gold.to_dict()
    stray = next((t, d) for t, docs in truth.items() for d in docs if (t, d) not in drawn)
    labels[stray[0]] = {**labels[stray[0]], stray[1]: 1}
    found = board(made, gold=labels, plan=plan)
    assert {"gold-outside-pool", "not-in-plan"} <= {n.kind for n in found.notes}
    assert found.correction.labels == 120


def test_a_plan_for_something_else(made, plan):
    labels = labels_of(plan, made.gold)
    fewer = {j: made.judgments.qrels_of(j).to_dict() for j in made.judgments.judges[:2]}
    with pytest.raises(HungjuryError, match="other judgments"):
        hj.leaderboard(fewer, made.runs, "nDCG@10", gold=labels, plan=plan, draws=100)
    lists = {s: {t: dict(made.runs.ranked(s, t)) for t in made.runs.topics}
             for s in made.runs.systems[:3]}  # fmt: skip
    found = hj.leaderboard(made.judgments, lists, "nDCG@10", gold=labels, plan=plan, draws=100)
    assert any(n.kind == "other-runs" for n in found.notes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gold": {"1": {"nowhere": 1}}}, "no judged document has a gold label"),
        ({"gold_design": "random"}, "need gold labels"),
        ({"plan": "PLAN"}, "need gold labels"),
        ({"gold": "LABELS", "gold_design": "plan"}, "need the plan"),
        ({"gold": "LABELS", "gold_design": "dice"}, "invalid value"),
        ({"gold": "LABELS", "estimate": "best"}, "invalid value"),
        ({"gold": "LABELS", "plan": "PLAN", "gold_design": "random"}, "a plan was given"),
    ],
)
def test_what_is_refused(made, plan, given, message):
    values = {"PLAN": plan, "LABELS": labels_of(plan, made.gold)}
    given = {k: values.get(v, v) if isinstance(v, str) else v for k, v in given.items()}
    with pytest.raises(HungjuryError, match=message):
        board(made, **given)


def test_labels_of_another_plan(made, plan):
    drawn = set(zip(plan.topics, plan.documents, strict=True))
    truth = made.gold.to_dict()
    others = {
        t: {d: g for d, g in docs.items() if (t, d) not in drawn} for t, docs in truth.items()
    }
    with pytest.raises(HungjuryError, match="no document of the plan"):
        board(made, gold=others, plan=plan)


def test_looks_ask_for_more(made, plan):
    labels = labels_of(plan, made.gold)
    once = board(made, gold=labels, plan=plan)
    often = board(made, gold=labels, plan=plan, looks=[60, 120, 240])
    last = board(made, gold=labels, plan=plan, looks=[120])
    assert once.correction.stretch == 1
    assert last.correction.stretch == pytest.approx(1, abs=1e-3)
    assert often.correction.stretch > 1.2
    assert not (often.apart & ~once.apart).any()
    assert "labelling may stop here" in str(often)
    with pytest.raises(HungjuryError, match="largest budget"):
        board(made, gold=labels, plan=plan, looks=[50, 100])


def test_the_command(made, plan, tmp_path):
    made.write(tmp_path)
    plan.write(tmp_path / "plan.csv")
    text = "".join(f"{t} 0 {d} {g}\n" for t, docs in labels_of(plan, made.gold).items()
                   for d, g in docs.items())  # fmt: skip
    (tmp_path / "labels.qrels").write_text(text)
    args = ["leaderboard", "--judges", f"{tmp_path}/judges/*", "--runs", f"{tmp_path}/runs/*",
            "--draws", "100", "--grades", "0-2", "--gold", str(tmp_path / "labels.qrels"),
            "--plan", str(tmp_path / "plan.csv"), "--report", str(tmp_path / "r.html")]  # fmt: skip
    done = CliRunner().invoke(command, args, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "corrected by 120 gold labels" in done.stdout
    assert "Panel and people" in (tmp_path / "r.html").read_text()
