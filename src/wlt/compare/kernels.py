"""Tinhofer's algorithm, and the check of a mapping."""

from __future__ import annotations

import numpy as np

from wlt.kernels import inner, kernel
from wlt.refine.cell_kernels import Cells, refine_cells, split_off
from wlt.refine.round_kernels import GOLDEN, mix

OF_G, OF_H = np.int64(0), np.int64(1)
"""The sides. For plain numbers numba would compile a function anew, for each of them."""


@inner
def _class_to_recolor(cells, position, several):
    """The first class, from this position on, that has two nodes or more of each graph, or the number of nodes.

    several: the smallest of them instead, of these the first; docs/theory.md says why. No name has a part in it."""
    n = len(cells.order)
    smallest = n
    while position < n:
        size = cells.length[position]
        if size > 2 and (smallest == n or size < cells.length[smallest]):
            smallest = position
            if not several:
                break
        position += size
    return smallest


@inner
def _draw(cells, position, border, side, number, taken, state, out):
    """So many different nodes of one side of a cell, half of whose nodes are on either side; the generator's state.

    Draws until a node comes up that is wanted. taken: all false, before and after."""
    size = cells.length[position]
    for i in range(number):
        while True:
            state += GOLDEN
            u = cells.order[position + np.int64(mix(state) % np.uint64(size))]
            if (u >= border) == (side == 1) and not taken[u]:
                break
        out[i] = u
        taken[u] = True
    for i in range(number):
        taken[out[i]] = False
    return state


@inner
def _draw_alike(adjacency, cells, border, wanted, taken, state, scratch, out):
    """Nodes of h, one for each of these nodes of g, chosen by what those before them refine to: (all found?, state).

    Where not all are found, the others are `border` - 1, which is none of h."""
    out[:] = border - 1
    trial = Cells(cells.order.copy(), cells.where.copy(), cells.cell.copy(), cells.length.copy())
    pair = np.empty(2, np.int32)
    for i in range(len(wanted)):
        pair[0] = wanted[i]
        position = trial.cell[wanted[i]]
        state = _draw(trial, position, border, OF_H, np.int64(1), taken, state, pair[1:])
        out[i] = pair[1]
        if trial.length[position] > 2:
            splitters = np.full(1, split_off(trial, pair), np.int32)
            if not refine_cells(adjacency, trial, splitters, border, scratch)[2]:
                return False, state
    return True, state


@kernel
def tinhofer_run(adjacency, cells, num_cells, border, number, share, guided, seed, scratch):
    """Algorithm 2 after its first closure, on a balanced stable partition of the union, in place.

    number: nodes of a class that are recoloured together, always less than all of it; 0: this share of the class, at
    least one. guided: those of h are chosen by what those of g refine to; None: they are not, and numba leaves out what
    only guided runs need, which is much to compile. `scratch` is that of `refine_cells`. Returns (balanced, cell and
    number of classes after each step, bounds of its nodes, these nodes of g, and of h)."""
    order, length = cells.order, cells.length
    n = len(order)
    recolored = np.empty(n, np.int32)
    classes = np.empty(n, np.int32)
    bounds = np.zeros(n + 1, np.int64)
    left = np.empty(n, np.int32)
    right = np.empty(n, np.int32)
    taken = np.zeros(n, np.bool_)
    splitters = np.empty(1, np.int32)
    state = np.uint64(seed)
    several = number != 1
    steps = 0
    filled = 0
    balanced = True
    position = np.int64(0)
    while balanced:
        position = _class_to_recolor(cells, np.int64(0) if several else position, several)
        if position == n:
            break
        size = length[position] // 2  # nodes of each graph
        together = min(number if number > 0 else max(1, np.int64(share * size)), size - 1)
        if filled + together > len(left):
            left = np.concatenate((left, np.empty_like(left)))
            right = np.concatenate((right, np.empty_like(right)))
        of_g, of_h = left[filled : filled + together], right[filled : filled + together]
        state = _draw(cells, position, border, OF_G, together, taken, state, of_g)
        recolored[steps] = position
        filled += together
        if guided is None or together == 1:
            state = _draw(cells, position, border, OF_H, together, taken, state, of_h)
        else:
            balanced, state = _draw_alike(adjacency, cells, border, of_g, taken, state, scratch, of_h)
        if balanced:
            first = split_off(cells, np.concatenate((of_g, of_h)))
            splitters[0] = first if length[first] <= length[position] else position
            _, new_cells, balanced = refine_cells(adjacency, cells, splitters, border, scratch)
            num_cells += 1 + new_cells
        classes[steps] = num_cells
        steps += 1
        bounds[steps] = filled
    nodes = left[:filled].copy(), right[:filled] - np.int32(border)
    return balanced, recolored[:steps].copy(), classes[:steps].copy(), bounds[: steps + 1].copy(), nodes[0], nodes[1]


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
