"""The arrays that all kernels work on, and the kernels that build those of `Graph`.

Kernels trust their input: the public functions that call them have checked it. Machine code is cached on disk, so only
the first call on a machine compiles.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import event
from numpy.typing import NDArray

from wlt.interrupts import between_callbacks, undisturbed

njit: Any = numba.njit
"""Its stubs lack some options."""


class Kernel:
    """A compiled function. Called from Python, it holds back interrupts; other kernels call what it compiles to.

    Everything else is numba's: `py_func`, `overloads` and so on."""

    def __init__(self, function):
        self._compiled = njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)
        self._overloads = self._compiled.overloads
        functools.update_wrapper(self, function)

    def __call__(self, *arguments):
        if not self._overloads:
            # compiling takes seconds, is Python, and may be interrupted; loading what was compiled before goes first
            between_callbacks(self._compiled.compile, tuple(map(numba.typeof, arguments)))
        return undisturbed(self._compiled, *arguments)

    @property
    def _numba_type_(self):
        return self._compiled._numba_type_

    def __getattr__(self, name):
        return getattr(self.__dict__["_compiled"], name)


kernel: Any = Kernel
inner: Any = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""For functions that only other kernels call: compiling them takes less long."""
inlined: Any = njit(cache=True, nogil=True, inline="always")
"""For small functions that take tuples of arrays inside a loop: a call would count references to every array."""


class _OnCompiling(event.Listener):
    def __init__(self, call: Callable[[], None]):
        self._calls = [call]

    def on_start(self, _event: Any) -> None:
        while self._calls:
            self._calls.pop()()

    def on_end(self, _event: Any) -> None:
        pass


def before_compiling(call: Callable[[], None]) -> AbstractContextManager[None]:
    """Inside, call this before something is compiled: once, and not for what was compiled before and is loaded."""
    watched: AbstractContextManager[None] = event.install_listener("numba:compile", _OnCompiling(call))
    return watched


class Adjacency(NamedTuple):
    """The edges of a graph: node v has the neighbours `neighbors[offsets[v]:offsets[v + 1]]`."""

    offsets: NDArray[np.int64]  # [nodes + 1]
    neighbors: NDArray[np.int32]  # [2 * edges]
    arcs: NDArray[np.int32]  # [2 * edges] the label of each entry; empty: no labels (numba cannot prune tests for None)


class CSR(NamedTuple):
    """A sparse matrix: row i has the entries `columns[offsets[i]:offsets[i + 1]]` with these values."""

    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[Any]


@inner
def _group(n, source, target):
    """Targets grouped by source, loops left out, in the order of the input: one pass of a counting sort."""
    offsets = np.zeros(n + 1, np.int64)
    for i in range(len(source)):
        if source[i] != target[i]:
            offsets[source[i] + 1] += 1
    for v in range(n):
        offsets[v + 1] += offsets[v]
    fill = offsets[:-1].copy()
    grouped = np.empty(offsets[n], np.int32)
    for i in range(len(source)):
        if source[i] != target[i]:
            grouped[fill[source[i]]] = target[i]
            fill[source[i]] += 1
    return offsets, grouped


@inner
def transpose(n, offsets, neighbors):
    """The transposed CSR; its rows are in increasing order whatever the order of the input's rows."""
    back = np.zeros(n + 1, np.int64)
    for e in range(len(neighbors)):
        back[neighbors[e] + 1] += 1
    for v in range(n):
        back[v + 1] += back[v]
    fill = back[:-1].copy()
    rows = np.empty(len(neighbors), np.int32)
    for v in range(len(offsets) - 1):
        for e in range(offsets[v], offsets[v + 1]):
            u = neighbors[e]
            rows[fill[u]] = v
            fill[u] += 1
    return back, rows


@inner
def _drop_repeats(offsets, neighbors):
    """Sorted rows without repeated entries."""
    n = len(offsets) - 1
    clean = np.zeros(n + 1, np.int64)
    kept = np.empty_like(neighbors)
    k = 0
    for v in range(n):
        last = -1
        for e in range(offsets[v], offsets[v + 1]):
            if neighbors[e] != last:
                last = neighbors[e]
                kept[k] = last
                k += 1
        clean[v + 1] = k
    return clean, kept[:k].copy()


