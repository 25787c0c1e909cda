"""read_graph: round trips, bad files, and a bounded fuzz of the readers."""

from __future__ import annotations

import tempfile
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sources import MILLION, put, random_graph, simple_graphs, written

from wlt.graph import Graph
from wlt.io import as_graph, node_codes, read_graph, read_graphs, read_source
from wlt.io.text import FREE_NODES


def gml_by_igraph(graph: Graph) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "g.gml")
        graph.to_igraph().write_gml(str(path))
        return path.read_bytes()


def edge_lines(graph: Graph, separator: str, end: str = "") -> bytes:
    lines = [f"# nodes: {graph.num_nodes}", *(f"{u}{separator}{v}{end}" for u, v in graph.edges().tolist())]
    return "\n".join(lines).encode()


FILES: dict[str, tuple[str, Callable[[Graph], bytes]]] = {
    "graph6": ("a.g6", lambda g: nx.to_graph6_bytes(g.to_networkx())),
    "graph6, suffix in capitals": ("a.GRAPH6", lambda g: nx.to_graph6_bytes(g.to_networkx(), header=False)),
    "sparse6": ("a.s6", lambda g: nx.to_sparse6_bytes(g.to_networkx())),
    "graphml": ("a.graphml", lambda g: written(nx.write_graphml, g.to_networkx())),
    "graphml without namespace": (
        "b.graphml",
        lambda g: (
            b'<graphml><graph edgedefault="undirected">'
            + b"".join(b'<node id="%d"/>' % v for v in range(g.num_nodes))
            + b"".join(b'<edge source="%d" target="%d"/>' % (u, v) for u, v in g.edges().tolist())
            + b"</graph></graphml>"
        ),
    ),
    "gml": ("a.gml", lambda g: written(nx.write_gml, g.to_networkx())),
    "gml by igraph": ("b.gml", gml_by_igraph),
    "mtx symmetric": ("a.mtx", lambda g: written(scipy.io.mmwrite, g.to_scipy().tocoo())),
    "mtx general": ("b.mtx", lambda g: written(scipy.io.mmwrite, g.to_scipy(), "", None, None, "general")),
    "spaces": ("a.edges", lambda g: edge_lines(g, "  ")),
    "tabs": ("a.tsv", lambda g: edge_lines(g, "\t")),
    "commas": ("a.csv", lambda g: edge_lines(g, ", ")),
    "weights": ("a.edgelist", lambda g: edge_lines(g, " ", " 0.5")),
    "Windows": ("a.txt", lambda g: edge_lines(g, " ").replace(b"\n", b"\r\n")),
    "networkx edge data": ("b.edgelist", lambda g: edge_lines(g, " ", " {'weight': 1, 'kind': 'a'}")),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


def test_an_empty_path_is_not_the_current_folder() -> None:
    for read in (read_graph, read_graphs):
        with pytest.raises(ValueError, match="an empty path; the name of a file is needed"):
            read("")


@pytest.mark.parametrize("form", FILES)
@settings(max_examples=15)
@given(graph=simple_graphs())
def test_file_round_trip(folder: Path, form: str, graph: Graph) -> None:
    name, write = FILES[form]
    path = put(folder, name, write(graph))
    assert read_graph(path).same_edges(graph)
    assert read_graph(str(path), index=0).same_edges(graph)
    assert [each.same_edges(graph) for each in read_graphs(path)] == [True]
    assert as_graph(read_source(path)).same_edges(graph)


def test_several_graphs_in_a_file(folder: Path) -> None:
    graphs = [random_graph(n, 0.5) for n in (0, 1, 7, 20)]
    lines = [
        nx.to_graph6_bytes(g.to_networkx(), header=False)
        if i % 2
        else nx.to_sparse6_bytes(g.to_networkx(), header=False)
        for i, g in enumerate(graphs)
    ]
    for content in (b"".join(lines), b">>graph6<<\n" + b"\n".join(lines), b"".join(lines).replace(b"\n", b"\r\n")):
        path = put(folder, "many.g6", content)
        read = read_graphs(path)
        assert len(read) == 4
        assert all(a.same_edges(b) for a, b in zip(read, graphs, strict=True))
        assert read_graph(path, index=3).same_edges(graphs[3])
    with pytest.raises(ValueError, match=r"many.g6: 4 graphs in this file; choose one by its index, 0 \.\. 3"):
        read_graph(path)
    for index in (4, -1):
        with pytest.raises(ValueError, match=f"many.g6: no graph {index}; the file has 4"):
            read_graph(path, index)


def test_graphml_with_two_graphs(folder: Path) -> None:
    one = '<graph edgedefault="undirected"><node id="a"/><node id="b"/>{}</graph>'
    second = one.format('<edge source="a" target="b"/>')
    path = put(folder, "two.graphml", f"<graphml>{one.format('')}{second}</graphml>")
    assert [graph.num_edges for graph in read_graphs(path)] == [0, 1]
    with pytest.raises(ValueError, match="2 graphs in this file"):
        read_graph(path)


@pytest.mark.parametrize("suffix", ["graphml", "gml"])
def test_attributes_of_files(folder: Path, suffix: str) -> None:
    graph = nx.Graph([("é", "b"), ("b", "c")])
    nx.set_node_attributes(graph, {"é": "red", "b": "blue", "c": "red"}, "shade")
    path = put(folder, f"shades.{suffix}", written(getattr(nx, f"write_{suffix}"), graph))
    assert node_codes([read_source(path)], "shade")[0][0].tolist() == [1, 0, 1]
    assert read_graph(path).edges().tolist() == [[0, 1], [1, 2]]


def test_graphml_defaults_are_values(folder: Path) -> None:
    path = put(
        folder,
        "default.graphml",
        '<graphml><key id="k" for="node" attr.name="kind" attr.type="int"><default>7</default></key>'
        '<graph edgedefault="undirected"><node id="a"/><node id="b"><data key="k">8</data></node></graph></graphml>',
    )
    assert node_codes([read_source(path)], "kind")[1] == {7: 0, 8: 1}


def test_a_million_isolated_nodes_in_files(folder: Path) -> None:
    for name, content in [
        ("iso.edges", f"# nodes: {MILLION}\n"),
        ("iso.mtx", f"%%MatrixMarket matrix coordinate pattern symmetric\n{MILLION} {MILLION} 0\n"),
        ("iso.csv", f"# nodes: {MILLION}\nsource,target\n"),
    ]:
        assert repr(read_graph(put(folder, name, content))) == f"Graph(nodes={MILLION}, edges=0)"


@pytest.mark.parametrize(
    ("name", "content", "nodes", "edges"),
    [
        pytest.param("a.txt", "0 1\n4 1\n", 5, [[0, 1], [1, 4]], id="gaps are isolated nodes"),
        pytest.param("a.txt", "# nodes: 7\n0 1\n", 7, [[0, 1]], id="stated nodes"),
        pytest.param("a.txt", "% Nodes: 3 Edges: 2\n10 20\n20 35\n", 3, [[0, 1], [1, 2]], id="SNAP closes gaps"),
        pytest.param("a.txt", f"# Nodes: 2 Edges: 1\n{10**17} {10**18 - 1}\n", 2, [[0, 1]], id="large numbers"),
        pytest.param("a.txt", "# words\n% more\n\n0 1 # inline\n# nodes: 9\n", 2, [[0, 1]], id="comments"),
        pytest.param("a.txt", "007 1\n7 0", 8, [[0, 7], [1, 7]], id="leading zeros, no last newline"),
        pytest.param("a.txt", "bob amy\namy cat\n", 3, [[0, 1], [1, 2]], id="names by appearance"),
        pytest.param("a.txt", "1 x\nx 0\n", 3, [[0, 1], [1, 2]], id="numbers among names are names"),
        pytest.param("a.txt", "# nodes: 5\na b\n", 5, [[0, 1]], id="names and isolated nodes"),
        pytest.param("a.csv", "source,target,weight\n0,1,nan\n2,1,7\n", 3, [[0, 1], [1, 2]], id="title line"),
        pytest.param("a.csv", "Source,Target\na,b\n", 2, [[0, 1]], id="title line above names"),
        pytest.param("a.tsv", "u\tv\n0\t1\n", 2, [[0, 1]], id="any title above numbers"),
        pytest.param("a.csv", ",source,target\n0,0,2\n1,3,2\n", 4, [[0, 2], [2, 3]], id="pandas index"),
        pytest.param("a.tsv", "\tsource\ttarget\n0\t0\t2\n", 3, [[0, 2]], id="pandas index and tabs"),
        pytest.param("a.csv", "id,weight,To,From\n7,0.5,b,a\n8,2,b,c\n", 3, [[0, 1], [1, 2]], id="named columns"),
        pytest.param("a.txt", "u v\nv w\n", 3, [[0, 1], [1, 2]], id="names, not a title"),
        pytest.param(
            "a.csv", 'New York,"Boston, MA"\n"Boston, MA",Rome\n', 3, [[0, 1], [1, 2]], id="names with spaces"
        ),
        pytest.param("a.tsv", "New York\tBoston\n", 2, [[0, 1]], id="names with spaces and tabs"),
        pytest.param("a.txt", '"a" "b"\n', 2, [[0, 1]], id="quotes"),
        pytest.param("a.txt", "\ufeff0 1\n", 2, [[0, 1]], id="byte order mark"),
        pytest.param("a.txt", "0 1\r1 2\r", 3, [[0, 1], [1, 2]], id="old Mac"),
        pytest.param("a.edges", "0 1\n1 1\n", 2, [[0, 1]], id="a loop"),
        pytest.param("a.csv", "0 1\n1,2\n", 3, [[0, 1], [1, 2]], id="separators by line"),
        pytest.param("a.txt", "é ü\n", 2, [[0, 1]], id="not ASCII"),
    ],
)
def test_edge_list(folder: Path, name: str, content: str, nodes: int, edges: list[list[int]]) -> None:
    graph = read_graph(put(folder, name, content))
    assert (graph.num_nodes, graph.edges().tolist()) == (nodes, edges)


def test_edge_list_counts_loops_and_repeats(folder: Path) -> None:
    graph = read_graph(put(folder, "loops.txt", "0 1\n1 0\n0 1\n1 1\n"))
    assert (graph.num_edges, graph.removed_loops, graph.removed_repeats) == (1, 1, 1)
    assert graph.ignored == ("1 loop", "1 repeated edge")


def test_an_edge_list_that_counts_from_one(folder: Path) -> None:
    triangle = "1 2\n2 3\n3 1\n"
    with pytest.warns(UserWarning, match="nodes are counted from 1"):
        graph = read_graph(put(folder, "from_one.edges", triangle))
    assert (graph.num_nodes, graph.num_edges, graph.names) == (3, 3, (1, 2, 3))
    with pytest.warns(UserWarning, match="an edge list without node 0, which is taken to be isolated"):
        assert read_graph(put(folder, "gap.edges", "1 2\n2 4\n")).num_nodes == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_graph(put(folder, "stated.edges", f"# Nodes: 3 Edges: 3\n{triangle}")).num_nodes == 3
        assert read_graph(put(folder, "isolated.edges", f"# nodes: 4\n{triangle}")).num_nodes == 4
        assert read_graph(put(folder, "from_zero.edges", f"0 1\n{triangle}")).num_nodes == 4


@pytest.mark.parametrize(
    ("name", "content", "edge_labels", "labels", "ignored"),
    [
        pytest.param("a.txt", "0 1 x\n1 2 y\n", "auto", None, ("column 3 of the edge list",), id="unused"),
        pytest.param("a.txt", "0 1 x 7\n1 2 y 8\n", "3", ["x", "y"], ("column 4 of the edge list",), id="third"),
        pytest.param("a.txt", "0 1 x\n1 2 y\n", None, None, ("column 3 of the edge list",), id="none wanted"),
        pytest.param("a.txt", "0 1 1\n1 2 2.5\n", "3", [1.0, 2.5], (), id="numbers"),
        pytest.param("a.csv", "source,target,Type\n0,1,x\n1,2,y\n", "auto", ["x", "y"], (), id="type"),
        pytest.param(
            "a.csv",
            "label,from,to,at\nx,0,1,5\ny,1,2,6\n",
            "auto",
            ["x", "y"],
            ("column 'at' of the edge list",),
            id="label",
        ),
        pytest.param(
            "a.csv", "u,v,weight\n0,1,5\n1,2,6\n", "auto", None, ("column 'weight' of the edge list",), id="weight"
        ),
        pytest.param("a.csv", "u,v,weight\n0,1,5\n1,2,6\n", "weight", [5, 6], (), id="weight on request"),
    ],
)
def test_columns_of_an_edge_list(
    folder: Path, name: str, content: str, edge_labels: str | None, labels: list[Any] | None, ignored: tuple[str, ...]
) -> None:
    graph = read_graph(put(folder, name, content), edge_labels=edge_labels)
    assert graph.same_edges(Graph.from_edges(3, [(0, 1), (1, 2)], edge_labels=labels))
    assert graph.ignored == ignored


@pytest.mark.parametrize(
    ("name", "content", "edge_labels", "message"),
    [
        pytest.param(
            "e.txt", "0 1 2\n1 2\n", "3", r"edge \(1, 2\): no attribute '3', which other edges have", id="some"
        ),
        pytest.param("e.txt", "0 1 nan\n", "3", r"edge \(0, 1\): 3 is NaN", id="NaN"),
        pytest.param("e.txt", "a b x\n", "kind", "no edge has such an attribute; there are: '3'", id="no such column"),
        pytest.param("e.txt", "0 1 2\n1 0 3\n", "3", r"edge \(0, 1\) has the label 2 and \(1, 0\) has 3", id="two"),
    ],
)
def test_columns_that_cannot_be_labels(folder: Path, name: str, content: str, edge_labels: str, message: str) -> None:
    path = put(folder, name, content)
    with pytest.raises(ValueError, match=message) as caught:
        read_graph(path, edge_labels=edge_labels)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("suffix", ["graphml", "gml"])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_directed_labelled_and_multiple_edges_of_files(folder: Path, suffix: str, kind: Any) -> None:
    graph = kind()
    graph.add_nodes_from("abc")
    graph.add_edge("a", "b", bond="x")
    graph.add_edge("a", "b", bond="y")
    graph.add_edge("b", "a", bond="y")
    graph.add_edge("b", "c", bond="z")
    path = put(folder, f"kinds.{suffix}", written(getattr(nx, f"write_{suffix}"), graph))
    again = read_graph(path, edge_labels="bond")
    assert again.same_edges(as_graph(graph, edge_labels="bond"))
    assert again.names == ("a", "b", "c")
    assert read_graph(path).ignored == ("the edge attribute 'bond'",)


def test_directed_and_weighted_matrix_files(folder: Path) -> None:
    matrix = scipy.sparse.coo_array([[0, 2, 0], [2, 0, 3], [0, 0, 0]])
    path = put(folder, "weights.mtx", written(scipy.io.mmwrite, matrix))
    directed = np.array([False, True])
    assert read_graph(path).same_edges(Graph.from_edges(3, [(0, 1), (1, 2)], directed=directed, multigraph=True))
    assert read_graph(path).ignored == ("the weights of the matrix",)
    weighted = Graph.from_edges(3, [(0, 1), (1, 2)], edge_labels=[2, 3], directed=directed, multigraph=True)
    assert read_graph(path, edge_labels="weight").same_edges(weighted)


def test_names_of_nodes_survive(folder: Path) -> None:
    assert read_graph(put(folder, "names.txt", "bob amy\namy cat\n")).names == ("bob", "amy", "cat")
    assert read_graph(put(folder, "numbers.txt", "0 1\n")).names == ()
    assert read_graph(put(folder, "gaps.txt", "# Nodes: 3 Edges: 2\n10 20\n20 35\n")).names == (10, 20, 35)


MM = "%%MatrixMarket matrix coordinate"
XML = '<graphml><graph edgedefault="{}"><node id="a"/><node id="b"/>{}</graph></graphml>'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("bad.xyz", "0 1", "unknown suffix '.xyz'; known are .g6, .graph6", id="unknown suffix"),
        pytest.param("bad", "nothing that anyone knows", "no known format; name it by its suffix", id="no suffix"),
        *[
            pytest.param(f"bad{suffix}", content, "the file is empty", id=f"empty {suffix}{len(content)}")
            for suffix in (".g6", ".s6", ".txt", ".csv", ".mtx", ".gml", ".graphml")
            for content in ("", " \n\n")
        ],
        pytest.param("bad.g6", "Bw\nD?\n", "line 2: truncated graph6 text: 5 nodes need 2", id="truncated graph6"),
        pytest.param(
            "bad.g6", "\nBw\nB\xff\n".encode("latin-1"), "line 3: graph6 text: illegal .* position 1", id="bytes"
        ),
        pytest.param("bad.g6", ">>graph6<<\n", "no graph in this file", id="header only"),
        pytest.param(
            "bad.g6", "Bw Bw\n", "line 1: graph6 text: illegal character ' ' at position 2", id="two in a line"
        ),
        pytest.param("bad.s6", ":~~~~~~~~\n", "line 1: 68719476735 nodes in a text of 9 bytes", id="sparse6 huge"),
        pytest.param("bad.txt", "0 1\n2\n", "line 2: one end only, '2'", id="one token"),
        pytest.param("bad.txt", "0;1\n", "line 1: one end only, '0;1'; .* comma, a tab or spaces", id="semicolon"),
        pytest.param("bad.txt", "0 # 1\n", "line 1: one end only, '0'", id="comment instead of an end"),
        pytest.param("bad.csv", "0,1\n2,\n", "line 2: an end without a name", id="empty cell"),
        pytest.param("bad.csv", ",source,target\n0,1\n", "line 2: 2 columns, and the title has more", id="short line"),
        pytest.param("bad.tsv", "\t0\t1\n", "line 1: an end without a name", id="empty first column"),
        pytest.param("bad.csv", 'a,"b\nc,d\n', "line 1: ", id="open quote"),
        pytest.param("bad.txt", "0 1\n-1 2\n", "line 2: '-1' is neither", id="negative number"),
        pytest.param("bad.txt", "0 1\n1 nan\n", "line 2: 'nan' is neither", id="NaN"),
        pytest.param("bad.txt", "a b\n1 NaN\n", "line 2: 'NaN' is neither", id="NaN among names"),
        pytest.param("bad.txt", "0 1.5\n", "line 1: '1.5' is neither a whole number from 0 on nor a name", id="half"),
        pytest.param("bad.txt", "0 1e3\n", "line 1: '1e3' is neither", id="exponent"),
        pytest.param("bad.txt", "1 inf\n2 -7\n", "line 1: 'inf' is neither", id="the first mistake is named"),
        pytest.param("bad.txt", f"0 1\n1 {10**18}\n", f"line 2: edge \\(1, {10**18}\\) in a file", id="huge number"),
        pytest.param("bad.txt", f"0 {2**31 - 2}\n", "line 1: edge", id="largest node number"),
        pytest.param("bad.txt", "0 " + "9" * 5000, "line 1: edge", id="5000 digits"),
        pytest.param("bad.txt", f"# nodes: {10**18}\n", f"{10**18} nodes in a text", id="huge stated number"),
        pytest.param("bad.txt", f"# nodes: {'9' * 5000}\n", "nodes in a text", id="stated 5000 digits"),
        pytest.param(
            "bad.txt", "# nodes: 3\n0 1\n1 3\n", r"line 3: edge \(1, 3\) is out of range: 3 nodes", id="range"
        ),
        pytest.param("bad.txt", "# Nodes: 4 Edges: 1\n1 9\n", r"line 2: edge \(1, 9\) is out of", id="SNAP range"),
        pytest.param("bad.txt", f"# Nodes: 2 Edges: 2\n0 {10**18}\n0 {10**19}\n", "out of range", id="SNAP too large"),
        pytest.param("bad.txt", "# nodes: 1\na b\n", "1 nodes are stated and 2 different names", id="too many names"),
        pytest.param("bad.txt", "# only words\n", "no edges; .* '# nodes: N'", id="no edges"),
        pytest.param("bad.csv", "source,target\n", "no edges", id="title only"),
        pytest.param("bad.txt", b"0 1\n1 \xff\n", "line 2: byte 0xff is no UTF-8 text", id="undecodable"),
        pytest.param("bad.txt", "0 1\n".encode("utf-16-le"), "UTF-16 that does not say so", id="UTF-16"),
        pytest.param("bad.txt", b"0 1\n\x00 1\n", "line 2: a zero byte", id="zero byte"),
        pytest.param("bad.txt", "New York\tBoston\n", "line 1: separators of two kinds", id="spaces and tabs"),
        pytest.param("bad.txt", "New York,Boston\n", "line 1: separators of two kinds", id="spaces and commas"),
        pytest.param("bad.mtx", "garbage", "not readable as MatrixMarket: Line 1", id="no matrix"),
        pytest.param("bad.mtx", f"{MM} pattern symmetric\n3 3 2\n2 1\n", "MatrixMarket: Truncated", id="mtx truncated"),
        pytest.param("bad.mtx", f"{MM} pattern symmetric\n3 3 1\n4 1\n", "Line 3: Row index out of", id="mtx range"),
        pytest.param("bad.mtx", f"{MM} real symmetric\n2 2 1\n2 1 nan\n", "is nan", id="mtx NaN"),
        pytest.param("bad.mtx", f"{MM} real symmetric\n2 2 1\n2 1 -1\n", "negative counts", id="mtx negative"),
        pytest.param("bad.mtx", f"{MM} complex symmetric\n2 2 1\n2 1 1 1\n", "real numbers", id="mtx complex"),
        pytest.param("bad.mtx", f"{MM} pattern general\n2 3 0\n", r"square; .*\(2, 3\)", id="mtx not square"),
        pytest.param(
            "bad.mtx", f"{MM} pattern general\n{10**9} {10**9} 0\n", f"{10**9} nodes in a text", id="mtx huge"
        ),
        pytest.param("bad.mtx", f"{MM} pattern general\n3 3 {10**12}\n", "truncated: the header", id="mtx entries"),
        pytest.param(
            "bad.mtx", f"{MM} pattern general\n{10**30} 3 0\n", "MatrixMarket: Integer out", id="mtx overflow"
        ),
        pytest.param(
            "bad.mtx",
            "%%MatrixMarket matrix array real general\n99999 99999\n",
            "truncated: the header",
            id="mtx array",
        ),
        pytest.param("bad.mtx", f"{MM} real general\n2 2 1\n2 2 1\0\n", "line 3: a zero byte", id="mtx zero byte"),
        pytest.param("bad.gml", "graph [ node [ id 0 ]", "not readable as GML: ", id="gml truncated"),
        pytest.param(
            "bad.gml", "graph [ node [ id 0 ] edge [ source 0 target 1 ] ]", "not readable as GML", id="gml range"
        ),
        pytest.param("bad.gml", b"graph [ \xff ]", "line 1: byte 0xff is no UTF-8", id="gml bytes"),
        pytest.param("bad.graphml", "<graphml>", "not readable as GraphML: no element found", id="graphml truncated"),
        pytest.param(
            "bad.graphml",
            XML.replace("<graph ", '<key id="k" for="node" attr.name="a" attr.type="real"/><graph '),
            "not readable as GraphML: unknown 'real'",
            id="graphml type",
        ),
        pytest.param("bad.graphml", "<html/>", "no graph in this GraphML file", id="other XML"),
        pytest.param(
            "bad.graphml",
            XML.format("undirected", '<edge source="a" target="c"/>'),
            "an edge ends at 'c', which is no node",
            id="graphml range",
        ),
        pytest.param(
            "bad.graphml", XML.format("undirected", '<node id="a"/>'), "3 nodes are declared and 2 read", id="id twice"
        ),
        pytest.param(
            "bad.graphml", XML.format("undirected", '<edge source="a"/>'), "edge without source or target", id="one end"
        ),
        pytest.param(
            "bad.graphml",
            XML.format("undirected", '<edge source="a" target="b" directed="true"/>'),
            "directed=true",
            id="graphml mixed",
        ),
    ],
)
def test_bad_file(folder: Path, name: str, content: str | bytes, message: str) -> None:
    path = put(folder, name, content)
    for read in (read_graph, read_graphs):
        with pytest.raises(ValueError, match=message) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400


