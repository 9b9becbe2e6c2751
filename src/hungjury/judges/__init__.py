"""Many judges: merging their labels, and how far they agree."""
