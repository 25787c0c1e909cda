"""evaluate: every kind of model, models that misbehave, results on disk, and the same answers as known theory."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import networkx as nx
import numpy as np
import pytest
import torch
from families import latin_squares_of_order_8
from torch import Tensor
from torch_geometric import nn as gnn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import MLP, GINConv, global_add_pool
from torch_geometric.utils import from_networkx

import wlt
from strategies import rook_graph, shrikhande_graph, two_triangles
from wlt.data import constructions as make
from wlt.expressiveness import Benchmark, ModelError, Procedure, Separation, evaluate, load, read_result
from wlt.graphs import DataError

PATHS = (nx.path_graph(4), nx.star_graph(3))
RINGS = (nx.cycle_graph(6), two_triangles())
SRG = (shrikhande_graph(), rook_graph())
THREE = [PATHS, RINGS, SRG]
"""WL sees the first pair, 2-FWL the second as well, 3-FWL all."""


class GIN(torch.nn.Module):
    def __init__(self, inputs: int = 1, norm: str | None = None) -> None:
        super().__init__()
        self.first = GINConv(MLP([inputs, 16, 16], norm=norm), train_eps=True)
        self.second = GINConv(MLP([16, 16, 16], norm=norm), train_eps=True)

    def reset_parameters(self) -> None:
        self.first.reset_parameters()
        self.second.reset_parameters()

    def forward(self, data: Any) -> Tensor:
        x = self.first(data.x, data.edge_index).relu()
        pooled: Tensor = global_add_pool(self.second(x, data.edge_index), data.batch)
        return pooled


class RandomGIN(GIN):
    def __init__(self) -> None:
        super().__init__(inputs=2)

    def forward(self, data: Any) -> Tensor:
        data.x = torch.cat([data.x, torch.randn_like(data.x)], dim=1)
        return super().forward(data)


def degrees(graphs: list[nx.Graph]) -> np.ndarray:
    return np.array([np.bincount([d for _, d in graph.degree()], minlength=20)[:20] for graph in graphs])


def spectrum(graphs: list[nx.Graph]) -> np.ndarray:
    return np.array([np.resize(nx.adjacency_spectrum(graph).real.round(9), 3) for graph in graphs])


def triangles_of_data(graphs: list[Data]) -> list[list[float]]:
    found = []
    for data in graphs:
        a = torch.zeros(data.num_nodes, data.num_nodes)
        a[tuple(data.edge_index)] = 1
        found.append([float(torch.trace(a @ a @ a)), float(a.sum())])
    return found


def nodes_of_wlt(graphs: list[wlt.Graph]) -> np.ndarray:
    return np.array([[graph.num_nodes, graph.num_edges] for graph in graphs])


def key_of_wlt(graphs: wlt.Graphs) -> np.ndarray:
    return np.array([[int(key.partition(":")[2][:12], 16)] for key in wlt.keys(graphs)], dtype=np.float64)


def rows_with_gradients(graphs: list[Data]) -> list[Tensor]:
    return [data.x.sum(0).repeat(2).requires_grad_() for data in graphs]


def batch_sums(batch: Batch) -> Tensor:
    return global_add_pool(batch.x, batch.batch)


def separated(result: Separation) -> list[int]:
    return [outcome.counted.separated for outcome in result.outcomes]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        pytest.param(degrees, [1, 0, 0], id="networkx"),
        pytest.param(triangles_of_data, [0, 1, 0], id="PyG-Data"),
        pytest.param(nodes_of_wlt, [0, 0, 0], id="wlt-Graph"),
        pytest.param(key_of_wlt, [1, 1, 1], id="wlt-Graphs"),
        pytest.param(batch_sums, [0, 0, 0], id="PyG-Batch"),
        pytest.param(rows_with_gradients, [0, 0, 0], id="rows-with-gradients"),
        pytest.param(GIN(), [1, 0, 0], id="module"),
        pytest.param(GIN, [1, 0, 0], id="class-of-a-module"),
        pytest.param(lambda seed: GIN(), [1, 0, 0], id="make-a-module"),
        pytest.param(lambda seed: degrees, [1, 0, 0], id="make-a-function"),
        pytest.param("1-WL", [1, 0, 0], id="1-WL"),
        pytest.param("2-FWL", [1, 1, 0], id="2-FWL"),
        pytest.param("3-FWL", [1, 1, 1], id="3-FWL"),
        pytest.param("all", [1, 1, 0], id="all"),
        pytest.param("canonical", [1, 1, 1], id="canonical"),
    ],
)
def test_every_kind_of_model(model: Any, expected: list[int]) -> None:
    result = evaluate(model, THREE)
    assert separated(result) == expected
    assert result.total.control_failures == 0
    assert result.notes == ()
    assert result.complete


@pytest.mark.parametrize("takes", ["networkx", "pyg", "batch", "wlt", "graphs"])
def test_a_function_without_annotation_needs_a_word(takes: str) -> None:
    def ones(graphs):  # type: ignore[no-untyped-def]
        number = graphs.num_graphs if takes == "batch" else len(graphs)
        return np.ones((number, 2))

    with pytest.raises(ValueError, match=r"which graphs does ones take\? annotate its first parameter"):
        evaluate(ones, THREE)
    assert separated(evaluate(ones, THREE, takes=takes)) == [0, 0, 0]


def test_annotations_that_are_text_or_cannot_be_evaluated() -> None:
    def unknown(graphs: list[nx.NoSuchThing]) -> np.ndarray:
        return degrees(graphs)

    assert separated(evaluate(unknown, THREE)) == [1, 0, 0]


def test_labels_and_directions_reach_the_model() -> None:
    """Pairs that differ in what nodes or edges carry, and in nothing else."""
    steps = load("ladder")
    families = ("depth, node labels", "depth, edge labels", "depth, directed")
    which = [next(i for i, name in enumerate(steps.names) if name.startswith(family)) for family in families]
    graphs = steps.graphs.take(np.concatenate([steps.groups[i] for i in which]))
    three = Benchmark(graphs, tuple(np.arange(6).reshape(-1, 2)), ("labels",) * 3)

    def by_networkx(graphs: list[nx.Graph]) -> np.ndarray:
        def word(graph: nx.Graph) -> float:
            plain = nx.Graph(graph)
            seen = {v: str(graph.nodes[v].get("label")) for v in graph}
            for u, v, data in graph.edges(data=True):
                if graph.is_directed():
                    plain[u][v]["way"] = "one"
                plain[u][v]["seen"] = str(data.get("label"))
            if graph.is_directed():
                return float(sum(nx.shortest_path_length(graph, u, v) for u in graph for v in nx.descendants(graph, u)))
            nx.set_node_attributes(plain, seen, "seen")
            code = nx.weisfeiler_lehman_graph_hash(plain, "seen", "seen", iterations=4)
            return float(int(code[:12], 16))

        return np.array([[word(graph)] for graph in graphs])

    result = evaluate(by_networkx, three)
    assert separated(result) == [1, 1, 1]
    assert result.total.control_failures == 0

    class GINE(torch.nn.Module):
        """Two sums over neighbours, with what edges carry, in float64."""

        def forward(self, data: Batch) -> Tensor:
            x = torch.cat([data.x, torch.ones_like(data.x)], dim=1)
            for _ in range(4):
                u, v = data.edge_index
                x = torch.sin(3 * x + torch.zeros_like(x).index_add(0, v, torch.cos(x[u] * data.edge_attr + 1)))
            return global_add_pool(x, data.batch)

    assert separated(evaluate(GINE(), three)) == [1, 1, 1]
    blind = evaluate(nodes_of_wlt, three)
    assert separated(blind) == [0, 0, 0]
    assert any("wlt.Graph has no labels of nodes" in note for note in blind.notes)


@pytest.mark.parametrize("seed", range(20))
def test_gin_sees_nothing_above_rung_0_and_has_no_false_alarm(seed: int) -> None:
    """On every sixth pair of the ladder, beginning with another one in turn; the example in docs runs on all."""
    steps = wlt.data.ladder()
    which = np.arange(seed % 6, len(steps), 6)
    graphs = steps.graphs.take((2 * which[:, None] + [0, 1]).ravel())
    some = Benchmark(graphs, tuple(np.arange(len(graphs)).reshape(-1, 2)), tuple(map(str, steps.rungs[which])))
    result = evaluate(GIN(), some, seed=seed)
    parts = result.parts
    assert parts["0"].separated > 0
    assert [parts[rung].separated for rung in "123"] == [0, 0, 0]
    assert result.total.control_failures == 0


TREEWIDTHS = {
    "cycle": (nx.cycle_graph(5), 2),
    "prism": (nx.circular_ladder_graph(3), 3),
    "cube": (nx.cubical_graph(), 3),
    "grid": (nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 3)), 3),
    "wheel": (nx.wheel_graph(6), 3),
    "Petersen": (nx.petersen_graph(), 4),
}


def outside_the_ladder() -> dict[str, tuple[Any, Any, int]]:
    """Pairs of families that the ladder has not, each with the smallest k whose k-FWL tells it apart."""
    pairs: dict[str, tuple[Any, Any, int]] = {
        f"CFI over the {name}": (make.cfi(wlt.as_graph(base), False), make.cfi(wlt.as_graph(base), True), treewidth)
        for name, (base, treewidth) in TREEWIDTHS.items()
    }
    for degree, nodes in ((3, 20), (5, 16), (6, 20)):
        both = [nx.random_regular_graph(degree, nodes, seed=seed) for seed in (1, 51)]
        pairs[f"random, of degree {degree}"] = (*both, 2)
    cyclic, quaternions = latin_squares_of_order_8()[0], latin_squares_of_order_8()[4]
    pairs["Latin squares of groups of order 8"] = (cyclic, quaternions, 3)
    pairs["dodecahedron and Desargues"] = (nx.dodecahedral_graph(), nx.desargues_graph(), 2)
    k4 = nx.complete_graph(4)
    doob, hamming = (nx.cartesian_product(graph, k4) for graph in SRG)
    pairs["Doob and Hamming, distance-regular"] = (doob, hamming, 3)
    return pairs


def test_what_pairs_carry_is_looked_at_or_told() -> None:
    plain, marked = nx.path_graph(3), nx.path_graph(3)
    nx.set_edge_attributes(plain, "single", "bond")
    nx.set_edge_attributes(marked, {(0, 1): "single", (1, 2): "double"}, "bond")
    blind = evaluate("2-FWL", [(plain, marked)])
    assert separated(blind) == [0]
    assert blind.notes == ("the graphs are seen without the edge attribute 'bond'",)
    assert separated(evaluate("2-FWL", Benchmark.of_pairs([(plain, marked)], edge_labels="bond"))) == [1]
    nx.set_node_attributes(plain, "C", "atom")
    nx.set_node_attributes(marked, {0: "C", 1: "N", 2: "C"}, "atom")
    labelled = Benchmark.of_pairs([(plain, marked)], node_labels="atom")
    assert separated(evaluate("1-WL", labelled)) == [1]


def test_features_of_pairs_reach_the_model() -> None:
    rings = [Data(torch.ones(6, 3), from_networkx(ring).edge_index) for ring in RINGS]
    other = Data(torch.eye(6)[:, :3] / 2, rings[0].edge_index)
    result = evaluate(GIN(inputs=3), [rings, (rings[0], other)])
    assert separated(result) == [0, 1]
    assert result.total.control_failures == 0

    def sums(graphs: list[Data]) -> Tensor:
        return torch.stack([data.x.sum(dim=0) for data in graphs])

    assert separated(evaluate(sums, [rings, (rings[0], other)])) == [0, 1]
    rows = [nx.path_graph(2), nx.path_graph(2)]
    for graph, value in zip(rows, (0.25, 0.75), strict=True):
        nx.set_node_attributes(graph, [value, 1.0], "position")
    seen = []

    def looks(graphs: list[Data]) -> np.ndarray:
        seen.append([data.x.tolist() for data in graphs])
        return np.ones((len(graphs), 1))

    evaluate(looks, Benchmark.of_pairs([rows], node_labels="position"))
    assert seen[0] == [[[0.25, 1.0]] * 2, [[0.75, 1.0]] * 2]


def test_families_that_the_ladder_has_not() -> None:
    """k-FWL sees CFI graphs if the treewidth of their base is at most k; GIN sees none of these pairs."""
    families = outside_the_ladder()
    pairs = [(g, h) for g, h, _ in families.values()]
    for model, k in (("1-WL", 1), ("2-FWL", 2), ("3-FWL", 3), ("canonical", 9), (GIN(), 1)):
        result = evaluate(model, pairs)
        seen = dict(zip(families, map(bool, separated(result)), strict=True))
        assert seen == {name: first <= k for name, (_, _, first) in families.items()}
        assert result.total.control_failures == 0


def test_batch_norm_in_a_module() -> None:
    result = evaluate(GIN(norm="batch_norm"), THREE)
    assert separated(result) == [1, 0, 0]
    assert result.total.control_failures == 0


@pytest.mark.parametrize("mode", ["untrained", "trained"])
def test_canonical_sees_every_pair(mode: Any) -> None:
    result = evaluate("canonical", THREE[1:], mode=mode, structure="g4(rg4)3")
    assert separated(result) == [1, 1]
    assert result.total.control_failures == 0


def test_random_features_are_called_not_invariant() -> None:
    result = evaluate(RandomGIN(), THREE)
    assert result.total.control_failures == 6
    assert any(note.startswith("not invariant") for note in result.notes)
    assert any(note.startswith("not deterministic") for note in result.notes)
    assert result.statistics == {"Hotelling": 3}
    assert "not invariant" in str(result)


def test_a_model_that_reads_the_order_of_nodes_is_not_invariant_though_deterministic() -> None:
    def first_row(graphs: list[nx.Graph]) -> np.ndarray:
        return np.array([nx.to_numpy_array(graph, nodelist=sorted(graph))[0, :4] for graph in graphs])

    result = evaluate(first_row, [RINGS, SRG])
    assert any(note.startswith("not invariant") for note in result.notes)
    assert not any(note.startswith("not deterministic") for note in result.notes)


def test_hotelling_finds_what_random_features_see_on_average_and_nothing_else() -> None:
    def noisy_degrees(graphs: list[nx.Graph]) -> np.ndarray:
        return degrees(graphs)[:, :6] + 0.1 * random.normal(size=(len(graphs), 6))

    random = np.random.default_rng(0)
    assert separated(evaluate(noisy_degrees, THREE)) == [1, 0, 0]


class Elsewhere(GIN):
    """Notes on which devices its weights and its input were."""

    seen: ClassVar[set[tuple[str, str]]] = set()

    def forward(self, data: Any) -> Tensor:
        self.seen.add((next(self.parameters()).device.type, data.x.device.type))
        return super().forward(data)


@pytest.mark.parametrize("mode", ["untrained", "trained"])
@pytest.mark.parametrize(
    "device",
    ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA here"))],
)
def test_weights_and_graphs_are_on_the_device(device: str, mode: Any) -> None:
    Elsewhere.seen.clear()
    result = evaluate(Elsewhere(), THREE, device=device, mode=mode)
    assert result.total.pairs == len(THREE)
    assert Elsewhere.seen == {(device, device)}


@pytest.mark.parametrize("device", ["cuda:99", "gpu"])
@pytest.mark.parametrize("model", [GIN(), lambda seed: GIN()], ids=["module", "make"])
def test_a_device_that_is_not_there_is_told_before_any_pair(model: Any, device: str) -> None:
    with pytest.raises(ValueError, match=f"device='{device}' cannot be used here .*; device='cpu' always can") as error:
        evaluate(model, THREE, device=device)
    assert not isinstance(error.value, ModelError)
    assert len(str(error.value).splitlines()) == 1


def test_a_models_own_weights_and_torchs_generator_stay_as_they_are() -> None:
    model = GIN()
    before = [parameter.clone() for parameter in model.parameters()]
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    evaluate(model, THREE)
    assert torch.equal(torch.rand(3), expected)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
    assert next(model.parameters()).dtype == torch.float32


@pytest.mark.parametrize("model", [GIN(), lambda seed: GIN()], ids=["module", "make"])
def test_a_seed_gives_the_same_weights_whatever_was_asked_before(model: Any) -> None:
    """So that an evaluation that was stopped goes on with the weights that it would have had."""
    from wlt.expressiveness.subject import as_subject

    subject, graphs = as_subject(model), wlt.as_graphs(list(SRG))
    first = subject.at(5)(graphs)
    other = subject.at(6)(graphs)
    assert np.array_equal(subject.at(5)(graphs), first)
    assert not np.array_equal(other, first)


class Deep(torch.nn.Module):
    """Its layers add up neighbours and blow up differences, rounding errors among them, as chaotic maps do. by_order:
    one part in 1e6 is what the numbers of nodes are."""

    def __init__(self, layers: int, by_order: bool = False):
        super().__init__()
        self.layers, self.by_order = layers, by_order

    def forward(self, data: Any) -> Tensor:
        u, v = data.edge_index
        x = data.x
        for _ in range(self.layers):
            summed = torch.zeros_like(x).index_add(0, v, torch.sin(x[u]) / 3)
            x = torch.sin(3 * x + summed) + torch.cos(7 * summed) / 3
        if self.by_order:
            x = x * (1 + 1e-6 * torch.arange(len(x)).to(x)[:, None])
        return global_add_pool(x, data.batch)


def uneven() -> nx.Graph:
    return nx.barabasi_albert_graph(40, 3, seed=1)


@pytest.mark.parametrize("layers", [5, 20])
def test_rounding_is_told_from_an_answer_that_depends_on_the_order_of_nodes(layers: int) -> None:
    pairs = [(uneven(), nx.path_graph(40))]
    rounding = evaluate(Deep(layers), pairs)
    assert rounding.total.control_failures == 0
    assert rounding.notes == ()
    by_order = evaluate(Deep(layers, by_order=True), pairs)
    assert by_order.total.control_failures > 0
    assert any(note.startswith("not invariant") for note in by_order.notes)


def cliques(beside: float) -> Callable[[list[nx.Graph]], np.ndarray]:
    """Numbers of cliques of four nodes, beside a number that is very large or no whole one."""

    def count(graph: nx.Graph) -> float:
        return sum(len(clique) == 4 for clique in nx.enumerate_all_cliques(graph))

    def model(graphs: list[nx.Graph]) -> np.ndarray:
        return np.array([[beside * len(graph), count(graph)] for graph in graphs])

    model.__annotations__["graphs"] = list[nx.Graph]
    return model


@pytest.mark.parametrize("beside", [0.0, 1.0, 0.3, 1e12, 1e40])
def test_whole_numbers_are_exact_whatever_stands_beside_them(beside: float) -> None:
    """The rook's graph has eight cliques of four nodes, the Shrikhande graph none."""
    model = cliques(beside)
    result = evaluate(model, [RINGS, SRG])
    assert separated(result) == [0, 1]
    assert result.total.control_failures == 0
    assert result.notes == ()

    def by_order(graphs: list[nx.Graph]) -> np.ndarray:
        return np.array([[beside * len(graph), graph.has_edge(0, 1)] for graph in graphs])

    assert evaluate(by_order, [(nx.path_graph(9), nx.star_graph(8))]).total.control_failures > 0
    groups = [[*RINGS, nx.octahedral_graph(), nx.complete_graph(6)], [*SRG, nx.complete_graph(4)]]
    assert separated(evaluate(model, groups)) == [3, 3] if beside else [5, 3]


