"""Many assessors: merging their labels, and how far they agree."""
