"""Votes and binomial merging against loops; merges by name; 27 LLM judges of TREC 2021."""

import itertools
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from builders.votes import in_order, judgments, made_up
from hungjury import merge
from hungjury.base.choices import Scope
from hungjury.base.errors import InputError, MeasureError, UnknownName
from hungjury.cli.main import hungjury as command
from hungjury.data.labels import read_judgments
from hungjury.data.simulation import simulate
from hungjury.judges.agreement import agreement
from hungjury.judges.em import FromNeutral, FromVotes
from hungjury.judges.merge import MERGES, merge_method, merges
from hungjury.judges.merge_types import LabelMerge, Verdict
from hungjury.judges.panel import Panel
from hungjury.judges.votes import BinomialVote, MajorityVote
from hungjury.judges.weights import Uniform
from hungjury.measures.evaluate import evaluate
from hungjury.stats.correlation import tau_ap
from oracles import judges as naive


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from([("relevant", 1), ("not", 0)]))
def test_binary_majority_is_the_loop(seed, rule):
    votes = made_up(seed)
    merged = merge(judgments(votes, 1), f"mv(ties={rule[0]})")
    for i, labels in in_order(merged, votes):
        assert merged.labels[i] == naive.majority(labels, rule[1])
    assert merged.grades == (0, 1)
    assert not merged.soft


@examples(30)
@given(st.integers(0, 10**6))
def test_random_ties_are_coins_and_nothing_else_is(seed):
    votes = made_up(seed, judges=2, missing=0.1)
    given_ = judgments(votes, 1)
    first, again = merge(given_, "mv", seed=seed), merge(given_, "mv", seed=seed)
    assert (first.labels == again.labels).all()
    for i, labels in in_order(first, votes):
        expected = naive.majority(labels, -1)
        assert first.labels[i] in ((0, 1) if expected == -1 else (expected,))


def test_a_coin_is_fair():
    votes = {"t": {f"d{i}": {"a": 0, "b": 1} for i in range(4000)}}
    assert merge(judgments(votes, 1), "mv").labels.mean() == pytest.approx(0.5, abs=0.04)


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from(["plurality", "median"]))
def test_graded_votes_are_the_loop(seed, how):
    votes = made_up(seed, top=3)
    merged = merge(judgments(votes, 3), f"mv(graded={how})")
    for i, labels in in_order(merged, votes):
        assert merged.labels[i] == getattr(naive, how)(labels)


@examples(30)
@given(st.integers(0, 10**6), st.integers(1, 3), st.floats(0.1, 100))
def test_binomial_merging_is_the_loop(seed, rel, k):
    votes = made_up(seed, top=3)
    given_ = judgments(votes, 3)
    soft, sharp = merge(given_, "binmv", rel=rel), merge(given_, f"qbinmv(k={k!r})", rel=rel)
    graded = merge(given_, "binmv")
    for i, labels in in_order(soft, votes):
        share = sum(v >= rel for v in labels) / len(labels)
        assert soft.p[i] == pytest.approx(share, abs=1e-12)
        assert sharp.p[i] == pytest.approx(naive.sharpened(share, k), abs=1e-12)
        shares = naive.shares(labels, range(4))
        assert graded.posterior[i] == pytest.approx(list(shares.values()), abs=1e-12)
        assert graded.hard().labels[i] == naive.plurality(labels)
    assert graded.at_least(rel).p == pytest.approx(soft.p, abs=1e-12)


def test_known_values():
    votes = {"t": {"d": {"a": 1, "b": 1, "c": 0}, "e": {"a": 0, "b": 1}}}
    assert merge(judgments(votes, 1), "qbinmv").p == pytest.approx([0.924142, 0.5], abs=1e-6)
    assert merge(judgments(votes, 1), "binmv").p.tolist() == [pytest.approx(2 / 3), 0.5]


