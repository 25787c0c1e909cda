"""Labels of graphs, strings, numbers or booleans, as classes."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.wording import count


def classes_of(labels: ArrayLike, graphs: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different labels of so many graphs, ascending, and for every graph the number of its own.

    >>> classes, targets = classes_of(["yes", "no", "yes"], 3)
    >>> classes.tolist(), targets.tolist()
    (['no', 'yes'], [1, 0, 1])
    """
    from sklearn.utils import column_or_1d
    from sklearn.utils.multiclass import check_classification_targets

    column: NDArray[Any] = column_or_1d(np.asarray(labels))
    if len(column) != graphs:
        both = f"{count(graphs, 'graph')} and {count(len(column), 'label')}"
        raise ValueError(f"{both}; one label for every graph is needed")
    # of a list as it was given: in the column a NaN among strings is "nan"
    given = list(labels) if isinstance(labels, (list, tuple)) else column.tolist()
    missing = [i for i, label in enumerate(given) if _is_missing(label)]
    if missing:
        raise ValueError(f"graph {missing[0]} has no label ({given[missing[0]]}); leave such graphs out")
    strings = [isinstance(label, str) for label in given]
    if any(strings) and not all(strings):
        raise TypeError(
            f"some labels are strings and some are not, as {given[strings.index(False)]!r}; make all of them one type"
        )
    if column.dtype.kind == "O" and not all(strings):  # strings stay as pandas' are
        column = np.array(column.tolist())
    if column.dtype.kind not in "biufUO":
        raise TypeError(f"labels are strings, numbers or booleans, not of type {column.dtype}")
    check_classification_targets(column)
    classes, targets = np.unique(column, return_inverse=True)
    return classes, targets.astype(np.int64)


def _is_missing(label: Any) -> bool:
    """None, NaN, and pandas' NA and NaT."""
    if isinstance(label, (float, np.floating)):
        return isnan(label)
    return label is None or type(label).__name__ in ("NAType", "NaTType")
