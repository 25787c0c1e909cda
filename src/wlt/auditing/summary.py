"""What an audit needs to know of a part of a dataset: a few words for every graph, whatever the number of rounds.

Words of colours mean the same in every part, so that parts can be looked at one after the other, or in other processes.
Different colours, or multisets of them, have equal words by an accident of probability below 2**-88."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.auditing import kernels
from wlt.auditing.compression import BATCH_SIZE, ClassSample, Compression, percents
from wlt.canon.labels import Labelled
from wlt.canon.wl_hash import lane_factors, lane_words, node_words, stable_classes
from wlt.refine.round_kernels import class_counts, graph_histograms

Words = NDArray[np.uint64]  # [2, graphs] two words each


class Layer(NamedTuple):
    """The classes of a part after a round, or a sample of them."""

    words: NDArray[np.uint64]  # [classes]
    entries: NDArray[np.int64]  # [classes] different classes, a round earlier, of a node's neighbours
    rows: int  # classes of every batch, added up
    edges: int  # and their entries


class Summary(NamedTuple):
    """Of some graphs."""

    shallow: Words  # what WL knows of them after the rounds of a GNN
    deep: Words  # after as many rounds as the structure is deep
    stable: Words  # after any number
    identified: NDArray[np.bool_]  # [graphs] is all that WL cannot tell from it isomorphic to it?
    layers: tuple[Layer, ...]  # one for each layer of the structure
    nodes: int
    entries: int  # of the adjacency
    labelled: bool  # do edges carry something?


def summarize(labelled: Labelled, rounds: int, depth: int, levels: Sequence[int]) -> Summary:
    """rounds: WL rounds of a GNN. depth: of the structure. levels: see `Collected`. Batches are made of graphs that
    follow each other."""
    graph = labelled.graph
    words = lane_words(labelled)
    colors, first = kernels.number_pairs(words)
    at_rounds = {0: kernels.multiset_words(graph.starts, words)}
    batches = np.append(graph.starts[:-1:BATCH_SIZE], graph.num_nodes)
    layers = []
    for after in range(1, depth + 1):
        before, known = colors, len(first)
        words = node_words(labelled, 1, words)
        colors, first = kernels.number_pairs(words)
        at_rounds[after] = kernels.multiset_words(graph.starts, words)
        entries = np.diff(class_counts(labelled.adjacency, before, known, first).offsets)
        classes = graph_histograms(batches, colors, len(first)).columns
        of_classes = words[0, first]
        told = of_classes & np.uint64((1 << levels[after - 1]) - 1) == 0
        layers.append(Layer(of_classes[told], entries[told], len(classes), int(entries[classes].sum())))
    if rounds > depth:
        at_rounds[rounds] = kernels.words_of_graphs_after(
            labelled.adjacency, graph.starts, words, lane_factors(labelled), rounds - depth
        )
    stable = stable_classes(labelled)
    digests = np.frombuffer(b"".join(stable.digests), "<u8").reshape(-1, 2).astype(np.uint64)
    sizes = (graph.num_nodes, len(graph.neighbors), len(graph.arcs) > 0)
    return Summary(at_rounds[rounds], at_rounds[depth], digests.T, stable.amenable, tuple(layers), *sizes)


class Classes(NamedTuple):
    """[graphs] Which graphs are alike? Numbered by first appearance."""

    shallow: NDArray[np.int64]
    deep: NDArray[np.int64]
    stable: NDArray[np.int64]


class Whole(NamedTuple):
    """What is known of all graphs of a dataset."""

    classes: Classes
    identified: NDArray[np.bool_]  # [graphs]
    compression: Compression
    labelled: bool  # do edges carry something?


class Collected:
    """Summaries of parts, put together: some 50 bytes for every graph, and a sample of the classes of each layer."""

    def __init__(self, depth: int) -> None:
        self._samples = [ClassSample() for _ in range(depth)]
        self._rows, self._edges = [0] * depth, [0] * depth
        self._columns: list[tuple[Words, Words, Words, NDArray[np.bool_]]] = []
        self._nodes = self._entries = 0
        self._labelled = False

    @property
    def levels(self) -> list[int]:
        """Classes of parts that are still to come need not be told if their words end in fewer zeros."""
        return [sample.level for sample in self._samples]

    def add(self, part: Summary) -> None:
        self._columns.append((part.shallow, part.deep, part.stable, part.identified))
        for i, layer in enumerate(part.layers):
            self._samples[i].add(layer.words, layer.entries)
            self._rows[i] += layer.rows
            self._edges[i] += layer.edges
        self._nodes += part.nodes
        self._entries += part.entries
        self._labelled |= part.labelled

    def whole(self, place: NDArray[np.int64] | None = None) -> Whole:
        """place: [graphs] the number of each graph in the dataset, where parts did not come in its order."""
        *words, identified = (np.concatenate(parts, axis=-1) for parts in zip(*self._columns, strict=True))
        if place is not None:
            turn = np.argsort(place)
            words, identified = [each[:, turn] for each in words], identified[turn]
        classes = Classes(*(kernels.number_pairs(each)[0].astype(np.int64) for each in words))
        sizes = (self._nodes, self._entries)
        of_all = percents([each.rows for each in self._samples], [each.edges for each in self._samples], *sizes)
        of_batches = percents(self._rows, self._edges, *sizes)
        return Whole(classes, identified, Compression(of_batches, of_all), self._labelled)
