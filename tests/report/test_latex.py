"""LaTeX that is written compiles, with the packages of the smallest TeX there is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import hungjury as hj
from hungjury.base.tables import Joined, Marked, Table
from hungjury.studies.claims import Claim, Quantity, claims_table
from hungjury.studies.data import Sources
from hungjury.studies.engines import Engine
from hungjury.studies.study import run_study

pytestmark = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="pdflatex is not installed"
)
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
    claim = Claim("A & B: τ_ap > 0", "RBP(p=0.8)", "A - B", Quantity(0.1, 0.1 + 0 * MADE.gold.labels
                  ), "topics")  # fmt: skip
    return [
        scores,
        hj.compare(scores),
        hj.leaderboard(MADE.judgments, MADE.runs, "nDCG@10", draws=100),
        claims_table([claim]),
    ]


def test_every_result_in_latex_compiles(tmp_path: Path) -> None:
    compiled(tmp_path, ODD.to_latex(), *(one.to_latex() for one in results()))


def test_tables_of_a_study_compile(tmp_path: Path) -> None:
    MADE.write(tmp_path / "data")
    sources = Sources.in_folder(tmp_path / "data")
    recipe = "crowd(measures=['AP'], tuples=2, resamples=20)"
    study = run_study(recipe, sources, tmp_path / "out", engine=Engine("local", 1))
    compiled(tmp_path, *(table.to_latex() for table in study.report.all_tables))
