"""Layers on graphs whose edges carry labels, directions and multiplicities equal PyG's GINEConv on the nodes."""

from __future__ import annotations

import warnings
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match
from numpy.typing import NDArray
from oracle import (
    NUM_COLORS,
    TOLERANCE,
    LabelledUnion,
    assert_same_training,
    labelled_unions,
    largest_classes,
    one_hot,
    perturb,
    random_nodes,
    recolored_nodes,
    seeded,
    structures,
)

from wlt import Graph, refine_once
from wlt.nn import GCN, GIN, SAGE, WLTGNN, Baseline, Batch, Collection, PyGRecoloring, Recoloring
from wlt.nn.layers import readout

LABELS = 9  # three labels, each both ways or out or in, and loops
KINDS = ["GIN-0", "GIN-eps"]
PATH = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], edge_labels=["single", "double", "single"])


def make(what: str, seed: int, width: int = NUM_COLORS, residual: bool = False, **edges: int) -> WLTGNN | Baseline:
    """A model in float64: a baseline's kind, or WLT-GNN with this structure."""
    edges = edges or {"num_edge_labels": LABELS}
    if what in KINDS:
        model = Baseline(what, width, 5, 3, num_layers=3, dropout=0, generator=seeded(seed), **edges).double()
    else:
        model = WLTGNN(width, 5, 3, structure=what, residual=residual, generator=seeded(seed), **edges).double()
    perturb(model, seed)
    return model


def targets(graph: Graph, seed: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(0, 3, graph.num_graphs)


# ---- equal to PyG


@settings(max_examples=60)
@given(
    st.lists(labelled_unions(), min_size=1, max_size=2),
    st.sampled_from(KINDS) | structures(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 1000),
)
def test_equal_to_gine_of_pyg(
    unions: list[tuple[LabelledUnion, NDArray[np.int64]]], what: str, residual: bool, compress: bool, seed: int
) -> None:
    """Logits, loss, all gradients and running statistics. From a recoloured node only the edge's token arrives."""
    model = make(what, seed, residual=residual)
    batches = [
        (
            Batch.from_graphs(union.graph, colors, compress=compress),
            union,
            one_hot(colors, NUM_COLORS),
            targets(union.graph, seed),
        )
        for union, colors in unions
    ]
    structure = what if isinstance(model, WLTGNN) else ""
    assert_same_training(model, batches, [random_nodes(union.graph, structure, seed) for union, _ in unions])


@settings(max_examples=30)
@given(labelled_unions(numbers=True), structures(), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 1000))
def test_rows_of_numbers_on_edges_and_nodes(
    drawn: tuple[LabelledUnion, NDArray[np.int64]],
    structure: str,
    residual: bool,
    compress: bool,
    features: bool,
    seed: int,
) -> None:
    union, colors = drawn
    model = make(structure, seed, 5 if features else NUM_COLORS, residual, edge_features=2)
    x = one_hot(colors, NUM_COLORS)
    if features:
        x = torch.randn(NUM_COLORS, 5, generator=seeded(seed), dtype=torch.float64)[torch.from_numpy(colors)]
        batch = Batch.from_graphs(union.graph, features=x, compress=compress)
    else:
        batch = Batch.from_graphs(union.graph, colors, compress=compress)
    nodes = random_nodes(union.graph, structure, seed)
    assert_same_training(model, [(batch, union, x, targets(union.graph, seed))], [nodes])


@settings(max_examples=40)
@given(labelled_unions(), st.booleans(), st.booleans(), st.integers(0, 1000))
def test_the_fused_layer_is_the_composed_one(
    drawn: tuple[LabelledUnion, NDArray[np.int64]], train_eps: bool, compress: bool, seed: int
) -> None:
    """The layers behind the first, which other devices compute as separate operations: readouts and gradients."""
    graph, colors = drawn[0].graph, drawn[1]
    results = []
    for fused in (True, False):
        options = {"num_edge_labels": len(graph.tokens), "train_eps": train_eps, "generator": seeded(seed)}
        layers = torch.nn.ModuleList(GIN(width, 4, **options) for width in (NUM_COLORS, 4, 4)).double().eval()
        perturb(layers, seed)
        batch, total = Batch.from_graphs(graph, colors, compress=compress), []
        for layer in layers:
            if fused:
                batch, summed = layer(batch)
            else:
                new, step = batch.refine()
                rows = layer.composed(batch, step)
                batch, summed = new.filled(rows), readout(step, rows, batch.num_graphs)
            total.append(summed)
        torch.stack(total).square().sum().backward()
        results.append([*total, *(parameter.grad for parameter in layers.parameters())])
    for mine, expected in zip(*results, strict=True):
        torch.testing.assert_close(mine, expected, **TOLERANCE)


