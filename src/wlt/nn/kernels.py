"""Numba kernels of the layers: sums over neighbouring classes, the fused GIN layer, the choice of nodes to recolour.

Matrices of messages are called rows: one row a class, contiguous, float32 or float64. Kernels trust their input.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.kernels import kernel
from wlt.refine.round_kernels import GOLDEN, color_words, hashed_round, mix

# ---------------------------------------------------------------------------------------------------------------------
# Sparse sums
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def add_rows(sums, source, out):
    """out += sums @ source, four entries at a time."""
    offsets, columns, values = sums
    width = source.shape[1]
    for i in range(len(offsets) - 1):
        e, end = offsets[i], offsets[i + 1]
        while e + 4 <= end:
            a, b, c, d = columns[e], columns[e + 1], columns[e + 2], columns[e + 3]
            va = source.dtype.type(values[e])
            vb = source.dtype.type(values[e + 1])
            vc = source.dtype.type(values[e + 2])
            vd = source.dtype.type(values[e + 3])
            for f in range(width):
                out[i, f] += (va * source[a, f] + vb * source[b, f]) + (vc * source[c, f] + vd * source[d, f])
            e += 4
        for j in range(e, end):
            a = columns[j]
            va = source.dtype.type(values[j])
            for f in range(width):
                out[i, f] += va * source[a, f]


@kernel
def scatter_rows(sums, source, out):
    """out += transpose of sums @ source."""
    offsets, columns, values = sums
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


class Norm(NamedTuple):
    """A BatchNorm of the nodes: its parameters, its running statistics, which training updates, and its settings."""

    gamma: NDArray[Any]
    beta: NDArray[Any]
    running_mean: NDArray[Any]
    running_var: NDArray[Any]
    epsilon: float
    momentum: float  # of this batch in training; -1 in evaluation


class Moments(NamedTuple):
    """What BatchNorm took from the rows, and made of them."""

    vectors: NDArray[Any]  # [4, hidden] mean, 1 / standard deviation, scale, shift
    summed: NDArray[Any]  # [graphs, hidden] sums of rows
    nodes: float  # 0 in evaluation: mean and deviation are constants


@kernel
def fold_affine(weight, scale, shift):
    """scaled_weight and constant of (z * scale + shift) @ weight = z @ scaled_weight + constant."""
    scaled_weight = np.empty_like(weight)
    constant = np.zeros(weight.shape[1], weight.dtype)
    for i in range(weight.shape[0]):
        for f in range(weight.shape[1]):
            scaled_weight[i, f] = scale[i] * weight[i, f]
            constant[f] += shift[i] * weight[i, f]
    return scaled_weight, constant


@kernel
def fold_affine_gradient(weight, scale, shift, weight_grad, constant_grad):
    """From the gradients of scaled_weight (in weight_grad, overwritten) and constant to those of their parts."""
    scale_grad = np.empty_like(scale)
    shift_grad = np.empty_like(shift)
    for i in range(weight.shape[0]):
        a = weight.dtype.type(0)
        b = weight.dtype.type(0)
        for f in range(weight.shape[1]):
            a += weight[i, f] * weight_grad[i, f]
            b += weight[i, f] * constant_grad[f]
            weight_grad[i, f] = scale[i] * weight_grad[i, f] + shift[i] * constant_grad[f]
        scale_grad[i] = a
        shift_grad[i] = b
    return scale_grad, shift_grad


@kernel
def gin_aggregate(parent, counts, own_weight, source, bias, constant, out):
    """out = relu(bias + weight_sum * constant + own_weight * source[parent] + counts @ source), one pass.

    `constant` is what every message adds besides its row. Returns how often it arrives at each class, the weight_sums.
    Four terms are added in one go, missing ones with weight 0; most classes need one or two goes."""
    offsets, columns, values = counts
    width = source.shape[1]
    zero = source.dtype.type(0)
    weight_sums = np.empty(len(parent), source.dtype)
    c = np.zeros(4, np.int64)
    w = np.zeros(4, source.dtype)
    for i in range(len(parent)):
        e, end = offsets[i], offsets[i + 1]
        total = zero
        for j in range(e, end):
            total += source.dtype.type(values[j])
        first = 0
        if parent[i] >= 0:
            total += own_weight
            c[0] = parent[i]
            w[0] = own_weight
            first = 1
        weight_sums[i] = total
        for f in range(width):
            out[i, f] = bias[f] + total * constant[f]
        while True:
            for j in range(first, 4):
                if e < end:
                    c[j] = columns[e]
                    w[j] = source.dtype.type(values[e])
                    e += 1
                else:
                    c[j] = 0
                    w[j] = zero
            first = 0
            c0, c1, c2, c3 = c[0], c[1], c[2], c[3]
            w0, w1, w2, w3 = w[0], w[1], w[2], w[3]
            if e == end:
                for f in range(width):
                    x = (w0 * source[c0, f] + w1 * source[c1, f]) + (w2 * source[c2, f] + w3 * source[c3, f])
                    out[i, f] = max(out[i, f] + x, zero)
                break
            for f in range(width):
                x = (w0 * source[c0, f] + w1 * source[c1, f]) + (w2 * source[c2, f] + w3 * source[c3, f])
                out[i, f] += x
    return weight_sums


@kernel
def gin_normalize(rows, bias, sizes, members, graph_sizes, norm, readouts):
    """rows = relu(rows + bias) in place, the BatchNorm of the nodes behind them as rows * scale + shift, and readouts.

    Moments are weighted by the sizes, taken about the first row and summed in float64: the variance of messages that
    hardly differ must not be a difference of large numbers. With momentum >= 0 (training) the running statistics are
    updated as torch does, the variance unbiased; with momentum < 0 (evaluation) they are used. `readouts` gets each
    graph's sum of the normalised rows."""
    gamma, beta, running_mean, running_var, epsilon, momentum = norm
    offsets, graphs, counts = members
    width = rows.shape[1]
    zero = rows.dtype.type(0)
    center = np.maximum(rows[0] + bias, zero)
    first = np.zeros(width)
    second = np.zeros(width)
    nodes = 0.0
    summed = np.zeros_like(readouts)
    for i in range(rows.shape[0]):
        s = sizes[i]
        nodes += s
        for f in range(width):
            x = max(rows[i, f] + bias[f], zero)
            rows[i, f] = x
            y = np.float64(x - center[f])
            first[f] += s * y
            second[f] += s * y * y
        for e in range(offsets[i], offsets[i + 1]):
            g = graphs[e]
            v = rows.dtype.type(counts[e])
            for f in range(width):
                summed[g, f] += v * rows[i, f]
    vectors = np.empty((4, width), rows.dtype)
    mean, inverse, scale, shift = vectors[0], vectors[1], vectors[2], vectors[3]
    for f in range(width):
        if momentum >= 0:
            m = first[f] / nodes
            v = max(second[f] / nodes - m * m, 0.0)
            m += center[f]
            running_mean[f] += momentum * (m - running_mean[f])
            running_var[f] += momentum * (v * nodes / max(nodes - 1, 1.0) - running_var[f])
        else:
            m = np.float64(running_mean[f])
            v = np.float64(running_var[f])
        r = 1 / np.sqrt(v + epsilon)
        mean[f] = m
        inverse[f] = r
        scale[f] = gamma[f] * r
        shift[f] = beta[f] - m * r * gamma[f]
    for g in range(len(graph_sizes)):
        n = rows.dtype.type(graph_sizes[g])
        for f in range(width):
            readouts[g, f] = summed[g, f] * scale[f] + n * shift[f]
    return Moments(vectors, summed, nodes if momentum >= 0 else 0.0)


