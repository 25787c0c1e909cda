"""Digests, 128 bits of blake2b, of what kernels have written down about each graph."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIGEST_BYTES = 16


def digests_of(numbers: NDArray[Any], bounds: NDArray[np.int64], person: str) -> list[bytes]:
    """Of the numbers from each of the bounds to the next, in little-endian bytes. person: what the numbers mean."""
    little: Any = np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<"))
    texts = memoryview(little).cast("B") if little.size else memoryview(b"")
    places = (bounds * little.itemsize).tolist()
    return [
        hashlib.blake2b(texts[low:high], digest_size=DIGEST_BYTES, person=person.encode()).digest()
        for low, high in pairwise(places)
    ]
