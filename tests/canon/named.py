"""Thirty graphs with names, and their keys: a key that changes here has changed for everyone who has stored it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx

from strategies import rook_graph, shrikhande_graph, two_triangles


def _bonds(graph: Any, *double: tuple[int, int]) -> Any:
    """Edges with the attribute bond, those named double."""
    nx.set_edge_attributes(graph, "single", "bond")
    nx.set_edge_attributes(graph, dict.fromkeys(double, "double"), "bond")
    return graph


def _atoms(graph: Any, letters: str) -> Any:
    nx.set_node_attributes(graph, dict(enumerate(letters)), "atom")
    return graph


def _frucht() -> Any:
    return nx.frucht_graph()


def _multigraph() -> Any:
    graph: Any = nx.MultiGraph()
    graph.add_edges_from([(0, 1), (0, 1), (1, 2), (2, 2)])
    return graph


def _fano() -> Any:
    """The incidence graph of the Fano plane, by the difference set {0, 1, 3} mod 7: Heawood's graph."""
    return nx.Graph([(point, 7 + line) for line in range(7) for point in ((line + step) % 7 for step in (0, 1, 3))])


NAMED: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "no node": (lambda: nx.empty_graph(0), {}),
    "one node": (lambda: nx.empty_graph(1), {}),
    "five nodes, no edge": (lambda: nx.empty_graph(5), {}),
    "path of 3": (lambda: nx.path_graph(3), {}),
    "path of 1000": (lambda: nx.path_graph(1000), {}),
    "star of 7": (lambda: nx.star_graph(6), {}),
    "cycle of 6": (lambda: nx.cycle_graph(6), {}),
    "two triangles": (two_triangles, {}),
    "K5": (lambda: nx.complete_graph(5), {}),
    "K3,3": (lambda: nx.complete_bipartite_graph(3, 3), {"node_labels": "degrees"}),
    "Petersen": (nx.petersen_graph, {}),
    "Heawood": (nx.heawood_graph, {"node_labels": "degrees"}),
    "Fano's incidences": (_fano, {}),
    "Frucht": (_frucht, {}),
    "dodecahedron": (nx.dodecahedral_graph, {}),
    "Desargues": (nx.desargues_graph, {}),
    "Pappus": (nx.pappus_graph, {}),
    "Hoffman-Singleton": (nx.hoffman_singleton_graph, {}),
    "Shrikhande": (shrikhande_graph, {}),
    "rook's graph": (rook_graph, {}),
    "Q7": (lambda: nx.hypercube_graph(7), {}),
    "Paley 13": (lambda: nx.paley_graph(13).to_undirected(), {}),
    "grid of 30 x 40": (lambda: nx.grid_2d_graph(30, 40), {}),
    "binary tree of depth 9": (lambda: nx.balanced_tree(2, 9), {}),
    "karate club": (nx.karate_club_graph, {"edge_labels": None, "node_labels": "degrees"}),
    "directed path of 3": (lambda: nx.path_graph(3, create_using=nx.DiGraph), {}),
    "directed cycle of 3": (lambda: nx.cycle_graph(3, create_using=nx.DiGraph), {}),
    "a loop and parallel edges": (_multigraph, {}),
    "ethanol": (lambda: _atoms(_bonds(nx.path_graph(3)), "CCO"), {"node_labels": "atom", "edge_labels": "bond"}),
    "acetaldehyde": (
        lambda: _atoms(_bonds(nx.path_graph(3), (1, 2)), "CCO"),
        {"node_labels": "atom", "edge_labels": "bond"},
    ),
    "weights 1, 0.5 and -2": (
        lambda: nx.Graph([(0, 1, {"w": 1}), (1, 2, {"w": 0.5}), (2, 3, {"w": -2})]),
        {"edge_labels": "w"},
    ),
}


