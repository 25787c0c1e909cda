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
def _group(n, source, target):
    """Targets grouped by source, loops left out, in the order of the input: one pass of a counting sort."""
    offsets = np.zeros(n + 1, np.int64)
    for i in range(len(source)):
        if source[i] != target[i]:
            offsets[source[i] + 1] += 1
    for v in range(n):
        offsets[v + 1] += offsets[v]
    fill = offsets[:-1].copy()
    grouped = np.empty(offsets[n], np.int32)
    for i in range(len(source)):
        if source[i] != target[i]:
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
    offsets, grouped = _group(n, source, target)
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
    """Does the bijection map every edge of g onto an edge of h? (The caller knows that both have equally many.)"""
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


SCRATCH_ROWS = 10


@kernel
def new_scratch(n):
    """Work space of `refine_cells`: zero between calls, so that a restart costs nothing for what it does not touch."""
    return np.zeros((SCRATCH_ROWS, n + 2), np.int32)


@kernel
def refine_cells(offsets, neighbors, order, where, cell, length, splitters, border, scratch):
    """Refine an ordered partition, in place, until it is stable; O((n + m) log n).

    Generation t of the worklist is exactly WL round t: all its splitters are cells as they were when the generation
    began (later splits only permute nodes inside them), and a cell that was split passes on all parts but its largest,
    because the counts into the whole and into the other parts determine the counts into the last one.

    `border` > 0 separates two graphs of a union: nodes below it and the others. Refinement then ends with the first
    generation after which some cell has not as many nodes on either side. Returns (generations that split a cell, new
    cells, balanced). Positions depend on the partition and the graph alone, never on the names of nodes.
    """
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
    queued = len(splitters)
    queue[:queued] = splitters
    queue_length = np.empty(queued, np.int32)
    for i in range(queued):
        queue_length[i] = length[splitters[i]]
    rounds = 0
    new_cells = 0
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
            split_origins[:num_split].sort()
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
        queue_length = length[queue[:queued]]
    return rounds, new_cells, balanced


@kernel
def split_off(order, where, cell, length, chosen):
    """Make these nodes of one cell (fewer than all) a cell of their own, at the end of the old one; the new cell."""
    c = cell[chosen[0]]
    end = c + length[c]
    for i in range(len(chosen)):
        u = chosen[i]
        p = end - 1 - i
        other = order[p]
        old = where[u]
        order[old] = other
        where[other] = old
        order[p] = u
        where[u] = p
    first = end - len(chosen)
    for i in range(first, end):
        cell[order[i]] = first
    length[c] -= len(chosen)
    length[first] = len(chosen)
    return first


@kernel
def tinhofer_run(offsets, neighbors, order, where, cell, length, num_cells, border, seed):
    """Algorithm 2 after its first closure, on a balanced stable partition of the union, in place.

    The class of a step is the first, in the order of cells, that has two nodes or more of each graph: no name of a node
    has a part in it, and the search for it never goes back. Returns (balanced, cell, node of g, node of h and number of
    classes after each step)."""
    n = len(order)
    scratch = new_scratch(n)
    cells = np.empty(n, np.int32)
    left = np.empty(n, np.int32)
    right = np.empty(n, np.int32)
    classes = np.empty(n, np.int32)
    pair = np.empty(2, np.int32)
    state = np.uint64(seed)
    steps = 0
    position = 0
    while position < n:
        size = length[position]
        if size == 2:
            position += 2
            continue
        for side in range(2):  # draw until a node of the wanted side comes up: half of the cell is on either side
            while True:
                state += np.uint64(0x9E3779B97F4A7C15)
                u = order[position + np.int64(mix(state) % np.uint64(size))]
                if (u >= border) == (side == 1):
                    pair[side] = u
                    break
        cells[steps] = position
        left[steps] = pair[0]
        right[steps] = pair[1] - border
        first = split_off(order, where, cell, length, pair)
        splitters = np.full(1, first, np.int32)  # the smaller part: the rest has two nodes or more
        _, new_cells, balanced = refine_cells(
            offsets, neighbors, order, where, cell, length, splitters, border, scratch
        )
        num_cells += 1 + new_cells
        classes[steps] = num_cells
        steps += 1
        if not balanced:
            return False, cells[:steps], left[:steps], right[:steps], classes[:steps]
    return True, cells[:steps], left[:steps], right[:steps], classes[:steps]


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


