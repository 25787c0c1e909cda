"""Folklore k-WL on tuples of nodes, for k = 2 and 3: colours are pairs of 64-bit words, words[0] and words[1].

A round gives the tuple t the colour of (own colour, multiset over all nodes w of the colours of t with w in place of
its first, its second, ... node). The multiset is a sum of words: for every w the colours of the k tuples are added,
each times an odd constant of its place, and mixed. The mixing must not be a polynomial of small degree: the differences
that Cai, Fürer and Immerman's graphs hide cancel in those. The two words are made with different constants; a collision
in both merges two classes and has a probability below 2**-90 for a pair of tuples. It never tells equal tuples apart.
"""

from __future__ import annotations

import numpy as np

from wlt.kernels import inlined, kernel
from wlt.refine.round_kernels import GOLDEN, OTHER, OWN

# Odd constants: one for each place of a tuple, and other ones for the second word.
PLACES = np.array(
    [
        [0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3],
        [0x589965CC75374CC3, 0x1D8E4E27C47D124F, 0xEB44ACCAB455D165],
    ],
    np.uint64,
)


@inlined
def mixed(x):
    """splitmix64's finaliser, as in `round_kernels.mix`; inlined, so that the loops around it run on vectors."""
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def pair_words(adjacency, colors, low, high):
    """[2, n, n] The first colours of the pairs of nodes of one graph of a union, which has the nodes low .. high - 1.

    The colour of (u, v) says the colours of u and v, whether they are one node, and the label of the entry (u, v) of
    the adjacency; that of (v, u) differs by directions only, so the colour says it too."""
    n = high - low
    words = np.empty((2, n, n), np.uint64)
    for word in range(2):
        first, second, joined = PLACES[word]
        own = np.empty(n, np.uint64)
        for v in range(n):
            own[v] = mixed(np.uint64(colors[low + v]) + (GOLDEN if word == 0 else OTHER))
        for u in range(n):
            for v in range(n):
                words[word, u, v] = mixed(own[u] * first + own[v] * second)
            for e in range(adjacency.offsets[low + u], adjacency.offsets[low + u + 1]):
                v = adjacency.neighbors[e] - low
                label = np.uint64(0) if len(adjacency.arcs) == 0 else np.uint64(adjacency.arcs[e])
                words[word, u, v] = mixed(own[u] * first + own[v] * second + (label + np.uint64(1)) * joined)
            words[word, u, u] = mixed(own[u] + joined)
    return words


@kernel
def triple_words(pairs):
    """[2, n, n, n] The first colours of triples: those of their three pairs."""
    n = pairs.shape[1]
    words = np.empty((2, n, n, n), np.uint64)
    for word in range(2):
        first, second, third = PLACES[word]
        for i in range(n):
            for j in range(n):
                base = pairs[word, i, j] * first
                for k in range(n):
                    words[word, i, j, k] = mixed(base + pairs[word, j, k] * second + pairs[word, i, k] * third)
    return words


@kernel
def pair_round(words, new, begin, end):
    """One round of 2-FWL, for the pairs (i, j) with i from `begin` to `end`."""
    n = words.shape[1]
    total = np.empty(n, np.uint64)
    for word in range(2):
        first, second, _ = PLACES[word]
        for i in range(begin, end):
            total[:] = 0
            for w in range(n):
                fixed = words[word, i, w] * second
                row = words[word, w]
                for j in range(n):
                    total[j] += mixed(row[j] * first + fixed)
            for j in range(n):
                new[word, i, j] = mixed(total[j] ^ (words[word, i, j] * OWN))


@kernel
def triple_round(words, new, begin, end):
    """One round of 3-FWL, for the triples (i, j, k) with i from `begin` to `end`.

    Everything is read along its last index: for given i, j and w, the words of (w, j, k) and of (i, w, k)."""
    n = words.shape[1]
    total = np.empty(n, np.uint64)
    for word in range(2):
        first, second, third = PLACES[word]
        for j in range(n):
            for i in range(begin, end):
                total[:] = 0
                for w in range(n):
                    fixed = words[word, i, j, w] * third
                    replaced = words[word, w, j]
                    kept = words[word, i, w]
                    for k in range(n):
                        total[k] += mixed(replaced[k] * first + kept[k] * second + fixed)
                for k in range(n):
                    new[word, i, j, k] = mixed(total[k] ^ (words[word, i, j, k] * OWN))
