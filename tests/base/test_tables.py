"""The one table type: text, CSV, JSON, LaTeX, HTML and frames say the same."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base import results
from hungjury.base.errors import InputError
from hungjury.base.results import Joined, Marked, Table
from hungjury.base.text import json_text, tex
from hungjury.data.runs import read_runs
from hungjury.data.simulation import simulate
from hungjury.measures.scores import Scores
from hungjury.studies.claims import Claim, Quantity, claims_table
from hungjury.studies.data import Sources
from hungjury.studies.engines import Engine
from hungjury.studies.recipe import run_study

NAN, INF = float("nan"), float("inf")
TABLE = hj.Table(
    ["name", "a_b", "p"],
    [
        ["x & <y>", 0.123456789012345678, Marked(0.5, "*", bold=True)],
        ["z", None, Marked(1.0, "ab", raised=True)],
        ["w", NAN, Joined((0.25, 2.0))],
        ["v", 3, INF],
    ],
    digits=2,
    caption="Two & three",
)


class Cells(HTMLParser):
    """The texts of cells, row by row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def test_text_has_aligned_columns_and_marks() -> None:
    assert str(TABLE) == (
        "Two & three\n"
        "name      a_b          p\n"
        "x & <y>  0.12      0.50*\n"
        "z           -     1.00ab\n"
        "w           -  0.25/2.00\n"
        "v           3        inf"
    )


def test_csv_has_every_digit_and_no_marks() -> None:
    rows = list(csv.reader(io.StringIO(TABLE.to_csv())))
    assert rows == [
        ["name", "a_b", "p"],
        ["x & <y>", repr(0.123456789012345678), "0.5"],
        ["z", "", "1.0"],
        ["w", "nan", "0.25/2.0"],
        ["v", "3", "inf"],
    ]


def test_json_is_strict() -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    rows = json.loads(TABLE.to_json(), parse_constant=refuse)
    assert rows == TABLE.to_dicts()
    assert [row["a_b"] for row in rows] == [0.123456789012345678, None, None, 3]
    assert rows[3]["p"] is None
    nested = json.loads(json_text({"a": [1.0, NAN, (INF, {"b": -INF})]}), parse_constant=refuse)
    arrays = {"a": np.array([[1.0, NAN]]), "n": np.int64(3)}
    assert json.loads(json_text(arrays), parse_constant=refuse) == {"a": [[1.0, None]], "n": 3}
    assert nested == {"a": [1.0, None, [None, {"b": None}]]}


def test_latex_is_escaped() -> None:
    text = TABLE.to_latex()
    assert text.startswith(
        "\\begin{table}\n\\centering\n\\caption{Two \\& three}\n\\begin{tabular}{lrr}\n"
    )
    assert r"x \& $<$y$>$ & 0.12 & \textbf{0.50*} \\" in text
    assert r"z & - & 1.00\textsuperscript{ab} \\" in text
    assert r"name & a\_b & p \\" in text
    assert tex("1–3") == "1--3"
    # LaTeX's own fonts show < > | in text as other characters.
    assert tex("p < 0.05, a|b, > 2") == "p $<$ 0.05, a$|$b, $>$ 2"


def test_html_shows_what_text_shows_and_runs_nothing() -> None:
    text = TABLE.to_html()
    assert Cells(text).rows == [
        ["name", "a_b", "p"],
        ["x & <y>", "0.12", "0.50*"],
        ["z", "-", "1.00ab"],
        ["w", "-", "0.25/2.00"],
        ["v", "3", "inf"],
    ]
    assert "<y>" not in text
    assert "<strong>0.50*</strong>" in text
    assert "1.00<sup>ab</sup>" in text
    assert "<caption>Two &amp; three</caption>" in text
    assert TABLE._repr_html_() == text


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_frames(backend: str) -> None:
    pytest.importorskip(backend)
    found = Table(["s", "v"], [["a", Marked(0.5, "*")], ["b", 1.5]]).to_frame(backend)
    assert found["v"].to_list() == [0.5, 1.5]
    assert list(found.columns) == ["s", "v"]
    with pytest.raises(InputError, match="backend"):
        TABLE.to_frame("excel")


