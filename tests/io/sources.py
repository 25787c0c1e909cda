"""Graphs as other libraries and files have them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse
import torch
from hypothesis import strategies as st
from torch_geometric import data as pyg

from wlt.graph import Graph

MILLION = 10**6


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


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
