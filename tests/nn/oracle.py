"""What wlt.nn must equal: node-level models with PyG's own layers, WL colours and the choice of a class in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from torch import Tensor
from torch.nn import BatchNorm1d, Linear, ReLU, Sequential
from torch.nn.functional import cross_entropy
from torch_geometric.nn import GCNConv, GINConv, GINEConv, SAGEConv, global_add_pool, global_mean_pool

from strategies import graphs
from wlt import Graph
from wlt.nn import WLTGNN, Baseline, Batch, Recoloring

NUM_COLORS = 4
TOLERANCE = {"rtol": 1e-9, "atol": 1e-9}


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def one_hot(colors: ArrayLike, num_colors: int) -> Tensor:
    x = torch.zeros(len(np.asarray(colors)), num_colors, dtype=torch.float64)
    x[torch.arange(len(x)), torch.tensor(np.asarray(colors), dtype=torch.long)] = 1
    return x


def edges_and_owners(graph: Graph) -> tuple[Tensor, Tensor]:
    """PyG's edge_index and batch."""
    return torch.from_numpy(graph.edge_index()), torch.from_numpy(graph.graph_of)


class LabelledUnion(NamedTuple):
    """A disjoint union whose edges carry labels, also as PyG takes it: every token of an edge is an edge of its own."""

    graph: Graph
    edge_index: Tensor  # [2, messages] from, to
    token: Tensor  # [messages] which of the tokens the receiver sees
    tokens: list[tuple[str, Any]]  # sorted

    @property
    def direction(self) -> Tensor:
        """[messages] both ways, out of the receiver, into the receiver, loop."""
        order = ["both", "out", "in", "loop"]
        return torch.tensor([order.index(direction) for direction, _ in self.tokens] or [0])[self.token]

    @property
    def numbers(self) -> Tensor:
        """[messages, 2]"""
        rows = [self.tokens[i][1] for i in self.token.tolist()]
        return torch.tensor(rows, dtype=torch.float64).reshape(len(rows), 2)


class LabelledConv(torch.nn.Module):
    """GINEConv with a learned row for every token, or a linear map of an edge's numbers for every direction."""

    def __init__(self, conv: GINEConv, edges: torch.nn.Module):
        super().__init__()
        self.conv = conv
        self.weight = torch.nn.Parameter(edges.weight.detach().clone())
        self.bias = torch.nn.Parameter(edges.bias.detach().clone()) if hasattr(edges, "bias") else None

    def forward(self, x: Tensor, union: LabelledUnion) -> Tensor:
        if self.bias is None:
            rows = self.weight[union.token]
        else:
            maps = self.weight[union.direction]
            rows = torch.einsum("ef,efw->ew", union.numbers, maps) + self.bias[union.direction]
        return self.conv(x, union.edge_index, rows)


class NodeModel(torch.nn.Module):
    """The same model on nodes: one message per node, one-hot input, a recoloured node's message set to 0."""

    def __init__(self, ours: WLTGNN | Baseline):
        super().__init__()
        if isinstance(ours, WLTGNN):
            self.structure, self.pool = str(ours.structure), global_add_pool
            self.layer_weights = torch.nn.Parameter(ours.layer_weights.detach().clone())
        else:
            self.structure, self.pool = "g" * len(ours.layers), global_mean_pool
            self.layer_weights = None
        embedding = getattr(ours, "embedding", None)  # a model with one has residual layers
        self.embedding = None if embedding is None else torch.nn.Parameter(embedding.detach().clone())
        self.convs = torch.nn.ModuleList(_conv(layer) for layer in ours.layers if not isinstance(layer, Recoloring))
        self.head = Sequential(_linear(ours.head.linear1), ReLU(), _linear(ours.head.linear2))
        self.double()
        for (_, mine), (_, theirs) in zip(named_tensors(self), named_tensors(ours), strict=True):
            with torch.no_grad():
                mine.copy_(theirs)

    def forward(
        self, x: Tensor, edges: Tensor | LabelledUnion, batch: Tensor, recolored: Sequence[ArrayLike] = ()
    ) -> tuple[Tensor, Tensor]:
        """Logits, and the graphs' features before the classifier."""
        nodes = iter(recolored)
        convs = iter(self.convs)
        readouts = []
        if self.embedding is not None:
            x = x @ self.embedding
        for letter in self.structure:
            if letter == "r":
                kept = torch.ones(len(x), 1, dtype=x.dtype)
                kept[torch.tensor(np.asarray(next(nodes)), dtype=torch.long)] = 0
                x = x * kept
            else:
                new = next(convs)(x, edges)
                if isinstance(self.convs[0], GCNConv | SAGEConv):
                    new = new.relu()
                readouts.append(self.pool(new, batch))
                x = new if self.embedding is None else x + new
        if self.layer_weights is None:
            features = torch.cat(readouts, dim=1)
        else:
            features = sum(weight * part for weight, part in zip(self.layer_weights, readouts, strict=True))
        return self.head(features), features

    def of(self, graph: Graph | LabelledUnion, x: Tensor, recolored: Sequence[ArrayLike] = ()) -> Tensor:
        """Logits for a disjoint union."""
        if isinstance(graph, LabelledUnion):
            return self(x, graph, torch.from_numpy(graph.graph.graph_of), recolored)[0]
        return self(x, *edges_and_owners(graph), recolored)[0]


