"""Targets: losses, gradients and scores against plain torch and scikit-learn, with gaps and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, mean_absolute_error
from torch import Tensor

from wlt.nn import WLTGNN, Batch
from wlt.train.target import LOSSES, Binaries, Classes, Numbers, Target, Task

KINDS = ["classes", "binaries", *LOSSES]


def made(kind: str, graphs: int, seed: int, gaps: bool = True) -> tuple[Target, Tensor, NDArray[np.float64]]:
    """A target of three outputs, its truth for so many graphs, and weights of 0, 1, 2, ..."""
    random = np.random.default_rng(seed)
    weights = random.integers(0, 4, graphs).astype(float)
    weights[0] = 1
    if kind == "classes":
        labels = np.array(["a", "b", "c"])
        target: Target = Classes(labels)
        return target, target.encode(labels[random.integers(0, 3, graphs)]), weights
    table = random.normal(size=(graphs, 3)) * [1, 10, 0.1] + [0, -5, 100]
    if kind == "binaries":
        table = (table > table.mean(axis=0)).astype(float)
    holes = random.random(table.shape) < 0.3
    holes[0] = False
    if gaps:
        table[holes] = np.nan
    target = Binaries(("x", "y", "z")) if kind == "binaries" else Numbers.learn(table, kind)  # type: ignore[arg-type]
    return target, target.encode(table), weights


def by_hand(target: Target, outputs: Tensor, truth: Tensor, weights: Tensor) -> Tensor:
    """Cell by cell."""
    total, count = torch.zeros((), dtype=torch.float64), 0.0
    for graph in range(len(truth)):
        weight = float(weights[graph])
        if isinstance(target, Classes):
            total = total - weight * outputs[graph].log_softmax(0)[truth[graph]]
            count += weight
            continue
        for column in range(outputs.shape[1]):
            value, output = float(truth[graph, column]), outputs[graph, column]
            if np.isnan(value):
                continue
            if isinstance(target, Binaries):
                share = output.sigmoid()
                cell = -(share if value else 1 - share).log()
            else:
                assert isinstance(target, Numbers)
                error = output - (value - target.shift[column]) / target.scale[column]
                size = error.abs()
                huber = error**2 / 2 if size < 1 else size - 0.5
                cell = {"huber": huber, "absolute": size, "squared": error**2}[target.kind]
            total, count = total + weight * cell, count + weight
    return total / count


@given(st.sampled_from(KINDS), st.integers(2, 8), st.booleans(), st.integers(0, 10**6))
def test_loss_and_gradients_are_those_of_plain_torch(kind: str, graphs: int, weighted: bool, seed: int) -> None:
    target, truth, weights = made(kind, graphs, seed)
    outputs = torch.randn(graphs, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    given_weights = torch.from_numpy(weights if weighted else np.ones(graphs))
    mine, plain = outputs.clone().requires_grad_(), outputs.clone().requires_grad_()
    loss = target.loss(mine, truth, given_weights if weighted else None)
    expected = by_hand(target, plain, truth, given_weights)
    loss.backward(), expected.backward()
    torch.testing.assert_close(loss, expected, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(mine.grad, plain.grad, rtol=1e-9, atol=1e-12)


@given(st.sampled_from(KINDS), st.integers(2, 8), st.integers(0, 10**6))
def test_a_weight_of_two_is_the_graph_twice(kind: str, graphs: int, seed: int) -> None:
    target, truth, weights = made(kind, graphs, seed)
    outputs = torch.randn(graphs, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    index = torch.from_numpy(np.repeat(np.arange(graphs), weights.astype(int)))
    once, often = outputs.clone().requires_grad_(), outputs.clone().requires_grad_()
    weighted = target.loss(once, truth, torch.from_numpy(weights))
    repeated = target.loss(often[index], truth[index])
    weighted.backward(), repeated.backward()
    torch.testing.assert_close(weighted, repeated, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(once.grad, often.grad, rtol=1e-9, atol=1e-12)


@given(st.sampled_from(KINDS[1:]), st.integers(2, 8), st.integers(0, 10**6))
def test_a_column_of_gaps_changes_nothing_for_the_others(kind: str, graphs: int, seed: int) -> None:
    target, truth, _ = made(kind, graphs, seed)
    outputs = torch.randn(graphs, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    wide: Target
    if isinstance(target, Binaries):
        wide = Binaries((*target.columns, "empty"))
    else:
        assert isinstance(target, Numbers)
        wide = Numbers(np.append(target.shift, 0.0), np.append(target.scale, 1.0), target.kind)
    wider = torch.cat([truth, torch.full((graphs, 1), torch.nan)], 1)
    mine = outputs.clone().requires_grad_()
    more = torch.cat([outputs, torch.ones(graphs, 1, dtype=torch.float64)], 1).requires_grad_()
    loss, other = target.loss(mine, truth), wide.loss(more, wider)
    loss.backward(), other.backward()
    torch.testing.assert_close(loss, other, rtol=1e-12, atol=0)
    torch.testing.assert_close(mine.grad, more.grad[:, :3], rtol=1e-12, atol=0)
    assert (more.grad[:, 3] == 0).all()
    assert target.score(mine, truth) == wide.score(more, wider)


@pytest.mark.parametrize("kind", KINDS)
def test_the_head_of_a_model_has_the_gradients_of_a_plain_torch_head(kind: str) -> None:
    """The same network with its outputs computed by plain torch layers."""
    graphs = [(n, [(i, (i + 1) % n) for i in range(n)]) for n in range(3, 9)]
    target, truth, weights = made(kind, len(graphs), 0)
    model = WLTGNN(3, 4, 3, structure="gg", generator=torch.Generator().manual_seed(0)).double()
    batch = Batch.from_graphs(graphs, node_labels=np.arange(sum(n for n, _ in graphs)) % 3)
    task = Task(target, truth, torch.from_numpy(weights))
    task.loss(model(batch), np.arange(len(graphs))).backward()
    expected = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    embedded = model.embed(batch)
    head = model.head
    plain = torch.nn.functional.linear(embedded, head.linear1.weight, head.linear1.bias).relu()
    outputs = torch.nn.functional.linear(plain, head.linear2.weight, head.linear2.bias)
    by_hand(target, outputs, truth, torch.from_numpy(weights)).backward()
    for parameter, grad in zip(model.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, grad, rtol=1e-9, atol=1e-11)


def test_scores_are_scikit_learns() -> None:
    random = np.random.default_rng(0)
    classes, labels = Classes(np.array([3, 5, 9])), random.choice([3, 5, 9], 50)
    outputs = torch.from_numpy(random.normal(size=(50, 3)))
    right, count = classes.score(outputs, classes.encode(labels))
    assert right / count == accuracy_score(labels, classes.classes[outputs.argmax(1)])
    numbers, truth, _ = made("huber", 50, 1, gaps=False)
    total, count = numbers.score(outputs, truth)
    assert total / count == pytest.approx(mean_absolute_error(truth, numbers.decode(outputs)))


def test_numbers_are_decoded_to_the_units_of_the_targets() -> None:
    table = np.array([[1.0, 100.0], [3.0, np.nan], [5.0, 300.0]])
    target = Numbers.learn(table)
    assert target.shift.tolist() == [3.0, 200.0]
    exact = (torch.from_numpy(table) - torch.from_numpy(target.shift)) / torch.from_numpy(target.scale)
    np.testing.assert_allclose(target.decode(exact.nan_to_num())[:, 0], table[:, 0])
    assert float(target.loss(exact.nan_to_num(), target.encode(table))) == 0.0
    assert Numbers.learn(np.ones((4, 1))).scale.tolist() == [1.0]


def test_where_nothing_counts_the_loss_is_zero_and_sends_no_gradient() -> None:
    target = Binaries(("x",))
    outputs = torch.ones(2, 1, requires_grad=True)
    loss: Any = target.loss(outputs, torch.full((2, 1), torch.nan))
    loss.backward()
    assert (loss.item(), outputs.grad.abs().sum().item()) == (0.0, 0.0)
    assert target.score(outputs, torch.full((2, 1), torch.nan)) == (0, 0)
