"""How Sphinx builds the site. Reference pages are made from the catalogues when it starts."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from site_tools import docstrings, examples, pages  # noqa: E402

import hungjury  # noqa: E402

project = "hungjury"
release = version = hungjury.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "site_tools"]

myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
python_maximum_signature_line_length = 80
add_module_names = False
toc_object_entries = False

html_theme = "furo"
html_title = f"hungjury {release}"
html_static_path = ["_static"]
html_extra_path = ["_extra"]  # the report that the tutorial makes
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = html_show_copyright = False
smartquotes = False  # or --rel would be shown with a dash
pygments_style = "friendly"


def setup(app) -> None:
    pages.write_all(HERE / "reference")
    examples.make(HERE / "tutorial.md", "report.html", HERE / "_extra" / "example-report.html")
    app.connect("autodoc-process-docstring", docstrings.as_rst)
    app.connect("autodoc-process-signature", docstrings.as_written)
