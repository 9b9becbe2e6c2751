"""The command line. One file per command; nothing else prints or exits."""
