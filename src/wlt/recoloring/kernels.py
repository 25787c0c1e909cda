"""Every outcome of recoloring a graph, and which nodes of a class canonical recoloring may take."""

from __future__ import annotations

import numpy as np

from wlt.kernels import kernel, take_graphs
from wlt.refine.cell_kernels import Cells, cells_from_order, new_scratch, refine_cells, split_off, touching_cells
from wlt.refine.core_kernels import core_cells, quotient
from wlt.refine.round_kernels import GOLDEN, OTHER, OWN, color_words, hashed_round, mix, word_of_cell

COST_OF_A_GRAPH = 100
"""Counted besides the nodes and edges visited: small graphs cost their outcomes' memory, too."""


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
def recoloring_outcomes(adjacency, starts, which, words, rounds, budget, every_node):
    """Every outcome of recoloring one node of a largest class, then `rounds[0]` WL rounds, and so on, depth-first.

    Graph by graph for those in `which`. `words` [2, nodes] are the colours before the first recoloring, as two
    independent 64-bit words each; they are changed. All classes that tie for the largest are tried; with
    `every_node`, all nodes of the graph, as if they were one class. A recoloured node gets a new colour that remembers
    the old one. Returns

    bounds   [graphs + 1]          where the outcomes of each graph begin
    outcomes [outcomes, 2]         two words of the multiset of the nodes' last colours
    steps    [outcomes, levels, 2] at each recoloring a word of the colours before it, and the colour that it chose
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
        edges = adjacency.offsets[high] - adjacency.offsets[low]
        visited = n + edges + COST_OF_A_GRAPH
        k = 0
        arrived = True
        while k >= 0:
            if arrived:
                arrived = False
                saved[k, :, :n] = words[:, low:high]
                if every_node:
                    size = n
                    count[k] = n
                    candidates[k, :n] = np.arange(n)
                else:
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
                mark = np.uint64(k + 1) * GOLDEN
                words[0, low + v] = mix(words[0, low + v] + mark)
                words[1, low + v] = mix(words[1, low + v] + mark)
            spent += visited
            different = 0
            for t in range(rounds[k]):
                for word in range(2):
                    words[word, low:high] = hashed_round(adjacency, words[word], nodes)
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
def _entry_factors(adjacency, arc_words, quotient):
    """For each entry of the quotient's rows the number of neighbours; where edges have labels, a sum of their words."""
    rows = quotient.rows
    if len(adjacency.arcs) == 0:
        return rows.values.astype(np.uint64)
    factors = np.zeros(len(rows.columns), np.uint64)
    place = np.empty(len(quotient.sizes), np.int64)  # the entry of each cell in the current row
    for i in range(len(quotient.first_node)):
        v = quotient.first_node[i]
        for p in range(rows.offsets[i], rows.offsets[i + 1]):
            place[rows.columns[p]] = p
        for e in range(adjacency.offsets[v], adjacency.offsets[v + 1]):
            factors[place[quotient.rank[adjacency.neighbors[e]]]] += arc_words[adjacency.arcs[e]]
    return factors


@kernel
def _quotient_words(quotient, factors, cell):
    """Two words of the whole quotient, in the order of its cells, and of one of them. See `_entry_factors`."""
    sizes, rows = quotient.sizes, quotient.rows
    a = mix(np.uint64(cell))
    b = mix(a)
    for i in range(len(sizes)):
        s = mix(np.uint64(i) * OWN + np.uint64(sizes[i]))
        t = mix(s)
        for e in range(rows.offsets[i], rows.offsets[i + 1]):
            entry = (np.uint64(rows.columns[e]) << np.uint64(32)) + factors[e]
            s += mix(entry + GOLDEN)
            t += mix(entry + OTHER)
        a += mix(s)
        b += mix(t)
    return a, b


