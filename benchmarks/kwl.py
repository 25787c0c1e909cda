"""Folklore k-WL: wlt.kwl_test beside a plain numpy version, in time and memory.

    python benchmarks/kwl.py [--largest N] [--json]

The pairs are Cai, Fürer and Immerman's over a random cubic graph of growing size, which neither 2-FWL nor 3-FWL tells
apart once the base is large: all rounds up to the stable colouring are run. The numpy version does the same rounds from
the atomic types with np.unique, and knows nothing of the shortcut over pairs. Both answers are compared.
A process of its own measures every cell; memory is what the run adds at its peak to the resident memory before it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wlt
from wlt.data.constructions import cfi

LIMIT = 120.0
RUNS, SECONDS = 3, 10.0


def numpy_kwl(g: wlt.Graph, h: wlt.Graph, k: int) -> bool:
    """Does k-FWL tell the graphs apart? Colours of all tuples of both graphs, ranked by np.unique in every round."""
    n = g.num_nodes
    matrices = []
    for graph in (g, h):
        matrix = 2 * np.eye(n, dtype=np.int64)
        matrix[tuple(graph.edge_index())] = 1
        matrices.append(matrix)
    index = np.indices((n,) * k)
    types = [
        sum(3**p * m[index[a], index[b]] for p, (a, b) in enumerate((a, b) for a in range(k) for b in range(a)))
        for m in matrices
    ]
    colors = ranked(np.stack([each.ravel() for each in types]))  # [2, n^k]
    while True:
        if not np.array_equal(*(np.sort(side) for side in colors)):
            return True
        new = ranked(np.stack([signatures(side.reshape((n,) * k), n, k) for side in colors]))
        if new.max() == colors.max():
            return False
        colors = new


def ranked(values: NDArray[Any]) -> NDArray[np.int64]:
    """[2, tuples] or [2, tuples, columns] as dense numbers."""
    flat = values.reshape(-1, *values.shape[2:])
    ranks = np.unique(flat, axis=0 if flat.ndim > 1 else None, return_inverse=True)[1]
    return ranks.reshape(2, -1)


def signatures(colors: NDArray[np.int64], n: int, k: int) -> NDArray[np.int64]:
    """[n^k, 1 + n] The own colour, and the sorted codes of the k colours for every node w that is put in."""
    base = int(colors.max()) + 1
    codes = np.zeros((*colors.shape, n), np.int64)
    for axis in range(k):
        codes = codes * base + np.expand_dims(np.moveaxis(colors, axis, -1), axis)
    rows = np.sort(codes, axis=-1).reshape(n**k, n)
    return np.concatenate([colors.reshape(-1, 1), rows], axis=1)


def cfi_pair(base_nodes: int) -> tuple[wlt.Graph, wlt.Graph]:
    import networkx

    base = networkx.random_regular_graph(3, base_nodes, seed=1)
    return tuple(cfi(wlt.as_graph(base), twist) for twist in (False, True))  # type: ignore[return-value]


METHODS = {
    "wlt": lambda g, h, k: wlt.kwl_test(g, h, k).verdict is wlt.Verdict.NON_ISOMORPHIC,
    "numpy": numpy_kwl,
}


def measure(method: str, base_nodes: int, k: int) -> dict[str, float]:
    """One cell, in this process."""
    METHODS[method](*cfi_pair(4), k)
    g, h = cfi_pair(base_nodes)
    times: list[float] = []
    Path("/proc/self/clear_refs").write_text("5")
    before = peak_memory()
    memory = 0
    while len(times) < RUNS and sum(times) < SECONDS:
        begin = time.perf_counter()
        apart = METHODS[method](g, h, k)
        times.append(time.perf_counter() - begin)
        memory = memory or peak_memory() - before
    return {"nodes": g.num_nodes, "seconds": min(times), "megabytes": memory / 1000, "apart": apart}


def peak_memory() -> int:
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1])


def in_process(method: str, base_nodes: int, k: int) -> dict[str, float] | None:
    """The cell, measured in a process of its own; None where it takes too long or has not the memory."""
    command = [sys.executable, __file__, "--cell", method, str(base_nodes), str(k)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    cell: dict[str, float] = json.loads(done.stdout)
    return cell


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=20, help="nodes of the largest cubic base graph")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--cell", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        method, base_nodes, k = options.cell
        print(json.dumps(measure(method, int(base_nodes), int(k))))
        return
    print("| k | nodes | wlt | memory | numpy | memory | numpy / wlt |\n|---|---:|---:|---:|---:|---:|---:|")
    for k in (2, 3):
        for base_nodes in (size for size in (4, 6, 8, 10, 14, 20) if size <= options.largest):
            cells = {method: in_process(method, base_nodes, k) for method in METHODS}
            ours, plain = cells["wlt"], cells["numpy"]
            assert ours is not None
            if options.json:
                print(json.dumps({"k": k, **cells}))
                continue
            row = f"| {k} | {ours['nodes']:.0f} | {ours['seconds']:.3g} s | {ours['megabytes']:.0f} MB | "
            if plain is None:
                print(row + f"over {LIMIT:.0f} s or out of memory | | |")
                continue
            assert plain["apart"] == ours["apart"]
            ratio = plain["seconds"] / ours["seconds"]
            print(row + f"{plain['seconds']:.3g} s | {plain['megabytes']:.0f} MB | {ratio:.0f} x |", flush=True)


if __name__ == "__main__":
    main()
