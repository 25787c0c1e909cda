"""The paper's linear program: its equations, and their solution by HiGHS.

X has one row per node of h and one column per node of g: XA = BX where A and B are the adjacency matrices of g and h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph

if TYPE_CHECKING:
    import scipy.sparse

TOLERANCE = 1e-7
"""How far a solution of the linear program may be from satisfying any one equation."""


class Equations(NamedTuple):
    """XA = BX (lp1) and row and column sums 1 (lp2), as matrix @ x = right_side for the entries x of X."""

    matrix: scipy.sparse.csr_array  # integers, [equations, entries]
    right_side: NDArray[np.int64]  # [equations]
    rows: NDArray[np.int64]  # [entries] node of h
    columns: NDArray[np.int64]  # [entries] node of g

    @classmethod
    def between(cls, g: Graph, h: Graph, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Equations:
        """Only the entries X[rows, columns] are variables; all others are 0. Equations 0 = 0 are left out."""
        import scipy.sparse

        n, size = g.num_nodes, len(rows)
        # X[u, v] is a term of (XA)[u, w] where A[v, w] is 1, and of (BX)[w, v] where B[w, u] is 1.
        # With labels there is such a pair of matrices for each of them; with directions they are not symmetric.
        places, entries, signs = [], [], []
        for label, (a, b) in enumerate(zip(g.matrices(), h.matrices(), strict=True)):
            of_v, of_u = a[columns].tocoo(), b.T.tocsr()[rows].tocoo()  # [entries, nodes]
            terms = [rows[of_v.row] * n + of_v.col, of_u.col.astype(np.int64) * n + columns[of_u.row]]
            places.append(label * n * n + np.concatenate(terms))
            entries += [of_v.row, of_u.row]
            signs.append(np.repeat([1, -1], [of_v.nnz, of_u.nnz]))
        present, equation = np.unique(np.concatenate(places), return_inverse=True)
        sums = len(present) + np.concatenate([rows, n + columns])
        entry = np.concatenate([*entries, np.arange(size), np.arange(size)])
        coefficient = np.concatenate([*signs, np.ones(2 * size, np.int64)])
        matrix = scipy.sparse.csr_array(
            (coefficient, (np.concatenate([equation, sums]), entry)), shape=(len(present) + 2 * n, size)
        )
        return cls(matrix, np.repeat([0, 1], [len(present), 2 * n]), rows, columns)


def solve(equations: Equations, algorithm: Literal["highs-ds", "highs-ipm"]) -> NDArray[np.float64] | None:
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
