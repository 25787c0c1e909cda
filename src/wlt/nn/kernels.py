"""Numba kernels of the layers: sums over neighbouring classes, the fused GIN layer, and the choice of nodes to recolour.

Matrices of messages are called rows: one row a class, contiguous, float32 or float64. Kernels trust their input.
"""

from __future__ import annotations

import numpy as np

from wlt.kernels import kernel, mix

# ---------------------------------------------------------------------------------------------------------------------
# Sparse sums
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def add_rows(offsets, columns, values, source, out):
    """out[i] += sum of values[e] * source[columns[e]] over the entries e of row i, four at a time."""
    width = source.shape[1]
    for i in range(len(offsets) - 1):
        e = offsets[i]
        end = offsets[i + 1]
        while e + 4 <= end:
            a, b, c, d = columns[e], columns[e + 1], columns[e + 2], columns[e + 3]
            va = source.dtype.type(values[e])
            vb = source.dtype.type(values[e + 1])
            vc = source.dtype.type(values[e + 2])
            vd = source.dtype.type(values[e + 3])
            for f in range(width):
                out[i, f] += (va * source[a, f] + vb * source[b, f]) + (vc * source[c, f] + vd * source[d, f])
            e += 4
        while e < end:
            a = columns[e]
            va = source.dtype.type(values[e])
            for f in range(width):
                out[i, f] += va * source[a, f]
            e += 1


@kernel
def scatter_rows(offsets, columns, values, source, out):
    """The transpose of `add_rows`: out[columns[e]] += values[e] * source[i] for the entries e of row i."""
    width = source.shape[1]
    for i in range(len(offsets) - 1):
        for e in range(offsets[i], offsets[i + 1]):
            c = columns[e]
            v = source.dtype.type(values[e])
            for f in range(width):
                out[c, f] += v * source[i, f]


# ---------------------------------------------------------------------------------------------------------------------
# The fused GIN layer (see layers.py for the formulas)
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def gin_aggregate(own, offsets, columns, values, own_weight, source, bias, constant, out, weight_sums):
    """out = relu(bias + weight_sum * constant + own_weight * source[own] + values @ source), one pass.

    `constant` is what every message adds besides its row; weight_sums[i] is how often it arrives at class i."""
    width = source.shape[1]
    zero = source.dtype.type(0)
    for i in range(len(own)):
        total = zero
        if own[i] >= 0:
            total += own_weight
        for e in range(offsets[i], offsets[i + 1]):
            total += source.dtype.type(values[e])
        weight_sums[i] = total
        for f in range(width):
            out[i, f] = bias[f] + total * constant[f]
        if own[i] >= 0:
            c = own[i]
            for f in range(width):
                out[i, f] += own_weight * source[c, f]
    add_rows(offsets, columns, values, source, out)
    for i in range(len(own)):
        for f in range(width):
            out[i, f] = max(out[i, f], zero)


@kernel
def bias_relu_moments(rows, bias, sizes, first, second):
    """rows = relu(rows + bias) in place; first and second moments, weighted by sizes, in float64."""
    width = rows.shape[1]
    zero = rows.dtype.type(0)
    first[:] = 0
    second[:] = 0
    for i in range(rows.shape[0]):
        s = sizes[i]
        for f in range(width):
            x = max(rows[i, f] + bias[f], zero)
            rows[i, f] = x
            y = np.float64(x)
            first[f] += s * y
            second[f] += s * y * y


@kernel
def gin_output_gradient(grad, rows, sizes, offsets, columns, values, readout_grad, u, w, out, bias_grad):
    """Gradient at the second linear map's output: from the next layer, the readout and the moments, through the ReLU.

    out = (grad + values^T @ readout_grad + sizes * (u + rows * w)) where rows > 0, else 0; bias_grad its column sums."""
    width = rows.shape[1]
    zero = rows.dtype.type(0)
    if grad.shape[0] == rows.shape[0]:
        out[:] = grad
    else:  # nothing came from a next layer
        out[:] = 0
    scatter_rows(offsets, columns, values, readout_grad, out)
    bias_grad[:] = 0
    for i in range(rows.shape[0]):
        s = rows.dtype.type(sizes[i])
        for f in range(width):
            z = rows[i, f]
            g = out[i, f] + s * (u[f] + z * w[f])
            if z <= zero:
                g = zero
            out[i, f] = g
            bias_grad[f] += g


@kernel
def mask_and_sum(grad, rows, weight_sums, bias_grad, constant_grad):
    """grad = grad where rows > 0 else 0, in place; its column sums, plain and weighted."""
    width = rows.shape[1]
    zero = rows.dtype.type(0)
    bias_grad[:] = 0
    constant_grad[:] = 0
    for i in range(rows.shape[0]):
        s = weight_sums[i]
        for f in range(width):
            g = grad[i, f] if rows[i, f] > zero else zero
            grad[i, f] = g
            bias_grad[f] += g
            constant_grad[f] += s * g


@kernel
def scatter_aggregate(own, offsets, columns, values, own_weight, grad, out):
    """The transpose of the sum in `gin_aggregate`."""
    width = grad.shape[1]
    out[:] = 0
    for i in range(len(own)):
        c = own[i]
        if c >= 0:
            for f in range(width):
                out[c, f] += own_weight * grad[i, f]
    scatter_rows(offsets, columns, values, grad, out)


@kernel
def own_weight_gradient(own, grad, source, constant):
    """Derivative by own_weight: sum over the classes of <grad, source[own] + constant>."""
    total = 0.0
    for i in range(len(own)):
        c = own[i]
        if c >= 0:
            for f in range(grad.shape[1]):
                total += grad[i, f] * (source[c, f] + constant[f])
    return total


