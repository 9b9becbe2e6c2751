"""Every command does what its function does: what it prints is compared whole, for each option."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from typing import Any
from unittest.mock import ANY

import pytest

import hungjury as hj
from builders.calls import call, folder, here  # noqa: F401 - fixtures
from hungjury.judges.merge import merge_names
from hungjury.leaderboard.leaderboard import Boards, read_slices


@cache  # all tests are in one folder
def judges() -> Any:
    return hj.read_judgments("judges/*")


@cache
def runs() -> Any:
    return hj.read_runs("runs/*")


@cache
def gold() -> Any:
    return hj.read_qrels("gold.qrels")


def scores(*measures: str, **more: Any) -> Any:
    return hj.evaluate(gold(), runs(), list(measures) or ["nDCG@10", "AP", "P@10", "RR"], **more)


def spread(*measures: str) -> Any:
    return scores(*measures, distribution=True)


def table(**more: Any) -> Any:
    return hj.read_scores("scores.csv", **more)


def answers(scale: str = "1-5") -> Any:
    return hj.read_answers("answers.csv", scale=scale)


CALLS: dict[str, Callable[[], Any]] = {
    # agreement
    "agreement --judges judges/*": lambda: hj.agreement(judges()),
    "agreement --judges judges/* --runs runs/*": lambda: hj.agreement(judges(), runs(), "AP"),
    "agreement --judges judges/* --runs runs/* -m P@5 --rel 2 --families ^judge[12] --at-least 3":
        lambda: hj.agreement(judges(), runs(), "P@5", 2, "^judge[12]", 3),
    "agreement --judges judges/* --gold gold.qrels":
        lambda: hj.agreement_with_gold(judges(), gold()),
    "agreement --judges judges/* --gold gold.qrels --plan plan.csv --rel 1 --at-least 5":
        lambda: hj.agreement_with_gold(judges(), gold(), 1, ["plan.csv"], at_least=5),
    "agreement --scores scores.csv": lambda: hj.studies.correlate_measures(table()),
    "agreement --scores answers.csv --scale 1-5 -m j0 -m j1":
        lambda: hj.studies.correlate_measures(
            hj.read_scores("answers.csv", scale="1-5").select(measures=["j0", "j1"])),
    # aware
    "aware --judges judges/* --runs runs/*": lambda: hj.aware(judges(), runs(), ["AP"]),
    "aware --judges judges/* --runs runs/* -m AP -m P@5 --weights sgl_tau_msd --rel 1 --seed 3"
    " --replicates 3 --orientation printed --drop-empty":
        lambda: hj.aware(judges(), runs(), ["AP", "P@5"], "sgl_tau_msd", 1, 3, 3,
                         orientation="printed", drop_empty=True),
    "aware --judges judges/* --runs runs/* --weights supervised --gold gold.qrels":
        lambda: hj.aware(judges(), runs(), ["AP"], "supervised", gold=gold()),
    "aware --judges judges/* --runs runs/* --all --gold gold.qrels --replicates 3 --rel 1 --seed 2":
        lambda: hj.studies.compare_approaches(
            judges(), runs(), "AP", gold(), 1, 3, 2, merges=merge_names(of_judges=True)),
    "aware --scores answers.csv --scale 1-5 --weights sgl_rmse_md --replicates 4 --seed 5":
        lambda: hj.aware_of_scores(
            hj.read_scores("answers.csv", scale="1-5"), "sgl_rmse_md", 4, 5),
    "aware --scores answers.csv --scale 1-5 --weights supervised --gold j1":
        lambda: hj.aware_of_scores(
            hj.read_scores("answers.csv", scale="1-5"), "supervised", gold="j1"),
    # compare
    "compare gold.qrels runs/*": lambda: hj.compare(spread()),
    "compare gold.qrels runs/* -m AP --baseline system1 --baseline system3 --margin 0.05":
        lambda: hj.compare(spread("AP"), ["system1", "system3"], margin=0.05),
    "compare gold.qrels runs/* -m AP --test randomisation --samples 99 --seed 7 --alpha 0.1"
    " --correction bonferroni":
        lambda: hj.compare(spread("AP"), None, "randomisation", "bonferroni", alpha=0.1,
                           samples=99, seed=7),
    "compare gold.qrels runs/* -m AP --test bootstrap --samples 99":
        lambda: hj.compare(spread("AP"), None, "bootstrap", samples=99),
    "compare gold.qrels runs/* -m AP --test randomised-tukey --samples 99":
        lambda: hj.compare(spread("AP"), None, "randomised-tukey", samples=99),
    "compare gold.qrels runs/* -m AP --systems system2 --baseline system1":
        lambda: hj.compare(spread("AP"), ["system1"]).select(["system2"]),
    "compare gold.qrels runs/* -m AP --top 2": lambda: hj.compare(spread("AP")).select(None, 2),
    "compare gold.qrels runs/* -m AP --baseline system1 --table compact":
        lambda: hj.compare(spread("AP"), ["system1"]).compact(3, None, ""),
    "compare gold.qrels runs/* -m AP --baseline system1 --table compact --decimals 0"
    " --marks letters --caption Ours":
        lambda: hj.compare(spread("AP"), ["system1"]).compact(0, "letters", "Ours"),
    "compare --scores scores.csv -m AP": lambda: hj.compare(table().select(measures=["AP"])),
    # evaluate
    "evaluate gold.qrels runs/*": scores,
    "evaluate --qrels gold.qrels --runs runs/system1.run runs/system2.run -m AP":
        lambda: hj.evaluate(gold(), ["runs/system1.run", "runs/system2.run"], "AP"),
    "evaluate gold.qrels runs/* -m AP -c": lambda: scores("AP", topics="judged"),
    "evaluate gold.qrels runs/* -m AP --topics 1,2": lambda: scores("AP", topics=["1", "2"]),
    "evaluate gold.qrels runs/* -m AP -m P(rel=2)@5 --rel 2":
        lambda: scores("AP(rel=2)", "P(rel=2)@5"),
    "evaluate gold.qrels runs/* -m AP -M 3": lambda: scores("AP", depth=3),
    "evaluate gold.qrels runs/* -m AP --judged-only": lambda: scores("AP", unjudged="condensed"),
    "evaluate gold.qrels runs/* -m RBP --residual": lambda: scores("RBP", "Residual(RBP)"),
    "evaluate soft.qrels runs/* -m E(P@5) --std":
        lambda: hj.evaluate("soft.qrels", runs(), "E(P@5)").with_spread(True, None, ()),
    "evaluate soft.qrels runs/* -m E(P@5) --interval 0.5 --quantile 0.25 --quantile 0.75":
        lambda: hj.evaluate("soft.qrels", runs(), "E(P@5)", distribution=True)
        .with_spread(False, 0.5, (0.25, 0.75)),
    "evaluate --scores scores.csv": table,
    "evaluate --scores scores.csv -m P@5": lambda: table().select(measures=["P@5"]),
    # gate
    "gate --qrels gold.qrels --runs runs/* --baseline system1 --candidate system2 --margin 0.01"
    " --level 0.9 --seed 2":
        lambda: hj.gate(gold(), runs(), "system1", ["system2"], ["nDCG@10"], 0.01, level=0.9,
                        seed=2),
    "gate --qrels soft.qrels --runs runs/* --baseline system1 --candidate system2 --draws 100":
        lambda: hj.gate(hj.read_qrels("soft.qrels"), runs(), "system1", ["system2"], ["nDCG@10"],
                        0.0, draws=100),
    "gate --judges judges/* --runs runs/* --baseline system1 --candidate system2"
    " --candidate system3 -m AP -m P@5 --draws 100 --rel 1":
        lambda: hj.gate(judges(), runs(), "system1", ["system2", "system3"], ["AP", "P@5"], 0.0,
                        rel=1, draws=100),
    "gate --judges judges/* --runs runs/* --baseline system1 --candidate system2 --draws 100"
    " --gold gold.qrels --plan plan.csv":
        lambda: hj.gate(judges(), runs(), "system1", ["system2"], ["nDCG@10"], 0.0, draws=100,
                        gold=gold(), plan=["plan.csv"]),
    "gate --scores scores.csv --baseline system1 --candidate system2":
        lambda: hj.gate(table(), None, "system1", ["system2"], None, 0.0),
    "gate --scores scores.csv --baseline system1 --candidate system2 -m AP --seed 3 --draws 100":
        lambda: hj.gate(table(), None, "system1", ["system2"], ["AP"], 0.0, seed=3, draws=100),
    "gate --answers answers.csv --scale 1-5 --baseline s0 --candidate s1 --draws 100":
        lambda: hj.gate(answers().judgments, answers().runs, "s0", ["s1"], ["Mean@1"], 0.0,
                        draws=100),
    # leaderboard
    "leaderboard --judges judges/* --runs runs/* --draws 100":
        lambda: hj.leaderboard(judges(), runs(), "nDCG@10", "binmv", draws=100),
    "leaderboard --judges judges/* --runs runs/* -m AP --merge em-mv --rel 1 --scope all"
    " --prior flat --draws 100 --seed 1 --level 0.8":
        lambda: hj.leaderboard(judges(), runs(), "AP", "em-mv", rel=1, scope="all", prior="flat",
                               draws=100, seed=1, level=0.8),
    "leaderboard --judges judges/* --runs runs/* --draws 100 --gold gold.qrels --plan plan.csv"
    " --estimate direct":
        lambda: hj.leaderboard(judges(), runs(), "nDCG@10", "binmv", gold=gold(),
                               plan=["plan.csv"], estimate="direct", draws=100),
    "leaderboard --qrels gold.qrels --runs runs/* --draws 100":
        lambda: hj.leaderboard(gold(), runs(), "nDCG@10", "binmv", draws=100),
    "leaderboard --scores scores.csv --draws 100":
        lambda: hj.leaderboard_of_scores(table(), draws=100),
    "leaderboard --scores scores.csv -m P@5 --draws 100 --seed-pattern [12]$":
        lambda: hj.leaderboard_of_scores(table(), "P@5", seed_pattern="[12]$", draws=100),
    "leaderboard --answers answers.csv --scale 1-5 --draws 100":
        lambda: hj.leaderboard(answers().judgments, answers().runs, "Mean@1", "binmv", draws=100),
    "leaderboard --judges judges/* --runs runs/* --seed-pattern [12]$ --draws 100":
        lambda: hj.leaderboards({"all": (judges(), runs())}, "nDCG@10", merge="binmv",
                                seed_pattern="[12]$", draws=100),
    "leaderboard --collection a=one --collection b=other --common --draws 100":
        lambda: hj.leaderboards(collections(), "nDCG@10", merge="binmv", common=True, draws=100),
    "leaderboard --collection a=one --collection b=other --gold gold.qrels --draws 100":
        lambda: hj.leaderboards(
            collections(), "nDCG@10", merge="binmv", draws=100,
            gold={name: hj.read_qrels(f"{place}/gold.qrels") for name, place in PLACES.items()}),
    "leaderboard --judges judges/* --runs runs/* -m AP -m P@5 --draws 100":
        lambda: Boards.of(("AP", "P@5"), {}, board),
    "leaderboard --judges judges/* --runs runs/* --slices slices.csv --draws 100":
        lambda: Boards.of(("nDCG@10",), read_slices("slices.csv"), board),
    "leaderboard --judges judges/* --runs runs/* --slices slices.csv --draws 100"
    " --gold gold.qrels --plan plan.csv":
        lambda: Boards.of(("nDCG@10",), read_slices("slices.csv"), board_with_gold),
    # merge
    "merge --judges judges/* --gold gold.qrels --rel 1 --scope all --seed 2":
        lambda: hj.compare_merges(judges(), gold(), 1, "all", 2),
}  # fmt: skip
PLACES = {"a": "one", "b": "other"}


def collections() -> dict[str, Any]:
    return {
        name: (hj.read_judgments(f"{place}/judges/*"), hj.read_runs(f"{place}/runs/*"))
        for name, place in PLACES.items()
    }


def board(measure: str, topics: list[str] | None) -> Any:
    labels = judges() if topics is None else judges().select(topics)
    return hj.leaderboard(labels, runs(), measure, "binmv", draws=100)


def board_with_gold(measure: str, topics: list[str] | None) -> Any:
    labels, known = judges(), gold()
    if topics is not None:
        labels, known = labels.select(topics), known.select(topics)
    return hj.leaderboard(
        labels, runs(), measure, "binmv", gold=known, plan=["plan.csv"], draws=100
    )


@pytest.mark.parametrize("line", CALLS)
def test_a_command_prints_what_its_function_finds(line: str) -> None:
    done, found = call(*line.split(), "--quiet"), CALLS[line]()
    assert done.stdout.rstrip("\n") == found.to_text().rstrip("\n")
    assert done.stderr == ""
    passed = getattr(found, "passed", True)
    assert done.exit_code == (0 if passed else 1 if passed is False else 3)


FORMS = [
    line for line in CALLS
    if line in ("agreement --judges judges/*", "aware --judges judges/* --runs runs/*",
                "compare gold.qrels runs/* -m AP --top 2", "evaluate gold.qrels runs/*",
                "leaderboard --judges judges/* --runs runs/* --draws 100")
]  # fmt: skip


@pytest.mark.parametrize("line", FORMS)
def test_results_in_csv_and_json(line: str) -> None:
    found = CALLS[line]()
    words = [*line.split(), "--quiet"]
    assert call(*words, "--format", "csv").stdout == found.to_csv()
    mine = json.loads(call(*words, "--format", "json").stdout)
    assert (mine.pop("provenance")["inputs"], mine.pop("made")["folder"]) == (ANY, os.getcwd())
    theirs = json.loads(found.to_json())
    assert mine == {k: v for k, v in theirs.items() if k not in ("provenance", "made")}


# What is not a result by itself: text on stdout, and what is said on stderr


def merged(labels: Any, qrels: Any) -> tuple[str, str]:
    said = f"merged: {len(qrels)} documents for 6 topics, 5 judges merged by "
    return qrels.to_text(), f"{said}{labels.settings.merge}\n"


def of_merge(*given: Any, soft: bool = False, **more: Any) -> tuple[str, str]:
    found = hj.merge(judges(), *given, **more)
    return merged(found, found.plain() if soft else found.hard())


def few() -> Any:
    return hj.read_qrels("few.qrels")


def of_plan(*given: Any, **more: Any) -> tuple[str, str]:
    found = hj.plan(*given, **more)
    return found.to_csv(), found.to_text()


def prm_pages(*models: Any, qrels: Any = None) -> tuple[str, str]:
    pages = [f"relevant: {one.notion}\n{one}" for one in models]
    if qrels is not None:
        counts = [one.relevant_counts(qrels) for one in models]
        pages = [
            f"{page}\nthe qrels label {binary:,} documents relevant; another judge would label "
            f"about {expected:,.0f} relevant"
            for page, (binary, expected) in zip(pages, counts, strict=True)
        ]
    return "\n\n".join(pages), ""


def curve(by: str, topics: Any = "judged", depth: int = 0, rel: int = 1) -> tuple[str, str]:
    names = [f"IPrec(recall={i / 10}, rel={rel})" for i in range(11)]
    if by == "rank":
        both = [f"{kind}(rel={rel})@{n}" for n in range(1, depth + 1) for kind in ("P", "R")]
        names = ["NumRet", *both]
    found = hj.evaluate(gold(), runs(), names, topics)
    return (found.curve(rel, by).table() if by == "rank" else found).to_csv(), ""


def ordered(*given: Any, **more: Any) -> tuple[str, str]:
    found = hj.theory.compare_lists(*given, **more)
    return f"{found}\n\n{found.table()}", ""


MADE: dict[str, Callable[[], tuple[str, str]]] = {
    "merge --judges judges/*": lambda: of_merge("em-neu"),
    "merge --judges judges/* --method mv --rel 2 --seed 3":
        lambda: of_merge("mv", 2, seed=3),
    "merge --judges judges/* --method em-mv --rel 1 --scope all --soft --gold gold.qrels":
        lambda: of_merge("em-mv", 1, "all", soft=True, gold=gold()),
    "merge --judges judges/* --method binmv --rel 1 --soft --runs runs/* -m AP --weights uni":
        lambda: of_merge("binmv", 1, soft=True, runs=runs(), measure=["AP"], weights="uni"),
    "plan --judges judges/* --runs runs/* --budget 8":
        lambda: of_plan(judges(), runs(), ["nDCG@10"], 8),
    "plan --judges judges/* --runs runs/* --budget 60 -m AP --rel 1 --seed 2 --have few.qrels":
        lambda: of_plan(judges(), runs(), ["AP"], 60, have=few(), rel=1, seed=2),
    "plan --answers answers.csv --scale 1-5 --budget 6":
        lambda: of_plan(answers().judgments, answers().runs, ["Mean@1"], 6),
    "prm --judges judges/* --draws 20":
        lambda: prm_pages(*hj.prm(judges(), 1, draws=20).scenarios()),
    "prm --judges judges/* --rel 2 --draws 20 --seed 4 --smoothing 0.5":
        lambda: prm_pages(hj.prm(judges(), 2, draws=20, seed=4, smoothing=0.5)),
    "prm --judges judges/* --relevant 1,2 --draws 20 --users judge1 --users judge2"
    " --qrels gold.qrels":
        lambda: prm_pages(hj.prm(judges(), 1, [1, 2], draws=20, users=["judge1", "judge2"]),
                          qrels=gold()),
    "prm --judges judges/* --rel 1 --draws 20 --assessors judge1 --kinds [02468]$"
    " --pooling separate":
        lambda: prm_pages(hj.prm(judges(), 1, draws=20, assessors=["judge1"], kinds="[02468]$",
                                 pooling="separate")),
    "prm --judges judges/* --rel 1 --draws 20 --qrels gold.qrels --runs runs/* -m AP":
        lambda: (hj.prm(judges(), 1, draws=20).score(gold(), runs(), ["AP"]).to_text(), ""),
    "curve gold.qrels runs/*": lambda: curve("recall"),
    "curve gold.qrels runs/* --rel 2 --topic 2": lambda: curve("recall", ["2"], rel=2),
    "curve gold.qrels runs/* --by rank --depth 3 -o -": lambda: curve("rank", depth=3),
    "theory order 0,1 1,0": lambda: ordered([0, 1], [1, 0]),
    "theory order 0,2 1,1 --kind set --scale ratio":
        lambda: ordered([0, 2], [1, 1], "set", scale="ratio"),
    "theory axioms P@3 AP --length 3 --grades 2":
        lambda: ("\n\n".join(str(hj.theory.check_axioms(m, 3, 2)) for m in ("P@3", "AP")), ""),
    "theory scale AP P@2 --length 3 --grades 3 --order top":
        lambda: ("\n\n".join(str(hj.theory.interval_scale(m, 3, 3, "top"))
                             for m in ("AP", "P@2")), ""),
}  # fmt: skip
LOUD = ("merge", "plan")


@pytest.mark.parametrize("line", MADE)
def test_what_a_command_prints_and_says(line: str) -> None:
    quiet = [] if line.startswith((*LOUD, "theory")) else ["--quiet"]
    done, (shown, said) = call(*line.split(), *quiet), MADE[line]()
    assert done.stdout.rstrip("\n") == shown.rstrip("\n")
    assert "".join(t for t in done.stderr.splitlines(True) if not t.startswith("note: ")) == said
    if line.startswith(LOUD):
        assert call(*line.split(), "--quiet").stderr == ""


def test_topics_and_their_summary() -> None:
    from hungjury.report.comparison import topic_table, trec_lines

    found = scores("AP", "P@5")
    words = ["evaluate", "gold.qrels", "runs/*", "-m", "AP", "-m", "P@5", "-q", "--quiet"]
    assert call(*words).stdout == f"{topic_table(found)}\n\n{found.to_text()}\n"
    assert call(*words, "-n").stdout == f"{topic_table(found)}\n"
    assert call(*words, "--format", "csv").stdout == found.to_csv(True, True, False)
    assert call(*words, "-n", "--format", "csv", "--csv-safe").stdout == found.to_csv(
        True, False, True
    )
    mine = json.loads(call(*words, "--format", "json").stdout)
    theirs = json.loads(found.to_json(True))
    assert {k: mine[k] for k in theirs if k not in ("provenance", "made")} == {
        k: v for k, v in theirs.items() if k not in ("provenance", "made")
    }
    single = hj.evaluate(
        gold(), hj.read_runs("runs/*", score_precision="single"), ["AP", "P@5"], "retrieved"
    )
    wanted = [hj.measure("AP"), hj.measure("P@5")]
    lines = trec_lines(single, wanted, True, True)
    assert call(*words, "--format", "trec").stdout == lines


def test_decimals_of_means() -> None:
    found = scores("AP")
    words = ["evaluate", "gold.qrels", "runs/*", "-m", "AP", "--quiet"]
    assert call(*words, "--decimals", "0").stdout.rstrip("\n") == found.to_text(digits=0).rstrip(
        "\n"
    )
    words = ["compare", "gold.qrels", "runs/*", "-m", "AP", "--quiet", "--decimals", "2"]
    assert call(*words).stdout.rstrip("\n") == hj.compare(spread("AP")).to_text(digits=2).rstrip(
        "\n"
    )


def test_notes_are_printed_to_stderr() -> None:
    """A topic without labels is noted by every command that reads runs."""
    for words in (
        ["evaluate", "few.qrels", "runs/*", "-m", "AP"],
        ["compare", "few.qrels", "runs/*", "-m", "AP"],
        ["curve", "few.qrels", "runs/*"],
        ["gate", "--qrels", "few.qrels", "--runs", "runs/*", "--baseline", "system1",
         "--candidate", "system2"],
    ):  # fmt: skip
        assert call(*words).stderr.startswith("note: "), words
        assert call(*words, "--quiet").stderr == ""


class Drawn:
    """A plot that is not drawn."""

    saved: list[tuple[Any, ...]] = []  # noqa: RUF012

    def __init__(self, *what: Any) -> None:
        self.what = what

    def save(self, path: str, width: str | None = None) -> None:
        Drawn.saved.append((*self.what, path, width))

    def to_text(self, width: int) -> str:
        return f"{self.what} {width}"


PLOTS = {
    "agreement --judges judges/* --plot a.svg": ("Agreement", "kappa", None),
    "agreement --judges judges/* --runs runs/* --plot a.svg --picture tau --plot-width page":
        ("Agreement", "tau", "page"),
    "agreement --scores scores.csv --plot a.svg": ("MeasureCorrelation", "tau", None),
    "agreement --scores scores.csv --plot a.svg --picture tau_ap":
        ("MeasureCorrelation", "tau_ap", None),
    "agreement --scores scores.csv --plot a.svg --picture bump": ("Scores", "bump", None),
    "compare gold.qrels runs/* -m AP --plot a.svg --plot-width column":
        ("Comparison", "differences", "column"),
    "evaluate gold.qrels runs/* -m AP --plot a.svg --picture ranking": ("Scores", "ranking", None),
    "leaderboard --scores scores.csv --draws 100 --plot a.svg": ("ScoreBoard", None, None),
}  # fmt: skip


@pytest.mark.parametrize("line", PLOTS)
def test_what_is_drawn(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(Drawn, "saved", [])
    monkeypatch.setattr(
        "hungjury.base.results.Result._drawn",
        lambda self, picture, *how: Drawn(type(self).__name__, how),
    )
    done = call(*line.split(), "--quiet")
    assert done.exit_code == 0
    ((kind, how, path, width),) = Drawn.saved
    wanted = PLOTS[line]
    assert (kind, path, width) == (wanted[0], "a.svg", wanted[2])
    if wanted[1] is not None:
        assert wanted[1] in how
    words = [word for word in line.split() if word not in ("--plot-width", "page", "column")]
    words[words.index("a.svg")] = "-"
    shown = call(*words, "--quiet").stdout
    assert shown.endswith(f"\n\n({kind!r}, {how!r}) 100\n")
