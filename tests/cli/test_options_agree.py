"""Commands offer the choices and the defaults of the functions they call."""

import inspect
from typing import Any, Literal, get_args, get_origin

import click
import pytest

import hungjury as hj
from hungjury.cli.main import hungjury as group

FUNCTIONS = {
    "agreement": hj.agreement,
    "audit": hj.audit,
    "aware": hj.aware,
    "clicks": hj.calibrate,
    "compare": hj.compare,
    "evaluate": hj.evaluate,
    "gate": hj.gate,
    "leaderboard": hj.leaderboard,
    "merge": hj.merge,
    "plan": hj.plan,
    "prm": hj.prm,
    "simulate": hj.simulate,
    "train": hj.train_ranker,
}


def choices(annotation: Any) -> set[str] | None:
    """The words of a literal type, alone or in a union."""
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    for part in get_args(annotation):
        found = choices(part)
        if found is not None:
            return found
    return None


def pairs() -> list[Any]:
    """Command, option and parameter of the same name."""
    found = []
    for name, function in FUNCTIONS.items():
        command = group.get_command(click.Context(group), name)
        parameters = inspect.signature(function).parameters
        for option in command.params:
            if isinstance(option, click.Option) and option.name in parameters:
                parameter = parameters[option.name]
                if parameter.annotation is parameter.empty:
                    continue  # option and parameter are made from one declaration
                found.append(pytest.param(function, option, parameter, id=f"{name} {option.name}"))
    return found


@pytest.mark.parametrize(("function", "option", "parameter"), pairs())
def test_an_option_is_the_parameter(function, option, parameter):
    if isinstance(option.type, click.Choice):
        scope = inspect.unwrap(function).__globals__
        assert choices(eval(parameter.annotation, dict(scope))) == set(option.type.choices)
    kinds = str, int, float
    if isinstance(parameter.default, kinds) and isinstance(option.default, kinds):
        assert option.default == parameter.default


def test_some_are_compared():
    assert len(pairs()) > 25


def test_every_command_completes_names_of_measures():
    found = 0
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        for option in command.params:
            if "-m" in option.opts:
                given = option.shell_complete(click.Context(command), "nd")
                assert [item.value for item in given] == ["nDCG"], name
                found += 1
    assert found > 6
