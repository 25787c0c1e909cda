"""What is to be predicted of graphs, checked: labels (strings, numbers, booleans) as classes, and tables of numbers."""

from __future__ import annotations

from math import isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.wording import count


def target_column(labels: ArrayLike, graphs: int) -> NDArray[Any]:
    """The labels of so many graphs as one array, checked: one for each, none missing, all of one type.

    >>> target_column(["yes", "no"], 2).tolist()
    ['yes', 'no']
    """
    column: NDArray[Any] = np.asarray(labels)
    if column.ndim != 1:
        from sklearn.utils import column_or_1d  # its message is the one that users know

        column = column_or_1d(column)
    if len(column) != graphs:
        both = f"{count(graphs, 'graph')} and {count(len(column), 'label')}"
        raise ValueError(f"{both}; one label for every graph is needed")
    # the user's own list, not the array: there a NaN among strings has become "nan"
    written = list(labels) if isinstance(labels, (list, tuple)) else column.tolist()
    missing = [i for i, label in enumerate(written) if _is_missing(label)]
    if missing:
        raise ValueError(f"graph {missing[0]} has no label ({written[missing[0]]}); leave such graphs out")
    strings = [isinstance(label, str) for label in written]
    if any(strings) and not all(strings):
        raise TypeError(
            f"some labels are strings and some are not, as {written[strings.index(False)]!r}; make all of them one type"
        )
    if column.dtype.kind == "O" and not all(strings):  # strings stay as pandas' are
        column = np.array(column.tolist())
    if column.dtype.kind not in "biufUO":
        raise TypeError(f"labels are strings, numbers or booleans, not of type {column.dtype}")
    return column


def classes_of(targets: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different labels, ascending, and for every graph the number of its own.

    >>> classes, numbers = classes_of(np.array(["yes", "no", "yes"]))
    >>> classes.tolist(), numbers.tolist()
    (['no', 'yes'], [1, 0, 1])
    """
    if targets.dtype.kind == "f":
        from sklearn.utils.multiclass import check_classification_targets

        check_classification_targets(targets)
    classes, numbers = np.unique(targets, return_inverse=True)
    return classes, numbers.astype(np.int64)


Kind = Literal["classes", "binaries", "numbers"]

MOST_CLASSES = 20
MEMBERS = 10


def kind_of(targets: NDArray[Any]) -> Kind:
    """What targets are, if nobody says: several columns of 0 and 1, numbers, or else classes.

    Whole numbers are classes, unless they are more than 20 and have fewer than ten graphs each.

    >>> kind_of(np.array([0.5, 1.0])), kind_of(np.array([0, 1, 2])), kind_of(np.array([[1.0, np.nan], [0, 1]]))
    ('numbers', 'classes', 'binaries')
    """
    if targets.ndim > 1:
        return "binaries" if np.isin(targets[~np.isnan(targets)], (0, 1)).all() else "numbers"
    if targets.dtype.kind not in "iuf":
        return "classes"
    known = targets[np.isfinite(targets)]
    different = len(np.unique(known))
    values = different > MOST_CLASSES and len(known) < MEMBERS * different
    return "numbers" if values or (known != np.round(known)).any() or len(known) < len(targets) else "classes"


def target_table(targets: Any, graphs: int) -> NDArray[np.float64]:
    """Numbers for so many graphs, [graphs, columns], with NaN where there is none; one column may be a plain list.

    >>> target_table([[1, None], [2.5, 0]], 2).tolist()
    [[1.0, nan], [2.5, 0.0]]
    """
    names = column_names(targets)
    cells: NDArray[Any] = np.asarray(targets)
    if cells.dtype.kind not in "biuf":  # the user's own cells: in an array of strings numbers have become text
        cells = np.array(targets.values.tolist() if hasattr(targets, "values") else _as_lists(targets), dtype=object)
    if cells.ndim not in (1, 2):
        raise ValueError(f"targets of shape {cells.shape}; a number for every graph is needed, or a row of them")
    if len(cells) != graphs:
        raise ValueError(f"{count(graphs, 'graph')} and {count(len(cells), 'target')}; one for every graph is needed")
    rows = cells.reshape(graphs, -1)
    if rows.dtype.kind == "O":
        numbers = np.empty(rows.shape)
        for (graph, column), cell in np.ndenumerate(rows):
            numbers[graph, column] = np.nan if _is_missing(cell) else _number(cell, graph)
        rows = numbers
    table = rows.astype(np.float64)
    infinite = np.argwhere(np.isinf(table))
    if len(infinite):
        raise ValueError(f"graph {infinite[0][0]}: the target is {table[tuple(infinite[0])]}; it must be finite")
    empty = np.flatnonzero(np.isnan(table).all(axis=0))
    if len(empty):
        name = repr(names[empty[0]]) if names else str(empty[0]) if table.shape[1] > 1 else ""
        raise ValueError(f"target {name}".rstrip() + " has no values: all of its cells are empty")
    return table


def column_names(targets: Any) -> tuple[str, ...]:
    """What a pandas DataFrame or Series calls its columns; () for everything else."""
    if hasattr(targets, "columns"):
        return tuple(map(str, targets.columns))
    name = getattr(targets, "name", None)
    return (name,) if isinstance(name, str) else ()


def _as_lists(targets: Any) -> list[Any]:
    return [list(row) if isinstance(row, (list, tuple, np.ndarray)) else row for row in targets]


def _number(cell: Any, graph: int) -> float:
    if not isinstance(cell, (int, float, np.integer, np.floating, np.bool_)):
        raise TypeError(f"graph {graph}: the target {cell!r} is no number; classes are for WLTClassifier")
    return float(cell)


def _is_missing(label: Any) -> bool:
    """None, NaN, and pandas' NA and NaT."""
    if isinstance(label, (float, np.floating)):
        return isnan(label)
    return label is None or type(label).__name__ in ("NAType", "NaTType")