def test_rows_fit_their_headings() -> None:
    with pytest.raises(InputError, match="a row has 1 cells under 2 headings"):
        Table(["a", "b"], [["x"]])
    assert Table.of([{"a": 1, "b": 2}]).to_dicts() == [{"a": 1, "b": 2}]
    assert len(Table.of([])) == 0


def test_results_show_themselves_in_notebooks() -> None:
    made = simulate(3, 6, 60, 20, seed=1)
    scores = hj.evaluate(made.gold, made.runs, ["AP", "NumRelRet"])
    rows = Cells(scores._repr_html_()).rows
    assert rows[0] == ["system", "AP", "NumRelRet"]
    best = scores.best_first()
    assert [row[0] for row in rows[1:]] == [scores.systems[s] for s in best]
    assert rows[1][1] == f"{scores.mean()[0, best[0]]:.4f}"
    assert rows[1][2] == f"{scores.mean()[1, best[0]]:.0f}"

    found = hj.compare(scores)
    assert [row[1] for row in Cells(found._repr_html_()).rows[1:]] == found.systems
    against = hj.compare(scores, baseline="system1")
    assert "difference" in Cells(against._repr_html_()).rows[0]

    board = hj.leaderboard(made.judgments, made.runs, "AP", draws=100)
    rows = Cells(board._repr_html_()).rows
    assert [row[0] for row in rows[1:]] == board.systems
    assert rows[1][1] == f"{board.mean[0]:.3f}"
    assert "AP" in board._repr_html_().split("</caption>")[0]


def test_awares_csv_keeps_the_weights() -> None:
    made = simulate(3, 4, 60, 20, seed=2)
    found = hj.aware(made.judgments, made.runs, ["AP", "P@5"], weights="sgl_tau_msd", replicates=5)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    weights = {row["name"]: float(row["weight"]) for row in rows if row["kind"] == "judge"}
    means = {row["name"]: float(row["AP"]) for row in rows if row["kind"] == "system"}
    assert weights == dict(zip(found.judges, found.weights.mean(axis=1).tolist(), strict=True))
    assert means == dict(zip(found.systems, found.mean()[0].tolist(), strict=True))
    told = json.loads(found.to_json())
    assert told["weights"] == pytest.approx(weights)
    assert set(told["mean"]) == set(found.systems)
    cells = list(csv.DictReader(io.StringIO(found.to_csv(per_topic=True))))
    mine = [row for row in cells if row["measure"] == "weight"]
    assert len(mine) == found.weights.size
    assert float(mine[0]["value"]) == found.weights[0, 0]


def test_numbers_that_share_a_cell_have_columns_of_their_own_in_data() -> None:
    table = Table(
        ["g", "AP", "nDCG"],
        [
            ["(0.2, 0.8)", Joined((0.25, NAN), ("all", "few")), Joined((0.5, 1.0), ("all", "few"))],
            ["none", None, Joined((0.75, 0.125), ("all", "few"))],
        ],
        digits=2,
    )
    assert "0.25/-" in str(table)
    lines = table.to_csv().splitlines()
    assert lines[0] == "g,AP all,AP few,nDCG all,nDCG few"
    assert lines[1] == '"(0.2, 0.8)",0.25,nan,0.5,1.0'
    assert lines[2] == "none,,,0.75,0.125"
    assert table.to_dicts()[0] == {
        "g": "(0.2, 0.8)", "AP all": 0.25, "AP few": None, "nDCG all": 0.5, "nDCG few": 1.0,
    }  # fmt: skip


# The work that frames of many systems take grows with them, not with their square.


PACKAGE = str(Path(results.__file__).parents[1])
FEW, MANY = 8, 32
ROWS = 5


def instructions(work: Callable[[], Any]) -> int:
    """Instructions of Python that the package executes: the same on every machine."""
    counted = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal counted
        if PACKAGE not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        counted += event == "opcode"
        return trace

    work()  # what is imported and cached at first use does not count
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return counted


