"""The quotient of a stable partition, and its core: what is left when all that colour refinement identifies is peeled
off."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.kernels import CSR, kernel
from wlt.refine.round_kernels import class_counts, mixed_labels


class Quotient(NamedTuple):
    """The cells of a stable partition, numbered in their order, and how they are joined."""

    rank: NDArray[np.int32]  # [nodes] the number of each node's cell
    first_node: NDArray[np.int32]  # [cells] the first node of each cell, in the order of the partition
    sizes: NDArray[np.int64]  # [cells] its nodes
    rows: CSR  # [cells, cells] how many neighbours a node of one cell has in another
    mixed: NDArray[np.bool_]  # [entries of rows] are they joined by different labels? Empty: edges have no labels


class LargeCells(NamedTuple):
    """The cells of two nodes and more, and how they are joined to each other: no others are in a core."""

    places: NDArray[np.int32]  # [cells] the position in the order of each one's first node
    sizes: NDArray[np.int64]
    rows: CSR
    mixed: NDArray[np.bool_]


@kernel
def quotient(adjacency, cells):
    """The quotient of a stable partition."""
    order, length = cells.order, cells.length
    n = len(order)
    rank = np.empty(n, np.int32)
    first_node = np.empty(n, np.int32)
    sizes = np.empty(n, np.int64)
    k = 0
    first = 0
    while first < n:
        first_node[k] = order[first]
        sizes[k] = length[first]
        for i in range(first, first + length[first]):
            rank[order[i]] = k
        k += 1
        first += length[first]
    rows = class_counts(adjacency, rank, k, first_node[:k])
    return Quotient(rank, first_node[:k], sizes[:k], rows, mixed_labels(adjacency, rank, first_node[:k], rows))


@kernel
def large_cells(adjacency, cells):
    """What `core_cells` needs of a stable partition, and no more: in less time than its whole quotient."""
    order, _, cell, length = cells
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    n = len(order)
    k = 0
    entries = 0
    number = np.empty(n, np.int32)  # of the cell that begins at a position, if it is large
    position = 0
    while position < n:
        if length[position] > 1:
            number[position] = k
            entries += offsets[order[position] + 1] - offsets[order[position]]
            k += 1
        position += length[position]
    places = np.empty(k, np.int32)
    sizes = np.empty(k, np.int64)
    out_offsets = np.zeros(k + 1, np.int64)
    columns = np.empty(entries, np.int32)
    values = np.empty(entries, np.int32)
    labelled = len(adjacency.arcs) > 0
    label = np.empty(entries if labelled else 0, np.int32)
    mixed = np.zeros(entries if labelled else 0, np.bool_)
    entry = np.full(k, -1, np.int32)  # where a cell stands in the current row
    x = 0
    filled = 0
    position = 0
    while x < k:
        if length[position] > 1:
            v = order[position]
            places[x], sizes[x] = position, length[position]
            begin = filled
            for e in range(offsets[v], offsets[v + 1]):
                c = cell[neighbors[e]]
                if length[c] == 1:
                    continue
                y = number[c]
                p = entry[y]
                if p < begin:
                    p = entry[y] = filled
                    columns[p], values[p] = y, 0
                    if labelled:
                        label[p] = adjacency.arcs[e]
                    filled += 1
                values[p] += 1
                if labelled:
                    mixed[p] |= label[p] != adjacency.arcs[e]
            x += 1
            out_offsets[x] = filled
        position += length[position]
    return LargeCells(places, sizes, CSR(out_offsets, columns[:filled], values[:filled]), mixed[:filled])


@kernel
def core_cells(quotient):
    """Which cells of a stable partition are left when everything that colour refinement identifies is peeled off?

    quotient: or `LargeCells`, of which the same are left. Row X of it says how many neighbours a node of cell X has in
    cell Y. A pair of cells is trivial if it is empty or complete; a dense pair stands for its complement. Peeled are:
    singletons; cells without edges and without partners; C5 or matchings inside one cell without partners; and, again
    and again, a cell Y without inner edges whose one partner X gives every node of Y exactly one neighbour (stars
    around X, or a matching). Two cells, or the inside of one, that are joined by different labels are never peeled;
    where there is one label it says nothing new."""
    sizes = quotient.sizes
    row_offsets, columns, counts = quotient.rows
    k = len(sizes)
    inner = np.zeros(k, np.int64)  # degree inside the cell, or in its complement if that is smaller
    partners = np.zeros(k, np.int64)
    for x in range(k):
        for e in range(row_offsets[x], row_offsets[x + 1]):
            y = columns[e]
            mixed = len(quotient.mixed) > 0 and quotient.mixed[e]
            if x == y:
                inner[x] = 3 if mixed else min(counts[e], sizes[x] - 1 - counts[e])
            elif sizes[x] > 1 and sizes[y] > 1 and mixed:
                partners[x] += 2  # as if there were two: x is never left with one
            elif sizes[x] > 1 and sizes[y] > 1 and counts[e] < sizes[y]:
                partners[x] += 1
    core = np.ones(k, np.bool_)
    stack = np.empty(2 * k, np.int64)
    height = 0
    for x in range(k):
        if partners[x] <= 1:
            stack[height] = x
            height += 1
    while height > 0:
        height -= 1
        y = stack[height]
        if not core[y]:
            continue
        if partners[y] == 0:
            core[y] = inner[y] > 1 and not (inner[y] == 2 and sizes[y] == 5)
            continue
        if inner[y] > 0:
            continue
        for e in range(row_offsets[y], row_offsets[y + 1]):
            x = columns[e]
            if x != y and core[x] and sizes[x] > 1 and counts[e] < sizes[x]:
                if min(counts[e], sizes[x] - counts[e]) == 1:
                    core[y] = False
                    partners[x] -= 1
                    if partners[x] <= 1:
                        stack[height] = x
                        height += 1
                break
    return core


@kernel
def core_edges(adjacency, cells, quotient, core):
    """The edges (u < v) between core cells, without complete pairs and with dense ones complemented.

    Linear: a complemented pair has lost edges. Cells that are joined by different labels stay as they are. Also the
    entry of every edge in the adjacency; -1 for those of a complement."""
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    order, rank, sizes = cells.order, quotient.rank, quotient.sizes
    row_offsets, columns, counts = quotient.rows
    first = np.cumsum(sizes) - sizes  # where a cell begins in the order
    n = len(offsets) - 1
    source = np.empty(len(neighbors) // 2, np.int32)
    target = np.empty(len(neighbors) // 2, np.int32)
    entry = np.empty(len(neighbors) // 2, np.int64)
    filled = 0
    kept = np.full(len(sizes), -1, np.int64)  # kept[y] == x: the edges between cells x and y stay as they are
    seen = np.full(n, -1, np.int64)
    for x in range(len(sizes)):
        if not core[x]:
            continue
        for e in range(row_offsets[x], row_offsets[x + 1]):
            y = columns[e]
            room = sizes[y] - 1 if x == y else sizes[y]
            mixed = len(quotient.mixed) > 0 and quotient.mixed[e]
            if core[y] and (mixed or 2 * counts[e] <= room):
                kept[y] = x
        for i in range(first[x], first[x] + sizes[x]):
            v = order[i]
            for e in range(offsets[v], offsets[v + 1]):
                u = neighbors[e]
                seen[u] = v
                if v < u and kept[rank[u]] == x:
                    source[filled] = v
                    target[filled] = u
                    entry[filled] = e
                    filled += 1
            for e in range(row_offsets[x], row_offsets[x + 1]):
                y = columns[e]
                room = sizes[y] - 1 if x == y else sizes[y]
                if core[y] and kept[y] != x:
                    for j in range(first[y], first[y] + sizes[y]):
                        u = order[j]
                        if v < u and seen[u] != v:
                            source[filled] = v
                            target[filled] = u
                            entry[filled] = -1
                            filled += 1
    return source[:filled].copy(), target[:filled].copy(), entry[:filled].copy()
