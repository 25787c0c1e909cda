"""A subgraph network with node marking (DS-GNN, Bevilacqua et al., arXiv:2110.02910): one copy of the graph for every
node, which is marked in it, a GIN on every copy, and a network on the sum over the copies.

Depth and width are those with which it is listed on BREC: ten layers of width 32. With six, marks do not reach as far.

    python examples/models/ds_gnn.py
    wlt expressiveness ladder --model examples/models/ds_gnn.py:DSGNN
    wlt expressiveness brec --mode trained --model examples/models/ds_gnn.py:DSGNN --batch-size 32
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch_geometric.nn import MLP, global_add_pool

import wlt


class DSGNN(torch.nn.Module):
    def __init__(self, hidden: int = 32, layers: int = 10, outputs: int = 16):
        super().__init__()
        widths = [2] + [hidden] * layers
        self.layers = torch.nn.ModuleList(MLP([width, hidden, hidden], norm="batch_norm") for width in widths[:-1])
        self.copy = MLP([hidden, 2 * hidden, 2 * hidden], norm=None, plain_last=False)
        self.head = MLP([2 * hidden, 2 * hidden, outputs], norm=None)

    def reset_parameters(self) -> None:
        for part in (*self.layers, self.copy, self.head):
            part.reset_parameters()

    def forward(self, data: Any) -> Tensor:
        sizes = data.ptr.diff()
        copies = int(sizes.max())
        place = torch.arange(len(data.x), device=data.x.device) - data.ptr[data.batch]
        marks = torch.nn.functional.one_hot(place, copies).to(data.x)  # [nodes, copies]
        x = torch.stack([data.x.expand(-1, copies), marks], dim=2)  # [nodes, copies, 2]
        adjacency = torch.sparse_coo_tensor(
            data.edge_index.flip(0), data.edge_attr[:, 0], (len(x),) * 2, check_invariants=False
        )
        for mlp in self.layers:
            summed = torch.sparse.mm(adjacency, x.flatten(1)).view(x.shape)
            x = mlp((x + summed).flatten(0, 1)).view(*x.shape[:2], -1).relu()
        of_copies = self.copy(global_add_pool(x.flatten(1), data.batch).view(len(sizes), copies, -1))
        there = torch.arange(copies, device=x.device) < sizes[:, None]  # smaller graphs have fewer copies
        vectors: Tensor = self.head((of_copies * there[:, :, None]).sum(1))
        return vectors


if __name__ == "__main__":
    print(wlt.expressiveness.evaluate(DSGNN(), "ladder"))
