"""Cells of printed tables that are wrong or look wrong, and why.

docs/papers.md lists what else was found wrong in the papers, with the evidence.
"""

from __future__ import annotations

from hungjury.base.records import Record

__all__ = ["MISPRINTS", "Misprint", "misprint_of"]


class Misprint(Record):
    """Some cells of a row, what is wrong with them, and how that is known. No columns: all."""

    table: str
    collection: str
    row: str
    columns: tuple[str, ...]
    wrong: str
    evidence: str


SHIFTED = "shifted one column to the right"
REPEATED = "repeats its neighbour"

MISPRINTS = (
    Misprint(
        "5.3", "TREC 8", "LO_OR_ID@Rec(T)", ("P@10", "Rprec", "bpref", "RBP"), SHIFTED,
        "0.9195 is printed under AP and P@10; read one column to the left, the other values are "
        "those that are measured, and the value of RBP is lost",
    ),
    Misprint(
        "5.3", "TREC 10", "GL_OR_ID@Rec(T)", (), "the row of TREC 7",
        "all five values are those of TREC 7's GL_OR_ID@Rec(T)",
    ),
    Misprint(
        "5.3", "TREC 7", "GL_OR_ID", ("RBP",), REPEATED,
        "0.7689 is printed under bpref and RBP; the other models on relevant documents only have "
        "0.79 to 0.84 with RBP",
    ),
    Misprint(
        "5.3", "TREC 10", "GL_AD_ID@Rec(T)", ("RBP",), REPEATED,
        "0.8771 is printed under bpref and RBP; the other models with recall have 0.72 to 0.76 "
        "with RBP",
    ),
    Misprint(
        "5.3", "TREC 14", "GL_AD_LID@Rec(T)", ("RBP",), REPEATED,
        "0.8397 is printed under bpref and RBP; the other models with recall have 0.71 to 0.74 "
        "with RBP",
    ),
)  # fmt: skip


def misprint_of(table: str, collection: str, row: str, column: str) -> str:
    """What is wrong with a cell, or nothing."""
    return next(
        (
            one.wrong
            for one in MISPRINTS
            if (one.table, one.collection, one.row) == (table, collection, row)
            and (not one.columns or column in one.columns)
        ),
        "",
    )
