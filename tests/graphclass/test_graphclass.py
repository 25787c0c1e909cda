"""wlt.graph_class against the definitions (atlas, brute force, igraph's orbits) and what is known of some graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.optimize
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rounds import wl_rounds
from strategies import (
    as_partition,
    atlas,
    colored_graphs,
    graphs,
    relabeled_graphs,
    rook_graph,
    shrikhande_graph,
    shuffled,
    two_triangles,
)
from wlt import Graph, as_graph, closure, graph_class
from wlt.graphclass.classes import MAX_AUTOMORPHISM_NODES, GraphClass
from wlt.graphclass.polytope import edges_at_identity_are_integral

HIERARCHY = ("discrete", "amenable", "compact", "tinhofer", "refinable")


def classes(result: GraphClass) -> tuple[bool | None, ...]:
    return tuple(getattr(result, name) for name in HIERARCHY)


def complement(graph: Graph) -> Graph:
    return as_graph(nx.complement(graph.to_networkx()))


def rook_3x3() -> Any:
    return nx.line_graph(nx.complete_bipartite_graph(3, 3))


# Amenable


def wl_classes(family: Sequence[tuple[Graph, list[int]]]) -> list[tuple[int, ...]]:
    """For each coloured graph what WL sees of it."""
    union = Graph.union([graph for graph, _ in family])
    final = closure(union, node_labels=np.concatenate([colors for _, colors in family]))
    return [tuple(sorted(final[a:b].tolist())) for a, b in zip(union.starts, union.starts[1:], strict=False)]


def identified(family: Sequence[tuple[Graph, list[int]]]) -> list[bool]:
    """Is WL right about the graph and every other in the family? No two of them are isomorphic."""
    seen = wl_classes(family)
    count: dict[tuple[int, ...], int] = defaultdict(int)
    for each in seen:
        count[each] += 1
    return [count[each] == 1 for each in seen]


def test_atlas_has_1200_amenable_graphs_those_that_wl_identifies() -> None:
    """Graphs that WL cannot tell apart have the same size, so the atlas has all of them up to seven nodes."""
    answers = [graph_class(graph, budget=0).amenable for graph in atlas()]
    assert answers == identified([(graph, [0] * graph.num_nodes) for graph in atlas()])
    assert sum(answers) == 1200


def up_to_isomorphism(family: Iterable[tuple[Graph, list[int]]]) -> list[tuple[Graph, list[int]]]:
    """One of each, by igraph's canonical form."""
    representative: dict[Any, tuple[Graph, list[int]]] = {}
    for graph, colors in family:
        named = graph.to_igraph()
        named.vs["color"] = colors
        named = named.permute_vertices(named.canonical_permutation(color="color"))
        representative[tuple(named.vs["color"]), tuple(sorted(named.get_edgelist()))] = graph, colors
    return list(representative.values())


def red_and_blue(red_edges: list[tuple[int, int]], blue_edges: list[tuple[int, int]]) -> Iterator[Graph]:
    """Four red and four blue nodes, joined in all ways (some of the isomorphic ones left out)."""
    rows = list(product([0, 1], repeat=4))
    pairs = list(combinations_with_replacement(rows, 2))
    for first, second in combinations_with_replacement(pairs, 2):
        joined = [(i, 4 + j) for i, row in enumerate([*first, *second]) for j in range(4) if row[j]]
        yield Graph.from_edges(8, [*red_edges, *blue_edges, *joined])


@pytest.mark.parametrize(
    ("red_edges", "blue_edges"),
    [
        pytest.param([], [], id="two-empty-classes"),
        pytest.param([(0, 1), (2, 3)], [], id="a-matching"),
        pytest.param([(0, 1), (2, 3)], [(4, 5), (6, 7)], id="two-matchings"),
    ],
)
def test_amenable_colored_graphs_are_those_that_wl_identifies(
    red_edges: list[tuple[int, int]], blue_edges: list[tuple[int, int]]
) -> None:
    """Whatever WL cannot tell from a member of such a family is a member too: inner degrees are 0, or 1."""
    colors = [7] * 4 + [-2] * 4
    family = up_to_isomorphism((graph, colors) for graph in red_and_blue(red_edges, blue_edges))
    answers = [graph_class(graph, node_labels=colors, budget=0).amenable for graph, colors in family]
    assert answers == identified(family)
    assert False in answers


# Refinable and Tinhofer


