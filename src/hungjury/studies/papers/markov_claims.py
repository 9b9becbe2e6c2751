"""Printed numbers and claims of the thesis about Markov precision (TH 5.4.2 to 5.4.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from hungjury.base.records import Record
from hungjury.base.tables import Cell, Table
from hungjury.studies.claims import Claim, Quantity, least, mean_of_all, most, within
from hungjury.studies.data import Facts
from hungjury.studies.papers.label_sets import ClaimData
from hungjury.studies.papers.published import COMPARED as BESIDE
from hungjury.studies.papers.published import (
    PAGES,
    compared,
    misprints,
    printed_facts,
    recognised,
    table_5_2,
    table_5_3,
)
from hungjury.users.chain import MODELS

# What the thesis calls the measures of Tables 5.2 and 5.3, here with its parameters.
PRINTED_AS = {"AP": "AP", "P@10": "P@10", "Rprec": "Rprec", "bpref": "Bpref", "RBP": "RBP(p=0.8)"}
FEATURES = {"topics": "topics", "runs": "complete", "min relevant": "least",
            "mean relevant": "mean", "max relevant": "most"}  # of Table 5.1  # fmt: skip
HEADER = ("collection", "", "with", *BESIDE, "misprint")


class Measured(Record, eq=False):
    """The findings about a set of labels: its facts, and Kendall's tau by the labels of the two
    measures."""

    title: str
    facts: Facts
    tau: Mapping[tuple[str, str], float]

    @property
    def collection(self) -> str | None:
        """Its name in the thesis, where it is one of its collections."""
        return recognised(self.facts)


def published_tables(measured: Sequence[Measured]) -> tuple[dict[str, Table], list[str]]:
    """Tables 5.1 to 5.3 with the printed numbers, their misprints, and a remark for each of the
    thesis' collections; nothing where there is none."""
    known = [(one, one.collection) for one in measured]
    mine = [(one, name) for one, name in known if name is not None]
    if not mine:
        return {}, []
    facts: list[list[Cell]] = [
        [name, feature, "", *compared(float(getattr(one.facts, field)), printed), ""]
        for one, name in mine
        for (feature, field), printed in zip(FEATURES.items(), printed_facts()[name], strict=True)
    ]
    tables = {"table-5.1-published": _beside("5.1", "main features", facts, digits=2)}
    for number, title, printed_table, before in (
        ("5.2", "Kendall's tau of AP with the others", table_5_2, ""),
        ("5.3", "Kendall's tau of Markov precision with the others", table_5_3, "MP "),
    ):
        rows: list[list[Cell]] = [
            [name, before + row, column,
             *compared(one.tau.get((before + row, PRINTED_AS[column])), cell.value), cell.misprint]
            for one, name in mine
            for (row, column), cell in printed_table(name).items()
        ]  # fmt: skip
        tables[f"table-{number}-published"] = _beside(number, title, rows)
    tables["misprints"] = _misprints([name for _, name in mine])
    return tables, [
        f"{one.title} is {name} of the thesis, by its numbers of topics, runs and relevant "
        f"documents (Table 5.1, p. {PAGES['5.1']}). Tables with 'published' contain the printed "
        "numbers. Figures 5.5 and 5.6 are printed without numbers."
        for one, name in mine
    ]


def _beside(number: str, title: str, rows: Sequence[Sequence[Cell]], digits: int = 4) -> Table:
    caption = f"Table {number} beside the thesis, p. {PAGES[number]}: {title}"
    return Table(HEADER, rows, digits, caption=caption)


def _misprints(collections: Sequence[str]) -> Table:
    rows: list[list[Cell]] = [
        [one.table, one.collection, one.row, "" if one.columns == "all" else one.columns, one.wrong,
         one.evidence]
        for one in misprints()
        if one.collection in collections
    ]  # fmt: skip
    header = ["table", "collection", "row", "columns", "wrong", "evidence"]
    return Table(header, rows, caption="Misprints in the thesis' tables")


AP, P10, RPREC, BPREF, RBP = COMPARED = ("AP", "P@10", "Rprec", "Bpref", "RBP(p=0.8)")
HIGH, VERY_HIGH, LOWEST = 0.9, 0.97, 0.7  # of tau, in the text
WALKS = tuple(model for model in MODELS if model != "constant")
WITH_RECALL = "@Rec(T)"
SMALL, MIDDLE = 0.1, 0.3  # shares of the pool
ALIKE, LEVEL = 0.05, 0.1  # differences of tau, and of shares of a score, that count as none
TOPICS, POOLS = "topics", "topics, pools"


def markov_claims(found: ClaimData) -> list[Claim]:
    """All claims that the study's measures and rates allow."""
    if not set(COMPARED) <= set(found.place):
        return []
    claims = _of_correlation(found)
    if {0.5, MIDDLE, SMALL} <= set(found.rates):
        claims += _of_scores(found) + _of_robustness(found)
    return claims


def models(*, recall: bool = False, start: str = "", end: str = "") -> list[str]:
    """Labels of the models whose name begins and ends so."""
    suffix = WITH_RECALL if recall else ""
    return [f"MP {one}{suffix}" for one in WALKS if one.startswith(start) and one.endswith(end)]


