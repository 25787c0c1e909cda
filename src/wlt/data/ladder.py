"""The ladder: pairs of graphs that are harder and harder to tell apart, made by code, no data needed.

Rung 0: pairs that WL tells apart, after more and more rounds. Rung 1: blind for WL, seen by 2-FWL (what most papers
call 3-WL). Rung 2: blind for 2-FWL, seen by 3-FWL. Rung 3: blind for 3-FWL as well. `Ladder.certify` proves all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.compare.exact import isomorphism
from wlt.compare.kwl import kwl_test
from wlt.compare.pair import Verdict
from wlt.data import constructions as make
from wlt.data.fullerenes import fullerenes
from wlt.graph import Graph
from wlt.graphs import Graphs

SKIPS = (
    *((11, 2, 3), (13, 2, 3), (13, 3, 5), (17, 2, 4), (23, 2, 3), (29, 3, 4)),
    *((41, 2, 3), (41, 4, 5), (41, 9, 11), (41, 12, 16)),
)
"""Circulant graphs: nodes, and the steps beside 1 of the two graphs of a pair."""

Labels = NDArray[np.int64]
Random = np.random.Generator


class Pair(NamedTuple):
    """Two graphs that are not isomorphic, and where they stand."""

    rung: int
    family: str
    name: str
    graphs: tuple[Graph, Graph]
    labels: tuple[Labels, Labels] | None = None
    """Of the nodes; None: all alike."""


@dataclass(frozen=True, eq=False)
class Ladder:
    """Pairs in the order of their rungs. Graphs 2i and 2i + 1 of `graphs` are pair i.

    >>> ladder().family_names[:2]
    ('degrees', 'depth')
    """

    graphs: Graphs
    rungs: NDArray[np.int64]  # [pairs]
    families: tuple[str, ...]  # [pairs]
    pair_names: tuple[str, ...]  # [pairs]

    def __len__(self) -> int:
        return len(self.rungs)

    @property
    def family_names(self) -> tuple[str, ...]:
        """The families in their order, each once."""
        return tuple(dict.fromkeys(self.families))

    def pair(self, index: int) -> Graphs:
        return self.graphs[2 * index : 2 * index + 2]

    def certify(self, index: int) -> int:
        """The rung of a pair, proved: exact search says that the graphs differ, and k-FWL where they are told apart.

        ValueError if they are isomorphic."""
        pair = self.pair(index)
        g, h = pair.union
        border = g.num_nodes
        labels = (pair.codes[:border], pair.codes[border:])
        if isomorphism(g, h, node_labels=labels):
            raise ValueError(f"pair {index} of the ladder, {self.pair_names[index]}: the graphs are isomorphic")
        for k in (1, 2, 3):
            if kwl_test(g, h, k, node_labels=labels).verdict is Verdict.NON_ISOMORPHIC:
                return k - 1
        return 3


@cache
def ladder() -> Ladder:
    """The ladder, always the same: about 200 pairs of graphs of up to 100 nodes, their nodes in random order.

    The nodes of most graphs have the label 0; some families have labels on nodes or edges, or directed edges.

    >>> len(ladder()), sorted(set(ladder().rungs.tolist()))
    (204, [0, 1, 2, 3])
    """
    pairs = sorted(_pairs(np.random.default_rng(2023)), key=lambda pair: pair.rung)
    random = np.random.default_rng(0)
    graphs, labels, names = [], [], []
    for pair in pairs:
        for side, graph in enumerate(pair.graphs):
            permutation = random.permutation(graph.num_nodes)
            own = np.zeros(graph.num_nodes, np.int64)
            if pair.labels is not None:
                own[permutation] = pair.labels[side]
            graphs.append(graph.relabel(permutation))
            labels.append(own)
            names.append(f"{pair.name}, {'first' if side == 0 else 'second'}")
    union = Graph.union(graphs)
    made = Graphs.by_rows(union, np.concatenate(labels), "labels", names=tuple(names), name="ladder")
    rungs = np.array([pair.rung for pair in pairs])
    return Ladder(made, rungs, tuple(pair.family for pair in pairs), tuple(pair.name for pair in pairs))


def _pairs(random: Random) -> Iterator[Pair]:
    yield from _rung_0(random)
    yield from _cycles_and_circulants()
    yield from _regular(random)
    yield from _formulas(random)
    yield from _strongly_regular(random)
    yield from _cfi()


def _rung_0(random: Random) -> Iterator[Pair]:
    for nodes in (6, 8, 10, 12, 16, 20, 24, 32):
        g, h = _different_degrees(nodes, random)
        yield Pair(0, "degrees", f"random graphs of {nodes} nodes and {g.num_edges} edges", (g, h))
    for n in (2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24):
        both = [make.side_by_side(make.path(a), make.path(b)) for a, b in ((n, n + 2), (n + 1, n + 1))]
        yield Pair(0, "depth", f"paths of {n} and {n + 2} nodes, and two of {n + 1}", (both[0], both[1]))
    for n in (3, 5, 8, 12, 16):
        first, second = np.zeros((2, 2 * n), np.int64)
        first[[0, n]] = second[[0, n - 1]] = 1
        ring = make.circulant(2 * n, [1])
        name = f"cycle of {2 * n} nodes, two of them labelled"
        yield Pair(0, "depth, node labels", name, (ring, ring), (first, second))
    for n in (3, 5, 8, 12, 16):
        edges = [(v, (v + 1) % (2 * n)) for v in range(2 * n)]
        marks = [[int(v in (0, other)) for v in range(2 * n)] for other in (n, n - 1)]
        both = [Graph.from_edges(2 * n, edges, edge_labels=mark) for mark in marks]
        yield Pair(0, "depth, edge labels", f"cycle of {2 * n} edges, two of them labelled", (both[0], both[1]))
    for n in (3, 5, 8, 12, 16):
        ends = [(v, (v + 1) % (2 * n)) for v in range(2 * n)]
        turned = [[(w, v) if v in (0, other) else (v, w) for v, w in ends] for other in (n, n - 1)]
        both = [Graph.from_edges(2 * n, edges, directed=True) for edges in turned]
        yield Pair(0, "depth, directed", f"directed cycle of {2 * n} edges, two of them turned", (both[0], both[1]))


def _different_degrees(nodes: int, random: Random) -> tuple[Graph, Graph]:
    while True:
        g, h = (make.random_graph(nodes, 2 * nodes, random) for _ in range(2))
        if not np.array_equal(np.sort(g.degrees), np.sort(h.degrees)):
            return g, h


def _cycles_and_circulants() -> Iterator[Pair]:
    for halves in ((3, 3), (3, 4), (4, 4), (4, 5), (6, 6), (7, 9), (12, 12), (16, 16)):
        both = make.cycles(sum(halves)), make.cycles(*halves)
        yield Pair(1, "cycles", f"a cycle of {sum(halves)}, and cycles of {_and(halves)}", both)
    for legs, halves in ((1, (3, 3)), (2, (4, 4)), (3, (4, 5)), (4, (6, 6))):
        both = make.cycles(sum(halves), legs=legs), make.cycles(*halves, legs=legs)
        name = f"a cycle of {sum(halves)}, and of {_and(halves)}, legs of {legs}"
        yield Pair(1, "cycles with legs", name, both)
    for nodes, skip, other in SKIPS:
        both = make.circulant(nodes, [1, skip]), make.circulant(nodes, [1, other])
        yield Pair(1, "CSL", f"circulant skip links of {nodes} nodes, {skip} and {other}", both)
    for n in (3, 4, 5, 8):
        one, half = (make.circulant(nodes, [1], directed=True) for nodes in (2 * n, n))
        yield Pair(1, "directed", f"a directed cycle of {2 * n}, and two of {n}", (one, make.side_by_side(half, half)))
    for nodes, skip, other in ((7, 2, 3), (11, 2, 3), (13, 3, 5), (17, 2, 3)):
        g, h = (make.circulant(nodes, [1, step], directed=True) for step in (skip, other))
        yield Pair(1, "directed", f"directed circulants of {nodes} nodes, {skip} and {other}", (g, h))
    for nodes, skip, other in ((9, 2, 3), (11, 2, 3), (13, 3, 5), (17, 4, 5)):
        g, h = (make.circulant(nodes, [1, step], labelled=True) for step in (skip, other))
        yield Pair(1, "edge labels", f"circulants of {nodes} nodes labelled by step, {skip} and {other}", (g, h))


def _regular(random: Random) -> Iterator[Pair]:
    cubic = [(3, nodes) for nodes in (8, 10, 12, 14, 16, 20, 24, 32)]
    for degree, nodes in (*cubic, *((4, nodes) for nodes in (8, 9, 11, 13, 16, 24))):
        g = make.random_regular(nodes, degree, random)
        h = _until_unlike(g, partial(make.random_regular, nodes, degree, random))
        family = "cubic" if degree == 3 else "4-regular"
        yield Pair(1, family, f"random {family} graphs of {nodes} nodes", (g, h))
    for atoms in (28, 30, 32, 34, 36, 38, 40, 42):
        isomers = fullerenes([atoms])
        which = (0, len(isomers) - 1)
        g, h = (isomers.union[i] for i in which)
        yield Pair(1, "fullerenes", " and ".join(isomers.names[i] for i in which), (g, h))


def _formulas(random: Random) -> Iterator[Pair]:
    """Like EXP (Abboud et al., arXiv:2010.01179): a formula that can be satisfied, and one that cannot.

    Every variable differs from the next along a cycle: true around one even cycle, impossible around two odd ones. The
    formula that both have beside it is random."""
    for odd, others in ((3, 0), (3, 4), (5, 0), (5, 6), (7, 0), (7, 8), (9, 4), (11, 0)):
        common = [
            tuple(int(v) * int(sign) for v, sign in zip(chosen, random.choice((-1, 1), 3), strict=True))
            for chosen in (2 * odd + 1 + random.choice(others, 3, replace=False) for _ in range(2 * others))
        ]
        made = []
        for lengths in ((2 * odd,), (odd, odd)):
            starts = np.cumsum((0, *lengths))
            rings = [(a + 1 + i, a + 1 + (i + 1) % (b - a)) for a, b in pairwise(starts.tolist()) for i in range(b - a)]
            unequal = [clause for u, v in rings for clause in ((u, v), (-u, -v))]
            made.append(make.formula(2 * odd + others, [*unequal, *common]))
        (g, first), (h, second) = made
        name = f"formulas on {2 * odd} and {others} variables, satisfiable and not"
        yield Pair(1, "formulas", name, (g, h), (first, second))


def _strongly_regular(random: Random) -> Iterator[Pair]:
    shrikhande, rook = make.shrikhande(), make.rook(4)
    yield Pair(2, "Shrikhande and rook", "Shrikhande graph and 4 x 4 rook's graph", (shrikhande, rook))
    diagonal = 2 * np.eye(16, dtype=np.int64)
    g, h = (make.from_matrix(2 - make.matrix_of(graph) - diagonal) for graph in (shrikhande, rook))
    yield Pair(2, "edge labels", "Shrikhande graph and rook's graph as labels of a complete graph", (g, h))
    names = ("T(8)", "Chang 1", "Chang 2", "Chang 3")
    for (one, g), (other, h) in combinations(zip(names, make.chang_graphs(), strict=True), 2):
        yield Pair(2, "triangular and Chang", f"{one} and {other}", (g, h))
    for n, how_many in ((5, 1), (6, 5), (7, 5), (8, 5)):
        for number in range(how_many):
            squares = _different_squares(n, random)
            g, h = (make.latin_square_graph(square) for square in squares)
            yield Pair(2, "Latin squares", f"Latin squares of order {n}, {number + 1}", (g, h))
            if number < 2:
                g, h = (make.latin_square_graph(square, labelled=True) for square in squares)
                yield Pair(2, "edge labels", f"Latin squares of order {n}, {number + 1}, lines labelled", (g, h))
    g, h = (make.affine_slopes(7, slopes) for slopes in ((0, 1, 2, 4), (0, 1, 2, 3)))
    yield Pair(2, "Paley and like it", "four slopes in the plane over 7, two choices", (g, h))
    yield Pair(2, "generalized quadrangles", "W(3) and Q(4,3)", (make.symplectic(3), make.parabolic_quadric(3)))
    square = make.latin_square_graph(make.cyclic_square(6))
    for number in range(4):
        switched = _until_unlike(square, partial(make.godsil_mckay_switched, square, random))
        name = f"Latin square of order 6 and Godsil-McKay switching {number + 1}"
        yield Pair(2, "switched", name, (square, switched))


def _until_unlike(graph: Graph, draw: Callable[[], Graph]) -> Graph:
    """A graph that is drawn again until it differs from this one."""
    other = draw()
    while isomorphism(graph, other):
        other = draw()
    return other


def _different_squares(n: int, random: Random) -> list[make.Matrix]:
    """Two Latin squares whose graphs differ; with labels they differ all the more."""
    while True:
        squares = [make.random_square(n, random) for _ in range(2)]
        if not isomorphism(*map(make.latin_square_graph, squares)):
            return squares


def _cfi() -> Iterator[Pair]:
    """The rung of a base is by its treewidth: k-FWL is blind while k is smaller."""
    bases = [
        (1, "K3", make.complete(3)),
        (1, "C5", make.circulant(5, [1])),
        (1, "K2,3", make.complete_multipartite(2, 3)),
        (1, "K4 without an edge", make.complete_multipartite(1, 1, 2)),
        (2, "K4", make.complete(4)),
        (2, "K3,3", make.moebius_ladder(6)),
        (2, "the prism", make.generalized_petersen(3, 1)),
        (2, "the cube", make.generalized_petersen(4, 1)),
        (3, "the Wagner graph", make.moebius_ladder(8)),
        (3, "K5", make.complete(5)),
        (3, "the Petersen graph", make.generalized_petersen(5, 2)),
        (3, "the pentagonal prism", make.generalized_petersen(5, 1)),
        (3, "the Möbius ladder of 10", make.moebius_ladder(10)),
        (3, "the octahedron", make.complete_multipartite(2, 2, 2)),
        (3, "the Heawood graph", make.heawood()),
        (3, "K4,4", make.complete_multipartite(4, 4)),
        (3, "the Möbius-Kantor graph", make.generalized_petersen(8, 3)),
        (3, "the 3 x 3 torus", make.torus(3, 3)),
        (3, "the dodecahedron", make.generalized_petersen(10, 2)),
        (3, "the Desargues graph", make.generalized_petersen(10, 3)),
        (3, "K6", make.complete(6)),
    ]
    for rung, name, base in bases:
        yield Pair(rung, "CFI", f"CFI over {name}", (make.cfi(base, False), make.cfi(base, True)))
        labels = make.cfi_labels(base)
        both = make.cfi(base, False), make.cfi(base, True)
        yield Pair(rung, "CFI, node labels", f"CFI over {name}, labelled by its nodes", both, (labels, labels))
        if rung > 1 and base.num_nodes <= 10:
            both = make.cfi(base, False, directed=True), make.cfi(base, True, directed=True)
            yield Pair(rung, "CFI, directed", f"CFI over {name}, directed", both)
            both = make.cfi(base, False, labelled=True), make.cfi(base, True, labelled=True)
            yield Pair(rung, "CFI, edge labels", f"CFI over {name}, labelled by its edges", both)


def _and(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))
