"""WLT-GNN and the baselines equal plain node-level models with PyG's layers; what they can tell apart."""

from __future__ import annotations

import copy
import tracemalloc
from pathlib import Path

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
    assert_same_tensors,
    assert_same_training,
    colored_unions,
    one_hot,
    perturb,
    random_nodes,
    recolored_nodes,
    seeded,
    structures,
)
from torch import Tensor
from torch.nn.functional import cross_entropy

from strategies import brec, two_triangles
from wlt import Graph, Graphs, as_graph
from wlt.data import load
from wlt.nn import WLTGNN, Baseline, Batch, Recoloring
from wlt.train.fit import train_epoch
from wlt.train.target import Task

KINDS = ["GCN", "SAGE", "GIN-0", "GIN-eps"]
REAL = ["MUTAG", "PROTEINS", "NCI1", "IMDB-BINARY"]
HEXAGON_AND_TRIANGLES = [as_graph(nx.cycle_graph(6)), as_graph(two_triangles())]


def make(what: str, num_colors: int, hidden: int = 6, seed: int = 0) -> WLTGNN | Baseline:
    """A model in float64 without dropout: a baseline's kind, or WLT-GNN with this structure."""
    if what in KINDS:
        return Baseline(what, num_colors, hidden, 3, num_layers=3, dropout=0, generator=seeded(seed)).double()
    return WLTGNN(num_colors, hidden, 3, structure=what, generator=seeded(seed)).double()


@settings(max_examples=50)
@given(
    st.lists(colored_unions(), min_size=1, max_size=2),
    st.sampled_from(KINDS) | structures(),
    st.booleans(),
    st.integers(0, 1000),
)
def test_equal_to_pyg_on_random_graphs(
    unions: list[tuple[Graph, NDArray[np.int64]]], what: str, compress: bool, seed: int
) -> None:
    ours = make(what, NUM_COLORS, seed=seed)
    perturb(ours, seed)
    labels = [np.random.default_rng(seed).integers(0, 3, graph.num_graphs) for graph, _ in unions]
    batches = [
        (Batch.from_graphs(graph, colors, compress=compress), graph, one_hot(colors, NUM_COLORS), y)
        for (graph, colors), y in zip(unions, labels, strict=True)
    ]
    structure = what if isinstance(ours, WLTGNN) else ""
    assert_same_training(ours, batches, [random_nodes(graph, structure, seed) for graph, _ in unions])


@settings(max_examples=30)
@given(colored_unions(), st.sampled_from(KINDS) | structures(), st.booleans(), st.integers(0, 1000))
def test_equal_to_pyg_with_continuous_features(
    union: tuple[Graph, NDArray[np.int64]], what: str, compress: bool, seed: int
) -> None:
    graph, colors = union
    table = torch.randn(NUM_COLORS, 5, generator=seeded(seed), dtype=torch.float64)
    features = table[torch.from_numpy(colors)]
    ours = make(what, 5, seed=seed)
    perturb(ours, seed)
    labels = np.random.default_rng(seed).integers(0, 3, graph.num_graphs)
    batch = Batch.from_graphs(graph, features=features, compress=compress)
    structure = what if isinstance(ours, WLTGNN) else ""
    assert_same_training(ours, [(batch, graph, features, labels)], [random_nodes(graph, structure, seed)])


REGULAR = {
    "complete": nx.complete_graph(30),
    "petersen": nx.petersen_graph(),
    "isolated": nx.empty_graph(5),
    "star": nx.star_graph(40),
}


@pytest.mark.parametrize("what", [*KINDS, "gggrgg"])
@pytest.mark.parametrize("name", REGULAR)
def test_equal_to_pyg_where_variances_vanish(name: str, what: str) -> None:
    """Regular graphs have one class before the first r: BatchNorm divides by sqrt(eps)."""
    graph = as_graph(REGULAR[name])
    ours = make(what, 1)
    perturb(ours, 1)
    colors = np.zeros(graph.num_nodes, np.int64)
    batch = (Batch.from_graphs(graph, colors), graph, one_hot(colors, 1), np.array([1]))
    assert_same_training(ours, [batch, batch], [[np.array([3])]] * 2)


