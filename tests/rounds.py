"""WL rounds in plain Python, one by one: the oracle for `refine_once`, `closure` (the last of them) and `wl_test`."""

from __future__ import annotations

from collections.abc import Iterable

from wlt import Graph


def wl_rounds(graph: Graph, colors: Iterable[int] | None = None) -> list[list[int]]:
    """The colouring at the start and after every round that refines it: one more than there are such rounds."""
    current = [0] * graph.num_nodes if colors is None else [int(color) for color in colors]
    neighbors = [graph.neighbors_of(v).tolist() for v in range(graph.num_nodes)]
    history: list[list[int]] = []
    while not history or len(set(current)) > len(set(history[-1])):
        history.append(current)
        seen = [(current[v], tuple(sorted(current[u] for u in neighbors[v]))) for v in range(graph.num_nodes)]
        number = {signature: i for i, signature in enumerate(sorted(set(seen)))}
        current = [number[signature] for signature in seen]
    return history
