"""Numba kernels on bare arrays. The only file that imports numba.

Kernels trust their input: the public functions that call them have checked it. Machine code is cached on disk, so only
the first call on a machine compiles.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

kernel: Any = numba.njit(cache=True, nogil=True)


# ---------------------------------------------------------------------------------------------------------------------
# Graphs: building CSR arrays
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def _group(n, source, target, keep_loops):
    """Targets grouped by source, in the order of the input: one pass of a counting sort."""
    offsets = np.zeros(n + 1, np.int64)
    for i in range(len(source)):
        if keep_loops or source[i] != target[i]:
            offsets[source[i] + 1] += 1
    for v in range(n):
        offsets[v + 1] += offsets[v]
    fill = offsets[:-1].copy()
    grouped = np.empty(offsets[n], np.int32)
    for i in range(len(source)):
        if keep_loops or source[i] != target[i]:
            grouped[fill[source[i]]] = target[i]
            fill[source[i]] += 1
    return offsets, grouped


@kernel
def transpose(n, offsets, neighbors):
    """The transposed CSR; its rows are in increasing order whatever the order of the input's rows."""
    back = np.zeros(n + 1, np.int64)
    for e in range(len(neighbors)):
        back[neighbors[e] + 1] += 1
    for v in range(n):
        back[v + 1] += back[v]
    fill = back[:-1].copy()
    rows = np.empty(len(neighbors), np.int32)
    for v in range(len(offsets) - 1):
        for e in range(offsets[v], offsets[v + 1]):
            u = neighbors[e]
            rows[fill[u]] = v
            fill[u] += 1
    return back, rows


@kernel
def _drop_repeats(offsets, neighbors):
    """Sorted rows without repeated entries."""
    n = len(offsets) - 1
    clean = np.zeros(n + 1, np.int64)
    kept = np.empty_like(neighbors)
    k = 0
    for v in range(n):
        last = -1
        for e in range(offsets[v], offsets[v + 1]):
            if neighbors[e] != last:
                last = neighbors[e]
                kept[k] = last
                k += 1
        clean[v + 1] = k
    return clean, kept[:k].copy()


@kernel
def _merge_rows(offsets, neighbors, back, rows):
    """Row by row the union of two CSR arrays with sorted rows."""
    n = len(offsets) - 1
    merged_offsets = np.zeros(n + 1, np.int64)
    merged = np.empty(len(neighbors) + len(rows), np.int32)
    k = 0
    for v in range(n):
        i, j = offsets[v], back[v]
        while i < offsets[v + 1] or j < back[v + 1]:
            if j == back[v + 1] or (i < offsets[v + 1] and neighbors[i] < rows[j]):
                merged[k] = neighbors[i]
                i += 1
            elif i == offsets[v + 1] or rows[j] < neighbors[i]:
                merged[k] = rows[j]
                j += 1
            else:
                merged[k] = rows[j]
                i += 1
                j += 1
            k += 1
        merged_offsets[v + 1] = k
    return merged_offsets, merged[:k].copy()


@kernel
def csr_from_edges(n, source, target):
    """CSR of the undirected simple graph, with the number of loops and of repeated ordered pairs left out."""
    offsets, grouped = _group(n, source, target, False)
    loops = len(source) - len(grouped)
    back, rows = transpose(n, offsets, grouped)  # transposing twice sorts every row, in linear time
    offsets, grouped = transpose(n, back, rows)
    clean, kept = _drop_repeats(offsets, grouped)
    repeats = len(grouped) - len(kept)
    back, rows = transpose(n, clean, kept)
    symmetric = np.array_equal(clean, back) and np.array_equal(kept, rows)
    if symmetric:
        return clean, kept, loops, repeats
    merged_offsets, merged = _merge_rows(clean, kept, back, rows)
    return merged_offsets, merged, loops, repeats


@kernel
def first_edge_between_graphs(offsets, neighbors, starts):
    """Index of the first entry of `neighbors` that leaves its graph, or -1."""
    for g in range(len(starts) - 1):
        low, high = starts[g], starts[g + 1]
        for e in range(offsets[low], offsets[high]):
            if neighbors[e] < low or neighbors[e] >= high:
                return e
    return -1


