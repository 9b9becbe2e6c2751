"""hungjury status"""

from __future__ import annotations

import os

import click

from hungjury.base.errors import plural
from hungjury.base.files import PROJECT
from hungjury.cli.output import deliver


@click.command("status")
@click.option("--project", metavar="FILE", default=PROJECT, show_default=True,
              help="Project file.")  # fmt: skip
def status_command(project: str) -> None:
    """Show a project: what there is, what changed since the last result, what to do next.

    \b
    Examples:
      hungjury status
    """
    from hungjury.projects.history import changed_inputs, kept, read_result
    from hungjury.projects.project import Project, files_of

    found = Project(project)
    lines = [f"project {found.path}"]
    files: set[str] = set()
    for name, options in found.collections.items():
        there = files_of(options)
        files |= {os.path.relpath(file) for group in there.values() for file in group}
        counts = ", ".join(f"{key} {len(group)}" for key, group in there.items())
        lines.append(f"collection {name}: {counts} (files)")
        lines += [
            f"  missing: {file}"
            for group in there.values() for file in group if not os.path.exists(file)
        ]  # fmt: skip
    past = kept(found.results)
    boards = kept(found.results, "leaderboard")
    step = "hungjury leaderboard" + ("" if project == PROJECT else f" --project {project}")
    if not boards:
        lines += ["no leaderboard yet", f"next: {step}"]
    else:
        record = read_result(boards[-1])["provenance"]
        changed = changed_inputs(record)
        known = {one["path"] for one in record["inputs"]}
        changed += [f"{file} is new" for file in sorted(files - known) if os.path.exists(file)]
        lines.append(f"{plural(len(past), 'result')} kept; last leaderboard: {boards[-1]}")
        lines += [f"  since then: {text}" for text in changed]
        if changed:
            lines.append(f"next: {step}")
        elif len(boards) > 1:
            lines.append(f"next: hungjury diff {boards[-2]} {boards[-1]}")
        else:
            lines.append("nothing has changed since")
    deliver("\n".join(lines), None)
