"""What makes the site: reference pages from the catalogues, examples that are run."""
