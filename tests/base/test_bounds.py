"""Numbers that users choose have bounds: counts, levels, margins, seeds."""

from __future__ import annotations

import inspect

import click
import numpy as np
import pytest
from benchmarks.truth.coverage import Coverage

import hungjury as hj
from builders.commands import hungjury as run_command
from hungjury.base.errors import HungjuryError, InputError, check_seed
from hungjury.base.parameters import MOST_DRAWS, MOST_GRADE, MOST_RANKS, check_count
from hungjury.cli.main import hungjury
from hungjury.cli.options import Number
from hungjury.data.simulation import simulate
from hungjury.measures.catalogue import CATALOGUE
from hungjury.stats.multiple import randomised_tukey
from hungjury.stats.paired import bootstrap_test, randomisation_test
from hungjury.stats.resampling import bootstrap_means
from hungjury.studies.combining import judge_tuples


def options(command, path=()):
    """(command, option) of everything that takes a number."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from options(command.get_command(context, name), (*path, name))
        return
    for option in command.params:
        if isinstance(option.type, (click.types.IntParamType, click.types.FloatParamType)):
            yield " ".join(path), option


NUMBERS = [pytest.param(o, id=f"{c} {o.opts[-1]}") for c, o in options(hungjury)]


@pytest.mark.parametrize("option", NUMBERS)
def test_every_number_of_the_command_line_has_bounds(option):
    assert isinstance(option.type, (click.IntRange, Number))
    assert option.type.min is not None
    assert option.type.max is not None
    for text in ("nan", "inf", "1e308", "99999999999999999999999", "\uff11", "1_0"):
        if isinstance(option.type, Number) or text not in ("\uff11", "1_0"):
            with pytest.raises(click.BadParameter):
                option.type.convert(text, option, None)


def test_numbers_were_found():
    assert len(NUMBERS) > 40


def test_no_measure_reads_more_ranks_than_a_list_can_have():
    needed = {"GAP": "(g=[1])", "xGAP": "(g=[1])", "eGAP": "(g=[1])"}
    for name in (cls.name for cls in CATALOGUE if cls.at == "cutoff" and cls.name != "E"):
        with pytest.raises(HungjuryError, match=rf"must be in \[1, {MOST_RANKS}\]"):
            hj.measure(f"{name}{needed.get(name, '')}@{MOST_RANKS + 1}")


@pytest.mark.parametrize("value", [0, MOST_DRAWS + 1, 1.5, "3", None, True, 10**30])
def test_counts_outside_their_range_are_refused(value):
    with pytest.raises(InputError, match="draws must be an integer from 1 to 100,000") as caught:
        check_count("draws", value, 1, MOST_DRAWS)
    assert caught.value.code == "out-of-range"


QRELS, RUN = {"1": {"a": 1, "b": 0}}, {"1": {"a": 2.0, "b": 1.0}}
JUDGES = {"x": {"1": {"a": 1, "b": 0}}, "y": {"1": {"a": 1, "b": 1}}}


@pytest.mark.parametrize(
    "call",
    [
        lambda: simulate(grades=70_000),
        lambda: simulate(grades=MOST_GRADE + 2),
        lambda: simulate(accuracies=[float("nan")]),
        lambda: simulate(hardness=float("inf")),
        lambda: hj.evaluate(QRELS, RUN, "AP", depth=MOST_RANKS + 1),
        lambda: hj.evaluate(QRELS, RUN, "nDCG(gains={1: 1e308})"),
        lambda: hj.evaluate(QRELS, RUN, "E(AP, draws=1000000000)"),
        lambda: hj.evaluate(QRELS, RUN, f"AP@{10**30}"),
        lambda: hj.prm(hj.read_judgments(JUDGES), smoothing=1e308),
        lambda: hj.prm(hj.read_judgments(JUDGES), draws=10**9),
        lambda: hj.leaderboard(JUDGES, RUN, "AP", draws=10**9),
    ],
)
def test_numbers_of_python_have_bounds(call):
    with pytest.raises(HungjuryError) as caught:
        call()
    assert caught.value.remedy


@pytest.mark.parametrize("scale", ["0-999999999999", "0-1001", "\uff10-3", "0--3", "1,x", "-"])
def test_scales_have_bounds(tmp_path, scale):
    path = tmp_path / "q"
    path.write_text("1 0 a 1\n")
    found = run_command("audit", str(path), "--grades", scale)
    assert found.returncode == 2
    assert "remedy: declare" in found.stderr
    assert "--grades 0-3" in found.stderr


# Levels and margins that are none are refused in words, before any work.


MADE = hj.simulate(systems=3, topics=4, documents=40, depth=10)
SCORES = hj.evaluate(MADE.gold, MADE.runs, "nDCG@10")
NO_LEVEL = ["0.9", None, 0, 1, -0.5, 2, float("nan"), True]


@pytest.mark.parametrize("level", NO_LEVEL, ids=repr)
def test_levels(level):
    calls = (
        lambda: hj.leaderboard(MADE.judgments, MADE.runs, "nDCG@10", level=level),
        lambda: hj.gate(MADE.gold, MADE.runs, "system1", "system2", level=level),
        lambda: hj.compare(SCORES, alpha=level),
        lambda: hj.stats.rbo(["a", "b"], ["b", "a"], p=level),
    )
    for call in calls:
        with pytest.raises(InputError, match="between 0 and 1, both excluded") as caught:
            call()
        assert caught.value.code == "out-of-range"


@pytest.mark.parametrize("margin", ["0.1", -1, float("nan"), float("inf")], ids=repr)
def test_margins(margin):
    with pytest.raises(InputError, match="margin must be"):
        hj.gate(MADE.gold, MADE.runs, "system1", "system2", margin=margin)
    with pytest.raises(InputError, match="margin must be"):
        hj.compare(SCORES, margin=margin)


# Seeds that are none are refused in one way, wherever a seed is taken.


SMALL = hj.simulate(systems=3, topics=3, documents=20, depth=10)
GIVEN = (SMALL.judgments, SMALL.runs)
SMALL_SCORES = hj.evaluate(SMALL.gold, SMALL.runs, "AP")
VALUES = np.random.default_rng(0).normal(size=(3, 40))

BY_JUDGES = hj.read_scores(
    [{"judge": j, "system": s, "topic": t, "score": (len(t) + ord(s) + ord(j)) % 5}
     for j in "xy" for s in "ab" for t in ("u", "vv", "www")], scale="0-4",
)  # fmt: skip
PUBLIC = {
    "compare_merges": lambda seed: hj.compare_merges(SMALL.judgments, SMALL.gold, seed=seed),
    "agreement_with_gold": lambda seed: hj.agreement_with_gold(
        SMALL.judgments, SMALL.gold, seed=seed
    ),
    "aware": lambda seed: hj.aware(*GIVEN, "AP", replicates=2, seed=seed),
    "check_axioms": lambda seed: hj.theory.check_axioms("AP", 3, seed=seed),
    "compare": lambda seed: hj.compare(SMALL_SCORES, seed=seed),
    "compare_approaches": lambda seed: hj.studies.compare_approaches(
        *GIVEN, "AP", SMALL.gold, replicates=2, seed=seed
    ),
    "compare_rankers": lambda seed: hj.ltr.compare_rankers([], user="user.json", seed=seed),
    "discriminative_power": lambda seed: hj.studies.discriminative_power(SMALL_SCORES, seed=seed),
    "aware_of_scores": lambda seed: hj.aware_of_scores(BY_JUDGES, seed=seed),
    "downsample": lambda seed: hj.studies.downsample(SMALL.gold, 0.5, seed),
    "gate": lambda seed: hj.gate(SMALL.gold, SMALL.runs, "system1", "system2", "AP", seed=seed),
    "leaderboard": lambda seed: hj.leaderboard(*GIVEN, "AP", draws=100, seed=seed),
    "merge": lambda seed: hj.merge(SMALL.judgments, "mv", seed=seed),
    "merge_table": lambda seed: hj.merge_table("labels.csv", "merged.csv", "mv", seed=seed),
    "plan": lambda seed: hj.plan(*GIVEN, "AP", 5, seed=seed),
    "prm": lambda seed: hj.prm(SMALL.judgments, draws=10, seed=seed),
    "robustness": lambda seed: hj.studies.robustness(SMALL.gold, SMALL.runs, "AP", seed=seed),
    "significance_curve": lambda seed: hj.theory.significance_curve(trials=1, seed=seed),
    "simulate": lambda seed: hj.simulate(seed=seed),
    "tau_ap": lambda seed: hj.stats.tau_ap([1, 2, 3], [3, 1, 2], "sampled", 2, seed),
    "tuple_study": lambda seed: hj.studies.tuple_study(*GIVEN, "AP", SMALL.gold, seed=seed),
}
OTHERS = {
    "judge_tuples": lambda seed: judge_tuples(9, 4, 2, seed),
    "bootstrap_means": lambda seed: bootstrap_means(VALUES, 10, seed),
    "bootstrap_test": lambda seed: bootstrap_test(VALUES, 10, seed),
    "coverage": lambda seed: Coverage(seed=seed).run_all(),
    "randomisation_test": lambda seed: randomisation_test(VALUES, 10, seed),
    "randomised_tukey": lambda seed: randomised_tukey(VALUES, 10, seed),
}


@pytest.mark.parametrize("seed", [-1, 1.5, "1", None], ids=repr)
@pytest.mark.parametrize("call", [*PUBLIC.items(), *OTHERS.items()], ids=lambda one: one[0])
def test_seeds_that_are_none(call, seed):
    with pytest.raises(InputError) as caught:
        call[1](seed)
    assert caught.value.message in (f"seed is {seed!r}", f"rng is {seed!r}")
    assert "non-negative integer" in caught.value.remedy


def test_no_public_function_with_a_seed_is_forgotten():
    spaces = (hj, hj.ltr, hj.stats, hj.studies, hj.theory, hj.users)
    made = {name: getattr(space, name) for space in spaces for name in space.__all__}
    functions = {name: one for name, one in made.items() if inspect.isfunction(one)}
    assert {n for n, f in functions.items() if "seed" in inspect.signature(f).parameters} == set(
        PUBLIC
    )


def test_seeds_of_all_kinds_of_whole_numbers():
    for seed in (0, 2**70, np.int64(3), np.uint8(3)):
        check_seed(seed)
    same = [bootstrap_means(VALUES, 5, s) for s in (3, np.int64(3), np.random.default_rng(3))]
    assert all((one == same[0]).all() for one in same)
