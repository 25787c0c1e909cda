"""Fractional isomorphism: a doubly stochastic X with XA = BX, which exists iff WL cannot tell the graphs apart.

X has one row per node of h and one column per node of g: XA = BX where A and B are the adjacency matrices of g and h.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.compare.linear_program import TOLERANCE, Equations, solve
from wlt.compare.pair import Pair, as_pair
from wlt.graph import Graph
from wlt.refine.partition import Colors

if TYPE_CHECKING:
    import scipy.sparse

MAX_ENTRIES = 20_000_000
"""Entries of X that method "partition" builds at most: all pairs of equally coloured nodes."""
MAX_VARIABLES = 2_500
"""Variables of the linear program, one for each pair of nodes: it takes seconds for 50 nodes, many minutes for 100."""


def fractional_isomorphism(
    g: Any,
    h: Any,
    *,
    node_labels: Sequence[ArrayLike] | str | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
    method: Literal["partition", "lp"] = "partition",
) -> scipy.sparse.csr_array | None:
    """A doubly stochastic X, shape [nodes of h, nodes of g], with XA = BX; None if there is none.

    There is one iff the WL test passes. "partition" builds it from the common stable colouring: X[u, v] is 1 / size of
    the class if u and v are in the same class of their graphs, and 0 otherwise. "lp" solves the paper's linear program
    (lp1, lp2, lp3) with HiGHS. Graphs of different size give None: a doubly stochastic matrix is square. X is checked
    before it is returned, "partition" exactly, "lp" equation by equation up to TOLERANCE.

    `node_labels`: integers for the nodes of g and for those of h, or the name of a node attribute; X[u, v] is 0 where
    u and v have different ones. None: all nodes alike.

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
    pair = as_pair(g, h, node_labels, edge_labels, simple)
    if 2 * pair.border != pair.graph.num_nodes:
        return None
    return _from_partition(pair) if method == "partition" else _from_linear_program(pair)


def _from_partition(pair: Pair) -> scipy.sparse.csr_array | None:
    import scipy.sparse

    n = pair.border
    closure = pair.closure()
    if not closure.balanced:
        return None
    classes = closure.partition.colors
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
    first_node = np.unique(classes, return_index=True)[1]
    equal = True
    for matrix in union.matrices() if num_nodes else ():
        counts = matrix @ member  # [nodes, classes]
        equal &= (counts != counts[first_node][classes]).nnz == 0
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
    equations = Equations.between(pair.graph[0], pair.graph[1], rows, columns)
    values = solve(equations, "highs-ipm") if n else np.zeros(0)
    if values is None:
        return None
    error = float(np.abs(equations.matrix @ values - equations.right_side).max()) if n else 0.0
    if error > TOLERANCE:
        raise ArithmeticError(f"HiGHS' solution misses an equation by {error:.2g}, more than {TOLERANCE:.2g}")
    X = scipy.sparse.csr_array((values, (rows, columns)), shape=(n, n))
    X.eliminate_zeros()
    return X
