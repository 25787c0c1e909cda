"""GIN layers on the CPU: all of a model's layers, with the recolorings between them, as one step of autograd.

Equal to `GIN.composed` one after the other, in few passes over the rows. BatchNorm never touches a row: its output
z * scale + shift is passed on as (z, scale, shift), the next layer folds the two vectors into its first product and the
readout into its result. Backward, the gradients of scale and shift come out of these small products, so BatchNorm's own
gradient is a term sizes * (u + z * w) with two vectors u and w.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from wlt.nn import kernels
from wlt.nn.batch import Batch
from wlt.nn.recolor import Recoloring
from wlt.refine.rounds import Round

Array = NDArray[np.floating[Any]]


class _Weights(NamedTuple):
    """A layer's parameters; also their gradients."""

    weight1: Any
    bias1: Any
    weight2: Any
    bias2: Any
    gamma: Any
    beta: Any
    eps: Any
    edge_rows: Any  # of the kinds of edges, where they carry labels; computed from the layer's parameters

    @classmethod
    def of(cls, layer: Any) -> _Weights:
        """layer: a GIN of `wlt.nn.layers`, which imports this module."""
        # Not by attribute: torch.nn.Module looks each up in several dictionaries, which is time where graphs are small.
        own, norm = layer._parameters, layer.norm._parameters
        linear = own["weight1"], own["bias1"], own["weight2"], own["bias2"]
        return cls(*linear, norm["weight"], norm["bias"], own["eps"], None)


class _Messages(NamedTuple):
    """Messages rows * scale + shift, as a batch carries them; also their gradients. Any of the three may be missing."""

    rows: Any
    scale: Any
    shift: Any


class _PlainSum(NamedTuple):
    """How a layer came to its inner rows where edges carry nothing: W1 is applied before the sum over neighbours."""

    scaled_weight: Array  # weight1 with the last layer's scale
    constant: Array  # shift @ weight1, which every message adds to its sum
    mapped: Array | None  # [rows, hidden] rows @ scaled_weight; only the gradient of eps needs it again
    weight_sums: Array  # [classes] how often the constant arrived


class _LabelledSum(NamedTuple):
    """The same where they carry labels: a message ends in a ReLU, so W1 is applied behind the sum."""

    edge: NDArray[np.int64]  # [messages] the edge row of each
    messages: Array  # [messages, in]
    summed: Array  # [classes, in]


class _Pass(NamedTuple):
    """What a layer's backward pass needs from its forward pass.

    Arrays, because tensors would keep themselves alive through their own grad_fn."""

    step: Round
    graph_sizes: NDArray[np.float64]
    weights: _Weights  # arrays
    source: _Messages  # arrays, of the last layer; without rows, weight1 has one for every initial colour
    own_weight: Any  # 1 + eps
    sums: _PlainSum | _LabelledSum
    inner: Array  # [classes, hidden] behind the first ReLU
    out: Array  # [classes, hidden] behind the second
    moments: kernels.Moments  # of `out`
    residual: bool