def _linear(like: torch.nn.Linear) -> Linear:
    return Linear(like.in_features, like.out_features)


def _conv(layer: Any) -> torch.nn.Module:
    kind = type(layer).__name__
    if kind == "GIN":
        inputs, hidden = layer.weight1.shape
        mlp = Sequential(Linear(inputs, hidden), ReLU(), Linear(hidden, hidden), ReLU(), BatchNorm1d(hidden))
        if layer.edges is not None:
            return LabelledConv(GINEConv(mlp, train_eps=layer.eps is not None), layer.edges)
        return GINConv(mlp, train_eps=layer.eps is not None)
    if kind == "GCN":
        return GCNConv(*layer.weight.shape)
    return SAGEConv(*layer.weight_own.shape)


def named_tensors(model: torch.nn.Module, grad: bool = False) -> Iterator[tuple[str, Tensor]]:
    """Parameters (or their gradients) and BatchNorm's running statistics, in one order and shape for both models."""

    def value(tensor: Tensor) -> Tensor:
        if not grad:
            return tensor.data
        return torch.zeros_like(tensor) if tensor.grad is None else tensor.grad

    if getattr(model, "layer_weights", None) is not None:
        yield "layer_weights", value(model.layer_weights)
    if getattr(model, "embedding", None) is not None:
        yield "embedding", value(model.embedding)
    if isinstance(model, NodeModel):
        parts: list[Any] = [*model.convs]
        linears = [model.head[0], model.head[2]]
    else:
        parts = [layer for layer in model.layers if not isinstance(layer, Recoloring)]
        linears = [model.head.linear1, model.head.linear2]
    for i, part in enumerate(parts):
        for name, tensor in _layer_tensors(part):
            if isinstance(tensor, torch.nn.Parameter):
                changed = value(tensor)
                ours = not isinstance(model, NodeModel) and not name.startswith("edges")
                transposed = changed.t() if ours and changed.ndim == 2 else changed
                yield f"layer {i}: {name}", transposed.reshape(-1) if name == "eps" else transposed
            elif not grad:
                yield f"layer {i}: {name}", tensor
    for i, linear in enumerate(linears):
        yield f"head {i}: weight", value(linear.weight)
        yield f"head {i}: bias", value(linear.bias)


