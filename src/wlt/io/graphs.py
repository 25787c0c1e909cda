"""`as_graphs`: any collection of graphs as `Graphs`, with what the nodes carry."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.graph import Graph
from wlt.graphs import Graphs, kind_of_values
from wlt.io.attributes import dense_codes, node_codes
from wlt.io.listing import ChosenEdges
from wlt.io.molecules import MoleculeReader
from wlt.io.objects import as_graph, comes_from, listing_of, no_table
from wlt.io.values import frozen
from wlt.wording import level_of_caller, shortened


class UnusedAttributesWarning(UserWarning):
    """Graphs have attributes, loops or repeated edges, and nobody said whether they are meant to be used."""


def as_graphs(
    graphs: Any,
    targets: ArrayLike | None = None,
    *,
    node_labels: ArrayLike = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
    empty: bool = True,
) -> Graphs:
    """Graphs of any kind as one `Graphs`, checked once for everything that takes it.

    graphs: `Graphs` (returned as they are, if nothing else is asked for), a disjoint union, one graph, or a list of
    anything `as_graph` takes; a PyG dataset is such a list. Molecules of rdkit are labelled as those of
    `wlt.data.molecules`. targets: what is to be predicted, one for every graph.

    node_labels: "auto" takes what the graphs bring along, PyG's `x` or what a loader found, and degrees where there is
    nothing; "degrees"; the name of a node attribute of networkx, igraph or PyG graphs; or an integer for every node of
    all graphs, one after the other. Attributes that are rows of numbers, or numbers that are not whole, are features;
    all other values are labels; tuples of one length are rows of several labels, and equal if all of them are.
    edge_labels, simple: as in `as_graph`. Loops are part of what their nodes carry.
    empty: may there be graphs without nodes?

    >>> as_graphs([(3, [(0, 1), (1, 2)]), "Bw"])
    Graphs(graphs: 2 graphs, 6 nodes, 5 edges; nodes: degrees)
    """
    source = node_labels if isinstance(node_labels, str) else "degrees"
    if isinstance(graphs, (Graphs, Graph)):
        result = _carried(graphs, source, edge_labels, simple)
    else:
        pieces = as_list(graphs)
        if any(comes_from(piece, "rdkit.Chem", "Mol") for piece in pieces):
            result = _carried(_of_rdkit(pieces), source, edge_labels, simple)
        elif pieces and all(isinstance(piece, Graphs) for piece in pieces):
            result = _joined([_carried(piece, source, edge_labels, simple) for piece in pieces])
        else:
            result = _from_elsewhere(pieces, source, edge_labels, simple)
    if len(result) == 0:
        raise ValueError("no graphs")
    sizes = result.union.graph_sizes
    if not empty and (sizes == 0).any():
        raise ValueError(f"graph {int(np.argmin(sizes))} has no nodes; leave it out")
    if not isinstance(node_labels, str):
        values, codes = dense_codes(node_labels, result.union.num_nodes)
        others: dict[str, Any] = {"name": result.name, "edge_attribute": result.edge_attribute}
        result = Graphs(result.union, codes, values, "labels", result.targets, result.names, **others).with_loops()
    return result if targets is None else result.with_targets(targets)


def as_list(graphs: Any) -> list[Any]:
    """One graph of any kind, or several, as a list."""
    if _is_one_graph(graphs):
        return [graphs]
    no_table(graphs, "graphs")
    if isinstance(graphs, np.ndarray) and graphs.dtype == object and graphs.ndim == 2:
        graphs = graphs[:, 0]  # scikit-learn's own estimators want two dimensions
    # a dataset of torch is no Iterable, but can be asked for its items
    if not isinstance(graphs, Iterable) and not hasattr(graphs, "__getitem__"):
        raise TypeError(f"graphs are needed, a list of them or one, not {type(graphs).__name__}")
    return list(graphs)


def _is_one_graph(graphs: Any) -> bool:
    if isinstance(graphs, tuple):
        return len(graphs) in (2, 3) and isinstance(graphs[0], (int, np.integer))
    if isinstance(graphs, np.ndarray):
        return graphs.ndim == 2 and (graphs.dtype != object or graphs.shape[1] != 1)
    # networkx, igraph and PyG graphs know whether they are directed; sparse matrices convert to CSR
    one = isinstance(graphs, (str, bytes)) or comes_from(graphs, "rdkit.Chem", "Mol")
    return one or hasattr(graphs, "is_directed") or hasattr(graphs, "tocsr")


def _carried(graphs: Graphs | Graph, source: str, edge_labels: Hashable, simple: bool) -> Graphs:
    """What our own types know of their nodes and edges. `Graphs` may have been made by the attributes asked for."""
    attribute, edge_attribute = (graphs.attribute, graphs.edge_attribute) if isinstance(graphs, Graphs) else ("", "")
    kind = type(graphs).__name__
    if source not in ("auto", "degrees", attribute):
        raise ValueError(
            f"node_labels={shortened(repr(source))}: this wlt.{kind} has no such attribute; use 'auto' or 'degrees'"
        )
    if edge_labels not in ("auto", None, edge_attribute):
        raise ValueError(
            f"edge_labels={shortened(repr(edge_labels))}: this wlt.{kind} has no such attribute; use 'auto' or None"
        )
    union = graphs.union if isinstance(graphs, Graphs) else graphs
    wanted = as_graph(union, edge_labels=None if edge_labels is None else "auto", simple=simple)
    if isinstance(graphs, Graph):
        return Graphs.by_degree(wanted)
    if source == "degrees":
        graphs = replace(graphs, union=wanted).without_labels()
    elif wanted is not union and len(union.loops):
        raise ValueError(f"{graphs.name}: loops are part of the node labels already; leave them out where you make it")
    return graphs if wanted is union else replace(graphs, union=wanted, edge_attribute="")


def _of_rdkit(molecules: list[Any]) -> Graphs:
    reader = MoleculeReader.of()
    for i, molecule in enumerate(molecules):
        if not comes_from(molecule, "rdkit.Chem", "Mol"):
            reason = "rdkit could not read it" if molecule is None else "molecules of rdkit come without other graphs"
            raise TypeError(f"graph {i} is {type(molecule).__name__}, no molecule: {reason}")
        reader.add(molecule)
    return replace(reader.graphs(), name="graphs")


def _joined(pieces: list[Graphs]) -> Graphs:
    """One disjoint union of all pieces."""
    union = Graph.union([piece.union for piece in pieces])
    kinds = {piece.kind for piece in pieces}
    if len(kinds) > 1:
        raise ValueError(f"graphs with node {' and '.join(sorted(kinds))} together; one kind is needed")
    columns = [piece.targets for piece in pieces if piece.targets is not None]
    targets = np.concatenate(columns) if len(columns) == len(pieces) else None
    if kinds == {"degrees"}:
        return Graphs.by_degree(union, targets=targets, edge_attribute=pieces[0].edge_attribute)
    first = pieces[0]
    attributes: dict[str, Any] = {"attribute": first.attribute, "edge_attribute": first.edge_attribute}
    if all(piece.values is first.values for piece in pieces):  # they were taken from one collection
        codes = np.concatenate([piece.codes for piece in pieces])
        return Graphs(union, codes, first.values, first.kind, targets, **attributes)
    number: dict[Any, int] = {}
    parts = []
    for piece in pieces:
        renumbered = [number.setdefault(value, len(number)) for value in map(frozen, _listed(piece.values))]
        parts.append(np.array(renumbered, np.int32)[piece.codes])
    return Graphs(union, np.concatenate(parts), list(number), first.kind, targets, **attributes)


def _listed(values: Sequence[Any] | NDArray[Any]) -> Sequence[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else values


def _from_elsewhere(pieces: list[Any], source: str, edge_labels: Hashable, simple: bool) -> Graphs:
    """Graphs of other libraries."""
    union = _union(pieces, edge_labels, simple)
    edge_attribute = "" if edge_labels in ("auto", None) or simple else edge_labels
    if source not in ("auto", "degrees"):
        codes, table = node_codes(pieces, source)
        joined = np.concatenate(codes) if codes else np.zeros(0, np.int32)
        values = list(table)
        attributes: dict[str, Any] = {"attribute": source, "edge_attribute": edge_attribute}
        return Graphs(union, joined, values, kind_of_values(values), **attributes).with_loops()
    if source == "auto":
        featured = [i for i, piece in enumerate(pieces) if _features(piece) is not None]
        if featured and len(featured) < len(pieces):
            without = next(i for i in range(len(pieces)) if _features(pieces[i]) is None)
            raise ValueError(f"graph {featured[0]} has node features x and graph {without} has none")
        if featured:
            return replace(_by_features(union, pieces), edge_attribute=edge_attribute)
        _warn_of_unused_attributes(pieces)
    return Graphs.by_degree(union, edge_attribute=edge_attribute)


def _union(pieces: list[Any], edge_labels: Hashable, simple: bool) -> Graph:
    """The disjoint union of graphs of any kind. Those of one kind are read together: one by one, numpy's calls on small
    arrays would take most of the time."""
    parts: list[Graph | ChosenEdges] = []
    for i, piece in enumerate(pieces):
        with _in_graph(i):
            if isinstance(piece, Graph):
                parts.append(as_graph(piece, edge_labels=edge_labels, simple=simple))
            else:
                parts.append(listing_of(piece, edge_labels).chosen(edge_labels, simple))
    _check_labels_alike(parts)
    try:
        runs = groupby(parts, lambda part: None if isinstance(part, Graph) else part.kind)
        return Graph.union(_read_together(list(run)) for _, run in runs)
    except (ValueError, TypeError):
        for i, part in enumerate(parts):  # whose labels contradict each other?
            with _in_graph(i):
                if isinstance(part, ChosenEdges):
                    part.graph()
        raise


def _read_together(run: list[Any]) -> Graph:
    """run: our own graphs, or edges of one kind."""
    return Graph.union(run) if isinstance(run[0], Graph) else ChosenEdges.joined(run).graph()


@contextmanager
def _in_graph(number: int) -> Iterator[None]:
    """Errors say which graph they are about."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise type(error)(f"graph {number}: {error}") from None


