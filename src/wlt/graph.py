"""Graph: undirected simple graphs as immutable CSR arrays, one graph or the disjoint union of many."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt import kernels
from wlt.arcs import BOTH, IN, PLAIN, ArcLabel, TokenTable, joined, label_words, labelled_adjacency
from wlt.drawing.picture import picture_of
from wlt.drawing.svg import svg, text
from wlt.kernels import Adjacency
from wlt.wording import count

if TYPE_CHECKING:
    import igraph
    import networkx
    import scipy.sparse

MAX_NODES = 2**31 - 1  # neighbours are int32
MOST_DRAWN = 200  # nodes of a graph that a notebook draws
NONE: NDArray[np.int32] = np.zeros(0, np.int32)
LABELS, DIRECTIONS = "the labels of edges", "the directions of edges"
"""What `Graph.ignored` calls them."""


class ListedEdges(NamedTuple):
    """Edges as other libraries list them, and what kind of graph can hold them."""

    pairs: list[Any]  # (from, to)
    labels: list[Hashable]  # of each; empty: none has a label
    directed: bool
    parallel: bool
    """Are some pairs there more than once?"""


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph, or the disjoint union of several: who is joined to whom, and what the edges carry.

    Node v has the neighbours `neighbors[offsets[v]:offsets[v + 1]]`, in increasing order; every edge stands in both
    rows. Graph i of a union has the nodes `starts[i]` up to `starts[i + 1]`; a single graph has `starts == [0, n]`.

    Edge labels, directions and parallel edges are one label for each entry, `arcs`, and loops one label for each node
    (see `wlt.arcs`). A simple graph, as in the paper, has none of these.

    >>> square = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> square
    Graph(nodes=4, edges=4)
    >>> square.neighbors_of(0).tolist()
    [1, 3]
    >>> Graph.union([square, square])
    Graph(graphs=2, nodes=8, edges=8)
    >>> Graph.from_edges(3, [(0, 1), (1, 2)], edge_labels=["single", "double"])
    Graph(nodes=3, edges=2, edge labels=2)
    """

    offsets: NDArray[np.int64]  # [nodes + 1]
    neighbors: NDArray[np.int32]  # [2 * edges]
    starts: NDArray[np.int64]  # [graphs + 1]
    removed_loops: int = 0
    """Entries of the input that joined a node to itself; they were left out."""
    removed_repeats: int = 0
    """Entries of the input that named an ordered pair a second time; (u, v) and (v, u) are one edge, no repeat."""
    arcs: NDArray[np.int32] = field(default_factory=lambda: NONE)
    """[2 * edges] Which of `arc_labels` each entry has; empty: the edges carry nothing."""
    arc_labels: tuple[ArcLabel, ...] = ()
    loops: NDArray[np.int32] = field(default_factory=lambda: NONE)
    """[nodes] Which of `loop_labels` each node has, 0 for no loop; empty: no node has loops."""
    loop_labels: tuple[tuple[Hashable, ...], ...] = ()
    ignored: tuple[str, ...] = ()
    """What the input had besides and nobody asked for, such as "the edge attribute 'weight'"; answers repeat it."""
    names: tuple[Hashable, ...] = ()
    """[nodes] What the input calls the nodes; empty: their numbers, in each graph from 0."""

    def __post_init__(self) -> None:
        for array in (self.offsets, self.neighbors, self.starts, self.arcs, self.loops):
            array.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled copies pass through __post_init__ too: numpy would give them writable arrays."""
        return Graph, tuple(getattr(self, name) for name in self.__dataclass_fields__)

    @classmethod
    def from_edges(
        cls,
        num_nodes: int,
        edges: ArrayLike,
        starts: ArrayLike | None = None,
        *,
        edge_labels: Sequence[Any] | NDArray[Any] | None = None,
        directed: bool | NDArray[np.bool_] = False,
        multigraph: bool = False,
        ignored: Iterable[str] = (),
    ) -> Graph:
        """The graph on nodes 0 .. num_nodes-1 with these edges, a list of pairs; each edge in one direction or in both.

        `starts` makes it a disjoint union: the first node of each graph, then num_nodes. No edge may leave its graph.

        edge_labels: one for every edge, anything that can be hashed, or a row of numbers. directed: edges go from the
        first node to the second; a mask says which of them do. multigraph: every pair is an edge of its own, and loops
        count. Without any of these, loops and repeated edges are left out, which `ignored` tells.
        """
        pairs = checked_pairs(num_nodes, edges)
        boundaries = checked_starts(starts, int(num_nodes))
        one_way = checked_directions(directed, len(pairs))
        return cls.from_checked(boundaries, pairs, edge_labels, one_way, multigraph, tuple(ignored))

    @classmethod
    def from_checked(
        cls,
        starts: NDArray[np.int64],
        pairs: NDArray[Any],
        edge_labels: Sequence[Any] | NDArray[Any] | None = None,
        directed: bool | NDArray[np.bool_] = False,
        multigraph: bool = False,
        ignored: tuple[str, ...] = (),
        names: tuple[Hashable, ...] = (),
    ) -> Graph:
        """`from_edges` of what `checked_starts` and `checked_pairs` gave; names: what the nodes are called."""
        num_nodes = int(starts[-1])
        if edge_labels is not None or multigraph or (directed is not False and np.any(directed)):
            graph = cls._labelled(num_nodes, pairs, starts, edge_labels, (directed, multigraph), ignored, names)
            return graph._inside_its_parts()
        ends = np.ascontiguousarray(pairs.T, dtype=np.int32)
        offsets, neighbors, loops, repeats = kernels.csr_from_edges(num_nodes, ends[0], ends[1])
        told = (*ignored, *left_out(loops, repeats))
        graph = cls(offsets, neighbors, starts, int(loops), int(repeats), ignored=told, names=names)
        return graph._inside_its_parts()

    @classmethod
    def _labelled(
        cls,
        num_nodes: int,
        pairs: NDArray[np.int64],
        starts: NDArray[np.int64],
        edge_labels: Sequence[Any] | NDArray[Any] | None,
        kinds: tuple[bool | NDArray[np.bool_], bool],
        ignored: tuple[str, ...],
        names: tuple[Hashable, ...],
    ) -> Graph:
        """kinds: is it directed, and is it a multigraph?"""
        values: list[Hashable] = [None]
        codes = np.zeros(len(pairs), np.int64)
        if edge_labels is not None:
            if number_of_labels(edge_labels) != len(pairs):
                raise ValueError(f"{len(edge_labels)} edge labels for {len(pairs)} edges; one label for every edge")
            values, codes = coded(edge_labels, pairs)
        made = labelled_adjacency(num_nodes, pairs.astype(np.int64), codes, values, *kinds)
        return cls(
            made.offsets,
            made.neighbors,
            starts,
            arcs=made.arcs,
            arc_labels=made.labels,
            loops=made.loops,
            loop_labels=made.loop_labels,
            ignored=ignored,
            names=names,
        )

    def _inside_its_parts(self) -> Graph:
        """This graph, if no edge joins two graphs of the disjoint union."""
        stray = kernels.first_edge_between_graphs(self.adjacency, self.starts) if len(self.starts) > 2 else -1
        if stray >= 0:
            u = int(np.searchsorted(self.offsets, stray, side="right")) - 1
            raise ValueError(f"edge ({u}, {self.neighbors[stray]}) joins two graphs of the disjoint union")
        return self

    @classmethod
    def union(cls, graphs: Iterable[Graph]) -> Graph:
        """The disjoint union; graphs that are unions themselves contribute all their graphs."""
        parts = list(graphs)
        for part in parts:
            if not isinstance(part, cls):
                raise TypeError(f"a disjoint union of wlt.Graphs, not of {type(part).__name__}; use wlt.as_graph")
        if len(parts) == 1:
            return parts[0]
        nodes = np.cumsum([0] + [part.num_nodes for part in parts])
        if nodes[-1] > MAX_NODES:
            raise ValueError(f"a disjoint union of {nodes[-1]} nodes; at most {MAX_NODES} are possible")
        entries = np.cumsum([0] + [len(part.neighbors) for part in parts])
        offsets, starts = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
        neighbors = [np.zeros(0, np.int32)]
        for part, node, entry in zip(parts, nodes, entries, strict=False):
            offsets.append(part.offsets[1:] + entry)
            starts.append(part.starts[1:] + node)
            neighbors.append(part.neighbors + np.int32(node))
        named = any(part.names for part in parts)
        return cls(
            np.concatenate(offsets),
            np.concatenate(neighbors),
            np.concatenate(starts),
            sum(part.removed_loops for part in parts),
            sum(part.removed_repeats for part in parts),
            *_joined([(part.arcs, part.arc_labels, len(part.neighbors)) for part in parts], PLAIN),
            *_joined([(part.loops, part.loop_labels, part.num_nodes) for part in parts], ()),
            _ignored_by_any(parts),
            tuple(chain.from_iterable(part._names_or_numbers() for part in parts)) if named else (),
        )

    def _names_or_numbers(self) -> Sequence[Hashable]:
        """What each node is called."""
        return self.names or (np.arange(self.num_nodes) - self.starts[self.graph_of]).tolist()

    @cached_property
    def adjacency(self) -> Adjacency:
        """The edges as kernels take them."""
        return Adjacency(self.offsets, self.neighbors, self.arcs)

    @cached_property
    def tokens(self) -> TokenTable:
        """What the labels of edges and loops are made of; of a simple graph, nothing."""
        plain = (PLAIN,) if self.loop_labels and len(self.neighbors) else ()  # beside loops, plain edges are a kind too
        return TokenTable.of(self.arc_labels or plain, self.loop_labels)

    @cached_property
    def arc_words(self) -> NDArray[np.uint64]:
        """[labels] A word for each of `arc_labels` that occurs, which means the same in every union."""
        used = np.unique(self.arcs)
        words = np.zeros(len(self.arc_labels), np.uint64)
        words[used] = label_words(self.arc_labels[i] for i in used)
        return words

    @cached_property
    def reverse_entries(self) -> NDArray[np.int64]:
        """[2 * edges] For the entry (v, u) the place of (u, v)."""
        source = np.repeat(np.arange(self.num_nodes), self.degrees)
        return np.lexsort((source, self.neighbors))  # entries by column, then row, are in the order of their reverses

    @classmethod
    def from_entries(
        cls,
        starts: NDArray[np.int64],
        rows: NDArray[np.integer[Any]],
        columns: NDArray[np.integer[Any]],
        arcs: NDArray[np.int32],
        arc_labels: tuple[ArcLabel, ...],
    ) -> Graph:
        """The loopless graph from all entries of its adjacency, (v, u) and (u, v), in any order, and their labels."""
        order = np.lexsort((columns, rows))
        offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=int(starts[-1])))])
        neighbors = columns[order].astype(np.int32)
        return cls(offsets, neighbors, starts, arcs=arcs[order] if len(arcs) else NONE, arc_labels=arc_labels)

    @property
    def num_nodes(self) -> int:
        return len(self.offsets) - 1

    @property
    def num_edges(self) -> int:
        return len(self.neighbors) // 2

    @property
    def num_graphs(self) -> int:
        return len(self.starts) - 1

    @property
    def degrees(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    @property
    def graph_sizes(self) -> NDArray[np.int64]:
        """Nodes of each graph of the union."""
        return np.diff(self.starts)

    @property
    def graph_of(self) -> NDArray[np.int64]:
        """For each node the index of its graph in the union (PyG's `batch` vector)."""
        return np.repeat(np.arange(self.num_graphs), self.graph_sizes)

    def neighbors_of(self, node: int) -> NDArray[np.int32]:
        if not 0 <= node < self.num_nodes:
            raise IndexError(f"node {node} of a graph with {self.num_nodes} nodes")
        return self.neighbors[self.offsets[node] : self.offsets[node + 1]]

    def has_edge(self, u: int, v: int) -> bool:
        row = self.neighbors_of(u)
        i = int(np.searchsorted(row, v))
        return i < len(row) and bool(row[i] == v)

    def take(self, which: ArrayLike) -> Graph:
        """The disjoint union of the graphs with these indices, in this order; an index may stand twice."""
        index = self.graph_indices(which)
        adjacency, starts = kernels.take_graphs(self.adjacency, self.starts, index)
        loops = self.loops[self.nodes_of(index)] if len(self.loops) else self.loops
        return Graph(
            adjacency.offsets,
            adjacency.neighbors,
            starts,
            arcs=adjacency.arcs,
            arc_labels=self.arc_labels,
            loops=loops,
            loop_labels=self.loop_labels,
            ignored=self.ignored,
            names=tuple(self.names[v] for v in self.nodes_of(index)) if self.names else (),
        )

    def nodes_of(self, which: ArrayLike) -> NDArray[np.int64]:
        """The nodes of the graphs with these indices, in the order in which `take` arranges them."""
        index = self.graph_indices(which)
        sizes = self.graph_sizes[index]
        ends = np.cumsum(sizes)
        return np.repeat(self.starts[index] - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)

    def graph_indices(self, which: ArrayLike) -> NDArray[np.int64]:
        """Indices of graphs of the union, checked: whole numbers, so no mask, and none out of range."""
        index = _integers(which, "graph indices").reshape(-1)
        if index.size and (index.min() < 0 or index.max() >= self.num_graphs):
            raise IndexError(f"graph index out of range: the union has {self.num_graphs} graphs")
        return index

    def __getitem__(self, index: int) -> Graph:
        """Graph number `index` of the union, as a graph of its own."""
        if not -self.num_graphs <= index < self.num_graphs:
            raise IndexError(f"graph {index} of a union of {self.num_graphs}")
        low, high = self.starts[index % self.num_graphs :][:2].tolist()
        first, last = self.offsets[[low, high]].tolist()
        return Graph(
            self.offsets[low : high + 1] - first,
            self.neighbors[first:last] - np.int32(low),
            np.array([0, high - low]),
            arcs=self.arcs[first:last].copy(),
            arc_labels=self.arc_labels,
            loops=self.loops[low:high].copy(),
            loop_labels=self.loop_labels,
            ignored=self.ignored,
            names=self.names[low:high],
        )

    def __iter__(self) -> Iterator[Graph]:
        return (self[i] for i in range(self.num_graphs))

    def __len__(self) -> int:
        return self.num_graphs

    def relabel(self, permutation: ArrayLike) -> Graph:
        """The same graph with node v called permutation[v]. In a union, nodes stay in their graph."""
        new_name = _integers(permutation, "a permutation's entries")
        if new_name.shape != (self.num_nodes,) or not np.array_equal(np.sort(new_name), np.arange(self.num_nodes)):
            raise ValueError(f"not a permutation of 0 .. {self.num_nodes - 1}")
        if self.num_graphs > 1 and not np.array_equal(self.graph_of[new_name], self.graph_of):
            raise ValueError("the permutation moves nodes from one graph of the disjoint union to another")
        old_name = np.argsort(new_name)
        names = tuple(self.names[v] for v in old_name) if self.names else ()
        if not len(self.arcs) and not len(self.loops):
            moved = Graph.from_edges(self.num_nodes, new_name[self.edges()], self.starts, ignored=self.ignored)
            return replace(moved, names=names) if names else moved
        rows, columns = new_name[self.edge_index()]
        moved = Graph.from_entries(self.starts, rows, columns, self.arcs, self.arc_labels)
        loops = self.loops[old_name] if len(self.loops) else self.loops
        return replace(moved, loops=loops, loop_labels=self.loop_labels, ignored=self.ignored, names=names)

    def edges(self) -> NDArray[np.int64]:
        """Every edge once, as rows (u, v) with u < v."""
        source = np.repeat(np.arange(self.num_nodes), self.degrees)
        once = source < self.neighbors
        return np.stack([source[once], self.neighbors[once]], axis=1)

    def edge_index(self) -> NDArray[np.int64]:
        """Both directions of every edge, shape [2, 2 * edges]: PyG's `edge_index`."""
        return np.stack([np.repeat(np.arange(self.num_nodes), self.degrees), self.neighbors])

    def same_edges(self, other: Graph) -> bool:
        """Equal node by node, with all that edges carry (not: isomorphic)."""
        if not (np.array_equal(self.offsets, other.offsets) and np.array_equal(self.neighbors, other.neighbors)):
            return False
        both = Graph.union([self, other])
        halves = (np.split(codes, 2) for codes in (both.arcs, both.loops))
        return all(np.array_equal(mine, theirs) for mine, theirs in halves)

    def without_labels(self) -> Graph:
        """The simple graph below: who is joined to whom, and nothing that edges carry, which `ignored` tells."""
        tokens = [token for label in self.arc_labels for token in label]
        values = [value for _, value in tokens] + [value for label in self.loop_labels for value in label]
        carried = {
            LABELS: any(value is not None for value in values),
            DIRECTIONS: any(direction != BOTH for direction, _ in tokens),
            "parallel edges": any(len(label) > 1 for label in self.arc_labels),
            "loops": len(self.loops) > 0,
        }
        ignored = dict.fromkeys([*self.ignored, *(name for name, there in carried.items() if there)])
        return Graph(self.offsets, self.neighbors, self.starts, ignored=tuple(ignored), names=self.names)

    def without_edge_labels(self) -> Graph:
        """The same graph with directions, parallel edges and loops, all of them without labels of their own, which
        `ignored` tells."""
        bare = tuple(tuple(sorted((direction, None) for direction, _ in label)) for label in self.arc_labels)
        if bare == self.arc_labels and all(label == (None,) * len(label) for label in self.loop_labels):
            return self
        arc_labels, (number,) = joined([bare])
        plain = arc_labels in ((), (PLAIN,))
        loop_labels, (loop_number,) = joined([tuple((None,) * len(label) for label in self.loop_labels)])
        return replace(
            self,
            arcs=NONE if plain else number[self.arcs],
            arc_labels=() if plain else arc_labels,
            loops=loop_number[self.loops],
            loop_labels=loop_labels,
            ignored=tuple(dict.fromkeys([*self.ignored, LABELS])),
        )

    def to_scipy(self, label: int | None = None) -> scipy.sparse.csr_array:
        """The adjacency matrix, float64; with a label only the entries that have it (a code, see `arcs`)."""
        import scipy.sparse

        shape = (self.num_nodes, self.num_nodes)
        if label is None:
            return scipy.sparse.csr_array((np.ones(len(self.neighbors)), self.neighbors, self.offsets), shape=shape)
        rows, columns = self.edge_index()[:, self.arcs == label]
        return scipy.sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)

    def matrices(self) -> Iterator[scipy.sparse.csr_array]:
        """The adjacency matrix of every label, also of those that only other graphs of a union have; the one matrix of
        a graph without labels."""
        return map(self.to_scipy, range(len(self.arc_labels)) if self.arc_labels else [None])

    def listed(self) -> ListedEdges:
        """Every edge, loops and parallel ones too, as libraries list them. Beside directed edges, an undirected one is
        two, one each way, as in PyG."""
        if not len(self.arcs) and not len(self.loops):
            return ListedEdges(self.edges().tolist(), [], False, False)
        used = np.unique(self.arcs).tolist()
        directed = any(direction != BOTH for arc in used for direction, _ in self.arc_labels[arc])
        pairs: list[tuple[int, int]] = []
        labels: list[Hashable] = []
        parallel = False
        sources, columns = self.edge_index()
        once = sources < columns
        arcs = self.arcs[once].tolist() if len(self.arcs) else [0] * self.num_edges
        for u, v, arc in zip(sources[once].tolist(), columns[once].tolist(), arcs, strict=True):
            before = len(pairs)
            for direction, label in self.arc_labels[arc] if len(self.arcs) else PLAIN:
                if direction != IN:
                    pairs.append((u, v))
                    labels.append(label)
                if direction == IN or (directed and direction == BOTH):
                    pairs.append((v, u))
                    labels.append(label)
            parallel |= len(set(pairs[before:])) < len(pairs) - before
        for v, loop in enumerate(self.loops.tolist()):
            pairs += [(v, v)] * len(self.loop_labels[loop])
            labels += self.loop_labels[loop]
            parallel |= len(self.loop_labels[loop]) > 1
        bare = all(label is None for label in labels)
        return ListedEdges(pairs, [] if bare else labels, directed, parallel)

    def to_networkx(self, edge_labels: str = "label") -> networkx.Graph[Any]:
        """The graph in networkx: a DiGraph where edges have directions, a MultiGraph where they are parallel. Labels
        are the edges' attribute of that name, and nodes are called by their names, if no two have the same."""
        import networkx

        pairs, labels, directed, parallel = self.listed()
        kinds: dict[tuple[bool, bool], Any] = {
            (False, False): networkx.Graph,
            (True, False): networkx.DiGraph,
            (False, True): networkx.MultiGraph,
            (True, True): networkx.MultiDiGraph,
        }
        names: Sequence[Any] = self.names if self._names_differ() else range(self.num_nodes)
        graph = kinds[directed, parallel]()
        graph.add_nodes_from(names)
        named = ((names[u], names[v]) for u, v in pairs) if self._names_differ() else pairs
        if labels:
            carried = ({} if label is None else {edge_labels: label} for label in labels)
            graph.add_edges_from((u, v, data) for (u, v), data in zip(named, carried, strict=True))
        else:
            graph.add_edges_from(named)
        return graph

    def to_igraph(self, edge_labels: str = "label") -> igraph.Graph:
        """The graph in igraph: directed where edges have directions, with labels as the edges' attribute of that name,
        and with the nodes' names, if no two have the same, as their attribute "name"."""
        import igraph

        pairs, labels, directed, _ = self.listed()
        graph = igraph.Graph(n=self.num_nodes, edges=pairs, directed=directed)
        if labels:
            graph.es[edge_labels] = labels
        if self._names_differ():
            graph.vs["name"] = self.names
        return graph

    def _names_differ(self) -> bool:
        return bool(self.names) and len(set(self.names)) == self.num_nodes

    def _repr_html_(self) -> str:
        """What a notebook shows: the graph in a line, and its picture if it is small enough to be seen."""
        line = f"<p>{text(repr(self))}</p>"
        return line + svg(picture_of(self)) if 0 < self.num_nodes <= MOST_DRAWN else line

    def __repr__(self) -> str:
        graphs = "" if self.num_graphs == 1 else f"graphs={self.num_graphs}, "
        labels = f", edge labels={len(self.arc_labels)}" if self.arc_labels else ""
        loops = f", nodes with loops={int(np.count_nonzero(self.loops))}" if len(self.loops) else ""
        return f"Graph({graphs}nodes={self.num_nodes}, edges={self.num_edges}{labels}{loops})"