@pytest.mark.parametrize("compress", [True, False])
def test_pyg_data_bring_their_features_and_edge_attributes_along(compress: bool) -> None:
    """A list of Data as it is, against GINEConv on PyG's own batch of it."""
    from torch_geometric.data import Batch as PyGBatch
    from torch_geometric.data import Data
    from torch_geometric.nn import GINEConv, global_add_pool

    graphs = []
    for seed, size in enumerate((4, 6, 5)):
        ring = torch.tensor([[i, (i + 1) % size] for i in range(size)]).T
        rows = torch.randint(0, 2, (size, 2), generator=seeded(seed)).double()
        x = torch.randint(0, 2, (size, 3), generator=seeded(seed)).double()
        graphs.append(Data(x=x, edge_index=torch.cat([ring, ring.flip(0)], 1), edge_attr=torch.cat([rows, rows])))
    layer = GIN(3, 4, edge_features=2, generator=seeded(0)).double().eval()
    perturb(layer, 0)
    _, summed = layer(Batch.from_graphs(graphs, compress=compress))
    mlp = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4), torch.nn.ReLU()).double()
    conv = GINEConv(mlp, edge_dim=2).double()
    with torch.no_grad():
        mlp[0].weight.copy_(layer.weight1.T), mlp[0].bias.copy_(layer.bias1)
        mlp[2].weight.copy_(layer.weight2.T), mlp[2].bias.copy_(layer.bias2)
        conv.lin.weight.copy_(layer.edges.weight[0].T), conv.lin.bias.copy_(layer.edges.bias[0])
        together = PyGBatch.from_data_list(graphs)
        rows = layer.norm(conv(together.x, together.edge_index, together.edge_attr), torch.ones(15))
        expected = global_add_pool(rows, together.batch)
    torch.testing.assert_close(summed, expected, **TOLERANCE)


# ---- batches


@settings(max_examples=30)
@given(labelled_unions(), structures(), st.integers(0, 3), st.integers(0, 1000))
def test_batches_of_a_collection_are_batches_of_graphs(
    drawn: tuple[LabelledUnion, NDArray[np.int64]], structure: str, rounds: int, seed: int
) -> None:
    union, colors = drawn
    graph = union.graph
    which = np.random.default_rng(seed).integers(0, graph.num_graphs, 3)
    taken = graph.take(which)
    plain = Batch.from_graphs(taken, colors[graph.nodes_of(which)])
    known = Collection(graph, colors, rounds).batch(which)
    model = make(structure, seed).eval()
    nodes = random_nodes(taken, structure, seed)
    torch.testing.assert_close(model(known, chosen=nodes), model(plain, chosen=nodes), **TOLERANCE)


@settings(max_examples=30)
@given(labelled_unions(max_graphs=1), st.sampled_from(["ggrg", "rgg", "grgrg"]), st.data())
def test_the_numbers_of_nodes_and_labels_change_nothing(
    drawn: tuple[LabelledUnion, NDArray[np.int64]], structure: str, data: st.DataObject
) -> None:
    """With "all" nothing is random. Codes of labels may be in any order: only what they stand for counts."""
    union, colors = drawn
    graph = union.graph
    permutation = np.array(data.draw(st.permutations(range(graph.num_nodes))))
    moved_colors = np.empty_like(colors)
    moved_colors[permutation] = colors
    codes = np.array(data.draw(st.permutations(range(len(graph.arc_labels)))), np.int32)
    labels = tuple(graph.arc_labels[i] for i in np.argsort(codes))
    recoded = replace(graph, arcs=codes[graph.arcs], arc_labels=labels) if len(graph.arcs) else graph
    batches = [(graph, colors), (graph.relabel(permutation), moved_colors), (recoded, colors)]
    model = WLTGNN(NUM_COLORS, 5, 3, structure=structure, num_edge_labels=LABELS, recolor="all", generator=seeded(1))
    model.double().eval()
    first, *others = (model(Batch.from_graphs(*each)) for each in batches)
    for other in others:
        torch.testing.assert_close(other, first, **TOLERANCE)


def test_a_round_lists_every_pair_of_row_and_token_once() -> None:
    colors, step = refine_once(PATH)
    assert colors.tolist() == [0, 1, 1, 0]
    assert [PATH.tokens.tokens[i] for i in step.message_token] == [("both", "single"), ("both", "double")]
    assert step.message_row.tolist() == [0, 0]
    assert (step.counts.offsets.tolist(), step.counts.columns.tolist()) == ([0, 1, 3], [0, 0, 1])


def test_parallel_edges_send_a_message_each() -> None:
    pair = Graph.from_edges(2, [(0, 1), (1, 0), (0, 1)], edge_labels=["a", "a", "b"], multigraph=True)
    _, step = refine_once(pair)
    assert step.counts.values.tolist() == [2, 1]
    assert [pair.tokens.tokens[i] for i in step.message_token] == [("both", "a"), ("both", "b")]


