"""Drawn labels: the sampler against sums over all assignments, strata, near-copies."""

from dataclasses import replace

import numpy as np
import pytest

import hungjury as hj
from hungjury import native
from hungjury.base.errors import HungjuryError
from hungjury.data.alignment import align
from hungjury.leaderboard.label_model import RankStrata, check_chains, draw_labels
from oracles import leaderboard as naive


def flat(grades, rng):
    return np.zeros(len(grades), dtype=np.int64)


def judgments_of(votes):
    """votes: per document {judge number: label}."""
    judges = sorted({k for given in votes for k in given})
    return hj.read_judgments(
        {
            f"judge{k}": {"t": {f"d{d}": given[k] for d, given in enumerate(votes) if k in given}}
            for k in judges
        }
    )


BINARY = [{0: 1, 1: 1, 2: 0}, {0: 0, 1: 0, 2: 0}, {0: 1, 1: 0}, {1: 1, 2: 1}, {0: 0, 2: 1}]
GRADED = [{0: 2, 1: 1, 2: 2}, {0: 0, 1: 0}, {0: 1, 1: 2, 2: 0}, {1: 2, 2: 1}]


@pytest.mark.parametrize("votes", [BINARY, GRADED])
def test_draws_have_the_exact_posterior(votes):
    merged = hj.merge(judgments_of(votes), "em-neu", scope="all")
    order = [int(name[1:]) for name in merged.pool.documents]
    size = len(merged.grades)
    usual = merged.posterior.mean(axis=0)  # one more document, with the usual grades
    exact = np.array(naive.posterior_of_grades(votes, size, 3, usual.tolist()))[order]
    found = draw_labels(merged, flat, 30_000, np.random.SeedSequence(1))
    drawn = np.stack([(found.labels == g).mean(axis=0) for g in range(size)], axis=1)
    assert drawn == pytest.approx(exact, abs=0.02)
    assert found.posterior == pytest.approx(exact, abs=0.02)


def test_one_sweep_is_the_loop():
    rng = np.random.default_rng(3)
    begin, said = np.array([0, 3, 3, 5]), np.array([0, 3, 4, 1, 5], dtype=np.int32)
    stratum = np.array([0, 1, 1], dtype=np.int32)
    prior, evidence = rng.normal(size=(2, 2)), rng.normal(size=(6, 2))
    uniforms = rng.random(3)
    drawn, chances = np.zeros(3, dtype=np.int8), np.zeros(6)
    in_stratum, with_vote = np.zeros(4, dtype=np.int64), np.zeros(12, dtype=np.int64)
    native.draw_grades(begin, said, stratum, prior, evidence, uniforms, drawn, chances,
                       in_stratum, with_vote)  # fmt: skip
    for d in range(3):
        codes = said[begin[d] : begin[d + 1]]
        weight = np.exp(prior[stratum[d]] + sum((evidence[c] for c in codes), np.zeros(2)))
        p = weight / weight.sum()
        assert chances[2 * d : 2 * d + 2] == pytest.approx(p)
        assert drawn[d] == int(uniforms[d] >= p[0])
        for c in codes:
            assert with_vote[2 * c + drawn[d]] >= 1
    assert in_stratum.sum() == 3
    assert with_vote.sum() == len(said)


def test_wrong_sizes_are_refused():
    with pytest.raises(IndexError):
        native.draw_grades(
            np.array([0]), np.zeros(0, np.int32), np.zeros(1, np.int32), np.zeros((1, 2)),
            np.zeros((2, 2)), np.zeros(1), np.zeros(1, np.int8), np.zeros(2),
            np.zeros(2, np.int64), np.zeros(4, np.int64),
        )  # fmt: skip


def test_documents_that_all_systems_rank_first_are_the_most_promising():
    made = hj.simulate(systems=5, topics=10, documents=200, seed=4)
    aligned = align(made.runs, made.gold.pool)
    known = np.ones(len(made.gold.pool), dtype=bool)
    strata = RankStrata(aligned, known).of(made.gold.labels, np.random.default_rng(0))
    share = [made.gold.labels[strata == s].mean() for s in range(strata.max() + 1)]
    assert strata.max() >= 4
    assert share[-1] > 0.8
    assert share[0] < 0.3
    size = np.bincount(strata)
    assert size.max() - size.min() <= 0.2 * size.mean()


def test_topics_with_more_relevant_documents_are_more_promising():
    rng = np.random.default_rng(5)
    share = {"rich": 0.6, "poor": 0.1}
    qrels = {t: {f"d{i}": int(rng.random() < p) for i in range(400)} for t, p in share.items()}
    runs = {"s": {t: {d: rng.random() for d in docs} for t, docs in qrels.items()}}
    gold = hj.read_qrels(qrels)
    aligned = align(hj.read_runs(runs), gold.pool)
    known = np.ones(len(gold.pool), dtype=bool)
    strata = RankStrata(aligned, known).of(gold.labels, rng)
    rich = np.array([gold.topics[t] == "rich" for t in gold.pool.topic_of])
    assert strata[rich].min() >= strata[~rich].max() - 1