def real_batches(data: Graphs, size: int, count: int) -> list[tuple[Batch, Graph, Tensor, NDArray[np.int64]]]:
    order = np.random.default_rng(1).permutation(len(data))
    batches = []
    for which in (order[i * size : (i + 1) * size] for i in range(count)):
        part = data.take(which)
        x = one_hot(part.codes, len(data.values))
        batches.append((Batch.from_graphs(part.union, part.codes), part.union, x, data.class_numbers[which]))
    return batches


def drawn_nodes(model: WLTGNN, batch: Batch, seed: int) -> list[NDArray[np.int64]]:
    """The nodes that the model's recoloring layers choose in evaluation mode."""
    nodes = []

    def remember(_: torch.nn.Module, inputs: tuple[Batch, ...], after: Batch) -> None:
        nodes.append(recolored_nodes(inputs[0], after))

    layers = [layer for layer in model.layers if isinstance(layer, Recoloring)]
    hooks = [layer.register_forward_hook(remember) for layer in layers]
    was_training = model.training
    model.eval()(batch, seeded(seed))
    model.train(was_training)
    for hook in hooks:
        hook.remove()
    return nodes


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize(("structure", "recolor"), [("gggrgg", 1), ("ggrgrg", 0.5)])
def test_wlt_gnn_equals_pyg_on_real_data(data_dir: Path, name: str, structure: str, recolor: float) -> None:
    data = load(name, data_dir, edge_labels=None)
    sizes = (len(data.values), 16, len(data.classes))
    ours = WLTGNN(*sizes, structure=structure, recolor=recolor, generator=seeded(0)).double()
    batches = real_batches(data, 48, 2)
    nodes = [drawn_nodes(ours, batch, 7) for batch, *_ in batches]
    assert all(len(chosen) for part in nodes for chosen in part)
    assert_same_training(ours, batches, nodes)


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("kind", KINDS)
def test_baselines_equal_pyg_on_real_data(data_dir: Path, name: str, kind: str) -> None:
    data = load(name, data_dir, edge_labels=None)
    ours = Baseline(kind, len(data.values), 16, len(data.classes), dropout=0, generator=seeded(0)).double()
    assert_same_training(ours, real_batches(data, 48, 1), [[]])


def test_a_wide_model_on_many_classes_equals_pyg(data_dir: Path) -> None:
    """The paper's width, and some thousand rows."""
    data = load("NCI1", data_dir)
    ours = WLTGNN(len(data.values), 128, 2, structure="ggrg", generator=seeded(0)).double()
    batches = real_batches(data, 100, 1)
    assert_same_training(ours, batches, [drawn_nodes(ours, batches[0][0], 7)])


def test_float32_agrees_with_float64() -> None:
    graph = Graph.union([as_graph(nx.gnm_random_graph(20, 30, seed=seed)) for seed in range(10)])
    batch = Batch.from_graphs(graph)
    colors = int(graph.degrees.max()) + 1
    model = WLTGNN(colors, 16, 2, generator=seeded(0))
    nodes = [np.arange(0, 200, 20)]
    torch.testing.assert_close(
        model(batch, chosen=nodes), copy.deepcopy(model).double()(batch, chosen=nodes).float(), rtol=1e-3, atol=1e-3
    )


# ---- compressed or not


@settings(max_examples=40)
@given(
    colored_unions(max_graphs=3),
    structures(),
    st.sampled_from([1, 2, 0.5, "100%", "draws:3", "half,draws:2", "all"]),
    st.booleans(),
    st.integers(0, 1000),
)
def test_compressing_changes_nothing(
    union: tuple[Graph, NDArray[np.int64]], structure: str, recolor: float | str, training: bool, seed: int
) -> None:
    """Logits, gradients and running statistics, with the same generator."""
    graph, colors = union
    models = []
    for compress in (True, False):
        options = {"structure": structure, "recolor": recolor, "max_replicas": 64}
        model = WLTGNN(NUM_COLORS, 5, 3, **options, generator=seeded(seed))
        model.double().train(training)
        perturb(model, seed)
        logits = model(Batch.from_graphs(graph, colors, compress=compress), seeded(seed))
        logits.square().sum().backward()
        models.append((logits, model))
    (mine, ours), (expected, theirs) = models
    torch.testing.assert_close(mine, expected, **TOLERANCE)
    assert_same_tensors(ours, theirs)
    assert_same_tensors(ours, theirs, grad=True)


