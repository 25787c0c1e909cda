"""Which classes is a graph in? Discrete < amenable < compact < Tinhofer < refinable (Arvind, Köbler, Rattan, Verbitsky,
arXiv:1502.01255): the smaller the class, the further the tests can be trusted with the graph.

Everything rests on one reduction of the stable partition that changes none of the answers but discrete:

- a pair of cells that is empty or complete says nothing and is left out; a dense pair is replaced by its complement,
  and so is the inside of a cell (a doubly stochastic X that respects the cells commutes with both or with neither);
- a cell Y without inner edges is left out if it has one partner X and every node of Y has one neighbour in X (stars
  around the nodes of X, or a matching): whatever happens to X can be continued on Y;
- a cell without partners is left out if it is empty, a matching or C5: nothing else has the same stable partition.

The graph is amenable iff nothing is left: this is the characterisation of Arvind et al. What is left, the core, falls
into parts that share no cell, and each question has the answer of its worst part. A part falls into components; if they
are not copies of each other, nodes of one cell are in different orbits and the graph is not refinable; if they are, one
of them answers for all (for compact: Tinhofer 1991). That component may be reduced in its turn, until a piece is left
that no rule makes smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.graph import Graph
from wlt.graphclass.polytope import edges_at_identity_are_integral, fractional_extreme_point, num_fractional_variables
from wlt.graphclass.quotients import cyclic_orbits, has_symmetry_of_its_own, random_automorphisms
from wlt.io import as_graph, labels_of
from wlt.refine.bliss import DEFAULT_SECONDS, TimeLimit, Undecided, automorphisms
from wlt.refine.canonical import canonical_form, content
from wlt.refine.core import core_cells, core_of, stable_quotient
from wlt.refine.partition import Colors, Partition, as_colors, stable_partition
from wlt.wording import count, html_table

DEFAULT_BUDGET = 3_000_000
"""Steps of one or two microseconds; most graphs need a tiny part of it."""
STEPS_OF_A_CALL = 100
"""What any refinement, canonical form or automorphism group costs beside the nodes and edges that it visits."""
MAX_AUTOMORPHISMS = 40
"""Of one piece, whose quotients are looked at; where one of them has symmetry of its own, the first few mostly do."""
MAX_PROGRAMS = 6
"""Linear programs for one piece; where it has a fractional extreme point, the first one mostly finds it."""
STEPS_OF_A_PROGRAM = 3_000
"""What any linear program costs beside the square of its number of variables."""
MAX_RECOLORED = 100
"""Nodes that are recoloured one after the other: the depth of the search."""
MAX_AUTOMORPHISM_NODES = 5_000
"""Nodes of a piece whose automorphisms igraph's BLISS may compute: neither its time nor its output has a good bound."""


@dataclass(frozen=True)
class GraphClass:
    """The answers about one graph. None: undecided, and `reasons` says what was tried."""

    nodes: int
    edges: int
    colors: int
    """Classes of the stable colouring."""
    discrete: bool
    """Every stable class is a single node."""
    amenable: bool | None
    """The WL test is right about this graph and any other. None: edges have labels or directions, and the theorem that
    decides it does not cover them."""
    compact: bool | None
    """Every doubly stochastic matrix that commutes with the adjacency matrix, or with that of every edge label, is a
    convex sum of automorphisms."""
    tinhofer: bool | None
    """Tinhofer's algorithm is right about this graph and any other, whatever it chooses."""
    refinable: bool | None
    """The stable classes are the orbits of the automorphisms."""
    reasons: dict[str, str]
    """Why, for each of the five answers."""
    ignored: tuple[str, ...] = ()
    """What the graph has besides and was not looked at."""

    def __repr__(self) -> str:
        """One line; `reasons` says why."""
        sizes = f"{count(self.nodes, 'node')}, {count(self.edges, 'edge')}, {count(self.colors, 'stable colour')}"
        words = {"": True, "not ": False, "undecided: ": None}
        told = [
            word + ", ".join(name for name in self.reasons if getattr(self, name) is value)
            for word, value in words.items()
            if any(getattr(self, name) is value for name in self.reasons)
        ]
        ignored = f"; not looked at: {' and '.join(self.ignored)}" if self.ignored else ""
        return f"GraphClass({sizes}; {'; '.join(told)}{ignored})"

    def _repr_html_(self) -> str:
        """The answers with their reasons as a table, for notebooks."""
        words = {True: "yes", False: "no", None: "undecided"}
        rows = [(name, words[getattr(self, name)], reason) for name, reason in self.reasons.items()]
        ignored = f"Not looked at: {' and '.join(self.ignored)}." if self.ignored else ""
        sizes = f"{count(self.nodes, 'node')}, {count(self.edges, 'edge')}, {count(self.colors, 'stable colour')}"
        return html_table(sizes, rows, ignored)


