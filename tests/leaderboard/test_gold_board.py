"""Leaderboards corrected by gold labels."""

import json
import warnings
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.gold import board, labels_of
from hungjury.base.errors import HungjuryError
from hungjury.cli.main import hungjury as command
from hungjury.labelling.results import summarised
from hungjury.leaderboard.correction import COVERED, Covered
from hungjury.leaderboard.gold import gold_labels
from hungjury.measures.catalogue import CATALOGUE, measure
from hungjury.stats.resampling import normal_reach


@pytest.fixture(scope="module")
def plan(made):
    return hj.plan(made.judgments, made.runs, "nDCG@10", 120, seed=2)


@pytest.fixture(scope="module")
def corrected(made, plan):
    return board(made, gold=labels_of(plan, made.gold), plan=plan)


def test_a_plan_corrects_the_board(made, corrected):
    found = corrected
    assert found.scale == "gold"
    assert found.correction.estimate == "direct"  # so many labels carry more than the panel
    assert "labels-alone" in {note.kind for note in found.notes}
    assert found.correction.labels == 120
    truth = hj.evaluate(made.gold, made.runs, "nDCG@10")
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    people = np.array([mean[s] for s in found.systems])
    panel = board(made)
    other = np.array([mean[s] for s in panel.systems])
    assert np.abs(found.mean - people).mean() < 0.5 * np.abs(panel.mean - other).mean()
    assert ((found.low <= people) & (people <= found.high)).all()
    text = str(found)
    assert "by 120 gold labels alone" in text
    assert "Smallest detectable difference" in text
    assert found.to_dict()["correction"]["labels"] == 120
    sizes = [size for _, size in found.correction.expected]
    assert sizes == sorted(sizes, reverse=True)


def test_a_plans_file_serves_as_well(made, plan, corrected, tmp_path):
    plan.write(tmp_path / "plan.csv")
    again = board(made, gold=labels_of(plan, made.gold), plan=tmp_path / "plan.csv")
    np.testing.assert_array_equal(again.samples, corrected.samples)


def test_stopping_early_uses_the_probabilities_there(made, plan):
    sample = gold_labels(labels_of(plan, made.gold, range(60)), made.judgments, plans=[plan])
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
    sample = gold_labels(labels_of(plan, made.gold, far), made.judgments, plans=[plan])
    assert len(sample.documents) == 40
    assert any(n.kind == "after-gap" for n in sample.notes)


def test_gold_of_whole_topics(made):
    truth = made.gold.to_dict()
    some = {t: truth[t] for t in list(truth)[:4]}
    found = board(made, gold=some, gold_design="topics")
    assert found.correction.estimate == "direct"
    assert found.correction.design == "topics"
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 200, design="topics")
    assert board(made, gold=labels_of(plan, made.gold), plan=plan).correction.design == "topics"
    with pytest.raises(HungjuryError, match="gold labels of all pooled documents"):
        board(made, gold={"1": dict(list(truth["1"].items())[:5])}, gold_design="topics")


def test_gold_of_random_documents(made):
    rng = np.random.default_rng(5)
    truth = made.gold.to_dict()
    some = {t: {d: g for d, g in docs.items() if rng.random() < 0.4} for t, docs in truth.items()}
    found = board(made, gold=some, gold_design="random")
    assert found.correction.design == "random"
    assert found.correction.estimate == "direct"
    few = {t: dict(list(docs.items())[:3]) for t, docs in some.items()}
    assert board(made, gold=few, gold_design="random").correction.estimate == "combined"


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
    sample = gold_labels(people, made.judgments, plans=[plan])
    assert sample.raters.tolist() == [2] * 120
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