def test_missing_file_and_folder(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"a\x00\.g6: embedded null byte"):
        read_graph("a\0.g6")
    with pytest.raises(ValueError, match=r"nowhere\.g6: No such file"):
        read_graph(folder / "nowhere.g6")
    (folder / "folder.txt").mkdir()
    with pytest.raises(ValueError, match=r"folder\.txt: Is a directory"):
        read_graph(folder / "folder.txt")


@pytest.mark.parametrize("path", [None, 3, Graph.from_edges(1, [])], ids=["None", "int", "Graph"])
def test_not_a_path(path: Any) -> None:
    with pytest.raises(TypeError):
        read_graph(path)


END = st.one_of(
    st.integers(0, 30).map(str),
    st.sampled_from(
        ["0", "a", "b c", "-1", "nan", "1.5", str(10**18), str(2**31), '"', "{", "#", "", "\0", "é", "source"]
    ),
    st.text(max_size=4),
)
LINE = st.one_of(
    st.builds(
        "{}{}{}{}".format, END, st.sampled_from([" ", ",", "\t", ", ", ";"]), END, st.sampled_from(["", " 2", ",x"])
    ),
    st.builds("{}{}: {}".format, st.sampled_from("#%"), st.sampled_from(["nodes", " Nodes"]), st.integers(0, 10**5)),
    st.text(max_size=12),
)
EDGE_FILE = st.one_of(
    st.lists(LINE, max_size=6).map("\n".join).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=60),
)


