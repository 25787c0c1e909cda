"""Where nodes stand: igraph places every connected part, and the parts stand side by side."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # [nodes, 2], y grows downwards as on a screen

SPACING = 64.0
"""What an edge of middle length measures, in pixels."""

NEAREST = 0.33 * SPACING
"""What separates nodes at least, but for a tenth of them: many edges draw nodes together."""

EXACT_PART, SPREAD_PART = 300, 600
"""Nodes of a connected part up to which Kamada and Kawai's layout is used, and those up to which nodes of Fruchterman
and Reingold's are driven apart. Both take a second or less there; the first folds larger graphs."""


def layout(num_nodes: int, edges: NDArray[np.int64]) -> Points:
    """Places for nodes 0 .. num_nodes-1, the same in every call."""
    import igraph

    graph = igraph.Graph(n=num_nodes, edges=edges)
    parts = [np.array(part, np.int64) for part in graph.connected_components()]
    boxes = [_of_part(graph.induced_subgraph(part)) for part in parts]
    points = np.zeros((num_nodes, 2))
    for part, box, corner in zip(parts, boxes, _packed([box.max(axis=0) for box in boxes]), strict=True):
        points[part] = box + corner
    return points


def _of_part(graph: Any) -> Points:
    """A connected graph, with its upper left corner at 0."""
    n = graph.vcount()
    if n == 1:
        return np.zeros((1, 2))
    circle = graph.layout_circle()
    found = graph.layout_kamada_kawai(seed=circle) if n <= EXACT_PART else _springs(graph, circle)
    points: Points = np.array(found.coords, np.float64)
    points = _lying(points - points.mean(axis=0))
    ends = np.array(graph.get_edgelist())
    lengths = np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1)
    points *= SPACING / max(float(np.median(lengths)), 1e-9)
    points *= max(1.0, NEAREST / max(nearest(points), 1e-9))
    corner: Points = points.min(axis=0)
    return points - corner


def _springs(graph: Any, start: Any) -> Any:
    """Fruchterman and Reingold's layout, whose small random moves are the same in every call."""
    import igraph

    igraph.set_random_number_generator(random.Random(0))
    try:
        found = graph.layout_fruchterman_reingold(seed=start)
    finally:
        igraph.set_random_number_generator(random)
    return graph.layout_graphopt(seed=found) if graph.vcount() <= SPREAD_PART else found


def nearest(points: Points) -> float:
    """How far nodes are from the next one; a tenth of them is nearer."""
    from scipy.spatial import cKDTree

    return float(np.quantile(cKDTree(points).query(points, k=2)[0][:, 1], 0.1))


def _lying(points: Points) -> Points:
    """Turned so that the longer side lies, unless the points are about as wide in all directions."""
    values, axes = np.linalg.eigh(points.T @ points)
    if values[1] < 1.3 * values[0]:
        return points
    axes = axes[:, ::-1] * np.where(axes[:, ::-1].sum(axis=0) < 0, -1.0, 1.0)  # eigenvectors have no sign of their own
    turned: Points = points @ axes
    return turned


def _packed(sizes: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Upper left corners of boxes of these sizes, largest first, in rows about one and a half times as wide as high."""
    gap = SPACING * 0.8
    corners = [np.zeros(2) for _ in sizes]
    outer = [size + gap for size in sizes]
    width = max(np.sqrt(1.5 * sum(float(np.prod(box)) for box in outer)), max((box[0] for box in outer), default=0.0))
    x = y = height = 0.0
    for i in sorted(range(len(sizes)), key=lambda i: (-float(np.prod(outer[i])), i)):
        if x > 0 and x + outer[i][0] > width + 1e-6:
            x, y, height = 0.0, y + height, 0.0
        corners[i] = np.array([x, y])
        x, height = x + outer[i][0], max(height, outer[i][1])
    return corners
