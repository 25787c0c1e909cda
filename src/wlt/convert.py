"""Graphs from elsewhere: `as_graph` for other libraries' objects and graph6 text, `read_graph` for files, and
`node_colors` for the named node attributes that come with them.

No library is imported unless the input needs it: an object of networkx, igraph, scipy or PyG exists only where its
library has been imported already.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from itertools import chain
from numbers import Number, Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt.graph import MAX_NODES, Graph

ACCEPTED = (
    "a wlt.Graph, a networkx or igraph graph, a PyG Data or Batch, a scipy sparse matrix or a square numpy array, "
    "a pair (n, edges), or graph6 or sparse6 text"
)

FREE_NODES = 2**22
"""A text may always name this many nodes. Beyond it, at most 16 for each of its bytes: a few damaged characters
can claim billions of isolated nodes."""


def as_graph(source: Any) -> Graph:
    """The undirected simple graph that another library's object, a pair (n, edges) or graph6 text describes.

    Accepted are: a Graph (returned as it is); networkx graphs, whose nodes are numbered in the order of iteration;
    igraph graphs; PyG Data (a Batch gives the disjoint union of its graphs); scipy sparse matrices and square numpy
    arrays, in which every nonzero entry is an edge; `(n, edges)`; graph6 and sparse6 text. Directed graphs, directed
    edge_index tensors and asymmetric matrices are refused: the caller knows what to do with the directions.

    >>> as_graph("Bw")  # graph6: the triangle
    Graph(nodes=3, edges=3)
    >>> as_graph((4, [(0, 1), (2, 3)]))
    Graph(nodes=4, edges=2)
    >>> as_graph(np.array([[0, 1], [0, 0]]))
    Traceback (most recent call last):
    ValueError: a directed matrix: entry (0, 1) is 1 and entry (1, 0) is 0; use A + A.T if directions do not matter
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, (str, bytes)):
        return _from_graph6(source)
    if isinstance(source, tuple) and len(source) == 2:
        return Graph.from_edges(*source)
    if isinstance(source, np.ndarray) or _comes_from(source, "scipy.sparse", "spmatrix", "sparray"):
        return _from_matrix(source)
    if _comes_from(source, "networkx", "Graph"):
        return _from_networkx(source)
    if _comes_from(source, "igraph", "Graph"):
        return _from_igraph(source)
    if _comes_from(source, "torch_geometric.data", "Data"):
        return _from_pyg(source)
    hint = "; to read a file use wlt.read_graph" if isinstance(source, os.PathLike) else ""
    raise TypeError(f"cannot make a graph of {type(source).__name__}; accepted are {ACCEPTED}{hint}")


def _comes_from(source: object, module: str, *names: str) -> bool:
    """isinstance without an import."""
    loaded = sys.modules.get(module)
    return isinstance(source, tuple(getattr(loaded, name) for name in names if hasattr(loaded, name)))


def _from_networkx(source: Any) -> Graph:
    if source.is_directed():
        raise ValueError("a directed networkx graph; use graph.to_undirected() if directions do not matter")
    number = {node: i for i, node in enumerate(source)}
    ends = (number[node] for node in chain.from_iterable(source.edges()))
    return Graph.from_edges(len(number), np.fromiter(ends, np.int64).reshape(-1, 2))


def _from_igraph(source: Any) -> Graph:
    if source.is_directed():
        raise ValueError("a directed igraph graph; use graph.as_undirected() if directions do not matter")
    return Graph.from_edges(source.vcount(), np.array(source.get_edgelist(), np.int64).reshape(-1, 2))


