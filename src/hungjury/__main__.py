"""``python -m hungjury`` is the command ``hungjury``."""

from hungjury.cli import start

start()
