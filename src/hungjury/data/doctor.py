"""The doctor: what loose files are, what is odd about them, and which commands they allow."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping
from glob import glob
from typing import Any, Literal

from hungjury.base.errors import HungjuryError, Note, Surface, in_python, plural
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Cell, Table
from hungjury.data.audit import Audit, audit, readable_runs
from hungjury.data.reading.bad_lines import Listing
from hungjury.data.reading.columns import SYNONYMS
from hungjury.data.reading.formats import PLAN_HEAD, table_format
from hungjury.data.reading.options import FilesLike
from hungjury.data.reading.sources import Source, expand
from hungjury.data.runs import as_runs
from hungjury.data.scales import NO_ZERO

Kind = Literal[
    "labels", "labels of several judges", "run", "plan", "scores", "click log", "ranking data",
    "texts", "unknown",
]  # fmt: skip
_LOOK = 1 << 16  # bytes at the beginning of a file
FIXES = ("judge_column", "grades", "missing", "duplicates")  # options that remedies can settle


class LooseFile(Record):
    """A file, what it is, and why it cannot be read, if it cannot."""

    path: str
    kind: Kind
    size: int = 0
    error: HungjuryError | None = None


class Diagnosis(Record, Result):
    """What `doctor` found.

    Attributes
    ----------
    files
        Every file and what it is.
    audit
        What was read from labels and runs together, and what is unusual or unusable; None where
        there are no labels.
    commands
        The command lines that these files allow, with all options they need.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import hungjury as hj
    >>> path = Path(tempfile.mkdtemp(), "a.txt")
    >>> hj.read_qrels({"1": {"a": 1, "b": 0}}).write(path)
    >>> found = hj.doctor(path)
    >>> found.files[0].kind, found.exit_code
    ('labels', 0)
    """

    files: tuple[LooseFile, ...]
    audit: Audit | None
    commands: tuple[str, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        """Everything unusual."""
        return self.audit.notes if self.audit else ()

    @property
    def errors(self) -> tuple[HungjuryError, ...]:
        """The files, and lines of files, that cannot be used as they are."""
        unread = tuple(one.error for one in self.files if one.error is not None)
        return unread + (self.audit.errors if self.audit else ())

    @property
    def exit_code(self) -> int:
        """0: nothing found, 1: something is unusual, 2: something cannot be used as it is."""
        return 2 if self.errors else 1 if self.notes else 0

    def table(self) -> Table:
        """Return a row for every file."""
        rows: list[list[Cell]] = [[one.path, one.kind, one.size] for one in self.files]
        return Table(["file", "what it is", "bytes"], rows)

    def to_text(self) -> str:
        """Write the files, what was found in them, and the next commands."""
        return self.render()

    def render(self, surface: Surface = in_python) -> str:
        """Return the text, with remedies as a surface writes them."""
        facts = self.audit.facts if self.audit else []
        found = Audit(facts, self.notes, self.errors).render(surface)
        lines = [*map(_sentence, _groups(self.files).items()), "", found]
        told = ["", "next:", *(f"  {line}" for line in self.commands)] if self.commands else []
        return "\n".join([*lines, *told])

    def to_dict(self) -> dict[str, Any]:
        """Return all files, findings and command lines."""
        return {
            "files": self.table().to_dicts(),
            "facts": self.audit.facts if self.audit else [],
            "notes": [note.to_dict() for note in self.notes],
            "errors": [error.to_dict() for error in self.errors],
            "commands": list(self.commands),
            "exit_code": self.exit_code,
        }


def doctor(files: FilesLike) -> Diagnosis:
    """Say what files are, what is odd about them, and which commands they allow.

    It looks at any set of files: runs, qrels, labels of several judges, plans, scores, click logs,
    ranking data and texts, told apart by their content. All problems are listed at once. Use it
    where you do not know yet how files have to be read; `audit` checks one collection as it will
    be read.

    Parameters
    ----------
    files : path, pattern or list of these
        The files to look at.

    Returns
    -------
    Diagnosis
        The files by kind, everything unusual or unusable in them, and the next command lines.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.simulate(topics=3, systems=2).write("demo")  # doctest: +SKIP
    >>> print(hj.doctor(["demo/judges/*", "demo/runs/*"]))  # doctest: +SKIP
    """
    found = tuple(_looked_at(source) for source in expand(files))
    by_kind = {kind: [one.path for one in group] for kind, group in _groups(found).items()}
    labels, tables = by_kind.get("labels", []), by_kind.get("labels of several judges", [])
    runs = by_kind.get("run", [])
    gold = [path for path in labels if re.search("gold|truth", path.lower())]
    several = tables or (labels if len(labels) - len(gold) > 1 else [])
    judges = [path for path in several if path not in gold]
    single = [] if judges else labels[:1]
    if not judges and not single:
        alone = _runs_alone(runs) if runs else None
        return Diagnosis(found, alone, tuple(_commands(by_kind, [], [], gold, {})))
    source = judges or single[0]
    options: dict[str, Any] = {}
    report = audit(source, runs or None, judgments=bool(judges))
    trial: Audit | None = report
    while trial is not None and (more := _settled(trial, options)):
        options |= more
        trial = _tried(source, runs, bool(judges), options)
    if "map" not in options and (words := [e for e in report.errors if e.argument == "map"]):
        options["map"] = words[0].values[0]  # with a grade to be filled in
    others = [] if judges else [path for path in gold if path not in single]
    next_ = _commands(by_kind, judges, single, gold if judges else others, options)
    return Diagnosis(found, report, tuple(next_))


def _groups(files: tuple[LooseFile, ...]) -> dict[Kind, list[LooseFile]]:
    groups: dict[Kind, list[LooseFile]] = {}
    for one in files:
        groups.setdefault(one.kind, []).append(one)
    return groups


def _sentence(group: tuple[Kind, list[LooseFile]]) -> str:
    kind, files = group
    names = ", ".join(one.path for one in files[:5])
    more = f" and {len(files) - 5} more" if len(files) > 5 else ""
    return f"{kind}: {plural(len(files), 'file')} ({names}{more})"


def _looked_at(source: Source) -> LooseFile:
    try:
        return LooseFile(source.name, _kind(source), source.size)
    except HungjuryError as error:
        return LooseFile(source.name, "unknown", error=error)


def _kind(source: Source) -> Kind:
    """Tell what a file is by its first lines."""
    if (wrong := source.binary_error()) is not None and table_format(source) is None:
        raise wrong
    first = next(iter(source.pieces(_LOOK)), memoryview(b""))
    text = bytes(first[:_LOOK]).decode("utf-8", "replace")
    lines = [line for line in text.splitlines()[:50] if line.strip()]
    if text.startswith(PLAN_HEAD):
        return "plan"
    table = table_format(source)
    if table is not None:
        return _kind_of_table(re.findall(r"[\w-]+", lines[0].lower() if lines else ""))
    rows = [line.split() for line in lines[:-1] or lines if not line.startswith("#")]
    for kind, fits in _LINES.items():
        if rows and sum(map(fits, rows)) > len(rows) / 2:
            return kind
    raise source.error(
        "not a file that hungjury reads",
        "unknown-file",
        "give qrels, runs, tables with a header line, or JSON lines",
    )


def _number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?", text) is not None


_LINES: Mapping[Kind, Callable[[list[str]], bool]] = {
    "ranking data": lambda row: len(row) > 2 and row[1].startswith("qid:"),
    "run": lambda row: len(row) >= 6 and row[3].lstrip("-").isdigit() and _number(row[4]),
    "click log": lambda row: len(row) > 1 and row[1].count(",") > 4,
    "scores": lambda row: len(row) == 3 and not _number(row[0]) and _number(row[2]),
    "labels": lambda row: len(row) == 4,
    "texts": lambda row: len(row) > 4,
}


def _kind_of_table(names: list[str]) -> Kind:
    """Tell what a table is by the names of its columns, or of the fields of its first object."""
    has = {role: bool(set(known) & set(names)) for role, known in SYNONYMS.items()}
    if "session" in names or "click" in names:
        return "click log"
    if "measure" in names and "value" in names:
        return "scores"
    if "text" in names or "contents" in names:
        return "texts"
    if has["judge"] and has["label"]:
        return "labels of several judges"
    if has["rank"] or (has["tag"] and has["score"]):
        return "run"
    return "labels" if has["label"] or "p0" in names else "unknown"


def _settled(report: Audit, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first option that a remedy names with a value and that is not given yet."""
    for note in report.notes:
        declared = re.search(r"declare the grades (\d+-\d+)", note.text)
        if note.kind == NO_ZERO and declared and "grades" not in options:
            return {"grades": declared[1]}
    for error in report.errors:
        if error.argument in FIXES and error.argument not in options and error.values:
            return {str(error.argument): error.values[0]}
    return {}