@kernel
def gin_output_gradient(out, scale_grad, beta_grad, readout_grad, rows, sizes, members, graph_sizes, gamma, moments):
    """Gradient at the second linear map's output: from the next layer, the readouts and the moments, through the ReLU.

    In: the gradients of rows (`out`, changed in place), scale and shift (`beta_grad`, which becomes beta's) that come
    from the next layer, and of the readouts. Through mean and variance a class of s nodes gets s * (u + row * w).
    Returns the gradients of gamma and of the linear map's bias."""
    offsets, graphs, counts = members
    width = rows.shape[1]
    zero = rows.dtype.type(0)
    vectors, summed, nodes = moments
    mean, inverse = vectors[0], vectors[1]
    direct = np.empty_like(readout_grad)  # of each graph's sum of rows
    for g in range(len(graph_sizes)):
        n = rows.dtype.type(graph_sizes[g])
        for f in range(width):
            d = readout_grad[g, f]
            scale_grad[f] += d * summed[g, f]
            beta_grad[f] += d * n
            direct[g, f] = d * gamma[f] * inverse[f]
    gamma_grad = np.empty(width, rows.dtype)
    bias_grad = np.zeros(width, rows.dtype)
    u = np.zeros(width, rows.dtype)
    w = np.zeros(width, rows.dtype)
    for f in range(width):
        d = scale_grad[f] - beta_grad[f] * mean[f]
        gamma_grad[f] = d * inverse[f]
        if nodes > 0:
            w[f] = -d * gamma[f] * inverse[f] ** 3 / nodes
            u[f] = -beta_grad[f] * gamma[f] * inverse[f] / nodes - mean[f] * w[f]
    for i in range(rows.shape[0]):
        s = rows.dtype.type(sizes[i])
        e, end = offsets[i], offsets[i + 1]
        a = graphs[e]
        va = rows.dtype.type(counts[e])
        for f in range(width):
            out[i, f] = out[i, f] + va * direct[a, f] + s * (u[f] + rows[i, f] * w[f])
        for j in range(e + 1, end):
            a = graphs[j]
            va = rows.dtype.type(counts[j])
            for f in range(width):
                out[i, f] += va * direct[a, f]
        for f in range(width):
            x = out[i, f] if rows[i, f] > zero else zero
            out[i, f] = x
            bias_grad[f] += x
    return gamma_grad, bias_grad


