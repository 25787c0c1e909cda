"""Layers by themselves: hand-written gradients, the fused layer against separate operations, BatchNorm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import NUM_COLORS, TOLERANCE, colored_unions, seeded
from torch import Tensor
from torch.autograd import gradcheck
from torch.func import functional_call

from wlt import Graph, as_graph
from wlt.kernels import CSR
from wlt.nn import GCN, GIN, SAGE, Batch, ClassBatchNorm, Recoloring
from wlt.nn.layers import readout, readout_by_torch, sum_rows

UNION = Graph.union(
    [as_graph(nx.gnm_random_graph(7, 9, seed=1)), as_graph(nx.path_graph(5)), as_graph(nx.star_graph(3))]
)
COLORS = np.arange(UNION.num_nodes) % 3


def random_parameters(module: torch.nn.Module, seed: int) -> dict[str, Tensor]:
    random = seeded(seed)
    shapes = {name: parameter.shape for name, parameter in module.named_parameters()}
    return {name: torch.randn(shape, generator=random, dtype=torch.float64) for name, shape in shapes.items()}


def check_gradients(function: Callable[..., Any], inputs: dict[str, Tensor]) -> None:
    """gradcheck of a function of named tensors."""
    names = list(inputs)
    tensors = tuple(tensor.clone().requires_grad_() for tensor in inputs.values())
    assert gradcheck(lambda *values: function(dict(zip(names, values, strict=True))), tensors, atol=1e-6)


# ---- sums over neighbours


@st.composite
def sums(draw: st.DrawFn) -> tuple[CSR, int]:
    """A sparse matrix, with empty and long rows, and its number of columns."""
    columns = draw(st.integers(1, 6))
    lengths = draw(st.lists(st.integers(0, 11), min_size=1, max_size=6))
    total = sum(lengths)
    indices = draw(st.lists(st.integers(0, columns - 1), min_size=total, max_size=total))
    values = draw(st.lists(st.integers(-3, 3), min_size=total, max_size=total))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return CSR(offsets, np.array(indices, np.int32), np.array(values, np.float64)), columns


def dense(matrix: CSR, columns: int) -> Tensor:
    out = torch.zeros(len(matrix.offsets) - 1, columns, dtype=torch.float64)
    for i in range(len(out)):
        for e in range(matrix.offsets[i], matrix.offsets[i + 1]):
            out[i, matrix.columns[e]] += matrix.values[e]
    return out


@given(sums(), st.integers(1, 5), st.booleans())
def test_sum_rows_is_a_matrix_product(case: tuple[CSR, int], width: int, transposed: bool) -> None:
    matrix, columns = case
    source = torch.randn(columns, width, generator=seeded(0), dtype=torch.float64)
    if transposed:  # not contiguous
        source = torch.randn(width, columns, generator=seeded(0), dtype=torch.float64).t()
    source.requires_grad_()
    expected = dense(matrix, columns) @ source
    result = sum_rows(matrix, source)
    torch.testing.assert_close(result, expected, **TOLERANCE)
    weights = torch.randn(result.shape, generator=seeded(1), dtype=torch.float64)
    (mine,) = torch.autograd.grad((result * weights).sum(), source)
    (other,) = torch.autograd.grad((expected * weights).sum(), source)
    torch.testing.assert_close(mine, other, **TOLERANCE)


def test_sum_rows_passes_gradcheck() -> None:
    matrix = CSR(np.array([0, 3, 3, 9]), np.array([0, 1, 2, 0, 1, 2, 3, 1, 1], np.int32), np.arange(1.0, 10))
    check_gradients(lambda values: sum_rows(matrix, values["x"]), {"x": torch.randn(4, 3, dtype=torch.float64)})


def test_sum_rows_on_another_device_knows_shapes_and_type() -> None:
    """What can be seen of the path for other devices where there is none: the meta device computes no numbers."""
    matrix = CSR(np.array([0, 2, 3]), np.array([0, 1, 2], np.int32), np.ones(3))
    result = sum_rows(matrix, torch.zeros(3, 5, dtype=torch.float32, device="meta"))
    assert (result.shape, result.dtype, result.device.type) == ((2, 5), torch.float32, "meta")


@settings(max_examples=30)
@given(colored_unions(), st.booleans())
def test_readout_by_torch_alone_is_the_same(union: tuple[Graph, NDArray[np.int64]], compress: bool) -> None:
    """Values and gradients on the CPU, where both ways can go, and the shape on the meta device."""
    graph, colors = union
    _, step = Batch.from_graphs(graph, colors, compress=compress).refine()
    rows = torch.randn(len(step.parent), 3, generator=seeded(0), dtype=torch.float64, requires_grad=True)
    weights = torch.randn(graph.num_graphs, 3, generator=seeded(1), dtype=torch.float64)
    results = [way(step, rows, graph.num_graphs) for way in (readout, readout_by_torch)]
    torch.testing.assert_close(*results, **TOLERANCE)
    gradients = [torch.autograd.grad((result * weights).sum(), rows)[0] for result in results]
    torch.testing.assert_close(*gradients, **TOLERANCE)
    there = readout(step, torch.zeros(len(step.parent), 3, device="meta"), graph.num_graphs)
    assert (there.shape, there.device.type) == ((graph.num_graphs, 3), "meta")


# ---- gradients of the fused layer


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("train_eps", [True, False])
def test_gin_passes_gradcheck(train_eps: bool, training: bool, compress: bool) -> None:
    """Two layers with a recoloring between them: every output's gradient by every parameter.

    The outputs are both readouts and the last messages, so gradients arrive at a layer by all ways there are."""
    first, second = GIN(3, 3, train_eps=train_eps), GIN(3, 3, train_eps=train_eps)
    model = torch.nn.ModuleList([first, second]).double().train(training)
    batch = Batch.from_graphs(UNION, COLORS, compress=compress)

    def outputs(parameters: dict[str, Tensor]) -> tuple[Tensor, ...]:
        parts = [{k[2:]: v for k, v in parameters.items() if k.startswith(str(i))} for i in range(2)]
        after, one = functional_call(first, parts[0], (batch,))
        marked = Recoloring()(after, chosen=np.array([2, 8]))
        last, two = functional_call(second, parts[1], (marked,))
        return one, two, last.messages

    check_gradients(outputs, random_parameters(model, 0))


@pytest.mark.parametrize("used", ["readout", "messages", "first readout"])
def test_gin_passes_gradcheck_where_some_outputs_are_not_used(used: str) -> None:
    first, second = GIN(3, 3), GIN(3, 3)
    model = torch.nn.ModuleList([first, second]).double()
    batch = Batch.from_graphs(UNION, COLORS)

    def outputs(parameters: dict[str, Tensor]) -> Tensor:
        parts = [{k[2:]: v for k, v in parameters.items() if k.startswith(str(i))} for i in range(2)]
        after, one = functional_call(first, parts[0], (batch,))
        last, two = functional_call(second, parts[1], (after,))
        return {"readout": two, "messages": last.messages, "first readout": one}[used]

    check_gradients(outputs, random_parameters(model, 2))


@pytest.mark.parametrize("layer", [GCN(3, 3), SAGE(3, 3)], ids=["GCN", "SAGE"])
def test_gcn_and_sage_pass_gradcheck(layer: torch.nn.Module) -> None:
    batch = Batch.from_graphs(UNION, COLORS)

    def outputs(parameters: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        after, summed = functional_call(layer, parameters, (batch,))
        return after.messages, summed

    check_gradients(outputs, random_parameters(layer, 1))


@pytest.mark.parametrize("make", [lambda: GIN(2, 3), lambda: GCN(2, 3), lambda: SAGE(2, 3)], ids=["GIN", "GCN", "SAGE"])
def test_gradients_of_parameters_with_continuous_features(make: Callable[[], torch.nn.Module]) -> None:
    table = torch.randn(3, 2, generator=seeded(0), dtype=torch.float64)
    batch = Batch.from_graphs(UNION, features=table[torch.from_numpy(COLORS)])
    layer = make()
    check_gradients(lambda values: functional_call(layer, values, (batch,))[1], random_parameters(layer, 1))


# ---- the fused layer is the composed one


@settings(max_examples=40)
@given(
    colored_unions(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([torch.float64, torch.float32]),
    st.integers(0, 1000),
)
def test_the_fused_gin_equals_the_composed_one(
    union: tuple[Graph, NDArray[np.int64]],
    train_eps: bool,
    training: bool,
    compress: bool,
    dtype: torch.dtype,
    seed: int,
) -> None:
    """Messages, readouts, gradients and running statistics of two layers, in both floating point types.

    The parameters are so large and the graphs so small that variances nearly vanish."""
    graph, colors = union
    results = []
    for fused in (True, False):
        layers = [GIN(NUM_COLORS, 4, train_eps=train_eps), GIN(4, 4, train_eps=train_eps)]
        model = torch.nn.ModuleList(layers).to(dtype).train(training)
        model.load_state_dict({k: v.to(dtype) for k, v in random_parameters(model, seed).items()}, strict=False)
        batch = Batch.from_graphs(graph, colors, compress=compress)
        outputs = []
        for layer in layers:
            if fused:
                batch, summed = layer(batch)
            else:
                new, step = batch.refine()
                rows = layer.composed(batch, step)
                batch, summed = replace(new, rows=rows, scale=None, shift=None), readout(step, rows, batch.num_graphs)
            outputs += [summed, batch.messages]
        weights = seeded(seed)
        sum((part * torch.randn(part.shape, generator=weights, dtype=dtype)).sum() for part in outputs).backward()
        gradients = [parameter.grad for parameter in model.parameters()]
        results.append([*outputs, *gradients, *model.buffers()])
    size = 1e-9 if dtype == torch.float64 else 1e-2
    for mine, expected in zip(*results, strict=True):
        torch.testing.assert_close(mine, expected, rtol=size, atol=size)


# ---- BatchNorm


@settings(max_examples=40)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=6), st.sampled_from([0.1, 0.5, None]), st.integers(0, 1000))
def test_class_batch_norm_is_torchs_on_the_nodes(sizes: list[int], momentum: float | None, seed: int) -> None:
    """Output, gradients, running statistics; three batches in training, then evaluation."""
    mine = ClassBatchNorm(3, momentum=momentum).double()
    theirs = torch.nn.BatchNorm1d(3, momentum=momentum).double()
    assert mine.state_dict().keys() == theirs.state_dict().keys()
    random = seeded(seed)
    node_class = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    for batch in range(4):
        for norm in (mine, theirs):
            norm.train(batch < 3)
        rows = (torch.randn(len(sizes), 3, generator=random, dtype=torch.float64) * 10 + 3).requires_grad_()
        result = mine(rows, torch.tensor(sizes, dtype=torch.float64))[node_class]
        expected = theirs(rows[node_class])
        torch.testing.assert_close(result, expected, **TOLERANCE)
        weights = torch.randn(result.shape, generator=random, dtype=torch.float64)
        gradients = [
            torch.autograd.grad((out * weights).sum(), [rows, norm.weight, norm.bias])
            for out, norm in ((result, mine), (expected, theirs))
        ]
        for pair in zip(*gradients, strict=True):
            torch.testing.assert_close(*pair, **TOLERANCE)
        for name, buffer in theirs.state_dict().items():
            torch.testing.assert_close(mine.state_dict()[name], buffer, **TOLERANCE)


def test_a_single_node_has_variance_zero() -> None:
    """torch's BatchNorm refuses it; a batch of one small graph must not stop a training."""
    layer = GIN(1, 3).double()
    batch, _ = layer(Batch.from_graphs([Graph.from_edges(1, [])], [0]))
    torch.testing.assert_close(batch.messages, torch.zeros(1, 3, dtype=torch.float64))
    assert torch.isfinite(layer.norm.running_var).all()


# ---- devices


@pytest.mark.parametrize("make", [lambda: GIN(3, 4), lambda: GCN(3, 4), lambda: SAGE(3, 4)], ids=["GIN", "GCN", "SAGE"])
def test_layers_follow_their_parameters_device(make: Callable[[], torch.nn.Module]) -> None:
    """On the meta device nothing is computed, but every operation must find its operands on one device."""
    first, second = make().to("meta"), GIN(4, 5).to("meta")
    batch, summed = first(Batch.from_graphs(UNION, COLORS))
    after, last = second(batch)
    assert {part.device.type for part in (summed, batch.messages, last, after.messages)} == {"meta"}
    assert (summed.shape, last.shape, after.messages.shape) == ((3, 4), (3, 5), (after.num_classes, 5))
