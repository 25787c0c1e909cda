"""Small charts as SVG: lines and points between two axes. Colours are those of the page, in light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.drawing.svg import text

WIDTH, HEIGHT = 420, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 12, 44

CSS = """
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 360px), 1fr)); gap: 12px; }
.charts figure { margin: 0; padding: 10px; background: var(--paper); border: 1px solid var(--rule); }
.charts figure { border-radius: 8px; }
.charts figcaption { font-weight: 600; margin-bottom: 4px; }
.chart { display: block; width: 100%; height: auto; }
.chart text { fill: var(--quiet); font: 12px system-ui, sans-serif; }
.chart .grid { stroke: var(--rule); stroke-width: 1; }
.chart .axis { stroke: var(--quiet); stroke-width: 1; }
.chart .guide { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 4 4; }
.chart path { fill: none; stroke-width: 2; }
.chart path.thin { stroke-width: 1; opacity: 0.35; }
.chart .c0 { stroke: var(--accent); fill: var(--accent); }
.chart .c1 { stroke: var(--mark); fill: var(--mark); }
.chart .c2 { stroke: #009e73; fill: #009e73; }
.chart .c3 { stroke: #cc79a7; fill: #cc79a7; }
.chart .c4 { stroke: #b58900; fill: #b58900; }
.chart .c5 { stroke: #8a8f98; fill: #8a8f98; }
.chart path.c0, .chart path.c1, .chart path.c2, .chart path.c3, .chart path.c4, .chart path.c5 { fill: none; }
.chart circle { stroke: none; fill-opacity: 0.5; }
.legend { list-style: none; margin: 4px 0 0; padding: 0; font-size: 13px; color: var(--quiet); }
.legend li { display: inline-block; margin-right: 14px; }
.legend svg.chart { display: inline-block; width: 18px; height: 8px; margin-right: 4px; }
.legend line { stroke-width: 3; }
"""


class Line(NamedTuple):
    x: Sequence[float] | NDArray[np.float64]
    y: Sequence[float] | NDArray[np.float64]
    name: str = ""
    color: int = 0
    thin: bool = False


class Points(NamedTuple):
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    name: str = ""
    color: int = 0


def chart(
    title: str,
    x_label: str,
    y_label: str,
    marks: Sequence[Line | Points],
    *,
    diagonal: bool = False,
    unit: bool = False,
) -> str:
    """A figure with its title and, where marks have names, a legend. unit: both axes go from 0 to 1. diagonal: a guide
    where both are equal."""
    horizontal, vertical = (0.0, 1.0), (0.0, 1.0)
    if not unit:
        horizontal, vertical = _range([mark.x for mark in marks]), _range([mark.y for mark in marks])
        if diagonal:
            horizontal = vertical = min(horizontal[0], vertical[0]), max(horizontal[1], vertical[1])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - horizontal[0]) / (horizontal[1] - horizontal[0])
        up = (y - vertical[0]) / (vertical[1] - vertical[0])
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = []
    for x in ticks(*horizontal):
        (at, bottom), (_, top) = place(x, vertical[0]), place(x, vertical[1])
        parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{bottom:.1f}" y2="{top:.1f}"/>')
        parts.append(f'<text x="{at:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{x:g}</text>')
    for y in ticks(*vertical):
        (left, at), (right, _) = place(horizontal[0], y), place(horizontal[1], y)
        parts.append(f'<line class="grid" x1="{left:.1f}" x2="{right:.1f}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="{left - 6:.1f}" y="{at + 4:.1f}" text-anchor="end">{y:g}</text>')
    if diagonal:
        (x1, y1), (x2, y2) = place(horizontal[0], horizontal[0]), place(horizontal[1], horizontal[1])
        parts.append(f'<line class="guide" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>')
    for mark in marks:
        spots = [place(float(x), float(y)) for x, y in zip(mark.x, mark.y, strict=True) if np.isfinite([x, y]).all()]
        if isinstance(mark, Points) or len(spots) == 1:  # a line of one point would not be seen
            parts += [f'<circle class="c{mark.color}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in spots]
        elif spots:
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
            parts.append(f'<path class="c{mark.color}{" thin" if mark.thin else ""}" d="{path}"/>')
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{text(x_label)}</text>')
    up = TOP + (HEIGHT - TOP - BOTTOM) / 2
    turned = f'transform="translate(13 {up:.1f}) rotate(-90)"'
    parts.append(f'<text {turned} text-anchor="middle">{text(y_label)}</text>')
    named = {mark.name: mark.color for mark in marks if mark.name}
    drawing = f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{text(title)}">'
    return f"<figure><figcaption>{text(title)}</figcaption>{drawing}{''.join(parts)}</svg>{_legend(named)}</figure>"


def _legend(named: dict[str, int]) -> str:
    if not named:
        return ""
    items = "".join(
        f'<li><svg class="chart" viewBox="0 0 18 8"><line class="c{color}" x1="0" x2="18" y1="4" y2="4"/></svg>'
        f"{text(name)}</li>"
        for name, color in named.items()
    )
    return f'<ul class="legend">{items}</ul>'


def _range(arrays: Sequence[Sequence[float] | NDArray[np.float64]]) -> tuple[float, float]:
    values = np.concatenate([np.asarray(array, np.float64).reshape(-1) for array in arrays])
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def ticks(low: float, high: float) -> list[float]:
    """Some four to eight round numbers between these two.

    >>> ticks(0, 1), ticks(-3.2, 11)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-2.0, 0.0, 2.0, 4.0, 6.0, 8.0, 10.0])
    """
    raw = (high - low) / 5
    size = 10.0 ** floor(log10(raw))
    step = size * min((1, 2, 5, 10), key=lambda times: abs(times * size - raw))
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [round(number * step, 12) + 0.0 for number in range(first, last + 1)]
