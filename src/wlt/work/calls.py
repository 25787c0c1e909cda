"""Calls, where they are made, and what becomes of them.

Wherever they are made the answers are the same, as long as a function depends on its arguments alone."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any, NamedTuple, Protocol

MAX_ATTEMPTS = 3
"""How many times a call is made before it is given up, if the process or node that makes it keeps dying."""

Report = Callable[[Any], None]
"""What a function tells, now and then, about how far it has come."""


class Call(NamedTuple):
    """function(report, what is shared, *arguments), where the function is one of a module: other processes find it."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    shared: str = ""
    """Which of the shared values it takes. These are large, and sent to a worker once; without a name it gets None."""


class Began(NamedTuple):
    call: int
    """Which of the calls, from 0."""


class Reported(NamedTuple):
    call: int
    what: Any


class Done(NamedTuple):
    call: int
    value: Any


class Lost(NamedTuple):
    """The process that made the call died; the call is made again."""

    call: int
    reason: str


class Failed(NamedTuple):
    """The call raised an exception, or was given up."""

    call: int
    reason: str
    error: Exception | None = None


Event = Began | Reported | Done | Lost | Failed


class Place(Protocol):
    """Where calls are made."""

    def at_once(self) -> int:
        """How many calls are made at the same time."""

    def events(
        self, calls: Iterable[Call], shared: Mapping[str, Any] | None = None, ahead: int | None = None
    ) -> Generator[Event, None, None]:
        """Make the calls, in this order but several at once, and tell what happens. Closing the iterator stops them.

        ahead: no call begins before the one so many places earlier has ended."""


class GivenUp(Exception):
    """The processes or nodes that make a call keep dying. The message is one line."""


def results(
    calls: Iterable[Call],
    shared: Mapping[str, Any] | None = None,
    place: Place | None = None,
    report: Callable[[int, Any], None] = lambda call, what: None,
) -> Iterator[Any]:
    """What the calls return, in their order; an exception of theirs is raised here, in its place in that order:
    what comes before it does not depend on which process was faster. place: None is this process.

    The calls may be a stream without end: few of them are taken before they are needed."""
    if place is None:
        for number, call in enumerate(calls):
            yield call.function(_reporter(report, number), (shared or {}).get(call.shared), *call.arguments)
        return
    waiting: dict[int, Done | Failed] = {}
    following = 0
    with closing(place.events(calls, shared, ahead=4 * place.at_once())) as events:
        for event in events:
            if isinstance(event, Reported):
                report(event.call, event.what)
            elif isinstance(event, Done | Failed):
                waiting[event.call] = event
            while following in waiting:
                ended = waiting.pop(following)
                if isinstance(ended, Failed):
                    raise ended.error or GivenUp(ended.reason)
                yield ended.value
                following += 1


def _reporter(report: Callable[[int, Any], None], number: int) -> Report:
    return lambda what: report(number, what)
