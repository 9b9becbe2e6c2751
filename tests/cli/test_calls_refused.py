"""What commands refuse, and what they say: every message is compared whole."""

from __future__ import annotations

import pytest

from builders.calls import call, folder, here  # noqa: F401 - fixtures

REFUSED = {
    "agreement --scores scores.csv --judges judges/*":
        "--scores takes the place of --judges, --runs and --gold",
    "agreement --scores scores.csv --runs runs/*":
        "--scores takes the place of --judges, --runs and --gold",
    "agreement --scores scores.csv --gold gold.qrels":
        "--scores takes the place of --judges, --runs and --gold",
    "agreement --runs runs/*": "give --judges, or --scores",
    "agreement --judges judges/* -m AP": "-m needs --runs",
    "agreement --judges judges/* --families x": "--families needs --runs",
    "agreement --judges judges/* --runs runs/* -m AP -m P@5":
        "only one measure can rank the systems; give -m once",
    "agreement --judges judges/* --plan plan.csv": "--plan needs --gold",
    "agreement --judges judges/* --gold gold.qrels --runs runs/*":
        "--gold compares labels; leave out --runs",
    "agreement --judges judges/* --picture rankings": "--picture needs --plot",
    "agreement --judges judges/* --plot-width page": "--plot-width needs --plot",
    "agreement --judges judges/* --csv-safe": "--csv-safe needs --format csv",
    "agreement --judges judges/* --plot - --format csv":
        "--plot - is for the terminal; give a file name",
    "audit --judges judges/* --qrels gold.qrels": "give either --judges or a qrels file",
    "audit gold.qrels --wide":
        "--judge-column, --repeats, --wide, --only and --without need --judges",
    "audit --runs runs/*": "give a qrels file or --judges",
    "aware --judges judges/* --runs runs/* --all": "--all needs --gold",
    "aware --judges judges/* --runs runs/* --all --gold gold.qrels -m AP -m P@5":
        "--all takes one measure; give -m once",
    "aware --judges judges/* --runs runs/* --all --gold gold.qrels --weights uni":
        "--all compares all weights; leave out --weights",
    "aware --judges judges/* --runs runs/* --replicates 3":
        "--replicates needs --all, or other --weights than uni and supervised",
    "aware --judges judges/* --runs runs/* --weights supervised --orientation printed":
        "--orientation needs --all, or other --weights than uni and supervised",
    "aware --judges judges/*": "give --judges and --runs, or --scores",
    "aware --runs runs/*": "give --judges and --runs, or --scores",
    "aware --scores scores.csv --judges judges/*":
        "--scores takes the place of labels and runs and their options",
    "aware --scores scores.csv --runs runs/*":
        "--scores takes the place of labels and runs and their options",
    "aware --scores scores.csv --all --gold j1":
        "--scores takes the place of labels and runs and their options",
    "aware --scores scores.csv --rel 1":
        "--scores takes the place of labels and runs and their options",
    "aware --scores scores.csv --drop-empty":
        "--scores takes the place of labels and runs and their options",
    "compare gold.qrels runs/* --marks letters": "--marks needs --table compact",
    "compare gold.qrels runs/* --caption x": "--caption needs --table compact",
    "compare gold.qrels runs/* --samples 9":
        "--samples needs --test randomisation, bootstrap or randomised-tukey",
    "compare gold.qrels": "give at least one run after the qrels file",
    "compare --runs runs/*": "give a qrels file and at least one run",
    "compare --scores scores.csv gold.qrels":
        "--scores takes the place of labels and runs; give only one",
    "compare --scores scores.csv --qrels gold.qrels":
        "--scores takes the place of labels and runs; give only one",
    "compare --scores scores.csv --runs runs/*":
        "--scores takes the place of labels and runs; give only one",
    "curve gold.qrels runs/* --depth 3": "--depth needs --by rank or --topic",
    "curve gold.qrels runs/* --by rank --depth 1001": "1001 is not in the range 1<=x<=1000.",
    "curve gold.qrels runs/* --csv-safe -o c.svg":
        "--csv-safe is for data; a plot has no formulas",
    "evaluate gold.qrels runs/* -n": "-n needs -q",
    "evaluate gold.qrels runs/* -q --format latex": "--format latex does not support -q",
    "evaluate gold.qrels runs/* --format trec --std":
        "--format trec has no place for --std, --interval or --quantile",
    "evaluate gold.qrels runs/* --format trec --interval 0.9":
        "--format trec has no place for --std, --interval or --quantile",
    "evaluate gold.qrels runs/* -c --topics retrieved":
        "-c means --topics judged; give only one of them",
    "evaluate - -": "stdin can be read only once; give - for one file",
    "evaluate gold.qrels runs/* AP": "AP is a measure, not a file; use -m AP",
    "evaluate gold.qrels runs/* -o x.md --csv-safe": "--csv-safe needs --format csv",
    "agreement --judges judges/* -o x.tex":
        "cannot write latex; choose another name for -o, or --format",
    "gate --runs runs/* --baseline a --candidate b":
        "give --qrels or --judges, with --runs; or --answers or --scores alone",
    "gate --qrels gold.qrels --baseline a --candidate b":
        "give --qrels or --judges, with --runs; or --answers or --scores alone",
    "gate --qrels gold.qrels --judges judges/* --runs runs/* --baseline a --candidate b":
        "give --qrels or --judges, with --runs; or --answers or --scores alone",
    "gate --scores scores.csv --runs runs/* --baseline a --candidate b":
        "give --qrels or --judges, with --runs; or --answers or --scores alone",
    "gate --answers answers.csv --scale 1-5 --scores scores.csv --baseline a --candidate b":
        "give --qrels or --judges, with --runs; or --answers or --scores alone",
    **{
        f"gate --qrels gold.qrels --runs runs/* --baseline system1 --candidate system2 {more}":
            "--gold, --plan and options of a panel such as --families go with --judges; "
            "--target and --draws go with --judges, --scores, or labels that are probabilities"
        for more in ("--gold gold.qrels", "--plan plan.csv", "--families x", "--rel 1",
                     "--target topics", "--draws 100")
    },
    "gate --answers answers.csv --baseline a --candidate b":
        "--answers needs --scale, such as --scale 1-5",
    "gate --answers answers.csv --scale 1-5 --judges judges/* --baseline a --candidate b":
        "--answers takes the place of labels and runs; give only one",
    "leaderboard --judges judges/* --qrels gold.qrels --runs runs/*":
        "give either --judges or --qrels",
    "leaderboard --judges judges/* --runs runs/* --scores scores.csv":
        "--judges and --runs and --scores exclude each other",
    "leaderboard --scores scores.csv --collection a=one":
        "--scores and --collection exclude each other",
    **{
        f"leaderboard --judges judges/* --runs runs/* --{name} x": f"--{name} needs --report FILE"
        for name in ("title", "author", "dataset")
    },
    "leaderboard --scores scores.csv --slices slices.csv":
        "--report, --plan, --slices and a second -m need --judges and --runs",
    "leaderboard --scores scores.csv -m AP -m P@5":
        "--report, --plan, --slices and a second -m need --judges and --runs",
    "leaderboard --collection a=one --plan plan.csv":
        "--report, --plan, --slices and a second -m need --judges and --runs",
    "leaderboard --collection a=one --report x.html":
        "--report, --plan, --slices and a second -m need --judges and --runs",
    "leaderboard --judges judges/*":
        "give --judges and --runs, --collection, --answers or --scores",
    "leaderboard --runs runs/*":
        "give --judges and --runs, --collection, --answers or --scores",
    "leaderboard --qrels gold.qrels":
        "give --judges and --runs, --collection, --answers or --scores",
    "leaderboard --judges judges/* --runs runs/* --estimate direct": "--estimate needs --gold",
    "leaderboard --judges judges/* --runs runs/* --scope all":
        "--scope needs an em merge or --gold",
    "leaderboard --judges judges/* --runs runs/* --prior flat": "--prior needs an em merge",
    **{
        f"leaderboard --judges judges/* --runs runs/* --seed-pattern x {more}":
            "--seed-pattern excludes --report, --plan, --gold, --slices, --best and a second -m"
        for more in ("--report x.html", "--plan plan.csv", "--gold gold.qrels",
                     "--slices slices.csv", "-m AP -m P@5")
    },
    "leaderboard --collection one": "--collection one: write NAME=FOLDER, of an existing folder",
    "leaderboard --collection a=nowhere":
        "--collection a=nowhere: write NAME=FOLDER, of an existing folder",
    "leaderboard --collection a=one --collection a=other":
        "--collection a=other: 'a' is given twice",
    "merge --judges judges/* --gold gold.qrels --gold gold.qrels": "give --gold once",
    "merge --judges judges/* --method mv --format csv": "--format needs --gold without --method",
    "merge --judges judges/* --gold gold.qrels --soft":
        "--gold without --method compares merges; choose a --method",
    "merge --judges judges/* --gold gold.qrels --runs runs/*":
        "--gold without --method compares merges; choose a --method",
    "merge --judges judges/* --gold gold.qrels --plot x.svg":
        "--gold without --method compares merges; choose a --method",
    "merge --judges judges/* --method mv --soft":
        "--soft needs a merge that gives probabilities; mv gives labels",
    "merge --judges judges/* --method mv --scope all": "--scope needs an em merge",
    **{
        f"merge --judges judges/* --method binmv --rel 1 {more}":
            f"{more.split()[0]} needs --runs"
        for more in ("--weights uni", "--ties input", "--score-precision single", "--names stem")
    },
    "plan --judges judges/* --budget 5": "give --judges and --runs, or --answers",
    "plan --runs runs/* --budget 5": "give --judges and --runs, or --answers",
    "prm --judges judges/* --rel 1 --relevant 1": "give --rel or --relevant, not both",
    "prm --judges judges/* --soft s.qrels --rel 1": "--soft needs --qrels and --rel or --relevant",
    "prm --judges judges/* --soft s.qrels --qrels gold.qrels":
        "--soft needs --qrels and --rel or --relevant",
    "prm --judges judges/* --runs runs/* --qrels gold.qrels":
        "--runs needs --qrels and --rel or --relevant",
    "prm --judges judges/* -m AP": "-m needs --runs",
    "prm --judges judges/* --pooling separate": "--pooling needs --kinds",
    "prm --judges judges/* --categories a:1,b:0 --map a:1": "give --categories or --map, not both",
    "prm --judges judges/* --relevant a": "--relevant takes integers such as 1,2,5, got a",
    "prm --judges judges/* --relevant 1.5": "--relevant takes integers such as 1,2,5, got 1.5",
    "label plan.csv": "name the database of labels: -o labels.db",
    "label plan.csv -o l.db --all": "--all needs --export",
    "label plan.csv --csv-safe -o l.db": "--csv-safe needs --export and --all",
    "label l.db --export - --csv-safe": "--csv-safe needs --export and --all",
    **{
        f"label l.db --export - {more}":
            "--export takes a database of labels and --all, nothing else"
        for more in ("--queries gold.qrels", "--person a", "-o x.db", "--grades 0-1", "--link x",
                     "--judges a", "--runs b", "-m AP", "--import c", "--rubric d",
                     "--answers answers.csv --scale 1-5", "--context e")
    },
    "label plan.csv -o l.db --judges judges/*": "results on the page need --judges, --runs and -m",
    "label plan.csv -o l.db --person a --person a": "give every --person a different name",
    "label plan.csv -o l.db --link x": "--link needs {document} where the id goes",
    "label plan.csv -o l.db --import gold.qrels --person a --person b":
        "give --person once, for files that do not name a judge",
    "plan --answers answers.csv --budget 6": "--answers needs --scale, such as --scale 1-5",
    **{
        f"plan --answers answers.csv --scale 1-5 --budget 6 {more}":
            "--answers takes the place of labels and runs; give only one"
        for more in ("--judges judges/*", "--runs runs/*")
    },
    "theory axioms AP --user x": "--user needs the table of all measures",
    "train x -o r.json --plot p.svg": "--plot needs --valid",
    "train x -o r.json --stop-after 3": "--stop-after needs --valid",
    "train x -o r.json --set a": "'a' is not a setting; use NAME=VALUE",
    "train x -o r.json --set =1": "'=1' is not a setting; use NAME=VALUE",
    "train x -o r.json --set a=": "'a=' is not a setting; use NAME=VALUE",
    "train x -o r.json --set num_leaves=3": "num_leaves has its own option; see --help",
    "train x -o r.json --set train=3": "train has its own option; see --help",
    "compare-rankers one a=other": "name every data set: NAME=one instead of one",
    "compare-rankers one other --folds 3":
        "--folds splits the data of one FOLDER; give one per data set",
    "rank r d --tag two\u00a0words": "'two\\xa0words' contains blanks, which separate columns",
    "study markov -o out": "give --data FOLDER, or --runs and whatever else the study needs",
}  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_what_a_command_refuses_and_what_it_says(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if line.startswith("label"):
        pytest.importorskip("uvicorn")
        monkeypatch.delattr("uvicorn.Server.run")  # a page would be waited for
    if "--set n" in line or "--set t" in line:
        pytest.importorskip("lightgbm")
    done = call(*line.split(" "))
    assert done.exit_code == 2
    assert done.stdout == ""
    told = done.stderr.rpartition("Error: ")[2].rstrip("\n")
    wanted = REFUSED[line]
    if wanted is not None:
        assert told.rpartition(": " if told.startswith("Invalid value") else "\0")[2] == wanted
