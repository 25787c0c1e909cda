"""Initial node colours for a model: what the nodes of a user's graphs carry, and the table that is learned from it."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.graphs import ColorKind, Dataset, rank_rows
from wlt.io import as_graph, node_colors
from wlt.io.colored import ColoredGraphs
from wlt.wording import listed

Unseen = Literal["error", "ignore"]


class UnseenLabel(ValueError):
    """A node label that a model does not know: in which graph, and what is wrong with it."""

    def __init__(self, place: str, graph: int, reason: str):
        super().__init__(place, graph, reason)
        self.place, self.graph, self.reason = place, graph, reason

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}; if unseen is 'ignore', such nodes send an empty message"


class UnseenLabelWarning(UserWarning):
    """Node labels that a model does not know and was told to ignore."""


class UnusedAttributesWarning(UserWarning):
    """Graphs have node attributes, and nobody said whether they are meant to be used."""


def colored(graphs: Any, source: str = "auto", empty: bool = False) -> ColoredGraphs:
    """Graphs of any kind with the values that their nodes' colours stand for.

    graphs: a Dataset, ColoredGraphs, a disjoint union, a list of anything `as_graph` takes (a PyG dataset is one), or
    a single graph. source: "auto" takes what the graphs bring along, a Dataset's colours or PyG's `x`, and degrees
    where there is nothing; "degrees"; or the name of a node attribute of networkx, igraph or PyG graphs. Attributes
    that are rows of numbers, or numbers that are not whole, are features; everything else is a label. empty: may there
    be graphs without nodes?

    >>> colored([(3, [(0, 1), (1, 2)]), "Bw"])
    ColoredGraphs(graphs=2, nodes=6, edges=5, by degrees)
    """
    if not isinstance(source, str):
        raise TypeError(f"node_colors must be 'auto', 'degrees' or the name of a node attribute, not {source!r}")
    if isinstance(graphs, (ColoredGraphs, Dataset, Graph)):
        found = _carried(graphs, source)
    else:
        pieces = as_list(graphs)
        if pieces and all(isinstance(piece, (ColoredGraphs, Dataset)) for piece in pieces):
            found = _joined([_carried(piece, source) for piece in pieces])
        else:
            found = _from_elsewhere(pieces, source)
    if len(found) == 0:
        raise ValueError("no graphs")
    if not empty and (found.graphs.graph_sizes == 0).any():
        raise ValueError(f"graph {int(np.argmin(found.graphs.graph_sizes))} has no nodes; leave it out")
    return found


def as_list(graphs: Any) -> list[Any]:
    """One graph of any kind, or several, as a list."""
    if _is_one_graph(graphs):
        return [graphs]
    # a dataset of torch is no Iterable, but can be asked for its items
    if not isinstance(graphs, Iterable) and not hasattr(graphs, "__getitem__"):
        raise TypeError(f"graphs are needed, a list of them or one, not {type(graphs).__name__}")
    return list(graphs)


def _is_one_graph(graphs: Any) -> bool:
    if isinstance(graphs, tuple):
        return len(graphs) == 2 and isinstance(graphs[0], (int, np.integer))
    if isinstance(graphs, np.ndarray):
        return graphs.ndim == 2
    # networkx, igraph and PyG graphs know whether they are directed; sparse matrices convert to CSR
    return isinstance(graphs, (str, bytes)) or hasattr(graphs, "is_directed") or hasattr(graphs, "tocsr")


def _carried(graphs: ColoredGraphs | Dataset | Graph, source: str) -> ColoredGraphs:
    """By what our own types know; only ColoredGraphs may have been coloured by an attribute."""
    if isinstance(graphs, ColoredGraphs) and source != "degrees":
        return graphs
    if source not in ("auto", "degrees"):
        what = "a Dataset has" if isinstance(graphs, Dataset) else "wlt.Graph has"
        raise ValueError(f"node_colors={source!r}: {what} no named node attributes; use 'auto' or 'degrees'")
    if isinstance(graphs, Dataset) and source == "auto":
        return ColoredGraphs(graphs.graphs, graphs.colors, graphs.color_names, graphs.color_kind)
    return ColoredGraphs.by_degree(graphs if isinstance(graphs, Graph) else graphs.graphs)


def _joined(pieces: list[ColoredGraphs]) -> ColoredGraphs:
    """One disjoint union of all pieces."""
    union = Graph.union([piece.graphs for piece in pieces])
    kinds = {piece.kind for piece in pieces}
    if len(kinds) > 1:
        raise ValueError(f"graphs with node {' and '.join(sorted(kinds))} together; one kind of node colours is needed")
    if kinds == {"degrees"}:
        return ColoredGraphs.by_degree(union)
    first = pieces[0].values
    if all(piece.values is first for piece in pieces):  # they were taken from one collection
        return ColoredGraphs(union, np.concatenate([piece.colors for piece in pieces]), first, pieces[0].kind)
    number: dict[Any, int] = {}
    colors = []
    for piece in pieces:
        names = np.array([number.setdefault(value, len(number)) for value in _frozen(piece.values)], np.int32)
        colors.append(names[piece.colors])
    return ColoredGraphs(union, np.concatenate(colors), list(number), pieces[0].kind)


def _from_elsewhere(pieces: list[Any], source: str) -> ColoredGraphs:
    graphs = []
    for i, piece in enumerate(pieces):
        try:
            graphs.append(as_graph(piece))
        except (ValueError, TypeError) as error:
            raise type(error)(f"graph {i}: {error}") from None
    union = Graph.union(graphs)
    if source not in ("auto", "degrees"):
        colors, table = node_colors(pieces, source)
        joined = np.concatenate(colors) if colors else np.zeros(0, np.int32)
        return ColoredGraphs(union, joined, list(table), _kind_of(list(table)))
    if source == "auto":
        features = [i for i, piece in enumerate(pieces) if _features(piece) is not None]
        if features and len(features) < len(pieces):
            without = next(i for i in range(len(pieces)) if _features(pieces[i]) is None)
            raise ValueError(f"graph {features[0]} has node features x and graph {without} has none")
        if features:
            return _by_features(union, pieces)
        _warn_of_unused_attributes(pieces)
    return ColoredGraphs.by_degree(union)


def _features(piece: Any) -> Any:
    """PyG's x, [nodes, features], if there is one."""
    return getattr(piece, "x", None) if hasattr(piece, "edge_index") else None


