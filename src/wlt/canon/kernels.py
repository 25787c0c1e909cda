"""The canonical order of a graph's nodes: colour refinement, and search where that does not decide.

The order is part of what a key means, so everything that it depends on is fixed: changing it changes all keys, which
the golden keys in the tests tell. Nothing in it depends on names of nodes, or on other graphs of a union.

1. Hashed WL rounds give every node a word. If all words of a graph differ, their order is the canonical order.
2. Otherwise the worklist makes the partition stable, its cells in an order that no name enters.
3. A stable partition without core (see `refine.core`) is that of an amenable graph: nodes of a cell can be mapped onto
   each other, again and again while any one of them is individualised. So any of them may be taken, and no search is
   needed. Every other partition is a node of a search tree: its children individualise the nodes of one cell.
4. Among the leaves of the tree the smallest counts: first by the traces on the way to it, which are words of the
   partitions there, then by the list of its edges. Two leaves with equal lists give an automorphism, which shows that
   parts of the tree are alike, and only one of them is searched.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.kernels import Adjacency, kernel
from wlt.refine.cell_kernels import cells_from_order, new_scratch, refine_cells, split_off, touching_cells
from wlt.refine.core_kernels import core_cells, large_cells
from wlt.refine.round_kernels import GOLDEN, OTHER, OWN, mix, next_word

SMALL = 256  # nodes: graphs that are larger leave the hashed rounds where these split little, as on long paths
FEW = 48  # nodes: so many are sorted by insertion, which is quicker than to call a sorting function
STORED_GENERATORS = 128  # automorphisms that prune the search away from the first path
REFINING = 20  # what it takes to refine a node or an entry, in visits of a search
FIRST = np.uint64(1)

# How a search ended; IN_PARTS: it was not begun, because it is better done component by component
FINISHED, OUT_OF_BUDGET, IN_PARTS = 0, 1, 2


class Search(NamedTuple):
    """What a search found."""

    state: int  # FINISHED or OUT_OF_BUDGET
    order: NDArray[np.int32]  # [nodes] the node that comes to each place
    orbits: NDArray[np.int32]  # [nodes] the smallest node of each node's orbit
    factors: NDArray[np.int64]  # their product is the order of the automorphism group
    generators: NDArray[np.int32]  # [generators, nodes] node v goes to generators[i, v]
    spent: int  # nodes and edges visited


class Explored(NamedTuple):
    """What was found of the graphs of a union."""

    states: NDArray[np.int8]  # [graphs]
    orders: NDArray[np.int32]  # [nodes] the node that comes to each place
    orbits: NDArray[np.int32]  # [nodes] the smallest node of each node's orbit
    factors: NDArray[np.int64]  # of the last graph that was searched
    generators: NDArray[np.int32]  # likewise


@kernel
def part_of_union(adjacency, low, high):
    """The graph on these nodes of a union, by its own numbers. One label on all edges is none: it splits nothing."""
    begin, end = adjacency.offsets[low], adjacency.offsets[high]
    offsets = adjacency.offsets[low : high + 1] - begin
    neighbors = adjacency.neighbors[begin:end] - np.int32(low)
    arcs = adjacency.arcs[:0]
    if len(adjacency.arcs) > 0:
        for e in range(begin + 1, end):
            if adjacency.arcs[e] != adjacency.arcs[begin]:
                arcs = adjacency.arcs[begin:end]
                break
    return Adjacency(offsets, neighbors, arcs)


@kernel
def _different(words, slots):
    """How many different words? `slots` is a table of zeros, a power of two and at least twice as long."""
    mask = np.uint64(len(slots) - 1)
    different = 0
    zero = False
    for v in range(len(words)):
        word = words[v]
        if word == 0:
            zero = True
            continue
        slot = (word >> np.uint64(20)) & mask
        while slots[slot] != 0 and slots[slot] != word:
            slot = (slot + FIRST) & mask
        if slots[slot] == 0:
            slots[slot] = word
            different += 1
    slots[:] = 0
    return different + (1 if zero else 0)


@kernel
def hashed_words(adjacency, words, factors, rounds):
    """Words after WL rounds, and whether they are those of a stable partition, but for collisions of hashes.

    factors: an odd word for each label of an edge. rounds: how many; -1: until no round splits anything, or, in large
    graphs, until they split little."""
    n = len(words)
    size = 4
    while size < 2 * n:
        size *= 2
    slots = np.zeros(size, np.uint64)
    current = words.copy()
    new = np.empty(n, np.uint64)
    count = _different(current, slots)
    done = 0
    while (count < n or rounds > 0) and done != rounds:
        for v in range(n):
            total = np.uint64(0)
            if len(adjacency.arcs) == 0:
                for e in range(adjacency.offsets[v], adjacency.offsets[v + 1]):
                    total += current[adjacency.neighbors[e]]
            else:
                for e in range(adjacency.offsets[v], adjacency.offsets[v + 1]):
                    total += current[adjacency.neighbors[e]] * factors[adjacency.arcs[e]]
            new[v] = next_word(current[v], total)
        current, new = new, current
        done += 1
        if rounds >= 0:
            continue
        more = _different(current, slots)
        if more <= count:
            return current, True
        slow = n > SMALL and done > 2 and more - count < n // 16 and more < 2 * count
        count = more
        if slow:
            return current, False
    return current, True


@kernel
def _is_discrete(cells):
    """Is every node alone in its cell?"""
    return cells.length.all()


@kernel
def mixed(words, constant):
    """Words that are independent of these, but for having as many different ones."""
    out = np.empty(len(words), np.uint64)
    for i in range(len(words)):
        out[i] = mix(words[i] ^ constant)
    return out


@kernel
def _sort_first(values, count):
    """Sort so many of the values; few of them by insertion, see `FEW`."""
    if count > FEW:
        values[:count].sort()
        return
    for i in range(1, count):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


@kernel
def _is_stable(adjacency, colors, cells, factor):
    """Have the nodes of every cell one colour, and equally many neighbours in every cell, by every label?

    factor: more than the largest label."""
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    order, _, cell, length = cells
    n = len(order)
    widest = 0
    for v in range(n):
        widest = max(widest, offsets[v + 1] - offsets[v])
    of_first = np.empty(widest, np.int64)
    of_node = np.empty(widest, np.int64)
    position = 0
    while position < n:
        size = length[position]
        first = order[position]
        degree = offsets[first + 1] - offsets[first]
        for i in range(position, position + size if size > 1 else position):
            v = order[i]
            if colors[v] != colors[first] or offsets[v + 1] - offsets[v] != degree:
                return False
            for e in range(degree):
                label = adjacency.arcs[offsets[v] + e] if len(adjacency.arcs) > 0 else 0
                of_node[e] = np.int64(cell[neighbors[offsets[v] + e]]) * factor + label
            _sort_first(of_node, degree)
            if i == position:
                of_first[:degree] = of_node[:degree]
            else:
                for e in range(degree):
                    if of_first[e] != of_node[e]:
                        return False
        position += size
    return True


@kernel
def _order_of(words):
    """The nodes in the order of their words."""
    n = len(words)
    if n > FEW:
        return np.argsort(words).astype(np.int32)
    order = np.empty(n, np.int32)
    for i in range(n):
        word = words[i]
        j = i
        while j > 0 and words[order[j - 1]] > word:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
    return order


@kernel
def stable_cells(adjacency, colors, words, factors):
    """The stable partition that begins with these colours, in canonical order. words: of the colours."""
    hashed, likely = hashed_words(adjacency, words, factors, -1)
    cells = cells_from_order(_order_of(hashed), hashed)
    if _is_discrete(cells):
        return cells
    if likely and _is_stable(adjacency, colors, cells, len(factors) + 1):
        return cells
    order = cells.order
    for i in range(len(order)):
        if colors[order[i]] != colors[order[cells.cell[order[i]]]]:  # words collided: begin with the colours alone
            cells = cells_from_order(_order_of(words), words)
            break
    refine_cells(adjacency, cells, touching_cells(adjacency, cells), 0, new_scratch(len(order)))
    return cells


@kernel
def _target_cell(adjacency, cells, only_core):
    """The cell whose nodes are individualised next, or -1 where no search is needed; and is the core made of pairs?

    Of the core: the cell that is joined in a way that means something to most others, of these the smallest, of these
    the first. Otherwise the first of more than one node."""
    length = cells.length
    n = len(length)
    if not only_core:
        position = 0
        while position < n and length[position] == 1:
            position += 1
        return position if position < n else -1, False
    cell_graph = large_cells(adjacency, cells)
    left = core_cells(cell_graph)
    places, sizes, rows = cell_graph.places, cell_graph.sizes, cell_graph.rows
    best = -1
    best_partners = -1
    pairs = True
    for x in range(len(sizes)):
        if left[x]:
            pairs &= sizes[x] == 2
            partners = 0
            for e in range(rows.offsets[x], rows.offsets[x + 1]):
                y = rows.columns[e]
                mixed = len(cell_graph.mixed) > 0 and cell_graph.mixed[e]
                if left[y] and y != x and (mixed or rows.values[e] < sizes[y]):
                    partners += 1
            if best < 0 or partners > best_partners or (partners == best_partners and sizes[x] < sizes[best]):
                best, best_partners = x, partners
    target = places[best] if best >= 0 else -1
    return target, pairs


@kernel
def _trace(adjacency, cells, factors):
    """A word of a stable partition: its cells and how they are joined."""
    order, _, cell, length = cells
    n = len(order)
    word = np.uint64(0)
    position = 0
    while position < n:
        v = order[position]
        total = np.uint64(0)
        for e in range(adjacency.offsets[v], adjacency.offsets[v + 1]):
            other = mix(np.uint64(cell[adjacency.neighbors[e]]) + GOLDEN)
            total += other * factors[adjacency.arcs[e]] if len(adjacency.arcs) > 0 else other
        word += mix(total ^ (np.uint64(position) * OWN) ^ (np.uint64(length[position]) * OTHER))
        position += length[position]
    return word


@kernel
def _individualize(adjacency, cells, node, scratch):
    """Make the node a cell of its own, behind the rest of its cell, and refine."""
    alone = np.full(1, node, np.int32)
    splitters = np.full(1, split_off(cells, alone), np.int32)
    refine_cells(adjacency, cells, splitters, 0, scratch)


@kernel
def _complete(adjacency, cells, scratch):
    """Individualise the first node of a cell, again and again, until every node is alone; the sizes of the cells."""
    n = len(cells.order)
    sizes = np.empty(n, np.int64)
    filled = 0
    position = 0
    while position < n:
        size = cells.length[position]
        if size == 1:
            position += 1
            continue
        sizes[filled] = size
        filled += 1
        _individualize(adjacency, cells, cells.order[position], scratch)
    return sizes[:filled]


@kernel
def _complete_pairs(adjacency, cells, target, scratch):
    """What the search would find where the core is made of pairs: individualise a node of the target cell, again and
    again, then of all others.

    To swap the nodes of every pair of the core is an automorphism: two pairs are joined by all edges, by none, or by
    two that do not touch, by equal labels, and the swap keeps each of these. So any node may be taken."""
    while target >= 0:
        _individualize(adjacency, cells, cells.order[target], scratch)
        target = _target_cell(adjacency, cells, True)[0]
    _complete(adjacency, cells, scratch)


@kernel
def edge_list(adjacency, order, where):
    """The edges of a graph in this order of its nodes: offsets, for every place the earlier places that it is joined
    to, ascending, and the labels of these edges as the earlier end sees them."""
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    n = len(order)
    rows = np.zeros(n + 1, np.int64)
    for i in range(n):
        v = order[i]
        for e in range(offsets[v], offsets[v + 1]):
            if where[neighbors[e]] < i:
                rows[i + 1] += 1
    for i in range(n):
        rows[i + 1] += rows[i]
    fill = rows[:-1].copy()
    columns = np.empty(len(neighbors) // 2, np.int32)
    labels = np.empty(len(neighbors) // 2 if len(adjacency.arcs) > 0 else 0, np.int32)
    for i in range(n):
        v = order[i]
        for e in range(offsets[v], offsets[v + 1]):
            j = where[neighbors[e]]
            if j > i:
                columns[fill[j]] = i
                if len(labels) > 0:
                    labels[fill[j]] = adjacency.arcs[e]
                fill[j] += 1
    return rows, columns, labels


@kernel
def _compare(one, other):
    """-1, 0 or 1: the order of two lists of edges. Their labels are numbered alike."""
    for i in range(len(one[0])):
        if one[0][i] != other[0][i]:
            return -1 if one[0][i] < other[0][i] else 1
    for i in range(len(one[1])):
        if one[1][i] != other[1][i]:
            return -1 if one[1][i] < other[1][i] else 1
    for i in range(len(one[2])):
        if one[2][i] != other[2][i]:
            return -1 if one[2][i] < other[2][i] else 1
    return 0


@kernel
def _root(parent, v):
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


@kernel
def _join(parent, u, v):
    """The smaller root becomes that of both."""
    u, v = _root(parent, u), _root(parent, v)
    if u < v:
        parent[v] = u
    elif v < u:
        parent[u] = v


@kernel
def _restore(cells, born, level):
    """Back to the partition of an earlier level: cells that began later are joined to those before them."""
    order, _, cell, length = cells
    first = 0
    for i in range(len(order)):
        if born[i] <= level:
            first = i
        else:
            born[i] = len(order) + 1
        length[i] = 0
        cell[order[i]] = first
        length[first] += 1


@kernel
def _remember(cells, born, level):
    """The cells that are new begin with this level."""
    for i in range(len(born)):
        if cells.length[i] > 0 and born[i] > level:
            born[i] = level


@kernel
def _next_candidate(cells, position, last, orbits):
    """The smallest node of the cell, beyond the last one that was tried, that is the smallest of its orbit; or -1."""
    best = -1
    for i in range(position, position + cells.length[position]):
        v = cells.order[i]
        if v > last and (best < 0 or v < best) and _root(orbits, v) == v:
            best = v
    return best


@kernel
def _orbits_that_fix(generators, count, path, level, nodes):
    """The orbits of those automorphisms that leave all nodes of the path, up to this level, where they are."""
    orbits = np.arange(nodes).astype(np.int32)
    for g in range(count):
        fixes = True
        for i in range(level):
            if generators[g, path[i]] != path[i]:
                fixes = False
                break
        if fixes:
            for v in range(nodes):
                _join(orbits, v, generators[g, v])
    return orbits


@kernel
def search(adjacency, cells, factors, canonical, only_core, budget):
    """The search tree below a stable partition, which is refined in place.

    canonical: is the canonical order wanted? Otherwise the first leaf's is returned, and only what may be like it is
    searched. only_core: partitions without core are leaves; otherwise every cell is searched and every generator of
    the group is found. budget: [1] nodes and edges that may be visited; whoever writes -1 there ends the search."""
    n = len(cells.order)
    work = n + len(adjacency.neighbors)
    scratch = new_scratch(n)
    born = np.full(n, n + 1, np.int64)
    _remember(cells, born, 0)
    orbits = np.arange(n).astype(np.int32)
    generators = np.empty((16, n), np.int32)
    found = 0
    factors_of_order = np.ones(n + 1, np.int64)
    of_leaf = np.zeros(0, np.int64)
    targets = np.empty(n + 1, np.int64)  # by level: the cell whose nodes are tried
    last = np.empty(n + 1, np.int64)  # and the last of them that was
    path = np.empty(n + 1, np.int64)  # the nodes that are individualised
    like_first = np.ones(n + 1, np.bool_)  # are the traces up to a level those of the first path?
    beside_best = np.zeros(n + 1, np.int64)  # are they smaller than, equal to or larger than those of the best?
    traces = np.zeros(n + 1, np.uint64)
    first_trace = np.zeros(n + 1, np.uint64)
    best_trace = np.zeros(n + 1, np.uint64)
    first_path = path.copy()
    best_path = path.copy()
    first_depth = best_depth = -1
    first_order = best_order = cells.order
    first_list = best_list = edge_list(adjacency, cells.order, cells.where)
    shared = 0  # how many nodes of the path are those of the first path
    level = 0
    spent = 0
    down = True
    while level >= 0:
        if spent > budget[0]:
            return Search(OUT_OF_BUDGET, best_order, orbits, factors_of_order, generators[:0], spent)
        spent += work
        if down:
            targets[level] = _target_cell(adjacency, cells, only_core)[0]
            last[level] = -1
            down = False
            if targets[level] >= 0:
                continue
            if first_depth < 0:
                position = 0
                while position < n:
                    for i in range(position + 1, position + cells.length[position]):
                        _join(orbits, cells.order[position], cells.order[i])
                    position += cells.length[position]
            sizes = _complete(adjacency, cells, scratch)
            spent += work
            _remember(cells, born, level + 1)
            leaf = edge_list(adjacency, cells.order, cells.where)
            back = level - 1
            if first_depth < 0:
                first_depth = best_depth = shared = level
                first_order = best_order = cells.order.copy()
                first_list = best_list = leaf
                first_path, best_path = path.copy(), path.copy()
                of_leaf = sizes
            else:
                twin = first_order[:0]
                if like_first[level] and level == first_depth and _compare(leaf, first_list) == 0:
                    twin, back = first_order, shared
                elif canonical:
                    beside = beside_best[level]
                    if beside == 0:
                        beside = _compare(leaf, best_list) if level == best_depth else level - best_depth
                    if beside == 0:
                        twin, back = best_order, 0
                        while path[back] == best_path[back]:
                            back += 1
                    elif beside < 0:
                        best_order, best_list, best_depth = cells.order.copy(), leaf, level
                        best_path = path.copy()
                        best_trace[: level + 1] = traces[: level + 1]
                        beside_best[: level + 1] = 0
                if len(twin) > 0:
                    if found == len(generators) and (not only_core or found < STORED_GENERATORS):
                        generators = np.concatenate((generators, np.empty_like(generators)))
                    row = found % len(generators)
                    for i in range(n):
                        generators[row, twin[i]] = cells.order[i]
                        _join(orbits, twin[i], cells.order[i])
                    found += 1
            level = back
            if level >= 0:
                _restore(cells, born, level)
                shared = min(shared, level)
            continue
        if level <= shared:
            w = _next_candidate(cells, targets[level], last[level], orbits)
        elif last[level] < 0 or found == 0:
            w = _next_candidate(cells, targets[level], last[level], np.arange(n).astype(np.int32))
        else:
            kept = min(found, len(generators))
            spent += kept * n
            of_path = _orbits_that_fix(generators, kept, path, level, n)
            w = _next_candidate(cells, targets[level], last[level], of_path)
        if w < 0:
            if level <= shared:  # a node of the first path: the orbit of the node that is individualised there is known
                position = targets[level]
                members = 0
                for i in range(position, position + cells.length[position]):
                    members += _root(orbits, cells.order[i]) == _root(orbits, first_path[level])
                factors_of_order[level] = members
            level -= 1
            if level >= 0:
                _restore(cells, born, level)
                shared = min(shared, level)
            continue
        path[level] = last[level] = w
        _individualize(adjacency, cells, w, scratch)
        _remember(cells, born, level + 1)
        trace = _trace(adjacency, cells, factors)
        if first_depth < 0:
            first_trace[level + 1] = best_trace[level + 1] = trace
        else:
            like_first[level + 1] = like_first[level] and level < first_depth and trace == first_trace[level + 1]
            beside = beside_best[level]
            if beside == 0 and level < best_depth and trace != best_trace[level + 1]:
                beside = -1 if trace < best_trace[level + 1] else 1
            elif beside == 0 and level >= best_depth:
                beside = 1
            beside_best[level + 1] = beside
            if not like_first[level + 1] and not (canonical and beside <= 0):
                _restore(cells, born, level)
                continue
        traces[level + 1] = trace
        level += 1
        down = True
    for v in range(n):
        orbits[v] = _root(orbits, v)
    all_factors = np.concatenate((factors_of_order[: max(first_depth, 0)], of_leaf))
    return Search(FINISHED, best_order, orbits, all_factors, generators[: min(found, len(generators))], spent)


@kernel
def components(adjacency):
    """[nodes] The number of each node's component, counted by their first nodes, and how many there are."""
    n = len(adjacency.offsets) - 1
    component = np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    count = 0
    for start in range(n):
        if component[start] >= 0:
            continue
        component[start] = count
        queue[0] = start
        first, end = 0, 1
        while first < end:
            v = queue[first]
            first += 1
            for e in range(adjacency.offsets[v], adjacency.offsets[v + 1]):
                u = adjacency.neighbors[e]
                if component[u] < 0:
                    component[u] = count
                    queue[end] = u
                    end += 1
        count += 1
    return component, count


