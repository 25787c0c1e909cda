"""Mode `trained` for BREC: the benchmark's own procedure.

BREC (Wang and Zhang, arXiv:2304.07702) trains a new model for every pair, on 32 relabellings of either graph, to push
the 16-dimensional vectors of the two apart (cosine loss), and asks Hotelling's T-squared whether the 32 differences
have mean zero; the isomorphic control asks the same of 32 differences between relabellings of one graph. The results
hold both verdicts: as published, and by the corrected test (see `hotelling`), at a level at which the probability of
any false alarm in the whole benchmark is at most 0.05.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator
from torch.nn import functional

from wlt.expressiveness.benchmarks import Benchmark
from wlt.expressiveness.hotelling import PUBLISHED_THRESHOLD, hotelling, published_statistic
from wlt.expressiveness.random_weights import num_inputs, random_model
from wlt.expressiveness.result import Part, Separation, policy_name
from wlt.graphs import Graphs
from wlt.io import as_graphs
from wlt.nn.batch import Batch
from wlt.nn.model import WLTGNN
from wlt.recolor import Recolor
from wlt.structure import Structure
from wlt.train.threads import torch_threads

RELABELLINGS = 32
DIMENSIONS = 16
EPOCHS = 20
LEARNING_RATE = 1e-3
WEIGHT_DECAY = 1e-4
LOSS_REACHED = 0.2
"""Training ends when the cosine loss is below this, as published."""
TEST_BATCH = 16
"""Graphs in a batch when the vectors are computed, as published."""
FALSE_ALARM = 0.05


class PairVerdict(NamedTuple):
    """What the procedure says about one pair, by the corrected test and by the published one."""

    separated: bool
    control: bool
    """Relabellings of one graph were told apart: the procedure failed on this pair."""
    published_separated: bool
    published_control: bool


@torch_threads(1)
def separate_trained(benchmark: Benchmark, recolor: Recolor | None, structure: Structure, seed: int = 0) -> Separation:
    """BREC's procedure for every pair of the benchmark."""
    start = time.perf_counter()
    inputs = num_inputs(benchmark.graphs)
    parts: dict[str, Part] = {}
    published = Part(0, 0, 0, 0)
    level = FALSE_ALARM / (2 * len(benchmark.groups))
    for number, (part, graphs) in enumerate(benchmark.each()):
        if len(graphs) != 2:
            raise ValueError(f"mode trained compares pairs, but {benchmark.name} has a group of {len(graphs)} graphs")
        generator = Generator().manual_seed(1000 * seed + number)
        model = random_model(inputs, DIMENSIONS, DIMENSIONS, structure, recolor, generator).double().train()
        verdict = compare_trained(model, graphs, np.random.default_rng([seed, number]), generator, level)
        parts[part] = parts.get(part, Part(0, 0, 0, 0)) + Part(1, verdict.separated, 1, verdict.control)
        published += Part(1, verdict.published_separated, 1, verdict.published_control)
    details = {
        "published_separated": int(published.separated),
        "published_control_failures": int(published.control_failures),
        "seed": seed,
    }
    counts = {part: Part(*map(int, count)) for part, count in parts.items()}
    seconds = time.perf_counter() - start
    return Separation(benchmark.name, "trained", policy_name(recolor), str(structure), counts, seconds, details)


def compare_trained(
    model: WLTGNN, pair: Graphs, random: np.random.Generator, generator: Generator, level: float
) -> PairVerdict:
    """Train the model to separate the pair, and test whether it does. BatchNorm uses the statistics of the batch."""
    first, second = (_relabellings(pair[i], random) for i in (0, 1))
    compared, control = _interleaved(first, second), _interleaved(first, _relabellings(pair[0], random))
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    apart = -torch.ones(RELABELLINGS, dtype=torch.float64)
    for _ in range(EPOCHS):
        vectors = model(Batch.from_graphs(compared), generator)
        loss = functional.cosine_embedding_loss(vectors[0::2], vectors[1::2], apart)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if loss.item() < LOSS_REACHED:
            break
    differences, length = _differences(model, compared, generator)
    control_differences, control_length = _differences(model, control, generator)
    statistic, control_statistic = published_statistic(differences), published_statistic(control_differences)
    different = not np.isclose(statistic, control_statistic, rtol=1e-5, atol=1e-6)
    return PairVerdict(
        hotelling(differences, length, level).separated,
        hotelling(control_differences, control_length, level).separated,
        statistic > PUBLISHED_THRESHOLD and different,
        control_statistic >= PUBLISHED_THRESHOLD,
    )


def _relabellings(graph: Graphs, random: np.random.Generator) -> list[Graphs]:
    """32 relabelled copies of one graph."""
    return [graph.relabel(random.permutation(graph.union.num_nodes)) for _ in range(RELABELLINGS)]


def _interleaved(first: list[Graphs], second: list[Graphs]) -> Graphs:
    return as_graphs([copy for both in zip(first, second, strict=True) for copy in both])


@torch.no_grad()
def _differences(model: WLTGNN, graphs: Graphs, generator: Generator) -> tuple[NDArray[np.float64], float]:
    """Vectors of the even graphs minus those of the odd ones, [32, 16], and the length of the longest vector."""
    vectors = []
    for first in range(0, len(graphs), TEST_BATCH):
        batch = Batch.from_graphs(graphs[first : first + TEST_BATCH])
        vectors.append(model(batch, generator).numpy())
    rows = np.concatenate(vectors)
    return rows[0::2] - rows[1::2], float(np.linalg.norm(rows, axis=1).max())
