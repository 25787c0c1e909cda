"""Datasets of PyG, and of OGB, which are PyG's, as they are."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wlt.graphs import DataError, Graphs
from wlt.io.objects import edge_attributes, pyg_listing
from wlt.targets import target_table


def from_pyg(
    dataset: Any,
    *,
    node_labels: Literal["auto", "features", "degrees"] = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
    name: str | None = None,
) -> Graphs:
    """Any sequence of PyG's Data objects with a class, a number or a row of numbers each, in which NaN is a gap: a
    list, a TUDataset, a PygGraphPropPredDataset of OGB.

    node_labels: what nodes carry, their rows of `x` ("features"); degrees where there is no `x` ("auto") or on request
    ("degrees"). edge_labels and simple are those of `wlt.as_graph`: "auto" takes edge_attr, if there is one.
    """
    if node_labels not in ("auto", "features", "degrees"):
        raise ValueError(f"node_labels={node_labels!r}: use 'auto', 'features' or 'degrees'")
    name = name or str(getattr(dataset, "name", type(dataset).__name__))
    if not hasattr(dataset, "__len__"):
        dataset = list(dataset)
    data, slices = _collated(dataset, name)
    count = len(dataset)
    if getattr(data, "edge_index", None) is None:
        raise DataError(f"{name}: the graphs have no edge_index")
    edges = _array(data.edge_index)  # [2, entries]; nodes are counted in each graph from 0
    entries = _bounds(slices, "edge_index", edges.shape[1])
    rows = None if getattr(data, "x", None) is None else _array(data.x)
    starts = _node_bounds(dataset) if rows is None else _bounds(slices, "x", len(rows))
    sizes = np.diff(starts)[np.repeat(np.arange(count), np.diff(entries))]  # [entries] nodes of the edge's graph
    outside = ((edges < 0) | (edges >= sizes)).any(axis=0)
    if outside.any():
        entry = int(np.argmax(outside))
        graph = int(np.searchsorted(entries, entry, side="right")) - 1
        u, v = edges[:, entry]
        raise DataError(f"{name}: graph {graph} has {starts[graph + 1] - starts[graph]} nodes and the edge ({u}, {v})")
    shift = np.repeat(starts[:-1], np.diff(entries))
    try:
        union = pyg_listing(data, int(starts[-1]), edges + shift, starts).graph(edge_labels, simple)
    except (ValueError, TypeError) as error:
        raise DataError(f"{name}: {error}") from None
    targets = _targets(data, slices, count, name)
    if rows is None or rows.size == 0:
        if node_labels == "features":
            raise DataError(f"{name}: the graphs have no node features x; use node_labels='degrees'")
        node_labels = "degrees"
    if rows is None or node_labels == "degrees":
        return Graphs.by_degree(union, targets=targets, name=name)
    rows = rows.reshape(len(rows), -1)
    if rows.dtype.kind == "f" and not np.isfinite(rows).all():
        node = int(np.argmin(np.isfinite(rows).all(axis=1)))
        raise DataError(f"{name}: a feature of node {node} is not a finite number")
    return Graphs.by_rows(union, rows, "features", targets=targets, name=name)


def _collated(dataset: Any, name: str) -> tuple[Any, dict[str, Any] | None]:
    """All graphs in one Data object with the slices of each: PyG's own storage where it can be used as it is."""
    from torch_geometric.data import Data, InMemoryDataset

    if isinstance(dataset, InMemoryDataset) and dataset.transform is None and dataset._indices is None:
        data, slices = dataset._data, dataset.slices
    else:
        graphs = list(dataset)
        if not graphs or not all(isinstance(graph, Data) for graph in graphs):
            raise DataError(f"{name}: a sequence of torch_geometric.data.Data is needed")
        _check_alike(graphs, name)
        of_edges = [{key: graph[key] for key in edge_attributes(graph)} for graph in graphs]
        used = [
            Data(graph.x, graph.edge_index, y=graph.y, num_nodes=graph.num_nodes, **attributes)
            for graph, attributes in zip(graphs, of_edges, strict=True)
        ]
        data, slices = InMemoryDataset.collate(used)
    return data, slices


def _check_alike(graphs: list[Any], name: str) -> None:
    """Graphs are joined attribute by attribute: all have it or none, and features have one width."""
    of_edges = dict.fromkeys(key for graph in graphs for key in edge_attributes(graph))
    for key in ("edge_index", "x", "y", *of_edges):
        missing = [getattr(graph, key, None) is None for graph in graphs]
        if any(missing) and not all(missing):
            raise DataError(f"{name}: graph {missing.index(False)} has {key} and graph {missing.index(True)} has none")
    for key in ("x", "edge_attr"):
        shapes = [graph[key].shape[1:] for graph in graphs if getattr(graph, key, None) is not None]
        for i, shape in enumerate(shapes):
            if shape != shapes[0]:
                first, other = tuple(shapes[0]), tuple(shape)
                raise DataError(f"{name}: a row of {key} has shape {first} in graph 0, {other} in graph {i}")


def _array(tensor: Any) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return array


def _bounds(slices: dict[str, Any] | None, key: str, length: int) -> NDArray[np.int64]:
    """Where each graph's part of an attribute begins and ends; without slices all of it is one graph's."""
    if slices is None:
        return np.array([0, length])
    return np.asarray(slices[key], dtype=np.int64)


def _node_bounds(dataset: Any) -> NDArray[np.int64]:
    return np.cumsum([0] + [int(graph.num_nodes) for graph in dataset])


def _targets(data: Any, slices: dict[str, Any] | None, count: int, name: str) -> NDArray[Any]:
    """[graphs] whole numbers or numbers, or [graphs, tasks] with NaN in their gaps."""
    if getattr(data, "y", None) is None:
        raise DataError(f"{name}: the graphs have no labels y")
    y = _array(data.y)
    if y.ndim == 0:
        y = y.reshape(1)
    bounds = _bounds(slices, "y", len(y))
    tasks = y.size // count if count and y.size % count == 0 else 0
    in_rows = y.ndim == 2 and tasks == y.shape[1] and len(y) == count
    if not (in_rows or (tasks == 1 and len(y) == count)) or (np.diff(bounds) != 1).any():
        raise DataError(f"{name}: y has {y.size} values for {count} graphs; one value or one row for each is needed")
    if tasks > 1:
        return target_table(y.astype(np.float64), count)
    y = y.reshape(-1)
    if y.dtype.kind != "f":
        return y.astype(np.int64)
    if not np.isfinite(y).all():
        graph = int(np.argmin(np.isfinite(y)))
        raise DataError(f"{name}: graph {graph} has no label (y is {y[graph]}); leave it out")
    return y.astype(np.float64) if (y != np.floor(y)).any() else y.astype(np.int64)
