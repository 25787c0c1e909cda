"""DATA of `wlt predict` and `wlt explain`: read as the data were that the model learned from."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from wlt.cli.console import say
from wlt.cli.source import read

if TYPE_CHECKING:
    from wlt.graphs import Graphs


def graphs_for(estimator: Any, data: str, smiles: str | None, root: str | None) -> Graphs:
    """The graphs of DATA, with the labels of nodes and edges that the estimator was given in training."""
    from wlt.io.graphs import UnusedAttributesWarning

    warnings.simplefilter("ignore", UnusedAttributesWarning)  # the model is made, and training said it
    degrees = estimator.table_.kind == "degrees"
    rows = "rows" in (estimator.table_.kind, estimator.edge_table_.kind)
    graphs = read(
        data,
        None,
        smiles,
        estimator.node_labels,
        root,
        edge_labels=estimator.edge_labels,
        atoms="all" if rows else "element",
        unlabelled=degrees,
    )
    if degrees and graphs.kind != "degrees":
        say(f"the model was trained with degrees: the node {graphs.kind} of {graphs.name} are not used")
    return graphs