def read_or_refuse(path: Path) -> list[Graph]:
    """The graphs; nothing but a one-line ValueError that names the file may come instead."""
    try:
        return read_graphs(path)
    except ValueError as error:
        message = str(error)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return []


@settings(max_examples=300)
@given(content=EDGE_FILE, suffix=st.sampled_from([".txt", ".csv"]))
def test_fuzz_edge_lists(folder: Path, content: bytes, suffix: str) -> None:
    path = put(folder, f"fuzz{suffix}", content)
    tracemalloc.start()
    graphs = read_or_refuse(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    nodes = sum(graph.num_nodes for graph in graphs)
    assert nodes <= FREE_NODES
    assert peak < 2_000_000 + 1000 * len(content) + 64 * nodes


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=20))
def test_edge_list_equals_networkx(folder: Path, edges: list[tuple[int, int]]) -> None:
    path = put(folder, "numbers.edges", "\n".join(f"{u} {v}" for u, v in [(0, 0), *edges]))
    oracle = nx.empty_graph(1 + max(map(max, edges)))
    oracle.add_edges_from(nx.read_edgelist(path, nodetype=int).edges)
    assert read_graph(path).same_edges(as_graph(oracle, simple=True))


WORD = st.one_of(st.integers(0, 12).map(str), st.sampled_from(["a", "b", "x.y", "007", "-1", "1.5", "", "1e3", "+2"]))


