"""Draws of labels and of scores, who is told apart in them, and the causes of uncertainty."""

import itertools
import statistics
from dataclasses import replace

import numpy as np
import pytest

import hungjury as hj
from hungjury import native
from hungjury.base.errors import HungjuryError
from hungjury.data.alignment import align
from hungjury.leaderboard.board import standing
from hungjury.leaderboard.draws import (
    Parts,
    ScoreDraws,
    as_reported,
    mean_draws,
)
from hungjury.leaderboard.label_model import (
    RankStrata,
    _Chain,
    _VoteTable,
    check_chains,
    draw_labels,
)
from hungjury.stats.multiple import of_differences
from oracles import leaderboard as naive


def summary_of(values):
    """values: [draw, system, topic]"""
    return ScoreDraws.of([values.copy()], *values.shape[1:])


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
    found = draw_labels(merged, flat, 6000, np.random.SeedSequence(1))
    drawn = np.stack([(found.labels == g).mean(axis=0) for g in range(size)], axis=1)
    assert drawn == pytest.approx(exact, abs=0.03)
    assert found.posterior == pytest.approx(exact, abs=0.03)


def test_a_chain_starts_with_the_grades_that_em_is_sure_of():
    merged = hj.merge(judgments_of(GRADED), "em-neu", scope="all")
    votes = _VoteTable.of(merged.panel, "all", merged.panel.weight)
    sure = np.array([2, 0, 1, 2])
    chain = _Chain(votes, flat, np.eye(3)[sure], np.random.default_rng(1))
    assert chain.grades.tolist() == sure.tolist()


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
    one = draw_labels(hj.merge(given, "em-neu", scope="all"), flat, 600, np.random.SeedSequence(0))
    family = tuple(name.rstrip("bc") for name in twice.judges)
    merged = hj.merge(replace(twice, family=family), "em-neu", scope="all")
    more = draw_labels(merged, flat, 600, np.random.SeedSequence(0))
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
        merged, lambda grades, rng: rich.astype(np.int64), 800, np.random.SeedSequence(1)
    )
    doubtful = {n: found.posterior[np.flatnonzero(number == n)[0], 1] for n in (120, 121)}
    assert doubtful[120] > 0.85
    assert doubtful[121] < 0.15
    one = draw_labels(merged, flat, 800, np.random.SeedSequence(1))
    alike = [one.posterior[np.flatnonzero(number == n)[0], 1] for n in (120, 121)]
    assert alike[0] == pytest.approx(alike[1], abs=0.05)


# Draws of scores in summaries, and the causes of uncertainty found in them.


def test_parts_are_the_loop():
    rng = np.random.default_rng(3)
    draws = rng.normal(size=(50, 2, 6)) + rng.normal(size=(50, 2, 1))
    kept = summary_of(draws)
    _, _, parts = mean_draws(draws.mean(axis=0), kept, "topics", np.random.SeedSequence(0))
    for s in range(2):
        noise, _ = naive.parts(draws[:, s].tolist())
        assert parts.by_cause["labels"][s, s] == pytest.approx(noise)
    one = draws[:, :1]
    alone = mean_draws(one.mean(axis=0), summary_of(one), "topics", np.random.SeedSequence(0))
    judges = alone[2].by_cause["judges"]
    assert judges[0, 0] == pytest.approx(naive.parts(draws[:, 0].tolist())[1])


