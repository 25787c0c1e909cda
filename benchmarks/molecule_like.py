"""Graphs like molecules, as many as wanted: what the benchmarks use where no table of molecules is at hand.

Chains that branch, with a ring of six now and then, of 8 to 30 atoms (19 on average). Atoms and bonds are labelled with
about the frequencies that drug-like molecules have."""

from __future__ import annotations

import numpy as np

from wlt import Graph, Graphs

ATOMS, SHARES = ("C", "N", "O", "S", "F", "Cl"), (0.72, 0.12, 0.11, 0.02, 0.02, 0.01)
BONDS = ((("", 1),), (("", 2),), (("", 1.5),))


def molecule_like(count: int, seed: int = 0) -> Graphs:
    random = np.random.default_rng(seed)
    sizes = random.integers(8, 31, count)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    node = np.arange(starts[-1])
    place = node - np.repeat(starts[:-1], sizes)
    stretch = node - place % 6  # rings are made of stretches of six nodes
    ring = (place - place % 6 + 5 < np.repeat(sizes, sizes)) & (random.random(len(node)) < 0.5)[stretch]
    branch = (random.random(len(node)) < 0.25) & (place >= 2) & ~ring
    branch[1:] &= ~(branch[:-1] | ring[:-1])
    tree = (place > 0).nonzero()[0]
    closed = (ring & (place % 6 == 5)).nonzero()[0]
    ends = np.concatenate([[tree, tree - 1 - branch[tree]], [closed, closed - 5]], axis=1)
    single = np.where(random.random(len(tree)) < 0.1, 1, 0)
    in_ring = ring[tree] & (place[tree] % 6 > 0)
    bond = np.concatenate([np.where(in_ring, 2, single), np.full(len(closed), 2)]).astype(np.int32)
    rows, columns = np.concatenate([ends, ends[::-1]], axis=1)
    union = Graph.from_entries(starts, rows, columns, np.concatenate([bond, bond]), BONDS)
    codes = random.choice(len(ATOMS), len(node), p=SHARES).astype(np.int32)
    codes[ring & (random.random(len(node)) < 0.7)] = 0
    oxygens = np.bincount(np.repeat(np.arange(count), sizes), codes == 2)
    return Graphs(union, codes, ATOMS, "labels", targets=(oxygens > 1).astype(int), name="molecule-like")
