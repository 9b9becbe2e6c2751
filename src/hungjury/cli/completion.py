"""hungjury completion"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from hungjury.cli.output import deliver


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print shell code for tab completion of commands, options, measures and files.

    \b
    Examples:
      eval "$(hungjury completion bash)"
      hungjury completion fish > ~/.config/fish/completions/hungjury.fish
    """
    from hungjury.cli.main import hungjury

    kind = get_completion_class(shell)
    assert kind is not None
    deliver(kind(hungjury, {}, "hungjury", "_HUNGJURY_COMPLETE").source(), None)
