"""The `wlt` command: one module for each group of commands, and `console` for what they share.

Every command imports what it needs when it runs: an answer about two small graphs must not wait for torch, nor JSON
for rich. A user's mistake, or a file that the system denies, is one line on stderr and exit code 2; anything else that
goes wrong is a bug and shows its traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

import wlt
from wlt.cli import audit, compare, explore, expressiveness, keys, predict, report, reproduce, train
from wlt.cli.console import BadInput, say
from wlt.extras import EXTRAS, missing
from wlt.kernels import before_compiling

COMPILING = "compiling for this computer what the command needs; this takes some seconds, once after installation"

GROUPS: dict[str, tuple[Callable[..., None], ...]] = {
    "Look at one graph or two": (compare.compare, compare.inspect, explore.explore),
    "Look at a dataset": (audit.audit, audit.datasets, keys.keys, keys.duplicates),
    "Learn from graphs": (train.train, predict.predict),
    "Measure what models can tell apart": (expressiveness.expressiveness,),
    "Reproduce the paper": (reproduce.reproduce, report.report, reproduce.export_runs, reproduce.import_runs),
}


class Grouped(TyperGroup):
    """A group of commands whose help lists them by what they are for, with whole sentences."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, functions in GROUPS.items():
            with formatter.section(title):
                names = [function.__name__.replace("_", "-") for function in functions]
                formatter.write_dl([(name, _first_paragraph(self.commands[name].help or "")) for name in names])


def _first_paragraph(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


app = typer.Typer(cls=Grouped, pretty_exceptions_enable=False, rich_markup_mode=None)

for commands in GROUPS.values():
    for command in commands:
        app.command()(command)

# click's UsageError, or that of the copy of click which newer versions of typer bring along
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line, of this process unless other arguments are given; ends with SystemExit."""
    try:
        with before_compiling(lambda: say(COMPILING)):
            code = app(arguments, prog_name="wlt", standalone_mode=False)
    except BadInput as error:
        _exit_with_line(str(error))
    except _UsageError as error:
        usage: Any = error
        where = f" (see '{usage.ctx.command_path} --help')" if usage.ctx else ""
        _exit_with_line(usage.format_message() + where)
    except ImportError as error:
        if error.name not in EXTRAS:
            raise
        _exit_with_line(missing(error.name, "this command"))
    except OSError as error:
        if error.filename is None:
            raise
        _exit_with_line(f"{error.filename}: {error.strerror}")  # such as a folder that may not be entered
    sys.exit(code or 0)


def _exit_with_line(message: str) -> NoReturn:
    say(message)
    sys.exit(2)


@app.callback(invoke_without_command=True)
def _wlt(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Weisfeiler-Leman and Tinhofer, for people who compare and classify graphs."""
    if version:
        print(f"wlt {wlt.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
