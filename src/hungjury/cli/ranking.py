"""Options shared by the commands on rankers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from hungjury.base.parameters import MOST_LEAVES, MOST_RANKS_OF_A_PAGE, MOST_TREES
from hungjury.cli.options import F, Number, all_of, count, grade, option, seed_option


def _settings(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> dict[str, Any]:
    """'name=value' pairs; values are numbers or true/false where they look so."""
    found: dict[str, Any] = {}
    for text in values:
        name, sign, value = text.partition("=")
        if not sign or not name or not value:
            raise click.BadParameter(f"{text!r} is not a setting; use NAME=VALUE")
        if name in _names_of_options():
            raise click.BadParameter(f"{name} has its own option; see --help")
        found[name] = _value(value)
    return found


def _names_of_options() -> set[str]:
    """LightGBM's names of what our options set, and the arguments of the functions they go to."""
    from inspect import signature

    from hungjury.ltr.compare import compare_rankers
    from hungjury.ltr.train import OURS, SETTINGS, train_ranker

    own = ("learning_rate", "num_leaves", "num_iterations", "early_stopping_round", "seed")
    names = {*own, *OURS, *(alias for name in own for alias in SETTINGS[name][1])}
    return names.union(*(signature(call).parameters for call in (train_ranker, compare_rankers)))


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


_TRAINING = [
    option(
        "--user",
        default="published-shape",
        metavar="FILE",
        help="User model written by `hungjury clicks -o`.",
    ),
    option(
        "--nav-rel",
        type=grade,
        default=3,
        help="A query with exactly one document of at least this grade is navigational.",
    ),
    option(
        "--cutoff",
        type=count(MOST_RANKS_OF_A_PAGE),
        default=10,
        help="Cutoff in training and in the measures.",
    ),
    option("--trees", type=count(MOST_TREES), default=1500, help="Maximum number of trees."),
    option("--leaves", type=count(MOST_LEAVES, 2), default=64, help="Number of leaves per tree."),
    option(
        "--learning-rate", type=Number(0, 1, min_open=True), default=0.05, help="Learning rate."
    ),
    click.option(
        "--set",
        "settings",
        multiple=True,
        callback=_settings,
        metavar="NAME=VALUE",
        help="Any other LightGBM parameter; repeatable.",
    ),
    seed_option("Random seed."),
]


def training_options(command: F) -> F:
    return all_of(_TRAINING)(command)


def lightgbm_settings(
    trees: int, leaves: int, learning_rate: float, settings: dict[str, Any]
) -> dict[str, Any]:
    return {
        "num_iterations": trees, "num_leaves": leaves, "learning_rate": learning_rate, **settings,
    }  # fmt: skip


@contextmanager
def without_warnings() -> Iterator[None]:
    """Hide warnings, which are printed as notes."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
