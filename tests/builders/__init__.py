"""What tests of several rooms build: collections, files, boards, processes, browsers."""
