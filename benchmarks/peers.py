"""The contenders that evaluate runs: files in, a value per run, topic and measure out."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.generated import Collection
from benchmarks.suite import Contender, Setting

__all__ = [
    "BYTES", "ONE", "PYTREC", "RANX_ONE", "RANX_TWO", "TWO", "byte_reader", "evaluators", "script",
    "threads",
]  # fmt: skip

ONE, TWO, PYTREC = "hungjury (1 core)", "hungjury (2 cores)", "pytrec_eval"
RANX_ONE, RANX_TWO = "ranx warm (1 core)", "ranx warm (2 cores)"
BYTES = "reading bytes"
_SCRIPTS = Path(__file__).parent / "contenders"


def script(name: str, *arguments: str) -> list[str]:
    """The command that starts a script of ``benchmarks/contenders``."""
    return [sys.executable, str(_SCRIPTS / name), *arguments]


def threads(number: int) -> dict[str, str]:
    """hungjury's threads, ranx's (numba), and those of the libraries below numpy."""
    names = ("HUNGJURY", "NUMBA_NUM", "OMP_NUM", "OPENBLAS_NUM", "MKL_NUM")
    return {f"{name}_THREADS": str(number) for name in names}


def byte_reader(files: Collection) -> Contender:
    return Contender(
        BYTES,
        script("read_bytes.py", files.qrels, *files.runs),
        note="counts the newlines of all files; the floor",
        lines=files.lines,
    )


def hungjury(name: str, files: Collection, cores: int) -> Contender:
    return Contender(
        name,
        script("with_hungjury.py", files.qrels, *files.runs),
        "hungjury",
        "AP, nDCG@10, P@10, RBP, ERR, Bpref",
        threads(cores),
        lines=files.lines,
    )


def pytrec_eval(files: Collection, most: int | None = None) -> Contender:
    return Contender(
        PYTREC,
        script("with_pytrec_eval.py", files.qrels, *files.runs),
        "pytrec_eval",
        "the same, excluding RBP and ERR, not supported",
        most=most,
        lines=files.lines,
    )


def evaluators(files: Collection, setting: Setting) -> list[Contender]:
    """hungjury and all its peers, each in its own best and usual way."""
    paths = (files.qrels, *files.runs)
    kept = str(setting.folder / "numba")
    return [
        byte_reader(files),  # first: the files are then in memory for all the others
        hungjury(ONE, files, 1),
        hungjury(TWO, files, 2),
        pytrec_eval(files),
        Contender(
            "ir_measures", script("with_ir_measures.py", *paths), "ir_measures",
            "excluding RBP (needs another package) and ERR (with a cutoff only, by a Perl script)",
            most=3, lines=files.lines,
        ),
        *(
            Contender(
                name, script("with_ranx.py", "warm", *paths), "ranx",
                "excluding ERR (not supported); imports and compiling not counted",
                {"NUMBA_CACHE_DIR": kept, **threads(cores)}, most=3, quick=False, lines=files.lines,
            )
            for name, cores in ((RANX_ONE, 1), (RANX_TWO, 2))
        ),
        Contender(
            "ranx cold", script("with_ranx.py", "cold", *paths), "ranx",
            "without ERR; compiles first, as on a new machine",
            fresh_folder="NUMBA_CACHE_DIR", most=1, quick=False, lines=files.lines,
        ),
    ]  # fmt: skip
