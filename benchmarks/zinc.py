"""ZINC-12k: does recoloring help on real molecules? Mean absolute error by the benchmark's official split.

    python benchmarks/zinc.py [--method NAME ...] [--seeds 0 1 2 3] [--epochs N] [--out results/zinc] [--data DIR]

Every run is one network. It is trained on the 10,000 training molecules with the loss of the absolute error; the
learning rate is halved at fixed epochs; the 1,000 validation molecules choose the epoch; only then are the 1,000 test
molecules looked at, once. A finished run is one line of OUT/NAME.jsonl, with the whole curve; runs that are there are
not run again, so the same command goes on where it was interrupted. `--table` prints what is there.

Networks have at most 500,000 parameters, as the benchmark asks. Recolored nodes that are drawn at random are drawn
`DRAWS` times for validation and test, and predictions are averaged.

To try another network: --structure, --recolor, --hidden, --learning-rate, --halve, --batch; its name is then --method.
With --validation-only the test molecules are not looked at: nothing is chosen by them.
"""

from __future__ import annotations

import argparse
import copy
import json
import platform
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from wlt.data.zinc import official_split, zinc
from wlt.estimator.edge_table import EdgeTable
from wlt.estimator.inputs import Inputs
from wlt.estimator.label_table import LabelTable
from wlt.nn import WLTGNN
from wlt.recolor import Recolor
from wlt.structure import Structure
from wlt.train import fit
from wlt.train.target import Numbers, Task

MOST_PARAMETERS = 500_000
DRAWS = 8
"""Of random recolorings, for validation and test."""
CHECKED_EVERY = 5
"""Epochs between two looks at the validation molecules: with many draws they cost as much as an epoch."""


@dataclass(frozen=True)
class Method:
    """A network, and how it is trained."""

    structure: str
    recolor: str = "1"
    hidden: int = 96
    learning_rate: float = 0.002
    halve: int = 40
    """Epochs after which the learning rate is halved."""
    batch: int = 64


METHODS = {
    "gine": Method("gggggg"),
    "one": Method("rgggggg", "1"),
    "all": Method("rgggggg", "all"),
}


class Data:
    """The molecules as the networks see them."""

    def __init__(self, root: str | None):
        self.graphs = zinc(root)
        self.split = official_split(self.graphs)
        known = self.graphs.take(self.split.train)
        self.nodes, self.edges = LabelTable.learn(known), EdgeTable.learn(known.union)
        self.inputs = Inputs.of(self.graphs, self.nodes, self.edges, "ignore")
        targets = np.asarray(self.graphs.targets, np.float64).reshape(-1, 1)
        target = Numbers.learn(targets[self.split.train], "absolute")
        self.task = Task(target, target.encode(targets))

    def model(self, method: Method, seed: int) -> WLTGNN:
        model = WLTGNN(
            self.nodes.num_inputs,
            method.hidden,
            1,
            num_edge_labels=self.edges.num_edge_labels,
            structure=method.structure,
            recolor=method.recolor,
            generator=torch.Generator().manual_seed(seed),
        )
        self.inputs.take(self.split.train).erase_others(model)
        with torch.no_grad():  # sums over nodes and layers are large; a network that begins near 0 learns faster
            model.layer_weights /= float(self.graphs.union.graph_sizes.mean()) * len(model.layer_weights)
        return model


def error(model: WLTGNN, source: fit.Source, data: Data, which: Any, draws: int) -> float:
    """The mean absolute error of the mean of so many predictions."""
    answers = [
        data.task.target.decode(fit.predict(model, source, which, 250, torch.Generator().manual_seed(1000 + draw)))
        for draw in range(draws)
    ]
    return float((torch.stack(answers).mean(dim=0) - data.task.truth[which]).abs().mean())


