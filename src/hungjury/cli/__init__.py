"""The command line. A file per command or family of commands; nothing else prints or exits."""

import atexit
import gc
import os
import signal
import sys

OBJECTS = 100_000  # made between two searches for garbage; Python's default is below 10,000


def start() -> None:
    """Start the command `hungjury` in a process of its own.

    Most objects are modules and what belongs to them: they are never garbage, but searching them
    while others are imported, and once more at exit, takes a tenth of a small evaluation. Threads
    of numpy's linear algebra would wait for work in loops that keep a core busy: 2**16 ticks of
    the processor are enough.
    """
    gc.set_threshold(OBJECTS)
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")
    atexit.register(gc.freeze)
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # Ctrl-C during imports: no traceback
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.argv[1:] in (["-h"], ["--help"]) and sys.stdout is not None:
        from hungjury.cli.front import front_page

        name = os.path.basename(sys.argv[0])
        try:
            print(front_page("python -m hungjury" if name == "__main__.py" else name), flush=True)
            return
        except OSError:
            pass  # `main` says what is wrong with the output
    from hungjury.cli.main import main

    signal.signal(signal.SIGINT, usual)
    main()
