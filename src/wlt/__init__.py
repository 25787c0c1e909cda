"""wlt: Weisfeiler-Leman and Tinhofer, for people who compare and classify graphs.

Importing wlt never imports torch; `wlt.nn`, `WLTClassifier`, `WLTRegressor` and `explain` do, when they are first used.
"""

from __future__ import annotations

from wlt.interrupts import end_quietly_until_main

end_quietly_until_main()  # the imports below take most of a second

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wlt import data
from wlt.auditing import Audit, Bound, audit
from wlt.canon.automorphisms import Automorphisms, automorphisms, orbits
from wlt.canon.forms import CanonicalForm, TooHard, canonical_form, key, keys
from wlt.canon.wl_hash import wl_hash, wl_hashes
from wlt.compare.exact import IsomorphismResult, isomorphism
from wlt.compare.fractional import fractional_isomorphism
from wlt.compare.kwl import KWLResult, kwl_test
from wlt.compare.pair import Verdict
from wlt.compare.tinhofer import TinhoferResult, tinhofer_test
from wlt.compare.wl import WLResult, wl_test
from wlt.explorer.explore import Explorer, explore
from wlt.extras import need
from wlt.graph import Graph
from wlt.graphclass.classes import GraphClass, graph_class
from wlt.graphs import Graphs
from wlt.io import as_graph, as_graphs, node_codes, read_graph, read_graphs
from wlt.pictures.draw import Drawing, draw
from wlt.recolor import Recolor
from wlt.refine.partition import closure
from wlt.refine.rounds import Round, refine_once
from wlt.structure import Structure

if TYPE_CHECKING:
    from wlt.estimator.classifier import WLTClassifier
    from wlt.estimator.regressor import WLTRegressor
    from wlt.explaining.curves import plot_training
    from wlt.explaining.explain import Explanation, explain

__version__ = "0.2.0"

__all__ = [
    "Audit",
    "Automorphisms",
    "Bound",
    "CanonicalForm",
    "Drawing",
    "Explanation",
    "Explorer",
    "Graph",
    "GraphClass",
    "Graphs",
    "IsomorphismResult",
    "KWLResult",
    "Recolor",
    "Round",
    "Structure",
    "TinhoferResult",
    "TooHard",
    "Verdict",
    "WLResult",
    "WLTClassifier",
    "WLTRegressor",
    "as_graph",
    "as_graphs",
    "audit",
    "automorphisms",
    "canonical_form",
    "closure",
    "data",
    "draw",
    "explain",
    "explore",
    "fractional_isomorphism",
    "graph_class",
    "isomorphism",
    "key",
    "keys",
    "kwl_test",
    "node_codes",
    "orbits",
    "plot_training",
    "read_graph",
    "read_graphs",
    "refine_once",
    "tinhofer_test",
    "wl_hash",
    "wl_hashes",
    "wl_test",
]

LAZY_MODULES = ("expressiveness", "nn", "train")
LAZY_NAMES = {
    "WLTClassifier": "wlt.estimator.classifier",
    "WLTRegressor": "wlt.estimator.regressor",
    "Explanation": "wlt.explaining.explain",
    "explain": "wlt.explaining.explain",
    "plot_training": "wlt.explaining.curves",
}
"""What needs torch, and the module that has it."""


def __getattr__(name: str) -> Any:
    if name in LAZY_NAMES:
        need("torch", f"wlt.{name}")
        return getattr(import_module(LAZY_NAMES[name]), name)
    if name in LAZY_MODULES:
        return import_module(f"wlt.{name}")
    raise AttributeError(f"module 'wlt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *LAZY_MODULES})