@kernel
def take_graphs(offsets, neighbors, starts, which):
    """Offsets, neighbours and starts of the disjoint union of some graphs of a union."""
    new_starts = np.zeros(len(which) + 1, np.int64)
    entries = 0
    for i in range(len(which)):
        g = which[i]
        new_starts[i + 1] = new_starts[i] + starts[g + 1] - starts[g]
        entries += offsets[starts[g + 1]] - offsets[starts[g]]
    new_offsets = np.zeros(new_starts[-1] + 1, np.int64)
    new_neighbors = np.empty(entries, np.int32)
    node = 0
    k = 0
    for i in range(len(which)):
        g = which[i]
        shift = new_starts[i] - starts[g]
        for v in range(starts[g], starts[g + 1]):
            for e in range(offsets[v], offsets[v + 1]):
                new_neighbors[k] = neighbors[e] + shift
                k += 1
            node += 1
            new_offsets[node] = k
    return new_offsets, new_neighbors, new_starts


@kernel
def is_isomorphism(offsets_g, neighbors_g, offsets_h, neighbors_h, mapping):
    """Does the bijection map every edge of g onto an edge of h? (Both have equally many edges: checked by the caller.)"""
    n = len(offsets_g) - 1
    seen = np.full(n, -1, np.int64)
    for v in range(n):
        image = mapping[v]
        for e in range(offsets_h[image], offsets_h[image + 1]):
            seen[neighbors_h[e]] = v
        for e in range(offsets_g[v], offsets_g[v + 1]):
            if seen[mapping[neighbors_g[e]]] != v:
                return False
    return True


# ---------------------------------------------------------------------------------------------------------------------
# Colour refinement to the end: hashed rounds in bulk, then a worklist of cells
# ---------------------------------------------------------------------------------------------------------------------


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
def hashed_round(offsets, neighbors, words):
    """One WL round on 64-bit colour words, in bulk.

    Equal nodes get equal words; a collision can only merge cells, which the worklist splits again."""
    n = len(offsets) - 1
    keys = np.empty(n, np.uint64)
    for v in range(n):
        keys[v] = mix(words[v] + np.uint64(0x9E3779B97F4A7C15))
    out = np.empty(n, np.uint64)
    for v in range(n):
        total = np.uint64(0)
        for e in range(offsets[v], offsets[v + 1]):
            total += keys[neighbors[e]]
        out[v] = mix(total ^ (keys[v] * np.uint64(0xD6E8FEB86659FD93)))
    return out


@kernel
def cells_from_order(order, words):
    """The ordered partition whose cells are the runs of equal words along `order`; see refine.Partition."""
    n = len(order)
    where = np.empty(n, np.int32)
    cell = np.empty(n, np.int32)
    length = np.zeros(n, np.int32)
    first = 0
    for i in range(n):
        if i > 0 and words[order[i]] != words[order[i - 1]]:
            first = i
        where[order[i]] = i
        cell[order[i]] = first
        length[first] += 1
    return where, cell, length


@kernel
def touching_cells(offsets, neighbors, order, cell, length):
    """The cells with an edge to a cell of two or more nodes, ascending: only these can still split anything."""
    n = len(order)
    marked = np.zeros(n, np.bool_)
    first = 0
    while first < n:
        size = length[first]
        if size > 1:
            for i in range(first, first + size):
                v = order[i]
                for e in range(offsets[v], offsets[v + 1]):
                    marked[cell[neighbors[e]]] = True
        first += size
    return np.flatnonzero(marked).astype(np.int32)


