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

    @classmethod
    def of(cls, layer: Any) -> _Weights:
        """layer: a GIN of `wlt.nn.layers`, which imports this module."""
        # Not by attribute: torch.nn.Module looks each up in several dictionaries, which is time where graphs are small.
        mine, norm = layer._parameters, layer.norm._parameters
        return cls(
            mine["weight1"], mine["bias1"], mine["weight2"], mine["bias2"], norm["weight"], norm["bias"], mine["eps"]
        )


class _Pass(NamedTuple):
    """What a layer's backward pass needs from its forward pass.

    Arrays, because tensors would keep themselves alive through their own grad_fn."""

    step: Round
    graph_sizes: NDArray[np.float64]
    weights: _Weights  # arrays
    rows: Array | None  # [rows, in] of the last layer; None: weight1 has them, one for every initial colour
    scale: Array | None
    shift: Array | None
    scaled_weight: Array  # weight1 with the last layer's scale
    constant: Array  # shift @ weight1, which every message adds to its sum
    mapped: Array | None  # [rows, hidden] rows @ scaled_weight; only the gradient of eps needs it again
    num_mapped: int
    own_weight: Any  # 1 + eps
    weight_sums: Array  # [classes] how often the constant arrived
    inner: Array  # [classes, hidden] behind the first ReLU
    out: Array  # [classes, hidden] behind the second
    moments: Array  # [4, hidden] mean, 1 / standard deviation, scale, shift
    summed: Array  # [graphs, hidden] sums of `out`
    nodes: float  # 0 in evaluation mode: the moments are constants


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
    inputs = (batch.rows, batch.scale, batch.shift)
    passes: list[_Pass] = []
    with torch.no_grad():
        for layer in layers:
            if isinstance(layer, Recoloring):
                batch = layer(batch, generator, None if chosen is None else next(chosen))
            else:
                new, step = batch.refine()
                number = len(passes)
                passes.append(_forward(layer, parameters[number], batch, step, readouts[number]))
                outputs = torch.from_numpy(passes[-1].out), *torch.from_numpy(passes[-1].moments[2:])
                batch = new.filled(*outputs)
    results: tuple[Tensor, ...] = (*outputs, torch.from_numpy(readouts))
    if torch.is_grad_enabled():
        results = _Gradient.apply(passes, results, *inputs, *itertools.chain(*parameters))  # type: ignore[no-untyped-call]
    return batch.filled(*results[:3]), results[3]


def _forward(layer: Any, parameters: _Weights, batch: Batch, step: Round, readouts: Array) -> _Pass:
    weights = _Weights(*(None if parameter is None else _array(parameter) for parameter in parameters))
    hidden, classes, dtype = len(weights.bias1), len(step.parent), weights.bias1.dtype
    table = batch.features if batch.rows is None else batch.rows
    if batch.rows is None:
        batch.check_input(len(weights.weight1))
    rows = None if table is None else _array(table.to(parameters.weight1).contiguous())
    scale = shift = None
    scaled_weight, constant = weights.weight1, np.zeros(hidden, dtype)
    if batch.scale is not None and batch.shift is not None:
        scale, shift = _array(batch.scale), _array(batch.shift)
        scaled_weight = np.empty_like(scaled_weight)
        kernels.fold_affine(weights.weight1, scale, shift, scaled_weight, constant)
    mapped = scaled_weight if rows is None else _product(rows, scaled_weight)
    own_weight = dtype.type(1) if weights.eps is None else 1 + weights.eps[()]
    inner, weight_sums = np.empty((classes, hidden), dtype), np.empty(classes, dtype)
    kernels.gin_aggregate(step.parent, step.counts, own_weight, mapped, weights.bias1, constant, inner, weight_sums)
    out = _product(inner, weights.weight2)
    norm = layer.norm
    moments, summed = np.empty((4, hidden), dtype), np.empty_like(readouts)
    nodes = kernels.gin_normalize(
        out,
        weights.bias2,
        step.sizes,
        step.members,
        batch.graph_sizes,
        weights.gamma,
        weights.beta,
        norm.eps,
        *(_array(norm._buffers[name]) for name in ("running_mean", "running_var")),
        norm.next_momentum() if norm.training else -1.0,
        moments,
        summed,
        readouts,
    )
    return _Pass(
        step,
        batch.graph_sizes,
        weights,
        rows,
        scale,
        shift,
        scaled_weight,
        constant,
        None if weights.eps is None else mapped,
        len(mapped),
        own_weight,
        weight_sums,
        inner,
        out,
        moments,
        summed,
        nodes,
    )


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
        # a copy: the layers change rows_grad in place
        rows_grad, scale_grad, shift_grad = (None if grad is None else grad.numpy().copy() for grad in grads[:3])
        readout_grads = np.zeros((len(passes), *passes[0].summed.shape), passes[0].summed.dtype)
        if grads[3] is not None:
            readout_grads = grads[3].contiguous().numpy()
        weight_grads: list[Any] = []
        for number in reversed(range(len(passes))):
            wanted = number > 0 or ctx.needs_input_grad[2]
            rows_grad, scale_grad, shift_grad, gradients = _backward(
                passes[number], rows_grad, scale_grad, shift_grad, readout_grads[number], wanted
            )
            weight_grads[:0] = gradients
        tensors = (
            None if grad is None else torch.from_numpy(grad)
            for grad in (rows_grad, scale_grad, shift_grad, *weight_grads)
        )
        return (None, None, *tensors)


