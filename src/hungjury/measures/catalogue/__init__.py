"""The catalogue of measures, one file per family, and the names they have here and elsewhere.

Importing it registers all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias, runtime_checkable

# These imports fill the catalogue, in the order of listings.
# isort: off
import hungjury.measures.catalogue.precision
import hungjury.measures.catalogue.average_precision
import hungjury.measures.catalogue.gain
import hungjury.measures.catalogue.probabilities
import hungjury.measures.catalogue.user_models
import hungjury.measures.catalogue.cwl
import hungjury.measures.catalogue.sets

# isort: on
from hungjury.base.errors import Argument, HungjuryError, MeasureError, Remedy, UnknownName
from hungjury.base.named import Described, Listing
from hungjury.base.plugins import load_plugins
from hungjury.measures.base import CATALOGUE, Measure

__all__ = ["CATALOGUE", "NOT_HERE", "IrMeasure", "Measure", "MeasureLike", "is_measure", "measure",
           "measure_list", "measures", "trec_name"]  # fmt: skip


@runtime_checkable
class IrMeasure(Protocol):
    """A measure object of ir_measures, such as ``ir_measures.nDCG @ 10``."""

    NAME: str
    SUPPORTED_PARAMS: Any
    params: dict[str, Any]


MeasureLike: TypeAlias = str | Measure | IrMeasure


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
        said = f"'{text}' matches {len(found)} measures: {', '.join(map(str, found[:4]))} ..."
        raise MeasureError(said, code="several-measures", remedy="name one of them")
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
    if not isinstance(one, str):
        return [one if isinstance(one, Measure) else _from_ir_measures(one)]
    text = one.strip()
    if found := _from_trec(text):
        return found
    try:
        return [CATALOGUE.parse(text)]
    except UnknownName as error:
        raise UnknownName(error.message, remedy=_hint(text) or error.remedy) from None


def _hint(text: str) -> str | None:
    """Suggest our names for those of other tools."""
    parts = re.split(r"[,\s]+", text)
    if len(parts) > 1 and all(_from_trec(part) or _is_ours(part) for part in parts):
        return f"name each measure by itself: {' and '.join(parts)}"
    # 'ndcg_at_10' and 'nDCG10' are nDCG@10, 'MRR@10' is RR@10.
    match = re.fullmatch(r"([a-z][a-z0-9 _-]*?)(?:(?:@|_at_|_|)(\d+))?", text.lower())
    ours = _ELSEWHERE | {cls.name.lower(): cls.name for cls in CATALOGUE}
    if match is None or match[1] not in ours:
        return None
    return f"did you mean {ours[match[1]]}{f'@{match[2]}' if match[2] else ''}?"


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
    exact_expectation: bool


def measures() -> list[MeasureInfo]:
    """Return a description of every measure, as ``hungjury measures`` prints them.

    Returns
    -------
    list of dict
        For each measure its name, how it is written, its meaning, formula, paper, range and
        direction, its parameters, whether many label sets are scored by native code, and whether
        its expectation over uncertain labels is exact (else it is drawn). Printed, it
        has a line for each.

    Examples
    --------
    >>> import hungjury as hj
    >>> [row["paper"] for row in hj.measures() if row["name"] == "RBP"]
    ['Moffat and Zobel 2008']
    """
    return Listing(
        {
            **entry,
            "formula": cls.formula,
            "paper": cls.paper,
            "range": (cls.low, cls.high),
            "smaller_is_better": cls.smaller_is_better,
            "native": (cls.kernel, cls.sums) != (Measure.kernel, Measure.sums),
            "exact_expectation": cls.has_variance or cls.kernel is not Measure.kernel,
        }
        for cls, entry in zip(CATALOGUE, CATALOGUE.entries(), strict=True)
    )


# Names of trec_eval, ir_measures and others.

_CUTS = "5,10,15,20,30,100,200,500,1000"
_LEVELS = ",".join(f"{i / 10:.2f}" for i in range(11))

# trec_eval's names in its order of printing: ours, and the default values of those that have a
# cutoff or a level after the last underscore.
_TREC = {
    "num_q": ("NumQ", ""),
    "num_ret": ("NumRet", ""),
    "num_rel": ("NumRel", ""),
    "num_rel_ret": ("NumRelRet", ""),
    "map": ("AP", ""),
    "gm_map": ("GMAP", ""),
    "Rprec": ("Rprec", ""),
    "bpref": ("Bpref", ""),
    "recip_rank": ("RR", ""),
    "iprec_at_recall": ('IPrec(levels="trec")', _LEVELS),
    "P": ("P", _CUTS),
    "recall": ("R", _CUTS),
    "infAP": ("infAP", ""),
    "11pt_avg": ('IPrec11(levels="trec")', ""),
    "ndcg": ("nDCG", ""),
    "ndcg_cut": ("nDCG", _CUTS),
    "map_cut": ("AP", _CUTS),
    "success": ("Success", "1,5,10"),
    "set_P": ("SetP", ""),
    "set_recall": ("SetR", ""),
    "set_F": ("SetF", ""),
    "num_nonrel_judged_ret": ("NumNonrelJudgedRet", ""),
}
OFFICIAL = list(_TREC)[:11]
# Names used by MTEB, ranx and others.
_ELSEWHERE = {
    "map": "AP", "mrr": "RR", "precision": "P", "recall": "R", "hits": "Success",
    "hit_rate": "Success", "r-precision": "Rprec", "r_precision": "Rprec",
}  # fmt: skip
NOT_HERE = {
    "gm_bpref", "Rprec_mult", "utility", "binG", "G", "ndcg_rel", "Rndcg", "relative_P",
    "set_relative_P", "set_map", "relstring", "rbp", "rbp_resid", "unj", "map_avgjg", "P_avgjg",
    "Rprec_mult_avgjg", "yaap", "runid",
}  # fmt: skip


def _from_trec(text: str) -> list[Measure] | None:
    """Return the measures meant by a trec_eval name, or None if it is not one."""
    if text in ("official", "all_trec"):
        names = OFFICIAL if text == "official" else _TREC
        return [m for name in names for m in _from_trec(name) or ()]
    name, values = _split(text)
    ours, usual = _TREC.get(name, ("", ""))
    if usual:
        return [CATALOGUE.parse(f"{ours}@{v}") for v in (values or usual).split(",")]
    if ours and values is None:
        return [CATALOGUE.parse(ours)]
    if name == "ndcg" and values is not None:
        return [CATALOGUE.parse(f"nDCG(gains={{{values.replace('=', ': ')}}})")]
    if name == "set_F" and values is not None:
        return [CATALOGUE.parse(f"SetF(beta={values})")]
    base = re.sub(r"([._][\d.,=-]+|@\d+)$", "", text)
    if base in NOT_HERE or text.startswith("prefs_"):
        raise UnknownName(
            f"trec_eval's '{text}' is not available",
            remedy=f"write {CATALOGUE[base].name} for the measure with hungjury's defaults"
            if base in CATALOGUE
            else "`hungjury measures` lists all measures",
        )
    return None


def _split(text: str) -> tuple[str, str | None]:
    """Split 'P.5,10' and 'P_5' into ('P', '5,10') and ('P', '5')."""
    name, dot, values = text.partition(".")
    if dot and name in _TREC:
        return name, values
    match = re.fullmatch(r"(.+)_(\d+(?:\.\d+)?)", text)
    if match and _TREC.get(match[1], ("", ""))[1]:
        return match[1], match[2]
    return text, None


def trec_name(measure: Measure) -> str:
    """Return trec_eval's name of a measure if it has one (rel= becomes its -l), else our own."""
    text = str(measure)
    for theirs, (ours, usual) in _TREC.items():
        if text == ours and not usual:
            return theirs
        if usual and text.startswith(f"{ours}@") and measure.at is not None:
            value = getattr(measure, measure.at)
            level = f"{value:.2f}"
            shown = level if measure.at == "recall" and float(level) == value else str(value)
            # trec_eval does not read exponents: a level such as 1e-31 keeps our name
            return text if "e" in shown else f"{theirs}_{shown}"
    return text


