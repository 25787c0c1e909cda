"""A GIN that gets a random number at every node: it sees more, and its answer depends on the draw.

python examples/models/random_features.py
wlt expressiveness ladder --model examples/models/random_features.py:RandomGIN
"""

from __future__ import annotations

from typing import Any

import torch
from gin import GIN
from torch import Tensor

import wlt


class RandomGIN(GIN):
    def __init__(self) -> None:
        super().__init__(inputs=2)

    def forward(self, data: Any) -> Tensor:
        data.x = torch.cat([data.x, torch.randn_like(data.x)], dim=1)
        return super().forward(data)


if __name__ == "__main__":
    print(wlt.expressiveness.evaluate(RandomGIN(), "ladder"))
