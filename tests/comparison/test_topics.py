"""compare: which topics count, and what cannot be compared."""

import re

import numpy as np
import pytest

import hungjury as hj
from builders.scores import scores_of, some_scores
from hungjury.base.errors import InputError, MeasureError, UnknownName
from hungjury.measures.scores import LEFT_OUT, SCORED, UNDEFINED

# Topics


def test_topics_that_one_system_lacks_are_left_out_for_all_with_a_note():
    values = np.random.default_rng(2).random((2, 3, 6))
    status = np.full(values.shape, SCORED, dtype=np.uint8)
    status[:, 1, 4] = LEFT_OUT
    values[:, 1, 4] = np.nan
    found = hj.compare(scores_of(values, status=status, topics="retrieved"))
    whole = hj.compare(scores_of(np.delete(values, 4, axis=2)))
    assert found.rows == whole.rows
    assert found.rows[0].topics == 5
    assert [note.count for note in found.notes] == [1, 1]
    assert "5 topics that all systems have, 1 left out" in str(found.notes[0])


def test_undefined_topics_are_dropped_or_refused():
    values = np.random.default_rng(2).random((1, 2, 6))
    values[:, :, 2] = np.nan
    status = np.where(np.isnan(values), UNDEFINED, SCORED).astype(np.uint8)
    found = hj.compare(scores_of(values, status=status, undefined="drop"))
    assert found.rows == hj.compare(scores_of(np.delete(values, 2, axis=2))).rows
    assert found.notes == ()
    with pytest.raises(InputError, match=r'no value on 1 topic: q2\n.*undefined="drop"'):
        hj.compare(scores_of(values, status=status, undefined="nan"))


def test_measures_may_have_different_topics():
    values = np.random.default_rng(2).random((2, 2, 6))
    values[1, 0, 2] = np.nan
    status = np.where(np.isnan(values), UNDEFINED, SCORED).astype(np.uint8)
    found = hj.compare(scores_of(values, status=status, undefined="drop"))
    assert [row.topics for row in found] == [6, 5]
    assert "paired over 5 to 6 topics" in str(found)


def test_counts_are_compared_by_their_sums():
    values = np.random.default_rng(2).integers(0, 9, (1, 2, 12)).astype(float)
    found = hj.compare(scores_of(values, ["sum"]), "s0").rows[0]
    by_mean = hj.compare(scores_of(values), "s0").rows[0]
    assert found.mean == values[0, 1].sum()
    assert found.difference == pytest.approx(12 * by_mean.difference)
    assert (found.low, found.high) == pytest.approx((12 * by_mean.low, 12 * by_mean.high))
    assert (found.p, found.effect) == pytest.approx((by_mean.p, by_mean.effect))
    assert f" {values[0, 1].sum():.0f} " in str(hj.compare(scores_of(values, ["sum"]), "s0"))


def test_uncertain_labels_are_told():
    sim = hj.simulate(seed=1, systems=2, topics=4)
    soft = hj.merge(sim.judgments, "binmv", rel=1)
    found = hj.compare(hj.evaluate(soft, sim.runs, ["eRAP"]))
    assert "labels behind eRAP are uncertain" in str(found.notes[-1])
    sure = hj.compare(hj.evaluate(sim.gold, sim.runs, ["AP"]))
    assert not any("uncertain" in str(note) for note in sure.notes)


# What cannot be compared


@pytest.mark.parametrize(
    ("scores", "arguments", "error", "said"),
    [
        (some_scores(systems=2).to_dict(), {}, InputError, "expected Scores, got dict"),
        (scores_of(np.zeros((1, 1, 5))), {}, InputError, "only one system, 's0'"),
        (scores_of(np.zeros((1, 0, 5))), {}, InputError, "no systems to compare"),
        (scores_of(np.zeros((1, 2, 1))), {}, InputError, "1 topic in common; .*\n.*more topics"),
        (scores_of(np.zeros((1, 2, 0))), {}, InputError, "0 topics in common"),
        (some_scores(), {"baseline": "S1"}, UnknownName, "no system 'S1' .*\n.*did you mean 's1'"),
        (some_scores(), {"baseline": "bm25"}, UnknownName, "the systems are s0, s1, s2, s3"),
        (some_scores(), {"baseline": 1}, UnknownName, "no system '1'"),
        (some_scores(), {"test": "anova"}, InputError, "invalid value 'anova'.*\n.*randomisation"),
        (some_scores(), {"correction": "fdr"}, InputError, "invalid value 'fdr'.*\n.*bh"),
        (some_scores(), {"alpha": 1.5}, InputError, "alpha is 1.5"),
        (
            some_scores(),
            {"test": "bootstrap", "samples": 0},
            InputError,
            "samples must be an integer",
        ),
        (scores_of(np.ones((1, 2, 5)), ["gmean"]), {}, MeasureError, "differ by a factor"),
        (scores_of(np.full((1, 2, 5), np.inf)), {}, InputError, "no value on 5 topics"),
    ],
)
def test_clear_errors(scores, arguments, error, said):
    with pytest.raises(error, match=said) as caught:
        hj.compare(scores, **arguments)
    assert caught.value.remedy


def test_the_system_that_lacks_most_topics_is_named():
    status = np.full((1, 3, 5), SCORED, dtype=np.uint8)
    status[0, 1, 1:] = LEFT_OUT
    with pytest.raises(InputError, match=r"1 topic in common.*\n.*leave out 's1'"):
        hj.compare(scores_of(np.random.default_rng(0).random((1, 3, 5)), status=status))


def clear_winner(topics):
    """One system is best on every topic, by amounts that are all different."""
    return scores_of([[np.linspace(0.5, 0.9, topics), np.zeros(topics), np.zeros(topics)]])


@pytest.mark.parametrize(
    ("test", "topics", "samples", "correction", "said"),
    [
        ("randomisation", 30, 59, "holm", "59 samples are too few.*less than 60"),
        ("randomisation", 30, 60, "holm", None),
        ("randomisation", 30, 19, "none", "19 samples are too few for p-values below 0.05; "),
        ("randomisation", 30, 30, "bh", None),
        ("randomisation", 6, 100, "bonferroni", "6 topics are too few.*for 3 comparisons"),
        ("randomisation", 7, 200, "bonferroni", None),
        ("wilcoxon", 6, 100, "holm", "6 topics are too few"),
        ("wilcoxon", 7, 100, "holm", None),
        ("t", 2, 100, "holm", None),
    ],
)
def test_tests_that_can_reject_nothing_say_so(test, topics, samples, correction, said):
    found = hj.compare(clear_winner(topics), None, test, correction, samples=samples)
    if said is None:
        assert found.notes == ()
        assert test == "t" or found.beaten()["m0", "s0"] == ["s1", "s2"]
    else:
        assert not any(found.beaten().values())
        (note,) = found.notes
        assert re.search(said, str(note))
