"""The page where people label documents (extra `label`): a local server and a database.

`items` reads a plan, `store` keeps every answer in SQLite and takes labels in and out, `dealing`
decides who sees what next, `desk` ties these together, `app` serves the page.
"""
