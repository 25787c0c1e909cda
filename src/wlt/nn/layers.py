"""Layers on a batch: each makes one WL round and fills one row per class.

With `parent` the row of a class's own last message and `counts` those of its neighbours' (see refine.rounds.Round):

    GIN   h1 = BatchNorm(relu(relu(((1 + eps) h0[parent] + counts @ h0) W1 + b1) W2 + b2))   equation (GIN) of the paper
    GCN   h1 = relu(D^-1/2 (I + A) D^-1/2 h0 W + b)
    SAGE  h1 = relu(mean of the neighbours' h0 @ W_l + h0[parent] W_r + b)

Where edges carry labels, GIN is PyG's GINEConv: instead of counts @ h0 it sums relu(h0 + e) over the neighbours, with a
learned row e for each kind of edge. A message depends on the neighbour's row and the kind of edge only, so each such
pair that occurs is computed once.

A linear map commutes with the sum over neighbours, so it is applied first, where there are fewer rows; the first
layer's product with a one-hot is a look-up of rows of W1.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn import functional

from wlt.arcs import DIRECTIONS, TokenTable
from wlt.kernels import CSR
from wlt.nn import kernels
from wlt.nn.batch import Batch
from wlt.nn.device import by_kernels, exact_numbers, indices, numbers, uncompiled
from wlt.nn.fused import check_precision, run_fused
from wlt.nn.norm import ClassBatchNorm
from wlt.refine.rounds import Round
from wlt.wording import level_of_caller


class _SumRows(Function):
    """sums @ source, or its transpose @ source."""

    @staticmethod
    def forward(ctx: Any, source: Tensor, sums: CSR, num_rows: int, transposed: bool) -> Tensor:
        ctx.sums, ctx.num_source, ctx.transposed = sums, len(source), transposed
        return _summed(source, sums, num_rows, transposed)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
        return _summed(grad, ctx.sums, ctx.num_source, not ctx.transposed), None, None, None


def _summed(source: Tensor, sums: CSR, num_rows: int, transposed: bool) -> Tensor:
    check_precision(source)
    out = torch.zeros(num_rows, source.shape[1], dtype=source.dtype)
    add = kernels.scatter_rows if transposed else kernels.add_rows
    add(sums, source.detach().contiguous().numpy(), out.numpy())
    return out


def sum_rows(sums: CSR, source: Tensor) -> Tensor:
    """sums @ source, differentiable: numba on the CPU, torch on other devices."""
    if by_kernels(source):
        result: Tensor = _SumRows.apply(source, sums, len(sums.offsets) - 1, False)  # type: ignore[no-untyped-call]
        return result
    starts, columns = (indices(array, source) for array in sums[:2])
    weights = numbers(sums.values, source)
    return functional.embedding_bag(
        columns, source, starts, mode="sum", per_sample_weights=weights, include_last_offset=True
    )


def own_rows(parent: NDArray[np.int32], source: Tensor) -> Tensor:
    """source[parent], with 0 where parent is -1."""
    index = indices(parent, source)
    return source[index.clamp(min=0)] * (index >= 0).to(source).unsqueeze(1)


def linear_input(batch: Batch, weight: Tensor) -> Tensor:
    """Messages of the batch's rows times weight [in, out]; a one-hot times weight is weight itself."""
    if batch.rows is None:
        batch.check_input(len(weight))
        return weight if batch.features is None else batch.features.to(weight) @ weight
    if batch.scale is None or batch.shift is None:
        return batch.rows @ weight
    return (batch.rows * batch.scale + batch.shift) @ weight


def message_table(batch: Batch) -> Tensor:
    """The messages of the batch's rows, behind the first layer or of features."""
    table = batch.features if batch.rows is None else batch.rows
    assert table is not None
    return table if batch.scale is None or batch.shift is None else table * batch.scale + batch.shift


def readout(step: Round, rows: Tensor, num_graphs: int) -> Tensor:
    """Sum of the nodes' messages per graph, [graphs, hidden]."""
    if by_kernels(rows):
        result: Tensor = _SumRows.apply(rows, step.members, num_graphs, True)  # type: ignore[no-untyped-call]
        return result
    return readout_by_torch(step, rows, num_graphs)


