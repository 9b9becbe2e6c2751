"""What every room needs: errors, declared things, choices, tables, text, files."""
