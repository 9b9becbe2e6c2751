"""Whole outcomes of reading, as plain data: what was read, noted or refused.

Small cases are compared with what is stored beside the tests. After a change that is meant,
`EXPECTED=write pytest tests/data` writes them anew; look at the difference before you keep it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from builders.expected import WRITE
from hungjury.base.errors import HungjuryError, Note
from hungjury.base.text import finite
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.runs import Runs

EXPECTED = Path(__file__).parents[1] / "data" / "expected"
Case = Callable[[Path], Any]  # from a folder that it may use


def outcome(case: Case, folder: Path) -> Any:
    """What a case gives or refuses; the folder is not part of it."""
    try:
        found = plain(case(folder))
    except HungjuryError as error:
        found = plain(error)
    except (TypeError, ValueError) as error:
        found = {"raises": f"{type(error).__name__}: {error}"}
    return json.loads(json.dumps(finite(found)).replace(str(folder), "FOLDER"))


def plain(found: Any) -> Any:
    """Return results as dictionaries, lists, numbers and texts."""
    if isinstance(found, HungjuryError):
        more = [found.code, found.argument, plain(found.values), found.count]
        return {"error": str(found), "is": more}
    if isinstance(found, Note):
        return f"{found.kind} ({found.count}, {found.about}): {found}"
    if isinstance(found, Qrels):
        return {"labels": plain(found.to_dict()), **_shared(found)}
    if isinstance(found, Judgments):
        labels = {judge: plain(found.qrels_of(judge).to_dict()) for judge in found.judges}
        return {"labels": labels, "rows": len(found), "soft": found.soft, **_shared(found)}
    if isinstance(found, Runs):
        lists = {s: {t: found.ranked(s, t) for t in found.topics} for s in found.systems}
        return {"lists": lists, "notes": plain(found.notes)}
    if isinstance(found, dict):
        return {str(key): plain(one) for key, one in found.items()}
    if isinstance(found, (list, tuple)):
        return [plain(one) for one in found]
    if isinstance(found, float):
        return float(f"{found:.12g}")  # the last digits depend on the machine
    return found if found is None or isinstance(found, (str, int)) else str(found)


def _shared(found: Qrels | Judgments) -> dict[str, Any]:
    usual = type(found.settings)().to_dict()
    settings = {k: v for k, v in found.settings.to_dict().items() if v != usual[k]}
    return {"grades": found.grades, "settings": settings, "notes": plain(found.notes)}


def runs_of(found: Iterable[Any]) -> list[Any]:
    """Return [(value, how often in a row)]."""
    return [[value, len(list(same))] for value, same in groupby(found)]


def summary_of(case: Callable[[], Any]) -> str:
    """The code of the error, or the kinds of the notes, with their subjects."""
    try:
        return "; ".join(" ".join((note.kind, *note.subjects)) for note in case().notes)
    except HungjuryError as error:
        return f"! {error.code}"


def stored(name: str, cases: Mapping[str, Case]) -> dict[str, Any]:
    """Return the stored outcomes of a file's cases."""
    path = EXPECTED / f"{name}.json"
    if WRITE:
        found = {}
        for case, made in cases.items():
            with TemporaryDirectory() as folder:
                found[case] = outcome(made, Path(folder).resolve())
        text = ",\n".join(
            f"{json.dumps(key)}: {json.dumps(one, ensure_ascii=False)}"
            for key, one in found.items()
        )
        path.write_text(f"{{\n{text}\n}}\n")
    return dict(json.loads(path.read_text()))
