"""Colour refinement: one WL round of a batch (`refine_once`) and the stable colouring (`closure`, the paper's CLOSURE).

Colours are integers. Equal numbers mean equal colours inside one Graph only, which is why two graphs are compared in
their disjoint union.
"""

from __future__ import annotations

import copy
import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.graph import Graph
from wlt.io import as_graph, given_colors
from wlt.refine import cell_kernels, round_kernels

Colors = NDArray[np.int32]


def as_colors(colors: ArrayLike | None, num_nodes: int) -> Colors:
    """Any integer per node, as dense ranks 0 .. k-1 in the order of the integers; None gives every node colour 0.

    >>> as_colors([70, -3, 70], 3).tolist()
    [1, 0, 1]
    """
    if colors is None:
        return np.zeros(num_nodes, np.int32)
    try:
        array: NDArray[Any] = np.asarray(colors)
    except ValueError:  # rows of different lengths
        raise ValueError(
            f"colours in lists of different lengths; one list with the {num_nodes} of all nodes is needed"
        ) from None
    if array.shape != (num_nodes,):
        raise ValueError(f"colours of shape {array.shape} for {num_nodes} nodes; one integer per node is needed")
    if num_nodes == 0:
        return np.zeros(0, np.int32)
    if array.dtype.kind == "O" and all(isinstance(color, (int, np.integer)) for color in array):
        pass  # Python's integers, of any size
    elif array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise ValueError(f"colour of node {int(np.flatnonzero(~np.isfinite(array))[0])} is not a finite number")
        if (array != np.floor(array)).any():
            raise TypeError("colours must be integers; for feature vectors use equal integers for equal rows")
        if (np.abs(array) >= 2**53).any():
            raise ValueError("colours of 2^53 and more as floats: different integers may have become equal")
    elif array.dtype.kind not in "iub":
        raise TypeError(f"colours must be integers, not of type {array.dtype}")
    return np.unique(array, return_inverse=True)[1].astype(np.int32)


class CSR(NamedTuple):
    """A sparse matrix of counts: row i has the entries `columns[offsets[i]:offsets[i + 1]]` with these values."""

    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.int32]


class Round(NamedTuple):
    """One WL round on a disjoint union, seen from the classes (colours) instead of the nodes."""

    parent: NDArray[np.int32]  # [k1] the class, one round earlier, that class i was in
    counts: CSR  # [k1, k0] neighbours that a node of class i has in each earlier class
    sizes: NDArray[np.int64]  # [k1] nodes of the union in class i
    members: CSR  # [graphs, k1] nodes of each graph in class i


def refine_once(graph: Any, colors: ArrayLike | str | None = None) -> tuple[Colors, Round]:
    """One WL round: colours that also know the multiset of the neighbours' colours, and how the classes relate.

    >>> path = Graph.from_edges(3, [(0, 1), (1, 2)])
    >>> colors, step = refine_once(path)
    >>> colors.tolist(), step.sizes.tolist(), step.counts.values.tolist()
    ([0, 1, 0], [2, 1], [1, 2])
    """
    union = as_graph(graph)
    return refine_dense(union, as_colors(given_colors(graph, colors), union.num_nodes))


def refine_dense(graph: Graph, dense: Colors) -> tuple[Colors, Round]:
    """`refine_once` for colours that are known to be 0 .. k-1."""
    num_colors = int(dense.max()) + 1 if len(dense) else 0
    new, first_node = round_kernels.round_colors(graph.offsets, graph.neighbors, dense, num_colors)
    counts = round_kernels.class_counts(graph.offsets, graph.neighbors, dense, num_colors, first_node)
    members = round_kernels.class_members(graph.starts, new, len(first_node))
    sizes = np.bincount(new, minlength=len(first_node))
    return new, Round(dense[first_node], CSR(*counts), sizes, CSR(*members))


