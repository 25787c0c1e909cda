"""Mode `random`: do random weights keep two graphs apart, and relabelled copies of one together?

Two parts of WLT-GNN start at values at which recoloring cannot be seen, so they are drawn at random here as well.
BatchNorm's shift, initially 0: where all nodes have one message, as in regular graphs before the first recoloring, that
message is the shift, and a recoloured node has message 0. GIN-0's eps = 0: it adds a node's own message to those of its
neighbours, and so cannot see which one of two adjacent twins is recoloured.

BatchNorm uses the statistics of the batch, which is one group of graphs that are compared (for BREC a pair). With
running statistics, an error that all nodes have in common grows by the degree with every layer, and the differences
between nodes drown in it after about ten layers.
"""

from __future__ import annotations

import time

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from wlt.expressiveness.benchmarks import Benchmark
from wlt.expressiveness.colors import num_pairs
from wlt.expressiveness.policy import Policy
from wlt.expressiveness.result import Part, Separation
from wlt.graph import Graph
from wlt.nn.batch import Batch
from wlt.nn.layers import GIN
from wlt.nn.model import WLTGNN
from wlt.refine.partition import Colors
from wlt.structure import Structure
from wlt.train.threads import torch_threads

HIDDEN = 16
SEPARATED = 1000.0
"""Two graphs are separated if they are so many times as far apart as relabelled copies of either."""
ROUNDING = 1e-12
"""Copies may coincide by chance: their distance counts as at least this, relative to the length of the vectors."""
SAME = 1e-6
"""Copies that are further apart than this, relatively, are not the same: rounding errors do not explain it."""


@torch_threads(1)
def separate_random(
    benchmark: Benchmark, policy: Policy, structure: Structure, seed: int = 0, hidden: int = HIDDEN
) -> Separation:
    """Which pairs are further apart, under one set of random weights, than 1000 times the distance of copies?

    A control failure is a graph that is not where its relabelled copy is. The copies are in a batch of their own, in
    another order; random policies draw again for them. `seed`: weights, draws and the copies' relabelling."""
    start = time.perf_counter()
    weights, draws = Generator().manual_seed(seed), Generator().manual_seed(seed + 1)
    num_colors = int(input_colors(benchmark.graphs, benchmark.colors).max()) + 1
    model = random_model(num_colors, hidden, 1, structure, policy, weights).double().train()
    parts: dict[str, Part] = {}
    margins = []
    pairs = zip(benchmark.each(), benchmark.relabelled(seed).each(), strict=True)
    for (part, group, graphs, colors), (_, _, copies, copied_colors) in pairs:
        there = _embed(model, graphs, colors, draws)
        again = _embed(model, *_reversed(copies, copied_colors), draws)[::-1]
        control = np.linalg.norm(there - again, axis=1)  # [graphs]
        length = float(np.linalg.norm(there, axis=1).max())
        unit = max(float(control.max()), ROUNDING * length)
        together = _pairs_within(there, SEPARATED * unit)
        failures = int((control > SAME * length).sum())
        counted = Part(num_pairs(len(group)), num_pairs(len(group)) - together, len(group), failures)
        parts[part] = parts.get(part, Part(0, 0, 0, 0)) + counted
        margins.append(_smallest_distance(there) / unit)
    details = {"smallest_margin": float(min(margins)), "hidden": hidden, "seed": seed}
    seconds = time.perf_counter() - start
    return Separation(benchmark.name, "random", policy.name, str(structure), parts, seconds, details)


def random_model(
    num_colors: int, hidden: int, outputs: int, structure: Structure, policy: Policy, generator: Generator
) -> WLTGNN:
    """WLT-GNN with random weights, shifts and eps; without its r layers where the policy is `none`."""
    layers = structure if policy.recolor is not None else Structure(structure.replace("r", ""))
    recolor = 1 if policy.recolor is None else policy.recolor
    model = WLTGNN(num_colors, hidden, outputs, layers, recolor, policy.draws, 0.0, generator=generator)
    with torch.no_grad():
        for layer in model.layers:
            if isinstance(layer, GIN):
                layer.norm.bias.normal_(generator=generator)
                layer.eps = torch.nn.Parameter(torch.empty(()).uniform_(0.25, 0.75, generator=generator))
    return model


def input_colors(graphs: Graph, colors: Colors) -> NDArray[np.int64]:
    """The colours that the first layer looks up: the graph's own where it has several, else degrees."""
    return colors.astype(np.int64) if colors.any() else graphs.degrees


@torch.no_grad()
def _embed(model: WLTGNN, graphs: Graph, colors: Colors, generator: Generator) -> NDArray[np.float64]:
    """[graphs, hidden]"""
    embedded: Tensor = model.embed(Batch.from_graphs(graphs, input_colors(graphs, colors)), generator)
    vectors: NDArray[np.float64] = embedded.numpy()
    return vectors


def _reversed(graphs: Graph, colors: Colors) -> tuple[Graph, Colors]:
    order = np.arange(graphs.num_graphs)[::-1]
    return graphs.take(order), colors[graphs.nodes_of(order)]


def _pairs_within(points: NDArray[np.float64], distance: float) -> int:
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    return (int(tree.count_neighbors(tree, distance)) - len(points)) // 2  # ordered pairs, and each point with itself


def _smallest_distance(points: NDArray[np.float64]) -> float:
    from scipy.spatial import cKDTree

    return float(cKDTree(points).query(points, k=2)[0][:, 1].min())