class _Answer(NamedTuple):
    value: bool | None
    reason: str


def graph_class(
    g: Any,
    *,
    node_labels: ArrayLike | str | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
    budget: int = DEFAULT_BUDGET,
    time_limit: float | None = DEFAULT_SECONDS,
) -> GraphClass:
    """Is the graph discrete, amenable, compact, Tinhofer, refinable?

    Discrete and amenable exactly, in O((n + m) log n). Refinable and Tinhofer exactly within the budget. Compact: True
    or False with a proof, or None.

    `node_labels`: an integer for each node, or the name of a node attribute; None: all nodes alike.
    `edge_labels` and `simple` are those of `as_graph`.

    `budget` bounds the steps for refinable and Tinhofer together: every refinement, canonical form or automorphism
    group costs 100, and the number of nodes and edges of its piece of the graph. It bounds the steps for compact once
    more, in each piece: a linear program costs the square of its number of variables. `time_limit` bounds the seconds
    that igraph's BLISS may take for all canonical forms and automorphism groups together; None: no limit.

    >>> import networkx as nx
    >>> petersen = graph_class(nx.petersen_graph())
    >>> petersen.amenable, petersen.compact, petersen.tinhofer, petersen.refinable
    (False, False, True, True)
    >>> print(petersen.reasons["tinhofer"])
    the stable classes remain orbits whichever nodes are recoloured
    """
    graph = as_graph(g, edge_labels=edge_labels, simple=simple)
    if graph.num_graphs > 1:
        raise ValueError(f"a disjoint union of {graph.num_graphs} graphs; ask about single ones")
    if isinstance(budget, bool) or not isinstance(budget, (int, np.integer)):
        raise TypeError(f"the budget must be an integer, not {budget!r}")
    if budget < 0:
        raise ValueError(f"the budget must not be negative, but it is {budget}")
    limit = TimeLimit(time_limit)
    partition = stable_partition(graph, labels_of(g, node_labels))
    core = _core(partition)
    if core is None:
        labelled = "colour refinement determines how its nodes are joined"
        harder = (_Answer(True, labelled if len(graph.arcs) else "every amenable graph is"),) * 3
    else:
        harder = _Search(int(budget), limit).answers(graph, core)
    names = ("discrete", "amenable", "compact", "tinhofer", "refinable")
    answers = dict(zip(names, (_discrete(partition), _amenable(graph, core), *harder), strict=True))
    values: dict[str, Any] = {name: answer.value for name, answer in answers.items()}
    reasons = {name: answer.reason for name, answer in answers.items()}
    sizes = (graph.num_nodes, graph.num_edges, partition.num_cells)
    return GraphClass(*sizes, **values, reasons=reasons, ignored=graph.ignored)


def _discrete(partition: Partition) -> _Answer:
    largest = int(partition.cells.length.max(initial=0))
    if largest <= 1:
        return _Answer(True, "every stable class is a single node")
    return _Answer(False, f"a stable class has {largest} nodes")