@pytest.mark.parametrize("sizes", [(50,), (1, 49), (16, 16, 18)])
def test_summaries_of_blocks_are_those_of_all_draws(sizes):
    """Whatever the blocks, and with numbers far from 0."""
    rng = np.random.default_rng(7)
    draws = 1000 + rng.normal(size=(50, 3, 4))
    draws[:, 1, 2] = 0.3  # the same in all draws
    blocks = np.split(draws, np.cumsum(sizes)[:-1])
    found = ScoreDraws.of((block.copy() for block in blocks), 3, 4)
    for s in range(3):
        assert found.means[:, s] == pytest.approx([sum(d[s]) / 4 for d in draws])
        for t in range(4):
            cell = draws[:, s, t].tolist()
            assert found.cells[s, t] == pytest.approx(statistics.fmean(cell))
            assert found.spread[s, t] == pytest.approx(statistics.pstdev(cell), abs=1e-12)
        for r in range(3):
            products = sum(
                (d[s, t] - found.cells[s, t]) * (d[r, t] - found.cells[r, t])
                for d in draws
                for t in range(4)
            )
            assert found.products[s, r] == pytest.approx(products, rel=1e-9)
    assert found.spread[1, 2] == 0


@pytest.mark.parametrize("shared", [0.0, 0.5])
def test_parts_find_what_topics_share(shared):
    rng = np.random.default_rng(4)
    draws = 0.2 * rng.normal(size=(4000, 3, 10)) + shared * rng.normal(size=(4000, 1, 1))
    cells = rng.normal(size=(3, 10))
    means, _, parts = mean_draws(
        cells, summary_of(draws + cells), "population", np.random.SeedSequence(5)
    )
    assert np.diag(parts.by_cause["labels"]) == pytest.approx([0.04 / 10] * 3, rel=0.1)
    assert np.diag(parts.by_cause["judges"]) == pytest.approx([shared**2] * 3, abs=0.02)
    between = cells.var(axis=1, ddof=1) / 10
    # Student's t with 9 degrees of freedom has the variance 9 / 7.
    assert means.var(axis=0) == pytest.approx(between * 9 / 7 + 0.004 + shared**2, rel=0.1)
    assert means.mean(axis=0) == pytest.approx(cells.mean(axis=1), abs=0.05)


def test_draws_for_these_topics_lie_around_the_estimate():
    rng = np.random.default_rng(6)
    draws = rng.normal(size=(100, 2, 7))
    cells = rng.normal(size=(2, 7))  # a vote's own scores are no mean of draws
    means, _, parts = mean_draws(cells, summary_of(draws), "topics", np.random.SeedSequence(0))
    drawn = draws.mean(axis=2)
    assert means - means.mean(axis=0) == pytest.approx(drawn - drawn.mean(axis=0))
    assert means.mean(axis=0) == pytest.approx(cells.mean(axis=1))
    assert set(parts.shares()) == {"labels", "judges"}


# Who is told apart from draws of mean scores: all pairs together, or pair by pair.


def draws_of(seed, systems=5, number=61):
    """Correlated draws of different spread, the last two systems identical."""
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(number, systems)) @ rng.normal(size=(systems, systems)) * 0.1
    mixed[:, -1] = mixed[:, -2]
    return mixed + rng.normal(size=systems) * [1, 1, 1, 0, 0]


def test_standing_is_the_loop():
    rng = np.random.default_rng(0)
    draws = np.round(rng.normal(size=(200, 4)) + [0, 0.3, 0.3, 1], 1)  # rounded: there are ties
    found = standing(draws.mean(axis=0), draws, level=0.9)
    best, beats, _, _ = naive.standing([*draws.tolist(), [0.0] * 4])  # and a draw of equals
    _, _, first, last = naive.standing(draws.tolist())
    assert found.p_best == pytest.approx(best)
    assert found.p_best.sum() == pytest.approx(1)
    assert found.beats == pytest.approx(np.array(beats))
    assert found.rank_low.tolist() == [naive.smallest_with_share(v, 0.05) for v in first]
    assert found.rank_high.tolist() == [naive.smallest_with_share(v, 0.95) for v in last]


def test_identical_systems_share_everything():
    one = np.random.default_rng(1).normal(size=(100, 1))
    found = standing(np.zeros(3), np.repeat(one, 3, axis=1))
    assert found.p_best == pytest.approx([1 / 3] * 3)
    assert (found.beats == 0.5).all()
    assert not found.apart.any()
    assert found.rank_low.tolist() == [1, 1, 1]
    assert found.rank_high.tolist() == [3, 3, 3]