def test_a_plan_belongs_to_documents(made, plan):
    """Changed judges and runs do not matter; a plan without a document of the pool does."""
    labels = labels_of(plan, made.gold)
    fewer = {j: made.judgments.qrels_of(j).to_dict() for j in made.judgments.judges[:2]}
    found = hj.leaderboard(fewer, made.runs, "nDCG@10", gold=labels, plan=plan, draws=100)
    assert found.correction.labels == 120
    lists = {s: {t: dict(made.runs.ranked(s, t)) for t in made.runs.topics}
             for s in made.runs.systems[:3]}  # fmt: skip
    found = hj.leaderboard(made.judgments, lists, "nDCG@10", gold=labels, plan=plan, draws=100)
    assert found.correction.labels == 120
    renamed = replace(plan, documents=[f"x{d}" for d in plan.documents])
    with pytest.raises(HungjuryError, match="no document of the plan is in the judged pool"):
        board(made, gold=labels, plan=renamed)


def without_topics(judgments, number):
    """The same judges on fewer topics."""
    kept = judgments.topics[number:]
    return {
        j: {t: d for t, d in judgments.qrels_of(j).to_dict().items() if t in kept}
        for j in judgments.judges
    }


def test_documents_that_joined_later_are_predicted(made):
    """Topics that were not there when the plan was made: probability 0, and their share is told."""
    before = hj.read_judgments(without_topics(made.judgments, 3), grades=range(3))
    early = hj.plan(before, made.runs, "nDCG@10", 100)
    labels = labels_of(early, made.gold)
    sample = gold_labels(labels, made.judgments, plans=[early])
    pool = made.judgments.pool
    late = np.array([pool.topics[t] not in before.topics for t in pool.topic_of])
    assert (sample.probability[late] == 0).all()
    assert (sample.probability[~late] > 0).all()
    note = next(n for n in sample.notes if n.kind == "after-plan")
    assert note.count == late.sum()
    found = board(made, gold=labels, plan=early)
    assert np.isfinite(found.samples).all()
    assert "joined the pool after the plan" in str([*map(str, found.notes)])
    known = board(made, gold=made.gold, plan=None)
    assert (
        np.abs(found.mean - known.mean[[known.systems.index(s) for s in found.systems]]).max() < 0.2
    )


def test_labels_of_several_plans_count_together(made):
    """A document is drawn if one of the plans draws it: the larger of its probabilities."""
    before = hj.read_judgments(without_topics(made.judgments, 3), grades=range(3))
    first = hj.plan(before, made.runs, "nDCG@10", 70)
    have = labels_of(first, made.gold)
    second = hj.plan(made.judgments, made.runs, "nDCG@10", 130, have=have)
    assert len(second) == 60
    assert len(second.reused) >= 0.7 * 70
    labels = {t: dict(d) for t, d in have.items()}
    for topic, documents in labels_of(second, made.gold).items():
        labels.setdefault(topic, {}).update(documents)
    both = gold_labels(labels, made.judgments, plans=[first, second])
    assert len(both.documents) == 130
    alone = [gold_labels(labels, made.judgments, plans=[one]) for one in (first, second)]
    np.testing.assert_allclose(both.probability, np.maximum(*(o.probability for o in alone)))
    assert len(alone[1].documents) == 60 + len(second.reused)
    assert board(made, gold=labels, plan=[first, second]).correction.labels == 130
    # Other seeds draw independently.
    other = hj.plan(made.judgments, made.runs, "nDCG@10", 70, seed=5)
    labels = labels_of(other, made.gold)
    for topic, documents in have.items():
        labels.setdefault(topic, {}).update(documents)
    apart = [gold_labels(labels, made.judgments, plans=[one]) for one in (first, other)]
    both = gold_labels(labels, made.judgments, plans=[first, other])
    expected = 1 - (1 - apart[0].probability) * (1 - apart[1].probability)
    np.testing.assert_allclose(both.probability, expected)
    whole = hj.plan(made.judgments, made.runs, "nDCG@10", 200, design="topics")
    with pytest.raises(HungjuryError, match="cannot be combined"):
        gold_labels(labels, made.judgments, plans=[first, whole])


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


def test_looks_ask_for_more(made, plan, corrected):
    labels, once = labels_of(plan, made.gold), corrected
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
    assert "by 120 gold labels alone" in done.stdout
    assert "Panel and people" in (tmp_path / "r.html").read_text()


# Gold labels of the whole pool give their own scores, for every measure of the catalogue.


NEEDS = {"MP": "MP(model='GL_AD_ID')", "nMCG": None}  # None: needs a model of users