def _from_pyg(source: Any) -> Graph:
    if source.edge_index is None or source.num_nodes is None:
        raise ValueError("a PyG Data without edge_index or num_nodes describes no graph")
    edge_index = _as_array(source.edge_index)
    if edge_index.ndim != 2 or len(edge_index) != 2:
        raise ValueError(f"edge_index has shape {edge_index.shape}; [2, edges] is needed")
    starts = _as_array(source.ptr) if "ptr" in source else None  # of a Batch
    graph = Graph.from_edges(int(source.num_nodes), edge_index.T, starts)
    if edge_index.shape[1] - graph.removed_loops - graph.removed_repeats != 2 * graph.num_edges:
        given = set(map(tuple, edge_index.T.tolist()))
        u, v = next((u, v) for u, v in edge_index.T.tolist() if (v, u) not in given)
        raise ValueError(
            f"a directed edge_index: it has the edge ({u}, {v}) and not ({v}, {u}); "
            "use torch_geometric.utils.to_undirected if directions do not matter"
        )
    return graph


def _as_array(values: Any) -> NDArray[Any]:
    """A tensor, wherever it is, or anything else numpy can take."""
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)


def _from_matrix(source: Any) -> Graph:
    if source.ndim != 2 or source.shape[0] != source.shape[1]:
        raise ValueError(f"an adjacency matrix must be square; this has shape {source.shape}")
    if source.dtype.kind not in "biuf":
        raise TypeError(f"an adjacency matrix must have real numbers, not entries of type {source.dtype}")
    if source.shape[0] > MAX_NODES:
        raise ValueError(f"a matrix of {source.shape[0]} nodes; at most {MAX_NODES} are possible")
    import scipy.sparse

    wide = source.astype(np.float64) if source.dtype.kind == "f" else source  # scipy knows no half precision
    matrix = scipy.sparse.csr_array(wide, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    entries = matrix.tocoo()

    def entry(which: int) -> str:
        return f"entry ({entries.row[which]}, {entries.col[which]}) is {entries.data[which]}"

    if not np.isfinite(entries.data).all():
        raise ValueError(f"a matrix with missing numbers: {entry(int(np.flatnonzero(~np.isfinite(entries.data))[0]))}")
    if (entries.data < 0).any():
        raise ValueError(f"a matrix with negative counts: {entry(int(np.flatnonzero(entries.data < 0)[0]))}")
    one_way = (matrix != matrix.T).tocoo()
    if one_way.nnz:
        i, j = int(one_way.row[0]), int(one_way.col[0])
        raise ValueError(
            f"a directed matrix: entry ({i}, {j}) is {matrix[i, j]} and entry ({j}, {i}) is {matrix[j, i]}; "
            "use A + A.T if directions do not matter"
        )
    return Graph.from_edges(source.shape[0], np.stack([entries.row, entries.col], axis=1))


# ---------------------------------------------------------------------------------------------------------------------
# graph6 and sparse6 (B. McKay, "Description of graph6, sparse6 and digraph6 encodings"). Decoded here because the
# readers at hand accept damaged text: networkx takes characters below '?', set padding bits and early ends of sparse6.
# ---------------------------------------------------------------------------------------------------------------------


def _from_graph6(source: str | bytes) -> Graph:
    text = (source.decode("latin-1") if isinstance(source, bytes) else source).rstrip(" \t\r\n")
    header = re.match(">>(?:graph6|sparse6)<<", text)
    start = header.end() if header else 0
    sparse = text.startswith(":", start)
    name = "sparse6" if sparse else "graph6"
    start += sparse
    if start == len(text):
        raise ValueError(f"empty {name} text; the graph without nodes is '?' in graph6")
    if text.startswith("&", start):
        raise ValueError("digraph6 text describes a directed graph; only graph6 and sparse6 are undirected")
    illegal = re.compile("[^?-~]").search(text, start)
    if illegal:
        hint = "; to read a file use wlt.read_graph" if "." in text or "/" in text else ""
        raise ValueError(
            f"{name} text: illegal character {illegal.group()!r} at position {illegal.start()}; "
            f"only '?' to '~' may stand there{hint}"
        )
    sixes = np.frombuffer(text.encode("ascii"), np.uint8)[start:] - np.uint8(63)
    num_nodes, used = _graph6_size(sixes, start, name)
    edges = (_sparse6_edges if sparse else _graph6_edges)(num_nodes, sixes[used:], start + used)
    _check_size(num_nodes, len(text))
    return Graph.from_edges(num_nodes, edges)


def _graph6_size(sixes: NDArray[np.uint8], start: int, name: str) -> tuple[int, int]:
    """The number of nodes, in one, three or six 6-bit digits after no, one or two '~'; and the characters it takes."""
    tildes = int(sixes[0] == 63) + int((sixes[:2] == 63).sum() == 2)
    used = (1, 4, 8)[tildes]
    if len(sixes) < used:
        raise ValueError(f"truncated {name} text: it ends at position {start + len(sixes)}, inside the number of nodes")
    num_nodes = 0
    for digit in sixes[tildes:used].tolist():
        num_nodes = num_nodes << 6 | digit
    return num_nodes, used


def _bits(sixes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.unpackbits((sixes << np.uint8(2))[:, None], axis=1, count=6).ravel()


def _graph6_edges(num_nodes: int, sixes: NDArray[np.uint8], start: int) -> NDArray[np.int64]:
    """Bit number v(v-1)/2 + u, for u < v, tells whether (u, v) is an edge."""
    pairs = num_nodes * (num_nodes - 1) // 2
    needed = (pairs + 5) // 6
    if len(sixes) != needed:
        what = "truncated" if len(sixes) < needed else "too long"
        raise ValueError(
            f"{what} graph6 text: {num_nodes} nodes need {needed} characters from position {start} on, "
            f"there are {len(sixes)}"
        )
    bits = _bits(sixes)
    if bits[pairs:].any():
        raise ValueError(f"graph6 text: the last character, at position {start + needed - 1}, sets padding bits")
    where = np.flatnonzero(bits)
    node = np.arange(num_nodes + 1)
    first_bit = node * (node - 1) // 2
    v = np.searchsorted(first_bit, where, side="right") - 1
    return np.stack([where - first_bit[v], v], axis=1)


def _sparse6_edges(num_nodes: int, sixes: NDArray[np.uint8], start: int) -> NDArray[np.int64]:
    """Units of a bit b and a number x, with a current node v that begins at 0: b adds 1 to v; then x > v makes x the
    current node, and x <= v is the edge (x, v). A unit with v or x beyond the last node is padding.

    So v becomes max(v + b, x); with B the running sum of the b, v - B is the running maximum of x - B."""
    width = max(num_nodes - 1, 0).bit_length()
    bits = _bits(sixes)
    count = len(bits) // (width + 1)
    units = bits[: count * (width + 1)].reshape(count, width + 1)
    b = units[:, 0].astype(np.int64)
    x = units[:, 1:] @ (1 << np.arange(width - 1, -1, -1, dtype=np.int64))
    steps = np.cumsum(b)
    after = steps + np.maximum.accumulate(np.maximum(x - steps, 0))
    v = np.concatenate([np.zeros(1, np.int64), after])[:-1] + b
    beyond = np.flatnonzero((v >= num_nodes) | (x >= num_nodes))
    end = int(beyond[0]) if len(beyond) else count
    if len(bits) - end * (width + 1) >= 6:
        position = start + end * (width + 1) // 6
        what = f"node {max(v[end], x[end])} of {num_nodes}" if len(beyond) else "an incomplete edge: truncated"
        raise ValueError(f"sparse6 text: at position {position} stands {what}")
    edge = np.flatnonzero(x[:end] <= v[:end])
    return np.stack([x[edge], v[edge]], axis=1)


def _check_size(num_nodes: int, size: int) -> None:
    """Refuse to allocate for nodes that a text of this size hardly can mean."""
    if num_nodes > max(FREE_NODES, 16 * size):
        raise ValueError(f"{num_nodes} nodes in a text of {size} bytes: too many to be meant; is it damaged?")


# ---------------------------------------------------------------------------------------------------------------------
# Node attributes as colours
# ---------------------------------------------------------------------------------------------------------------------


def node_colors(
    sources: Iterable[Any], attribute: str, table: Mapping[Hashable, int] | None = None
) -> tuple[list[NDArray[np.int32]], Mapping[Hashable, int]]:
    """Colours from a named node attribute: for each graph one integer per node, and the table value -> colour.

    All graphs of one call share the table, so their colours can be compared; to colour further graphs alike, pass the
    table on. Graphs are networkx, igraph or PyG ones (`read_source` gives such for files with attributes); the rows
    of a feature matrix are values too. Values are equal if Python says so (1 == 1.0 == True), with lists and arrays
    taken as tuples. A new table numbers the values by size (numbers), then by type name and size, so that the order
    of graphs and nodes does not matter.

    >>> import networkx as nx
    >>> water, carbon_dioxide = nx.path_graph(3), nx.path_graph(3)
    >>> nx.set_node_attributes(water, dict(enumerate("HOH")), "atom")
    >>> nx.set_node_attributes(carbon_dioxide, dict(enumerate("OCO")), "atom")
    >>> colors, table = node_colors([water, carbon_dioxide], "atom")
    >>> [each.tolist() for each in colors], table
    ([[1, 2, 1], [2, 0, 2]], {'C': 0, 'H': 1, 'O': 2})
    """
    if _has_attributes(sources) or isinstance(sources, (Graph, str, bytes)):
        raise TypeError(f"node_colors takes a list of graphs, not one {type(sources).__name__}; use [graph]")
    values = [_node_values(source, attribute, i) for i, source in enumerate(sources)]
    if table is None:
        distinct = {value for of_graph in values for _, value in of_graph}
        table = {value: color for color, value in enumerate(sorted(distinct, key=_place))}
    for i, of_graph in enumerate(values):
        for name, value in of_graph:
            if value not in table:
                known = _listed(list(table))
                raise ValueError(f"graph {i}, node {name!r}: {attribute} = {value!r} is not in the table: {known}")
    return [np.array([table[value] for _, value in of_graph], np.int32) for of_graph in values], table


def _has_attributes(source: object) -> bool:
    return (
        _comes_from(source, "networkx", "Graph")
        or _comes_from(source, "igraph", "Graph")
        or _comes_from(source, "torch_geometric.data", "Data")
    )


def _node_values(source: Any, attribute: str, number: int) -> list[tuple[Any, Hashable]]:
    """(name of the node, its value) in the order of as_graph's nodes."""
    if not _has_attributes(source):
        raise TypeError(
            f"graph {number}, a {type(source).__name__}, has no named node attributes; networkx, igraph and PyG graphs "
            "and .graphml and .gml files have; otherwise give colours as an integer array"
        )
    if _comes_from(source, "networkx", "Graph"):
        known = list(dict.fromkeys(chain.from_iterable(source.nodes.values())))
        names, raw = list(source), [data.get(attribute) for data in source.nodes.values()]
    elif _comes_from(source, "igraph", "Graph"):
        known = source.vs.attributes()
        names = source.vs["name"] if "name" in known else list(range(source.vcount()))
        raw = source.vs[attribute] if attribute in known else [None] * len(names)
    else:
        known = list(source.keys())
        names = list(range(source.num_nodes or 0))
        raw = source[attribute] if attribute in known else [None] * len(names)
        raw = raw if isinstance(raw, (list, tuple)) else _as_array(raw).tolist()
    if names and attribute not in known:
        raise ValueError(f"graph {number}: no node has an attribute {attribute!r}; there are: {_listed(known)}")
    if not isinstance(raw, (list, tuple)) or len(raw) != len(names):
        raise ValueError(f"graph {number}: {attribute!r} is no node attribute: not one entry for each node")
    values = []
    for name, unfrozen in zip(names, raw, strict=True):
        value = _frozen(unfrozen)
        if value is None:
            raise ValueError(f"graph {number}, node {name!r}: no attribute {attribute!r}, which other nodes have")
        if _has_nan(value):
            raise ValueError(f"graph {number}, node {name!r}: {attribute} is NaN, which equals nothing")
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"graph {number}, node {name!r}: {attribute} = {value!r} cannot be a colour: unhashable"
            ) from None
        values.append((name, value))
    return values


def _frozen(value: Any) -> Any:
    """Arrays, tensors and lists as nested tuples; numpy's scalars as Python's."""
    if isinstance(value, (int, str, float)) and not isinstance(value, np.generic):
        return value
    if hasattr(value, "__array__"):
        value = _as_array(value).tolist()
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def _has_nan(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_has_nan, value))
    return isinstance(value, Number) and bool(value != value)