def _amenable(graph: Graph, core: _Core | None) -> _Answer:
    if len(graph.arcs):
        return _Answer(None, "the theorem about amenable graphs does not cover labels and directions of edges")
    if core is None:
        return _Answer(True, "the stable partition has the form that characterises amenable graphs")
    colors = count(len(np.unique(core.colors)), "stable colour")
    return _Answer(False, f"WL does not determine how {core.graph.num_nodes} nodes of {colors} are joined")


class _Core(NamedTuple):
    """What the reduction leaves: the disjoint union of its components, and their stable colours."""

    graph: Graph
    colors: Colors

    def parts(self) -> Iterator[list[tuple[Graph, Colors]]]:
        """The components, grouped by the cells that they meet: components of one part meet the same cells."""
        starts = self.graph.starts
        smallest_cell = np.minimum.reduceat(self.colors, starts[:-1])
        by_cell = np.argsort(smallest_cell, kind="stable")
        last = np.flatnonzero(np.diff(smallest_cell[by_cell])) + 1
        for components in np.split(by_cell, last):
            yield [(self.graph[i], self.colors[starts[i] : starts[i + 1]]) for i in components.tolist()]


def _core(partition: Partition) -> _Core | None:
    """The core of a stable partition, or None if nothing is left. Near-linear."""
    quotient = stable_quotient(partition)
    left = core_cells(quotient)
    if not left.any():
        return None
    from scipy.sparse.csgraph import connected_components

    nodes, core = core_of(partition, quotient, left)
    count, component = connected_components(core.to_scipy(), directed=False)
    order = np.argsort(component, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(component, minlength=count))])
    return _Core(replace(core.relabel(np.argsort(order)), starts=starts), quotient.rank[nodes[order]])


class _Piece(NamedTuple):
    """A connected graph with a stable colouring that no rule of the reduction makes smaller."""

    graph: Graph
    colors: Colors
    key: bytes | None
    """Equal for isomorphic pieces, which are then equal node by node. None: the piece was too large to say."""

    @property
    def is_cycle(self) -> bool:
        """A cycle on which all nodes see the same: edges that are alike, or one each of two kinds, as where all edges
        go around or labels alternate. Of two kinds are the rotations, or rotations and reflections, of which just one
        carries a node to another; a matrix that commutes with both kinds is a sum of these."""
        seen = self.graph.arcs.reshape(-1, 2) if (self.graph.degrees == 2).all() else self.graph.arcs[:0]
        if not len(seen):
            return not len(self.graph.arcs) and bool((self.graph.degrees == 2).all())
        return len(np.unique(seen)) == 1 + int((seen[:, 0] != seen[:, 1]).all())


