"""A picture on an axis of matplotlib, with the courses that the SVG has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wlt.drawing.course import course, loop_course
from wlt.drawing.names import name_places
from wlt.drawing.picture import Picture
from wlt.drawing.svg import EDGE, INK, view_box

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALIGNED = {"middle": "center", "start": "left", "end": "right"}
"""SVG's words for where a text begins, as matplotlib has them."""


def on_axis(picture: Picture, axes: Axes, title: str = "") -> Axes:
    """Draw the picture; the axis loses its frame and its ticks."""
    from matplotlib.patches import Circle, PathPatch, Polygon
    from matplotlib.path import Path

    x, y, width, height = view_box(picture)
    widths = picture.widths or (1.6,) * len(picture.lines)
    strokes = picture.strokes or (EDGE,) * len(picture.lines)
    for line, thickness, stroke in zip(picture.lines, widths, strokes, strict=True):
        way = course(picture.points, picture.radius, line)
        curve = Path([way.start, way.control, way.end], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
        axes.add_patch(PathPatch(curve, facecolor="none", edgecolor=stroke, linewidth=thickness * 0.75, zorder=1))
        if way.head:
            axes.add_patch(Polygon(way.head, facecolor=EDGE, edgecolor="none", zorder=1))
        if line.label:
            _write(axes, way.middle, line.label)
    for loop in picture.loops:
        center, size, place = loop_course(picture.points, picture.radius, loop)
        axes.add_patch(Circle(center, size, facecolor="none", edgecolor=EDGE, linewidth=1.2, zorder=1))
        if loop.label:
            _write(axes, place, loop.label)
    for (left, top), spot, name in zip(picture.points.tolist(), picture.spots, name_places(picture), strict=True):
        axes.add_patch(Circle((left, top), picture.radius, facecolor=spot.paint.fill, edgecolor=INK, zorder=2))
        axes.text(
            left,
            top,
            spot.inside,
            color=spot.paint.ink,
            ha="center",
            va="center",
            fontsize=8,
            zorder=3,
            parse_math=False,
        )
        if name is not None:
            _write(axes, (left + name.offset[0], top + name.offset[1]), spot.beside, ALIGNED[name.anchor])
    axes.set(xlim=(x, x + width), ylim=(y + height, y), aspect="equal", title=title)
    axes.set_axis_off()
    return axes


def _write(axes: Axes, at: tuple[float, float], content: str, aligned: str = "center") -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8}
    axes.text(*at, content, ha=aligned, va="center", fontsize=7, color=INK, bbox=box, zorder=2, parse_math=False)
