"""The recoloring layer: which class, which nodes, and replicas."""

from __future__ import annotations

import math
import warnings
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import (
    NUM_COLORS,
    TOLERANCE,
    colored_unions,
    largest_classes,
    recolored_nodes,
    seeded,
    wl_round,
)
from scipy.stats import chi2

from strategies import two_triangles
from wlt import Graph, as_graph, refine_once
from wlt.data import csl
from wlt.nn import GIN, WLTGNN, Batch, Recoloring

CYCLE = as_graph(nx.cycle_graph(12))


def some_gin(inputs: int, hidden: int, seed: int) -> GIN:
    """A layer in evaluation mode with random parameters."""
    layer = GIN(inputs, hidden, generator=seeded(seed)).double().eval()
    random = seeded(seed + 1)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter += 0.5 * torch.randn(parameter.shape, generator=random, dtype=torch.float64)
    return layer


def some_model(structure: str, seed: int, **options: Any) -> WLTGNN:
    """WLT-GNN with layers as `some_gin` makes them."""
    model = WLTGNN(NUM_COLORS, 4, 2, structure=structure, generator=seeded(seed), **options).double().eval()
    width = NUM_COLORS
    for i, layer in enumerate(model.layers):
        if isinstance(layer, GIN):
            model.layers[i] = some_gin(width, 4, seed + i)
            width = 4
    return model


def whole_classes(batch: Batch) -> NDArray[np.int64]:
    """All nodes of the chosen classes."""
    return recolored_nodes(batch, Recoloring("100%")(batch))


# ---- the class


@settings(max_examples=80)
@given(colored_unions(), st.text("gr", max_size=5), st.booleans(), st.integers(0, 1000))
def test_the_class_is_the_largest_by_size_then_message(
    union: tuple[Graph, NDArray[np.int64]], history: str, compress: bool, seed: int
) -> None:
    """Behind any layers: colours by plain Python rounds that know the marks, messages of the nodes."""
    graph, initial = union
    batch = Batch.from_graphs(graph, initial, compress=compress)
    colors: list[Any] = initial.tolist()
    messages = -torch.from_numpy(initial).double().unsqueeze(1)  # the unit vector of a smaller colour is larger
    width = NUM_COLORS
    for i, letter in enumerate(f"{history}r"):
        if letter == "g":
            batch, _ = some_gin(width, 3, seed + i)(batch)
            width = 3
            colors = wl_round(graph, colors)
            messages = batch.messages[torch.from_numpy(batch.classes).long()].detach()
            continue
        nodes = largest_classes(graph, colors, messages)
        assert whole_classes(batch).tolist() == nodes
        replicas = Recoloring("draws:2")(batch, seeded(seed))
        places = np.flatnonzero(replicas.colors >= batch.num_colors)  # only new colours have such numbers
        replica = replicas.graph.graph_of[places]
        originals = places - replicas.graph.starts[replica] + graph.starts[replicas.owner[replica]]
        assert set(originals) <= set(nodes)
        assert len(places) == 2 * len(set(graph.graph_of[nodes]))
        after = Recoloring(0.5)(batch, seeded(seed))
        marked = set(recolored_nodes(batch, after).tolist())
        assert marked <= set(nodes)
        batch = after
        colors = [2 * color + (node in marked) for node, color in enumerate(colors)]
        messages = messages.clone()
        messages[sorted(marked)] = 0 if "g" in history[:i] else -math.inf


TIED = as_graph(nx.path_graph(4))
"""Ends and inner nodes: two classes of two nodes."""


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("permutation", [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1]])
def test_when_sizes_tie_messages_decide(permutation: list[int], compress: bool) -> None:
    chosen = set()
    for seed in range(12):
        layer = some_gin(3, 8, seed)
        batch, _ = layer(Batch.from_graphs(TIED.relabel(permutation), compress=compress))
        nodes = whole_classes(batch)
        assert len(nodes) == 2
        messages = batch.messages.detach()[torch.from_numpy(batch.classes).long()]
        others = np.setdiff1d(np.arange(4), nodes)
        assert messages[nodes[0]].tolist() > messages[others[0]].tolist()  # lists compare lexicographically
        chosen.add(frozenset(np.argsort(permutation)[nodes].tolist()))
    assert chosen == {frozenset({0, 3}), frozenset({1, 2})}


