"""A picture before it is drawn: places of nodes, what is written on them, and one line for every edge."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wlt.arcs import IN, PLAIN, ArcLabel
from wlt.drawing.layout import SPACING, Points, layout, nearest
from wlt.drawing.palette import PLAIN_NODE, Paint, on, paint

LARGEST_RADIUS = 14.0
LETTER, HEIGHT = 6.4, 13.0
"""Of small text in pixels; letters are on average a little narrower."""
BETWEEN_PARALLEL = 15.0
"""Pixels between parallel lines; those with labels get the room that their labels need."""
LONGEST_TEXT, LONGEST_INSIDE = 24, 3
"""Letters of a name: longer ones are cut, and only these fit into a node."""


class Drawable(Protocol):
    """What is drawn: a `wlt.Graph`."""

    @property
    def arcs(self) -> NDArray[np.int32]: ...
    @property
    def arc_labels(self) -> tuple[ArcLabel, ...]: ...
    @property
    def loops(self) -> NDArray[np.int32]: ...
    @property
    def loop_labels(self) -> tuple[tuple[Hashable, ...], ...]: ...
    @property
    def names(self) -> tuple[Hashable, ...]: ...
    @property
    def num_nodes(self) -> int: ...
    def edges(self) -> NDArray[np.int64]: ...
    def edge_index(self) -> NDArray[np.int64]: ...


class Line(NamedTuple):
    """An edge. From `source` to `target` if it is directed; bent by so many pixels to its left."""

    source: int
    target: int
    directed: bool = False
    bend: float = 0.0
    label: str = ""


class Loop(NamedTuple):
    """A loop, on that side of its node."""

    node: int
    angle: float
    label: str = ""


class Spot(NamedTuple):
    """A node."""

    paint: Paint
    inside: str
    """Written on it: the number of its class, or its name if it has no class."""
    beside: str = ""
    """Its name, where that is not inside."""
    title: str = ""
    """Shown when the pointer rests on it."""


@dataclass(frozen=True, eq=False)
class Picture:
    points: Points
    radius: float
    spots: tuple[Spot, ...]
    lines: tuple[Line, ...]
    loops: tuple[Loop, ...]
    widths: tuple[float, ...] = ()
    """[lines] How thick each is; empty: all alike."""
    strokes: tuple[str, ...] = ()
    """[lines] Their colours; empty: all alike, as the page has them."""


def picture_of(
    graph: Drawable, classes: Sequence[int] | NDArray[Any] | None = None, points: Points | None = None
) -> Picture:
    """The picture of a graph, its nodes painted by their classes. A union is drawn as one graph in several parts."""
    if points is None:
        points = room_for(graph) * layout(graph.num_nodes, graph.edges())
    spots = spots_of(graph, classes)
    return Picture(points, radius_for(points), spots, lines_of(graph, points), loops_of(graph, points))


def room_for(*graphs: Drawable) -> float:
    """How much wider the places must be for all that is written beside nodes and edges."""
    labelled = any(label is not None for graph in graphs for tokens in graph.arc_labels for _, label in tokens)
    named = any(len(str(name)) > LONGEST_INSIDE for graph in graphs for name in graph.names)
    return 1.5 if labelled else 1.35 if named else 1.0


def radius_for(points: Points) -> float:
    """Of nodes that hardly overlap at these places."""
    if len(points) < 2:
        return LARGEST_RADIUS
    return float(np.clip(0.38 * nearest(points), SPACING / 9, LARGEST_RADIUS))


def spots_of(graph: Drawable, classes: Sequence[int] | NDArray[Any] | None) -> tuple[Spot, ...]:
    names = [str(name) for name in graph.names] or [str(v) for v in range(graph.num_nodes)]
    if classes is None:
        inside = [name if len(name) <= LONGEST_INSIDE else "" for name in names]
        return tuple(
            Spot(on(PLAIN_NODE), text, "" if text else short(name), f"node {name}")
            for name, text in zip(names, inside, strict=True)
        )
    return tuple(
        Spot(paint(int(number)), str(number), short(name) if graph.names else "", f"node {name}, class {number}")
        for name, number in zip(names, classes, strict=True)
    )


def lines_of(graph: Drawable, points: Points) -> tuple[Line, ...]:
    """A line for every edge, parallel ones next to each other."""
    rows, columns = graph.edge_index()
    once = np.flatnonzero(rows < columns)
    labels = graph.arc_labels or (PLAIN,)
    codes = graph.arcs[once].tolist() if len(graph.arcs) else [0] * len(once)
    lines = []
    for u, v, code in zip(rows[once].tolist(), columns[once].tolist(), codes, strict=True):
        tokens = labels[code]
        between = _between([short(text_of(label)) for _, label in tokens], points[v] - points[u])
        for i, (direction, label) in enumerate(tokens):
            bend = between * (i - (len(tokens) - 1) / 2)
            backward = direction == IN
            source, target = (v, u) if backward else (u, v)
            lines.append(
                Line(source, target, direction != PLAIN[0][0], -bend if backward else bend, short(text_of(label)))
            )
    return tuple(lines)


def _between(labels: list[str], direction: NDArray[np.float64]) -> float:
    """How far parallel lines are from each other, so that labels in their middles stand beside or above each other."""
    longest = max(map(len, labels))
    if len(labels) == 1 or not longest:
        return BETWEEN_PARALLEL
    across, down = np.abs(direction[::-1]) / max(float(np.hypot(*direction)), 1e-9)  # where the lines move apart
    beside, above = (longest + 1) * LETTER / max(across, 1e-9), (HEIGHT + 2) / max(down, 1e-9)
    return max(2 * BETWEEN_PARALLEL, float(min(beside, above)))


def loops_of(graph: Drawable, points: Points) -> tuple[Loop, ...]:
    """Every loop, on the side of its node that is farthest from edges and other loops; above where there are none."""
    rows, columns = graph.edge_index()
    loops = []
    for node in np.flatnonzero([len(graph.loop_labels[code]) for code in graph.loops.tolist()]).tolist():
        away = points[columns[rows == node]] - points[node]
        taken = np.arctan2(away[:, 1], away[:, 0]).tolist()
        for label in graph.loop_labels[graph.loops[node]]:
            angle = _widest_gap(taken)
            taken.append(angle)
            loops.append(Loop(node, angle, short(text_of(label))))
    return tuple(loops)


def _widest_gap(taken: list[float]) -> float:
    """The direction in the middle of the largest angle between directions."""
    if not taken:
        return -np.pi / 2
    ordered = np.sort(np.mod(taken, 2 * np.pi))
    gaps = np.diff(np.append(ordered, ordered[0] + 2 * np.pi))
    widest = int(np.argmax(np.round(gaps, 6)))
    return float(ordered[widest] + gaps[widest] / 2)


def text_of(label: Hashable) -> str:
    """What is written beside an edge; rows of numbers without Python's spelling.

    >>> text_of(None), text_of("single"), text_of(2.0), text_of((1.0, 0.25))
    ('', 'single', '2', '1, 0.25')
    """
    if label is None:
        return ""
    if isinstance(label, tuple) and not hasattr(label, "_fields"):  # named tuples, as those of atoms, know how
        return ", ".join(map(text_of, label))
    return f"{label:g}" if isinstance(label, float) else str(label)


def short(text: str, most: int = LONGEST_TEXT) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
