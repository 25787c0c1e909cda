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
    begun = hashlib.blake2b(digest_size=DIGEST_BYTES, person=person.encode()).copy
    digests = []
    for low, high in pairwise(places):
        one = begun()  # quicker than to begin anew
        one.update(texts[low:high])
        digests.append(one.digest())
    return digests


def texts_of(digests: list[bytes], scheme: str) -> list[str]:
    """What users see of digests: their scheme, and their bytes as hexadecimal digits."""
    digits = b"".join(digests).hex()
    width = 2 * DIGEST_BYTES
    return [f"{scheme}:{digits[at : at + width]}" for at in range(0, len(digits), width)]