@kernel
def explore(adjacency, starts, first, colors, words, factors, canonical, only_core, budget, enough, found):
    """The canonical order or the automorphism group of the graphs of a union from this one on, written into `found`,
    until so much work is done; the first graph that is left. The last fields of `found` are those of `search`.

    colors: [nodes] ranks of the node labels. words: [nodes] of these. factors: an odd word for each label of an edge.
    budget: [1] of each search. One function for both, because every function that calls `search` takes long to compile.
    """
    states, orders, orbits, group_order, generators = found
    work = 0
    g = first
    while g < len(starts) - 1 and work < enough:
        low, high = starts[g], starts[g + 1]
        g += 1
        if low == high:
            continue
        work += REFINING * (high - low + adjacency.offsets[high] - adjacency.offsets[low])
        graph = part_of_union(adjacency, low, high)
        cells = stable_cells(graph, colors[low:high], words[low:high], factors)
        order = cells.order
        own_orbits = order
        state = FINISHED
        if not _is_discrete(cells):
            target, pairs = _target_cell(graph, cells, True)
            if target >= 0 and components(graph)[1] > 1:
                state = IN_PARTS
            elif canonical and (target < 0 or pairs):
                _complete_pairs(graph, cells, target, new_scratch(high - low))
            else:
                result = search(graph, cells, factors, canonical, only_core, budget)
                order, own_orbits, state = result.order, result.orbits, result.state
                group_order, generators = result.factors, result.generators
                work += result.spent
        else:
            own_orbits = np.arange(high - low).astype(np.int32)
        states[g - 1] = state
        for i in range(high - low):
            orders[low + i] = low + order[i]
            orbits[low + i] = low + own_orbits[i]
    return g, Explored(states, orders, orbits, group_order, generators)


