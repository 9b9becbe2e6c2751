"""Results that last: kept as plain JSON in the project, compared in words."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Union

from hungjury.base.errors import InputError, few, plural
from hungjury.base.files import read_text, write_whole
from hungjury.base.provenance import input_record
from hungjury.base.records import Record
from hungjury.base.results import Result, Table

if TYPE_CHECKING:
    from hungjury.leaderboard.board import Leaderboard

Board = Union["Leaderboard", str, "os.PathLike[str]", Mapping[str, Any]]
APART = "made"  # what may differ although the result is the same
MANY = 6
IN_PAGE = re.compile('<script type="application/json" id="provenance">(.*?)</script>', re.S)


def keep(folder: str, command: str, text: str) -> str | None:
    """Keep a result in JSON, unless the newest one of this command is the same; return its path.

    The name has the time and a digest: processes that write at once do not collide.
    """
    content = json.loads(text)
    time = re.sub(r"[^0-9T]", "", content.get(APART, {}).get("time", ""))[:18]  # to milliseconds
    digest = content_digest(content)
    os.makedirs(folder, exist_ok=True)
    past = kept(folder, command)
    if past and past[-1].endswith(f"-{digest}.json"):
        return None
    path = os.path.join(folder, f"{time}-{command}-{digest}.json")
    write_whole(path, text)
    return path


def kept(folder: str, command: str = "") -> list[str]:
    """Return the kept results, oldest first."""
    pattern = re.compile(rf"\d{{8}}T\d{{6,9}}-{command or '[a-z-]+'}-[0-9a-f]{{8}}\.json")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in sorted(names) if pattern.fullmatch(name)]


def content_digest(content: Mapping[str, Any]) -> str:
    """Return a short digest of a result, time, machine and words of the command aside."""
    plain = {key: value for key, value in content.items() if key != APART}
    plain["provenance"] = {**plain.get("provenance", {}), "command": ""}
    return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:8]


def read_result(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a result that was written as JSON, or the provenance beside a file."""
    name = os.fspath(path)
    if os.path.exists(f"{name}.provenance.json"):
        name = f"{name}.provenance.json"
    text = read_text(name, "check the path")
    try:
        inside = IN_PAGE.search(text) if text.startswith("<!doctype") else None
        content = json.loads(inside[1] if inside else text)
    except ValueError:
        content = None
    if not isinstance(content, dict) or not _is_provenance(content.get("provenance")):
        raise InputError(
            "this is not a result with provenance", code="not-a-result", file=name,
            remedy="give a report, or a result that hungjury wrote as JSON",
        )  # fmt: skip
    return content


def _is_provenance(record: Any) -> bool:
    """Tell whether a record has what `provenance` writes: a version, words, and files."""
    try:
        words = [record["hungjury"], *record["command"]]
        files = [one["path"] + one["sha256"] for one in record["inputs"]]
        return " ".join(words + files) > "" and len(words) > 1
    except (KeyError, TypeError):
        return False


def changed_inputs(record: Mapping[str, Any], folder: str = "") -> list[str]:
    """Say which inputs of a result are not as they were."""
    found = []
    for old in record.get("inputs", []):
        path = os.path.join(folder, old["path"])
        if not os.path.isfile(path):
            found.append(f"{old['path']} is missing")
        elif input_record(path)["sha256"] != old["sha256"]:
            found.append(f"{old['path']} has changed")
    return found


def timeline(
    folder: str, board: Leaderboard
) -> list[tuple[str, dict[str, tuple[float, float, float]]]]:
    """Return the low end, mean and high end of every system in the kept leaderboards that can be
    compared with this one, the oldest first."""
    now, found = _content(board), []
    for path in kept(folder, "leaderboard"):
        content = read_result(path)
        if content.get("scale") == now.get("scale") and not _differences(content, now):
            rows = {r["system"]: (r["low"], r["mean"], r["high"]) for r in content["systems"]}
            found.append((content.get(APART, {}).get("time", "")[:16].replace("T", " "), rows))
    return found


