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

from wlt.graph import Graph
from wlt.pair import Pair, as_pair
from wlt.refine import Colors, Partition

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
    colors: Sequence[ArrayLike] | None = None,
    method: Literal["partition", "lp"] = "partition",
) -> scipy.sparse.csr_array | None:
    """A doubly stochastic X, shape [nodes of h, nodes of g], with XA = BX; None if there is none.

    There is one iff the WL test passes. "partition" builds it from the common stable colouring: X[u, v] is 1 / size of
    the class if u and v are in the same class of their graphs, and 0 otherwise. "lp" solves the paper's linear program
    (lp1, lp2, lp3) with HiGHS. With colours, X[u, v] is 0 where u and v have different ones. Graphs of different size
    give None: a doubly stochastic matrix is square. X is checked before it is returned, "partition" exactly, "lp"
    equation by equation up to TOLERANCE.

    >>> hexagon, triangles = (6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]), (6, [(0, 1), (1, 2), (2, 0),
    ...                                                                             (3, 4), (4, 5), (5, 3)])
    >>> X = fractional_isomorphism(hexagon, triangles)
    >>> X.shape, float(X.sum()), float(X[0, 0] * 6)
    ((6, 6), 6.0, 1.0)
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
    place = np.arange(entries) + np.repeat(first[right] - offsets[:-1], per_row)  # positions in `by_class`
    by_class = np.argsort(left, kind="stable")
    return scipy.sparse.csr_array((np.repeat(1.0 / per_row, per_row), by_class[place], offsets), shape=(n, n))


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

    matrix: scipy.sparse.csr_array  # integers, [n * n + 2 * n, entries]
    right_side: NDArray[np.int64]  # [n * n + 2 * n]
    rows: NDArray[np.int64]  # [entries] node of h
    columns: NDArray[np.int64]  # [entries] node of g

    @classmethod
    def between(cls, g: Graph, h: Graph, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> _Equations:
        """Only the entries X[rows, columns] are variables; all others are 0."""
        import scipy.sparse as sparse

        n = g.num_nodes
        one, ones = sparse.eye_array(n, dtype=np.int64), np.ones((1, n), dtype=np.int64)
        A, B = g.to_scipy().astype(np.int64), h.to_scipy().astype(np.int64)
        blocks = [sparse.kron(one, A) - sparse.kron(B, one), sparse.kron(one, ones), sparse.kron(ones, one)]
        matrix = sparse.vstack(blocks, format="csc")[:, rows * n + columns].tocsr()
        return cls(matrix, np.repeat([0, 1], [n * n, 2 * n]), rows, columns)


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

MAX_CONE_ENTRIES = 256
"""Entries of X up to which the edges at the identity are enumerated."""
MAX_RAYS = 1_000
"""Rays that this enumeration may hold at any time."""
MAX_PROGRAMS = 12
"""Linear programs in the search for a fractional extreme point; where there is one, the first usually finds it."""
MAX_SUPPORT = 400
"""Positive entries of an extreme point that is proved exactly."""


def integrality(graph: Graph, cells: Colors, budget: int) -> tuple[bool | None, str]:
    """Is S(A) integral, that is, is the graph compact? With the reason; None where neither was proved.

    `cells` is the stable partition: X is 0 between different cells. Both answers are proved in exact arithmetic. False:
    the simplex algorithm ended in an extreme point that is not integral, or an edge at the identity leads to one. True:
    every edge of the polytope at the identity leads to an automorphism. That is enough, because multiplication by
    automorphisms carries the identity to every other one, and a walk along edges reaches every extreme point.
    """
    size = int((np.bincount(cells).astype(np.int64) ** 2).sum())  # variables: pairs of nodes of one cell
    programs = min(MAX_PROGRAMS, budget // size**2)  # measured: a program takes up to size**2 microseconds
    if programs == 0:
        return None, f"a polytope of {size} variables is beyond the budget of {budget} steps"
    rows, columns = np.nonzero(cells[:, None] == cells[None, :])
    equations = _Equations.between(graph, graph, rows, columns)
    point = _fractional_extreme_point(equations, programs)
    if point is not None:
        entry = max(point, key=lambda value: value.denominator)
        return False, f"an extreme point of the polytope of fractional automorphisms has the entry {entry}"
    tried = f"no extreme point was proved fractional in {programs} linear programs of {size} variables"
    if size > MAX_CONE_ENTRIES:
        return None, f"{tried}; edges of the polytope are only enumerated up to {MAX_CONE_ENTRIES} variables"
    rays = _edges_at_identity(equations)
    if rays is None:
        return None, f"{tried}; the enumeration of the edges at the identity needs more than {MAX_RAYS} rays"
    if _are_permutations(rays, equations):
        return True, f"all {len(rays)} edges of the polytope of fractional automorphisms at the identity are integral"
    return False, "an edge of the polytope of fractional automorphisms at the identity leads to a fractional point"


def _are_permutations(rays: NDArray[np.int64], equations: _Equations) -> bool:
    """Is each ray, over the greatest common divisor of its entries, a permutation matrix minus the identity?

    Entries beside the diagonal are never negative and sums are 0, so it is enough that the diagonal is 0 or -1."""
    return bool((rays[:, equations.rows == equations.columns] >= -1).all())


def _edges_at_identity(equations: _Equations) -> NDArray[np.int64] | None:
    """All extreme rays, as primitive integer vectors, of the cone of directions that lead from the identity into S(A).

    The cone is {Y: YA = AY, row and column sums 0, Y >= 0 beside the diagonal}. Double description (Motzkin et al.
    1953) in integers; None if a number or the number of rays gets too large."""
    diagonal = equations.rows == equations.columns
    # the diagonal is eliminated first (row sums), so the free variables are entries >= 0: they span an orthant
    column_order = np.argsort(~diagonal, kind="stable")
    basis = _integer_nullspace(equations.matrix[:, column_order].toarray())  # [dimension, entries]
    if basis is None:
        return None
    basis = basis[:, np.argsort(column_order)]
    dimension = len(basis)
    if dimension == 0:
        return basis
    inequalities = np.unique(basis[:, ~diagonal].T, axis=0)  # [inequalities, dimension]: each times z is >= 0
    is_unit = (np.count_nonzero(inequalities, axis=1) == 1) & (inequalities.max(axis=1, initial=0) > 0)
    satisfied, pending = inequalities[is_unit], inequalities[~is_unit & inequalities.any(axis=1)]
    rays = np.eye(dimension, dtype=np.int64)
    while len(pending):
        if _too_large(rays, inequalities, dimension):
            return None
        values = rays @ pending.T  # [rays, pending]
        above, below = np.count_nonzero(values > 0, axis=0), np.count_nonzero(values < 0, axis=0)
        next_one = int(np.argmin(above * below))
        cut = _cut_cone(rays, satisfied, values[:, next_one])
        if cut is None:
            return None
        rays = cut
        satisfied = np.vstack([satisfied, pending[next_one]])
        pending = np.delete(pending, next_one, axis=0)
    return None if _too_large(rays, basis, dimension) else _primitive(rays @ basis)


def _cut_cone(
    rays: NDArray[np.int64], satisfied: NDArray[np.int64], value: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """The extreme rays of the part of a cone where `value`, given for its extreme rays, is not negative.

    New rays lie between adjacent rays of different sign: two rays are adjacent iff no third one satisfies with
    equality all the inequalities that both do."""
    above, below = np.flatnonzero(value > 0), np.flatnonzero(value < 0)
    if _too_large(rays, value, 2):
        return None
    tight = (rays @ satisfied.T == 0).astype(np.float32)  # [rays, satisfied]
    new = [rays[value >= 0]]
    for p in above:
        common = tight[p] * tight[below]  # [below, satisfied]
        number = common.sum(axis=1)
        candidates = np.flatnonzero(number >= rays.shape[1] - 2)
        holders = (common[candidates] @ tight.T == number[candidates, None]).sum(axis=1)
        partners = below[candidates[holders == 2]]
        new.append(_primitive(value[p] * rays[partners] - value[partners, None] * rays[p]))
        if sum(map(len, new)) > MAX_RAYS:
            return None
    return np.concatenate(new)


def _primitive(vectors: NDArray[Any]) -> NDArray[Any]:
    """Each vector over the greatest common divisor of its entries."""
    divisor = np.gcd.reduce(vectors, axis=1, keepdims=True)
    return vectors // np.maximum(divisor, 1)


def _too_large(left: NDArray[Any], right: NDArray[Any], terms: int) -> bool:
    """Might a sum of so many products of their entries leave 64 bits? Python's integers have no limit."""
    if left.dtype == object:
        return False
    return float(np.abs(left).max(initial=0)) * float(np.abs(right).max(initial=0)) * terms > 2.0**62


