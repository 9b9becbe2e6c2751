"""What the paper on crowd judges claims (CS 4.2 and 4.3), as quantities that are positive where a
claim holds."""

from __future__ import annotations

from collections.abc import Sequence

from hungjury.base.records import Record
from hungjury.studies.claims import Claim, Quantity, least, mean_of_all
from hungjury.studies.gold import DETERMINISTIC, RANDOMISED, Doubt, SingleRow
from hungjury.studies.judge_tuples import TupleStudy

__all__ = ["crowd_claims"]

FEW, MANY = 5, 20  # judges: up to, and from
LABELS = {"mv": "MV", "em-mv": "EM", "uni": "AWARE"}  # merges to labels, and of measures
ALONE, MERGED = "judges, topics", "tuples, topics"


def crowd_claims(study: TupleStudy, alone: Sequence[SingleRow], doubt: Doubt) -> list[Claim]:
    """All claims, for every measure."""
    return [claim for one in study.measures for claim in _Found(study, alone, doubt, one).claims()]


class _Found(Record):
    """Everything by one measure, labels trusted in one way."""

    study: TupleStudy
    alone: Sequence[SingleRow]
    doubt: Doubt
    measure: str

    def claims(self) -> list[Claim]:
        return [*self._of_single_judges(), *self._of_merges(), *self._of_probabilities()]

    def _claim(self, text: str, measured: str, quantity: Quantity, over: str = MERGED) -> Claim:
        return Claim(text, self.measure, measured, quantity, over)

    def _of_single_judges(self) -> list[Claim]:
        labels = self._single(DETERMINISTIC, None)
        expected = {gold: self._single(gold, self.doubt) for gold in (DETERMINISTIC, RANDOMISED)}
        return [
            self._claim(
                "Random measures against RGS are nearer to gold than measures against DGS",
                "expected measure, RGS - measure, DGS",
                expected[RANDOMISED] - labels,
                ALONE,
            ),
            self._claim(
                "Against DGS, measures of labels are nearer than random measures",
                "measure - expected measure, DGS",
                labels - expected[DETERMINISTIC],
                ALONE,
            ),
        ]

    def _of_merges(self) -> list[Claim]:
        single = self._single(DETERMINISTIC, None)
        every = [*LABELS, "binmv", "qbinmv"]
        mv, em, uni = (self._many(a) for a in LABELS)
        few_mv, few_em, few_uni = (self._few(a) for a in LABELS)
        return [
            self._claim(
                "All merges are nearer to gold than single judges",
                "the worst merge - single judges, DGS",
                least(*(self._all(a) for a in every)) - single,
            ),
            self._claim(
                "MV is the best merge of labels or measures of many judges",
                f"MV - the better of EM and AWARE, from {self._sizes_many()[0]} judges on",
                least(mv - em, mv - uni),
            ),
            self._claim(
                "AWARE is competitive for few judges",
                f"AWARE - the better of MV and EM, up to {FEW} judges",
                least(few_uni - few_mv, few_uni - few_em),
            ),
            self._claim("EM does not reach MV", "MV - EM", self._all("mv") - self._all("em-mv")),
        ]

    def _of_probabilities(self) -> list[Claim]:
        labels = mean_of_all(self._all(a) for a in LABELS)
        binmv = {gold: self._all("binmv", gold) for gold in (DETERMINISTIC, RANDOMISED)}
        few = self._few("binmv")
        return [
            self._claim(
                "BINMV is above MV and AWARE for few judges",
                f"BINMV - the better of MV and AWARE, DGS, up to {FEW} judges",
                least(few - self._few("mv"), few - self._few("uni")),
            ),
            self._claim(
                "Against DGS, MV, EM and AWARE are better than BINMV",
                "mean of the three - BINMV, DGS",
                labels - binmv[DETERMINISTIC],
            ),
            self._claim(
                "BINMV against RGS is better than MV, EM and AWARE",
                "BINMV, RGS - mean of the three",
                binmv[RANDOMISED] - labels,
            ),
            *(
                self._claim(
                    f"QBINMV is better than BINMV against {gold}",
                    f"QBINMV - BINMV, {gold}",
                    self._all("qbinmv", gold) - binmv[gold],
                )
                for gold in (DETERMINISTIC, RANDOMISED)
            ),
            self._claim(
                "QBINMV is better than MV, EM and AWARE",
                "QBINMV, DGS - mean of the three",
                self._all("qbinmv") - labels,
            ),
        ]

    def _single(self, gold: str, doubt: Doubt | None) -> Quantity:
        (row,) = [r for r in self.alone
                  if (r.measure, r.gold, r.doubt) == (self.measure, gold, doubt)]  # fmt: skip
        assert row.draws is not None
        return Quantity(float(row.tau_ap.mean()), row.draws)

    def _sizes_many(self) -> list[int]:
        """From 20 judges on; where there are fewer judges, as many as there are."""
        sizes = self.study.sizes
        return [k for k in sizes if k >= MANY] or sizes[-1:]

    def _sizes_few(self) -> list[int]:
        sizes = self.study.sizes
        return [k for k in sizes if k <= FEW] or sizes[:1]

    def _all(self, approach: str, gold: str = DETERMINISTIC) -> Quantity:
        return self._mean(approach, self.study.sizes, gold)

    def _many(self, approach: str) -> Quantity:
        return self._mean(approach, self._sizes_many())

    def _few(self, approach: str) -> Quantity:
        return self._mean(approach, self._sizes_few())

    def _mean(self, approach: str, sizes: list[int], gold: str = DETERMINISTIC) -> Quantity:
        doubt = None if approach in LABELS else self.doubt
        return self.study.quantity("tau_ap", self.measure, approach, sizes, gold, doubt)
