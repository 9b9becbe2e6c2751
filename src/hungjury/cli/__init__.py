"""The command line. A file per command or family of commands; nothing else prints or exits."""

import atexit
import gc

OBJECTS = 100_000  # made between two searches for garbage; Python's default is below 10,000


def start() -> None:
    """Start the command `hungjury` in a process of its own.

    Most objects are modules and what belongs to them: they are never garbage, but searching them
    while others are imported, and once more at exit, takes a tenth of a small evaluation.
    """
    gc.set_threshold(OBJECTS)
    atexit.register(gc.freeze)
    from hungjury.cli.main import main

    main()
