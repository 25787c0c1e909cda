"""A fingerprint of ten lines: numbers of closed walks and of nodes at each distance, by networkx.

python examples/models/fingerprint.py
wlt expressiveness ladder --model examples/models/fingerprint.py:fingerprint
"""

from __future__ import annotations

import networkx as nx
import numpy as np

import wlt


def fingerprint(graphs: list[nx.Graph]) -> np.ndarray:
    rows = []
    for graph in graphs:
        matrix = nx.to_numpy_array(graph, weight=None)
        walks = [np.trace(np.linalg.matrix_power(matrix, length)) for length in range(2, 9)]
        distances = np.zeros(24)
        for _, reached in nx.all_pairs_shortest_path_length(graph, cutoff=23):
            np.add.at(distances, list(reached.values()), 1)
        rows.append([*walks, *distances])
    return np.log1p(np.array(rows))


if __name__ == "__main__":
    print(wlt.expressiveness.evaluate(fingerprint, "ladder"))
