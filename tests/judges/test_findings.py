"""Where warnings about judges begin, and shares of votes beside shares relevant by gold."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

import hungjury as hj
from hungjury.data.labels import read_judgments
from hungjury.judges.agreement import agreement
from hungjury.stats.agreement import reliability


def panel_of(labels, grades=range(2)):
    """Judgments from {judge: labels in document order}; None is no label."""
    return read_judgments(
        {
            judge: {"t": {f"d{i}": int(v) for i, v in enumerate(given) if v is not None}}
            for judge, given in labels.items()
        },
        grades=grades,
    )


def differing(base, number):
    """The labels with the first `number` turned around."""
    return [1 - v if i < number else v for i, v in enumerate(base)]


def near_constant(labels, rates):
    """Of the judges x, y and z with so many labels, and these shares of each grade."""
    found = agreement(panel_of({judge: [0, 1] for judge in "xyz"}))
    return replace(found, labels=labels, label_rates=rates).near_constant


def copies(base, other):
    return agreement(panel_of({"a": base, "b": other})).near_copies


def test_copies_agree_on_98_percent():
    base = [0, 1] * 500
    assert copies(base, differing(base, 20)) == [["a", "b"]]  # 0.98 exactly, kappa 0.96
    assert copies(base, differing(base, 21)) == []


def test_copies_have_a_kappa_of_nine_tenths():
    """Where 20 of 1000 documents are relevant, two judges agree on nearly all by chance."""
    rare = [1] * 20 + [0] * 980
    for missed, expected in ((3, [["a", "b"]]), (4, [])):
        other = [0] * missed + rare[missed:]
        one, two = 0.02, (20 - missed) / 1000  # shares called relevant
        by_chance = one * two + (1 - one) * (1 - two)
        kappa = (1 - missed / 1000 - by_chance) / (1 - by_chance)
        assert (kappa >= 0.9) == bool(expected)
        assert copies(rare, other) == expected


@pytest.mark.parametrize(("common", "expected"), [(20, [["a", "b"]]), (19, [])])
def test_copies_have_20_documents_in_common(common, expected):
    one, other = [0, 1] * 20, [0, 1] * 20
    assert copies(one, [v if i < common else None for i, v in enumerate(other)]) == expected


def test_a_chain_of_copies_is_no_group():
    """Every two of a group are copies: a and c are each a copy of b, but not of each other."""
    b = [0, 1] * 500
    a = differing(b, 20)
    c = [1 - v if i >= 980 else v for i, v in enumerate(b)]
    found = agreement(panel_of({"a": a, "b": b, "c": c})).near_copies
    assert len(found) == 1
    assert len(found[0]) == 2
    assert "b" in found[0]


def test_one_label_for_95_percent_is_constant_unless_others_do_so_too():
    enough = np.array([100, 100, 100])

    def found(*shares, labels=enough):
        return near_constant(labels, np.array([[s, 1 - s] for s in shares]))

    # Others use the rarer labels in 40 % of cases: a quarter of that is 10 %.
    assert found(0.6, 0.6, 0.95) == {"z": 0.95}
    assert found(0.6, 0.6, 0.949) == {}
    # In 16 %: a quarter is 4 %, so 95 % is not out of the ordinary, and 96 % only just.
    assert found(0.84, 0.84, 0.95) == {}
    assert found(0.84, 0.84, 0.9599) == {}
    assert found(0.84, 0.84, 0.9601) == {"z": 0.9601}
    # One label for everything is always told.
    assert found(0.99, 0.99, 1.0) == {"z": 1.0}


def test_judges_with_fewer_than_20_labels_are_not_judged():
    rates = np.array([[0.5, 0.5], [0.6, 0.4], [1.0, 0.0]])
    assert near_constant(np.array([50, 50, 20]), rates) == {"z": 1.0}
    assert near_constant(np.array([50, 50, 19]), rates) == {}
    assert near_constant(np.array([19, 19, 19]), rates) == {}
    # Nor do they say what is usual.
    rates = np.array([[0.5, 0.5], [0.97, 0.03], [0.97, 0.03]])
    assert near_constant(np.array([50, 50, 50]), rates) == {}
    assert near_constant(np.array([50, 19, 50]), rates) == {"z": 0.97}


def test_constant_judges_share_a_sentence():
    rng = np.random.default_rng(0)
    usual = {f"j{i}": rng.integers(0, 2, 50).tolist() for i in range(8)}
    two = agreement(panel_of(usual | {"k1": [0] * 50, "k2": [1] * 50})).warnings
    assert two[0] == "one label for nearly every document: k1 (100 %), k2 (100 %)"
    many = agreement(panel_of(usual | {f"k{i:02}": [0] * 50 for i in range(12)})).warnings
    assert many[0].endswith("k08 (100 %), k09 (100 %) and 2 more")


def test_shares_are_never_rounded_up_to_all():
    rng = np.random.default_rng(1)
    usual = {f"j{i}": rng.integers(0, 2, 5000).tolist() for i in range(3)}
    once = [1] + [0] * 4999
    assert agreement(panel_of(usual | {"once": once})).warnings[0] == (
        "one label for nearly every document: once (>99 %)"
    )


def test_chance_agreement_is_told_from_20_labels_on():
    base = [0, 1] * 20
    with_20 = {"a": base, "b": base, "c": [1, 0] * 10 + [None] * 20}
    with_19 = {"a": base, "b": base, "c": ([1, 0] * 10)[:19] + [None] * 21}
    sentence = "agreement with the others no better than chance: c"
    assert sentence in agreement(panel_of(with_20)).warnings
    assert sentence not in agreement(panel_of(with_19)).warnings


def test_a_kappa_of_exactly_0_is_no_better_than_chance():
    base = [0, 0, 1, 1] * 10
    by_chance = [0, 1, 0, 1] * 10
    found = agreement(panel_of({"a": base, "b": base, "c": by_chance}))
    assert found.pairs.with_others()[1][2] == pytest.approx(0, abs=1e-12)
    assert "agreement with the others no better than chance: c" in found.warnings


def test_a_constant_judge_is_not_told_twice():
    base = [0, 1] * 20
    found = agreement(panel_of({"a": base, "b": base, "c": [0] * 40}))
    assert found.warnings[0] == "one label for nearly every document: c (100 %)"
    assert not any("chance" in sentence for sentence in found.warnings)


@pytest.mark.parametrize("turned", [6, 7])
def test_alpha_below_two_thirds_is_tentative(turned):
    """Alpha of two binary judges is 1 - (2n - 1) x disagreements / (2 x ones x zeros)."""
    base = [0, 1] * 20
    other = differing(base, turned)
    ones = sum(base) + sum(other)
    alpha = 1 - 79 * turned / (ones * (80 - ones))
    found = agreement(panel_of({"a": base, "b": other}))
    assert found.alpha_nominal == pytest.approx(alpha)
    assert any("Krippendorff" in w for w in found.warnings) == (alpha < 0.667)


def test_tentative_by_the_better_alpha():
    """Neighbouring grades are often confused: only the ordinal alpha is high."""
    base = [0, 1, 2, 3] * 20
    near = [min(v + (i % 5 < 2), 3) for i, v in enumerate(base)]
    found = agreement(panel_of({"a": base, "b": near}, grades=range(4)))
    assert found.alpha_nominal < 0.667 < found.alpha_ordinal
    assert not any("Krippendorff" in w for w in found.warnings)


def test_the_table_holds_rates_in_percent():
    found = agreement(panel_of({"a": [0, 1, 1, 1], "b": [0, 0, 1, 1]}))
    row = found.to_text().splitlines()[-1].split()
    assert row == ["b", "4", "50.0", "50.0", "0.750", "0.500"]


# Shares of votes beside shares that are relevant by gold: bins by loop, intervals by Wilson.


def test_bins_are_the_loop():
    rng = np.random.default_rng(1)
    stated = rng.integers(0, 11, 80) / 10  # ends of bins, 0 and 1 among them
    relevant, weight = rng.integers(0, 3, 80) / 2, rng.uniform(1, 3, 80)
    found = reliability(stated, relevant, weight)
    assert [one.low for one in found] == [k / 10 for k in range(10)]
    for k, one in enumerate(found):
        mine = [i for i in range(80) if min(round(10 * stated[i]), 9) == k]
        total = sum(weight[i] for i in mine)
        assert one.documents == len(mine)
        assert one.high == (k + 1) / 10
        assert one.stated == pytest.approx(sum(weight[i] * stated[i] for i in mine) / total)
        assert one.relevant == pytest.approx(sum(weight[i] * relevant[i] for i in mine) / total)
        assert 0 <= one.relevant_low <= one.relevant <= one.relevant_high <= 1


@pytest.mark.parametrize(("relevant", "number"), [(0, 5), (3, 10), (9, 12), (7, 7), (40, 100)])
def test_intervals_are_wilsons(relevant, number):
    (found,) = reliability(
        np.full(number, 0.45), (np.arange(number) < relevant).astype(float), np.full(number, 2.0)
    )
    expected = binomtest(relevant, number).proportion_ci(0.95, "wilson")
    assert (found.relevant_low, found.relevant_high) == pytest.approx(tuple(expected), abs=1e-12)


def test_weights_leave_fewer_documents():
    """With weights 2, 1, 1, 1 the effective number is the squared sum over the sum of squares."""
    weight, relevant = np.array([2.0, 1, 1, 1]), np.array([1.0, 1, 0, 0])
    (found,) = reliability(np.full(4, 0.25), relevant, weight)
    number = 25 / 7
    z2 = 1.959963984540054**2
    middle = (0.6 + z2 / (2 * number)) / (1 + z2 / number)
    reach = np.sqrt(z2 * (0.24 / number + z2 / (4 * number**2))) / (1 + z2 / number)
    assert (found.relevant_low, found.relevant_high) == pytest.approx(
        (middle - reach, middle + reach)
    )


def test_ties_that_an_aggregator_decides_are_noted():
    class Lowest:
        def fit_predict(self, data):
            return data.groupby("task")["label"].min()

    votes = {"a": {"1": {"x": 1, "y": 1}}, "b": {"1": {"x": 0, "y": 1}}}
    (note,) = [n for n in hj.merge(votes, Lowest()).notes if n.kind == "tied-votes"]
    assert note.count == 1
    assert "1 document with equal votes" in str(note)
    same = {"a": {"1": {"x": 1, "y": 0}}, "b": {"1": {"x": 1, "y": 0}}}
    assert not [n for n in hj.merge(same, Lowest()).notes if n.kind == "tied-votes"]
