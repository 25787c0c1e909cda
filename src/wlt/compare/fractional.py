"""Fractional isomorphism: the paper's linear program (Section 3), and the polytope of fractional automorphisms
(appendix A), which is integral iff the graph is compact.

X has one row per node of h and one column per node of g: XA = BX where A and B are the adjacency matrices of g and h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.compare.pair import Pair, as_pair
from wlt.graph import Graph
from wlt.refine.partition import Colors, Partition

if TYPE_CHECKING:
    import scipy.sparse

MAX_ENTRIES = 20_000_000
"""Entries of X that method "partition" builds at most: all pairs of equally coloured nodes."""
MAX_VARIABLES = 2_500
"""Variables of the linear program, one for each pair of nodes: it takes seconds for 50 nodes, many minutes for 100."""
TOLERANCE = 1e-7
"""How far a solution of the linear program may be from satisfying any one equation."""


def fractional_isomorphism(
    g: Any,
    h: Any,
    colors: Sequence[ArrayLike] | str | None = None,
    method: Literal["partition", "lp"] = "partition",
) -> scipy.sparse.csr_array | None:
    """A doubly stochastic X, shape [nodes of h, nodes of g], with XA = BX; None if there is none.

    There is one iff the WL test passes. "partition" builds it from the common stable colouring: X[u, v] is 1 / size of
    the class if u and v are in the same class of their graphs, and 0 otherwise. "lp" solves the paper's linear program
    (lp1, lp2, lp3) with HiGHS. With colours, X[u, v] is 0 where u and v have different ones. Graphs of different size
    give None: a doubly stochastic matrix is square. X is checked before it is returned, "partition" exactly, "lp"
    equation by equation up to TOLERANCE.

    >>> hexagon = 6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]
    >>> triangles = 6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    >>> X = fractional_isomorphism(hexagon, triangles)
    >>> X.shape, float(X.min() * 6), float(X.max() * 6)
    ((6, 6), 1.0, 1.0)
    >>> print(fractional_isomorphism(hexagon, (6, [(0, 1)])))
    None
    """
    if method not in ("partition", "lp"):
        raise ValueError(f"unknown method {method!r}; use 'partition' or 'lp'")
    pair = as_pair(g, h, colors)
    if 2 * pair.border != pair.graph.num_nodes:
        return None
    return _from_partition(pair) if method == "partition" else _from_linear_program(pair)


def _from_partition(pair: Pair) -> scipy.sparse.csr_array | None:
    import scipy.sparse

    n = pair.border
    partition = Partition(pair.graph, pair.colors)
    if not (pair.same_colors and partition.refine_in_bulk(border=n)):
        return None
    classes = partition.colors
    left, right = classes[:n], classes[n:]
    sizes = np.bincount(left)
    entries = int((sizes.astype(np.int64) ** 2).sum())
    if entries > MAX_ENTRIES:
        raise ValueError(
            f"X would have {entries} entries: the limit is {MAX_ENTRIES}; wl_test gives the same answer without X"
        )
    _check_counts(pair.graph, classes, sizes, right)
    per_row = sizes[right]
    offsets = np.concatenate([[0], np.cumsum(per_row)])
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if n else np.zeros(0, np.int64)
    place = np.arange(entries) + np.repeat(first[right] - offsets[:-1], per_row)  # in the order of classes
    columns = np.argsort(left, kind="stable")[place]
    same_class = np.array_equal(left[columns], np.repeat(right, per_row))
    if not same_class or not np.array_equal(np.bincount(columns, minlength=n), sizes[left]):
        raise AssertionError("X is not that of the classes: this is a bug in wlt, please report it")
    return scipy.sparse.csr_array((np.repeat(1.0 / per_row, per_row), columns, offsets), shape=(n, n))


def _check_counts(union: Graph, classes: Colors, sizes: NDArray[Any], right: Colors) -> None:
    """Is X = [same class] / size a solution? Exact, and without building the product of two large matrices.

    For u in class C and v in class D, (XA)[u, v] is v's number of neighbours in C over |C| and (BX)[u, v] is u's number
    of neighbours in D over |D|. Both are the number of edges between C and D over |C||D|, if every node of a class has
    as many neighbours in any class as the class's other nodes, in g as in h, and the class is as large in g as in h."""
    import scipy.sparse

    num_nodes, num_classes = union.num_nodes, len(sizes)
    member = scipy.sparse.csr_array(
        (np.ones(num_nodes), classes, np.arange(num_nodes + 1)), shape=(num_nodes, num_classes)
    )
    counts = union.to_scipy() @ member  # [nodes, classes]
    first_node = np.unique(classes, return_index=True)[1]
    equal = (counts != counts[first_node][classes]).nnz == 0 if num_nodes else True
    if not equal or not np.array_equal(np.bincount(right, minlength=num_classes), sizes):
        raise AssertionError("the stable colouring is not equitable: this is a bug in wlt, please report it")