def _layer_tensors(layer: Any) -> Iterator[tuple[str, Any]]:
    """The tensors of a layer of ours or of PyG, in the same order."""
    edges = layer if isinstance(layer, LabelledConv) else getattr(layer, "edges", None)
    if edges is not None:
        yield from ((f"edges: {name}", tensor) for name, tensor in edges.named_parameters(recurse=False))
    layer = getattr(layer, "conv", layer)
    if isinstance(layer, GINConv | GINEConv):
        first, second, norm = layer.nn[0], layer.nn[2], layer.nn[4]
        tensors = [first.weight, first.bias, second.weight, second.bias]
    elif isinstance(layer, GCNConv):
        yield from (("weight", layer.lin.weight), ("bias", layer.bias))
        return
    elif isinstance(layer, SAGEConv):
        yield from (("neighbors", layer.lin_l.weight), ("own", layer.lin_r.weight), ("bias", layer.lin_l.bias))
        return
    elif type(layer).__name__ == "GCN":
        yield from (("weight", layer.weight), ("bias", layer.bias))
        return
    elif type(layer).__name__ == "SAGE":
        yield from (("neighbors", layer.weight_neighbors), ("own", layer.weight_own), ("bias", layer.bias))
        return
    else:
        norm = layer.norm
        tensors = [layer.weight1, layer.bias1, layer.weight2, layer.bias2]
    yield from zip(("weight1", "bias1", "weight2", "bias2"), tensors, strict=True)
    yield from (("gamma", norm.weight), ("beta", norm.bias))
    yield from (("running mean", norm.running_mean), ("running variance", norm.running_var))
    yield "batches", norm.num_batches_tracked
    if isinstance(layer.eps, torch.nn.Parameter):
        yield "eps", layer.eps


def assert_same_tensors(ours: torch.nn.Module, theirs: torch.nn.Module, grad: bool = False) -> None:
    pairs = zip(named_tensors(ours, grad), named_tensors(theirs, grad), strict=True)
    for (name, mine), (other, expected) in pairs:
        assert name == other
        torch.testing.assert_close(mine, expected, **TOLERANCE, msg=lambda text, name=name: f"{name}: {text}")


def perturb(model: torch.nn.Module, seed: int) -> None:
    """Move all parameters: eps, BatchNorm's weights and the layers' weights are 0 or 1 at first."""
    random = seeded(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=random, dtype=parameter.dtype)


def assert_same_training(
    ours: WLTGNN | Baseline,
    batches: list[tuple[Batch, Graph | LabelledUnion, Tensor, NDArray[np.int64]]],
    recolored: list[list[NDArray[np.int64]]],
) -> None:
    """Same logits, losses, gradients and running statistics: in training, one batch after the other, then evaluation.

    Gradients are compared in both modes; a step of plain gradient descent lies between the batches."""
    theirs = NodeModel(ours)
    for training in (True, False):
        ours.train(training)
        theirs.train(training)
        for (batch, graph, x, labels), nodes in zip(batches, recolored, strict=True):
            mine = ours(batch, chosen=nodes) if isinstance(ours, WLTGNN) else ours(batch)
            expected = theirs.of(graph, x, nodes)
            torch.testing.assert_close(mine, expected, **TOLERANCE)
            losses = [cross_entropy(logits, torch.tensor(labels)) for logits in (mine, expected)]
            torch.testing.assert_close(*losses, **TOLERANCE)
            for model, loss in zip((ours, theirs), losses, strict=True):
                model.zero_grad()
                loss.backward()
            assert_same_tensors(ours, theirs, grad=True)
            assert_same_tensors(ours, theirs)
            with torch.no_grad():
                for model in (ours, theirs):
                    for parameter in model.parameters():
                        parameter -= 0.01 * (0 if parameter.grad is None else parameter.grad)


# ---- colours and classes


def wl_round(graph: Graph, colors: Sequence[Any]) -> list[int]:
    """One WL round, colours numbered in the order of the sorted signatures."""
    seen = [
        (colors[v], tuple(sorted(colors[u] for u in graph.neighbors_of(v).tolist()))) for v in range(graph.num_nodes)
    ]
    number = {signature: i for i, signature in enumerate(sorted(set(seen)))}
    return [number[signature] for signature in seen]


def largest_classes(graph: Graph, colors: Sequence[Any], messages: Tensor) -> list[int]:
    """The nodes of each graph's class with the largest (size, message); none of discrete graphs.

    Where sizes tie and messages agree up to rounding errors, the nodes of all these classes."""
    out: list[int] = []
    for start, end in pairwise(graph.starts.tolist()):
        classes: dict[Any, list[int]] = {}
        for v in range(start, end):
            classes.setdefault(colors[v], []).append(v)
        largest = max(len(nodes) for nodes in classes.values())
        tied = [nodes for nodes in classes.values() if len(nodes) == largest] if largest > 1 else []
        for f in range(messages.shape[1]):
            if len(tied) > 1:
                top = max(float(messages[nodes[0], f]) for nodes in tied)
                tied = [nodes for nodes in tied if float(messages[nodes[0], f]) >= top - 1e-9]
        out += [node for nodes in tied for node in nodes]
    return sorted(out)