def runs_frame(systems: int) -> Any:
    pandas = pytest.importorskip("pandas")
    number = systems * ROWS
    return pandas.DataFrame(
        {
            "system": [f"s{i // ROWS}" for i in range(number)],
            "topic": ["1"] * number,
            "document": [f"d{i % ROWS}" for i in range(number)],
            "score": [float(-i) for i in range(number)],
        }
    )


def scores(systems: int) -> Scores:
    shape = (1, systems, ROWS)
    names = [f"s{i}" for i in range(systems)]
    return Scores(["AP"], names, list("12345"), np.zeros(shape), np.zeros(shape, np.uint8))


WORK: dict[str, Callable[[Any], Any]] = {
    "read_runs": read_runs,
    "to_frame": lambda found: found.to_frame(),
    "to_dict": lambda found: found.to_dict(),
    "to_csv": lambda found: found.to_csv(True, True),
}


@pytest.mark.parametrize("name", WORK)
def test_work_is_linear_in_systems(name: str) -> None:
    make = runs_frame if name == "read_runs" else scores
    few, many = (instructions(lambda n=n: WORK[name](make(n))) for n in (FEW, MANY))  # type: ignore[misc]
    assert FEW * ROWS < few < many < MANY / FEW * 1.1 * few


# LaTeX that is written compiles, with the packages of the smallest TeX there is.


DOCUMENT = r"""\documentclass{article}
\IfFileExists{booktabs.sty}{\usepackage{booktabs}}{
  \let\toprule\hline \let\midrule\hline \let\bottomrule\hline}
\begin{document}
%s
\end{document}
"""
MADE = hj.simulate(systems=3, topics=4, documents=30, depth=10, accuracies=[0.9, 0.7, 0.8], seed=2)
ODD = Table(
    ["measure", "λ-MART, ω² ± τ_ap", "a_b^c", "# & % $"],
    [
        ["[nDCG@10] “x” – — … it’s", 0.5, Marked(0.2, "*", bold=True, raised=True), None],
        ["~tilde ^hat back\\slash {braces} <>|", Joined((0.1, 0.2)), "", "é ü ß Å °"],
        ["- Σ ≤ Δ → α β ≥ × √ ≈", float("nan"), Marked("ab", "cd", raised=True), "x\ny"],
    ],
    caption="Kendall's τ & others: 5 % of {pools}",
)


def compiled(folder: Path, *parts: str) -> None:
    (folder / "page.tex").write_text(DOCUMENT % "\n\n".join(parts), encoding="utf-8")
    call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, errors="replace",
                          check=False)  # fmt: skip
    wrong = [line for line in done.stdout.splitlines() if line.startswith("!")]
    assert done.returncode == 0, wrong
    assert (folder / "page.pdf").stat().st_size > 0


def results() -> list[Any]:
    scores = hj.evaluate(MADE.gold, MADE.runs, ["nDCG@10", "eRAP(prob=[0.05, 0.95])", "P@5"])
    draws = 0.1 + 0 * MADE.gold.labels
    claim = Claim("A & B: τ_ap > 0", "A - B", Quantity(0.1, draws, "topics"), "RBP(p=0.8)")
    return [
        scores,
        hj.compare(scores),
        hj.leaderboard(MADE.judgments, MADE.runs, "nDCG@10", draws=100),
        claims_table([claim]),
    ]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_every_result_in_latex_compiles(tmp_path: Path) -> None:
    compiled(tmp_path, ODD.to_latex(), *(one.to_latex() for one in results()))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_tables_of_a_study_compile(tmp_path: Path) -> None:
    MADE.write(tmp_path / "data")
    sources = Sources.in_folder(tmp_path / "data")
    recipe = "crowd(measures=['AP'], tuples=2, resamples=20)"
    study = run_study(recipe, sources, tmp_path / "out", engine=Engine("local", 1))
    compiled(tmp_path, *(table.to_latex() for table in study.report.all_tables.values()))
