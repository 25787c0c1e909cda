"""What a fitted model learned: the evidence for a prediction, and the curves of the training."""

from wlt.extras import need

need("torch", "wlt.explaining")
