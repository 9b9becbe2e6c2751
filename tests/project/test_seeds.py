"""Seeds that are none are refused in one way, wherever a seed is taken."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError, check_seed
from hungjury.judges.judge_scores import random_scores
from hungjury.stats.multiple import randomised_tukey
from hungjury.stats.paired import bootstrap_test, randomisation_test
from hungjury.stats.resampling import bootstrap_means
from hungjury.studies.coverage import coverage
from hungjury.studies.tuple_experiment import judge_tuples
from hungjury.theory.figures import significance_curve

MADE = hj.simulate(systems=3, topics=3, documents=20, depth=10)
GIVEN = (MADE.judgments, MADE.runs)
SCORES = hj.evaluate(MADE.gold, MADE.runs, "AP")
VALUES = np.random.default_rng(0).normal(size=(3, 40))

PUBLIC = {
    "agreement_with_gold": lambda seed: hj.agreement_with_gold(
        MADE.judgments, MADE.gold, seed=seed
    ),
    "aware": lambda seed: hj.aware(*GIVEN, "AP", replicates=2, seed=seed),
    "check_axioms": lambda seed: hj.theory.check_axioms("AP", 3, seed=seed),
    "compare": lambda seed: hj.compare(SCORES, seed=seed),
    "compare_approaches": lambda seed: hj.studies.compare_approaches(
        *GIVEN, "AP", MADE.gold, replicates=2, seed=seed
    ),
    "compare_rankers": lambda seed: hj.ltr.compare_rankers([], "user.json", seed=seed),
    "discriminative_power": lambda seed: hj.studies.discriminative_power(SCORES, seed=seed),
    "downsample": lambda seed: hj.studies.downsample(MADE.gold, 0.5, seed),
    "gate": lambda seed: hj.gate(MADE.gold, MADE.runs, "system1", "system2", "AP", seed=seed),
    "leaderboard": lambda seed: hj.leaderboard(*GIVEN, "AP", draws=10, seed=seed),
    "merge": lambda seed: hj.merge(MADE.judgments, "mv", seed=seed),
    "plan": lambda seed: hj.plan(*GIVEN, "AP", 5, seed=seed),
    "prm": lambda seed: hj.prm(MADE.judgments, draws=10, seed=seed),
    "robustness": lambda seed: hj.studies.robustness(MADE.gold, MADE.runs, "AP", seed=seed),
    "simulate": lambda seed: hj.simulate(seed=seed),
    "tau_ap": lambda seed: hj.stats.tau_ap([1, 2, 3], [3, 1, 2], "sampled", 2, seed),
    "tuple_study": lambda seed: hj.studies.tuple_study(*GIVEN, "AP", MADE.gold, seed=seed),
}
OTHERS = {
    "judge_tuples": lambda seed: judge_tuples(9, 4, 2, seed),
    "bootstrap_means": lambda seed: bootstrap_means(VALUES, 10, seed),
    "bootstrap_test": lambda seed: bootstrap_test(VALUES, 10, seed),
    "coverage": lambda seed: coverage(seed=seed).run_all(),
    "random_scores": lambda seed: random_scores([], 3, seed=seed),
    "randomisation_test": lambda seed: randomisation_test(VALUES, 10, seed),
    "randomised_tukey": lambda seed: randomised_tukey(VALUES, 10, seed),
    "significance_curve": lambda seed: significance_curve(trials=1, seed=seed),
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