def run_fused(
    layers: Iterable[torch.nn.Module],
    batch: Batch,
    generator: torch.Generator | None = None,
    chosen: Iterator[NDArray[np.int32] | None] | None = None,
) -> tuple[Batch, Tensor]:
    """The batch behind these GIN and recoloring layers, and the sum readouts of the GINs, [layers, graphs, hidden]."""
    parameters: list[_Weights] = [_Weights.of(layer) for layer in layers if not isinstance(layer, Recoloring)]
    check_precision(parameters[0].bias1)
    bias = _array(parameters[0].bias1)
    readouts = np.empty((len(parameters), batch.num_graphs, len(bias)), bias.dtype)
    inputs = _Messages(batch.rows, batch.scale, batch.shift)
    passes: list[_Pass] = []  # with their arrays, as long as a backward pass may come
    number = 0
    recorded = torch.is_grad_enabled()
    with torch.no_grad():
        layer: Any
        for layer in layers:
            if isinstance(layer, Recoloring):
                batch = layer(batch, generator, None if chosen is None else next(chosen))
            else:
                layer.check_edges(batch)
                new, step = batch.refine()
                edge = None
                if layer.edges is not None:
                    with torch.set_grad_enabled(recorded):
                        edge_rows, edge = layer.edges(batch.tokens, step.message_token)
                    parameters[number] = parameters[number]._replace(edge_rows=edge_rows)
                done = _forward(layer, parameters[number], batch, step, edge, readouts[number])
                if recorded:
                    passes.append(done)
                number += 1
                outputs = _outputs(done)
                batch = new.filled(*outputs)
    results: tuple[Tensor, ...] = (*outputs, torch.from_numpy(readouts))
    if recorded:
        results = _Gradient.apply(passes, results, *inputs, *itertools.chain(*parameters))  # type: ignore[no-untyped-call]
    return batch.filled(*results[:3]), results[3]


def _forward(
    layer: Any, parameters: _Weights, batch: Batch, step: Round, edge: Tensor | None, readouts: Array
) -> _Pass:
    weights = _Weights(*(None if parameter is None else _array(parameter) for parameter in parameters))
    table = batch.features if batch.rows is None else batch.rows
    if batch.rows is None:
        batch.check_input(len(weights.weight1))
    rows = None if table is None else _array(table.to(parameters.weight1).contiguous())
    affine = batch.scale is not None and batch.shift is not None
    source = _Messages(rows, *((_array(batch.scale), _array(batch.shift)) if affine else (None, None)))
    own_weight = weights.bias1.dtype.type(1) if weights.eps is None else 1 + weights.eps[()]
    sums: _PlainSum | _LabelledSum
    if edge is None:
        inner, sums = _plain_inner(weights, source, own_weight, step)
    else:
        inner, sums = _labelled_inner(weights, source, own_weight, step, edge.numpy())
    out = _product(inner, weights.weight2)
    norm, sizes = _norm(layer.norm, weights), batch.graph_sizes
    moments = kernels.gin_normalize(out, weights.bias2, step.sizes, step.members, sizes, norm, readouts)
    return _Pass(step, sizes, weights, source, own_weight, sums, inner, out, moments, layer.residual)


def _outputs(done: _Pass) -> tuple[Tensor, Tensor, Tensor]:
    """Rows, scale and shift that go on to the next layer."""
    rows, (scale, shift) = done.out, done.moments.vectors[2:]
    if done.residual:
        rows = kernels.add_own(rows, scale, shift, done.step.parent, *_affine(done.source))
        scale, shift = np.ones_like(scale), np.zeros_like(shift)
    return torch.from_numpy(rows), torch.from_numpy(scale), torch.from_numpy(shift)


def _plain_inner(weights: _Weights, source: _Messages, own_weight: Any, step: Round) -> tuple[Array, _PlainSum]:
    hidden, dtype = len(weights.bias1), weights.bias1.dtype
    scaled_weight, constant = weights.weight1, np.zeros(hidden, dtype)
    if source.scale is not None:
        scaled_weight, constant = kernels.fold_affine(weights.weight1, source.scale, source.shift)
    mapped = scaled_weight if source.rows is None else _product(source.rows, scaled_weight)
    inner = np.empty((len(step.parent), hidden), dtype)
    weight_sums = kernels.gin_aggregate(step.parent, step.counts, own_weight, mapped, weights.bias1, constant, inner)
    return inner, _PlainSum(scaled_weight, constant, None if weights.eps is None else mapped, weight_sums)


