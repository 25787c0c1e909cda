"""`draw`: the picture of a graph of any kind, for a page, a notebook, a file or a figure of matplotlib."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from wlt.drawing.axis import on_axis
from wlt.drawing.picture import picture_of
from wlt.drawing.svg import svg
from wlt.extras import need
from wlt.io import as_graph, labels_of
from wlt.io.atomic import replacing
from wlt.io.attributes import label_array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NODES = 2000
"""A picture of more nodes shows nothing, and its layout takes long."""


@dataclass(frozen=True)
class Drawing:
    """A picture as SVG. In a notebook it shows itself."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an .svg file."""
        if Path(path).suffix.lower() != ".svg":
            raise ValueError(f"{path}: a drawing is written as .svg; other formats: draw(graph, ax=...) and matplotlib")
        with replacing(Path(path)) as file:
            file.write(self.svg.encode("utf-8"))

    def __repr__(self) -> str:
        return f"Drawing({len(self.svg)} characters of SVG; .svg is the text, .save(path) writes a file)"


def draw(
    graph: Any,
    colors: ArrayLike | str | None = None,
    *,
    positions: ArrayLike | None = None,
    title: str = "",
    ax: Axes | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
) -> Any:
    """A picture of a graph: names of nodes, edge labels, directions, parallel edges and loops included.

    colors: a whole number or a string for every node, such as `wlt.closure(graph)`, or the name of a node attribute;
    nodes with equal ones look alike, in colours that colour-blind people tell apart, and their numbers are written on
    them; strings are numbered by the alphabet.
    positions: a place (x, y) for every node, y downwards; without them igraph finds places, the same in every call.
    ax: draw on this axis of matplotlib, which is returned; without it the result is a `Drawing` with the SVG.
    `edge_labels` and `simple` are those of `as_graph`. A union of graphs is drawn as one picture.

    >>> from wlt import Graph, closure
    >>> path = Graph.from_edges(3, [(0, 1), (1, 2)])
    >>> draw(path, closure(path)).svg[:4]
    '<svg'
    """
    if ax is not None:
        need("matplotlib", "drawing on an axis")
    drawn = as_graph(graph, edge_labels=edge_labels, simple=simple)
    if drawn.num_nodes > MOST_NODES:
        raise ValueError(f"a graph of {drawn.num_nodes} nodes cannot be drawn; at most {MOST_NODES} nodes")
    given = labels_of(graph, colors)
    classes = None if given is None else label_array(given)
    if classes is not None and classes.dtype.kind == "U":
        classes = np.unique(classes, return_inverse=True)[1]
    if classes is not None and (classes.shape != (drawn.num_nodes,) or classes.dtype.kind not in "biu"):
        raise ValueError(
            f"colors of shape {classes.shape} and type {classes.dtype} for {drawn.num_nodes} nodes; one whole number "
            "or string for every node"
        )
    points = None if positions is None else np.asarray(positions, np.float64)
    if points is not None and (points.shape != (drawn.num_nodes, 2) or not np.isfinite(points).all()):
        raise ValueError(
            f"positions of shape {points.shape} for {drawn.num_nodes} nodes; finite x and y for every node"
        )
    picture = picture_of(drawn, classes, points)
    return Drawing(svg(picture, title)) if ax is None else on_axis(picture, ax, title)