def _by_features(union: Graph, pieces: list[Any]) -> ColoredGraphs:
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
        raise ValueError(f"{_at(union, node)}: a feature that is not a finite number")
    values, colors = rank_rows(rows)
    return ColoredGraphs(union, colors, values, "features")


def _warn_of_unused_attributes(pieces: list[Any]) -> None:
    for piece in pieces[:1]:
        names: list[Any] = []
        if hasattr(piece, "vs"):
            names = [name for name in piece.vs.attributes() if name != "name"]
        elif hasattr(piece, "nodes") and hasattr(piece, "is_multigraph"):
            names = list(next(iter(piece.nodes.values()), {}))
        if names:
            listed = ", ".join(map(repr, names))
            advice = f"node_colors={names[0]!r} would use one, node_colors='degrees' says that this is meant"
            sentence = f"the graphs' node attributes ({listed}) are not used; {advice}"
            warnings.warn(sentence, UnusedAttributesWarning, stacklevel=5)


def _kind_of(values: Sequence[Any]) -> ColorKind:
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    numbers = all(isinstance(x, Real) and not isinstance(x, bool) for row in rows for x in row)
    if not numbers or len({len(row) for row in rows}) != 1:
        return "labels"
    in_rows = isinstance(values[0], tuple)
    return "labels" if not in_rows and all(float(x).is_integer() for (x,) in rows) else "features"


def _frozen(values: Sequence[Any] | NDArray[Any]) -> list[Any]:
    """Values as they can be hashed and compared: numpy's scalars as Python's, rows as tuples."""
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    return [tuple(value) if isinstance(value, list) else value for value in plain]


def _at(graphs: Graph, node: int) -> str:
    graph = int(np.searchsorted(graphs.starts, node, side="right")) - 1
    return f"graph {graph}, node {node - int(graphs.starts[graph])}"


