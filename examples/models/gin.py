"""A GIN of PyG on the ladder: as PyPI's `brec` takes models, forward(data) on a batch and reset_parameters().

python examples/models/gin.py
wlt expressiveness ladder --model examples/models/gin.py:GIN
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch_geometric.nn import MLP, GINConv, global_add_pool

import wlt


class GIN(torch.nn.Module):
    """Five layers, sum readout, 16 numbers for every graph."""

    def __init__(self, inputs: int = 1, hidden: int = 32, layers: int = 5, outputs: int = 16):
        super().__init__()
        widths = [inputs] + [hidden] * layers
        mlps = [MLP([width, hidden, hidden], norm=None) for width in widths[:-1]]
        self.layers = torch.nn.ModuleList(GINConv(mlp, train_eps=True) for mlp in mlps)
        self.head = MLP([hidden, hidden, outputs], norm=None)

    def reset_parameters(self) -> None:
        for part in (*self.layers, self.head):
            part.reset_parameters()

    def forward(self, data: Any) -> Tensor:
        x = data.x
        for layer in self.layers:
            x = layer(x, data.edge_index).relu()
        vectors: Tensor = self.head(global_add_pool(x, data.batch))
        return vectors


if __name__ == "__main__":
    print(wlt.expressiveness.evaluate(GIN(), "ladder"))
