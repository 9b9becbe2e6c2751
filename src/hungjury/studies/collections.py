"""The collections of a study: folders, or files that say where their parts are and how they are
read, with a name for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hungjury.collection.policy import ReadingOptions
from hungjury.errors import InputError
from hungjury.json_files import read_json
from hungjury.studies.data import Sources, folder_parts

__all__ = ["check_collections", "read_collection", "read_collections"]

ENDING = ".json"
FILES = ("runs", "judges", "gold")
_SHAPE = (
    'write an object such as {"folder": "dl19", "grades": [0, 1, 2, 3], "only": ["llm_*"]}; paths '
    "are relative to the file"
)


def read_collections(given: Sequence[str], **options: Any) -> list[Sources]:
    """Collections as the command line takes them: FOLDER, FILE.json, or NAME=FOLDER.

    options: those of `Sources.of`, for all collections; a file's own options take precedence.
    """
    found = [read_collection(one, **options) for one in given]
    check_collections(found)
    return found


def read_collection(given: str, **options: Any) -> Sources:
    """A folder, see `Sources.in_folder`, or a JSON file with its path, the paths of its parts, and
    options of reading, all optional. Its name is the one before "=", or that of folder or file."""
    name, equals, path = given.partition("=")
    if not equals or Path(given).exists():
        name, path = "", given
    place = Path(path)
    if place.suffix.lower() == ENDING and not place.is_dir():
        sources, known = _described(place, options), place.stem
    else:
        sources, known = Sources.in_folder(place, **options), place.absolute().name
    return sources.called(name or known)


def check_collections(collections: Sequence[Sources]) -> None:
    """Refuse collections with the same name or the same content."""
    for what, values in (
        ("are called", [one.name for one in collections]),
        ("hold the same files, like", [one.digest for one in collections]),
    ):
        value, times = Counter(values).most_common(1)[0]
        if times > 1:
            name = collections[values.index(value)].name
            raise InputError(
                f"{times} collections {what} '{name}'",
                code="same-collection",
                argument="data",
                remedy="give each collection once, with a name of its own such as NAME=FOLDER",
            )


def _described(file: Path, options: dict[str, Any]) -> Sources:
    said = read_json(str(file), "a description of a collection", _SHAPE)
    if not isinstance(said, dict):
        raise InputError(
            "not a description of a collection", file=str(file), code="invalid-file", remedy=_SHAPE
        )
    known = ["folder", *FILES, *ReadingOptions.__annotations__]
    for key in said:
        if key not in known:
            raise InputError(
                f"unknown key '{key}'",
                file=str(file),
                code="invalid-file",
                remedy=f"choose from {', '.join(known)}",
            )
    places = {key: _places(file, key, said.pop(key)) for key in ("folder", *FILES) if key in said}
    parts: dict[str, Any] = {}
    for folder in places.pop("folder", []):
        parts |= folder_parts(Path(folder))
    given = {name: value for name, value in options.items() if value is not None}
    return Sources.of(**{"runs": None, **parts, **given, **said, **places})


def _places(file: Path, key: str, said: Any) -> list[str]:
    """Paths relative to the file."""
    paths = said if isinstance(said, list) else [said]
    if not all(isinstance(path, str) for path in paths):
        raise InputError(
            f"'{key}' must be a path or a list of paths, got {said!r}",
            file=str(file),
            code="invalid-file",
            remedy=_SHAPE,
        )
    return [str(file.parent / path) for path in paths]
