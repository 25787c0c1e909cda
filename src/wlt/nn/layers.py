"""Layers on a batch: each makes one WL round and fills one row per class.

With `own` the row of a class's own last message and `neighbors` the counts of its neighbours' (see batch.Step):

    GIN   h1 = BatchNorm(relu(relu(((1 + eps) h0[own] + neighbors @ h0) W1 + b1) W2 + b2))   equation (GIN) of the paper
    GCN   h1 = relu(D^-1/2 (I + A) D^-1/2 h0 W + b)
    SAGE  h1 = relu(mean of the neighbours' h0 @ W_l + h0[own] W_r + b)

A linear map commutes with the sum over neighbours, so it is applied first, where there are fewer rows; the first
layer's product with a one-hot is a look-up of rows of W1.
"""

from __future__ import annotations

import math
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
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        out = torch.zeros(ctx.num_rows, grad.shape[1], dtype=grad.dtype)
        kernels.scatter_rows(*ctx.sums, grad.contiguous().numpy(), out.numpy())
        return out, None


def sum_rows(sums: Sums, source: Tensor) -> Tensor:
    """Sums @ source, differentiable: numba on the CPU, torch on other devices."""
    if source.device.type == "cpu":
        result: Tensor = _SumRows.apply(source, sums)  # type: ignore[no-untyped-call]
        return result
    return sum_rows_by_torch(sums, source)


