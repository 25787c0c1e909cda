"""Numba kernels of the layers: sums over neighbouring classes, the fused GIN layer, the choice of nodes to recolour.

Matrices of messages are called rows: one row a class, contiguous, float32 or float64. Kernels trust their input.
"""

from __future__ import annotations

import numpy as np

from wlt.kernels import kernel
from wlt.refine.round_kernels import mix

# ---------------------------------------------------------------------------------------------------------------------
# Sparse sums
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def add_row(e, end, columns, values, source, out):
    """out += sum of values[e] * source[columns[e]] over the entries e .. end-1, four at a time."""
    width = source.shape[1]
    while e + 4 <= end:
        a, b, c, d = columns[e], columns[e + 1], columns[e + 2], columns[e + 3]
        va = source.dtype.type(values[e])
        vb = source.dtype.type(values[e + 1])
        vc = source.dtype.type(values[e + 2])
        vd = source.dtype.type(values[e + 3])
        for f in range(width):
            out[f] += (va * source[a, f] + vb * source[b, f]) + (vc * source[c, f] + vd * source[d, f])
        e += 4
    while e < end:
        a = columns[e]
        va = source.dtype.type(values[e])
        for f in range(width):
            out[f] += va * source[a, f]
        e += 1


@kernel
def add_rows(offsets, columns, values, source, out):
    """out[i] += sum of values[e] * source[columns[e]] over the entries e of row i."""
    for i in range(len(offsets) - 1):
        add_row(offsets[i], offsets[i + 1], columns, values, source, out[i])


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
def fold_affine(weight, scale, shift, scaled_weight, constant):
    """(z * scale + shift) @ weight = z @ scaled_weight + constant."""
    constant[:] = 0
    for i in range(weight.shape[0]):
        for f in range(weight.shape[1]):
            scaled_weight[i, f] = scale[i] * weight[i, f]
            constant[f] += shift[i] * weight[i, f]


@kernel
def fold_affine_gradient(weight, scale, shift, weight_grad, constant_grad, scale_grad, shift_grad):
    """From the gradients of scaled_weight (in weight_grad, overwritten) and constant to those of their parts."""
    for i in range(weight.shape[0]):
        a = weight.dtype.type(0)
        b = weight.dtype.type(0)
        for f in range(weight.shape[1]):
            a += weight[i, f] * weight_grad[i, f]
            b += weight[i, f] * constant_grad[f]
            weight_grad[i, f] = scale[i] * weight_grad[i, f] + shift[i] * constant_grad[f]
        scale_grad[i] = a
        shift_grad[i] = b


@kernel
def gin_aggregate(own, offsets, columns, values, own_weight, source, bias, constant, out, weight_sums):
    """out = relu(bias + weight_sum * constant + own_weight * source[own] + values @ source), one pass.

    `constant` is what every message adds besides its row; weight_sums[i] is how often it arrives at class i. Four terms
    are added in one go, missing ones with weight 0; most classes need one or two goes."""
    width = source.shape[1]
    zero = source.dtype.type(0)
    c = np.zeros(4, np.int64)
    w = np.zeros(4, source.dtype)
    for i in range(len(own)):
        e, end = offsets[i], offsets[i + 1]
        total = zero
        for j in range(e, end):
            total += source.dtype.type(values[j])
        first = 0
        if own[i] >= 0:
            total += own_weight
            c[0] = own[i]
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


@kernel
def gin_normalize(
    rows,
    bias,
    sizes,
    offsets,
    graphs,
    counts,
    graph_sizes,
    gamma,
    beta,
    epsilon,
    running_mean,
    running_var,
    momentum,
    moments,
    summed,
    readouts,
):
    """rows = relu(rows + bias) in place, the BatchNorm of the nodes behind them as rows * scale + shift, and readouts.

    Moments are weighted by the sizes, taken about the first row and summed in float64: the variance of messages that
    hardly differ must not be a difference of large numbers. With momentum >= 0 (training) the running statistics are
    updated as torch does, the variance unbiased; with momentum < 0 (evaluation) they are used. `moments` gets mean,
    1 / standard deviation, scale and shift; `summed` each graph's sum of rows (offsets, graphs, counts: the graphs
    that a class has nodes in), `readouts` that of the normalised rows. Returns the number of nodes whose statistics
    were taken, 0 in evaluation."""
    width = rows.shape[1]
    zero = rows.dtype.type(0)
    center = np.maximum(rows[0] + bias, zero)
    first = np.zeros(width)
    second = np.zeros(width)
    nodes = 0.0
    summed[:] = 0
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
    mean, inverse, scale, shift = moments[0], moments[1], moments[2], moments[3]
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
    return nodes if momentum >= 0 else 0.0


