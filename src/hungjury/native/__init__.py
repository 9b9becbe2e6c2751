"""The small C++ core: parsing, interning, ranking and joining. Arrays and bytes in, arrays out.

Its stub, `_core.pyi`, lists what there is.
"""

from hungjury.native import _core
from hungjury.native._core import *

STABLE_ABI = ".abi3." in _core.__file__  # it works with later versions of Python too