@pytest.mark.parametrize("seed", range(4))
def test_a_function_that_answers_in_float32_raises_no_false_alarm(seed: int) -> None:
    torch.manual_seed(seed)
    network = GIN().eval()

    def in_single(graphs: list[Data]) -> Tensor:
        with torch.no_grad():
            return 1e6 * network(Batch.from_data_list(graphs))

    pairs = [(g, h) for g, h, first in outside_the_ladder().values() if first > 1]
    result = evaluate(in_single, [*pairs, PATHS], seed=seed)
    assert separated(result) == [0] * len(pairs) + [1]
    assert result.total.control_failures == 0
    assert any("float32 only" in note for note in result.notes)


def test_a_network_is_examined_on_one_thread() -> None:
    threads = set()

    class Counts(GIN):
        def forward(self, data: Any) -> Tensor:
            threads.add(torch.get_num_threads())
            return super().forward(data)

    evaluate(Counts(), THREE)
    assert threads == {1}


def test_a_module_of_float32_only() -> None:
    class Single(GIN):
        def forward(self, data: Any) -> Tensor:
            return super().forward(data) @ torch.ones(16, 3)

    result = evaluate(Single(), THREE)
    assert separated(result) == [1, 0, 0]
    assert any("float32 only" in note for note in result.notes)


