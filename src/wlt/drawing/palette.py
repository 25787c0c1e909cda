"""Colours of classes that people see who confuse red and green, or blue and yellow: Okabe and Ito's
seven and a dark grey, and shades of them.

Colours repeat after three rounds of them, so a picture always writes the number of the class as well."""

from __future__ import annotations

from typing import NamedTuple

OKABE_ITO = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00", "#4d4d4d")
SHADES = (0.0, 0.55, -0.45)
"""How far each round of the colours moves towards white, or, below zero, towards black."""

PLAIN_NODE = "#dfe3e7"
"""Of nodes that have no class."""


class Paint(NamedTuple):
    fill: str
    ink: str
    """Of what is written on it: black or white, whichever can be read better."""


def paint(number: int) -> Paint:
    """What class `number` looks like.

    >>> paint(0), paint(5)
    (Paint(fill='#56b4e9', ink='#000000'), Paint(fill='#0072b2', ink='#ffffff'))
    """
    base = OKABE_ITO[number % len(OKABE_ITO)]
    return on(_shaded(base, SHADES[number // len(OKABE_ITO) % len(SHADES)]))


def on(fill: str) -> Paint:
    """A colour, and the ink for it, by the contrast that WCAG defines."""
    light = luminance(fill)
    return Paint(fill, "#000000" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "#ffffff")


def luminance(color: str) -> float:
    """Of sRGB, as WCAG defines it."""
    channels = [value / 255 for value in _channels(color)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mixed(color: str, other: str, share: float) -> str:
    """A colour with this share of another.

    >>> mixed("#000000", "#ffffff", 0.2)
    '#333333'
    """
    pairs = zip(_channels(color), _channels(other), strict=True)
    return "#" + "".join(f"{round(mine + (theirs - mine) * share):02x}" for mine, theirs in pairs)


def _shaded(color: str, shade: float) -> str:
    return mixed(color, "#ffffff" if shade > 0 else "#000000", abs(shade))


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
