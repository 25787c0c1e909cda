"""Files that people have: written by other libraries, packed or piped, read as the graphs that they are."""

from __future__ import annotations

import gzip
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import wlt
from wlt.io.content import file_bytes, sniffed


def house() -> nx.Graph[Any]:
    graph = nx.house_graph()
    nx.set_node_attributes(graph, dict(enumerate("abcde")), "kind")
    return graph


def dimacs(graph: nx.Graph[Any], path: Path) -> None:
    lines = ["c a comment", f"p edge {len(graph)} {graph.size()}", *(f"e {u + 1} {v + 1}" for u, v in graph.edges)]
    path.write_text("\n".join(lines))


WRITERS: dict[str, Callable[[nx.Graph[Any], Path], Any]] = {
    ".gexf": lambda graph, path: nx.write_gexf(graph, path),
    ".net": lambda graph, path: nx.write_pajek(graph, path),
    ".col": dimacs,
    ".dot": lambda graph, path: nx.nx_pydot.write_dot(graph, path),
    ".adjlist": lambda graph, path: nx.write_adjlist(graph, path),
    ".json": lambda graph, path: path.write_text(json.dumps(nx.node_link_data(graph, edges="edges"))),
    ".graphml": lambda graph, path: nx.write_graphml(graph, path),
    ".gml": lambda graph, path: nx.write_gml(graph, path),
    ".g6": lambda graph, path: path.write_bytes(nx.to_graph6_bytes(graph, header=False)),
    ".s6": lambda graph, path: path.write_bytes(nx.to_sparse6_bytes(graph)),
    ".edges": lambda graph, path: nx.write_edgelist(graph, path, data=False),
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_what_networkx_writes_is_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"house{suffix}"
    WRITERS[suffix](house(), path)
    graph = wlt.read_graph(path, simple=True)
    assert nx.is_isomorphic(graph.to_networkx(), house())


@pytest.mark.parametrize("suffix", WRITERS)
def test_packed_files_are_unpacked(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"house{suffix}"
    WRITERS[suffix](house(), path)
    packed = tmp_path / f"other{suffix}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert wlt.read_graph(packed, simple=True).num_edges == 6


@pytest.mark.parametrize("suffix", [suffix for suffix in WRITERS if suffix != ".adjlist"])
def test_a_pipe_is_taken_for_what_it_contains(suffix: str, tmp_path: Path) -> None:
    """Adjacency lists look like edge lists with further columns: these need their suffix."""
    written, pipe = tmp_path / f"house{suffix}", tmp_path / "pipe"
    WRITERS[suffix](house(), written)
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(written.read_bytes(),))
    writer.start()
    graph = wlt.read_graph(pipe, simple=True)
    writer.join()
    assert nx.is_isomorphic(graph.to_networkx(), house())
    assert file_bytes(pipe) == written.read_bytes()  # what came through a pipe can be asked for again


def test_directions_and_node_attributes_are_kept(tmp_path: Path) -> None:
    ring = nx.DiGraph([(0, 1), (1, 2), (2, 0)])
    for suffix in (".gexf", ".json", ".dot"):
        path = tmp_path / f"ring{suffix}"
        WRITERS[suffix](ring, path)
        graph = wlt.read_graph(path)
        assert len(graph.arcs) > 0, suffix
        assert not wlt.isomorphism(graph, (3, [(0, 1), (1, 2), (2, 0)])), suffix
    path = tmp_path / "house.gexf"
    WRITERS[".gexf"](house(), path)
    codes, table = wlt.node_codes([wlt.io.read_source(path)], "kind")
    assert sorted(table) == list("abcde")
    assert len(set(codes[0].tolist())) == 5


def test_colours_of_dimacs_are_a_node_attribute(tmp_path: Path) -> None:
    path = tmp_path / "colored.col"
    path.write_text("p edge 3 2\nn 1 7\ne 1 2\ne 2 3\n")
    codes, table = wlt.node_codes([wlt.io.read_source(path)], "color")
    assert (codes[0].tolist(), table) == ([1, 0, 0], {0: 0, 7: 1})


def test_utf16_that_says_so_is_text(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_bytes("source,target\nZürich,Köln\nKöln,Łódź\n".encode("utf-16"))
    graph = wlt.read_graph(path)
    assert graph.names == ("Zürich", "Köln", "Łódź")


@pytest.mark.parametrize(
    ("content", "edges"),
    [
        pytest.param(
            "graph { a -- b; subgraph cluster { c -- d; subgraph { d -- e } } b -- c }", "ab bc cd de", id="in"
        ),
        pytest.param("graph { a -- {b -- c} -- d; e }", "ab ac bc bd cd", id="ends"),
        pytest.param("graph { {a b} -- {c d}; d -- e }", "ac ad bc bd de", id="both-ends"),
        pytest.param('graph { a:north -- "b":south; "b" -- c; d; e }', "ab bc", id="ports"),
        pytest.param("strict graph { a -- b; b -- a; subgraph x { a -- b; c; d; e } }", "ab", id="strict"),
        pytest.param("graph { a -- b; a -- b; c; d; e }", "ab ab", id="parallel"),
    ],
)
def test_subgraphs_and_ports_of_dot(content: str, edges: str, tmp_path: Path) -> None:
    path = tmp_path / "a.dot"
    path.write_text(content)
    wanted = nx.MultiGraph(edges.split())
    wanted.add_nodes_from("abcde")
    assert wlt.isomorphism(wlt.read_graph(path), wanted)


def test_comments_of_pajek_are_no_vertices(tmp_path: Path) -> None:
    path = tmp_path / "a.net"
    path.write_text("% a comment\n*Vertices 3\n% here too\n1 a\n\n2 b\n3 c\n*Arcs\n% and here\n1 2 5\n3 2 7\n")
    graph = wlt.read_graph(path, edge_labels="weight")
    wanted = wlt.Graph.from_edges(3, [(0, 1), (2, 1)], edge_labels=[5, 7], directed=True)
    assert graph.names == ("a", "b", "c")
    assert graph.same_edges(wanted)


def test_defaults_of_edges_in_graphml_are_values(tmp_path: Path) -> None:
    path = tmp_path / "a.graphml"
    path.write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="k" for="edge" attr.name="bond" attr.type="int"><default>7</default></key>'
        '<graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>'
        '<edge source="a" target="b"><data key="k">3</data></edge><edge source="b" target="c"/></graph></graphml>'
    )
    wanted = wlt.Graph.from_edges(3, [(0, 1), (1, 2)], edge_labels=[3, 7])
    assert wlt.read_graph(path, edge_labels="bond").same_edges(wanted)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("a.net", "*Vertices 2\n1 x\n2 x\n*Edges\n1 2\n", "1 different labels", id="pajek-twice"),
        pytest.param("a.net", "*Vertices 999999999999\n", "too many to be meant", id="pajek-huge"),
        pytest.param("a.net", "1 2\n", "no line '\\*Vertices N'", id="pajek-none"),
        pytest.param(
            "a.net", "*Vertices 2\n1 x\n2 y\n*Arcs\n1 2\n*Edges\n1 2\n", "line 6: \\*Edges behind", id="pajek-mixed"
        ),
        pytest.param("a.net", "*Vertices 2\n1 x\n2 y\n*Arcslist\n1 2\n", "line 4: \\*Arcslist is not", id="pajek-list"),
        pytest.param("a.net", "*Vertices 2\n*Edges\n1 2\n", "line 2: a vertex is expected", id="pajek-no-names"),
        pytest.param(
            "a.net", "*Vertices 2\n1 x\n2 y\n*Arcs :1 'likes'\n1 2\n", "line 4: several rel", id="pajek-relations"
        ),
        pytest.param("a.net", "*Vertices 1\n1 x\n*Vertices 1\n1 y\n", "line 3: one line", id="pajek-two-networks"),
        pytest.param("a.net", "*Vertices 1\n1 x\n*Edges\n1 1 heavy\n", "line 4: the weight 'heavy'", id="pajek-weight"),
        pytest.param("a.col", "e 1 2\n", "line 1: 'p edge NODES EDGES' first", id="dimacs-no-p"),
        pytest.param("a.col", "p edge 2 1\ne 1 3\n", "line 2: nodes are numbered 1 .. 2", id="dimacs-outside"),
        pytest.param("a.col", "p edge 99999999999 1\n", "line 1: .* too many to be meant", id="dimacs-huge"),
        pytest.param("a.dot", "graph {", "not readable as DOT", id="dot-open"),
        pytest.param("a.json", "[" * 100_000, "not readable as JSON", id="json-deep"),
        pytest.param("a.json", "[]", "no graph", id="json-empty"),
        pytest.param("a.json", '{"nodes": 3}', "not readable as node-link", id="json-other"),
        pytest.param("a.json", '{"nodes": [{}], "links": [{}]}', "not readable as node-link", id="json-no-ends"),
        pytest.param(
            "a.json",
            '{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": 0, "target": 1}]}',
            "2 nodes are declared and 4 read: .* an edge that ends at no node",
            id="json-links-by-number",
        ),
        pytest.param("a.gexf", "<gexf>", "not readable as GEXF", id="gexf-open"),
        pytest.param(
            "a.gexf",
            '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph defaultedgetype="undirected">'
            '<nodes><node id="0"/></nodes><edges><edge id="0" source="0" target="5"/></edges></graph></gexf>',
            "1 nodes are declared and 2 read",
            id="gexf-undeclared",
        ),
        pytest.param("a.g6.gz", "Bw", "", id="not-packed"),
    ],
)
def test_damaged_files_are_one_line(name: str, content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    if not message:  # a suffix that promises too much does no harm
        assert wlt.read_graph(path).num_nodes == 3
        return
    with pytest.raises(ValueError, match=message) as caught:
        wlt.read_graph(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_damaged_archive_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.g6.gz"
    path.write_bytes(gzip.compress(b"Bw" * 1000)[:-9])
    with pytest.raises(ValueError, match="cannot be unpacked"):
        wlt.read_graph(path)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wlt.io.content.MAX_UNPACKED", 1 << 20)
    path = tmp_path / "bomb.edges.gz"
    path.write_bytes(gzip.compress(b"0 1\n" * (1 << 19)))
    with pytest.raises(ValueError, match="if you trust it, unpack it yourself"):
        wlt.read_graph(path)


@pytest.mark.parametrize("text", [b"", b"\xff\xfe\xff", b"hello", b"\0\0\0\0", b"a,b\n1,2"], ids=repr)
def test_sniffing_never_fails(text: bytes) -> None:
    assert sniffed(text) in (None, ".csv")


def test_a_gml_node_with_two_labels_is_refused(tmp_path: Path) -> None:
    """Found by `make fuzz`, input 651 of .gml: it was a TypeError."""
    path = tmp_path / "g.gml"
    path.write_text('graph [ node [ id 0 label "a" label "b" ] node [ id 1 label "c" ] edge [ source 0 target 1 ] ]')
    with pytest.raises(ValueError, match="node 0 has several labels"):
        wlt.read_graph(path)
