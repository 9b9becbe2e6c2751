"""The uncertainty of results: leaderboards and comparisons."""
