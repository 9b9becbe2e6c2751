"""The options of training, each declared once.

An option is one entry of `TrainingArguments`: its name, the type that callers see, and an `Option`
with everything else. From it follow the keyword of the functions that train, its default, the flag
of the commands and the default of LightGBM's parameter of that name.
"""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from hungjury.base.options import Option, declared
from hungjury.base.parameters import (
    MOST_GRADE,
    MOST_LEAVES,
    MOST_RANKS_OF_A_PAGE,
    MOST_SEED,
    MOST_TREES,
)

if TYPE_CHECKING:
    from hungjury.users.model import UserModel


def _numbers(text: str) -> list[float]:
    """Parse '0.2,0.3,0.5'."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{text!r}: write numbers as 0.2,0.3,0.5") from None


class GoalArguments(TypedDict, total=False):
    """What a ranker is trained for."""

    user: Annotated[
        "str | os.PathLike[str] | UserModel",
        Option(
            "published-shape",
            "User model written by `hungjury clicks -o`.",
            'Or a `UserModel`, or ``"published-shape"``.',
            kind="str, path or UserModel",
            metavar="FILE",
        ),
    ]
    nav_rel: Annotated[
        int,
        Option(
            3, "A query with exactly one document of at least this grade is navigational.",
            low=1, high=MOST_GRADE,
        ),
    ]  # fmt: skip
    cutoff: Annotated[
        int,
        Option(10, "Cutoff in training and in the measures.", low=1, high=MOST_RANKS_OF_A_PAGE),
    ]
    thresholds: Annotated[
        Sequence[float] | None,
        Option(
            None, "For xgap and egap: P(the lowest grade that satisfies a user), of 1, 2, ...",
            "Default: all equal.",
            kind="sequence of float", metavar="0.2,0.3,0.5", parse=_numbers,
        ),
    ]  # fmt: skip


class FeatureArguments(TypedDict, total=False):
    """Which features a ranker may use."""

    features: Annotated[
        "str | Sequence[int] | None",
        Option(
            None, "Use only these features, numbered from 1, such as 1-20,25.",
            "Or a list of numbers.", kind="str or list of int", metavar="NUMBERS",
        ),
    ]  # fmt: skip
    drop: Annotated[
        "str | Sequence[int] | None",
        Option(
            None, "Do not use these features.", "As `features`.", kind="str or list of int",
            metavar="NUMBERS",
        ),
    ]  # fmt: skip


class TreeArguments(TypedDict, total=False):
    """Parameters of LightGBM with a default of their own."""

    num_iterations: Annotated[int, Option(1500, "Maximum number of trees.", low=1, high=MOST_TREES)]
    num_leaves: Annotated[int, Option(64, "Number of leaves per tree.", low=2, high=MOST_LEAVES)]
    learning_rate: Annotated[float, Option(0.05, "Learning rate.", low=1e-6, high=1)]
    early_stopping_round: Annotated[
        int,
        Option(
            100, "Stop after this many trees without improvement on --valid.",
            low=1, high=MOST_TREES,
        ),
    ]  # fmt: skip
    seed: Annotated[int, Option(0, "Random seed.", low=0, high=MOST_SEED)]


GOAL, FEATURES, TREES = map(declared, (GoalArguments, FeatureArguments, TreeArguments))


Options = dict[str, Any]


def split_options(given: Mapping[str, Any]) -> tuple[Options, Options, Options]:
    """Return what a ranker is trained for, defaults included, which features it may use, and the
    parameters of LightGBM."""
    goal = {name: given.get(name, option.default) for name, option in GOAL.items()}
    features = {name: given.get(name) for name in FEATURES}
    return goal, features, {k: v for k, v in given.items() if k not in GOAL | FEATURES}
