"""A picture as SVG: plain shapes with attributes, and classes by which a page restyles them. No script, no link."""

from __future__ import annotations

import re
from html import escape

import numpy as np

from wlt.drawing.course import Course, Vector, course, loop_course
from wlt.drawing.names import Place, name_places, text_box
from wlt.drawing.picture import Line, Loop, Picture, Spot

EDGE, INK, PAPER = "#59636e", "#1d232a", "#ffffff"
WIDTH = 1.6
"""Of a line, if the picture has none of its own for it."""
MANY, CROWDED = 200, 2
"""From so many lines on, and so many for every node, they are drawn faintly, so that nodes can be seen."""
FONT = "font-family:system-ui,sans-serif"
UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(value: str) -> str:
    """Any text as it may stand in SVG and HTML, also between quotes; what XML does not allow is shown as a box."""
    return escape(UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", value), quote=True)


def svg(picture: Picture, title: str = "", background: bool = True) -> str:
    """The whole picture. With a background it can be read on pages of any colour."""
    x, y, width, height = view_box(picture)
    paper = (
        f'<rect class="paper" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8" fill="{PAPER}"/>'
        if background
        else ""
    )
    named = f"<title>{text(title)}</title>" if title else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wlt-graph" role="img" viewBox="{x:.1f} {y:.1f} {width:.1f} '
        f'{height:.1f}" width="{width:.0f}" height="{height:.0f}" style="max-width:100%;height:auto;{FONT}">'
        f"{named}{paper}{shapes(picture)}</svg>"
    )


def view_box(picture: Picture) -> tuple[float, float, float, float]:
    """x, y, width, height of all that is drawn."""
    if not len(picture.points):
        return 0.0, 0.0, 80.0, 40.0
    bends = max((abs(line.bend) for line in picture.lines), default=0.0)
    around = picture.radius + max(10.0, bends + 8)
    boxes = [np.array([picture.points.min(axis=0) - around, picture.points.max(axis=0) + around])]
    boxes += [place.box for place in name_places(picture) if place is not None]
    for line in picture.lines:
        if line.label:
            boxes.append(text_box(course(picture.points, picture.radius, line).middle, 0.5, line.label))
    for loop in picture.loops:
        center, size, label = loop_course(picture.points, picture.radius, loop)
        boxes += [np.add(center, [[-size - 2], [size + 2]]), text_box(label, 0.5, loop.label)]
    low, high = np.min(boxes, axis=(0, 1)), np.max(boxes, axis=(0, 1))
    return float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])


def shapes(picture: Picture) -> str:
    """Everything inside the frame: lines first, then nodes, so that no line covers a number."""
    widths = picture.widths or (WIDTH,) * len(picture.lines)
    strokes = picture.strokes or ("",) * len(picture.lines)
    names = name_places(picture)
    faint = _faint(picture)
    parts = [
        *(_line(*look, faint, picture) for look in zip(picture.lines, widths, strokes, strict=True)),
        *(_loop(loop, picture) for loop in picture.loops),
        *(_spot(v, spot, picture.points[v], picture.radius, names[v]) for v, spot in enumerate(picture.spots)),
    ]
    return "".join(parts)


def _faint(picture: Picture) -> str:
    """An attribute of lines that are many: the more there are, the fainter."""
    lines, nodes = len(picture.lines), len(picture.spots)
    if lines <= max(MANY, CROWDED * nodes):
        return ""
    return f' stroke-opacity="{max(0.2, 1.2 * nodes / lines):.2f}"'


def _line(line: Line, width: float, stroke: str, faint: str, picture: Picture) -> str:
    way = course(picture.points, picture.radius, line)
    head = _head(way) if way.head else ""
    label = _label("edge-label", line.label, way.middle)
    own = f' style="stroke:{stroke}"' if stroke else ""  # stronger than a page's own colour of lines
    return (
        f'<g class="edge" data-source="{line.source}" data-target="{line.target}" data-bend="{line.bend:g}" '
        f'data-directed="{int(line.directed)}"><path class="line" d="{_curve(way)}" fill="none" stroke="{EDGE}" '
        f'stroke-width="{width:g}"{faint}{own}/>{head}{label}</g>'
    )


def _loop(loop: Loop, picture: Picture) -> str:
    (x, y), size, place = loop_course(picture.points, picture.radius, loop)
    return (
        f'<g class="loop" data-node="{loop.node}"><circle class="line" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" '
        f'fill="none" stroke="{EDGE}" stroke-width="{WIDTH}"/>{_label("edge-label", loop.label, place)}</g>'
    )


def _spot(node: int, spot: Spot, at: Vector, radius: float, name: Place | None) -> str:
    size = radius * (1.05 if len(spot.inside) < 3 else 0.8)
    inside = (
        f'<text class="number" text-anchor="middle" dominant-baseline="central" font-size="{size:.1f}" '
        f'fill="{spot.paint.ink}">{text(spot.inside)}</text>'
    )
    beside = "" if name is None else _label("name", spot.beside, name.offset, name.anchor)
    return (
        f'<g class="node" data-node="{node}" transform="translate({at[0]:.1f},{at[1]:.1f})"><title>{text(spot.title)}'
        f'</title><circle r="{radius:.1f}" fill="{spot.paint.fill}" stroke="{INK}" stroke-width="1.2"/>{inside}'
        f"{beside}</g>"
    )


def _label(kind: str, content: str, at: tuple[float, float], anchor: str = "middle") -> str:
    """Small text on a halo of the paper's colour, so that it can be read on a line."""
    if not content:
        return ""
    return (
        f'<text class="{kind}" x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}" dominant-baseline="central" '
        f'font-size="11" fill="{INK}" stroke="{PAPER}" stroke-width="3" paint-order="stroke">{text(content)}</text>'
    )


def _curve(way: Course) -> str:
    numbers = (*way.start, *way.control, *way.end)
    return "M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}".format(*numbers)


def _head(way: Course) -> str:
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in way.head)
    return f'<polygon class="arrow" points="{corners}" fill="{EDGE}"/>'
