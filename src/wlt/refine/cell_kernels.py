"""Ordered partitions refined in place, by a worklist of cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.kernels import inlined, inner, kernel


class Cells(NamedTuple):
    """An ordered partition of the nodes. A cell is named by the position of its first node in `order`."""

    order: NDArray[np.int32]  # [nodes] the nodes, cell by cell
    where: NDArray[np.int32]  # [nodes] its inverse: the position of each node
    cell: NDArray[np.int32]  # [nodes] the cell of each node
    length: NDArray[np.int32]  # [nodes] how many nodes the cell has that begins at this position; 0 where none does


@kernel
def runs_of_words(words, order):
    """Along `order`, which sorts the words: how many different ones, the longest run, and which words are not alone."""
    n = len(order)
    shared = np.zeros(n, np.bool_)
    runs = 0
    longest = 0
    first = 0
    for i in range(1, n + 1):
        if i == n or words[order[i]] != words[order[first]]:
            runs += 1
            longest = max(longest, i - first)
            if i - first > 1:
                for j in range(first, i):
                    shared[order[j]] = True
            first = i
    return runs, longest, shared


@kernel
def cells_from_order(order, words):
    """The ordered partition whose cells are the runs of equal words along `order`."""
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
    return Cells(order, where, cell, length)


@kernel
def touching_cells(adjacency, cells):
    """The cells with an edge to a cell of two or more nodes, ascending: only these can still split anything."""
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    order, _, cell, length = cells
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
    found = np.empty(n, np.int32)
    total = 0
    for c in range(n):
        if marked[c]:
            found[total] = c
            total += 1
    return found[:total]


SCRATCH_ROWS = 11


@kernel
def new_scratch(n):
    """Work space of `refine_cells`: zero between calls, so that a restart costs nothing for what it does not touch."""
    return np.zeros((SCRATCH_ROWS, n + 2), np.int32)


@inlined
def _swap_to(cells, node, position):
    """Put a node into this position, and the node that is there into its own."""
    other, old = cells.order[position], cells.where[node]
    cells.order[old], cells.where[other] = other, old
    cells.order[position], cells.where[node] = node, position


FEW = 32
"""So many entries are sorted by insertion, more of them byte by byte."""


@inner
def _sort(total, keys, companions, spare_keys, spare_companions):
    """Sort so many keys, none of them negative, and with each its companion; equal keys stay in their order.

    One function for all that `refine_cells` sorts: numba's own takes a second to compile, for each type."""
    if total <= FEW:
        for i in range(1, total):
            key, companion = keys[i], companions[i]
            j = i
            while j > 0 and keys[j - 1] > key:
                keys[j], companions[j] = keys[j - 1], companions[j - 1]
                j -= 1
            keys[j], companions[j] = key, companion
        return
    highest = 0
    for i in range(total):
        highest = max(highest, keys[i])
    places = np.empty(257, np.int64)
    shift = 0
    while highest >> shift > 0:
        for byte in range(257):
            places[byte] = 0
        for i in range(total):
            places[(keys[i] >> shift & 255) + 1] += 1
        for byte in range(256):
            places[byte + 1] += places[byte]
        for i in range(total):
            byte = keys[i] >> shift & 255
            spare_keys[places[byte]], spare_companions[places[byte]] = keys[i], companions[i]
            places[byte] += 1
        for i in range(total):
            keys[i], companions[i] = spare_keys[i], spare_companions[i]
        shift += 8


