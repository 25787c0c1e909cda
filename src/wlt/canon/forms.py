"""Canonical forms and keys: what isomorphic graphs have in common, and no others.

A key is the digest, 128 bits of blake2b, of the canonical form with all labels. So isomorphic graphs have equal keys,
always. Different graphs have different keys but for an accident of probability 2**-128 for each pair: among a billion
graphs some two share a key with probability 1.5e-21. Whoever wants to make two such graphs needs about 2**64 trials.

What a key means is fixed by its scheme, the number in front of it. Keys of one scheme are the same on every machine,
and in every version of wlt and of the libraries that it uses; a change would be a new scheme.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.canon import kernels
from wlt.canon.digests import DIGEST_BYTES, digests_of, texts_of
from wlt.canon.labels import Labelled
from wlt.graph import Graph
from wlt.graphs import Graphs
from wlt.io.graphs import as_graphs, warn_of_ignored
from wlt.wording import count

SCHEME = 1
BITS = 8 * DIGEST_BYTES

SEARCH_BUDGET = 2_000_000_000
"""Nodes and edges that the search on one graph may visit: about ten seconds."""


DESCRIBED_AT_ONCE = 1024
"""Graphs whose canonical forms are written down together: they stay in the cache until they are digested."""


class TooHard(ValueError):
    """A graph whose canonical form, or group, was not found within the budget. Nothing is known of it then."""

    def __init__(self, graphs: list[int], budget: int):
        more = f" and {count(len(graphs) - 1, 'more graph')}" if len(graphs) > 1 else ""
        super().__init__(
            f"graph {graphs[0]}{more}: colour refinement does not decide, and the search did not end within its budget "
            f"of {budget:.0e} visited nodes and edges; a larger budget may help, and on some graphs (CFI graphs, "
            "projective planes) no budget at hand does"
        )
        self.graphs = graphs


class CanonicalForm(NamedTuple):
    """A graph with its nodes in canonical order. Isomorphic graphs have the same."""

    graph: Graph
    permutation: NDArray[np.int64]  # [nodes] node v of the graph that was given is called permutation[v] here

    def __repr__(self) -> str:
        return f"CanonicalForm({self.graph!r})"


def canonical_form(
    graph: Any,
    *,
    node_labels: ArrayLike = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
    budget: int = SEARCH_BUDGET,
) -> CanonicalForm:
    """The graph with its nodes in canonical order, and the permutation that brings them there.

    Two graphs are isomorphic, with their labels, iff their canonical forms are the same graph and the labels of their
    nodes, in canonical order, are the same. The arguments are those of `wlt.as_graphs`. TooHard is raised where the
    search visits more nodes and edges than the budget.

    >>> path = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)])
    >>> copy = path.relabel([2, 0, 3, 1])
    >>> canonical_form(path).graph.same_edges(canonical_form(copy).graph)
    True
    """
    graphs = as_graphs(graph, node_labels=node_labels, edge_labels=edge_labels, simple=simple)
    order, unfinished = ordered(Labelled.of(graphs), budget)
    if unfinished.any():
        raise TooHard(np.flatnonzero(unfinished).tolist(), budget)
    permutation = np.empty(len(order), np.int64)
    permutation[order] = np.arange(len(order))
    return CanonicalForm(replace(graphs.union, names=()).relabel(permutation), permutation)


def key(
    graph: Any,
    *,
    node_labels: ArrayLike = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
    budget: int = SEARCH_BUDGET,
) -> str:
    """A short text that isomorphic graphs have in common, and no others: 128 bits, the same on every machine.

    Two graphs that are not isomorphic have the same key by accident with probability 2**-128: among a billion graphs
    there is such a pair with probability 1.5e-21. The number in front is that of the scheme. Keys of one scheme stay
    the same in every version of wlt, and do not depend on other libraries: igraph has no part in them.

    What a graph is, and what its nodes and edges carry, is what `wlt.as_graphs` makes of it with these arguments: keys
    are comparable where these are alike. A warning names what was not looked at. TooHard is raised where the search
    visits more nodes and edges than the budget.

    >>> key((3, [(0, 1), (1, 2)]))
    'wlt1:39309b3019233c4909c9500c86ce336e'
    """
    found = keys(graph, node_labels=node_labels, edge_labels=edge_labels, simple=simple, budget=budget)
    if len(found) != 1:
        raise ValueError(f"one graph is needed, not {len(found)}; use wlt.keys")
    return found[0]


def keys(
    graphs: Any,
    *,
    node_labels: ArrayLike = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
    budget: int = SEARCH_BUDGET,
) -> list[str]:
    """The `key` of every graph; the same as one by one, and many times as fast."""
    data = as_graphs(graphs, node_labels=node_labels, edge_labels=edge_labels, simple=simple)
    warn_of_ignored(data.union, edge_labels, simple)
    found = keys_of(data, budget)
    failed = [i for i, each in enumerate(found) if each is None]
    if failed:
        raise TooHard(failed, budget)
    return found  # type: ignore[return-value]


def keys_of(graphs: Graphs, budget: int) -> list[str | None]:
    """The keys; None where the search did not end within the budget."""
    labelled = Labelled.of(graphs)
    orders, unfinished = ordered(labelled, budget)
    digests: list[bytes] = []
    for first in range(0, len(graphs), DESCRIBED_AT_ONCE):
        numbers, bounds = _descriptions(labelled, orders, first, first + DESCRIBED_AT_ONCE)
        digests += digests_of(numbers, bounds, f"wlt key {SCHEME}")
    found: list[str | None] = [*texts_of(digests, f"wlt{SCHEME}")]
    for failed in np.flatnonzero(unfinished).tolist():
        found[failed] = None
    return found


def _descriptions(
    labelled: Labelled, orders: NDArray[np.int32], first: int = 0, last: int | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Graphs in their canonical order as numbers, with their labels, and where those of each graph begin.

    From the first to the one before the last; all of them unless told otherwise."""
    starts = labelled.graph.starts[first : None if last is None else last + 1]
    tables = (labelled.colors, labelled.digests, labelled.arc_digests, labelled.nothing, labelled.plain)
    numbers, bounds = kernels.descriptions(labelled.adjacency, starts, orders, *tables)
    return numbers, bounds