def readout_by_torch(step: Round, rows: Tensor, num_graphs: int) -> Tensor:
    """The same by torch alone."""
    offsets, graphs = (indices(array, rows) for array in step.members[:2])
    counts = numbers(step.members.values, rows).unsqueeze(1)
    entries = rows.repeat_interleave(offsets.diff(), dim=0, output_size=len(graphs)) * counts
    return rows.new_zeros(num_graphs, rows.shape[1]).index_add(0, graphs, entries)


def linear(in_features: int, out_features: int, generator: torch.Generator | None) -> torch.nn.Linear:
    """torch.nn.Linear with its own initialisation, drawn from the generator."""
    layer: torch.nn.Linear = torch.nn.utils.skip_init(  # type: ignore[no-untyped-call]
        torch.nn.Linear, in_features, out_features
    )
    bound = in_features**-0.5
    with torch.no_grad():
        layer.weight.uniform_(-bound, bound, generator=generator)
        layer.bias.uniform_(-bound, bound, generator=generator)
    return layer


def check_sizes(**sizes: int) -> None:
    """Raise TypeError or ValueError unless all sizes are whole numbers from 1 on."""
    for name, size in sizes.items():
        if not isinstance(size, (int, np.integer)):
            raise TypeError(f"{name} must be a whole number, not {size!r}")
        if size < 1:
            raise ValueError(f"{name} must be at least 1, not {size}")


def _uniform(generator: torch.Generator | None, bound: float, *shape: int) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.empty(*shape).uniform_(-bound, bound, generator=generator))


class EdgeLabels(torch.nn.Module):
    """A learned row for every kind of edge: a label and a direction, or a loop. See `Graph.tokens`."""

    def __init__(self, num_edge_labels: int, width: int, generator: torch.Generator | None = None):
        super().__init__()
        check_sizes(num_edge_labels=num_edge_labels)
        # as the bias of torch.nn.Linear: a row is added to a message of this width
        self.weight = _uniform(generator, 1 / math.sqrt(width), num_edge_labels, width)

    def forward(self, tokens: TokenTable, which: NDArray[np.int32]) -> tuple[Tensor, Tensor]:
        """Rows, and the one that each of these tokens has."""
        return self.weight, indices(which, self.weight)

    def check(self, batch: Batch) -> None:
        batch.check_edges(len(self.weight), 0)


class EdgeFeatures(torch.nn.Module):
    """A linear map of the row of numbers that an edge carries; every direction, and loops, have a map of their own."""

    def __init__(self, edge_features: int, width: int, generator: torch.Generator | None = None):
        super().__init__()
        check_sizes(edge_features=edge_features)
        bound = 1 / math.sqrt(edge_features)  # torch.nn.Linear's initialisation
        self.weight = _uniform(generator, bound, len(DIRECTIONS), edge_features, width)
        self.bias = _uniform(generator, bound, len(DIRECTIONS), width)

    def forward(self, tokens: TokenTable, which: NDArray[np.int32]) -> tuple[Tensor, Tensor]:
        """Rows, of the tokens that occur only, and the one that each of these tokens has."""
        used, index = np.unique(which, return_inverse=True)
        features = numbers(tokens.numbers[used], self.weight).reshape(len(used), self.weight.shape[1])
        direction = indices(tokens.directions[used], self.weight)
        mapped = torch.stack([features @ weight for weight in self.weight])  # all directions: there are few
        chosen = mapped[direction, indices(np.arange(len(used)), self.weight)]
        return chosen + self.bias[direction], indices(index, self.weight)

    def check(self, batch: Batch) -> None:
        batch.check_edges(0, self.weight.shape[1])


def _edges(
    num_edge_labels: int, edge_features: int, width: int, generator: torch.Generator | None
) -> EdgeLabels | EdgeFeatures | None:
    if num_edge_labels and edge_features:
        raise ValueError(f"give num_edge_labels ({num_edge_labels}) or edge_features ({edge_features}), not both")
    if edge_features:
        return EdgeFeatures(edge_features, width, generator)
    return EdgeLabels(num_edge_labels, width, generator) if num_edge_labels else None


