"""The doctor: what loose files are, what is odd about them, and which commands they allow."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from glob import glob
from itertools import groupby
from typing import Any, Literal

from hungjury.base.errors import HungjuryError, Note, Surface, few, in_python, plural, shell_word
from hungjury.base.files import is_open_file
from hungjury.base.records import Record
from hungjury.base.results import Cell, Table
from hungjury.data.alignment import Alignment
from hungjury.data.audit import Audit, Listing, examined, readable_runs
from hungjury.data.labels import as_gold
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.columns import FALLBACKS, InputTable
from hungjury.data.reading.formats import grade_columns, read_table, table_as_written, table_format
from hungjury.data.reading.lines import MARKS, PLAN_HEAD, unknown_header
from hungjury.data.reading.nested import layout_of, likely_columns
from hungjury.data.reading.options import READING, FilesLike, gold_options
from hungjury.data.reading.sources import Source, expand
from hungjury.data.runs import as_runs
from hungjury.data.scales import NO_ZERO
from hungjury.leaderboard.gold import gold_labels
from hungjury.measures.score_files import FLAGS, JudgeScores, read_scores
from hungjury.measures.score_forms import ROLES

Kind = Literal[
    "labels", "gold labels", "labels of several judges", "run", "plan", "scores", "click log",
    "ranking data", "texts", "unknown",
]  # fmt: skip
_LOOK = 1 << 16  # bytes at the beginning of a file
_OPEN = re.compile(r"\b(GRADE|NAME|PATH|PATTERN|WORD)\b")  # for people to replace
_OF_PEOPLE = re.compile(r"(?<![a-z])(gold|truth|nist|official)(?![a-z])", re.I)  # in a file's name
_FEW = 0.1  # of the labels: so many may be left out because they are not numbers
_MOST_GRADES = 12  # different integers; columns with more are not labels


class LooseFile(Record):
    """A file, what it is, how it has to be read, and why it cannot be, if it cannot."""

    path: str
    kind: Kind
    size: int = 0
    error: HungjuryError | None = None
    how: Mapping[str, Any] = field(default_factory=dict)


class Diagnosis(Audit):
    """What `doctor` found.

    Attributes
    ----------
    files
        Every file and what it is.
    facts
        Sentences that count what was read.
    notes
        Everything unusual.
    errors
        What cannot be used as it is, each with its file, line and remedy.
    commands
        The command lines that these files allow, with all options they need. In capitals: words
        that only you can replace, such as the GRADE of a word.

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

    files: tuple[LooseFile, ...] = ()
    commands: tuple[str, ...] = ()

    def table(self) -> Table:
        """Return a row for every file."""
        rows: list[list[Cell]] = [[one.path, one.kind, one.size] for one in self.files]
        return Table(["file", "what it is", "bytes"], rows)

    def _parts(self) -> list[str | Table]:
        return [self.table()]

    def render(self, surface: Surface = in_python) -> str:
        """Return the text, with remedies as a surface writes them."""
        paths: dict[Kind, list[str]] = {}
        for one in self.files:
            paths.setdefault(one.kind, []).append(one.path)
        lines = [f"{kind}: {plural(len(p), 'file')} ({few(p)})" for kind, p in paths.items()]
        head = "next, with your own words for those in capitals:"
        head = head if any(map(_OPEN.search, self.commands)) else "next:"
        told = ["", head, *(f"  {line}" for line in self.commands)] if self.commands else []
        return "\n".join([*lines, "", super().render(surface), *told])

    def to_dict(self) -> dict[str, Any]:
        """Return all files, findings and command lines."""
        files = {"files": self.table().to_dicts(), "commands": list(self.commands)}
        return files | super().to_dict()


