"""WL rounds: one round on nodes, hashed; one round on the cells of a quotient; and a round seen from the classes."""

from __future__ import annotations

import numpy as np

from wlt.kernels import CSR, Adjacency, inlined, kernel

# Odd 64-bit constants whose bits look random; every place that needs one takes it from here.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio
OTHER = np.uint64(0xC2B2AE3D27D4EB4F)  # where a second word is to be independent of one made with GOLDEN
OWN = np.uint64(0xD6E8FEB86659FD93)  # tells a node's own word from its neighbours'


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
        words[v] = mix(np.uint64(colors[v]) + GOLDEN)
    return words


@kernel
def label_factor(label, constant):
    """An odd word that looks random, by which the word of a neighbour is multiplied that is joined by this label."""
    return mix(np.uint64(label) + constant) | np.uint64(1)


@inlined
def neighbor_sum(adjacency, words, v):
    """The sum of the words of v's neighbours, each times the factor of the label that joins it, if there are labels."""
    total = np.uint64(0)
    if len(adjacency.arcs) == 0:
        for e in range(adjacency.offsets[v], adjacency.offsets[v + 1]):
            total += words[adjacency.neighbors[e]]
    else:
        for e in range(adjacency.offsets[v], adjacency.offsets[v + 1]):
            total += words[adjacency.neighbors[e]] * label_factor(adjacency.arcs[e], OWN)
    return total


@kernel
def next_word(own, total):
    """A node's word after a round, from its own word and the sum of its neighbours'."""
    return mix(total ^ (own * OWN))


@kernel
def hashed_round(adjacency, words, active):
    """One WL round on 64-bit colour words: the new words of the active nodes.

    Equal nodes get equal words; a collision can only merge cells, which the worklist splits again."""
    out = np.empty(len(active), np.uint64)
    for i in range(len(active)):
        out[i] = next_word(words[active[i]], neighbor_sum(adjacency, words, active[i]))
    return out


@kernel
def word_of_cell(rows, factors, words, cell, rounds):
    """The word of one cell of a quotient after so many WL rounds on its cells: it depends on what is near that cell.

    factors: for each entry of the rows, how many neighbours it stands for, or a word of their number and labels.
    `words`, those before the first round, are overwritten. A cell's own word is added, unlike in `next_word`: canonical
    recoloring chooses nodes by these values, so changing them would change what trained models compute."""
    new = np.empty_like(words)
    for _ in range(rounds):
        for i in range(len(words)):
            total = words[i] * OWN
            for e in range(rows.offsets[i], rows.offsets[i + 1]):
                total += factors[e] * words[rows.columns[e]]
            new[i] = mix(total)
        words, new = new, words
    return words[cell]


@kernel
def round_colors(adjacency, colors, num_colors):
    """New colours after one WL round, numbered by first appearance, and the first node of each.

    A node's signature is its colour and the sum of its neighbours' keys, two independent 64-bit words a colour: two
    different multisets agree with probability below 2**-88 (multiplicities below 2**20 cost 20 bits of each word).
    Labels of edges multiply both words, by independent factors.
    """
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    n = len(offsets) - 1
    keys = np.empty((num_colors, 2), np.uint64)
    for c in range(num_colors):
        keys[c, 0] = mix(np.uint64(c) * np.uint64(2) + GOLDEN)
        keys[c, 1] = mix(np.uint64(c) * np.uint64(2) + OTHER)
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    mask = np.uint64((1 << bits) - 1)
    slots = np.full(1 << bits, -1, np.int32)
    new_colors = np.empty(n, np.int32)
    first_node = np.empty(n, np.int32)
    first_sum = np.empty((n, 2), np.uint64)
    labelled = len(adjacency.arcs) > 0
    k = 0
    for v in range(n):
        a = np.uint64(0)
        b = np.uint64(0)
        if labelled:
            for e in range(offsets[v], offsets[v + 1]):
                c = colors[neighbors[e]]
                a += keys[c, 0] * label_factor(adjacency.arcs[e], GOLDEN)
                b += keys[c, 1] * label_factor(adjacency.arcs[e], OTHER)
        else:
            for e in range(offsets[v], offsets[v + 1]):
                c = colors[neighbors[e]]
                a += keys[c, 0]
                b += keys[c, 1]
        own = colors[v]
        slot = next_word(keys[own, 1], a) & mask
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
def class_counts(adjacency, colors, num_colors, first_node):
    """[classes, colours] How many neighbours of a class's first node have each colour."""
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
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
    return CSR(out_offsets, columns[:filled].copy(), values[:filled].copy())


@kernel
def mixed_labels(adjacency, colors, first_node, counts):
    """[entries of counts] Are the neighbours of an entry of `class_counts` joined by different labels?

    Empty where edges have no labels."""
    if len(adjacency.arcs) == 0:
        return np.zeros(0, np.bool_)
    mixed = np.zeros(len(counts.columns), np.bool_)
    label = np.full(len(counts.columns), -1, np.int32)
    place = np.empty(colors.max() + 1, np.int64)  # the entry of each colour in the current row
    for i in range(len(first_node)):
        for p in range(counts.offsets[i], counts.offsets[i + 1]):
            place[counts.columns[p]] = p
        for e in range(adjacency.offsets[first_node[i]], adjacency.offsets[first_node[i] + 1]):
            p = place[colors[adjacency.neighbors[e]]]
            mixed[p] |= label[p] >= 0 and label[p] != adjacency.arcs[e]
            label[p] = adjacency.arcs[e]
    return mixed


