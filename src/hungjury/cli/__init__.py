"""The command line. A file per command or family of commands; nothing else prints or exits."""

import atexit
import gc
import signal

OBJECTS = 100_000  # made between two searches for garbage; Python's default is below 10,000


def start() -> None:
    """Start the command `hungjury` in a process of its own.

    Most objects are modules and what belongs to them: they are never garbage, but searching them
    while others are imported, and once more at exit, takes a tenth of a small evaluation.
    """
    gc.set_threshold(OBJECTS)
    atexit.register(gc.freeze)
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # Ctrl-C during imports: no traceback
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from hungjury.cli.main import main

    signal.signal(signal.SIGINT, usual)
    main()
