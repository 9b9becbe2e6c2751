"""27 LLM judges of TREC 2021 Deep Learning: what merging gives, against published numbers."""

import numpy as np
import pytest

from hungjury.data.judgments import read_judgments
from hungjury.data.qrels import read_qrels
from hungjury.data.runs import read_runs
from hungjury.judges.agreement import agreement
from hungjury.judges.merge import merge
from hungjury.measures.evaluate import evaluate
from hungjury.stats.correlation import tau_ap

PERSISTENCE = 0.8


@pytest.fixture(scope="module")
def judges(shared_data):
    files = sorted((shared_data / "dl21" / "judges-llama").glob("*.gz"))
    return read_judgments(files, duplicates="first", grades=range(4), outside="clip")


@pytest.fixture(scope="module")
def runs(shared_data):
    files = sorted((shared_data / "dl21" / "runs").glob("*.gz"))
    return read_runs(files, score_precision="single")


@pytest.fixture(scope="module")
def gold(shared_data, runs):
    """System means under the official judgments, by AP and by RBP."""
    qrels = read_qrels(shared_data / "dl21" / "qrels.nist.txt")
    return evaluate(qrels, runs, ["AP(rel=2)", f"RBP(p={PERSISTENCE}, rel=2)"]).mean()


def test_majority(judges, runs, gold):
    merged = merge(judges, "mv(ties=not)", rel=2)
    means = evaluate(merged, runs, ["AP", f"RBP(p={PERSISTENCE})"]).mean()
    assert tau_ap(means[0], gold[0]) == pytest.approx(0.692, abs=5e-4)
    assert tau_ap(means[1], gold[1]) == pytest.approx(0.750, abs=5e-4)


@pytest.mark.parametrize(
    ("method", "ap", "rbp"), [("binmv", 0.630, 0.848), ("qbinmv", 0.682, 0.765)]
)
def test_binomial_votes(judges, runs, gold, method, ap, rbp):
    means = evaluate(merge(judges, method, rel=2), runs, ["eRAP", f"eRRBP(p={PERSISTENCE})"]).mean()
    assert tau_ap(means[0], gold[0]) == pytest.approx(ap, abs=5e-4)
    assert tau_ap(means[1], gold[1]) == pytest.approx(rbp, abs=5e-4)


@pytest.mark.parametrize("method", ["em-mv", "em-neu"])
def test_em_is_better_than_the_majority_here(judges, runs, gold, method):
    merged = merge(judges, method, rel=2)
    assert merged.fit.converged.all()
    assert len(merged.rounds) == 53
    means = evaluate(merged.hard(), runs, "AP").mean()
    assert tau_ap(means[0], gold[0]) > 0.72


def test_each_judge_alone(judges, runs, gold):
    found = agreement(judges, runs, "AP", rel=2)
    alone = [tau_ap(scores, gold[0]) for scores in found.rankings.scores]
    assert np.mean(alone) == pytest.approx(0.654, abs=5e-4)
    assert max(alone) == pytest.approx(0.875, abs=5e-4)
    one = judges.qrels_of("prompt8")
    binary = {t: {d: int(g >= 2) for d, g in ds.items()} for t, ds in one.to_dict().items()}
    means = evaluate(binary, runs, "AP").mean()[0]
    assert found.rankings.scores[judges.judges.index("prompt8")] == pytest.approx(means)
    assert found.warnings[0].startswith("5 judges give one label to 97.4 % of documents and more")
    assert found.near_constant["prompt20"] == pytest.approx(0.998, abs=5e-4)
    assert found.near_copies == []


def test_probabilities_of_grades_go_into_expected_measures(judges, runs):
    graded = merge(judges, "em-mv")
    assert graded.grade_p is not None
    one = evaluate(graded, runs, "eRAP(rel=2)").mean()
    other = evaluate(graded.at_least(2), runs, "eRAP").mean()
    assert one == pytest.approx(other, abs=1e-12)
    assert evaluate(graded.hard(), runs, "nDCG@10").mean().min() > 0.1
