"""The version is written once, and the files around the package agree with it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.paths import ROOT

ADDRESS = "https://github.com/hungjury/hungjury"


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def project() -> Any:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.11 reads TOML")
    return tomllib.loads(text_of("pyproject.toml"))


def test_the_package_is_the_source_of_the_version(project: Any) -> None:
    """Builds read it by the pattern that scikit-build-core has for versions."""
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    source = project["tool"]["scikit-build"]["metadata"]["version"]["input"]
    (found,) = re.findall(r'^__version__ = "(.+)"$', text_of(source), re.M)
    assert found == hj.__version__


def test_the_citation_names_the_version() -> None:
    (found,) = re.findall(r"^version: (.+)$", text_of("CITATION.cff"), re.M)
    assert found == hj.__version__
    assert f"repository-code: {ADDRESS}\n" in text_of("CITATION.cff")


def test_the_changelog_begins_with_the_version() -> None:
    released = re.findall(r"^## \[(.+?)\]( - (unreleased|\d{4}-\d\d-\d\d))?$",
                          text_of("CHANGELOG.md"), re.M)  # fmt: skip
    versions = [version for version, _, _ in released if version != "Unreleased"]
    assert versions[0] == hj.__version__


def test_every_command_is_in_the_changelog() -> None:
    """While 0.1.0 is the only version, its list is a list of all there is."""
    from hungjury.cli.main import summaries

    told = set(re.findall(r"`([a-z-]+)", text_of("CHANGELOG.md")))
    assert set(summaries()) - {"completion"} <= told


def test_addresses_are_those_of_the_project(project: Any) -> None:
    assert all(url.startswith(ADDRESS) for url in project["project"]["urls"].values())
    for name in ("SECURITY.md", ".github/ISSUE_TEMPLATE/config.yml"):
        assert f"{ADDRESS}/security/advisories/new" in text_of(name)


def test_classifiers_exist(project: Any) -> None:
    known = pytest.importorskip("trove_classifiers").classifiers
    assert set(project["project"]["classifiers"]) <= known


@pytest.mark.parametrize("form", ["bug", "feature"])
def test_issue_forms(form: str) -> None:
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load(text_of(f".github/ISSUE_TEMPLATE/{form}.yml"))
    assert found["name"].lower() == form
    names = [part["id"] for part in found["body"]]
    assert len(set(names)) == len(names) > 1
    assert all(part["type"] in ("input", "textarea") for part in found["body"])
    assert any(part.get("validations", {}).get("required") for part in found["body"])


def test_commits_are_checked_as_by_make() -> None:
    yaml = pytest.importorskip("yaml")
    (local,) = yaml.safe_load(text_of(".pre-commit-config.yaml"))["repos"]
    hooks = {hook["id"]: hook["entry"] for hook in local["hooks"]}
    assert list(hooks) == ["ruff", "ruff-format", "mypy"]
    for entry in hooks.values():
        tool = entry.removeprefix(".venv/bin/").removesuffix(" --force-exclude")
        assert f"$(BIN)/{tool}" in text_of("Makefile")


def test_workflows_fit_their_schema() -> None:
    """As GitHub publishes it; the checker has a copy."""
    checker = pytest.importorskip("check_jsonschema", reason="pip install check-jsonschema")
    files = sorted(str(path) for path in (ROOT / ".github" / "workflows").glob("*.yml"))
    for kind, checked in (("workflows", files), ("actions", [str(ROOT / "action.yml")])):
        schema = ["--builtin-schema", f"vendor.github-{kind}"]
        done = CliRunner().invoke(checker.main, [*schema, *checked])
        assert done.exit_code == 0, done.output


def test_all_leaves_out_what_pulls_very_large_packages(project: Any) -> None:
    extras = project["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(re.findall(r"\w+", everything)) - {"hungjury"}
    assert set(extras) - named == {"all", "dev", "docs", "crowd", "remote", "spark"}


def test_the_lock_has_every_dependency_by_hash(project: Any) -> None:
    lock = text_of("requirements-dev.lock")
    assert "://" not in lock  # it is for any registry
    pins = re.split(r"\n(?=[a-z0-9])", lock)
    names = {re.split("==", pin)[0].strip() for pin in pins}
    assert all("--hash=sha256:" in pin for pin in pins)
    extras = project["project"]["optional-dependencies"]
    wanted = [*project["project"]["dependencies"], *extras["dev"], *extras["docs"], *extras["ltr"]]
    needed = {re.split(r"[\[<>=; ]", one)[0].lower().replace("_", "-") for one in wanted}
    assert needed - {"hungjury"} <= names


def test_a_missing_compiler_is_named(tmp_path: Path) -> None:
    cmake, make = shutil.which("cmake"), shutil.which("make")
    if cmake is None or make is None:
        pytest.skip("no cmake here")
    (tmp_path / "make").symlink_to(make)
    done = subprocess.run(
        [cmake, "-S", str(ROOT), "-B", str(tmp_path)], capture_output=True, text=True, check=False,
        env={"PATH": str(tmp_path), "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode != 0
    assert "apt-get install g++" in done.stderr
