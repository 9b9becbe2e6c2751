"""What every measure declares: parameters with defaults and ranges, bounds, and what it can do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import hungjury as hj
from builders.scores import scores_of
from builders.stored import compared_by_identity
from hungjury.base.results import Result
from hungjury.measures.catalogue import CATALOGUE
from hungjury.theory.axioms import example_measure

FLAGS = (
    "smaller_is_better",
    "needs_nonrelevant",
    "averages_ties",
    "always_defined",
    "takes_probabilities",
    "has_variance",
    "probability_gains",
)
# A fact on each line, and the measures of which it is true, in the order of the catalogue.
DECLARED = """
rel=1 >= 1: P R F1 Fallout Rprec IPrec IPrec11 RR Success ESL ESLSaving AP GMAP NCP Q RBP MP
    SetP SetAP SetR SetF SetFallout NumRel NumRelRet NumNonrelJudgedRet Bpref infAP Accuracy
cutoff [1, 2147483647]: P F1 Success eRP
averages_ties: P R F1 Rprec RR Success AP GMAP GAP xGAP eGAP CG Mean nCG DCG nDCG RBP gRBP eRP
    eRRBP eRDCG eRAP nMCG SetP SetAP SetR SetF SetFallout NumQ NumRet NumRel NumRelRet
    NumNonrelJudgedRet
0 to 1: P R F1 Fallout Rprec IPrec IPrec11 RR Success AP GMAP NCP GAP xGAP eGAP nCG nDCG Q RBP
    gRBP ERR eRP eRRBP E MP SDCG BPM INSQ INST NERR8 NERR9 NERR10 NERR11 Residual SetP SetAP
    SetR SetF SetFallout Bpref infAP Accuracy Compat Judged
mean: P R F1 Fallout Rprec IPrec IPrec11 RR Success ESL ESLSaving AP NCP GAP xGAP eGAP CG Mean
    nCG DCG nDCG Q RBP gRBP ERR eRP eRRBP eRDCG eRAP E MP nMCG SDCG BPM INSQ INST NERR8 NERR9
    NERR10 NERR11 Residual SetP SetAP SetR SetF SetFallout Bpref infAP Accuracy Compat Judged
@cutoff: P R F1 Fallout RR Success AP GMAP GAP xGAP eGAP CG Mean nCG DCG nDCG Q RBP gRBP ERR eRP
    eRRBP eRDCG eRAP E MP nMCG SDCG BPM NERR8 NERR9 Accuracy Judged
cutoff=None [1, 2147483647]: R Fallout RR AP GMAP GAP xGAP eGAP CG nCG DCG nDCG Q RBP gRBP ERR
    eRRBP eRDCG eRAP E MP Accuracy Judged
smaller_is_better: Fallout ESL Residual SetFallout
needs_nonrelevant: Fallout Residual Judged
levels=exact 'exact' or 'trec': IPrec IPrec11
recall [0, 1]: IPrec
@recall: IPrec
want=1 >= 1: ESL ESLSaving
0 to inf: ESL CG Mean DCG eRDCG eRAP nMCG NumQ NumRet NumRel NumRelRet NumNonrelJudgedRet
-inf to 1: ESLSaving
gmean: GMAP
stop=uniform 'uniform' or 'geometric': NCP
p=0.8 (0, 1]: NCP
weights=None >= 0: NCP
g: GAP xGAP eGAP
gains=None: CG Mean nCG DCG nDCG Q gRBP ERR
cutoff=1 [1, 2147483647]: Mean
dcg=log2 'log2' or 'exp-log2': DCG nDCG
base=None > 1: DCG nDCG
beta=1.0 >= 0: Q SetF
p=0.8 [0, 1): RBP gRBP eRRBP
max_grade=None >= 1: gRBP ERR SDCG BPM INSQ INST NERR8 NERR9 NERR10 NERR11
prob=None [0, 1]: eRP eRRBP eRDCG eRAP E
unjudged=None [0, 1]: eRP eRRBP eRDCG eRAP E
rel=None >= 1: eRP eRRBP eRDCG eRAP NumRet
takes_probabilities: eRP eRRBP eRDCG eRAP E
has_variance: eRP eRRBP eRDCG eRAP
base=10.0 > 1: eRDCG
recall_base=pool: eRAP
base_depth=100 >= 1: eRAP E
collection=None >= 1: eRAP E
of: E Residual
draws=1000 [2, 100000]: E
seed=0 >= 0: E
recall_base=list: E
topic_shift=0.0 >= 0: E
judge_shift=0.0 >= 0: E
clusters=None: E
(of): E Residual
model=GL_AD_ID: MP
rec=False: MP
rates=None > 0: MP
steps=None [0, 1000000]: MP
nav_rel=None >= 1: MP nMCG
user=published-shape: nMCG
cutoff=10 [1, 2147483647]: nMCG SDCG BPM NERR8 NERR9
T=1.0 > 0: BPM INSQ INST NERR11
p=0.9 [0, 1): NERR10
always_defined: eRP eRRBP eRDCG Residual NumQ NumRet NumRel NumRelRet NumNonrelJudgedRet Judged
relative=False: SetP
sum: NumQ NumRet NumRel NumRelRet NumNonrelJudgedRet
p=0.95 [0, 1): Compat
normalize=True: Compat
"""


def declared(cls: Any) -> Iterator[str]:
    one = example_measure(cls, 4, grades=3)
    for f in cls.params():
        default = "" if f.required else f"={f.default}"
        yield f"{f.name}{default} {f.values}".strip()
    yield from (name for name in FLAGS if getattr(one, name))
    yield f"{one.low:g} to {one.high:g}"
    yield one.average
    yield from (f"@{name}" for name in [cls.at] if name)
    yield from (f"({name})" for name in [cls.positional] if name)


def test_measures_declare_what_they_should() -> None:
    found: dict[str, list[str]] = {}
    for cls in CATALOGUE:
        for fact in declared(cls):
            found.setdefault(fact, []).append(cls.name)
    usual = found.pop("probability_gains")
    assert [cls.name for cls in CATALOGUE if cls.name not in usual] == ["ERR"]
    lines = DECLARED.replace("\n    ", " ").strip().splitlines()
    assert {fact: " ".join(names) for fact, names in found.items()} == dict(
        line.rsplit(": ", 1) for line in lines
    )


def test_records_with_arrays_are_compared_by_identity() -> None:
    names = "Answers Curve Expectation HitCounts JudgeScores Labels Scores Sum Sums World"
    assert compared_by_identity("hungjury.measures") == names.split()


def test_pictures_get_what_they_are_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Result, "_drawn", lambda self, *how: (type(self).__name__, *how))
    scores: Any = scores_of([[[0.5]], [[0.25]]])
    asked = "Scores", "board_plots.draw_scores"
    assert scores.plot() == (*asked, "m0", "topics", None)
    assert scores.plot("m1", "scatter", "m0") == (*asked, "m1", "scatter", "m0")
    curve = hj.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "IPrec@0.5").curve()
    assert curve.plot() == ("Curve", "board_plots.draw_precision_recall")
