"""A benchmark's graphs as a model takes them: wlt's own, networkx graphs, PyG Data, or one batch of PyG.

Nothing is left out on the way. networkx: the attribute `label` of nodes and edges, DiGraphs where edges have
directions. PyG: x [nodes, 1] is 1 + the number of the node's label, so 1 where nodes carry nothing, which is BREC's
own input; edge_attr [edges, 1] likewise; a directed edge is there once, an undirected one both ways."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Hashable
from typing import Any, Literal, get_args

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
    if graph.kind != "degrees":
        x += torch.from_numpy(graph.codes.astype("float32"))[:, None]
    if not len(union.arcs) and not len(union.loops):
        edges = torch.from_numpy(union.edge_index().copy())
        return Data(x=x, edge_index=edges, edge_attr=torch.ones(edges.shape[1], 1))
    pairs, labels, directed, _ = union.listed()
    number = {label: i for i, label in enumerate(_edge_labels(graph))}
    attributes = [1.0 + number[label] for label in labels] or [1.0] * len(pairs)
    if not directed:
        pairs, attributes = (
            pairs + [(v, u) for u, v in pairs if u != v],
            attributes + [attribute for (u, v), attribute in zip(pairs, attributes, strict=True) if u != v],
        )
    edges = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).T.contiguous()
    return Data(x=x, edge_index=edges, edge_attr=torch.tensor(attributes).reshape(-1, 1))


def _edge_labels(graph: Graphs) -> list[Hashable]:
    """The labels of edges in the whole benchmark; None, no label, is the first."""
    tokens = [label for tokens in graph.union.arc_labels for _, label in tokens]
    loops = [label for labels in graph.union.loop_labels for label in labels]
    return list(dict.fromkeys([None, *tokens, *loops]))
