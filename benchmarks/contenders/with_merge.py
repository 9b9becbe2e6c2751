"""FILE all|merging MERGE...: labels of a crowd, read and merged with hungjury; what is counted."""

import json
import sys
import time

import hungjury as hj
import hungjury.data.qrels
import hungjury.judges.merge

path, counted, *methods = sys.argv[1:]
began = time.perf_counter()
judgments = hj.read_judgments(path)
if counted == "merging":
    began = time.perf_counter()
values = {}
for method in methods:
    merged = hj.merge(judgments, method, scope="all")
    name = f"{method.partition('(')[0]} of {len(judgments):,} labels"
    values[name] = float((merged.labels if merged.p is None else merged.p).mean())
print(json.dumps({"values": values, "seconds": time.perf_counter() - began}))
