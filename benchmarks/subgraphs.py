"""Averaging over marked copies of a graph: recolor="all" and "nodes" beside the same subgraph network in plain PyG.

    python benchmarks/subgraphs.py [NAME ...] [--data DIR] [--policy all|nodes] [--hidden H] [--batch B] [--json]

The peer is a node-marked DS-GNN: for every node of the largest class ("all"), or of the graph ("nodes"), a replica of
the graph in which the message of that node is set to 0 behind the first two layers; GINConv layers on all replicas, and
the mean over the replicas of a graph. Same layers (ggrgg), weights, batch and head; BatchNorm counts the nodes of a
replica with 1 / (replicas of its graph), as wlt does. Both sides know before they start which nodes are in the largest
class. Measured, each side in a fresh process with one thread: the fastest training step (forward, backward, Adam) on
the batch's first graphs of the set, in seconds of the processor (by the clock, what else the machine does would slow
PyG's long steps and not the fastest of many short ones), and the memory of the process at its peak (Linux). In the same
run both compute the same weights' logits and gradients in float64: the largest difference is in the last column, as a
share of the largest entry.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

NAMES = ("fullerenes", "csl", "EXP", "MUTAG", "NCI1")
STRUCTURE = "ggrgg"
SECONDS = 3.0
LEAST_STEPS = 3

Step = Callable[[], Any]
"""One training step; returns logits."""


def graphs_of(name: str, root: str | None, batch: int) -> Any:
    """The first graphs of the set, shuffled."""
    import numpy as np

    from wlt.data import csl, fullerenes, load

    made = {"fullerenes": lambda: fullerenes((40, 42, 44)), "csl": csl}
    data = made[name]() if name in made else load(name, root, edge_labels=None)
    return data.take(np.random.default_rng(0).permutation(len(data))[:batch])


def our_model(data: Any, policy: str, hidden: int) -> Any:
    import torch

    from wlt.nn import WLTGNN

    sizes = (len(data.values), hidden, len(data.classes))
    generator = torch.Generator().manual_seed(0)
    model = WLTGNN(*sizes, structure=STRUCTURE, recolor=policy, generator=generator)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("norm.bias"):  # with shift 0 all messages of a regular graph would be 0, marked or not
                parameter.normal_(generator=generator)
    return model


def step_of(model: Any, forward: Step, labels: Any) -> Step:
    import torch

    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

    def step() -> Any:
        optimizer.zero_grad()
        logits = forward()
        torch.nn.functional.cross_entropy(logits, labels).backward()
        optimizer.step()
        return logits

    return step


def wlt_side(data: Any, policy: str, hidden: int, double: bool) -> tuple[Any, Step]:
    """Our model, and its forward pass."""
    from wlt.nn import Collection

    model = our_model(data, policy, hidden)
    model = model.double() if double else model
    source = Collection(data.union, data.codes, 2)
    everything = range(len(data))
    return model, lambda: model(source.batch(everything))


def pyg_side(data: Any, policy: str, hidden: int, double: bool) -> tuple[Any, Step]:
    """The same weights in PyG's GINConv, on replicas of the nodes."""
    import numpy as np
    import torch
    from torch.nn import Linear, ReLU, Sequential
    from torch_geometric.nn import GINConv, global_add_pool

    from wlt.nn import Recoloring

    ours = our_model(data, policy, hidden)
    marked = _marked_nodes(data, ours, policy)
    union = data.union
    edges = torch.from_numpy(union.edge_index().astype(np.int64))
    owner = torch.from_numpy(union.graph_of.astype(np.int64))
    colors = torch.tensor(data.codes).long()
    # The replicas: copies of a graph's nodes and edges, one for each marked node; graphs without any are one replica.
    of_replica = [(i, node) for i, nodes in enumerate(marked) for node in (nodes if len(nodes) else [-1])]
    graph_of_replica = np.array([i for i, _ in of_replica])
    replicas = union.take(graph_of_replica)
    nodes = torch.from_numpy(union.nodes_of(graph_of_replica))
    replica_edges = torch.from_numpy(replicas.edge_index().astype(np.int64))
    replica_owner = torch.from_numpy(replicas.graph_of.astype(np.int64))
    kept = torch.ones(replicas.num_nodes, 1)
    for r, (i, node) in enumerate(of_replica):
        if node >= 0:
            kept[replicas.starts[r] + node - union.starts[i]] = 0
    copies = torch.from_numpy(np.bincount(graph_of_replica))
    share = 1 / copies[torch.from_numpy(graph_of_replica)].double()  # [replicas]
    bag = torch.from_numpy(graph_of_replica)
    dtype = torch.float64 if double else torch.float32
    kept, share = kept.to(dtype), share.to(dtype)
    node_weight = share[replica_owner][:, None]  # in BatchNorm, behind the marking

    class WeightedNorm(torch.nn.Module):
        """BatchNorm in training mode; node v counts `weight[v]`."""

        def __init__(self, norm: Any):
            super().__init__()
            self.gamma, self.beta, self.eps = norm.weight, norm.bias, norm.eps

        def forward(self, x: Any) -> Any:
            weight = node_weight if len(x) == len(node_weight) else torch.ones_like(x[:, :1])
            total = weight.sum()
            mean = (weight * x).sum(0) / total
            variance = (weight * (x - mean) ** 2).sum(0) / total
            return (x - mean) / (variance + self.eps).sqrt() * self.gamma + self.beta

    def conv_like(layer: Any) -> Any:
        first, second = Linear(*layer.weight1.shape), Linear(*layer.weight2.shape)
        conv = GINConv(Sequential(first, ReLU(), second, ReLU(), WeightedNorm(layer.norm)))  # draws new weights
        for linear, weight, bias in ((first, layer.weight1, layer.bias1), (second, layer.weight2, layer.bias2)):
            linear.weight.data, linear.bias.data = weight.detach().T.clone(), bias.detach().clone()
        return conv

    class SubgraphNetwork(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            gins = [layer for layer in ours.layers if not isinstance(layer, Recoloring)]
            self.convs = torch.nn.ModuleList(map(conv_like, gins))
            self.layer_weights, self.head = ours.layer_weights, ours.head

        def forward(self) -> Any:
            x = torch.nn.functional.one_hot(colors, len(data.values)).to(dtype)
            total = 0
            convs = iter(zip(self.layer_weights, self.convs, strict=True))
            on_replicas = False
            for letter in STRUCTURE:
                if letter == "r":
                    x, on_replicas = x[nodes] * kept, True
                    continue
                weight, conv = next(convs)
                x = conv(x, replica_edges if on_replicas else edges)
                pooled = global_add_pool(x, replica_owner if on_replicas else owner)
                total = total + weight * (global_add_pool(pooled * share[:, None], bag) if on_replicas else pooled)
            return self.head(total)

    model = SubgraphNetwork()
    model = model.double() if double else model
    return model, model


def _marked_nodes(data: Any, model: Any, policy: str) -> list[list[int]]:
    """For every graph the nodes that are marked; "all" breaks ties by messages, so it needs the model."""
    import torch

    from wlt.nn import Batch
    from wlt.nn import kernels as nn_kernels
    from wlt.nn.recolor import largest_classes

    union = data.union
    if policy == "nodes":
        return [list(range(low, high)) for low, high in itertools.pairwise(union.starts)]
    batch = Batch.from_graphs(union, data.codes)
    with torch.no_grad():
        for layer in model.double().train().layers[:2]:
            batch, _ = layer(batch)
    model.float()
    classes, colors = largest_classes(batch)
    offsets, nodes = nn_kernels.class_nodes(union.starts, colors, classes)
    return [nodes[low:high].tolist() for low, high in itertools.pairwise(offsets)]


def measured(side: str, name: str, root: str | None, policy: str, hidden: int, batch: int) -> tuple[float, float]:
    """Seconds of the fastest step, and megabytes at the peak, in a process of its own."""
    import torch

    torch.set_num_threads(1)
    data = graphs_of(name, root, batch)
    labels = torch.from_numpy(data.class_numbers)
    model, forward = (wlt_side if side == "wlt" else pyg_side)(data, policy, hidden, False)
    step = step_of(model, forward, labels)
    begin = time.perf_counter()
    times = []
    while len(times) < LEAST_STEPS or time.perf_counter() - begin < SECONDS:
        start = time.process_time()
        step()
        times.append(time.process_time() - start)
    return min(times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def difference(name: str, root: str | None, policy: str, hidden: int, batch: int) -> float:
    """The largest difference of logits and gradients between both sides, float64, by the largest entry of all."""
    import torch

    torch.set_num_threads(1)
    data = graphs_of(name, root, batch)
    labels = torch.from_numpy(data.class_numbers)
    answers = []
    for side in (wlt_side, pyg_side):
        model, forward = side(data, policy, hidden, True)
        logits = forward()
        torch.nn.functional.cross_entropy(logits, labels).backward()
        if side is wlt_side:
            gins = [layer for layer in model.layers if hasattr(layer, "weight1")]
            weights = [(gin.weight1.grad, gin.weight2.grad, gin.norm.bias.grad) for gin in gins]
        else:
            mlps = [conv.nn for conv in model.convs]
            weights = [(mlp[0].weight.grad.T, mlp[2].weight.grad.T, mlp[4].beta.grad) for mlp in mlps]
        heads = [model.layer_weights.grad, *(parameter.grad for parameter in model.head.parameters())]
        answers.append([logits.detach(), *heads, *itertools.chain(*weights)])
    largest = max(float(each.abs().max()) for each in answers[1])
    return max(float((mine - theirs).abs().max()) for mine, theirs in zip(*answers, strict=True)) / largest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", default=NAMES)
    parser.add_argument("--data", help="folder that contains tu/NAME.zip (default: as wlt.data.load)")
    parser.add_argument("--policy", choices=("all", "nodes"), default="all")
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.json:
        head = f"{'dataset':12}{'wlt ms':>9}{'PyG ms':>9}{'ratio':>7}{'wlt MB':>8}{'PyG MB':>8}{'difference':>12}"
        print(f'recolor="{options.policy}", {STRUCTURE}, hidden {options.hidden}, {options.batch} graphs\n{head}')
    for name in options.names:
        task = (name, options.data, options.policy, options.hidden, options.batch)
        with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
            (ours, our_mb), (theirs, their_mb) = (pool.apply(measured, (side, *task)) for side in ("wlt", "pyg"))
            apart = pool.apply(difference, task)
        if options.json:
            row = {"dataset": name, "wlt_s": ours, "pyg_s": theirs, "wlt_mb": our_mb, "pyg_mb": their_mb}
            print(json.dumps({**row, "difference": apart}), flush=True)
        else:
            figures = f"{1000 * ours:9.1f}{1000 * theirs:9.1f}{theirs / ours:7.1f}{our_mb:8.0f}{their_mb:8.0f}"
            print(f"{name:12}{figures}{apart:12.1e}", flush=True)


if __name__ == "__main__":
    main()
