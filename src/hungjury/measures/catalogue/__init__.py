"""The catalogue of measures, one file per family. Importing it registers all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

# These imports fill the catalogue, in the order of listings.
# isort: off
import hungjury.measures.catalogue.precision
import hungjury.measures.catalogue.average_precision
import hungjury.measures.catalogue.stopping
import hungjury.measures.catalogue.gain
import hungjury.measures.catalogue.probabilities
import hungjury.measures.catalogue.user_models
import hungjury.measures.catalogue.sets

# isort: on
from hungjury.base.errors import HungjuryError, MeasureError, UnknownName
from hungjury.base.named import Described
from hungjury.measures.base import CATALOGUE, Measure
from hungjury.measures.names import (
    IrMeasure,
    MeasureLike,
    from_elsewhere,
    from_ir_measures,
    from_trec,
    trec_name,
)

__all__ = ["CATALOGUE", "Measure", "MeasureLike", "is_measure", "measure", "measure_list",
           "measures", "trec_name"]  # fmt: skip


def measure(text: MeasureLike) -> Measure:
    """Return one measure by its name.

    Functions take names as well; make a measure to check a name early, to compare measures, or to
    look at its parameters.

    Parameters
    ----------
    text : str or Measure
        Such as ``"nDCG@10"`` in any case, ``"AP(rel=2)@100"``, trec_eval's ``"ndcg_cut_10"``, or a
        measure object of ir_measures.

    Returns
    -------
    Measure
        The measure. It prints as its name, and equals the one made from its class.

    Raises
    ------
    HungjuryError
        If there is no such measure; the error names similar ones.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.measure("ndcg_cut_10") == hj.m.nDCG(cutoff=10)
    True
    """
    found = measure_list([text])
    if len(found) != 1:
        raise MeasureError(
            f"'{text}' matches {len(found)} measures: {', '.join(map(str, found[:4]))} ...",
            code="several-measures",
            remedy="name one of them",
        )
    return found[0]


def measure_list(names: MeasureLike | Iterable[MeasureLike]) -> list[Measure]:
    """Return all measures meant by names; sets such as ``official`` are expanded."""
    alone = is_measure(names) or not isinstance(names, Iterable)
    listed: list[Any] = [names] if alone else list(names)  # type: ignore[arg-type]
    odd = [one for one in listed if not is_measure(one)]
    if odd or not listed:
        raise MeasureError(
            f"{odd[0]!r} is not a measure" if odd else "no measure was given",
            code="not-a-measure",
            remedy='name one, such as "nDCG@10"',
        )
    return list(dict.fromkeys(m for one in listed for m in _meant(one)))


def is_measure(given: object) -> bool:
    """Say whether this is a measure, or a name that may be one."""
    return isinstance(given, (str, Measure, IrMeasure))


def _meant(one: MeasureLike) -> list[Measure]:
    if isinstance(one, str):
        return _parse(one)
    return [one if isinstance(one, Measure) else from_ir_measures(one)]


def _parse(text: str) -> list[Measure]:
    text = text.strip()
    if found := from_trec(text):
        return found
    try:
        return [CATALOGUE.parse(text)]
    except UnknownName as error:
        hint = _hint(text)
        if hint is None:
            raise
        raise UnknownName(error.message, remedy=hint) from None


def _hint(text: str) -> str | None:
    """Suggest our names for those of other tools."""
    parts = re.split(r"[,\s]+", text)
    if len(parts) > 1 and all(from_trec(part) or _is_ours(part) for part in parts):
        return f"name each measure by itself: {' and '.join(parts)}"
    ours = from_elsewhere(text)
    return None if ours is None else f"did you mean {ours}?"


def _is_ours(text: str) -> bool:
    try:
        CATALOGUE.parse(text)
    except HungjuryError:
        return False
    return True


class MeasureInfo(Described):
    """A measure, as `measures` describes it: a dictionary with these keys.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.measures()[0]["name"]
    'P'
    """

    formula: str
    paper: str
    range: tuple[float, float]
    smaller_is_better: bool
    native: bool


def measures() -> list[MeasureInfo]:
    """Return a description of every measure, as ``hungjury measures`` prints them.

    Returns
    -------
    list of dict
        For each measure its name, how it is written, its meaning, formula, paper, range and
        direction, its parameters, and whether many label sets are scored by native code.

    Examples
    --------
    >>> import hungjury as hj
    >>> [row["paper"] for row in hj.measures() if row["name"] == "RBP"]
    ['Moffat and Zobel 2008']
    """
    return [
        {
            **entry,
            "formula": cls.formula,
            "paper": cls.paper,
            "range": (cls.low, cls.high),
            "smaller_is_better": cls.smaller_is_better,
            "native": cls.kernel is not Measure.kernel,
        }
        for cls, entry in zip(CATALOGUE, CATALOGUE.entries(), strict=True)
    ]