def _labelled_inner(
    weights: _Weights, source: _Messages, own_weight: Any, step: Round, edge: NDArray[np.int64]
) -> tuple[Array, _LabelledSum]:
    rows, scale, shift = _affine(source)
    messages = kernels.labelled_messages(rows, scale, shift, step.message_row, weights.edge_rows, edge)
    summed = kernels.labelled_sum(step.parent, step.counts, own_weight, rows, scale, shift, messages)
    inner = _product(summed, weights.weight1)
    inner += weights.bias1
    np.maximum(inner, 0, out=inner)
    return inner, _LabelledSum(edge, messages, summed)


def _affine(source: _Messages) -> tuple[Array, Array, Array]:
    """Rows, scale and shift; features have no scale, which is 1, and no shift, which is 0."""
    if source.scale is not None:
        return source
    width, dtype = source.rows.shape[1], source.rows.dtype
    return source.rows, np.ones(width, dtype), np.zeros(width, dtype)


def _norm(norm: Any, weights: _Weights) -> kernels.Norm:
    """norm: the layer's ClassBatchNorm. In training this counts a batch."""
    running = _array(norm._buffers["running_mean"]), _array(norm._buffers["running_var"])
    momentum = norm.next_momentum() if norm.training else -1.0
    return kernels.Norm(weights.gamma, weights.beta, *running, norm.eps, momentum)


class _Gradient(Function):
    """Connects results that are already computed to the inputs they depend on."""

    @staticmethod
    def forward(ctx: Any, passes: list[_Pass], results: tuple[Tensor, ...], *inputs: Tensor | None) -> Any:
        ctx.passes = passes
        ctx.save_for_backward(*inputs)  # for autograd's check that none was changed in place
        ctx.set_materialize_grads(False)
        return results

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Any, ...]:
        _ = ctx.saved_tensors
        passes: list[_Pass] = ctx.passes
        # a copy: the layers change its rows in place
        grad = _Messages(*(None if grad is None else grad.numpy().copy() for grad in grads[:3]))
        readouts = passes[0].moments.summed
        readout_grads = np.zeros((len(passes), *readouts.shape), readouts.dtype)
        if grads[3] is not None:
            readout_grads = grads[3].contiguous().numpy()
        weight_grads: list[Any] = []
        for number in reversed(range(len(passes))):
            wanted = number > 0 or ctx.needs_input_grad[2]
            grad, gradients = _backward(passes[number], grad, readout_grads[number], wanted)
            weight_grads[:0] = gradients
        tensors = (None if array is None else torch.from_numpy(array) for array in (*grad, *weight_grads))
        return (None, None, *tensors)


def _backward(done: _Pass, grad: _Messages, readout_grad: Array, wanted: bool) -> tuple[_Messages, _Weights]:
    """From the gradients of a layer's results to those of its source (of its rows if wanted) and its weights.

    grad.rows is changed in place."""
    step, weights, out = done.step, done.weights, done.out
    classes, hidden = out.shape
    scale_grad, beta_grad = np.zeros((2, hidden), out.dtype)
    out_grad = np.zeros_like(out) if grad.rows is None else grad.rows
    old_grads: Any = None
    if done.residual:  # the scale and shift that went on are constants
        ends = done.step.parent, *_affine(done.source)[:2]
        scale_grad, beta_grad, *old_grads = kernels.add_own_gradient(out_grad, out, done.moments.vectors[2], *ends)
    else:
        if grad.scale is not None:
            scale_grad += grad.scale
        if grad.shift is not None:
            beta_grad += grad.shift
    nodes_of = (step.sizes, step.members, done.graph_sizes)
    gamma_grad, bias2_grad = kernels.gin_output_gradient(
        out_grad, scale_grad, beta_grad, readout_grad, out, *nodes_of, weights.gamma, done.moments
    )
    if done.moments.nodes and classes == 1:  # BatchNorm of a constant is constant: this is rounding / sqrt(eps)
        out_grad[:] = 0
        bias2_grad[:] = 0
    weight2_grad = _product(done.inner.T, out_grad)
    inner_grad = _product(out_grad, weights.weight2.T)
    if isinstance(done.sums, _PlainSum):
        source_grad, weight1_grad, bias1_grad, own_grad = _plain_gradient(done, done.sums, inner_grad, wanted)
        edge_grad = None
    else:
        edge_grad = np.zeros_like(weights.edge_rows)
        source_grad, weight1_grad, bias1_grad, own_grad = _labelled_gradient(
            done, done.sums, inner_grad, edge_grad, wanted
        )
    if done.residual:
        parts = zip(source_grad, old_grads, strict=True)
        source_grad = _Messages(*(None if part is None else part + own for part, own in parts))
    eps_grad = None if weights.eps is None else np.full((), own_grad, out.dtype)
    outer = weight2_grad, bias2_grad, gamma_grad, beta_grad
    return source_grad, _Weights(weight1_grad, bias1_grad, *outer, eps_grad, edge_grad)