# ---- recoloring


def marked(graph: Graph, colors: NDArray[np.int64], nodes: NDArray[np.int64]) -> nx.DiGraph[int]:
    """For networkx: what nodes and entries carry, and which nodes are recoloured."""
    result: nx.DiGraph[int] = nx.empty_graph(graph.num_nodes, create_using=nx.DiGraph)
    for v in range(graph.num_nodes):
        loops = graph.loop_labels[graph.loops[v]] if len(graph.loops) else ()
        result.nodes[v]["carried"] = (int(colors[v]), loops, v in nodes.tolist())
    for entry, (v, u) in enumerate(graph.edge_index().T.tolist()):
        result.add_edge(v, u, carried=graph.arc_labels[graph.arcs[entry]] if len(graph.arcs) else ())
    return result


def canonical(graph: Graph, colors: NDArray[np.int64]) -> NDArray[np.int64]:
    before = Batch.from_graphs(graph, colors)
    return recolored_nodes(before, Recoloring("canonical")(before))


@settings(max_examples=60)
@given(labelled_unions(max_graphs=1), st.data())
def test_relabelled_copies_choose_the_same_canonical_node(
    drawn: tuple[LabelledUnion, NDArray[np.int64]], data: st.DataObject
) -> None:
    """Up to automorphism, decided by networkx; and whatever other labels stand in the batch."""
    union, colors = drawn
    graph, colors = union.graph, colors % 2
    permutation = np.array(data.draw(st.permutations(range(graph.num_nodes))))
    moved, moved_colors = graph.relabel(permutation), np.empty_like(colors)
    moved_colors[permutation] = colors
    nodes, others = canonical(graph, colors), canonical(moved, moved_colors)
    same = categorical_node_match("carried", None), categorical_edge_match("carried", None)
    both = marked(graph, colors, nodes), marked(moved, moved_colors, others)
    assert nx.is_isomorphic(*both, node_match=same[0], edge_match=same[1])
    first = Graph.from_edges(2, [(0, 1)], edge_labels=["a label before all others"], directed=True)
    together = canonical(Graph.union([first, graph]), np.concatenate([[0, 1], colors]))
    assert together.tolist() == (nodes + 2).tolist()


