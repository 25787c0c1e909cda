"""wlt: Weisfeiler-Leman and Tinhofer, for people who compare and classify graphs.

Importing wlt never imports torch; `wlt.nn` and `wlt.WLTClassifier` do, when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wlt.auditing.audit import Audit, audit
from wlt.compare.exact import isomorphism
from wlt.compare.fractional import fractional_isomorphism
from wlt.compare.pair import Verdict
from wlt.compare.tinhofer import tinhofer_test
from wlt.compare.wl import wl_test
from wlt.graph import Graph
from wlt.graphclass.classes import graph_class
from wlt.io import as_graph, node_colors, read_graph, read_graphs
from wlt.refine.partition import closure
from wlt.refine.rounds import Round, refine_once

if TYPE_CHECKING:
    from wlt.estimator.classifier import WLTClassifier

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "Graph",
    "Round",
    "Verdict",
    "WLTClassifier",
    "as_graph",
    "audit",
    "closure",
    "fractional_isomorphism",
    "graph_class",
    "isomorphism",
    "node_colors",
    "read_graph",
    "read_graphs",
    "refine_once",
    "tinhofer_test",
    "wl_test",
]


def __getattr__(name: str) -> Any:
    if name == "WLTClassifier":
        from wlt.estimator.classifier import WLTClassifier

        return WLTClassifier
    if name in ("nn", "train"):
        return import_module(f"wlt.{name}")
    raise AttributeError(f"module 'wlt' has no attribute {name!r}")
