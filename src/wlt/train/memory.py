"""Memory that is kept from batch to batch."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

TRIM, MAPPED = -1, -3
"""M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of glibc's malloc.h."""


@cache
def keep_freed_memory() -> None:
    """Let this process keep up to 256 MB of what is freed, instead of returning it to the system after every batch.

    A forward pass frees all its rows at its end; as the C library begins, the next one gets them page by page, which
    was a quarter to a third of the time of an evaluation. With another C library than glibc nothing happens."""
    if not sys.platform.startswith("linux"):
        return
    adjust = getattr(ctypes.CDLL(None), "mallopt", None)
    if adjust is not None:
        adjust(TRIM, 256 << 20)
        adjust(MAPPED, 32 << 20)