@kernel
def gin_inner_gradient(parent, counts, own_weight, grad, rows, weight_sums, out):
    """Through the inner ReLU (grad is masked in place) and the transposed sum of `gin_aggregate`; bias and constant."""
    offsets, columns, values = counts
    width = rows.shape[1]
    zero = rows.dtype.type(0)
    bias_grad = np.zeros(width, rows.dtype)
    constant_grad = np.zeros(width, rows.dtype)
    out[:] = 0
    for i in range(rows.shape[0]):
        s = weight_sums[i]
        for f in range(width):
            g = grad[i, f] if rows[i, f] > zero else zero
            grad[i, f] = g
            bias_grad[f] += g
            constant_grad[f] += s * g
        c = parent[i]
        if c >= 0:
            for f in range(width):
                out[c, f] += own_weight * grad[i, f]
        for e in range(offsets[i], offsets[i + 1]):
            c = columns[e]
            v = rows.dtype.type(values[e])
            for f in range(width):
                out[c, f] += v * grad[i, f]
    return bias_grad, constant_grad


@kernel
def own_weight_gradient(parent, grad, source, constant):
    """Derivative by own_weight: sum over the classes of <grad, source[parent] + constant>."""
    total = 0.0
    for i in range(len(parent)):
        c = parent[i]
        if c >= 0:
            for f in range(grad.shape[1]):
                total += grad[i, f] * (source[c, f] + constant[f])
    return total


@kernel
def labelled_messages(rows, scale, shift, message_row, edge_rows, edge):
    """relu(rows[message_row] * scale + shift + edge_rows[edge]), or relu(edge_rows[edge]) where message_row is -1."""
    zero = rows.dtype.type(0)
    out = np.empty((len(edge), rows.shape[1]), rows.dtype)
    for m in range(len(edge)):
        r, t = message_row[m], edge[m]
        if r >= 0:
            for f in range(rows.shape[1]):
                out[m, f] = max(rows[r, f] * scale[f] + shift[f] + edge_rows[t, f], zero)
        else:
            for f in range(rows.shape[1]):
                out[m, f] = max(edge_rows[t, f], zero)
    return out


@kernel
def labelled_sum(parent, counts, own_weight, rows, scale, shift, messages):
    """own_weight * (rows[parent] * scale + shift) + counts @ messages."""
    out = np.zeros((len(parent), rows.shape[1]), rows.dtype)
    for i in range(len(parent)):
        r = parent[i]
        if r >= 0:
            for f in range(rows.shape[1]):
                out[i, f] = own_weight * (rows[r, f] * scale[f] + shift[f])
    add_rows(counts, messages, out)
    return out