@kernel
def refine_cells(adjacency, cells, splitters, border, scratch):
    """Refine an ordered partition, in place, until it is stable; O((n + m) log n).

    Generation t of the worklist is exactly WL round t: all its splitters are cells as they were when the generation
    began (later splits only permute nodes inside them), and a cell that was split passes on all parts but its largest,
    because the counts into the whole and into the other parts determine the counts into the last one. Where edges have
    labels, neighbours are counted label by label.

    `border` > 0 separates two graphs of a union: nodes below it and the others. Refinement then ends with the first
    generation after which some cell has not as many nodes on either side. Returns (generations that split a cell, new
    cells, balanced). Positions depend on the partition and the graph alone, never on the names of nodes.
    """
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    labelled = len(adjacency.arcs) > 0
    # Where edges have labels, these take the place of the rows: each has the neighbours of a splitter by one label.
    bounds, room = np.empty(len(adjacency.arcs) + 1, np.int64), np.empty((4, len(adjacency.arcs)), np.int32)
    by_label, labels, spare_labels, spare = room[0], room[1], room[2], room[3]
    if labelled:
        offsets, neighbors = bounds, by_label
    order, where, cell, length = cells
    count = scratch[0]  # neighbours of a node in the current splitter
    moved = scratch[1]  # nodes of a cell with a neighbour in it; they are kept at the cell's end
    bucket = scratch[2]
    from_origin = scratch[3]  # distance to the cell, at the start of the generation, that a cell came from
    origin_length = scratch[4]  # its length; 0 while it is not split
    touched = scratch[5]  # from here on: need not be zero
    nodes = scratch[6]  # a copy of the splitter: its own nodes may be permuted meanwhile
    buffer = scratch[7]
    split_origins = scratch[8]
    queue = scratch[9]
    queue_length = scratch[10]
    queued = len(splitters)
    for q in range(queued):
        queue[q], queue_length[q] = splitters[q], length[splitters[q]]
    rounds = 0
    new_cells = 0
    balanced = True
    while queued > 0 and balanced:
        num_split = np.int64(0)
        for q in range(queued):
            size = queue_length[q]
            for i in range(size):
                nodes[i] = order[queue[q] + i]
            runs = 1
            if labelled:
                # The label that a node of the splitter sees stands for the one that its neighbour sees: it tells it.
                total = np.int64(0)  # not 0: numba would compile `_sort` once more, for that number
                mixed = False
                for i in range(size):
                    for e in range(adjacency.offsets[nodes[i]], adjacency.offsets[nodes[i] + 1]):
                        by_label[total], labels[total] = adjacency.neighbors[e], adjacency.arcs[e]
                        mixed |= labels[total] != labels[0]
                        total += 1
                bounds[0], bounds[1] = 0, total
                if mixed:
                    _sort(total, labels, by_label, spare_labels, spare)
                    for i in range(1, total):
                        if labels[i] != labels[i - 1]:
                            bounds[runs] = i
                            runs += 1
                    bounds[runs] = total
            for run in range(runs):
                num_touched = 0
                for i in range(run if labelled else 0, run + 1 if labelled else size):
                    v = i if labelled else nodes[i]
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
                            _swap_to(cells, u, c + length[c] - moved[c])  # into the moved tail of its cell
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
                        low = min(low, count[order[i]])
                        high = max(high, count[order[i]])
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
                    o = c - from_origin[c]
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
                            from_origin[first] = first - o
                            new_cells += 1
                        cell[v] = first
                    length[first] = end - first
        if num_split > 0:
            rounds += 1
        if num_split > 1:
            _sort(num_split, split_origins, touched, nodes, buffer)  # they have no companions: any array will do
        queued = 0
        for j in range(num_split):
            o = split_origins[j]
            end = o + origin_length[o]
            origin_length[o] = 0
            largest = o
            first = o
            while first < end:
                from_origin[first] = 0
                if length[first] > length[largest]:
                    largest = first
                first += length[first]
            first = o
            while first < end:
                if first != largest:  # the largest part is balanced when all the others are
                    if border > 0 and balanced:
                        left = 0
                        for i in range(first, first + length[first]):
                            if order[i] < border:
                                left += 1
                        balanced = 2 * left == length[first]
                    queue[queued] = first
                    queued += 1
                first += length[first]
        for q in range(queued):
            queue_length[q] = length[queue[q]]
    return rounds, new_cells, balanced


@kernel
def split_off(cells, chosen):
    """Make these nodes of one cell (fewer than all) a cell of their own, at the end of the old one; the new cell."""
    order, _, cell, length = cells
    c = cell[chosen[0]]
    end = c + length[c]
    for i in range(len(chosen)):
        _swap_to(cells, chosen[i], end - 1 - i)
    first = end - len(chosen)
    for i in range(first, end):
        cell[order[i]] = first
    length[c] -= len(chosen)
    length[first] = len(chosen)
    return first
