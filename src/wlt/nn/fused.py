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
        own, norm = layer._parameters, layer.norm._parameters
        linear = own["weight1"], own["bias1"], own["weight2"], own["bias2"]
        return cls(*linear, norm["weight"], norm["bias"], own["eps"])


class _Messages(NamedTuple):
    """Messages rows * scale + shift, as a batch carries them; also their gradients. Any of the three may be missing."""

    rows: Any
    scale: Any
    shift: Any


class _Pass(NamedTuple):
    """What a layer's backward pass needs from its forward pass.

    Arrays, because tensors would keep themselves alive through their own grad_fn."""

    step: Round
    graph_sizes: NDArray[np.float64]
    weights: _Weights  # arrays
    source: _Messages  # arrays, of the last layer; without rows, weight1 has one for every initial colour
    scaled_weight: Array  # weight1 with the last layer's scale
    constant: Array  # shift @ weight1, which every message adds to its sum
    mapped: Array | None  # [rows, hidden] rows @ scaled_weight; only the gradient of eps needs it again
    own_weight: Any  # 1 + eps
    weight_sums: Array  # [classes] how often the constant arrived
    inner: Array  # [classes, hidden] behind the first ReLU
    out: Array  # [classes, hidden] behind the second
    moments: kernels.Moments  # of `out`


def run_fused(
    layers: Iterable[torch.nn.Module],
    batch: Batch,
    generator: torch.Generator | None = None,
    chosen: Iterator[NDArray[np.int32] | None] | None = None,
) -> tuple[Batch, Tensor]:
    """The batch behind these GIN and recoloring layers, and the sum readouts of the GINs, [layers, graphs, hidden]."""
    parameters: list[_Weights] = [_Weights.of(layer) for layer in layers if not isinstance(layer, Recoloring)]
    check_precision(parameters[0].bias1)
    batch.check_edges(0, 0)
    bias = _array(parameters[0].bias1)
    readouts = np.empty((len(parameters), batch.num_graphs, len(bias)), bias.dtype)
    inputs = _Messages(batch.rows, batch.scale, batch.shift)
    passes: list[_Pass] = []
    with torch.no_grad():
        for layer in layers:
            if isinstance(layer, Recoloring):
                batch = layer(batch, generator, None if chosen is None else next(chosen))
            else:
                new, step = batch.refine()
                number = len(passes)
                passes.append(_forward(layer, parameters[number], batch, step, readouts[number]))
                outputs = torch.from_numpy(passes[-1].out), *torch.from_numpy(passes[-1].moments.vectors[2:])
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
        scaled_weight, constant = kernels.fold_affine(weights.weight1, scale, shift)
    mapped = scaled_weight if rows is None else _product(rows, scaled_weight)
    own_weight = dtype.type(1) if weights.eps is None else 1 + weights.eps[()]
    inner = np.empty((classes, hidden), dtype)
    weight_sums = kernels.gin_aggregate(step.parent, step.counts, own_weight, mapped, weights.bias1, constant, inner)
    out = _product(inner, weights.weight2)
    norm, sizes = _norm(layer.norm, weights), batch.graph_sizes
    moments = kernels.gin_normalize(out, weights.bias2, step.sizes, step.members, sizes, norm, readouts)
    source, kept = _Messages(rows, scale, shift), None if weights.eps is None else mapped
    return _Pass(
        step, sizes, weights, source, scaled_weight, constant, kept, own_weight, weight_sums, inner, out, moments
    )


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
    step, weights, out, source = done.step, done.weights, done.out, done.source
    classes, hidden = out.shape
    scale_grad, beta_grad = np.zeros((2, hidden), out.dtype)
    if grad.scale is not None:
        scale_grad += grad.scale
    if grad.shift is not None:
        beta_grad += grad.shift
    out_grad = np.zeros_like(out) if grad.rows is None else grad.rows
    nodes_of = (step.sizes, step.members, done.graph_sizes)
    gamma_grad, bias2_grad = kernels.gin_output_gradient(
        out_grad, scale_grad, beta_grad, readout_grad, out, *nodes_of, weights.gamma, done.moments
    )
    if done.moments.nodes and classes == 1:  # BatchNorm of a constant is constant: this is rounding / sqrt(eps)
        out_grad[:] = 0
        bias2_grad[:] = 0
    weight2_grad = _product(done.inner.T, out_grad)
    inner_grad = _product(out_grad, weights.weight2.T)
    mapped_grad = np.empty((len(done.scaled_weight if source.rows is None else source.rows), hidden), out.dtype)
    bias1_grad, constant_grad = kernels.gin_inner_gradient(
        step.parent, step.counts, done.own_weight, inner_grad, done.inner, done.weight_sums, mapped_grad
    )
    eps_grad = None
    if weights.eps is not None:
        total = kernels.own_weight_gradient(step.parent, inner_grad, done.mapped, done.constant)
        eps_grad = np.full((), total, out.dtype)
    old_rows_grad = None
    weight1_grad = mapped_grad
    if source.rows is not None:
        weight1_grad = _product(source.rows.T, mapped_grad)
        if wanted:
            old_rows_grad = _product(mapped_grad, done.scaled_weight.T)
    affine_grads = (None, None)
    if source.scale is not None:
        affine_grads = kernels.fold_affine_gradient(
            weights.weight1, source.scale, source.shift, weight1_grad, constant_grad
        )
    gradients = _Weights(weight1_grad, bias1_grad, weight2_grad, bias2_grad, gamma_grad, beta_grad, eps_grad)
    return _Messages(old_rows_grad, *affine_grads), gradients


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
