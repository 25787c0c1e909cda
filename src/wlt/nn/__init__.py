"""WLT-GNN as PyTorch modules, computed on colour classes instead of nodes."""

from __future__ import annotations

from wlt.extras import need

need("torch", "wlt.nn")

from wlt.nn.batch import Batch, Collection
from wlt.nn.layers import GCN, GIN, SAGE
from wlt.nn.model import WLTGNN, Baseline
from wlt.nn.norm import ClassBatchNorm
from wlt.nn.pyg import PyGRecoloring
from wlt.nn.recolor import Recoloring
from wlt.nn.views import NodeViews

__all__ = [
    "GCN",
    "GIN",
    "SAGE",
    "WLTGNN",
    "Baseline",
    "Batch",
    "ClassBatchNorm",
    "Collection",
    "NodeViews",
    "PyGRecoloring",
    "Recoloring",
]
