"""wlt.convert: round trips against networkx, igraph, scipy and PyG; bad input; a bounded fuzz of the readers."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from wlt.convert import FREE_NODES, as_graph, node_colors, read_graph, read_graphs, read_source
from wlt.graph import Graph

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric.data")


@st.composite
def simple_graphs(draw: st.DrawFn, max_nodes: int = 12) -> Graph:
    n = draw(st.integers(0, max_nodes))
    pairs = [(u, v) for v in range(n) for u in range(v)]
    return Graph.from_edges(n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


def random_graph(n: int, density: float) -> Graph:
    rng = np.random.default_rng(n)
    return Graph.from_edges(n, np.argwhere(np.triu(rng.random((n, n)) < density, 1)))


def to_pyg(graph: Graph) -> Any:
    return pyg.Data(edge_index=torch.from_numpy(graph.edge_index()), num_nodes=graph.num_nodes)


def written(writer: Callable[..., None], graph: Any, *options: Any) -> bytes:
    buffer = io.BytesIO()
    writer(*((graph, buffer) if writer is not scipy.io.mmwrite else (buffer, graph)), *options)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# --- as_graph: round trips ---


OTHER_FORMS = {
    "wlt": lambda g: g,
    "networkx": Graph.to_networkx,
    "networkx multigraph": lambda g: nx.MultiGraph(g.to_networkx()),
    "networkx named": lambda g: nx.relabel_nodes(g.to_networkx(), lambda v: f"node {v}"),
    "igraph": Graph.to_igraph,
    "pyg": to_pyg,
    "pyg batch": lambda g: pyg.Batch.from_data_list([to_pyg(g)]),
    "pair": lambda g: (g.num_nodes, g.edges()),
    "pair of lists": lambda g: (g.num_nodes, g.edges().tolist()),
    "csr_array": Graph.to_scipy,
    "csr_matrix": lambda g: scipy.sparse.csr_matrix(g.to_scipy()),
    "coo_array": lambda g: g.to_scipy().tocoo(),
    "lil_array": lambda g: g.to_scipy().tolil(),
    "dia_array": lambda g: g.to_scipy().todia(),
    "bool csc": lambda g: g.to_scipy().astype(bool).tocsc(),
    "dense": lambda g: g.to_scipy().toarray(),
    "dense uint8": lambda g: g.to_scipy().toarray().astype(np.uint8),
    "dense float16": lambda g: g.to_scipy().toarray().astype(np.float16),
    "dense bool": lambda g: g.to_scipy().toarray().astype(bool),
    "weighted": lambda g: 0.25 * g.to_scipy().toarray(),
    "graph6": lambda g: nx.to_graph6_bytes(g.to_networkx()).decode(),
    "graph6 bare bytes": lambda g: nx.to_graph6_bytes(g.to_networkx(), header=False).strip(),
    "sparse6": lambda g: nx.to_sparse6_bytes(g.to_networkx()).decode(),
    "sparse6 bare bytes": lambda g: nx.to_sparse6_bytes(g.to_networkx(), header=False).strip(),
}


@pytest.mark.parametrize("form", OTHER_FORMS)
@settings(max_examples=15)
@given(graph=simple_graphs())
def test_round_trip(form: str, graph: Graph) -> None:
    again = as_graph(OTHER_FORMS[form](graph))
    assert again.same_edges(graph)
    assert again.num_graphs == 1
    assert (again.removed_loops, again.removed_repeats) == (0, 0)


@pytest.mark.parametrize("form", OTHER_FORMS)
@pytest.mark.parametrize("n", [0, 1, 2])
def test_round_trip_of_the_smallest(form: str, n: int) -> None:
    graph = Graph.from_edges(n, [])
    assert as_graph(OTHER_FORMS[form](graph)).same_edges(graph)


MILLION = 10**6


@pytest.mark.parametrize(
    "source",
    [
        pytest.param((MILLION, []), id="pair"),
        pytest.param(igraph.Graph(MILLION), id="igraph"),
        pytest.param(scipy.sparse.csr_array((MILLION, MILLION)), id="csr"),
        pytest.param(scipy.sparse.coo_matrix((MILLION, MILLION)), id="coo"),
        pytest.param(pyg.Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=MILLION), id="pyg"),
        pytest.param(nx.empty_graph(MILLION), id="networkx"),
        pytest.param(":~~??BsH?", id="sparse6"),  # 10^6 = 3 * 64^3 + 52 * 64^2 + 9 * 64
    ],
)
def test_a_million_isolated_nodes(source: Any) -> None:
    assert repr(as_graph(source)) == f"Graph(nodes={MILLION}, edges=0)"


def test_a_wlt_graph_is_returned_as_it_is() -> None:
    graph = random_graph(5, 0.5)
    assert as_graph(graph) is graph


def test_networkx_nodes_are_numbered_in_their_order() -> None:
    graph = nx.Graph()
    graph.add_nodes_from("zxy")
    graph.add_edge("z", "y")
    assert as_graph(graph).edges().tolist() == [[0, 2]]


LOOPS_AND_REPEATS = [(0, 0), (0, 1), (0, 1), (1, 2), (2, 2)]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(nx.MultiGraph(LOOPS_AND_REPEATS), id="networkx"),
        pytest.param(igraph.Graph(LOOPS_AND_REPEATS), id="igraph"),
        pytest.param((3, LOOPS_AND_REPEATS), id="pair"),
    ],
)
def test_loops_and_repeats_are_left_out_and_counted(source: Any) -> None:
    graph = as_graph(source)
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    assert (graph.removed_loops, graph.removed_repeats) == (2, 1)


def test_matrix_details() -> None:
    matrix = np.array([[3, 2, 0], [2, 0, 1], [0, 1, 0]])
    graph = as_graph(matrix)
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    assert graph.removed_loops == 1
    stored_zero = scipy.sparse.csr_array(matrix)
    stored_zero.data[stored_zero.data == 2] = 0
    assert as_graph(stored_zero).edges().tolist() == [[1, 2]]
    assert stored_zero.nnz == 5, "the caller's matrix was changed"
    in_two_parts = scipy.sparse.coo_array(([1, 1, 2], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert as_graph(in_two_parts).removed_repeats == 0


def test_pyg_batch_is_a_disjoint_union() -> None:
    parts = [random_graph(n, 0.5) for n in (3, 1, 4)]
    union = as_graph(pyg.Batch.from_data_list([to_pyg(part) for part in parts]))
    assert union.starts.tolist() == [0, 3, 4, 8]
    assert union.same_edges(Graph.union(parts))


def test_pyg_data_with_repeats_loops_and_features() -> None:
    both = torch.tensor([[0, 1, 0, 1, 1, 2], [1, 0, 1, 0, 1, 2]])
    graph = as_graph(pyg.Data(edge_index=both, x=torch.zeros(4, 7)))
    assert (graph.num_nodes, graph.edges().tolist()) == (4, [[0, 1]])
    assert (graph.removed_loops, graph.removed_repeats) == (2, 2)


def test_pyg_numpy_and_edge_index_tensor() -> None:
    from torch_geometric import EdgeIndex

    for edge_index in (np.array([[0, 1], [1, 0]]), EdgeIndex([[0, 1], [1, 0]])):
        assert as_graph(pyg.Data(edge_index=edge_index, num_nodes=3)).edges().tolist() == [[0, 1]]


# --- as_graph: bad input ---


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        pytest.param(nx.DiGraph([(0, 1)]), ValueError, "directed networkx.*to_undirected", id="networkx directed"),
        pytest.param(nx.MultiDiGraph(), ValueError, "directed networkx", id="networkx directed multigraph"),
        pytest.param(
            igraph.Graph([(0, 1)], directed=True), ValueError, "directed igraph.*as_und", id="igraph directed"
        ),
        pytest.param(
            pyg.Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 2]]), num_nodes=3),
            ValueError,
            r"edge \(1, 2\) and not \(2, 1\).*to_undirected",
            id="pyg directed",
        ),
        pytest.param(
            pyg.Data(edge_index=torch.tensor([[0, 1, 0, 1, 0], [1, 2, 1, 2, 0]]), num_nodes=3),
            ValueError,
            r"edge \(0, 1\) and not \(1, 0\)",
            id="pyg directed with repeats",
        ),
        pytest.param(
            pyg.Data(edge_index=torch.tensor([[0, 3], [3, 0]]), num_nodes=3),
            ValueError,
            "node 3",
            id="pyg out of range",
        ),
        pytest.param(pyg.Data(x=torch.zeros(3, 1)), ValueError, "without edge_index", id="pyg without edges"),
        pytest.param(
            pyg.Data(edge_index=torch.zeros(3, 4, dtype=torch.long), num_nodes=3),
            ValueError,
            r"\(3, 4\)",
            id="pyg shape",
        ),
        pytest.param(pyg.HeteroData(), TypeError, "HeteroData; accepted are", id="pyg hetero"),
        pytest.param(np.zeros((2, 3)), ValueError, r"square; this has shape \(2, 3\)", id="not square"),
        pytest.param(np.zeros(4), ValueError, r"square; this has shape \(4,\)", id="vector"),
        pytest.param(scipy.sparse.csr_array((2, 3)), ValueError, "square", id="sparse not square"),
        pytest.param(scipy.sparse.coo_array([1, 0]), ValueError, "square", id="sparse vector"),
        pytest.param(np.array([[0, 1], [0, 0]]), ValueError, r"directed matrix: entry \(0, 1\) is 1", id="directed"),
        pytest.param(np.array([[0, 1], [2, 0]]), ValueError, r"entry \(1, 0\) is 2", id="different weights"),
        pytest.param(
            scipy.sparse.csr_array(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]])),
            ValueError,
            r"directed matrix: entry \(0, 2\) is 1 and entry \(2, 0\) is 0",
            id="sparse directed",
        ),
        pytest.param(np.array([[0, np.nan], [np.nan, 0]]), ValueError, r"\(0, 1\) is nan", id="NaN"),
        pytest.param(np.array([[np.nan]]), ValueError, r"\(0, 0\) is nan", id="NaN on the diagonal"),
        pytest.param(np.array([[0, np.inf], [np.inf, 0]]), ValueError, r"\(0, 1\) is inf", id="infinity"),
        pytest.param(np.array([[0, -1], [-1, 0]]), ValueError, r"negative counts: entry \(0, 1\) is -1", id="negative"),
        pytest.param(-scipy.sparse.eye_array(2).tocsr(), ValueError, "negative counts", id="sparse negative"),
        pytest.param(np.zeros((2, 2), complex), TypeError, "real numbers, not .* complex128", id="complex"),
        pytest.param(np.zeros((2, 2), object), TypeError, "real numbers", id="objects"),
        pytest.param(np.array([["a"]]), TypeError, "real numbers", id="letters"),
        pytest.param(scipy.sparse.coo_array((2**31, 2**31)), ValueError, "at most 2147483647", id="too large"),
        pytest.param((3, [(0, 3)]), ValueError, "node 3", id="pair out of range"),
        pytest.param((0, 1), TypeError, "list of pairs", id="one edge as a pair"),
        pytest.param(((0, 1), (1, 2)), TypeError, "number of nodes must be", id="edges without n"),
        pytest.param((1, 2, 3), TypeError, "tuple; accepted are", id="triple"),
        pytest.param([(0, 1), (1, 2)], TypeError, "list; accepted are", id="list of edges"),
        pytest.param(None, TypeError, "NoneType; accepted are a wlt.Graph, a networkx", id="None"),
        pytest.param(7, TypeError, "int; accepted are", id="number"),
        pytest.param(Path("a.g6"), TypeError, "use wlt.read_graph", id="path"),
        pytest.param(
            "graphs/petersen.g6", ValueError, "illegal character '/' at position 6.*wlt.read_graph", id="file"
        ),
        pytest.param(nx.path_graph(3).edges, TypeError, "EdgeView; accepted are", id="edge view"),
    ],
)
def test_bad_source(source: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        as_graph(source)
    assert "\n" not in str(caught.value)


def test_pyg_without_its_number_of_nodes_is_no_graph() -> None:
    with pytest.raises(ValueError, match="without edge_index or num_nodes"):
        as_graph(pyg.Data())


def test_converting_text_imports_no_library() -> None:
    code = (
        "import sys; from wlt.convert import as_graph; as_graph('Bw'); as_graph((3, [(0, 1)]))\n"
        "print([name for name in ('torch', 'torch_geometric', 'networkx', 'igraph', 'scipy.sparse', 'matplotlib')"
        " if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# --- graph6 and sparse6 ---


@pytest.mark.parametrize("density", [0, 0.1, 0.9, 1])
@pytest.mark.parametrize("n", [3, 8, 61, 62, 63, 64, 65, 130, 300])
def test_graph6_and_sparse6_of_larger_graphs(n: int, density: float) -> None:
    graph = random_graph(n, density)
    other = graph.to_networkx()
    assert as_graph(nx.to_graph6_bytes(other)).same_edges(graph)
    assert as_graph(nx.to_sparse6_bytes(other)).same_edges(graph)


@pytest.mark.parametrize("n", [62, 63, 4095, 4096, 258047, 258048])
def test_sparse6_of_many_nodes(n: int) -> None:
    graph = Graph.from_edges(n, [(0, n - 1), (1, 2), (n - 3, n - 2), (n - 2, n - 1), (5, n // 2)])
    assert as_graph(nx.to_sparse6_bytes(graph.to_networkx())).same_edges(graph)


@given(simple_graphs(max_nodes=17), st.data())
def test_sparse6_of_multigraphs(graph: Graph, data: st.DataObject) -> None:
    multigraph = nx.MultiGraph(graph.to_networkx())
    extra = data.draw(st.lists(st.sampled_from(graph.edges().tolist()), max_size=4)) if graph.num_edges else []
    loops = data.draw(st.lists(st.integers(0, graph.num_nodes - 1), max_size=4)) if graph.num_nodes > 1 else []
    multigraph.add_edges_from([*extra, *((v, v) for v in loops)])
    again = as_graph(nx.to_sparse6_bytes(multigraph))
    assert again.same_edges(graph)
    assert (again.removed_loops, again.removed_repeats) == (len(loops), len(extra))


@pytest.mark.parametrize("size", ["B", "~??B", "~~?????B"], ids=["one digit", "three digits", "six digits"])
def test_graph6_sizes_of_all_widths(size: str) -> None:
    assert as_graph(f"{size}w").edges().tolist() == [[0, 1], [0, 2], [1, 2]]
    assert as_graph(f":{size}cJ").same_edges(as_graph(nx.from_sparse6_bytes(b":BcJ")))


@pytest.mark.parametrize("text", ["Bw", "Bw\n", "Bw\r\n", b"Bw", ">>graph6<<Bw\n", b">>graph6<<Bw", "Bw  "])
def test_graph6_with_and_without_header(text: str | bytes) -> None:
    assert as_graph(text).edges().tolist() == [[0, 1], [0, 2], [1, 2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "empty graph6", id="empty"),
        pytest.param("\n", "empty graph6", id="newline"),
        pytest.param(">>graph6<<", "empty graph6", id="header only"),
        pytest.param(":", "empty sparse6", id="colon only"),
        pytest.param(
            "D?", "truncated graph6 text: 5 nodes need 2 characters from position 1 on, there are 1", id="short"
        ),
        pytest.param(">>graph6<<D?", "from position 11 on, there are 1", id="short with header"),
        pytest.param("D", "there are 0", id="no bits"),
        pytest.param("D???", "too long graph6 text: 5 nodes need 2 characters", id="long"),
        pytest.param("?w", "too long graph6 text: 0 nodes", id="bits of no nodes"),
        pytest.param("Bx", "at position 1, sets padding bits", id="padding"),
        pytest.param("D?@", "at position 2, sets padding bits", id="padding of two"),
        pytest.param("D?>", "illegal character '>' at position 2", id="below 63"),
        pytest.param("D?\x7f", r"illegal character '\\x7f' at position 2", id="above 126"),
        pytest.param(b"D?\xff", "illegal character 'ÿ' at position 2", id="high byte"),
        pytest.param("D?é", "illegal character 'é' at position 2", id="not ASCII"),
        pytest.param(" Bw", "illegal character ' ' at position 0", id="space before"),
        pytest.param("Bw\nBw", r"illegal character '\\n' at position 2", id="two lines"),
        pytest.param("~", "ends at position 1, inside the number of nodes", id="size cut at 1"),
        pytest.param("~?@", "ends at position 3, inside the number of nodes", id="size cut at 3"),
        pytest.param("~~?????", "ends at position 7, inside the number of nodes", id="size cut at 7"),
        pytest.param("~~~~~~~~", "68719476735 nodes need", id="2^36 nodes"),
        pytest.param("~}~~", "truncated graph6 text: 258047 nodes need", id="258047 nodes"),
        pytest.param(":~~~~~~~", "inside the number of nodes", id="s6 size cut"),
        pytest.param(":~~~~~~~~", "68719476735 nodes in a text of 9 bytes", id="sparse6 2^36 nodes"),
        pytest.param(":~~?A????", "in a text of 9 bytes", id="sparse6 2^25 nodes"),
        pytest.param(":D_`abcd~~", "position .* stands node 5 of 5", id="sparse6 beyond its end"),
        pytest.param(":B>", "sparse6 text: illegal character '>' at position 2", id="sparse6 below 63"),
        pytest.param(":~?_?_??", "incomplete edge: truncated", id="sparse6 truncated"),
        pytest.param("&B?", "digraph6 text describes a directed graph", id="digraph6"),
    ],
)
def test_bad_graph6(text: str | bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        as_graph(text)
    assert "\n" not in str(caught.value)


@given(simple_graphs(), st.data())
def test_every_prefix_of_graph6_is_refused(graph: Graph, data: st.DataObject) -> None:
    text = nx.to_graph6_bytes(graph.to_networkx(), header=False).strip()
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(ValueError, match=r"truncated|empty"):
        as_graph(text[:cut])
    with pytest.raises(ValueError, match="too long"):
        as_graph(text + text[cut:])


def to_graph6(graph: Graph) -> str:
    """graph6 from its definition, in plain Python, as an oracle for the fuzz."""
    n = graph.num_nodes
    bits = [int(graph.has_edge(u, v)) for v in range(n) for u in range(v)]
    bits += [0] * (-len(bits) % 6)
    body = "".join(chr(63 + int("".join(map(str, bits[i : i + 6])), 2)) for i in range(0, len(bits), 6))
    assert n <= 62
    return chr(63 + n) + body


def graph6_of_right_length(n: int) -> st.SearchStrategy[str]:
    length = (n * (n - 1) // 2 + 5) // 6
    return st.text(st.sampled_from("?@_w~"), min_size=length, max_size=length).map(chr(63 + n).__add__)


GRAPH6_ALPHABET = st.text(st.characters(min_codepoint=63, max_codepoint=126), max_size=40)
ANY_TEXT = st.one_of(
    st.text(max_size=40),
    st.binary(max_size=40),
    GRAPH6_ALPHABET,
    GRAPH6_ALPHABET.map("~".__add__),
    GRAPH6_ALPHABET.map("~~".__add__),
    GRAPH6_ALPHABET.map(":".__add__),
    GRAPH6_ALPHABET.map(":~".__add__),
    GRAPH6_ALPHABET.map(">>graph6<<".__add__),
    st.integers(0, 30).flatmap(graph6_of_right_length),
)


@settings(max_examples=400)
@given(ANY_TEXT)
def test_fuzz_graph6(text: str | bytes) -> None:
    message = ""
    tracemalloc.start()
    try:
        graph = as_graph(text)
    except ValueError as error:
        graph, message = None, str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    content = text.decode("latin-1") if isinstance(text, bytes) else text
    sparse = content.removeprefix(">>sparse6<<").startswith(":")
    # isolated nodes of sparse6 cost offsets; everything else must be paid for by the text
    assert peak < 2_000_000 + 1000 * len(text) + (64 * graph.num_nodes if graph and sparse else 0)
    if graph is None:
        assert message
        assert "\n" not in message
        return
    assert graph.num_nodes <= FREE_NODES
    bare = content.removeprefix(">>graph6<<").rstrip(" \t\r\n")
    if not sparse and not bare.startswith("~"):
        assert to_graph6(graph) == bare
    if sparse and graph.num_nodes <= 1000:
        oracle = nx.from_sparse6_bytes(content.rstrip(" \t\r\n").encode())
        assert as_graph(oracle).same_edges(graph)


# --- node colours ---


def labelled(form: str, values: list[Any]) -> Any:
    """A path whose nodes have these values as attribute 'kind'."""
    graph = nx.path_graph(len(values))
    if form == "networkx":
        nx.set_node_attributes(graph, dict(enumerate(values)), "kind")
        return graph
    if form == "igraph":
        other = igraph.Graph.Ring(len(values), circular=False)
        other.vs["kind"] = values
        return other
    data = to_pyg(as_graph(graph))
    data.kind = values
    return data


FORMS = pytest.mark.parametrize("form", ["networkx", "igraph", "pyg"])
VALUES = st.one_of(
    st.integers(-3, 3), st.sampled_from([0.0, 1.0, -0.5, 2**60]), st.booleans(), st.text("ab", max_size=2),
    st.tuples(st.integers(0, 1), st.text("ab", max_size=1)), st.binary(max_size=1),
)  # fmt: skip


@FORMS
@settings(max_examples=40)
@given(groups=st.lists(st.lists(VALUES, min_size=1, max_size=6), min_size=1, max_size=3), data=st.data())
def test_node_colors(form: str, groups: list[list[Any]], data: st.DataObject) -> None:
    colors, table = node_colors([labelled(form, values) for values in groups], "kind")
    flat = [value for values in groups for value in values]
    ids = [color for each in colors for color in each.tolist()]
    assert [len(each) for each in colors] == list(map(len, groups))
    assert all((a == b) == (x == y) for a, x in zip(flat, ids, strict=True) for b, y in zip(flat, ids, strict=True))
    assert sorted(table.values()) == list(range(len(set(flat)))) == sorted(set(ids))
    assert all(table[value] == color for value, color in zip(flat, ids, strict=True))

    shuffled = data.draw(st.permutations(flat))
    assert node_colors([labelled(form, shuffled)], "kind")[1] == table, "the numbering depends on the order of nodes"
    some = data.draw(st.lists(st.sampled_from(flat), min_size=1))
    (again,), same_table = node_colors([labelled(form, some)], "kind", table)
    assert again.tolist() == [table[value] for value in some]
    assert same_table == table


def test_node_colors_sort_numbers_by_size_and_text_by_letters() -> None:
    colors, table = node_colors([labelled("networkx", [10, "b", 9, "a", 9.5])], "kind")
    assert table == {9: 0, 9.5: 1, 10: 2, "a": 3, "b": 4}
    assert colors[0].tolist() == [2, 4, 0, 3, 1]
    assert colors[0].dtype == np.int32


def test_node_colors_from_tensors_and_arrays() -> None:
    data = labelled("pyg", [0, 0, 0])
    data.x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    data.z = torch.tensor([8, 6, 8])
    assert node_colors([data], "x")[0][0].tolist() == [1, 0, 1]
    assert node_colors([data], "x")[1] == {(0.0, 1.0): 0, (1.0, 0.0): 1}
    assert node_colors([data], "z")[1] == {6: 0, 8: 1}
    values = [np.array([1, 2]), [1, 2], torch.tensor([1, 2]), (1, 2), np.array([2, 1])]
    assert node_colors([labelled("networkx", values)], "kind")[0][0].tolist() == [0, 0, 0, 0, 1]
    scalars = [np.int64(3), 3, np.float32(3), torch.tensor(3), np.array(3)]
    assert node_colors([labelled("networkx", scalars)], "kind")[1] == {3: 0}


@FORMS
def test_node_colors_of_no_nodes(form: str) -> None:
    colors, table = node_colors([labelled(form, [])], "kind")
    assert (colors[0].shape, table) == ((0,), {})
    assert node_colors([], "kind") == ([], {})


def test_one_table_for_graphs_of_different_libraries() -> None:
    colors, _ = node_colors([labelled(form, ["C", "N"]) for form in ("networkx", "igraph", "pyg")], "kind")
    assert [each.tolist() for each in colors] == [[0, 1]] * 3


@FORMS
@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        pytest.param([1, None, 2], ValueError, "graph 0, node 1: no attribute 'kind'", id="missing on one node"),
        pytest.param([1, 2, float("nan")], ValueError, "graph 0, node 2: kind is NaN", id="NaN"),
        pytest.param([1, 2, np.float32("nan")], ValueError, "graph 0, node 2: kind is NaN", id="numpy NaN"),
        pytest.param([(1, float("nan"))], ValueError, "graph 0, node 0: kind is NaN", id="NaN in a tuple"),
        pytest.param([1, {"a": 1}], TypeError, "graph 0, node 1: kind = {'a': 1} .* unhashable", id="unhashable"),
    ],
)
def test_bad_values(form: str, values: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        node_colors([labelled(form, values)], "kind")


@FORMS
def test_unknown_attribute_and_unknown_value(form: str) -> None:
    graph = labelled(form, ["C", "N"])
    with pytest.raises(ValueError, match=r"graph 1: no node has an attribute 'atom'; there are: .*'kind'"):
        node_colors([labelled(form, []), graph], "atom")
    with pytest.raises(ValueError, match="graph 0, node 1: kind = 'N' is not in the table: 'C'"):
        node_colors([graph], "kind", {"C": 0})


def test_missing_attribute_of_a_named_networkx_node() -> None:
    graph = nx.Graph([("a", "b")])
    graph.nodes["a"]["kind"] = 1
    with pytest.raises(ValueError, match="graph 0, node 'b': no attribute 'kind', which other nodes have"):
        node_colors([graph], "kind")


@pytest.mark.parametrize("source", [Graph.from_edges(2, []), np.zeros((2, 2)), None], ids=["Graph", "array", "None"])
def test_sources_without_attributes(source: Any) -> None:
    with pytest.raises(TypeError, match=r"graph 0, a .*, has no named node attributes"):
        node_colors([source], "kind")


@pytest.mark.parametrize("source", [labelled("networkx", [1]), labelled("igraph", [1]), labelled("pyg", [1]), "Bw"])
def test_one_graph_instead_of_a_list(source: Any) -> None:
    with pytest.raises(TypeError, match=r"takes a list of graphs, not one .*; use \[graph\]"):
        node_colors(source, "kind")


def test_attribute_of_the_whole_pyg_graph() -> None:
    data = labelled("pyg", [1, 2, 3])
    data.y = torch.tensor([1])
    with pytest.raises(ValueError, match="'y' is no node attribute"):
        node_colors([data], "y")


# --- files: round trips ---


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
    assert node_colors([read_source(path)], "shade")[0][0].tolist() == [1, 0, 1]
    assert read_graph(path).edges().tolist() == [[0, 1], [1, 2]]


def test_graphml_defaults_are_values(folder: Path) -> None:
    path = put(
        folder,
        "default.graphml",
        '<graphml><key id="k" for="node" attr.name="kind" attr.type="int"><default>7</default></key>'
        '<graph edgedefault="undirected"><node id="a"/><node id="b"><data key="k">8</data></node></graph></graphml>',
    )
    assert node_colors([read_source(path)], "kind")[1] == {7: 0, 8: 1}


def test_a_million_isolated_nodes_in_files(folder: Path) -> None:
    for name, content in [
        ("iso.edges", f"# nodes: {MILLION}\n"),
        ("iso.mtx", f"%%MatrixMarket matrix coordinate pattern symmetric\n{MILLION} {MILLION} 0\n"),
        ("iso.csv", f"# nodes: {MILLION}\nsource,target\n"),
    ]:
        assert repr(read_graph(put(folder, name, content))) == f"Graph(nodes={MILLION}, edges=0)"


# --- edge lists ---


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
        pytest.param("a.txt", "u v\nv w\n", 3, [[0, 1], [1, 2]], id="names, not a title"),
        pytest.param(
            "a.csv", 'New York,"Boston, MA"\n"Boston, MA",Rome\n', 3, [[0, 1], [1, 2]], id="names with spaces"
        ),
        pytest.param("a.tsv", "New York\tBoston\n", 2, [[0, 1]], id="names with spaces and tabs"),
        pytest.param("a.txt", '"a" "b"\n', 2, [[0, 1]], id="quotes"),
        pytest.param("a.txt", "\ufeff0 1\n", 2, [[0, 1]], id="byte order mark"),
        pytest.param("a.txt", "0 1\r1 2\r", 3, [[0, 1], [1, 2]], id="old Mac"),
        pytest.param("a.edges", "1 1\n", 2, [], id="a loop"),
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


MM = "%%MatrixMarket matrix coordinate"
XML = '<graphml><graph edgedefault="{}"><node id="a"/><node id="b"/>{}</graph></graphml>'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("bad.xyz", "0 1", "unknown suffix '.xyz'; known are .g6, .graph6", id="unknown suffix"),
        pytest.param("bad", "0 1", "unknown suffix ''; known are", id="no suffix"),
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
        pytest.param("bad.csv", ",source,target\n0,1,2\n", "line 1: an end without a name", id="pandas index"),
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
        pytest.param("bad.txt", "0 1\n".encode("utf-16"), "line 1: byte 0xff is no UTF-8", id="UTF-16"),
        pytest.param("bad.txt", b"0 1\n\x00 1\n", "line 2: a zero byte", id="zero byte"),
        pytest.param("bad.txt", "New York\tBoston\n", "line 1: separators of two kinds", id="spaces and tabs"),
        pytest.param("bad.txt", "New York,Boston\n", "line 1: separators of two kinds", id="spaces and commas"),
        pytest.param("bad.mtx", "garbage", "not readable as MatrixMarket: Line 1", id="no matrix"),
        pytest.param("bad.mtx", f"{MM} pattern symmetric\n3 3 2\n2 1\n", "MatrixMarket: Truncated", id="mtx truncated"),
        pytest.param("bad.mtx", f"{MM} pattern symmetric\n3 3 1\n4 1\n", "Line 3: Row index out of", id="mtx range"),
        pytest.param("bad.mtx", f"{MM} pattern general\n2 2 1\n2 1\n", r"directed .*\(0, 1\) is 0", id="mtx directed"),
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
        pytest.param("bad.gml", "graph [ directed 1 ]", "directed networkx graph", id="gml directed"),
        pytest.param("bad.gml", b"graph [ \xff ]", "line 1: byte 0xff is no UTF-8", id="gml bytes"),
        pytest.param("bad.graphml", "<graphml>", "not readable as GraphML: no element found", id="graphml truncated"),
        pytest.param(
            "bad.graphml",
            XML.replace("<graph ", '<key id="k" for="node" attr.name="a" attr.type="real"/><graph '),
            "not readable as GraphML: unknown 'real'",
            id="graphml type",
        ),
        pytest.param("bad.graphml", "<html/>", "no graph in this GraphML file", id="other XML"),
        pytest.param("bad.graphml", XML.format("directed", ""), "directed networkx graph", id="graphml directed"),
        pytest.param(
            "bad.graphml",
            XML.format("undirected", '<edge source="a" target="c"/>'),
            "an edge ends at 'c', which is no node",
            id="graphml range",
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
    with pytest.raises(ValueError, match=r"nowhere\.g6: No such file"):
        read_graph(folder / "nowhere.g6")
    (folder / "folder.txt").mkdir()
    with pytest.raises(ValueError, match=r"folder\.txt: Is a directory"):
        read_graph(folder / "folder.txt")


@pytest.mark.parametrize("path", [None, 3, Graph.from_edges(1, [])], ids=["None", "int", "Graph"])
def test_not_a_path(path: Any) -> None:
    with pytest.raises(TypeError):
        read_graph(path)


# --- fuzz of the file readers ---


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
    path = put(folder, "numbers.edges", "\n".join(f"{u} {v}" for u, v in edges))
    oracle = nx.empty_graph(1 + max(map(max, edges)))
    oracle.add_edges_from(nx.read_edgelist(path, nodetype=int).edges)
    assert read_graph(path).same_edges(as_graph(oracle))


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


# --- real data ---


@pytest.mark.parametrize(
    ("name", "count", "nodes"), [("graph8c.g6", 11117, 8), ("sr251256.g6", 15, 25), ("sr16622.g6", 2, 16)]
)
def test_real_graph6_files(data_dir: Path, name: str, count: int, nodes: int) -> None:
    path = data_dir / "expressiveness" / name
    graphs = read_graphs(path)
    assert [len(graphs), {graph.num_nodes for graph in graphs}] == [count, {nodes}]
    for graph, line in list(zip(graphs, path.read_bytes().splitlines(), strict=True))[:: max(1, count // 50)]:
        assert graph.same_edges(as_graph(nx.from_graph6_bytes(line)))
