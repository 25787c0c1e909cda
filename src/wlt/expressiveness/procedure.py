"""The settings of BREC's procedure, as a value."""

from __future__ import annotations

from typing import NamedTuple


class Procedure(NamedTuple):
    """The settings of the procedure, those of PyPI's `brec` by default."""

    relabellings: int = 32
    training_relabellings: int = 32
    """How many of them training sees, in as many steps. A model that gives all of them one vector has the same
    gradients, up to rounding, with one for each step (4 for batches of 16), and training is faster by so much."""
    epochs: int = 20
    learning_rate: float = 1e-4
    weight_decay: float = 1e-4
    batch_size: int = 16
    """Graphs in a batch, in training and when vectors are computed."""
    loss_reached: float = 0.2
    """Training ends when the cosine loss is below this."""
