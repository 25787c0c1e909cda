"""What is to be predicted of graphs: labels (strings, numbers or booleans) as classes."""

from __future__ import annotations

from math import isnan
from typing import Any

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


def _is_missing(label: Any) -> bool:
    """None, NaN, and pandas' NA and NaT."""
    if isinstance(label, (float, np.floating)):
        return isnan(label)
    return label is None or type(label).__name__ in ("NAType", "NaTType")