class Partition:
    """An ordered partition of a graph's nodes into cells, refined in place: the state behind `closure`.

    `order` lists the nodes cell by cell and `where` is its inverse; a cell is named by the position of its first node,
    `cell` gives every node's cell and `length` every cell's size. Refinement never depends on the names of the nodes:
    relabelling the graph relabels the cells and changes none of their positions.
    """

    def __init__(self, graph: Graph, colors: ArrayLike | None = None):
        words = as_colors(colors, graph.num_nodes)
        self.graph = graph
        self.rounds = 0
        self._scratch: NDArray[np.int32] | None = None
        self._split_by(words)

    def copy(self) -> Partition:
        """An independent partition with the same cells."""
        twin = copy.copy(self)
        twin._scratch = None
        twin.order, twin.where = self.order.copy(), self.where.copy()
        twin.cell, twin.length = self.cell.copy(), self.length.copy()
        return twin

    def _split_by(self, words: NDArray[Any]) -> None:
        order = np.argsort(words).astype(np.int32)
        self.order: NDArray[np.int32] = order
        self.where, self.cell, self.length = cell_kernels.cells_from_order(order, words)

    @property
    def num_cells(self) -> int:
        return int(np.count_nonzero(self.length))

    @property
    def is_discrete(self) -> bool:
        return self.num_cells == self.graph.num_nodes

    @property
    def colors(self) -> Colors:
        """Cells as dense colours, in their order."""
        rank = (np.cumsum(self.length > 0) - 1).astype(np.int32)
        colors: Colors = rank[self.cell]
        return colors

    def members(self, cell: int) -> NDArray[np.int32]:
        return self.order[cell : cell + self.length[cell]]

    def cells(self) -> NDArray[np.int64]:
        """The names (first positions) of all cells."""
        return np.flatnonzero(self.length)

    def individualize(self, nodes: ArrayLike) -> NDArray[np.int32]:
        """Make these nodes of one cell a cell of their own, behind the rest of it; returns the cells to refine from."""
        chosen = np.asarray(nodes, dtype=np.int32).reshape(-1)
        cell = int(self.cell[chosen[0]])
        if not (self.cell[chosen] == cell).all() or len(np.unique(chosen)) != len(chosen):
            raise ValueError("only different nodes of one cell can be recoloured together")
        if len(chosen) == self.length[cell]:
            return np.zeros(0, np.int32)  # the whole cell: nothing is split
        new = int(cell_kernels.split_off(self.order, self.where, self.cell, self.length, chosen))
        return np.array([new if self.length[new] <= self.length[cell] else cell], dtype=np.int32)

    def refine(self, splitters: NDArray[np.int32] | None = None, border: int = 0) -> bool:
        """Refine until stable, from these splitters (cells just split off a stable partition) or from all cells.

        With a `border`, nodes below it and the others are two graphs: refinement ends, and the answer is False, as
        soon as a cell has not as many nodes on either side. `rounds` counts the WL rounds that split something."""
        graph = self.graph
        if splitters is None:
            splitters = cell_kernels.touching_cells(graph.offsets, graph.neighbors, self.order, self.cell, self.length)
        if not len(splitters):
            return True
        if self._scratch is None:
            # by numpy, not in a kernel: zero pages that are given when they are touched, and huge ones
            self._scratch = np.zeros((cell_kernels.SCRATCH_ROWS, graph.num_nodes + 2), np.int32)
        rounds, _, balanced = cell_kernels.refine_cells(
            graph.offsets,
            graph.neighbors,
            self.order,
            self.where,
            self.cell,
            self.length,
            splitters,
            border,
            self._scratch,
        )
        self.rounds += int(rounds)
        return bool(balanced)

    def refine_in_bulk(self, border: int = 0) -> bool:
        """WL rounds on hashes of many nodes at once, as long as they split much; then `refine` finishes exactly.

        A round over all nodes costs far less per edge than the worklist, but the worklist touches only what changes:
        random graphs are done after three rounds, a path needs n/2. So the worklist takes over when the number of cells
        neither doubles nor grows by a sixteenth of the nodes. A node alone in its cell keeps its word and costs
        nothing more. Hashes may collide: that only merges cells, and `refine`, started from all cells, splits them.
        Merged cells of different given colours it could not split; then it does all the work itself."""
        graph = self.graph
        given = self.colors
        words = round_kernels.color_words(given)
        active = np.flatnonzero(self.length[self.cell] > 1).astype(np.int32)
        count = len(self.cells()) - (graph.num_nodes - len(active))  # different words among the active nodes
        balanced = True
        for bulk_round in itertools.count(1):
            new = round_kernels.hashed_round(graph.offsets, graph.neighbors, words, active)
            runs, longest, shared = cell_kernels.runs_of_words(new, np.argsort(new))
            self.rounds += int(runs > count)
            words[active] = new
            if border and not np.array_equal(np.sort(new[active < border]), np.sort(new[active >= border])):
                balanced = False
                break
            slow = runs - count < max(1, len(active) // 16) and runs < 2 * count
            few_split = longest > 7 * len(active) // 8 or (bulk_round > 2 and slow)
            alone = len(active) - int(np.count_nonzero(shared))
            active, count = active[shared], runs - alone
            if few_split or not len(active):
                break
        self._split_by(words)
        if given.any() and not np.array_equal(given, given[self.order[self.cell]]):
            self._split_by(given)
        return balanced and self.refine(border=border)


def stable_partition(graph: Graph, colors: ArrayLike | None = None) -> Partition:
    """The coarsest stable (equitable) partition that refines the colours."""
    partition = Partition(graph, colors)
    partition.refine_in_bulk()
    return partition


def closure(graph: Any, colors: ArrayLike | str | None = None) -> Colors:
    """CLOSURE: the stable colouring, in O((n + m) log n).

    Two nodes get the same colour iff no number of WL rounds tells them apart. Relabelling the graph permutes the
    result and changes no number. `colors`: an integer for each node, or the name of a node attribute.

    >>> path = Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> len(set(closure(path).tolist()))
    3
    """
    return stable_partition(as_graph(graph), given_colors(graph, colors)).colors
