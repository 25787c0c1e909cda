"""Inputs: graphs as a fitted model sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from wlt.arcs import TokenTable
from wlt.estimator.edge_table import EdgeTable
from wlt.estimator.label_table import LabelTable, Unseen, UnseenLabelWarning
from wlt.graph import Graph
from wlt.graphs import Graphs
from wlt.nn import GIN, WLTGNN, Collection
from wlt.nn.layers import EdgeFeatures, EdgeLabels
from wlt.wording import warn_once


class Inputs(NamedTuple):
    """Graphs, and for their nodes and edges the rows of the model's weights."""

    union: Graph
    rows: NDArray[np.int32]  # [nodes] rows of the first layer's weights, or of the features
    features: torch.Tensor | None
    tokens: TokenTable  # rows of the layers' edge weights
    unseen: Mapping[Literal["nodes", "edges"], str]
    """What there is to say about labels that the model does not know."""

    @classmethod
    def of(cls, graphs: Graphs, nodes: LabelTable, edges: EdgeTable, unseen: Unseen) -> Inputs:
        rows, features = nodes.apply(graphs.without_loops(), unseen)
        union, tokens = edges.apply(graphs.union, unseen)
        table = None if features is None else torch.from_numpy(features)
        said: dict[Literal["nodes", "edges"], str] = {}
        if of_nodes := nodes.unseen(graphs.without_loops()):
            said["nodes"] = of_nodes
        if of_edges := edges.unseen(graphs.union):
            said["edges"] = of_edges
        return cls(union, rows, table, tokens, said)

    def warn_of_unseen(self) -> None:
        """Of nodes once and of edges once: they are two messages, and one does not silence the other."""
        for what, sentence in self.unseen.items():
            warn_once(sentence, UnseenLabelWarning, f"unseen {what}")

    def take(self, which: NDArray[np.int64]) -> Inputs:
        """The graphs with these indices."""
        return self._replace(union=self.union.take(which), rows=self.rows[self.union.nodes_of(which)])

    @torch.no_grad()
    def erase_others(self, model: WLTGNN) -> None:
        """Set the weights for everything that these graphs do not have to zero. Trained on these graphs, they stay so:
        they get no gradient."""
        layers = [layer for layer in model.modules() if isinstance(layer, GIN)]
        first = layers[0]
        of_nodes = first.weight1 if model.embedding is None else model.embedding
        if self.features is None:
            new = _others(self.rows, len(of_nodes))
        else:
            new = np.flatnonzero(~self.features[np.unique(self.rows)].any(dim=0).numpy())
        of_nodes[new] = 0
        of_arcs, of_loops = np.unique(self.union.arcs), self.tokens.first_loop + np.unique(self.union.loops)
        offsets = self.tokens.offsets
        spans = [self.tokens.codes[offsets[i] : offsets[i + 1]] for i in np.concatenate([of_arcs, of_loops])]
        used = np.concatenate([np.zeros(0, np.int32), *spans])
        for layer in layers:
            if layer is first and layer.edges is not None and model.embedding is None:
                # edges add nothing where no node has anything
                layer.edges.weight[..., new] = 0
                if isinstance(layer.edges, EdgeFeatures):
                    layer.edges.bias[:, new] = 0
            if isinstance(layer.edges, EdgeLabels):
                layer.edges.weight[_others(used, len(layer.edges.weight))] = 0
            elif isinstance(layer.edges, EdgeFeatures):
                never = _others(self.tokens.directions[used], len(layer.edges.weight))
                layer.edges.weight[never], layer.edges.bias[never] = 0, 0
                layer.edges.weight[:, ~self.tokens.numbers[used].any(axis=0)] = 0

    def collection(self, rounds: int) -> Collection:
        """To take batches from; the colours of so many rounds are computed at once."""
        return Collection(self.union, self.rows, rounds, self.features, self.tokens)


def _others(used: NDArray[Any], number: int) -> NDArray[np.int64]:
    """Which of 0 .. number-1 are not used."""
    return np.setdiff1d(np.arange(number), used)
