"""A figure of counts: one panel for every rung or part, one bar for every model."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from wlt.extras import need

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = {"model": "#d55e00", "compared": "#0072b2", "known": "#b8c0c8"}
STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "wlt",  # makes ids, and so files, the same every time
}


class Bars(NamedTuple):
    """One model: its name, and how many pairs of each part it separates."""

    name: str
    counts: Mapping[str, int]
    kind: Literal["model", "compared", "known"]


def figure_of(benchmark: str, sizes: Mapping[str, int], rows: Sequence[Bars]) -> Figure:
    """sizes: how many pairs each part of the benchmark has."""
    need("matplotlib", "the figure")
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        made = Figure((2.2 + 1.9 * len(sizes), 0.9 + 0.24 * len(rows)), layout="constrained")
        axes = made.subplots(1, len(sizes), sharey=True, squeeze=False)[0]
        places = list(range(len(rows)))
        for axis, (part, pairs) in zip(axes, sizes.items(), strict=True):
            found = [row.counts.get(part) for row in rows]
            axis.barh(places, [number or 0 for number in found], color=[COLORS[row.kind] for row in rows], height=0.72)
            for place, number in zip(places, found, strict=True):
                axis.text((number or 0) + 0.02 * pairs, place, "-" if number is None else str(number), va="center")
            axis.set_xlim(0, 1.18 * pairs)
            axis.set_xticks([0, pairs])
            axis.set_title(f"{part} ({pairs})", parse_math=False)
            axis.set_yticks(places, [row.name for row in rows], parse_math=False)
            axis.tick_params(axis="y", length=0)
        axes[0].invert_yaxis()
        made.supxlabel(f"pairs of {benchmark} told apart", fontsize=9, parse_math=False)
    return made


def saved(figure: Figure, kind: str) -> bytes:
    """The figure as a file of this kind: svg, png or pdf; the same bytes every time."""
    import matplotlib

    buffer = io.BytesIO()
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    with matplotlib.rc_context(STYLE):
        figure.savefig(buffer, format=kind, dpi=160, metadata=metadata)
    return buffer.getvalue()