def wrong_shape(graphs: list[nx.Graph]) -> np.ndarray:
    return np.ones((3, 16))


def flat(graphs: list[nx.Graph]) -> np.ndarray:
    return np.ones(len(graphs))


def not_a_number(graphs: list[nx.Graph]) -> np.ndarray:
    return np.array([[1.0], [np.nan]])


def words(graphs: list[nx.Graph]) -> list[str]:
    return ["a", "b"]


def infinite(graphs: list[nx.Graph]) -> np.ndarray:
    return np.full((len(graphs), 2), np.inf)


def imaginary(graphs: list[nx.Graph]) -> np.ndarray:
    return np.full((len(graphs), 2), 1j)


def enormous(graphs: list[nx.Graph]) -> np.ndarray:
    return np.full((len(graphs), 2), 1e300)


def coarse(graphs: list[nx.Graph]) -> np.ndarray:
    return np.full((len(graphs), 2), 0.5, np.float16)


def coarse_tensor(graphs: list[Data]) -> Tensor:
    return torch.ones(len(graphs), 2, dtype=torch.bfloat16)


def coarse_rows(graphs: list[Data]) -> list[Tensor]:
    return [torch.ones(2, dtype=torch.bfloat16) for _ in graphs]


class OtherWidths:
    """One column more in every call."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, graphs: list[nx.Graph]) -> np.ndarray:
        self.calls += 1
        return np.ones((len(graphs), self.calls))


def ragged(graphs: list[nx.Graph]) -> list[list[float]]:
    return [[1.0], [1.0, 2.0]]


def nothing(graphs: list[nx.Graph]) -> None:
    return None


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (wrong_shape, r"returned shape \[3, 16\] for 2 graphs; \[2, dims\] is needed"),
        (flat, r"returned shape \[2\] for 2 graphs"),
        (not_a_number, "returned NaN for graph 1 of 2"),
        (words, r"returned text; an array \[graphs, dims\] of real numbers is needed"),
        (imaginary, r"returned complex numbers; an array"),
        (nothing, r"returned NoneType; an array"),
        (ragged, r"returned list; an array"),
        (infinite, "returned infinity for graph 0 of 2"),
        (enormous, r"returned 1e\+300; distances can be computed without overflow up to 1e\+150"),
        (coarse, "returned 16-bit numbers, too coarse"),
        (coarse_tensor, "returned 16-bit numbers, too coarse"),
        (coarse_rows, "returned 16-bit numbers, too coarse"),
        (OtherWidths(), "returned 1 numbers for every graph, and 2 when it was asked about the same graphs again"),
    ],
)
def test_answers_that_cannot_be_judged(model: Callable[..., Any], said: str) -> None:
    with pytest.raises(ModelError, match=said) as error:
        evaluate(model, THREE)
    assert len(str(error.value).splitlines()) == 1
    assert "pair 0 of pairs" in str(error.value)


def test_an_exception_in_the_middle_says_which_pair_and_what_was_kept(tmp_path: Path) -> None:
    def fails_on_large(graphs: list[nx.Graph]) -> np.ndarray:
        if len(graphs[0]) > 10:
            raise RuntimeError("no room")
        return degrees(graphs)

    with pytest.raises(ModelError) as error:
        evaluate(fails_on_large, THREE)
    said = "fails_on_large failed on pair 2 of pairs (pairs): RuntimeError: no room; 2 outcomes before it kept in "
    assert str(error.value).startswith(said)
    assert separated(error.value.result) == [1, 0]
    assert not error.value.result.complete
    store = tmp_path / "outcomes.jsonl"
    with pytest.raises(ModelError, match=f"before it kept in {re.escape(str(store))}"):
        evaluate(fails_on_large, THREE, store=store)
    assert len(store.read_text().splitlines()) == 3


def test_an_exception_of_many_lines_is_told_on_one() -> None:
    def fails(graphs: list[nx.Graph]) -> np.ndarray:
        raise RuntimeError("no room\nfor this\n\nand more")

    class Fails(GIN):
        def forward(self, data: Any) -> Tensor:
            raise RuntimeError("no room\nfor this")

    with pytest.raises(ModelError, match=r"^fails failed on pair 0 of pairs \(pairs\): RuntimeError: no room$"):
        evaluate(fails, THREE)
    with pytest.raises(ModelError, match=r"^Fails failed on csl: RuntimeError: no room$"):
        evaluate(Fails(), "csl", mode="trained")


def test_a_model_that_changes_its_input_is_told_and_harms_nobody() -> None:
    def removes_nodes(graphs: list[nx.Graph]) -> np.ndarray:
        found = degrees(graphs)
        for graph in graphs:
            graph.remove_nodes_from(list(graph)[1:])
        return found

    result = evaluate(removes_nodes, THREE)
    assert separated(result) == [1, 0, 0]
    assert [note for note in result.notes if "changes the graphs" in note] == list(result.notes)

    class Changes(GIN):
        def forward(self, data: Any) -> Tensor:
            data.x = 2 * data.x
            return super().forward(data)

    result = evaluate(Changes(), THREE, mode="trained", procedure=Procedure(epochs=2))
    assert len(result.notes) == 1


def test_a_slow_model_is_stopped_between_pairs_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    def slow(graphs: list[nx.Graph]) -> np.ndarray:
        clock[0] += 4.0
        return degrees(graphs)

    store = tmp_path / "outcomes.jsonl"
    result = evaluate(slow, THREE, time_limit=10, store=store)
    assert len(result.outcomes) == 2
    assert any("stopped by the time limit of 10 s before pair 2" in note for note in result.notes)
    assert "not complete: 2 of 3" in str(result)
    assert separated(evaluate(slow, THREE, store=store)) == [1, 0, 0]


def test_what_is_stored_is_not_computed_again(tmp_path: Path) -> None:
    store = tmp_path / "outcomes.jsonl"
    calls = []

    def counted(graphs: list[nx.Graph]) -> np.ndarray:
        calls.append(len(graphs))
        return degrees(graphs)

    first = evaluate(counted, THREE, store=store)
    before = len(calls)
    again = evaluate(counted, THREE, store=store)
    assert len(calls) == before
    assert again.outcomes == first.outcomes
    lines = store.read_text().splitlines()
    store.write_text("\n".join(lines[:2]) + '\n{"part": "pai')  # killed while the second outcome was written
    assert evaluate(counted, THREE, store=store).outcomes == first.outcomes
    with pytest.raises(DataError, match="another evaluation \\(seed differ\\)"):
        evaluate(counted, THREE, seed=1, store=store)
    with pytest.raises(DataError, match="another evaluation \\(model, identity differ\\)"):
        evaluate(degrees, THREE, store=store)
    store.write_text("nonsense\n")
    with pytest.raises(DataError, match="holds no outcomes"):
        evaluate(counted, THREE, store=store)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"model": "best"}, "unknown policy 'best'"),
        ({"model": 3}, "int is no model"),
        ({"model": torch.nn.Linear}, r"Linear needs arguments \(missing a required argument: 'in_features'\)"),
        ({"model": degrees, "mode": "colors"}, "mode colors is for policies and k-WL"),
        ({"model": degrees, "mode": "trained"}, "degrees is a function, which cannot be trained"),
        ({"model": degrees, "structure": "ggg"}, "a structure belongs to one of wlt's own models"),
        ({"model": degrees, "takes": "igraph"}, "takes='igraph': there are"),
        ({"model": degrees, "benchmark": "petersen"}, "unknown benchmark 'petersen'"),
        ({"model": degrees, "benchmark": []}, "groups of two or more graphs are needed"),
        ({"model": degrees, "benchmark": [(nx.path_graph(3),)]}, "groups of two or more graphs are needed"),
        ({"model": "2-FWL", "mode": "trained"}, "2-FWL is a test"),
        ({"model": lambda seed: 3}, r"make\(0\) returned int"),
        (
            {"model": gnn.GIN(1, 8, 2)},
            r"GIN.forward is called with the graphs alone \(missing .* 'edge_index'\); wrap it",
        ),
    ],
)
def test_mistakes(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        evaluate(**{"benchmark": THREE, **arguments})


def test_trained_as_brec_takes_models() -> None:
    result = evaluate(GIN(), THREE, mode="trained")
    assert separated(result) == [1, 0, 0]
    assert result.published is not None
    assert result.total.control_failures == result.published[1] == 0
    assert "by BREC's test as published" in str(result)


@pytest.mark.parametrize(
    ("finish", "said"),
    [(Tensor.detach, "a tensor without a gradient"), (lambda vectors: vectors.detach().numpy(), "ndarray")],
    ids=["detached", "numpy"],
)
def test_what_cannot_be_trained_is_told(finish: Callable[[Tensor], Any], said: str) -> None:
    class Finished(GIN):
        def forward(self, data: Any) -> Any:
            return finish(super().forward(data))

    with pytest.raises(ModelError, match=f"Finished returned {said}; training needs a tensor with the gradient"):
        evaluate(Finished(), THREE, mode="trained")
    assert separated(evaluate(Finished(), THREE)) == [1, 0, 0]


def test_too_many_numbers_for_brecs_test() -> None:
    class Wide(GIN):
        def forward(self, data: Any) -> Tensor:
            return super().forward(data).repeat(1, 2)

    with pytest.raises(ModelError, match="gives every graph 32 numbers; BREC's test needs fewer than its 32"):
        evaluate(Wide(), THREE, mode="trained", procedure=Procedure(epochs=1))


def test_what_reset_parameters_leaves_out_is_as_it_was_for_every_pair() -> None:
    begun = []

    class Half(GIN):
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.nn.Parameter(torch.ones(16))

        def reset_parameters(self) -> None:
            super().reset_parameters()
            begun.append(self.scale.detach().clone())

        def forward(self, data: Any) -> Tensor:
            return super().forward(data) * self.scale

    evaluate(Half(), THREE, mode="trained", procedure=Procedure(epochs=2))
    assert len(begun) == 3
    assert all(torch.equal(scale, torch.ones(16)) for scale in begun)


def test_fewer_relabellings_in_training_give_the_same_verdicts() -> None:
    results = [evaluate(GIN(), THREE, mode="trained", procedure=Procedure(training_relabellings=n)) for n in (32, 4)]
    assert separated(results[0]) == separated(results[1])
    assert results[0].published == results[1].published


def test_accuracy_of_a_module_on_csl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from wlt.expressiveness import cross_validated

    monkeypatch.setattr(cross_validated, "SCHEDULE", cross_validated.SCHEDULE._replace(epochs=1))
    monkeypatch.setitem(cross_validated.cross_validate_module.__kwdefaults__, "schedule", cross_validated.SCHEDULE)
    store = tmp_path / "outcomes.jsonl"
    result = evaluate(GIN(), "csl", mode="trained", store=store)
    assert result.total[:3] == (45, 0, 150)  # WL cannot tell these graphs apart
    assert result.details["accuracy"] <= 15
    assert "accuracy:" in str(result)
    stored = store.read_text()
    monkeypatch.setattr(cross_validated, "cross_validate", None)  # what is stored is not computed again
    again = evaluate(GIN(), "csl", mode="trained", store=store)
    assert (again.outcomes, again.seconds) == (result.outcomes, pytest.approx(result.seconds, abs=0.01))
    assert again.details["accuracy"] == result.details["accuracy"]
    assert store.read_text() == stored


def test_what_is_decided_at_once_is_stored_once(tmp_path: Path) -> None:
    store = tmp_path / "outcomes.jsonl"
    results = [evaluate("all", THREE, store=store) for _ in range(2)]
    assert results[0].outcomes == results[1].outcomes
    assert results[0].sentences == results[1].sentences
    lines = store.read_text().splitlines()
    assert len(lines) == 1 + 3 + 1
    store.write_text("\n".join(lines[:3]) + "\n")  # killed while it was written
    assert evaluate("all", THREE, store=store).outcomes == results[0].outcomes
    assert len(store.read_text().splitlines()) == 5


def test_groups_of_more_than_two() -> None:
    four = [nx.path_graph(6), nx.star_graph(5), *RINGS]
    result = evaluate(degrees, [four])
    assert result.total == (6, 5, 4, 0)


def test_the_result_as_text_json_figure_and_page(tmp_path: Path) -> None:
    one = evaluate(degrees, THREE)
    result = evaluate(GIN(), THREE, name="my <GIN>", compare=[one, evaluate("2-FWL", THREE)])
    text = str(result)
    assert re.search(r"my <GIN> \(untrained\) +degrees \(untrained\) +2-FWL", text)
    assert re.search(r"^pairs +3 +1 +1 +2$", text, re.MULTILINE)
    assert re.search(r"^decided by +distance +distance +2-FWL$", text, re.MULTILINE)
    for name in ("page.html", "result.json", "figure.svg", "figure.png", "figure.pdf"):
        result.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    again = read_result(tmp_path / "result.json")
    assert again == result
    assert json.loads((tmp_path / "result.json").read_text())["separated"] == 1
    page = (tmp_path / "page.html").read_text()
    assert "my &lt;GIN&gt;" in page
    assert "<GIN>" not in page
    assert (
        page.count('<svg xmlns="http://www.w3.org/2000/svg" class="wlt-graph"') == 4
    )  # two pairs that it does not see
    assert not re.search(r'(src|href)="https?:', page)
    with pytest.raises(ValueError, match=r"the name ends in \.html"):
        result.save(tmp_path / "result.txt")
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(ValueError, match="is no result of wlt expressiveness"):
        read_result(tmp_path / "other.json")
    with pytest.raises(ValueError, match=r"compare: degrees was run on pairs"):
        evaluate("none", "csl", compare=[one])


def test_the_figure_shows_what_is_known_about_the_ladder() -> None:
    result = evaluate("canonical", "ladder")
    names = [tick.get_text() for tick in result.figure().axes[0].get_yticklabels()]
    known = ["1-WL", "2-FWL", "3-FWL", "WLT-GNN, one", "WLT-GNN, all", "WLT-GNN, nodes", "WLT-GNN, canonical"]
    assert names == ["canonical", *known]
    assert [axis.get_title() for axis in result.figure().axes] == [
        "rung 0 (35)",
        "rung 1 (72)",
        "rung 2 (53)",
        "rung 3 (44)",
    ]
    assert len(result.figure(known=False).axes[0].get_yticklabels()) == 1
    beside = result.beside([evaluate("2-FWL", load("ladder"))])
    names = [tick.get_text() for tick in beside.figure().axes[0].get_yticklabels()]
    assert names.count("2-FWL") == 1


def test_references_are_what_is_computed() -> None:
    from wlt.expressiveness.references import references

    for model in ("1-WL", "2-FWL", "one", "all", "nodes", "canonical"):
        parts = evaluate(model, "ladder").parts
        name = model if model.endswith("WL") else f"WLT-GNN, {model}"
        assert references("ladder")[name] == {part: counted.separated for part, counted in parts.items()}
    assert {name: sum(counts.values()) for name, counts in references("brec").items() if "published" in name} == {
        "I²-GNN, published": 281,
        "KP-GNN, published": 275,
        "GSN, published": 254,
        "PPGN, published": 233,
        "SUN, published": 223,
        "δ-k-LGNN, published": 216,
        "NGNN, published": 166,
        "Graphormer, published": 79,
    }


def test_pyg_gets_every_edge_that_the_graph_lists() -> None:
    """Labels, directions, parallel edges and loops, beside `Graph.listed`."""
    from wlt.expressiveness.inputs import as_input

    labelled = nx.MultiDiGraph(
        [(0, 1, {"label": "a"}), (0, 1, {"label": "b"}), (2, 2, {"label": "a"}), (2, 0, {"label": "c"})]
    )
    ladder = wlt.data.ladder()
    several = [wlt.as_graphs([labelled], edge_labels="label"), *(ladder.pair(i)[0] for i in range(0, len(ladder), 7))]
    for graph in several:
        (data,) = as_input(graph, "pyg")
        pairs, labels, directed, _ = graph.union.listed()
        expected = pairs if directed else pairs + [(v, u) for u, v in pairs]
        assert sorted(map(tuple, data.edge_index.T.tolist())) == sorted(expected)
        carried = data.edge_attr[:, 0].tolist()
        assert len(set(carried)) == len(set(labels) or {None})
        if directed and labels:
            by_label: dict[Any, set[float]] = {}
            listed = sorted(zip(pairs, map(str, labels), strict=True))
            given = sorted(zip(map(tuple, data.edge_index.T.tolist()), carried, strict=True))
            for (_, label), (_, number) in zip(listed, given, strict=True):
                by_label.setdefault(label, set()).add(number)
            assert all(len(numbers) == 1 for numbers in by_label.values())
