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
LABELLED = {"0": {"D0": -1, "D1": 1, "D3": 2, "D4": 1}, "1": {"D0": 1, "D3": 0, "D4": -1}}
MOVED = {"0": RETRIEVED["0"], "1": {"D1": 0.8, "D0": 0.7, "D3": 0.3, "D2": 0.4}}
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
    (GRADED, RETRIEVED, "Judged@10", 1, 1 / 4),
    (GRADED, RETRIEVED, "Judged@3", 1, 1 / 3),
    (GRADED, RETRIEVED, "Judged@1", 1, 0),
    (OTHERS, SWAPPED, "SetAP", 0.6, 0.125),
    (OTHERS, SWAPPED, "SetAP(rel=2)", 0.4, 0.25),
    (OTHERS, SWAPPED, "SetF", 0.75, 0.33333),
    (OTHERS, SWAPPED, "SetF(beta=0.5)", 0.6923, 0.3),
    (OTHERS, SWAPPED, "SetF(beta=2)", 0.81818, 0.375),
    (POOLED, SWAPPED, "nDCG", 0.76018, 0.32739),
    (POOLED, SWAPPED, "nDCG@3", 0.76018, 0),
    (LABELLED, MOVED, "P@4", 0.5, 0.25),
]
# Of the first topic alone; ir_measures asks ranx for these.
BY_RANX = {
    "P@5": 0.6, "P(rel=2)@5": 0.2, "R@5": 1, "R@2": 1 / 3, "R(rel=2)@2": 0, "RR": 0.5,
    "RR(rel=2)": 1 / 3, "RR(rel=2)@2": 0, "AP": 0.6388889, "AP(rel=2)": 1 / 3, "AP@2": 1 / 6,
    "AP(rel=2)@2": 0, "Success(rel=2)@10": 1, "nDCG": 0.6584646, "nDCG@2": 0.2398125,
    "Rprec": 2 / 3, "Rprec(rel=2)": 0,
}  # fmt: skip


@pytest.mark.parametrize(("labels", "run", "measure", "first", "second"), IR_MEASURES)
def test_ir_measures(labels, run, measure, first, second):
    found = hj.evaluate(labels, run, measure)
    assert found.values[0, 0] == pytest.approx([first, second], abs=5e-5)


@pytest.mark.parametrize("measure", BY_RANX)
def test_ir_measures_by_ranx(measure):
    found = hj.evaluate(GRADED, RETRIEVED, measure).values[0, 0, 0]
    assert found == pytest.approx(BY_RANX[measure], abs=1e-6)


def test_ir_measures_on_judged_documents_only():
    """Its judged_only is a policy here; labels below 0 are not judged in both."""
    condensed = hj.evaluate(LABELLED, MOVED, "P@4", unjudged="condensed")
    assert condensed.values[0, 0] == pytest.approx([0.75, 0.25])


def test_ir_measures_on_means_and_sums():
    found = hj.evaluate(GRADED, RETRIEVED, ["NumRet", "NumRet(rel=1)", "NumQ"]).mean()
    assert found[:, 0].tolist() == [9, 4, 2]
    further = {"0": RETRIEVED["0"], "1": {**RETRIEVED["1"], "D0": 0.1}}
    assert hj.evaluate(GRADED, further, "P@5").mean()[0, 0] == pytest.approx(0.5)


def test_ir_measures_on_accuracy():
    """Of a topic without a relevant document it gives no value; ours is undefined, 0 by default."""
    labels = {"0": {"C1": 0, "B1": 1, "A1": 2}, "1": {"A1": 2, "A2": 2, "B1": 1, "C2": 0},
              "2": {"B1": 1}}  # fmt: skip
    runs = {"0": ["C1", "A1", "C2", "C3"], "1": ["C1", "A1", "C2", "B1", "C3"], "2": ["B1", "C1"]}
    found = hj.evaluate(labels, runs, ["Accuracy", "Accuracy(rel=2)"], undefined="nan").values
    expected = [[2 / 3, 1 / 2, 1], [2 / 3, 3 / 4, np.nan]]
    assert found[:, 0] == pytest.approx(np.array(expected), nan_ok=True)


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