# ---- randomness


def batch_of_cycles() -> Batch:
    return Batch.from_graphs([as_graph(nx.cycle_graph(n)) for n in range(3, 12)])


@pytest.mark.parametrize("recolor", [1, 0.5, "draws:4"])
def test_the_same_seed_gives_the_same_bits(recolor: float | str) -> None:
    runs = []
    for seed in (5, 5, 6):
        model = WLTGNN(3, 8, 2, structure="ggrgrg", recolor=recolor, dropout=0.5, generator=seeded(0))
        perturb(model, 1)
        logits = model(batch_of_cycles(), seeded(seed))
        logits.sum().backward()
        runs.append([logits, *(parameter.grad for parameter in model.parameters())])
    assert all(torch.equal(first, second) for first, second in zip(*runs[:2], strict=True))
    assert not torch.equal(runs[0][0], runs[2][0])


def test_weights_come_from_the_generator() -> None:
    for make_model in (lambda seed: make("gggrgg", 3, seed=seed), lambda seed: make("SAGE", 3, seed=seed)):
        first, second, other = (dict(make_model(seed).named_parameters()) for seed in (1, 1, 2))
        assert all(torch.equal(first[name], second[name]) for name in first)
        assert not torch.equal(first["head.linear1.weight"], other["head.linear1.weight"])


def test_a_generator_leaves_torchs_own_alone() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    model = WLTGNN(3, 8, 2, structure="grg", recolor="draws:2", dropout=0.5, generator=seeded(0))
    model(batch_of_cycles(), seeded(1))
    Baseline("GIN-0", 3, 8, 2, generator=seeded(0))(batch_of_cycles(), seeded(1))
    assert torch.equal(before, torch.get_rng_state())


def test_dropout_in_training_only() -> None:
    model = Baseline("GIN-0", 3, 64, 2, dropout=0.5, generator=seeded(0))
    batch = batch_of_cycles()
    assert not torch.equal(model(batch, seeded(1)), model(batch, seeded(2)))
    assert torch.equal(model.eval()(batch, seeded(1)), model(batch, seeded(2)))


def test_dropout_keeps_the_mean() -> None:
    """The head's second map is linear: averaged over many masks, the logits are those without dropout."""
    model = WLTGNN(3, 16, 2, structure="g", dropout=0.3, generator=seeded(0)).double()
    model.layers.eval()
    batch = Batch.from_graphs([as_graph(nx.cycle_graph(5))])
    masks = seeded(1)
    samples = torch.stack([model(batch, masks)[0] for _ in range(2000)]).detach()
    expected = model.eval()(batch)[0]
    error = samples.std(0) / 2000**0.5
    assert (samples.std(0) > 0).all()
    assert ((samples.mean(0) - expected).abs() < 5 * error).all()  # 5 standard errors


# ---- expressive power


def test_relabelling_with_the_corresponding_node_changes_nothing() -> None:
    model = make("gggrgrg", 4)
    perturb(model, 0)
    model.eval()
    random = np.random.default_rng(0)
    for seed in range(10):
        graph = as_graph(nx.gnm_random_graph(12, 15, seed=seed))
        colors = random.integers(0, 4, 12)
        permutation = random.permutation(12)
        moved = np.empty_like(colors)
        moved[permutation] = colors
        nodes = [random.integers(0, 12, 1), random.integers(0, 12, 1)]
        mine = model(Batch.from_graphs(graph, colors), chosen=nodes)
        images = [permutation[chosen] for chosen in nodes]
        other = model(Batch.from_graphs(graph.relabel(permutation), moved), chosen=images)
        torch.testing.assert_close(mine, other, **TOLERANCE)


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("what", ["GIN-0", "ggggg"])
def test_gin_cannot_tell_wl_equivalent_graphs_apart(data_dir: Path, what: str, compress: bool) -> None:
    pairs = [tuple(HEXAGON_AND_TRIANGLES), *brec(data_dir)]
    assert len(pairs) == 401
    graph = Graph.union([member for pair in pairs for member in pair])
    model = make(what, int(graph.degrees.max()) + 1, hidden=16)
    perturb(model, 0)
    logits = model.eval()(Batch.from_graphs(graph, compress=compress))
    assert len(torch.unique(logits[::2].round(decimals=6), dim=0)) > 200  # the pairs themselves are told apart
    torch.testing.assert_close(logits[::2], logits[1::2], **TOLERANCE)


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("what", ["GIN-0", "ggggg"])
def test_gin_gives_the_hexagon_and_two_triangles_equal_logits(what: str, compress: bool) -> None:
    model = make(what, 3, hidden=16)
    perturb(model, 0)
    logits = model.eval()(Batch.from_graphs(HEXAGON_AND_TRIANGLES, compress=compress))
    torch.testing.assert_close(logits[0], logits[1], **TOLERANCE)


