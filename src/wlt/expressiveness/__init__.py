"""Which graphs can be told apart? The benchmarks CSL, EXP, SR25, graph8c and BREC, in three modes.

    colors   integer colours alone: which pairs are separated, exactly
    random   random weights in float64: distance of two graphs against distance of relabelled copies of one
    trained  CSL and EXP: cross-validated accuracy; BREC: its own procedure, corrected and as published

Importing this package does not import torch; the modes `random` and `trained` do."""

from wlt.expressiveness.benchmarks import BENCHMARKS, Benchmark, load
from wlt.expressiveness.colors import separate_colors
from wlt.expressiveness.experiment import run
from wlt.expressiveness.result import Part, Separation

__all__ = ["BENCHMARKS", "Benchmark", "Part", "Separation", "load", "run", "separate_colors"]