class _Search:
    """Refinable, Tinhofer and compact for a graph that is not amenable.

    Refinable: the cells of the stable partition are the orbits of the automorphisms. Tinhofer: after every sequence of
    recolorings they are the orbits of the automorphisms that fix the recoloured nodes. While cells are orbits, one node
    of a cell stands for all of them: recolour it, reduce what is left, and ask the same of every piece."""

    def __init__(self, budget: int, limit: TimeLimit):
        self.budget = budget
        self.limit = limit
        self.out_of_time: Undecided | None = None
        self.steps_left = budget
        self.program_steps_left = budget
        self._known: dict[tuple[str, bytes], _Answer] = {}
        self._canonical_form: dict[bytes, _Piece] = {}
        self._searched_in_vain: set[bytes] = set()

    def answers(self, graph: Graph, core: _Core) -> tuple[_Answer, _Answer, _Answer]:
        """Compact, Tinhofer, refinable."""
        copies, pieces = self._pieces(graph, core)
        refinable = _worst(copies, map(self.refinable, pieces))
        if refinable.value is False:
            others = _Answer(False, "it is not refinable")
            return others, others, refinable
        symmetric = any(map(self._has_symmetric_quotient, pieces))  # first: it is quick, and Tinhofer's may take long
        self.steps_left = self.budget
        tinhofer = _worst(copies, map(self.tinhofer, pieces))
        if tinhofer.value is False:
            return _Answer(False, "it is no Tinhofer graph"), tinhofer, refinable
        self.steps_left = self.budget  # an undecided Tinhofer question shall not starve this one
        if symmetric:
            return (
                _Answer(False, "its quotient by an automorphism has symmetries that the graph has not"),
                tinhofer,
                refinable,
            )
        compact = _worst(copies, map(self.compact, pieces))
        if compact.value:
            refinable = tinhofer = _Answer(True, "every compact graph is")
        return compact, tinhofer, refinable

    def refinable(self, piece: _Piece) -> _Answer:
        return self._once("refinable", piece, self._cells_are_orbits)

    def tinhofer(self, piece: _Piece, recolored: int = 0) -> _Answer:
        """`recolored` nodes of the graph have been recoloured before this piece was left."""
        return self._once("tinhofer", piece, lambda piece: self._cells_stay_orbits(piece, recolored))

    def compact(self, piece: _Piece) -> _Answer:
        return self._once("compact", piece, self._polytope_is_integral)

    def _once(self, question: str, piece: _Piece, ask: Callable[[_Piece], _Answer]) -> _Answer:
        """Isomorphic pieces have the same answer; cycles have all three properties."""
        if piece.is_cycle:
            return _Answer(True, "every cycle is")
        if piece.key is None:
            return ask(piece)
        if (question, piece.key) not in self._known:
            self._known[question, piece.key] = ask(piece)
        return self._known[question, piece.key]

    def _pieces(self, graph: Graph, core: _Core | None) -> tuple[_Answer, list[_Piece]]:
        """Is every part of the core of this graph made of copies of one component, and to what are these reduced?"""
        copies = _Answer(True, "it is made of copies and complements of amenable graphs")
        pieces: list[_Piece] = []
        for part in core.parts() if core else ():
            if len({(component.num_nodes, component.num_edges) for component, _ in part}) > 1:
                return _Answer(False, "nodes of one stable class are in components of different size"), []
            forms = [self._canonical(*component) for component in part]
            form, keys = forms[0], {form.key for form in forms}
            if len(forms) > 1 and None in keys:
                copies = self._undecided(form.graph)
            elif len(keys) > 1:
                return _Answer(False, "nodes of one stable class are in components that are not isomorphic"), []
            if form.graph.num_nodes == graph.num_nodes and form.graph.num_edges == graph.num_edges:
                pieces.append(form)
                continue
            copies_below, pieces_below = self._pieces(form.graph, _core(Partition(form.graph, form.colors)))
            if copies_below.value is False:
                return copies_below, []
            if copies_below.value is None:
                copies = copies_below
            pieces += pieces_below
        return copies, pieces

    def _recolor(self, partition: Partition, cell: int) -> tuple[_Answer, list[_Piece]]:
        """The pieces of what is left after recolouring one node of a cell."""
        return self._pieces(partition.graph, _core(_recolored(partition, int(partition.members(cell)[0]))))

    def _canonical(self, graph: Graph, colors: Colors) -> _Piece:
        """The same piece for isomorphic graphs, colours included."""
        dense = as_colors(colors, graph)
        name = content(graph, dense)
        if name in self._canonical_form:  # equal graphs are frequent: copies often come with their nodes in one order
            return self._canonical_form[name]
        if graph.num_nodes > MAX_AUTOMORPHISM_NODES or not self._afford(graph):
            return _Piece(graph, dense, None)
        try:
            form = canonical_form(graph, dense, self.limit)
        except Undecided as error:
            self.out_of_time = error
            return _Piece(graph, dense, None)
        self._canonical_form[name] = _Piece(form.graph, form.colors, form.key)
        return self._canonical_form[name]

    def _cells_are_orbits(self, piece: _Piece) -> _Answer:
        nodes = piece.graph.num_nodes
        if nodes > MAX_AUTOMORPHISM_NODES:
            return self._cells_differ(piece)
        if not self._afford(piece.graph):
            return self._undecided(piece.graph)
        try:
            cells, orbits = int(piece.colors.max()) + 1, _count_orbits(piece, self.limit)
        except Undecided as error:
            self.out_of_time = error
            return self._undecided(piece.graph)
        if cells == orbits:
            return _Answer(True, "the stable classes are the orbits of the automorphisms")
        return _Answer(False, f"{nodes} nodes of {count(cells, 'stable colour')} are in {orbits} orbits")

    def _cells_differ(self, piece: _Piece) -> _Answer:
        """For a piece that is too large for its automorphisms: False or None.

        An automorphism that carries one node to another carries the cells after recolouring the one to the cells after
        recolouring the other, and keeps their order, because names of nodes do not enter it."""
        partition = Partition(piece.graph, piece.colors)
        first: tuple[NDArray[Any], ...] | None = None
        for node in partition.members(int(np.argmax(partition.cells.length))):
            if not self._afford(piece.graph):
                break
            invariant = _invariant(_recolored(partition, int(node)))
            first = first or invariant
            if not all(map(np.array_equal, first, invariant)):
                return _Answer(False, "recolouring one node or another of a stable class gives different colourings")
        return self._undecided(piece.graph)

    def _cells_stay_orbits(self, piece: _Piece, recolored: int) -> _Answer:
        def failure(number: int) -> _Answer:
            return _Answer(False, f"after recolouring {count(number, 'node')} a stable class is not an orbit")

        refinable = self.refinable(piece)
        if not refinable.value:
            return failure(recolored) if refinable.value is False else refinable
        if recolored == MAX_RECOLORED:
            return _Answer(None, f"the search ended after recolouring {recolored} nodes one after the other")
        partition = Partition(piece.graph, piece.colors)
        undecided: _Answer | None = None
        for cell in partition.cell_names():
            if not self._afford(piece.graph):
                return self._undecided(piece.graph)
            copies, pieces = self._recolor(partition, int(cell))
            if copies.value is False:
                return failure(recolored + 1)
            answer = _worst(copies, (self.tinhofer(smaller, recolored + 1) for smaller in pieces))
            if answer.value is False:
                return answer
            if answer.value is None:
                undecided = answer
        return undecided or _Answer(True, "the stable classes remain orbits whichever nodes are recoloured")

    def _polytope_is_integral(self, piece: _Piece) -> _Answer:
        self.program_steps_left = self.budget
        fractional = self._fractional_point(piece, 0)
        if fractional is not None:
            return _Answer(False, fractional)
        integral = edges_at_identity_are_integral(piece.graph, piece.colors)
        if integral is not None:
            what = "all edges of the polytope of fractional automorphisms at the identity are integral"
            return _Answer(integral, what if integral else f"not {what}")
        used, size = self.budget - self.program_steps_left, num_fractional_variables(piece.colors)
        return _Answer(
            None,
            f"linear programs of {used} steps (the budget is {self.budget}) found no fractional extreme point in the "
            f"polytope of {size} variables, which is too large to enumerate its edges at the identity",
        )

    def _has_symmetric_quotient(self, piece: _Piece) -> bool:
        """Was a quotient found that shows that the piece is not compact? Every group of automorphisms is paid for."""
        large = piece.graph.num_nodes > MAX_AUTOMORPHISM_NODES
        if piece.is_cycle or large or not self._afford(piece.graph):
            return False
        seen = set()
        try:
            generators = automorphisms(piece.graph, piece.colors, self.limit)
            for automorphism in random_automorphisms(generators, MAX_AUTOMORPHISMS if len(generators) else 0):
                for cells in cyclic_orbits(automorphism):
                    if cells.tobytes() in seen:
                        continue
                    seen.add(cells.tobytes())
                    if not self._afford(piece.graph):
                        return False
                    if has_symmetry_of_its_own(piece.graph, piece.colors, cells, self.limit):
                        return True
        except Undecided as error:
            self.out_of_time = error
        return False

    def _fractional_point(self, piece: _Piece, recolored: int) -> str | None:
        """What is known of a fractional extreme point of the piece's polytope; None if none was found.

        Recolouring a node leads to a face of the polytope, where the node is fixed: its programs are smaller."""
        if piece.is_cycle or piece.key in self._searched_in_vain or recolored > MAX_RECOLORED:
            return None
        partition = Partition(piece.graph, piece.colors)
        for cell in partition.cell_names():
            if not self._afford(piece.graph):
                break
            for smaller in self._recolor(partition, int(cell))[1]:
                known = self._fractional_point(smaller, recolored + 1)
                if known is not None:
                    return known
        steps = num_fractional_variables(piece.colors) ** 2 + STEPS_OF_A_PROGRAM
        programs = min(MAX_PROGRAMS, self.program_steps_left // steps)
        self.program_steps_left -= programs * steps
        point = fractional_extreme_point(piece.graph, piece.colors, programs) if programs else None
        if point is None:
            if piece.key is not None and programs == MAX_PROGRAMS:  # with a fresh budget more might be tried
                self._searched_in_vain.add(piece.key)
            return None
        fixed = f" that fixes {count(recolored, 'node')}" if recolored else ""
        entry = max(point, key=lambda value: value.denominator)
        return f"the polytope of fractional automorphisms has an extreme point{fixed} with the entry {entry}"

    def _afford(self, graph: Graph) -> bool:
        """Pay for one pass over the graph, if the budget suffices."""
        steps = STEPS_OF_A_CALL + graph.num_nodes + graph.num_edges
        affordable = steps <= self.steps_left
        if affordable:
            self.steps_left -= steps
        return affordable

    def _undecided(self, graph: Graph) -> _Answer:
        """Why nothing can be said about a part: it is too large, or took too long, or the budget is too small."""
        if graph.num_nodes > MAX_AUTOMORPHISM_NODES:
            limit = f"automorphisms are only computed for parts of up to {MAX_AUTOMORPHISM_NODES} nodes"
            return _Answer(None, f"a part has {graph.num_nodes} nodes; {limit}")
        if self.out_of_time is not None:
            return _Answer(None, f"the search for automorphisms is {self.out_of_time}")
        return _Answer(None, f"the budget of {self.budget} steps is used up")


def _worst(copies: _Answer, answers: Iterable[_Answer]) -> _Answer:
    """False if any answer is, else None if any is, else True with all the reasons."""
    undecided = copies if copies.value is None else None
    reasons: dict[str, None] = {}
    if copies.value is False:
        return copies
    for answer in answers:
        if answer.value is False:
            return answer
        if answer.value is None:
            undecided = answer
        reasons[answer.reason] = None
    return undecided or _Answer(True, "; ".join(reasons) or copies.reason)


def _recolored(partition: Partition, node: int) -> Partition:
    """The stable partition after recolouring one node."""
    child = partition.copy()
    child.refine(child.individualize([node]))
    return child


def _invariant(partition: Partition) -> tuple[NDArray[Any], ...]:
    """Sizes of the cells, and how many neighbours a node of one cell has in another; nothing depends on names."""
    import scipy.sparse

    quotient = stable_quotient(partition)
    offsets, columns, counts = quotient.rows
    matrix = scipy.sparse.csr_array((counts, columns, offsets), shape=(len(quotient.sizes), len(quotient.sizes)))
    matrix.sort_indices()
    return quotient.sizes, matrix.indptr, matrix.indices, matrix.data


def _count_orbits(piece: _Piece, limit: TimeLimit) -> int:
    import scipy.sparse
    from scipy.sparse.csgraph import connected_components

    n = piece.graph.num_nodes
    images = automorphisms(piece.graph, piece.colors, limit)
    nodes = np.tile(np.arange(n), len(images))
    moves = scipy.sparse.coo_array((np.ones(len(nodes), np.int8), (nodes, images.reshape(-1))), shape=(n, n))
    return int(connected_components(moves, directed=False)[0])
