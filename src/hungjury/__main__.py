"""``python -m hungjury`` is the command ``hungjury``."""

from hungjury.cli.main import main

main()