@kernel
def graph_histograms(starts, colors, num_colors):
    """[graphs, colours] How many nodes of each graph have each colour, as if its nodes were one node's neighbours."""
    every_node = Adjacency(starts, np.arange(len(colors)).astype(np.int32), np.zeros(0, np.int32))
    return class_counts(every_node, colors, num_colors, np.arange(len(starts) - 1))


@kernel
def class_members(starts, classes, num_classes, owner, weight):
    """The sizes of the classes, and [classes, owners] how many nodes of each class each owner has.

    Graphs of the union that are replicas count for their owner, with their weight; owners ascend."""
    n = len(classes)
    entry_class = np.empty(n, np.int32)
    entry_owner = np.empty(n, np.int32)
    entry_value = np.empty(n, weight.dtype)
    sizes = np.zeros(num_classes, weight.dtype)
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
    values = np.empty(entries, weight.dtype)
    for e in range(entries):
        p = place[entry_class[e]]
        owners[p] = entry_owner[e]
        values[p] = entry_value[e]
        place[entry_class[e]] = p + 1
    return sizes, CSR(offsets, owners, values)


@kernel
def class_round(adjacency, starts, old_classes, row, first_node, classes, owner, weight):
    """The fields of `rounds.Round`, from the old classes, whose messages are in these rows, to the new ones.

    A class is computed from its first node. Neighbours whose message is 0 (row -1) drop out of the counts. All numbers
    are of the type of the weights."""
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    k = len(first_node)
    parent = np.empty(k, np.int32)
    total = 0
    for i in range(k):
        total += offsets[first_node[i] + 1] - offsets[first_node[i]]
    out_offsets = np.zeros(k + 1, np.int64)
    columns = np.empty(total, np.int32)
    values = np.empty(total, weight.dtype)
    from_class = np.empty(total, np.int32)
    place = np.full(len(row), -1, np.int64)  # where an old class stands among the entries; below `begin`: another row's
    filled = 0
    for i in range(k):
        v = first_node[i]
        parent[i] = row[old_classes[v]]
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
        out_offsets[i + 1] = filled
    sizes, members = class_members(starts, classes, k, owner, weight)
    return parent, CSR(out_offsets, columns[:filled], values[:filled]), from_class[:filled], sizes, members


@kernel
def labelled_class_round(
    adjacency, loops, first_loop, token_offsets, tokens, starts, old_classes, row, first_node, classes, owner, weight
):
    """The fields of `rounds.Round` where edges carry labels, whose tokens are a CSR: every token sends a message.

    The label of a node's loops is `first_loop` + its entry in `loops`; with them the node sends messages to itself.
    Messages are the pairs (row, token) that occur, numbered by first appearance."""
    offsets, neighbors, arcs = adjacency
    k = len(first_node)
    itself = 1 if len(loops) > 0 else 0  # one more entry behind each node's own
    parent = np.empty(k, np.int32)
    total = 0
    for i in range(k):
        v = first_node[i]
        parent[i] = row[old_classes[v]]
        for e in range(offsets[v], offsets[v + 1] + itself):
            label = first_loop + loops[v] if e == offsets[v + 1] else (arcs[e] if len(arcs) > 0 else 0)
            total += token_offsets[label + 1] - token_offsets[label]
    bits = 4
    while (1 << bits) < 2 * total:
        bits += 1
    mask = np.uint64((1 << bits) - 1)
    slots = np.full(1 << bits, -1, np.int32)
    message_row = np.empty(total, np.int32)
    message_token = np.empty(total, np.int32)
    place = np.empty(total, np.int64)  # where a message stands among the entries; below `begin`: another class's
    messages = 0
    out_offsets = np.zeros(k + 1, np.int64)
    columns = np.empty(total, np.int32)
    values = np.empty(total, weight.dtype)
    filled = 0
    for i in range(k):
        v = first_node[i]
        begin = filled
        for e in range(offsets[v], offsets[v + 1] + itself):
            if e == offsets[v + 1]:
                r = parent[i]
                label = first_loop + loops[v]
            else:
                r = row[old_classes[neighbors[e]]]
                label = arcs[e] if len(arcs) > 0 else 0
            for p in range(token_offsets[label], token_offsets[label + 1]):
                token = tokens[p]
                slot = mix((np.uint64(r + 1) << np.uint64(32)) + np.uint64(token) + GOLDEN) & mask
                while True:
                    m = slots[slot]
                    if m < 0:
                        m = messages
                        slots[slot] = m
                        message_row[m] = r
                        message_token[m] = token
                        place[m] = -1
                        messages += 1
                        break
                    if message_row[m] == r and message_token[m] == token:
                        break
                    slot = (slot + np.uint64(1)) & mask
                if place[m] >= begin:
                    values[place[m]] += 1
                else:
                    place[m] = filled
                    columns[filled] = m
                    values[filled] = 1
                    filled += 1
        out_offsets[i + 1] = filled
    sizes, members = class_members(starts, classes, k, owner, weight)
    counts = CSR(out_offsets, columns[:filled], values[:filled])
    return parent, counts, columns[:0], sizes, members, message_row[:messages].copy(), message_token[:messages].copy()