def _integer_nullspace(matrix: NDArray[Any]) -> NDArray[Any] | None:
    """A basis of {x: matrix @ x = 0}, one integer vector a row: 0 in all free columns but one, there positive.

    Gauss and Jordan without fractions, on int64 or on Python's integers; None if a number gets too large."""
    work = _primitive(matrix[(matrix != 0).any(axis=1)])
    pivots: list[int] = []
    for column in range(work.shape[1]):
        rank = len(pivots)
        candidates = np.flatnonzero(work[rank:, column])
        if len(candidates) == 0:
            continue
        best = rank + candidates[np.argmin(np.count_nonzero(work[rank + candidates], axis=1))]
        work[[rank, best]] = work[[best, rank]]
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


def _fractional_extreme_point(equations: _Equations, programs: int) -> list[Fraction] | None:
    """The positive entries of an extreme point that is not integral, in exact arithmetic; None if none was met.

    Without an objective, the simplex algorithm stops at the first extreme point, which depends on the order of rows and
    columns. (A random objective favours automorphisms: it rarely ends elsewhere, even where all but few points are.)"""
    random = np.random.default_rng(0)
    num_equations, size = equations.matrix.shape
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
        except ArithmeticError:  # HiGHS gave up: this proves nothing, and the next order may do
            continue
        if x is not None and np.abs(x - np.round(x)).max() > TOLERANCE:
            point = _exact_extreme_point(shuffled, x > TOLERANCE)
            if point is not None:
                return point
    return None


def _exact_extreme_point(equations: _Equations, support: NDArray[np.bool_]) -> list[Fraction] | None:
    """The one solution with this support, if there is just one, it is positive there, and it is not integral.

    Columns that admit just one solution are linearly independent: it is an extreme point."""
    system = np.column_stack([equations.matrix[:, np.flatnonzero(support)].toarray(), -equations.right_side])
    if system.shape[1] > MAX_SUPPORT:
        return None
    solutions = _integer_nullspace(system)
    if solutions is None:
        solutions = _integer_nullspace(system.astype(object))
    if solutions is None or len(solutions) != 1 or solutions[0, -1] == 0:
        return None
    *numerators, denominator = map(int, solutions[0])
    values = [Fraction(numerator, denominator) for numerator in numerators]
    return values if min(values) > 0 and max(value.denominator for value in values) > 1 else None