def test_systems_of_equal_quality_are_rarely_told_apart():
    """All pairs taken together, a false alarm in about one of twenty leaderboards."""
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(200):
        mean = rng.normal(size=8)
        draws = mean + rng.normal(size=(400, 8))
        alarms += standing(mean, draws, together=True).apart.any()
    assert 2 <= alarms <= 20


@pytest.mark.parametrize(("level", "stretch"), [(0.95, 1.0), (0.8, 1.0), (0.95, 1.3)])
def test_all_pairs_together_are_the_loop(level, stretch):
    seen = 0
    for seed in range(40):
        draws = draws_of(seed)
        mean = draws.mean(axis=0)
        found = standing(mean, draws, level, together=True, stretch=stretch).apart
        expected = naive.told_apart(mean.tolist(), draws.tolist(), level, stretch)
        assert found.tolist() == expected
        seen += int(found.sum())
    assert 100 < seen < 40 * 20 - 100  # of both kinds


def test_just_above_the_difference_needed_and_just_below():
    """Two systems: the largest standardised difference is their own."""
    draws = np.array([[x, -x] for x in np.linspace(-1, 1, 41)])
    off = np.sort(np.abs(draws[:, 0] - draws[:, 1]))
    needed = np.quantile(off, 0.95)  # the standard deviation cancels
    assert standing(np.array([1.001 * needed, 0]), draws, together=True).apart[0, 1]
    assert not standing(np.array([0.999 * needed, 0]), draws, together=True).apart[0, 1]
    again = {"together": True, "stretch": 1.01}
    assert not standing(np.array([1.001 * needed, 0]), draws, **again).apart[0, 1]
    assert standing(np.array([1.011 * needed, 0]), draws, **again).apart[0, 1]


@pytest.mark.parametrize(("level", "wins"), [(0.95, 196), (0.9, 191)])
def test_pair_by_pair_a_system_has_to_win_in_all_but_half_of_the_tail(level, wins):
    """200 draws and one in which all are equal: 196.5 wins of 201 are a share above 0.975."""
    for won, apart in ((wins, True), (wins - 1, False)):
        draws = np.array([[1.0, 0.0]] * won + [[0.0, 1.0]] * (200 - won))
        found = standing(draws.mean(axis=0), draws, level, together=False)
        share = (won + 0.5) / 201
        assert found.beats[0, 1] == pytest.approx(share)
        assert (share >= 1 - (1 - level) / 2) == apart
        assert found.apart[0, 1] == found.apart[1, 0] == apart


def test_draws_without_spread_are_certain():
    draws = np.tile([0.3, 0.2, 0.2], (50, 1))
    found = standing(draws[0], draws, together=True)
    assert found.p_best.tolist() == [1, 0, 0]
    assert found.beats[0].tolist() == [0.5, 1, 1]
    assert found.apart.tolist() == [[False, True, True], [True, False, False], [True, False, False]]


def test_rounding_tells_nobody_apart():
    draws = np.tile([0.3, 0.3 + 1e-13], (50, 1)) + np.linspace(0, 1, 50)[:, None]
    assert not standing(draws[0], draws, together=True).apart.any()


def test_variances_of_differences():
    covariance = np.array([[4.0, 1.0, 4.5], [1.0, 9.0, 0.0], [4.5, 0.0, 5.0]])
    # Var(a - b) = Var(a) + Var(b) - 2 Cov(a, b), never below 0.
    assert of_differences(covariance).tolist() == [[0, 11, 0], [11, 0, 14], [0, 14, 0]]


# Where uncertainty comes from: shares of the variance of a difference, by cause.


def covariance(seed, systems=4):
    root = np.random.default_rng(seed).normal(size=(systems, systems))
    return root @ root.T


