"""Panels of judges for generated collections, made once from a seed and kept beside them."""

from __future__ import annotations

import os
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.collections import Collection

__all__ = ["panel"]


def panel(files: Collection, judges: int, seed: int = 1) -> list[str]:
    """The qrels of so many judges, from good to poor, who label all of a collection's pool."""
    home = files.folder.with_name(f"{files.folder.name}-judges{judges}-seed{seed}")
    if not home.is_dir():
        # In a process of its own: the runner has to stay small (see process.py).
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            other.submit(_make, files.qrels, home, judges, seed).result()
    return [str(home / _name(judge)) for judge in range(judges)]


def _name(judge: int) -> str:
    return f"judge{judge:02d}.qrels"


def _make(qrels: str, home: Path, judges: int, seed: int) -> None:
    import numpy as np

    rows = [line.split() for line in Path(qrels).read_text(encoding="ascii").splitlines()]
    relevant = np.array([row[3] != "0" for row in rows])
    rng = np.random.default_rng(seed)
    part = Path(tempfile.mkdtemp(prefix="part-", dir=home.parent))
    try:
        for judge, right in enumerate(np.linspace(0.9, 0.6, judges)):
            hit = rng.random(len(rows)) < right
            label = np.where(relevant, hit, rng.random(len(rows)) < 0.1).astype(int)
            text = (f"{row[0]} 0 {row[2]} {one}\n" for row, one in zip(rows, label, strict=True))
            (part / _name(judge)).write_text("".join(text), encoding="ascii")
        os.rename(part, home)
    finally:
        shutil.rmtree(part, ignore_errors=True)
