"""``python -m benchmarks.timings.clicks``: counting a generated click log of 30 million records.

Logs are made once and kept: a table as Parquet and as CSV, the same table in an order that mixes
all sessions, and the Q and C records of Yandex's relevance-prediction log. Each is calibrated in a
process of its own, which reports its time, processor time and peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.generated import default_folder

KINDS = ("parquet", "csv", "mixed", "actions")
SHOWN = 10
PACE = "(i % 3) * 20 + hash(i) % 20"  # three clicks a session, ties and disorder are rare


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.timings.clicks", description=__doc__
    )
    parser.add_argument("--records", type=int, default=30_000_000)
    parser.add_argument("--kind", action="append", choices=KINDS, help="repeatable; default: all")
    parser.add_argument("--memory", default="1500MB", help="DuckDB's part of the memory")
    parser.add_argument("--engine", default="duckdb", choices=("duckdb", "spark"))
    parser.add_argument("--folder", type=Path, default=default_folder())
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one is not None:
        print(json.dumps(_calibrated(asked.one, asked.memory, asked.engine)))
        return
    print(f"load at the start: {os.getloadavg()[0]:.1f}")
    print(f"{'log':<8} {'file, MB':>9} {'seconds':>8} {'processor, s':>13} {'peak, MB':>9}  moves")
    for kind in asked.kind or KINDS:
        path = _log(kind, asked.records, asked.folder)
        command = [sys.executable, "-m", "benchmarks.timings.clicks", "--one", str(path)]
        command += ["--memory", asked.memory, "--engine", asked.engine]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        size = path.stat().st_size / 1e6
        print(f"{kind:<8} {size:>9.0f} {found['seconds']:>8.1f} {found['cpu']:>13.1f} "
              f"{found['peak_mb']:>9.0f}  {found['moves']:,}", flush=True)  # fmt: skip


def _calibrated(path: Path, memory: str, engine: str) -> dict[str, float]:
    from hungjury.users.clicks import calibrate

    begin = time.perf_counter()
    model = calibrate(path, memory=memory, engine=engine)
    seconds = time.perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": seconds,
        "cpu": used.ru_utime + used.ru_stime,
        "peak_mb": used.ru_maxrss / 1024,
        "moves": sum(map(sum, model["all"].moves or ())),
    }


def _log(kind: str, records: int, folder: Path) -> Path:
    """The log of a kind, from the folder or newly made by DuckDB."""
    ending = {"csv": "csv", "actions": "tsv"}.get(kind, "parquet")
    path = folder / f"clicks-{kind}-{records}.{ending}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # In a process of its own: the next ones would inherit its peak of memory.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            other.submit(_make, kind, records, path).result()
    return path


def _make(kind: str, records: int, path: Path) -> None:
    import duckdb

    part = path.with_name(f"part-{path.name}")
    options = {"csv": "(header)", "actions": "(format csv, header false, delimiter '', quote '')"}
    with duckdb.connect(config={"memory_limit": "2GB", "temp_directory": str(path.parent)}) as base:
        query = _actions(records) if kind == "actions" else _table(records, kind == "mixed")
        base.execute(f"copy ({query}) to '{part}' {options.get(kind, '')}")
    part.rename(path)


def _table(records: int, mixed: bool) -> str:
    order = "order by hash(i)" if mixed else ""
    return f"""select i // 3 as session, 'q' || (i // 3) % 5000 as query,
            1 + cast(floor(power(hash(i, 7) % 10000 / 10000, 2) * 10) as integer) as rank,
            {PACE} as time
        from range({records}) as r(i) {order}"""


def _actions(records: int) -> str:
    """Of every five records two show a page and three click, all of one session."""
    urls = " || chr(9) || ".join(f"((i // 5) % 5000 * 100 + {u})" for u in range(SHOWN))
    rank = f"cast(floor(power(hash(i, 7) % 10000 / 10000, 2) * {SHOWN}) as integer)"
    clicked = f"(i // 5) % 5000 * 100 + {rank}"
    return f"""select (i // 5) || chr(9) || (i % 5) * 20 || chr(9) || case when i % 5 in (0, 3)
            then 'Q' || chr(9) || (i // 5) % 5000 || chr(9) || '1' || chr(9) || {urls}
            else 'C' || chr(9) || ({clicked}) end as line
        from range({records}) as r(i)"""


if __name__ == "__main__":
    main()
