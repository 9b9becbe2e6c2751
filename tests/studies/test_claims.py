"""Claims of studies: quantities with their draws, verdicts, and what survives other choices."""

from __future__ import annotations

import csv
import io
import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.studies.claims import (
    Claim,
    Quantity,
    Resampling,
    claims_table,
    least,
    mean_of,
    most,
    sensitivity,
    verdicts,
)
from hungjury.studies.combining import weighted_majority
from hungjury.studies.gold import Doubt


def around(value: float, spread: float, seed: int = 0) -> Quantity:
    draws = np.random.default_rng(seed).normal(value, spread, 400)
    return Quantity(value, draws)


def claim(quantity: Quantity, text: str = "A beats B") -> Claim:
    return Claim(text, "A - B", quantity, "AP")


# Verdicts


@pytest.mark.parametrize(
    ("value", "spread", "verdict"),
    [
        (0.1, 0.01, "holds"),
        (-0.1, 0.01, "does not hold"),
        (0.01, 0.1, "inconclusive"),
        (-0.01, 0.1, "inconclusive"),
        (0.0, 0.0, "equal by construction"),  # the same is not better
        (1e-16, 0.0, "equal by construction"),  # nor is rounding
        (-0.1, 0.0, "does not hold"),
        (0.001, 0.001, "too small to matter"),  # the interval is inside the margin
        (0.006, 0.001, "too small to matter"),  # also where it is all positive
        (0.006, 0.01, "inconclusive"),
    ],
)
def test_a_verdict_rests_on_the_interval(value: float, spread: float, verdict: str) -> None:
    assert claim(around(value, spread)).verdict == verdict


def test_the_interval_is_the_middle_of_the_draws() -> None:
    low, high = Quantity(0.5, np.arange(1001) / 1000).interval()
    assert (low, high) == (pytest.approx(0.025), pytest.approx(0.975))


def test_draws_without_a_value_tell_nothing() -> None:
    """On some topics a measure may give all systems the same mean, and has no tau."""
    draws = np.full(50, 0.5)
    draws[7] = np.nan
    unknown = claim(Quantity(0.5, draws))
    assert unknown.verdict == "inconclusive"
    assert all(map(math.isnan, unknown.quantity.interval()))
    text = claims_table([unknown]).to_csv()
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["estimate"], row["low"], row["verdict"]) == ("0.5", "nan", "inconclusive")


def test_quantities_are_combined_draw_by_draw() -> None:
    a, b = around(0.3, 0.1, 1), around(0.2, 0.1, 2)
    shared = Quantity(0.0, np.random.default_rng(3).normal(0, 5, 400))
    # What two quantities share cancels: their difference is as sure as without it.
    assert ((a + shared) - (b + shared)).interval() == pytest.approx((a - b).interval())
    assert (a - 0.1).value == pytest.approx(0.2)
    assert (1 - a).value == pytest.approx(0.7)
    assert (1 - a).interval() == pytest.approx(tuple(1 - x for x in reversed(a.interval())))
    for together, of_two in ((least, min), (most, max)):
        found = together(a, b)
        assert found.value == of_two(0.3, 0.2)
        assert found.draws.tolist() == [of_two(x, y) for x, y in zip(a.draws, b.draws, strict=True)]
    assert mean_of([a, b]).value == pytest.approx(0.25)
    np.testing.assert_allclose(mean_of([a, b]).draws, (a.draws + b.draws) / 2)


# Tables


def test_the_table_of_claims_holds_every_digit() -> None:
    sure, unsure = claim(around(0.1, 0.01)), claim(around(0.01, 0.1), "B beats C")
    table = claims_table([sure, unsure])
    first, second = csv.DictReader(io.StringIO(table.to_csv()))
    assert (first["claim"], first["verdict"]) == ("A beats B", "holds")
    assert (second["claim"], second["verdict"]) == ("B beats C", "inconclusive")
    assert float(first["low"]) == sure.quantity.interval()[0]
    assert float(first["high"]) == sure.quantity.interval()[1]


def test_what_survives_keeps_its_verdict_under_every_choice() -> None:
    kept = [claim(around(0.1, 0.01), "kept"), claim(around(0.2, 0.01), "kept")]
    lost = [claim(around(0.1, 0.01), "lost"), claim(around(-0.1, 0.01), "lost")]
    untouched = [claim(around(0.3, 0.01), "untouched")] * 2
    tables = sensitivity(
        {"p = 0": [kept[0], lost[0], untouched[0]], "p = 0.05": [kept[1], lost[1], untouched[1]]},
        "p",
    )
    survives, numbers = tables.values()
    assert [list(row) for row in survives.rows] == [
        ["kept", "AP", "holds", "holds", "yes"],
        ["lost", "AP", "holds", "does not hold", "no"],
    ]
    assert [(row[0], row[2], row[6]) for row in numbers.rows] == [
        ("kept", "p = 0", "holds"),
        ("kept", "p = 0.05", "holds"),
        ("lost", "p = 0", "holds"),
        ("lost", "p = 0.05", "does not hold"),
    ]