def _of_correlation(found: ClaimData) -> list[Claim]:
    tau, claim = found.tau, partial(found.claim, TOPICS)

    def mean(other: str, recall: bool = False) -> Quantity:
        return mean_of_all(tau(one, other) for one in models(recall=recall))

    def gain(other: str) -> Quantity:
        """The gain by recall, mean over models."""
        return mean(other, recall=True) - mean(other)

    near = [tau(AP, RPREC), tau(AP, BPREF)]
    almost = [tau(f"MP {one}{WITH_RECALL}", AP) for one in ("GL_AD_LID", "LO_AD_ID")]
    return [
        claim("tau of AP with Rprec and bpref is high, above 0.9", "the lesser - 0.9",
              least(*near) - HIGH),
        claim("AP is nearer to Rprec and bpref than to P@10 and RBP",
              "the lesser of the former - the larger of the latter",
              least(*near) - most(tau(AP, P10), tau(AP, RBP))),
        claim("MP tends not to have high correlations, above 0.9, with the other measures",
              "0.9 - mean over models and measures", HIGH - mean_of_all(map(mean, COMPARED))),
        claim("tau of MP with AP, P@10 and Rprec never drops below 0.70", "the least - 0.7",
              least(*(tau(one, other) for one in models() for other in (AP, P10, RPREC)))
              - LOWEST),
        claim("MP is nearer to P@10 than to Rprec and AP",
              "means over models: P@10 - the larger of both",
              mean(P10) - most(mean(RPREC), mean(AP))),
        claim("tau of MP with RBP is lower than with bpref", "means over models: bpref - RBP",
              mean(BPREF) - mean(RBP)),
        claim("Recall brings MP nearer to AP", "mean gain over models", gain(AP)),
        claim("With recall GL_AD_LID and LO_AD_ID are almost AP, above 0.97", "the lesser - 0.97",
              least(*almost) - VERY_HIGH),
        claim("Recall brings MP nearer to Rprec and bpref", "the lesser of the mean gains",
              least(gain(RPREC), gain(BPREF))),
        claim("Recall takes MP away from RBP", "mean loss over models", 0 - gain(RBP)),
    ]  # fmt: skip


def _of_scores(found: ClaimData) -> list[Claim]:
    def claim(text: str, measured: str, quantity: Quantity) -> Claim:
        return found.claim(POOLS, text, f"10 %: {measured}", quantity)

    def kept(*names: str) -> list[Quantity]:
        return [found.kept(name, SMALL) for name in names]

    walks = mean_of_all(kept(*models()))
    alike = kept(AP, RPREC)
    return [
        claim("Scores of MP fall with the pool as those of AP and Rprec do",
              "0.1 - difference of the shares kept, means over models and over both",
              within(walks - mean_of_all(alike), LEVEL)),
        claim("Those of P@10 and RBP fall more",
              "shares kept: the least of MP, AP and Rprec - the larger of both",
              least(walks, *alike) - most(*kept(P10, RBP))),
        claim("That of bpref stays", "0.1 - what it changes by",
              within(found.kept(BPREF, SMALL) - 1, LEVEL)),
    ]  # fmt: skip


def _of_robustness(found: ClaimData) -> list[Claim]:
    def claim(text: str, rate: float, measured: str, quantity: Quantity) -> Claim:
        return found.claim(POOLS, text, f"{100 * rate:.0f} %: {measured}", quantity)

    def mean(names: Iterable[str], rate: float) -> Quantity:
        return mean_of_all(found.robust(name, rate) for name in names)

    def of(start: str, end: str = "") -> Quantity:
        return mean(models(start=start, end=end), MIDDLE)

    recalled = mean(models(recall=True, start="GL"), SMALL)
    others = [AP, P10, RPREC, RBP, *models(), *models(recall=True)]
    bpref, ap = found.robust(BPREF, SMALL), found.robust(AP, SMALL)
    return [
        claim("Bpref is the most robust", SMALL, "bpref - the best other",
              bpref - most(*(found.robust(name, SMALL) for name in others))),
        *(claim("Global models are as robust as AP", rate, "mean over models - AP + 0.05",
                mean(models(start="GL"), rate) - found.robust(AP, rate) + ALIKE)
          for rate in (0.5, SMALL)),
        claim("Recall makes global models more robust", SMALL, "mean gain over models",
              recalled - mean(models(start="GL"), SMALL)),
        claim("With recall global models are more robust than AP", SMALL, "mean over models - AP",
              recalled - ap),
        claim("With recall global models are nearly as robust as bpref", SMALL,
              "mean over models - bpref + 0.05", recalled - bpref + ALIKE),
        claim("OR is a little more robust than AD", MIDDLE, "global models, means: OR - AD",
              of("GL_OR") - of("GL_AD")),
        claim("LID is more robust than ID", MIDDLE, "global models, means: LID - ID",
              of("GL", "_LID") - of("GL", "_ID")),
        claim("Local models are like global ones for AD", MIDDLE, "0.05 - difference of means",
              within(of("LO_AD") - of("GL_AD"), ALIKE)),
        claim("Local models are less robust than global ones for OR", MIDDLE, "means: GL - LO",
              of("GL_OR") - of("LO_OR")),
    ]  # fmt: skip