def written(cls):
    """A measure of this class, with what it cannot do without."""
    for text in (cls.name, f"{cls.name}@10", f"{cls.name}(g=[0.4, 0.6])", NEEDS.get(cls.name)):
        try:
            return measure(text) if text else None
        except HungjuryError:
            continue
    return None


@pytest.mark.parametrize("cls", list(CATALOGUE), ids=lambda cls: cls.name)
def test_the_whole_pool_gives_golds_own_score(cls, little):
    one = written(cls)
    if one is None or one.expectation is not None:
        pytest.skip("needs more than labels")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = board(little, one, gold=little.gold, target="topics", outlook=False)
        except HungjuryError as error:
            pytest.skip(f"no leaderboard: {error}")
    truth = hj.evaluate(little.gold, little.runs, one)
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    expected = [mean[s] for s in found.systems]
    np.testing.assert_allclose(found.mean, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.low, expected, rtol=1e-6, atol=1e-9)
    assert found.correction.estimate == "exact"


# Judges who give probabilities, corrected by gold labels.


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


def soft_board(made, panel, gold, **given):
    return hj.leaderboard(panel, made.runs, "nDCG@10", draws=100, gold=gold, **given)


def test_labels_of_the_whole_pool_give_their_own_scores(made, panel, tmp_path):
    found = soft_board(made, panel, made.gold)
    truth = hj.evaluate(made.gold, made.runs, "nDCG@10")
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    assert found.mean == pytest.approx([mean[s] for s in found.systems])
    found.write_page(tmp_path / "page.html")
    assert "against gold" in str(found)


def test_judges_are_compared_by_what_they_make_likelier(made, panel):
    found = soft_board(made, panel, made.gold).gold
    truth = made.gold.to_dict()
    assert [row.kind for row in found.rows] == ["judge"] * 3 + ["panel"]
    for row in found.rows[:3]:
        pairs = [
            (p > 0.5, truth[t][d] >= 1) for t, of in panel[row.name].items() for d, p in of.items()
        ]
        assert row.documents == len(pairs)
        assert row.agreement == pytest.approx(np.mean([a == b for a, b in pairs]))


