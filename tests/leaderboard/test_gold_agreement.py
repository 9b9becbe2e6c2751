"""Judges against gold labels: every figure against a loop."""

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.cli.main import hungjury as command
from hungjury.leaderboard.against_gold import agreement_with_gold


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=4, topics=6, documents=40, depth=20, grades=3, odd=("lazy",), seed=1)


@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("rel", [None, 2])
def test_figures_are_the_loop(made, planned, rel):
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 60)
    truth = made.gold.to_dict()
    gold = {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = truth[topic][document]
    found = agreement_with_gold(made.judgments, gold, rel, plan if planned else None)
    chance = dict(zip(zip(plan.topics, plan.documents, strict=True), plan.probability, strict=True))
    for j, judge in enumerate(made.judgments.judges):
        said = made.judgments.qrels_of(judge).to_dict()
        rows = []
        for topic, labels in gold.items():
            for document, label in labels.items():
                other = said.get(topic, {}).get(document)
                if other is not None and other >= 0:
                    one = 1 / chance[topic, document] if planned else 1.0
                    both = (other, label) if rel is None else (int(other >= rel), int(label >= rel))
                    rows.append((*both, one))
        total = sum(w for *_, w in rows)
        agree = sum(w for a, b, w in rows if a == b) / total
        by_chance = sum(
            sum(w for a, _, w in rows if a == g) * sum(w for _, b, w in rows if b == g)
            for g in range(3)
        ) / total**2  # fmt: skip
        assert found.documents[j] == len(rows)
        assert found.agreement[j] == pytest.approx(agree)
        assert found.kappa[j] == pytest.approx((agree - by_chance) / (1 - by_chance))
        assert found.kappa_low[j] <= found.kappa[j] <= found.kappa_high[j]
        yes = [(a, w) for a, b, w in rows if b >= 1]
        assert found.sensitivity[j] == pytest.approx(
            sum(w for a, w in yes if a >= 1) / sum(w for _, w in yes)
        )
        no = [(a, w) for a, b, w in rows if b < 1]
        assert found.specificity[j] == pytest.approx(
            sum(w for a, w in no if a < 1) / sum(w for _, w in no)
        )
        assert found.bias[j] == pytest.approx(sum((a - b) * w for a, b, w in rows) / total)
    assert np.diag(found.correlation) == pytest.approx(np.ones(len(found.judges)))
    assert 1 <= found.effective <= len(found.judges)


def test_probabilities_are_refused(made):
    soft = {"a": {"1": {"d": 0.3}}, "b": {"1": {"d": 0.6}}}
    with pytest.raises(HungjuryError, match="probabilities"):
        agreement_with_gold(soft, {"1": {"d": 1}})


def test_the_command(made, tmp_path):
    made.write(tmp_path)
    args = ["agreement", "--judges", f"{tmp_path}/judges/*", "--gold", f"{tmp_path}/gold.qrels",
            "--grades", "0-2"]  # fmt: skip
    done = CliRunner().invoke(command, [*args, "--heat-map", f"{tmp_path}/errors.svg"],
                              catch_exceptions=False)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "independent ones" in done.stdout
    assert (tmp_path / "errors.svg").exists()
    done = CliRunner().invoke(command, [*args, "--format", "csv"], catch_exceptions=False)
    assert done.stdout.startswith("judge,documents,agreement,kappa")