def test_when_the_first_entries_tie_the_next_decide() -> None:
    """Dead neurons are equal in all classes: the first column is 0 for all, the second is not."""
    layer = some_gin(3, 2, 0)
    with torch.no_grad():
        layer.weight2[:, 0] = 0
        layer.bias2.copy_(torch.tensor([-1.0, 9.0]))
    for sign in (1, -1):
        with torch.no_grad():
            layer.norm.weight[1] = sign
        batch, _ = layer(Batch.from_graphs(TIED))
        messages = batch.messages.detach()[torch.from_numpy(batch.classes).long()]
        assert len(set(messages[:, 0].tolist())) == 1
        assert messages[0, 1] != messages[1, 1]
        assert set(whole_classes(batch)) == ({0, 3} if messages[0, 1] > messages[1, 1] else {1, 2})


def test_before_the_first_layer_the_smaller_color_wins() -> None:
    """One-hot messages: (1, 0, ..) is larger than (0, 1, ..). A recoloured class has message 0, the smallest."""
    graph = Graph.from_edges(6, [])
    batch = Batch.from_graphs(graph, [2, 2, 1, 1, 3, 3])
    assert whole_classes(batch).tolist() == [2, 3]
    assert whole_classes(Recoloring()(batch, chosen=np.array([2, 3]))).tolist() == [0, 1]


def test_features_decide_before_the_first_layer() -> None:
    rows = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.5], [1.0, 0.5], [0.5, 9.0], [0.5, 9.0]])
    assert whole_classes(Batch.from_graphs([(6, [])], features=rows)).tolist() == [2, 3]


def message_tie() -> tuple[Graph, NDArray[np.int64]]:
    """x - {a, a'}, a - b, a' - b', {b, b'} - y - z: the closed neighbourhoods of a and b have the same colours.

    So GIN-0 gives a and b equal messages after one layer, although their colours and their places are different."""
    graph = Graph.from_edges(7, [(0, 2), (0, 3), (2, 4), (3, 5), (4, 1), (5, 1), (1, 6)])
    return graph, np.array([2, 2, 0, 0, 1, 1, 2])


@pytest.mark.parametrize("compress", [True, False])
def test_when_sizes_and_messages_tie_relabelling_changes_nothing(compress: bool) -> None:
    graph, colors = message_tie()
    model = WLTGNN(3, 8, 2, structure="grgg", recolor="all", generator=seeded(0)).double().eval()
    logits = []
    for seed in range(8):
        permutation = np.random.default_rng(seed).permutation(7)
        moved = np.empty_like(colors)
        moved[permutation] = colors
        logits.append(model(Batch.from_graphs(graph.relabel(permutation), moved, compress=compress))[0])
    for other in logits[1:]:
        torch.testing.assert_close(other, logits[0], **TOLERANCE)


def test_rounding_does_not_break_a_tie() -> None:
    """The messages of a and b are sums of the same numbers in different orders."""
    graph, colors = message_tie()
    different_bits = 0
    for seed in range(6):
        layer = GIN(3, 32, generator=seeded(seed)).eval()
        batch, _ = layer(Batch.from_graphs(graph, colors, compress=False))
        different_bits += not torch.equal(batch.messages[2], batch.messages[4])
        assert whole_classes(batch).tolist() == [2, 3, 4, 5]
    assert different_bits > 0


def test_discrete_graphs_are_left_alone() -> None:
    graphs = [Graph.from_edges(3, [(0, 1), (1, 2)]), CYCLE, Graph.from_edges(1, [])]
    batch = Batch.from_graphs(graphs, [0, 1, 2, *[0] * 12, 0])
    for recolor in (1, 0.5, "100%", "all", "draws:3"):
        after = Recoloring(recolor)(batch, seeded(0))
        nodes = recolored_nodes(batch, after)
        assert set(after.owner[after.graph.graph_of[nodes]]) == {1}


# ---- the nodes