def mean_over_pairs(matrix):
    """The mean variance of a difference between two systems."""
    pairs = list(itertools.combinations(range(len(matrix)), 2))
    return sum(matrix[a, a] + matrix[b, b] - 2 * matrix[a, b] for a, b in pairs) / len(pairs)


@pytest.mark.parametrize(
    "seeds",
    [
        {"topics": 0, "labels": 1, "judges": 2},
        {"labels": 1, "judges": 2},
        {"topics": 0, "labels": 1, "panel": 3},
        {"topics": 0, "gold": 4},
        {"gold": 4},
    ],
)
def test_shares_are_those_of_the_mean_difference(seeds):
    found = Parts({cause: covariance(seed) for cause, seed in seeds.items()}, 10)
    whole = sum(covariance(seed) for seed in seeds.values())
    assert found.total == pytest.approx(whole)
    for cause, seed in seeds.items():
        expected = mean_over_pairs(covariance(seed)) / mean_over_pairs(whole)
        assert found.shares()[cause] == pytest.approx(expected)


def test_what_all_systems_share_is_in_no_difference():
    level = np.ones((4, 4))
    found = Parts({"topics": level, "labels": covariance(1), "judges": 0 * level}, 5)
    assert found.shares() == pytest.approx({"topics": 0, "labels": 1, "judges": 0}, abs=1e-12)


def test_one_system_has_shares_of_its_own_variance():
    sizes = {"topics": 3.0, "labels": 1.0, "judges": 0.0}
    one = Parts({cause: np.array([[size]]) for cause, size in sizes.items()}, 5)
    assert one.shares() == {"topics": 0.75, "labels": 0.25, "judges": 0}
    nothing = Parts(dict.fromkeys(sizes, np.zeros((2, 2))), 5)
    assert nothing.shares() == {"topics": 0, "labels": 0, "judges": 0}


def test_parts_of_corrected_means():
    cells = np.random.default_rng(1).normal(size=(3, 8))
    found = Parts.of(cells, "population", gold=covariance(2, 3), judges=None)
    expected = [[np.cov(a, b)[0, 1] / 8 for b in cells] for a in cells]
    assert found.by_cause["topics"] == pytest.approx(np.array(expected))
    assert list(found.by_cause) == ["topics", "gold"]
    one_topic = Parts.of(cells[:, :1], "population", gold=covariance(2, 3))
    assert not one_topic.by_cause["topics"].any()
    assert list(Parts.of(cells, "topics", gold=covariance(2, 3)).by_cause) == ["gold"]


def test_geometric_means_and_sums_are_reported_as_such():
    means = np.log([0.5, 0.25])
    assert as_reported(hj.measure("GMAP"), 4)(means) == pytest.approx([0.5, 0.25])
    assert as_reported(hj.measure("NumRelRet"), 4)(np.array([2.0, 3.0])).tolist() == [8, 12]
    assert as_reported(hj.measure("AP"), 4)(np.array([0.2, 0.3])).tolist() == [0.2, 0.3]


def test_geometric_means_are_never_above_the_largest_score():
    """Two topics leave one degree of freedom, whose draws of logarithms go far."""
    assert as_reported(hj.measure("GMAP"), 2)(np.array([3.0, 1e4])).tolist() == [1, 1]


@pytest.mark.parametrize("topics", [2, 3, 6])
def test_labels_that_leave_nothing_open_have_no_share(topics):
    """One judge has one label for a document: what remains is rounding, which is no cause."""
    made = hj.simulate(systems=4, topics=topics, documents=20, depth=10, accuracies=[0.7], seed=3)
    found = hj.leaderboard(
        made.judgments, made.runs, "RBP(p=0.8)", panel_error=0, target="topics", draws=100
    )
    assert set(found.shares.values()) == {0}
    assert found.outlook.difference == pytest.approx(0, abs=1e-12)
