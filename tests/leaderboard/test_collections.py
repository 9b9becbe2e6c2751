"""Whole collections of any shape, from labels to decisions: no raw exception and no NaN."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hungjury as hj

LIGHT = settings(
    max_examples=3, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
DOCUMENTS = [f"d{i}" for i in range(8)]


@st.composite
def collections(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judges with gaps and scales of their own, some of them soft; runs with ties and gaps."""
    topics = [f"t{i}" for i in range(draw(st.integers(1, 4)))]
    soft = draw(st.booleans())
    judges: dict[str, Any] = {}
    for i in range(draw(st.integers(2, 4))):
        top = draw(st.integers(1, 3))
        label = st.sampled_from([0.0, 0.25, 0.5, 1.0]) if soft else st.integers(0, top)
        lists = st.dictionaries(st.sampled_from(DOCUMENTS), label, min_size=1)
        chosen = draw(st.lists(st.sampled_from(topics), min_size=1, unique=True))
        judges[f"j{i}"] = {topic: draw(lists) for topic in chosen}
    scores = st.dictionaries(
        st.sampled_from(DOCUMENTS), st.sampled_from([1.0, 1.0, 0.5, -2.0]), min_size=1
    )
    runs = {}
    for i in range(draw(st.integers(2, 4))):
        chosen = draw(st.lists(st.sampled_from(topics), min_size=1, unique=True))
        runs[f"s{i}"] = {topic: draw(scores) for topic in chosen}
    return judges, runs


def turned(tree: Any) -> Any:
    """The same dictionaries in the opposite order."""
    return {k: turned(tree[k]) for k in reversed(tree)} if isinstance(tree, dict) else tree


def attempt(step: Any, *arguments: Any, **options: Any) -> Any:
    """A result, or the code of the refusal; any other exception fails the test."""
    try:
        return step(*arguments, **options)
    except hj.HungjuryError as error:
        return error.code


def finite_table(scores: Any) -> Any:
    if isinstance(scores, str):
        return scores
    frame = scores.to_frame()
    assert not frame.select_dtypes("number").isna().any().any()
    return sorted(map(tuple, frame.astype(str).to_numpy().tolist()))


@LIGHT
@given(collections())
def test_scores_are_finite_and_do_not_depend_on_order(
    collection: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    judges, runs = collection
    for labels in judges.values():
        one, other = (
            finite_table(attempt(hj.evaluate, *given, ["nDCG@5", "AP(rel=1)", "P@3"]))
            for given in ((labels, runs), (turned(labels), turned(runs)))
        )
        assert one == other
    for method in ("mv", "ds", "mean"):
        one, other = (attempt(hj.merge, each, method) for each in (judges, turned(judges)))
        found = [x if isinstance(x, str) else x.to_dict() for x in (one, other)]
        assert found[0] == found[1]


@LIGHT
@given(collections())
def test_decisions_end_in_a_result_or_a_refusal(
    collection: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    judges, runs = collection
    board = attempt(hj.leaderboard, judges, runs, "P(rel=1)@3", draws=200)
    if not isinstance(board, str):
        json.loads(board.to_json(), parse_constant=not_a_number)
    attempt(hj.plan, judges, runs, "P(rel=1)@3", 5)
    attempt(hj.gate, judges, runs, "s0", "s1", "P(rel=1)@3")
    scores = attempt(hj.evaluate, next(iter(judges.values())), runs, "P(rel=1)@3")
    if not isinstance(scores, str):
        attempt(hj.compare, scores)


def not_a_number(name: str) -> None:
    raise AssertionError(f"the result contains {name}")