@pytest.mark.parametrize(("recolor", "number"), [(1, 1), (2, 2), (5, 5), (0.5, 6), (0.25, 3), ("100%", 12)], ids=str)
def test_each_node_is_chosen_with_equal_frequency(recolor: float | str, number: int) -> None:
    """8000 graphs, one class of 12 nodes each. Every count is within 5 standard deviations of its expectation, which
    fails for a fair choice with probability below 12 * 6e-7; single nodes also pass a chi-square test at level 1e-6."""
    copies, n = 8000, 12
    batch = Batch.from_graphs(Graph.union([CYCLE] * copies))
    nodes = recolored_nodes(batch, Recoloring(recolor)(batch, seeded(0)))
    assert len(nodes) == copies * number
    assert set(np.bincount(nodes // n)) == {number}
    counts = np.bincount(nodes % n, minlength=n)
    p = number / n
    assert np.abs(counts - copies * p).max() <= 5 * math.sqrt(copies * p * (1 - p))
    if number == 1:
        assert ((counts - copies / n) ** 2).sum() / (copies / n) < chi2.isf(1e-6, n - 1)


def test_pairs_are_chosen_with_equal_frequency() -> None:
    """Two nodes of five: each of the ten pairs; a chi-square test at level 1e-6."""
    copies = 8000
    batch = Batch.from_graphs(Graph.union([as_graph(nx.cycle_graph(5))] * copies))
    pairs = recolored_nodes(batch, Recoloring(2)(batch, seeded(1))).reshape(copies, 2) % 5
    counts = np.bincount(pairs[:, 0] * 5 + pairs[:, 1], minlength=25)
    counts = counts[counts > 0]
    assert len(counts) == 10
    assert ((counts - copies / 10) ** 2).sum() / (copies / 10) < chi2.isf(1e-6, 9)


@pytest.mark.parametrize(
    ("recolor", "size", "number"),
    [(1, 2, 1), (3, 2, 2), (0.5, 2, 1), (0.5, 3, 1), (0.5, 7, 3), (0.5, 8, 4), (0.01, 5, 1), ("100%", 5, 5)],
)
def test_the_number_of_nodes(recolor: float | str, size: int, number: int) -> None:
    """A share is rounded down, and one at least; never more nodes than the class has."""
    batch = Batch.from_graphs([(size, [])])
    assert len(recolored_nodes(batch, Recoloring(recolor)(batch, seeded(0)))) == number


def test_the_choice_of_a_graph_is_drawn_anew_in_every_call() -> None:
    batch = Batch.from_graphs(Graph.union([CYCLE] * 20))
    layer, random = Recoloring(1), seeded(0)
    first, second = (recolored_nodes(batch, layer(batch, random)).tolist() for _ in range(2))
    assert first != second
    assert first == recolored_nodes(batch, layer(batch, seeded(0))).tolist()
    assert len({node % 12 for node in first}) > 4  # not one choice for all graphs


def test_without_a_generator_torchs_own_is_used() -> None:
    batch = Batch.from_graphs(Graph.union([CYCLE] * 20))
    torch.manual_seed(5)
    first = recolored_nodes(batch, Recoloring(1)(batch)).tolist()
    torch.manual_seed(5)
    assert recolored_nodes(batch, Recoloring(1)(batch)).tolist() == first


@given(colored_unions(), st.booleans(), st.integers(0, 1000))
def test_recolored_nodes_have_message_zero_and_a_color_of_their_own(
    union: tuple[Graph, NDArray[np.int64]], compress: bool, seed: int
) -> None:
    graph, colors = union
    batch, _ = some_gin(NUM_COLORS, 3, seed)(Batch.from_graphs(graph, colors, compress=compress))
    nodes = np.flatnonzero(np.random.default_rng(seed).random(graph.num_nodes) < 0.4)
    after = Recoloring()(batch, chosen=nodes)
    index = [torch.from_numpy(part.classes).long() for part in (batch, after)]
    expected = batch.messages[index[0]].clone()
    expected[nodes] = 0
    assert torch.equal(after.messages[index[1]], expected)
    marked = np.isin(np.arange(graph.num_nodes), nodes)
    for u in range(graph.num_nodes):
        for v in range(u):
            same = batch.colors[u] == batch.colors[v] and marked[u] == marked[v]
            assert (after.colors[u] == after.colors[v]) == same


# ---- replicas


@settings(max_examples=30)
@given(
    colored_unions(max_graphs=3, max_nodes=6),
    st.sampled_from(["rg", "grg", "ggrgg", "grgrg"]),
    st.sampled_from(["all", "nodes", "canonical"]),
    st.integers(0, 1000),
)
def test_all_and_canonical_are_invariant_under_relabelling(
    union: tuple[Graph, NDArray[np.int64]], structure: str, recolor: str, seed: int
) -> None:
    graph, colors = union
    random = np.random.default_rng(seed)
    permutation = np.concatenate([random.permutation(size) for size in graph.graph_sizes])
    permutation += np.repeat(graph.starts[:-1], graph.graph_sizes)
    moved = np.empty_like(colors)
    moved[permutation] = colors
    model = some_model(structure, seed, recolor=recolor)
    for training in (False, True):
        logits = [
            model.train(training)(Batch.from_graphs(g, c))
            for g, c in ((graph, colors), (graph.relabel(permutation), moved))
        ]
        torch.testing.assert_close(*logits, **TOLERANCE)


@settings(max_examples=30)
@given(colored_unions(max_graphs=3, max_nodes=7), st.booleans(), st.integers(0, 1000))
def test_all_is_the_average_over_the_class(union: tuple[Graph, NDArray[np.int64]], compress: bool, seed: int) -> None:
    """Every graph by itself: its features are the mean of those with one node of the class recoloured."""
    graph, colors = union
    model = some_model("ggrgg", seed, recolor="all")
    batch = Batch.from_graphs(graph, colors, compress=compress)
    result = model.embed(batch)
    before = batch
    for layer in model.layers[:2]:
        before, _ = layer(before)
    nodes = whole_classes(before)
    for i in range(graph.num_graphs):
        own = nodes[(nodes >= graph.starts[i]) & (nodes < graph.starts[i + 1])]
        choices = [[node] for node in own] or [[]]
        singles = [model.embed(batch, chosen=[np.array(choice, np.int64)])[i] for choice in choices]
        torch.testing.assert_close(result[i], torch.stack(singles).mean(0), **TOLERANCE)


def test_all_nests() -> None:
    """Two r: the average over the first node of the average over the second node of its own largest class."""
    graph = as_graph(nx.cycle_graph(6))
    colors = [0] * 6
    model = some_model("rgrg", 3, recolor="all")
    total = []
    for first in range(6):
        start = Batch.from_graphs(graph, colors)
        middle, _ = model.layers[1](Recoloring()(start, chosen=np.array([first])))
        nodes = whole_classes(middle)
        assert len(nodes) > 1
        parts = [model.embed(start, chosen=[np.array([first]), np.array([second])]) for second in nodes]
        total.append(torch.stack(parts).mean(0))
    torch.testing.assert_close(model.embed(Batch.from_graphs(graph, colors)), torch.stack(total).mean(0), **TOLERANCE)


def test_all_is_deterministic_and_draws_nothing() -> None:
    batch = Batch.from_graphs([CYCLE, as_graph(two_triangles())])
    state = torch.get_rng_state()
    logits = [WLTGNN(3, 8, 2, recolor="all", generator=seeded(0)).eval()(batch) for _ in range(2)]
    assert torch.equal(*logits)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(("rounds", "replicas"), [(None, 41), (3, 1)])
def test_replicas_of_vertex_transitive_graphs_are_merged(rounds: int | None, replicas: int) -> None:
    """Every replica of a CSL graph is isomorphic to every other: 41 of them cost as many rows as one."""
    data = csl().take(range(0, 150, 8))
    rows: dict[object, list[int]] = {}
    for recolor in (1, "all"):
        batch = Batch.from_graphs(data.union, data.codes)
        model = WLTGNN(len(data.values), 4, 2, structure="ggrggg", recolor=recolor, dropout=0.5, generator=seeded(0))
        assert model.layers[2].rounds == 3
        model.layers[2].rounds = rounds
        rows[recolor] = []
        for layer in model.layers:
            batch = layer(batch, seeded(0)) if isinstance(layer, Recoloring) else layer(batch)[0]
            rows[recolor].append(batch.num_classes)
        if recolor == "all":
            assert batch.graph.num_graphs == replicas * len(data)
    assert rows[1] == rows["all"]
    assert rows[1][-1] > 10  # and the rounds did split something


@settings(max_examples=30)
@given(colored_unions(), st.integers(0, 3))
def test_replicas_that_look_the_same_are_computed_once(union: tuple[Graph, NDArray[np.int64]], rounds: int) -> None:
    """As many as there are different sequences of colour histograms, by plain WL rounds; and no result changes."""
    graph, colors = union
    model = WLTGNN(NUM_COLORS, 5, 2, structure="gr" + "g" * rounds, recolor="all", generator=seeded(0)).double()
    layer = model.layers[1]
    every, merged = [], []
    for kept, found in ((None, every), (rounds, merged)):
        layer.rounds = kept
        batch = model.layers[0](Batch.from_graphs(graph, colors))[0]
        found += [layer(batch), model(Batch.from_graphs(graph, colors))]
    torch.testing.assert_close(merged[1], every[1], rtol=1e-9, atol=1e-9)
    batch = every[0]
    seen: list[set[tuple[object, ...]]] = [set() for _ in range(graph.num_graphs)]
    histograms = [[] for _ in range(batch.graph.num_graphs)]
    current = batch.colors
    for _ in range(rounds):
        current, _ = refine_once(batch.graph, node_labels=current)
        for i, histogram in enumerate(histograms):
            histogram.append(tuple(sorted(current[batch.graph.nodes_of([i])].tolist())))
    for owner, histogram in zip(batch.owner, histograms, strict=True):
        seen[owner].add(tuple(histogram))
    assert np.bincount(merged[0].owner).tolist() == [len(different) for different in seen]


@pytest.mark.parametrize("training", [True, False])
def test_all_is_one_draw_on_vertex_transitive_graphs(training: bool) -> None:
    """Readouts, gradients and running statistics: replicas weigh 1 together in BatchNorm too.

    BatchNorm behind the first layer divides by sqrt(eps), as there is no variance: hence 1e-7."""
    data = csl().take(range(0, 150, 10))
    results = []
    for recolor in (1, "all"):
        model = WLTGNN(len(data.values), 6, 3, structure="grgrg", recolor=recolor, generator=seeded(0))
        model.double().train(training)
        with torch.no_grad():
            for layer in model.layers:
                if isinstance(layer, GIN):
                    layer.norm.bias.copy_(torch.linspace(-1, 1, 6))
        model.layers[3] = Recoloring("100%")  # behind the first r the nodes of a class are not equivalent: all or none
        logits = model(Batch.from_graphs(data.union, data.codes), seeded(0))
        logits.square().sum().backward()
        gradients = [parameter.grad for parameter in model.parameters()]
        results.append([logits, *gradients, *model.buffers()])
    for mine, expected in zip(*results, strict=True):
        torch.testing.assert_close(mine, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("recolor", ["one", "half"])
@pytest.mark.parametrize("structure", ["gggrgg", "grgrg"])
def test_draws_are_averaged(recolor: str, structure: str) -> None:
    """The features with k draws are the mean over all replicas of those with the replica's nodes recoloured."""
    draws, sizes = 3, [5, 6, 7]
    graph = Graph.union([as_graph(nx.cycle_graph(n)) for n in sizes])
    batch = Batch.from_graphs(graph, [0] * sum(sizes))
    model = some_model(structure, 1, recolor=f"{recolor},draws:{draws}")
    histories: list[dict[int, list[NDArray[np.int64]]]] = []

    def remember(_: torch.nn.Module, inputs: tuple[Batch, ...], after: Batch) -> None:
        before = inputs[0]
        marked = after.row[after.classes] < 0
        copies = after.graph.num_graphs // before.graph.num_graphs
        now = {}
        for i in range(after.graph.num_graphs):
            own = np.flatnonzero(marked[after.graph.starts[i] : after.graph.starts[i + 1]])
            own = own + graph.starts[after.owner[i]]
            now[i] = [*(histories[-1][i // copies] if histories else []), own]
        histories.append(now)

    for layer in model.layers:
        if isinstance(layer, Recoloring):
            layer.register_forward_hook(remember)
    result = model.embed(batch, seeded(0))
    depth = structure.count("r")
    assert len(histories[-1]) == len(sizes) * draws**depth
    owners = np.repeat(np.arange(len(sizes)), draws**depth)
    model_once = some_model(structure, 1)
    for i in range(len(sizes)):
        replicas = [histories[-1][j] for j in np.flatnonzero(owners == i)]
        parts = [model_once.embed(batch, chosen=nodes)[i] for nodes in replicas]
        torch.testing.assert_close(result[i], torch.stack(parts).mean(0), **TOLERANCE)
    assert len({str(nodes) for nodes in histories[-1].values()}) > len(sizes)  # the draws differ


def test_one_graph_of_many_replicas_does_not_weigh_more() -> None:
    """The mean readout divides by the nodes of the input graph, not of its replicas."""
    batch = Batch.from_graphs([CYCLE, Graph.from_edges(1, [])])
    after = Recoloring("all")(batch)
    assert after.graph.num_graphs == 13
    assert after.num_graphs == 2
    assert after.graph_sizes.tolist() == [12, 1]
    np.testing.assert_allclose(np.bincount(after.owner, after.weight), 1)


@pytest.mark.parametrize("structure", ["gg(rgg)3", "(rg)4"])
@pytest.mark.parametrize("special", [0, 1], ids=["one-of-color-1", "one-of-color-0"])
def test_canonical_with_several_colors_and_recolorings_is_invariant(structure: str, special: int) -> None:
    """K4,4 with one node of another colour: a recoloured node of colour 0 must not be taken for one of colour 1."""
    graph = as_graph(nx.complete_bipartite_graph(4, 4))
    colors = np.full(8, special)
    colors[2] = 1 - special
    model = some_model(structure, 0, recolor="canonical")
    logits = []
    for seed in range(12):
        permutation = np.random.default_rng(seed).permutation(8)
        moved = np.empty_like(colors)
        moved[permutation] = colors
        logits.append(model(Batch.from_graphs(graph.relabel(permutation), moved))[0])
    for other in logits[1:]:
        torch.testing.assert_close(other, logits[0], **TOLERANCE)


# ---- the limit on replicas


def test_the_limit_warns_and_samples() -> None:
    model = some_model("grg", 0, recolor="all", max_replicas=5)
    small = as_graph(nx.cycle_graph(4))
    batch = Batch.from_graphs([small, CYCLE, small])
    with pytest.warns(UserWarning, match="graph 1 would need 12 replicas; 5 are sampled"):
        after = Recoloring("all", max_replicas=5)(batch, seeded(0))
    assert np.bincount(after.owner).tolist() == [4, 5, 4]
    nodes = recolored_nodes(batch, after)
    graph_of = after.graph.graph_of[nodes]
    assert graph_of.tolist() == list(range(13))  # one node in every replica
    inside = (nodes - after.graph.starts[graph_of])[4:9]
    assert len(set(inside)) == 5  # without replacement
    with pytest.warns(UserWarning, match="replicas") as caught:
        first = model(batch, seeded(3))
    assert caught[0].filename == __file__, "the line that called the model"
    with pytest.warns(UserWarning, match="replicas"):
        assert torch.equal(model(batch, seeded(3)), first)


def test_at_the_limit_nothing_is_sampled() -> None:
    batch = Batch.from_graphs([CYCLE])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        after = Recoloring("all", max_replicas=12)(batch)
    assert after.graph.num_graphs == 12


def test_the_limit_holds_for_nested_recolorings() -> None:
    model = some_model("rgrgrg", 0, recolor="all", max_replicas=40)
    batch = Batch.from_graphs([CYCLE, as_graph(nx.path_graph(3))], [0] * 15)
    replicas = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for layer in model.layers:
            batch = layer(batch, seeded(1)) if isinstance(layer, Recoloring) else layer(batch)[0]
            replicas.append(int(np.bincount(batch.owner).max()))
            np.testing.assert_allclose(np.bincount(batch.owner, batch.weight), 1)
    assert any("graph 0 would need" in str(warning.message) for warning in caught)
    assert max(replicas) <= 40
    assert max(replicas) > 12


def test_sampling_is_unbiased() -> None:
    """Over many seeds the sampled features scatter around those with all replicas: within 5 standard errors."""
    graph = as_graph(nx.path_graph(12))
    sampled = some_model("rgg", 0, recolor="all", max_replicas=3)
    exact = some_model("rgg", 0, recolor="all")
    batch = Batch.from_graphs(graph, [0] * 12)
    random = seeded(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = torch.stack([sampled.embed(batch, random)[0] for _ in range(400)]).detach()
    error = samples.std(0) / math.sqrt(400)
    assert (error > 0).any()
    assert ((samples.mean(0) - exact.embed(batch)[0]).abs() <= 5 * error + 1e-9).all()


# ---- bad input


@pytest.mark.parametrize("recolor", [0, 1.5, True, "draws:0", "all,draws:2"])
def test_impossible_recolorings_are_refused(recolor: Any) -> None:
    with pytest.raises(ValueError, match=r"^recolor "):
        Recoloring(recolor)


def test_impossible_limits_are_refused() -> None:
    with pytest.raises(TypeError, match=r"max_replicas must be a whole number, not 2\.5"):
        Recoloring("all", max_replicas=2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"max_replicas must be at least 1, not 0"):
        Recoloring("all", max_replicas=0)
