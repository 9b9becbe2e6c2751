"""What several test files need: reference data, and made-up collections."""

from __future__ import annotations

import gc
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from builders.browsers import chromium
from builders.collection import Collection, random_collection
from builders.examples import share_of
from builders.paths import SHARED

# jsonschema builds 38 parsers of addresses where it finds this package: five seconds for nothing.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# Continuous integration tries the same examples every time; people explore new ones.
SAME_EXAMPLES = os.environ.get("CI", "") != ""
settings.register_profile(
    "hungjury", max_examples=share_of(100), deadline=None, print_blob=not SAME_EXAMPLES,
    derandomize=SAME_EXAMPLES,
)  # fmt: skip
settings.load_profile("hungjury")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of reference data beside the project; tests that want it skip without it."""
    if not SHARED.is_dir():
        pytest.skip("no reference data: ../shared/data is not beside the project")
    return SHARED


@pytest.fixture(scope="session")
def dl21_panel(shared_data: Path) -> tuple[Any, Any, Any]:
    """TREC 2021 Deep Learning: judgments of 27 LLM judges, runs, and gold labels."""
    import hungjury as hj

    home = shared_data / "dl21"
    judges = sorted(map(str, (home / "judges-llama").glob("*.qrels.gz")))
    runs = sorted(map(str, (home / "runs").glob("*.run.gz")))
    return (
        hj.read_judgments(judges, duplicates="first", grades=range(4), outside="clip"),
        hj.read_runs(runs, score_precision="single"),
        hj.read_qrels(str(home / "qrels.nist.txt")),
    )


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Spark on two cores of this machine; tests that want it skip where it cannot run."""
    pytest.importorskip("pyspark", reason="no pyspark here (extra 'spark')")
    if shutil.which("java") is None:
        pytest.skip("Spark needs java, which is not here")
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers find what the tests have
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    yield session
    session.stop()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Nothing that is imported or collected becomes garbage: Python need not look for it again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`make slow` does not import files in which nothing is marked."""
    if config.getoption("markexpr").startswith("browser or") and collection_path.suffix == ".py":
        marked = re.search(r"mark\.(notebook|cluster|long)|browser", collection_path.read_text())
        return True if marked is None else None
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for a browser is marked by it; what takes longest starts first."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser; tests that want it skip without one."""
    with chromium() as one:
        yield one


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small collection for studies; tests must not write into it."""
    import hungjury as hj

    folder = tmp_path_factory.mktemp("study")
    hj.simulate(systems=3, topics=4, documents=40, depth=10).write(folder)
    return folder


@pytest.fixture(scope="session")
def study_sources(study_folder: Path) -> Any:
    from hungjury.studies.data import Sources

    return Sources.in_folder(study_folder)


@pytest.fixture
def svg_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures of studies are drawn once, not also as PDF and PNG."""
    monkeypatch.setattr("hungjury.report.study_page.PICTURES", ("svg",))


@pytest.fixture
def laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are not drawn: their files contain the first bytes of their kind."""
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    monkeypatch.setattr("hungjury.report.pictures.picture_bytes", lambda _, form: starts[form])


@pytest.fixture(scope="session")
def simulate() -> Callable[..., Collection]:
    """`simulate(seed)`: a small collection made from a seed."""
    return random_collection
