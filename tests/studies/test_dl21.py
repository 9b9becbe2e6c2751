"""Building blocks of studies on TREC 2021 Deep Learning with 27 LLM judges."""

from __future__ import annotations

from typing import Any

import pytest

import hungjury as hj


def test_all_judges_together_and_alone(dl21_panel: tuple[Any, Any, Any]) -> None:
    judgments, runs, gold = dl21_panel
    found = hj.studies.tuple_study(
        judgments, runs, ["AP", "RBP(p=0.8)"], gold, rel=2, sizes=[27], tuples=1,
        approaches=["uni", "binmv", "qbinmv", "mv"],
    )  # fmt: skip
    wanted = {
        ("AP", "uni"): 0.679, ("AP", "binmv"): 0.630, ("AP", "qbinmv"): 0.682,
        ("RBP", "uni"): 0.855, ("RBP", "binmv"): 0.848, ("RBP", "qbinmv"): 0.765,
    }  # fmt: skip
    for row in found.rows:
        if row.approach != "mv":
            assert row.tau_ap == pytest.approx(wanted[row.measure, row.approach], abs=5e-4)
    alone = hj.studies.single_judges(judgments, runs, "AP", gold, rel=2).rows[0]
    assert alone.tau_ap.mean() == pytest.approx(0.654, abs=5e-4)
    assert alone.tau_ap.max() == pytest.approx(0.875, abs=5e-4)


def test_runs_and_topics(dl21_panel: tuple[Any, Any, Any]) -> None:
    _, runs, gold = dl21_panel
    assert len(hj.studies.complete_runs(gold, runs)) == 63
    assert len(hj.studies.run_quartiles(hj.evaluate(gold, runs, "AP"))) == 47
    for grade in (2, 3):
        for topic in hj.studies.few_highly_relevant(gold, grade):
            labels = list(gold.to_dict()[topic].values())
            assert labels.count(1) >= 10 * labels.count(grade) > 0