@examples(8)
@given(st.integers(0, 10**6))
def test_the_mean_over_judges_is_the_mean_over_votes(seed):
    """On complete panels the mean RBP under each judge alone is the expected RBP of the votes."""
    given_ = judgments(made_up(seed, missing=0), 1)
    runs = {f"s{s}": {f"t{t}": {f"d{(s + d * 3) % 9}": -d for d in range(7)} for t in range(3)}
            for s in range(2)}  # fmt: skip
    soft = evaluate(merge(given_, "binmv"), runs, "eRRBP(p=0.7)").values[0]
    alone = [evaluate(given_.qrels_of(a), runs, "RBP(p=0.7)").values[0] for a in given_.judges]
    assert soft == pytest.approx(np.mean(alone, axis=0), abs=1e-12)


def test_scales_with_gaps_keep_their_grades():
    source = {"a": {"t": {"x": 5, "y": 2}}, "b": {"t": {"x": 5, "y": 2}}, "c": {"t": {"x": 2}}}
    given_ = read_judgments(source, grades=[0, 2, 5])
    for method in ("mv", "mv(graded=median)", "em-mv", "em-neu", "binmv"):
        merged = merge(given_, method)
        assert merged.hard().labels.tolist() == [5, 2], method
        if merged.soft:
            assert merged.grade_p[:, [1, 3, 4]].tolist() == [[0, 0, 0]] * 2
    assert merge(given_, "mv").grades == (0, 2, 5)
    assert merge(given_, "binmv").at_least(3).p == pytest.approx([2 / 3, 0])
    assert set(merge(given_, "binmv").sample(0, 50).ravel().tolist()) == {2, 5}


def test_negative_labels_are_no_votes():
    source = {
        "a": {"t": {"x": -1, "y": 1, "z": -1}},
        "b": {"t": {"x": 1, "y": 0, "z": -2}},
        "c": {"t": {"x": 1, "y": 0, "z": -1}},
    }
    given_ = read_judgments(source, grades=range(-2, 2))
    hard = merge(given_, "mv")
    assert hard.to_dict() == {"t": {"x": 1, "y": 0, "z": -1}}
    for method in ("em-mv", "em-neu", "binmv", "qbinmv"):
        merged = merge(given_, method)
        assert merged.p[2] == 0
        assert merged.sample(0, 3)[:, 2].tolist() == [-1] * 3
        assert merged.hard().labels.tolist()[2] == -1
        assert [n.kind for n in merged.notes] == ["without-judgment"]
    assert merge(given_, "binmv").p[:2] == pytest.approx([1, 1 / 3])


@pytest.mark.parametrize("method", ["binmv", "em-neu", "em-mv"])
def test_a_document_that_nobody_judged_is_certain_to_have_the_lowest_grade(method):
    labels = {"x": -1, "y": 2, "z": 0}
    given = read_judgments(
        {name: {"t": labels | {"y": y}} for name, y in zip("abc", (2, 1, 2), strict=True)},
        grades=range(-1, 4),
    )
    assert merge(given, method).posterior[0].tolist() == [1, 0, 0, 0]


@examples(10)
@given(st.integers(0, 10**6))
def test_unjudged_documents_change_nothing_for_the_others(seed):
    votes = made_up(seed, top=2, negative=True)
    positive = {
        t: {d: {a: v for a, v in given.items() if v >= 0} for d, given in documents.items()}
        for t, documents in votes.items()
    }
    left = {t: {d: g for d, g in ds.items() if g} for t, ds in positive.items()}
    if not any(left.values()):
        return
    names = [f"a{i}" for i in range(5)]
    all_, some = judgments(votes, 2, names), judgments(left, 2, names)
    for method in ("mv", "mv(graded=median)", "em-mv", "em-neu", "binmv"):
        one, other = merge(all_, method).hard(), merge(some, method).hard()
        for topic, documents in other.to_dict().items():
            for document, label in documents.items():
                assert one.labels[one.pool.find(topic, document)] == label
        assert (one.labels == -1).sum() == len(one.pool) - len(other.pool)


