"""PyPI's `brec` beside wlt's form of its procedure: the same models, weights and relabellings, pair by pair.

    pip install --no-deps brec loguru tqdm      # into an environment of its own, or with --target and PYTHONPATH
    python benchmarks/brec_agreement.py --data FOLDER [--model GIN] [--pairs 60] [--epochs 2] [--results FILE]

`brec` 1.0 trains and judges every pair by its own code; wlt gives its published verdict on the same. The script prints
how many verdicts differ, of pairs and of controls, and ends with an error if any does. With --results it can be
stopped, by --time-limit or otherwise, and goes on."""

from __future__ import annotations

import argparse
import configparser
import json
import re
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from wlt.expressiveness import Benchmark, Procedure, load
from wlt.expressiveness.brec import compare_trained, relabellings
from wlt.expressiveness.inputs import as_input
from wlt.expressiveness.subject import Subject, as_subject

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "models"))

from gin import GIN

PAIRS = 400


class Verdict(NamedTuple):
    separated: bool
    control: bool
    """Relabellings of one graph were told apart."""


class Relabelled:
    """The dataset of `brec`: of pair i the entries 64 i ... are compared, and 64 (400 + i) ... are its control."""

    def __init__(self, number: int, compared: list[Any], control: list[Any]):
        self.number, self.lists = number, (compared, control)

    def __getitem__(self, entries: slice) -> list[Any]:
        control, number = divmod(entries.start // len(self.lists[0]), PAIRS)
        assert number == self.number
        return self.lists[control]


def theirs(model: torch.nn.Module, number: int, dataset: Relabelled, how: Procedure) -> Verdict:
    """By `brec`, for this pair alone."""
    from brec import evaluator
    from loguru import logger

    reset = type(model).reset_parameters

    def seeded() -> None:
        torch.manual_seed(number)
        reset(model)  # type: ignore[operator]

    model.reset_parameters = seeded  # type: ignore[assignment]
    evaluator.tqdm = lambda every: [each for each in every if each == number]
    said: list[str] = []
    logger.remove()
    logger.add(said.append, format="{message}")
    settings = configparser.ConfigParser()
    settings["training"] = {"epoch": str(how.epochs)}
    evaluator.evaluate(dataset, model, torch.device("cpu"), training_config=settings)
    (apart,), (reliable,) = (
        re.findall(rf"^{word}: (True|False)", "".join(said), re.MULTILINE) for word in ("isomorphic", "reliability")
    )
    return Verdict(apart == "True", reliable == "False")


def both(subject: Subject, model: torch.nn.Module, bench: Benchmark, number: int, how: Procedure) -> list[Verdict]:
    """wlt's published verdict and that of `brec`, on the same relabellings and with the same first weights."""
    pair = bench.graphs.take(bench.groups[number])
    drawn = relabellings(pair, np.random.default_rng([0, number]), how.relabellings)
    verdict = compare_trained(
        subject, subject.make(number), pair, np.random.default_rng([0, number]), 0.05 / (2 * PAIRS), how
    )
    dataset = Relabelled(number, *(as_input(graphs, "pyg") for graphs in drawn))
    return [
        Verdict(bool(verdict.published_separated), bool(verdict.published_control)),
        theirs(model, number, dataset, how),
    ]


def stored(path: Path | None) -> dict[tuple[str, int, int], list[Verdict]]:
    """(model, epochs, pair): both verdicts."""
    if path is None or not path.exists():
        return {}
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {(row["model"], row["epochs"], row["pair"]): [Verdict(*each) for each in row["verdicts"]] for row in rows}


class Walks(GIN):
    """A GIN that is given how probably a random walk of 1, 2, ... steps ends where it began: it sees more than WL, and
    costs little on large graphs."""

    def __init__(self, steps: int = 8):
        super().__init__(inputs=steps)
        self.steps = steps

    def forward(self, data: Any) -> torch.Tensor:
        nodes = torch.arange(len(data.x))
        place = nodes - data.ptr[data.batch]
        u = data.edge_index[0]
        step = torch.sparse_coo_tensor(
            data.edge_index, 1 / torch.bincount(u, minlength=len(nodes))[u], (len(nodes),) * 2, check_invariants=False
        )
        there = torch.nn.functional.one_hot(place, int(place.max()) + 1).float()  # [nodes, nodes of a graph]
        returned = []
        for _ in range(self.steps):
            there = torch.sparse.mm(step, there)
            returned.append(there[nodes, place])
        data = data.clone()
        data.x = torch.stack(returned, dim=1)
        return super().forward(data)


def main() -> None:
    from ds_gnn import DSGNN
    from ppgn import PPGN

    models: dict[str, Any] = {make.__name__: make for make in (GIN, Walks, DSGNN, PPGN)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder that contains expressiveness/; else WLT_DATA")
    parser.add_argument("--model", choices=models, action="append", help="again for several; default: all")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="so many of the pairs")
    parser.add_argument("--first", type=int, default=0, help="only pairs from this number on")
    parser.add_argument("--nodes", type=int, default=1000, help="only pairs of at most so many nodes")
    parser.add_argument("--epochs", type=int, default=Procedure().epochs)
    parser.add_argument("--results", type=Path, metavar="FILE", help="verdicts are added here, and not computed again")
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="seconds after which no pair is begun")
    options = parser.parse_args()
    begun = time.perf_counter()
    torch.set_num_threads(1)
    how = Procedure(epochs=options.epochs)
    bench = load("brec", options.data)
    sizes = bench.graphs.union.graph_sizes
    small = [i for i in range(options.first, PAIRS) if sizes[bench.groups[i][0]] <= options.nodes]
    chosen = sorted({small[int(i)] for i in np.linspace(0, len(small) - 1, min(options.pairs, len(small)))})
    found = stored(options.results)
    differ = 0
    for name in options.model or models:
        subject, model = as_subject(models[name]()), models[name]()
        for number in chosen:
            if (name, how.epochs, number) in found or time.perf_counter() - begun > options.time_limit:
                continue
            verdicts = both(subject, model, bench, number, how)
            found[name, how.epochs, number] = verdicts
            if options.results is not None:
                row = {"model": name, "epochs": how.epochs, "pair": number, "verdicts": verdicts}
                with options.results.open("a", encoding="utf-8") as file:
                    print(json.dumps(row), file=file)
        rows = {number: found[name, how.epochs, number] for number in chosen if (name, how.epochs, number) in found}
        unlike = [number for number, (ours, other) in rows.items() if ours != other]
        differ += len(unlike)
        apart, failed = ([sum(each[i][j] for each in rows.values()) for i in range(2)] for j in range(2))
        print(
            f"{name}, {how.epochs} epochs: {len(rows)} of {len(chosen)} pairs; separated by wlt {apart[0]}, by brec "
            f"{apart[1]}; controls failed {failed[0]} and {failed[1]}; differ: {unlike}",
            flush=True,
        )
    if differ:
        raise SystemExit(f"{differ} verdicts differ")


if __name__ == "__main__":
    main()
