"""WLT-GNN and the paper's baselines."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor
from torch.nn import functional

from wlt.nn.batch import Batch
from wlt.nn.device import numbers, uncompiled, uniform_like
from wlt.nn.fused import run_fused
from wlt.nn.layers import GCN, GIN, SAGE, check_sizes, linear, linear_input
from wlt.nn.recolor import Recoloring
from wlt.nn.views import NodeViews
from wlt.recolor import Recolor
from wlt.structure import Structure

Chosen = Sequence[NDArray[np.int32]] | None  # for each recoloring, the nodes to recolour


class Head(torch.nn.Module):
    """The classifier on a graph's readout: Linear, ReLU, dropout, Linear; it returns logits."""

    def __init__(self, in_features: int, hidden: int, num_classes: int, dropout: float, generator: Generator | None):
        super().__init__()
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout must be in [0, 1), not {dropout}")
        self.dropout = dropout
        self.linear1 = linear(in_features, hidden, generator)
        self.linear2 = linear(hidden, num_classes, generator)

    def forward(self, x: Tensor, generator: Generator | None = None) -> Tensor:
        x = functional.relu(self.linear1(x))
        if self.training and self.dropout:
            kept = uniform_like(x, generator) >= self.dropout
            x = x * kept / (1 - self.dropout)
        logits: Tensor = self.linear2(x)
        return logits


class WLTGNN(torch.nn.Module):
    """WLT-GNN of the paper's Section 4: GIN-0 layers (g) and recoloring layers (r) in the order of `structure`.

    The sum readouts of all g layers are added with learned weights (jumping knowledge), and an MLP turns the sum into
    logits. torch.compile compiles the MLP only; the layers are kernels compiled by numba.

    num_colors: initial colours are 0 .. num_colors-1 (or the number of features, for batches that have features).
    recolor: 1 is the paper's WLT-GNN, 0.5 its WLT-GNN(0.5); see `wlt.Recolor` and, for max_replicas, `Recoloring`.
    num_edge_labels, edge_features: for graphs whose edges carry labels or rows of numbers; see `GIN`.
    dropout: in the MLP; the paper names none.
    residual: every g layer adds what it computes to the messages that it takes. Initial colours then have learned rows,
        the `embedding`, before the first layer.
    views: what recoloring every node in turn shows, as many rounds later, is added to the embedding's rows before the
        first layer; 0 for nothing. Needs residual layers. See `NodeViews`, which may also be given itself.
    generator: draws the initial weights; `forward` takes another one for the recoloured nodes and the dropout.

    >>> hexagon = (6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)])
    >>> triangles = (6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    >>> batch = Batch.from_graphs([hexagon, triangles])
    >>> gin = WLTGNN(3, 16, 2, structure="ggggg", generator=torch.Generator().manual_seed(0)).eval()
    >>> wlt = WLTGNN(3, 16, 2, structure="gggrgg", generator=torch.Generator().manual_seed(0)).eval()
    >>> [bool(torch.equal(*model(batch, torch.Generator().manual_seed(1)))) for model in (gin, wlt)]
    [True, False]
    """

    embedding: torch.nn.Parameter | None

    def __init__(
        self,
        num_colors: int,
        hidden: int,
        num_classes: int,
        *,
        num_edge_labels: int = 0,
        edge_features: int = 0,
        structure: str = "gggrgg",
        recolor: float | str | Recolor = 1,
        dropout: float = 0.0,
        residual: bool = False,
        views: int | NodeViews = 0,
        max_replicas: int = 4096,
        generator: Generator | None = None,
    ):
        super().__init__()
        check_sizes(num_colors=num_colors, hidden=hidden, num_classes=num_classes)
        self.structure = Structure(structure)
        recolor = Recolor(recolor)
        edges: Any = {"num_edge_labels": num_edge_labels, "edge_features": edge_features}
        self.views = _views(views, hidden, residual, edges, generator)
        embedding = torch.nn.Parameter(torch.randn(num_colors, hidden, generator=generator)) if residual else None
        self.register_parameter("embedding", embedding)
        widths = [hidden if residual else num_colors] + [hidden] * (self.structure.depth - 1)
        gins = iter([GIN(width, hidden, residual=residual, **edges, generator=generator) for width in widths])
        last = self.structure.rfind("r")
        behind_last = 0 if self.structure.endswith("r") else self.structure.blocks[-1]
        self.layers = torch.nn.ModuleList(
            next(gins)
            if layer == "g"
            else Recoloring(recolor, max_replicas=max_replicas, rounds=behind_last if i == last else None)
            for i, layer in enumerate(self.structure)
        )
        self.layer_weights = torch.nn.Parameter(torch.ones(self.structure.depth))
        self.head = Head(hidden, hidden, num_classes, dropout, generator)

    def forward(self, batch: Batch, generator: Generator | None = None, chosen: Chosen = None) -> Tensor:
        """Logits [graphs, classes]. `chosen`: for each r, the nodes to recolour."""
        return self.head(self.embed(batch, generator, chosen), generator)  # type: ignore[no-any-return]

    def embed(self, batch: Batch, generator: Generator | None = None, chosen: Chosen = None) -> Tensor:
        """The graphs' features before the classifier, [graphs, hidden]."""
        _, readouts = _run(self.layers, batch, generator, chosen, self.begin)
        return (self.layer_weights @ readouts.flatten(1)).view(readouts.shape[1:])

    def begin(self, batch: Batch, generator: Generator | None = None) -> Batch:
        """The batch as the first layer takes it."""
        if self.embedding is not None:
            batch = batch.embedded(linear_input(batch, self.embedding))
        return batch if self.views is None else self.views(batch, generator)


