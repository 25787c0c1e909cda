"""Words of colours that mean the same in every part of a dataset: numbered, summed up by graphs, and sampled."""

from __future__ import annotations

import numpy as np

from wlt.canon.kernels import hashed_words
from wlt.kernels import Adjacency, kernel
from wlt.refine.round_kernels import GOLDEN, mix

ONE = np.uint64(1)


@kernel
def number_pairs(pairs):
    """[2, n] Pairs of words, numbered by first appearance, and where each of them first is."""
    n = pairs.shape[1]
    size = 4
    while size < 2 * n:
        size *= 2
    mask = np.uint64(size - 1)
    slots = np.full(size, -1, np.int32)
    numbers = np.empty(n, np.int32)
    first = np.empty(n, np.int32)
    k = 0
    for i in range(n):
        slot = mix(pairs[0, i] ^ pairs[1, i]) & mask
        while slots[slot] >= 0:
            j = first[slots[slot]]
            if pairs[0, j] == pairs[0, i] and pairs[1, j] == pairs[1, i]:
                break
            slot = (slot + ONE) & mask
        if slots[slot] < 0:
            slots[slot] = k
            first[k] = i
            k += 1
        numbers[i] = slots[slot]
    return numbers, first[:k].copy()


@kernel
def multiset_words(starts, words):
    """[2, graphs] Two words of the multiset of the nodes' words, [2, nodes]; equal multisets have equal words."""
    out = np.zeros((2, len(starts) - 1), np.uint64)
    for lane in range(2):
        for g in range(len(starts) - 1):
            total = mix(np.uint64(starts[g + 1] - starts[g]))
            for v in range(starts[g], starts[g + 1]):
                total += mix(words[lane, v] + GOLDEN)
            out[lane, g] = total
    return out


@kernel
def words_of_graphs_after(adjacency, starts, words, factors, rounds):
    """[2, graphs] `multiset_words` after so many rounds more; words: [2, nodes], factors: [2, edge labels].

    Each graph ends with its first round that splits nothing. WL tells graphs that end at different times apart, and
    graphs that end together are told apart by then if ever."""
    out = np.empty((2, len(starts) - 1), np.uint64)
    for g in range(len(starts) - 1):
        low, high = starts[g], starts[g + 1]
        begin, end = adjacency.offsets[low], adjacency.offsets[high]
        arcs = adjacency.arcs[begin:end] if len(adjacency.arcs) > 0 else adjacency.arcs
        graph = Adjacency(
            adjacency.offsets[low : high + 1] - begin, adjacency.neighbors[begin:end] - np.int32(low), arcs
        )
        own = words[:, low:high].copy()
        different = len(np.unique(own[0]))
        for _ in range(rounds):
            own[0] = hashed_words(graph, own[0], factors[0], 1)[0]
            own[1] = hashed_words(graph, own[1], factors[1], 1)[0]
            now = len(np.unique(own[0]))
            if now == different:
                break
            different = now
        out[:, g] = multiset_words(np.array([0, high - low]), own)[:, 0]
    return out


@kernel
def sampled(words, numbers, level, seen, seen_numbers):
    """Put words whose lowest `level` bits are 0 into the table `seen`, with their numbers; how many were new.

    The table must have room. A slot with number 0 is free, so numbers are positive."""
    mask = np.uint64(len(seen) - 1)
    wanted = (ONE << np.uint64(level)) - ONE
    new = 0
    for i in range(len(words)):
        word = words[i]
        if word & wanted:
            continue
        slot = (word >> np.uint64(32)) & mask
        while seen_numbers[slot] > 0 and seen[slot] != word:
            slot = (slot + ONE) & mask
        if seen_numbers[slot] == 0:
            seen[slot] = word
            seen_numbers[slot] = numbers[i]
            new += 1
    return new
