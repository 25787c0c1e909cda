"""BREC's procedure, for any torch module: train it to tell one pair apart, and ask whether it does.

BREC (Wang and Zhang, arXiv:2304.07702) trains a new model for every pair, on 32 relabellings of either graph, to push
the 16-dimensional vectors of the two apart (cosine loss), and asks Hotelling's T-squared whether the 32 differences
have mean zero; the control asks the same of 32 differences between relabellings of one graph. Settings and steps are
those of PyPI's `brec` 1.0, and on the same relabellings and weights the published verdict is the one that it gives.

The corrected verdict is of the same trained model: the test with its missing factor (see `hotelling`), on vectors in
float64 where the module can, at a level at which the probability of any false alarm in the whole benchmark is at most
0.05.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from wlt.expressiveness.benchmarks import relabelled
from wlt.expressiveness.hotelling import hotelling, published_statistic, published_threshold
from wlt.expressiveness.procedure import Procedure
from wlt.expressiveness.subject import ModelError, Subject, checked, module_input
from wlt.graphs import Graphs


class PairVerdict(NamedTuple):
    """What the procedure says about one pair, by the corrected test and by the published one."""

    separated: bool
    control: bool
    """Relabellings of one graph were told apart: the procedure failed on this pair."""
    published_separated: bool
    published_control: bool


def compare_trained(
    subject: Subject, module: torch.nn.Module, pair: Graphs, random: np.random.Generator, level: float, how: Procedure
) -> PairVerdict:
    """Train the module to separate the pair, and test whether it does."""
    compared, control = relabellings(pair, random, how.relabellings)
    train_apart(subject, module.train(), compared, how)
    module.eval()
    vectors, control_vectors = (_vectors(subject, module, graphs, how) for graphs in (compared, control))
    dims = vectors.shape[1]
    if dims >= how.relabellings:
        raise ModelError(
            f"{subject.name} gives every graph {dims} numbers; BREC's test needs fewer than its {how.relabellings} "
            "relabellings, and has 16 in the publication"
        )
    statistic, control_statistic = published_statistic(vectors), published_statistic(control_vectors)
    threshold = published_threshold(how.relabellings, dims)
    different = not np.isclose(statistic, control_statistic, rtol=1e-5, atol=1e-6)
    exact = subject.module_vectors(module)
    apart = []
    for graphs in (compared, control):
        rows = np.concatenate([exact(part) for part in _parts(graphs, how.batch_size)])
        length = float(np.linalg.norm(rows, axis=1).max())
        apart.append(hotelling(rows[0::2] - rows[1::2], length, level, single=subject.single).separated)
    module.float()
    return PairVerdict(apart[0], apart[1], statistic > threshold and different, not control_statistic < threshold)


def relabellings(pair: Graphs, random: np.random.Generator, number: int) -> tuple[Graphs, Graphs]:
    """Relabelled copies of the two graphs in turn, g h g h ..., and as many of one of the two alone."""
    side = int(random.integers(2))
    compared, control = (relabelled(pair.take(both * number), random) for both in ([0, 1], [side, side]))
    return compared, control


def train_apart(subject: Subject, module: torch.nn.Module, graphs: Graphs, how: Procedure) -> None:
    """Adam on the cosine loss between graphs 2i and 2i + 1, as published."""
    optimizer = torch.optim.Adam(module.parameters(), lr=how.learning_rate, weight_decay=how.weight_decay)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
    steps = -(-2 * how.relabellings // how.batch_size)
    few = max(how.training_relabellings, steps)
    inputs = [_input(subject, part) for part in _parts(graphs[: 2 * few], 2 * -(-few // steps))]
    for _ in range(how.epochs):
        total = 0.0
        for given in inputs:
            optimizer.zero_grad()
            vectors = _answer(subject, module, given)
            apart = -torch.ones(len(vectors) // 2, device=vectors.device)
            loss = functional.cosine_embedding_loss(vectors[0::2], vectors[1::2], apart)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            total += len(vectors) / 2 * loss.item()
        total /= few
        if total < how.loss_reached:
            break
        scheduler.step(total)


def _parts(graphs: Graphs, size: int) -> list[Graphs]:
    return [graphs[first : first + size] for first in range(0, len(graphs), size)]


def _input(subject: Subject, graphs: Graphs) -> tuple[Any, int]:
    return module_input(graphs, subject.takes, torch.float32, subject.device), len(graphs)


def _answer(subject: Subject, module: torch.nn.Module, given: tuple[Any, int]) -> Tensor:
    """[graphs, dims], float32, differentiable. A module that changes its input changes a copy of it."""
    graphs, number = given
    answer: Tensor = module(graphs.clone() if subject.takes == "batch" else graphs)
    checked(answer, number, subject.name)
    if not isinstance(answer, Tensor) or (torch.is_grad_enabled() and not answer.requires_grad):
        what = "a tensor without a gradient" if isinstance(answer, Tensor) else type(answer).__name__
        raise ModelError(f"{subject.name} returned {what}; training needs a tensor with the gradient of its weights")
    return answer


@torch.no_grad()
def _vectors(subject: Subject, module: torch.nn.Module, graphs: Graphs, how: Procedure) -> NDArray[np.float32]:
    """[graphs, dims]"""
    answers = [_answer(subject, module, _input(subject, part)) for part in _parts(graphs, how.batch_size)]
    return torch.cat(answers).cpu().float().numpy()
