"""Agreement of judges against loops and textbooks; judges that stand out."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.votes import RUNS, judgments, made_up, panel_of
from hungjury.base.errors import InputError
from hungjury.judges.agreement import agreement
from hungjury.stats.agreement import fleiss_kappa, krippendorff_alpha, pair_agreement
from oracles import judges as naive

# Krippendorff, Computing Krippendorff's alpha-reliability (2011): 4 observers, 12 units.
KRIPPENDORFF = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
# Fleiss' kappa as in textbooks: 10 subjects, 14 raters, 5 categories.
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


def rows_of(votes):
    return [list(g.values()) for documents in votes.values() for g in documents.values()]


def flat(votes):
    return {f"{t} {d}": g for t, documents in votes.items() for d, g in documents.items()}


@given(st.integers(0, 10**6), st.integers(1, 3))
def test_overall_numbers_are_the_loops(seed, top):
    votes = made_up(seed, top=top, documents=6, missing=0.4)
    found = agreement(judgments(votes, top))
    rows = rows_of(votes)

    def same(value):
        return pytest.approx(value, abs=1e-10, nan_ok=True)

    assert found.agreement == same(naive.equal_pairs(rows))
    assert found.fleiss == same(naive.fleiss(rows))
    assert found.alpha_nominal == same(naive.alpha(rows, "nominal"))
    assert found.alpha_ordinal == same(naive.alpha(rows, "ordinal"))


@given(st.integers(0, 10**6), st.integers(1, 3), st.sampled_from([(4, 0.5), (30, 0.2)]))
def test_pairs_are_the_loops(seed, top, shape):
    """Few labels are counted one by one, many as sets of documents."""
    votes = made_up(seed, top=top, documents=shape[0], missing=shape[1])
    given_ = judgments(votes, top)
    found = agreement(given_)
    for i, one in enumerate(given_.judges):
        for j, other in enumerate(given_.judges):
            pairs = naive.common_labels(flat(votes), one, other)
            assert found.pairs.common[i, j] == len(pairs)
            matrix = found.confusion(one, other)
            assert matrix.sum() == len(pairs)
            if not pairs:
                assert math.isnan(found.pairs.kappa[i, j])
                assert math.isnan(found.pairs.agreement[i, j])
                continue
            assert found.pairs.agreement[i, j] == sum(a == b for a, b in pairs) / len(pairs)
            assert found.pairs.kappa[i, j] == pytest.approx(
                naive.cohen(pairs), abs=1e-10, nan_ok=True
            )
            for a, b in pairs:
                assert matrix[a, b] == pairs.count((a, b))


def test_numbers_with_the_others_weigh_documents_alike():
    votes = made_up(6, top=2, missing=0.4)
    given_ = judgments(votes, 2)
    agreed, kappa = agreement(given_).pairs.with_others()
    for i, one in enumerate(given_.judges):
        total = seen = above = room = 0.0
        for other in given_.judges:
            pairs = naive.common_labels(flat(votes), one, other) if one != other else []
            if pairs:
                observed = sum(a == b for a, b in pairs)
                chance = sum(a == b for a, _ in pairs for _, b in pairs) / len(pairs)
                total, seen = total + len(pairs), seen + observed
                above, room = above + observed - chance, room + len(pairs) - chance
        assert agreed[i] == pytest.approx(seen / total)
        assert kappa[i] == pytest.approx(above / room)


def test_krippendorffs_example():
    votes = {}
    for observer, line in enumerate(KRIPPENDORFF):
        for unit, label in enumerate(line.split()):
            if label != ".":
                votes.setdefault(f"u{unit}", {})[f"o{observer}"] = int(label)
    found = agreement(judgments({"t": votes}, 5))
    assert found.alpha_nominal == pytest.approx(0.743, abs=5e-4)
    assert found.alpha_ordinal == pytest.approx(0.815, abs=5e-4)


def test_fleiss_example():
    counts = np.array(FLEISS, dtype=float)
    assert fleiss_kappa(counts) == pytest.approx(0.210, abs=5e-4)
    assert pair_agreement(counts) == pytest.approx(0.378, abs=5e-4)


def test_cohen_example():
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    votes = {"t": {f"d{i}": {"A": a, "B": b} for i, (a, b) in enumerate(pairs)}}
    found = agreement(judgments(votes, 1))
    assert found.pairs.kappa[0, 1] == pytest.approx(0.4)
    assert found.confusion("A", "B").tolist() == [[15, 10], [5, 20]]
    assert found.label_rates.tolist() == [[0.5, 0.5], [0.4, 0.6]]


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_laws(seed):
    votes = made_up(seed, top=2, documents=10)
    found = agreement(judgments(votes, 2))
    pairs = found.pairs
    for matrix in (pairs.common, pairs.agreement, pairs.kappa):
        assert np.array_equal(matrix, matrix.T, equal_nan=True)
    mine = np.diag(pairs.kappa)
    assert mine[~np.isnan(mine)] == pytest.approx(1)
    assert found.label_rates.sum(axis=1) == pytest.approx(1)
    assert sorted(found.order()) == list(range(5))
    binary = agreement(judgments(votes, 2), rel=1)
    assert binary.agreement >= found.agreement
    assert binary.alpha_ordinal == pytest.approx(binary.alpha_nominal, nan_ok=True)
    assert binary.grades == (0, 1)


def test_full_agreement_and_none_by_chance():
    same = {"t": {f"d{i}": dict.fromkeys("abc", i % 3) for i in range(9)}}
    found = agreement(judgments(same, 2))
    assert found.agreement == found.fleiss == found.alpha_nominal == found.alpha_ordinal == 1
    assert (found.pairs.kappa == 1).all()
    constant = {"t": {f"d{i}": dict.fromkeys("abc", 1) for i in range(9)}}
    found = agreement(judgments(constant, 1))
    assert found.agreement == 1
    assert np.isnan([found.fleiss, found.alpha_nominal, found.alpha_ordinal]).all()
    assert np.isnan(found.pairs.kappa).all()
    assert "-" in found.to_text()
    with pytest.raises(InputError, match="nominal"):
        krippendorff_alpha(np.ones((3, 2)), "interval")


# Judges that stand out


def test_near_copies_are_found_and_constant_judges_are_none():
    rng = np.random.default_rng(1)
    base = rng.integers(0, 3, 500)
    nearly = np.where(rng.random(500) < 0.005, 2 - base, base)
    labels = {
        "a": base, "other": rng.integers(0, 3, 500), "b": nearly, "c": base.copy(),
        "lazy": np.zeros(500), "idle": np.arange(500) == 7,
    }  # fmt: skip
    found = agreement(panel_of(labels))
    assert found.near_copies == [["a", "b", "c"]]
    assert found.near_constant == {"idle": 0.998, "lazy": 1.0}
    assert found.warnings[:3] == [
        "idle gives one label to 99.8 % of documents",
        "lazy gives one label to 100 % of documents",
        "these three judges are near copies: a, b, c",
    ]


def test_copies_need_enough_documents():
    assert agreement(panel_of({"a": [0, 1, 2] * 5, "b": [0, 1, 2] * 5})).near_copies == []
    assert agreement(panel_of({"a": [0, 1, 2] * 8, "b": [0, 1, 2] * 8})).near_copies == [["a", "b"]]


def test_nobody_is_constant_where_relevant_documents_are_rare():
    rng = np.random.default_rng(2)
    rare = {f"j{i}": rng.random(1000) < 0.03 for i in range(5)}
    assert agreement(panel_of(rare)).near_constant == {}
    found = agreement(panel_of(rare | {"lazy": np.arange(1000) < 2}))
    assert found.near_constant == {"lazy": 0.998}
    assert "lazy gives one label to 99.8 % of documents" in found.warnings


def test_no_number_is_less_than_nothing():
    rng = np.random.default_rng(0)
    found = agreement(panel_of({"a": rng.integers(0, 2, 9000), "b": np.arange(9000) == 3}))
    assert -0.0005 < found.pairs.kappa[0, 1] < 0
    assert "-0.000" not in str(found)


def test_many_constant_judges_share_a_sentence():
    rng = np.random.default_rng(2)
    labels = {f"j{i:02}": rng.integers(0, 3, 100) for i in range(20)}
    labels |= {f"lazy{i}": np.zeros(100) for i in range(7)}
    found = agreement(panel_of(labels))
    assert found.warnings[0].startswith("7 judges give one label to 100 % of documents: lazy0")
    found = agreement(panel_of(labels | {"idle": np.arange(100) == 7}))
    assert found.warnings[0].startswith("8 judges give one label to 99.0 % of documents and more:")


def test_judges_no_better_than_chance():
    rng = np.random.default_rng(3)
    base = rng.integers(0, 3, 300)
    labels = {n: np.where(rng.random(300) < 0.8, base, 0) for n in "abc"}
    found = agreement(panel_of(labels | {"contrary": (base + 1) % 3}))
    assert "contrary agrees with the others no better than chance" in found.warnings
    found = agreement(panel_of(labels | {"x": (base + 2) % 3, "y": (base + 1) % 3}))
    assert "2 judges agree with the others no better than chance: x, y" in found.warnings
    assert not any("chance" in w for w in agreement(panel_of(labels)).warnings)


def test_judges_without_common_documents():
    source = {"a": {"1": {"x": 1, "y": 0}}, "b": {"2": {"x": 0, "z": 1}}, "c": {"1": {"x": 0}}}
    found = agreement(source)
    assert np.isnan(found.pairs.kappa[0, 1])
    assert any(w.startswith("2 pairs of judges (of 3) have no document") for w in found.warnings)
    assert sorted(found.order()) == [0, 1, 2]
    nothing = agreement({"a": {"1": {"x": 1}}, "b": {"2": {"x": 0}}})
    assert np.isnan([nothing.agreement, nothing.fleiss, nothing.alpha_nominal]).all()
    assert json.loads(nothing.to_json())["agreement"] is None


def test_a_silent_judge_is_told():
    given_ = judgments(made_up(4), 1)
    given_ = replace(given_, judges=[*given_.judges, "silent"])
    found = agreement(given_, RUNS)
    assert any("silent" in w for w in found.warnings)
    assert np.isnan(found.label_rates[-1]).all()
    assert np.isnan(found.rankings.tau[-1]).all()
    assert not np.isnan(found.rankings.with_others()[0][:-1]).any()
    assert "silent" in found.to_text()
