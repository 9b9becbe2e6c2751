"""docs/papers.md: every function, measure and command that it names exists, and every table,
figure, algorithm and definition of the papers has a line.
"""

from __future__ import annotations

import importlib
import itertools
import math
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import hungjury as hj
from builders.paths import DOCS
from hungjury.cli.main import hungjury as command

PAGE = DOCS / "papers.md"
PAPERS = {
    "Random relevance measures": "random-relevance-measures",
    "Stochastic relevance for crowdsourcing": "stochastic-relevance-for-crowdsourcing",
    "Predicted relevance model": "predicted-relevance-model",
    "Extended graded average precision": "extended-graded-average-precision",
    "User signals and stochastic models": "user-signals-and-stochastic-models-thesis",
}
KINDS = ("Table", "Figure", "Algorithm", "Definition", "Theorem")


def parts() -> dict[str, str]:
    """The page's text below each paper's heading."""
    found = {}
    for block in PAGE.read_text().split("\n## ")[1:]:
        heading, _, text = block.partition("\n")
        found[heading.partition(" (")[0]] = text
    return found


def rows() -> list[tuple[str, str, str]]:
    found = []
    for name in PAPERS:
        for line in parts()[name].splitlines():
            if line.startswith("| ") and "on the command line" not in line:
                cells = re.split(r"(?<!\\)\|", line.strip("|"))
                assert len(cells) == 3, line
                found.append(tuple(cell.strip() for cell in cells))
    return found


