"""FILE em-mv|mv: labels of a crowd, read and aggregated with crowd-kit."""

import json
import sys
import time

import pandas
from crowdkit.aggregation import DawidSkene, MajorityVote

path, method = sys.argv[1:]
began = time.perf_counter()
frame = pandas.read_csv(path)
frame = frame.rename(columns={"judge": "worker"})
frame["task"] = frame["topic"] + " " + frame["document"]
frame = frame[["task", "worker", "label"]]
if method == "mv":
    found = MajorityVote().fit_predict(frame)
else:
    found = DawidSkene(n_iter=1000, tol=1e-7).fit_predict_proba(frame)[1]
values = {f"{method} of {len(frame):,} labels": float(found.mean())}
print(json.dumps({"values": values, "seconds": time.perf_counter() - began}))
