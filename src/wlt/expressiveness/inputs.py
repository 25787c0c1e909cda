"""A benchmark's graphs as a model takes them: wlt's own, networkx graphs, PyG Data, or one batch of PyG.

Nothing is left out on the way. networkx: the attribute `label` of nodes and edges, DiGraphs where edges have
directions. PyG: x [nodes, 1] is 1 + the number of the node's label, so 1 where nodes carry nothing, which is BREC's
own input; where nodes carry features, x [nodes, dims] has them. edge_attr [edges, 1] is 1 + the number of the edge's
label; a directed edge is there once, an undirected one both ways."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Hashable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wlt.arcs import IN, PLAIN
from wlt.graph import Graph
from wlt.graphs import Graphs

Takes = Literal["graphs", "wlt", "networkx", "pyg", "batch"]
"""graphs: one `wlt.Graphs`; wlt, networkx, pyg: a list of graphs of that kind; batch: one batch of PyG."""

TAKES: tuple[str, ...] = get_args(Takes)

WORDS: tuple[tuple[str, Takes], ...] = (
    ("wlt.graphs.Graphs", "graphs"),
    ("wlt.graph.Graph", "wlt"),
    ("networkx", "networkx"),
    ("torch_geometric.data.batch", "batch"),
    ("torch_geometric.data", "pyg"),
    # as they stand in annotations that cannot be evaluated
    ("wlt.Graphs", "graphs"),
    ("wlt.Graph", "wlt"),
    ("nx.", "networkx"),
    ("Batch", "batch"),
    ("Data", "pyg"),
    ("Graphs", "graphs"),
)


def taken_by(function: Callable[..., Any]) -> Takes | None:
    """What the annotation of a function's first parameter says it takes; None: it does not say.

    >>> def fingerprint(graphs: "list[networkx.Graph]"): ...
    >>> taken_by(fingerprint)
    'networkx'
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # compiled code has no signature
        return None
    if not parameters or parameters[0].annotation is inspect.Parameter.empty:
        return None
    called = function if inspect.isroutine(function) or inspect.isclass(function) else type(function).__call__
    try:
        annotation = typing.get_type_hints(called)[parameters[0].name]
    except (NameError, TypeError, KeyError, AttributeError):
        annotation = parameters[0].annotation
    said = annotation if isinstance(annotation, str) else f"{annotation!r}"
    return next((takes for word, takes in WORDS if word in said), None)


def as_input(graphs: Graphs, takes: Takes) -> Any:
    """The graphs as a model takes them, made anew in every call: a model that changes them harms nobody."""
    if takes == "graphs":
        return graphs
    if takes == "wlt":
        return list(graphs.union)
    if takes == "networkx":
        return [_networkx(graph) for graph in graphs]
    from torch_geometric.data import Batch

    data = [_pyg(graph) for graph in graphs]
    return data if takes == "pyg" else Batch.from_data_list(data)


def left_out(graphs: Graphs, takes: Takes) -> str:
    """What the model is not given, as a sentence; empty: it is given everything."""
    if takes == "wlt" and graphs.kind != "degrees":
        return "wlt.Graph has no labels of nodes, so the model did not see them; annotate wlt.Graphs to get them"
    return ""


def _networkx(graph: Graphs) -> Any:
    made = graph.union.to_networkx()
    if graph.kind != "degrees":
        for v, code in enumerate(graph.codes.tolist()):
            made.nodes[v]["label"] = _plain(graph.values[code])
    return made


def _plain(value: Any) -> Hashable:
    return value.item() if hasattr(value, "item") else value  # type: ignore[no-any-return]


def _pyg(graph: Graphs) -> Any:
    """One graph as PyG's Data. Labels are numbered by the benchmark, so that equal ones are equal in every batch."""
    import torch
    from torch_geometric.data import Data

    union = graph.union
    x = torch.ones(union.num_nodes, 1)
    if graph.kind == "features":
        x = torch.from_numpy(np.asarray(graph.values, np.float32)[graph.codes])
    elif graph.kind != "degrees":
        x += torch.from_numpy(graph.codes.astype(np.float32))[:, None]
    edges = union.edge_index()
    carried = np.zeros(edges.shape[1], np.int64)
    if len(union.arcs) or len(union.loops):
        edges, carried = _all_edges(union)
    attributes = torch.from_numpy(carried.astype(np.float32))[:, None] + 1
    return Data(x=x, edge_index=torch.from_numpy(np.ascontiguousarray(edges)), edge_attr=attributes)


def _all_edges(graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[2, edges] and the numbers of their labels: what every entry of the adjacency sends, and the loops."""
    tokens = [label for labels in graph.arc_labels for _, label in labels]
    loops = [label for labels in graph.loop_labels for label in labels]
    number = {label: i for i, label in enumerate(dict.fromkeys([None, *tokens, *loops]))}
    sent = [
        [number[label] for direction, label in labels if direction != IN] for labels in graph.arc_labels or (PLAIN,)
    ]
    codes = graph.arcs if len(graph.arcs) else np.zeros(len(graph.neighbors), np.int64)
    entries = np.repeat(np.arange(len(codes)), np.array([len(each) for each in sent])[codes])
    edges = [graph.edge_index()[:, entries]]
    carried = [np.array([label for code in codes for label in sent[code]], np.int64)]
    for v, loop in enumerate(graph.loops.tolist()):
        labels = graph.loop_labels[loop]
        edges.append(np.full((2, len(labels)), v))
        carried.append(np.array([number[label] for label in labels], np.int64))
    return np.concatenate(edges, axis=1), np.concatenate(carried)
