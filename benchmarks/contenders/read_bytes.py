"""FILE...: read all bytes and count the lines, through a buffer that stays in the cache."""

import sys

lines = 0
buffer = bytearray(1 << 18)
for path in sys.argv[1:]:
    with open(path, "rb", buffering=0) as file:
        while size := file.readinto(buffer):
            lines += buffer.count(b"\n", 0, size)
print(lines)
