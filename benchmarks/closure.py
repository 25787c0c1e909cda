"""The stable colouring: wlt.closure beside igraph's canonical_permutation and three rounds of networkx's WL hash.

    python benchmarks/closure.py [--nodes N] [--json]

All three get the same graphs, already in their own representation: conversion is not timed. Two more columns show wlt
on the same graphs with three edge labels: such as follow from the degrees of the ends, so that the stable colouring is
the same as without; and random ones. A process of its own measures each cell of the table. It warms up on a tiny graph,
resets the kernel's high-water mark of resident memory, runs once, and reads the mark: memory is what the first run
added at its peak to what the process, the graph included, held before. Then it runs on, up to five runs or ten seconds
in all, and the best time counts. A peer that needs longer than the limit is stopped and shown as such.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import wlt

RUNS, SECONDS, LIMIT = 5, 10.0, 900.0
FAMILIES = {
    "Erdos-Renyi": lambda n: _igraph().Erdos_Renyi(n, m=5 * n),
    "random tree": lambda n: _igraph().Tree_Game(n),
    "path": lambda n: _igraph().Ring(n, circular=False),
    "grid": lambda n: _igraph().Lattice([math.isqrt(n), n // math.isqrt(n)], circular=False),
    "Barabasi-Albert": lambda n: _igraph().Barabasi(n, m=5),
}


def _igraph() -> Any:
    import igraph

    return igraph.Graph


def wlt_closure(graph: wlt.Graph) -> Callable[[], object]:
    return lambda: wlt.closure(graph)


def igraph_canonical_permutation(graph: wlt.Graph) -> Callable[[], object]:
    return graph.to_igraph().canonical_permutation


def networkx_hash(graph: wlt.Graph) -> Callable[[], object]:
    import networkx

    warnings.filterwarnings("ignore", "The hashes produced", UserWarning)  # hashes of other versions differ
    converted = graph.to_networkx()
    return lambda: networkx.weisfeiler_lehman_graph_hash(converted, iterations=3)


def with_labels_of_degrees(graph: wlt.Graph) -> Callable[[], object]:
    first, second = graph.edges().T
    return _labelled(graph, (graph.degrees[first] + graph.degrees[second]) % 3)


def with_random_labels(graph: wlt.Graph) -> Callable[[], object]:
    return _labelled(graph, np.random.default_rng(0).integers(0, 3, graph.num_edges))


def _labelled(graph: wlt.Graph, labels: Any) -> Callable[[], object]:
    labelled = wlt.Graph.from_edges(graph.num_nodes, graph.edges(), edge_labels=labels)
    return lambda: wlt.closure(labelled)


METHODS = {"wlt": wlt_closure, "igraph": igraph_canonical_permutation, "networkx": networkx_hash}
LABELLED = {"labels by degree": with_labels_of_degrees, "random labels": with_random_labels}


def measure(method: str, file: Path) -> dict[str, float]:
    """One cell of the table, in this process."""
    with np.load(file) as arrays:
        graph = wlt.Graph(arrays["offsets"], arrays["neighbors"], arrays["starts"])
    make = (METHODS | LABELLED)[method]
    make(wlt.as_graph("DqK"))()
    run = make(graph)
    times = []
    Path("/proc/self/clear_refs").write_text("5")
    before = peak_memory()
    while len(times) < RUNS and sum(times) < SECONDS:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
        if len(times) == 1:
            added = peak_memory() - before
    return {"seconds": min(times), "megabytes": added / 1024, "runs": len(times)}


def peak_memory() -> int:
    """The high-water mark of resident memory, in KiB."""
    found = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    assert found
    return int(found[1])


def measure_elsewhere(method: str, file: Path) -> dict[str, float] | None:
    """One cell of the table, in a process of its own; None if it takes too long."""
    command = [sys.executable, __file__, "--cell", method, str(file)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def benchmark(nodes: int) -> Iterator[dict[str, Any]]:
    """The rows of the table, each as soon as it is measured."""
    with tempfile.TemporaryDirectory() as folder:
        for family, generate in FAMILIES.items():
            row: dict[str, Any] = {"graph": family}
            for size, methods in ((nodes, [*METHODS, *LABELLED]), (10 * nodes, ["wlt"])):
                random.seed(1)  # igraph draws from Python's generator
                graph = wlt.as_graph(generate(size))
                file = Path(folder) / "graph.npz"
                np.savez(file, offsets=graph.offsets, neighbors=graph.neighbors, starts=graph.starts)
                suffix = "" if size == nodes else ", 10 x nodes"
                row |= {f"nodes{suffix}": graph.num_nodes, f"edges{suffix}": graph.num_edges}
                for method in methods:
                    print(f"{family}, {size} nodes: {method}", file=sys.stderr)
                    row[f"{method}{suffix}"] = measure_elsewhere(method, file)
            yield row


HEAD = (
    "| graph | nodes | edges | wlt | igraph | networkx | igraph / wlt | networkx / wlt | labels by degree / wlt "
    "| random labels / wlt | wlt, 10 x nodes | ratio | memory: wlt | igraph | networkx | wlt, 10 x nodes |\n|---"
    + "|---:" * 15
    + "|"
)


def markdown(row: dict[str, Any]) -> str:
    def seconds(cell: dict[str, float] | None) -> str:
        return f"> {LIMIT:.0f} s" if cell is None else f"{cell['seconds']:.3g} s"

    def memory(cell: dict[str, float] | None) -> str:
        return "" if cell is None else f"{cell['megabytes']:.0f} MB"

    def times(cell: dict[str, float] | None, base: dict[str, float]) -> str:
        return f"> {LIMIT / base['seconds']:.0f} x" if cell is None else f"{cell['seconds'] / base['seconds']:.1f} x"

    ours, large = row["wlt"], row["wlt, 10 x nodes"]
    cells = [
        row["graph"],
        f"{row['nodes']:,}",
        f"{row['edges']:,}",
        *(seconds(row[method]) for method in METHODS),
        times(row["igraph"], ours),
        times(row["networkx"], ours),
        *(f"{row[method]['seconds'] / ours['seconds']:.2f} x" for method in LABELLED),
        seconds(large),
        times(large, ours),
        *(memory(row[method]) for method in METHODS),
        memory(large),
    ]
    return "| " + " | ".join(cells) + " |"


def machine() -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "igraph", "networkx"))
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {libraries}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000, help="size of the graphs (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--cell", nargs=2, metavar=("METHOD", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell:
        print(json.dumps(measure(arguments.cell[0], Path(arguments.cell[1]))))
    elif arguments.json:
        print(json.dumps({"machine": machine(), "rows": list(benchmark(arguments.nodes))}, indent=2))
    else:
        print(f"{machine()}\n\n{HEAD}")
        for row in benchmark(arguments.nodes):
            print(markdown(row), flush=True)


if __name__ == "__main__":
    main()
