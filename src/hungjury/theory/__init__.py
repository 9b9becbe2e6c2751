"""What measures have in common and where they differ, from first principles."""

from hungjury.lazy import attach

__getattr__, __dir__ = attach(__name__)