def _views(
    views: int | NodeViews, hidden: int, residual: bool, edges: dict[str, int], generator: Generator | None
) -> NodeViews | None:
    """views: how many rounds a view has, or the module itself. edges: what the graphs' edges carry."""
    if isinstance(views, NodeViews):
        if not residual or views.width != hidden:
            raise ValueError(f"views need residual=True and hidden={views.width}, the width that they were made for")
        return views
    if isinstance(views, bool) or not isinstance(views, (int, np.integer)) or views < 0:
        raise ValueError(f"views must be a number of rounds, 0 for none, or a NodeViews, not {views!r}")
    if not views:
        return None
    if not residual:
        raise ValueError(f"views={views} needs residual=True: what is seen is added to learned rows of the labels")
    return NodeViews(hidden, recolor="nodes", rounds=int(views), **edges, generator=generator)


class Baseline(torch.nn.Module):
    """The paper's baselines as in PyG's kernel benchmark: jumping knowledge by concatenation, global mean, MLP.

    kind: "GCN", "SAGE", "GIN-0" or "GIN-eps".
    num_edge_labels, edge_features: for graphs whose edges carry labels or rows of numbers; see `GIN`. GCN and SAGE do
    not see them.
    """

    def __init__(
        self,
        kind: str,
        num_colors: int,
        hidden: int,
        num_classes: int,
        *,
        num_edge_labels: int = 0,
        edge_features: int = 0,
        num_layers: int = 5,
        dropout: float = 0.5,
        generator: Generator | None = None,
    ):
        super().__init__()
        edges: Any = {"num_edge_labels": num_edge_labels, "edge_features": edge_features}
        make: dict[str, Callable[..., torch.nn.Module]] = {
            "GCN": GCN,
            "SAGE": SAGE,
            "GIN-0": partial(GIN, **edges),
            "GIN-eps": partial(GIN, **edges, train_eps=True),
        }
        if kind not in make:
            raise ValueError(f"unknown kind {kind!r}; there are {', '.join(make)}")
        check_sizes(num_colors=num_colors, hidden=hidden, num_classes=num_classes, num_layers=num_layers)
        widths = [num_colors] + [hidden] * (num_layers - 1)
        self.kind = kind
        self.layers = torch.nn.ModuleList(make[kind](width, hidden, generator=generator) for width in widths)
        self.head = Head(num_layers * hidden, hidden, num_classes, dropout, generator)

    def forward(self, batch: Batch, generator: Generator | None = None) -> Tensor:
        """Logits [graphs, classes]."""
        _, readouts = _run(self.layers, batch)
        means = readouts / numbers(batch.graph_sizes, readouts).unsqueeze(1)
        return self.head(means.transpose(0, 1).flatten(1), generator)  # type: ignore[no-any-return]


@uncompiled
def _run(
    layers: torch.nn.ModuleList,
    batch: Batch,
    generator: Generator | None = None,
    chosen: Chosen = None,
    begin: Callable[[Batch, Generator | None], Batch] | None = None,
) -> tuple[Batch, Tensor]:
    """The batch behind the last layer, and the sum readouts of all g layers, [layers, graphs, hidden]."""
    if not isinstance(batch, Batch):
        raise TypeError(f"a wlt.nn.Batch is needed, not {type(batch).__name__}; Batch.from_graphs([...]) makes one")
    if chosen is not None:
        recolorings = sum(isinstance(layer, Recoloring) for layer in layers)
        if len(chosen) != recolorings:
            raise ValueError(f"chosen has nodes for {len(chosen)} recolorings; the model has {recolorings}")
    nodes = itertools.repeat(None) if chosen is None else iter(chosen)
    if begin is not None:
        batch = begin(batch, generator)
    readouts: list[Tensor] = []
    for i, layer in enumerate(layers):
        rest = list(layers)[i:]
        gins = [each for each in rest if not isinstance(each, Recoloring)]
        if gins and all(isinstance(gin, GIN) and gin.can_be_fused(batch) for gin in gins):
            batch, fused = run_fused(rest, batch, generator, nodes)
            return batch, torch.cat([torch.stack(readouts), fused]) if readouts else fused
        if isinstance(layer, Recoloring):
            batch = layer(batch, generator, next(nodes))
        else:
            batch, summed = layer(batch)
            readouts.append(summed)
    return batch, torch.stack(readouts)
