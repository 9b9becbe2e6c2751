"""A study as a process of its own, to be killed.

    python -m builders.study_script DEMO STORE LOG JOBS WORKERS

DEMO: one folder or several, separated as paths are.
"""

import os
import sys

from builders import study_jobs
from hungjury.studies.data import Sources
from hungjury.studies.engines import Engine
from hungjury.studies.jobs import Job, ResultStore, run_work


def jobs(count, log, seconds=0.06):
    return [
        Job(f"slow/{i}", study_jobs.slow, {"log": log, "seconds": seconds}) for i in range(count)
    ]


if __name__ == "__main__":
    demo, path, log, count, workers = sys.argv[1:]
    with ResultStore(path) as store:
        work = [(Sources.in_folder(one), jobs(int(count), log)) for one in demo.split(os.pathsep)]
        said: list[str] = []
        found = run_work(work, store, 5, Engine("local", int(workers)), announce=said.append)
    stored, _ = study_jobs.reused(said[0])
    print(stored, sum(len(one.results) for one in found))