def test_the_result_says_how_it_came_about():
    given_ = judgments(made_up(1, top=3), 3)
    merged = merge(given_, "mv(ties=not)", rel=2, seed=7)
    assert merged.settings.merge == 'mv(ties="not")'
    assert merged.settings.rel == 2
    assert merged.settings.seed == 7
    assert merged.settings.grades == (0, 1, 2, 3)
    assert merged.grades == (0, 1)
    assert "mv" in repr(merged)
    assert merged.rounds is merged.log_likelihood is merged.confusion is None
    assert merged.plain().labels is merged.labels
    assert merged.hard().labels is merged.labels
    assert merged.at_least(1).p.tolist() == merged.labels.tolist()


def test_probabilities_as_votes():
    source = {"a": {"t": {"x": 0.2, "y": 1.0}}, "b": {"t": {"x": 0.6}}}
    given_ = read_judgments(source)
    assert merge(given_, "binmv").p == pytest.approx([0.4, 1.0])
    assert merge(given_, "qbinmv(k=10)").p[0] == pytest.approx(naive.sharpened(0.4, 10))
    for method in ("mv", "em-mv", "em-neu"):
        with pytest.raises(InputError, match="probabilities"):
            merge(given_, method)
    with pytest.raises(InputError, match="leave out rel"):
        merge(given_, "binmv", rel=1)


# Drawing labels


def test_draws_follow_the_posterior():
    votes = made_up(3, top=3, topics=1, documents=30)
    for method, rel in (("binmv", None), ("em-mv", None), ("binmv", 2), ("qbinmv", 1)):
        merged = merge(judgments(votes, 3), method, rel=rel)
        draws = merged.sample(np.random.default_rng(5), 4000)
        assert draws.dtype == np.int16
        assert draws.shape == (4000, 30)
        for position, grade in enumerate(merged.grades):
            seen = (draws == grade).mean(axis=0)
            assert seen == pytest.approx(merged.posterior[:, position], abs=0.05)


def test_draws_of_a_vote_resample_judges():
    votes = {"t": {"x": {"a": 1, "b": 0, "c": 0}, "y": {"a": 1, "b": 1, "c": 0}}}
    merged = merge(judgments(votes, 1), "mv")
    resamples = [[votes["t"]["x"][w] for w in who] for who in itertools.product("abc", repeat=3)]
    expected = sum(naive.majority(labels, 0) for labels in resamples) / 27
    draws = merged.sample(1, 2000)
    assert draws[:, 0].mean() == pytest.approx(expected, abs=0.04)
    # One panel judges all documents: whoever makes x relevant makes y relevant as well.
    assert (draws[:, 1] >= draws[:, 0]).all()


def test_a_document_whose_only_judge_was_not_drawn_keeps_its_label():
    votes = {"t": {"x": {"a": 1}, "y": {"b": 0}, "z": {"c": 1}}}
    draws = merge(judgments(votes, 1), "mv").sample(0, 50)
    assert (draws == [1, 0, 1]).all()


def test_draws_are_repeatable_and_at_least_one():
    merged = merge(judgments(made_up(2), 1), "mv")
    assert (merged.sample(4, 3) == merged.sample(np.random.default_rng(4), 3)).all()
    with pytest.raises(InputError, match="n must be an integer from 1"):
        merged.sample(0, 0)


@pytest.mark.parametrize("method", ["mv", "em-mv", "binmv"])
@pytest.mark.parametrize("rel", [None, 1])
def test_selected_topics_stay_as_they_were(method, rel):
    merged = merge(judgments(made_up(9, top=2, negative=True), 2), method, rel=rel)
    some = merged.select(["t2", "t0"])
    assert some.topics == ["t0", "t2"]
    whole = merged.to_dict()
    assert some.to_dict() == {t: whole[t] for t in ("t0", "t2")}
    assert some.sample(0, 2).shape == (2, len(some.pool))
    assert some.hard().to_dict() == {t: merged.hard().to_dict()[t] for t in ("t0", "t2")}
    if method == "em-mv":
        assert np.array_equal(some.confusion, merged.confusion[[0, 2]], equal_nan=True)
        assert some.rounds.tolist() == merged.rounds[[0, 2]].tolist()


