"""Files are opened once: to see their format, and to read them."""

import sys
from collections import Counter

import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.reading import gzipped
from hungjury.cli.main import hungjury as group

COUNTED: list[Counter[str]] = []  # the counters that are listening; hooks cannot be removed


def _count(event, args):
    if event == "open" and isinstance(args[0], str):
        for counter in COUNTED:
            counter[args[0]] += 1


@pytest.fixture(scope="module")
def hook():
    sys.addaudithook(_count)


@pytest.fixture
def opens(hook):
    COUNTED.append(Counter())
    yield COUNTED[-1]
    COUNTED.clear()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of five judges, those of runs, and a table of all labels."""
    folder = tmp_path_factory.mktemp("collection")
    made = hj.simulate(systems=3, topics=4, documents=40, depth=20)
    made.write(folder)
    rows = [
        {"topic": topic, "document": document, "label": label, "judge": judge}
        for judge in made.judgments.judges
        for topic, labels in made.judgments.qrels_of(judge).to_dict().items()
        for document, label in labels.items()
    ]
    return sorted(map(str, (folder / "judges").iterdir())), str(folder / "runs" / "*"), rows


def test_a_leaderboard_opens_every_file_once(files, opens):
    judges, runs, _ = files
    assert len(judges) == 5
    hj.leaderboard(judges, runs, "P@5", draws=100)
    assert [opens[path] for path in judges] == [1] * 5
    assert {n for path, n in opens.items() if path.endswith(".run")} == {1}


def test_the_command_opens_every_file_once(files, opens):
    judges, runs, _ = files
    words = ["leaderboard", "--runs", runs, "-m", "P@5", "--draws", "100", "--quiet"]
    for path in judges:
        words += ["--judges", path]
    done = CliRunner().invoke(group, words)
    assert done.exit_code == 0, done.output
    assert [opens[path] for path in judges] == [1] * 5
    assert {n for path, n in opens.items() if path.endswith(".run")} == {1}


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv", "wide.csv"])
def test_a_table_of_judges_is_read_once(kind, files, opens, tmp_path):
    pl = pytest.importorskip("polars")
    _, _, rows = files
    path = str(tmp_path / f"labels.{kind}")
    frame = pl.DataFrame(rows)
    if kind == "parquet":
        frame.write_parquet(path)
    elif kind == "jsonl":
        frame.write_ndjson(path)
    elif kind == "csv":
        frame.write_csv(path)
    else:
        frame.pivot(on="judge", index=["topic", "document"], values="label").write_csv(path)
    opens.clear()
    judgments = hj.read_judgments(path, wide=kind == "wide.csv")
    assert len(judgments) == len(rows)
    assert opens[path] == 1


def test_compressed_qrels_are_opened_once(files, opens):
    judges, _, _ = files
    path = str(gzipped(judges[0], "packed.gz"))
    opens.clear()
    hj.read_qrels(path)
    assert opens[path] == 1


def test_a_table_of_probabilities_is_read_once(opens, tmp_path):
    pl = pytest.importorskip("polars")
    path = str(tmp_path / "p.parquet")
    pl.DataFrame({"topic": ["1", "1"], "document": ["a", "b"], "p0": [0.2, 1.0],
                  "p1": [0.8, 0.0]}).write_parquet(path)  # fmt: skip
    opens.clear()
    assert hj.read_qrels(path).grade_p.tolist() == [[0.2, 0.8], [1.0, 0.0]]
    assert opens[path] == 1


def test_a_file_left_open_is_closed(tmp_path, recwarn):
    """Errors between the look at the first line and the reading leave no open file behind."""
    path = tmp_path / "one.csv"
    path.write_text("who,what,why\n1,a,1\n")
    with pytest.raises(hj.HungjuryError, match="column"):
        hj.read_judgments(str(path))
    assert not [w for w in recwarn if issubclass(w.category, ResourceWarning)]