def left_out(loops: int, repeats: int) -> tuple[str, ...]:
    """What a simple graph has lost, as `Graph.ignored` tells it."""
    if not loops and not repeats:
        return ()
    return tuple(count(n, thing) for n, thing in ((loops, "loop"), (repeats, "repeated edge")) if n)


def _ignored_by_any(parts: list[Graph]) -> tuple[str, ...]:
    """All that was ignored, each sentence once, and what was left out counted together."""
    sentences: dict[str, None] = {}
    loops = repeats = 0
    for part in parts:
        counted = left_out(part.removed_loops, part.removed_repeats)
        if counted and set(counted) <= set(part.ignored):
            loops, repeats = loops + part.removed_loops, repeats + part.removed_repeats
            sentences |= dict.fromkeys(sentence for sentence in part.ignored if sentence not in counted)
        else:
            sentences |= dict.fromkeys(part.ignored)
    return (*sentences, *left_out(loops, repeats))


def _joined(parts: list[tuple[NDArray[np.int32], tuple[Any, ...], int]], nothing: Any) -> tuple[Any, Any]:
    """Codes of all parts with one table of labels; items of parts without labels have the label `nothing`."""
    if not any(len(codes) for codes, _, _ in parts):
        return NONE, ()
    table, numbers = joined([labels or (nothing,) * (count > 0) for _, labels, count in parts])
    coded_parts = [codes if len(codes) else np.zeros(count, np.int32) for codes, _, count in parts]
    return np.concatenate([number[codes] for number, codes in zip(numbers, coded_parts, strict=True)]), table


