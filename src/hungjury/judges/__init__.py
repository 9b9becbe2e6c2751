"""Several judges: merging their labels, and measuring their agreement."""
