"""The polytope of fractional automorphisms S(A) = {X doubly stochastic, XA = AX} (appendix A of the paper).

The graph is compact iff every extreme point of it is an automorphism.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt.compare.linear_program import TOLERANCE, Equations, solve
from wlt.graph import Graph
from wlt.refine.partition import Colors

MAX_SUPPORT = 350
"""Positive entries up to which a fractional extreme point is proved."""
MAX_MERGED_VARIABLES = 50_000
"""Variables up to which those that are equal in every solution are put together."""
MAX_CONE_VARIABLES = 256
"""Variables, when equal ones are one, up to which the edges at the identity are enumerated."""
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
    equations = automorphism_equations(graph, cells)
    num_equations, size = equations.matrix.shape
    random = np.random.default_rng(0)
    for _ in range(programs):
        row_order, column_order = random.permutation(num_equations), random.permutation(size)
        shuffled = Equations(
            equations.matrix[row_order][:, column_order],
            equations.right_side[row_order],
            equations.rows[column_order],
            equations.columns[column_order],
        )
        try:
            x = solve(shuffled, "highs-ds")
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
    if num_fractional_variables(cells) > MAX_MERGED_VARIABLES:
        return None
    equations = merged(automorphism_equations(graph, cells))
    if len(equations.rows) > MAX_CONE_VARIABLES:
        return None
    rays = edges_at_identity(equations)
    if rays is None:
        return None
    # beside the diagonal nothing is negative, and sums are 0: a primitive vector with a diagonal of 0 and -1 is a
    # permutation minus the identity
    return bool((rays[:, equations.rows == equations.columns] >= -1).all())


def automorphism_equations(graph: Graph, cells: Colors) -> Equations:
    rows, columns = np.nonzero(cells[:, None] == cells[None, :])
    return Equations.between(graph, graph, rows, columns)


def merged(equations: Equations) -> Equations:
    """The same with one variable for all entries that equations x = y say are equal, again and again.

    The identity is a solution: entries of the diagonal are merged with none beside it."""
    import scipy.sparse
    from scipy.sparse.csgraph import connected_components

    while True:
        matrix = equations.matrix
        num_variables = matrix.shape[1]
        starts = matrix.indptr[:-1][(np.diff(matrix.indptr) == 2) & (equations.right_side == 0)]
        starts = starts[matrix.data[starts] == -matrix.data[starts + 1]]
        if not len(starts):
            return equations
        ends = matrix.indices[starts], matrix.indices[starts + 1]
        equal = scipy.sparse.coo_array((np.ones(len(starts), np.int8), ends), shape=(num_variables, num_variables))
        number, group = connected_components(equal, directed=False)
        to_group = scipy.sparse.csr_array(
            (np.ones(num_variables, np.int64), (np.arange(num_variables), group)), shape=(num_variables, number)
        )
        smaller = scipy.sparse.csr_array(matrix @ to_group)
        smaller.eliminate_zeros()
        kept = np.flatnonzero(np.diff(smaller.indptr))
        _, one_of = np.unique(group, return_index=True)
        equations = Equations(
            smaller[kept], equations.right_side[kept], equations.rows[one_of], equations.columns[one_of]
        )


def _exact_extreme_point(equations: Equations, support: NDArray[np.bool_]) -> list[Fraction] | None:
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


def edges_at_identity(equations: Equations) -> NDArray[np.int64] | None:
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
