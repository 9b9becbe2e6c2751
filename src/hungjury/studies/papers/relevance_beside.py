"""Figure 3 of the paper on random relevance, printed beside measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hungjury.studies.papers.label_sets import LabelSet
from hungjury.studies.papers.relevance_claims import CASES
from hungjury.studies.published.relevance import COLLECTIONS, POWER, relevance_recognised
from hungjury.studies.study_table import Cell, StudyTable

__all__ = ["power_beside"]

Array = NDArray[np.float64]
HEADER = ("collection", "measure", "case", "", "value", "published", "difference")
OPTIONS = {"eRAP": ("eRAP-1", "eRAP-2"), "eRRBP": ("eRRBP-1", "eRRBP-2")}


def power_beside(
    sets: Sequence[LabelSet], lines: Mapping[tuple[str, ...], Array]
) -> list[StudyTable]:
    """A row for each number that is printed about the paper's collections; no table where there is
    none. lines: {(labels, case, measure): power, on the whole pool first}."""
    rows: list[list[Cell]] = []
    for one in sets:
        name = relevance_recognised(one.facts(rel=1))
        if name is None:
            continue
        column = list(COLLECTIONS).index(name)
        for measure, case, which, *printed in map(str.split, POWER.strip().splitlines()):
            found = [
                float(lines[one.title, mine, label][0])
                for label in OPTIONS.get(measure, (measure,))
                for mine in ((case,) if case in CASES else CASES)
            ]
            value = min(found) if which == "least" else max(found)
            number = float(printed[column]) / 100
            words = ["" if word == "-" else word for word in (case, which)]
            rows.append([name, measure, *words, value, number, round(value - number, 12)])
    title = "Figure 3 beside the paper: discriminative power on the whole pool"
    return [StudyTable("figure-3-published", title, HEADER, rows)] if rows else []
