"""Numbers that a user chooses have bounds, on the command line and in Python."""

import click
import pytest
from click.testing import CliRunner

import hungjury as hj
from hungjury.base.errors import HungjuryError, InputError
from hungjury.base.parameters import MOST_DRAWS, MOST_GRADE, MOST_RANKS, check_count
from hungjury.cli.main import hungjury
from hungjury.cli.options import Number
from hungjury.data.simulation import simulate


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
    found = CliRunner().invoke(hungjury, ["audit", str(path), "--grades", scale])
    assert found.exit_code == 2
    assert "Invalid value for '--grades'" in found.output
