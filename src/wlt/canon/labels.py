"""Labels as digests that mean the same in every process, on every machine and in every version.

Labels that Python calls equal (1, 1.0 and True) have equal digests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from numbers import Complex, Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt.arcs import PLAIN, ArcLabel
from wlt.canon import kernels
from wlt.canon.digests import DIGEST_BYTES
from wlt.graph import Graph
from wlt.graphs import Graphs
from wlt.interrupts import stoppable
from wlt.io.values import frozen
from wlt.kernels import Adjacency, take_graphs
from wlt.refine.round_kernels import GOLDEN, OTHER

AT_ONCE = 50_000_000
"""Nodes and edges visited between two looks for an interrupt, about a quarter of a second. Searches that take longer
begin anew, in a thread that can be stopped."""


def digest(label: Hashable) -> bytes:
    """128 bits that stand for a label: a number, text, bytes, None, or a tuple or frozenset of such."""
    return _digest(frozen(label))


@lru_cache(1 << 16)
def _digest(label: Hashable) -> bytes:
    return _blake(_encoded(label))


def _blake(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=DIGEST_BYTES, person=b"wlt label 1").digest()


def _encoded(value: Any) -> bytes:
    """Different bytes for different values: a letter for the type, then the content; parts with their lengths."""
    if value is None:
        return b"n"
    if isinstance(value, str):
        return b"s" + value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return b"b" + value
    if isinstance(value, (tuple, frozenset)):
        parts = [_encoded(part) for part in value]
        if isinstance(value, frozenset):
            parts.sort()
        letter = b"t" if isinstance(value, tuple) else b"f"
        return letter + b"".join(b"%d:%b" % (len(part), part) for part in parts)
    if isinstance(value, Complex) or hasattr(value, "as_integer_ratio"):
        return _number(value)
    raise TypeError(
        f"the label {value!r} is of type {type(value).__name__}; a key needs labels that mean the same everywhere: "
        "numbers, text, bytes, None, and tuples or frozensets of these"
    )


def _number(value: Any) -> bytes:
    """Exact, and the same for numbers of any types that are equal."""
    imaginary = getattr(value, "imag", 0)
    if imaginary:
        parts = _number(value.real), _number(imaginary)
        return b"c" + b"".join(b"%d:%b" % (len(part), part) for part in parts)
    real: Any = value.real if isinstance(value, Complex) and not isinstance(value, Rational) else value
    if real in (float("inf"), float("-inf")):
        return b"r%b" % str(float(real)).encode()
    above, below = (real.numerator, real.denominator) if isinstance(real, Rational) else real.as_integer_ratio()
    return b"r%x/%x" % (int(above), int(below))


NOTHING = digest(None)
NO_LABEL = digest(PLAIN)


@dataclass(frozen=True, eq=False)
class Labelled:
    """Graphs whose labels are numbered in the order of their digests, which no other label has a part in."""

    graph: Graph  # a disjoint union
    arcs: NDArray[np.int32]  # [2 * edges] of the graph's entries; empty: edges carry nothing
    arc_digests: NDArray[np.int32]  # [edge labels, 4]
    plain: int  # which of the edge labels is that of edges that carry nothing, or -1
    colors: NDArray[np.int32]  # [nodes]
    digests: NDArray[np.int32]  # [node labels, 4]
    nothing: int  # likewise of nodes

    @classmethod
    def of(cls, graphs: Graphs) -> Labelled:
        """What nodes carry, with their loops; degrees that stand where there are no labels say nothing."""
        union = graphs.union
        values = _listed(graphs.values)
        codes: NDArray[Any] = graphs.codes
        looped = len(union.loops) > 0
        if graphs.unlabelled:
            values, codes = [None], np.zeros(union.num_nodes, np.int64)
        elif looped and graphs.kind == "labels":  # their values are pairs already, see `Graphs.with_loops`
            values = [value[0] for value in values]
        if looped:
            codes = codes * np.int64(len(union.loop_labels)) + union.loops
        loop_labels = union.loop_labels if looped else ((),)

        def of_node(code: int) -> bytes:
            carried, loops = divmod(code, len(loop_labels))
            return _with_loops(values[carried], loop_labels[loops])

        colors, digests = _in_order(codes, of_node)
        arcs, arc_digests = _in_order(union.arcs, lambda code: digest(union.arc_labels[code]))
        places = _place(arc_digests, NO_LABEL), _place(digests, NOTHING)
        return cls(union, arcs, arc_digests, places[0], colors, digests, places[1])

    @classmethod
    def by_number(cls, graphs: Graphs) -> Labelled:
        """Labels known by their numbers alone, whatever they are: comparable among parts of one collection only."""
        union = graphs.union
        used, colors = np.unique(graphs.codes, return_inverse=True)
        arcs = np.arange(len(union.arc_labels) if len(union.arcs) else 0)
        # a copy, because that can be written to: for arrays of another type kernels are compiled once more
        return cls(union, union.arcs.copy(), _of_numbers(arcs), -1, colors.astype(np.int32), _of_numbers(used), -1)

    @property
    def adjacency(self) -> Adjacency:
        """The edges with their labels."""
        return Adjacency(self.graph.offsets, self.graph.neighbors, self.arcs)

    def explored(self, canonical: bool, only_core: bool, budget: int) -> kernels.Explored:
        """What a search finds of every graph; see `kernels.search`. Ctrl-C ends it within a second."""
        starts, count, nodes = self.graph.starts, self.graph.num_graphs, self.graph.num_nodes
        labels = self.colors, self.words, self.factors
        found = kernels.Explored(
            np.zeros(count, np.int8),
            np.empty(nodes, np.int32),
            np.empty(nodes, np.int32),
            np.zeros(0, np.int64),
            np.zeros((0, 0), np.int32),
        )
        how = canonical, only_core, np.full(1, min(budget, AT_ONCE), np.int64)
        first = 0
        while first < count:
            first, found = kernels.explore(self.adjacency, starts, first, *labels, *how, AT_ONCE, found)
        if budget <= AT_ONCE:
            return found
        for g in np.flatnonzero(found.states == kernels.OUT_OF_BUDGET).tolist():
            left = np.full(1, budget, np.int64)
            only = self.adjacency, starts[: g + 2], g, *labels, canonical, only_core, left, AT_ONCE, found
            _, found = stoppable(partial(left.fill, -1), kernels.explore, *only)
        return found

    def components(self, which: NDArray[np.bool_]) -> tuple[Labelled, NDArray[np.int64]]:
        """The components of these graphs as graphs of their own, graph by graph, and the node that each node was."""
        whole = self if which.all() else self.taken(np.flatnonzero(which))
        component, _ = kernels.components(whole.graph.adjacency)
        nodes = np.argsort(component, kind="stable")  # numbered by first nodes: graph by graph
        starts = np.append(np.flatnonzero(np.diff(component[nodes], prepend=-1)), len(nodes))
        return whole.induced(nodes, starts), self.graph.nodes_of(np.flatnonzero(which))[nodes]

    def taken(self, which: NDArray[np.int64]) -> Labelled:
        """Some of the graphs, by their numbers."""
        adjacency, starts = take_graphs(self.adjacency, self.graph.starts, which)
        graph = Graph(adjacency.offsets, adjacency.neighbors, starts, arcs=adjacency.arcs, arc_labels=self._stand_ins)
        return replace(self, graph=graph, arcs=adjacency.arcs.copy(), colors=self.colors[self.graph.nodes_of(which)])

    def induced(self, nodes: NDArray[np.integer[Any]], starts: NDArray[np.int64]) -> Labelled:
        """The graphs on these nodes, whole components, in this order; starts: where each graph begins."""
        number = np.full(self.graph.num_nodes, -1, np.int64)
        number[nodes] = np.arange(len(nodes))
        rows, columns = number[self.graph.edge_index()]
        kept = rows >= 0
        arcs = self.arcs[kept] if len(self.arcs) else self.arcs
        graph = Graph.from_entries(starts, rows[kept], columns[kept], arcs, self._stand_ins)
        # a copy, because that can be written to: for arrays of another type kernels are compiled once more
        return replace(self, graph=graph, arcs=graph.arcs.copy(), colors=self.colors[nodes])

    @property
    def _stand_ins(self) -> tuple[ArcLabel, ...]:
        """Labels of edges that stand for those of the user."""
        return tuple((("", i),) for i in range(len(self.arc_digests)))

    @property
    def words(self) -> NDArray[np.uint64]:
        """[nodes] A word for the label of each."""
        return _words(self.digests)[self.colors]

    @property
    def factors(self) -> NDArray[np.uint64]:
        """[edge labels] An odd word for each."""
        return _words(self.arc_digests) | np.uint64(1)


def _with_loops(carried: Hashable, loops: tuple[Hashable, ...]) -> bytes:
    """The digest of what a node carries, and of the labels of its loops, if there are any."""
    return _blake(b"l" + _encoded((frozen(carried), loops))) if loops else digest(carried)


def _listed(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _in_order(
    codes: NDArray[np.integer[Any]], digest_of: Callable[[int], bytes]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Codes of labels in the order of their digests, and these digests, [labels in use, 4]."""
    used = np.flatnonzero(np.bincount(codes)) if len(codes) else np.zeros(0, np.int64)
    digests = [digest_of(code) for code in used.tolist()]
    place = {each: i for i, each in enumerate(sorted(set(digests)))}
    rank = np.zeros(int(used.max(initial=-1)) + 1, np.int32)
    rank[used] = [place[each] for each in digests]
    return rank[codes], np.frombuffer(b"".join(place), "<i4").reshape(-1, 4).astype(np.int32)


def _of_numbers(codes: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """[codes, 4] What stands for digests of labels that are known by their numbers."""
    numbers = codes.astype(np.uint64)
    words = np.stack([kernels.mixed(numbers, GOLDEN), kernels.mixed(numbers, OTHER)], axis=1)
    return words.astype("<u8").view("<i4").astype(np.int32)


def _place(digests: NDArray[np.int32], wanted: bytes) -> int:
    found = np.flatnonzero((digests == np.frombuffer(wanted, "<i4")).all(axis=1))
    return int(found[0]) if len(found) else -1


def _words(digests: NDArray[np.int32]) -> NDArray[np.uint64]:
    halves = np.ascontiguousarray(digests.astype("<i4")).view("<u8")
    words: NDArray[np.uint64] = halves[:, 0].astype(np.uint64)
    return words
