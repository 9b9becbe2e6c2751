"""leaderboard|report|plan JUDGES RUN...: from files; JUDGES is a folder of qrels."""

import json
import sys
import tempfile
from pathlib import Path

import hungjury as hj

what, judges, *runs = sys.argv[1:]
labels = str(Path(judges) / "*.qrels")
values = {}
if what == "plan":
    made = hj.plan(labels, runs, "nDCG@10", budget=1000)
    values["documents"] = len(made.documents)
else:
    board = hj.leaderboard(labels, runs, "nDCG@10")
    values["best"] = float(board.mean[0])
    if what == "report":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            board.write_page(path)
            values["report_mb"] = path.stat().st_size / 1e6
print(json.dumps({"values": values}))
