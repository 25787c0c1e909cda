"""Layers on a batch: each makes one WL round and fills one row per class.

With `own` the row of a class's own last message and `neighbors` the counts of its neighbours' (see batch.Step):

    GIN   h1 = BatchNorm(relu(relu(((1 + eps) h0[own] + neighbors @ h0) W1 + b1) W2 + b2))     equation (GIN) of the paper
    GCN   h1 = relu(D^-1/2 (I + A) D^-1/2 h0 W + b)
    SAGE  h1 = relu(mean of the neighbours' h0 @ W_l + h0[own] W_r + b)

A linear map commutes with the sum over neighbours, so it is applied first, where there are fewer rows; the first layer's
product with a one-hot is a look-up of rows of W1.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional

from wlt.nn import kernels
from wlt.nn.batch import Batch, Step, Sums
from wlt.nn.norm import ClassBatchNorm


class _SumRows(Function):
    """Sums @ source."""

    @staticmethod
    def forward(ctx: Any, source: Tensor, sums: Sums) -> Tensor:
        ctx.sums, ctx.num_rows = sums, len(source)
        out = torch.zeros(len(sums.offsets) - 1, source.shape[1], dtype=source.dtype)
        kernels.add_rows(*sums, source.detach().contiguous().numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
        out = torch.zeros(ctx.num_rows, grad.shape[1], dtype=grad.dtype)
        kernels.scatter_rows(*ctx.sums, grad.contiguous().numpy(), out.numpy())
        return out, None


def sum_rows(sums: Sums, source: Tensor) -> Tensor:
    """Sums @ source, differentiable: numba on the CPU, torch's sparse product on other devices."""
    if source.device.type == "cpu":
        result: Tensor = _SumRows.apply(source, sums)
        return result
    index = torch.from_numpy(np.repeat(np.arange(len(sums.offsets) - 1), np.diff(sums.offsets)))
    columns = torch.from_numpy(sums.columns.astype(np.int64))
    values = torch.from_numpy(sums.values).to(source)
    shape = (len(sums.offsets) - 1, len(source))
    matrix = torch.sparse_coo_tensor(torch.stack([index, columns]).to(source.device), values, shape)
    return torch.sparse.mm(matrix, source)


def own_rows(own: NDArray[np.int32], source: Tensor) -> Tensor:
    """source[own], with 0 where own is -1."""
    index = torch.from_numpy(own).long().to(source.device)
    return source[index.clamp(min=0)] * (index >= 0).to(source).unsqueeze(1)


def linear_input(batch: Batch, weight: Tensor) -> Tensor:
    """Messages of the batch's rows times weight [in, out]; a one-hot times weight is weight itself."""
    if batch.rows is None:
        if batch.features is not None:
            return batch.features.to(weight) @ weight
        highest = int(batch.row.max(initial=-1))
        if highest >= len(weight):
            raise ValueError(f"colour {highest} is out of range: the model was made for colours 0 .. {len(weight) - 1}")
        return weight
    rows = batch.rows if batch.scale is None else batch.rows * batch.scale + batch.shift
    return rows @ weight


def readout(step: Step, rows: Tensor) -> Tensor:
    """Sum of the nodes' messages per graph, [graphs, hidden]."""
    return sum_rows(step.members, rows)


def _uniform(generator: torch.Generator | None, bound: float, *shape: int) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.empty(*shape).uniform_(-bound, bound, generator=generator))


class GIN(torch.nn.Module):
    """GINConv with the MLP Linear-ReLU-Linear-ReLU-BatchNorm of PyG's benchmark; eps fixed at 0, or trained.

    Weights are stored [in, out], so that the first layer's are one embedding row per colour. Returns the batch and its
    sum readout [graphs, hidden].
    """

    def __init__(
        self, in_features: int, hidden: int, train_eps: bool = False, generator: torch.Generator | None = None
    ):
        super().__init__()
        first, second = 1 / math.sqrt(in_features), 1 / math.sqrt(hidden)  # torch.nn.Linear's initialisation
        self.weight1 = _uniform(generator, first, in_features, hidden)
        self.bias1 = _uniform(generator, first, hidden)
        self.weight2 = _uniform(generator, second, hidden, hidden)
        self.bias2 = _uniform(generator, second, hidden)
        self.norm = ClassBatchNorm(hidden)
        self.eps = torch.nn.Parameter(torch.zeros(())) if train_eps else None

    def forward(self, batch: Batch) -> tuple[Batch, Tensor]:
        new, step = batch.refine()
        own_weight = 1.0 if self.eps is None else 1 + self.eps
        parameters = (self.weight1, self.bias1, self.weight2, self.bias2)
        if self.weight1.device.type == "cpu":
            if batch.rows is None:
                rows, scale, shift = linear_input(batch, self.weight1), None, None
                weight1 = None
            else:
                rows, scale, shift, weight1 = batch.rows, batch.scale, batch.shift, self.weight1
            out = _FusedGIN.apply(step, self.norm, new.graph_sizes, rows, scale, shift, weight1, *parameters[1:], self.norm.weight, self.norm.bias, self.eps)
            rows, scale, shift, summed = out
            return replace(new, rows=rows, scale=scale, shift=shift), summed
        rows = self.composed(batch, step, own_weight)
        return replace(new, rows=rows, scale=None, shift=None), readout(step, rows)

    def composed(self, batch: Batch, step: Step, own_weight: Tensor | float) -> Tensor:
        """The layer as separate differentiable operations: for other devices than the CPU, and what the fused one equals."""
        mapped = linear_input(batch, self.weight1)
        summed = own_weight * own_rows(step.own, mapped) + sum_rows(step.neighbors, mapped)
        inner = functional.relu(summed + self.bias1)
        rows = functional.relu(inner @ self.weight2 + self.bias2)
        return self.norm(rows, torch.from_numpy(step.sizes).to(rows.device))  # type: ignore[no-any-return]


