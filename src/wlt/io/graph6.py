"""graph6, sparse6 and digraph6 (B. McKay, "Description of graph6, sparse6 and digraph6 encodings").

Decoded here because the readers at hand accept damaged text: networkx takes characters below '?', set padding bits and
early ends of sparse6.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from wlt.io.listing import Listing
from wlt.io.text import check_size

HEADERS = (">>graph6<<", ">>sparse6<<", ">>digraph6<<")


def from_graph6(source: str | bytes) -> Listing:
    """The graph of one line of graph6, sparse6 or digraph6; ValueError names the position of a mistake."""
    text = (source.decode("latin-1") if isinstance(source, bytes) else source).rstrip(" \t\r\n")
    start = next((len(header) for header in HEADERS if text.startswith(header)), 0)
    name = {":": "sparse6", "&": "digraph6"}.get(text[start : start + 1], "graph6")
    start += name != "graph6"
    if start == len(text):
        raise ValueError(f"empty {name} text; the graph without nodes is '?' in graph6")
    illegal = re.compile("[^?-~]").search(text, start)
    if illegal:
        hint = "; to read a file use wlt.read_graph" if "." in text or "/" in text else ""
        raise ValueError(
            f"{name} text: illegal character {illegal.group()!r} at position {illegal.start()}; "
            f"only '?' to '~' may stand there{hint}"
        )
    sixes = np.frombuffer(text.encode("ascii"), np.uint8)[start:] - np.uint8(63)
    num_nodes, used = _graph6_size(sixes, start, name)
    read = {"graph6": _graph6_edges, "sparse6": _sparse6_edges, "digraph6": _digraph6_edges}[name]
    edges = read(num_nodes, sixes[used:], start + used)
    check_size(num_nodes, len(text))
    return Listing(num_nodes, edges, "directed" if name == "digraph6" else "undirected")


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
    where = _set_bits("graph6", num_nodes, num_nodes * (num_nodes - 1) // 2, sixes, start)
    node = np.arange(num_nodes + 1)
    first_bit = node * (node - 1) // 2
    v = np.searchsorted(first_bit, where, side="right") - 1
    return np.stack([where - first_bit[v], v], axis=1)


def _digraph6_edges(num_nodes: int, sixes: NDArray[np.uint8], start: int) -> NDArray[np.int64]:
    """Bit number u * nodes + v tells whether (u, v) is an edge."""
    where = _set_bits("digraph6", num_nodes, num_nodes**2, sixes, start)
    return np.stack(np.divmod(where, max(num_nodes, 1)), axis=1)


def _set_bits(name: str, num_nodes: int, pairs: int, sixes: NDArray[np.uint8], start: int) -> NDArray[np.int64]:
    """Which of the bits, one for each pair of nodes, are 1."""
    needed = (pairs + 5) // 6
    if len(sixes) != needed:
        what = "truncated" if len(sixes) < needed else "too long"
        raise ValueError(
            f"{what} {name} text: {num_nodes} nodes need {needed} characters from position {start} on, "
            f"there are {len(sixes)}"
        )
    bits = _bits(sixes)
    if bits[pairs:].any():
        raise ValueError(f"{name} text: the last character, at position {start + needed - 1}, sets padding bits")
    return np.flatnonzero(bits)


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