def run(data: Data, method: Method, seed: int, epochs: int, name: str, tested: bool) -> dict[str, Any]:
    """Train one network; its curve, and the test error in the epoch that the validation molecules choose."""
    model = data.model(method, seed)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    if parameters > MOST_PARAMETERS:
        raise SystemExit(f"{parameters} parameters; the benchmark allows {MOST_PARAMETERS}")
    source = data.inputs.collection(Structure(method.structure).known_rounds)
    random = "r" in method.structure and Recolor(method.recolor).is_random
    draws = DRAWS if random else 1
    schedule = fit.Schedule(epochs, method.learning_rate, 0.5, method.halve, method.batch)
    best, best_error, best_epoch = copy.deepcopy(model.state_dict()), float("inf"), 0
    training, validation, seconds = [], {}, []
    begin = time.perf_counter()
    generator = torch.Generator().manual_seed(seed)
    for epoch, score in enumerate(fit.train(model, source, data.task, data.split.train, schedule, generator), 1):
        seconds.append(time.perf_counter() - begin)
        training.append(score.value)
        told = f"{name} seed {seed} epoch {epoch}: train {score.value:.4f}, {seconds[-1]:.0f} s"
        if epoch % CHECKED_EVERY == 0 or epoch == epochs:
            validation[epoch] = error(model, source, data, data.split.validation, draws)
            told += f", validation {validation[epoch]:.4f}"
            if validation[epoch] < best_error:
                best, best_error, best_epoch = copy.deepcopy(model.state_dict()), validation[epoch], epoch
        print(told, flush=True)
        begin = time.perf_counter()
    model.load_state_dict(best)
    test = error(model, source, data, data.split.test, draws) if tested else float("nan")
    return {
        "method": name,
        "seed": seed,
        **asdict(method),
        "epochs": epochs,
        "parameters": parameters,
        "data": data.graphs.name,
        "best_epoch": best_epoch,
        "validation_mae": best_error,
        "test_mae": test if tested else None,
        "training": [round(value, 5) for value in training],
        "validation": {epoch: round(value, 5) for epoch, value in validation.items()},
        "epoch_seconds": round(float(np.median(seconds)), 2),
        "machine": f"{platform.machine()}, torch {torch.__version__}, 1 thread",
    }


def finished(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def print_table(folder: Path) -> None:
    """Mean and standard deviation over the seeds of every method."""
    for file in sorted(folder.glob("*.jsonl")):
        runs = finished(file)
        for epochs in sorted({each["epochs"] for each in runs}):
            these = [each for each in runs if each["epochs"] == epochs]
            tests, checks = (np.array([each[key] for each in these], float) for key in ("test_mae", "validation_mae"))
            spread = f"{tests.std(ddof=1):.4f}" if len(tests) > 1 else "-"
            first = these[0]
            print(
                f"{first['method']}: {first['structure']}, recolor {first['recolor']}, hidden {first['hidden']}, "
                f"{first['parameters']} parameters, {epochs} epochs, {len(these)} seeds: "
                f"test {tests.mean():.4f} ± {spread}, validation {checks.mean():.4f}; {first['data']}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", nargs="+", default=list(METHODS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3])
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("results/zinc"))
    parser.add_argument("--data")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--validation-only", action="store_true")
    for name, kind in (("structure", str), ("recolor", str), ("hidden", int), ("learning-rate", float)):
        parser.add_argument(f"--{name}", type=kind)
    for name in ("halve", "batch"):
        parser.add_argument(f"--{name}", type=int)
    arguments = parser.parse_args()
    if arguments.table:
        print_table(arguments.out)
        return
    torch.set_num_threads(1)
    changed = {
        key: getattr(arguments, key)
        for key in ("structure", "recolor", "hidden", "learning_rate", "halve", "batch")
        if getattr(arguments, key) is not None
    }
    data = Data(arguments.data)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for seed in arguments.seeds:
        for name in arguments.method:
            if name not in METHODS and "structure" not in changed:
                raise SystemExit(f"no method {name!r}; there are {', '.join(METHODS)}, or give a --structure")
            method = replace(METHODS.get(name, METHODS["gine"]), **changed)
            file = arguments.out / f"{name}.jsonl"
            if any((each["seed"], each["epochs"]) == (seed, arguments.epochs) for each in finished(file)):
                continue
            result = run(data, method, seed, arguments.epochs, name, not arguments.validation_only)
            with file.open("a") as stream:
                stream.write(json.dumps(result) + "\n")
            print(f"{name} seed {seed}: test {result['test_mae']} (epoch {result['best_epoch']})", flush=True)


if __name__ == "__main__":
    main()
