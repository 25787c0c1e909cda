"""Layers on graphs whose edges carry labels, directions and multiplicities equal PyG's GINEConv on the nodes."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import (
    NUM_COLORS,
    TOLERANCE,
    LabelledUnion,
    assert_same_training,
    labelled_unions,
    one_hot,
    perturb,
    random_nodes,
    seeded,
    structures,
)

from wlt import Graph, refine_once
from wlt.nn import GCN, GIN, SAGE, WLTGNN, Baseline, Batch, Collection

LABELS = 9  # three labels, each both ways or out or in, and loops
KINDS = ["GIN-0", "GIN-eps"]
PATH = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], edge_labels=["single", "double", "single"])


def make(what: str, seed: int, width: int = NUM_COLORS, **edges: int) -> WLTGNN | Baseline:
    """A model in float64: a baseline's kind, or WLT-GNN with this structure."""
    edges = edges or {"num_edge_labels": LABELS}
    if what in KINDS:
        model = Baseline(what, width, 5, 3, num_layers=3, dropout=0, generator=seeded(seed), **edges).double()
    else:
        model = WLTGNN(width, 5, 3, structure=what, generator=seeded(seed), **edges).double()
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
    st.integers(0, 1000),
)
def test_equal_to_gine_of_pyg(
    unions: list[tuple[LabelledUnion, NDArray[np.int64]]], what: str, compress: bool, seed: int
) -> None:
    """Logits, loss, all gradients and running statistics. From a recoloured node only the edge's token arrives."""
    model = make(what, seed)
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
@given(labelled_unions(numbers=True), structures(), st.booleans(), st.booleans(), st.integers(0, 1000))
def test_rows_of_numbers_on_edges_and_nodes(
    drawn: tuple[LabelledUnion, NDArray[np.int64]], structure: str, compress: bool, features: bool, seed: int
) -> None:
    union, colors = drawn
    model = make(structure, seed, 5 if features else NUM_COLORS, edge_features=2)
    x = one_hot(colors, NUM_COLORS)
    if features:
        x = torch.randn(NUM_COLORS, 5, generator=seeded(seed), dtype=torch.float64)[torch.from_numpy(colors)]
        batch = Batch.from_graphs(union.graph, features=x, compress=compress)
    else:
        batch = Batch.from_graphs(union.graph, colors, compress=compress)
    nodes = random_nodes(union.graph, structure, seed)
    assert_same_training(model, [(batch, union, x, targets(union.graph, seed))], [nodes])


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