def doctor(files: FilesLike) -> Diagnosis:
    """Say what files are, what is odd about them, and which commands they allow.

    It looks at any set of files and folders: runs, qrels, labels of several judges, gold labels,
    exports of tools, plans, scores, click logs, ranking data and texts, told apart by their
    content. All problems are listed at once. Use it where you do not know yet how files have to be
    read; `audit` checks one collection as it will be read.

    Parameters
    ----------
    files : path, pattern or list of these
        The files to look at; of a folder, all files in it.

    Returns
    -------
    Diagnosis
        The files by kind, everything unusual or unusable in them, and the next command lines.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.simulate(topics=3, systems=2).write("demo")  # doctest: +SKIP
    >>> print(hj.doctor("demo"))  # doctest: +SKIP
    """
    return _Examination(tuple(_found(files))).diagnosis()


def _found(files: Any) -> Iterator[LooseFile]:
    """Look at every file that is meant; what is not there is listed too."""
    listed = [files] if isinstance(files, (str, os.PathLike)) or is_open_file(files) else files
    for one in listed:
        folder = isinstance(one, (str, os.PathLike)) and os.path.isdir(one)
        try:
            sources = expand(os.path.normpath(os.path.join(one, "**", "*")) if folder else one)
        except HungjuryError as error:
            yield LooseFile(str(one), "unknown", error=error)
        else:
            yield from map(_looked_at, sources)


def _looked_at(source: Source) -> LooseFile:
    try:
        kind, how = _kind(source)
        return LooseFile(source.name, kind, source.size, how=how)
    except HungjuryError as error:
        return LooseFile(source.name, "unknown", error=error)


def _kind(source: Source) -> tuple[Kind, dict[str, Any]]:
    """Tell what a file is by its first lines, and how it has to be read."""
    if (wrong := source.binary_error()) is not None and table_format(source) is None:
        raise wrong
    first = next(iter(source.pieces(_LOOK)), memoryview(b""))
    text = bytes(first[:_LOOK]).decode("utf-8", "replace")
    if text.startswith(PLAN_HEAD):
        return "plan", {}
    if (written := table_format(source)) is not None:
        return _kind_of_table(source, written, text)
    lines = [line for line in text.splitlines()[:1000] if line.strip() and line[0] != "#"]
    rows = [line.split() for line in lines[:-1] or lines]
    for kind, fits in _LINES.items():
        if rows and fits(rows[0]) and sum(map(fits, rows)) > len(rows) / 2:
            if kind == "labels" and _by_iteration(rows):
                return "labels of several judges", {"judge_column": "iteration"}
            return kind, {}
    other = any(0 < lines[0].count(mark) == lines[1].count(mark) for mark in MARKS if lines[1:])
    named = unknown_header(source, ("topic", "document", "label", "judge")) if other else None
    raise named or source.error(
        "not a file that hungjury reads",
        "unknown-file",
        "give qrels, runs, tables with a header line, or JSON lines",
    )


def _by_iteration(rows: list[list[str]]) -> bool:
    """Tell whether the second column of qrels names judges: they label the same documents."""
    triples = {tuple(row[:3]) for row in rows if len(row) == 4}
    pairs = {(topic, document) for topic, _, document in triples}
    return len(triples) > 1.5 * len(pairs)


def _number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?", text) is not None


_LINES: Mapping[Kind, Callable[[list[str]], bool]] = {
    "ranking data": lambda row: len(row) > 2 and row[1].startswith("qid:"),
    "run": lambda row: len(row) >= 6 and row[3].lstrip("-").isdigit() and _number(row[4]),
    "click log": lambda row: len(row) > 1 and row[1].count(",") > 4,
    "scores": lambda row: len(row) == 3 and not _number(row[0]) and _number(row[2]),
    "labels": lambda row: len(row) == 4 and (_number(row[3]) or row[1] in ("0", "Q0")),
    "texts": lambda row: len(row) > 4 and row[0].strip("q").isdecimal(),
}


