"""One run of a benchmark in one mode, with the structure that suits it where none is given."""

from __future__ import annotations

import os
import time
from dataclasses import replace

from wlt.expressiveness.benchmarks import BENCHMARKS, load
from wlt.expressiveness.colors import separate_colors
from wlt.expressiveness.policy import Policy
from wlt.expressiveness.result import Separation
from wlt.structure import Structure

MODES = ("colors", "random", "trained")
TRAINED = ("csl", "exp", "brec")

PAPER = Structure("gggrgg")
DEEP = Structure("g4(rg4)6")
"""Every canonical recoloring leaves less to tell; after six of them nothing of BREC is left."""
SMALL = Structure("g3(rg3)2")
"""For graph8c: enough for graphs on 8 nodes, and in a batch of 11117 graphs rounding errors grow with every layer."""
SHALLOW = Structure("g4rg4")
"""For the classifiers of CSL and EXP: one canonical recoloring tells all of these graphs apart."""


def default_structure(benchmark: str, mode: str, policy: Policy) -> Structure | None:
    """None, in mode colors, is unlimited depth. Replicas and random draws multiply with every recoloring: one each."""
    if mode == "colors":
        return None
    if mode == "trained" and benchmark != "brec":
        return SHALLOW
    if policy.recolor != "canonical":
        return PAPER
    return SMALL if benchmark == "graph8c" else DEEP


def run(
    benchmark: str,
    mode: str = "colors",
    policy: str = "canonical",
    structure: str | None = None,
    data: str | os.PathLike[str] | None = None,
    seed: int = 0,
) -> Separation:
    """What `wlt expressiveness` does; ValueError says what is wrong with the arguments or the data.

    >>> run("csl").total.separated
    45
    """
    if mode not in MODES:
        raise ValueError(f"unknown mode {mode!r}; there are {', '.join(MODES)}")
    if benchmark not in BENCHMARKS:
        raise ValueError(f"unknown benchmark {benchmark!r}; there are {', '.join(BENCHMARKS)}")
    if mode == "trained" and benchmark not in TRAINED:
        raise ValueError(f"mode trained is for {', '.join(TRAINED)}; {benchmark} has neither labels nor pairs")
    chosen = Policy.parse(policy)
    layers = default_structure(benchmark, mode, chosen) if structure is None else Structure(structure)
    start = time.process_time()
    found = _run(benchmark, mode, chosen, layers, data, seed)
    return replace(found, details={**found.details, "cpu_seconds": time.process_time() - start})


def _run(
    benchmark: str,
    mode: str,
    policy: Policy,
    structure: Structure | None,
    data: str | os.PathLike[str] | None,
    seed: int,
) -> Separation:
    if mode == "colors" or structure is None:
        return separate_colors(load(benchmark, data), policy, structure, seed)
    if mode == "random":
        from wlt.expressiveness.random_weights import separate_random

        return separate_random(load(benchmark, data), policy, structure, seed)
    from wlt.expressiveness.trained import cross_validate, separate_trained

    if benchmark == "brec":
        return separate_trained(load(benchmark, data), policy, structure, seed)
    return cross_validate(benchmark, policy, structure, data, seed)
