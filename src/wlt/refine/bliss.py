"""Searches by igraph's BLISS that can be stopped: canonical orders, automorphisms, isomorphisms of coloured graphs.

BLISS is quick on nearly all graphs and takes forever on some, and a call of it hears neither Ctrl-C nor a clock. So it
runs in a process of its own, which is started with the first graph that needs it, kept for the next ones, and killed
where a search takes too long. Small graphs are searched right here: sending them would take longer than the search.
"""

from __future__ import annotations

import atexit
import math
import os
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.interrupts import undisturbed
from wlt.refine import bliss_process

DEFAULT_SECONDS = 60.0
"""How long exact search may take where the user does not say."""
SMALL = 64
"""Nodes up to which a graph is searched in this process. The hardest graphs of this size that are known (strongly
regular ones, Cai-Fürer-Immerman and Miyazaki graphs, planes, designs) take some milliseconds."""


class Undecided(TimeoutError):
    """Exact search did not end within its time limit."""

    def __init__(self, seconds: float):
        super().__init__(f"undecided within {seconds:g} s")


class TimeLimit:
    """Seconds that one search, or several together, may take; None: as long as it takes.

    >>> TimeLimit(-1)
    Traceback (most recent call last):
    ValueError: the time limit must be a positive number of seconds, or None, not -1
    """

    def __init__(self, seconds: float | None = DEFAULT_SECONDS):
        number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
        if seconds is not None and not (number and seconds > 0):
            raise ValueError(f"the time limit must be a positive number of seconds, or None, not {seconds!r}")
        self.seconds = math.inf if seconds is None else float(seconds)
        self._end = time.monotonic() + self.seconds

    def left(self) -> float:
        """Seconds that are left; Undecided if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise Undecided(self.seconds)
        return left


class PlainGraph(NamedTuple):
    """A coloured graph as BLISS can take it."""

    nodes: int
    edges: NDArray[np.int64]  # [edges, 2]
    colors: NDArray[np.int64]  # [nodes]


def plain_graph(graph: Graph, colors: NDArray[Any]) -> PlainGraph:
    """The coloured graph for BLISS, which knows no labels of edges.

    An edge becomes a path whose inner nodes have the labels as colours: one for a label that both ends see alike, two
    for one that they see differently. Edges with the most frequent label stay as they are. The graph's own nodes come
    first, with their own numbers."""
    if not len(graph.arcs):
        return PlainGraph(graph.num_nodes, graph.edges(), colors.astype(np.int64))
    u, v = graph.edge_index()
    once = np.flatnonzero(u < v)
    u, v, here, there = u[once], v[once], graph.arcs[once], graph.arcs[graph.reverse_entries][once]
    alike = here == there
    usual = int(np.argmax(np.bincount(here[alike], minlength=1))) if alike.any() else -1
    plain, one, two = alike & (here == usual), alike & (here != usual), ~alike
    n, first_color = graph.num_nodes, int(colors.max(initial=0)) + 1
    middle = n + np.arange(one.sum())
    left = n + one.sum() + np.arange(two.sum())
    right = left + two.sum()
    paths = [(u[plain], v[plain]), (u[one], middle), (middle, v[one]), (u[two], left), (left, right), (right, v[two])]
    edges = np.concatenate([np.column_stack(ends) for ends in paths])
    inner = first_color + np.concatenate([here[one], here[two], there[two]]).astype(np.int64)
    return PlainGraph(n + len(inner), edges, np.concatenate([colors.astype(np.int64), inner]))


def canonical_order(graph: Graph, colors: NDArray[Any], limit: TimeLimit | None = None) -> NDArray[np.int64]:
    """The node that comes to each place. Only the order of the colours counts, not their values."""
    nodes = np.array(_search("canonical_order", limit, plain_graph(graph, colors)), np.int64)
    return nodes[nodes < graph.num_nodes]


def automorphisms(graph: Graph, colors: NDArray[Any], limit: TimeLimit | None = None) -> NDArray[np.int64]:
    """[generators, nodes] Generators of the group of automorphisms that keep the colours."""
    generators = _search("automorphisms", limit, plain_graph(graph, colors))
    n = graph.num_nodes
    return np.array([generator[:n] for generator in generators], np.int64).reshape(len(generators), n)


def isomorphic(
    left: tuple[Graph, NDArray[Any]], right: tuple[Graph, NDArray[Any]], limit: TimeLimit | None = None
) -> list[NDArray[np.int64]]:
    """Maps between the coloured graphs in both directions, whichever is which (that differs between versions of
    igraph); none if they are not isomorphic."""
    mappings = _search("isomorphic", limit, plain_graph(*left), plain_graph(*right))
    return [np.array(mapping[: left[0].num_nodes], np.int64) for mapping in mappings]


def _search(name: str, limit: TimeLimit | None, *graphs: PlainGraph) -> Any:
    """Undecided where the search takes longer than is left of the limit; of a fresh default one if there is none."""
    if limit is not None:
        limit.left()
    if all(graph.nodes <= SMALL for graph in graphs):
        return undisturbed(bliss_process.SEARCHES[name], *graphs)
    limit = TimeLimit() if limit is None else limit
    with _lock:
        return _process.ask(name, graphs, limit)


class _Started(NamedTuple):
    """The process, and our ends of its pipes."""

    process: subprocess.Popen[bytes]
    requests: Connection[Any, Any]
    answers: Connection[Any, Any]
    leash: Connection[Any, Any]
    """Nothing is sent through it. The process ends when this end is closed, even if we are killed."""


class _Process:
    """The process that searches. At most one request is on its way; whatever disturbs it ends the process."""

    def __init__(self) -> None:
        self._started: _Started | None = None

    def ask(self, name: str, graphs: tuple[PlainGraph, ...], limit: TimeLimit) -> Any:
        try:
            if self._started is None or self._started.process.poll() is not None:
                self._start()
            assert self._started is not None
            requests, answers = self._started.requests, self._started.answers
            requests.send((name, [tuple(graph) for graph in graphs]))
            left = limit.left()
            if not answers.poll(None if math.isinf(left) else left):
                raise Undecided(limit.seconds)
            result, error = answers.recv()
        except (EOFError, ConnectionError):
            code = self._started.process.wait() if self._started else "unknown"
            self.end()
            raise MemoryError(f"the process of the exact search ended (code {code}); is there enough memory?") from None
        except BaseException:  # an interrupt, or too late: the answer to this request must not become that of the next
            self.end()
            raise
        if error:
            raise RuntimeError(f"igraph: {error}")
        return result

    def _start(self) -> None:
        self.end()
        its_end, our_end = os.pipe()
        leash: Connection[Any, Any] = Connection(our_end, readable=False)
        # -P: the folder of that file is no place to import from. A session of its own: Ctrl-C does not reach it.
        command = [sys.executable, "-P", bliss_process.__file__, str(its_end)]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0, "pass_fds": (its_end,)}
        try:
            process: subprocess.Popen[bytes] = subprocess.Popen(command, start_new_session=True, **pipes)
        finally:
            os.close(its_end)
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin, process.stdout:
            requests = Connection(os.dup(process.stdin.fileno()), readable=False)
            answers = Connection(os.dup(process.stdout.fileno()), writable=False)
        self._started = _Started(process, requests, answers, leash)
        requests.send(sys.path)

    def end(self) -> None:
        started, self._started = self._started, None
        if started is not None:
            started.process.kill()
            started.process.wait()
            for pipe in (started.requests, started.answers, started.leash):
                pipe.close()

    def forget(self) -> None:
        """In a forked copy of this process: the other process belongs to the original."""
        self._started = None


_process = _Process()
_lock = threading.Lock()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    _process.forget()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_process.end)
