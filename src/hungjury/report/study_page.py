"""The files of a study: its tables, its figures and one page with all of them."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from html import escape
from pathlib import Path
from textwrap import shorten

from hungjury import __version__
from hungjury.base.files import write_whole
from hungjury.base.results import Table
from hungjury.report.page import part
from hungjury.report.pictures import picture_bytes
from hungjury.studies.claims import summary
from hungjury.studies.data import Sources
from hungjury.studies.recipe import Study, file_stem

PICTURES = ("pdf", "svg", "png")
NUMBERED = re.compile(r"(table|figure)-[\d.]+[a-z]?")
LONGEST = 60  # characters of a title in a file's name


def write_study(study: Study, csv_safe: bool = False) -> list[Path]:
    """Write all files of a study into its folder; their paths, the page first."""
    report, folder = study.report, study.folder
    pictures: dict[str, bytes] = {}
    shown: dict[str, bytes] = {}
    for name, one in report.figures.items():
        figure, each = one.draw(), {}
        for form in PICTURES:
            each[form] = picture_bytes(figure, form)
            figure.set_layout_engine("none")  # found once: it is slow
        pictures |= {f"{_stem(name, one.title)}.{form}": each[form] for form in PICTURES}
        shown[name] = each["svg"]
    contents: dict[str, str | bytes] = {"index.html": study_page(study, shown)}
    for name, table in report.all_tables.items():
        stem = _stem(name, table.caption)
        contents[f"{stem}.csv"] = table.to_csv(csv_safe)
        contents[f"{stem}.tex"] = table.to_latex()
    contents |= pictures
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        write_whole(folder / name, content)
    return [folder / name for name in contents]


def _stem(name: str, title: str) -> str:
    """The name of a file; a number alone is followed by what the table or figure shows."""
    if not NUMBERED.fullmatch(name):
        return name
    words = shorten(title.partition(": ")[2].replace("'", "") or title, LONGEST, placeholder="")
    return f"{name}-{file_stem(words)}"


def study_page(study: Study, pictures: Mapping[str, bytes]) -> str:
    """Return a self-contained page, verdicts first; pictures: SVG by the names of the figures."""
    recipe, report = study.recipe, study.report
    tables = report.all_tables
    claims = [_table(tables.pop("claims"))] if report.claims else []
    first_line = (recipe.__doc__ or "").strip().partition("\n")[0]
    parts = [
        f"<h1>{escape(recipe.name)}</h1>",
        f"<p>{escape(first_line)} {escape(recipe.paper)}</p>",
        *([f"<p><strong>{escape(summary(report.claims))}</strong></p>"] if claims else []),
        *claims,
        *(f"<p>{escape(remark)}</p>" for remark in report.remarks),
        *map(_table, tables.values()),
        *(_figure(one.title, pictures[name]) for name, one in report.figures.items()),
        "<h2>How this was made</h2>",
        _facts(study),
    ]
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(recipe.name)}</title><style>\n{part('study.css')}</style>"
    )
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _table(table: Table) -> str:
    body = replace(table, caption="").to_html()
    return f'<h2>{escape(table.caption)}</h2>\n<div class="wide">{body}</div>'


def _figure(name: str, svg: bytes) -> str:
    data, title = base64.b64encode(svg).decode("ascii"), escape(name)
    return f'<h2>{title}</h2>\n<img alt="{title}" src="data:image/svg+xml;base64,{data}">'


def _facts(study: Study) -> str:
    facts = [
        ("study", str(study.recipe)),
        ("parameters", _settings({f.name: getattr(study.recipe, f.name)
                                  for f in study.recipe.params()})),
        *(fact for one in study.sources for fact in _files(one, len(study.sources) > 1)),
        *(("note", str(note)) for note in study.notes),
        ("seed", str(study.seed)),
        ("hungjury", __version__),
    ]  # fmt: skip
    return "<dl>" + "".join(f"<dt>{k}</dt><dd>{escape(v)}</dd>" for k, v in facts) + "</dl>"


def _files(sources: Sources, named: bool) -> list[tuple[str, str]]:
    """Return the files that were read, and the options."""
    return [
        *([("collection", sources.name)] if named else []),
        ("runs", f"{len(sources.runs)} files"),
        ("judges", f"{len(sources.judges)} files"),
        ("gold", Path(sources.gold).name if sources.gold else "none"),
        ("labels", _settings(asdict(sources.labels))),
        ("lists", _settings(asdict(sources.lists))),
        ("data", f"sha256 {sources.digest}"),
    ]


def _settings(values: dict[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())
