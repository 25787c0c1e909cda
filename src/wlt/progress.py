"""Progress bars, all in one look: what is being done, a bar, how far it is, and a remark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # rich is imported when a bar is shown: `import wlt` does without it
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

Advance = Callable[[int, str], None]
"""Move a bar forward by this many steps, and show this remark beside it."""


@contextmanager
def progress_bar(
    what: str,
    total: int | None,
    show: Literal["always", "on terminal", "never"] = "on terminal",
    unit: Literal["steps", "bytes"] = "steps",
) -> Iterator[Advance]:
    """One bar on stderr; `total` is None if the number of steps is unknown.

    A bar that is shown "always" stays on the screen, and its last state is written even if stderr is a file."""
    if show == "never":
        yield lambda steps, remark: None
        return
    from rich.console import Console
    from rich.progress import DownloadColumn, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns: tuple[ProgressColumn, ...] = (steps_done(), TimeRemainingColumn())
    if unit == "bytes":
        columns = (DownloadColumn(), TransferSpeedColumn())
    hidden = show == "on terminal" and not console.is_terminal
    with bars(console, *columns, transient=show == "on terminal", disable=hidden) as progress:
        task = progress.add_task(what, total=total, remark="")
        yield lambda steps, remark: progress.update(task, advance=steps, remark=remark)


def bars(console: Console, *columns: ProgressColumn, transient: bool = True, disable: bool = False) -> Progress:
    """An empty stack of bars. Every task that is added to it needs a field `remark`."""
    from rich.progress import BarColumn, Progress, TextColumn

    before = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=20))
    after = TextColumn("{task.fields[remark]}", markup=False)
    return Progress(*before, *columns, after, console=console, transient=transient, disable=disable)


def steps_done() -> ProgressColumn:
    """The numbers of steps, such as 3/10; on a narrow terminal the bar shrinks, not these."""
    from rich.progress import MofNCompleteColumn
    from rich.table import Column

    return MofNCompleteColumn(table_column=Column(no_wrap=True))
