"""DOT, parsed by pydot, as a networkx graph.

networkx's own reader leaves out what stands in subgraphs, and takes a port (`a:north`) for a part of the node's name.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

DEFAULTS = ("node", "edge", "graph")
"""Statements under these names set how things are drawn; a node of such a name stands in quotes."""


def graph_of(parsed: Any) -> Any:
    """The graph: subgraphs are groups of its nodes and edges; an edge to a subgraph joins all nodes in there."""
    import networkx

    content = parsed.obj_dict
    kinds = {
        (False, False): networkx.MultiGraph,
        (False, True): networkx.Graph,
        (True, False): networkx.MultiDiGraph,
        (True, True): networkx.DiGraph,
    }
    graph = kinds[content["type"] == "digraph", bool(content.get("strict"))]()
    _add(graph, content, {})
    return graph


def _add(graph: Any, part: Any, known: dict[Any, list[str]]) -> list[str]:
    """Add the nodes and edges of a part of the file, subgraphs included; the nodes in it.

    known: subgraphs that edges end in, and their nodes. In a chain, a -- {b c} -- d, one of them stands twice."""
    nodes = []
    for name, statements in part["nodes"].items():
        if name not in DEFAULTS:
            nodes.append(_name(name))
            for statement in statements:
                graph.add_node(nodes[-1], **statement["attributes"])
    for subgraph in chain.from_iterable(part["subgraphs"].values()):
        nodes += _add(graph, subgraph, known)
    for edge in chain.from_iterable(part["edges"].values()):
        ends = []
        for end in edge["points"]:
            if not isinstance(end, str) and end not in known:
                known[end] = list(dict.fromkeys(_add(graph, end, known)))
            ends.append([_name(end)] if isinstance(end, str) else known[end])
            graph.add_nodes_from(ends[-1])
        graph.add_edges_from((u, v, dict(edge["attributes"])) for u in ends[0] for v in ends[1])
        nodes += chain(*ends)
    return nodes


def _name(text: str) -> str:
    """Of a node, without quotes and without a port.

    >>> _name('a:north'), _name('"a:b":north'), _name('"x y"')
    ('a', 'a:b', 'x y')
    """
    quoted = re.match(r'"((?:[^"\\]|\\.)*)"', text, re.DOTALL)
    return quoted[1] if quoted else text if text.startswith("<") else text.partition(":")[0]