def test_a_plan_made_from_probabilities_can_be_used(made, panel):
    plan = hj.plan(panel, made.runs, "nDCG@10", 20)
    truth, gold = made.gold.to_dict(), {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = truth[topic][document]
    found = soft_board(made, panel, gold, plan=plan)
    assert found.correction.estimate == "combined"
    assert found.correction.effective_judges is None
    assert np.isfinite(found.mean).all()


def test_one_gold_topic_has_a_bias_and_no_interval(made, panel):
    first = made.gold.topics[0]
    text = str(soft_board(made, panel, {first: made.gold.to_dict()[first]}))
    assert "bias of the panel on 1 gold topic, mean over systems: " in text
    assert "inf" not in text


# A panel that agrees poorly with gold labels: said in the headline, and nothing is concluded.


POOR = "agrees poorly with gold labels"


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


def board_by(made, judgments, labels=150, **given):
    plan = hj.plan(judgments, made.runs, "nDCG@10", labels)
    if "gold_design" not in given and given.pop("planned", True):
        given["plan"] = plan
    gold = given.pop("gold", None) or labelled(plan, made.gold)
    return hj.leaderboard(judgments, made.runs, "nDCG@10", gold=gold, draws=200, **given)


@pytest.mark.parametrize("planned", [True, False])
def test_nothing_is_concluded(made, noise, planned, tmp_path):
    found = board_by(made, noise, labels=40, planned=planned)
    assert found.correction.estimate == ("combined" if planned else "model")
    assert found.correction.poor
    assert not found.apart.any()
    assert len(found.groups) == 1
    head = str(found).splitlines()[0]
    assert POOR in head
    assert "nothing can be concluded" in head
    assert "No pair of systems is told apart" in str(found)
    assert "can be told apart:" not in str(found)
    told = json.loads(found.to_json())
    assert told["correction"]["poor_agreement"] is True
    assert told["correction"]["concludes"] is False
    assert "nothing can be concluded" in summarised(told)[0]
    assert POOR in found.to_html()
    if planned:
        found.write_page(tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert "nothing can be concluded</h1>" in page
        assert "You may conclude" not in page


def test_gold_labels_alone_still_conclude(made, noise):
    found = board_by(made, noise, estimate="direct")
    assert found.correction.poor
    assert found.correction.concludes
    assert "rests on gold labels alone" in str(found).splitlines()[0]
    exact = board_by(made, noise, gold=made.gold)
    assert exact.correction.estimate == "exact"
    assert exact.apart.any()


def test_a_good_panel_is_not_called_poor(made, tmp_path):
    found = board_by(made, made.judgments)
    assert not found.correction.poor
    assert POOR not in str(found)
    found.write_page(tmp_path / "page.html")
    assert "You may conclude" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_few_labels_take_nothing_from_the_panel():
    made = hj.simulate(systems=5, topics=20, documents=60, grades=3, seed=1)
    alone = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=200)
    decides = []
    for labels in (3, 20):
        found = board_by(made, made.judgments, labels=labels)
        decides.append(found.correction.decides)
        assert found.pairs_apart >= alone.pairs_apart > 0
        if found.correction.decides == "panel":
            assert found.systems == alone.systems
            assert (found.beats == alone.beats).all()
    assert decides[0] == "panel"


def test_agreement_is_the_correlation_of_grades(made):
    found = board_by(made, made.judgments)
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 150)
    truth = made.gold.to_dict()
    gold = [truth[t][d] for t, d in zip(plan.topics, plan.documents, strict=True)]
    mean = [np.mean([v for v in row if v is not None])
            for row in zip(*plan.votes.values(), strict=True)]  # fmt: skip
    middle, low, high = found.correction.agreement
    assert middle == pytest.approx(np.corrcoef(mean, gold)[0, 1])
    assert low < middle < high
    assert np.arctanh(high) - np.arctanh(low) == pytest.approx(
        2 * normal_reach(0.95) / np.sqrt(147)
    )


def test_a_gate_does_not_decide(made, noise):
    plan = hj.plan(noise, made.runs, "nDCG@10", 40)
    gold = labelled(plan, made.gold)
    (found,) = hj.gate(noise, made.runs, "system4", "system1", gold=gold, plan=plan,
                       draws=200)  # fmt: skip
    assert found.verdict == "undecided"
    assert POOR in str(found)
    assert POOR in json.loads(found.to_json())["why"]


def test_a_gate_allows_for_looks(made):
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 150)
    given = {"gold": labelled(plan, made.gold), "plan": plan, "draws": 200}
    (once,) = hj.gate(made.judgments, made.runs, "system4", "system1", **given)
    (often,) = hj.gate(made.judgments, made.runs, "system4", "system1", looks=[150, 300], **given)
    stretch = hj.leaderboard(made.judgments, made.runs, "nDCG@10", gold=given["gold"], plan=plan,
                             draws=200, looks=[150, 300]).correction.stretch  # fmt: skip
    assert often.high - often.low == pytest.approx(stretch * (once.high - once.low))


def test_intervals_come_with_their_record(made, plan, corrected):
    given, found = {"gold": labels_of(plan, made.gold), "plan": plan}, corrected
    assert found.correction.covered == Covered("nDCG@10", 100, COVERED["nDCG@10"][0])
    assert str(found.correction.covered) + "." in str(found).splitlines()
    assert found.to_dict()["correction"]["covered"]["labels"] == 100
    recall = board(made, "R@10", **given)
    weak = replace(recall.correction.covered, share=0.5)
    assert recall.correction.covered.measure == "R(rel=2)@10"
    with mock.patch.object(Covered, "record", return_value=weak):
        noted = board(made, "R@10", **given)
        (gate,) = hj.gate(made.judgments, made.runs, *found.systems[:2], "R@10", **given)
    assert [note.text for note in noted.notes if note.kind == "weak-intervals"] == [str(weak)]
    assert str(weak) not in str(noted)
    assert str(weak) in [note.text for note in gate.notes]
    whole = board(made, gold=made.gold)
    assert whole.correction.covered is None