@kernel
def labelled_sum_gradient(step, own_weight, rows, scale, shift, edge, messages, grad, edge_grad):
    """From the gradient of `labelled_sum` to those of rows, scale, shift, own_weight and, into `edge_grad`, edge_rows.

    step: parent, counts and message_row of the round."""
    parent, counts, message_row = step
    zero = rows.dtype.type(0)
    width = rows.shape[1]
    message_grad = np.zeros_like(messages)
    scatter_rows(counts, grad, message_grad)
    rows_grad = np.zeros_like(rows)  # of rows * scale + shift, until the end
    for m in range(len(edge)):
        r, t = message_row[m], edge[m]
        for f in range(width):
            g = message_grad[m, f] if messages[m, f] > zero else zero
            message_grad[m, f] = g
            edge_grad[t, f] += g
        if r >= 0:
            for f in range(width):
                rows_grad[r, f] += message_grad[m, f]
    own_grad = 0.0
    for i in range(len(parent)):
        r = parent[i]
        if r >= 0:
            for f in range(width):
                rows_grad[r, f] += own_weight * grad[i, f]
                own_grad += grad[i, f] * (rows[r, f] * scale[f] + shift[f])
    scale_grad = np.zeros(width, rows.dtype)
    shift_grad = np.zeros(width, rows.dtype)
    for r in range(len(rows)):
        for f in range(width):
            scale_grad[f] += rows_grad[r, f] * rows[r, f]
            shift_grad[f] += rows_grad[r, f]
            rows_grad[r, f] *= scale[f]
    return rows_grad, scale_grad, shift_grad, own_grad


@kernel
def add_own(rows, scale, shift, parent, old_rows, old_scale, old_shift):
    """rows * scale + shift + (old_rows * old_scale + old_shift)[parent], the latter 0 where parent is -1."""
    out = np.empty_like(rows)
    for i in range(len(parent)):
        p = parent[i]
        for f in range(rows.shape[1]):
            out[i, f] = rows[i, f] * scale[f] + shift[f]
        if p >= 0:
            for f in range(rows.shape[1]):
                out[i, f] += old_rows[p, f] * old_scale[f] + old_shift[f]
    return out


@kernel
def add_own_gradient(grad, rows, scale, parent, old_rows, old_scale):
    """From the gradient of `add_own` to those of its six arrays but `parent`; that of rows is written into grad."""
    vectors = np.zeros((4, rows.shape[1]), rows.dtype)
    scale_grad, shift_grad, old_scale_grad, old_shift_grad = vectors[0], vectors[1], vectors[2], vectors[3]
    old_rows_grad = np.zeros_like(old_rows)
    for i in range(len(parent)):
        p = parent[i]
        if p >= 0:
            for f in range(rows.shape[1]):
                g = grad[i, f]
                old_rows_grad[p, f] += g * old_scale[f]
                old_scale_grad[f] += g * old_rows[p, f]
                old_shift_grad[f] += g
        for f in range(rows.shape[1]):
            scale_grad[f] += grad[i, f] * rows[i, f]
            shift_grad[f] += grad[i, f]
            grad[i, f] *= scale[f]
    return scale_grad, shift_grad, old_rows_grad, old_scale_grad, old_shift_grad


