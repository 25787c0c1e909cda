"""What nodes carry as integer codes: named attributes (`node_codes`) and integers of any size (`dense_codes`)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.arcs import sort_key
from wlt.graph import Graph
from wlt.io.listing import Listing
from wlt.io.objects import comes_from
from wlt.io.values import as_array, label
from wlt.wording import listed, shortened


def node_codes(
    sources: Iterable[Any], attribute: str, table: Mapping[Hashable, int] | None = None
) -> tuple[list[NDArray[np.int32]], Mapping[Hashable, int]]:
    """A named node attribute as codes: for each graph one integer per node, and the table value -> code.

    All graphs of one call share the table, so their codes can be compared; for further graphs, pass the table on.
    Graphs are networkx, igraph or PyG ones (`read_source` gives such for files with attributes); the rows
    of a feature matrix are values too. Values are equal if Python says so (1 == 1.0 == True), with lists and arrays
    taken as tuples. A new table numbers the values by size (numbers), then by type name and size, so that the order
    of graphs and nodes does not matter.

    >>> import networkx as nx
    >>> water, carbon_dioxide = nx.path_graph(3), nx.path_graph(3)
    >>> nx.set_node_attributes(water, dict(enumerate("HOH")), "atom")
    >>> nx.set_node_attributes(carbon_dioxide, dict(enumerate("OCO")), "atom")
    >>> codes, table = node_codes([water, carbon_dioxide], "atom")
    >>> [each.tolist() for each in codes], table
    ([[1, 2, 1], [2, 0, 2]], {'C': 0, 'H': 1, 'O': 2})
    """
    if _has_attributes(sources) or isinstance(sources, (Graph, str, bytes)):
        raise TypeError(f"node_codes takes a list of graphs, not one {type(sources).__name__}; use [graph]")
    values = [_node_values(source, attribute, i) for i, source in enumerate(sources)]
    if table is None:
        distinct = {value for of_graph in values for _, value in of_graph}
        table = {value: code for code, value in enumerate(sorted(distinct, key=sort_key))}
    elif not all(isinstance(code, (int, np.integer)) and 0 <= code < 2**31 for code in table.values()):
        raise ValueError("the codes of a table must be integers from 0 to 2^31 - 1")
    for i, of_graph in enumerate(values):
        for name, value in of_graph:
            if value not in table:
                known = listed(list(table))
                node, odd = shortened(repr(name)), f"{shortened(attribute)} = {shortened(repr(value))}"
                raise ValueError(f"graph {i}, node {node}: {odd} is not in the table: {known}")
    return [np.array([table[value] for _, value in of_graph], np.int32) for of_graph in values], table


def labels_of(source: Any, node_labels: ArrayLike | str | None) -> ArrayLike | None:
    """The node labels of one graph: the user's own array, or the values of the attribute that was named."""
    return node_codes([source], node_labels)[0][0] if isinstance(node_labels, str) else node_labels


def dense_codes(labels: ArrayLike, num_nodes: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Any integer or string per node as dense codes: the different ones, ascending, and which of them each node has.

    >>> values, codes = dense_codes([70, -3, 70], 3)
    >>> values.tolist(), codes.tolist()
    ([-3, 70], [1, 0, 1])
    """
    try:
        array: NDArray[Any] = label_array(labels)
    except ValueError:  # rows of different lengths
        raise ValueError(
            f"node labels in lists of different lengths; one list with those of all {num_nodes} nodes is needed"
        ) from None
    if array.shape != (num_nodes,):
        raise ValueError(f"node labels of shape {array.shape} for {num_nodes} nodes; one integer per node is needed")
    if num_nodes == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int32)
    if array.dtype.kind == "O" and all(isinstance(label, (int, np.integer)) for label in array):
        pass  # Python's integers, of any size
    elif array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise ValueError(f"the label of node {int(np.flatnonzero(~np.isfinite(array))[0])} is not a finite number")
        if (array != np.floor(array)).any():
            raise TypeError("node labels must be integers; for feature vectors use equal integers for equal rows")
        if (np.abs(array) >= 2**53).any():
            raise ValueError("node labels of 2^53 and more as floats may have become equal: give them as integers")
    elif array.dtype.kind not in "iubU":
        raise TypeError(f"node labels must be integers or strings, not of type {array.dtype}")
    values, codes = np.unique(array, return_inverse=True)
    return values, codes.astype(np.int32)


def label_array(labels: ArrayLike) -> NDArray[Any]:
    """The labels as an array; TypeError for strings among other labels, which numpy would turn into strings, too."""
    array: NDArray[Any] = np.asarray(labels)
    if array.dtype.kind == "U" and not isinstance(labels, np.ndarray) and array.ndim == 1:
        other = [label for label in labels if not isinstance(label, str)]  # type: ignore[union-attr]
        if other:
            raise TypeError(f"node labels must be integers or strings, not both: {other[0]!r} is among strings")
    return array


def _has_attributes(source: object) -> bool:
    return (
        comes_from(source, "networkx", "Graph")
        or comes_from(source, "igraph", "Graph")
        or comes_from(source, "torch_geometric.data", "Data")
    )


def _node_values(source: Any, attribute: str, number: int) -> list[tuple[Any, Hashable]]:
    """(name of the node, its value) in the order of as_graph's nodes."""
    if isinstance(source, Listing):
        raise TypeError(
            f"graph {number} has no named node attributes: files of this format have none; .graphml, .gml, .gexf, "
            ".net, .dot and .json files may have"
        )
    if not _has_attributes(source):
        raise TypeError(
            f"graph {number}, a {type(source).__name__}, has no named node attributes; networkx, igraph and PyG graphs "
            "and .graphml and .gml files have; otherwise give node labels as an integer array"
        )
    if comes_from(source, "networkx", "Graph"):
        known = list(dict.fromkeys(chain.from_iterable(source.nodes.values())))
        names, raw = list(source), [data.get(attribute) for data in source.nodes.values()]
    elif comes_from(source, "igraph", "Graph"):
        known = source.vs.attributes()
        names = source.vs["name"] if "name" in known else list(range(source.vcount()))
        raw = source.vs[attribute] if attribute in known else [None] * len(names)
    else:
        known = list(source.keys())
        names = list(range(source.num_nodes or 0))
        # PyG's own convention, by words: `knowledge` is no attribute of edges
        if attribute in known and any(word.startswith("edge") for word in attribute.split("_")):
            raise ValueError(f"graph {number}: {attribute!r} belongs to edges, not to nodes")
        raw = source[attribute] if attribute in known else [None] * len(names)
        raw = raw if isinstance(raw, (list, tuple)) else as_array(raw).tolist()
    if names and attribute not in known:
        wanted = shortened(repr(attribute))
        raise ValueError(f"graph {number}: no node has an attribute {wanted}; there are: {listed(known)}")
    if not isinstance(raw, (list, tuple)) or len(raw) != len(names):
        raise ValueError(f"graph {number}: {attribute!r} is no node attribute: not one entry for each node")
    others = "" if all(value is None for value in raw) else "nodes"
    return [
        (name, label(value, attribute, f"graph {number}, node {name!r}", others))
        for name, value in zip(names, raw, strict=True)
    ]
