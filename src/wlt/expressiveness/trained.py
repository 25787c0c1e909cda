"""Mode `trained`: cross-validated accuracy on CSL and EXP, and BREC's own procedure.

BREC (Wang and Zhang, arXiv:2304.07702) trains a new model for every pair, on 32 relabellings of either graph, to push
the 16-dimensional vectors of the two apart (cosine loss), and asks Hotelling's T-squared whether the 32 differences
have mean zero; the isomorphic control asks the same of 32 differences between relabellings of one graph. Both verdicts
are given: with the test corrected (see `hotelling`), at a level such that in the whole benchmark a false alarm has
probability 0.05 or less, and as published.
"""

from __future__ import annotations

import copy
import os
import time
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator
from torch.nn import functional

from wlt.data import Dataset, csl
from wlt.data import load as load_dataset
from wlt.expressiveness.benchmarks import Benchmark
from wlt.expressiveness.colors import num_pairs
from wlt.expressiveness.hotelling import PUBLISHED_THRESHOLD, hotelling, published_statistic
from wlt.expressiveness.policy import Policy
from wlt.expressiveness.random_weights import input_colors, random_model
from wlt.expressiveness.result import Part, Separation
from wlt.graph import Graph
from wlt.nn.batch import Batch, Collection
from wlt.nn.model import WLTGNN
from wlt.refine.partition import Colors
from wlt.structure import Structure
from wlt.train import fit
from wlt.train.folds import Split, cross_validation
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

SCHEDULE = fit.Schedule(epochs=60, learning_rate=0.003, decay=0.5, decay_every=15, batch_size=32)
HIDDEN = 32
FOLDS = 10


# ---------------------------------------------------------------------------------------------------------------------
# CSL and EXP
# ---------------------------------------------------------------------------------------------------------------------


@torch_threads(1)
def cross_validate(
    name: str,
    policy: Policy,
    structure: Structure,
    data: str | os.PathLike[str] | None = None,
    seed: int = 0,
    schedule: fit.Schedule = SCHEDULE,
    folds: int = FOLDS,
) -> Separation:
    """Ten-fold accuracy on CSL or EXP, after the epoch with the smallest loss on a validation fold.

    A pair of classes of CSL is separated if all graphs of both are classified right, a pair of EXP, if both its graphs
    are. The control: does a relabelled copy of every test graph get the same answer?"""
    start = time.perf_counter()
    dataset = csl() if name == "csl" else load_dataset("EXP", data)
    copies = _relabelled(dataset, seed)
    answers, copied_answers = np.empty((2, len(dataset)), np.int64)
    accuracies = []
    for fold, split in enumerate(_splits(dataset.labels, folds, seed, in_pairs=name == "exp")):
        generator = Generator().manual_seed(1000 * seed + fold)
        model = _classifier(dataset, policy, structure, generator)
        source = Collection(dataset.graphs, dataset.colors, Structure(model.structure).known_rounds)
        labels = torch.tensor(dataset.labels)
        smallest = float("inf")
        for _ in fit.train(model, source, labels, split.train, schedule, generator):
            loss = fit.evaluate(model, source, labels, split.validation, schedule.batch_size, generator).loss
            if loss < smallest:
                smallest, best = loss, copy.deepcopy(model.state_dict())
        model.load_state_dict(best)
        answers[split.test] = _answers(model, source, split.test, schedule.batch_size, generator)
        copied = Collection(copies.graphs, copies.colors)
        copied_answers[split.test] = _answers(model, copied, split.test, schedule.batch_size, generator)
        accuracies.append(100 * float((answers[split.test] == dataset.labels[split.test]).mean()))
    pairs, separated = (_right_classes if name == "csl" else _right_pairs)(dataset.labels, answers)
    failures = int((answers != copied_answers).sum())
    details = {"accuracy": float(np.mean(accuracies)), "accuracy_of_folds": accuracies, "seed": seed}
    parts = {name: Part(pairs, separated, len(dataset), failures)}
    return Separation(name, "trained", policy.name, str(structure), parts, time.perf_counter() - start, details)