@dataclass(frozen=True)
class ColorTable:
    """The colours that a model knows: which row of its first layer's weights belongs to which value.

    Labels: one row each, and a last row of zeros for labels never seen. Degrees: one row each. Features are no
    look-up: their columns, each divided by its largest absolute value in training, are multiplied with the weights.
    """

    kind: ColorKind
    values: tuple[Hashable, ...] = ()
    """Labels or degrees, in the order of their rows."""
    scale: tuple[float, ...] = ()
    """Of features: what each column is divided by."""

    @classmethod
    def learn(cls, given: ColoredGraphs) -> ColorTable:
        """The table of the values that occur in these graphs."""
        occurring = np.unique(given.colors)
        if given.kind == "features":
            largest = np.abs(_rows(given.values)[occurring]).max(axis=0)
            return cls("features", scale=tuple(np.where(largest > 0, largest, 1.0).tolist()))
        values = _frozen(given.values)
        return cls(given.kind, tuple(values[i] for i in occurring))

    @property
    def num_inputs(self) -> int:
        """Rows of the first layer's weights."""
        return len(self.scale) if self.kind == "features" else len(self.values) + (self.kind == "labels")

    def apply(
        self, given: ColoredGraphs, unseen: Unseen = "error"
    ) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
        """For every node the number of its row; for features: of its row in the second result.

        A degree that was never seen, natural in larger graphs, counts as the nearest one that was, the smaller of two.
        A label that was never seen is refused, or, with "ignore", a row of zeros: the node sends an empty message."""
        if self.kind == "degrees":
            known = np.array(self.values, np.int64)
            degrees = given.graphs.degrees
            above = np.searchsorted(known, degrees).clip(max=len(known) - 1)
            below = np.maximum(above - 1, 0)
            nearer_below = np.abs(degrees - known[below]) <= np.abs(known[above] - degrees)
            return np.where(nearer_below, below, above).astype(np.int32), None
        if given.kind == "degrees":
            raise ValueError(f"the model was trained with node {self.kind}, and these graphs have none")
        if self.kind == "features":
            rows = _rows(given.values)
            if rows.shape[1] != len(self.scale):
                raise ValueError(f"the model was trained with {len(self.scale)} node features, not {rows.shape[1]}")
            return given.colors, rows / np.array(self.scale)
        number = {value: i for i, value in enumerate(self.values)}
        row_of = np.array([number.get(value, -1) for value in _frozen(given.values)], np.int32)
        colors = row_of[given.colors]
        new = colors < 0
        if new.any():
            if unseen == "error":
                node = int(np.argmax(new))
                label = _frozen(given.values)[given.colors[node]]
                reason = f"the label {label!r} was never seen in training (known: {listed(self.values)})"
                graph = int(np.searchsorted(given.graphs.starts, node, side="right")) - 1
                raise UnseenLabel(_at(given.graphs, node), graph, reason)
            colors[new] = len(self.values)
        return colors, None

    def unseen(self, given: ColoredGraphs) -> str:
        """What there is to say about labels that were never seen, in one sentence; "" where there are none."""
        if self.kind != "labels":
            return ""
        values, known = _frozen(given.values), set(self.values)
        nodes = np.bincount(given.colors, minlength=len(values)).tolist()
        new = {value: number for value, number in zip(values, nodes, strict=True) if number and value not in known}
        if not new:
            return ""
        were = f"label {listed(list(new))} was" if len(new) == 1 else f"labels {listed(list(new))} were"
        total = sum(new.values())
        sends = "1 node sends an empty message" if total == 1 else f"{total} nodes send empty messages"
        return f"the {were} never seen in training: {sends}"


def _rows(values: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64]:
    """[values, columns] of values that are numbers or rows of numbers."""
    try:
        rows = np.array([np.reshape(value, -1) for value in values], np.float64)
    except (ValueError, TypeError):
        rows = np.full((1, 1), np.nan)
    if not np.isfinite(rows).all():
        raise ValueError("node features must be finite numbers, the same number of them for every node")
    return rows