def _place(value: Any) -> tuple[str, Any]:
    """A sort key for values of any types. Numbers first, by size: 1 and 1.0 are one value with two type names."""
    if isinstance(value, Real):
        return ("", value)
    if isinstance(value, str):
        return ("str", value)
    if isinstance(value, tuple):
        return ("tuple", tuple(map(_place, value)))
    return (type(value).__name__, repr(value))


def _listed(items: list[Any]) -> str:
    return ", ".join(map(repr, items[:10])) + (f" and {len(items) - 10} more" if len(items) > 10 else "") or "none"


# ---------------------------------------------------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------------------------------------------------


def read_graph(path: str | os.PathLike[str], index: int | None = None) -> Graph:
    """The graph in a file; of a file with several graphs, the one with this index (from 0).

    The suffix tells the format:

    - .g6, .graph6, .s6, .sparse6: one graph a line, graph6 or sparse6.
    - .graphml, .gml: read by networkx, nodes in the order of the file. Directed graphs are refused.
    - .mtx: MatrixMarket, read by scipy. The matrix must be symmetric; every nonzero entry is an edge.
    - .edges, .edgelist, .txt, .csv, .tsv: an edge a line, its two ends separated by a comma, a tab or spaces. Further
      columns (weights, times) are ignored, and so are directions. Lines that begin with # or % are comments. Ends
      that are all whole numbers are the numbers of nodes: 0 up to the largest, and a number that does not occur is an
      isolated node (a file that counts from 1 has one: node 0). A comment `# nodes: 12` before the edges states
      that the nodes are 0 .. 11; in SNAP's `# Nodes: 12 Edges: 30` the numbers may have gaps, which are closed if
      12 different ones occur. Other ends are names, numbered in order of appearance; names with spaces need a .csv
      or .tsv file. A first line of column names is left out if it reads source, target (or from, to or src, dst) or
      stands above nothing but numbers.

    Every mistake, a missing file too, is a ValueError that begins with the path.
    """
    return _in_file(path, read_source(path, index))


