"""`read_graph`: a graph from a file of any format in use."""

from __future__ import annotations

import contextlib
import io
import json
import os
import warnings
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np

from wlt.extras import missing
from wlt.graph import Graph
from wlt.io import dot
from wlt.io.content import file_bytes, sniffed, suffix_of
from wlt.io.edgelist import edge_list
from wlt.io.graph6 import HEADERS, from_graph6
from wlt.io.listing import Listing
from wlt.io.objects import as_graph
from wlt.io.pajek import pajek
from wlt.io.text import check_size, decoded
from wlt.wording import printable, shortened


def read_graph(
    path: str | os.PathLike[str], index: int | None = None, *, edge_labels: Hashable = "auto", simple: bool = False
) -> Graph:
    """The graph in a file; of a file with several graphs, the one with this index (from 0).

    edge_labels and simple are those of `as_graph`: what labels the edges, and whether only the simple graph is wanted.
    The suffix tells the format, behind which .gz may stand; a file without a suffix, or a pipe such as /dev/stdin, is
    taken for what its text looks like:

    - .g6, .graph6, .s6, .sparse6, .d6, .digraph6: one graph a line, graph6, sparse6 or digraph6.
    - .graphml, .gml, .gexf, .net (Pajek), .json (node-link), .dot (with the extra `dot`): read by networkx, nodes in
      the order of the file; edge_labels names an edge attribute. What stands in subgraphs of DOT belongs to the graph,
      and ports are left out; Pajek's *Arcslist, several relations, and *Arcs beside *Edges are refused.
    - .adjlist: adjacency lists, a node and its neighbours a line. .col: DIMACS, whose colours of nodes are kept as the
      node attribute color.
    - .mtx: MatrixMarket, read by scipy. Every nonzero entry is an edge, directed unless its mirror image is the same;
      edge_labels="weight" makes labels of the entries.
    - .edges, .edgelist, .txt, .csv, .tsv: an edge a line, its two ends separated by a comma, a tab or spaces. Edges
      are undirected. Lines that begin with # or % are comments. Ends that are all whole numbers are the numbers of
      nodes: 0 up to the largest, and a number that does not occur is an isolated node; if it is 0 alone that does not
      occur, nodes are counted from 1, which a warning says. A comment `# nodes: 12` before the edges states
      that the nodes are 0 .. 11; in SNAP's `# Nodes: 12 Edges: 30` the numbers may have gaps, which are closed if
      12 different ones occur. Other ends are names, numbered in order of appearance; names with spaces need a .csv
      or .tsv file. A first line of column names is left out if it has source and target (or from and to, src and
      dst), and then the ends are taken from there; or if it stands above nothing but numbers.
      edge_labels is the title of a column, or its number, such as "3", where there are no titles; "auto" takes a
      column with the title label or type. Edges with labels may be parallel, and may be loops.

    Every mistake, a missing file too, is a ValueError that begins with the path.
    """
    return _in_file(path, read_source(path, index), edge_labels, simple)


def read_graphs(path: str | os.PathLike[str], *, edge_labels: Hashable = "auto", simple: bool = False) -> list[Graph]:
    """All graphs in a file: .g6 and .s6 files have one a line, .graphml files and lists in .json may have several,
    others have one."""
    return [_in_file(path, source, edge_labels, simple) for source in read_sources(path)]


def read_source(path: str | os.PathLike[str], index: int | None = None) -> Any:
    """What `as_graph` makes the graph of: a networkx graph, with its node attributes for `node_codes`, if the format
    has such; a matrix if it is .mtx; otherwise a Listing."""
    sources = read_sources(path)
    if index is None:
        if len(sources) > 1:
            last = len(sources) - 1
            raise ValueError(
                f"{path}: {len(sources)} graphs in this file; choose one by its index, 0 .. {last} "
                "(on the command line FILE:0)"
            )
        return sources[0]
    if not 0 <= index < len(sources):
        raise ValueError(f"{path}: no graph {index}; the file has {len(sources)}, numbered from 0")
    return sources[index]


def _in_file(path: str | os.PathLike[str], source: Any, edge_labels: Hashable, simple: bool) -> Graph:
    try:
        return as_graph(source, edge_labels=edge_labels, simple=simple)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None


