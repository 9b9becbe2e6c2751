"""FILE all|merging em-mv|mv: labels of a crowd, read and merged with crowd-kit; what is counted."""

import json
import sys
import time

import pandas
from crowdkit.aggregation import DawidSkene, MajorityVote

path, counted, method = sys.argv[1:]
began = time.perf_counter()
frame = pandas.read_csv(path)
frame = frame.rename(columns={"judge": "worker"})
frame["task"] = frame["topic"] + " " + frame["document"]
frame = frame[["task", "worker", "label"]]
if counted == "merging":
    began = time.perf_counter()
if method == "mv":
    found = MajorityVote().fit_predict(frame)
else:
    found = DawidSkene(n_iter=1000, tol=1e-7).fit_predict_proba(frame)[1]
values = {f"{method} of {len(frame):,} labels": float(found.mean())}
print(json.dumps({"values": values, "seconds": time.perf_counter() - began}))
