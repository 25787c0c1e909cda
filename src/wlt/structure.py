"""Structure: the paper's notation "gggrgg" as a value that explains its errors."""

from __future__ import annotations

from typing import Any

from wlt.wording import shortened


class Structure(str):
    """A stack of layers: 'g' is a GIN layer, 'r' a recoloring layer.

    A number repeats the letter or the bracket before it, for deep structures.

    >>> Structure("gggrgg").depth, Structure("gggrgg").blocks
    (5, (3, 2))
    >>> str(Structure("g2(rg3)2"))
    'ggrgggrggg'
    >>> Structure("gggxgg")
    Traceback (most recent call last):
    ValueError: structure 'gggxgg': unknown layer 'x' at position 3; use 'g' (GIN) or 'r' (recoloring)
    """

    def __new__(cls, notation: str) -> Structure:
        if not isinstance(notation, str):
            raise TypeError(f"a structure is a string such as 'gggrgg', not {shortened(repr(notation))}")
        layers = str(notation) if isinstance(notation, Structure) else _expand(notation)
        if "g" not in layers:
            raise ValueError(f"structure {shortened(repr(notation))}: no 'g' (GIN) layer; a readout needs at least one")
        return super().__new__(cls, layers)

    @property
    def depth(self) -> int:
        """Number of g layers."""
        return self.count("g")

    @property
    def recolorings(self) -> int:
        """Number of r layers."""
        return self.count("r")

    @property
    def blocks(self) -> tuple[int, ...]:
        """Numbers of g before the first r, between two r, and behind the last one.

        An r with no g behind it is left out: nothing reads what it recolours.

        >>> Structure("rggrgr").blocks
        (0, 2, 1)
        """
        return tuple(map(len, self.rstrip("r").split("r")))

    @property
    def known_rounds(self) -> int:
        """g layers before the first r: their colours do not depend on any random choice."""
        return self.blocks[0]

    @property
    def without_recoloring(self) -> Structure:
        """The g layers alone: a GIN, bounded by WL."""
        return Structure("g" * self.depth)

    def __repr__(self) -> str:
        return f"Structure({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Structure, (str(self),)


MAX_LAYERS = 1000


def _expand(notation: str) -> str:
    """The notation with its repetitions written out."""

    def fail(what: str, position: int, advice: str = "") -> ValueError:
        return ValueError(f"structure {shortened(repr(notation))}: {what} at position {position}{advice}")

    open_groups: list[tuple[list[str], int]] = []
    layers: list[str] = []
    position = 0
    while position < len(notation):
        letter = notation[position]
        start = position
        position += 1
        if letter == "(":
            open_groups.append((layers, start))
            layers = []
            continue
        if letter in "gr":
            unit = letter
        elif letter == ")":
            if not open_groups:
                raise fail("')' without '('", start)
            unit = "".join(layers)
            if not unit:
                raise fail("empty brackets", start)
            layers, _ = open_groups.pop()
        elif letter.isascii() and letter.isdigit():
            raise fail(f"number {letter!r} without a layer or bracket before it", start)
        else:
            raise fail(f"unknown layer {letter!r}", start, "; use 'g' (GIN) or 'r' (recoloring)")
        digits = position
        while digits < len(notation) and notation[digits].isascii() and notation[digits].isdigit():
            digits += 1
        if digits - position > len(str(MAX_LAYERS)):  # Python refuses numbers of many thousands of digits
            raise fail(f"more than {MAX_LAYERS} layers", position)
        repeat = int(notation[position:digits]) if digits > position else 1
        if repeat < 1:
            raise fail("repetition 0", position)
        if repeat * len(unit) + sum(map(len, layers)) > MAX_LAYERS:
            raise fail(f"more than {MAX_LAYERS} layers", position)
        layers.append(unit * repeat)
        position = digits
    if open_groups:
        raise fail("'(' without ')'", open_groups[-1][1])
    return "".join(layers)