def _kind_of_table(source: Source, written: str, text: str) -> tuple[Kind, dict[str, Any]]:
    """Tell what a table is by its columns."""
    some = source
    if written in MARKS and len(text) == _LOOK:  # its first lines are enough
        some = Source(source.name, held=text[: text.rfind("\n") + 1].encode())
    ignored = Listing()
    raw = table_as_written(some, written, stop=ignored)
    names = {name.strip().lower() for name in raw.columns}
    if (layout := layout_of(raw)) is not None:
        table = read_table(some, written, stop=ignored, layout=layout)
        return _labels(table), {"layout": layout}
    if names & {"session", "click", "session_id"}:
        return "click log", {}
    scored = names & {*ROLES["topic"]} and names & {*ROLES["system"], *ROLES["measure"]}
    if scored and not _roles(raw, "document"):
        return "scores", {}
    how: dict[str, Any] = {}
    if not _roles(raw, "document", "label", "score") and (likely := likely_columns(raw)):
        how["columns"] = ",".join(f"{role}={path}" for role, path in likely.items())
        raw = replace(raw, given=likely)
    columns = tuple(dict(raw.given).items())
    table = read_table(some, written, columns, stop=ignored)
    if not _roles(table, "document"):
        if names & {"text", "contents", "title", "passage"}:
            return "texts", how
        table.need("document")  # says what is missing
    lists = len(raw) == 1 and all(isinstance(v, list) for (v,) in raw.columns.values())
    ranked = _roles(raw, "rank") or (_roles(raw, "tag") and _roles(raw, "score"))
    if lists or ranked or (_roles(table, "rank") and not _roles(raw, "label")):
        return "run", how
    label = table.find("label")
    if label is None and not grade_columns(table):
        return _without_label(table, names)
    if label is not None and label.lower() == "score" and not _is_graded(table.columns[label]):
        return "run", how
    return _labels(table), how


def _roles(table: InputTable, *roles: str) -> list[str]:
    """Return the columns of a table for some roles."""
    return [name for role in roles if (name := table.known(role)) in table.columns and name]


def _labels(table: InputTable) -> Kind:
    """Tell labels of one judge, of several, and of people."""
    judge = table.known("judge")
    if judge is not None and len(set(map(str, table.columns[judge]))) > 1:
        return "labels of several judges"
    label = table.find("label")
    truth = label is not None and label.lower() in FALLBACKS["label"]
    return "gold labels" if truth else "labels"


def _without_label(table: InputTable, names: set[str]) -> tuple[Kind, dict[str, Any]]:
    """Tell a wide table, with a column for every judge, from texts."""
    others = [c for c in table.columns if c not in _roles(table, "topic", "document")]
    graded = [c for c in others if _is_graded(table.columns[c])]
    if len(graded) > 1:
        return "labels of several judges", {"wide": True}
    if names & {"text", "contents", "title", "passage"}:
        return "texts", {}
    table.need("label")  # says what is missing
    return "unknown", {}


def _is_graded(values: Any) -> bool:
    """Tell whether a column may be grades: few integers, or nothing."""
    known = {str(one).strip() for one in values} - {"", "None", "nan"}
    whole = all(re.fullmatch(r"-?[0-9]{1,3}(\.0+)?", one) for one in known)
    return whole and len(known) <= _MOST_GRADES and any(one[0] != "-" for one in known)


