"""The options of a leaderboard, each declared once.

An option is one entry of `BoardArguments`: its name, the type that callers see, and an `Option`
with everything else. From it follow the keyword of `leaderboard` and `gate`, the flag of their
commands, the check of its value, the record that every step is given, and what the settings of a
leaderboard record.
"""

import os
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, SupportsIndex, TypeVar

from hungjury.base import choices
from hungjury.base.errors import check_seed
from hungjury.base.options import Option, Policy, check_known, declared
from hungjury.base.parameters import MOST_DRAWS, MOST_SEED, check_count, check_share, order_by
from hungjury.data.reading.options import READING, ReadingOptions, ScoreSettings, among

if TYPE_CHECKING:
    from hungjury.judges.merge_types import Merge
    from hungjury.measures.catalogue import Measure


FEWEST_DRAWS = 100  # for an interval


def _panel_error(size: Any) -> Any:
    return size if size is None else check_share("panel_error", size, ends=True)


def _looks(looks: Any) -> tuple[int, ...]:
    if looks is None:
        return ()
    from hungjury.stats.multiple import check_looks

    return tuple(check_looks(looks))


def _numbers(text: str) -> list[int]:
    """Parse '100,200,500'."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{text!r}: write integers as 100,200,500") from None


class PanelArguments(ReadingOptions, total=False):
    """What leaderboards and plans have in common, options of reading included."""

    rel: Annotated[
        int | None,
        Option(
            None,
            "Take labels as binary, with this as the lowest relevant grade.",
            flag=False,  # of many commands
        ),
    ]
    seed: Annotated[int, Option(0, "Random seed.", low=0, high=MOST_SEED, read=check_seed)]


class PlanArguments(PanelArguments, total=False):
    """The options of `plan`."""

    design: Annotated[
        choices.PlanDesign | None,
        Option(
            None,
            "Draw documents by influence on comparisons, uniformly, by whole topics, or by depth. "
            "Default: depth for RR and Success, whose labels decide in this order only, else "
            "influence.",
            '"influence": documents that matter more for comparisons are likelier to be drawn; '
            '"uniform": equal probabilities; "topics": whole pools of random topics, as many as '
            'fit; "depth": by the smallest rank in any run, for measures of the first relevant '
            "document.",
        ),
    ]


class BoardArguments(PanelArguments, total=False):
    """The options of `leaderboard`."""

    target: Annotated[
        choices.Target,
        Option(
            "population",
            "population: systems on topics like these; topics: on exactly these topics.",
            recorded=False,  # the leaderboard says it
        ),
    ]
    draws: Annotated[
        int,
        Option(
            1000,
            "Draws of labels (or of judges) and topics.",
            low=FEWEST_DRAWS,
            high=MOST_DRAWS,
            read=partial(check_count, "draws", least=FEWEST_DRAWS, most=MOST_DRAWS),
        ),
    ]
    level: Annotated[
        float,
        Option(
            0.95,
            "Level of all intervals.",
            "Systems are told apart at this level too.",
            low=0.5, high=1, open_high=True, read=partial(check_share, "level"),
        ),
    ]  # fmt: skip
    together: Annotated[
        bool,
        Option(
            False,
            "Tell systems apart with all pairs taken together, which allows for their number.",
            "Default: pair by pair, by the probability that one beats the other.",
        ),
    ]
    order: Annotated[
        str | float,
        Option(
            "mean",
            "Rank systems by their mean, their median, a quantile such as 0.1 (for the cautious), "
            "or by wins, the mean probability of being better than another system.",
            "Medians and quantiles are those of the draws.",
            metavar="mean|median|wins|Q", read=order_by,
        ),
    ]  # fmt: skip
    panel_error: Annotated[
        float | None,
        Option(
            None,
            "Typical error of the panel about a system, compared with people, as a share of the "
            "measure's range; 0 for the panel's own view. Default: by the families of judges.",
            "0.035 for one judge, 0.03 for one family, 0.022 for two and 0.018 for more; 0.03 to "
            "0.035 for deep measures.",
            low=0, high=1, read=_panel_error,
        ),
    ]  # fmt: skip
    contrary: Annotated[
        choices.Contrary,
        Option("drop", "Leave out judges whose labels contradict those of all others, or not."),
    ]
    families: Annotated[
        str | os.PathLike[str] | Mapping[str, str] | None,
        Option(
            None,
            "The LLM, or kind of people, behind each judge: a regular expression on names (the "
            "family is what it matches), or a file with a judge and its family on each line. "
            "Judges of one family share one vote.",
            "Or ``{judge: family}``. Near-copies always share one.",
            kind="str, path or dict",
            metavar="PATTERN|FILE",
            recorded=False,  # their number is
        ),
    ]
    kin: Annotated[
        str | os.PathLike[str] | Iterable[str] | None,
        Option(
            None,
            "Systems built on LLMs like the judges, who over-rate them: a regular expression on "
            "names, or a file with a system on each line.",
            "Or a list of names.",
            kind="str, path or list of str",
            metavar="PATTERN|FILE",
            recorded=False,  # the leaderboard says it
        ),
    ]
    gold_design: Annotated[
        choices.GoldDesign | None,
        Option(
            None,
            "How documents with gold labels were chosen: by a plan, at random, or as whole "
            "random topics.",
            "If this is not known, only a model corrects the panel.",
        ),
    ]
    estimate: Annotated[
        choices.GoldEstimate,
        Option(
            "combined",
            "Use gold labels together with the panel's differences between systems, or alone.",
            "Measures such as AP always use them alone.",
        ),
    ]
    looks: Annotated[
        Iterable[SupportsIndex] | None,
        Option(
            None,
            "Numbers of gold labels at which you check the result, the largest last; labelling "
            "may stop at any of them.",
            "Systems are then told apart by bounds that are valid over all looks.",
            kind="sequence of int",
            metavar="100,200,500",
            parse=_numbers,
            read=_looks,
            recorded=False,  # the correction says it
        ),
    ]
    scope: Annotated[
        choices.Scope,
        Option("topic", "Fit the judges of em on each topic, or on all topics together."),
    ]
    prior: Annotated[
        choices.Prior,
        Option(
            "ranks",
            "Prior of em. ranks: varies with the ranks of documents; flat: the same for all.",
        ),
    ]
    replicates: Annotated[
        int,
        Option(
            1000, "Random judges of each class, for AWARE's weights.", recorded=False, flag=False
        ),
    ]
    outlook: Annotated[
        bool,
        Option(
            True, "Also estimate what more topics or judges would change.",
            recorded=False, flag=False,
        ),
    ]  # fmt: skip


BOARD, PLAN = (
    {name: one for name, one in declared(kind).items() if name not in READING}
    for kind in (BoardArguments, PlanArguments)
)


class BoardOptions(Policy, options=BOARD):
    """The options that every step from a panel to a leaderboard is given."""

    measure: "Measure" = None  # type: ignore[assignment]  # always given
    merge: "Merge" = None  # type: ignore[assignment]


class PlanOptions(Policy, options=PLAN):
    """The options that a plan is made with."""


class LeaderboardSettings(ScoreSettings, kw_only=True, values=BoardOptions().recorded):
    """How a leaderboard was made."""

    judges: int
    families: int = 0  # that vote


P = TypeVar("P", bound=Policy)


def split_options(given: Mapping[str, Any], kind: type[P]) -> tuple[P, dict[str, Any]]:
    """Check options of this kind, and return them apart from those of reading."""
    check_known(given, {**kind.options, **READING})
    reading = {name: value for name, value in given.items() if name not in kind.options}
    return kind.of(among(given, kind.options)), reading
