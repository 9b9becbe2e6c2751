"""Statistics beside other libraries: correcting a panel with gold labels, and testing pairs."""

from __future__ import annotations

from pathlib import Path

from benchmarks.generated import Shape, collection, panel
from benchmarks.peers import script, threads
from benchmarks.suite import Contender, Faster, Results, Setting, Suite, Table

GOLD, PPI = "hungjury, 200 gold labels", "ppi_py, 200 gold labels"
RANDOMISED, RANX, PERMUTED = (
    "hungjury randomisation", "ranx randomisation", "scipy permutation_test",
)  # fmt: skip
BOOTSTRAP, SCIPY = "hungjury bootstrap", "scipy bootstrap"


def contenders(setting: Setting) -> list[Contender]:
    shape = Shape(
        runs=setting.scaled(83, 6), topics=setting.scaled(54, 10), depth=100, judged=200,
        relevant=40,
    )  # fmt: skip
    files = collection(shape, setting.folder)
    judges = str(Path(panel(files, 5)[0]).parent)
    samples = "5" if setting.quick else "30"
    given = (files.qrels, judges, samples, *files.runs)
    few = (files.qrels, *files.runs[:20])

    def one(name: str, package: str, command: list[str], note: str) -> Contender:
        kept = {"NUMBA_CACHE_DIR": str(setting.folder / "numba")}
        return Contender(name, command, package, note, {**kept, **threads(1)}, most=3)

    return [
        one(GOLD, "hungjury", script("with_gold.py", "hungjury", *given),
            "a whole leaderboard of 83 systems, 200 draws"),
        one(PPI, "ppi_py", script("with_gold.py", "ppi", *given), "means of 83 systems"),
        one(RANDOMISED, "hungjury", script("with_tests.py", "hungjury", "randomisation", *few),
            "190 pairs, 1000 samples"),
        one(RANX, "ranx", script("with_tests.py", "ranx", "randomisation", *few),
            "each pair once, compiled before"),
        one(PERMUTED, "scipy", script("with_tests.py", "scipy", "randomisation", *few), ""),
        one(BOOTSTRAP, "hungjury", script("with_tests.py", "hungjury", "bootstrap", *few), ""),
        one(SCIPY, "scipy", script("with_tests.py", "scipy", "bootstrap", *few), ""),
    ]  # fmt: skip


def tables(results: Results) -> list[Table]:
    """How far the differences between systems are from the true ones."""
    rows = [
        [name, f"{value:.4f}"]
        for name in (GOLD, PPI)
        if name in results
        for value in results[name].values.values()
    ]
    return [Table("Error of corrected differences", ["contender", "pair RMSE"], rows)]


SUITE = Suite(
    name="inference",
    about="Seconds of one correction of a panel of five judges by 200 random gold labels (83 "
    "systems, 54 topics, P@10), with the error of differences between systems; and "
    "of tests of all pairs of 20 systems by nDCG@10. Labels, runs and per-topic values are in "
    "memory; whole processes with --whole.",
    base=GOLD,
    contenders=contenders,
    goals=(
        Faster(RANDOMISED, RANX, 1),
        Faster(RANDOMISED, PERMUTED, 1),
        Faster(BOOTSTRAP, SCIPY, 1),
    ),
    repeats=3,
    tables=tables,
)