def automorphisms_by_trying(graph: Graph, colors: Sequence[int]) -> list[tuple[int, ...]]:
    edges = {frozenset(edge) for edge in graph.edges().tolist()}
    return [
        images
        for images in permutations(range(graph.num_nodes))
        if all(colors[v] == colors[image] for v, image in enumerate(images))
        and all(frozenset((images[u], images[v])) in edges for u, v in edges)
    ]


def recolor(colors: Sequence[int], nodes: Iterable[int]) -> list[int]:
    """These nodes get colours of their own."""
    fresh = list(colors)
    for i, node in enumerate(nodes):
        fresh[node] = 10**9 + i
    return fresh


def orbits_by_trying(graph: Graph, colors: Sequence[int]) -> Callable[[tuple[int, ...]], set[frozenset[int]]]:
    group = automorphisms_by_trying(graph, colors)

    def orbits(fixed: tuple[int, ...]) -> set[frozenset[int]]:
        stabilizer = [images for images in group if all(images[v] == v for v in fixed)]
        return {frozenset(images[v] for images in stabilizer) for v in range(graph.num_nodes)}

    return orbits


def orbits_by_igraph(graph: Graph, colors: Sequence[int]) -> Callable[[tuple[int, ...]], set[frozenset[int]]]:
    named = graph.to_igraph()

    def orbits(fixed: tuple[int, ...]) -> set[frozenset[int]]:
        dense = closure(Graph.from_edges(graph.num_nodes, []), node_labels=recolor(colors, fixed))
        moves: nx.Graph[int] = nx.empty_graph(graph.num_nodes)
        for images in named.automorphism_group(color=dense.tolist()):
            moves.add_edges_from(enumerate(images))
        return {frozenset(orbit) for orbit in nx.connected_components(moves)}

    return orbits


def is_refinable(graph: Graph, colors: Sequence[int], orbits: Callable[[tuple[int, ...]], set[frozenset[int]]]) -> bool:
    return as_partition(wl_rounds(graph, colors)[-1]) == orbits(())


def is_tinhofer(graph: Graph, colors: Sequence[int], orbits: Callable[[tuple[int, ...]], set[frozenset[int]]]) -> bool:
    """The definition: whatever set of nodes is recoloured, the stable classes are the orbits of what fixes them."""
    pending, seen = [()], {frozenset[int]()}
    while pending:
        fixed: tuple[int, ...] = pending.pop()
        cells = as_partition(wl_rounds(graph, recolor(colors, fixed))[-1])
        if cells != orbits(fixed):
            return False
        for cell in cells:  # orbits so far: one node stands for its cell
            chosen = frozenset([*fixed, min(cell)])
            if len(cell) > 1 and chosen not in seen:
                seen.add(chosen)
                pending.append((*fixed, min(cell)))
    return True


@settings(max_examples=100)
@given(colored_graphs(6))
def test_refinable_and_tinhofer_by_trying_all_permutations(case: tuple[Graph, list[int] | None]) -> None:
    graph, colors_of_nodes = case
    colors = [0] * graph.num_nodes if colors_of_nodes is None else colors_of_nodes
    if graph.num_nodes > 6:
        return
    result = graph_class(graph, node_labels=colors_of_nodes)
    orbits = orbits_by_trying(graph, colors)
    assert result.refinable == is_refinable(graph, colors, orbits)
    assert result.tinhofer == is_tinhofer(graph, colors, orbits)


@st.composite
def symmetric_graphs(draw: st.DrawFn) -> tuple[Graph, list[int]]:
    """Circulants, products and unions of cycles, some with a few recoloured nodes: seldom amenable, often refinable."""
    steps = st.lists(st.integers(1, 6), min_size=1, max_size=3)
    circulants = st.builds(nx.circulant_graph, st.integers(3, 11), steps)
    cycles = st.builds(nx.cycle_graph, st.integers(2, 4))
    products = st.sampled_from([nx.cartesian_product, nx.tensor_product, nx.lexicographic_product, nx.disjoint_union])
    graph = draw(circulants | st.builds(lambda join, g, h: join(g, h), products, cycles, cycles))
    plain = as_graph(nx.convert_node_labels_to_integers(graph))
    recolored = draw(st.lists(st.integers(0, plain.num_nodes - 1), max_size=2))
    colors = [int(node in recolored) for node in range(plain.num_nodes)]
    order = draw(st.permutations(range(plain.num_nodes)))
    moved = [0] * len(colors)
    for node, place in enumerate(order):
        moved[place] = colors[node]
    return plain.relabel(order), moved


