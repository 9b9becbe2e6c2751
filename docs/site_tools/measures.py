"""A page for each measure, and one that lists them all with ranges, axioms and balancing index."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby

from hungjury.base.errors import HungjuryError
from hungjury.measures.catalogue import CATALOGUE, Measure
from hungjury.theory import axiom_table, balancing_index
from hungjury.theory.axioms import AxiomRow, example_measure
from site_tools.formulas import typeset
from site_tools.parts import escaped, parameter_table, raw, sentences, toctree

LENGTHS = (10, 100, 1000)
# Each family by its file: a title, and when to use it.
FAMILIES = {
    "precision": (
        "Precision and recall",
        "How many of the first k documents are relevant, and how many of the relevant ones are "
        "among them. Easy to explain; blind to the order inside the first k.",
    ),
    "average_precision": (
        "Average precision",
        "One number for a whole list of binary labels (AP), or of grades whose users differ in "
        "what they call relevant (GAP, xGAP, eGAP). Needs a pool that is nearly complete.",
    ),
    "cwl": (
        "Users who read on",
        "A user reads from the top and goes on with a chance that may depend on the rank and on "
        "what was found so far (C/W/L). For when you know how patient your users are.",
    ),
    "gain": (
        "Gain",
        "Grades are worth something, and less further down. nDCG@10 is what most papers and "
        "leaderboards report; use it unless you know why not.",
    ),
    "probabilities": (
        "Uncertain labels",
        "Labels are probabilities of relevance: expected scores and their variance. For soft "
        "labels from several judges, and for everything that asks how sure a score is.",
    ),
    "user_models": (
        "Users as Markov chains",
        "Users move back and forth over the list, as estimated from click logs or by a named "
        "model.",
    ),
    "sets": (
        "Sets, counts and incomplete judgments",
        "Results without order, what trec_eval counts, and measures for pools with unjudged "
        "documents (Bpref, infAP, Judged).",
    ),
}

TOP = """\
# Measures

A measure is written as `Name(parameter=value, ...)@k`, for example `nDCG@10`, `AP(rel=2)` or
`RBP(p=0.9)@20`. [trec_eval's names](../../how-to/evaluate.md) work too. `hungjury measures NAME`
prints what the page of a measure says.

## All of them

**Replacement** and **Swap** are the two properties that make a score a measure of utility;
[axioms](../../axioms.md) says what they are, how they were checked, and gives the counterexamples.
*B(N)* is the balancing index: the deepest rank from which a list of N documents can be filled
with relevant ones and still score as well as one relevant document at rank 1. Near 1 a measure
looks at the top only; N means that all ranks count alike. Required parameters are set as shown in
the axioms' table; labels for B are binary. Where less is better (ESL, Fallout,
NumNonrelJudgedRet), both say little.
"""

# What the letters in formulas mean.
NOTATION = {
    "n, m": "ranks, counted from 1",
    "N": "length of the ranked list",
    "k": "cutoff, the number after @; all ranks by default",
    "l_n": "grade of the document at rank n; 0 if it was not judged",
    "x_n": "1 if the document at rank n is relevant (l_n ≥ rel), else 0",
    "R": "relevant documents in the pool, retrieved or not",
    "gain(l)": "gain of grade l; the grade itself unless the parameters say otherwise",
    "best list": "the documents of the pool sorted by gain",
    "P(x_n = 1)": "probability that the document at rank n is relevant",
    "#{...}": "number of documents for which ... holds",
}


@dataclass(frozen=True)
class Facts:
    """What is computed about one measure; balancing is empty where it cannot be."""

    cls: type[Measure]
    axioms: AxiomRow
    balancing: list[float]


def measure_pages() -> dict[str, str]:
    """Pages by name: the index, and one for each measure."""
    facts = [
        Facts(cls, row, _balancing(cls)) for cls, row in zip(CATALOGUE, axiom_table(), strict=True)
    ]
    lines = [TOP, *_summary(facts), "", "## Letters in the formulas", ""]
    lines += ["| | |", "|---|---|"]
    lines += [f"| `{sign}` | {escaped(meaning)} |" for sign, meaning in NOTATION.items()]
    lines += ["", "Sums over n go over all ranks of the list.", ""]
    for module, members in groupby(facts, key=lambda one: one.cls.__module__.rpartition(".")[2]):
        title, when = FAMILIES.get(module, (module.replace("_", " ").capitalize(), ""))
        lines += [f"## {title}", "", when, "", *toctree(one.cls.name for one in members)]
    pages = {one.cls.name: "\n".join(_page(one)) + "\n" for one in facts}
    return {"index": "\n".join(lines) + "\n", **pages}


def _balancing(cls: type[Measure]) -> list[float]:
    try:
        one = example_measure(cls, length=5, grades=2)
        return [balancing_index(one, length) for length in LENGTHS]
    except HungjuryError:  # E(X) is for whole pools, not for a list
        return []


def _summary(facts: list[Facts]) -> list[str]:
    heads = ["measure", "range", "Replacement", "Swap", *(f"B({n})" for n in LENGTHS)]
    rows = [f"| {' | '.join(heads)} |", "|---|---|---|---|" + "---:|" * len(LENGTHS)]
    for one in facts:
        cells = [
            f"[{one.cls.name}]({one.cls.name}.md)",
            _range(one.cls),
            *_verdicts(one.axioms),
            *([_rank(b) for b in one.balancing] or ["–"] * len(LENGTHS)),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _verdicts(row: AxiomRow) -> list[str]:
    if not row.reports:
        return ["–", "–"]
    return [row.verdict(axiom).status for axiom in ("replacement", "swap")]


def _rank(value: float) -> str:
    return "−∞" if math.isinf(value) else str(int(value))


def _range(cls: type[Measure]) -> str:
    def end(value: float) -> str:
        return ("−" if value < 0 else "") + "∞" if math.isinf(value) else f"{value:g}"

    return f"{end(cls.low)} to {end(cls.high)}"


def _page(one: Facts) -> list[str]:
    cls = one.cls
    lines = [
        f"# {cls.name}",
        "",
        sentences(cls).partition("\n\nFormula: ")[0],
        "",
        *raw(typeset(cls.formula)),
        "",
    ]
    how = {"mean": "mean", "sum": "sum", "gmean": "geometric mean"}
    told = [f"**Source:** {escaped(cls.paper)}.", f"**Range:** {_range(cls)}."]
    if isinstance(cls.average, str):  # E(X) is averaged as X is
        told.append(f"**Over topics:** {how[cls.average]}.")
    if cls.takes_probabilities:
        told.append("**Labels** may be probabilities.")
    if cls.has_variance:
        told.append("**Variance** is exact.")
    if cls.averages_ties:
        told.append('**Ties:** `ties="expected"` works.')
    lines += [" ".join(told), "", *parameter_table(cls), ""]
    if one.axioms.reports:
        replacement, swap = _verdicts(one.axioms)
        lines += [f"**Axioms** (`{one.axioms.measure}`): Replacement {replacement}, Swap {swap}."]
    if one.balancing:
        indices = zip(LENGTHS, one.balancing, strict=True)
        lines += [
            "**Balancing index:** " + ", ".join(f"B({n}) = {_rank(b)}" for n, b in indices) + "."
        ]
    lines += [
        "",
        f"Letters: [all measures](index.md#letters-in-the-formulas). `hj.m.{cls.name}` in Python.",
    ]
    return lines
