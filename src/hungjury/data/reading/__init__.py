"""From files, frames and dictionaries to rows: sources, formats, columns, options."""
