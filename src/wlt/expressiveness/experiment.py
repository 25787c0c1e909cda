"""One run of a benchmark in one mode, with a structure that suits it unless the caller names one."""

from __future__ import annotations

import os
import time
from dataclasses import replace

from wlt.expressiveness.benchmarks import BENCHMARKS, load
from wlt.expressiveness.colors import separate_colors
from wlt.expressiveness.result import Separation
from wlt.recolor import Recolor
from wlt.structure import Structure

MODES = ("colors", "random", "trained")
TRAINED = ("csl", "exp", "brec")

PAPER = Structure("gggrgg")
DEEP = Structure("g4(rg4)6")
"""Every canonical recoloring tells more graphs apart; after six of them, all pairs of BREC."""
SMALL = Structure("g3(rg3)2")
"""For graph8c: enough for graphs on 8 nodes, and in a batch of 11117 graphs rounding errors grow with every layer."""
SHALLOW = Structure("g4rg4")
"""For the classifiers of CSL and EXP: one canonical recoloring tells all of these graphs apart."""


def default_structure(benchmark: str, mode: str, recolor: Recolor | None) -> Structure | None:
    """The structure of a run; None, in mode colors, is unlimited depth.

    Replicas and random draws multiply with every r, so only canonical recoloring has more than one."""
    if mode == "colors":
        return None
    if mode == "trained" and benchmark != "brec":
        return SHALLOW
    if recolor != Recolor("canonical"):
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
    """What `wlt expressiveness` does. Raises ValueError if something is wrong with the arguments or the data.

    policy: "none" leaves the recoloring layers out; all others are `wlt.Recolor`s.

    >>> run("csl").total.separated
    45
    """
    if mode not in MODES:
        raise ValueError(f"unknown mode {mode!r}; there are {', '.join(MODES)}")
    if benchmark not in BENCHMARKS:
        raise ValueError(f"unknown benchmark {benchmark!r}; there are {', '.join(BENCHMARKS)}")
    if mode == "trained" and benchmark not in TRAINED:
        raise ValueError(f"mode trained is for {', '.join(TRAINED)}; {benchmark} has neither labels nor pairs")
    recolor = _recolor_of(policy)
    layers = default_structure(benchmark, mode, recolor) if structure is None else Structure(structure)
    start = time.process_time()
    if mode == "colors" or layers is None:
        separation = separate_colors(load(benchmark, data), recolor, layers, seed)
    elif mode == "random":
        from wlt.expressiveness.random_weights import separate_random

        separation = separate_random(load(benchmark, data), recolor, layers, seed)
    elif benchmark == "brec":
        from wlt.expressiveness.brec import separate_trained

        separation = separate_trained(load(benchmark, data), recolor, layers, seed)
    else:
        from wlt.expressiveness.cross_validated import cross_validate

        separation = cross_validate(benchmark, recolor, layers, data, seed)
    return replace(separation, details={**separation.details, "cpu_seconds": time.process_time() - start})


def _recolor_of(policy: str) -> Recolor | None:
    try:
        return None if policy == "none" else Recolor(policy)
    except ValueError:
        known = "none, one, half, draws:K, all, nodes, canonical, and numbers and shares of nodes such as 3 and 0.25"
        raise ValueError(f"unknown policy {policy!r}; there are {known}") from None