@kernel
def refine_cells(offsets, neighbors, order, where, cell, length, splitters, border):
    """Refine an ordered partition, in place, until it is stable; O((n + m) log n).

    Generation t of the worklist is exactly WL round t: all its splitters are cells as they were when the generation
    began (later splits only permute nodes inside them), and a cell that was split passes on all parts but its largest,
    because the counts into the whole and into the other parts determine the counts into the last one.

    `border` > 0 separates two graphs of a union: nodes below it and the others. Refinement then ends with the first
    generation after which some cell has not as many nodes on either side. Returns (generations that split a cell,
    balanced). Positions depend on the partition and the graph alone, never on the names of nodes.
    """
    n = len(order)
    count = np.zeros(n, np.int32)  # neighbours of a node in the current splitter
    moved = np.zeros(n, np.int32)  # nodes of a cell with a neighbour in it; they are kept at the cell's end
    touched = np.empty(n, np.int32)
    nodes = np.empty(n, np.int32)  # a copy of the splitter: its own nodes may be permuted meanwhile
    bucket = np.zeros(n + 1, np.int32)
    buffer = np.empty(n, np.int32)
    origin = np.arange(n).astype(np.int32)  # the cell, at the start of the generation, that a cell came from
    origin_length = np.zeros(n, np.int32)  # its length; 0 while it is not split
    split_origins = np.empty(n, np.int32)
    queue = np.empty(n, np.int32)
    queue_length = np.empty(n, np.int32)
    queued = len(splitters)
    for i in range(queued):
        queue[i] = splitters[i]
        queue_length[i] = length[splitters[i]]
    rounds = 0
    balanced = True
    while queued > 0 and balanced:
        num_split = 0
        for q in range(queued):
            size = queue_length[q]
            for i in range(size):
                nodes[i] = order[queue[q] + i]
            num_touched = 0
            for i in range(size):
                v = nodes[i]
                for e in range(offsets[v], offsets[v + 1]):
                    u = neighbors[e]
                    c = cell[u]
                    if length[c] == 1:
                        continue
                    if count[u] == 0:
                        if moved[c] == 0:
                            touched[num_touched] = c
                            num_touched += 1
                        moved[c] += 1
                        p = c + length[c] - moved[c]  # swap u into the moved tail of its cell
                        other = order[p]
                        old = where[u]
                        order[old] = other
                        where[other] = old
                        order[p] = u
                        where[u] = p
                    count[u] += 1
            for j in range(num_touched):
                c = touched[j]
                tail = moved[c]
                moved[c] = 0
                end = c + length[c]
                begin = end - tail
                low = count[order[begin]]
                high = low
                for i in range(begin + 1, end):
                    x = count[order[i]]
                    if x < low:
                        low = x
                    if x > high:
                        high = x
                if low < high:  # counting sort of the tail; high is at most the number of edges just walked
                    for i in range(begin, end):
                        bucket[count[order[i]] - low + 1] += 1
                    for x in range(high - low):
                        bucket[x + 1] += bucket[x]
                    for i in range(begin, end):
                        v = order[i]
                        x = count[v] - low
                        buffer[bucket[x]] = v
                        bucket[x] += 1
                    for x in range(high - low + 2):
                        bucket[x] = 0
                    for i in range(tail):
                        order[begin + i] = buffer[i]
                        where[buffer[i]] = begin + i
                if begin == c and low == high:  # every node has the same count: no split
                    for i in range(begin, end):
                        count[order[i]] = 0
                    continue
                o = origin[c]
                if origin_length[o] == 0:
                    split_origins[num_split] = o
                    num_split += 1
                    origin_length[o] = length[o]  # its first split: o == c is still whole
                first = c
                last_count = 0 if begin > c else low
                if begin > c:
                    length[c] = begin - c
                for i in range(begin, end):
                    v = order[i]
                    x = count[v]
                    count[v] = 0
                    if x != last_count:
                        if i > begin:
                            length[first] = i - first
                        last_count = x
                        first = i
                        origin[first] = o
                    cell[v] = first
                length[first] = end - first
        if num_split > 0:
            rounds += 1
        queued = 0
        if num_split > 1:
            split_origins[:num_split].sort()
        for j in range(num_split):
            o = split_origins[j]
            end = o + origin_length[o]
            origin_length[o] = 0
            largest = o
            first = o
            while first < end:
                if length[first] > length[largest]:
                    largest = first
                first += length[first]
            first = o
            while first < end:
                origin[first] = first
                if first != largest:  # the largest part is balanced when all the others are
                    if border > 0 and balanced:
                        left = 0
                        for i in range(first, first + length[first]):
                            if order[i] < border:
                                left += 1
                        balanced = 2 * left == length[first]
                    queue[queued] = first
                    queue_length[queued] = length[first]
                    queued += 1
                first += length[first]
    return rounds, balanced


# ---------------------------------------------------------------------------------------------------------------------
# One WL round of a batch, as sparse matrices between classes
# ---------------------------------------------------------------------------------------------------------------------


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
