"""Every result in JSON fits its schema in docs/schemas."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from builders.commands import COMMANDS
from builders.paths import DOCS

sys.path.insert(0, str(DOCS / "site_tools"))
import schemas

jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("schemas")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(found)
        schemas.collection(found, 11, topics=5, systems=3, documents=60, depth=20)
    return found


@pytest.mark.parametrize("name", schemas.SAMPLES)
def test_results_fit_their_schema(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(folder)
    schema = json.loads((schemas.FOLDER / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    keys = check.evolve(schema=schema | {"properties": dict.fromkeys(schema["properties"], True)})
    for found in schemas.results(name):
        assert [f"{list(e.path)}: {e.message}" for e in check.iter_errors(found)] == []
        assert keys.is_valid(found)
        assert not keys.is_valid({**found, "more": 1})
        assert not keys.is_valid({k: v for k, v in found.items() if k != "provenance"})


def test_every_command_with_json_has_a_schema() -> None:
    forms = {
        name: next((p.type.choices for p in one.params if p.name == "form"), ())
        for name, one in COMMANDS.items()
    }
    with_json = {name for name, choices in forms.items() if "json" in choices}
    assert with_json == set(schemas.SAMPLES)
    assert {one.stem for one in schemas.FOLDER.glob("*.json")} == set(schemas.SAMPLES)