def _check_labels_alike(parts: Iterable[Graph | ChosenEdges]) -> None:
    """Of graphs with edges either all have edge labels or none, and their labels are of one kind."""
    kinds: dict[str, int] = {}  # what labels there are, and the first graph with such
    for i, part in enumerate(parts):
        if isinstance(part, Graph):
            labels: Any = [label for tokens in part.arc_labels for _, label in tokens]
            edges = part.num_edges
        else:
            labels, edges = part.labels, len(part.pairs)
        if edges:
            first = None if labels is None or not len(labels) else labels[0]
            text = "edge labels that are text" if isinstance(first, str) else "edge labels that are no text"
            kinds.setdefault("no edge labels" if first is None else text, i)
    if len(kinds) > 1:
        (kind, i), (other, j) = list(kinds.items())[:2]
        raise ValueError(f"graph {i} has {kind} and graph {j} has {other}; one kind is needed")


def _features(piece: Any) -> Any:
    """PyG's x, [nodes, features], if there is one."""
    return getattr(piece, "x", None) if hasattr(piece, "edge_index") else None


def _by_features(union: Graph, pieces: list[Any]) -> Graphs:
    matrices = [np.asarray(_features(piece).detach().cpu()) for piece in pieces]
    matrices = [matrix.reshape(len(matrix), -1) for matrix in matrices]
    widths = {matrix.shape[1] for matrix in matrices}
    if len(widths) > 1:
        raise ValueError(f"graphs with {' and '.join(map(str, sorted(widths)))} node features together")
    rows = np.concatenate(matrices)
    if len(rows) != union.num_nodes:
        raise ValueError(f"{len(rows)} rows of node features x for {union.num_nodes} nodes")
    if not np.isfinite(rows).all():
        node = int(np.argmin(np.isfinite(rows).all(axis=1)))
        raise ValueError(f"{node_place(union, node)}: a feature that is not a finite number")
    return Graphs.by_rows(union, rows, "features")