# ---------------------------------------------------------------------------------------------------------------------
# Recoloring
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def largest_class(starts, colors, histograms, row, rows, scale, shift, one_hot, tolerance):
    """Per graph the class with the largest (size, message) in lexicographic order; -1 if all classes are single nodes.

    A class's message is rows[row] * scale + shift, or 0 where row is -1; with `one_hot` it is the unit vector number
    `row`, and of two unit vectors the one with the smaller number is larger. Entries that differ by less than
    tolerance * (largest entry) are equal: rounding must not choose. Classes that tie in size and message are one: in
    `colors`, changed in place, their nodes get one colour."""
    offsets, columns, counts = histograms
    chosen = np.full(len(offsets) - 1, -1, np.int32)
    tied = np.empty(len(row), np.int32)
    entry = np.empty(len(row), np.float64)
    for g in range(len(offsets) - 1):
        size = 1
        k = 0
        for e in range(offsets[g], offsets[g + 1]):
            if counts[e] > size:
                size = counts[e]
                k = 0
            if counts[e] == size and size > 1:
                tied[k] = columns[e]
                k += 1
        if k == 0:
            continue
        if k > 1:
            largest = 0.0
            if not one_hot:
                for i in range(k):
                    r = row[tied[i]]
                    for f in range(rows.shape[1]):
                        if r >= 0:
                            largest = max(largest, abs(rows[r, f] * scale[f] + shift[f]))
            f = 0
            while k > 1 and f < (1 if one_hot else rows.shape[1]):
                top = -np.inf
                for i in range(k):
                    r = row[tied[i]]
                    if one_hot:
                        entry[i] = -r if r >= 0 else -np.inf
                    else:
                        entry[i] = rows[r, f] * scale[f] + shift[f] if r >= 0 else 0.0
                    top = max(top, entry[i])
                kept = 0
                for i in range(k):
                    if entry[i] >= top - tolerance * largest:
                        tied[kept] = tied[i]
                        kept += 1
                k = kept
                f += 1
        chosen[g] = tied[0]
        if k > 1:
            for v in range(starts[g], starts[g + 1]):
                for i in range(1, k):
                    if colors[v] == tied[i]:
                        colors[v] = tied[0]
    return chosen


@kernel
def draw_nodes(offsets, nodes, number, share, seeds):
    """Of each graph's nodes (CSR) `number` at random, or max(1, share * size) if it is 0; ascending."""
    out = np.empty_like(nodes)
    k = 0
    for g in range(len(offsets) - 1):
        size = offsets[g + 1] - offsets[g]
        wanted = min(number, size) if number > 0 else max(1, int(share * size))
        state = np.uint64(seeds[g])
        for i in range(offsets[g], offsets[g + 1]):  # selection sampling: Knuth, volume 2, algorithm S
            state += GOLDEN
            if np.int64(mix(state) % np.uint64(size)) < wanted:
                out[k] = nodes[i]
                k += 1
                wanted -= 1
            size -= 1
    return out[:k].copy()


@kernel
def class_nodes(starts, colors, chosen):
    """Per graph all nodes of the chosen class: CSR; none where it is -1."""
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
def replica_words(adjacency, starts, colors, node_offsets, nodes, rounds):
    """For each node a 64-bit word of all that the coming WL rounds see of its graph when it alone is recoloured.

    That is the multiset of colours after every round, hashed. Node i is of graph g if it is among the entries
    node_offsets[g] .. node_offsets[g + 1]."""
    replicas = np.zeros(len(nodes), np.uint64)
    initial = color_words(colors)
    words = initial.copy()
    for g in range(len(starts) - 1):
        begin, end = starts[g], starts[g + 1]
        everything = np.arange(begin, end)
        for i in range(node_offsets[g], node_offsets[g + 1]):
            words[begin:end] = initial[begin:end]
            words[nodes[i]] = mix(words[nodes[i]])
            for _ in range(rounds):
                words[begin:end] = hashed_round(adjacency, words, everything)
                seen = np.uint64(0)
                for v in range(begin, end):
                    # a sum of the words themselves would be blind to what a linear map preserves
                    seen += words[v] * words[v]
                replicas[i] = mix(replicas[i] ^ seen)
    return replicas


@kernel
def distances(adjacency, starts, marked, limit):
    """Of every node from the marked one of its graph; `limit` if it is as far or farther, or there is none."""
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    out = np.full(starts[-1], limit, np.int64)
    queue = np.empty(len(out), np.int64)
    for i in range(len(marked)):
        out[marked[i]] = 0
        queue[0] = marked[i]
        begin, end = 0, 1
        while begin < end:
            v = queue[begin]
            begin += 1
            for e in range(offsets[v], offsets[v + 1]):
                u = neighbors[e]
                if out[u] > out[v] + 1:
                    out[u] = out[v] + 1
                    queue[end] = u
                    end += 1
    return out


@kernel
def mark_nodes(colors, num_colors, nodes):
    """Colours after recoloring these nodes: those of one colour share one new colour. Also the old of every new one."""
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
