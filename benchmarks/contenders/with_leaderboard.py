"""leaderboard|gold|report|plan|best QRELS JUDGES RUNS: from files; JUDGES is a folder of qrels, and
gold labels are a random sample of QRELS. best: only the best 500 systems are compared."""

import json
import random
import sys
import tempfile
from pathlib import Path

import hungjury as hj

GOLD = 1000

what, qrels, judges, runs = sys.argv[1:]
labels = str(Path(judges) / "*.qrels")
values = {}
if what == "plan":
    made = hj.plan(labels, runs, "nDCG@10", budget=1000)
    values["documents"] = len(made.documents)
else:
    asked = {}
    if what == "gold":
        lines = Path(qrels).read_text().splitlines()
        people = {}
        for topic, _, document, label in map(str.split, random.Random(1).sample(lines, GOLD)):
            people.setdefault(topic, {})[document] = int(label)
        asked = {"gold": people, "gold_design": "random"}
    if what == "best":
        asked = {"best": 500}
    board = hj.leaderboard(labels, runs, "nDCG@10", **asked)
    values[f"best by {what}" if asked else "best"] = float(board.mean[0])
    if what == "report":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            board.write_page(path)
            values["report_mb"] = path.stat().st_size / 1e6
print(json.dumps({"values": values}))
