"""Small data and quick jobs for tests of running and storing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wlt.data import fullerenes
from wlt.graph import Graph
from wlt.graphs import Graphs
from wlt.reproduce.job import Job
from wlt.reproduce.spec import Spec

FULLERENES = fullerenes((20, 24, 26, 28, 30, 32, 34, 36))
DATASETS = {FULLERENES.name: FULLERENES}


def specs(epochs: int = 2, seed: int = 0) -> list[Spec]:
    """The three models of the paper and a baseline, tiny."""
    wlt = Spec(FULLERENES.name, "wlt", "WLT", "gggrgg", hidden=4, epochs=epochs, seed=seed)
    return [
        wlt,
        Spec(FULLERENES.name, "wlt0.5", "WLT", "gggrgg", recolor=0.5, hidden=4, epochs=epochs, seed=seed),
        Spec(FULLERENES.name, "gin-sum", "WLT", "ggggg", hidden=4, epochs=epochs, seed=seed),
        Spec(FULLERENES.name, "gcn", "GCN", "gg", hidden=4, epochs=epochs, seed=seed),
    ]


def jobs(folds: int, epochs: int = 2, seeds: int = 1) -> list[Job]:
    return [Job(spec, fold) for seed in range(seeds) for spec in specs(epochs, seed) for fold in range(folds)]


def trees(graphs: int = 40, labels: bool = True) -> Graphs:
    """Random trees with node labels that do not know the degrees, or without any; two classes."""
    random = np.random.default_rng(3)
    sizes = random.integers(4, 12, graphs)
    parts = [Graph.from_edges(n, [(int(random.integers(v)), v) for v in range(1, n)]) for n in sizes]
    union = Graph.union(parts)
    classes, rows = np.arange(graphs) % 2, random.integers(3, size=union.num_nodes)
    if labels:
        return Graphs.by_rows(union, rows, "labels", targets=classes, name="trees")
    return Graphs.by_degree(union, targets=classes, name="trees")


def write_tu(folder: Path, name: str, graphs: int = 24) -> Path:
    """Cycles of random length as a TU dataset of this name; class 1 has a chord. The folder."""
    random = np.random.default_rng(7)
    folder.mkdir(parents=True, exist_ok=True)
    edges, indicator, labels, first = [], [], [], 1
    for graph in range(graphs):
        n, label = int(random.integers(5, 9)), graph % 2
        pairs = [(i, (i + 1) % n) for i in range(n)] + ([(0, 2)] if label else [])
        edges += [f"{first + u}, {first + v}" for u, v in pairs]
        indicator += [str(graph + 1)] * n
        labels.append(str(label))
        first += n
    for part, lines in {"A": edges, "graph_indicator": indicator, "graph_labels": labels}.items():
        (folder / f"{name}_{part}.txt").write_text("\n".join(lines) + "\n")
    return folder
