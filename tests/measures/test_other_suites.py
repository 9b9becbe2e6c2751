"""What the test suites of other tools expect, on their data: ir_measures, ranx and crowd-kit.

The figures are those that their tests state (trec_eval's own are in `test_trec_eval.py`). Where we
differ, the test says how, and the page on other tools why.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import hungjury as hj

# ir_measures: labels of documents D0, D1, ... of two topics, and scores of the same documents.
GRADED = {"0": {"D0": 0, "D1": 1, "D2": 1, "D3": 2, "D4": 0}, "1": {"D0": 1, "D3": 2, "D5": 2}}
RETRIEVED = {
    "0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1},
    "1": {"D1": 0.8, "D3": 0.7, "D4": 0.3, "D2": 0.4},
}
OTHERS = {"0": {"D0": 0, "D1": 1, "D2": 2, "D3": 2, "D4": 0}, "1": {"D0": 1, "D3": 2, "D5": 0}}
SWAPPED = {"0": RETRIEVED["0"], "1": {"D1": 0.8, "D4": 0.7, "D3": 0.3, "D2": 0.4}}
RELEVANT = {"0": {**OTHERS["0"], "D0": 1}, "1": OTHERS["1"]}
POOLED = {
    "0": {"D0": 1, "D1": -1, "D2": 0, "D3": 2, "D4": 0},
    "1": {"D0": 1, "D3": 2, "D4": -1, "D5": 0},
}
IR_MEASURES = [
    (GRADED, RETRIEVED, "NumRet", 5, 4),
    (GRADED, RETRIEVED, "NumRet(rel=1)", 3, 1),
    (GRADED, RETRIEVED, "NumRet(rel=2)", 1, 1),
    (GRADED, RETRIEVED, "NumQ", 1, 1),
    (OTHERS, SWAPPED, "NumRel", 3, 2),
    (OTHERS, SWAPPED, "Success@2", 1, 0),
    (OTHERS, SWAPPED, "Success(rel=2)@2", 1, 0),
    (OTHERS, SWAPPED, "SetP", 0.6, 0.25),
    (OTHERS, SWAPPED, "SetP(rel=2)", 0.4, 0.25),
    (OTHERS, SWAPPED, "SetR", 1, 0.5),
    (OTHERS, SWAPPED, "SetR(rel=2)", 1, 1),
    (RELEVANT, SWAPPED, "IPrec@0.25", 1, 0.25),
    (RELEVANT, SWAPPED, "IPrec@0.5", 1, 0.25),
    (RELEVANT, SWAPPED, "IPrec@0.75", 1, 0),
    (RELEVANT, SWAPPED, "IPrec(rel=2)@0.1", 0.66667, 0.25),
    (RELEVANT, SWAPPED, "IPrec(rel=2)@0.75", 0.66667, 0.25),
    (POOLED, SWAPPED, "AP", 0.8333, 0.125),
    (POOLED, SWAPPED, "infAP", 0.8333, 0.1875),
    (POOLED, SWAPPED, "AP(rel=2)", 0.33333, 0.25),
    (POOLED, SWAPPED, "infAP(rel=2)", 0.33333, 0.375),
    (GRADED, RETRIEVED, 'nDCG(dcg="exp-log2")@20', 0.6201, 0.35099),
    (GRADED, RETRIEVED, 'nDCG(dcg="exp-log2")@2', 0.17377, 0.38685),
]


@pytest.mark.parametrize(("labels", "run", "measure", "first", "second"), IR_MEASURES)
def test_ir_measures(labels, run, measure, first, second):
    found = hj.evaluate(labels, run, measure)
    assert found.values[0, 0] == pytest.approx([first, second], abs=5e-5)


def test_ir_measures_takes_a_grade_that_no_document_has():
    """It gives 0 for rel=3 where the largest grade is 2; we ask."""
    with pytest.raises(hj.HungjuryError, match="the largest grade of the labels is 2"):
        hj.evaluate(GRADED, RETRIEVED, "NumRet(rel=3)")
    labels = hj.read_qrels(GRADED, grades="0-3")
    assert hj.evaluate(labels, RETRIEVED, "NumRet(rel=3)").values.tolist() == [[[0, 0]]]


def test_gdeval_reads_grades_up_to_4():
    """Its ERR divides by 2^4 whatever the scale; ours by the declared scale."""
    labels = hj.read_qrels(GRADED, grades="0-4")
    assert hj.evaluate(labels, RETRIEVED, "ERR@20").values[0, 0] == pytest.approx(
        [0.10175, 0.09375], abs=1e-5
    )
    assert hj.evaluate(labels, RETRIEVED, "ERR@2").values[0, 0] == pytest.approx([0.03125, 0.09375])


# cwl-eval, by way of ir_measures: ten documents in order; places of relevant and other labels.
PLACES = {"T1": ([1, 3, 4, 7, 9], [2, 8, 10]), "T2": ([1, 2, 5, 7, 8, 9], [6, 10]),
          "T3": ([6, 7, 8, 10], [4, 5, 9])}  # fmt: skip
CWL = {
    "AP": (0.7087, 0.7438, 0.3068), "BPM(T=1)@20": (1, 1, 0.1667),
    "BPM(T=2)@10": (0.6667, 1, 0.2857), "SDCG@10": (0.5645, 0.6531, 0.2848),
    "NERR8@10": (1, 1, 0.1667), "NERR9@10": (1, 1, 0.0680), "NERR10(p=0.8)": (1, 1, 0.0888),
    "NERR11(T=2)": (1, 1, 0.0691), "P@1": (1, 1, 0), "P@10": (0.5, 0.6, 0.4),
    "P@20": (0.25, 0.3, 0.2), "P@5": (0.6, 0.6, 0), "RBP(p=0.9)": (0.3501, 0.3996, 0.1988),
    "RR": (1, 1, 0.1667),
}  # fmt: skip
CUT = {"INSQ(T=1)": (0.5872, 0.6629, 0.0880), "INSQ(T=2)": (0.4513, 0.5068, 0.1292),
       "INST(T=1)": (0.7934, 0.9226, 0.0888), "INST(T=2)": (0.5994, 0.6924, 0.1397)}  # fmt: skip


def cwl_scores(measure):
    labels = {t: {f"D{i}": int(i in yes) for i in [*yes, *no]} for t, (yes, no) in PLACES.items()}
    runs = {t: [f"D{i}" for i in range(1, 11)] for t in PLACES}
    return hj.evaluate(labels, runs, measure).values[0, 0]


@pytest.mark.parametrize("measure", CWL)
def test_cwl_eval(measure):
    assert cwl_scores(measure) == pytest.approx(CWL[measure], abs=1e-4)


@pytest.mark.parametrize("measure", CUT)
def test_cwl_eval_cuts_lists_after_1000_ranks(measure):
    """Its users of INSQ and INST never read on; ours may, so that weights are a little smaller."""
    ours, theirs = cwl_scores(measure), np.array(CUT[measure])
    assert (ours <= theirs + 5e-5).all()
    assert ours == pytest.approx(theirs, rel=5e-3)


# ranx: lists of ids against sets of relevant ones, or against grades.
BINARY = [
    (["1 4 5 6", "1 4 6"], ["1 2 3 4 5 7", "1 2 4 3 5 7"], "NumRet(rel=1)@5", [3, 2]),
    (["9 6 8", "1 2 4"], ["1 2 3 4 5 7", "1 2 4 3 5 7"], "Success@5", [0, 1]),
    (["3"], ["2 3 1 4 5"], "RR@5", [1 / 2]),
    (["1 2 3", "1 2"], ["2 4 3 1 5 6 7", "2 4 3 1 5 6 7"], "Rprec", [2 / 3, 1 / 2]),
    (["1 2 3", "1 2"], ["2 4 3 1 5 6 7", "2 4 3 1 5 6 7"], "R@2", [1 / 3, 1 / 2]),
]


@pytest.mark.parametrize(("relevant", "lists", "measure", "expected"), BINARY)
def test_ranx_on_relevant_documents(relevant, lists, measure, expected):
    labels = {str(t): dict.fromkeys(ids.split(), 1) for t, ids in enumerate(relevant)}
    runs = {str(t): ids.split() for t, ids in enumerate(lists)}
    if "NumRet" in measure:
        runs, measure = {t: ids[:5] for t, ids in runs.items()}, "NumRet(rel=1)"
    assert hj.evaluate(labels, runs, measure).values[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("ids", ["1 2 3 4 5", "10 5 2 4 3", "1 3 6 7 8"])
@pytest.mark.parametrize(("form", "gain"), [("log2", float), ("exp-log2", lambda g: 2**g - 1)])
def test_ranx_on_grades(ids, form, gain):
    grades = {"2": 5, "4": 4, "5": 3, "10": 2}
    listed = [gain(grades.get(name, 0)) for name in ids.split()]
    ideal = [gain(grade) for grade in sorted(grades.values(), reverse=True)]
    dcg, best = (
        sum(g / math.log2(rank + 1) for rank, g in enumerate(gains, 1)) for gains in (listed, ideal)
    )
    labels = hj.read_qrels({"1": grades | dict.fromkeys("136789"[:2], 0)})
    found = hj.evaluate(labels, {"1": ids.split()}, f'nDCG(dcg="{form}")@10')
    assert found.values[0, 0, 0] == pytest.approx(dcg / best)


# crowd-kit: yes or no by five workers on five tasks; - where a worker gave no answer.
TOY = {"w1": "nyyyy", "w2": "yynyn", "w3": "-ynyn", "w4": "ynyyn", "w5": "nnnyn"}


def toy_panel():
    def answers(given):
        return {f"t{i}": int(a == "y") for i, a in enumerate(given, 1) if a != "-"}

    return hj.read_judgments({worker: {"1": answers(given)} for worker, given in TOY.items()})


def test_crowd_kit_votes():
    shares = hj.merge(toy_panel(), "binmv").to_dict()["1"]
    assert list(shares.values()) == pytest.approx([0.5, 0.6, 0.4, 1.0, 0.2])
    labels = hj.merge(toy_panel(), 'mv(ties="not")').to_dict()["1"]
    assert list(labels.values()) == [0, 1, 0, 1, 0]  # their ties go to the lowest label


@pytest.mark.parametrize("method", ["em-mv", "em-neu"])
def test_crowd_kit_dawid_skene(method):
    """The labels that its model ends with."""
    labels = hj.merge(toy_panel(), method).hard().to_dict()["1"]
    assert list(labels.values()) == [1, 1, 0, 1, 0]