def _runs_alone(runs: list[str]) -> Audit:
    """Look at runs without labels."""
    errors = Listing()
    readable_runs(as_runs(runs), errors)
    return Audit([f"runs: {plural(len(runs), 'file')}"], (), errors.errors)


def _tried(
    source: list[str] | str, runs: list[str], judges: bool, options: Mapping[str, Any]
) -> Audit | None:
    try:
        return audit(source, runs or None, judgments=judges, **options)
    except HungjuryError:  # these options do not go together
        return None


def _commands(
    by_kind: Mapping[Kind, list[str]], judges: list[str], single: list[str], gold: list[str],
    options: Mapping[str, Any],
) -> list[str]:  # fmt: skip
    """Write the command lines that files of these kinds allow."""
    runs, plans = by_kind.get("run", []), by_kind.get("plan", [])
    how = "".join(f" --{k.replace('_', '-')} {_typed(v)}" for k, v in options.items())
    out = []
    if judges:
        panel = _repeated("--judges", judges)
        if runs:
            lists = _repeated("--runs", runs)
            known = (_repeated("--gold", gold) if gold else "") + "".join(
                f" --plan {shlex.quote(path)}" for path in plans[:1] if gold
            )
            out.append(f"hungjury leaderboard{panel}{lists} -m nDCG@10{known}{how}")
            if not plans:
                out.append(f"hungjury plan{panel}{lists} --budget 200{how} -o plan.csv")
        out += [f"hungjury agreement{panel}{how}", f"hungjury merge{panel}{how} -o merged.qrels"]
    if single:
        files = shlex.quote(single[0]) + (_repeated("--runs", runs) if runs else "")
        commands = ["evaluate", "compare"][: len(runs)] or ["audit"]
        out += [f"hungjury {command} {files}{how}" for command in commands]
    out += [f"hungjury label {shlex.quote(path)} -o labels.db" for path in plans if not gold]
    out += [f"hungjury clicks {shlex.quote(path)}" for path in by_kind.get("click log", [])[:1]]
    data = by_kind.get("ranking data", [])
    return out + [f"hungjury train {shlex.quote(path)} -o ranker.json" for path in data[:1]]


def _typed(value: object) -> str:
    if isinstance(value, range):
        return f"{value.start}-{value.stop - 1}"
    return shlex.quote(str(value))


def _repeated(option: str, paths: list[str]) -> str:
    """Write an option for every file, or once with a pattern that means just these files."""
    for pattern in {os.path.join(os.path.dirname(p), f"*{os.path.splitext(p)[1]}") for p in paths}:
        if len(paths) > 1 and sorted(glob(pattern)) == sorted(paths):
            paths = [pattern]
    return "".join(f" {option} {shlex.quote(path)}" for path in paths)