# ---------------------------------------------------------------------------------------------------------------------
# Recoloring
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def largest_class(offsets, columns, counts, row, rows, scale, shift, one_hot):
    """Per graph the class with the largest (size, message) in lexicographic order; -1 when all classes are single nodes.

    A class's message is rows[row] * scale + shift, or 0 where row is -1; with `one_hot` it is the unit vector number
    `row`, and of two unit vectors the one with the smaller number is larger."""
    chosen = np.full(len(offsets) - 1, -1, np.int32)
    for g in range(len(offsets) - 1):
        best = -1
        best_size = 1
        for e in range(offsets[g], offsets[g + 1]):
            c = columns[e]
            if counts[e] < best_size or (counts[e] == best_size and best < 0):
                continue
            if counts[e] > best_size:
                best = c
                best_size = counts[e]
                continue
            x, y = row[c], row[best]
            if one_hot:
                if x >= 0 and (y < 0 or x < y):
                    best = c
                continue
            for f in range(rows.shape[1]):
                a = rows[x, f] * scale[f] + shift[f] if x >= 0 else rows.dtype.type(0)
                b = rows[y, f] * scale[f] + shift[f] if y >= 0 else rows.dtype.type(0)
                if a != b:
                    if a > b:
                        best = c
                    break
        chosen[g] = best
    return chosen


@kernel
def draw_nodes(starts, colors, chosen, number, share, seeds):
    """Per graph, random nodes of the chosen class: `number` of them, or max(1, share * size) if it is 0; ascending."""
    out = np.empty(len(colors), np.int32)
    k = 0
    for g in range(len(starts) - 1):
        c = chosen[g]
        if c < 0:
            continue
        size = 0
        for v in range(starts[g], starts[g + 1]):
            if colors[v] == c:
                size += 1
        wanted = min(number, size) if number > 0 else max(1, int(share * size))
        state = np.uint64(seeds[g])
        for v in range(starts[g], starts[g + 1]):  # selection sampling: Knuth, volume 2, algorithm S
            if colors[v] == c:
                state += np.uint64(0x9E3779B97F4A7C15)
                if np.int64(mix(state) % np.uint64(size)) < wanted:
                    out[k] = v
                    k += 1
                    wanted -= 1
                    if wanted == 0:
                        break
                size -= 1
    return out[:k].copy()


@kernel
def class_nodes(starts, colors, chosen):
    """Per graph all nodes of the chosen class: CSR."""
    offsets = np.zeros(len(starts), np.int64)
    out = np.empty(len(colors), np.int32)
    k = 0
    for g in range(len(starts) - 1):
        for v in range(starts[g], starts[g + 1]):
            if colors[v] == chosen[g]:
                out[k] = v
                k += 1
        offsets[g + 1] = k
    return offsets, out[:k].copy()


@kernel
def mark_nodes(colors, num_colors, nodes):
    """Colours after recoloring these nodes: marked nodes of one colour share one new colour. Also the new colours' old."""
    new_colors = colors.copy()
    new_of = np.full(num_colors, -1, np.int32)
    olds = np.empty(len(nodes), np.int32)
    k = 0
    for i in range(len(nodes)):
        c = colors[nodes[i]]
        if new_of[c] < 0:
            new_of[c] = num_colors + k
            olds[k] = c
            k += 1
        new_colors[nodes[i]] = new_of[c]
    return new_colors, olds[:k].copy()


# ---------------------------------------------------------------------------------------------------------------------
# Batches
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def columns_to_rows(offsets, columns, values, row):
    """A CSR over classes as a CSR over rows of messages; classes with message 0 (row -1) drop out."""
    new_offsets = np.zeros(len(offsets), np.int64)
    new_columns = np.empty(len(columns), np.int32)
    new_values = np.empty(len(columns), np.float64)
    k = 0
    for i in range(len(offsets) - 1):
        for e in range(offsets[i], offsets[i + 1]):
            r = row[columns[e]]
            if r >= 0:
                new_columns[k] = r
                new_values[k] = values[e]
                k += 1
        new_offsets[i + 1] = k
    return new_offsets, new_columns[:k], new_values[:k]


@kernel
def compact(known, slots):
    """Colours numbered by first appearance; `slots` maps every known colour to -1 before and after. And first nodes."""
    n = len(known)
    colors = np.empty(n, np.int32)
    first_node = np.empty(n, np.int32)
    k = 0
    for v in range(n):
        c = known[v]
        if slots[c] < 0:
            slots[c] = k
            first_node[k] = v
            k += 1
        colors[v] = slots[c]
    for i in range(k):
        slots[known[first_node[i]]] = -1
    return colors, first_node[:k].copy()


@kernel
def weighted_members(starts, colors, num_colors, owner, weight, num_owners):
    """CSR [owners, classes] of members and class sizes, each graph's nodes counted with its weight; owners ascending."""
    n = len(colors)
    offsets = np.zeros(num_owners + 1, np.int64)
    columns = np.empty(n, np.int32)
    values = np.empty(n, np.float64)
    sizes = np.zeros(num_colors, np.float64)
    place = np.full(num_colors, -1, np.int64)
    filled = 0
    row = 0
    current = 0
    for g in range(len(starts) - 1):
        while current < owner[g]:
            current += 1
            offsets[current] = filled
            row = filled
        w = weight[g]
        for v in range(starts[g], starts[g + 1]):
            c = colors[v]
            sizes[c] += w
            p = place[c]
            if p < row:
                place[c] = filled
                columns[filled] = c
                values[filled] = w
                filled += 1
            else:
                values[p] += w
    for o in range(current + 1, num_owners + 1):
        offsets[o] = filled
    return offsets, columns[:filled], values[:filled], sizes