@pytest.mark.parametrize("method", ["mv", "em-mv", "em-neu", "binmv"])
def test_one_judge_keeps_her_labels(method):
    source = {"a": {"t": {"x": 1, "y": 0, "z": 0}}}
    merged = merge(source, method)
    assert merged.hard().labels.tolist() == [1, 0, 0]
    assert [n.kind for n in merged.notes] == ["one-judge"]
    assert merged.sample(0, 2).shape == (2, 3)


@pytest.mark.parametrize("method", ["mv", "em-mv", "em-neu", "binmv"])
def test_a_silent_judge_changes_nothing(method):
    given_ = judgments(made_up(4), 1)
    more = replace(given_, judges=[*given_.judges, "silent"])
    one, other = merge(given_, method), merge(more, method)
    assert one.to_dict() == other.to_dict()
    assert "silent" in str(other.notes[0])
    if one.confusion is not None:
        assert np.isnan(other.confusion[:, -1]).all()


@pytest.mark.parametrize("method", ["mv", "em-mv", "em-neu", "binmv"])
def test_judges_without_a_common_topic(method):
    source = {"a": {"1": {"x": 1, "y": 0}}, "b": {"2": {"x": 0, "z": 1}}}
    for scope in ("topic", "all"):
        merged = merge(source, method, scope=scope)
        assert merged.hard().to_dict() == {"1": {"x": 1, "y": 0}, "2": {"x": 0, "z": 1}}


def test_a_document_whose_judges_are_not_drawn_keeps_the_whole_panels_vote():
    votes = {
        "a": {"t": {"only": 1, "x": 1}},
        "b": {"t": {"x": 0, "y": 0}},
        "c": {"t": {"x": 1, "y": 1}},
    }
    merged = merge(read_judgments(votes), "mv(ties=not)")
    drawn = merged.sample(0, 60)
    assert set(drawn[:, merged.pool.find("t", "only")].tolist()) == {1}
    assert set(drawn[:, merged.pool.find("t", "y")].tolist()) == {0, 1}


def test_merges_say_what_gives_their_labels():
    given = {cls.name: cls().for_labels() for cls in MERGES}
    assert {name: str(one) for name, one in given.items() if one is not None} == {
        "binmv": "binmv", "mv": "mv(ties=\"not\")", "em-mv": "em-mv", "em-neu": "em-neu",
    }  # fmt: skip
    assert str(MERGES.parse("mv(ties=relevant)").for_labels()) == 'mv(ties="relevant")'


# Merges by name: printing and parsing them, what they say of themselves, and what is refused.


# Names, and what is refused


def test_names_are_read_and_printed_back():
    for text in ("mv", "mv(ties=not)", "mv( ties = not , graded=median)", "mv(ties=relevant)",
                 "em-mv", "em-mv(start=shares, tol=1e-6)", "em-neu(rounds=5)", "binmv",
                 "qbinmv(k=10)", "aware(uni)", "aware", "aware(weights=tpc_fro_md)"):  # fmt: skip
        method = merge_method(text)
        assert MERGES.parse(str(method)) == method
        assert merge_method(method) is method
    assert str(merge_method("qbinmv(k=15)")) == "qbinmv"
    assert str(merge_method("aware")) == "aware(uni)"
    assert merge_method(Uniform()) == merge_method("aware(uni)")
    assert [cls.name for cls in MERGES] == [
        "binmv", "qbinmv", "prm", "mv", "em-mv", "em-ordinal", "em-neu", "aware",
    ]  # fmt: skip


@pytest.mark.parametrize("cls", list(MERGES), ids=lambda cls: cls.name)
def test_a_merge_gives_what_it_says(cls):
    method = cls()
    given = judgments(made_up(3), 1)
    if cls.gives == "weights":
        assert method.weights is not None
        with pytest.raises(MeasureError, match="measures, not labels"):
            merge(given, method)
        return
    if method.needs_users:
        method = method.but(users=given.judges[0])
    merged = merge(given, method)
    assert method.weights is None
    assert {"labels": merged.labels, "probabilities": merged.p}[cls.gives] is not None
    assert merged.soft == (cls.gives == "probabilities")
    assert (merged.fit is not None) == (cls.drawn_from == "model")
    assert (type(method).redraw is not LabelMerge.redraw) == (cls.drawn_from == "judges")