class _FusedGIN(Function):
    """The GIN layer with readout in few passes over the rows, forward and backward; equal to `GIN.composed`.

    BatchNorm never touches a row: its output z * scale + shift is passed on as (z, scale, shift), the next layer folds
    the two vectors into its first product and the readout into its result. Backward, the gradients of scale and shift
    come out of these small products, so BatchNorm's own gradient is a term sizes * (u + z * w) with two vectors u, w.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, step: Step, norm: ClassBatchNorm, graph_sizes: NDArray[np.float64],
        rows: Tensor, scale: Tensor | None, shift: Tensor | None, weight1: Tensor | None,
        bias1: Tensor, weight2: Tensor, bias2: Tensor, gamma: Tensor, beta: Tensor, eps: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        dtype, hidden, classes = bias1.dtype, len(bias1), len(step.own)
        if weight1 is None:  # rows are the products already
            scaled_weight, mapped, constant = None, rows, torch.zeros(hidden, dtype=dtype)
        elif scale is None or shift is None:
            scaled_weight, mapped, constant = weight1, rows @ weight1, torch.zeros(hidden, dtype=dtype)
        else:
            scaled_weight = scale.unsqueeze(1) * weight1
            mapped, constant = rows @ scaled_weight, shift @ weight1
        own_weight = dtype_scalar(dtype, 1.0 if eps is None else 1 + float(eps))
        inner = torch.empty(classes, hidden, dtype=dtype)
        weight_sums = np.empty(classes, inner.numpy().dtype)
        kernels.gin_aggregate(step.own, *step.neighbors, own_weight, mapped.detach().numpy(), bias1.detach().numpy(), constant.detach().numpy(), inner.numpy(), weight_sums)
        out = inner @ weight2
        first, second = np.empty(hidden), np.empty(hidden)
        kernels.bias_relu_moments(out.numpy(), bias2.detach().numpy(), step.sizes, first, second)
        if norm.training:
            nodes = float(step.sizes.sum())
            mean64 = first / nodes
            mean = torch.from_numpy(mean64).to(dtype)
            var = torch.from_numpy(np.maximum(second / nodes - mean64**2, 0)).to(dtype)
            norm.track(mean, var, nodes)
        else:
            mean, var = norm.running_mean, norm.running_var
            nodes = 0.0
        inverse = torch.rsqrt(var + norm.eps)
        new_scale = gamma * inverse
        new_shift = beta - mean * new_scale
        summed = torch.zeros(len(step.members.offsets) - 1, hidden, dtype=dtype)
        kernels.add_rows(*step.members, out.numpy(), summed.numpy())
        sizes = torch.from_numpy(graph_sizes).to(dtype).unsqueeze(1)
        ctx.step, ctx.own_weight, ctx.nodes, ctx.weight_sums = step, own_weight, nodes, weight_sums
        ctx.save_for_backward(rows, scale, shift, weight1, scaled_weight, weight2, gamma, eps, mapped if eps is not None else None, constant, inner, out, mean, inverse, new_scale, summed, sizes)
        ctx.set_materialize_grads(False)
        return out, new_scale, new_shift, summed * new_scale + sizes * new_shift

    @staticmethod
    def backward(ctx: Any, grad_out: Tensor | None, grad_scale: Tensor | None, grad_shift: Tensor | None, grad_readout: Tensor | None) -> Any:  # type: ignore[override]
        rows, scale, shift, weight1, scaled_weight, weight2, gamma, eps, mapped, constant, inner, out, mean, inverse, new_scale, summed, sizes = ctx.saved_tensors
        step: Step = ctx.step
        hidden, dtype = out.shape[1], out.dtype
        if grad_scale is None:
            grad_scale = torch.zeros_like(mean)
        if grad_shift is None:
            grad_shift = torch.zeros_like(mean)
        if grad_readout is None:
            grad_readout = torch.zeros_like(summed)
        grad_scale = grad_scale + (grad_readout * summed).sum(0)
        grad_beta = grad_shift + (grad_readout * sizes).sum(0)
        grad_scale = grad_scale - grad_beta * mean
        grad_gamma = grad_scale * inverse
        if ctx.nodes:
            grad_var = grad_scale * gamma * inverse**3 * (-1 / ctx.nodes)  # times (z - mean)
            w = grad_var
            u = grad_beta * new_scale * (-1 / ctx.nodes) - mean * grad_var
        else:
            w = u = torch.zeros_like(mean)
        grad = torch.empty_like(out)
        grad_bias2, grad_bias1, grad_constant = torch.empty(3, hidden, dtype=dtype)
        no_grad = torch.empty(0, hidden, dtype=dtype)
        kernels.gin_output_gradient(
            (no_grad if grad_out is None else grad_out.contiguous()).numpy(), out.numpy(), step.sizes, *step.members, (grad_readout * new_scale).numpy(), u.numpy(), w.numpy(), grad.numpy(), grad_bias2.numpy()
        )
        grad_weight2 = inner.t() @ grad
        grad_inner = grad @ weight2.t()
        kernels.mask_and_sum(grad_inner.numpy(), inner.numpy(), ctx.weight_sums, grad_bias1.numpy(), grad_constant.numpy())
        grad_mapped = torch.empty(len(rows), hidden, dtype=dtype)
        kernels.scatter_aggregate(step.own, *step.neighbors, ctx.own_weight, grad_inner.numpy(), grad_mapped.numpy())
        grad_eps = None
        if eps is not None:
            grad_eps = torch.full((), kernels.own_weight_gradient(step.own, grad_inner.numpy(), mapped.numpy(), constant.numpy()), dtype=dtype)
        grad_old_scale = grad_old_shift = grad_weight1 = None
        if weight1 is None:
            grad_rows = grad_mapped
        else:
            grad_rows = grad_mapped @ scaled_weight.t()
            grad_weight1 = rows.t() @ grad_mapped
            if scale is not None:
                grad_old_scale = (weight1 * grad_weight1).sum(1)
                grad_old_shift = weight1 @ grad_constant
                grad_weight1 = torch.addr(scale.unsqueeze(1) * grad_weight1, shift, grad_constant)
        return None, None, None, grad_rows, grad_old_scale, grad_old_shift, grad_weight1, grad_bias1, grad_weight2, grad_bias2, grad_gamma, grad_beta, grad_eps


def dtype_scalar(dtype: torch.dtype, value: float) -> Any:
    """A numpy scalar of the dtype: numba would compute in float64 with a Python float."""
    return np.float64(value) if dtype == torch.float64 else np.float32(value)


class GCN(torch.nn.Module):
    """PyG's GCNConv and a ReLU: messages weighted by 1 / sqrt((d_u + 1) (d_v + 1)), the node itself included."""

    def __init__(self, in_features: int, hidden: int, generator: torch.Generator | None = None):
        super().__init__()
        self.weight = _uniform(generator, math.sqrt(6 / (in_features + hidden)), in_features, hidden)  # Glorot
        self.bias = torch.nn.Parameter(torch.zeros(hidden))

    def forward(self, batch: Batch) -> tuple[Batch, Tensor]:
        if batch.rows is None:
            batch = batch.split_by_degree()  # the weights need a neighbour's degree to be a function of its class
        new, step = batch.refine()
        old_degrees = batch.class_degrees()
        own, neighbors = 1 / (step.degrees + 1), step.neighbors
        target = np.repeat(1 / np.sqrt(step.degrees + 1), np.diff(neighbors.offsets))
        values = neighbors.values * target / np.sqrt(old_degrees[step.columns] + 1)
        mapped = linear_input(batch, self.weight)
        itself = torch.from_numpy(own).to(mapped).unsqueeze(1) * own_rows(step.own, mapped)
        summed = itself + sum_rows(Sums(neighbors.offsets, neighbors.columns, values), mapped)
        rows = functional.relu(summed + self.bias)
        return replace(new, rows=rows, scale=None, shift=None), readout(step, rows)


class SAGE(torch.nn.Module):
    """PyG's SAGEConv with the mean of the neighbours, and a ReLU."""

    def __init__(self, in_features: int, hidden: int, generator: torch.Generator | None = None):
        super().__init__()
        bound = 1 / math.sqrt(in_features)
        self.weight_neighbors = _uniform(generator, bound, in_features, hidden)
        self.weight_own = _uniform(generator, bound, in_features, hidden)
        self.bias = _uniform(generator, bound, hidden)

    def forward(self, batch: Batch) -> tuple[Batch, Tensor]:
        new, step = batch.refine()
        neighbors = step.neighbors
        values = neighbors.values / np.repeat(np.maximum(step.degrees, 1), np.diff(neighbors.offsets))
        mean = sum_rows(Sums(neighbors.offsets, neighbors.columns, values), linear_input(batch, self.weight_neighbors))
        rows = functional.relu(mean + own_rows(step.own, linear_input(batch, self.weight_own)) + self.bias)
        return replace(new, rows=rows, scale=None, shift=None), readout(step, rows)
