"""What nodes and edges of other libraries carry, as values that can be labels."""

from __future__ import annotations

from collections.abc import Hashable
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt.wording import shortened


def as_array(values: Any) -> NDArray[Any]:
    """A tensor, wherever it is, or anything else numpy can take."""
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)


def frozen(value: Any) -> Any:
    """Arrays, tensors and lists as nested tuples; numpy's scalars as Python's."""
    if isinstance(value, (int, str, float)) and not isinstance(value, np.generic):
        return value
    if hasattr(value, "__array__"):
        value = as_array(value).tolist()
    return tuple(map(frozen, value)) if isinstance(value, (list, tuple)) else value


def label(value: Any, attribute: object, place: str, others: str) -> Hashable:
    """The value of an attribute as a label. None, NaN and what cannot be hashed are errors that name the place.

    others: "nodes" or "edges" that do have the attribute, or "" if none has it."""
    frozen_value = frozen(value)
    if frozen_value is None:
        which = f", which other {others} have" if others else ""
        raise ValueError(f"{shortened(place, 100)}: no attribute {shortened(repr(attribute))}{which}")
    if _has_nan(frozen_value):
        raise ValueError(f"{shortened(place, 100)}: {shortened(str(attribute))} is NaN, which equals nothing")
    try:
        hash(frozen_value)
    except TypeError:
        what = f"{shortened(str(attribute))} = {shortened(repr(frozen_value))}"
        raise TypeError(f"{shortened(place, 100)}: {what} cannot be a label: unhashable") from None
    result: Hashable = frozen_value
    return result


def _has_nan(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_has_nan, value))
    return isinstance(value, Number) and bool(value != value)
