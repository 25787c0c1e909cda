"""How much does a model see? Any model on the ladder, CSL, EXP, SR25, graph8c and BREC.

    colors     wlt's own policies and k-WL by integer colours: which pairs are separated, exactly
    untrained  vectors of two graphs against vectors of relabelled copies
    trained    CSL and EXP: cross-validated accuracy; pairs: BREC's own procedure, corrected and as published

Importing this package does not import torch; torch models and the modes of WLT-GNN do."""

from wlt.expressiveness.benchmarks import BENCHMARKS, Benchmark, load
from wlt.expressiveness.evaluation import MODES, evaluate
from wlt.expressiveness.procedure import Procedure
from wlt.expressiveness.result import Outcome, Part, Separation, read_result
from wlt.expressiveness.subject import ModelError

__all__ = [
    "BENCHMARKS",
    "MODES",
    "Benchmark",
    "ModelError",
    "Outcome",
    "Part",
    "Procedure",
    "Separation",
    "evaluate",
    "load",
    "read_result",
]