@settings(max_examples=400)
@given(
    head=st.sampled_from(["", "# nodes: 40\n", "# Nodes: 3 Edges: 9\n", "source target weight\n", "a b c\n", "\n\n"]),
    rows=st.lists(st.lists(WORD, min_size=2, max_size=3), min_size=1, max_size=6),
    separator=st.sampled_from([" ", "  ", "\t", ",", ", "]),
    ending=st.sampled_from(["\n", " \n", "\r\n", "\n\n"]),
)
def test_lines_that_look_alike_are_read_at_once_as_they_are_one_by_one(
    folder: Path, head: str, rows: list[list[str]], separator: str, ending: str
) -> None:
    text = head.replace(" ", separator if head.startswith(("s", "a")) else " ")
    text += "".join(separator.join(row) + ending for row in rows)
    answers = []
    for name, ending_of_file in (("alike", ""), ("one by one", "# the end")):  # a comment below an edge wants a look
        path = put(folder, f"{name}.csv", text + ending_of_file)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                graph = read_graph(path)
                found: list[object] = [graph.edges().tolist(), graph.num_nodes, graph.names, graph.ignored]
                found.append(str(read_graph(path, edge_labels="3").listed()) if len(rows[0]) > 2 else "")
            except ValueError as error:
                found = [str(error).removeprefix(str(path)).partition(" in a file of")[0]]
        answers.append([found, [str(warning.message) for warning in caught]])
    assert answers[0] == answers[1]


