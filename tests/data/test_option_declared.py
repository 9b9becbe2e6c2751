"""An option of reading is declared in one place, from which everything else follows."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import hungjury
from hungjury.cli.main import hungjury as group
from hungjury.data.reading.options import BESIDE, GRADES, JUDGES, LABELS, READING
from hungjury.native import _core

PACKAGE = Path(hungjury.__file__).parent
OPTIONS = Path("data/reading/options.py")
BEFORE = "    missing: Annotated["
TOY = '    toy: Annotated[Literal["plain", "fancy"], Option("plain", "A toy.")]\n'
# Finders of an editable install would find the package itself, not its copy.
SCRIPT = """
import contextlib, inspect, io, json, sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
import hungjury as hj
from hungjury.cli.main import main
from hungjury.data.reading.options import LabelPolicy
from hungjury.studies.data import Sources

assert LabelPolicy().toy == "plain"
qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 0.5}}
read = hj.read_qrels(qrels, toy="fancy")
assert read.settings.toy == "fancy" and hj.read_qrels(qrels).settings.toy == "plain"
panel = {"ann": qrels, "ben": qrels}
assert hj.read_judgments(panel, toy="fancy").settings.to_dict()["toy"] == "fancy"
assert hj.evaluate(qrels, run, "AP", toy="fancy").settings.labels.toy == "fancy"
assert hj.merge(panel, "mv", toy="fancy").settings.toy == "fancy"
for call, error in (
    (lambda: hj.read_qrels(qrels, toy="odd"), hj.HungjuryError),
    (lambda: hj.read_runs(run, toy="fancy"), TypeError),
):
    try:
        call()
    except error:
        pass
    else:
        raise AssertionError("not refused")
assert inspect.signature(hj.read_judgments).parameters["toy"].default == "plain"
assert "A toy." in hj.read_qrels.__doc__ and "A toy." not in hj.read_runs.__doc__
for name, text in (("q", "1 0 a 1\\n"), ("r", "1 Q0 a 1 0.5 x\\n")):
    with open(name, "w") as file:
        file.write(text)
assert Sources.of("r", gold="q", toy="fancy").labels.toy == "fancy"
sys.argv[1:] = ["evaluate", "q", "r", "-m", "AP", "--toy", "fancy", "--format", "json"]
out = io.StringIO()
with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
    main()
assert json.loads(out.getvalue())["settings"]["labels"]["toy"] == "fancy", out.getvalue()
"""


def test_a_new_option_costs_one_file(tmp_path):
    """A declared toy arrives in readers, settings, docstrings, commands and studies."""
    shutil.copytree(PACKAGE, tmp_path / "hungjury", copy_function=os.symlink)
    core = tmp_path / "hungjury" / "native" / Path(_core.__file__).name
    if not core.exists():  # an editable install builds it elsewhere
        core.symlink_to(_core.__file__)
    text = (PACKAGE / OPTIONS).read_text(encoding="utf-8")
    assert text.count(BEFORE) == 1
    (tmp_path / "hungjury" / OPTIONS).unlink()
    with_toy = text.replace(BEFORE, TOY + BEFORE)
    (tmp_path / "hungjury" / OPTIONS).write_text(with_toy, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def flags(command):
    """The options of a command by the name of their keyword."""
    return {option.name: option for option in group.get_command(None, command).params}


def test_commands_offer_every_option_of_their_readers():
    for command, options in (
        ("evaluate", LABELS | BESIDE),
        ("leaderboard", READING),
        ("audit", JUDGES | BESIDE),
        ("prm", JUDGES | BESIDE),
    ):
        found = flags(command)
        assert options.keys() <= found.keys()
        assert not found.keys() & (READING.keys() - options)
        for name, option in options.items():
            assert found[name].help == option.help
            assert tuple(getattr(found[name].type, "choices", ())) == option.choices


def test_gold_labels_are_grades_of_one_judge():
    assert LABELS.keys() - GRADES.keys() == {"scaling", "layout"}
