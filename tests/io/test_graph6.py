"""graph6 and sparse6 text: against networkx, and damaged."""

from __future__ import annotations

import tracemalloc

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sources import random_graph, simple_graphs

from wlt.graph import Graph
from wlt.io import as_graph
from wlt.io.text import FREE_NODES


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
    text = nx.to_sparse6_bytes(multigraph)
    assert as_graph(text).same_edges(as_graph(multigraph))
    again = as_graph(text, simple=True)
    assert again.same_edges(graph)
    assert (again.removed_loops, again.removed_repeats) == (len(loops), len(extra))


@given(st.integers(0, 12), st.data())
def test_digraph6_is_the_rows_of_the_matrix(n: int, data: st.DataObject) -> None:
    """Six bits a character, written here: networkx knows no digraph6."""
    bits = data.draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    padded = np.packbits(np.array([*bits, *[False] * (-n * n % 6)], bool).reshape(-1, 6), axis=1)[:, 0] // 4
    text = "&" + chr(63 + n) + "".join(chr(63 + six) for six in padded)
    matrix = np.array(bits, int).reshape(n, n)
    oracle = nx.from_numpy_array(matrix, create_using=nx.DiGraph)
    for prefix in ("", ">>digraph6<<"):
        graph = as_graph(prefix + text)
        assert graph.same_edges(as_graph(oracle, edge_labels=None))
        assert graph.ignored == ()


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
        pytest.param("&", "empty digraph6", id="digraph6 empty"),
        pytest.param(
            "&A", "truncated digraph6 text: 2 nodes need 1 characters from position 2 on", id="digraph6 short"
        ),
        pytest.param("&A??", "too long digraph6 text: 2 nodes need 1 characters", id="digraph6 long"),
        pytest.param("&A@", "digraph6 text: the last character, at position 2, sets padding bits", id="digraph6 bits"),
        pytest.param("&A>", "digraph6 text: illegal character '>' at position 2", id="digraph6 character"),
        pytest.param("&~~~~~~~~", "truncated digraph6 text: 68719476735 nodes", id="digraph6 of 2^36 nodes"),
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
