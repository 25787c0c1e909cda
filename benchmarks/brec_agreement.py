"""PyPI's `brec` beside wlt's form of its procedure: the same models, weights and relabellings, pair by pair.

    pip install --no-deps brec loguru tqdm      # into an environment of its own, or with --target and PYTHONPATH
    python benchmarks/brec_agreement.py --data FOLDER [--pairs 40]

`brec` 1.0 trains and judges every pair by its own code; wlt gives its published verdict on the same. The script prints
how many verdicts differ, of pairs and of controls, and ends with an error if any does."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from wlt.expressiveness import Procedure, load
from wlt.expressiveness.brec import compare_trained, relabellings
from wlt.expressiveness.inputs import as_input
from wlt.expressiveness.subject import as_subject

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "models"))

PAIRS = 400
HOW = Procedure()


class Relabelled:
    """The dataset of `brec`: of pair i the entries 64 i ... are compared, and 64 (400 + i) ... are its control."""

    def __init__(self, pairs: dict[int, tuple[list[Any], list[Any]]]):
        self.pairs = pairs

    def __getitem__(self, entries: slice) -> list[Any]:
        control, number = divmod(entries.start // (2 * HOW.relabellings), PAIRS)
        return self.pairs[number][control]


def theirs(model: torch.nn.Module, pairs: dict[int, tuple[list[Any], list[Any]]]) -> dict[int, tuple[bool, bool]]:
    """By `brec`: was the pair separated, and did the control fail?"""
    from brec import evaluator
    from loguru import logger

    numbers = iter(sorted(pairs))
    reset = model.reset_parameters

    def seeded() -> None:
        torch.manual_seed(next(numbers))
        reset()

    model.reset_parameters = seeded  # type: ignore[assignment,operator]
    evaluator.tqdm = lambda every: [number for number in every if number in pairs]
    said: list[str] = []
    logger.remove()
    logger.add(said.append, format="{message}")
    evaluator.evaluate(Relabelled(pairs), model, torch.device("cpu"))
    flags = [
        re.findall(rf"^{word}: (True|False)", "".join(said), re.MULTILINE) for word in ("isomorphic", "reliability")
    ]
    rows = zip(sorted(pairs), *flags, strict=True)
    return {number: (apart == "True", reliable == "False") for number, apart, reliable in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder that contains expressiveness/; else WLT_DATA")
    parser.add_argument("--pairs", type=int, default=40, help="so many of the pairs of at most 40 nodes")
    options = parser.parse_args()
    from ds_gnn import DSGNN
    from gin import GIN
    from ppgn import PPGN

    torch.set_num_threads(1)
    bench = load("brec", options.data)
    small = [i for i, group in enumerate(bench.groups) if bench.graphs.union.graph_sizes[group[0]] <= 40]
    chosen = sorted({small[int(i)] for i in np.linspace(0, len(small) - 1, options.pairs)})
    differ = 0
    for make in (GIN, DSGNN, PPGN):
        subject = as_subject(make())
        ours, pairs = {}, {}
        for number in chosen:
            pair = bench.graphs.take(bench.groups[number])
            drawn = relabellings(pair, np.random.default_rng([0, number]), HOW.relabellings)
            pairs[number] = (as_input(drawn[0], "pyg"), as_input(drawn[1], "pyg"))
            verdict = compare_trained(
                subject, subject.make(number), pair, np.random.default_rng([0, number]), 0.05 / (2 * PAIRS), HOW
            )
            ours[number] = (verdict.published_separated, verdict.published_control)
        found = theirs(make(), pairs)
        unlike = [number for number in chosen if ours[number] != found[number]]
        differ += len(unlike)
        counts = [sum(apart for apart, _ in each.values()) for each in (ours, found)]
        print(
            f"{make.__name__}: {len(chosen)} pairs, separated by wlt {counts[0]}, by brec {counts[1]}, differ: {unlike}"
        )
    if differ:
        raise SystemExit(f"{differ} verdicts differ")


if __name__ == "__main__":
    main()
