"""One WL round, hashed."""

from __future__ import annotations

import numpy as np

from wlt.kernels import kernel


@kernel
def mix(x):
    """splitmix64's finaliser: a bijection of 64-bit words that looks random."""
    x = np.uint64(x)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


@kernel
def color_words(colors):
    """Dense colours as 64-bit words that look random."""
    words = np.empty(len(colors), np.uint64)
    for v in range(len(colors)):
        words[v] = mix(np.uint64(colors[v]) + np.uint64(0x9E3779B97F4A7C15))
    return words


@kernel
def hashed_round(offsets, neighbors, words, active):
    """One WL round on 64-bit colour words, in bulk: the new words of the active nodes.

    Equal nodes get equal words; a collision can only merge cells, which the worklist splits again."""
    out = np.empty(len(active), np.uint64)
    for i in range(len(active)):
        v = active[i]
        total = np.uint64(0)
        for e in range(offsets[v], offsets[v + 1]):
            total += words[neighbors[e]]
        out[i] = mix(total ^ (words[v] * np.uint64(0xD6E8FEB86659FD93)))
    return out


@kernel
def round_colors(offsets, neighbors, colors, num_colors):
    """New colours after one WL round, numbered by first appearance, and the first node of each.

    A node's signature is its colour and the sum of its neighbours' keys, two independent 64-bit words a colour: two
    different multisets agree with probability below 2**-88 (multiplicities below 2**20 cost 20 bits of each word).
    """
    n = len(offsets) - 1
    keys = np.empty((num_colors, 2), np.uint64)
    for c in range(num_colors):
        keys[c, 0] = mix(np.uint64(c) * np.uint64(2) + np.uint64(0x9E3779B97F4A7C15))
        keys[c, 1] = mix(np.uint64(c) * np.uint64(2) + np.uint64(0xC2B2AE3D27D4EB4F))
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    mask = np.uint64((1 << bits) - 1)
    slots = np.full(1 << bits, -1, np.int32)
    new_colors = np.empty(n, np.int32)
    first_node = np.empty(n, np.int32)
    first_sum = np.empty((n, 2), np.uint64)
    k = 0
    for v in range(n):
        a = np.uint64(0)
        b = np.uint64(0)
        for e in range(offsets[v], offsets[v + 1]):
            c = colors[neighbors[e]]
            a += keys[c, 0]
            b += keys[c, 1]
        own = colors[v]
        slot = mix(a ^ (keys[own, 1] * np.uint64(0xD6E8FEB86659FD93))) & mask
        while True:
            i = slots[slot]
            if i < 0:
                slots[slot] = k
                first_node[k] = v
                first_sum[k, 0] = a
                first_sum[k, 1] = b
                new_colors[v] = k
                k += 1
                break
            if first_sum[i, 0] == a and first_sum[i, 1] == b and colors[first_node[i]] == own:
                new_colors[v] = i
                break
            slot = (slot + np.uint64(1)) & mask
    return new_colors, first_node[:k].copy()


@kernel
def class_counts(offsets, neighbors, colors, num_colors, first_node):
    """CSR [classes, earlier classes]: how many neighbours of a class's first node are in each earlier class."""
    k = len(first_node)
    total = 0
    for i in range(k):
        total += offsets[first_node[i] + 1] - offsets[first_node[i]]
    out_offsets = np.zeros(k + 1, np.int64)
    columns = np.empty(total, np.int32)
    values = np.empty(total, np.int32)
    place = np.full(num_colors, -1, np.int64)  # where a colour stands in the current row; rows begin at out_offsets[i]
    filled = 0
    for i in range(k):
        v = first_node[i]
        row = filled
        for e in range(offsets[v], offsets[v + 1]):
            c = colors[neighbors[e]]
            p = place[c]
            if p < row:
                place[c] = filled
                columns[filled] = c
                values[filled] = 1
                filled += 1
            else:
                values[p] += 1
        out_offsets[i + 1] = filled
    return out_offsets, columns[:filled].copy(), values[:filled].copy()


@kernel
def class_members(starts, colors, num_colors):
    """CSR [graphs, classes]: how many nodes of each graph are in each class."""
    n = len(colors)
    out_offsets = np.zeros(len(starts), np.int64)
    columns = np.empty(n, np.int32)
    values = np.empty(n, np.int32)
    place = np.full(num_colors, -1, np.int64)
    filled = 0
    for g in range(len(starts) - 1):
        row = filled
        for v in range(starts[g], starts[g + 1]):
            c = colors[v]
            p = place[c]
            if p < row:
                place[c] = filled
                columns[filled] = c
                values[filled] = 1
                filled += 1
            else:
                values[p] += 1
        out_offsets[g + 1] = filled
    return out_offsets, columns[:filled].copy(), values[:filled].copy()
