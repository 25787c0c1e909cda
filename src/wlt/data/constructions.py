"""Graphs from formulas, most of them hard to tell apart: circulants, Cai-Fürer-Immerman and strongly regular graphs.

Every function returns one `Graph`; the ladder (`wlt.data.ladder`) puts them in pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph

Matrix = NDArray[np.int64]
Random = np.random.Generator


def from_matrix(matrix: Matrix) -> Graph:
    """The graph with this adjacency matrix; entries other than 0 and 1 become labels of the edges."""
    edges = np.argwhere(np.triu(matrix))
    labels = matrix[tuple(edges.T)]
    return Graph.from_edges(len(matrix), edges, edge_labels=None if (labels == 1).all() else labels.tolist())


def matrix_of(graph: Graph) -> Matrix:
    """The adjacency matrix, zeros and ones."""
    matrix = np.zeros((graph.num_nodes, graph.num_nodes), np.int64)
    matrix[tuple(graph.edge_index())] = 1
    return matrix


def side_by_side(*graphs: Graph) -> Graph:
    """The disjoint union as one graph."""
    union = Graph.union(graphs)
    return replace(union, starts=np.array([0, union.num_nodes]))


def path(nodes: int) -> Graph:
    return Graph.from_edges(nodes, [(v, v + 1) for v in range(nodes - 1)])


def complete(nodes: int) -> Graph:
    return Graph.from_edges(nodes, list(combinations(range(nodes), 2)))


def complete_multipartite(*sizes: int) -> Graph:
    part = np.repeat(np.arange(len(sizes)), sizes)
    return from_matrix((part[:, None] != part).astype(np.int64))


def circulant(nodes: int, steps: Sequence[int], *, directed: bool = False, labelled: bool = False) -> Graph:
    """Node v is joined to v + step for every step, modulo the number of nodes; labelled: by the number of the step.

    >>> circulant(6, [1])
    Graph(nodes=6, edges=6)
    """
    edges = [(v, (v + step) % nodes) for step in steps for v in range(nodes)]
    labels = [place for place in range(len(steps)) for _ in range(nodes)] if labelled else None
    return Graph.from_edges(nodes, edges, directed=directed, edge_labels=labels)


def cycles(*lengths: int, legs: int = 0) -> Graph:
    """Disjoint cycles; with legs, every node has a path of so many nodes hung on it."""
    base = side_by_side(*(circulant(length, [1]) for length in lengths))
    n = base.num_nodes
    leg_edges = [(v + step * n, v + (step + 1) * n) for step in range(legs) for v in range(n)]
    return Graph.from_edges(n * (1 + legs), [*base.edges().tolist(), *leg_edges])


def generalized_petersen(n: int, step: int) -> Graph:
    """Two rings of n nodes, the inner one with this step; (5, 2) is the Petersen graph, (n, 1) a prism."""
    rows = [((v, (v + 1) % n), (v, n + v), (n + v, n + (v + step) % n)) for v in range(n)]
    return Graph.from_edges(2 * n, [edge for row in rows for edge in row])


def moebius_ladder(nodes: int) -> Graph:
    """A cycle with its opposite nodes joined; of 6 nodes it is K3,3, of 8 the Wagner graph."""
    return circulant(nodes, [1, nodes // 2])


def heawood() -> Graph:
    """Points and lines of the plane with seven of each."""
    return Graph.from_edges(14, [(v, 7 + (v + step) % 7) for v in range(7) for step in (0, 1, 3)])


def torus(rows: int, columns: int) -> Graph:
    cells = list(product(range(rows), range(columns)))
    right = [(r * columns + c, r * columns + (c + 1) % columns) for r, c in cells]
    down = [(r * columns + c, (r + 1) % rows * columns + c) for r, c in cells]
    return Graph.from_edges(rows * columns, [*right, *down])


def random_regular(nodes: int, degree: int, random: Random) -> Graph:
    """A connected regular graph: half-edges are joined at random until no loop and no double edge is among them."""
    while True:
        ends = random.permutation(np.repeat(np.arange(nodes), degree)).reshape(-1, 2)
        graph = Graph.from_edges(nodes, ends)
        if graph.num_edges == len(ends) and is_connected(graph):
            return graph


def random_graph(nodes: int, edges: int, random: Random) -> Graph:
    """So many edges, drawn at random."""
    pairs = np.array(list(combinations(range(nodes), 2)))
    return Graph.from_edges(nodes, random.permutation(pairs)[:edges])


def is_connected(graph: Graph) -> bool:
    reached, waiting = {0}, [0]
    while waiting:
        new = set(graph.neighbors_of(waiting.pop()).tolist()) - reached
        reached |= new
        waiting += new
    return len(reached) == graph.num_nodes


def formula(variables: int, clauses: Iterable[Sequence[int]]) -> tuple[Graph, NDArray[np.int64]]:
    """A propositional formula in conjunctive normal form as a graph, and its node labels: 0 literals, 1 clauses.

    The literal +v or -v, for v from 1 on, is a node; opposite literals are joined, and a clause to its literals."""
    clauses = list(clauses)
    nodes = 2 * variables
    opposite = [(2 * v, 2 * v + 1) for v in range(variables)]
    inside = [
        (2 * (abs(literal) - 1) + (literal < 0), nodes + place)
        for place, clause in enumerate(clauses)
        for literal in clause
    ]
    labels = np.repeat([0, 1], [nodes, len(clauses)])
    return Graph.from_edges(nodes + len(clauses), [*opposite, *inside]), labels


def cfi(base: Graph, twisted: bool, *, directed: bool = False, labelled: bool = False) -> Graph:
    """Cai, Fürer and Immerman's graph over a base graph, in the form without nodes for edges (Fürer 2001).

    A node v of the base becomes a node (v, S) for every even set S of its edges; (v, S) and (w, T) are joined, where v
    and w are, if S and T agree about that edge, and for the one twisted edge if they do not. Over a connected base the
    twisted graph differs from the other, and k-FWL cannot see it while k is smaller than the treewidth of the base.
    directed: edges go from the smaller node of the base to the larger. labelled: by the edge of the base.

    >>> cfi(complete(4), False)
    Graph(nodes=16, edges=48)
    """
    edges = base.edges()
    where = {v: np.flatnonzero((edges == v).any(axis=1)) for v in range(base.num_nodes)}
    members = [  # (v, edges of v in S)
        (v, frozenset(np.array(own)[list(chosen)].tolist()))
        for v, own in where.items()
        for size in range(0, len(own) + 1, 2)
        for chosen in combinations(range(len(own)), size)
    ]
    of_node: dict[int, list[int]] = {v: [] for v in where}
    for place, (v, _) in enumerate(members):
        of_node[v].append(place)
    made, labels = [], []
    for number, (v, w) in enumerate(edges.tolist()):
        differ = twisted and number == 0
        for a, b in product(of_node[v], of_node[w]):
            if ((number in members[a][1]) != (number in members[b][1])) == differ:
                made.append((a, b))
                labels.append(number)
    return Graph.from_edges(len(members), made, directed=directed, edge_labels=labels if labelled else None)


def cfi_labels(base: Graph) -> NDArray[np.int64]:
    """The node labels of `cfi`: the node of the base that each node comes from."""
    return np.repeat(np.arange(base.num_nodes), [2 ** (degree - 1) if degree else 1 for degree in base.degrees])


def triangular(n: int) -> Matrix:
    """T(n): the pairs of n things, joined if they share one."""
    pairs = list(combinations(range(n), 2))
    return np.array([[int(len({*p, *q}) == 3) for q in pairs] for p in pairs])


def seidel_switched(matrix: Matrix, nodes: Iterable[int]) -> Matrix:
    """Edges and non-edges exchanged between these nodes and the others."""
    inside = np.zeros(len(matrix), np.bool_)
    inside[list(nodes)] = True
    switched: Matrix = np.where(inside[:, None] != inside, 1 - matrix, matrix)
    return switched


def chang_graphs() -> list[Graph]:
    """T(8) and its switchings by a perfect matching, an eight-cycle, and a three- and a five-cycle of K8."""
    pairs = list(combinations(range(8), 2))
    rings = [[(0, 1), (2, 3), (4, 5), (6, 7)], _ring(*range(8)), [*_ring(0, 1, 2), *_ring(3, 4, 5, 6, 7)]]
    matrix = triangular(8)
    switched = [seidel_switched(matrix, [pairs.index(pair) for pair in ring]) for ring in rings]
    return [from_matrix(each) for each in (matrix, *switched)]


def _ring(*nodes: int) -> list[tuple[int, int]]:
    return [(min(u, v), max(u, v)) for u, v in zip(nodes, (*nodes[1:], nodes[0]), strict=True)]


def rook(n: int) -> Graph:
    """The squares of a board, joined along rows and columns."""
    row, column = (axis.ravel() for axis in np.indices((n, n)))
    return from_matrix(((row[:, None] == row) ^ (column[:, None] == column)).astype(np.int64))


def shrikhande() -> Graph:
    """On Z4 x Z4, steps of ±(1, 0), ±(0, 1) and ±(1, 1)."""
    steps = ((1, 0), (0, 1), (1, 1))
    edges = [(4 * i + j, (i + a) % 4 * 4 + (j + b) % 4) for i, j, (a, b) in product(range(4), range(4), steps)]
    return Graph.from_edges(16, edges)


def cyclic_square(n: int) -> Matrix:
    """The Latin square of addition modulo n."""
    sums: Matrix = np.add.outer(np.arange(n), np.arange(n)) % n
    return sums


def random_square(n: int, random: Random) -> Matrix:
    """A Latin square, row by row: every row is a matching of columns and symbols that were not together before.

    A Latin rectangle can always be completed (Hall's theorem), so no row is ever taken back."""
    from scipy.optimize import linear_sum_assignment

    costs = random.random((n, n, n))
    used = np.zeros((n, n))
    rows = []
    for cost in costs:
        columns, symbols = linear_sum_assignment(cost + 2 * n * used)
        used[columns, symbols] = 1
        rows.append(symbols)
    return np.array(rows)


def latin_square_graph(square: Matrix, *, labelled: bool = False) -> Graph:
    """Cells that share row, column or symbol are joined, labelled by what they share: SR(n², 3(n-1), n, 6)."""
    row, column = (axis.ravel() for axis in np.indices(square.shape))
    shared = [axis[:, None] == axis for axis in (row, column, square.ravel())]
    matrix = sum((1 + place) * same for place, same in enumerate(shared)) * (1 - np.eye(square.size, dtype=np.int64))
    return from_matrix(matrix if labelled else (matrix > 0).astype(np.int64))


def affine_slopes(q: int, slopes: Sequence[int]) -> Graph:
    """Points of the affine plane over a prime q, joined by lines of these slopes; q stands for vertical lines.

    Half of the slopes gives the parameters of the Paley graph of q²: SR(q², (q²-1)/2, (q²-5)/4, (q²-1)/4)."""
    x, y = (axis.ravel() for axis in np.indices((q, q)))
    offsets = [x if slope == q else (y - slope * x) % q for slope in slopes]
    matrix = sum((each[:, None] == each).astype(np.int64) for each in offsets) - len(slopes) * np.eye(q * q, dtype=int)
    return from_matrix(matrix)


def _projective_points(q: int, dimension: int) -> Matrix:
    """[points, dimension + 1] One vector a point, its first coordinate that is not 0 being 1."""
    vectors = np.array(list(product(range(q), repeat=dimension + 1)))
    vectors = vectors[vectors.any(axis=1)]
    leading = vectors[np.arange(len(vectors)), (vectors != 0).argmax(axis=1)]
    points: Matrix = vectors[leading == 1]
    return points


def symplectic(q: int) -> Graph:
    """Points of PG(3, q), q prime, joined if x0y1 - x1y0 + x2y3 - x3y2 = 0: for q = 3 SR(40,12,2,4)."""
    x = _projective_points(q, 3)
    halves = np.outer(x[:, 0], x[:, 1]) + np.outer(x[:, 2], x[:, 3])
    form = halves - halves.T
    return from_matrix(((form % q == 0) & ~np.eye(len(x), dtype=bool)).astype(np.int64))


def parabolic_quadric(q: int) -> Graph:
    """Points of PG(4, q), q an odd prime, on x0² + x1x2 + x3x4 = 0, joined by its lines: parameters as `symplectic`."""
    x = _projective_points(q, 4)
    x = x[(x[:, 0] ** 2 + x[:, 1] * x[:, 2] + x[:, 3] * x[:, 4]) % q == 0]
    polar = 2 * np.outer(x[:, 0], x[:, 0])
    for a, b in ((1, 2), (3, 4)):
        polar += np.outer(x[:, a], x[:, b]) + np.outer(x[:, b], x[:, a])
    return from_matrix(((polar % q == 0) & ~np.eye(len(x), dtype=bool)).astype(np.int64))


def godsil_mckay_switched(graph: Graph, random: Random) -> Graph:
    """A graph with the same spectrum: four nodes that induce a regular graph exchange neighbours with all that have
    exactly two of them, if every other node has none or all four. A strongly regular graph stays one. ValueError if
    20,000 sets of four nodes were tried in vain."""
    matrix = matrix_of(graph)
    n = len(matrix)
    for _ in range(20_000):
        four = random.choice(n, 4, replace=False)
        joined = matrix[four].sum(axis=0)  # [nodes] of the four, how many each is joined to
        inside = joined[four]
        joined[four] = 0
        half = np.flatnonzero(joined == 2)
        if (inside != inside[0]).any() or (joined & 1).any() or not len(half):
            continue
        matrix[np.ix_(half, four)] = 1 - matrix[np.ix_(half, four)]
        matrix[np.ix_(four, half)] = matrix[np.ix_(half, four)].T
        return from_matrix(matrix)
    raise ValueError("no four nodes for Godsil and McKay's switching were found")
