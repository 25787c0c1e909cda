"""wlt.refine against plain Python: the stable colouring, its rounds, restarts, and one round seen from the classes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import wlt
from labelled import Drawn, drawn_graphs
from rounds import wl_rounds
from strategies import as_partition, colored_graphs, graphs, relabeled_graphs, shuffled
from wlt import Graph, as_graph, closure, refine_once
from wlt.kernels import CSR
from wlt.refine import core_kernels, round_kernels
from wlt.refine.core import core_cells, stable_quotient
from wlt.refine.partition import Partition, as_colors, stable_partition

NAMED = {
    "empty": nx.empty_graph(0),
    "one-node": nx.empty_graph(1),
    "isolated": nx.empty_graph(5),
    "path-40": nx.path_graph(40),
    "star": nx.star_graph(6),
    "binary-tree": nx.balanced_tree(2, 4),
    "grid": nx.grid_2d_graph(5, 6),
    "petersen": nx.petersen_graph(),
    "lollipop": nx.lollipop_graph(6, 15),
    "barbell": nx.barbell_graph(4, 9),
    "karate": nx.karate_club_graph(),
    "complete-bipartite": nx.complete_bipartite_graph(3, 5),
}
LARGE = {
    "erdos-renyi": nx.gnm_random_graph(1500, 4000, seed=1),
    "sparse": nx.gnm_random_graph(1500, 1400, seed=2),
    "tree": nx.random_labeled_tree(1500, seed=3),
    "path": nx.path_graph(501),
    "grid": nx.grid_2d_graph(30, 31),
    "barabasi-albert": nx.barabasi_albert_graph(1500, 3, seed=4),
    "regular": nx.random_regular_graph(3, 400, seed=5),
}


def ids(graphs: dict[str, Any]) -> list[Any]:
    return [pytest.param(as_graph(graph), id=name) for name, graph in graphs.items()]


@given(colored_graphs(14))
def test_closure_is_that_of_the_reference(case: tuple[Graph, list[int] | None]) -> None:
    graph, colors = case
    assert as_partition(closure(graph, node_labels=colors)) == as_partition(wl_rounds(graph, colors)[-1])


@pytest.mark.parametrize("graph", ids(NAMED))
def test_closure_of_named_graphs(graph: Graph) -> None:
    assert as_partition(closure(graph)) == as_partition(wl_rounds(graph)[-1])


@given(relabeled_graphs(14))
def test_relabelling_changes_no_number(case: tuple[Graph, Graph, list[int], list[int], list[int]]) -> None:
    graph, renamed, colors, moved, permutation = case
    assert closure(renamed, node_labels=moved)[permutation].tolist() == closure(graph, node_labels=colors).tolist()


@pytest.mark.parametrize("graph", ids(LARGE))
def test_relabelling_changes_no_number_of_a_large_graph(graph: Graph) -> None:
    permutation = np.random.default_rng(0).permutation(graph.num_nodes)
    assert np.array_equal(closure(graph.relabel(permutation))[permutation], closure(graph))


@given(colored_graphs(14))
def test_colours_are_dense_and_refine_those_given(case: tuple[Graph, list[int] | None]) -> None:
    graph, colors = case
    stable = closure(graph, node_labels=colors).tolist()
    assert set(stable) == set(range(len(set(stable))))
    if colors is not None:
        assert len(set(zip(stable, colors, strict=True))) == len(set(stable))


@given(colored_graphs(14))
def test_bulk_and_worklist_agree(case: tuple[Graph, list[int] | None]) -> None:
    bulk, worklist = Partition(*case), Partition(*case)
    bulk.refine_in_bulk()
    worklist.refine()
    assert as_partition(bulk.colors) == as_partition(worklist.colors)
    assert bulk.rounds == worklist.rounds


@pytest.mark.parametrize("colors", [pytest.param(1, id="plain"), pytest.param(3, id="three-colours")])
@pytest.mark.parametrize("graph", ids(LARGE))
def test_bulk_and_worklist_agree_on_large_graphs(graph: Graph, colors: int) -> None:
    labels = np.random.default_rng(1).integers(0, colors, graph.num_nodes)
    bulk, worklist = Partition(graph, labels), Partition(graph, labels)
    bulk.refine_in_bulk()
    worklist.refine()
    assert as_partition(bulk.colors) == as_partition(worklist.colors)
    assert bulk.rounds == worklist.rounds == len(wl_rounds(graph, labels)) - 1


@given(colored_graphs(14))
def test_rounds_are_those_of_the_reference(case: tuple[Graph, list[int] | None]) -> None:
    assert stable_partition(*case).rounds == len(wl_rounds(*case)) - 1


@pytest.mark.parametrize("graph", ids(NAMED | LARGE))
def test_the_order_of_cells_is_consistent(graph: Graph) -> None:
    partition = stable_partition(graph)
    n = graph.num_nodes
    assert np.array_equal(partition.cells.order[partition.cells.where], np.arange(n))
    assert np.array_equal(np.sort(partition.cells.order), np.arange(n))
    assert partition.num_cells == len(partition.cell_names()) == len(set(partition.colors.tolist()))
    assert partition.is_discrete == (partition.num_cells == n)
    for cell in partition.cell_names():
        members = partition.members(cell)
        assert (partition.cells.cell[members] == cell).all()
        assert len(set(partition.colors[members].tolist())) == 1


@pytest.mark.parametrize("graph", ids(NAMED | {name: LARGE[name] for name in ("sparse", "tree", "path", "grid")}))
def test_hash_collisions_do_no_harm(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three bits of hash: nearly everything collides in bulk, and the worklist has to split it again."""
    exact = round_kernels.hashed_round
    monkeypatch.setattr(round_kernels, "hashed_round", lambda *arrays: exact(*arrays) & np.uint64(7))
    for colors in (None, np.arange(graph.num_nodes) % 3):
        expected = Partition(graph, colors)
        expected.refine()
        assert as_partition(closure(graph, node_labels=colors)) == as_partition(expected.colors)


