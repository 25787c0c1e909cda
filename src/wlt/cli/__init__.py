"""The `wlt` command: one module for each group of commands, and `console` for what they share.

Every command imports what it needs when it runs: an answer about two small graphs must not wait for torch, nor JSON
for rich. A user's mistake, a file that the system denies, or a full memory or disk, is one line on stderr and exit code
2; anything else that goes wrong is a bug and shows its traceback. `wlt_command` says what the other exit codes are.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

import wlt
from wlt.cli import audit, compare, explain, explore, expressiveness, keys, predict, report, reproduce, train
from wlt.cli.console import BadInput, say
from wlt.extras import EXTRAS, missing
from wlt.kernels import before_compiling

COMPILING = "compiling for this computer what the command needs; this takes some seconds, once after installation"

GROUPS: dict[str, tuple[Callable[..., None], ...]] = {
    "Look at one graph or two": (compare.compare, compare.inspect, explore.explore),
    "Look at a dataset": (audit.audit, audit.datasets, keys.keys, keys.duplicates),
    "Learn from graphs": (train.train, predict.predict, explain.explain),
    "Measure what models can tell apart": (expressiveness.expressiveness,),
    "Reproduce the paper": (reproduce.reproduce, report.report, reproduce.export_runs, reproduce.import_runs),
}


class Grouped(TyperGroup):
    """A group of commands whose help lists them by what they are for, with whole sentences."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with _past_typer():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        with _past_typer():
            return super().invoke(ctx)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, functions in GROUPS.items():
            with formatter.section(title):
                names = [function.__name__.replace("_", "-") for function in functions]
                formatter.write_dl([(name, _first_paragraph(self.commands[name].help or "")) for name in names])


class _Carrier(Exception):
    """Carries another exception."""


@contextmanager
def _past_typer() -> Iterator[None]:
    """Interrupts and what the system denies are for `main` to tell; typer would end the command without a word."""
    try:
        yield
    except (KeyboardInterrupt, OSError) as error:
        raise _Carrier(error) from error


def _first_paragraph(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


app = typer.Typer(cls=Grouped, pretty_exceptions_enable=False, rich_markup_mode=None)

for commands in GROUPS.values():
    for command in commands:
        app.command()(command)

# click's UsageError, or that of the copy of click which newer versions of typer bring along
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a disk says that takes no more."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line, of this process unless other arguments are given; ends with SystemExit, or with the
    KeyboardInterrupt or the BrokenPipeError that stopped it."""
    try:
        try:
            with before_compiling(lambda: say(COMPILING)):
                code = app(arguments, prog_name="wlt", standalone_mode=False)
        except _Carrier as carrier:
            raise carrier.args[0] from None
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
        if error.filename is not None:
            _exit_with_line(f"{error.filename}: {error.strerror}")  # such as a folder that may not be entered
        if error.errno not in FULL:
            raise
        _exit_with_line(f"the output cannot be written: {error.strerror}")
    except MemoryError as error:
        _exit_with_line(f"the memory does not suffice: {error}" if str(error) else "the memory does not suffice")
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