@kernel
def gin_output_gradient(
    out,
    last,
    scale_grad,
    beta_grad,
    readout_grad,
    rows,
    sizes,
    offsets,
    graphs,
    counts,
    graph_sizes,
    gamma,
    moments,
    summed,
    nodes,
    gamma_grad,
    bias_grad,
):
    """Gradient at the second linear map's output: from the next layer, the readouts and the moments, through the ReLU.

    In: the gradients of rows (`out`, changed in place; with `last` there are none, and it is not read), scale and shift
    (`beta_grad`, which becomes beta's) that come from the next layer, and of the readouts. Through mean and variance a
    class of s nodes gets s * (u + row * w)."""
    width = rows.shape[1]
    zero = rows.dtype.type(0)
    mean, inverse = moments[0], moments[1]
    direct = np.empty_like(readout_grad)  # of each graph's sum of rows
    for g in range(len(graph_sizes)):
        n = rows.dtype.type(graph_sizes[g])
        for f in range(width):
            d = readout_grad[g, f]
            scale_grad[f] += d * summed[g, f]
            beta_grad[f] += d * n
            direct[g, f] = d * gamma[f] * inverse[f]
    u = np.zeros(width, rows.dtype)
    w = np.zeros(width, rows.dtype)
    for f in range(width):
        d = scale_grad[f] - beta_grad[f] * mean[f]
        gamma_grad[f] = d * inverse[f]
        if nodes > 0:
            w[f] = -d * gamma[f] * inverse[f] ** 3 / nodes
            u[f] = -beta_grad[f] * gamma[f] * inverse[f] / nodes - mean[f] * w[f]
    bias_grad[:] = 0
    for i in range(rows.shape[0]):
        s = rows.dtype.type(sizes[i])
        e, end = offsets[i], offsets[i + 1]
        a = graphs[e]
        va = rows.dtype.type(counts[e])
        if last:
            for f in range(width):
                out[i, f] = va * direct[a, f] + s * (u[f] + rows[i, f] * w[f])
        else:
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


@kernel
def gin_inner_gradient(
    own, offsets, columns, values, own_weight, grad, rows, weight_sums, bias_grad, constant_grad, out
):
    """Through the inner ReLU (grad is masked in place), bias, constant, and the transposed sum of `gin_aggregate`."""
    width = rows.shape[1]
    zero = rows.dtype.type(0)
    bias_grad[:] = 0
    constant_grad[:] = 0
    out[:] = 0
    for i in range(rows.shape[0]):
        s = weight_sums[i]
        for f in range(width):
            g = grad[i, f] if rows[i, f] > zero else zero
            grad[i, f] = g
            bias_grad[f] += g
            constant_grad[f] += s * g
        c = own[i]
        if c >= 0:
            for f in range(width):
                out[c, f] += own_weight * grad[i, f]
        for e in range(offsets[i], offsets[i + 1]):
            c = columns[e]
            v = rows.dtype.type(values[e])
            for f in range(width):
                out[c, f] += v * grad[i, f]


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
def largest_class(starts, colors, offsets, columns, counts, row, rows, scale, shift, one_hot, tolerance):
    """Per graph the class with the largest (size, message) in lexicographic order; -1 if all classes are single nodes.

    A class's message is rows[row] * scale + shift, or 0 where row is -1; with `one_hot` it is the unit vector number
    `row`, and of two unit vectors the one with the smaller number is larger. Entries that differ by less than
    tolerance * (largest entry) are equal: rounding must not choose. Classes that tie in size and message are one: in
    `colors`, changed in place, their nodes get one colour."""
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
def replica_words(offsets, neighbors, starts, colors, node_offsets, nodes, rounds):
    """For each node a 64-bit word of all that the coming WL rounds see of its graph when it alone is recoloured.

    That is the multiset of colours after every round, hashed. Node i is of graph g if it is among the entries
    node_offsets[g] .. node_offsets[g + 1]."""
    found = np.zeros(len(nodes), np.uint64)
    for g in range(len(starts) - 1):
        begin, n = starts[g], starts[g + 1] - starts[g]
        words = np.empty(n, np.uint64)
        new = np.empty(n, np.uint64)
        for i in range(node_offsets[g], node_offsets[g + 1]):
            for v in range(n):
                words[v] = mix(np.uint64(colors[begin + v]) + np.uint64(0x9E3779B97F4A7C15))
            words[nodes[i] - begin] = mix(words[nodes[i] - begin])
            for _ in range(rounds):
                seen = np.uint64(0)
                for v in range(n):
                    total = np.uint64(0)
                    for e in range(offsets[begin + v], offsets[begin + v + 1]):
                        total += words[neighbors[e] - begin]
                    x = mix(total ^ (words[v] * np.uint64(0xD6E8FEB86659FD93)))
                    new[v] = x
                    seen += x * x  # a sum of the words themselves would be blind to what a linear map preserves
                found[i] = mix(found[i] ^ seen)
                words, new = new, words
    return found


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


