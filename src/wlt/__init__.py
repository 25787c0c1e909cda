"""wlt: Weisfeiler-Leman and Tinhofer, for people who compare and classify graphs.

Importing wlt never imports torch; `wlt.nn` and `wlt.WLTClassifier` do, when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wlt.audit import Audit, audit
from wlt.convert import as_graph, node_colors, read_graph, read_graphs
from wlt.fractional import fractional_isomorphism
from wlt.graph import Graph
from wlt.graphclass import graph_class
from wlt.isomorphism import isomorphism
from wlt.pair import Verdict
from wlt.refine import Round, closure, refine_once
from wlt.tinhofer import tinhofer_test
from wlt.wl import wl_test

if TYPE_CHECKING:
    from wlt.estimator import WLTClassifier

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
        from wlt.estimator import WLTClassifier

        return WLTClassifier
    if name in ("nn", "train"):
        return import_module(f"wlt.{name}")
    raise AttributeError(f"module 'wlt' has no attribute {name!r}")
