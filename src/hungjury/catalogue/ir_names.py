"""Measure objects of ir_measures as measures here, where both define them alike."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

from hungjury.catalogue.base import CATALOGUE, Measure
from hungjury.errors import Argument, MeasureError, UnknownName

__all__ = ["IrMeasure", "MeasureLike", "from_ir_measures"]

# Measures that both define alike; tests compare their scores.
_ALIKE = {
    "AP", "Bpref", "Judged", "NumQ", "NumRel", "NumRet", "P", "R", "RBP", "RR", "Rprec",
    "SetF", "SetP", "SetR", "Success", "infAP", "nDCG",
}  # fmt: skip
_PLAIN = {"judged_only": False, "relative": False}  # parameters of theirs, as we score


@runtime_checkable
class IrMeasure(Protocol):
    """A measure object of ir_measures, such as ``ir_measures.nDCG @ 10``."""

    NAME: str
    SUPPORTED_PARAMS: Any
    params: dict[str, Any]


MeasureLike: TypeAlias = str | Measure | IrMeasure


def from_ir_measures(given: IrMeasure) -> Measure:
    """The measure of the same definition here."""
    if hasattr(given, "ours"):  # one of ours, see hungjury.ecosystem
        return given.ours()  # type: ignore[no-any-return]
    name, values = given.NAME, dict(given.params)
    for plain, value in _PLAIN.items():
        if values.pop(plain, value) != value:
            remedy: tuple[str | Argument, ...] = ("leave it out",)
            if plain == "judged_only":
                remedy += ("and score condensed lists with", Argument("unjudged", "condensed"))
            raise MeasureError(
                f"{plain} of ir_measures' {given} is not available",
                code="not-available",
                remedy=remedy,
            )
    if name == "NumRet" and "rel" in values:
        name = "NumRelRet"
    graded = name == "RBP" and "rel" not in values
    if name not in _ALIKE | {"NumRelRet"} or graded:
        raise UnknownName(
            f"ir_measures' {given} is not available",
            remedy=_advice(given.NAME, graded),
        )
    cls = CATALOGUE[name]
    unknown = [key for key in values if key not in cls._params]
    if unknown:
        raise MeasureError(
            f"ir_measures' {given.NAME} has no parameter {unknown[0]} here",
            code="unknown-parameter",
            remedy="leave it out",
        )
    return cls(**values)


def _advice(name: str, graded: bool) -> str:
    if graded:
        return "give it rel, as in RBP(rel=1): without one, its gains are graded"
    if name in CATALOGUE:
        ours = CATALOGUE[name]
        return f'name "{CATALOGUE.example(ours)}" for ours, which is defined differently'
    return "`hungjury measures` lists all measures"