def test_merges_are_listed():
    rows = {row["name"]: row for row in merges()}
    assert list(rows) == [cls.name for cls in MERGES]
    assert rows["mv"]["gives"] == "labels"
    assert rows["aware"]["gives"] == "weights"
    assert [p["name"] for p in rows["qbinmv"]["parameters"]] == ["k"]
    assert rows["em-neu"]["drawn_from"] == "model"
    assert all(row["meaning"].endswith(".") for row in rows.values())


def test_a_merge_is_one_class_and_its_help_follows():
    """Everything else learns about a new merge from its declaration."""

    class LowestVote(LabelMerge, called="lowest"):
        """The lowest vote."""

        gives = "labels"

        def decide(self, panel, scope, rng):
            return Verdict(np.argmax(panel.counts() > 0, axis=1))

        def redraw(self, panel, rng):
            return self.decide(panel, "all", rng).choice

    try:
        votes = {"t": {"d1": {"a": 1, "b": 1}, "d2": {"a": 0, "b": 1}}}
        merged = merge(judgments(votes, 1), "lowest")
        assert merged.to_dict() == {"t": {"d1": 1, "d2": 0}}
        for name in ("merge", "leaderboard"):
            text = " ".join(CliRunner().invoke(command, [name, "--help"]).output.split())
            assert "em-neu" in text.replace("- ", "-")
            assert "lowest" in text
            assert ("aware or lowest" in text) == (name == "leaderboard")
    finally:
        del MERGES._classes["lowest"]


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("em", "em-mv"),
        ("emmv", "did you mean em-mv"),
        ("qbinmw", "qbinmv"),
        ("zzz", "choose"),
    ],
)
def test_an_unknown_method_is_named_with_a_suggestion(method, hint):
    with pytest.raises(UnknownName, match=hint):
        merge(judgments(made_up(1), 1), method)


@pytest.mark.parametrize(
    "method", ["mv(ties=coin)", "qbinmv(k=0)", "em-mv(tol=0)", "em-neu(rounds=0)", "mv@3",
               "em-mv(start=random)", "binmv(k=1)"]
)  # fmt: skip
def test_bad_parameters_are_refused(method):
    with pytest.raises(MeasureError, match="remedy"):
        merge(judgments(made_up(1), 1), method)


@pytest.mark.parametrize("method", [None, 3, object(), dict, merge])
def test_things_that_are_no_merge(method):
    with pytest.raises(MeasureError, match="is not a merge"):
        merge(judgments(made_up(1), 1), method)


@pytest.mark.parametrize("rel", [0, -1, 4, 9])
def test_rel_beyond_the_scale(rel):
    with pytest.raises(MeasureError, match="rel must be between 1 and 3"):
        merge(judgments(made_up(1, top=3), 3), "mv", rel=rel)


def test_other_bad_input():
    given_ = judgments(made_up(1, top=3), 3)
    with pytest.raises(InputError, match="invalid value 'topics' for scope"):
        merge(given_, "em-mv", scope="topics")
    with pytest.raises(MeasureError, match="lowest relevant grade"):
        merge(given_, "qbinmv")
    with pytest.raises(InputError, match="no document is judged"):
        merge({"a": {"t": {"x": -1}}, "b": {"t": {"x": -1}}}, "mv", grades=range(-1, 2))
    with pytest.raises(InputError, match="2 labels outside the scale"):
        merge({"a": {"t": {"x": -1}}, "b": {"t": {"x": -1}}}, "mv")


