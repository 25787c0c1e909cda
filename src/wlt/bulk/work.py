"""Chunks of graphs to keys, in their order: in this process, in several, or on a Ray cluster. The answers are the same.

Of a stream no more chunks are in memory than a few for every worker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wlt.canon.forms import SEARCH_BUDGET, TooHard, keys_of
from wlt.data.stream import Chunk, Problem, Reading, graphs_of
from wlt.work import calls
from wlt.work.calls import Call, Place, Report


class Row(NamedTuple):
    """A graph."""

    place: str
    key: str


class Result(NamedTuple):
    """What was found in a chunk."""

    rows: list[Row]
    problems: list[Problem]
    remarks: list[str]
    size: int  # bytes of its text


def keys_of_chunk(chunk: Chunk, reading: Reading, budget: int = SEARCH_BUDGET) -> Result:
    """The keys of a chunk. A graph whose search does not end is a problem like one that cannot be read."""
    read = graphs_of(chunk, reading)
    keys = [key for graphs in read.graphs for key in keys_of(graphs, budget)]
    too_hard = str(TooHard([0], budget)).removeprefix("graph 0: ")
    pairs = list(zip(read.places, keys, strict=True))
    rows = [Row(place, key) for place, key in pairs if key is not None]
    problems = [*read.problems, *(Problem(place, too_hard) for place, key in pairs if key is None)]
    return Result(rows, problems, read.remarks, chunk.size)


Task = tuple[Chunk, Reading]


def results(tasks: Iterator[Task], place: Place | None) -> Iterator[Result]:
    """The results of the chunks, in their order. place: None is this process."""
    return calls.results((Call(_result, task) for task in tasks), place=place)


def _result(report: Report, shared: None, chunk: Chunk, reading: Reading) -> Result:
    return keys_of_chunk(chunk, reading)
