"""FILE agreement|merge: labels of many judges in memory, without the time to read them."""

import json
import sys
import time

import hungjury as hj

path, what = sys.argv[1:]
judgments = hj.read_judgments(path)
began = time.perf_counter()
if what == "agreement":
    value = hj.agreement(judgments).alpha_nominal
else:
    value = float(hj.merge(judgments, "em-mv", scope="all").p.mean())
print(json.dumps({"values": {what: value}, "seconds": time.perf_counter() - began}))