@inner
def _merge_rows(offsets, neighbors, back, rows):
    """Row by row the union of two CSR arrays with sorted rows."""
    n = len(offsets) - 1
    merged_offsets = np.zeros(n + 1, np.int64)
    merged = np.empty(len(neighbors) + len(rows), np.int32)
    k = 0
    for v in range(n):
        i, j = offsets[v], back[v]
        while i < offsets[v + 1] or j < back[v + 1]:
            if j == back[v + 1] or (i < offsets[v + 1] and neighbors[i] < rows[j]):
                merged[k] = neighbors[i]
                i += 1
            elif i == offsets[v + 1] or rows[j] < neighbors[i]:
                merged[k] = rows[j]
                j += 1
            else:
                merged[k] = rows[j]
                i += 1
                j += 1
            k += 1
        merged_offsets[v + 1] = k
    return merged_offsets, merged[:k].copy()


@kernel
def csr_from_edges(n, source, target):
    """CSR of the undirected simple graph, with the number of loops and of repeated ordered pairs left out."""
    offsets, grouped = _group(n, source, target)
    loops = len(source) - len(grouped)
    back, rows = transpose(n, offsets, grouped)  # transposing twice sorts every row, in linear time
    offsets, grouped = transpose(n, back, rows)
    clean, kept = _drop_repeats(offsets, grouped)
    repeats = len(grouped) - len(kept)
    back, rows = transpose(n, clean, kept)
    symmetric = True
    for v in range(n + 1):
        symmetric &= clean[v] == back[v]
    e = 0
    while symmetric and e < len(kept):
        symmetric = kept[e] == rows[e]
        e += 1
    if symmetric:
        return clean, kept, loops, repeats
    merged_offsets, merged = _merge_rows(clean, kept, back, rows)
    return merged_offsets, merged, loops, repeats


@kernel
def is_adjacency(offsets, neighbors, starts):
    """Is this a union of simple graphs: rows in order, without repeats and loops, inside their graphs, and symmetric?

    `offsets` and `starts` begin with 0, never fall, and end with the number of entries and of nodes."""
    fill = offsets[:-1].copy()  # the entry of each row that the next lower neighbour must have
    for g in range(len(starts) - 1):
        for v in range(starts[g], starts[g + 1]):
            for e in range(offsets[v], offsets[v + 1]):
                u = neighbors[e]
                if u < starts[g] or u >= starts[g + 1] or u == v or (e > offsets[v] and neighbors[e - 1] >= u):
                    return False
    for v in range(len(offsets) - 1):
        for e in range(offsets[v], offsets[v + 1]):
            u = neighbors[e]
            if fill[u] == offsets[u + 1] or neighbors[fill[u]] != v:
                return False
            fill[u] += 1
    return True


@kernel
def first_edge_between_graphs(adjacency, starts):
    """Index of the first entry of the neighbours that leaves its graph, or -1."""
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    for g in range(len(starts) - 1):
        low, high = starts[g], starts[g + 1]
        for e in range(offsets[low], offsets[high]):
            if neighbors[e] < low or neighbors[e] >= high:
                return e
    return -1


@kernel
def take_graphs(adjacency, starts, which):
    """The edges of the disjoint union of some graphs of a union, and where its graphs start."""
    offsets, neighbors = adjacency.offsets, adjacency.neighbors
    new_starts = np.zeros(len(which) + 1, np.int64)
    entries = 0
    for i in range(len(which)):
        g = which[i]
        new_starts[i + 1] = new_starts[i] + starts[g + 1] - starts[g]
        entries += offsets[starts[g + 1]] - offsets[starts[g]]
    new_offsets = np.zeros(new_starts[-1] + 1, np.int64)
    new_neighbors = np.empty(entries, np.int32)
    labelled = len(adjacency.arcs) > 0
    new_arcs = np.empty(entries if labelled else 0, np.int32)
    node = 0
    k = 0
    for i in range(len(which)):
        g = which[i]
        shift = new_starts[i] - starts[g]
        for v in range(starts[g], starts[g + 1]):
            for e in range(offsets[v], offsets[v + 1]):
                new_neighbors[k] = neighbors[e] + shift
                if labelled:
                    new_arcs[k] = adjacency.arcs[e]
                k += 1
            node += 1
            new_offsets[node] = k
    return Adjacency(new_offsets, new_neighbors, new_arcs), new_starts