def _plain_gradient(
    done: _Pass, sums: _PlainSum, inner_grad: Array, wanted: bool
) -> tuple[_Messages, Array, Array, float]:
    """The gradients of the source, weight1, bias1 and own_weight."""
    step, weights, source = done.step, done.weights, done.source
    mapped_rows = len(sums.scaled_weight if source.rows is None else source.rows)
    mapped_grad = np.empty((mapped_rows, inner_grad.shape[1]), inner_grad.dtype)
    bias1_grad, constant_grad = kernels.gin_inner_gradient(
        step.parent, step.counts, done.own_weight, inner_grad, done.inner, sums.weight_sums, mapped_grad
    )
    own_grad = 0.0
    if weights.eps is not None:
        own_grad = kernels.own_weight_gradient(step.parent, inner_grad, sums.mapped, sums.constant)
    old_rows_grad = None
    weight1_grad = mapped_grad
    if source.rows is not None:
        weight1_grad = _product(source.rows.T, mapped_grad)
        if wanted:
            old_rows_grad = _product(mapped_grad, sums.scaled_weight.T)
    affine_grads = (None, None)
    if source.scale is not None:
        affine_grads = kernels.fold_affine_gradient(
            weights.weight1, source.scale, source.shift, weight1_grad, constant_grad
        )
    return _Messages(old_rows_grad, *affine_grads), weight1_grad, bias1_grad, own_grad


def _labelled_gradient(
    done: _Pass, sums: _LabelledSum, inner_grad: Array, edge_grad: Array, wanted: bool
) -> tuple[_Messages, Array, Array, float]:
    """The same; the gradient of the edge rows goes into edge_grad."""
    inner_grad *= done.inner > 0
    summed_grad = _product(inner_grad, done.weights.weight1.T)
    ends = (done.step.parent, done.step.counts, done.step.message_row)
    rows_grad, *affine_grads, own_grad = kernels.labelled_sum_gradient(
        ends, done.own_weight, *_affine(done.source), sums.edge, sums.messages, summed_grad, edge_grad
    )
    if done.source.scale is None:
        affine_grads = [None, None]
    source_grad = _Messages(rows_grad if wanted else None, *affine_grads)
    return source_grad, _product(sums.summed.T, inner_grad), inner_grad.sum(0), own_grad


def check_precision(tensor: Tensor) -> None:
    """Raise TypeError for a precision that the kernels of the CPU do not have."""
    if tensor.dtype not in (torch.float32, torch.float64):
        raise TypeError(f"on the CPU weights must be torch.float32 or torch.float64, not {tensor.dtype}")


def _array(tensor: Tensor | None) -> Any:
    assert tensor is not None
    return tensor.detach().numpy()


def _product(a: Array, b: Array) -> Array:
    """a @ b by torch, so that torch.set_num_threads applies."""
    out = np.empty((a.shape[0], b.shape[1]), a.dtype)
    torch.mm(torch.from_numpy(a), torch.from_numpy(b), out=torch.from_numpy(out))
    return out