def test_canonical_recoloring_tells_nodes_apart_by_labels_alone() -> None:
    """Two edges, alike but for the label: the one that is chosen does not depend on where it stands."""
    chosen = set()
    for labels in (["a", "b"], ["b", "a"]):
        (node,) = canonical(Graph.from_edges(4, [(0, 1), (2, 3)], edge_labels=labels), np.zeros(4, np.int64)).tolist()
        chosen.add(labels[node // 2])
    assert len(chosen) == 1


@settings(max_examples=40)
@given(labelled_unions(max_graphs=1), st.sampled_from(["rg", "grgg", "ggrg"]), st.booleans(), st.integers(0, 1000))
def test_all_is_the_mean_over_the_nodes_of_the_class(
    drawn: tuple[LabelledUnion, NDArray[np.int64]], structure: str, compress: bool, seed: int
) -> None:
    """Replicas that look the same are merged: those that only labels tell apart are not."""
    union, colors = drawn
    options = {"structure": structure, "num_edge_labels": LABELS}
    model, whole = (
        WLTGNN(NUM_COLORS, 5, 3, recolor=recolor, generator=seeded(seed), **options).double().eval()
        for recolor in ("all", "100%")
    )
    for each in (model, whole):
        perturb(each, seed)
    batch = Batch.from_graphs(union.graph, colors, compress=compress)
    before = batch
    for layer in model.layers[: structure.index("r")]:
        before, _ = layer(before)
    nodes = recolored_nodes(before, Recoloring("100%")(before))
    each = [whole.embed(batch, chosen=[np.array([node])]) for node in nodes] or [whole.embed(batch, chosen=[nodes])]
    torch.testing.assert_close(model.embed(batch), torch.stack(each).mean(0), **TOLERANCE)


@settings(max_examples=40)
@given(labelled_unions(), st.sampled_from(["one", "half", "draws:2", "canonical"]), st.integers(0, 1000))
def test_recoloring_is_the_same_without_compression(
    drawn: tuple[LabelledUnion, NDArray[np.int64]], recolor: str, seed: int
) -> None:
    union, colors = drawn
    model = WLTGNN(NUM_COLORS, 5, 3, structure="grgrg", recolor=recolor, num_edge_labels=LABELS, generator=seeded(seed))
    perturb(model.double().eval(), seed)
    batches = [Batch.from_graphs(union.graph, colors, compress=compress) for compress in (True, False)]
    torch.testing.assert_close(*(model(batch, seeded(seed)) for batch in batches), **TOLERANCE)


@settings(max_examples=40)
@given(labelled_unions(), st.integers(0, 3))
def test_classes_between_pygs_convolutions_know_labels_and_directions(
    drawn: tuple[LabelledUnion, NDArray[np.int64]], rounds: int
) -> None:
    union, initial = drawn
    colors: list[int] = initial.tolist()
    for _ in range(rounds):
        seen: list[list[tuple[int, int]]] = [[] for _ in colors]
        for (u, v), token in zip(union.edge_index.t().tolist(), union.token.tolist(), strict=True):
            seen[v].append((token, colors[u]))
        signatures = [(color, tuple(sorted(messages))) for color, messages in zip(colors, seen, strict=True)]
        number = {signature: i for i, signature in enumerate(sorted(set(signatures)))}
        colors = [number[signature] for signature in signatures]
    loops = union.graph.loops.tolist() or [0] * len(colors)  # in ours, colours know them from the start
    colors = [color * 100 + loop for color, loop in zip(colors, loops, strict=True)]
    x = torch.rand(max(colors) + 1, 3, generator=seeded(0), dtype=torch.float64)[torch.tensor(colors)] + 0.1
    listed = torch.tensor([direction != "out" for direction, _ in union.tokens] or [True])[union.token]
    names = sorted({label for _, label in union.tokens})
    attributes = torch.tensor([names.index(label) for _, label in union.tokens] or [0])[union.token[listed]]
    after = PyGRecoloring("100%", rounds=rounds)(
        x,
        union.edge_index[:, listed],
        torch.from_numpy(union.graph.graph_of),
        node_labels=torch.from_numpy(initial),
        edge_attr=attributes,
    )
    assert np.flatnonzero((after == 0).all(1)).tolist() == largest_classes(union.graph, colors, x)


def test_edge_attr_of_the_wrong_shape_is_refused() -> None:
    edge_index = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="for 2 edges"):
        PyGRecoloring()(torch.ones(2, 1), edge_index, edge_attr=torch.ones(3))


# ---- models and batches that do not fit


def test_models_and_batches_that_do_not_fit_are_refused() -> None:
    labelled, plain = Batch.from_graphs(PATH), Batch.from_graphs(PATH.without_labels())
    with pytest.raises(ValueError, match="make it with num_edge_labels=2"):
        WLTGNN(3, 4, 2)(labelled)
    with pytest.raises(ValueError, match="num_edge_labels=2"):
        GIN(3, 4)(labelled)
    for model in (WLTGNN(3, 4, 2, num_edge_labels=2), GIN(3, 4, edge_features=1)):
        with pytest.raises(ValueError, match="carry no labels"):
            model(plain)
    with pytest.raises(ValueError, match=r"2 edge labels .* num_edge_labels=1"):
        GIN(3, 4, num_edge_labels=1)(labelled)
    with pytest.raises(ValueError, match="'double' is no row of 1 numbers"):
        GIN(3, 4, edge_features=1)(labelled)
    rows = Batch.from_graphs(Graph.from_edges(2, [(0, 1)], edge_labels=[(1.0, 2.0)]))
    with pytest.raises(ValueError, match="2 numbers; the model was made with edge_features=3"):
        GIN(2, 4, edge_features=3)(rows)
    with pytest.raises(ValueError, match="not both"):
        GIN(2, 4, num_edge_labels=1, edge_features=3)


def test_graphs_without_edges_fit_every_model() -> None:
    batch = Batch.from_graphs(Graph.from_edges(3, []))
    for edges in ({}, {"num_edge_labels": 2}, {"edge_features": 3}):
        model = WLTGNN(2, 4, 2, **edges)
        model(batch, seeded(0)).sum().backward()


@pytest.mark.parametrize("layer", [GCN, SAGE])
def test_gcn_and_sage_say_that_they_do_not_see_labels(layer: type[torch.nn.Module]) -> None:
    model = layer(3, 4)
    with pytest.warns(UserWarning, match="does not see what the graphs' edges carry"):
        after, summed = model(Batch.from_graphs(PATH))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, expected = model(Batch.from_graphs(PATH.without_labels()))
        layer(4, 4)(after)
    torch.testing.assert_close(summed, expected)


def test_layers_follow_their_parameters_device() -> None:
    """On the meta device nothing is computed, but every operation must find its operands on one device."""
    for edges in ({"num_edge_labels": 2}, {"edge_features": 1}):
        graph = PATH if "num_edge_labels" in edges else Graph.from_edges(3, [(0, 1), (1, 2)], edge_labels=[1, 2])
        first, second = GIN(3, 4, **edges).to("meta"), GIN(4, 5, **edges).to("meta")
        batch, summed = first(Batch.from_graphs(graph))
        after, last = second(batch)
        assert {part.device.type for part in (summed, batch.messages, last, after.messages)} == {"meta"}