# Resampling


def test_units_vary_as_means_do() -> None:
    """The spread of resampled means is the standard error of the mean."""
    values = np.random.default_rng(0).normal(size=10)
    moved = Resampling(4000, 1).units(values, "pools")
    assert abs(moved.mean()) < 0.02
    assert moved.std() == pytest.approx(values.std(ddof=1) / math.sqrt(10), rel=0.05)
    # Others of the same units are drawn alike: a constant difference has no spread.
    np.testing.assert_allclose(Resampling(4000, 1).units(values + 3, "pools"), moved, atol=1e-12)
    assert not np.allclose(Resampling(4000, 1).units(values, "tuples"), moved)
    assert not np.allclose(Resampling(4000, 2).units(values, "pools"), moved)
    assert Resampling(30).units(values[:1]).tolist() == [0.0] * 30


def test_topics_and_units_both_move_a_mean() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=10)
    on_topics = rng.normal(7, 0.5, size=(2000, 4))  # its level does not matter: it is centred
    draws = Resampling(2000).joint(values, on_topics, "judges")
    assert draws.mean() == pytest.approx(values.mean(), abs=0.03)
    expected = values.var(ddof=1) / 10 + 0.25 / 4
    assert draws.var() == pytest.approx(expected, rel=0.1)


# Draws of tuples


@pytest.fixture(scope="module")
def sim() -> Any:
    accuracies = (0.95, 0.85, 0.7, 0.6, 0.5)
    return hj.simulate(
        systems=6, topics=6, documents=50, depth=25, accuracies=accuracies, seed=11
    )  # fmt: skip


def test_tuples_are_drawn_on_other_topics(sim: Any) -> None:
    """All judges together are one tuple: its draws are a bootstrap of topics and nothing else."""
    found = hj.studies.tuple_study(
        sim.judgments, sim.runs, "AP", sim.gold, sizes=[5], approaches=["uni"], resamples=40, seed=3
    )  # fmt: skip
    each = [
        hj.evaluate(sim.judgments.qrels_of(j), sim.runs, "AP").values[0]
        for j in sim.judgments.judges
    ]
    means, truth = np.mean(each, axis=0), hj.evaluate(sim.gold, sim.runs, "AP").values[0]
    shares = Resampling(40, 3).topics(6)
    for what, near in (("tau_ap", hj.stats.tau_ap), ("rmse", hj.stats.rmse)):
        moved = [near(means @ share, truth @ share) for share in shares]
        estimate = near(means.mean(axis=1), truth.mean(axis=1))
        found_one = found.quantity(what, "AP", "uni", [5])
        assert found_one.value == pytest.approx(estimate)
        expected = estimate + np.array(moved) - np.mean(moved)
        np.testing.assert_allclose(found_one.draws, expected, atol=1e-6)


def test_approaches_share_their_resamples(sim: Any) -> None:
    found = hj.studies.tuple_study(
        sim.judgments, sim.runs, "RBP", sim.gold, sizes=[2, 3], tuples=4, seed=3, resamples=30,
        approaches=["uni", "binmv", "mv"],
    )  # fmt: skip
    uni = found.quantity("tau_ap", "RBP", "uni", [2, 3])
    binmv = found.quantity("tau_ap", "RBP", "binmv", [2, 3], doubt=Doubt())
    # On complete panels both are the same numbers, tuple by tuple and topic by topic.
    np.testing.assert_allclose((uni - binmv).draws, 0.0, atol=1e-6)
    assert np.ptp(uni.draws) > 0.01


