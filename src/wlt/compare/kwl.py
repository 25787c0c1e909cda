"""Folklore k-WL: colours of k-tuples of nodes, refined until they tell two graphs apart or are stable.

k-FWL tells apart what (k+1)-WL does: 1-FWL is WL, 2-FWL is what most papers call 3-WL (Cai, Fürer and Immerman 1992;
Grohe and Otto 2015). The colours of triples start from the stable colours of their pairs, which they would reach
anyway: the result is the same, and pairs cost n³ a round where triples cost n⁴.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.compare import kwl_kernels
from wlt.compare.pair import Pair, Verdict, as_pair, not_looked_at
from wlt.compare.wl import wl_result
from wlt.refine.partition import Colors
from wlt.wording import count, size_of_memory

Words = NDArray[np.uint64]  # [2, n, ..., n] two words for every tuple of nodes

MEMORY_LIMIT = 4 * 2**30
BLOCK_TERMS = 2**28
"""About a quarter of a second: between two blocks, Ctrl-C is heard."""


@dataclass(frozen=True)
class KWLResult:
    verdict: Verdict
    """NON_ISOMORPHIC, which is certain, or POSSIBLY_ISOMORPHIC."""
    k: int
    rounds: int
    """Rounds that refined the colours, of pairs and then of triples, up to convergence or to the first round in which
    the graphs differ."""
    colors: tuple[Colors, Colors]
    """The colours of the nodes v of both graphs, those of the tuples (v, ..., v); equal numbers are equal colours."""
    classes: int
    """Different colours of k-tuples in both graphs together."""
    memory: int
    """Bytes that the colours took at most."""
    ignored: tuple[str, ...] = ()
    """What the graphs have besides and was not looked at."""

    def __repr__(self) -> str:
        took = f"{count(self.rounds, 'round')}, {count(self.classes, 'colour')} of tuples"
        return f"KWLResult({self.verdict} by {self.k}-FWL after {took}{not_looked_at(self.ignored)})"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self.k}-FWL has no yes or no: write `result.verdict is wlt.Verdict.NON_ISOMORPHIC` for the answer of "
            "which it is certain, or `bool(wlt.isomorphism(g, h))` for the exact answer"
        )


def kwl_test(
    g: Any,
    h: Any,
    k: int = 2,
    *,
    node_labels: Sequence[ArrayLike] | str | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
    memory_limit: int = MEMORY_LIMIT,
) -> KWLResult:
    """Folklore k-WL on two graphs, for k = 1, 2, 3: n^k colours a graph, n^(k+1) steps a round.

    `node_labels`, `edge_labels` and `simple` are those of `wl_test`. What `kwl_memory` says is needed is compared with
    `memory_limit`, in bytes, before anything is allocated; MemoryError says what to do.

    >>> import networkx as nx
    >>> hexagon, triangles = nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    >>> print(kwl_test(hexagon, triangles, k=1).verdict)
    possibly isomorphic
    >>> print(kwl_test(hexagon, triangles, k=2).verdict)
    non-isomorphic
    """
    _check_k(k)
    pair = as_pair(g, h, node_labels, edge_labels, simple)
    nodes = max(pair.border, pair.graph.num_nodes - pair.border)
    memory = kwl_memory(nodes, k)
    if memory > memory_limit:
        less = next((f"; k={j} needs {size_of_memory(kwl_memory(nodes, j))}" for j in range(k - 1, 0, -1)), "")
        raise MemoryError(
            f"{k}-FWL on graphs of {nodes} nodes needs {size_of_memory(memory)} for the colours of {nodes}^{k} tuples "
            f"of either graph, and the limit is {size_of_memory(memory_limit)}; give a larger memory_limit{less}"
        )
    return kwl_result(pair, k)


def kwl_memory(nodes: int, k: int) -> int:
    """Bytes that `kwl_test` needs for two graphs with at most so many nodes.

    Two words for every tuple of both graphs, before and after a round, and one more while they are sorted.

    >>> kwl_memory(100, 3)
    80000000
    """
    _check_k(k)
    return 64 * nodes if k == 1 else 2 * nodes**k * 8 * 5


def _check_k(k: int) -> None:
    if isinstance(k, bool) or k not in (1, 2, 3):
        raise ValueError(f"k-FWL is there for k = 1, 2 and 3, not for {k!r}")


def kwl_result(pair: Pair, k: int) -> KWLResult:
    """What k-FWL says of a pair."""
    border, graph = pair.border, pair.graph
    memory = kwl_memory(max(border, graph.num_nodes - border), k)
    if k == 1 or 2 * border != graph.num_nodes:
        wl = wl_result(pair, pair.closure())
        classes = len(np.unique(np.concatenate(wl.colors)))
        return KWLResult(wl.verdict, k, wl.rounds, wl.colors, classes, memory, wl.ignored)
    sides = [kwl_kernels.pair_words(graph.adjacency, pair.colors, low, low + border) for low in (0, border)]
    sides, rounds, equal, classes = _stable(sides, kwl_kernels.pair_round)
    if equal and k == 3:
        sides = [kwl_kernels.triple_words(words) for words in sides]
        sides, more_rounds, equal, classes = _stable(sides, kwl_kernels.triple_round)
        rounds += more_rounds
    verdict = Verdict.POSSIBLY_ISOMORPHIC if equal else Verdict.NON_ISOMORPHIC
    return KWLResult(verdict, k, rounds, _colors_of_nodes(sides), classes, memory, graph.ignored)


def _stable(sides: list[Words], one_round: Callable[..., None]) -> tuple[list[Words], int, bool, int]:
    """Rounds until the graphs differ or no class is split: the words then, the rounds, are they equal, the classes."""
    rounds = 0
    equal, classes = _compared(sides)
    with ThreadPoolExecutor(2) as threads:  # kernels let go of the interpreter: one graph each
        while equal:
            new = list(threads.map(lambda words: _round(words, one_round), sides))
            equal, more_classes = _compared(new)
            if equal and more_classes == classes:
                break
            sides, rounds, classes = new, rounds + 1, more_classes
    return sides, rounds, equal, classes


def _round(words: Words, one_round: Callable[..., None]) -> Words:
    new = np.empty_like(words)
    n = words.shape[1]
    rows = max(1, BLOCK_TERMS // max(1, words[0].size))
    for begin in range(0, n, rows):
        one_round(words, new, begin, min(n, begin + rows))
    return new


def _compared(sides: list[Words]) -> tuple[bool, int]:
    """Do both graphs have the same multiset of colours, and how many colours are there, in both together?

    Both words are asked: two colours that agree in one of them are still told apart by the other."""
    classes = 0
    for word in range(2):
        left, right = (np.sort(words[word], axis=None) for words in sides)
        if not np.array_equal(left, right):
            return False, len(np.union1d(left, right))
        classes = max(classes, int(np.count_nonzero(left[1:] != left[:-1])) + min(1, len(left)))
    return True, classes


def _colors_of_nodes(sides: list[Words]) -> tuple[Colors, Colors]:
    n = sides[0].shape[1]
    node = np.arange(n)
    diagonals = [words[0][(node,) * (words.ndim - 1)] for words in sides]
    colors = np.unique(np.concatenate(diagonals), return_inverse=True)[1].astype(np.int32)
    return colors[:n], colors[n:]
