"""How commands treat people: what is wrong is told early, in their words; nothing is ignored."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from builders.commands import ALL, hungjury
from hungjury.base.errors import InputError, MissingExtra, Note
from hungjury.cli.main import hungjury as group
from hungjury.cli.main import summaries, writes
from hungjury.cli.output import MOST_NOTES, REMOVE_LINE, _wrapped, print_notes, progress_bar
from hungjury.cli.reading import DEFAULT
from hungjury.users.model import Dynamic, UserClass, UserModel


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manners")
    made = CliRunner().invoke(
        group, ["simulate", "-o", f"{folder}/demo", "--systems", "3", "--topics", "6"]
    )
    assert made.exit_code == 0
    return folder


@pytest.mark.parametrize("name", ALL)
def test_no_command_takes_a_negative_seed(name: str) -> None:
    for option in ALL[name].params:
        if option.name == "seed":
            with pytest.raises(click.BadParameter, match="0<=x<="):
                option.type_cast_value(click.Context(ALL[name]), "-1")


@pytest.mark.parametrize("name", ALL)
def test_a_folder_that_is_not_there_is_told_before_the_work(name: str, tmp_path: Path) -> None:
    for option in ALL[name].params:
        if writes(option):
            with pytest.raises(click.BadParameter, match="create it first"):
                option.type_cast_value(click.Context(ALL[name]), f"{tmp_path}/nowhere/x.svg")


@pytest.mark.parametrize("name", ALL)
def test_a_missing_package_is_told_before_the_work(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for option in ALL[name].params:
        drawn = ".svg" in (getattr(option, "help", None) or "") or option.name == "rankings"
        if drawn or option.name == "report":
            with pytest.raises(click.BadParameter, match="matplotlib" if drawn else "jinja2"):
                option.type_cast_value(click.Context(ALL[name]), f"{tmp_path}/x.svg")


def test_every_option_that_writes_a_file_is_checked() -> None:
    """What is written is told by the help; a study and a simulation make their own folders."""
    verbs = ("write", "save", "plot ", "draw", "database", ".svg")
    told = {
        (name, option.name)
        for name, command in ALL.items()
        for option in command.params
        if isinstance(option, click.Option)
        and option.metavar in ("FILE", "DB", "FOLDER")
        and any(verb in (option.help or "").lower() for verb in verbs)
    }
    checked = {
        (name, option.name)
        for name, command in ALL.items()
        for option in command.params
        if writes(option)
    }
    assert len(checked) > 15
    folders = {(n, o) for n, o in told if n.split()[0] in ("study", "simulate")}
    assert told - checked - folders == set()


def test_missing_texts_are_told_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    for name in ("leaderboard", "label"):
        for option in ALL[name].params:
            if option.name in ("queries", "documents"):
                assert option.callback is not None
                with pytest.raises(InputError, match="no such file"):
                    option.callback(click.Context(ALL[name]), option, ("nowhere.tsv",))
                with pytest.raises(MissingExtra, match="ir_datasets"):
                    option.callback(click.Context(ALL[name]), option, ("ir_datasets:beir/x",))


def test_texts_are_for_a_report(demo: Path) -> None:
    words = ("--judges", "demo/judges/*", "--runs", "demo/runs/*", "--queries", "demo/gold.qrels")
    done = hungjury("leaderboard", *words, cwd=demo)
    assert done.returncode == 2
    assert "--queries needs --report" in done.stderr


def test_options_that_draw_are_known() -> None:
    found = {
        (name, option.name)
        for name, command in ALL.items()
        for option in command.params
        if ".svg" in (getattr(option, "help", None) or "")
    }
    assert found >= {("agreement", "plot"), ("curve", "output"), ("prm", "plot"),
                     ("clicks", "plot"), ("train", "plot")}  # fmt: skip


def test_a_study_wants_its_packages_before_the_work(
    monkeypatch: pytest.MonkeyPatch, demo: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = CliRunner().invoke(
        group, ["study", "markov", "--data", f"{demo}/demo", "-o", f"{demo}/study"]
    )
    assert isinstance(done.exception, MissingExtra)
    assert not (demo / "study").exists()


def test_a_dash_is_standard_output(demo: Path) -> None:
    there = ("demo/gold.qrels", "demo/runs/*", "-m", "AP", "--quiet")
    assert (
        hungjury("evaluate", *there, "-o", "-", cwd=demo).stdout
        == hungjury("evaluate", *there, cwd=demo).stdout
        != ""
    )
    assert not (demo / "-").exists()


def test_merged_labels_go_through_a_pipe(demo: Path) -> None:
    merged = hungjury("merge", "--judges", "demo/judges/*", "--rel", "1", "--quiet", cwd=demo)
    scored = ("demo/runs/*", "-m", "AP", "--quiet")
    piped = hungjury("evaluate", "-", *scored, cwd=demo, stdin=merged.stdout)
    hungjury("merge", "--judges", "demo/judges/*", "--rel", "1", "-o", "m.qrels", cwd=demo)
    assert piped.stdout == hungjury("evaluate", "m.qrels", *scored, cwd=demo).stdout != ""


def test_a_simulation_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    first = ["simulate", "-o", "x", "--topics", "2", "--odd", "lazy", "--odd", "lazy"]
    told = hungjury(*first, cwd=tmp_path)
    judges = sorted(path.name for path in (tmp_path / "x" / "judges").iterdir())
    assert judges[-2:] == ["lazy.qrels", "lazy2.qrels"]
    assert f"{len(judges)} judges" in told.stderr
    (tmp_path / "x" / "runs" / "mine.run").write_text("1 Q0 a 1 1 mine\n")
    second = ["simulate", "-o", "x", "--systems", "2", "--accuracies", "0.9,0.8", "--quiet"]
    assert hungjury(*second, cwd=tmp_path).stderr == ""
    assert sorted(path.name for path in (tmp_path / "x").glob("*/*")) == [
        "judge1.qrels", "judge2.qrels", "mine.run", "system1.run", "system2.run",
    ]  # fmt: skip


def test_a_simulation_replaces_nothing_that_it_did_not_write(tmp_path: Path) -> None:
    (tmp_path / "mine" / "judges").mkdir(parents=True)
    (tmp_path / "mine" / "judges" / "judge1.qrels").write_text("1 0 a 1\n")
    hungjury("simulate", "-o", "demo", "--topics", "2", cwd=tmp_path)
    changed = tmp_path / "demo" / "gold.qrels"
    changed.write_text("1 0 a 1\n")
    for folder in ("mine", "demo"):
        before = {path: path.read_bytes() for path in (tmp_path / folder).glob("**/*.*")}
        done = hungjury("simulate", "-o", folder, "--topics", "3", cwd=tmp_path)
        assert done.returncode == 2
        assert "not from an earlier simulation" in done.stderr
        assert {path: path.read_bytes() for path in (tmp_path / folder).glob("**/*.*")} == before
    changed.unlink()
    (tmp_path / "demo" / "runs" / "system9.run").write_text("1 Q0 a 1 1 mine\n")
    assert hungjury("simulate", "-o", "demo", "--systems", "9", cwd=tmp_path).returncode == 2
    assert hungjury("simulate", "-o", "demo", "--systems", "8", cwd=tmp_path).returncode == 0


def test_a_simulation_into_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = hungjury("simulate", "-o", "file", cwd=tmp_path)
    assert done.returncode == 2
    assert "remedy: give a folder" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("agreement", "--judges", "J", "--runs", "R", "-m", "AP", "-m", "RR"), "one measure"),
        (("agreement", "--judges", "J", "-m", "RR"), "-m needs --runs"),
        (("aware", "--judges", "J", "--runs", "R", "-m", "AP", "-m", "RR", "--all", "--gold", "G"),
         "one measure"),
        (("evaluate", "G", "R", "-n"), "-n needs -q"),
        (("audit", "--judges", "J", "--qrels", "G"), "give either --judges or a qrels file"),
        (("evaluate", "G", "R", "-q", "--format", "latex"), "does not support -q"),
        (("evaluate", "G", "R", "nDCG@10"), "-m nDCG@10"),
        (("evaluate", "G", "R", "--grades", "3-0"), "such as --grades 0-3"),
        (("agreement", "--judges", "demo/judges/judge1.qrels", "demo/judges/judge2.qrels", "x"),
         "unexpected argument 'demo/judges/judge2.qrels' (and 1 more)"),
    ],
)  # fmt: skip
def test_what_would_be_ignored_is_refused(
    demo: Path, arguments: tuple[str, ...], said: str
) -> None:
    named = {"J": "demo/judges/*", "R": "demo/runs/*", "G": "demo/gold.qrels"}
    done = hungjury(*(named.get(a, a) for a in arguments), cwd=demo)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("evaluate", "twice", "R"), "use --duplicates first, last or max, or"),
        (("evaluate", "twice", "R"), "several judges"),
        (("evaluate", "G", "R", "-m", "ERR", "--ties", "expected"),
         "use --ties trec or input for"),
        (("aware", "--judges", "J", "--runs", "R", "--weights", "supervised"),
         "give --gold"),
        (("agreement", "--judges", "named"), "--judge-column iteration"),
        (("evaluate", "nope", "R"), "check the path"),
        (("evaluate", "--scores", "scores.csv"), "--repeated-scores"),
        (("evaluate", "G", "R", "demo/runs/system1.run"), "give it once"),
    ],
)  # fmt: skip
def test_remedies_name_options_and_not_arguments(
    demo: Path, arguments: tuple[str, ...], remedy: str
) -> None:
    (demo / "twice").write_text("1 0 doc1-0 1\n1 0 doc1-0 0\n")
    (demo / "scores.csv").write_text("system,topic,AP\na,1,0.5\na,1,0.6\nb,1,0.5\n")
    (demo / "named").write_text("1 anna doc1-0 1\n1 bert doc1-0 0\n")
    named = {"J": "demo/judges/*", "R": "demo/runs/*", "G": "demo/gold.qrels"}
    done = hungjury(*(named.get(a, a) for a in arguments), cwd=demo)
    assert done.returncode == 2
    assert remedy in done.stderr.split("remedy: ")[1]


def test_the_relevance_level_has_the_letter_of_trec_eval(demo: Path) -> None:
    there = ("demo/gold.qrels", "demo/runs/*", "-m", "AP", "--quiet")
    done = hungjury("evaluate", *there, "-l", "1", cwd=demo)
    assert done.stdout == hungjury("evaluate", *there, "--rel", "1", cwd=demo).stdout != ""


def test_notes_that_are_left_out_are_where_it_says(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hungjury.cli.output.MOST_NOTES", 0)
    files = ["--judges", f"{demo}/demo/judges/*", "--runs", f"{demo}/demo/runs/*"]
    done = CliRunner().invoke(group, ["leaderboard", *files, "--draws", "100", "--format", "json"])
    notes = json.loads(done.stdout)["notes"]
    left_out = [note for note in notes if note["about"] != "result"]
    assert len(left_out) > 1
    assert done.stderr.splitlines()[-1] == f"note: {len(left_out)} more (see --format json)"


def test_notes_on_results_come_before_those_on_files(capsys: pytest.CaptureFixture[str]) -> None:
    """Audits repeat what is unusual about files, and nothing else."""
    files = [Note(f"odd{i}", 1, f"odd {i}") for i in range(20)]
    judges = Note("near-copies", 2, "two near-copies", about="judges")
    print_notes(
        [*files, judges, Note("little-gold", 1, "do not trust it", about="result")], quiet=False
    )
    lines = capsys.readouterr().err.splitlines()
    assert lines[:3] == ["note: do not trust it", "note: two near-copies", "note: odd 0"]
    assert lines[-1] == f"note: {22 - MOST_NOTES} more (see `hungjury audit`)"


def test_the_audit_counts_in_words_that_fit(demo: Path) -> None:
    (demo / "one.qrels").write_text("1 0 a 1\n")
    (demo / "one.run").write_text("1 Q0 a 1 1 one\n")
    said = hungjury("audit", "one.qrels", "one.run", cwd=demo).stdout
    assert "1 list on judged topics, 1 document long" in said
    assert (
        "50 documents long" in hungjury("audit", "demo/gold.qrels", "demo/runs/*", cwd=demo).stdout
    )


def test_weights_stand_in_columns(demo: Path) -> None:
    asked = ["aware", "--judges", "demo/judges/*", "--runs", "demo/runs/*"]
    (demo / "demo/judges/a-longer-name.qrels").write_bytes(
        (demo / "demo/judges/judge1.qrels").read_bytes()
    )
    table = hungjury(*asked, "--quiet", cwd=demo).stdout.split("\n\n")[1].splitlines()
    (demo / "demo/judges/a-longer-name.qrels").unlink()
    assert len(table) == 7
    assert len({len(line) for line in table}) == 1


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_an_example_and_every_option_a_word(name: str) -> None:
    assert "Example" in (ALL[name].help or "")
    options = [one for one in ALL[name].params if isinstance(one, click.Option)]
    assert [one.opts for one in options if not one.help] == []


@pytest.mark.parametrize("name", ["", "study", "theory"])
def test_lists_of_commands_hold_whole_sentences(name: str) -> None:
    done = CliRunner().invoke(group, [*name.split(), "--help"], terminal_width=80)
    listed = done.stdout.split("Commands:")[1]
    assert not [line for line in listed.splitlines() if line.endswith("...")]
    assert all(len(line) <= 80 for line in listed.splitlines())


@pytest.mark.parametrize("name", ["evaluate", "compare"])
def test_the_measures_that_are_the_default_are_told(name: str) -> None:
    (option,) = [one for one in ALL[name].params if one.name == "measures"]
    assert isinstance(option, click.Option)
    assert f"Default: {', '.join(DEFAULT[:-1])} and {DEFAULT[-1]}." in str(option.help)


def test_a_switch_of_a_study_is_a_switch(demo: Path) -> None:
    options = {one.name: one for one in ALL["study aware"].params if isinstance(one, click.Option)}
    assert options["drop_empty"].is_flag
    assert "[default: ]" not in str(options["sizes"].help)


def test_the_first_sentence_of_a_measure_is_a_whole_one() -> None:
    listed = " ".join(hungjury("measures").stdout.split())
    assert "probabilities instead of relevance (RR eq. 1)" in listed
    page = hungjury("measures", "eRAP").stdout.splitlines()
    assert max(map(len, page)) <= 90
    assert not [line for line in page if "None" in line]
    assert [line.split("  ")[1] for line in page if line.startswith("  re")] == [
        "rel",
        "recall_base",
    ]


@pytest.mark.parametrize("name", ["nDCG@10", "ndcg_cut_10", "ndcg"])
def test_a_measure_is_found_by_any_of_its_names(name: str) -> None:
    assert hungjury("measures", name).stdout == hungjury("measures", "nDCG").stdout != ""


def test_many_measures_of_few_systems_stand_below_each_other(demo: Path) -> None:
    asked = ("evaluate", "demo/gold.qrels", "demo/runs/*", "--quiet", "-m")
    tall = [line.split() for line in hungjury(*asked, "official", cwd=demo).stdout.splitlines()]
    assert tall[0] == ["measure", "system1", "system2", "system3"]
    assert len(tall) > 20
    wide = [line.split() for line in hungjury(*asked, "AP", cwd=demo).stdout.splitlines()]
    assert dict(zip(tall[0][1:], *[row[1:] for row in tall if row[0] == "AP"], strict=True)) == (
        dict(map(tuple, wide[1:]))
    )


@pytest.mark.parametrize("name", summaries())
def test_the_list_of_commands_shows_the_first_sentence_of_each(name):
    command = group.get_command(click.Context(group), name)
    assert command.name == name
    assert command.short_help == summaries()[name]


RISING = {
    "evaluate": ("G", "R"),
    "compare": ("G", "R"),
    "leaderboard": ("--judges", "J", "--runs", "R", "--draws", "100"),
    "aware": ("--judges", "J", "--runs", "R"),
    "aware --all": ("--judges", "J", "--runs", "R", "--gold", "G", "--replicates", "3"),
    "gate": ("--qrels", "G", "--runs", "R", "--baseline", "system1", "--candidate", "system2"),
}


@pytest.mark.parametrize("command", RISING)
def test_users_who_look_more_at_later_ranks_are_never_used_in_silence(
    demo: Path, command: str
) -> None:
    """nMCG of a document can be larger at rank 5 than at rank 1."""
    rising = UserClass("all", (0.1, 0.2, 0.3, 0.4), Dynamic(-0.3, 0.05, 0.3))
    UserModel((rising,)).save(demo / "rising.json")
    named = {
        "J": f"{demo}/demo/judges/*",
        "R": f"{demo}/demo/runs/*",
        "G": f"{demo}/demo/gold.qrels",
    }
    words = [*command.split(), *(named.get(word, word) for word in RISING[command])]
    measure = f'nMCG(user="{demo / "rising.json"}")@4'
    for extra, times in (([], 1), (["--quiet"], 0)):
        done = CliRunner().invoke(group, [*words, "-m", measure, *extra])
        assert done.exit_code in (0, 1, 3), done.output
        assert done.stderr.count("does not decrease, so nMCG can exceed 1") == times


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("evalute", "No such command 'evalute'. Did you mean evaluate?"),
        ("leader", "Did you mean leaderboard?"),
        ("xyz", "No such command 'xyz'.\n"),
    ],
)
def test_commands_that_are_not_there(typed: str, said: str) -> None:
    done = hungjury(typed)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(("number", "more"), [(1, None), (2, "note: 2 more (see there)")])
def test_a_single_note_is_not_left_out(
    number: int, more: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = [Note(f"odd{i}", 1, f"odd {i}") for i in range(MOST_NOTES + number)]
    print_notes(notes, False, "there")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == MOST_NOTES + 1
    assert lines[-1] == (more or f"note: odd {MOST_NOTES}")


def test_notes_on_the_result_are_never_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Notes on judges hid that almost all gold labels were ignored."""
    judges = [Note(f"odd{i}", 1, f"odd {i}", about="judges") for i in range(MOST_NOTES)]
    result = [Note(f"bad{i}", 1, f"bad {i}", about="result") for i in range(MOST_NOTES + 2)]
    print_notes([*judges, *result], False, "there")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [*(f"note: {note}" for note in result), f"note: {MOST_NOTES} more (see there)"]


