"""What the tests of faults share: a folder with all inputs."""

from __future__ import annotations

import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "reproduce"))
from small import write_tu


@pytest.fixture(scope="session")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all inputs."""
    folder = tmp_path_factory.mktemp("there")
    graphs = [nx.to_graph6_bytes(nx.gnp_random_graph(9, 0.4, seed=i), header=False) for i in range(3000)]
    (folder / "many.g6").write_bytes(b"".join(graphs) * 8)
    write_tu(folder / "data" / "tu" / "CYCLES" / "raw", "CYCLES", graphs=60)
    cubic = nx.random_regular_graph(3, 20_000, seed=1)
    names = np.random.default_rng(2).permutation(20_000).tolist()
    nx.write_edgelist(cubic, folder / "cubic.edges", data=False)
    nx.write_edgelist(nx.relabel_nodes(cubic, dict(enumerate(names))), folder / "copy.edges", data=False)
    return folder
