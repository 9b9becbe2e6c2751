"""The project file, `hungjury.toml`: what every command of a weekly evaluation would repeat.

    [collection]
    judges = "judges/*"
    runs = "runs/*"
    grades = "0-3"

    [evaluation]
    measures = ["nDCG@10"]
    baseline = "bm25"

    [gate]
    margin = 0.01

Keys are the options of commands. `[collection]` (or several, `[collections.NAME]`) says what the
files are and how they are read, `[evaluation]` what all commands take that have the option, and a
table named like a command is for that one only. What is typed wins.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hungjury.base.errors import InputError, Note, closest
from hungjury.base.files import OF_PROJECTS, PROJECT, read_text, toml
from hungjury.base.records import Record
from hungjury.data.labels import read_judgments
from hungjury.data.reading.options import JUDGES, READING, among, run_options
from hungjury.data.reading.sources import Source
from hungjury.data.runs import read_runs
from hungjury.leaderboard.options import BOARD, PLAN

if TYPE_CHECKING:
    from hungjury.leaderboard.board import Leaderboard
    from hungjury.leaderboard.gate import Gates
    from hungjury.leaderboard.score_board import ScoreBoard

RESULTS = "results"
PATHS = ("judges", "runs", "qrels", "gold", "plan", "queries", "documents")
DECLARED_BY_FILE = ("families", "kin")  # a pattern, or a file of the project
WRITTEN = ("slices", "report")  # other files of commands
GATE = ("baseline", "candidate", "margin")
_COLLECTION = {*PATHS, *DECLARED_BY_FILE, *READING, "rel"}
_EVALUATION = {"measures", "baseline", "merge", "level", "target", "seed", "draws", "best"}
_OF_COMMANDS = {  # the tables of commands, whose own options are checked by themselves
    *_COLLECTION, *_EVALUATION, *BOARD, *PLAN, *GATE, *WRITTEN,
    "budget", "method", "title", "author", "dataset", "share", "raters",
}  # fmt: skip
_HEADER = re.compile(r"^\s*\[+\s*([^\]]+?)\s*\]+")
_KEY = re.compile(r"""^\s*["']?([\w.-]+)["']?\s*=""")


class Project(Record, eq=False):
    """A project file, checked.

    Attributes
    ----------
    path : str
        The file.
    collections : dict
        The options of each collection by its name; a single `[collection]` is named after the
        folder.
    evaluation : dict
        Options that all commands take which have them.
    commands : dict
        Options of single commands.
    notes : list of Note
        Paths that lead out of the project's folder.

    Examples
    --------
    >>> import hungjury as hj
    >>> board = hj.Project("hungjury.toml").leaderboard()  # doctest: +SKIP
    """

    path: str
    collections: Mapping[str, Mapping[str, Any]]
    evaluation: Mapping[str, Any]
    commands: Mapping[str, Mapping[str, Any]]
    notes: tuple[Note, ...] = ()

    def __init__(self, path: str | os.PathLike[str] = PROJECT) -> None:
        name = os.fspath(path)
        if os.path.isdir(name):
            name = os.path.join(name, PROJECT)
        content = _Content(name, read_text(name, "write one in UTF-8, as `hungjury init` does"))
        content.check()
        super().__init__(
            name, content.collections(), content.table("evaluation"),
            {command: content.table(command) for command in OF_PROJECTS}, tuple(content.notes),
        )  # fmt: skip

    @property
    def folder(self) -> str:
        """The folder that paths are relative to."""
        return os.path.dirname(self.path)

    @property
    def results(self) -> str:
        """The folder in which results are kept."""
        return os.path.join(self.folder, RESULTS)

    def options(self, command: str, collection: str | None = None) -> dict[str, Any]:
        """Return the options of a command: its own, then those of the collection and of all."""
        several = collection is None and len(self.collections) > 1
        files = {} if several else self.collection(collection)
        return {**self.evaluation, **files, **self.commands.get(command, {})}

    def collection(self, name: str | None = None) -> Mapping[str, Any]:
        """Return the options of a collection; the only one needs no name."""
        if name is None and len(self.collections) == 1:
            return next(iter(self.collections.values()))
        if name is not None and name in self.collections:
            return self.collections[name]
        said = "the project has several collections" if name is None else f"no collection {name!r}"
        remedy = f"choose one of {', '.join(self.collections)}"
        raise Source(self.path).error(said, "unknown-collection", remedy)

    def leaderboard(
        self, collection: str | None = None, **options: Any
    ) -> Leaderboard | ScoreBoard:
        """Rank the systems of a collection, or over all of them if there are several.

        Parameters
        ----------
        collection : str, optional
            The name of one of several collections.
        **options
            Options of `hungjury.leaderboard`, which win over the file's.
        """
        from hungjury.leaderboard.leaderboard import leaderboard
        from hungjury.leaderboard.score_board import leaderboards

        if collection is None and len(self.collections) > 1:
            shared = {**self.options("leaderboard"), **options}
            measures = shared.pop("measures", ["nDCG@10"])
            read = {
                name: (
                    read_judgments(one["judges"], **among(one, JUDGES)),
                    read_runs(one["runs"], **run_options(one)),
                )
                for name, one in self.collections.items()
            }
            known = _known(shared, {*BOARD, "best", "common", "seed_pattern", "weights"})
            gold = {name: one["gold"] for name, one in self.collections.items() if "gold" in one}
            return leaderboards(read, measures[0], **{**known, "gold": gold or None})
        given = self._python("leaderboard", collection, options)
        judges, runs, measures = (given.pop(name) for name in ("judges", "runs", "measures"))
        known = _known(given, {*BOARD, *READING, "best"})
        return leaderboard(judges, runs, measures[0], **known)

    def gate(self, collection: str | None = None, **options: Any) -> Gates:
        """Decide whether candidates may replace the baseline; options given here win."""
        from hungjury.leaderboard.gate import gate

        given = self._python("gate", collection, options)
        labels = given.pop("judges", None) or given.pop("qrels", None)
        runs, measures = given.pop("runs"), given.pop("measures")
        for name in GATE[:2]:
            if name not in given:
                raise self._missing(name, "gate")
        return gate(labels, runs, given.pop("baseline"), given.pop("candidate"), measures[0],
                    given.pop("margin", 0.0), **_known(given, {*BOARD, *READING}))  # fmt: skip

    def _python(
        self, command: str, collection: str | None, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        found = {"measures": ["nDCG@10"], **self.options(command, collection), **given}
        if "measure" in given:
            found["measures"] = [found.pop("measure")]
        if "runs" not in found or not {"judges", "qrels"} & found.keys():
            raise self._missing("judges and runs", "collection")
        return found

    def _missing(self, what: str, table: str) -> InputError:
        return Source(self.path).error(f"no {what}", "incomplete-project", f"add it to [{table}]")


def _known(given: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    """Options that a function takes; texts and the like are for reports."""
    return {k: v for k, v in given.items() if k in names | {"gold", "plan", "merge"}}


def _places(text: str) -> dict[tuple[str, str], int]:
    """Return the lines of tables and of the keys in them."""
    found: dict[tuple[str, str], int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            table = header[1].replace('"', "")
            found.setdefault((table.split(".")[0], ""), number)
            found.setdefault((table, ""), number)
        elif key := _KEY.match(line):
            found.setdefault((table, key[1]), number)
    return found


class _Content:
    """The text of a project file and what it says; all problems are reported at once."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.places = path, _places(text)
        self.notes: list[Note] = []  # on paths that lead out of the project
        try:
            self.tables = toml(text)
        except ValueError as error:
            found = re.search(r"line (\d+)", str(error))
            line = int(found[1]) if found else None
            remedy = "fix this line; text needs quotes, lists need brackets"
            raise Source(path).error(f"not TOML: {error}", "bad-project", remedy, line) from None

    def check(self) -> None:
        """Raise an error that lists every unknown table, unknown key and wrong value."""
        problems: list[tuple[int, str]] = []
        own = {"collection": _COLLECTION, "evaluation": _EVALUATION}
        known = {"collections", *own, *OF_PROJECTS}
        for name, table in self.tables.items():
            if name not in known or not isinstance(table, dict):
                problems.append(self._unknown(name, known, "", "table"))
            elif name == "collections":
                for each, inner in table.items():
                    problems += self._keys(f"collections.{each}", inner, _COLLECTION)
            else:
                problems += self._keys(name, table, own.get(name, _OF_COMMANDS))
        if "collection" in self.tables and "collections" in self.tables:
            problems.append((self._line("collections"), "[collection] beside [collections.NAME]"))
        if "collection" not in self.tables and not self.tables.get("collections"):
            problems.append((1, "no [collection] that says where judges and runs are"))
        if not problems:
            return
        problems.sort()
        rest = "".join(f"\n{self.path}:{line}: {text}" for line, text in problems[1:])
        line, first = problems[0]
        remedy = "keys are the names of options, which the help of each command lists"
        raise Source(self.path).error(first + rest, "bad-project", remedy, line)

    def _keys(self, table: str, given: Any, allowed: set[str]) -> list[tuple[int, str]]:
        if not isinstance(given, dict):
            return [(self._line(table), f"[{table}] is not a table")]
        found = []
        names = allowed | ({"measure"} if "measures" in allowed else set())
        for key, value in given.items():
            if key.replace("-", "_") not in names:
                found.append(self._unknown(key, allowed, table, "key"))
            elif isinstance(value, dict):
                text = f"{key} is a table; write it as on the command line, such as 'yes:1,no:0'"
                found.append((self._line(table, key), text))
        return found

    def _unknown(self, name: str, known: set[str], table: str, kind: str) -> tuple[int, str]:
        close = closest(name.replace("-", "_"), sorted(known))
        guess = f"; did you mean {close}?" if close else ""
        where = (table, name) if table else (name,)
        return self._line(*where), f"unknown {kind} {name!r}{guess}"

    def _line(self, table: str, key: str = "") -> int:
        """Return the line of a table, or of a key in it."""
        places = (table, key), (table.split(".")[0], ""), ("", table)
        return next((self.places[one] for one in places if one in self.places), 1)

    def table(self, name: str) -> dict[str, Any]:
        """Return a table with the names that options have in Python."""
        found = self._placed(self.tables.get(name, {}))
        if "measure" in found:
            found["measures"] = found.pop("measure")
        if isinstance(found.get("measures"), str):
            found["measures"] = [found["measures"]]
        return found

    def collections(self) -> dict[str, dict[str, Any]]:
        """Return collections by name."""
        given = self.tables.get("collections")
        if given is None:
            folder = os.path.basename(os.path.dirname(os.path.abspath(self.path)))
            given = {folder: self.tables["collection"]}
        return {name: self._placed(table) for name, table in given.items()}

    def _placed(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """Return options with paths from here; those that lead out of the project are noted."""
        options = {key.replace("-", "_"): value for key, value in table.items()}
        home = os.path.realpath(os.path.dirname(os.path.abspath(self.path)))
        for key in (*PATHS, *DECLARED_BY_FILE, *WRITTEN):
            value = options.get(key)
            if value is None or (key in DECLARED_BY_FILE and not self._is_file(value)):
                continue
            several = isinstance(value, list)
            paths = [self._path(str(one)) for one in (value if several else [value])]
            for path in paths:
                real = os.path.realpath(path)
                if ":" not in path and os.path.commonpath([home, real]) != home:
                    text = f"{self.path}: {key} is outside of the project's folder"
                    self.notes.append(Note("outside-project", 1, text, subjects=(path,)))
            options[key] = paths if several else paths[0]
        return options

    def _is_file(self, value: Any) -> bool:
        return isinstance(value, str) and os.path.isfile(self._path(value))

    def _path(self, path: str) -> str:
        """Return a path of the project from the current folder; datasets are not paths."""
        if re.match(r"[A-Za-z][\w+.-]+:", path) or path == "-":
            return path
        return os.path.join(os.path.dirname(self.path), os.path.expanduser(path))


def project_text(options: Mapping[str, Any]) -> str:
    """Write options, as typed on a command line, into the tables of a project file."""
    import json  # its texts and lists are also TOML's

    tables: dict[str, dict[str, Any]] = {"collection": {}, "evaluation": {}, "leaderboard": {}}
    for name, value in options.items():
        table = "collection" if name in _COLLECTION else "leaderboard"
        one = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(one, str) and re.fullmatch(r"\d+(\.\d+)?", one):
            one = json.loads(one)
        tables["evaluation" if name in _EVALUATION else table][name] = one
    lines = []
    for name, given in tables.items():
        if given:
            lines += [f"[{name}]", *(f"{k} = {json.dumps(v)}" for k, v in given.items()), ""]
    return "\n".join(lines)


def files_of(options: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the files behind the paths of a collection, patterns expanded."""
    found = {}
    for key in PATHS:
        given = options.get(key)
        patterns = [given] if isinstance(given, str) else given or []
        found[key] = sorted(file for one in patterns for file in (glob.glob(one) or [one]))
    return {key: files for key, files in found.items() if files}