def read_graphs(path: str | os.PathLike[str]) -> list[Graph]:
    """All graphs in a file: .g6 and .s6 files have one a line, .graphml files may have several, others have one."""
    return [_in_file(path, source) for source in _read_sources(path)]


def read_source(path: str | os.PathLike[str], index: int | None = None) -> Any:
    """What `read_graph` makes its graph of: a networkx graph, with its node attributes for `node_colors`, if the file
    is .graphml or .gml; otherwise, where there are no attributes, the Graph itself."""
    sources = _read_sources(path)
    if index is None:
        if len(sources) > 1:
            last = len(sources) - 1
            raise ValueError(f"{path}: {len(sources)} graphs in this file; choose one by its index, 0 .. {last}")
        return sources[0]
    if not 0 <= index < len(sources):
        raise ValueError(f"{path}: no graph {index}; the file has {len(sources)}, numbered from 0")
    return sources[index]


def _in_file(path: str | os.PathLike[str], source: Any) -> Graph:
    try:
        return as_graph(source)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None


def _read_sources(path: str | os.PathLike[str]) -> list[Any]:
    file = Path(path)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise ValueError(f"{path}: unknown suffix {file.suffix!r}; known are {', '.join(_READERS)}")
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    if not data.strip():
        raise ValueError(f"{path}: the file is empty")
    try:
        return reader(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error.__cause__


def _graph6_lines(data: bytes) -> list[Any]:
    graphs = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip() or (number == 1 and line.strip() in (b">>graph6<<", b">>sparse6<<")):
            continue
        try:
            graphs.append(_from_graph6(line))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    if not graphs:
        raise ValueError("no graph in this file")
    return graphs


def _matrix_market(data: bytes) -> list[Any]:
    import scipy.io

    # Where the rest of a line ends in a zero byte or at the end of the file, scipy's reader crashes, Python with it.
    data = _text(data).encode() + b"\n"
    rows, columns, entries, *_ = _by_library("MatrixMarket", lambda: scipy.io.mminfo(io.BytesIO(data)))
    if entries > len(data):  # before scipy allocates what the header claims
        raise ValueError(f"truncated: the header speaks of {entries} entries, the file has {len(data)} bytes")
    _check_size(max(rows, columns), len(data))
    matrix = _by_library("MatrixMarket", lambda: scipy.io.mmread(io.BytesIO(data)))
    try:
        return [_from_matrix(matrix)]
    except TypeError as error:
        raise ValueError(str(error)) from None


def _gml(data: bytes) -> list[Any]:
    import networkx

    text = _text(data)  # igraph writes UTF-8 into GML; networkx's own file reader takes ASCII only
    return [_by_library("GML", lambda: networkx.parse_gml(text, label=None))]


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
    declared = {node.get("id") for node in reader.xml.iter(f"{{{reader.NS_GRAPHML}}}node")}
    for graph in graphs:
        for node, attributes in graph.nodes.items():
            if node not in declared:
                raise ValueError(f"an edge ends at {node!r}, which is no node of the file")
            for name, value in graph.graph["node_default"].items():
                attributes.setdefault(name, value)
    return graphs


def _by_library(name: str, read: Callable[[], Any]) -> Any:
    """The result of another library's reader; whatever it raises on a damaged file becomes one line."""
    try:
        return read()
    except Exception as error:
        what = f"unknown {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ValueError(f"not readable as {name}: {what.splitlines()[0]}") from error


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line}: byte {data[error.start]:#x} is no UTF-8 text") from None
    if "\0" in text:
        raise ValueError(f"line {text[: text.index(chr(0))].count(chr(10)) + 1}: a zero byte; this is no text file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _edge_list(data: bytes, names_may_have_spaces: bool = False) -> list[Any]:
    ends: list[str] = []  # two for each edge
    line_of: list[int] = []  # [edges]
    declared: int | None = None
    gaps = False
    for number, line in enumerate(_text(data).split("\n"), 1):
        line = line.strip()
        if line[:1] in ("#", "%"):
            stated = re.fullmatch(r"[#%]\s*nodes:\s*([0-9]+)(\s+edges:.*)?", line, re.IGNORECASE)
            if stated and declared is None and not ends:
                declared, gaps = _whole_number(stated[1]), stated[2] is not None
        elif line:
            try:
                ends += _two_ends(line, names_may_have_spaces)
            except (ValueError, csv.Error) as error:
                raise ValueError(f"line {number}: {error}") from None
            line_of.append(number)
    odd = {end for end in set(ends) if not _is_index(end) and _is_number(end)}
    if odd:
        first = next(i for i, end in enumerate(ends) if end in odd)
        raise ValueError(
            f"line {line_of[first // 2]}: {ends[first][:40]!r} is neither a whole number from 0 on nor a name"
        )
    if _is_title(ends):
        ends, line_of = ends[2:], line_of[1:]
    if not ends and declared is None:
        raise ValueError("no edges; a graph of isolated nodes needs a line '# nodes: N'")
    _check_size(declared or 0, len(data))
    if all(map(_is_index, ends)):
        return [_from_numbers(ends, line_of, declared, gaps, len(data))]
    return [_from_names(ends, declared)]


def _two_ends(line: str, names_may_have_spaces: bool) -> list[str]:
    head = line.partition("{")[0]  # networkx writes a dictionary, with commas, behind the ends
    separator = "," if "," in head else "\t" if "\t" in head else None
    if '"' in head:
        ends = next(csv.reader([line], delimiter=separator or " ", skipinitialspace=True, strict=True))[:2]
    elif separator:
        ends = [cell.strip() for cell in line.split(separator, 2)[:2]]
    else:
        ends = line.split(None, 2)[:2]
    if len(ends) < 2 or ends[1][:1] == "#":
        raise ValueError(f"one end only, {ends[0][:40]!r}; an edge has two, separated by a comma, a tab or spaces")
    if not (ends[0] and ends[1]):
        raise ValueError("an end without a name")
    if separator and not names_may_have_spaces and any(len(end.split()) > 1 for end in ends):
        raise ValueError("separators of two kinds; names with spaces need a .csv or .tsv file")
    return ends


def _is_index(end: str) -> bool:
    return end.isdigit() and end.isascii()


def _is_number(end: str) -> bool:
    try:
        float(end)
    except ValueError:
        return False
    return True


def _is_title(ends: list[str]) -> bool:
    """Do the first two ends name columns instead of nodes?"""
    known = (["source", "target"], ["from", "to"], ["src", "dst"])
    above_numbers = len(ends) > 2 and not any(map(_is_index, ends[:2])) and all(map(_is_index, ends[2:]))
    return above_numbers or [end.lower() for end in ends[:2]] in known


def _whole_number(digits: str) -> int:
    """Its value; all numbers from 10^18 on, far beyond any node, count as 10^18."""
    return int(digits) if len(digits) <= 18 else 10**18


def _from_numbers(ends: list[str], line_of: list[int], declared: int | None, gaps: bool, size: int) -> Graph:
    pairs = np.array(list(map(_whole_number, ends)), np.int64).reshape(-1, 2)
    largest = int(pairs.max(initial=-1))
    if declared is not None and gaps and declared <= largest < 10**18:
        numbers = np.unique(pairs)
        if len(numbers) == declared:
            return Graph.from_edges(declared, np.searchsorted(numbers, pairs))
    num_nodes = largest + 1 if declared is None else declared
    if largest >= min(num_nodes, max(FREE_NODES, 16 * size)):
        row = int(pairs.argmax()) // 2
        edge = f"line {line_of[row]}: edge ({ends[2 * row]:.20}, {ends[2 * row + 1]:.20})"
        if declared is not None:
            raise ValueError(f"{edge} is out of range: {declared} nodes are stated, numbered from 0")
        raise ValueError(
            f"{edge} in a file of {size} bytes; nodes are numbered from 0 without wide gaps, unless a first line "
            "'# Nodes: N Edges: M' states that N different numbers occur"
        )
    return Graph.from_edges(num_nodes, pairs)


def _from_names(ends: list[str], declared: int | None) -> Graph:
    number: dict[str, int] = {}
    pairs = [number.setdefault(end, len(number)) for end in ends]
    if declared is not None and declared < len(number):
        raise ValueError(f"{declared} nodes are stated and {len(number)} different names occur")
    return Graph.from_edges(declared or len(number), np.array(pairs, np.int64).reshape(-1, 2))


_READERS: dict[str, Callable[[bytes], list[Any]]] = {
    **dict.fromkeys([".g6", ".graph6", ".s6", ".sparse6"], _graph6_lines),
    ".graphml": _graphml,
    ".gml": _gml,
    ".mtx": _matrix_market,
    **dict.fromkeys([".edges", ".edgelist", ".txt"], _edge_list),
    **dict.fromkeys([".csv", ".tsv"], partial(_edge_list, names_may_have_spaces=True)),
}
