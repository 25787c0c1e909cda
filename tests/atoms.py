"""Paths whose nodes carry letters, for tests of what nodes carry."""

from __future__ import annotations

import networkx as nx

ATOMS = ["CCO", "NCCN", "OCO", "C"]


def paths() -> list[nx.Graph[int]]:
    """Paths whose nodes have the letters of ATOMS as attribute `atom`."""
    graphs = []
    for letters in ATOMS:
        graph = nx.path_graph(len(letters))
        nx.set_node_attributes(graph, dict(enumerate(letters)), "atom")
        graphs.append(graph)
    return graphs
