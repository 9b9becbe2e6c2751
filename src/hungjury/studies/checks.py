"""Check that the data contains what a study needs, before any work is done."""

from __future__ import annotations

from hungjury.catalogue import measure_list
from hungjury.collection.judgments import Judgments
from hungjury.collection.likes import QrelsLike
from hungjury.collection.qrels import Qrels
from hungjury.errors import Argument, InputError, MeasureError
from hungjury.evaluation import MeasureNames, check_measure
from hungjury.scores import Scores

__all__ = [
    "need_gold",
    "need_grades",
    "need_hard_labels",
    "need_judges",
    "need_measures",
    "need_systems",
]


def need_gold(gold: QrelsLike, what: str) -> None:
    """Check that there are gold labels to compare with."""
    if gold is None:
        raise InputError(
            f"{what} needs gold labels, but there are none",
            code="needs-gold",
            argument="gold",
            remedy="give qrels of the same topics as gold labels",
        )


def need_judges(judgments: Judgments, what: str, least: int = 3) -> None:
    """Check that there are more judges than the size of tuples."""
    number = len(judgments.judges)
    if number < least:
        have = "there is only 1" if number == 1 else f"there are only {number}"
        raise InputError(
            f"{what} needs at least {least} judges, but {have}",
            code="too-few-judges",
            argument="judges",
            remedy="give more judges, one file each",
        )


def need_grades(top: int, what: str, least: int = 2) -> None:
    """Check that labels have more grades than relevant and not relevant."""
    if top < least:
        raise InputError(
            f"{what} needs more grades, but these labels go from 0 to {top}",
            code="too-few-grades",
            remedy=f"give labels with grades up to {least} or more, or declare the scale",
        )


def need_hard_labels(qrels: Qrels, what: str) -> None:
    if qrels.soft:
        raise InputError(
            f"{what} needs grades, but these labels are probabilities",
            code="needs-grades",
            remedy="make them grades first, with Qrels.threshold(0.5)",
        )


def need_measures(measures: MeasureNames, qrels: Qrels) -> None:
    """Check that the measures exist and fit the labels."""
    wanted = measure_list(measures)
    if not wanted:
        raise MeasureError(
            "no measure was given", code="no-measure", remedy='name one, such as "AP"'
        )
    for one in wanted:
        check_measure(one, qrels)


def need_systems(scores: Scores, what: str, least: int = 2) -> None:
    """Check that there are systems to compare, with a value for each topic."""
    if len(scores.systems) < least:
        raise InputError(
            f"{what} needs at least {least} systems, but there are {len(scores.systems)}",
            code="too-few-systems",
            argument="runs",
            remedy="give more runs",
        )
    if bool((scores.values != scores.values).any()):
        raise InputError(
            f"{what} needs a value for every system and topic, but some have none",
            code="undefined-values",
            remedy=(
                "score with",
                Argument("topics", "judged"),
                "and",
                Argument("undefined", "zero"),
            ),
        )