def read_sources(path: str | os.PathLike[str], suffix: str | None = None) -> list[Any]:
    """What `as_graph` makes graphs of, for all graphs of the file. suffix: the format, if the name does not tell it."""
    suffix = suffix_of(path) if suffix is None else suffix
    if suffix and suffix not in READERS:
        raise ValueError(f"{path}: unknown suffix {suffix!r}; known are {', '.join(READERS)}")
    data = file_bytes(path)
    if not data.strip():
        raise ValueError(f"{path}: the file is empty")
    reader = READERS.get(suffix or sniffed(data) or "")
    if reader is None:
        raise ValueError(f"{path}: no known format; name it by its suffix: {', '.join(READERS)}")
    try:
        return reader(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error.__cause__


def _graph6_lines(data: bytes) -> list[Any]:
    graphs = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip() or (number == 1 and line.strip().decode("latin-1") in HEADERS):
            continue
        try:
            graphs.append(from_graph6(line))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    if not graphs:
        raise ValueError("no graph in this file")
    return graphs


def _matrix_market(data: bytes) -> list[Any]:
    import scipy.io

    # Where the rest of a line ends in a zero byte or at the end of the file, scipy's reader crashes, Python with it.
    data = decoded(data).encode() + b"\n"
    rows, columns, entries, *_ = _by_library("MatrixMarket", lambda: scipy.io.mminfo(io.BytesIO(data)))
    if entries > len(data):  # before scipy allocates what the header claims
        raise ValueError(f"truncated: the header speaks of {entries} entries, the file has {len(data)} bytes")
    check_size(max(rows, columns), len(data))
    return [_by_library("MatrixMarket", lambda: scipy.io.mmread(io.BytesIO(data)))]


def _gml(data: bytes) -> list[Any]:
    import networkx

    text = decoded(data)  # igraph writes UTF-8 into GML; networkx's own file reader takes ASCII only
    graph = _by_library("GML", lambda: networkx.parse_gml(text, label=None))
    labels = {node: name for node, name in graph.nodes(data="label") if name not in (None, str(node))}
    for node, name in labels.items():
        if isinstance(name, (list, dict)):
            raise ValueError(f"not readable as GML: node {node} has several labels")
    return [networkx.relabel_nodes(graph, labels) if len(set(labels.values())) == len(graph) else graph]


def _graphml(data: bytes) -> list[Any]:
    import networkx

    def identifier(text: str | None) -> str:
        if text is None:
            raise ValueError("a node without id, or an edge without source or target")
        return text

    named = data.replace(b"<graphml>", b'<graphml xmlns="%s">' % networkx.GraphMLReader.NS_GRAPHML.encode())
    reader = networkx.GraphMLReader(node_type=identifier)
    graphs: list[Any] = _by_library("GraphML", lambda: list(reader(string=named)))
    if not graphs:
        raise ValueError("no graph in this GraphML file")
    declared = [node.get("id") for node in reader.xml.iter(f"{{{reader.NS_GRAPHML}}}node")]
    known = set(declared)
    for graph in graphs:
        for node, attributes in graph.nodes.items():
            if node not in known:
                raise ValueError(f"an edge ends at {shortened(repr(node))}, which is no node of the file")
            for name, value in graph.graph["node_default"].items():
                attributes.setdefault(name, value)
        for *_, attributes in graph.edges(data=True):
            for name, value in graph.graph["edge_default"].items():
                attributes.setdefault(name, value)
    read = sum(map(len, graphs))
    if read != len(declared):
        raise ValueError(f"{len(declared)} nodes are declared and {read} read: an id twice, or a graph inside a node")
    return graphs


def _gexf(data: bytes) -> list[Any]:
    import networkx

    graph = _by_library("GEXF", lambda: networkx.read_gexf(io.BytesIO(data)))
    elements = ElementTree.fromstring(data).iter()
    _check_declared(graph, sum(element.tag.rpartition("}")[2] == "node" for element in elements))
    return [graph]


def _check_declared(graph: Any, declared: int) -> None:
    """networkx adds a node where an edge ends at one that the file does not have."""
    if len(graph) != declared:
        raise ValueError(
            f"{declared} nodes are declared and {len(graph)} read: an id twice, or an edge that ends at no node"
        )


def _pajek(data: bytes) -> list[Any]:
    return [_by_library("Pajek", lambda: pajek(data))]


def _dimacs(data: bytes) -> list[Any]:
    """The format of the DIMACS challenges: `p edge NODES EDGES`, `e U V` for each edge and `n V COLOR`, from 1."""
    nodes: int | None = None
    edges: list[tuple[int, int]] = []
    colors: dict[int, int] = {}
    for number, line in enumerate(decoded(data).split("\n"), 1):
        words = line.split()
        if not words or words[0] == "c":
            continue
        try:
            if words[0] == "p" and nodes is None and len(words) == 4:
                nodes = int(words[2])
                check_size(nodes, len(data))
            elif words[0] in ("e", "n") and nodes is not None and len(words) == 3:
                first, second = int(words[1]), int(words[2])
                if not 1 <= first <= nodes or (words[0] == "e" and not 1 <= second <= nodes):
                    raise ValueError(f"nodes are numbered 1 .. {nodes}")
                if words[0] == "e":
                    edges.append((first - 1, second - 1))
                else:
                    colors[first - 1] = second
            else:
                raise ValueError(f"'p edge NODES EDGES' first, then lines 'e U V', not {line[:40]!r}")
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    if nodes is None:
        raise ValueError("not readable as DIMACS: no line 'p edge NODES EDGES'")
    if not colors:
        return [Listing(nodes, np.array(edges, np.int64).reshape(-1, 2), "loose")]
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from((node, {"color": colors.get(node, 0)}) for node in range(nodes))
    graph.add_edges_from(edges)
    return [graph]


def _dot(data: bytes) -> list[Any]:
    text = decoded(data).strip()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # between pydot and the parser that it uses
        try:
            import pydot
        except ImportError:
            raise ValueError(missing("pydot", "reading .dot files")) from None
        told = io.StringIO()  # pydot prints what is wrong, and the whole file with it
        with contextlib.redirect_stdout(told):
            parsed = _by_library("DOT", lambda: pydot.graph_from_dot_data(text))
    if not parsed:
        reason = told.getvalue().strip().split("\n")[-1]
        raise ValueError(f"not readable as DOT: {shortened(reason, 200)}" if reason else "not readable as DOT")
    graphs: list[Any] = _by_library("DOT", lambda: list(map(dot.graph_of, parsed)))
    return graphs


def _adjacency_lists(data: bytes) -> list[Any]:
    import networkx

    lines = decoded(data).split("\n")
    return [_by_library("adjacency lists", lambda: networkx.parse_adjlist(lines))]


def _node_link(data: bytes) -> list[Any]:
    """One graph as networkx writes it (under "links" or, newer, "edges"), or a list of such."""
    import networkx

    content = _by_library("JSON", lambda: json.loads(decoded(data)))
    objects = content if isinstance(content, list) else [content]
    if not objects:
        raise ValueError("no graph in this file")
    for each in objects:
        if not isinstance(each, dict) or not isinstance(each.get("nodes"), list):
            raise ValueError("not readable as node-link JSON: an object with the lists 'nodes' and 'links' is needed")
    graphs: list[Any] = _by_library(
        "node-link JSON",
        lambda: [networkx.node_link_graph(each, edges="links" if "links" in each else "edges") for each in objects],
    )
    for graph, each in zip(graphs, objects, strict=True):
        _check_declared(graph, len(each["nodes"]))
    return graphs


def _by_library(name: str, read: Callable[[], Any]) -> Any:
    """The result of another library's reader; whatever it raises on a damaged file becomes one line."""
    try:
        return read()
    except Exception as error:
        what = f"unknown {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ValueError(f"not readable as {name}: {printable(what.splitlines()[0][:200])}") from error


GRAPH6 = (".g6", ".graph6", ".s6", ".sparse6", ".d6", ".digraph6")
"""Formats of one graph a line."""

READERS: dict[str, Callable[[bytes], list[Any]]] = {
    **dict.fromkeys(GRAPH6, _graph6_lines),
    ".graphml": _graphml,
    ".gml": _gml,
    ".mtx": _matrix_market,
    ".gexf": _gexf,
    ".net": _pajek,
    ".col": _dimacs,
    ".dot": _dot,
    ".adjlist": _adjacency_lists,
    ".json": _node_link,
    **dict.fromkeys([".edges", ".edgelist", ".txt"], edge_list),
    **dict.fromkeys([".csv", ".tsv"], partial(edge_list, names_may_have_spaces=True)),
}
