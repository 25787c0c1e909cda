"""NodeViews beside a plain computation: every node's replica on its own, a message for each of its nodes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import (
    NUM_COLORS,
    LabelledUnion,
    colored_unions,
    edges_and_owners,
    labelled_unions,
    largest_classes,
    one_hot,
    perturb,
    seeded,
)
from torch import Tensor

from wlt import Graph, as_graph
from wlt.nn import WLTGNN, Batch, NodeViews
from wlt.nn.device import torch_alone

LABELS = 9  # three labels, each both ways or out or in, and loops
REACH = 3


def with_views(recolor: str, seed: int, hidden: int | None = None, rounds: int = 2, **edges: int) -> WLTGNN:
    views = NodeViews(4, hidden, recolor=recolor, rounds=rounds, reach=REACH, generator=seeded(seed), **edges)
    model = WLTGNN(NUM_COLORS, 4, 3, structure="gg", residual=True, views=views, generator=seeded(seed), **edges)
    perturb(model.double(), seed)
    return model


def replicas(graph: Graph, colors: NDArray[np.int64], messages: Tensor, recolor: str) -> list[tuple[int, int, int]]:
    """(node, begin, end) of each: the recoloured node (-1: none), and the nodes of its graph."""
    loops = graph.loops.tolist() or [0] * graph.num_nodes
    labels = list(zip(colors.tolist(), loops, strict=True))
    chosen = range(graph.num_nodes) if recolor == "nodes" else largest_classes(graph, labels, messages)
    out = []
    for begin, end in pairwise(graph.starts.tolist()):
        nodes = [v for v in chosen if begin <= v < end]
        out += [(v, begin, end) for v in nodes or [-1]]
    return out


def plain_views(
    views: NodeViews, graph: Graph, arcs: tuple[Tensor, Tensor | None], colors: NDArray[np.int64], h: Tensor
) -> Tensor:
    """The new message of every node; h has the old ones. arcs: from and to, and the token of each."""
    (source, target), token = arcs
    network = nx.Graph(zip(source.tolist(), target.tolist(), strict=True))
    network.add_nodes_from(range(graph.num_nodes))
    copies = replicas(graph, colors, h.detach(), str(views.recoloring.recolor))
    of_graph = {begin: sum(other == begin for _, other, _ in copies) for _, begin, _ in copies}
    messages = []  # of all nodes, in each replica
    for marked, _, _ in copies:
        kept = torch.ones(len(h), 1, dtype=h.dtype)
        near = {} if marked < 0 else nx.single_source_shortest_path_length(network, marked, REACH - 1)
        if near:
            kept[marked] = 0
        x = kept * views.input(h)
        rows = [views.reached[near[v]] if v in near else torch.zeros_like(x[0]) for v in range(len(h))]
        messages.append(x + torch.stack(rows))
    for layer in views.layers:
        outputs, shares = [], []
        for x, (_, begin, end) in zip(messages, copies, strict=True):
            arriving = x[source] if token is None else (x[source] + layer.edges.weight[token]).relu()
            inner = ((x.index_add(0, target, arriving) @ layer.weight1) + layer.bias1).relu()
            outputs.append((inner @ layer.weight2 + layer.bias2).relu()[begin:end])
            shares.append(torch.full((end - begin, 1), 1 / of_graph[begin], dtype=x.dtype))
        mean, variance = layer.norm.running_mean, layer.norm.running_var
        if layer.training:
            everything, share = torch.cat(outputs), torch.cat(shares) / graph.num_nodes
            mean = (share * everything).sum(0)
            variance = (share * (everything - mean) ** 2).sum(0)
        scale = layer.norm.weight / (variance + layer.norm.eps).sqrt()
        for i, (_, begin, end) in enumerate(copies):
            added = torch.zeros_like(messages[i])
            added[begin:end] = (outputs[i] - mean) * scale + layer.norm.bias
            messages[i] = messages[i] + added
    new = h.clone()
    for x, (marked, begin, end) in zip(messages, copies, strict=True):
        if marked >= 0:
            seen = torch.cat([views.sum_weight * x[begin:end].sum(0), x[marked]])
            new[marked] = h[marked] + views.linear2(views.linear1(seen).relu())
    return new


def messages_of_nodes(batch: Batch) -> Tensor:
    return batch.messages[torch.from_numpy(batch.classes.astype(np.int64))]


@settings(max_examples=25)
@given(
    colored_unions(max_graphs=3, max_nodes=6) | labelled_unions(),
    st.sampled_from(["all", "nodes"]),
    st.sampled_from([None, 3]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 1000),
)
def test_every_node_is_told_what_its_replica_shows(
    union: tuple[Graph | LabelledUnion, NDArray[np.int64]],
    recolor: str,
    hidden: int | None,
    training: bool,
    compress: bool,
    by_torch: bool,
    seed: int,
) -> None:
    """Messages and the gradients of all parameters, float64."""
    drawn, colors = union
    labelled = isinstance(drawn, LabelledUnion)
    graph = drawn.graph if labelled else drawn
    arcs = (drawn.edge_index, drawn.token) if labelled else (edges_and_owners(drawn)[0], None)
    edges = {"num_edge_labels": LABELS} if labelled else {}
    model = with_views(recolor, seed, hidden, **edges).train(training)
    answers = []
    for by_plain in (False, True):
        model.zero_grad()
        if by_plain:
            h = one_hot(colors, NUM_COLORS) @ model.embedding
            new = plain_views(model.views, graph, arcs, colors, h)
        else:
            batch = Batch.from_graphs(graph, colors, compress=compress)
            if by_torch:
                with torch_alone():
                    new = messages_of_nodes(model.begin(batch))
            else:
                new = messages_of_nodes(model.begin(batch))
        (new * torch.arange(1, new.numel() + 1).reshape(new.shape)).sum().backward()
        gradients = [torch.zeros_like(each) if each.grad is None else each.grad for each in model.parameters()]
        answers.append([new.detach(), *(gradient.clone() for gradient in gradients)])
    for mine, expected in zip(*answers, strict=True):
        torch.testing.assert_close(mine, expected, rtol=1e-7, atol=1e-7)


def test_rings_are_told_apart_that_look_alike_to_wl() -> None:
    hexagon, triangles = nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    batch = Batch.from_graphs([as_graph(hexagon), as_graph(triangles)], [0] * 12)
    model = with_views("all", 0).eval()
    assert not torch.allclose(*model(batch))
    model.views = None
    torch.testing.assert_close(*model(batch))


def test_nodes_of_one_view_share_a_row() -> None:
    """A triangle with a tail: its two outer corners look the same."""
    batch = Batch.from_graphs(as_graph(nx.lollipop_graph(3, 1)), [0] * 4)
    assert with_views("nodes", 0).begin(batch).num_classes == 3


def test_views_are_the_same_however_nodes_are_numbered() -> None:
    graph = as_graph(nx.convert_node_labels_to_integers(nx.ladder_graph(5)))
    moved = graph.relabel(np.random.default_rng(0).permutation(graph.num_nodes))
    model = with_views("nodes", 0).eval()
    torch.testing.assert_close(*(model(Batch.from_graphs(each, [0] * 10)) for each in (graph, moved)))


def test_a_graph_without_views_keeps_its_messages() -> None:
    batch = Batch.from_graphs(as_graph(nx.path_graph(2)), [0, 1])
    model = with_views("all", 0)
    torch.testing.assert_close(messages_of_nodes(model.begin(batch)), model.embedding[:2])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: NodeViews(4, recolor="one"), "recolor must be 'all' or 'nodes', not 'one'", id="one"),
        pytest.param(lambda: NodeViews(4, rounds=0), "rounds must be at least 1", id="no-round"),
        pytest.param(
            lambda: WLTGNN(3, 5, 2, residual=True, views=NodeViews(4)),
            "views need residual=True and hidden=4",
            id="width",
        ),
        pytest.param(lambda: WLTGNN(3, 4, 2, views=NodeViews(4)), "views need residual=True", id="no-embedding"),
        pytest.param(lambda: WLTGNN(3, 4, 2, views=2), "views=2 needs residual=True", id="rounds-no-embedding"),
        pytest.param(lambda: WLTGNN(3, 4, 2, residual=True, views=-1), "views must be a number", id="negative"),
        pytest.param(lambda: WLTGNN(3, 4, 2, residual=True, views=True), "views must be a number", id="true"),
    ],
)
def test_what_views_need(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
