"""Gold labels in the order of depth: when they decide, and when intervals are shown."""

import pytest

import hungjury as hj


@pytest.fixture(scope="module")
def by_depth():
    """A plan by depth, all labels that it asks for, and how many each rank takes."""
    made = hj.simulate(systems=4, topics=6, documents=30, depth=12, seed=2)
    plan = hj.plan(made.judgments, made.runs, "RR@10", budget=100, design="depth")
    smallest = {}
    for system in made.runs.systems:
        for topic in made.runs.topics:
            for rank, (document, _) in enumerate(made.runs.ranked(system, topic), 1):
                smallest[topic, document] = min(rank, smallest.get((topic, document), rank))
    ranks = list(smallest.values())
    upto = [sum(r <= rank for r in ranks) for rank in range(12)]
    return made, plan, upto


def first_of(made, plan, number):
    truth, gold = made.gold.to_dict(), {}
    for topic, document in [*zip(plan.topics, plan.documents, strict=True)][:number]:
        gold.setdefault(topic, {})[document] = truth[topic][document]
    return gold


@pytest.mark.parametrize(
    ("measure", "rank", "missing"),
    [(name, rank, missing) for name in ("RR@10", "nDCG@2") for rank in (1, 2) for missing in (1, 0)]
    + [("Success@3", 1, 1), ("Success@3", 1, 0), ("ERR@2", 2, 1), ("ERR@2", 2, 0)],
)
def test_labels_by_depth_decide_once_they_reach_far_enough(by_depth, measure, rank, missing):
    made, plan, upto = by_depth
    gold = first_of(made, plan, upto[rank] - missing)
    given = {"gold": gold, "plan": plan, "draws": 100}
    found = hj.leaderboard(made.judgments, made.runs, measure, **given)
    needed = 1 if measure in ("RR@10", "Success@3") else 2
    depth = (rank - missing, needed, int(measure.split("@")[1]))
    assert found.correction.depth == depth
    assert found.to_dict()["correction"]["depth"] == list(depth)
    texts = [note.text for note in found.notes if note.kind == "undecided-labels"]
    pair = found.systems[1::-1]
    if rank - missing >= needed:
        assert not any("of every list" in text for text in texts)
        (decided,) = hj.gate(made.judgments, made.runs, *pair, measure, **given)
        if needed == 1:  # they say who is better, and not by how much
            assert found.scale == "panel"
            assert decided.low is None
            unknown = [note.text for note in found.notes if note.kind == "unknown-level"]
            assert f"they reach rank {rank - missing}, not {depth[2]}" in unknown[0]
        elif found.correction.decides == "gold":
            assert decided.low is not None
        return
    assert f"by depth they reach rank {rank - missing} of every list, not {needed}" in texts[0]
    assert found.correction.decides == "panel"
    assert found.scale == "panel"
    alone = hj.leaderboard(made.judgments, made.runs, measure, draws=100)
    assert found.systems == alone.systems
    assert found.p_best == pytest.approx(alone.p_best)
    assert found.low == pytest.approx(alone.low)
    (decided,) = hj.gate(made.judgments, made.runs, *pair, measure, **given)
    assert decided.low is None
    assert "of every list" in " ".join(note.text for note in decided.notes)


def test_other_designs_need_no_depth(by_depth):
    made, deep, upto = by_depth
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", budget=100)
    given = {"gold": first_of(made, plan, 100), "plan": plan, "draws": 100}
    assert hj.leaderboard(made.judgments, made.runs, "nDCG@10", **given).correction.depth is None
    both = first_of(made, deep, upto[1] - 1)
    for topic, labels in first_of(made, plan, 100).items():
        both.setdefault(topic, {}).update(labels)
    given |= {"gold": both, "plan": [deep, plan]}
    assert hj.leaderboard(made.judgments, made.runs, "nDCG@10", **given).correction.depth is None


@pytest.mark.parametrize("measure", ["RR@10", "Success@3"])
def test_the_first_relevant_document_is_decided_by_depth_only(by_depth, measure):
    """Labels by influence told hundreds of pairs apart by RR, up to 95 % of them wrongly."""
    made, _, _ = by_depth
    assert hj.plan(made.judgments, made.runs, measure, budget=60).design == "depth"
    plan = hj.plan(made.judgments, made.runs, measure, budget=60, design="influence")
    given = {"gold": first_of(made, plan, 60), "plan": plan, "draws": 100}
    found = hj.leaderboard(made.judgments, made.runs, measure, **given)
    assert found.correction.depth == (0, 1, int(measure.split("@")[1]))
    assert found.correction.decides == found.scale == "panel"
    assert found.correction.covered is None
    texts = " ".join(note.text for note in found.notes)
    assert "by depth they reach rank 0 of every list, not 1" in texts
    alone = hj.leaderboard(made.judgments, made.runs, measure, draws=100)
    assert found.p_best == pytest.approx(alone.p_best)
    (decided,) = hj.gate(made.judgments, made.runs, *found.systems[1::-1], measure, **given)
    assert decided.low is None
