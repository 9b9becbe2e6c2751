"""How Sphinx builds the site. Reference pages are made from the catalogues when it starts."""

import importlib
import inspect
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from site_tools import examples, notebook, pages, report_picture  # noqa: E402

import hungjury  # noqa: E402

project = "hungjury"
release = version = hungjury.__version__
SOURCE = f"https://github.com/hungjury/hungjury/blob/v{release}/src/hungjury"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.linkcode",
    "numpydoc",
    "sphinx_click",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "site_tools", "*.ipynb"]

myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings give the types
default_role = "literal"  # `name` in a docstring is code
numpydoc_show_class_members = False  # autodoc lists them
python_maximum_signature_line_length = 80
add_module_names = False
toc_object_entries = False

copybutton_prompt_text = r"\$ |>>> |\.\.\. "  # what is copied runs: no prompts, no output
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"hungjury {release}"
html_static_path = ["_static"]
html_extra_path = ["_extra"]  # the report that the tutorial makes
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = html_show_copyright = False
smartquotes = False  # or --rel would be shown with a dash
pygments_style = "friendly"


HOW_TO = [page for page in examples.pages_with_examples() if page.parent.name == "how-to"]


def offer_notebook(app, name, source) -> None:
    """Link a page whose examples run to its notebook."""
    if HERE / f"{name}.md" in HOW_TO:
        link = f'<a href="../notebooks/{Path(name).name}.ipynb" download>as a notebook</a>'
        source[0] += f"\n---\n\n```{{raw}} html\n<p>This page {link}.</p>\n```\n"


def setup(app) -> None:
    pages.write_all(HERE / "reference")
    examples.make(HERE / "tutorial.md", "report.html", HERE / "_extra" / "example-report.html")
    examples.pictures(HERE / "how-to" / "paper.md", HERE / "how-to" / "images" / "gallery")
    report_picture.make(HERE / "_made" / "report.png")
    notebook.make(HERE / "notebook.ipynb", HERE / "notebook.md")
    notebook.write_all(HOW_TO, HERE / "_extra" / "notebooks")
    app.connect("source-read", offer_notebook)
    app.connect("autodoc-process-signature", without_fields)
    app.connect("sphinx-click-process-description", literal_examples)


def linkcode_resolve(domain, info):
    """Where the source of a documented name can be read."""
    if domain != "py" or not info["module"]:
        return None
    thing = importlib.import_module(info["module"])
    try:
        for part in info["fullname"].split("."):
            thing = getattr(thing, part)
        thing = inspect.unwrap(getattr(thing, "fget", thing))
        path = Path(inspect.getsourcefile(thing)).relative_to(Path(hungjury.__file__).parent)
        lines, first = inspect.getsourcelines(thing)
    except (AttributeError, TypeError, OSError, ValueError):  # fields, constants, other packages
        return None
    return f"{SOURCE}/{path.as_posix()}#L{first}-L{first + len(lines) - 1}"


def without_fields(app, what, name, obj, options, signature, returns):
    """Most classes are results; their long constructors are of no use to a reader."""
    return ("", None) if what == "class" else None


def literal_examples(app, context, lines):
    """Examples in the help of commands are shell commands, not text with emphasis."""
    shown = []
    for line in lines:
        if line.startswith("| ") and line.endswith(":"):  # the line above them
            shown += [f"{line[2:]}:", ""]
        else:
            shown.append(line.removeprefix("| "))
    lines[:] = shown