@given(colored_graphs(12), st.data())
def test_a_restart_equals_the_closure_of_the_individualised_colouring(
    case: tuple[Graph, list[int] | None], data: st.DataObject
) -> None:
    partition = stable_partition(*case)
    large = [cell for cell in partition.cell_names().tolist() if partition.cells.length[cell] > 1]
    assume(large)
    members = partition.members(data.draw(st.sampled_from(large))).tolist()
    chosen = data.draw(st.lists(st.sampled_from(members), min_size=1, unique=True))
    marked = 2 * partition.colors
    if len(chosen) < len(members):
        marked[chosen] += 1
    before = partition.copy()
    partition.refine(partition.individualize(chosen))
    assert as_partition(partition.colors) == as_partition(wl_rounds(case[0], marked.tolist())[-1])
    assert as_partition(before.colors) == as_partition(marked // 2)  # the copy has not moved


@pytest.mark.parametrize(
    "nodes", [pytest.param([0, 1], id="two-cells"), pytest.param([0, 0], id="the-same-node-twice")]
)
def test_individualize_refuses(nodes: list[int]) -> None:
    partition = stable_partition(as_graph(nx.path_graph(4)))
    with pytest.raises(ValueError, match="different nodes of one cell"):
        partition.individualize(nodes)


def test_the_mark_of_a_leaf_survives() -> None:
    """DESIGN, section 3: HASH as printed sees only the neighbours, and both leaves of K1,2 have the same."""
    star, marked = as_graph(nx.path_graph(3)), [1, 0, 0]
    neighbours_only = [sorted(marked[u] for u in star.neighbors_of(v)) for v in range(3)]
    assert neighbours_only[0] == neighbours_only[2]
    assert len(set(closure(star, node_labels=marked).tolist())) == 3
    assert len(set(refine_once(star, node_labels=marked)[0].tolist())) == 3


def rows(matrix: CSR) -> list[dict[int, int]]:
    """The rows of a CSR matrix as dictionaries column -> value."""
    return [
        dict(zip(matrix.columns[low:high].tolist(), matrix.values[low:high].tolist(), strict=True))
        for low, high in zip(matrix.offsets[:-1], matrix.offsets[1:], strict=True)
    ]


@given(st.lists(graphs(7), max_size=4).map(Graph.union), st.data())
def test_one_round_against_dictionaries(union: Graph, data: st.DataObject) -> None:
    n = union.num_nodes
    colors = data.draw(st.none() | st.lists(st.sampled_from([5, 0, -2]), min_size=n, max_size=n))
    old = as_colors(colors, union).tolist()
    new, step = refine_once(union, node_labels=colors)
    below = [Counter(old[u] for u in union.neighbors_of(v).tolist()) for v in range(n)]
    signature = [(old[v], tuple(sorted(below[v].items()))) for v in range(n)]
    numbers = {value: i for i, value in enumerate(dict.fromkeys(signature))}
    assert as_partition(new) == as_partition([numbers[value] for value in signature])
    classes = len(numbers)
    assert len(step.parent) == len(step.sizes) == len(rows(step.counts)) == len(rows(step.members)) == classes
    assert step.from_class.tolist() == step.counts.columns.tolist()
    counts = rows(step.counts)
    for v in range(n):
        assert step.parent[new[v]] == old[v]
        assert counts[new[v]] == below[v]
    assert step.sizes.tolist() == [new.tolist().count(i) for i in range(classes)]
    of_graph = [Counter(new[low:high].tolist()) for low, high in zip(union.starts, union.starts[1:], strict=False)]
    assert rows(step.members) == [{g: of[i] for g, of in enumerate(of_graph) if of[i]} for i in range(classes)]


@given(colored_graphs(10))
def test_rounds_of_refine_once_end_in_the_closure(case: tuple[Graph, list[int] | None]) -> None:
    graph, colors = case
    current = as_colors(colors, graph)
    for expected in wl_rounds(graph, colors)[1:]:
        current, _ = refine_once(graph, node_labels=current)
        assert as_partition(current) == as_partition(expected)
    assert as_partition(closure(graph, node_labels=colors)) == as_partition(current)


def test_a_million_nodes_without_edges() -> None:
    graph = Graph.from_edges(10**6, [])
    assert not closure(graph).any()
    assert refine_once(graph)[1].sizes.tolist() == [10**6]


@pytest.mark.parametrize(
    ("colors", "error", "message"),
    [
        pytest.param([0, 1], ValueError, r"node labels of shape \(2,\) for 3 nodes", id="too-few"),
        pytest.param([[0, 1, 2]], ValueError, r"shape \(1, 3\)", id="a-matrix"),
        pytest.param([0, float("nan"), 1], ValueError, "node 1 is not a finite number", id="nan"),
        pytest.param([0, 1, float("inf")], ValueError, "node 2 is not a finite number", id="inf"),
        pytest.param([2.0**53, 0, float(2**53 + 1)], ValueError, "2\\^53 and more", id="inexact-floats"),
        pytest.param([0.5, 1, 2], TypeError, "must be integers", id="fractions"),
        pytest.param(["a", 1, "c"], TypeError, "not both: 1 is among strings", id="text"),
        pytest.param([1j, 0, 0], TypeError, "must be integers", id="complex"),
        pytest.param(7, ValueError, r"shape \(\)", id="one-number"),
        pytest.param([2**63, 2**63 + 1, -1], ValueError, "may have become equal", id="integers-that-numpy-rounds"),
        pytest.param([None, 0, 1], TypeError, "must be integers", id="None"),
        pytest.param("kind", TypeError, "no named node attributes", id="an-attribute-of-a-graph-without"),
    ],
)
@pytest.mark.parametrize("function", [closure, refine_once], ids=["closure", "refine_once"])
def test_bad_colours(function: Any, colors: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        function(as_graph(nx.path_graph(3)), node_labels=colors)


@pytest.mark.parametrize(
    "colors",
    [
        pytest.param(np.array([3, 3, 9], np.uint8), id="uint8"),
        pytest.param([2.0, 2.0, 5.0], id="whole-floats"),
        pytest.param([False, False, True], id="bool"),
        pytest.param([-(2**63), -(2**63), 2**63 - 1], id="extreme"),
        pytest.param([2**90, 2**90, 2**90 + 1], id="beyond-64-bits"),
        pytest.param(np.array([2**64 - 2, 2**64 - 2, 2**64 - 1], np.uint64), id="uint64"),
    ],
)
def test_colours_of_any_integer_type(colors: Any) -> None:
    assert as_colors(colors, Graph.from_edges(3, [])).tolist() == [0, 0, 1]


def test_shuffled_copies_share_their_colours_in_a_union() -> None:
    graph = as_graph(LARGE["tree"])
    union = Graph.union([graph, shuffled(graph, 8)])
    colors = closure(union)
    assert np.array_equal(np.sort(colors[: graph.num_nodes]), np.sort(colors[graph.num_nodes :]))


@pytest.mark.parametrize(
    "function", [closure, lambda g, **labels: refine_once(g, **labels)[0]], ids=["closure", "refine_once"]
)
def test_graphs_of_any_kind(function: Any) -> None:
    path = nx.path_graph(3)
    nx.set_node_attributes(path, dict(enumerate("abc")), "kind")
    assert function(path).tolist() == function((3, [(0, 1), (1, 2)])).tolist() == function(as_graph(path)).tolist()
    assert len(set(function(path, node_labels="kind").tolist())) == 3
    with pytest.raises(TypeError, match="cannot make a graph of list"):
        function([path])


def test_strings_in_lists_are_labels() -> None:
    path = nx.path_graph(3)
    numbers, words = [7, -1, 7], ["C", "a", "C"]
    assert wlt.closure(path, node_labels=words).tolist() == wlt.closure(path, node_labels=[1, 0, 1]).tolist()
    assert wlt.graph_class(path, node_labels=words).colors == wlt.graph_class(path, node_labels=numbers).colors
    assert wlt.isomorphism(path, path, node_labels=[words, words]).verdict is wlt.Verdict.ISOMORPHIC
    assert wlt.isomorphism(path, path, node_labels=[words, ["C", "a", "N"]]).verdict is wlt.Verdict.NON_ISOMORPHIC
    with pytest.raises(TypeError, match="those of the other are not"):
        wlt.wl_test(path, path, node_labels=[words, numbers])


@given(drawn_graphs(max_nodes=8, max_edges=12))
def test_the_core_is_known_without_cells_of_one_node(drawn: Drawn) -> None:
    partition = stable_partition(drawn.graph(), np.zeros(drawn.nodes, np.int64))
    quotient = stable_quotient(partition)
    large = core_kernels.large_cells(partition.graph.adjacency, partition.cells)
    left = core_cells(quotient)
    assert large.sizes.tolist() == quotient.sizes[quotient.sizes > 1].tolist()
    assert core_kernels.core_cells(large).tolist() == left[quotient.sizes > 1].tolist()
    assert not left[quotient.sizes == 1].any()