@pytest.mark.parametrize("recolor", [1, 0.5, "all"])
@pytest.mark.parametrize("seed", range(5))
def test_wlt_gnn_tells_the_hexagon_from_two_triangles(seed: int, recolor: float | str) -> None:
    """With the weights it is born with in evaluation mode; with others, as they come in training, in training mode."""
    model = WLTGNN(3, 64, 2, recolor=recolor, generator=seeded(seed)).double()
    batch = Batch.from_graphs(HEXAGON_AND_TRIANGLES)
    logits = model.eval()(batch, seeded(seed))
    assert (logits[0] - logits[1]).abs().max() > 1e-6
    perturb(model, seed)
    logits = model.train()(batch, seeded(seed))
    assert (logits[0] - logits[1]).abs().max() > 1e-2


def test_recoloring_works_after_the_first_step_of_training() -> None:
    """Not in it: one class has variance 0, and with BatchNorm's initial bias 0 its message is 0 already."""
    model = WLTGNN(3, 64, 2, generator=seeded(0)).double()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    batch = Batch.from_graphs(HEXAGON_AND_TRIANGLES)
    torch.nn.functional.cross_entropy(model(batch, seeded(0)), torch.tensor([0, 0])).backward()
    optimizer.step()
    logits = model(batch, seeded(0))
    assert (logits[0] - logits[1]).abs().max() > 1e-6


# ---- bad input


@pytest.mark.parametrize("what", [*KINDS, "gggrgg"])
@pytest.mark.parametrize("compress", [True, False])
def test_a_color_out_of_range_is_named(what: str, compress: bool) -> None:
    batch = Batch.from_graphs([as_graph(nx.path_graph(3))], [0, 1, 4], compress=compress)
    with pytest.raises(ValueError, match=r"colour 4 is out of range: the model was made for colours 0 \.\. 3"):
        make(what, 4)(batch)


@pytest.mark.parametrize("what", [*KINDS, "gggrgg"])
def test_what_is_no_batch_is_named(what: str) -> None:
    with pytest.raises(TypeError, match=r"a wlt\.nn\.Batch is needed, not list; Batch\.from_graphs"):
        make(what, 4)([nx.path_graph(3)])


def test_a_batch_of_one_graph() -> None:
    path = nx.path_graph(3)
    assert Batch.from_graphs(path).num_graphs == 1
    assert torch.equal(make("ggg", 4).eval()(Batch.from_graphs(path)), make("ggg", 4).eval()(Batch.from_graphs([path])))


def test_a_model_needs_a_structure_with_g() -> None:
    with pytest.raises(ValueError, match="no 'g'"):
        WLTGNN(3, 8, 2, structure="rr")


@pytest.mark.parametrize("recolor", [0, 0.0, 1.5, -0.5, float("nan"), "some", True])
def test_a_model_refuses_an_impossible_recoloring(recolor: float | str) -> None:
    with pytest.raises(ValueError, match="recolor must be"):
        WLTGNN(3, 8, 2, recolor=recolor)