def test_a_copy_of_a_judge_adds_nothing():
    made = hj.simulate(systems=3, topics=6, documents=60, depth=30, accuracies=(0.8, 0.75, 0.7))
    given = made.judgments
    labels = {a: given.qrels_of(a).to_dict() for a in given.judges}
    twice = hj.read_judgments(labels | {"judge1b": labels["judge1"], "judge1c": labels["judge1"]})
    one = draw_labels(hj.merge(given, "em-neu", scope="all"), flat, 2000, np.random.SeedSequence(0))
    family = tuple(name.rstrip("bc") for name in twice.judges)
    merged = hj.merge(replace(twice, family=family), "em-neu", scope="all")
    more = draw_labels(merged, flat, 2000, np.random.SeedSequence(0))
    assert np.abs(one.posterior - more.posterior).mean() < 0.06
    # As three judges they would settle nearly every document.
    assert merged.posterior.max(axis=1).mean() > more.posterior.max(axis=1).mean() + 0.05


def test_what_nobody_judged_stays_so():
    labels = {"a": {"t": {"d1": 1, "d2": -1}}, "b": {"t": {"d1": 0, "d2": -1}}}
    given = hj.read_judgments(labels, grades=range(-1, 2))
    found = draw_labels(hj.merge(given, "em-neu", scope="all"), flat, 10, np.random.SeedSequence(0))
    assert (found.labels[:, given.pool.find("t", "d2")] < 0).all()


@pytest.mark.parametrize("scope", ["all", "topic"])
def test_judges_are_known_by_their_confusion(scope):
    made = hj.simulate(systems=3, topics=8, documents=200, accuracies=(0.9, 0.8, 0.7, 0.6))
    merged = hj.merge(made.judgments, "em-neu", scope=scope)
    found = draw_labels(merged, flat, 300, np.random.SeedSequence(2))
    right = np.einsum("g,kgg->k", found.posterior.mean(axis=0), found.confusion)
    assert right == pytest.approx([0.9, 0.8, 0.7, 0.6], abs=0.06)


def test_chains_that_disagree_are_no_ranking():
    made = hj.simulate(systems=2, topics=4, documents=80, accuracies=(0.8, 0.7, 0.7))
    merged = hj.merge(made.judgments, "em-mv", scope="all")
    good = merged.posterior[merged.panel.judged]
    check_chains(merged.panel, merged.posterior, [good, good])
    with pytest.raises(HungjuryError, match=r"two runs of the label model disagree(.|\n)*binmv"):
        check_chains(merged.panel, merged.posterior, [good, good[:, ::-1]])
    with pytest.raises(HungjuryError, match="contradicts the mean vote"):
        check_chains(merged.panel, merged.posterior, [good[:, ::-1], good[:, ::-1]])


@pytest.mark.parametrize(("correlation", "agree"), [(0.45, False), (0.55, True)])
def test_chains_agree_from_a_correlation_of_one_half(correlation, agree):
    made = hj.simulate(systems=2, topics=4, documents=80, accuracies=(0.8, 0.7, 0.7))
    merged = hj.merge(made.judgments, "em-mv", scope="all")
    good = merged.posterior[merged.panel.judged]
    around = good[:, 1] - good[:, 1].mean()
    noise = np.random.default_rng(1).standard_normal(len(around))
    noise -= noise.mean() + around * (noise @ around) / (around @ around)
    other = correlation * around / around.std() + np.sqrt(1 - correlation**2) * noise / noise.std()
    other = 0.5 + other / (2.1 * np.abs(other).max())
    chains = [good, np.column_stack([1 - other, other])]
    if agree:
        check_chains(merged.panel, merged.posterior, chains)
    else:
        with pytest.raises(HungjuryError, match="two runs of the label model disagree"):
            check_chains(merged.panel, merged.posterior, chains)


def test_strata_follow_the_grades_every_ten_sweeps():
    """Two chains, 50 sweeps to warm up and half of the draws each, and once at the start."""
    made = hj.simulate(systems=2, topics=3, documents=40, depth=20, accuracies=(0.8, 0.7, 0.7))
    merged = hj.merge(made.judgments, "em-neu", scope="all")
    seen = []

    def strata(grades, rng):
        seen.append(grades.copy())
        return np.zeros(len(grades), dtype=np.int64)

    found = draw_labels(merged, strata, 101, np.random.SeedSequence(0))
    assert len(found.labels) == 101
    starts, sweeps = 2, [50 + 51, 50 + 50]
    assert len(seen) == starts + sum(-(-number // 10) for number in sweeps)
    assert len({one.tobytes() for one in seen}) > 5  # by the grades of the moment


def test_a_stratum_has_a_prior_of_its_own():
    """Documents without a clear vote follow those of their stratum."""
    votes = [{0: 1, 1: 1, 2: 1}] * 60 + [{0: 0, 1: 0, 2: 0}] * 60 + [{0: 1, 1: 0}, {0: 1, 1: 0}]
    merged = hj.merge(judgments_of(votes), "em-neu", scope="all")
    number = np.array([int(name[1:]) for name in merged.pool.documents])
    rich = (number < 60) | (number == 120)
    found = draw_labels(
        merged, lambda grades, rng: rich.astype(np.int64), 2000, np.random.SeedSequence(1)
    )
    doubtful = {n: found.posterior[np.flatnonzero(number == n)[0], 1] for n in (120, 121)}
    assert doubtful[120] > 0.85
    assert doubtful[121] < 0.15
    one = draw_labels(merged, flat, 2000, np.random.SeedSequence(1))
    alike = [one.posterior[np.flatnonzero(number == n)[0], 1] for n in (120, 121)]
    assert alike[0] == pytest.approx(alike[1], abs=0.05)
