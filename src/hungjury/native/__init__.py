"""The small C++ core: parsing, interning, ranking and joining. Arrays and bytes in, arrays out.

Its stub, `_core.pyi`, lists what there is.
"""

from hungjury.native._core import *
