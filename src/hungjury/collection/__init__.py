"""Files and frames -> aligned arrays."""