@settings(max_examples=80)
@given(symmetric_graphs())
def test_refinable_and_tinhofer_by_the_orbits_of_igraph(case: tuple[Graph, list[int]]) -> None:
    graph, colors = case
    result = graph_class(graph, node_labels=colors)
    orbits = orbits_by_igraph(graph, colors)
    assert result.refinable == is_refinable(graph, colors, orbits)
    assert result.tinhofer == is_tinhofer(graph, colors, orbits)


@settings(max_examples=12)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=3))
@example([(1, 0), (0, 1), (1, 1)])  # Shrikhande's graph
@example([(2, 3), (1, 0), (1, 1)])
def test_tinhofer_on_cayley_graphs_of_z4_times_z4(steps: list[tuple[int, int]]) -> None:
    """All are refinable; a few are not Tinhofer."""
    edges = [(4 * i + j, 4 * ((i + a) % 4) + (j + b) % 4) for i in range(4) for j in range(4) for a, b in steps]
    graph = Graph.from_edges(16, edges)
    result = graph_class(graph, budget=100_000)
    assert result.refinable
    assert result.tinhofer == is_tinhofer(graph, [0] * 16, orbits_by_igraph(graph, [0] * 16))


# Compact


def test_compact_graphs_of_up_to_six_nodes() -> None:
    """The polytope of the whole graph, in exact arithmetic, against the answer from its reduced pieces."""
    for graph in atlas():
        if graph.num_nodes <= 6:
            whole = edges_at_identity_are_integral(graph, closure(graph))
            assert whole is not None
            assert graph_class(graph).compact == whole


def fractional_corner(graph: Graph, objectives: int) -> bool:
    """Does some random objective lead to a corner of {X doubly stochastic, XA = AX} that is no permutation?"""
    n = graph.num_nodes
    adjacency, identity = graph.to_scipy().toarray(), np.eye(n)
    commute = np.kron(identity, adjacency.T) - np.kron(adjacency, identity)  # of X row by row
    sums = np.vstack([np.kron(identity, np.ones(n)), np.kron(np.ones(n), identity)])
    equations, values = np.vstack([commute, sums]), np.repeat([0.0, 1.0], [n * n, 2 * n])
    random = np.random.default_rng(0)
    for _ in range(objectives):
        result = scipy.optimize.linprog(random.normal(size=n * n), A_eq=equations, b_eq=values)
        if np.abs(result.x - result.x.round()).max() > 1e-6:
            return True
    return False


def test_compact_by_random_objectives() -> None:
    """By the definition and another program: no fractional corner where the answer is yes, one soon where it is no."""
    for graph in [*[g for g in atlas() if 4 <= g.num_nodes <= 6][::6], as_graph(nx.hypercube_graph(3))]:
        compact = graph_class(graph).compact
        assert fractional_corner(graph, 5 if compact else 100) is not compact, graph.edges().tolist()


def test_the_budget_of_a_piece_is_its_own() -> None:
    """The colours of the two parts only change places, and with them the order in which they are asked."""
    parts = nx.disjoint_union(nx.circulant_graph(37, [1, 10, 11]), nx.LCF_graph(30, [-13, -9, 7, -7, 9, 13], 5))
    first, second = ([c] * 37 + [1 - c] * 30 for c in (0, 1))
    assert [graph_class(parts, node_labels=colors, budget=2_500_000).compact for colors in (first, second)] == [
        False,
        False,
    ]


@given(symmetric_graphs())
def test_compact_agrees_with_the_polytope_of_the_whole_graph(case: tuple[Graph, list[int]]) -> None:
    graph, colors = case
    answer = graph_class(graph, node_labels=colors).compact
    whole = edges_at_identity_are_integral(graph, closure(graph, node_labels=colors)) if graph.num_nodes <= 8 else None
    assert None in (answer, whole) or answer == whole


# Famous graphs


