"""WLT-GNN as a model like any other: a torch module that takes `wlt.Graphs`, made from a seed.

Two parts of WLT-GNN start at values at which recoloring cannot be seen, so they are drawn at random here as well.
BatchNorm's shift, initially 0: where all nodes have one message, as in regular graphs before the first recoloring, that
message is the shift, and a recoloured node has message 0. GIN-0's eps = 0: it adds a node's own message to those of its
neighbours, and so cannot see which one of two adjacent twins is recoloured.

BatchNorm uses the statistics of the batch, trained or not: with running statistics, an error that all nodes have in
common grows by the degree with every layer, and the differences between nodes drown in it after about ten layers.
"""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from wlt.expressiveness.subject import Subject
from wlt.graphs import Graphs
from wlt.nn.batch import Batch
from wlt.nn.layers import GIN
from wlt.nn.model import WLTGNN
from wlt.recolor import Recolor
from wlt.structure import Structure

DIMENSIONS = 16


class RandomWLTGNN(torch.nn.Module):
    """WLT-GNN with random weights, shifts and eps; without its r layers if `recolor` is None."""

    def __init__(self, inputs: int, edge_labels: int, structure: Structure, recolor: Recolor | None, seed: int):
        super().__init__()
        weights = Generator().manual_seed(seed)
        self.draws = Generator().manual_seed(seed + 1)
        self.network = WLTGNN(
            inputs,
            DIMENSIONS,
            DIMENSIONS,
            num_edge_labels=edge_labels,
            structure=structure if recolor else structure.without_recoloring,
            recolor=recolor or 1,
            generator=weights,
        )
        with torch.no_grad():
            for layer in self.network.layers:
                if isinstance(layer, GIN):
                    layer.norm.bias.normal_(generator=weights)
                    layer.eps = torch.nn.Parameter(torch.empty(()).uniform_(0.25, 0.75, generator=weights))

    def train(self, mode: bool = True) -> RandomWLTGNN:
        """Its BatchNorm stays with the statistics of the batch."""
        self.training = mode
        self.network.train(True)
        return self

    def forward(self, graphs: Graphs) -> Tensor:
        vectors: Tensor = self.network(Batch.from_graphs(graphs), self.draws)
        return vectors


def wlt_gnn(graphs: Graphs, structure: Structure, recolor: Recolor | None, name: str) -> Subject:
    """WLT-GNN for the graphs of a benchmark."""
    inputs = int(graphs.union.degrees.max()) + 1 if graphs.kind == "degrees" else len(graphs.values)
    edge_labels = len(graphs.union.tokens)

    def make(seed: int) -> RandomWLTGNN:
        return RandomWLTGNN(inputs, edge_labels, structure, recolor, seed)

    return Subject(name, "graphs", make, True, True, f"{name} {structure}")