@kernel
def most_refining(adjacency, arc_words, starts, names, bounds, candidates, which, rounds, budget):
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
        own_adjacency, own_starts = take_graphs(adjacency, starts, which[w : w + 1])
        n = own_starts[1]
        own_names = names[low : low + n]
        cells = cells_from_order(np.argsort(own_names).astype(np.int32), own_names)
        scratch = new_scratch(n)
        refine_cells(own_adjacency, cells, touching_cells(own_adjacency, cells), 0, scratch)
        tried = candidates[bounds[g] : bounds[g + 1]] - np.int32(low)
        if not core_cells(quotient(own_adjacency, cells)).any():
            seen = np.zeros(n, np.bool_)
            k = 0
            for i in range(len(tried)):
                if not seen[cells.cell[tried[i]]]:
                    seen[cells.cell[tried[i]]] = True
                    tried[k] = tried[i]
                    k += 1
            tried = tried[:k]
        if len(tried) == 1 or len(tried) * (n + len(own_adjacency.neighbors)) > budget:
            equivalent[w] = len(tried) == 1
            kept[filled : filled + len(tried)] = tried + np.int32(low)
            filled += len(tried)
            kept_bounds[w + 1] = filled
            continue
        trial = Cells(cells.order.copy(), cells.where.copy(), cells.cell.copy(), cells.length.copy())
        most_cells, best, best_a, best_b = 0, np.uint64(0), np.uint64(0), np.uint64(0)
        for i in range(len(tried)):
            u = tried[i]
            trial.order[:], trial.where[:], trial.cell[:], trial.length[:] = cells
            if trial.length[trial.cell[u]] > 1:
                one[0] = u
                one[0] = split_off(trial, one)
                refine_cells(own_adjacency, trial, one, 0, scratch)
            num_cells = np.count_nonzero(trial.length)
            if num_cells < most_cells:
                continue
            refined = quotient(own_adjacency, trial)
            words = color_words(own_names[refined.first_node])
            cell = refined.rank[u]
            words[cell] = mix(words[cell])
            factors = _entry_factors(own_adjacency, arc_words, refined)
            word = word_of_cell(refined.rows, factors, words, cell, rounds)
            if num_cells == most_cells and word < best:
                continue
            a, b = _quotient_words(refined, factors, cell)
            larger = num_cells > most_cells or word > best or a > best_a or (a == best_a and b > best_b)
            if larger:
                most_cells, best, best_a, best_b = num_cells, word, a, b
                equivalent[w] = not core_cells(refined).any()
                filled = kept_bounds[w]
            if larger or (a == best_a and b == best_b):
                kept[filled] = u + low
                filled += 1
        equivalent[w] |= filled == kept_bounds[w] + 1
        kept_bounds[w + 1] = filled
    return kept_bounds, kept[:filled].copy(), equivalent


@kernel
def _add_word(a, b, place, word):
    """Two sums of words and the place of the next word, after adding this one."""
    return a + mix(word), b + mix(word ^ GOLDEN), place + GOLDEN


@kernel
def content_words(adjacency, arc_words, starts, names, bounds, candidates, which):
    """[len(which), 2] Two words of each graph's edges, names and candidates, with the nodes numbered as they are."""
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    out = np.zeros((len(which), 2), np.uint64)
    for w in range(len(which)):
        g = which[w]
        low, high = starts[g], starts[g + 1]
        place = np.uint64(1)
        a, b = np.uint64(0), np.uint64(0)
        for v in range(low, high):
            a, b, place = _add_word(a, b, place, mix(names[v] + place) + np.uint64(offsets[v + 1] - offsets[v]))
            for e in range(offsets[v], offsets[v + 1]):
                label = arc_words[adjacency.arcs[e]] if len(adjacency.arcs) > 0 else np.uint64(0)
                a, b, place = _add_word(a, b, place, np.uint64(neighbors[e] - low) + place + label)
        for i in range(bounds[g], bounds[g + 1]):
            a, b, place = _add_word(a, b, place, np.uint64(candidates[i] - low) + place)
        out[w, 0], out[w, 1] = a, b
    return out