@pytest.mark.parametrize(
    ("graph", "amenable", "compact", "tinhofer", "refinable"),
    [
        pytest.param(nx.petersen_graph(), False, False, True, True, id="petersen"),
        pytest.param(rook_3x3(), False, False, True, True, id="rook-3x3"),
        pytest.param(nx.heawood_graph(), False, False, True, True, id="heawood"),
        pytest.param(nx.hypercube_graph(3), False, True, True, True, id="cube"),
        pytest.param(shrikhande_graph(), False, False, False, True, id="shrikhande"),
        pytest.param(rook_graph(), False, False, True, True, id="rook-4x4"),
        pytest.param(nx.frucht_graph(), False, False, False, False, id="frucht"),
        pytest.param(nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(4)), False, False, False, False, id="C3+C4"),
        pytest.param(two_triangles(), False, True, True, True, id="2C3"),
        pytest.param(nx.cycle_graph(6), False, True, True, True, id="C6"),
        pytest.param(nx.cycle_graph(30), False, True, True, True, id="C30"),
        pytest.param(nx.disjoint_union(nx.cycle_graph(9), nx.cycle_graph(9)), False, True, True, True, id="2C9"),
        pytest.param(nx.corona_product(nx.cycle_graph(6), nx.empty_graph(2)), False, True, True, True, id="sun"),
        pytest.param(nx.wheel_graph(8), False, True, True, True, id="wheel"),
        pytest.param(nx.complete_graph(9), True, True, True, True, id="K9"),
        pytest.param(nx.complete_bipartite_graph(3, 5), True, True, True, True, id="K3,5"),
        pytest.param(nx.cycle_graph(5), True, True, True, True, id="C5"),
        pytest.param(nx.path_graph(9), True, True, True, True, id="P9"),
        pytest.param(nx.balanced_tree(3, 3), True, True, True, True, id="ternary-tree"),
        pytest.param(nx.random_labeled_tree(60, seed=3), True, True, True, True, id="random-tree"),
        pytest.param(nx.empty_graph(0), True, True, True, True, id="no-node"),
        pytest.param(nx.empty_graph(1), True, True, True, True, id="one-node"),
        pytest.param(nx.empty_graph(6), True, True, True, True, id="isolated"),
    ],
)
@pytest.mark.parametrize("take_complement", [pytest.param(False, id="plain"), pytest.param(True, id="complement")])
def test_famous_graphs(
    graph: Any, take_complement: bool, amenable: bool, compact: bool, tinhofer: bool, refinable: bool
) -> None:
    result = graph_class(nx.complement(graph) if take_complement else graph)
    assert classes(result)[1:] == (amenable, compact, tinhofer, refinable)


def test_reasons_name_a_certificate() -> None:
    reasons = {name: graph_class(graph).reasons for name, graph in named_for_reasons().items()}
    assert "extreme point" in reasons["petersen"]["compact"]
    assert reasons["shrikhande"]["compact"] == "it is no Tinhofer graph"
    assert reasons["shrikhande"]["tinhofer"] == "after recolouring 1 node a stable class is not an orbit"
    assert reasons["frucht"]["refinable"] == "12 nodes of 1 stable colour are in 12 orbits"
    assert reasons["frucht"]["tinhofer"] == reasons["frucht"]["compact"] == "it is not refinable"
    assert reasons["hexagon"]["compact"] == "every cycle is"
    assert "edges of the polytope" in reasons["cube"]["compact"]
    assert all(set(each) == set(HIERARCHY) and all(each.values()) for each in reasons.values())


def named_for_reasons() -> dict[str, Any]:
    return {
        "petersen": nx.petersen_graph(),
        "shrikhande": shrikhande_graph(),
        "frucht": nx.frucht_graph(),
        "hexagon": nx.cycle_graph(6),
        "cube": nx.hypercube_graph(3),
    }


def test_numbers_of_the_graph() -> None:
    result = graph_class(nx.path_graph(7))
    assert (result.nodes, result.edges, result.colors, result.discrete) == (7, 6, 4, False)
    assert graph_class(nx.path_graph(3), node_labels=[0, 1, 2]).discrete


def test_colors_count() -> None:
    """One recoloured node makes Petersen's graph compact, and three of them a hexagon amenable."""
    assert graph_class(nx.petersen_graph(), node_labels=[1] + [0] * 9).compact is True
    assert not graph_class(nx.cycle_graph(6), node_labels=[0] * 6).amenable
    assert graph_class(nx.cycle_graph(6), node_labels=[0, 1, 0, 1, 0, 1]).amenable


# Properties


def test_each_class_contains_the_one_before_on_the_atlas() -> None:
    for graph in atlas():
        answers = classes(graph_class(graph))
        assert None not in answers
        assert list(answers) == sorted(answers)  # False before True


