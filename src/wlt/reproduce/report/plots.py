"""Figures from stored runs, drawn by matplotlib without a window."""

from __future__ import annotations

import functools
import io
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import numpy as np

from wlt.reproduce.report.tables import ResultTable
from wlt.reproduce.spec import METHODS
from wlt.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = TypeVar("Draw", bound=Callable[..., Any])

COLORS = {
    "wlt": "#0072b2",
    "wlt0.5": "#d55e00",
    "wlt-all": "#e69f00",
    "gin-sum": "#333333",
    "gcn": "#009e73",
    "sage": "#cc79a7",
    "gin0": "#8c6d31",
    "gineps": "#56b4e9",
}
"""Okabe and Ito's palette, which colour-blind readers can distinguish too."""
MARKERS = {"validation": ("o", "#0072b2"), "last": ("s", "#999999"), "best-mean-epoch": ("^", "#d55e00")}
STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "wlt",  # makes ids, and so files, the same every time
    "pdf.fonttype": 42,
}


def _styled(draw: Draw) -> Draw:
    """Give everything that a function draws this style, whatever the user's own settings are."""

    @functools.wraps(draw)
    def styled(*arguments: Any, **options: Any) -> Any:
        import matplotlib

        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(STYLE)
            return draw(*arguments, **options)

    return styled  # type: ignore[return-value]


@_styled
def training_curves(table: ResultTable) -> Figure:
    """The paper's figure from the runs of Table 2: training accuracy and loss against epochs, a column per dataset.

    Measured in evaluation mode. The line is the mean over the runs, the band goes from the lowest to the highest."""
    figure = _figure(3.1 * max(len(table.datasets), 1), 4.6)
    for column, dataset in enumerate(table.datasets):
        accuracy = figure.add_subplot(2, len(table.datasets), column + 1)
        loss = figure.add_subplot(2, len(table.datasets), len(table.datasets) + column + 1)
        accuracy.set_title(dataset, parse_math=False)
        cells = [(method, table.cells[method, dataset]) for method in table.methods if (method, dataset) in table.cells]
        for method, cell in cells:
            label = f"{METHODS[method]} ({count(len(cell.curves), 'run')})"
            _band(accuracy, np.array([100 * curve.accuracy("test") for curve in cell.curves]), method, label)
            _band(loss, np.array([curve.loss("test") for curve in cell.curves]), method, label)
        if cells:
            loss.set_yscale("log")
            accuracy.legend(frameon=False, fontsize=7.5, loc="lower right")
        else:
            for axes in (accuracy, loss):
                axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", color="#777777")
                axes.set_xticks([])
                axes.set_yticks([])
        loss.set_xlabel("epoch")
        if column == 0:
            accuracy.set_ylabel("training accuracy (%)")
            loss.set_ylabel("training loss")
    return figure


@_styled
def mean_curves(table: ResultTable) -> Figure:
    """Mean test accuracy over the folds against epochs, for every method that was run."""
    datasets = [name for name in table.datasets if any(dataset == name for _, dataset in table.cells)]
    figure, panels = _panels(len(datasets), 2.5)
    for axes, dataset in zip(panels, datasets, strict=True):
        axes.set_title(dataset, parse_math=False)
        for method in table.methods:
            cell = table.cells.get((method, dataset))
            if cell:
                mean = 100 * np.mean([curve.accuracy("test") for curve in cell.curves], axis=0)
                _line(axes, mean, method, METHODS[method])
        axes.set_xlabel("epoch")
    panels[0].set_ylabel("mean test accuracy (%)")
    _legend_below(figure, panels)
    return figure


@_styled
def beside_paper(table: ResultTable) -> Figure | None:
    """Our results under every rule next to the paper's mean and deviation; None if the paper has no such cells."""
    papers = {cell: score for cell in table.cells if (score := table.paper(*cell))}
    if not papers:
        return None
    datasets = [name for name in table.datasets if any(dataset == name for _, dataset in papers)]
    methods = [name for name in table.methods if any(method == name for method, _ in papers)]
    figure, panels = _panels(len(datasets), 0.9 + 0.34 * len(methods))
    for axes, dataset in zip(panels, datasets, strict=True):
        axes.set_title(dataset, parse_math=False)
        for row, method in enumerate(methods):
            theirs = papers.get((method, dataset))
            if theirs is None:
                continue
            label = "paper, ± one deviation" if row == 0 else None
            axes.errorbar(theirs[0], row, xerr=theirs[1], fmt="D", color="black", ms=4, lw=1, capsize=2, label=label)
            for offset, rule in zip((-0.22, 0.0, 0.22), table.rules, strict=True):
                ours = table.ours(method, dataset, rule)
                if ours is not None:
                    marker, color = MARKERS[rule]
                    axes.plot(ours[0], row + offset, marker, color=color, ms=4.5, label=rule if row == 0 else None)
        axes.set_ylim(len(methods) - 0.5, -0.5)
        names = [METHODS[method] for method in methods] if axes.get_subplotspec().is_first_col() else []  # type: ignore[union-attr]
        axes.set_yticks(range(len(methods)), names or [""] * len(methods))
        axes.set_xlabel("test accuracy (%)")
    _legend_below(figure, panels)
    return figure


@_styled
def to_svg(figure: Figure) -> str:
    """The figure as an <svg> element to embed in a page."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None}, bbox_inches="tight", transparent=True)
    text = buffer.getvalue()
    return text[text.index("<svg") :]


@_styled
def save(figure: Figure, file: BinaryIO, format: str) -> None:
    """Write the figure as "png" or "pdf", the same bytes every time."""
    metadata = {"CreationDate": None} if format == "pdf" else {"Software": None}
    figure.savefig(file, format=format, dpi=160, metadata=metadata, bbox_inches="tight")


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure((width, height), layout="constrained")


def _panels(count: int, height: float) -> tuple[Figure, list[Axes]]:
    columns = min(count, 4)
    rows = math.ceil(count / columns)
    figure = _figure(1.0 + 2.7 * columns, height * rows + 0.5)
    return figure, [figure.add_subplot(rows, columns, i + 1) for i in range(count)]


def _line(axes: Axes, values: np.ndarray[Any, Any], method: str, label: str) -> None:
    axes.plot(np.arange(1, len(values) + 1), values, color=COLORS[method], lw=1.2, label=label)
    axes.locator_params(axis="x", integer=True)


def _band(axes: Axes, values: np.ndarray[Any, Any], method: str, label: str) -> None:
    """values: [runs, epochs]."""
    _line(axes, values.mean(axis=0), method, label)
    epochs = np.arange(1, values.shape[1] + 1)
    axes.fill_between(epochs, values.min(axis=0), values.max(axis=0), color=COLORS[method], alpha=0.15, lw=0)


def _legend_below(figure: Figure, panels: list[Axes]) -> None:
    entries: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    figure.legend(entries.values(), entries, loc="outside lower center", ncols=4, frameon=False)
