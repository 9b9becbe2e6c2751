"""FILE...: read all bytes and count the lines, through a buffer that stays in the cache."""

import json
import sys
import time

began = time.perf_counter()
lines = 0
buffer = bytearray(1 << 18)
for path in sys.argv[1:]:
    with open(path, "rb", buffering=0) as file:
        while size := file.readinto(buffer):
            lines += buffer.count(b"\n", 0, size)
print(json.dumps({"lines": lines, "seconds": time.perf_counter() - began}))