def test_probabilities_need_a_merge_that_gives_them(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("1 0 d 1\n")
    words = ["merge", "--judges", str(tmp_path / "*"), "--method", "mv", "--soft"]
    found = CliRunner().invoke(command, words)
    assert found.exit_code == 2
    assert "mv gives labels" in found.output


# 27 LLM judges of TREC 2021 Deep Learning: what merging gives, against published numbers.


PERSISTENCE = 0.8


@pytest.fixture(scope="module")
def judges(dl21_panel):
    return dl21_panel[0]


@pytest.fixture(scope="module")
def runs(dl21_panel):
    return dl21_panel[1]


@pytest.fixture(scope="module")
def gold(dl21_panel):
    """System means under the official judgments, by AP and by RBP."""
    _, runs, qrels = dl21_panel
    return evaluate(qrels, runs, ["AP(rel=2)", f"RBP(p={PERSISTENCE}, rel=2)"]).mean()


def test_majority(judges, runs, gold):
    merged = merge(judges, "mv(ties=not)", rel=2)
    means = evaluate(merged, runs, ["AP", f"RBP(p={PERSISTENCE})"]).mean()
    assert tau_ap(means[0], gold[0]) == pytest.approx(0.692, abs=5e-4)
    assert tau_ap(means[1], gold[1]) == pytest.approx(0.750, abs=5e-4)


@pytest.mark.parametrize(
    ("method", "ap", "rbp"), [("binmv", 0.630, 0.848), ("qbinmv", 0.682, 0.765)]
)
def test_binomial_votes(judges, runs, gold, method, ap, rbp):
    means = evaluate(merge(judges, method, rel=2), runs, ["eRAP", f"eRRBP(p={PERSISTENCE})"]).mean()
    assert tau_ap(means[0], gold[0]) == pytest.approx(ap, abs=5e-4)
    assert tau_ap(means[1], gold[1]) == pytest.approx(rbp, abs=5e-4)


@pytest.mark.parametrize("method", ["em-mv", "em-neu"])
def test_em_is_better_than_the_majority_here(judges, runs, gold, method):
    merged = merge(judges, method, rel=2)
    assert merged.fit.converged.all()
    assert len(merged.rounds) == 53
    means = evaluate(merged.hard(), runs, "AP").mean()
    assert tau_ap(means[0], gold[0]) > 0.72


def test_each_judge_alone(judges, runs, gold):
    found = agreement(judges, runs, "AP", rel=2)
    alone = [tau_ap(scores, gold[0]) for scores in found.rankings.scores]
    assert np.mean(alone) == pytest.approx(0.654, abs=5e-4)
    assert max(alone) == pytest.approx(0.875, abs=5e-4)
    one = judges.qrels_of("prompt8")
    binary = {t: {d: int(g >= 2) for d, g in ds.items()} for t, ds in one.to_dict().items()}
    means = evaluate(binary, runs, "AP").mean()[0]
    assert found.rankings.scores[judges.judges.index("prompt8")] == pytest.approx(means)
    assert found.warnings[0].count("%") == 5
    assert min(found.near_constant.values()) == pytest.approx(0.974, abs=5e-4)
    assert found.near_constant["prompt20"] == pytest.approx(0.998, abs=5e-4)
    assert found.near_copies == []


def test_probabilities_of_grades_go_into_expected_measures(judges, runs):
    graded = merge(judges, "em-mv")
    assert graded.grade_p is not None
    one = evaluate(graded, runs, "eRAP(rel=2)").mean()
    other = evaluate(graded.at_least(2), runs, "eRAP").mean()
    assert one == pytest.approx(other, abs=1e-12)
    assert evaluate(graded.hard(), runs, "nDCG@10").mean().min() > 0.1


# A merge that decides otherwise does not inherit what is wrong for it.


class Reversed(MajorityVote):
    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        found = super().decide(panel, scope, rng)
        assert found.choice is not None
        return Verdict(choice=1 - found.choice)


class OwnDraws(Reversed):
    def redraw(self, panel: Panel, rng: np.random.Generator) -> Any:
        return 1 - super(Reversed, self).redraw(panel, rng)


class ModelOfNothing(FromVotes):
    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        return BinomialVote().decide(panel, scope, rng)


class WeightlessVote(BinomialVote):
    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        return super().decide(panel, scope, rng)


def test_a_merge_that_decides_otherwise_inherits_no_draws_or_weights() -> None:
    votes = simulate(systems=2, topics=3).judgments
    with pytest.raises(MeasureError, match="nothing can be drawn"):
        hj.merge(votes, Reversed(), rel=1).sample(0)
    drawn = hj.merge(votes, OwnDraws(ties="not"), rel=1).sample(0)
    assert drawn.tolist() == (1 - hj.merge(votes, "mv(ties=not)", rel=1).sample(0)).tolist()
    assert (FromVotes.drawn_from, ModelOfNothing.drawn_from) == ("model", "posterior")
    assert isinstance(FromVotes().for_one_judge(), MajorityVote)
    assert isinstance(ModelOfNothing().for_one_judge(), ModelOfNothing)
    assert BinomialVote.takes_weights
    assert not WeightlessVote.takes_weights
    assert WeightlessVote.scored_in_expectation  # it still gives probabilities


def test_a_merge_that_starts_otherwise_keeps_what_follows_from_the_decision() -> None:
    assert FromNeutral.drawn_from == "model"
    assert isinstance(FromNeutral().for_one_judge(), MajorityVote)


# Merges compared with gold labels, and what a person would say


def test_merges_are_compared_with_gold():
    made = hj.simulate(
        systems=2, topics=6, documents=40, depth=20, grades=3, accuracies=(0.8, 0.6, 0.6), seed=2
    )
    methods = ["binmv", "mv", "em-mv", "em-neu", "em-ordinal(rounds=5)"]
    found = hj.compare_merges(made.judgments, made.gold, methods=methods, draws=50)
    gold = made.gold.to_dict()
    assert [one.accuracy for one in found.merges] == sorted(
        (one.accuracy for one in found.merges), reverse=True
    )
    for one in found.merges:
        merged = merge(made.judgments, one.merge)
        hard = merged.hard().to_dict()
        pairs = [(gold[t][d], g) for t, docs in hard.items() for d, g in docs.items()
                 if d in gold[t] and gold[t][d] >= 0]  # fmt: skip
        assert one.accuracy == pytest.approx(np.mean([a == b for a, b in pairs]))
        assert one.kappa == pytest.approx(naive.cohen(pairs))
        assert one.accuracy_low <= one.accuracy <= one.accuracy_high
        if merged.posterior is None:
            assert one.log_loss is None
            continue
        chances = [
            merged.posterior[merged.pool.find(t, d), gold[t][d]]
            for t, docs in hard.items() for d in docs if d in gold[t] and gold[t][d] >= 0
        ]  # fmt: skip
        assert one.log_loss == pytest.approx(-np.log(np.clip(chances, 1e-6, 1)).mean())
    assert sum(one.p_best for one in found.merges) == pytest.approx(1)
    assert found.documents == len(pairs)
    assert f"best by accuracy: {found.best}" in str(found)
    with pytest.raises(InputError, match="no document of the judges has a gold label"):
        hj.compare_merges(made.judgments, {"nowhere": {"d": 1}})


def test_command_compares_merges_with_gold(tmp_path):
    folder = tmp_path / "demo"
    run = CliRunner().invoke
    assert (
        run(
            command, ["simulate", "-o", str(folder), "--topics", "3", "--documents", "60"]
        ).exit_code
        == 0
    )
    words = ["merge", "--judges", str(folder / "judges" / "*"), "--gold",
             str(folder / "gold.qrels"), "--quiet"]  # fmt: skip
    assert "best by accuracy" in run(command, words).stdout
    rows = json.loads(run(command, [*words, "--format", "json"]).stdout)["rows"]
    assert {"mv", "binmv", "em-mv"} <= {row["merge"] for row in rows}
    with_gold = run(command, [*words, "--method", "prm", "--soft"])
    assert with_gold.exit_code == 0, with_gold.output
    assert "choose a --method" in run(command, [*words, "--soft"]).stderr
    assert "--format needs" in run(command, [*words, "--method", "mv", "--format", "csv"]).stderr
