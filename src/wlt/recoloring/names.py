"""Names of nodes: their initial colour and what recolorings made of it, as numbers that mean the same in every batch.

Canonical recoloring (`wlt.recoloring.choice`) knows nodes by them. A colour is its own name, 0 .. 2**31 - 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wlt.refine.round_kernels import GOLDEN

ZERO = np.uint64(2**63)


def recolored_names(names: NDArray[np.uint64], nodes: NDArray[np.int32], number: int) -> NDArray[np.uint64]:
    """The names after these nodes were recoloured, for the `number`-th time in the batch: name * GOLDEN + number.

    Of a colour that is no other name: multiples of GOLDEN below the 2**31st are more than 2**32 apart, and from 0. Only
    colour 0 would become `number`, that is the name of another colour, and so counts as 2**63.

    >>> names = np.array([0, 1, 0], np.uint64)
    >>> recolored_names(names, np.array([0]), 1)[0] == names[1]
    np.False_
    """
    old = names[nodes]
    new = names.copy()
    new[nodes] = np.where(old == 0, ZERO, old) * GOLDEN + np.uint64(number)
    return new
