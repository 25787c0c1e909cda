"""Mode colors: counts on the benchmarks, families from formulas, and properties against isomorphism and brute force."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from families import (
    by_colors,
    chang_graphs,
    is_strongly_regular,
    latin_squares_of_order_6,
    latin_squares_of_order_8,
    together,
)
from hypothesis import given
from hypothesis import strategies as st

from strategies import colored_graphs, equivalent_pairs, graphs, rook_graph, shrikhande_graph
from wlt import Graph, Recolor, Structure, as_graph, as_graphs
from wlt.expressiveness import Benchmark, evaluate, load
from wlt.expressiveness.colors import separate_colors

DETERMINISTIC = [
    pytest.param(recolor, structure, id=f"{recolor}-{structure}")
    for recolor in (None, Recolor("all"), Recolor("nodes"), Recolor("canonical"))
    for structure in (None, "gggrgg", "g2(rg2)2", "rg")
]


@pytest.mark.parametrize(
    ("policy", "structure", "separated", "by_ties"),
    [
        pytest.param("none", None, 0, None, id="WL"),
        pytest.param("all", None, 243, [233, 249], id="one r, unlimited depth"),
        pytest.param("one", None, 243, [233, 249], id="the distribution of one draw is that of all"),
        pytest.param("all", "gggrgg", 182, [154, 192], id="the paper's depth"),
        pytest.param("nodes", None, 251, None, id="every node of the graph, unlimited depth"),
        pytest.param("nodes", "gggrgg", 193, None, id="every node of the graph, the paper's depth"),
        pytest.param("canonical", None, 400, None, id="canonical"),
        pytest.param("canonical", "g4(rg4)6", 400, None, id="canonical, as deep as the models"),
    ],
)
def test_brec(data_dir: Path, policy: str, structure: str | None, separated: int, by_ties: list[int] | None) -> None:
    found = evaluate(policy, "brec", structure=structure, data=data_dir)
    assert found.total == (400, separated, 800, 0)
    assert found.details.get("separated_by_every_tie_and_by_some") == by_ties


def test_the_first_node_instead_of_blisss_is_no_canonical_choice(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wlt.recoloring.choice.canonical_order", lambda graph, colors: np.arange(graph.num_nodes))
    failures = evaluate("canonical", "brec", data=data_dir).total.control_failures
    page = (Path(__file__).parents[2] / "docs" / "expressiveness.md").read_text("utf-8")
    assert f"would tell {failures} of BREC's 800 graphs from their own copies" in page


@pytest.mark.parametrize("seed", [1, 2])
def test_canonical_is_complete_whatever_the_numbers_of_the_nodes(data_dir: Path, seed: int) -> None:
    benchmark = load("brec", data_dir).relabelled(seed)
    assert by_colors(benchmark, Recolor("canonical"), seed=seed + 10).total == (400, 400, 800, 0)


@pytest.mark.parametrize(
    ("name", "pairs", "controls"),
    [("csl", 45, 10), ("exp", 600, 1200), ("sr25", 105, 15), ("graph8c", 11117 * 11116 // 2, 11117)],
)
def test_canonical_tells_all_graphs_of_the_other_benchmarks_apart(
    data_dir: Path, name: str, pairs: int, controls: int
) -> None:
    assert evaluate("canonical", name, data=data_dir).total == (pairs, pairs, controls, 0)


FAMILIES = [
    pytest.param(chang_graphs, (12, 6, 4), id="T(8)-and-Chang-SR(28,12,6,4)"),
    pytest.param(latin_squares_of_order_6, (15, 6, 6), id="Latin-squares-SR(36,15,6,6)"),
    pytest.param(latin_squares_of_order_8, (21, 8, 6), id="Latin-squares-SR(64,21,8,6)"),
    pytest.param(lambda: [as_graph(shrikhande_graph()), as_graph(rook_graph())], (6, 2, 2), id="SR(16,6,2,2)"),
]


@pytest.mark.parametrize(("family", "parameters"), FAMILIES)
def test_strongly_regular_families_from_formulas(family: object, parameters: tuple[int, int, int]) -> None:
    made: list[Graph] = family()  # type: ignore[operator]
    assert all(is_strongly_regular(graph, *parameters) for graph in made)
    assert not any(g.to_igraph().isomorphic(h.to_igraph()) for g, h in combinations(made, 2))
    pairs = len(made) * (len(made) - 1) // 2
    assert by_colors(together(*made), None).total == (pairs, 0, len(made), 0)
    for seed in range(3):
        found = by_colors(together(*made), Recolor("canonical"), seed=seed)
        assert found.total == (pairs, pairs, len(made), 0)


@pytest.mark.parametrize("special", [0, 1], ids=["one-of-color-1", "one-of-color-0"])
def test_recolored_nodes_are_not_taken_for_those_of_another_color(special: int) -> None:
    """K4,4 with one node of another colour, until all nodes differ."""
    colors = np.full(8, special, np.int32)
    colors[2] = 1 - special
    graph = Graph.from_edges(8, [(u, v) for u in range(4) for v in range(4, 8)])
    benchmark = Benchmark(as_graphs(graph, node_labels=colors), (np.array([0]),), ("one",))
    for seed in range(12):
        assert by_colors(benchmark, Recolor("canonical"), seed=seed).total == (0, 0, 1, 0)


@pytest.mark.parametrize(("recolor", "structure"), DETERMINISTIC)
@given(colored_graphs(), st.integers(0, 9))
def test_copies_are_never_separated(
    recolor: Recolor | None, structure: str | None, colored: tuple[Graph, list[int] | None], seed: int
) -> None:
    graph, colors = colored
    if graph.num_nodes == 0:
        return
    graphs = as_graphs(graph, node_labels="degrees" if colors is None else colors)
    benchmark = Benchmark(graphs, (np.array([0]),), ("one",))
    assert by_colors(benchmark, recolor, structure, seed).total == (0, 0, 1, 0)


@pytest.mark.parametrize(("recolor", "structure"), DETERMINISTIC)
@given(graphs(7), graphs(7), st.integers(0, 9))
def test_what_is_separated_is_not_isomorphic(
    recolor: Recolor | None, structure: str | None, g: Graph, h: Graph, seed: int
) -> None:
    if g.num_nodes == 0 or h.num_nodes == 0:
        return
    found = by_colors(together(g, h), recolor, structure, seed).total
    different = not g.to_igraph().isomorphic(h.to_igraph())
    assert found.control_failures == 0
    assert found.separated <= different
    if recolor == Recolor("canonical") and structure is None:
        assert found.separated == different


def outcomes(pair: tuple[Graph, Graph], before: int, after: int) -> tuple[list[Counter[object]], ...]:
    """Brute force: for each of the classes that tie, and each graph, the multiset of what recoloring one node gives."""

    def rounds(graph: Graph, colors: list[object], number: int) -> list[object]:
        for _ in range(number):  # colours are nested tuples: no numbers, no hashes of ours
            colors = [
                (colors[v], tuple(sorted((colors[u] for u in graph.neighbors_of(v)), key=repr)))
                for v in range(graph.num_nodes)
            ]
            colors = [hash(color) for color in colors]
        return colors

    found: list[dict[object, Counter[object]]] = []
    for graph in pair:
        colors = rounds(graph, [0] * graph.num_nodes, before)
        sizes = Counter(colors)
        tied = [color for color, size in sizes.items() if size == max(sizes.values()) and size > 1]
        found.append({})
        for color in tied:
            found[-1][color] = Counter()
            for v in [v for v in range(graph.num_nodes) if colors[v] == color]:
                marked = [("new", c) if u == v else c for u, c in enumerate(colors)]
                found[-1][color][frozenset(Counter(rounds(graph, marked, after)).items())] += 1
    return tuple([one[color] for color in sorted(found[0].keys(), key=repr)] for one in found)


def test_all_agrees_with_brute_force_on_pairs_that_wl_cannot_tell_apart() -> None:
    several = 0
    for pair in equivalent_pairs():
        first, second = outcomes(pair, 3, 2)
        apart = [a != b for a, b in zip(first, second, strict=True)]
        found = by_colors(together(*pair), Recolor("all"), "gggrgg")
        assert found.details["separated_by_every_tie_and_by_some"] == [all(apart), any(apart)]
        assert all(apart) <= found.total.separated <= any(apart)
        several += len(apart) > 1
    assert several  # ties are among them


@pytest.mark.parametrize("policy", ["half", "2", "half,draws:8", "100%"])
def test_several_nodes_cannot_be_enumerated(policy: str) -> None:
    with pytest.raises(ValueError, match=f"{policy} has too many draws"):
        evaluate(policy, "csl")


def test_too_many_recolorings_to_enumerate_are_refused() -> None:
    with pytest.raises(ValueError, match="too many outcomes to enumerate; use fewer recolorings, or canonical"):
        separate_colors(load("csl"), Recolor("all"), Structure("g8(rg8)3"), budget=10_000)
