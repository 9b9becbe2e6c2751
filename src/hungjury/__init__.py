"""hungjury: retrieval evaluation for when the judges disagree.

The public names are listed in ``__init__.pyi`` and imported when they are first used:
``import hungjury`` costs nothing.
"""

from hungjury.base.lazy import attach

__version__ = "0.1.0"
__getattr__, __dir__ = attach(__name__)