# Measures that both define alike; tests compare their scores.
_ALIKE = {
    "AP", "Bpref", "Judged", "NumQ", "NumRel", "NumRet", "P", "R", "RBP", "RR", "Rprec",
    "SetAP", "SetF", "SetP", "SetR", "Success", "infAP", "nDCG", "Accuracy", "Compat", "BPM",
    "INSQ", "INST", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11",
}  # fmt: skip
_SAME = {"judged_only": False, "min_rel": 0, "dcg": "log2"}  # parameters of theirs, as we score


def _from_ir_measures(given: IrMeasure) -> Measure:
    """Return the measure of ours that is defined in the same way."""
    if hasattr(given, "ours"):  # one of ours, see hungjury.measures.ecosystem
        return given.ours()  # type: ignore[no-any-return]
    name, values = given.NAME, dict(given.params)
    if "max_rel" in values:
        values["max_grade"] = values.pop("max_rel")
    for plain, value in _SAME.items():
        if name == "nDCG" and plain == "dcg":
            continue
        if values.pop(plain, value) != value:
            remedy: Remedy = "leave it out"
            if plain == "judged_only":
                condensed = Argument("unjudged", "condensed")
                remedy = ("leave it out and score condensed lists with", condensed)
            said = f"{plain} of ir_measures' {given} is not available"
            raise MeasureError(said, code="not-available", remedy=remedy)
    graded = name == "RBP" and "rel" not in values
    if name not in _ALIKE or graded:
        remedy = "`hungjury measures` lists all measures"
        if graded:
            remedy = "give it rel, as in RBP(rel=1): without one, its gains are graded"
        elif name in CATALOGUE:
            ours = CATALOGUE.example(CATALOGUE[name])
            remedy = f'name "{ours}" for ours, which is defined differently'
        raise UnknownName(f"ir_measures' {given} is not available", remedy=remedy)
    cls = CATALOGUE[name]
    unknown = [key for key in values if key not in cls._params]
    if unknown:
        said = f"ir_measures' {name} has no parameter {unknown[0]} here"
        raise MeasureError(said, code="unknown-parameter", remedy="leave it out")
    return cls(**values)


load_plugins("hungjury.measures")
