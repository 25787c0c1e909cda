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
from torch import Generator

from wlt.expressiveness.benchmarks import Benchmark
from wlt.expressiveness.colors import num_pairs
from wlt.expressiveness.result import Part, Separation, policy_name
from wlt.graphs import Graphs
from wlt.nn.batch import Batch
from wlt.nn.layers import GIN
from wlt.nn.model import WLTGNN
from wlt.recolor import Recolor
from wlt.structure import Structure
from wlt.train.threads import torch_threads

HIDDEN = 16
SEPARATED = 1000.0
"""Two graphs are separated if they are this many times as far apart as a graph and its relabelled copy."""
ROUNDING = 1e-12
"""A distance of copies counts as at least this, relative to the length of the vectors: it may be 0 by chance."""
SAME = 1e-6
"""Copies that are further apart than this, relative to the length of the vectors, differ by more than rounding."""


@torch_threads(1)
def separate_random(
    benchmark: Benchmark, recolor: Recolor | None, structure: Structure, seed: int = 0, *, hidden: int = HIDDEN
) -> Separation:
    """Which pairs are further apart, under one set of random weights, than 1000 times the distance of copies?

    A control failure is a graph whose vector differs from that of its relabelled copy. The copies form a batch of their
    own, in another order, and random recolorings draw again for them. `seed`: weights, draws and relabelling."""
    start = time.perf_counter()
    weights, draws = Generator().manual_seed(seed), Generator().manual_seed(seed + 1)
    model = random_model(num_inputs(benchmark.graphs), hidden, 1, structure, recolor, weights).double().train()
    parts: dict[str, Part] = {}
    margins = []
    pairs = zip(benchmark.each(), benchmark.relabelled(seed).each(), strict=True)
    for (part, graphs), (_, copies) in pairs:
        vectors = _embed(model, graphs, draws)
        copied_vectors = _embed(model, copies[::-1], draws)[::-1]
        control = np.linalg.norm(vectors - copied_vectors, axis=1)  # [graphs]
        length = float(np.linalg.norm(vectors, axis=1).max())
        unit = max(float(control.max()), ROUNDING * length)
        together = _pairs_within(vectors, SEPARATED * unit)
        failures = int((control > SAME * length).sum())
        counted = Part(num_pairs(len(graphs)), num_pairs(len(graphs)) - together, len(graphs), failures)
        parts[part] = parts.get(part, Part(0, 0, 0, 0)) + counted
        margins.append(_smallest_distance(vectors) / unit)
    details = {"smallest_margin": float(min(margins)), "hidden": hidden, "seed": seed}
    seconds = time.perf_counter() - start
    return Separation(benchmark.name, "random", policy_name(recolor), str(structure), parts, seconds, details)


def random_model(
    num_colors: int, hidden: int, outputs: int, structure: Structure, recolor: Recolor | None, generator: Generator
) -> WLTGNN:
    """WLT-GNN with random weights, shifts and eps; without its r layers if `recolor` is None."""
    layers = structure if recolor else structure.without_recoloring
    model = WLTGNN(num_colors, hidden, outputs, structure=layers, recolor=recolor or 1, generator=generator)
    with torch.no_grad():
        for layer in model.layers:
            if isinstance(layer, GIN):
                layer.norm.bias.normal_(generator=generator)
                layer.eps = torch.nn.Parameter(torch.empty(()).uniform_(0.25, 0.75, generator=generator))
    return model


def num_inputs(graphs: Graphs) -> int:
    """Rows of the first layer's weights: one for each label, or for each degree up to the largest."""
    return int(graphs.union.degrees.max()) + 1 if graphs.kind == "degrees" else len(graphs.values)


@torch.no_grad()
def _embed(model: WLTGNN, graphs: Graphs, generator: Generator) -> NDArray[np.float64]:
    """[graphs, hidden]"""
    return model.embed(Batch.from_graphs(graphs), generator).numpy()


def _pairs_within(points: NDArray[np.float64], distance: float) -> int:
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    return (int(tree.count_neighbors(tree, distance)) - len(points)) // 2  # ordered pairs, and each point with itself


def _smallest_distance(points: NDArray[np.float64]) -> float:
    from scipy.spatial import cKDTree

    return float(cKDTree(points).query(points, k=2)[0][:, 1].min())
