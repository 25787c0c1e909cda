"""BatchNorm over nodes, computed from one row per class."""

from __future__ import annotations

import torch
from torch import Tensor


class ClassBatchNorm(torch.nn.BatchNorm1d):
    """torch's BatchNorm1d of the nodes, from rows that stand for `sizes` nodes each.

    Mean and variance are weighted by the sizes (unweighted would be wrong), running statistics are the ones that torch
    keeps on the nodes, and the state dict is BatchNorm1d's. A batch of one node, which torch refuses, has variance 0.
    """

    def forward(self, rows: Tensor, sizes: Tensor) -> Tensor:  # type: ignore[override]
        """rows: [classes, features], sizes: [classes]."""
        mean, var = self._moments(rows, sizes)
        scale = self.weight / torch.sqrt(var + self.eps)
        return rows * scale + (self.bias - mean * scale)

    def _moments(self, rows: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and biased variance: of the nodes in training mode, the running ones in evaluation mode."""
        assert self.running_mean is not None
        assert self.running_var is not None
        if not self.training:
            return self.running_mean, self.running_var
        nodes = sizes.sum()
        share = (sizes / nodes).to(rows.dtype).unsqueeze(1)
        mean = (share * rows).sum(0)
        var = (share * (rows - mean) ** 2).sum(0)
        with torch.no_grad():  # the running statistics as torch keeps them: the variance unbiased
            momentum = self.next_momentum()
            unbiased = var * (nodes / (nodes - 1).clamp(min=1))
            self.running_mean.lerp_(mean.to(self.running_mean.dtype), momentum)
            self.running_var.lerp_(unbiased.to(self.running_var.dtype), momentum)
        return mean, var

    def next_momentum(self) -> float:
        """Count a batch, and return the weight of its statistics in the running ones (momentum None: plain average)."""
        count = self._buffers["num_batches_tracked"]
        assert count is not None
        if count.is_cpu:
            count.numpy()[...] += 1  # the same, without the cost of a torch call
        else:
            count += 1
        return 1 / int(count) if self.momentum is None else self.momentum