class Changes(Result, Record):
    """What changed between two leaderboards, or two gates.

    Attributes
    ----------
    decided : tuple of str
        Sentences on what is decided otherwise now: systems that rose or fell beyond doubt, pairs
        newly told apart, no longer, or the other way round; candidates with another verdict.
    around : tuple of str
        Sentences on what else differs: systems, judges and inputs.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.diff("results/old.json", "results/new.json").decided  # doctest: +SKIP
    ('1 pair newly told apart: dense > bm25.',)
    """

    decided: tuple[str, ...]
    around: tuple[str, ...]

    def table(self) -> Table:
        """Return one row per change."""
        rows = [("decided", text) for text in self.decided]
        return Table(["kind", "change"], [*rows, *(("around", text) for text in self.around)])

    def _parts(self) -> Iterable[str | Table]:
        first = [*self.decided] or ["Nothing that was decided has changed."]
        return ["\n".join(first), "\n".join(self.around)] if self.around else ["\n".join(first)]


def diff(old: Board, new: Board) -> Changes:
    """Say in words what changed from one leaderboard or gate to the next.

    Two systems are told apart by the rule of the leaderboard itself: they share no group. From the
    pairs told apart follow the ranks that a system can have among those that both leaderboards
    have; it rose beyond doubt if all of them are above the old ones.

    Parameters
    ----------
    old, new : Leaderboard, path or dict
        Leaderboards, or gates, or their JSON as a file or as read from one.

    Returns
    -------
    Changes
        Sentences, best read as text; `decided` is empty if every decision still stands.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=5, systems=3, seed=1)
    >>> board = hj.leaderboard(sim.judgments, sim.runs, "P@5", draws=200)
    >>> print(hj.diff(board, board))
    Nothing that was decided has changed.
    """
    old, new = _content(old), _content(new)
    try:
        _refuse_others(old, new)
        return _gate_changes(old, new) if "gates" in old else _board_changes(old, new)
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(
            f"a result is not as hungjury writes it: {error}", code="not-a-result",
            remedy="make it again",
        ) from None  # fmt: skip


def _board_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Changes:
    before, after = _Board(old), _Board(new)
    both = [name for name in after.names if name in before.names]
    decided: list[str] = []
    for name in both:
        was, now = before.places(name, both), after.places(name, both)
        moved = "rose" if now[1] < was[0] else "fell" if now[0] > was[1] else ""
        if moved:
            decided.append(f"{name} {moved}: rank {_span(was)} before, {_span(now)} now.")
    kinds: dict[str, list[str]] = {}
    for i, one in enumerate(both):
        for other in both[i + 1 :]:
            then, here = before.apart(one, other), after.apart(one, other)
            if then != here:
                better = (one, other) if (here or then) > 0 else (other, one)
                kinds.setdefault(_kind(then, here), []).append(" > ".join(better))
    for kind, pairs in kinds.items():
        decided += _listed("pair", kind, pairs)
    around = []
    if old.get("scale") != new.get("scale"):
        scales = f"of {new.get('scale')} now, of {old.get('scale')} before"
        around.append(f"Means are on the scale {scales}.")
    around += _came_and_went("system", before.names, after.names)
    around += _came_and_went("judge", before.judges, after.judges)
    return Changes(tuple(decided), (*around, *_inputs(old, new)))


def _content(board: Board) -> Mapping[str, Any]:
    """Return a leaderboard as JSON has it."""
    if isinstance(board, (str, os.PathLike)):
        return read_result(board)
    return board if isinstance(board, Mapping) else json.loads(board.to_json())


def _kind(before: int, after: int) -> str:
    if not before:
        return "newly told apart"
    return "told apart the other way round" if after else "no longer told apart"