def _warn_of_unused_attributes(pieces: list[Any]) -> None:
    for piece in pieces[:1]:
        names: list[Any] = []
        if hasattr(piece, "vs"):
            names = [name for name in piece.vs.attributes() if name != "name"]
        elif hasattr(piece, "nodes") and hasattr(piece, "is_multigraph"):
            names = list(next(iter(piece.nodes.values()), {}))
        if names:
            listed = ", ".join(map(repr, names))
            advice = f"node_labels={names[0]!r} would use one, node_labels='degrees' says that this is meant"
            sentence = f"the graphs' node attributes ({listed}) are not used; {advice}"
            warnings.warn(sentence, UnusedAttributesWarning, stacklevel=level_of_caller())


def warn_of_ignored(union: Graph, edge_labels: Hashable, simple: bool) -> None:
    """For answers that have no place of their own to say what was not looked at."""
    if union.ignored and edge_labels == "auto" and not simple:
        warnings.warn(
            f"not looked at: {' and '.join(union.ignored)}; edge_labels names an attribute that is to count, "
            "edge_labels=None says that this is meant",
            UnusedAttributesWarning,
            stacklevel=level_of_caller(),
        )


def node_place(union: Graph, node: int) -> str:
    """A node of a union as messages call it: its graph, and its number there."""
    graph = int(np.searchsorted(union.starts, node, side="right")) - 1
    return f"graph {graph}, node {node - int(union.starts[graph])}"