def test_ranx_on_average_precision():
    run = {"1": ["1", "2", "3", "4", "5", "7"]}
    found = hj.evaluate({"1": dict.fromkeys("1456", 1)}, run, ["AP@6", "P@5"]).values[:, 0, 0]
    assert found == pytest.approx([0.525, 3 / 5])


@pytest.mark.parametrize(("p", "expected"), [(0.5, 0.7661), (0.8, 0.4526), (0.95, 0.1881)])
def test_ranx_on_rbp(p, expected):
    labels = {"1": {f"d{rank}": 1 for rank in (1, 2, 6, 11, 17)}}
    run = {"1": [f"d{rank}" for rank in range(1, 21)]}
    found = hj.evaluate(labels, run, f"RBP(p={p})").values[0, 0, 0]
    assert found == pytest.approx(expected, abs=5e-5)


def test_ranx_on_bpref():
    """Numbers of documents: the relevant, the others that were judged, the retrieved."""
    topics = [("25", "14", "1234", 1 / 4), ("25", "16", "123456", 1 / 2),
              ("257", "168", "12345678", 5 / 9), ("2469", "1378", "1234678", 7 / 16)]  # fmt: skip
    labels = {str(t): dict.fromkeys(yes, 1) | dict.fromkeys(no, 0)
              for t, (yes, no, _, _) in enumerate(topics)}  # fmt: skip
    runs = {str(t): list(ids) for t, (_, _, ids, _) in enumerate(topics)}
    found = hj.evaluate(labels, runs, "Bpref").values[0, 0]
    assert found == pytest.approx([one[-1] for one in topics])


def test_ranx_on_an_empty_list():
    labels = {t: {f"doc_{t}": 1} for t in "abcd"}
    runs = {t: [f"doc_{t}"] for t in "abd"}
    found = hj.evaluate(labels, runs, ["SetP", "SetR", "SetF"]).mean()
    assert found[:, 0].tolist() == [0.75] * 3


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


def test_crowd_kit_dawid_skene_begins_with_votes():
    """Its posterior after one step from the shares of votes; two digits are stated."""
    found = hj.merge(toy_panel(), 'em-mv(start="shares", rounds=1)').to_dict()["1"]
    assert list(found.values()) == pytest.approx([0.65, 0.74, 0.13, 1, 0.05], abs=0.005)


def test_crowd_kit_dawid_skene_keeps_gold():
    gold = {"1": {"t1": 1, "t2": 1}}
    found = hj.merge(toy_panel(), "em-mv", gold=gold).hard().to_dict()["1"]
    assert list(found.values()) == [1, 1, 0, 1, 0]


# crowd-kit: three kinds by six workers on ten tasks; the fifth always says 2.
KINDS = ["--12-211-2", "00-20-1-2-", "-01--2-1-2", "001---1---", "2-222--22-", "-1-212--22"]


def kinds_panel():
    votes = {
        f"w{w}": {"1": {f"t{i}": int(v) for i, v in enumerate(given) if v != "-"}}
        for w, given in enumerate(KINDS)
    }
    return hj.read_judgments(votes, grades=range(3))


def test_crowd_kit_votes_for_three_kinds():
    shares = hj.merge(kinds_panel(), "binmv").posterior
    third = 1 / 3
    expected = [
        (2 * third, 0, third), (0.75, 0.25, 0), (0, 0.75, 0.25), (0, 0, 1), (third, third, third),
        (0, 0, 1), (0, 1, 0), (0, 2 * third, third), (0, 0, 1), (0, 0, 1),
    ]  # fmt: skip
    assert shares == pytest.approx(np.array(expected))


def test_crowd_kit_dawid_skene_for_three_kinds():
    found = hj.merge(kinds_panel(), 'em-mv(start="shares")').hard().to_dict()["1"]
    assert list(found.values()) == [0, 0, 1, 2, 0, 2, 1, 1, 2, 2]