EXAMPLES = {
    ".gml": written(nx.write_gml, nx.path_graph(3)),
    ".graphml": written(nx.write_graphml, nx.path_graph(3)),
    ".mtx": written(scipy.io.mmwrite, scipy.sparse.coo_array(nx.to_numpy_array(nx.path_graph(3)))),
    ".g6": b">>graph6<<Bw\n:An\nD?{\n",
}


@pytest.mark.parametrize("suffix", EXAMPLES)
@settings(max_examples=80)
@given(data=st.data())
def test_fuzz_damaged_files(folder: Path, suffix: str, data: st.DataObject) -> None:
    """A valid file with one stretch of it replaced."""
    content = EXAMPLES[suffix]
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.integers(start, min(len(content), start + 20)))
    piece = data.draw(
        st.one_of(st.binary(max_size=8), st.sampled_from([b"-1", b"99999999999", b"nan", b"[", b"<", b"\n"]))
    )
    graphs = read_or_refuse(put(folder, f"fuzz{suffix}", content[:start] + piece + content[stop:]))
    assert sum(graph.num_nodes for graph in graphs) <= 100


@pytest.mark.parametrize(
    ("name", "count", "nodes"), [("graph8c.g6", 11117, 8), ("sr251256.g6", 15, 25), ("sr16622.g6", 2, 16)]
)
def test_real_graph6_files(data_dir: Path, name: str, count: int, nodes: int) -> None:
    path = data_dir / "expressiveness" / name
    graphs = read_graphs(path)
    assert [len(graphs), {graph.num_nodes for graph in graphs}] == [count, {nodes}]
    for graph, line in list(zip(graphs, path.read_bytes().splitlines(), strict=True))[:: max(1, count // 50)]:
        assert graph.same_edges(as_graph(nx.from_graph6_bytes(line)))
