"""Warnings about judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hungjury.base.notes import few, plural
from hungjury.base.text import number_text
from hungjury.stats.agreement import JudgePairs

if TYPE_CHECKING:
    from hungjury.judges.agreement import Agreement

__all__ = ["alpha_text", "near_constant", "near_copies", "warnings"]

FEW = 20  # labels or common documents needed for a warning about a judge
COPY_AGREEMENT, COPY_KAPPA = 0.98, 0.9
CONSTANT = 0.95
TENTATIVE = 0.667  # the alpha that Krippendorff asks for even for tentative conclusions
MOST_NAMED = 2  # near-constant judges who get a sentence of their own
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def near_copies(judges: list[str], pairs: JudgePairs) -> list[list[str]]:
    """Groups in which every two agree on 98 % of documents and have a kappa of 0.9 or more.

    The kappa is needed because two judges who call nearly everything not relevant agree
    without being copies.
    """
    alike = (pairs.agreement >= COPY_AGREEMENT) & (pairs.kappa >= COPY_KAPPA)
    alike &= pairs.common >= FEW
    np.fill_diagonal(alike, True)
    if alike.sum() == len(judges):
        return []
    from scipy.cluster.hierarchy import fcluster, linkage  # slow to import
    from scipy.spatial.distance import squareform

    apart = squareform((~alike).astype(float), checks=False)
    group = fcluster(linkage(apart, "complete"), 0.5, "distance")
    names: dict[int, list[str]] = {}
    for name, number in zip(judges, group.tolist(), strict=True):
        names.setdefault(number, []).append(name)
    return [n for n in names.values() if len(n) > 1]


def near_constant(
    judges: list[str], labels: NDArray[np.int64], rates: NDArray[np.float64]
) -> dict[str, float]:
    """Judges who give one label to 95 % of documents or more, with the share.

    Their share of other labels must also be below a quarter of the panel's usual share.
    """
    share = np.nan_to_num(rates).max(axis=1)
    known = labels >= FEW
    if not known.any():
        return {}
    usual = float(np.median(1 - share[known]))
    rare = (share == 1) | ((share >= CONSTANT) & (1 - share < usual / 4))
    return {judges[i]: float(share[i]) for i in np.flatnonzero(known & rare)}


def warnings(found: Agreement) -> list[str]:
    constant = found.near_constant
    out = _constant_lines(constant)
    for group in found.near_copies:
        number = _NUMBERS[len(group) - 2] if len(group) <= 10 else str(len(group))
        out.append(f"these {number} judges are near copies: {few(group, 10)}")
    out += _no_better_than_chance(found, set(constant))
    out += [str(note) for note in found.panel.notes if note.kind == "silent-judge"]
    out += _strangers(found.pairs)
    if max(found.alpha_nominal, found.alpha_ordinal) < TENTATIVE:
        out.append(
            f"Krippendorff's alpha is {alpha_text(found)}: below {TENTATIVE} conclusions should "
            "not rest on a single judge's labels"
        )
    return out


def _constant_lines(constant: dict[str, float]) -> list[str]:
    if len(constant) > MOST_NAMED:
        least = min(constant.values())
        more = " and more" if least < 1 else ""
        return [
            f"{len(constant)} judges give one label to {_percent(least)} of documents{more}: "
            f"{few(constant, 10)}"
        ]
    return [
        f"{name} gives one label to {_percent(share)} of documents"
        for name, share in constant.items()
    ]


def alpha_text(found: Agreement) -> str:
    """Krippendorff's alpha, as sentences give it."""
    if found.panel.binary:  # there is one way only for two labels to differ
        return number_text(found.alpha_nominal)
    return f"{number_text(found.alpha_nominal)} nominal, {number_text(found.alpha_ordinal)} ordinal"


def _percent(share: float) -> str:
    """Rounded, but never up to 100."""
    return "100 %" if share == 1 else f"{min(np.floor(share * 1000) / 10, 99.9):.1f} %"


def _no_better_than_chance(found: Agreement, known: set[str]) -> list[str]:
    kappa = found.pairs.with_others()[1]
    bad = [
        name
        for name, value, labels in zip(found.judges, kappa, found.labels, strict=True)
        if value <= 0 and labels >= FEW and name not in known
    ]
    if not bad:
        return []
    verb = "agrees" if len(bad) == 1 else "agree"
    who = bad[0] if len(bad) == 1 else f"{len(bad)} judges"
    names = "" if len(bad) == 1 else f": {few(bad, 10)}"
    return [f"{who} {verb} with the others no better than chance{names}"]


def _strangers(pairs: JudgePairs) -> list[str]:
    upper = np.triu_indices(len(pairs.common), 1)
    none = int((pairs.common[upper] == 0).sum())
    if not none:
        return []
    verb = "has" if none == 1 else "have"
    return [
        f"{plural(none, 'pair')} of judges (of {len(upper[0]):,}) {verb} no document in common: "
        "their agreement is unknown"
    ]
