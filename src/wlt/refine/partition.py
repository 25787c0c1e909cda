"""The stable colouring (`closure`, the paper's CLOSURE), and the ordered partition that is refined to it.

Colours are integers. Equal numbers mean equal colours inside one Graph only, which is why two graphs are compared in
their disjoint union.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.graph import Graph
from wlt.io import as_graph, labels_of
from wlt.io.attributes import dense_codes
from wlt.refine import cell_kernels, round_kernels
from wlt.refine.cell_kernels import Cells

Colors = NDArray[np.int32]


def as_colors(node_labels: ArrayLike | None, graph: Graph) -> Colors:
    """Any integer per node, as dense colours 0 .. k-1 in the order of the integers; None gives every node colour 0.

    Nodes with different loops have different colours.

    >>> as_colors([70, -3, 70], Graph.from_edges(3, [])).tolist()
    [1, 0, 1]
    """
    n = graph.num_nodes
    colors = np.zeros(n, np.int32) if node_labels is None else dense_codes(node_labels, n)[1]
    if not len(graph.loops):
        return colors
    both = colors.astype(np.int64) * len(graph.loop_labels) + graph.loops
    dense: Colors = np.unique(both, return_inverse=True)[1].astype(np.int32)
    return dense


class Partition:
    """An ordered partition of a graph's nodes into cells, refined in place: the state behind `closure`.

    Refinement never depends on the names of the nodes: relabelling the graph relabels the cells and changes none of
    their positions.
    """

    cells: Cells

    def __init__(self, graph: Graph, colors: ArrayLike | None = None):
        words = as_colors(colors, graph)
        self.graph = graph
        self.rounds = 0
        self._scratch: NDArray[np.int32] | None = None
        self._split_by(words)

    def copy(self) -> Partition:
        """An independent partition with the same cells."""
        twin = copy.copy(self)
        twin._scratch = None
        twin.cells = Cells(*(array.copy() for array in self.cells))
        return twin

    def _split_by(self, words: NDArray[Any]) -> None:
        order = np.argsort(words).astype(np.int32)
        self.cells = cell_kernels.cells_from_order(order, words.astype(np.uint64, copy=False))

    @property
    def num_cells(self) -> int:
        return int(np.count_nonzero(self.cells.length))

    @property
    def is_discrete(self) -> bool:
        return self.num_cells == self.graph.num_nodes

    @property
    def colors(self) -> Colors:
        """Cells as dense colours, in their order."""
        rank = (np.cumsum(self.cells.length > 0) - 1).astype(np.int32)
        colors: Colors = rank[self.cells.cell]
        return colors

    def members(self, cell: int) -> NDArray[np.int32]:
        return self.cells.order[cell : cell + self.cells.length[cell]]

    def cell_names(self) -> NDArray[np.int64]:
        """The names of all cells in their order: a cell's name is the position of its first node."""
        return np.flatnonzero(self.cells.length)

    def individualize(self, nodes: ArrayLike) -> NDArray[np.int32]:
        """Make these nodes of one cell a cell of their own, behind the rest of it; returns the cells to refine from."""
        chosen = np.asarray(nodes, dtype=np.int32).reshape(-1)
        length = self.cells.length
        cell = int(self.cells.cell[chosen[0]])
        if not (self.cells.cell[chosen] == cell).all() or len(np.unique(chosen)) != len(chosen):
            raise ValueError(f"only different nodes of one cell can be recoloured together, not {chosen.tolist()}")
        if len(chosen) == length[cell]:
            return np.zeros(0, np.int32)  # the whole cell: nothing is split
        new = int(cell_kernels.split_off(self.cells, chosen))
        return np.array([new if length[new] <= length[cell] else cell], dtype=np.int32)

    def refine(self, splitters: NDArray[np.int32] | None = None, border: int = 0) -> bool:
        """Refine until stable, from these splitters (cells just split off a stable partition) or from all cells.

        With a `border`, nodes below it and the others are two graphs: refinement ends, and the answer is False, as
        soon as a cell has not as many nodes on either side. `rounds` counts the WL rounds that split something."""
        adjacency = self.graph.adjacency
        if splitters is None:
            splitters = cell_kernels.touching_cells(adjacency, self.cells)
        if not len(splitters):
            return True
        rounds, _, balanced = cell_kernels.refine_cells(adjacency, self.cells, splitters, border, self.scratch())
        self.rounds += int(rounds)
        return bool(balanced)

    def scratch(self) -> NDArray[np.int32]:
        """The work space of `refine_cells`."""
        if self._scratch is None:
            # by numpy, not in a kernel: the system provides zero pages, huge ones, only when they are touched
            self._scratch = np.zeros((cell_kernels.SCRATCH_ROWS, self.graph.num_nodes + 2), np.int32)
        return self._scratch

    def refine_in_bulk(self, border: int = 0) -> bool:
        """WL rounds on hashes of many nodes at once, as long as they split much; then `refine` finishes exactly.

        A round over all nodes costs far less per edge than the worklist, but the worklist touches only what changes:
        random graphs are done after three rounds, a path needs n/2. So the worklist takes over when the number of cells
        neither doubles nor grows by a sixteenth of the nodes. A node alone in its cell keeps its word and costs
        nothing more. Hashes may collide: that only merges cells, and `refine`, started from all cells, splits them.
        Merged cells of different initial colours it could not split; then it does all the work itself."""
        graph = self.graph
        initial = self.colors
        words = round_kernels.color_words(initial)
        active = np.flatnonzero(self.cells.length[self.cells.cell] > 1).astype(np.int32)
        count = self.num_cells - (graph.num_nodes - len(active))  # different words among the active nodes
        balanced = True
        for bulk_round in itertools.count(1):
            new = round_kernels.hashed_round(graph.adjacency, words, active)
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
        if initial.any() and not np.array_equal(initial, initial[self.cells.order[self.cells.cell]]):
            self._split_by(initial)
        return balanced and self.refine(border=border)


def stable_partition(graph: Graph, colors: ArrayLike | None = None) -> Partition:
    """The coarsest stable (equitable) partition that refines the colours."""
    partition = Partition(graph, colors)
    partition.refine_in_bulk()
    return partition


def closure(
    graph: Any,
    *,
    node_labels: ArrayLike | str | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
) -> Colors:
    """CLOSURE: the stable colouring, in O((n + m) log n).

    Two nodes get the same colour iff no number of WL rounds tells them apart. Relabelling the graph permutes the
    result and changes no number. `node_labels`: an integer for each node, or the name of a node attribute; None: all
    nodes alike. `edge_labels` and `simple` are those of `as_graph`.

    >>> path = Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> len(set(closure(path).tolist()))
    3
    """
    union = as_graph(graph, edge_labels=edge_labels, simple=simple)
    return stable_partition(union, labels_of(graph, node_labels)).colors
