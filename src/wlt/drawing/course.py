"""The way of lines and loops between the borders of nodes, for whatever draws them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.drawing.layout import Points
from wlt.drawing.picture import HEIGHT, LETTER, Line, Loop

ARROW = 9.0
"""Length of an arrow's head in pixels."""
Vector = NDArray[np.float64]  # [2]


class Course(NamedTuple):
    """The way of a line between the borders of its nodes: a curve, the head of its arrow, the place of its label."""

    start: tuple[float, float]
    control: tuple[float, float]
    end: tuple[float, float]
    middle: tuple[float, float]
    head: tuple[tuple[float, float], ...]


def course(points: Points, radius: float, line: Line) -> Course:
    """The curve passes its middle at a distance of `bend` from the straight line."""
    p, q = points[line.source], points[line.target]
    middle = (p + q) / 2
    control = middle + 2 * line.bend * np.array([p[1] - q[1], q[0] - p[0]]) / max(float(np.hypot(*(q - p))), 1e-9)
    start = p + radius * _unit(control - p)
    into = _unit(control - q)
    tip = q + (radius + 1) * into
    end = tip + (ARROW - 1) * into if line.directed else q + radius * into
    side = np.array([-into[1], into[0]]) * ARROW * 0.45
    head = (tip, tip + ARROW * into + side, tip + ARROW * into - side) if line.directed else ()
    return Course(_pair(start), _pair(control), _pair(end), _pair((middle + control) / 2), tuple(map(_pair, head)))


def loop_course(points: Points, radius: float, loop: Loop) -> tuple[tuple[float, float], float, tuple[float, float]]:
    """Centre and radius of a loop, and the middle of its label, which lies behind it."""
    at, direction = points[loop.node], np.array([math.cos(loop.angle), math.sin(loop.angle)])
    size = 0.75 * radius
    label = at + direction * (radius + 1.55 * size + 5 + np.array([LETTER * len(loop.label), HEIGHT]) / 2)
    return _pair(at + direction * (radius + 0.55 * size)), size, _pair(label)


def _unit(vector: Vector) -> Vector:
    return vector / max(float(np.hypot(*vector)), 1e-9)


def _pair(vector: Vector) -> tuple[float, float]:
    return float(vector[0]), float(vector[1])