def _from_linear_program(pair: Pair) -> scipy.sparse.csr_array | None:
    import scipy.sparse

    n = pair.border
    if n * n > MAX_VARIABLES:
        raise ValueError(
            f"the linear program would have {n}*{n} = {n * n} variables: the limit is {MAX_VARIABLES}; "
            "method 'partition' takes larger graphs"
        )
    rows, columns = np.nonzero(pair.colors[n:, None] == pair.colors[None, :n])
    if n and len(rows) == 0:
        return None
    equations = _Equations.between(pair.graph[0], pair.graph[1], rows, columns)
    values = _solve(equations, "highs-ipm") if n else np.zeros(0)
    if values is None:
        return None
    error = float(np.abs(equations.matrix @ values - equations.right_side).max()) if n else 0.0
    if error > TOLERANCE:
        raise ArithmeticError(f"HiGHS' solution misses an equation by {error:.2g}, more than {TOLERANCE:.2g}")
    X = scipy.sparse.csr_array((values, (rows, columns)), shape=(n, n))
    X.eliminate_zeros()
    return X


class _Equations(NamedTuple):
    """XA = BX (lp1) and row and column sums 1 (lp2), as matrix @ x = right_side for the entries x of X."""

    matrix: scipy.sparse.csr_array  # integers, [equations, entries]
    right_side: NDArray[np.int64]  # [equations]
    rows: NDArray[np.int64]  # [entries] node of h
    columns: NDArray[np.int64]  # [entries] node of g

    @classmethod
    def between(cls, g: Graph, h: Graph, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> _Equations:
        """Only the entries X[rows, columns] are variables; all others are 0. Equations 0 = 0 are left out."""
        import scipy.sparse

        n, size = g.num_nodes, len(rows)
        # X[u, v] is a term of (XA)[u, w] for the neighbours w of v in g, and of (BX)[w, v] for the neighbours of u in h
        of_v, of_u = g.to_scipy()[columns].tocoo(), h.to_scipy()[rows].tocoo()  # [entries, nodes]
        place = np.concatenate([rows[of_v.row] * n + of_v.col, of_u.col.astype(np.int64) * n + columns[of_u.row]])
        present, equation = np.unique(place, return_inverse=True)
        sums = len(present) + np.concatenate([rows, n + columns])
        entry = np.concatenate([of_v.row, of_u.row, np.arange(size), np.arange(size)])
        coefficient = np.repeat([1, -1, 1], [of_v.nnz, of_u.nnz, 2 * size])
        matrix = scipy.sparse.csr_array(
            (coefficient, (np.concatenate([equation, sums]), entry)), shape=(len(present) + 2 * n, size)
        )
        return cls(matrix, np.repeat([0, 1], [len(present), 2 * n]), rows, columns)


def _solve(equations: _Equations, algorithm: Literal["highs-ds", "highs-ipm"]) -> NDArray[np.float64] | None:
    """A solution x >= 0 of the equations; None if there is none.

    Simplex ("highs-ds") stops at an extreme point; interior points ("highs-ipm") are faster where any solution will do.
    """
    from scipy.optimize import linprog

    cost = np.zeros(len(equations.rows))
    answer = linprog(cost, A_eq=equations.matrix, b_eq=equations.right_side, bounds=(0, 1), method=algorithm)
    if answer.status == 2:
        return None
    if answer.status != 0:
        raise ArithmeticError(f"HiGHS gave up on a linear program of {len(cost)} variables: {answer.message}")
    return np.asarray(np.clip(answer.x, 0, None), dtype=np.float64)


# ---------------------------------------------------------------------------------------------------------------------
# Fractional automorphisms: is every extreme point of S(A) = {X doubly stochastic, XA = AX} an automorphism?
# ---------------------------------------------------------------------------------------------------------------------

MAX_SUPPORT = 350
"""Positive entries up to which a fractional extreme point is proved."""
MAX_CONE_VARIABLES = 256
"""Variables up to which the edges at the identity are enumerated."""
MAX_RAYS = 1_000
"""Rays that this enumeration may hold at any time."""


def num_fractional_variables(cells: Colors) -> int:
    """Entries of X that may be positive: pairs of nodes of one stable class."""
    return int((np.bincount(cells).astype(np.int64) ** 2).sum())


def fractional_extreme_point(graph: Graph, cells: Colors, programs: int) -> list[Fraction] | None:
    """The positive entries of an extreme point of S(A) that is not integral; None if none was found.

    `cells` is a stable colouring, and X is 0 between cells. Such a point, which is proved in exact arithmetic, shows
    that the graph is not compact. Without an objective, the simplex algorithm stops at the first extreme point that it
    meets, which depends on the order of rows and columns: each of the programs takes another one. (A random objective
    mostly ends in an automorphism, even where there are far more fractional points.)"""
    equations = _automorphism_equations(graph, cells)
    num_equations, size = equations.matrix.shape
    random = np.random.default_rng(0)
    for _ in range(programs):
        row_order, column_order = random.permutation(num_equations), random.permutation(size)
        shuffled = _Equations(
            equations.matrix[row_order][:, column_order],
            equations.right_side[row_order],
            equations.rows[column_order],
            equations.columns[column_order],
        )
        try:
            x = _solve(shuffled, "highs-ds")
        except ArithmeticError:  # HiGHS gave up: this proves nothing, and another order may do
            continue
        if x is not None and np.abs(x - np.round(x)).max() > TOLERANCE:
            point = _exact_extreme_point(shuffled, x > TOLERANCE)
            if point is not None:
                return point
    return None


def edges_at_identity_are_integral(graph: Graph, cells: Colors) -> bool | None:
    """Does every edge of S(A) that begins at the identity end in an automorphism? Exact; None where it is too large.

    The answer decides whether the graph is compact: multiplication by automorphisms is a symmetry of S(A) and carries
    the identity to any of them, so if all neighbours of one are automorphisms, all neighbours of all are, and there is
    no other extreme point, because a walk along edges reaches every one."""
    if num_fractional_variables(cells) > MAX_CONE_VARIABLES:
        return None
    equations = _automorphism_equations(graph, cells)
    rays = _edges_at_identity(equations)
    if rays is None:
        return None
    # beside the diagonal nothing is negative, and sums are 0: a primitive vector with a diagonal of 0 and -1 is a
    # permutation minus the identity
    return bool((rays[:, equations.rows == equations.columns] >= -1).all())


def _automorphism_equations(graph: Graph, cells: Colors) -> _Equations:
    rows, columns = np.nonzero(cells[:, None] == cells[None, :])
    return _Equations.between(graph, graph, rows, columns)


def _exact_extreme_point(equations: _Equations, support: NDArray[np.bool_]) -> list[Fraction] | None:
    """The one solution with this support, if there is just one, it is positive there, and it is not integral.

    Columns that admit just one solution are linearly independent: it is an extreme point."""
    if np.count_nonzero(support) > MAX_SUPPORT:
        return None
    system = np.column_stack([equations.matrix[:, np.flatnonzero(support)].toarray(), -equations.right_side])
    solutions = _integer_nullspace(system)
    if solutions is None:
        solutions = _integer_nullspace(system.astype(object))
    if solutions is None or len(solutions) != 1 or solutions[0, -1] == 0:
        return None
    *numerators, denominator = map(int, solutions[0])
    values = [Fraction(numerator, denominator) for numerator in numerators]
    return values if min(values) > 0 and max(value.denominator for value in values) > 1 else None


def _edges_at_identity(equations: _Equations) -> NDArray[np.int64] | None:
    """The extreme rays, as primitive integer vectors, of the cone of directions that lead from the identity into S(A).

    The cone is {Y: YA = AY, row and column sums 0, Y >= 0 beside the diagonal}. Double description (Motzkin et al.
    1953) in integers; None if a number, or the number of rays, gets too large."""
    diagonal = equations.rows == equations.columns
    # the diagonal is eliminated first (by the row sums), so the free variables are entries >= 0: they span an orthant
    column_order = np.argsort(~diagonal, kind="stable")
    basis = _integer_nullspace(equations.matrix[:, column_order].toarray())  # [dimension, entries]
    if basis is None or len(basis) == 0:
        return basis
    basis = basis[:, np.argsort(column_order)]
    dimension = len(basis)
    inequalities = np.unique(basis[:, ~diagonal].T, axis=0)  # [inequalities, dimension]: their products with z are >= 0
    is_unit = (np.count_nonzero(inequalities, axis=1) == 1) & (inequalities.max(axis=1) > 0)
    satisfied, pending = inequalities[is_unit], inequalities[~is_unit & inequalities.any(axis=1)]
    rays = np.eye(dimension, dtype=np.int64)
    while len(pending):
        if _too_large(rays, inequalities, dimension):
            return None
        values = rays @ pending.T  # [rays, pending]
        above, below = np.count_nonzero(values > 0, axis=0), np.count_nonzero(values < 0, axis=0)
        cheapest = int(np.argmin(above * below))
        cut = _cut_cone(rays, satisfied, values[:, cheapest])
        if cut is None:
            return None
        rays = cut
        satisfied = np.vstack([satisfied, pending[cheapest]])
        pending = np.delete(pending, cheapest, axis=0)
    return None if _too_large(rays, basis, dimension) else _primitive(rays @ basis)


def _cut_cone(
    rays: NDArray[np.int64], satisfied: NDArray[np.int64], value: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """The extreme rays of the part of a cone where `value`, given for its extreme rays, is not negative.

    New rays lie between adjacent rays of different sign. Two rays are adjacent iff no third one satisfies with equality
    all the inequalities that both do."""
    if _too_large(rays, value, 2):
        return None
    above, below = np.flatnonzero(value > 0), np.flatnonzero(value < 0)
    tight = np.packbits(rays @ satisfied.T == 0, axis=1)  # [rays, bytes]: sets of inequalities
    new = [rays[value >= 0]]
    for p in above:
        common = tight[p] & tight[below]  # [below, bytes]
        candidates = np.flatnonzero(np.bitwise_count(common).sum(axis=1) >= rays.shape[1] - 2)
        missing = common[candidates, None, :] & ~tight[None, :, :]  # [candidates, rays, bytes]
        holders = np.count_nonzero(~missing.any(axis=2), axis=1)
        partners = below[candidates[holders == 2]]
        new.append(_primitive(value[p] * rays[partners] - value[partners, None] * rays[p]))
        if sum(map(len, new)) > MAX_RAYS:
            return None
    return np.concatenate(new)


def _integer_nullspace(matrix: NDArray[Any]) -> NDArray[Any] | None:
    """A basis of {x: matrix @ x = 0}, one integer vector a row: 0 in all free columns but one, there positive.

    Gauss and Jordan without fractions, on int64 or on Python's integers; None if a number gets too large."""
    work = _primitive(matrix[(matrix != 0).any(axis=1)])
    pivots: list[int] = []
    for column in range(work.shape[1]):
        rank = len(pivots)
        candidates = rank + np.flatnonzero(work[rank:, column])
        if len(candidates) == 0:
            continue
        sparsest = candidates[np.argmin(np.count_nonzero(work[candidates], axis=1))]
        work[[rank, sparsest]] = work[[sparsest, rank]]
        others = np.flatnonzero(work[:, column])
        others = others[others != rank]
        if _too_large(work[others], work[rank], 2):
            return None
        work[others] = _primitive(work[rank, column] * work[others] - work[others, column][:, None] * work[rank])
        pivots.append(column)
    work = work[: len(pivots)]
    free = np.setdiff1d(np.arange(work.shape[1]), pivots)
    pivot_value = work[np.arange(len(pivots)), pivots]
    scale = math.lcm(*map(int, pivot_value))
    if _too_large(work, np.array([scale]), 1):
        return None
    basis = np.zeros((len(free), work.shape[1]), work.dtype)
    basis[np.arange(len(free)), free] = scale
    basis[:, pivots] = -(work[:, free] * (scale // pivot_value)[:, None]).T
    return _primitive(basis)


def _primitive(vectors: NDArray[Any]) -> NDArray[Any]:
    """Each vector over the greatest common divisor of its entries."""
    divisor = np.gcd.reduce(vectors, axis=1, keepdims=True)
    return vectors // np.maximum(divisor, 1)


def _too_large(left: NDArray[Any], right: NDArray[Any], terms: int) -> bool:
    """Might a sum of so many products of their entries leave 64 bits? Python's integers have no limit."""
    if left.dtype == object:
        return False
    return float(np.abs(left).max(initial=0)) * float(np.abs(right).max(initial=0)) * terms > 2.0**62
