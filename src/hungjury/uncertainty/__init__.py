"""How sure one can be: leaderboards and comparisons."""
