"""Compressed runs, the form in which they are kept."""

from __future__ import annotations

import gzip
import os
import shutil
from dataclasses import replace
from pathlib import Path

from benchmarks.generated import Collection, Shape, collection
from benchmarks.peers import PYTREC, TWO, hungjury, pytrec_eval
from benchmarks.suite import Contender, Faster, Setting, Suite, Within

PLAIN, GZ, PEER = f"{TWO}, plain", f"{TWO}, gz", f"{PYTREC}, gz"


def contenders(setting: Setting) -> list[Contender]:
    files = collection(Shape(runs=setting.scaled(129, 3)), setting.folder)
    paths = compressed(files)

    def from_gz(one: Contender, name: str) -> Contender:
        script = one.command[: -len(paths)]
        return replace(one, name=name, command=[*script, *paths])

    return [
        hungjury(PLAIN, files, 2),
        from_gz(hungjury(GZ, files, 2), GZ),
        from_gz(pytrec_eval(files, most=3), PEER),
    ]


def compressed(files: Collection) -> list[str]:
    """The files of a collection as gz, made once."""
    home = files.folder.with_name(f"{files.folder.name}-gz")
    out = []
    for path in map(Path, (files.qrels, *files.runs)):
        copy = home / f"{path.name}.gz"
        out.append(str(copy))
        if path.exists() and not copy.exists():
            home.mkdir(exist_ok=True)
            part = home / f"part-{copy.name}"
            with path.open("rb") as plain, gzip.open(part, "wb", compresslevel=6) as packed:
                shutil.copyfileobj(plain, packed, 1 << 20)
            os.rename(part, copy)
    return out


SUITE = Suite(
    name="compressed",
    about="129 runs of 50 topics with 1000 documents as gz files, from files to the per-topic "
    "values of all runs, without the start of Python and imports.",
    base=PLAIN,
    contenders=contenders,
    goals=(Within(GZ, PLAIN, 1.3), Faster(GZ, PEER, 15)),
)
