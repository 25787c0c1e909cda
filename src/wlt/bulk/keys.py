"""Keys of whole streams, chunk by chunk."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from wlt.bulk.work import Result, Task, results
from wlt.data.stream import Problem, Stream
from wlt.work.calls import Place


class Unreadable(ValueError):
    """Graphs that cannot be read, and nobody said that they may be left out."""

    def __init__(self, stream: Stream, problems: Sequence[Problem]):
        first = problems[0]
        more = f"; and {len(problems) - 1} more in this part" if len(problems) > 1 else ""
        where = place_of(stream, first.place)
        super().__init__(f"{where}: {first.reason}{more}; --skip-unreadable goes on without them, and lists them")


def place_of(stream: Stream, place: str) -> str:
    """What messages call a graph of a stream."""
    if stream.kind in ("graph6 lines", "SMILES"):
        return f"{stream.data}, line {place}"
    if stream.kind == "TU dataset":
        return f"{stream.data}, graph {place}"
    return f"{stream.data}/{place}" if stream.kind == "folder" else f"{stream.data}{place and ', graph ' + place}"


class Done(NamedTuple):
    """A chunk of which everything is known."""

    data: int  # which of the streams
    chunk: int
    result: Result


def keys_of_streams(
    streams: Sequence[Stream],
    *,
    skip: bool = False,
    place: Place | None = None,
    done: Callable[[int, int], bool] = lambda data, chunk: False,
) -> Iterator[Done]:
    """The keys of all graphs of all streams, chunk by chunk, in their order, without the chunks that are done.

    skip: may graphs that cannot be read, or have no key within the budget, be left out? Otherwise Unreadable is raised.
    place: where the work is done; None is this process."""
    begun: deque[tuple[int, int]] = deque()

    def tasks() -> Iterator[Task]:
        for data, stream in enumerate(streams):
            for number, chunk in enumerate(stream.chunks()):
                if not done(data, number):
                    begun.append((data, number))
                    yield chunk, stream.reading

    for result in results(tasks(), place):
        data, chunk = begun.popleft()
        if result.problems and not skip:
            raise Unreadable(streams[data], result.problems)
        yield Done(data, chunk, result)
