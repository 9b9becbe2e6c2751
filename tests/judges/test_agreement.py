"""Agreement of judges about labels and rankings, against loops and textbooks."""

import itertools
import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from builders.votes import RUNS, judgments, made_up, panel_of
from hungjury.base.errors import InputError, MeasureError, MissingExtra, UnknownName
from hungjury.data.labels import read_judgments
from hungjury.data.runs import read_runs
from hungjury.judges.agreement import agreement
from hungjury.measures.evaluate import evaluate
from hungjury.stats.agreement import fleiss_kappa, pair_agreement
from oracles import judges as naive
from oracles import stats as naive_stats

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


@examples(40)
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


@examples(30)
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


@examples(12)
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
    assert found.warnings[:2] == [
        "one label for nearly every document: idle (>99 %), lazy (100 %)",
        "near copies of each other: a, b, c",
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
    assert "one label for nearly every document: lazy (>99 %)" in found.warnings


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
    assert found.warnings[0].endswith(", lazy5 (100 %), lazy6 (100 %)")
    found = agreement(panel_of(labels | {"idle": np.arange(100) == 7}))
    assert "idle (99 %), lazy0 (100 %), " in found.warnings[0]


def test_judges_no_better_than_chance():
    rng = np.random.default_rng(3)
    base = rng.integers(0, 3, 300)
    labels = {n: np.where(rng.random(300) < 0.8, base, 0) for n in "abc"}
    found = agreement(panel_of(labels | {"contrary": (base + 1) % 3}))
    assert "agreement with the others no better than chance: contrary" in found.warnings
    found = agreement(panel_of(labels | {"x": (base + 2) % 3, "y": (base + 1) % 3}))
    assert "agreement with the others no better than chance: x, y" in found.warnings
    assert not any("chance" in w for w in agreement(panel_of(labels)).warnings)


def test_judges_without_common_documents():
    source = {"a": {"1": {"x": 1, "y": 0}}, "b": {"2": {"x": 0, "z": 1}}, "c": {"1": {"x": 0}}}
    found = agreement(source)
    assert np.isnan(found.pairs.kappa[0, 1])
    assert any(w.startswith("2 pairs of judges (of 3) without a document") for w in found.warnings)
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


# Agreement of judges about rankings of systems; as text, JSON and pictures.


# Rankings of systems


@pytest.mark.parametrize("measure", ["AP", "P@3", "nDCG@5", "Bpref"])
def test_rankings_are_those_of_each_judge_alone(measure):
    given_ = judgments(made_up(21, top=2), 2)
    runs = read_runs(RUNS)
    rankings = agreement(given_, runs, measure).rankings
    assert rankings.measure == measure
    for i, name in enumerate(given_.judges):
        means = evaluate(given_.qrels_of(name), runs, measure).mean()[0]
        assert rankings.scores[i] == pytest.approx(means, abs=1e-12)
    for i, one in enumerate(rankings.scores.tolist()):
        for j, other in enumerate(rankings.scores.tolist()):
            assert rankings.tau[i, j] == pytest.approx(
                naive_stats.kendall(one, other), abs=1e-12, nan_ok=True
            )
            assert rankings.tau_ap[i, j] == pytest.approx(naive_stats.tau_ap(one, other), abs=1e-12)
    assert np.nanmean(np.delete(rankings.tau[0], 0)) == pytest.approx(rankings.with_others()[0][0])


def test_a_judge_is_averaged_over_the_topics_she_judged():
    source = {
        "a": {"t0": {"d0": 1, "d1": 0}, "t1": {"d2": 1, "d3": 0}},
        "b": {"t0": {"d0": 1, "d1": 0}},
    }
    scores = agreement(source, RUNS).rankings.scores
    alone = agreement({"a": {"t0": source["a"]["t0"]}, "b": source["b"]}, RUNS).rankings.scores
    assert scores[1] == pytest.approx(alone[1])
    assert scores[0] != pytest.approx(alone[0])
    # Every list has 8 documents; those of a topic she did not judge are not hers.
    assert agreement(source, RUNS, "NumRet").rankings.scores.tolist() == [[8] * 4, [8] * 4]


def test_ranks_share_ties():
    rankings = agreement(judgments(made_up(21), 1), RUNS).rankings
    scores = np.array([[0.5, 0.2, 0.5, 0.9], [np.nan] * 4])
    ranks = replace(rankings, scores=scores).ranks()
    assert ranks[0].tolist() == [2.5, 4, 2.5, 1]
    assert np.isnan(ranks[1]).all()


def test_rel_and_the_measure():
    given_ = judgments(made_up(21, top=2), 2)
    binary, graded = agreement(given_, RUNS, "AP", rel=2), agreement(given_, RUNS, "AP(rel=2)")
    assert binary.rankings.scores == pytest.approx(graded.rankings.scores)
    with pytest.raises(MeasureError, match="rel=2"):
        agreement(given_, RUNS, "AP(rel=2)", rel=2)
    with pytest.raises(MeasureError, match="rel must be"):
        agreement(given_, rel=3)


# Output, and what is refused


def test_text_and_json():
    found = agreement(judgments(made_up(21, top=2), 2), RUNS, "P@3")
    text = found.to_text()
    assert text.startswith("5 judges, 3 topics, 24 documents,")
    assert "4 systems ranked by P@3: mean tau_b" in text
    assert str(found) == text
    header = next(line.split() for line in text.splitlines() if line.startswith("judge "))
    assert header[-4:] == ["agreement", "kappa", "tau_b", "tau_ap"]
    data = json.loads(found.to_json())
    assert data["krippendorff_alpha_nominal"] == found.alpha_nominal
    assert data["rankings"]["systems"] == ["s0", "s1", "s2", "s3"]
    assert np.array(data["pairs"]["common"]).tolist() == found.pairs.common.tolist()
    assert "Agreement(5 judges" in repr(found)


def test_the_text_has_the_mean_correlation_of_two_judges():
    found = agreement(judgments(made_up(21, top=2), 2), RUNS, "AP")
    scores = found.rankings.scores.tolist()
    pairs = list(itertools.permutations(range(len(scores)), 2))  # tau_ap differs by direction
    tau = np.nanmean([naive_stats.kendall(scores[i], scores[j]) for i, j in pairs])
    tau_ap = np.mean([naive_stats.tau_ap(scores[i], scores[j]) for i, j in pairs])
    assert f"mean tau_b {tau:.3f}, mean tau_ap {tau_ap:.3f} between two" in found.to_text()


def test_only_the_busiest_of_many_judges_are_listed():
    rng = np.random.default_rng(2)
    labels = {f"j{i:02}": rng.integers(0, 3, 30 + i) for i in range(50)}
    text = agreement(panel_of(labels)).to_text()
    assert "j49" in text
    assert "\nj09" not in text
    assert "and 10 judges with fewer labels" in text


def test_pairs_without_a_common_document_are_told():
    def told(panel):
        return [w for w in agreement(panel).warnings if "in common" in w]

    one = {"a": {"t": {"x": 1, "y": 0}}, "b": {"t": {"z": 1}}, "c": {"t": {"x": 1, "z": 0}}}
    (line,) = told(one)
    assert line.startswith("1 pair of judges (of 3) without a document in common")
    (line,) = told({**one, "d": {"t": {"w": 1}}})
    assert line.startswith("4 pairs of judges (of 6) without a document in common")


def test_bad_input():
    with pytest.raises(InputError, match="at least two judges"):
        agreement({"a": {"t": {"x": 1, "y": 0}}})
    with pytest.raises(InputError, match="probabilities"):
        agreement({"a": {"t": {"x": 0.5}}, "b": {"t": {"x": 1}}})
    found = agreement(judgments(made_up(1), 1))
    with pytest.raises(UnknownName, match="no judge 'nobody'"):
        found.confusion("a0", "nobody")
    with pytest.raises(InputError, match="at least two systems"):
        agreement(judgments(made_up(1), 1), {"s": RUNS["s0"]})
    with pytest.raises(UnknownName, match="did you mean"):
        agreement(judgments(made_up(1), 1), RUNS, "APP")


def test_hundreds_of_workers(shared_data):
    given_ = read_judgments(shared_data / "crowd-web5" / "label.csv")
    found = agreement(given_)
    assert found.pairs.common.shape == (177, 177)
    assert 0 < found.alpha_nominal < found.alpha_ordinal < 1
    assert "and 137 judges with fewer labels" in found.to_text()


def test_common_is_what_both_judged():
    votes = made_up(3, negative=True, top=2)
    given_ = judgments(votes, 2)
    panel = agreement(given_).panel
    grid = given_.matrix() >= 0
    assert (panel.pairs().common == grid.astype(int) @ grid.T.astype(int)).all()


# Pictures


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    from hungjury.report.judge_plots import draw_agreement

    found = agreement(judgments(made_up(21, top=2), 2), RUNS)
    for what in ("kappa", "agreement", "tau", "tau_ap"):
        figure = draw_agreement(found, what)
        shown = [t.get_text() for t in figure.axes[0].get_xticklabels()]
        assert shown == [found.judges[i] for i in found.order()]
    figure.savefig(tmp_path / "tau_ap.png")
    figure = draw_agreement(found, "rankings")
    assert sorted(t.get_text() for t in figure.axes[0].get_yticklabels()) == list(RUNS)
    figure.savefig(tmp_path / "ranks.svg")
    without = agreement(judgments(made_up(21, top=2), 2))
    draw_agreement(without)
    for what in ("rankings", "tau", "bump"):
        with pytest.raises(InputError, match="with runs"):
            draw_agreement(without, what)
    with pytest.raises(InputError, match="kappa"):
        hj.agreement(judgments(made_up(21, top=2), 2)).plot("colour")


def test_pictures_without_matplotlib_name_the_install_line(monkeypatch):
    from hungjury.report.judge_plots import draw_agreement

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"hungjury\[report\]"):
        draw_agreement(agreement(judgments(made_up(1), 1)))


