"""hungjury measures"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from hungjury.cli.options import formats
from hungjury.cli.output import deliver, text_width

if TYPE_CHECKING:
    from hungjury.measures.catalogue import MeasureInfo


@click.command("measures")
@click.argument("name", required=False)
@formats("text", "json")
def measures_command(name: str | None, form: str) -> None:
    """List the measures, or describe one.

    \b
    Examples:
      hungjury measures
      hungjury measures nDCG
      hungjury measures ndcg_cut_10
    """
    from hungjury.base.named import Listing
    from hungjury.measures.catalogue import CATALOGUE, measure_list, measures

    rows = measures()
    if name is not None:
        ours = CATALOGUE[name].name if name in CATALOGUE else measure_list(name)[0].name
        rows = [row for row in rows if row["name"] == ours]
    if form == "json":
        from hungjury.base.text import json_text

        deliver(json_text(rows), None)
    elif name is None:
        more = "`hungjury measures NAME` describes a measure and its parameters."
        deliver(f"{Listing(rows).text(text_width(110))}\n\n{more}", None)
    else:
        deliver(_page(rows[0]), None)


def _page(row: MeasureInfo) -> str:
    width = text_width(90)
    lines = [f"{row['write']}", textwrap.fill(row["meaning"], width), f"({row['paper']})"]
    lines += textwrap.wrap(row["formula"], width, initial_indent="  ", subsequent_indent="    ")
    better = "smaller" if row["smaller_is_better"] else "larger"
    speed = "natively" if row["native"] else "in Python, which is slower"
    lines.append(f"range: {row['range'][0]:g} to {row['range'][1]:g}; {better} is better")
    lines.append(f"many label sets at once are scored {speed}")
    exact = "exact" if row["exact_expectation"] else "drawn, with its sampling error"
    if row["name"] != "E":
        lines.append(f"expectation over uncertain labels: {exact}")
    names = max((len(one["name"]) for one in row["parameters"]), default=0)
    for one in row["parameters"]:
        details = [one["range"], "required" if one["required"] else f"default {one['default']}"]
        details = [word for word in details if word and word != "default None"]
        text = one["meaning"] + (f" ({'; '.join(details)})" if details else "")
        lines += textwrap.wrap(
            text,
            width,
            initial_indent=f"  {one['name']:<{names}}  ",
            subsequent_indent=" " * (names + 4),
        )
    return "\n".join(lines)
