"""Whole collections of any shape through every step: no crash, no NaN, and nothing depends on the
order of files, on names that keep their order, on threads or on copies inside a family."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from hungjury.base.records import Record

QUICK = examples(10, deadline=None, suppress_health_check=list(HealthCheck))


class Collection(Record):
    """Labels of judges and people, and runs."""

    judges: dict[str, dict[str, dict[str, float]]]
    gold: dict[str, dict[str, int]]
    runs: dict[str, dict[str, dict[str, float]]]


@st.composite
def collections(draw: st.DrawFn, soft: bool = False) -> Collection:
    """Ties, topics that a run or people lack, sparse judges, scales of two to five grades with a
    judge who uses two of them, documents in the pool that people did not judge (-1)."""
    top, judges, systems = (draw(st.integers(*ends)) for ends in ((1, 4), (2, 5), (2, 4)))
    topics, documents = draw(st.integers(2, 5)), draw(st.integers(4, 12))
    share, lost = draw(st.sampled_from([1.0, 0.7, 0.4])), draw(st.sampled_from([0.0, 0.3]))
    chance = random.Random(draw(st.integers(0, 10**6)))
    truth = {
        f"t{t}": {f"d{d}": chance.randint(0, top) for d in range(documents)} for t in range(topics)
    }
    truth["t0"] |= {"d0": 0, "d1": top}  # the whole scale occurs

    def vote(label: int) -> float:
        other = label if chance.random() < 0.7 else chance.randint(0, top)
        return round(other / top, 2) if soft else other

    def score(label: int) -> float:
        return float(chance.randint(0, 3) + label)  # with many ties

    panel = {
        f"j{j}": {t: {d: min(1 if j == 1 else top, vote(v))
                      for d, v in one.items() if d < "d2" or chance.random() < share}
                  for t, one in truth.items()} for j in range(judges)
    }  # fmt: skip
    if not soft:
        panel["j0"]["t0"] |= {"d0": 0, "d1": top}
    runs = {
        f"s{s}": {t: {d: score(v) for d, v in one.items() if chance.random() < 0.8 or d == "d1"}
                  for t, one in truth.items() if t == "t0" or chance.random() >= lost}
        for s in range(systems)
    }  # fmt: skip
    gold = {
        t: {d: v if d < "d2" or chance.random() < share else -1 for d, v in one.items()}
        for t, one in truth.items() if t == "t0" or chance.random() >= lost
    }  # fmt: skip
    return Collection(panel, gold, runs)


def shuffled(given: Any, chance: random.Random) -> Any:
    if not isinstance(given, dict):
        return given
    keys = list(given)
    chance.shuffle(keys)
    return {key: shuffled(given[key], chance) for key in keys}


def numbers(value: Any) -> list[float]:
    """All numbers of a result, in the order of its keys."""
    if isinstance(value, dict):
        return [n for key in sorted(value) if key != "provenance" for n in numbers(value[key])]
    if isinstance(value, list):
        return [n for one in value for n in numbers(one)]
    return [float(value)] if isinstance(value, (int, float)) else []


def steps(one: Collection, soft: bool = False) -> dict[str, Callable[[], Any]]:
    """Every step of a collection; soft labels allow fewer."""
    judges, gold, runs = one.judges, one.gold, one.runs
    how = {"draws": 100, "target": "topics"}
    measure = "eRAP" if soft else "nDCG@5"
    measures = ["eRAP", "eRRBP", "E(AP)"] if soft else ["AP", "nDCG@5", "ERR", "RBP"]
    found: dict[str, Callable[[], Any]] = {
        "merge": lambda: hj.merge(judges, "binmv").to_dict(),
        "evaluate": lambda: by_system(hj.evaluate(labels(), runs, measures)),
        "compare": lambda: by_system(hj.compare(hj.evaluate(labels(), runs, measure), "s0")),
        "leaderboard": lambda: hj.leaderboard(judges, runs, measure, **how).to_dict(),
        "plan": lambda: sorted(map(str, hj.plan(judges, runs, measure, 3).table().to_dicts())),
        "gate": lambda: [
            gate.to_dict() for gate in hj.gate(judges, runs, "s0", "s1", measure, **how)
        ],
    }

    def labels() -> Any:
        return hj.merge(judges, "binmv") if soft else gold

    if soft:
        return found
    return found | {
        "majority": lambda: hj.merge(judges, "mv").to_dict(),
        "em": lambda: hj.merge(judges, "em-neu").to_dict(),
        "gold": lambda: hj.leaderboard(judges, runs, "AP", gold=gold, **how).to_dict(),
        "agreement": lambda: hj.agreement(judges).to_dict(),
    }


ALWAYS = {"merge", "majority", "em", "evaluate", "agreement"}  # steps that nothing here stops


def by_system(result: hj.Scores | hj.Comparison) -> dict[str, Any]:
    """Rows of a table by system, which are in the order of files."""
    return {str(row["system"]): row for row in result.table().to_dicts()}


def outcome(step: Callable[[], Any]) -> Any:
    """A result, or the code of an error with a remedy."""
    try:
        return step()
    except hj.HungjuryError as error:
        return error.code if error.remedy else f"no remedy: {error}"


def same(first: Any, second: Any) -> None:
    if isinstance(first, str) or isinstance(second, str):
        assert first == second
    else:
        np.testing.assert_allclose(numbers(first), numbers(second), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("soft", [False, True])
@QUICK
@given(data=st.data())
def test_every_step_ends_in_numbers_that_do_not_depend_on_order(
    soft: bool, data: st.DataObject
) -> None:
    one = data.draw(collections(soft))
    chance = random.Random(1)
    other = Collection(*(shuffled(part, chance) for part in (one.judges, one.gold, one.runs)))
    turned = steps(other, soft)
    for name, step in steps(one, soft).items():
        found = outcome(step)
        assert all(map(math.isfinite, numbers(found))), name
        if name in ALWAYS and isinstance(found, str):
            assert found == "mixed-scales", name  # a judge of two grades beside others
        same(found, outcome(turned[name]))


@QUICK
@given(collections())
def test_names_that_keep_their_order_and_threads_change_nothing(one: Collection) -> None:
    renamed = Collection(
        {f"a {j}": {f"x{t}": {f"y{d}": v for d, v in ds.items()} for t, ds in ts.items()}
         for j, ts in one.judges.items()},
        {f"x{t}": {f"y{d}": v for d, v in ds.items()} for t, ds in one.gold.items()},
        {s: {f"x{t}": {f"y{d}": v for d, v in ds.items()} for t, ds in ts.items()}
         for s, ts in one.runs.items()},
    )  # fmt: skip
    before, after = steps(one), steps(renamed)
    with pytest.MonkeyPatch.context() as patch:
        for name in before:
            patch.setenv("HUNGJURY_THREADS", "2")
            found = outcome(before[name])
            patch.setenv("HUNGJURY_THREADS", "1")
            if name == "plan":  # its rows are text
                assert outcome(before[name]) == found
            else:
                same(found, outcome(after[name]))


@QUICK
@given(collections())
def test_copies_of_a_judge_in_a_family_change_nothing(one: Collection) -> None:
    grades = range(5)  # declared: with a copy more labels show what the scale is
    alone = hj.read_judgments(one.judges, grades=grades)
    copies = hj.read_judgments({**one.judges, "j0 again": one.judges["j0"]}, grades=grades)
    together = replace(copies, family=tuple(name.split()[0] for name in copies.judges))
    for method, rel in (("mv", None), ("binmv", None), ("qbinmv", 1)):
        first, second = (hj.merge(one, method, rel=rel).to_dict() for one in (alone, together))
        same(first, second)