class _Examination:
    """One look at a set of files."""

    def __init__(self, files: tuple[LooseFile, ...]) -> None:
        self.files = files
        self.facts: list[str] = []
        self.notes: list[Note] = []
        self.errors = [one.error for one in files if one.error is not None]
        self.commands: list[str] = []

    def diagnosis(self) -> Diagnosis:
        """Read what belongs together, and say what comes next."""
        runs = self._paths("run")
        labels, gold = self._of("labels"), self._of("gold labels")
        tables = self._of("labels of several judges")
        by_name = [one for one in labels if _OF_PEOPLE.search(os.path.basename(one.path))]
        if tables or len(labels) - len(by_name) > 1:
            gold += by_name
            labels = [one for one in labels if one not in by_name]
        elif not labels:
            labels, gold = gold, []
        panels = [*_alike(tables), *(_alike(labels) if len(labels) > 1 and not tables else [])]
        for group in panels:
            self._collection(group, runs, gold)
        for one in labels if not panels else []:
            self._collection([one], runs, [])
        if not panels and not labels and runs:
            listing = Listing()
            readable_runs(as_runs(runs), listing)
            self.facts.append(f"runs: {plural(len(runs), 'file')}")
            self.errors += listing.errors
        self._scores(self._paths("scores"))
        self._others()
        found = self.facts, tuple(self.notes), tuple(self.errors)
        return Diagnosis(*found, self.files, tuple(self.commands))

    def _of(self, kind: Kind) -> list[LooseFile]:
        return [one for one in self.files if one.kind == kind]

    def _paths(self, kind: Kind) -> list[str]:
        return [one.path for one in self._of(kind)]

    def _collection(self, group: list[LooseFile], runs: list[str], gold: list[LooseFile]) -> None:
        """Read labels with all runs; what a remedy settles is an option of the commands."""
        paths = [one.path for one in group]
        several = len(paths) > 1 or group[0].kind == "labels of several judges"
        source: Any = paths if several else paths[0]
        options = dict(group[0].how)

        def read(how: Mapping[str, Any]) -> tuple[Audit, Qrels | Judgments | None, Any]:
            return examined(source, runs or None, judgments=several, **how)

        if runs:
            options |= _own_columns("run_columns", self._of("run")[0], options)
        report, labels, aligned = read(options)
        self.facts += report.facts
        self.notes += report.notes
        self.errors += report.errors
        while more := _settled(report, options, labels):
            options |= more
            if _is_open(more):
                break
            try:
                report, labels, aligned = read(options)
            except HungjuryError:  # these options do not go together
                return
        if report.errors and not _is_open(options):
            return
        if several and not isinstance(labels, Qrels):
            self._panel_commands(paths, runs, gold, labels, aligned, options)
        else:
            self._single_commands(paths[0], runs, aligned, options)

    def _panel_commands(
        self, paths: list[str], runs: list[str], gold: list[LooseFile], labels: Judgments | None,
        aligned: Alignment | None, options: dict[str, Any],
    ) -> None:  # fmt: skip
        """Add what a panel allows; None: its labels, or the runs, could not be read yet."""
        panel, how = _repeated("--judges", paths), _typed(options)
        soft, plans = labels is not None and labels.soft, self._paths("plan")
        known = "" if labels is None else self._gold(gold, labels, options)
        systems = len(runs) if aligned is None else len(aligned.systems)
        if systems > 1:
            lists = f"{_repeated('--runs', runs)} -m {'eRAP' if soft else 'nDCG@10'}"
            target = " --target topics" if labels and len(labels.topics) == 1 else ""
            by_plan = f" --plan {shlex.quote(plans[0])}" if plans and known else ""
            self.commands.append(f"hungjury leaderboard{panel}{lists}{known}{by_plan}{target}{how}")
            if labels is not None and not plans and not soft:
                budget = min(200, max(1, len(labels.pool) // 2))
                flags = f" --budget {budget}{target}{how} -o plan.csv"
                self.commands.append(f"hungjury plan{panel}{lists}{flags}")
        if not soft and (labels is None or len(labels.judges) > 1):
            self.commands.append(f"hungjury agreement{panel}{known}{how}")
        method = " --method binmv" if soft else ""
        self.commands.append(f"hungjury merge{panel}{method}{how} -o merged.qrels")

    def _gold(self, gold: list[LooseFile], labels: Judgments, options: Mapping[str, Any]) -> str:
        """Return the flags of gold labels that can be used with a panel."""
        if not gold:
            return ""
        paths = [one.path for one in gold]
        own = _own_columns("gold_columns", gold[0], options)
        own |= {"gold_layout": gold[0].how["layout"]} if "layout" in gold[0].how else {}
        try:
            gold_labels(as_gold(paths, **gold_options({**options, **own})), labels)
        except HungjuryError as error:
            self.errors.append(error)
            return ""
        return _repeated("--gold", paths) + _typed(own)

    def _single_commands(
        self, path: str, runs: list[str], aligned: Alignment | None, options: dict[str, Any]
    ) -> None:
        files = shlex.quote(path) + (_repeated("--runs", runs) if runs else "")
        several = aligned is None or len(aligned.systems) > 1 < len(aligned.pool.topics)
        commands = ("evaluate", "compare")[: 1 + several] if runs else ("audit",)
        self.commands += [f"hungjury {name} {files}{_typed(options)}" for name in commands]

    def _scores(self, paths: list[str]) -> None:
        """Read scores of other tools."""
        if not paths:
            return
        options: dict[str, Any] = {}
        while True:
            try:
                found = read_scores(paths, **options)
                break
            except HungjuryError as error:
                ways = [way for way in error.ways_out if not way.keys() & options.keys()]
                if not options:
                    self.errors.append(error.renamed(FLAGS))
                if not ways:
                    return
                options |= ways[0]
        how = _typed({FLAGS.get(name, name): value for name, value in options.items()})
        files = _repeated("--scores", paths)
        size = f"{plural(len(found.systems), 'system')} on {plural(len(found.topics), 'topic')}"
        self.facts.append(f"scores: {size}")
        self.notes += found.notes
        if len(found.systems) < 2 or len(found.topics) < 2:
            return
        if isinstance(found, JudgeScores):
            self.commands.append(f"hungjury leaderboard{files}{how}")
        else:
            self.commands.append(f"hungjury compare{files}{how}")
            measure = shlex.quote(found.measures[0])
            self.commands.append(f"hungjury leaderboard{files} -m {measure}{how}")

    def _others(self) -> None:
        for path in self._paths("plan") if not self._of("gold labels") else []:
            self.commands.append(f"hungjury label {shlex.quote(path)} -o labels.db")
        for path in self._paths("click log")[:1]:
            self.commands.append(f"hungjury clicks {shlex.quote(path)}")
        for path in self._paths("ranking data")[:1]:
            self.commands.append(f"hungjury train {shlex.quote(path)} -o ranker.json")


def _alike(files: list[LooseFile]) -> list[list[LooseFile]]:
    """Group files that are read in the same way."""

    def key(one: LooseFile) -> str:
        return str(sorted(one.how.items()))

    return [list(group) for _, group in groupby(sorted(files, key=key), key)]


def _own_columns(name: str, file: LooseFile, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns of a file where they are others than those of the labels."""
    own = file.how.get("columns", "")
    return {} if own == options.get("columns", "") else {name: own}


def _settled(
    report: Audit, options: Mapping[str, Any], labels: Qrels | Judgments | None
) -> dict[str, Any]:
    """Return options that a remedy names with values, and that are not given yet."""
    if labels is None or isinstance(labels, Judgments):
        for note in report.notes:
            declared = re.search(r"declare the grades (\d+-\d+)", note.text)
            if note.kind == NO_ZERO and declared and "grades" not in options:
                return {"grades": declared[1]}
    for error in report.errors:
        known = READING.keys() - options.keys()
        ways = [way for way in error.ways_out if way.keys() <= known]
        if error.code == "conflicting-labels" and isinstance(labels, Judgments):
            ways = [way | {"repeats": "majority"} for way in ways if "repeats" in way]
        if error.code == "unreadable-label":  # to leave out most labels is no way out
            few = labels is not None and error.count <= _FEW * len(labels)
            ways = [way for way in ways if few or "missing" not in way]
        if ways:
            return min(ways, key=_is_open)
    return {}


def _is_open(options: Mapping[str, Any]) -> bool:
    """Tell whether people have to replace a word of these options."""
    return any(_OPEN.search(str(value)) for value in options.values())


def _typed(options: Mapping[str, Any]) -> str:
    """Write options as flags."""
    out = ""
    for name, value in options.items():
        out += f" --{name.replace('_', '-')}" + ("" if value is True else f" {shell_word(value)}")
    return out


def _repeated(option: str, paths: list[str]) -> str:
    """Write an option for every file, or once for those of a folder that a pattern means."""
    words: list[str] = []
    for folder, group in groupby(paths, os.path.dirname):
        mine = sorted(group)
        ends = dict.fromkeys([os.path.splitext(mine[0])[1], ""])
        patterns = [os.path.join(folder, f"*{end}") for end in ends if len(mine) > 1]
        words += next(([one] for one in patterns if sorted(glob(one)) == mine), mine)
    return "".join(f" {option} {shlex.quote(word)}" for word in words)
