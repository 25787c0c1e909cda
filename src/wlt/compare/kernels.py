"""Tinhofer's algorithm, and the check of a mapping."""

from __future__ import annotations

import numpy as np

from wlt.kernels import kernel
from wlt.refine.cell_kernels import new_scratch, refine_cells, split_off
from wlt.refine.round_kernels import GOLDEN, mix


@kernel
def tinhofer_run(adjacency, cells, num_cells, border, seed):
    """Algorithm 2 after its first closure, on a balanced stable partition of the union, in place.

    The class of a step is the first, in the order of cells, that has two nodes or more of each graph: no name of a node
    has a part in it, and the search for it never goes back. Returns (balanced, cell, node of g, node of h and number of
    classes after each step)."""
    order, length = cells.order, cells.length
    n = len(order)
    scratch = new_scratch(n)
    recolored = np.empty(n, np.int32)
    left = np.empty(n, np.int32)
    right = np.empty(n, np.int32)
    classes = np.empty(n, np.int32)
    pair = np.empty(2, np.int32)
    splitters = np.empty(1, np.int32)
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
                state += GOLDEN
                u = order[position + np.int64(mix(state) % np.uint64(size))]
                if (u >= border) == (side == 1):
                    pair[side] = u
                    break
        recolored[steps] = position
        left[steps] = pair[0]
        right[steps] = pair[1] - border
        splitters[0] = split_off(cells, pair)  # the smaller part: the rest has two nodes or more
        _, new_cells, balanced = refine_cells(adjacency, cells, splitters, border, scratch)
        num_cells += 1 + new_cells
        classes[steps] = num_cells
        steps += 1
        if not balanced:
            return False, recolored[:steps], left[:steps], right[:steps], classes[:steps]
    return True, recolored[:steps], left[:steps], right[:steps], classes[:steps]


@kernel
def is_isomorphism(g, h, mapping):
    """Does the bijection map every edge of g onto an edge of h, and labels onto equal labels?

    The caller knows that both have equally many edges, and that their labels are numbered alike."""
    offsets_g, neighbors_g = g.offsets, g.neighbors
    offsets_h, neighbors_h = h.offsets, h.neighbors
    n = len(offsets_g) - 1
    seen = np.full(n, -1, np.int64)
    label = np.zeros(n, np.int32)
    for v in range(n):
        image = mapping[v]
        for e in range(offsets_h[image], offsets_h[image + 1]):
            seen[neighbors_h[e]] = v
            if len(h.arcs) > 0:
                label[neighbors_h[e]] = h.arcs[e]
        for e in range(offsets_g[v], offsets_g[v + 1]):
            u = mapping[neighbors_g[e]]
            if seen[u] != v or (len(g.arcs) > 0 and label[u] != g.arcs[e]):
                return False
    return True