# ---------------------------------------------------------------------------------------------------------------------
# Graph classes: the core that is left of a stable partition
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def core_cells(row_offsets, columns, counts, sizes):
    """Which cells of a stable partition are left when everything that colour refinement identifies is peeled off?

    Row X of the quotient says how many neighbours a node of cell X has in cell Y. A pair of cells is trivial if it is
    empty or complete; a dense pair stands for its complement. Peeled are: singletons; cells without edges and without
    partners; C5 or matchings inside one cell without partners; and, again and again, a cell Y without inner edges whose
    one partner X gives every node of Y exactly one neighbour (stars around X, or a matching)."""
    k = len(sizes)
    inner = np.zeros(k, np.int64)  # degree inside the cell, or in its complement if that is smaller
    partners = np.zeros(k, np.int64)
    for x in range(k):
        for e in range(row_offsets[x], row_offsets[x + 1]):
            y = columns[e]
            if x == y:
                inner[x] = min(counts[e], sizes[x] - 1 - counts[e])
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
def core_edges(offsets, neighbors, order, first, cell, row_offsets, columns, counts, sizes, core):
    """The edges (u < v) between core cells, without complete pairs and with dense ones complemented.

    Cell x has the nodes `order[first[x] : first[x] + sizes[x]]`. Linear: a complemented pair has lost edges."""
    n = len(offsets) - 1
    source = np.empty(len(neighbors) // 2, np.int32)
    target = np.empty(len(neighbors) // 2, np.int32)
    filled = 0
    kept = np.full(len(sizes), -1, np.int64)  # kept[y] == x: the edges between cells x and y stay as they are
    seen = np.full(n, -1, np.int64)
    for x in range(len(sizes)):
        if not core[x]:
            continue
        for e in range(row_offsets[x], row_offsets[x + 1]):
            y = columns[e]
            room = sizes[y] - 1 if x == y else sizes[y]
            if core[y] and 2 * counts[e] <= room:
                kept[y] = x
        for i in range(first[x], first[x] + sizes[x]):
            v = order[i]
            for e in range(offsets[v], offsets[v + 1]):
                u = neighbors[e]
                seen[u] = v
                if v < u and kept[cell[u]] == x:
                    source[filled] = v
                    target[filled] = u
                    filled += 1
            for e in range(row_offsets[x], row_offsets[x + 1]):
                y = columns[e]
                room = sizes[y] - 1 if x == y else sizes[y]
                if core[y] and 2 * counts[e] > room:
                    for j in range(first[y], first[y] + sizes[y]):
                        u = order[j]
                        if v < u and seen[u] != v:
                            source[filled] = v
                            target[filled] = u
                            filled += 1
    return source[:filled].copy(), target[:filled].copy()


# ---------------------------------------------------------------------------------------------------------------------
# Audit: every outcome of recoloring a graph
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def _largest_classes(words, nodes):
    """The positions of all words that are repeated most often, into `nodes`; how often, and how many positions.

    Where no word is repeated there is nothing to recolour: one position, -1."""
    order = np.argsort(words)
    n = len(words)
    size = 1
    count = 0
    first = 0
    for i in range(1, n + 1):
        if i == n or words[order[i]] != words[order[first]]:
            if i - first > size:
                size = i - first
                count = 0
            if i - first == size and size > 1:
                nodes[count : count + size] = order[first:i]
                count += size
            first = i
    if count == 0:
        nodes[0] = -1
        count = 1
    return size, count


@kernel
def _multiset_word(words):
    """A 64-bit word of the multiset of words."""
    total = np.uint64(0)
    for i in range(len(words)):
        total += mix(words[i] ^ np.uint64(0xA0761D6478BD642F))
    return total


@kernel
def recoloring_outcomes(offsets, neighbors, starts, which, words, rounds, budget):
    """Every outcome of recoloring one node of a largest class, then `rounds[0]` WL rounds, and so on, depth-first.

    Graph by graph for those in `which`. `words` [2, nodes] are the colours before the first recoloring, as two
    independent 64-bit words each; they are changed. All classes that tie for the largest are tried. A recoloured node
    gets a new colour that remembers the old one. Returns

    bounds   [graphs + 1]          where the outcomes of each graph begin
    outcomes [outcomes, 2]         two words of the multiset of the nodes' last colours
    steps    [outcomes, levels, 2] at each recoloring a word of the colours that it found and the colour that it chose
    ways     [outcomes]            the outcome has probability 1 / ways, once the choice among tied classes is made
    spent                          nodes and edges visited; where that exceeds the budget the rest is incomplete
    """
    levels = len(rounds)
    most_nodes = 1
    for i in range(len(which)):
        most_nodes = max(most_nodes, starts[which[i] + 1] - starts[which[i]])
    saved = np.empty((levels, 2, most_nodes), np.uint64)
    candidates = np.empty((levels, most_nodes), np.int64)
    count = np.zeros(levels, np.int64)
    position = np.zeros(levels, np.int64)
    ways_here = np.ones(levels + 1, np.float64)
    path = np.zeros((levels, 2), np.uint64)
    bounds = np.zeros(len(which) + 1, np.int64)
    outcomes = np.empty((1024, 2), np.uint64)
    steps = np.empty((1024, levels, 2), np.uint64)
    ways = np.empty(1024, np.float64)
    filled = 0
    spent = np.int64(0)
    for i in range(len(which)):
        low, high = starts[which[i]], starts[which[i] + 1]
        n = high - low
        nodes = np.arange(low, high).astype(np.int32)
        visited = n + offsets[high] - offsets[low] + 100  # small graphs cost their outcomes' memory, too
        k = 0
        arrived = True
        while k >= 0:
            if arrived:
                arrived = False
                saved[k, :, :n] = words[:, low:high]
                size, count[k] = _largest_classes(words[0, low:high], candidates[k])
                ways_here[k + 1] = ways_here[k] * size
                position[k] = 0
                path[k, 0] = _multiset_word(words[0, low:high])
            if position[k] == count[k]:
                k -= 1
                continue
            words[:, low:high] = saved[k, :, :n]
            v = candidates[k, position[k]]
            position[k] += 1
            path[k, 1] = 0
            if v >= 0:
                path[k, 1] = words[0, low + v]
                mark = np.uint64(k + 1) * np.uint64(0x9E3779B97F4A7C15)
                words[0, low + v] = mix(words[0, low + v] + mark)
                words[1, low + v] = mix(words[1, low + v] + mark)
            spent += visited
            different = 0
            for t in range(rounds[k]):
                for word in range(2):
                    words[word, low:high] = hashed_round(offsets, neighbors, words[word], nodes)
                spent += visited
                if t > 3:  # in deep structures, end where the colouring is stable: all graphs with these colours do
                    now = len(np.unique(words[0, low:high]))
                    if now == different:
                        break
                    different = now
            if spent > budget:
                return bounds, outcomes[:0], steps[:0], ways[:0], spent
            if k + 1 < levels:
                k += 1
                arrived = True
                continue
            if filled == len(ways):
                outcomes = np.concatenate((outcomes, np.empty_like(outcomes)))
                steps = np.concatenate((steps, np.empty_like(steps)))
                ways = np.concatenate((ways, np.empty_like(ways)))
            outcomes[filled, 0] = _multiset_word(words[0, low:high])
            outcomes[filled, 1] = _multiset_word(words[1, low:high])
            steps[filled] = path
            ways[filled] = ways_here[levels]
            filled += 1
        bounds[i + 1] = filled
    return bounds, outcomes[:filled].copy(), steps[:filled].copy(), ways[:filled].copy(), spent


# ---------------------------------------------------------------------------------------------------------------------
# Canonical recoloring: which nodes of a class may be taken
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def nodes_of_largest_classes(starts, colors, num_colors):
    """Per graph all nodes of the classes of the largest size: CSR; none where every class is a single node."""
    size = np.zeros(num_colors, np.int64)
    bounds = np.zeros(len(starts), np.int64)
    nodes = np.empty(len(colors), np.int32)
    k = 0
    for g in range(len(starts) - 1):
        largest = 0
        for v in range(starts[g], starts[g + 1]):
            size[colors[v]] += 1
            largest = max(largest, size[colors[v]])
        for v in range(starts[g], starts[g + 1]):
            if largest > 1 and size[colors[v]] == largest:
                nodes[k] = v
                k += 1
        for v in range(starts[g], starts[g + 1]):
            size[colors[v]] = 0
        bounds[g + 1] = k
    return bounds, nodes[:k].copy()


@kernel
def _quotient(offsets, neighbors, order, length):
    """A stable partition's cells: their first nodes, sizes, and CSR of the neighbours that a node has in each cell."""
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
    row_offsets, columns, counts = class_counts(offsets, neighbors, rank, k, first_node[:k])
    return rank, first_node[:k], sizes[:k], row_offsets, columns, counts


@kernel
def _surroundings_word(row_offsets, columns, counts, words, cell, rounds):
    """The word of a cell after so many WL rounds from these words: it knows what is near the cell, and nothing else."""
    new = np.empty_like(words)
    for _ in range(rounds):
        for i in range(len(words)):
            total = words[i] * np.uint64(0xD6E8FEB86659FD93)
            for e in range(row_offsets[i], row_offsets[i + 1]):
                total += np.uint64(counts[e]) * words[columns[e]]
            new[i] = mix(total)
        words, new = new, words
    return words[cell]


@kernel
def _quotient_words(row_offsets, columns, counts, sizes, cell):
    """Two words of the whole quotient, in the order of its cells, and of one of them."""
    a = mix(np.uint64(cell))
    b = mix(a)
    for i in range(len(sizes)):
        s = mix(np.uint64(i) * np.uint64(0xD6E8FEB86659FD93) + np.uint64(sizes[i]))
        t = mix(s)
        for e in range(row_offsets[i], row_offsets[i + 1]):
            entry = (np.uint64(columns[e]) << np.uint64(32)) + np.uint64(counts[e])
            s += mix(entry + np.uint64(0x9E3779B97F4A7C15))
            t += mix(entry + np.uint64(0xC2B2AE3D27D4EB4F))
        a += mix(s)
        b += mix(t)
    return a, b


@kernel
def most_refining(offsets, neighbors, starts, names, bounds, candidates, which, rounds, budget):
    """Of the candidates of each graph in `which` those whose individualisation has the largest invariant.

    The stable partition begins with the names; an individualised candidate refines it further. The invariant is
    (number of cells, the candidate's word after `rounds` WL rounds, two words of the quotient). Where colour refinement
    identifies the stable partition, its cells are orbits, and one node of each is tried. Where the trials would visit
    more than `budget` nodes and edges, none is made. Returns

    kept_bounds [len(which) + 1], kept: CSR of the nodes kept
    equivalent  [len(which)]            any two of them are known to be mapped onto each other by an automorphism
    """
    kept_bounds = np.zeros(len(which) + 1, np.int64)
    kept = np.empty(len(candidates), np.int32)
    equivalent = np.ones(len(which), np.bool_)
    filled = 0
    one = np.zeros(1, np.int32)
    for w in range(len(which)):
        g = which[w]
        low = starts[g]
        own_offsets, own_neighbors, own_starts = take_graphs(offsets, neighbors, starts, which[w : w + 1])
        n = own_starts[1]
        own_names = names[low : low + n]
        order = np.argsort(own_names).astype(np.int32)
        where, cell, length = cells_from_order(order, own_names)
        scratch = new_scratch(n)
        splitters = touching_cells(own_offsets, own_neighbors, order, cell, length)
        refine_cells(own_offsets, own_neighbors, order, where, cell, length, splitters, 0, scratch)
        tried = candidates[bounds[g] : bounds[g + 1]] - np.int32(low)
        rank, first_node, sizes, row_offsets, columns, counts = _quotient(own_offsets, own_neighbors, order, length)
        if not core_cells(row_offsets, columns, counts, sizes).any():
            seen = np.zeros(n, np.bool_)
            k = 0
            for i in range(len(tried)):
                if not seen[cell[tried[i]]]:
                    seen[cell[tried[i]]] = True
                    tried[k] = tried[i]
                    k += 1
            tried = tried[:k]
        if len(tried) == 1 or len(tried) * (n + len(own_neighbors)) > budget:
            equivalent[w] = len(tried) == 1
            for i in range(len(tried)):
                kept[filled] = tried[i] + low
                filled += 1
            kept_bounds[w + 1] = filled
            continue
        order1, where1, cell1, length1 = order.copy(), where.copy(), cell.copy(), length.copy()
        most_cells, best, best_a, best_b = 0, np.uint64(0), np.uint64(0), np.uint64(0)
        for i in range(len(tried)):
            u = tried[i]
            order1[:], where1[:], cell1[:], length1[:] = order, where, cell, length
            if length1[cell1[u]] > 1:
                one[0] = u
                one[0] = split_off(order1, where1, cell1, length1, one)
                refine_cells(own_offsets, own_neighbors, order1, where1, cell1, length1, one, 0, scratch)
            cells = np.count_nonzero(length1)
            if cells < most_cells:
                continue
            rank, first_node, sizes, row_offsets, columns, counts = _quotient(
                own_offsets, own_neighbors, order1, length1
            )
            words = np.empty(cells, np.uint64)
            for c in range(cells):
                words[c] = mix(own_names[first_node[c]] + np.uint64(0x9E3779B97F4A7C15))
            words[rank[u]] = mix(words[rank[u]])
            word = _surroundings_word(row_offsets, columns, counts, words, rank[u], rounds)
            if cells == most_cells and word < best:
                continue
            a, b = _quotient_words(row_offsets, columns, counts, sizes, rank[u])
            if cells == most_cells and word == best and a == best_a and b == best_b:
                kept[filled] = u + low
                filled += 1
            elif cells > most_cells or word > best or a > best_a or (a == best_a and b > best_b):
                most_cells, best, best_a, best_b = cells, word, a, b
                equivalent[w] = not core_cells(row_offsets, columns, counts, sizes).any()
                filled = kept_bounds[w]
                kept[filled] = u + low
                filled += 1
        equivalent[w] |= filled == kept_bounds[w] + 1
        kept_bounds[w + 1] = filled
    return kept_bounds, kept[:filled].copy(), equivalent


@kernel
def content_words(offsets, neighbors, starts, names, bounds, candidates, which):
    """[len(which), 2] Two words of each graph's edges, names and candidates, with the nodes numbered as they are."""
    out = np.zeros((len(which), 2), np.uint64)
    step = np.uint64(0x9E3779B97F4A7C15)
    for w in range(len(which)):
        g = which[w]
        low, high = starts[g], starts[g + 1]
        place = np.uint64(1)
        a, b = np.uint64(0), np.uint64(0)
        for v in range(low, high):
            word = mix(names[v] + place) + np.uint64(offsets[v + 1] - offsets[v])
            a += mix(word)
            b += mix(word ^ step)
            place += step
            for e in range(offsets[v], offsets[v + 1]):
                word = np.uint64(neighbors[e] - low) + place
                a += mix(word)
                b += mix(word ^ step)
                place += step
        for i in range(bounds[g], bounds[g + 1]):
            word = np.uint64(candidates[i] - low) + place
            a += mix(word)
            b += mix(word ^ step)
            place += step
        out[w, 0], out[w, 1] = a, b
    return out
