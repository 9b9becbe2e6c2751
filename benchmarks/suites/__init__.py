"""One file per suite; a file with a `SUITE` in it is found by the runner."""