def spans(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def resolved(path: str) -> Any:
    """What a dotted name below hj is; modules are imported on the way."""
    found: Any = hj
    place = "hungjury"
    for name in path.split(".")[1:]:
        place += f".{name}"
        if not hasattr(found, name):
            importlib.import_module(place)
        found = getattr(found, name)
    return found


def check_python(span: str) -> None:
    if span.startswith("hj."):
        resolved(span)
    elif re.fullmatch("[a-z_]+", span):  # an argument of a function of the same cell
        pass
    else:
        assert str(hj.measure(span))


def check_command(span: str) -> None:
    words = span.split()
    assert words[0] == "hungjury"
    found: click.Command = command
    context = click.Context(command)
    for before, word in pairwise(words):
        if word.startswith("-"):
            known = {flag for option in found.params for flag in option.opts}
            assert word in known, f"{span}: no option {word}"
        elif isinstance(found, click.Group):
            below = found.get_command(context, word)
            assert below is not None, f"no command {span}"
            found = below
        else:
            assert before.startswith("-"), f"{span}: {word} is not the value of an option"


def test_every_function_and_measure_exists() -> None:
    seen = [(span, row) for row in rows() for span in spans(row[1])]
    assert len(seen) > 80
    for span, _ in seen:
        check_python(span)


def test_every_command_exists() -> None:
    seen = [span for row in rows() for span in spans(row[2])]
    assert len(seen) > 50
    for span in seen:
        check_command(span)


def test_arguments_are_those_of_their_functions() -> None:
    import inspect

    for row in rows():
        names = [s for s in spans(row[1]) if re.fullmatch("[a-z_]+", s)]
        for name in names:
            (function,) = [s for s in spans(row[1]) if s.startswith("hj.")]
            assert name in inspect.signature(resolved(function)).parameters


def test_every_row_names_something() -> None:
    for row in rows():
        assert spans(row[1]), row


@pytest.mark.parametrize("check", [check_python, check_command])
def test_the_checks_can_fail(check: Any) -> None:
    for wrong in ("hj.nonsense", "nDCC@10", "hungjury evaluat", "hungjury merge --methods"):
        with pytest.raises((AssertionError, ImportError, ValueError, hj.HungjuryError)):
            check(wrong)


def covered(text: str) -> set[tuple[str, str]]:
    """Numbers that a text names, as in "Tables 4.1 and 4.2" and "Figures 4.4 to 4.7"."""
    found = set()
    number = r"\d+(?:\.\d+)?"
    for kind in KINDS:
        for listed in re.findall(rf"{kind}s? ({number}(?:(?:, | and | to ){number})*)", text):
            parts = re.split(r"(, | and | to )", listed)
            numbers = parts[::2]
            found |= {(kind, n) for n in numbers}
            for i, joint in enumerate(parts[1::2]):
                if joint == " to ":
                    low, high = numbers[i], numbers[i + 1]
                    chapter = low.rpartition(".")[0]
                    ends = (int(n.rpartition(".")[2]) for n in (low, high))
                    a, b = ends
                    found |= {
                        (kind, f"{chapter}.{n}" if chapter else str(n)) for n in range(a, b + 1)
                    }
    return found


@pytest.mark.parametrize("name", PAPERS)
def test_nothing_of_a_paper_is_left_out(name: str, shared_data: Path) -> None:
    path = shared_data.parent / "papers" / f"{PAPERS[name]}.txt"
    if not path.exists():
        pytest.skip(f"no text of the paper at {path}")
    caption = r"^\**(Table|Figure|Fig\.|Algorithm|Definition|Theorem) (\d+(?:\.\d+)?)"
    printed = {
        ("Figure" if kind == "Fig." else kind, number)
        for kind, number in re.findall(caption, path.read_text(), re.MULTILINE)
    }
    if name.startswith("User"):
        assert len(printed) > 40
    missing = printed - covered(parts()[name])
    assert not missing, sorted(missing)


def equations(text: str) -> set[str]:
    """Numbers of equations that a text names, as in "(4.28) to (4.31)" and "(1) eRRBP"."""
    number = r"\((?:\d\.)?\d{1,2}\)"
    found = {name.strip("()") for name in re.findall(number, text)}
    for low, high in re.findall(rf"({number}) to ({number})", text):
        chapter, _, first = low.strip("()").rpartition(".")
        last = high.strip("()").rpartition(".")[2]
        every = range(int(first), int(last) + 1)
        found |= {f"{chapter}.{n}" if chapter else str(n) for n in every}
    return found


@pytest.mark.parametrize("name", PAPERS)
def test_no_numbered_equation_is_left_out(name: str, shared_data: Path) -> None:
    path = shared_data.parent / "papers" / f"{PAPERS[name]}.txt"
    if not path.exists():
        pytest.skip(f"no text of the paper at {path}")
    printed = set(re.findall(r"\\quad \(((?:\d\.)?\d{1,2})\)", path.read_text()))
    expected = {"Random": 2, "Stochastic": 0, "Predicted": 1, "Extended": 7, "User": 50}
    assert len(printed) == expected[name.partition(" ")[0]]
    rows_alone = "\n".join(line for line in parts()[name].splitlines() if line.startswith("|"))
    missing = printed - equations(rows_alone)
    assert not missing, sorted(missing)


# evidence for misprints that can be computed


def test_misprints_of_definitions() -> None:
    # (2.1) as printed, of (1, 1): precisions are 1 and 1 + 1/2.
    assert (1 + (1 + 1 / 2)) / 2 == 1.25
    assert hj.score_list("AP", [1, 1]) == 1
    # 3.4: before the recall base.
    assert hj.score_list("AP", [0, 1, 1, 0, 1]) * 3 == pytest.approx(53 / 30)
    assert hj.score_list("AP", [1, 0, 0, 1, 0]) * 2 == pytest.approx(3 / 2)
    assert hj.theory.compare_lists([0, 1, 1, 2, 2], [2, 0, 1, 2, 1]).relation == "less"
    assert hj.theory.balancing_index("RBP(p=0.8)", 10) == 6
    # 5.3.2: with (1/N) in the place of (1/RR) this would be 0.3.
    relevant = [1, 0, 1, 0, 0]
    constant = hj.score_list("MP(model=constant)", relevant)
    assert constant == pytest.approx((1 + 2 / 3) / 2)
    assert hj.score_list("MP(model=constant, rec=True)", relevant) == hj.score_list("AP", relevant)


def test_misprints_in_proofs_of_chapter_3() -> None:
    def above(grades: tuple[int, ...], k: int, p: int) -> int:
        return sum(grade >= p for grade in grades[:k])

    before, after, i, j = (0, 1, 0, 2, 3), (2, 1, 0, 0, 3), 1, 4  # ranks that change places
    for k, p in itertools.product(range(i, j), range(1, 5)):
        more = before[i - 1] < p <= before[j - 1]
        assert (above(before, k, p) < above(after, k, p)) == more
        assert (above(before, k, p) == above(after, k, p)) == (not more)

    def d(i: int, *x: Fraction) -> Fraction:
        """D of section 3.4.1, with the first variable at rank i + 1."""
        value, left = Fraction(1, i), Fraction(1)
        for n, one in enumerate(x, i + 1):
            value, left = value - left * one / n, left * (1 - one)
        return value - left / (i + len(x) + 1)

    zero = Fraction(0)
    assert d(1, zero, zero) - d(1, zero) == Fraction(1, 12)
    x = [Fraction(1, 3), Fraction(2, 5), Fraction(1, 7)]
    for i in (1, 2, 5):
        left = math.prod(1 - one for one in x)
        assert d(i, *x) - d(i, *x[:-1]) == left / ((i + 3) * (i + 4))


def test_the_example_of_chapter_4_has_nine_relevant_documents() -> None:
    for place, printed in ((5, 0.1407), (4, 0.1463), (3, 0.1556), (2, 0.1741), (1, 0.2296)):
        ranks = [place, 6, 9, 10]
        precisions = [(i + 1) / rank for i, rank in enumerate(ranks)]
        assert sum(precisions) / 9 == pytest.approx(printed, abs=5e-5)


def test_rows_of_the_crowd_paper_s_table_2(shared_data: Path) -> None:
    """AWARE and BINMV by DCG are the same numbers; only the first BINMV row has them."""
    path = shared_data.parent / "papers" / "stochastic-relevance-for-crowdsourcing.txt"
    if not path.exists():
        pytest.skip(f"no text of the paper at {path}")
    lines = [line.split("\t")[1:] for line in path.read_text().splitlines() if "\t" in line]
    aware = [cells[1:] for cells in lines if cells[0] == "AWARE DCG"]
    binmv = [cells[1:] for cells in lines if cells[0] == "BINMV eRDCG"]
    assert (len(aware), len(binmv)) == (2, 4)
    assert aware == binmv[::2]
    assert not set(map(tuple, aware)) & set(map(tuple, binmv[1::2]))


def test_backward_moves_of_the_yandex_sample(shared_data: Path) -> None:
    pytest.importorskip("ibis", reason="counting clicks needs ibis (extra 'clicks')")
    (log,) = (shared_data / "clicks-yandex").glob("*.gz")
    (users,) = hj.calibrate(str(log)).classes
    moves = np.array(users.moves)
    backward, same, every = np.tril(moves, -1).sum(), np.trace(moves), moves.sum()
    text = " ".join(PAGE.read_text().split())
    assert f"{100 * backward / every:.1f} % of {every:,} moves; {same:,} of these repeat" in text
    assert f"of the others {100 * backward / (every - same):.1f} % are backward" in text
