"""Fullerenes: published counts, planar embeddings (networkx), canonical forms (igraph) and a naive spiral."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from wlt.data import fullerene_spirals, fullerenes
from wlt.graph import Graph
from wlt.refine.partition import closure

# Fowler and Manolopoulos, An Atlas of Fullerenes, table of isomer counts
COUNTS = {20: 1, 22: 0, 24: 1, 26: 1, 28: 2, 30: 3, 32: 6, 34: 6, 36: 15, 38: 17, 40: 40, 42: 45, 44: 89, 46: 116}
COUNTS |= {48: 199, 50: 271}
LARGE_COUNTS = {52: 437, 54: 580, 56: 924, 58: 1205, 60: 1812}

SMALL = list(range(20, 41, 2))


@pytest.fixture(scope="module")
def small():
    """Every isomer up to C40, with its name."""
    dataset = fullerenes(SMALL)
    return list(zip(dataset.names, dataset.union, dataset.class_numbers.tolist(), strict=True))


def faces_of(graph: Graph) -> list[frozenset[int]]:
    """The faces of the planar embedding that networkx finds (a fullerene is 3-connected: there is only one)."""
    planar, embedding = nx.check_planarity(graph.to_networkx())
    assert planar
    marked: set[tuple[int, int]] = set()
    faces = []
    for u, v in embedding.edges():
        if (u, v) not in marked:
            faces.append(frozenset(embedding.traverse_face(u, v, marked)))
    return faces


def face_graph(faces: list[frozenset[int]]) -> dict[int, set[int]]:
    """Faces are neighbours when they share an edge, which is two atoms."""
    neighbors: dict[int, set[int]] = {i: set() for i in range(len(faces))}
    for i, j in itertools.combinations(range(len(faces)), 2):
        if len(faces[i] & faces[j]) == 2:
            neighbors[i].add(j)
            neighbors[j].add(i)
    return neighbors


def spiral_from(neighbors: dict[int, set[int]], start: tuple[int, int, int]) -> list[int] | None:
    """The spiral that begins with three mutually adjacent faces, or None where it gets stuck."""
    order = list(start)
    while len(order) < len(neighbors):
        seen = set(order)
        front = next(face for face in order if neighbors[face] - seen)
        following = (neighbors[front] & neighbors[order[-1]]) - seen
        if len(following) != 1:
            return None
        order += following
    return order


@pytest.mark.parametrize(("n", "count"), COUNTS.items(), ids=[f"C{n}" for n in COUNTS])
def test_number_of_isomers(n, count):
    assert len(fullerene_spirals(n)) == count


@pytest.mark.slow
@pytest.mark.parametrize(("n", "count"), LARGE_COUNTS.items(), ids=[f"C{n}" for n in LARGE_COUNTS])
def test_number_of_larger_isomers(n, count):
    assert len(fullerene_spirals(n)) == count


def test_default_is_c36_to_c44():
    dataset = fullerenes()
    assert len(dataset) == 206
    assert sorted(set(dataset.union.graph_sizes.tolist())) == [36, 38, 40, 42, 44]
    assert dataset.names[0] == "C36:1"
    assert dataset.names[-1] == "C44:89"
    majority = np.bincount(dataset.class_numbers).max()
    assert round(100 * majority / len(dataset), 1) == 55.8


def test_isomers_are_cubic_planar_and_connected(small):
    for name, graph, _ in small:
        n = int(name[1:].split(":")[0])
        assert graph.num_nodes == n
        assert (graph.degrees == 3).all()
        assert nx.is_connected(graph.to_networkx())
        sizes = sorted(len(face) for face in faces_of(graph))
        assert sizes == [5] * 12 + [6] * (n // 2 - 10), name


def test_wl_sees_one_class_of_nodes(small):
    union = Graph.union([graph for _, graph, _ in small])
    assert closure(union).max() == 0


def test_no_two_isomers_are_isomorphic():
    dataset = fullerenes(range(36, 46, 2))
    forms = set()
    for graph in dataset.union:
        other = graph.to_igraph()
        other = other.permute_vertices(other.canonical_permutation())
        forms.add((graph.num_nodes, tuple(sorted(tuple(sorted(edge)) for edge in other.get_edgelist()))))
    assert len(forms) == len(dataset)


def test_label_is_more_edges_between_pentagons_than_the_median(small):
    fused: dict[str, list[int]] = {}
    labels: dict[str, list[int]] = {}
    for name, graph, label in small:
        pentagons = [face for face in faces_of(graph) if len(face) == 5]
        shared = sum(len(p & q) == 2 for p, q in itertools.combinations(pentagons, 2))
        fused.setdefault(name.split(":")[0], []).append(shared)
        labels.setdefault(name.split(":")[0], []).append(label)
    for size, shared_edges in fused.items():
        median = sorted(shared_edges)[(len(shared_edges) - 1) // 2] + sorted(shared_edges)[len(shared_edges) // 2]
        assert labels[size] == [int(2 * count > median) for count in shared_edges], size


@pytest.mark.parametrize("n", [20, 24, 28, 34, 36], ids=lambda n: f"C{n}")
def test_each_spiral_is_the_smallest_of_its_graph(n):
    spirals = fullerene_spirals(n).tolist()
    assert spirals == sorted(spirals)
    for spiral, graph in zip(spirals, fullerenes([n]).union, strict=True):
        faces = faces_of(graph)
        neighbors = face_graph(faces)
        starts = [(a, b, c) for a in neighbors for b in neighbors[a] for c in neighbors[a] & neighbors[b]]
        orders = [order for start in starts if (order := spiral_from(neighbors, start)) is not None]
        assert spiral == min([len(faces[face]) for face in order] for order in orders)


def test_sizes_without_isomers_and_no_sizes():
    assert len(fullerenes([22])) == 0
    assert len(fullerenes([])) == 0
    assert fullerenes([22, 24]).names == ("C24:1",)


@pytest.mark.parametrize(
    ("sizes", "error", "message"),
    [
        pytest.param([37], ValueError, "C37: the size must be even, from 20 to", id="odd"),
        pytest.param([18], ValueError, "C18: the size must be even, from 20 to", id="too-small"),
        pytest.param([1000], ValueError, "C1000: the size must be even, from 20 to", id="too-large"),
        pytest.param([36.0], TypeError, "whole number of atoms, not 36.0", id="float"),
        pytest.param([True], TypeError, "whole number of atoms", id="bool"),
        pytest.param([36, 36], ValueError, "a size stands twice", id="twice"),
    ],
)
def test_bad_sizes(sizes, error, message):
    with pytest.raises(error, match=message):
        fullerenes(sizes)