@given(relabeled_graphs(10))
def test_relabelling_changes_no_answer(case: tuple[Graph, Graph, list[int], list[int], list[int]]) -> None:
    g, h, colors_g, colors_h, _ = case
    assert graph_class(g, node_labels=colors_g) == graph_class(h, node_labels=colors_h)


@settings(max_examples=40)
@given(symmetric_graphs(), st.integers(0, 2**32))
def test_relabelling_symmetric_graphs_changes_no_answer(case: tuple[Graph, list[int]], seed: int) -> None:
    graph, _ = case
    assert graph_class(graph) == graph_class(shuffled(graph, seed))


@given(graphs(9))
def test_the_complement_is_in_the_same_classes(graph: Graph) -> None:
    assert classes(graph_class(graph)) == classes(graph_class(complement(graph)))


@given(symmetric_graphs(), st.integers(2, 3))
def test_copies_are_compact_tinhofer_and_refinable_with_the_graph(case: tuple[Graph, list[int]], number: int) -> None:
    graph, colors = case
    if not nx.is_connected(graph.to_networkx()):
        return
    union = Graph.union([graph] * number)
    copies = Graph.from_edges(union.num_nodes, union.edges())
    assert (
        classes(graph_class(copies, node_labels=colors * number))[2:]
        == classes(graph_class(graph, node_labels=colors))[2:]
    )


# Size


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(Graph.from_edges(10**6, []), id="isolated"),
        pytest.param(Graph.from_edges(10**5, [(i, i + 1) for i in range(10**5 - 1)]), id="path"),
        pytest.param(as_graph(nx.random_labeled_tree(10**4, seed=5)), id="tree"),
        pytest.param(as_graph(nx.gnm_random_graph(10**4, 3 * 10**4, seed=5)), id="erdos-renyi"),
    ],
)
def test_large_amenable_graphs(graph: Graph) -> None:
    assert classes(graph_class(graph))[1:] == (True, True, True, True)


def test_large_graphs_that_are_not_amenable() -> None:
    cycle = Graph.from_edges(10**5, [(i, (i + 1) % 10**5) for i in range(10**5)])
    assert classes(graph_class(cycle)) == (False, False, True, True, True)
    cubic = as_graph(nx.random_regular_graph(3, 2 * MAX_AUTOMORPHISM_NODES, seed=5))
    assert classes(graph_class(cubic)) == (False, False, False, False, False)


def test_an_undecided_answer_names_the_size_and_the_limit() -> None:
    torus = nx.convert_node_labels_to_integers(nx.grid_2d_graph(72, 72, periodic=True))
    result = graph_class(torus, budget=100_000)
    assert classes(result) == (False, False, None, None, None)
    assert "5184 nodes" in result.reasons["refinable"]
    assert f"up to {MAX_AUTOMORPHISM_NODES} nodes" in result.reasons["tinhofer"]
    assert f"polytope of {5184**2} variables" in result.reasons["compact"]
    assert "the budget is 100000" in result.reasons["compact"]


def test_without_a_budget_only_what_is_free_is_answered() -> None:
    result = graph_class(nx.petersen_graph(), budget=0)
    assert classes(result) == (False, False, None, None, None)
    assert result.reasons["tinhofer"] == result.reasons["refinable"] == "the budget of 0 steps is used up"
    assert graph_class(nx.cycle_graph(8), budget=0).compact is True


@given(symmetric_graphs(), st.integers(0, 20_000))
def test_a_smaller_budget_only_leaves_answers_out(case: tuple[Graph, list[int]], budget: int) -> None:
    graph, colors = case
    result, full = graph_class(graph, node_labels=colors, budget=budget), graph_class(graph, node_labels=colors)
    assert all(less in (None, more) for less, more in zip(classes(result), classes(full), strict=True))


# Bad input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        pytest.param({"g": Graph.union([as_graph((2, []))] * 3)}, ValueError, "union of 3 graphs", id="union"),
        pytest.param({"g": (3, []), "node_labels": [0, 1]}, ValueError, "for 3 nodes", id="too-few-colours"),
        pytest.param({"g": (3, []), "node_labels": [0, 1, 0.5]}, TypeError, "integers", id="fractional-colours"),
        pytest.param({"g": (3, []), "budget": -1}, ValueError, "negative", id="negative-budget"),
        pytest.param({"g": (3, []), "budget": 1.5}, TypeError, "must be an integer", id="fractional-budget"),
        pytest.param({"g": (3, []), "budget": True}, TypeError, "must be an integer", id="boolean-budget"),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        graph_class(**arguments)