@kernel
def _local_codes(codes, number, used):
    """Which of the codes occur, ascending: their places among these are left in `number`."""
    count = 0
    for i in range(len(codes)):
        if number[codes[i]] < 0:
            number[codes[i]] = 0
            used[count] = codes[i]
            count += 1
    _sort_first(used, count)
    for i in range(count):
        number[used[i]] = i
    return count


@kernel
def descriptions(adjacency, starts, orders, colors, digests, arc_digests, nothing, plain):
    """Every graph in its canonical order as numbers, int32, and where those of each graph begin:

        nodes, edges, node labels in use, edge labels in use
        the digests of the node labels in use, then of the edge labels in use, four numbers each, ascending
        the label of every node, by its place among those in use
        for every node how many earlier nodes it is joined to, then for each of these its place and, if edge labels are
        in use, the label of the edge as that earlier node sees it

    nothing, plain: the codes of nodes and edges that carry nothing, or -1. Where all do, no labels are in use."""
    base = starts[0]
    n = starts[-1] - base
    offsets, neighbors, arcs = adjacency
    entries = offsets[starts[-1]] - offsets[base]
    labelled = len(arcs) > 0
    bounds = np.zeros(len(starts), np.int64)
    most = 4 * (len(starts) - 1) + 6 * n + entries + (4 * entries if labelled else 0)
    out = np.empty(most, np.int32)
    number = np.full(len(digests), -1, np.int64)
    arc_number = np.full(len(arc_digests), -1, np.int64)
    used = np.empty(min(n, len(digests)), np.int32)
    arcs_used = np.empty(min(entries, len(arc_digests)), np.int32)
    where = np.empty(n, np.int32)
    fill = np.empty(n, np.int64)
    k = 0
    for g in range(len(starts) - 1):
        low, high = starts[g], starts[g + 1]
        begin, end = offsets[low], offsets[high]
        for i in range(low, high):
            where[orders[i] - base] = i
        kinds = _local_codes(colors[low:high], number, used)
        with_colors = kinds > 1 or (kinds == 1 and used[0] != nothing)
        arc_kinds = _local_codes(arcs[begin:end], arc_number, arcs_used) if labelled else 0
        with_arcs = arc_kinds > 1 or (arc_kinds == 1 and arcs_used[0] != plain)
        out[k] = high - low
        out[k + 1] = (end - begin) // 2
        out[k + 2] = kinds if with_colors else 0
        out[k + 3] = arc_kinds if with_arcs else 0
        k += 4
        if with_colors:
            for i in range(kinds):
                for part in range(4):
                    out[k + part] = digests[used[i], part]
                k += 4
        if with_arcs:
            for i in range(arc_kinds):
                for part in range(4):
                    out[k + part] = arc_digests[arcs_used[i], part]
                k += 4
        if with_colors:
            for i in range(low, high):
                out[k] = number[colors[orders[i]]]
                k += 1
        step = 2 if with_arcs else 1
        for i in range(low, high):
            v = orders[i]
            earlier = 0
            for e in range(offsets[v], offsets[v + 1]):
                earlier += where[neighbors[e] - base] < i
            out[k] = earlier
            fill[i - base] = k + 1
            k += 1 + step * earlier
        for i in range(low, high):  # ascending, so that every row is
            v = orders[i]
            for e in range(offsets[v], offsets[v + 1]):
                j = where[neighbors[e] - base]
                if j > i:
                    out[fill[j - base]] = i - low
                    if with_arcs:
                        out[fill[j - base] + 1] = arc_number[arcs[e]]
                    fill[j - base] += step
        for i in range(kinds):
            number[used[i]] = -1
        for i in range(arc_kinds):
            arc_number[arcs_used[i]] = -1
        bounds[g + 1] = k
    return out[:k].copy(), bounds