def recolored_nodes(before: Batch, after: Batch) -> NDArray[np.int64]:
    """The nodes (of the union after it) that got a new colour; with replicas: all that have the message 0."""
    if before.graph is after.graph:
        return np.flatnonzero(before.colors != after.colors)
    return np.flatnonzero(after.row[after.classes] < 0)


# ---- random batches


@st.composite
def colored_unions(draw: st.DrawFn, max_graphs: int = 4, max_nodes: int = 8) -> tuple[Graph, NDArray[np.int64]]:
    """A disjoint union with colours: no graph is empty, and there are two nodes at least (torch's BatchNorm)."""
    parts = draw(st.lists(graphs(max_nodes).filter(lambda g: g.num_nodes > 0), min_size=1, max_size=max_graphs))
    union = Graph.union(parts)
    if union.num_nodes < 2:
        union = Graph.union([union, Graph.from_edges(2, [(0, 1)])])
    n = union.num_nodes
    highest = draw(st.integers(0, NUM_COLORS - 1))
    colors = draw(st.lists(st.integers(0, highest), min_size=n, max_size=n))
    return union, np.array(colors)


@st.composite
def structures(draw: st.DrawFn, max_layers: int = 6) -> str:
    return draw(st.text("gr", min_size=1, max_size=max_layers).filter(lambda text: "g" in text))


@st.composite
def labelled_unions(
    draw: st.DrawFn, max_graphs: int = 3, max_nodes: int = 6, numbers: bool = False
) -> tuple[LabelledUnion, NDArray[np.int64]]:
    """A disjoint union with colours whose edges carry labels, or rows of two numbers: directed or not, with parallel
    edges and loops or not."""
    directed, multigraph = draw(st.booleans()), draw(st.booleans())
    values = [(0.0, 1.0), (0.5, -1.0), (2.0, 0.0)] if numbers else ["double", "single", "triple"]
    sizes = draw(st.lists(st.integers(2, max_nodes), min_size=1, max_size=max_graphs))
    parts, columns, tokens = [], [], []
    for first, size in zip(np.cumsum([0, *sizes]).tolist(), sizes, strict=False):
        pairs = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
        if not multigraph:
            pairs = pairs.filter(lambda pair: pair[0] != pair[1])
        key = None if multigraph else (lambda pair: pair) if directed else (lambda pair: tuple(sorted(pair)))
        edges = draw(st.lists(pairs, max_size=2 * size, unique_by=key))
        labels = draw(st.lists(st.sampled_from(values), min_size=len(edges), max_size=len(edges)))
        parts.append(Graph.from_edges(size, edges, edge_labels=labels, directed=directed, multigraph=multigraph))
        for (u, v), label in zip(edges, labels, strict=True):
            kinds = ("in", "out") if directed else ("both", "both")
            ends = [(u, u)] if u == v else [(u, v), (v, u)]
            columns += [(a + first, b + first) for a, b in ends]
            tokens += [(kind, label) for kind in (["loop"] if u == v else kinds)]
    table = sorted(set(tokens))
    token = torch.tensor([table.index(each) for each in tokens], dtype=torch.long)
    edge_index = torch.tensor(columns, dtype=torch.long).reshape(-1, 2).t()
    union = Graph.union(parts)
    n = union.num_nodes
    colors = draw(st.lists(st.integers(0, NUM_COLORS - 1), min_size=n, max_size=n))
    return LabelledUnion(union, edge_index, token, table), np.array(colors)


def random_nodes(graph: Graph, structure: str, seed: int) -> list[NDArray[np.int64]]:
    """For each r of the structure any nodes, about a third of all."""
    random = np.random.default_rng(seed)
    return [np.flatnonzero(random.random(graph.num_nodes) < 0.3) for letter in structure if letter == "r"]
