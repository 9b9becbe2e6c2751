"""FILE MERGE: labels of a crowd, merged from file to file with hungjury."""

import json
import os
import sys
import tempfile

import hungjury as hj

path, method = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    output = os.path.join(folder, "merged.parquet")
    found = hj.merge_table(path, output, method, scope="all", folder=folder)
    print(json.dumps({"values": {f"documents of {path}": found.documents}}))
