"""The front page's table of what other libraries do, tried with those that are installed here.

What a library does not do cannot be tried: where the table says "–" its sources have no name that tells of it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
LIBRARIES = {
    "networkx": "networkx",
    "igraph": "igraph",
    "PyG": "torch_geometric",
    "grakel": "grakel",
    "BREC's package": "brec",
}
"""Columns of the table, and what is imported for them."""

HEXAGON = nx.cycle_graph(6)
TRIANGLES = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))


def table() -> dict[str, dict[str, str]]:
    """row -> column -> cell"""
    lines = re.findall(r"^\| .*\|$|^\| \|.*\|$", README.split("## What it does that others do not")[1], re.MULTILINE)
    head, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[: lines.index("| | |")])
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


def networkx_hashes() -> None:
    assert "iterations" in inspect.signature(nx.weisfeiler_lehman_graph_hash).parameters
    assert nx.weisfeiler_lehman_graph_hash(HEXAGON) == nx.weisfeiler_lehman_graph_hash(TRIANGLES)
    paths = [nx.disjoint_union(nx.path_graph(10), nx.path_graph(14)), nx.disjoint_union(*[nx.path_graph(12)] * 2)]
    few, many = ([nx.weisfeiler_lehman_graph_hash(path, iterations=n) for path in paths] for n in (2, 6))
    assert few[0] == few[1]  # not to stability: two rounds are too few here
    assert many[0] != many[1]


def networkx_isomorphism() -> None:
    for test in (nx.is_isomorphic, nx.vf2pp_is_isomorphic):
        assert not test(HEXAGON, TRIANGLES)
        assert test(HEXAGON, nx.relabel_nodes(HEXAGON, {0: 3, 3: 0}))


def igraph_isomorphism() -> None:
    igraph = pytest.importorskip("igraph")
    one, two = (igraph.Graph(edges=list(graph.edges)) for graph in (HEXAGON, TRIANGLES))
    for test in ("isomorphic_bliss", "isomorphic_vf2"):
        assert not getattr(one, test)(two)
        assert getattr(one, test)(one.permute_vertices([3, 4, 5, 0, 1, 2]))


def functions_in(library: str, at_least: int) -> Callable[[], None]:
    def counted() -> None:
        module = import_module(library)
        owner = module.Graph if library == "igraph" else module
        found = [name for name in dir(owner) if not name.startswith("_") and callable(getattr(owner, name))]
        assert len(found) >= at_least, len(found)

    return counted


def wl_conv() -> None:
    torch, layers = pytest.importorskip("torch"), pytest.importorskip("torch_geometric.nn")
    path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    once = layers.WLConv()(torch.zeros(3, dtype=torch.long), path)
    assert once[0] == once[2] != once[1]


def many_more_layers() -> None:
    from wlt.nn import Baseline  # noqa: F401  # ours: four of the layers below, and WLT-GNN

    layers = pytest.importorskip("torch_geometric.nn")
    convolutions = {name for name in dir(layers) if name.endswith("Conv")}
    assert {"GINConv", "GINEConv", "GCNConv", "SAGEConv", "GATConv"} <= convolutions
    assert len(convolutions) > 40


def some_algorithms() -> None:
    utils = pytest.importorskip("torch_geometric.utils")
    assert {"k_hop_subgraph", "get_ppr", "tree_decomposition"} <= set(dir(utils))


def grakel_graphs() -> Any:
    grakel = pytest.importorskip("grakel")
    return list(grakel.graph_from_networkx([_labelled(HEXAGON), _labelled(TRIANGLES)], node_labels_tag="a"))


def _labelled(graph: Any) -> Any:
    copy = graph.copy()
    nx.set_node_attributes(copy, "x", "a")
    return copy


def wl_kernel() -> None:
    from grakel.kernels import WeisfeilerLehman

    kernel = WeisfeilerLehman(n_iter=3, normalize=True).fit_transform(grakel_graphs())
    assert kernel[0, 1] == pytest.approx(1.0)


def many_kernels() -> None:
    kernels = pytest.importorskip("grakel.kernels")
    classes = {value for value in vars(kernels).values() if inspect.isclass(value)}
    assert sum(issubclass(one, kernels.Kernel) for one in classes) > 10


def kernels_for_a_classifier() -> None:
    from grakel.kernels import WeisfeilerLehman
    from sklearn.base import BaseEstimator
    from sklearn.svm import SVC

    assert issubclass(WeisfeilerLehman, BaseEstimator)
    assert not hasattr(WeisfeilerLehman, "predict")
    SVC(kernel="precomputed").fit(WeisfeilerLehman(n_iter=3).fit_transform(grakel_graphs()), [0, 1])


def brec_is_there() -> None:
    assert find_spec("brec.dataset")
    assert find_spec("brec.evaluator")


CLAIMS: dict[tuple[str, str], tuple[str, Callable[[], None]]] = {
    ("networkx", "Weisfeiler-Leman on two graphs"): ("a hash after a given number of rounds", networkx_hashes),
    ("networkx", "exact isomorphism"): ("yes (VF2, VF2++)", networkx_isomorphism),
    ("networkx", "graph algorithms beyond these"): ("hundreds", functions_in("networkx", 300)),
    ("igraph", "exact isomorphism"): ("yes (BLISS, VF2)", igraph_isomorphism),
    ("igraph", "graph algorithms beyond these"): ("hundreds", functions_in("igraph", 300)),
    ("PyG", "Weisfeiler-Leman on two graphs"): ("one round as an operator (`WLConv`)", wl_conv),
    ("PyG", "neural networks on graphs"): ("many more layers and models", many_more_layers),
    ("PyG", "graph algorithms beyond these"): ("some", some_algorithms),
    ("grakel", "Weisfeiler-Leman on two graphs"): ("as a kernel", wl_kernel),
    ("grakel", "classifiers with scikit-learn's conventions"): (
        "kernels, for a classifier of your choice",
        kernels_for_a_classifier,
    ),
    ("grakel", "graph kernels"): ("many", many_kernels),
    ("BREC's package", "the BREC benchmark"): ("yes, it is its home", brec_is_there),
}

WORDS = {
    "Weisfeiler-Leman on two graphs": ("weisfeiler", "wlconv"),
    "Tinhofer's algorithm, with a mapping that is checked": ("tinhofer",),
    "exact isomorphism": ("isomorphic",),
    "says how far an answer can be trusted (amenable, compact, ...)": ("amenable", "refinable"),
    "neural networks on graphs": ("sageconv", "ginconv", "gcnconv"),
    "classifiers with scikit-learn's conventions": ("predict_proba",),
    "the best accuracy that a dataset allows, before training": ("ceiling",),
    "the BREC benchmark": ("brec",),
    "graph algorithms beyond these": ("shortest_paths", "betweenness"),
    "graph kernels": ("graph_kernel", "graphkernel"),
}
"""Of every row: what a library that has it would name it, in lower case."""


def installed(column: str) -> str:
    if find_spec(LIBRARIES[column]) is None:
        pytest.skip(f"{LIBRARIES[column]} is not installed")
    return LIBRARIES[column]


@pytest.mark.parametrize(("column", "row"), CLAIMS)
def test_what_a_library_does(column: str, row: str) -> None:
    said, tried = CLAIMS[column, row]
    assert table()[row][column] == said
    installed(column)
    tried()


def test_every_claim_about_others_is_tried() -> None:
    claims = {(column, row) for row, cells in table().items() for column in LIBRARIES if cells[column] != "–"}
    assert claims == set(CLAIMS)
    assert set(table()) == set(WORDS)


@pytest.mark.parametrize("column", LIBRARIES)
def test_what_a_library_does_not_do_has_no_name_in_it(column: str) -> None:
    library = installed(column)
    names = public_names(library)
    for row, cells in table().items():
        if cells[column] == "–":
            found = {name for name in names for word in WORDS[row] if word in name.lower()}
            assert not found, row


def public_names(library: str) -> set[str]:
    """Of the modules of a library, and of their functions, classes and methods, read and not imported."""
    names: set[str] = set()
    for folder in import_module(library).__path__:
        for path in Path(folder).rglob("*.py"):
            if not path.name.startswith("test_"):
                definitions = re.findall(r"^\s*(?:def|class) ([A-Za-z]\w*)", path.read_text("utf-8"), re.MULTILINE)
                names |= {path.stem, *definitions}
    return names