@kernel
def stable_descriptions(adjacency, starts, colors, words, factors, digests, arc_digests, plain):
    """What WL knows of every graph, as numbers, int32, and where those of each graph begin:

        nodes, cells of the stable partition
        for every cell, in canonical order, its size, the digest of its label, and how many neighbours its nodes have by
        which label in which cell: how many such entries, and for each of them the cell, the number, and 1 and the
        digest of the label, or 0 for edges that carry nothing

    Also whether the nodes of each graph are all told apart, and whether it is amenable."""
    capacity = 1024
    out = np.empty(capacity, np.int32)
    bounds = np.zeros(len(starts), np.int64)
    discrete = np.zeros(len(starts) - 1, np.bool_)
    amenable = np.zeros(len(starts) - 1, np.bool_)
    kinds = len(arc_digests) if len(adjacency.arcs) > 0 else 1
    k = 0
    for g in range(len(starts) - 1):
        low, high = starts[g], starts[g + 1]
        n = high - low
        needed = k + 2 + 8 * n + 7 * (adjacency.offsets[high] - adjacency.offsets[low])
        if needed > capacity:
            while needed > capacity:
                capacity *= 2
            larger = np.empty(capacity, np.int32)
            larger[:k] = out[:k]
            out = larger
        head = k
        k += 2
        count = 0
        if n > 0:
            graph = part_of_union(adjacency, low, high)
            cells = stable_cells(graph, colors[low:high], words[low:high], factors)
            order, _, cell, length = cells
            discrete[g] = _is_discrete(cells)
            amenable[g] = discrete[g] or not core_cells(large_cells(graph, cells)).any()
            number = np.empty(n, np.int64)  # of the cell that begins at a position
            for position in range(n):
                if length[position] > 0:
                    number[position] = count
                    count += 1
            position = 0
            while position < n:
                v = low + order[position]
                out[k] = length[position]
                out[k + 1 : k + 5] = digests[colors[v]]
                first, last = adjacency.offsets[v], adjacency.offsets[v + 1]
                seen = np.empty(last - first, np.int64)
                for e in range(first, last):
                    label = adjacency.arcs[e] if len(adjacency.arcs) > 0 else 0
                    seen[e - first] = number[cell[adjacency.neighbors[e] - low]] * kinds + label
                seen.sort()
                row = k + 5
                k += 6
                different = 0
                place = k
                for i in range(len(seen)):
                    if i > 0 and seen[i] == seen[i - 1]:
                        out[place + 1] += 1
                        continue
                    different += 1
                    place = k
                    labelled = len(adjacency.arcs) > 0 and seen[i] % kinds != plain
                    out[k] = seen[i] // kinds
                    out[k + 1] = 1
                    out[k + 2] = 1 if labelled else 0
                    k += 3
                    if labelled:
                        out[k : k + 4] = arc_digests[seen[i] % kinds]
                        k += 4
                out[row] = different
                position += length[position]
        out[head] = n
        out[head + 1] = count
        bounds[g + 1] = k
    return out[:k].copy(), bounds, discrete, amenable