def _backward(
    done: _Pass,
    rows_grad: Array | None,
    scale_grad: Array | None,
    shift_grad: Array | None,
    readout_grad: Array,
    wanted: bool,
) -> tuple[Array | None, Array | None, Array | None, _Weights]:
    """From the gradients of a layer's results to those of its rows (if wanted), scale and shift, and its weights.

    rows_grad is changed in place."""
    step, weights, out = done.step, done.weights, done.out
    classes, hidden = out.shape
    vectors = np.zeros((6, hidden), out.dtype)
    own_scale_grad, beta_grad, gamma_grad, bias2_grad, bias1_grad, constant_grad = vectors
    if scale_grad is not None:
        own_scale_grad += scale_grad
    if shift_grad is not None:
        beta_grad += shift_grad
    grad = np.empty_like(out) if rows_grad is None else rows_grad
    kernels.gin_output_gradient(
        grad,
        rows_grad is None,
        own_scale_grad,
        beta_grad,
        readout_grad,
        out,
        step.sizes,
        step.members,
        done.graph_sizes,
        weights.gamma,
        done.moments,
        done.summed,
        done.nodes,
        gamma_grad,
        bias2_grad,
    )
    if done.nodes and classes == 1:  # BatchNorm of a constant is constant: all there is here is rounding / sqrt(eps)
        grad[:] = 0
        bias2_grad[:] = 0
    weight2_grad = _product(done.inner.T, grad)
    inner_grad = _product(grad, weights.weight2.T)
    mapped_grad = np.empty((done.num_mapped, hidden), out.dtype)
    kernels.gin_inner_gradient(
        step.parent,
        step.counts,
        done.own_weight,
        inner_grad,
        done.inner,
        done.weight_sums,
        bias1_grad,
        constant_grad,
        mapped_grad,
    )
    eps_grad = None
    if weights.eps is not None:
        total = kernels.own_weight_gradient(step.parent, inner_grad, done.mapped, done.constant)
        eps_grad = np.full((), total, out.dtype)
    old_rows_grad = old_scale_grad = old_shift_grad = None
    weight1_grad = mapped_grad
    if done.rows is not None:
        weight1_grad = _product(done.rows.T, mapped_grad)
        if wanted:
            old_rows_grad = _product(mapped_grad, done.scaled_weight.T)
    if done.scale is not None:
        old_scale_grad, old_shift_grad = np.empty((2, len(done.scale)), out.dtype)
        kernels.fold_affine_gradient(
            weights.weight1, done.scale, done.shift, weight1_grad, constant_grad, old_scale_grad, old_shift_grad
        )
    gradients = _Weights(weight1_grad, bias1_grad, weight2_grad, bias2_grad, gamma_grad, beta_grad, eps_grad)
    return old_rows_grad, old_scale_grad, old_shift_grad, gradients


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
