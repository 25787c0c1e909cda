"""Strongly regular graphs from formulas, none of them in the data: the triangular graph T(8) with Chang's three, and
the Latin square graphs of groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from wlt import Graph, Recolor
from wlt.expressiveness import Benchmark, Separation, evaluate

Matrix = NDArray[np.int64]


def from_matrix(matrix: Matrix) -> Graph:
    return Graph.from_edges(len(matrix), np.argwhere(matrix))


def matrix_of(graph: Graph) -> Matrix:
    matrix = np.zeros((graph.num_nodes, graph.num_nodes), np.int64)
    matrix[tuple(graph.edge_index())] = 1
    return matrix


def is_strongly_regular(graph: Graph, degree: int, adjacent: int, apart: int) -> bool:
    """A² = kI + λA + μ(J - I - A)."""
    a, one = matrix_of(graph), np.eye(graph.num_nodes, dtype=np.int64)
    return np.array_equal(a @ a, degree * one + adjacent * a + apart * (1 - one - a))


def chang_graphs() -> list[Graph]:
    """T(8) and its three switchings, by 4K2, by C8 and by C3 + C5 in K8: SR(28,12,6,4)."""
    pairs = list(combinations(range(8), 2))
    triangular = np.array([[int(len({*p, *q}) == 3) for q in pairs] for p in pairs])

    def cycle(*nodes: int) -> list[tuple[int, int]]:
        return [(min(u, v), max(u, v)) for u, v in zip(nodes, (*nodes[1:], nodes[0]), strict=True)]

    matching = [(0, 1), (2, 3), (4, 5), (6, 7)]
    found = [triangular]
    for switched in (matching, cycle(*range(8)), cycle(0, 1, 2) + cycle(3, 4, 5, 6, 7)):
        inside = np.array([pair in switched for pair in pairs])
        between = inside[:, None] != inside[None, :]
        found.append(np.where(between, 1 - triangular, triangular))
    return [from_matrix(matrix) for matrix in found]


def latin_square_graph(table: Matrix) -> Graph:
    """Cells are joined that share row, column or symbol: SR(n², 3(n-1), n, 6)."""
    n = len(table)
    row, column = (axis.ravel() for axis in np.indices((n, n)))
    symbol = table.ravel()
    shared = sum((axis[:, None] == axis[None, :]).astype(np.int64) for axis in (row, column, symbol))
    return from_matrix((shared > 0) & ~np.eye(n * n, dtype=bool))


def group_table(
    elements: Sequence[tuple[int, ...]], times: Callable[[tuple[int, ...], tuple[int, ...]], object]
) -> Matrix:
    place = {element: i for i, element in enumerate(elements)}
    return np.array([[place[times(a, b)] for b in elements] for a in elements])  # type: ignore[index]


def abelian(*orders: int) -> Matrix:
    elements = list(product(*map(range, orders)))
    return group_table(elements, lambda a, b: tuple((x + y) % n for x, y, n in zip(a, b, orders, strict=True)))


def symmetric_group() -> Matrix:
    return group_table(list(permutations(range(3))), lambda a, b: tuple(a[i] for i in b))


def dihedral(n: int) -> Matrix:
    elements = list(product(range(2), range(n)))
    return group_table(elements, lambda a, b: ((a[0] + b[0]) % 2, ((-1) ** b[0] * a[1] + b[1]) % n))


def quaternions() -> Matrix:
    """i^a j^b with i⁴ = 1, j² = i², j i = i⁻¹ j."""
    elements = list(product(range(4), range(2)))
    return group_table(elements, lambda x, y: ((x[0] + (-1) ** x[1] * y[0] + 2 * x[1] * y[1]) % 4, (x[1] + y[1]) % 2))


def latin_squares_of_order_8() -> list[Graph]:
    tables = [abelian(8), abelian(4, 2), abelian(2, 2, 2), dihedral(4), quaternions()]
    return [latin_square_graph(table) for table in tables]


def latin_squares_of_order_6() -> list[Graph]:
    return [latin_square_graph(table) for table in (abelian(6), symmetric_group())]


def together(*graphs: Graph) -> Benchmark:
    """A benchmark of one group."""
    return Benchmark.of_groups("made up", [list(graphs)])


def by_colors(benchmark: Benchmark, recolor: Recolor | None, structure: str | None = None, seed: int = 0) -> Separation:
    """A policy by exact colours; None is WL alone."""
    return evaluate("none" if recolor is None else str(recolor), benchmark, structure=structure, seed=seed)
