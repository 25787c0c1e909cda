"""The audit of files without number: chunk by chunk, in several processes or on Ray, with little memory.

The driver keeps some 60 bytes for every graph. Graphs that WL leaves undecided are read a second time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.auditing.audit import Audit, checked_rounds, concluded
from wlt.auditing.recoloring import RECOLORING_BUDGET
from wlt.auditing.summary import Collected, Summary, summarize
from wlt.bulk.keys import Unreadable, place_of
from wlt.canon.labels import Labelled
from wlt.data.stream import Chunk, Problem, Reading, Stream, graphs_of
from wlt.data.table import as_numbers
from wlt.graphs import DataError, Graphs
from wlt.io.graphs import as_graphs
from wlt.refine.bliss import DEFAULT_SECONDS, TimeLimit
from wlt.structure import Structure
from wlt.work.calls import Call, Place, Report, results


class Part(NamedTuple):
    """What a worker tells of a chunk."""

    summary: Summary | None  # None: no graph of it can be read
    graphs: int
    kind: str  # what nodes carry
    labels: list[Any] | None
    problems: list[Problem]
    ignored: tuple[str, ...]
    remarks: list[str]
    size: int  # bytes of its text


class Told(NamedTuple):
    """What an audit of streams is besides its answer."""

    problems: list[tuple[int, str, str]]  # of which stream, where, and why
    remarks: list[str]


def part_of_chunk(
    report: Report, shared: None, chunk: Chunk, reading: Reading, rounds: int, depth: int, levels: list[int], seed: int
) -> Part:
    """The summary of a chunk. Batches are drawn from its graphs."""
    read = graphs_of(chunk, reading)
    if not read.graphs:
        return Part(None, 0, "", None, read.problems, (), read.remarks, chunk.size)
    graphs = read.graphs[0] if len(read.graphs) == 1 else as_graphs(read.graphs)
    order = np.random.default_rng(seed).permutation(len(graphs))
    # degrees stand for nothing in a key, but WL rounds of a GNN begin with them
    labelled = Labelled.of(replace(graphs.take(order), unlabelled=False))
    summary = summarize(labelled, rounds, depth, levels)
    turn = np.argsort(order)
    words = {name: getattr(summary, name)[..., turn] for name in ("shallow", "deep", "stable", "identified")}
    told = (read.labels, read.problems, graphs.union.ignored, read.remarks, chunk.size)
    return Part(summary._replace(**words), len(graphs), graphs.kind, *told)


def graphs_at(report: Report, shared: None, chunk: Chunk, reading: Reading, positions: NDArray[np.int64]) -> Graphs:
    """Some of the graphs of a chunk."""
    read = graphs_of(chunk, reading)
    return as_graphs(read.graphs).take(positions)


class Reader:
    """The graphs of streams by their numbers, once their chunks have been counted."""

    def __init__(self, streams: Sequence[Stream], place: Place | None):
        self.streams, self.place_of_work = streams, place
        self.sizes: list[int] = []  # graphs of every chunk

    def chunks(self) -> Iterator[tuple[int, Chunk, Reading]]:
        """All chunks, with the number of their stream; the same in every call."""
        for data, stream in enumerate(self.streams):
            for chunk in stream.chunks():
                yield data, chunk, stream.reading

    def fetch(self, numbers: NDArray[np.int64]) -> Graphs:
        """The graphs with these numbers, which ascend; their chunks are read once more."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        bounds = np.searchsorted(numbers, starts)

        def calls() -> Iterator[Call]:
            for i, (_, chunk, reading) in enumerate(self.chunks()):
                if bounds[i] < bounds[i + 1]:
                    yield Call(graphs_at, (chunk, reading, numbers[bounds[i] : bounds[i + 1]] - starts[i]))

        return as_graphs(list(results(calls(), place=self.place_of_work)))

    def place(self, number: int) -> str:
        """What messages call a graph."""
        ends = np.cumsum(self.sizes)
        wanted = int(np.searchsorted(ends, number, side="right"))
        data, chunk, reading = next(each for i, each in enumerate(self.chunks()) if i == wanted)
        places = graphs_of(chunk, reading).places
        return place_of(self.streams[data], places[number - int(ends[wanted]) + self.sizes[wanted]])


def audit_streams(
    streams: Sequence[Stream],
    *,
    name: str,
    rounds: int | None = None,
    structure: str = "gggrgg",
    folds: int = 10,
    seed: int = 0,
    recoloring_budget: int = RECOLORING_BUDGET,
    time_limit: float | None = DEFAULT_SECONDS,
    skip: bool = False,
    place: Place | None = None,
    advance: Callable[[int, int], None] = lambda size, graphs: None,
) -> tuple[Audit, Told]:
    """The audit of all graphs of all streams, as `wlt.audit` gives it, and what cannot be read or is not looked at.

    Two figures are found in another way: batches are drawn from the graphs of a chunk, so that the rows and edges kept
    in batches differ a little. skip, place: as in `wlt.bulk.keys.keys_of_streams`. advance: is called with the bytes
    and graphs of every chunk that is done."""
    TimeLimit(time_limit)
    layers = Structure(structure)
    rounds = checked_rounds(layers, rounds, folds, seed)
    collected = Collected(layers.depth)
    reader = Reader(streams, place)
    of_stream: deque[int] = deque()

    def calls() -> Iterator[Call]:
        for data, chunk, reading in reader.chunks():
            of_stream.append(data)
            yield Call(part_of_chunk, (chunk, reading, rounds, layers.depth, collected.levels, seed))

    problems: list[tuple[int, str, str]] = []
    remarks: dict[str, None] = {}
    ignored: dict[str, None] = {}
    labels: list[Any] = []
    kinds: dict[str, int] = {}
    part: Part
    for part in results(calls(), place=place):
        data = of_stream.popleft()
        if part.problems and not skip:
            raise Unreadable(streams[data], part.problems)
        problems += [(data, *problem) for problem in part.problems]
        remarks |= dict.fromkeys(part.remarks)
        ignored |= dict.fromkeys(part.ignored)
        reader.sizes.append(part.graphs)
        if part.summary is not None:
            kinds.setdefault(part.kind, data)
            _check_kinds(kinds, streams)
            labels += part.labels or []
            collected.add(part.summary)
        advance(part.size, part.graphs)
    count = sum(reader.sizes)
    if not count:
        raise DataError("no graphs")
    if labels and len(labels) < count:
        raise DataError(f"only {len(labels)} of {count} graphs have labels; audit those without labels by themselves")
    targets = None
    if labels:
        texts = all(isinstance(label, str) for label in labels)
        targets = as_numbers(labels) if texts else np.array(labels)
    result = concluded(
        collected.whole(),
        name=name,
        targets=targets,
        fetch=reader.fetch,
        place=reader.place,
        ignored=tuple(ignored),
        structure=layers,
        rounds=rounds,
        folds=int(folds),
        seed=int(seed),
        recoloring_budget=recoloring_budget,
        time_limit=time_limit,
    )
    return result, Told(problems, list(remarks))


def _check_kinds(kinds: dict[str, int], streams: Sequence[Stream]) -> None:
    """What nodes carry must be of one kind in all of them."""
    if len(kinds) > 1:
        (one, first), (other, second) = list(kinds.items())[:2]
        which = f"{streams[first].data} has node {one} and {streams[second].data} has node {other}"
        raise DataError(f"{which}; one kind is needed: --node-labels degrees takes neither")