def test_terminals_get_whole_words_and_whole_rows() -> None:
    sentence = "  this is a sentence of several words"
    row = "system1   0.738   0.668-0.807   64 %"
    assert _wrapped(f"{sentence}\n\n{row}\n", 20) == (
        f"  this is a sentence\n    of several words\n\n{row}\n"
    )
    assert _wrapped("short\n", 20) == "short\n"


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("hungjury evaluate go", "file,go"),
        ("hungjury evaluate gold.qrels ru", "file,ru"),
        ("hungjury leaderboard --judges ju", "file,ju"),
        ("hungjury leaderboard --report r", "file,r"),
        ("hungjury study markov --data d", "file,d"),
        ("hungjury rank r", "file,r"),
        ("hungjury leaderboard --gold-design r", "plain,random"),
        ("hungjury compare --baseline s", ""),
    ],
)
def test_files_are_completed_by_the_shell(words: str, completed: str) -> None:
    """Completion that knows no files took that of the shell away."""
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = CliRunner().invoke(
        group, env={**asked, "_HUNGJURY_COMPLETE": "bash_complete"}, prog_name="hungjury"
    )
    assert done.stdout.strip() == completed


def test_progress_is_shown_on_a_terminal_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar(quiet=False, worthwhile=True) as progress:
        assert progress is not None
        for done in (1, 2, 5):
            progress(done, 5, "scoring")
    shown = terminal.getvalue()
    assert "scoring" in shown
    assert [f"{done}/5" in shown for done in range(1, 6)] == [True, True, False, False, True]
    assert shown.endswith(REMOVE_LINE)
    for quiet, worthwhile in ((True, True), (False, False)):
        with progress_bar(quiet, worthwhile) as progress:
            assert progress is None
    monkeypatch.setattr(sys, "stderr", StringIO())
    with progress_bar(quiet=False, worthwhile=True) as progress:
        assert progress is None
