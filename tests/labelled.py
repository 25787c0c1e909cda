"""Graphs whose edges carry something, for tests: drawn by hypothesis, and as networkx knows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from wlt import Graph


@dataclass(frozen=True)
class Drawn:
    """The edges of a graph with their labels, before any library has seen them."""

    nodes: int
    edges: tuple[tuple[int, int], ...]
    labels: tuple[int, ...]
    directed: bool

    def graph(self) -> Graph:
        pairs = np.array(self.edges, np.int64).reshape(-1, 2)
        return Graph.from_edges(
            self.nodes, pairs, edge_labels=list(self.labels), directed=self.directed, multigraph=True
        )

    def networkx(self) -> Any:
        graph: Any = nx.MultiDiGraph() if self.directed else nx.MultiGraph()
        graph.add_nodes_from(range(self.nodes))
        graph.add_edges_from((u, v, {"label": label}) for (u, v), label in zip(self.edges, self.labels, strict=True))
        return graph

    def relabelled(self, permutation: list[int]) -> Drawn:
        return replace(self, edges=tuple((permutation[u], permutation[v]) for u, v in self.edges))


@st.composite
def drawn_graphs(draw: st.DrawFn, max_nodes: int = 6, max_edges: int = 9) -> Drawn:
    """Directed or not, with few labels, parallel edges and loops; half of them circulant, so that WL has work to do."""
    nodes = draw(st.integers(1, max_nodes))
    directed = draw(st.booleans())
    if draw(st.booleans()):
        steps = draw(st.lists(st.integers(0, nodes - 1), max_size=2))
        edges = [(v, (v + step) % nodes) for step in steps for v in range(nodes)]
        labels = [step % 2 for step in steps for _ in range(nodes)]
    else:
        node = st.integers(0, nodes - 1)
        edges = draw(st.lists(st.tuples(node, node), max_size=max_edges))
        labels = draw(st.lists(st.integers(0, 1), min_size=len(edges), max_size=len(edges)))
    return Drawn(nodes, tuple(edges), tuple(labels), directed)


@st.composite
def drawn_pairs(draw: st.DrawFn, max_nodes: int = 6) -> tuple[Drawn, Drawn]:
    """Two graphs: a relabelled copy, the same with one label or direction changed, or another graph altogether."""
    first = draw(drawn_graphs(max_nodes))
    copy = first.relabelled(draw(st.permutations(range(first.nodes))))
    kind = draw(st.sampled_from(["copy", "label", "reversed", "other"]))
    if kind == "other":
        return first, replace(draw(drawn_graphs(max_nodes)), directed=first.directed)
    if kind == "copy" or not first.edges:
        return first, copy
    which = draw(st.integers(0, len(first.edges) - 1))
    if kind == "label":
        labels = [label ^ (i == which) for i, label in enumerate(copy.labels)]
        return first, replace(copy, labels=tuple(labels))
    edges = [(v, u) if i == which else (u, v) for i, (u, v) in enumerate(copy.edges)]
    return first, replace(copy, edges=tuple(edges))


def isomorphic(first: Drawn, second: Drawn, colors: tuple[Sequence[int], Sequence[int]] | None = None) -> bool:
    """By VF2, with the multisets of labels between two nodes. (networkx's own multi-edge match compares sets.)

    colors: of the nodes of the two graphs."""

    def same_labels(one: Any, other: Any) -> bool:
        return sorted(each["label"] for each in one.values()) == sorted(each["label"] for each in other.values())

    left, right = first.networkx(), second.networkx()
    for graph, of_nodes in zip((left, right), colors or ([0] * first.nodes, [0] * second.nodes), strict=True):
        nx.set_node_attributes(graph, dict(enumerate(of_nodes)), "color")
    same_color = nx.isomorphism.categorical_node_match("color", 0)
    return bool(nx.is_isomorphic(left, right, node_match=same_color, edge_match=same_labels))


def stable_by_hand(drawn: Drawn, colors: Sequence[int] | None = None) -> list[int]:
    """The stable colouring in plain Python, from the edges as they were drawn. colors: of the nodes, at the start."""
    tokens: list[list[tuple[str, int, int]]] = [[] for _ in range(drawn.nodes)]  # (direction, label, neighbour)
    loops: list[list[int]] = [[] for _ in range(drawn.nodes)]
    for (u, v), label in zip(drawn.edges, drawn.labels, strict=True):
        if u == v:
            loops[u].append(label)
        else:
            tokens[u].append(("out" if drawn.directed else "both", label, v))
            tokens[v].append(("in" if drawn.directed else "both", label, u))
    start = list(zip(colors or [0] * drawn.nodes, (tuple(sorted(each)) for each in loops), strict=True))
    order = sorted(set(start))
    current = [order.index(each) for each in start]
    while True:
        between = [
            {u: tuple(sorted((way, label) for way, label, w in tokens[v] if w == u)) for _, _, u in tokens[v]}
            for v in range(drawn.nodes)
        ]
        around = [tuple(sorted((label, current[u]) for u, label in each.items())) for each in between]
        seen = list(zip(current, around, strict=True))
        number = {signature: i for i, signature in enumerate(sorted(set(seen)))}
        if len(number) == len(set(current)):
            return current
        current = [number[signature] for signature in seen]


def automorphisms_by_trying(drawn: Drawn, colors: Sequence[int] | None = None) -> list[tuple[int, ...]]:
    """All permutations that keep the multiset of labelled edges, and the colours."""

    def edges(images: Sequence[int]) -> Counter[Any]:
        ends = (((images[u], images[v]), label) for (u, v), label in zip(drawn.edges, drawn.labels, strict=True))
        return Counter((pair if drawn.directed else tuple(sorted(pair)), label) for pair, label in ends)

    own, start = edges(range(drawn.nodes)), list(colors or [0] * drawn.nodes)
    return [
        images
        for images in permutations(range(drawn.nodes))
        if all(start[v] == start[image] for v, image in enumerate(images)) and edges(images) == own
    ]