def crowd(lean=(1, 2), seed=0):
    """Many judges with few labels each, who differ in how often they give high grades."""
    rng = np.random.default_rng(seed)
    leaning, hasty = rng.beta(*lean, 120), {7: 0, 8: 1}
    return {
        f"w{j}": {"t": {
            f"d{d}": hasty.get(j, int(rng.random() < leaning[j]) * int(rng.integers(1, 4)))
            for d in rng.choice(2000, 400 if j in hasty else 10 + j // 2, replace=False).tolist()
        }}
        for j in range(120)
    }  # fmt: skip


def test_a_crowd_has_one_scale_and_its_judges_are_listed_by_labels():
    votes = crowd()
    tops = [max(labels["t"].values()) for labels in votes.values()]
    assert sum(top < 2 for top in tops) >= 4  # some members gave 0 and 1 only
    found = hj.agreement(votes, at_least=60)
    assert found.grades == (0, 1, 2, 3)
    labels = [row[1] for row in found.table().rows]
    assert labels == sorted(labels, reverse=True)
    assert min(labels) == 60
    assert len(labels) == (found.labels >= 60).sum()
    assert f"and {120 - len(labels)} judges with fewer labels" in found.to_text()
    facts = hj.audit(hj.read_judgments(votes), at_least=60).facts
    assert facts[-1] == f"  and {120 - len(labels)} judges with 59 labels or fewer"
    assert len(hj.audit(hj.read_judgments(votes)).facts) == 4 + 40 + 1


def test_a_crowd_with_binary_members_is_refused():
    votes = crowd(lean=(4, 2))
    rng = np.random.default_rng(1)
    for j in range(40):  # a second task, on relevance as yes or no
        labelled = rng.choice(2000, 150, replace=False).tolist()
        votes[f"b{j}"] = {"t": {f"d{d}": int(rng.integers(0, 2)) for d in labelled}}
    with pytest.raises(InputError, match="different scales"):
        hj.read_judgments(votes)


def test_the_effective_number_of_a_crowd_has_its_caveat():
    votes = crowd()
    gold = {"t": {f"d{d}": d % 4 for d in range(2000)}}
    found = hj.agreement_with_gold(votes, gold, at_least=100)
    unknown = int(np.isnan(found.correlation[np.triu_indices(120, 1)]).sum())
    assert unknown > 0
    assert f"by the {7140 - unknown:,} of 7,140 pairs" in found.to_text()
    assert [row[0] for row in found.table().rows] == ["w7", "w8"]
