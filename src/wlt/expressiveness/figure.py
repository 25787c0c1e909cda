"""A result as a figure: one panel for every rung or part, one bar for every model."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from wlt.expressiveness.references import Counts, merged, references
from wlt.expressiveness.result import Separation
from wlt.expressiveness.table import label
from wlt.extras import need

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODEL, OTHER, KNOWN = "#d55e00", "#0072b2", "#b8c0c8"
STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "wlt",  # makes ids, and so files, the same every time
}


def figure(result: Separation, known: bool = True) -> Figure:
    """The model, those it is compared with, and below them what is known about the benchmark."""
    need("matplotlib", "the figure")
    import matplotlib
    from matplotlib.figure import Figure

    rows: list[tuple[str, Counts, str]] = [
        (label(each), _counts(each), OTHER if i else MODEL) for i, each in enumerate((result, *result.compared))
    ]
    if known:
        rows += [(name, counts, KNOWN) for name, counts in references(result.benchmark).items()]
    sizes = merged(result.benchmark, {name: part.pairs for name, part in result.parts.items()})
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        made = Figure((2.2 + 1.9 * len(sizes), 0.9 + 0.24 * len(rows)), layout="constrained")
        axes = made.subplots(1, len(sizes), sharey=True, squeeze=False)[0]
        for axis, (part, pairs) in zip(axes, sizes.items(), strict=True):
            found = [counts.get(part) for _, counts, _ in rows]
            places = range(len(rows))
            axis.barh(places, [count or 0 for count in found], color=[color for *_, color in rows], height=0.72)
            for place, count in zip(places, found, strict=True):
                axis.text((count or 0) + 0.02 * pairs, place, "-" if count is None else str(count), va="center")
            axis.set_xlim(0, 1.18 * pairs)
            axis.set_xticks([0, pairs])
            axis.set_title(f"{part} ({pairs})", parse_math=False)
            axis.set_yticks(list(places), [name for name, *_ in rows], parse_math=False)
            axis.tick_params(axis="y", length=0)
        axes[0].invert_yaxis()
        made.supxlabel(f"pairs of {result.benchmark} told apart", fontsize=9, parse_math=False)
    return made


def _counts(result: Separation) -> dict[str, int]:
    return merged(result.benchmark, {name: part.separated for name, part in result.parts.items()})


def saved_figure(result: Separation, kind: str) -> bytes:
    """The figure as a file of this kind: svg, png or pdf; the same bytes every time."""
    import matplotlib

    made = figure(result)
    buffer = io.BytesIO()
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    with matplotlib.rc_context(STYLE):
        made.savefig(buffer, format=kind, dpi=160, metadata=metadata)
    return buffer.getvalue()