def ordered(labelled: Labelled, budget: int) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The node that comes to each place, graph by graph, and for which graphs the search did not end.

    A graph of several components that needs a search is ordered component by component, and these by what they are."""
    starts = labelled.graph.starts
    found = labelled.explored(True, True, budget)
    orders, unfinished = found.orders, found.states == kernels.OUT_OF_BUDGET
    in_parts = found.states == kernels.IN_PARTS
    if in_parts.any():
        parts = components_in_order(labelled, in_parts, budget)
        orders[np.concatenate([np.arange(*starts[g : g + 2]) for g in np.flatnonzero(in_parts)])] = parts.order
        unfinished[parts.graph_of[parts.unfinished]] = True
    return orders, unfinished


class Components(NamedTuple):
    """The components of some graphs, in canonical order."""

    order: NDArray[np.int32]  # [nodes of these graphs] the node that comes to each place
    starts: NDArray[np.int64]  # [components + 1] where each component begins in that order
    graph_of: NDArray[np.int64]  # [components]
    kinds: NDArray[np.int64]  # [components] which are isomorphic?
    unfinished: NDArray[np.bool_]  # [components] did a search not end?


def components_in_order(labelled: Labelled, which: NDArray[np.bool_], budget: int) -> Components:
    parts, nodes = labelled.components(which)
    orders, unfinished = ordered(parts, budget)
    numbers, bounds = _descriptions(parts, orders)
    texts = np.array([numbers[low:high].astype("<i4").tobytes() for low, high in pairwise(bounds)], object)
    kinds = np.unique(texts, return_inverse=True)[1]
    graph_of = labelled.graph.graph_of[nodes[parts.graph.starts[:-1]]]
    turn = np.lexsort((kinds, graph_of))  # the order of the components
    sizes = parts.graph.graph_sizes[turn]
    order = nodes[orders][parts.graph.nodes_of(turn)].astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Components(order, starts, graph_of[turn], kinds[turn], unfinished[turn])