KEYS = {
    "no node": "wlt1:3b62db0ee3413ec9477206acc6a3690e",
    "one node": "wlt1:af527e72bb5c3f17b4eb854e9bd13856",
    "five nodes, no edge": "wlt1:2b10916ee3d1fb9520eb0533ae53aa52",
    "path of 3": "wlt1:39309b3019233c4909c9500c86ce336e",
    "path of 1000": "wlt1:83d6dc182843598f0197ad3c18aeb890",
    "star of 7": "wlt1:8fd745b0e06acea24fc6c550666623d8",
    "cycle of 6": "wlt1:6589d8ac49dfad6db9242a86aa250bbc",
    "two triangles": "wlt1:aea4b9f04b68178c1987a01632ce4dd4",
    "K5": "wlt1:efaae72417ed7b14f0332997df1873ae",
    "K3,3": "wlt1:773ac99e3b2a4d9cc38d1db297f33dc4",
    "Petersen": "wlt1:f2fc5df2fbcbbdce81de8dae09963c72",
    "Heawood": "wlt1:55187220ebcc16988c15347a5debd061",
    "Fano's incidences": "wlt1:55187220ebcc16988c15347a5debd061",
    "Frucht": "wlt1:53171ac5dff5de50189eb208c7a6da2e",
    "dodecahedron": "wlt1:ff2ca3501f4bb5343f58469bb7f4bc70",
    "Desargues": "wlt1:6313b24b7adf0733d8effee6ef106636",
    "Pappus": "wlt1:e567ef78f6b830b0e581d61df73cd4f7",
    "Hoffman-Singleton": "wlt1:e2de5e54fd37b70598fb0938f19462f4",
    "Shrikhande": "wlt1:e233c9a90613ecf1ebc0b3531ba135a6",
    "rook's graph": "wlt1:f5071b017acfc14d4b43192d79c2ec36",
    "Q7": "wlt1:f7dc5551d0d01e11f1bf72d72637530e",
    "Paley 13": "wlt1:6d8df690612c784027f7f08689a4d8b2",
    "grid of 30 x 40": "wlt1:1ce37efee7c594ca990a7b651c27203a",
    "binary tree of depth 9": "wlt1:c3c282c684b61259e473293849851de6",
    "karate club": "wlt1:bba45dcbfd0919f15efabeab674c87c1",
    "directed path of 3": "wlt1:aa7d36d99323bee6773efb63002d38ef",
    "directed cycle of 3": "wlt1:7e8467c53acf3db97bddec6110a7ff22",
    "a loop and parallel edges": "wlt1:83b16b9670fed3ae131439a624260b60",
    "ethanol": "wlt1:8b10b444f586642846e802ba58f18fd4",
    "acetaldehyde": "wlt1:fd2ce57181dd61eb1682f317e29acb70",
    "weights 1, 0.5 and -2": "wlt1:2d7785ec61fd102f109de4b977fc00e9",
}

# the stable hash, and that after three rounds
WL_HASHES = {
    "path of 3": ("wl1:9d4c2967a446227449c0cafba0e272e1", "wl1.3:b17f62601a71f6e9eae19751abdaaf3e"),
    "cycle of 6": ("wl1:b18f7b38e2801c8be85007e5782db624", "wl1.3:15ba20e5347f7a683559e4105d049bd1"),
    "Petersen": ("wl1:c6197af08fb70ba1101aed7979a44c6e", "wl1.3:f30122a8f390a070d5343edf93538ea4"),
    "directed path of 3": ("wl1:6d9500058c05edd245eaef8802628d80", "wl1.3:a80c44d23467c776800d4f493c6899e4"),
    "ethanol": ("wl1:cb5f2f67a4d9259bb97cf13552056829", "wl1.3:58df0b14d39ddeaeb18b8a328833d527"),
    "path of 1000": ("wl1:7d55e70a142668cf9073547bb5e88aae", "wl1.3:6f3b954d5cd09b138210c25732b2c845"),
}
