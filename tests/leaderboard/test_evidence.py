"""What a leaderboard rests on: lists, labels, and what a document adds to a score."""

import random

import numpy as np
import pytest

import hungjury as hj
from hungjury.leaderboard.evidence import BEYOND, UNJUDGED
from oracles import gain as naive_gain
from oracles import measures as naive

TOP = 3
GRADES = range(TOP + 1)


def collection(seed=0):
    """Three judges with gaps, and runs with documents that nobody judged."""
    chance = random.Random(seed)
    topics = [f"t{i}" for i in range(4)]
    judges = {
        name: {
            t: {f"d{i}": chance.choice(GRADES) for i in range(14) if chance.random() < 0.8}
            for t in topics
        }
        for name in ("ann", "bob", "cat")
    }
    runs = {
        f"s{s}": {
            t: {f"d{i}": chance.random() for i in chance.sample(range(20), 12 if s else 3)}
            for t in topics[: 3 if s == 2 else 4]
        }
        for s in range(4)
    }
    return judges, runs


def board_of(measure, merge="mv", gold=None, **options):
    judges, runs = collection()
    return hj.leaderboard(
        judges, runs, measure, merge, draws=100, gold=gold, target="topics", grades=GRADES,
        contrary="keep", **options,
    )  # fmt: skip


def ranked(runs, system, topic):
    lines = runs[system].get(topic, {})
    return sorted(lines, key=lambda d: (lines[d], d), reverse=True)


def test_lists_hold_every_rank_down_to_the_measures_cutoff():
    _, runs = collection()
    board = board_of("nDCG@5")
    found = board.evidence
    assert found.depth == 5
    names = found.alignment.pool.documents
    for s, system in enumerate(board.systems):
        for t, topic in enumerate(board.topics):
            pool = set(names[found.alignment.pool.slice(t)])
            wanted = ranked(runs, system, topic)[:5]
            told = [
                {UNJUDGED: None, BEYOND: "end"}.get(d, names[d]) for d in found.lists[s, t].tolist()
            ]
            expected = [d if d in pool else None for d in wanted] + ["end"] * (5 - len(wanted))
            assert told == expected
    assert board_of("AP").evidence.depth == 20
    assert board_of("AP@30").evidence.depth == 20


@pytest.mark.parametrize("source", ["memory", "files"])
def test_documents_that_no_judge_labelled_keep_their_ids(source, tmp_path):
    judges, runs = collection()
    runs["s1"]["t1"]["an-ü"] = 9.0
    given = runs
    if source == "files":
        runs["s1"]["t2"]["not-UTF-8-\udc80"] = 9.0
        for system, lists in runs.items():
            lines = [f"{t} Q0 {d} 0 {v!r} {system}\n" for t in lists for d, v in lists[t].items()]
            text = "".join(lines).encode("utf-8", "surrogateescape")
            (tmp_path / f"{system}.run").write_bytes(text)
        given = str(tmp_path / "*.run")
    board = hj.leaderboard(judges, given, "nDCG@5", draws=100, grades=GRADES)
    found, seen = board.evidence, 0
    for s, system in enumerate(board.systems):
        for t, topic in enumerate(board.topics):
            wanted = ranked(runs, system, topic)[:5]
            for n, row in enumerate(found.unjudged[s, t].tolist()):
                assert (row >= 0) == (found.lists[s, t, n] == UNJUDGED)
                if row >= 0:
                    assert found.alignment.others.id(row) == wanted[n]
                    seen += 1
    assert seen > 10


NAIVE = {
    "nDCG@5": (lambda labels, pool: naive_gain.ndcg(labels, pool, 5) or 0.0, True),
    "AP(rel=2)": (lambda labels, pool: naive.ap(labels, pool, rel=2) or 0.0, True),
    "RBP(p=0.8)": (lambda labels, pool: naive_gain.rbp(labels, pool, 0.8), True),
    "ERR@10": (lambda labels, pool: naive_gain.err(labels, pool, TOP, 10), True),
    "RR": (lambda labels, pool: naive.rr(labels, pool), False),
    "Bpref": (lambda labels, pool: naive.bpref(labels, pool) or 0.0, False),
}


@pytest.mark.parametrize("measure", NAIVE)
def test_a_contribution_is_the_score_minus_that_without_the_document(measure):
    score, pool_stays = NAIVE[measure]
    _, runs = collection()
    board = board_of(measure)
    found = board.evidence
    pool, labels = found.alignment.pool, found.drawn.merged.labels
    known = [
        {pool.documents[d]: int(labels[d]) for d in range(*pool.slice(t).indices(len(pool)))}
        for t in range(len(pool.topics))
    ]
    for s, system in enumerate(board.systems):
        for t, topic in enumerate(board.topics):
            listed = ranked(runs, system, topic)
            given = [known[t].get(d) for d in listed]
            everything = list(known[t].values())
            whole = score(given, everything)
            for n, document in enumerate(listed[: found.depth]):
                if given[n] is None:
                    assert found.contributions[s, t, n] == 0
                    continue
                less = [0 if i == n else label for i, label in enumerate(given)]
                rest = everything
                if not pool_stays:
                    rest = [0 if d == document else g for d, g in known[t].items()]
                expected = whole - score(less, rest)
                assert found.contributions[s, t, n] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("merge", ["mv", "binmv", "aware", "em-neu"])
def test_contributions_to_a_sum_of_gains_add_up_to_the_score(merge):
    board = board_of("RBP(p=0.8)", merge, rel=2)
    total = board.evidence.contributions.sum(axis=2)
    slack = 1e-6 if merge in ("mv", "aware") else 0.12  # other draws than the leaderboard's
    np.testing.assert_allclose(total, board.cells, atol=slack)


def test_probabilities_are_shares_of_votes():
    judges, _ = collection()
    for merge in ("binmv", "aware"):
        found = board_of("nDCG@5", merge).evidence
        pool = found.alignment.pool
        for d, document in enumerate(pool.documents):
            topic = pool.topics[pool.topic_of[d]]
            votes = [one[topic][document] for one in judges.values() if document in one[topic]]
            for k in range(1, TOP + 1):
                share = sum(v >= k for v in votes) / len(votes)
                assert found.probability[d, k - 1] == pytest.approx(share)


def test_gold_labels_are_known_and_count_instead_of_the_panels():
    judges, _ = collection()
    gold = {"t0": dict.fromkeys(list(judges["ann"]["t0"])[:4], 3)}
    found = board_of("nDCG@5", gold=gold).evidence
    pool = found.alignment.pool
    told = {
        (pool.topics[pool.topic_of[d]], pool.documents[d]): g
        for d, g in enumerate(found.gold.tolist())
        if g == g
    }
    assert told == {("t0", d): 3.0 for d in gold["t0"]}
    labels, _ = found.label_sets(True)
    assert (labels[:, ~np.isnan(found.gold)] == 3).all()
    assert board_of("nDCG@5").evidence.gold is None


def test_probabilities_under_a_model_are_those_of_its_draws():
    """Labels are drawn from the posterior, so that their shares are near to it."""
    found = board_of("nDCG@5", "em-neu").evidence
    for k in range(1, TOP + 1):
        share = (found.drawn.labels.labels >= k).mean(axis=0)
        off = found.probability[:, k - 1] - share
        assert np.abs(off).mean() < 0.06
    assert (np.diff(found.probability, axis=1) <= 1e-12).all()
    assert found.probability.max() > 0.5
