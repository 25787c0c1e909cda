"""Where the names of nodes stand: below them, unless lines, labels and other nodes leave more room on another side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.drawing.course import course, loop_course
from wlt.drawing.picture import HEIGHT, LETTER, Picture

SAMPLES = np.linspace(0.0, 1.0, 17)[:, None]
"""Points of a line at which it is looked at."""
COVERED = 6.0
"""What covering a node or another text costs, where covering a point of a line costs 1."""

Box = NDArray[np.float64]  # [2, 2]: upper left and lower right corner


class Place(NamedTuple):
    offset: tuple[float, float]
    """From the centre of its node to where the text begins, is in the middle, or ends."""
    anchor: str
    """Which of these: "start", "middle" or "end"."""
    box: Box
    """What the text covers."""


def name_places(picture: Picture) -> list[Place | None]:
    """A place for every node's name, None where a node has none; the first of the best of four sides."""
    if not any(spot.beside for spot in picture.spots):
        return [None] * len(picture.spots)
    from scipy.spatial import cKDTree

    courses = [course(picture.points, picture.radius, line) for line in picture.lines]
    loops = [loop_course(picture.points, picture.radius, loop) for loop in picture.loops]
    inked = [_curve(way.start, way.control, way.end) for way in courses]
    inked += [np.array(way.head) for way in courses if way.head]
    inked += [_circle(at, size) for at, size, _ in loops]
    lines = cKDTree(np.concatenate(inked)) if inked else None
    texts = [(way.middle, line.label) for way, line in zip(courses, picture.lines, strict=True)]
    texts += [(at, loop.label) for (*_, at), loop in zip(loops, picture.loops, strict=True)]
    taken = [np.array([at - picture.radius, at + picture.radius]) for at in picture.points]
    taken += [text_box(at, 0.5, label) for at, label in texts if label]
    places: list[Place | None] = []
    for at, spot in zip(picture.points, picture.spots, strict=True):
        if not spot.beside:
            places.append(None)
            continue
        boxes = np.array(taken)
        best = min(
            _around(at, picture.radius, spot.beside),
            key=lambda place: _points_in(lines, place.box) + COVERED * _overlaps(boxes, place.box),
        )
        places.append(best)
        taken.append(best.box)
    return places


def _around(at: NDArray[np.float64], radius: float, name: str) -> list[Place]:
    """The places that a name may have, the usual one first."""
    far = radius + 9
    sides = (((0.0, far), "middle"), ((0.0, -far), "middle"), ((radius + 5, 0.0), "start"), ((-radius - 5, 0.0), "end"))
    left = {"start": 0.0, "middle": 0.5, "end": 1.0}
    return [Place(offset, anchor, text_box(at + offset, left[anchor], name)) for offset, anchor in sides]


def text_box(at: Any, share: float, name: str) -> Box:
    """Of a text with this share of it left of a point."""
    width = LETTER * len(name)
    corner = np.array([at[0] - share * width, at[1] - HEIGHT / 2])
    return np.array([corner, corner + np.array([width, HEIGHT])])


def _curve(start: Any, control: Any, end: Any) -> NDArray[np.float64]:
    """Points of a quadratic Bezier curve."""
    points: NDArray[np.float64] = (
        (1 - SAMPLES) ** 2 * np.array(start)
        + 2 * (1 - SAMPLES) * SAMPLES * np.array(control)
        + SAMPLES**2 * np.array(end)
    )
    return points


def _circle(center: Any, size: float) -> NDArray[np.float64]:
    angles = 2 * np.pi * SAMPLES
    points: NDArray[np.float64] = np.array(center) + size * np.hstack([np.cos(angles), np.sin(angles)])
    return points


def _points_in(tree: Any, box: Box) -> int:
    """How many points of lines a box covers."""
    if tree is None:
        return 0
    near = tree.data[tree.query_ball_point(box.mean(axis=0), float(np.hypot(*(box[1] - box[0]))) / 2)]
    return int(((near >= box[0]) & (near <= box[1])).all(axis=1).sum())


def _overlaps(boxes: NDArray[np.float64], box: Box) -> int:
    """How many boxes share some of their area with this one."""
    return int(((boxes[:, 0] < box[1]) & (boxes[:, 1] > box[0])).all(axis=1).sum())