def number_of_labels(labels: Any) -> int:
    """How many edges are labelled; TypeError for what is no list of labels, such as a dictionary."""
    if isinstance(labels, Mapping) or not hasattr(labels, "__len__"):
        raise TypeError(
            f"edge labels of type {type(labels).__name__}; a list or an array is needed, one label for every edge, in "
            "the order of the edges"
        )
    return len(labels)


def checked_directions(directed: Any, num_edges: int) -> bool | NDArray[np.bool_]:
    """Which edges are directed: all, none, or those of a mask."""
    mask = np.asarray(directed)
    if mask.dtype != np.bool_ or mask.shape not in ((), (num_edges,)):
        raise TypeError(f"directed must be True, False or a mask, a Boolean for each of the {num_edges} edges")
    return mask if mask.ndim else bool(mask)


def coded(labels: Sequence[Any] | NDArray[Any], pairs: NDArray[np.int64]) -> tuple[list[Hashable], NDArray[np.int64]]:
    """The different labels of edges, and which of them each edge has; rows of numbers are tuples.

    ValueError or TypeError names the first edge whose label is missing, not a number (NaN), cannot be hashed, or is
    text where another is a number."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biuf" and labels.ndim <= 2 and labels.size:
        different, codes = np.unique(labels, axis=0, return_inverse=True)
        if different.dtype.kind != "f" or not np.isnan(different).any():
            values = different.tolist()
            return [tuple(value) if isinstance(value, list) else value for value in values], codes.reshape(-1)
    number: dict[Hashable, int] = {}
    codes = np.empty(len(labels), np.int64)
    first: dict[bool, int] = {}  # the first edge whose label is text, and the first whose is not

    def place(edge: int) -> str:
        return f"edge {edge}, ({pairs[edge][0]}, {pairs[edge][1]})"

    for i, label in enumerate(labels.tolist() if isinstance(labels, np.ndarray) else labels):
        value = tuple(label) if isinstance(label, list) else label
        if value is None or any(x != x for x in (value if isinstance(value, tuple) else (value,))):
            raise ValueError(f"{place(i)}: its label is {'missing' if value is None else 'NaN'}")
        try:
            codes[i] = number.setdefault(value, len(number))
        except TypeError:
            raise TypeError(f"{place(i)}: the label {value!r} cannot be hashed") from None
        if isinstance(value, (str, Real)) and first.setdefault(isinstance(value, str), i) == i and len(first) == 2:
            other = labels[first[not isinstance(value, str)]]
            raise TypeError(f"{place(i)}: the label {value!r}, and another edge has {other!r}; all numbers or all text")
    return list(number), codes


def checked_pairs(num_nodes: int, edges: ArrayLike) -> NDArray[Any]:
    """Edges as integers, [m, 2]; every end is one of so many nodes."""
    if isinstance(num_nodes, bool) or not isinstance(num_nodes, (int, np.integer)):
        raise TypeError(f"the number of nodes must be an integer, not {num_nodes!r}")
    if not 0 <= num_nodes <= MAX_NODES:
        raise ValueError(f"the number of nodes must be between 0 and {MAX_NODES}, not {num_nodes}")
    pairs = _integer_pairs(edges)
    if pairs.size:
        lowest, highest = int(pairs.min()), int(pairs.max())
        if lowest < 0 or highest >= num_nodes:
            bad = lowest if lowest < 0 else highest
            row = int(np.flatnonzero((pairs == bad).any(axis=1))[0])
            u, v = pairs[row]
            nodes = f"among the nodes 0 .. {num_nodes - 1}" if num_nodes else "possible in a graph without nodes"
            raise ValueError(f"edge {row}, ({u}, {v}): node {bad} is not {nodes}")
    return pairs


def _integer_pairs(edges: ArrayLike) -> NDArray[np.int64]:
    """Edges as an integer array of shape [m, 2]."""
    ready = isinstance(edges, (list, tuple)) or hasattr(edges, "__array__")
    try:
        pairs: NDArray[Any] = np.asarray(edges if ready else list(edges))  # type: ignore[arg-type]
    except (ValueError, TypeError):
        raise TypeError("edges must be a list of pairs of node numbers") from None
    if pairs.size == 0:
        return np.zeros((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"edges must be a list of pairs; this has shape {pairs.shape}")
    if pairs.dtype.kind == "f":
        if not np.isfinite(pairs).all() or not (pairs == np.floor(pairs)).all():
            raise ValueError("edges must be pairs of whole numbers; some entries are not")
    elif pairs.dtype.kind not in "iu":
        raise TypeError(f"edges must be pairs of whole numbers, not of type {pairs.dtype}")
    if pairs.dtype.kind == "i" and pairs.dtype.itemsize <= 8:
        return pairs
    for extreme in (pairs.min(), pairs.max()):
        if abs(extreme) > MAX_NODES:
            raise ValueError(f"node {extreme} is beyond the largest possible node number {MAX_NODES}")
    return pairs.astype(np.int64)


def _integers(values: ArrayLike, what: str) -> NDArray[np.int64]:
    array: NDArray[Any] = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers, not of type {array.dtype}")
    return array.astype(np.int64)


def checked_starts(starts: ArrayLike | None, num_nodes: int) -> NDArray[np.int64]:
    """The first node of each graph of a union, then the number of nodes; None: it is one graph."""
    if starts is None:
        return np.array([0, num_nodes], dtype=np.int64)
    array = _integers(starts, "starts")
    if array.ndim != 1 or len(array) < 1 or array[0] != 0 or array[-1] != num_nodes or (np.diff(array) < 0).any():
        raise ValueError(f"starts must rise from 0 to the number of nodes, {num_nodes}")
    return array
