"""Tables 2 and 3 of the paper on graded average precision, printed beside measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hungjury.studies.data import StudyData
from hungjury.studies.papers.label_sets import LabelSet
from hungjury.studies.published import graded_recognised, graded_tau
from hungjury.studies.study_table import Cell, StudyTable
from hungjury.studies.topics import few_highly_relevant

__all__ = ["COMPARED", "beside_the_paper", "in_words", "topic_sets"]

# nDCG as in the random relevance paper: gains 5, 10, ... by grade, logarithm's base 10.
COMPARED = ("AP", "nDCG(base=10)", "RBP(p=0.8)", "Bpref")
PRINTED_AS = dict(zip(("AP", "nDCG", "RBP", "bpref"), COMPARED, strict=True))
HEADER = ("collection", "g", "", "with", "topics", "value", "published", "difference")


def beside_the_paper(
    table: str, sets: Sequence[LabelSet], place: Mapping[str, int], rel: int
) -> list[StudyTable]:
    """A row for each number of the paper's collections; no table where there is none.

    table: "table-2" or "table-3". place: of the measures' labels among those correlated.
    """
    rows: list[list[Cell]] = []
    for one in sets:
        name = graded_recognised(one.facts(rel))
        if name is None:
            continue
        topics = list(topic_sets(one.data, one.whose))
        for (g, family, other), printed in graded_tau(name).items():
            row, column = f"{family} {in_words(g)}", PRINTED_AS.get(other, f"GAP {in_words(g)}")
            if row not in place or column not in place:
                continue
            for which, number in zip(topics, printed, strict=True):
                found = one.studied.results.get(f"correlation/{one.whose}/{which}")
                value = difference = None
                if found is not None:
                    value = float(np.asarray(found["tau"])[place[row], place[column]])
                    difference = round(value - number, 12)
                rows.append([name, in_words(g), family, other, which, value, number, difference])
    title = f"{table.replace('-', ' ').capitalize()} beside the paper"
    return [StudyTable(f"{table}-published", title, HEADER, rows)] if rows else []


def topic_sets(data: StudyData, whose: str) -> dict[str, list[str]]:
    """All topics, and for each grade above the lowest those with few documents of it."""
    labels = data.labels(whose)
    found = {"all topics": labels.topics}
    for grade in range(2, labels.max_grade + 1):
        found[f"few of grade {grade}"] = few_highly_relevant(labels, grade).names
    return found


def in_words(g: tuple[float, ...]) -> str:
    """Probabilities as the paper writes them: (0.1, 0.9)."""
    return "(" + ", ".join(f"{value:.3g}" if value % 1 else f"{value:.1f}" for value in g) + ")"