class _Board:
    """A leaderboard read back from JSON."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.names = [row["system"] for row in content["systems"]]
        self.groups = [set(group) for group in content["groups"]]
        self.judges = [judge["name"] for judge in content.get("judges") or []]

    def apart(self, one: str, other: str) -> int:
        """1 if one is told apart as the better, -1 as the worse, 0 if they share a group."""
        if any({one, other} <= group for group in self.groups):
            return 0
        return 1 if self.names.index(one) < self.names.index(other) else -1

    def places(self, name: str, among: list[str]) -> tuple[int, int]:
        """The best and the worst rank, among some systems."""
        above = sum(self.apart(other, name) > 0 for other in among if other != name)
        below = sum(self.apart(other, name) < 0 for other in among if other != name)
        return above + 1, len(among) - below


def _gate_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Changes:
    before, after = (
        {(one["candidate"], one["measure"]): one for one in content["gates"]}
        for content in (old, new)
    )
    decided, around = [], []
    for key in (key for key in after if key in before):
        was, now, what = before[key], after[key], " by ".join(key)
        if was["verdict"] != now["verdict"]:
            decided.append(f"{what}: {was['verdict']} before, {now['verdict']} now.")
        elif moved := moved_numbers(was["difference"], now["difference"], "difference"):
            around.append(f"{what}, still {now['verdict']}: {moved[0]}.")
    names = [[" by ".join(key) for key in found] for found in (before, after)]
    around += [*_came_and_went("candidate", *names), *_inputs(old, new)]
    return Changes(tuple(decided), tuple(around))


POLICIES = ("rel", "level", "undefined", "unjudged", "depth", "together", "order")
JUDGES_BY_NAME = ("only", "without")  # judges may differ; which ones, is said
OF_GATES = ("baseline", "margin", "level")


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return why two results cannot be compared."""
    if "gates" in old:
        one, other = old["gates"][0], new["gates"][0]
        pairs = [(name, one[name], other[name]) for name in OF_GATES]
    else:
        pairs = [(name, old.get(name), new.get(name)) for name in ("measure", "merge", "target")]
        one, other = old.get("settings", {}), new.get("settings", {})
        pairs += [(name, one.get(name), other.get(name)) for name in POLICIES]
        one, other = one.get("labels") or {}, other.get("labels") or {}
        shared = [name for name in one if name in other and name not in JUDGES_BY_NAME]
        pairs += [(name, one[name], other[name]) for name in shared]
    reasons = [f"{name} was {was}, now {now}" for name, was, now in pairs if was != now]
    if "topics" in old and not set(old["topics"] or {}) & set(new.get("topics") or {}):
        reasons.append("the collections have no topic in common")
    return reasons


def _refuse_others(old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Refuse results that cannot be compared, with all reasons."""
    for content in (old, new):
        if not ({"systems", "groups"} <= content.keys() or content.get("gates")):
            raise InputError(
                "this result is neither a leaderboard nor a gate", code="not-comparable",
                remedy="compare leaderboards or gates that were written as JSON",
            )  # fmt: skip
    mixed = ("gates" in old) != ("gates" in new)
    reasons = ["one is a gate, the other a leaderboard"] if mixed else _differences(old, new)
    if reasons:
        raise InputError(
            f"these results cannot be compared: {'; '.join(reasons)}",
            code="not-comparable", remedy="make both with the same measure and options",
        )  # fmt: skip


def _came_and_went(what: str, before: list[str], after: list[str]) -> list[str]:
    return [
        *_listed(what, "added", [name for name in after if name not in before]),
        *_listed(what, "removed", [name for name in before if name not in after]),
    ]


def _listed(what: str, happened: str, names: list[str]) -> list[str]:
    """Return a sentence on things to which something happened, if there are any."""
    return [f"{plural(len(names), what)} {happened}: {few(names, MANY)}."] if names else []


def _inputs(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Inputs that both have, with other content; those of one only are judges and systems."""
    before, after = (
        {one["path"]: one["sha256"] for one in content.get("provenance", {}).get("inputs", [])}
        for content in (old, new)
    )
    other = [path for path in before if path in after and before[path] != after[path]]
    found = _listed("input", "changed", other)
    versions = [content.get("provenance", {}).get("hungjury") for content in (old, new)]
    if all(versions) and versions[0] != versions[1]:
        found.append(f"hungjury {versions[0]} before, {versions[1]} now.")
    return found


def _span(places: tuple[int, int]) -> str:
    low, high = places
    return str(low) if low == high else f"{low} to {high}"


def moved_numbers(old: Any, new: Any, place: str = "") -> list[str]:
    """Return where two results differ by more than the last digit that is shown."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [key for key in {**old, **new} if key not in (APART, "provenance")]
        return [m for k in keys for m in moved_numbers(old.get(k), new.get(k), f"{place}.{k}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [m for i, (a, b) in pairs for m in moved_numbers(a, b, f"{place}[{i}]")]
    if isinstance(old, float) and isinstance(new, (int, float)):
        same = abs(old - new) <= 5e-4 * max(1.0, abs(old))
        return [] if same else [f"{place.lstrip('.')}: {old:.6g} before, {new:.6g} now"]
    return [] if old == new else [f"{place.lstrip('.')}: {old!r} before, {new!r} now"]
