"""Read files and frames into aligned arrays."""
