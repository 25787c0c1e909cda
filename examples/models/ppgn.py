"""PPGN (Maron et al., arXiv:1905.11136): products of matrices over all pairs of nodes. It is bounded by 2-FWL.

The sizes and the normalisation are those with which it is listed on BREC: five blocks of width 32.

    python examples/models/ppgn.py
    wlt expressiveness ladder --model examples/models/ppgn.py:PPGN
    wlt expressiveness brec --mode trained --model examples/models/ppgn.py:PPGN --batch-size 32
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

import wlt


class Block(torch.nn.Module):
    """Two matrices for every pair of graph and channel, their product, and what was there before."""

    def __init__(self, inputs: int, width: int):
        super().__init__()
        self.left, self.right = (torch.nn.Conv2d(inputs, width, 1) for _ in range(2))
        self.skip = torch.nn.Conv2d(inputs + width, width, 1)
        self.norm = torch.nn.BatchNorm2d(width, momentum=1.0, affine=False)

    def forward(self, x: Tensor) -> Tensor:  # [graphs, channels, nodes, nodes]
        product = self.left(x).relu() @ self.right(x).relu()
        normed: Tensor = self.norm(self.skip(torch.cat([x, product], dim=1)))
        return normed


class PPGN(torch.nn.Module):
    def __init__(self, blocks: int = 5, width: int = 32, outputs: int = 16):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block(1 if i == 0 else width, width) for i in range(blocks))
        self.heads = torch.nn.ModuleList(torch.nn.Linear(2 * width, outputs) for _ in range(blocks))
        self.norm = torch.nn.BatchNorm1d(outputs, momentum=1.0, affine=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for part in self.modules():
            if isinstance(part, torch.nn.Conv2d | torch.nn.Linear):
                torch.nn.init.xavier_normal_(part.weight)
                torch.nn.init.zeros_(part.bias)  # type: ignore[arg-type]
            elif isinstance(part, torch.nn.BatchNorm1d | torch.nn.BatchNorm2d):
                part.reset_running_stats()

    def forward(self, data: Any) -> Tensor:
        x = matrices(data)
        score = torch.zeros((), dtype=x.dtype, device=x.device)
        for block, head in zip(self.blocks, self.heads, strict=True):
            x = block(x)
            score = score + head(pooled(x))
        normed: Tensor = self.norm(score)
        return normed


def matrices(data: Any) -> Tensor:
    """[graphs, 1, nodes, nodes] What edges carry, and on the diagonal what nodes carry; graphs of one size."""
    sizes = data.ptr.diff()
    n = int(sizes[0])
    if (sizes != n).any():
        raise ValueError("this PPGN takes graphs of one size in a batch")
    matrix: Tensor = data.x.new_zeros(len(sizes), 1, n, n)
    u, v = data.edge_index
    matrix[data.batch[u], 0, u % n, v % n] = data.edge_attr[:, 0]
    node = torch.arange(len(data.x), device=u.device)
    matrix[data.batch, 0, node % n, node % n] = data.x[:, 0]
    return matrix


def pooled(x: Tensor) -> Tensor:
    """[graphs, 2 * channels] The largest entry on the diagonal, and the largest beside it."""
    diagonal = torch.diagonal(x, dim1=-2, dim2=-1)
    own = torch.eye(x.shape[-1], dtype=torch.bool, device=x.device)
    beside = x.masked_fill(own, -torch.inf)
    return torch.cat([diagonal.amax(-1), beside.flatten(2).amax(-1)], dim=1)


if __name__ == "__main__":
    print(wlt.expressiveness.evaluate(PPGN(), "ladder"))