def _splits(labels: NDArray[np.int64], folds: int, seed: int, in_pairs: bool) -> list[Split]:
    """Folds that keep the pairs of EXP together: a model that has learnt the label of one graph by heart gives it to
    the other, which WL cannot tell apart and which has the other label, and would be below chance."""
    if not in_pairs:
        return cross_validation(labels, folds, seed)
    pairs = cross_validation(np.zeros(len(labels) // 2, np.int64), folds, seed)
    return [Split(*(np.stack([2 * part, 2 * part + 1], axis=1).ravel() for part in split)) for split in pairs]


def _relabelled(dataset: Dataset, seed: int) -> Benchmark:
    everything = (np.arange(len(dataset)),)
    return Benchmark(dataset.name, dataset.graphs, dataset.colors.copy(), everything, ("",)).relabelled(seed)


def _classifier(dataset: Dataset, policy: Policy, structure: Structure, generator: Generator) -> WLTGNN:
    layers = structure if policy.recolor is not None else Structure(structure.replace("r", ""))
    recolor = 1 if policy.recolor is None else policy.recolor
    sizes = (dataset.num_colors, HIDDEN, dataset.num_classes)
    return WLTGNN(*sizes, layers, recolor, policy.draws, dropout=0.0, generator=generator)


def _answers(
    model: WLTGNN, source: Collection, which: NDArray[np.int64], batch_size: int, generator: Generator
) -> NDArray[np.int64]:
    found: NDArray[np.int64] = fit.predict(model, source, which, batch_size, generator).argmax(dim=1).numpy()
    return found


def _right_classes(labels: NDArray[np.int64], answers: NDArray[np.int64]) -> tuple[int, int]:
    right = [bool((answers[labels == label] == label).all()) for label in np.unique(labels)]
    return num_pairs(len(right)), num_pairs(sum(right))


def _right_pairs(labels: NDArray[np.int64], answers: NDArray[np.int64]) -> tuple[int, int]:
    right = (labels == answers).reshape(-1, 2)
    return len(right), int(right.all(axis=1).sum())


# ---------------------------------------------------------------------------------------------------------------------
# BREC
# ---------------------------------------------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """Of one pair: separated, and control separated, which is a reliability failure; corrected and as published."""

    separated: bool
    control: bool
    published_separated: bool
    published_control: bool


@torch_threads(1)
def separate_trained(benchmark: Benchmark, policy: Policy, structure: Structure, seed: int = 0) -> Separation:
    """BREC's procedure for every pair of the benchmark."""
    start = time.perf_counter()
    num_colors = int(input_colors(benchmark.graphs, benchmark.colors).max()) + 1
    parts: dict[str, Part] = {}
    published = Part(0, 0, 0, 0)
    level = FALSE_ALARM / (2 * len(benchmark.groups))
    for number, (part, group, graphs, colors) in enumerate(benchmark.each()):
        if len(group) != 2:
            raise ValueError(f"mode trained compares pairs, but {benchmark.name} has a group of {len(group)} graphs")
        generator = Generator().manual_seed(1000 * seed + number)
        model = random_model(num_colors, DIMENSIONS, DIMENSIONS, structure, policy, generator).double().train()
        verdict = compare_trained(model, graphs, colors, np.random.default_rng([seed, number]), generator, level)
        parts[part] = parts.get(part, Part(0, 0, 0, 0)) + Part(1, verdict.separated, 1, verdict.control)
        published += Part(1, verdict.published_separated, 1, verdict.published_control)
    details = {
        "published_separated": int(published.separated),
        "published_control_failures": int(published.control_failures),
        "seed": seed,
    }
    counts = {part: Part(*map(int, count)) for part, count in parts.items()}
    seconds = time.perf_counter() - start
    return Separation(benchmark.name, "trained", policy.name, str(structure), counts, seconds, details)


def compare_trained(
    model: WLTGNN, pair: Graph, colors: Colors, random: np.random.Generator, generator: Generator, level: float
) -> Verdict:
    """Train the model to separate the pair, and test whether it does; BatchNorm uses the statistics of the batch."""
    first, second = (_relabellings(pair, colors, i, random) for i in (0, 1))
    compared, control = _interleaved(first, second), _interleaved(first, _relabellings(pair, colors, 0, random))
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    apart = -torch.ones(RELABELLINGS, dtype=torch.float64)
    for _ in range(EPOCHS):
        vectors = model(Batch.from_graphs(*compared), generator)
        loss = functional.cosine_embedding_loss(vectors[0::2], vectors[1::2], apart)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if loss.item() < LOSS_REACHED:
            break
    differences, length = _differences(model, *compared, generator)
    control_differences, control_length = _differences(model, *control, generator)
    statistic, control_statistic = published_statistic(differences), published_statistic(control_differences)
    different = not np.isclose(statistic, control_statistic, rtol=1e-5, atol=1e-6)
    return Verdict(
        hotelling(differences, length, level).separated,
        hotelling(control_differences, control_length, level).separated,
        statistic > PUBLISHED_THRESHOLD and different,
        control_statistic >= PUBLISHED_THRESHOLD,
    )


def _relabellings(
    graphs: Graph, colors: Colors, index: int, random: np.random.Generator
) -> list[tuple[Graph, NDArray[np.int64]]]:
    """32 relabelled copies of one graph, with the colours that go to the first layer."""
    graph = graphs[index]
    given = input_colors(graphs, colors)[graphs.starts[index] : graphs.starts[index + 1]]
    copies = []
    for _ in range(RELABELLINGS):
        new_name = random.permutation(graph.num_nodes)
        copies.append((graph.relabel(new_name), given[np.argsort(new_name)]))
    return copies


def _interleaved(
    first: list[tuple[Graph, NDArray[np.int64]]], second: list[tuple[Graph, NDArray[np.int64]]]
) -> tuple[Graph, NDArray[np.int64]]:
    copies = [copy for both in zip(first, second, strict=True) for copy in both]
    return Graph.union(graph for graph, _ in copies), np.concatenate([colors for _, colors in copies])


@torch.no_grad()
def _differences(
    model: WLTGNN, graphs: Graph, colors: NDArray[np.int64], generator: Generator
) -> tuple[NDArray[np.float64], float]:
    """Vectors of the even graphs minus those of the odd ones, [32, 16], and the length of the longest vector."""
    vectors = []
    for first in range(0, graphs.num_graphs, TEST_BATCH):
        which = np.arange(first, min(first + TEST_BATCH, graphs.num_graphs))
        batch = Batch.from_graphs(graphs.take(which), colors[graphs.nodes_of(which)])
        vectors.append(model(batch, generator).numpy())
    found = np.concatenate(vectors)
    return found[0::2] - found[1::2], float(np.linalg.norm(found, axis=1).max())
