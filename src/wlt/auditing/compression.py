"""How much smaller layers get that compute one row per colour class instead of one per node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.auditing.kernels import sampled

BATCH_SIZE = 128
"""Graphs in a batch, as in the paper."""

MOST_COUNTED = 1 << 20
"""Different classes of a round up to which those of the whole set are counted; beyond, they are estimated."""


class Kept(NamedTuple):
    """Per WL round, in percent of what node-level layers have: rows (classes for nodes), and entries of the matrix
    between classes (for entries of the adjacency matrix)."""

    rows: tuple[float, ...]
    edges: tuple[float, ...]


class Compression(NamedTuple):
    batches: Kept
    """In random batches of 128 graphs."""
    whole: Kept
    """With the whole set as one batch. Where a round has more than a million classes, estimated from a sample of them,
    to about a tenth of a percent."""


class ClassSample:
    """The classes of a round, by their words, with the entries of their rows: all of them while they are few, and
    otherwise those whose words end in so many zeros. What is left in the end does not depend on the order."""

    def __init__(self, most: int = MOST_COUNTED) -> None:
        self.most = most
        self.level = 0
        self._count = 0
        self._words, self._entries = np.zeros(1024, np.uint64), np.zeros(1024, np.int32)  # entries, and one for itself

    def _put_again(self, size: int) -> None:
        """What is there into a table of this size, without what the level leaves out."""
        used = self._entries > 0
        words, entries = self._words[used], self._entries[used]
        self._words, self._entries = np.zeros(size, np.uint64), np.zeros(size, np.int32)
        self._count = int(sampled(words, entries, self.level, self._words, self._entries))

    def add(self, words: NDArray[np.uint64], entries: NDArray[np.int64]) -> None:
        """Classes of a part of the set, and how many entries the row of each has."""
        chosen = words & np.uint64((1 << self.level) - 1) == 0
        words, entries = words[chosen], entries[chosen].astype(np.int32) + 1
        size = 1 << (2 * (self._count + len(words))).bit_length()
        if size > len(self._words):
            self._put_again(size)
        self._count += int(sampled(words, entries, self.level, self._words, self._entries))
        while self._count > self.most:
            self.level += 1
            self._put_again(len(self._words))

    @property
    def rows(self) -> int:
        return self._count << self.level

    @property
    def edges(self) -> int:
        return (int(self._entries.sum(dtype=np.int64)) - self._count) << self.level


def percents(rows: Sequence[int], edges: Sequence[int], nodes: int, entries: int) -> Kept:
    """Of so many nodes, and entries of their adjacency; an estimate may exceed them a little."""

    def shares(part: Sequence[int], whole: int) -> tuple[float, ...]:
        return tuple(100 * min(each, whole) / max(1, whole) for each in part)

    return Kept(shares(rows, nodes), shares(edges, entries))
