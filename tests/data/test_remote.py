"""Remote files: read through fsspec as local ones are, with errors that say what is missing."""

import gzip
import sys

import pytest

import hungjury as hj
from builders.commands import hungjury
from hungjury.base.errors import InputError, MissingExtra

fsspec = pytest.importorskip("fsspec")

LABELS = {"a": b"1 0 x 1\n1 0 y 0\n2 0 x 0\n2 0 z 1\n", "b": b"1 0 x 1\n1 0 y 1\n2 0 z 1\n"}
RUNS = {
    "bm25": b"1 Q0 x 1 2.5 bm25\n1 Q0 y 2 1.5 bm25\n2 Q0 x 1 3 bm25\n2 Q0 z 2 1 bm25\n",
    "dense": b"1 Q0 y 1 2.5 dense\n2 Q0 z 1 1 dense\n",
}
SCORES = b"topic,system,nDCG@10\n1,bm25,0.5\n1,dense,0.25\n2,bm25,1\n2,dense,0.75\n"


def write(files, folder):
    """Put a collection into a file system; half of it compressed."""
    for name, text in LABELS.items():
        files.pipe_file(f"{folder}/judges/{name}.qrels.gz", gzip.compress(text))
    for name, text in RUNS.items():
        files.pipe_file(f"{folder}/runs/{name}.run", text)
    files.pipe_file(f"{folder}/scores.csv", SCORES)


@pytest.fixture(params=["memory", "file"])
def at(request, tmp_path):
    """The addresses of a collection: in memory, or on this disk."""
    files = fsspec.filesystem(request.param)
    if request.param == "file":
        for name in ("judges", "runs"):
            (tmp_path / name).mkdir()
        write(files, str(tmp_path))
        yield f"file://{tmp_path}"
    else:
        write(files, "/collection")
        yield "memory://collection"
        files.rm("/collection", recursive=True)


@pytest.fixture
def here(tmp_path):
    """The same collection as local files."""
    folder = tmp_path / "here"
    for name in ("judges", "runs"):
        (folder / name).mkdir(parents=True)
    write(fsspec.filesystem("file"), str(folder))
    return str(folder)


def test_labels_runs_judges_gold_and_scores_are_read_as_local_files(at, here):
    def all_of(place):
        qrels, runs = f"{place}/judges/a.qrels.gz", f"{place}/runs/*.run"
        judges = hj.read_judgments(f"{place}/judges/*")
        board = hj.leaderboard(f"{place}/judges/*", runs, "AP", gold=qrels, draws=100)
        return [
            hj.read_qrels(qrels).to_dict(),
            hj.evaluate(qrels, runs, ["AP", "nDCG@10"]).to_dict(),
            hj.read_runs([f"{place}/runs/dense.run"], names="stem").to_dict(),
            (judges.judges, judges.label.tolist()),
            hj.audit(qrels, runs).facts,
            board.table().to_dicts(),
            hj.read_scores(f"{place}/scores.csv").to_dict(),
        ]

    assert all_of(at) == all_of(here)


def test_a_file_is_fetched_once(at, monkeypatch):
    kind = type(fsspec.core.url_to_fs(at)[0])
    fetched = []
    whole = kind.cat_file
    monkeypatch.setattr(
        kind, "cat_file", lambda self, path, **how: fetched.append(path) or whole(self, path, **how)
    )
    hj.evaluate(f"{at}/judges/a.qrels.gz", f"{at}/runs/*", "AP")
    assert len(fetched) == len(set(fetched)) == 3


def test_commands_take_addresses(at, here):
    out = []
    for place in (at, here):
        words = ["evaluate", f"{place}/judges/a.qrels.gz", f"{place}/runs/*", "-m", "AP"]
        out.append(hungjury(*words).stdout)
    assert out[0] == out[1]
    assert "bm25" in out[0]


@pytest.mark.parametrize(
    ("end", "says"),
    [("judges/none", "no such file"), ("judges", ": "), ("*.res", "no file matches")],
)
def test_what_is_not_there(at, end, says):
    with pytest.raises(InputError, match=says) as caught:
        hj.read_qrels(f"{at}/{end}")
    assert f"{at}/{end}" in str(caught.value)
    assert caught.value.remedy.startswith("check the")


def test_errors_of_a_file_system_name_the_address(monkeypatch):
    def refuse(self, path, **how):
        raise PermissionError("the key is not valid")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "cat_file", refuse)
    with pytest.raises(InputError, match="the key is not valid") as caught:
        hj.read_runs("memory://bucket/run")
    assert caught.value.file == "memory://bucket/run"
    assert "credentials" in caught.value.remedy


@pytest.mark.parametrize(
    ("address", "absent", "package"),
    [
        ("s3://bucket/q.qrels", "s3fs", "s3fs"),
        ("gs://bucket/q.qrels", "gcsfs", "gcsfs"),
        ("https://example.org/q.qrels?download=1", "aiohttp", "aiohttp"),
        ("hf://datasets/x/y/q.qrels", "huggingface_hub", "huggingface_hub"),
        ("memory://bucket/q.qrels", "fsspec.core", "fsspec"),
    ],
)
def test_a_missing_package_is_named_with_the_extra(address, absent, package, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == absent]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "fsspec.implementations.http", raising=False)
    known = sys.modules["fsspec.registry"]._registry
    monkeypatch.delitem(known, address.partition(":")[0], raising=False)
    monkeypatch.setitem(sys.modules, absent, None)
    with pytest.raises(MissingExtra, match=f"needs the package {package}\n") as caught:
        hj.read_qrels(address)
    assert (
        caught.value.remedy == f"pip install {package}, or 'hungjury[remote]' for all of its kind"
    )


def test_an_unknown_protocol():
    with pytest.raises(InputError, match="Protocol not known: nowhere") as caught:
        hj.read_qrels("nowhere://x")
    assert caught.value.file == "nowhere://x"
