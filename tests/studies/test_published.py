"""Numbers that the papers print, as in the papers' text, and their misprints."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hungjury.studies.published import (
    graded_facts,
    graded_tau,
    panels,
    printed_facts,
    table_5_2,
    table_5_3,
    table_5_4,
)
from hungjury.studies.published.measures import COLLECTIONS as RELEVANCE
from hungjury.studies.published.measures import POWER
from hungjury.studies.published.misprints import MISPRINTS
from hungjury.studies.published.thesis import COLUMNS, PAGES

COLLECTIONS = ("TREC 7", "TREC 8", "TREC 10", "TREC 14")


@pytest.fixture(scope="module")
def thesis(shared_data: Path) -> list[str]:
    path = shared_data.parent / "papers" / "user-signals-and-stochastic-models-thesis.txt"
    if not path.exists():
        pytest.skip(f"no text of the thesis at {path}")
    return path.read_text().splitlines()


def rows_below(lines: list[str], caption: str, number: int) -> list[list[str]]:
    """The cells of the lines after a caption."""
    place = next(i for i, line in enumerate(lines) if line.startswith(caption))
    return [line.split("\t") for line in lines[place : place + number] if "\t" in line]


# as in print


def test_tables_5_1_and_5_2_are_the_thesis_s(thesis: list[str]) -> None:
    for name, *cells in rows_below(thesis, "Table 5.1 Main", 8)[1:]:
        assert printed_facts()[name] == tuple(map(float, cells))
    for name, *cells in rows_below(thesis, "Table 5.2 Kendall", 8)[1:]:
        mine = table_5_2(name)
        for column, cell in zip(COLUMNS, cells, strict=True):
            found = mine["AP", column]
            assert float(cell.rstrip("*")) == found.value
            assert cell.endswith("*") == bool(found.marks)


def test_table_5_3_is_the_thesis_s(thesis: list[str]) -> None:
    seen = 0
    pair: tuple[str, str] = ("", "")
    rows: list[str] = []
    for name, *cells in rows_below(thesis, "Table 5.3 Kendall", 46):
        if not name:
            found = re.findall(r"TREC \d+", "\t".join(cells))
            pair, rows = (found[0], found[1]) if found else pair, []
            continue
        model = name.removeprefix("MP ")
        if model in rows:
            model = model.replace("_ID", "_LID")
        rows.append(model)
        for column, cell in enumerate(cells):
            printed = table_5_3(pair[column // 5])[model, COLUMNS[column % 5]]
            assert f"{printed.value:.4f}{printed.marks}" == cell
            seen += 1
    assert seen == 2 * 16 * 10


def test_table_5_4_and_the_pages_are_the_thesis_s(thesis: list[str]) -> None:
    for name, *cells in rows_below(thesis, "Table 5.4 Estimated", 8)[1:]:
        assert table_5_4()[re.sub("[(),]", "", name)] == tuple(map(float, cells[-2:]))
    listed = thesis[thesis.index("# List of tables") :]
    for number, page in PAGES.items():
        line = next(row for row in listed if row.startswith(f"{number}\t"))
        assert line.endswith(f"\t{page}")


def test_tables_of_graded_average_precision_are_the_paper_s(shared_data: Path) -> None:
    path = shared_data.parent / "papers" / "extended-graded-average-precision.txt"
    if not path.exists():
        pytest.skip(f"no text of the paper at {path}")
    lines = path.read_text().splitlines()
    features = {name: values for name, *values in rows_below(lines, "Table 1. Main", 16)}
    assert features["Feature"] == list(graded_facts())
    for i, facts in enumerate(graded_facts().values()):
        names = ("# Topics (few highly rel/key)", "# Runs (above 1Q in terms of MAP)",
                 "Relevance Degrees", "Minimum # Relevant", "Average # Relevant",
                 "Maximum # Relevant")  # fmt: skip
        assert facts == tuple(float(features[n][i].partition(" ")[0]) for n in names)
    seen = 0
    for caption, number, collections in (
        ("Table 2. Kendall", 50, ("TREC 10", "TREC 14")), ("Table 3. Kendall", 100, ("TREC 21",)),
    ):  # fmt: skip
        g: tuple[float, ...] = ()
        for name, *cells in rows_below(lines, caption, number):
            if name.startswith(("(0", "(1")):
                g = tuple(map(float, name.strip("()").split(",")))
            elif name.endswith("GAP"):
                for column, cell in enumerate(cells):
                    mine = graded_tau(collections[column // 5])
                    other = ("GAP", "AP", "nDCG", "RBP", "bpref")[column % 5]
                    assert mine[g, name, other] == tuple(map(float, cell.split("/")))
                    seen += 1
    assert seen == 5 * (2 * 11 * 3 + 21 * 3)


def test_tables_of_crowd_judges_are_the_paper_s(shared_data: Path) -> None:
    path = shared_data.parent / "papers" / "stochastic-relevance-for-crowdsourcing.txt"
    if not path.exists():
        pytest.skip(f"no text of the paper at {path}")
    lines = path.read_text().splitlines()
    mine = {tuple(row[:3]): row[3:] for row in map(str.split, panels.TABLE_1.strip().splitlines())}
    seen = 0
    for gold, measure, *cells in (r for r in rows_below(lines, "Table 1.", 14) if r[0]):
        for systems, both in (("T08", cells[:2]), ("T13", cells[2:])):
            numbers = [n for cell in both for n in cell.split(r" \pm ")]
            assert mine[systems, gold, measure] == numbers
            seen += 1
    assert seen == len(mine) == 18
    printed = [r for r in rows_below(lines, "Table 2.", 51) if len(r) == 9 and r[1]]
    stored = [row.split() for row in panels.TABLE_2.strip().splitlines()]
    assert len(stored) == len(printed) == 42
    for theirs, (_, _, merge, measure, *values) in zip(printed, stored, strict=True):
        assert theirs[1:] == [f"{merge} {measure}", *values]
    assert [row[1] for row in stored] == (["DGS"] * 5 + ["RGS"] * 2) * 6


def test_tables_4_1_to_4_4_are_the_thesis_s(thesis: list[str]) -> None:
    listed = thesis[thesis.index("# List of tables") :]
    for number, text in panels.ANOVA.items():
        mine = [row.split() for row in text.strip().splitlines()]
        theirs = [
            row for row in rows_below(thesis, f"Table {number} ANOVA", 16) if row[0][:1] == "<"
        ]
        assert len(mine) == len(theirs)
        for (source, *cells), (name, *printed) in zip(mine, theirs, strict=True):
            assert source.replace("_", " ").rstrip("s") == name[3:-4].rstrip("s")
            plain = [cell.replace(",", "").replace(" ", "") or "-" for cell in printed]
            assert cells == plain[: len(cells)]
            assert set(plain[len(cells) :]) <= {"-"}
        sums = {source: float(cells[0]) for source, *cells in mine}
        assert sum(sums.values()) - sums["Total"] == pytest.approx(sums["Total"], abs=6e-4)
        line = next(row for row in listed if row.startswith(f"{number}\t"))
        assert line.endswith(f"\t{panels.PAGES[number]}")


def test_power_is_that_of_the_paper_on_random_relevance(shared_data: Path) -> None:
    """Section 4.2: name (DP = 75.44% on T14 and DP = 66.10% on T21)."""
    path = shared_data.parent / "papers" / "random-relevance-measures.txt"
    if not path.exists():
        pytest.skip(f"no text of the paper at {path}")
    (text,) = [line for line in path.read_text().splitlines() if "DP = 75.44%" in line]
    number = r"([\d.]+)%(?:–([\d.]+)%)?"
    said = re.findall(rf"(\w+)(?: case)? \(DP = {number} on T14 and DP = {number} on T21\)", text)
    printed = {}
    for name, *numbers in said:
        key = ("eRAP-2", name) if name in ("medium", "lenient") else (name, "")
        low_14, high_14, low_21, high_21 = numbers
        ends = [("least", low_14, low_21), ("largest", high_14, high_21)] if high_14 else []
        for which, *both in ends or [("", low_14, low_21)]:
            case = "all" if which else key[1]
            printed[key[0], case, which] = tuple(map(float, both))
    mine = {}
    for line in POWER.strip().splitlines():
        *words, first, second = line.split()
        name, case, which = ("" if word == "-" else word for word in words)
        mine[name, case, which] = (float(first), float(second))
    assert mine == printed
    assert len(mine) == 13
    section = path.read_text()
    assert "50 topics" in section
    for name, runs, documents in (("T14", 58, "1,000"), ("T21", 27, "10,000")):
        assert f"{runs} runs were submitted, retrieving {documents} documents" in section
        topics, numbers, _, length = RELEVANCE[name]
        assert (topics, numbers, f"{length:,}") == (50, runs, documents)


# misprints


def test_cells_that_repeat_their_neighbours_are_listed() -> None:
    """Exactly equal neighbours, in rows that are printed once."""
    listed = {(m.collection, m.row) for m in MISPRINTS}
    found = set()
    for collection in COLLECTIONS:
        cells = table_5_3(collection)
        for model in dict.fromkeys(row for row, _ in cells):
            values = [cells[model, column].value for column in COLUMNS]
            if any(a == b for a, b in pairwise(values)):
                found.add((collection, model))
    # TREC 7's LO_AD models have 0.7706 with P@10 and with Rprec, as likely as 0.77 and 0.77 are.
    possible = {("TREC 7", "LO_AD_ID"), ("TREC 7", "LO_AD_LID")}
    assert found - possible == listed - {("TREC 10", "GL_OR_ID@Rec(T)")}


def test_the_evidence_for_misprints() -> None:
    seven, ten, fourteen = (table_5_3(name) for name in ("TREC 7", "TREC 10", "TREC 14"))
    row = "GL_OR_ID@Rec(T)"
    assert [ten[row, c].value for c in COLUMNS] == [seven[row, c].value for c in COLUMNS]

    def others(cells: Any, inside: str, but: set[str]) -> list[float]:
        rows = {r for r, _ in cells if re.search(inside, r)} - but
        return [cells[r, "RBP"].value for r in rows]

    for cells, inside, but, low, high, wrong in (
        (seven, r"_OR_L?ID$", {"GL_OR_ID"}, 0.785, 0.845, 0.7689),
        (ten, "Rec", {"GL_AD_ID@Rec(T)", row}, 0.715, 0.765, 0.8771),
        (fourteen, "Rec", {"GL_AD_LID@Rec(T)"}, 0.705, 0.745, 0.8397),
    ):
        values = others(cells, inside, but)
        assert low < min(values) <= max(values) < high
        assert not low < wrong < high