class GIN(torch.nn.Module):
    """GINConv with the MLP Linear-ReLU-Linear-ReLU-BatchNorm of PyG's benchmark; eps fixed at 0, or trained.

    Weights are stored [in, out], so that the first layer's are one embedding row per colour. Returns the batch and its
    sum readout [graphs, hidden].

    num_edge_labels: for graphs whose edges carry labels, `len(graph.tokens)`: the layer is then GINEConv, with a
    learned row for every label, direction of a label, and loop. edge_features: instead, how many numbers every edge
    carries, which a learned linear map turns into such a row. A multigraph's parallel edges send a message each.
    residual: h0[parent] + h1 goes on instead of h1. The readout stays that of h1: the layers' readouts are added up.
    """

    eps: torch.nn.Parameter | None

    def __init__(
        self,
        in_features: int,
        hidden: int,
        *,
        num_edge_labels: int = 0,
        edge_features: int = 0,
        train_eps: bool = False,
        residual: bool = False,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        check_sizes(in_features=in_features, hidden=hidden)
        if residual and in_features != hidden:
            raise ValueError(f"residual: {in_features} features cannot be added to {hidden}; the two must be equal")
        self.residual = residual
        first, second = 1 / math.sqrt(in_features), 1 / math.sqrt(hidden)  # torch.nn.Linear's initialisation
        self.weight1 = _uniform(generator, first, in_features, hidden)
        self.bias1 = _uniform(generator, first, hidden)
        self.weight2 = _uniform(generator, second, hidden, hidden)
        self.bias2 = _uniform(generator, second, hidden)
        self.norm = ClassBatchNorm(hidden)
        self.register_parameter("eps", torch.nn.Parameter(torch.zeros(())) if train_eps else None)
        self.edges = _edges(num_edge_labels, edge_features, in_features, generator)
        if residual and isinstance(self.edges, EdgeLabels):  # they are added to an embedding's rows, and as large
            torch.nn.init.normal_(self.edges.weight, generator=generator)

    def can_be_fused(self, batch: Batch) -> bool:
        """Does `run_fused` compute this layer, or one behind it? On the CPU; but not where one-hots meet labels, or are
        added to a layer's rows."""
        rows = batch.rows is not None or batch.features is not None
        return (rows or (self.edges is None and not self.residual)) and by_kernels(self.weight1)

    def check_edges(self, batch: Batch) -> None:
        """Raise ValueError unless this layer was made for what the edges carry."""
        if self.edges is None:
            batch.check_edges(0, 0)
        else:
            self.edges.check(batch)

    @uncompiled
    def forward(self, batch: Batch) -> tuple[Batch, Tensor]:
        if self.can_be_fused(batch):
            batch, readouts = run_fused([self], batch)
            return batch, readouts[0]
        new, step = batch.refine()
        rows = self.composed(batch, step)
        summed = readout(step, rows, batch.num_graphs)
        if self.residual:
            one_hots = batch.rows is None and batch.features is None
            table = torch.eye(len(self.weight1)).to(rows) if one_hots else message_table(batch).to(rows)
            rows = rows + own_rows(step.parent, table)
        return new.filled(rows), summed

    def composed(self, batch: Batch, step: Round) -> Tensor:
        """The layer as separate differentiable operations, for other devices; on the CPU, `run_fused` equals it."""
        own_weight = 1.0 if self.eps is None else 1 + self.eps
        self.check_edges(batch)
        if self.edges is None:
            mapped = linear_input(batch, self.weight1)
            summed = own_weight * own_rows(step.parent, mapped) + sum_rows(step.counts, mapped)
        else:
            summed = self._labelled_sum(batch, step, own_weight, *self.edges(batch.tokens, step.message_token))
        inner = functional.relu(summed + self.bias1)
        rows = functional.relu(inner @ self.weight2 + self.bias2)
        return self.norm(rows, exact_numbers(step.sizes, rows))  # type: ignore[no-any-return]

    def _labelled_sum(
        self, batch: Batch, step: Round, own_weight: float | Tensor, edge_rows: Tensor, edge: Tensor
    ) -> Tensor:
        """((1 + eps) h0[parent] + counts @ relu(h0[row] + edge_rows[edge])) W1 for messages (row, edge)."""
        if batch.rows is not None or batch.features is not None:
            table = message_table(batch)
            if batch.rows is None:
                batch.check_input(len(self.weight1))
                table = table.to(self.weight1)
            messages = functional.relu(own_rows(step.message_row, table) + edge_rows[edge])
            return (own_weight * own_rows(step.parent, table) + sum_rows(step.counts, messages)) @ self.weight1
        # One-hots, which are never built: relu(unit vector + e) differs from relu(e) in one entry.
        mapped = linear_input(batch, self.weight1)
        row = indices(step.message_row, edge)
        entry = edge_rows[edge, row.clamp(min=0)]
        gain = (functional.relu(entry + 1) - functional.relu(entry)).unsqueeze(1)
        messages = (functional.relu(edge_rows) @ mapped)[edge] + gain * own_rows(step.message_row, mapped)
        return own_weight * own_rows(step.parent, mapped) + sum_rows(step.counts, messages)


def _without_edge_labels(batch: Batch, layer: str) -> Batch:
    if not len(batch.tokens):
        return batch
    warnings.warn(
        f"{layer} does not see what the graphs' edges carry; GIN does, made with num_edge_labels or edge_features",
        stacklevel=level_of_caller(),
    )
    return batch.without_edge_labels()


class GCN(torch.nn.Module):
    """PyG's GCNConv and a ReLU: messages weighted by 1 / sqrt((d_u + 1) (d_v + 1)), the node itself included."""

    def __init__(self, in_features: int, hidden: int, *, generator: torch.Generator | None = None):
        super().__init__()
        check_sizes(in_features=in_features, hidden=hidden)
        self.weight = _uniform(generator, math.sqrt(6 / (in_features + hidden)), in_features, hidden)  # Glorot
        self.bias = torch.nn.Parameter(torch.zeros(hidden))

    @uncompiled
    def forward(self, batch: Batch) -> tuple[Batch, Tensor]:
        batch = _without_edge_labels(batch, "GCN")
        if batch.rows is None:
            batch = batch.split_by_degree()  # the weights need a neighbour's degree to be a function of its class
        new, step = batch.refine()
        old_degrees = batch.class_degrees()
        degrees, counts = new.class_degrees(), step.counts
        target = np.repeat(1 / np.sqrt(degrees + 1), np.diff(counts.offsets))
        values = counts.values * target / np.sqrt(old_degrees[step.from_class] + 1)
        mapped = linear_input(batch, self.weight)
        itself = numbers(1 / (degrees + 1), mapped).unsqueeze(1) * own_rows(step.parent, mapped)
        summed = itself + sum_rows(counts._replace(values=values), mapped)
        rows = functional.relu(summed + self.bias)
        return new.filled(rows), readout(step, rows, batch.num_graphs)


class SAGE(torch.nn.Module):
    """PyG's SAGEConv with the mean of the neighbours, and a ReLU."""

    def __init__(self, in_features: int, hidden: int, *, generator: torch.Generator | None = None):
        super().__init__()
        check_sizes(in_features=in_features, hidden=hidden)
        bound = 1 / math.sqrt(in_features)
        self.weight_neighbors = _uniform(generator, bound, in_features, hidden)
        self.weight_own = _uniform(generator, bound, in_features, hidden)
        self.bias = _uniform(generator, bound, hidden)

    @uncompiled
    def forward(self, batch: Batch) -> tuple[Batch, Tensor]:
        batch = _without_edge_labels(batch, "SAGE")
        new, step = batch.refine()
        values = step.counts.values / np.repeat(np.maximum(new.class_degrees(), 1), np.diff(step.counts.offsets))
        mean = sum_rows(step.counts._replace(values=values), linear_input(batch, self.weight_neighbors))
        rows = functional.relu(mean + own_rows(step.parent, linear_input(batch, self.weight_own)) + self.bias)
        return new.filled(rows), readout(step, rows, batch.num_graphs)