@kernel
def class_members(starts, classes, num_classes, owner, weight):
    """Sizes of the classes, and for each class the input graphs that have nodes in it, with their number: CSR.

    Graphs of the union that are replicas count for their owner, with their weight."""
    n = len(classes)
    entry_class = np.empty(n, np.int32)
    entry_owner = np.empty(n, np.int32)
    entry_value = np.empty(n, np.float64)
    sizes = np.zeros(num_classes, np.float64)
    offsets = np.zeros(num_classes + 1, np.int64)
    place = np.full(num_classes, -1, np.int64)  # where a class stands among the entries; below `begin`: another owner's
    entries = 0
    begin = 0
    current = 0
    for g in range(len(starts) - 1):
        if owner[g] != current:
            current = owner[g]
            begin = entries
        w = weight[g]
        for v in range(starts[g], starts[g + 1]):
            c = classes[v]
            sizes[c] += w
            p = place[c]
            if p >= begin:
                entry_value[p] += w
            else:
                place[c] = entries
                entry_class[entries] = c
                entry_owner[entries] = current
                entry_value[entries] = w
                entries += 1
                offsets[c + 1] += 1
    for c in range(num_classes):
        offsets[c + 1] += offsets[c]
        place[c] = offsets[c]
    owners = np.empty(entries, np.int32)
    values = np.empty(entries, np.float64)
    for e in range(entries):
        p = place[entry_class[e]]
        owners[p] = entry_owner[e]
        values[p] = entry_value[e]
        place[entry_class[e]] = p + 1
    return sizes, (offsets, owners, values)


@kernel
def class_step(offsets, neighbors, starts, old_classes, num_old, row, first_node, classes, owner, weight):
    """What a layer needs to go from the old classes' rows to the classes: see batch.Step.

    A class is computed from its first node. Neighbours whose message is 0 (row -1) drop out of the sums."""
    k = len(first_node)
    own = np.empty(k, np.int32)
    total = 0
    for i in range(k):
        total += offsets[first_node[i] + 1] - offsets[first_node[i]]
    sum_offsets = np.zeros(k + 1, np.int64)
    columns = np.empty(total, np.int32)
    values = np.empty(total, np.float64)
    from_class = np.empty(total, np.int32)
    place = np.full(num_old, -1, np.int64)  # where an old class stands among the entries; below `begin`: another row's
    filled = 0
    for i in range(k):
        v = first_node[i]
        own[i] = row[old_classes[v]]
        begin = filled
        for e in range(offsets[v], offsets[v + 1]):
            c = old_classes[neighbors[e]]
            p = place[c]
            if p >= begin:
                values[p] += 1
            elif row[c] >= 0:
                place[c] = filled
                columns[filled] = row[c]
                from_class[filled] = c
                values[filled] = 1
                filled += 1
        sum_offsets[i + 1] = filled
    members = class_members(starts, classes, k, owner, weight)
    return (
        own,
        (sum_offsets, columns[:filled], values[:filled]),
        from_class[:filled],
        members,
    )