def test_doubt_about_documents_without_a_label_is_one_thing_in_all_lines(sim: Any) -> None:
    """Votes, judges and the randomised gold standard treat unjudged documents alike."""
    doubts = (Doubt(0.05, 0.0), Doubt(0.05, 0.05), Doubt(0.1, 0.05))
    found = hj.studies.tuple_study(
        sim.judgments, sim.runs, "AP", sim.gold, sizes=[5], approaches=["binmv"],
        standards=("DGS", "RGS"), doubts=doubts,
    )  # fmt: skip
    rows = {(r.gold, r.unjudged, r.wrong): r for r in found.rows}
    assert set(rows) == {
        ("DGS", 0.0, None), ("DGS", 0.05, None),
        ("RGS", 0.0, 0.05), ("RGS", 0.05, 0.05), ("RGS", 0.05, 0.1),
    }  # fmt: skip
    votes = hj.merge(sim.judgments, "binmv")
    for (gold, unjudged, wrong), row in rows.items():
        mine = hj.evaluate(votes, sim.runs, f"eRAP(unjudged={unjudged})").mean()[0]
        by = "AP" if gold == "DGS" else f"eRAP(prob=[{wrong}, {1 - wrong}], unjudged={unjudged})"
        truth = hj.evaluate(sim.gold, sim.runs, by).mean()[0]
        assert row.rmse == pytest.approx(hj.stats.rmse(mine, truth), abs=1e-12)
        assert row.tau_ap == pytest.approx(hj.stats.tau_ap(mine, truth), abs=1e-12)
    alone = hj.studies.single_judges(sim.judgments, sim.runs, "AP", sim.gold, doubts=doubts)
    for one in alone.rows[1:]:
        assert one.doubt is not None
        name = (
            f"eRAP(prob=[{one.doubt.wrong}, {1 - one.doubt.wrong}], unjudged={one.doubt.unjudged})"
        )
        truth = hj.evaluate(sim.gold, sim.runs, "AP" if one.gold == "DGS" else name).mean()[0]
        whose = [sim.judgments.qrels_of(judge) for judge in alone.judges]
        if one.control:  # nothing is relevant to a constant judge
            first = whose[0]
            whose = [replace(first, labels=np.zeros_like(first.labels))]
        for labels, rmse in zip(whose, one.rmse, strict=True):
            means = hj.evaluate(labels, sim.runs, name).mean()[0]
            assert rmse == pytest.approx(hj.stats.rmse(means, truth), abs=1e-12)
    assert [one.control for one in alone.rows].count(True) == 2 * len(doubts)


# Weighted votes


def test_weighted_majorities_are_counted() -> None:
    rng = random.Random(4)
    judges, documents, topics = 4, 30, 3
    labels = [[rng.choice([-1, 0, 1]) for _ in range(documents)] for _ in range(judges)]
    topic_of = [d * topics // documents for d in range(documents)]
    weights = [[[rng.random() for _ in range(topics)] for _ in range(judges)] for _ in range(2)]
    found = weighted_majority(np.array(labels, np.int16), np.array(weights), np.array(topic_of))
    for n, d in np.ndindex(2, documents):
        mine = [(weights[n][k][topic_of[d]], labels[k][d]) for k in range(judges)]
        judged = sum(w for w, label in mine if label >= 0)
        relevant = sum(w for w, label in mine if label == 1)
        assert found[n, d] == (-1 if judged == 0 else int(relevant > judged / 2))


def test_half_of_the_weight_is_no_majority() -> None:
    """Six sixths add up to less than 1, three of them to exactly 0.5: it is still a tie."""
    labels = np.array([[1], [1], [1], [0], [0], [0]], dtype=np.int16)
    assert sum([1 / 6] * 6) < 1
    assert weighted_majority(labels, np.full((1, 6, 1), 1 / 6), np.zeros(1, int)).tolist() == [[0]]


def test_weighted_votes_of_all_judges_are_merges_with_weights(sim: Any) -> None:
    name = "sgl_tau_msd"
    found = hj.studies.tuple_study(
        sim.judgments, sim.runs, "AP", sim.gold, sizes=[5], approaches=[f"votes({name})"],
        replicates=1000, seed=3,
    )  # fmt: skip
    merged = hj.merge(
        sim.judgments, "binmv", runs=sim.runs, measure="AP", weights=name, seed=3
    )  # fmt: skip
    means = hj.evaluate(merged.threshold(0.5), sim.runs, "AP").mean()[0]
    truth = hj.evaluate(sim.gold, sim.runs, "AP").mean()[0]
    (row,) = found.rows
    assert (row.approach, row.by) == (f"votes({name})", "AP")
    assert row.rmse == pytest.approx(hj.stats.rmse(means, truth), abs=1e-12)


def test_weighted_votes_need_weights_and_binary_labels(sim: Any) -> None:
    graded = hj.simulate(systems=3, topics=2, documents=30, depth=10, grades=3)
    with pytest.raises(HungjuryError, match="unknown weights"):
        hj.studies.tuple_study(
            sim.judgments, sim.runs, "AP", sim.gold, approaches=["votes(sgl_tau)"]
        )
    with pytest.raises(HungjuryError, match="binary labels"):
        hj.studies.tuple_study(
            graded.judgments, graded.runs, "nDCG", graded.gold, approaches=["votes(uni)"]
        )


def test_claims_with_several_quantities_can_be_told_apart() -> None:
    """One claim at two sizes of the pool, and another beside it."""
    half, tenth = (
        Claim("Models are robust", f"{share} %: A - B", around(1, 0.1), "gold")
        for share in (50, 10)
    )
    other = claim(around(1, 0.1))
    cases = [row[2] for row in verdicts([half, other, tenth]).rows]
    assert cases == ["gold; 50 %: A - B", "AP", "gold; 10 %: A - B"]
    moved = [replace(one, quantity=one.quantity + 0.1) for one in (half, other, tenth)]
    tables = sensitivity({"0": [half, other, tenth], "0.1": moved}, "p")
    for table in tables.values():
        assert list(dict.fromkeys(row[1] for row in table.rows)) == cases