def sum_rows_by_torch(sums: Sums, source: Tensor) -> Tensor:
    """The same by torch alone."""
    offsets, columns = (torch.from_numpy(array).long().to(source.device) for array in sums[:2])
    values = torch.from_numpy(sums.values).to(source)
    return functional.embedding_bag(
        columns, source, offsets, mode="sum", per_sample_weights=values, include_last_offset=True
    )


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
    if batch.scale is None or batch.shift is None:
        return batch.rows @ weight
    return (batch.rows * batch.scale + batch.shift) @ weight


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
        if self.weight1.device.type != "cpu":
            rows = self.composed(batch, step)
            return new.filled(rows), readout(step, rows)
        inputs: tuple[Tensor | None, ...]
        if batch.rows is None:
            inputs = (linear_input(batch, self.weight1), None, None, None)
        else:
            inputs = (batch.rows, batch.scale, batch.shift, self.weight1)
        rows, scale, shift, summed = _FusedGIN.apply(  # type: ignore[no-untyped-call]
            step,
            self.norm,
            new.graph_sizes,
            *inputs,
            self.bias1,
            self.weight2,
            self.bias2,
            self.norm.weight,
            self.norm.bias,
            self.eps,
        )
        return new.filled(rows, scale, shift), summed

    def composed(self, batch: Batch, step: Step) -> Tensor:
        """The layer as separate differentiable operations: for other devices than the CPU; the fused one equals it."""
        own_weight = 1.0 if self.eps is None else 1 + self.eps
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
    def forward(
        ctx: Any,
        step: Step,
        norm: ClassBatchNorm,
        graph_sizes: NDArray[np.float64],
        rows: Tensor,
        scale: Tensor | None,
        shift: Tensor | None,
        weight1: Tensor | None,
        bias1: Tensor,
        weight2: Tensor,
        bias2: Tensor,
        gamma: Tensor,
        beta: Tensor,
        eps: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Without weight1, `rows` are its products already (the first layer)."""
        hidden, classes, graphs = len(bias1), len(step.own), len(graph_sizes)
        empty = _Empty(bias1.dtype)
        constant = np.zeros(hidden, empty.dtype)
        scaled_weight = weight1
        if weight1 is not None and scale is not None and shift is not None:
            scaled_weight, constant = torch.empty_like(weight1), empty(hidden)
            kernels.fold_affine(weight1.numpy(), scale.numpy(), shift.numpy(), scaled_weight.numpy(), constant)
        mapped = rows.contiguous() if scaled_weight is None else torch.mm(rows, scaled_weight)
        own_weight = empty.dtype.type(1 if eps is None else 1 + float(eps))
        inner, weight_sums = empty(classes, hidden), empty(classes)
        kernels.gin_aggregate(
            step.own, *step.neighbors, own_weight, mapped.numpy(), bias1.numpy(), constant, inner, weight_sums
        )
        out = empty(classes, hidden)
        torch.mm(torch.from_numpy(inner), weight2, out=torch.from_numpy(out))
        mean, inverse, new_scale, new_shift = empty(4, hidden)
        nodes = kernels.gin_normalize(
            out,
            bias2.numpy(),
            step.sizes,
            gamma.numpy(),
            beta.numpy(),
            norm.eps,
            norm.running_mean.numpy(),  # type: ignore[union-attr]
            norm.running_var.numpy(),  # type: ignore[union-attr]
            norm.next_momentum() if norm.training else -1.0,
            mean,
            inverse,
            new_scale,
            new_shift,
        )
        summed, readouts = empty(2, graphs, hidden)
        kernels.gin_readout(*step.members, out, new_scale, new_shift, graph_sizes, summed, readouts)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(rows, scale, shift, weight1, scaled_weight, weight2, gamma, eps)
        # Arrays, not the tensors that wrap them: a saved output would keep itself alive through its own grad_fn.
        ctx.saved = step, graph_sizes, own_weight, nodes, weight_sums, constant, inner, out, mean, inverse, summed
        ctx.mapped = None if eps is None else mapped
        return (
            torch.from_numpy(out),
            torch.from_numpy(new_scale),
            torch.from_numpy(new_shift),
            torch.from_numpy(readouts),
        )

    @staticmethod
    def backward(
        ctx: Any,
        grad_rows: Tensor | None,
        grad_scale: Tensor | None,
        grad_shift: Tensor | None,
        grad_readouts: Tensor | None,
    ) -> tuple[Any, ...]:
        rows, scale, shift, weight1, scaled_weight, weight2, gamma, eps = ctx.saved_tensors
        step, graph_sizes, own_weight, nodes, weight_sums, constant, inner, out, mean, inverse, summed = ctx.saved
        classes, hidden = out.shape
        empty = _Empty(weight2.dtype)
        scale_grad, beta_grad = np.zeros((2, hidden), empty.dtype)
        if grad_scale is not None:
            scale_grad += grad_scale.numpy()
        if grad_shift is not None:
            beta_grad += grad_shift.numpy()
        readout_grad = np.zeros_like(summed) if grad_readouts is None else grad_readouts.contiguous().numpy()
        gamma_grad, u, w, bias2_grad, bias1_grad, constant_grad = empty(6, hidden)
        row_readout_grad = np.empty_like(summed)
        kernels.gin_normalize_gradient(
            scale_grad,
            beta_grad,
            readout_grad,
            summed,
            graph_sizes,
            gamma.numpy(),
            mean,
            inverse,
            nodes,
            gamma_grad,
            u,
            w,
            row_readout_grad,
        )
        next_grad = empty(0, hidden) if grad_rows is None else grad_rows.contiguous().numpy()
        grad = empty(classes, hidden)
        kernels.gin_output_gradient(next_grad, out, step.sizes, *step.members, row_readout_grad, u, w, grad, bias2_grad)
        if nodes and classes == 1:  # BatchNorm of a constant is constant: all there is here is rounding / sqrt(eps)
            grad[:] = 0
            bias2_grad[:] = 0
        grad_tensor = torch.from_numpy(grad)
        weight2_grad = torch.mm(torch.from_numpy(inner).t(), grad_tensor)
        inner_grad = torch.mm(grad_tensor, weight2.t()).numpy()
        mapped_grad = torch.empty(len(rows), hidden, dtype=rows.dtype)
        kernels.gin_inner_gradient(
            step.own,
            *step.neighbors,
            own_weight,
            inner_grad,
            inner,
            weight_sums,
            bias1_grad,
            constant_grad,
            mapped_grad.numpy(),
        )
        eps_grad = weight1_grad = old_scale_grad = old_shift_grad = None
        if eps is not None:
            total = kernels.own_weight_gradient(step.own, inner_grad, ctx.mapped.numpy(), constant)
            eps_grad = torch.full((), total, dtype=eps.dtype)
        rows_grad = mapped_grad
        if weight1 is not None:
            rows_grad = torch.mm(mapped_grad, scaled_weight.t())
            weight1_grad = torch.mm(rows.t(), mapped_grad)
            if scale is not None:
                old_scale_grad, old_shift_grad = torch.empty(2, len(scale), dtype=scale.dtype)
                kernels.fold_affine_gradient(
                    weight1.numpy(),
                    scale.numpy(),
                    shift.numpy(),
                    weight1_grad.numpy(),
                    constant_grad,
                    old_scale_grad.numpy(),
                    old_shift_grad.numpy(),
                )
        return (
            None,
            None,
            None,
            rows_grad,
            old_scale_grad,
            old_shift_grad,
            weight1_grad,
            torch.from_numpy(bias1_grad),
            weight2_grad,
            torch.from_numpy(bias2_grad),
            torch.from_numpy(gamma_grad),
            torch.from_numpy(beta_grad),
            eps_grad,
        )


class _Empty:
    """numpy.empty of the numpy type behind a torch type."""

    def __init__(self, dtype: torch.dtype):
        self.dtype = np.dtype(np.float64 if dtype == torch.float64 else np.float32)

    def __call__(self, *shape: int) -> NDArray[Any]:
        return np.empty(shape, self.dtype)


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
        degrees, neighbors = new.class_degrees(), step.neighbors
        target = np.repeat(1 / np.sqrt(degrees + 1), np.diff(neighbors.offsets))
        values = neighbors.values * target / np.sqrt(old_degrees[step.from_class] + 1)
        mapped = linear_input(batch, self.weight)
        itself = torch.from_numpy(1 / (degrees + 1)).to(mapped).unsqueeze(1) * own_rows(step.own, mapped)
        summed = itself + sum_rows(Sums(neighbors.offsets, neighbors.columns, values), mapped)
        rows = functional.relu(summed + self.bias)
        return new.filled(rows), readout(step, rows)


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
        values = neighbors.values / np.repeat(np.maximum(new.class_degrees(), 1), np.diff(neighbors.offsets))
        mean = sum_rows(Sums(neighbors.offsets, neighbors.columns, values), linear_input(batch, self.weight_neighbors))
        rows = functional.relu(mean + own_rows(step.own, linear_input(batch, self.weight_own)) + self.bias)
        return new.filled(rows), readout(step, rows)