def test_unknown_kinds_and_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown kind 'GAT'; there are GCN, SAGE, GIN-0, GIN-eps"):
        Baseline("GAT", 3, 8, 2)
    with pytest.raises(TypeError, match="hidden must be a whole number, not 'a'"):
        WLTGNN(3, "a", 2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="num_layers must be at least 1, not 0"):
        Baseline("GCN", 3, 8, 2, num_layers=0)
    for position, name in enumerate(("num_colors", "hidden", "num_classes")):
        sizes = [3, 8, 2]
        sizes[position] = 0
        with pytest.raises(ValueError, match=f"{name} must be at least 1, not 0"):
            WLTGNN(*sizes)
        with pytest.raises(ValueError, match=f"{name} must be at least 1, not 0"):
            Baseline("SAGE", *sizes)
    with pytest.raises(ValueError, match=r"dropout must be in \[0, 1\), not 1"):
        WLTGNN(3, 8, 2, dropout=1)


@pytest.mark.parametrize("what", [*KINDS, "gggrgg"])
def test_other_precisions_are_refused_on_the_cpu(what: str) -> None:
    with pytest.raises(TypeError, match=r"must be torch\.float32 or torch\.float64, not torch\.bfloat16"):
        make(what, 3).bfloat16()(batch_of_cycles())


def test_chosen_nodes_must_fit_the_model_and_the_batch() -> None:
    model = make("grgrg", 3)
    batch = Batch.from_graphs(HEXAGON_AND_TRIANGLES)
    for chosen in ([], [[0]], [[0]] * 3):
        with pytest.raises(ValueError, match=f"chosen has nodes for {len(chosen)} recolorings; the model has 2"):
            model(batch, chosen=chosen)
    for node in (-1, 12):
        with pytest.raises(ValueError, match=f"chosen node {node} is not in the batch, which has nodes 0 .. 11"):
            model(batch, chosen=[[0], [node]])
    with pytest.raises(ValueError, match="chosen must be a list of nodes"):
        model(batch, chosen=[[0.5], [0]])


# ---- other devices


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("how", ["ggggg", "canonical", "chosen"])
def test_wlt_gnn_on_another_device(how: str, training: bool) -> None:
    """The meta device computes no numbers, but every operation must find its operands on one device. What chooses
    nodes by their messages needs numbers, and so a real device."""
    structure = how if how == "ggggg" else "ggrgrg"
    model = WLTGNN(3, 8, 2, structure=structure, recolor="canonical", dropout=0.5, generator=seeded(0))
    model.to("meta").train(training)
    generator = seeded(1)
    before = generator.get_state()
    chosen = [[0, 6]] * 2 if how == "chosen" else None
    logits = model(Batch.from_graphs(HEXAGON_AND_TRIANGLES), generator, chosen)
    assert (logits.shape, logits.device.type) == ((2, 2), "meta")
    cross_entropy(logits, torch.tensor([0, 1], device="meta")).backward()
    assert all(parameter.grad.device.type == "meta" for parameter in model.parameters())
    drawn = not torch.equal(generator.get_state(), before)
    assert drawn == training, "dropout draws on the generator's own device, and then moves"


def test_training_moves_labels_to_the_model() -> None:
    """Only the score is computed: the meta device has none, and says so after the backward pass."""
    batch = Batch.from_graphs(HEXAGON_AND_TRIANGLES)

    class Source:
        def batch(self, which: NDArray[np.int64]) -> Batch:
            return batch

    model = Baseline("GIN-0", 3, 8, 2, generator=seeded(0)).to("meta")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(RuntimeError, match=r"item\(\) cannot be called on meta tensors"):
        train_epoch(model, optimizer, Source(), Task.classify(np.arange(2)), np.arange(2), 2, seeded(0))
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_evaluation_keeps_nothing_for_a_backward_pass() -> None:
    """Its memory does not grow with the number of layers; that of training does."""
    batch = Batch.from_graphs(nx.gnm_random_graph(1500, 6000, seed=0))

    def peak(depth: int, training: bool) -> int:
        model = WLTGNN(int(batch.row.max()) + 1, 64, 2, structure="g" * depth, generator=seeded(0))
        with torch.set_grad_enabled(training):
            model(batch)  # compiles, or loads, what it needs
            tracemalloc.start()
            model(batch)
            largest = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return largest

    assert peak(12, False) < 1.5 * peak(4, False)
    assert peak(12, True) > 2 * peak(4, True)
