"""The WL class of a graph as a short text: equal for all graphs that colour refinement cannot tell apart."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.canon import kernels
from wlt.canon.digests import digests_of, texts_of
from wlt.canon.labels import Labelled
from wlt.graphs import Graphs
from wlt.io.graphs import as_graphs, warn_of_ignored
from wlt.refine.round_kernels import OTHER

SCHEME = 1


def wl_hash(
    graph: Any,
    rounds: int | None = None,
    *,
    node_labels: ArrayLike = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
) -> str:
    """A text that two graphs have in common iff WL cannot tell them apart, after so many rounds, or at all (None).

    128 bits, the same on every machine and in every later version; the number in front is that of the scheme.
    Isomorphic graphs have equal hashes, but equal hashes do not mean isomorphic: for that there is `wlt.key`. With None
    the hash is a digest of the whole stable partition, so that only an accident of probability 2**-128 lets it collide.
    With a number of rounds it is made of two words of 64 bits for every node, which agree by accident with a
    probability below 2**-88, and are no defence against whoever wants a collision. The other arguments are those of
    `wlt.as_graphs`.

    >>> hexagon = (6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)])
    >>> triangles = (6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    >>> wl_hash(hexagon) == wl_hash(triangles)
    True
    """
    graphs = as_graphs(graph, node_labels=node_labels, edge_labels=edge_labels, simple=simple)
    if len(graphs) != 1:
        raise ValueError(f"one graph is needed, not {len(graphs)}; use wlt.wl_hashes")
    warn_of_ignored(graphs.union, edge_labels, simple)
    return _hashes_of(graphs, rounds)[0]


def wl_hashes(
    graphs: Any,
    rounds: int | None = None,
    *,
    node_labels: ArrayLike = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
) -> list[str]:
    """The `wl_hash` of every graph; the same as one by one, and many times as fast."""
    data = as_graphs(graphs, node_labels=node_labels, edge_labels=edge_labels, simple=simple)
    warn_of_ignored(data.union, edge_labels, simple)
    return _hashes_of(data, rounds)


def _hashes_of(graphs: Graphs, rounds: int | None) -> list[str]:
    if rounds is not None and (isinstance(rounds, bool) or not isinstance(rounds, (int, np.integer))):
        raise TypeError(f"rounds must be a whole number or None, not {rounds!r}")
    if rounds is not None and rounds < 0:
        raise ValueError(f"rounds must be at least 0, not {rounds}")
    labelled = Labelled.of(graphs)
    if rounds is None:
        return texts_of(stable_classes(labelled).digests, f"wl{SCHEME}")
    words = node_words(labelled, rounds, lane_words(labelled))
    return texts_of(classes_after(labelled, words), f"wl{SCHEME}.{rounds}")


class StableClasses(NamedTuple):
    """What WL knows of graphs after any number of rounds."""

    digests: list[bytes]  # [graphs]
    discrete: NDArray[np.bool_]  # [graphs] are all its nodes told apart?
    amenable: NDArray[np.bool_]  # [graphs] is whatever has the same digest isomorphic to it?


def stable_classes(labelled: Labelled) -> StableClasses:
    numbers, bounds, discrete, amenable = kernels.stable_descriptions(
        labelled.adjacency,
        labelled.graph.starts,
        labelled.colors,
        labelled.words,
        labelled.factors,
        labelled.digests,
        labelled.arc_digests,
        labelled.plain,
    )
    return StableClasses(digests_of(numbers, bounds, f"wlt wl {SCHEME}"), discrete, amenable)


def lane_words(labelled: Labelled) -> NDArray[np.uint64]:
    """[2, nodes] Two independent words for the label of every node."""
    return np.stack([labelled.words, kernels.mixed(labelled.words, OTHER)])


def lane_factors(labelled: Labelled) -> NDArray[np.uint64]:
    """[2, edge labels] By which the words of neighbours are multiplied."""
    factors = labelled.factors
    lanes = np.stack([factors, kernels.mixed(factors, OTHER) | np.uint64(1)])
    if labelled.plain >= 0:
        lanes[:, labelled.plain] = 1  # as where no edge carries anything
    return lanes


def node_words(labelled: Labelled, rounds: int, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """[2, nodes] Two independent words for the colour of every node after so many rounds, from those words on."""
    lanes = zip(words, lane_factors(labelled), strict=True)
    return np.stack([kernels.hashed_words(labelled.adjacency, lane, of_arcs, rounds)[0] for lane, of_arcs in lanes])


def classes_after(labelled: Labelled, words: NDArray[np.uint64]) -> list[bytes]:
    """[graphs] Digests of the multisets of the nodes' words."""
    order = np.lexsort((words[1], words[0], labelled.graph.graph_of))
    return digests_of(words[:, order].T.reshape(-1), 2 * labelled.graph.starts, f"wlt wl rounds {SCHEME}")
