"""ZINC-12k: does recoloring help on real molecules? Mean absolute error by the benchmark's official split.

    python benchmarks/zinc.py [--method NAME ...] [--seeds 0 1 2 3] [--epochs N] [--out results/zinc] [--data DIR]

Every run is one network. It is trained on the 10,000 training molecules with the loss of the absolute error; the
1,000 validation molecules choose the epoch; only then are the 1,000 test molecules looked at, once. Methods differ in
the recoloring only. A finished run is one line of OUT/NAME.jsonl, with the whole curve; runs that are there are not run
again, and unfinished ones go on from OUT/NAME-SEED-EPOCHS.unfinished as if they had never stopped. So the same command
goes on where it was interrupted. `--table` prints what is there, and compares methods with their pairs, seed by seed.

Networks have at most 500,000 parameters, as the benchmark asks. Recolored nodes that are drawn at random are drawn
`DRAWS` times for validation and test, and predictions are averaged.

To try another network: --structure, --recolor, --hidden; its name is then --method. With --validation-only the test
molecules are not looked at: nothing is chosen by them.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import math
import platform
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy import stats

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
"""Epochs between two looks at the validation molecules, which cost as much as an epoch with many draws; the state is
stored then too."""
CALIBRATED = 1024
"""Training molecules that BatchNorm's statistics are taken from before a look. Readouts are sums over atoms, so the
noise of statistics from one batch is summed too: with 128 molecules validation went up and down by 0.06."""
BATCH = 128
MATRIX_RATE, OTHER_RATE = 0.02, 0.003
"""Of Muon, for the layers' square matrices, and of Adam, for all other weights."""
WARM_UP = 0.05
"""The part of all steps in which the rates rise from 0; in the others they fall to 0, both linearly."""


@dataclass(frozen=True)
class Method:
    """A network."""

    structure: str
    recolor: str = "1"
    hidden: int = 64
    views: int = 0
    """Rounds in the replicas of `NodeViews`, in which every atom is recolored in turn; 0: without them."""


METHODS = {
    "gine6": Method("gggggg"),
    "wide": Method("gggggg", hidden=88),
    "one": Method("rgggggg", "1"),
    "draws": Method("rgggggg", "draws:4"),
    "views": Method("gggggg", views=2),
    "gine": Method("gggg", hidden=48),
    "all": Method("rgggg", "all", hidden=48),
}
"""They differ from `gine6` in the recoloring only: of one random carbon (the largest class of atoms) before the first
layer; of one in each of four copies; of every atom in turn, whose view becomes its message. `wide` has as many
parameters as `views`. `gine` and `all` are a smaller pair, with every carbon in a copy of its own."""

PLAIN = {"all": "gine", "views": "wide"}
"""The method without recoloring that each is compared with; others with `gine6`."""


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
            residual=True,
            views=method.views,
            generator=torch.Generator().manual_seed(seed),
        )
        self.inputs.take(self.split.train).erase_others(model)
        with torch.no_grad():  # sums over nodes and layers are large; a network that begins near 0 learns faster
            model.layer_weights.div_(float(self.graphs.union.graph_sizes.mean()) * len(model.layer_weights))
        return model


def error(model: WLTGNN, source: fit.Source, data: Data, which: Any, draws: int) -> float:
    """The mean absolute error of the mean of so many predictions."""
    answers = [
        data.task.target.decode(fit.predict(model, source, which, 250, torch.Generator().manual_seed(1000 + draw)))
        for draw in range(draws)
    ]
    return float((torch.stack(answers).mean(dim=0) - data.task.truth[which]).abs().mean())


class Optimizer:
    """Muon for the layers' square matrices, Adam for all else; as `fit.train_epoch` takes it."""

    def __init__(self, model: WLTGNN, steps: int):
        layers = [model.layers, *([] if model.views is None else [model.views.layers])]
        weights = itertools.chain.from_iterable(part.parameters() for part in layers)
        square = {id(each) for each in weights if each.ndim == 2 and each.shape[0] == each.shape[1]}
        matrices = [each for each in model.parameters() if id(each) in square]
        others = [each for each in model.parameters() if id(each) not in square]
        self.parts: tuple[torch.optim.Optimizer, torch.optim.Optimizer] = (
            torch.optim.Muon(matrices, lr=MATRIX_RATE, weight_decay=0.0),
            torch.optim.Adam(others, lr=OTHER_RATE, fused=True),
        )
        self.done, self.steps = 0, steps

    def zero_grad(self) -> None:
        for part in self.parts:
            part.zero_grad()

    def step(self) -> None:
        warm = WARM_UP * self.steps
        share = min((self.done + 1) / warm, (self.steps - self.done) / (self.steps - warm))
        for part, rate in zip(self.parts, (MATRIX_RATE, OTHER_RATE), strict=True):
            part.param_groups[0]["lr"] = rate * share
            part.step()
        self.done += 1

    def state_dict(self) -> dict[str, Any]:
        return {"done": self.done, "parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.done = state["done"]
        for part, stored in zip(self.parts, state["parts"], strict=True):
            part.load_state_dict(stored)


@dataclass
class State:
    """A run so far."""

    epoch: int
    weights: dict[str, torch.Tensor]
    optimizer: dict[str, Any]
    generator: torch.Tensor
    training: list[float]
    validation: dict[int, float]
    best: dict[str, torch.Tensor]
    seconds: list[float]

    @property
    def best_epoch(self) -> int:
        return min(self.validation, key=self.validation.__getitem__)


def run(data: Data, method: Method, seed: int, epochs: int, name: str, tested: bool, stored: Path) -> dict[str, Any]:
    """Train one network; its curve, and the test error in the epoch that the validation molecules choose."""
    model = data.model(method, seed)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    if parameters > MOST_PARAMETERS:
        raise SystemExit(f"{parameters} parameters; the benchmark allows {MOST_PARAMETERS}")
    source = data.inputs.collection(0 if method.views else Structure(method.structure).known_rounds)
    random = "r" in method.structure and Recolor(method.recolor).is_random
    draws = DRAWS if random else 1
    train = data.split.train
    generator = torch.Generator().manual_seed(seed)
    optimizer = Optimizer(model, epochs * math.ceil(len(train) / BATCH))
    weights = copy.deepcopy(model.state_dict())
    state = State(0, weights, optimizer.state_dict(), generator.get_state(), [], {}, weights, [])
    if stored.exists():
        state = State(**torch.load(stored, weights_only=True))
        model.load_state_dict(state.weights)
        optimizer.load_state_dict(state.optimizer)
        generator.set_state(state.generator)
    while state.epoch < epochs:
        begin = time.process_time()
        score = fit.train_epoch(model, optimizer, source, data.task, train, BATCH, generator)
        state.seconds.append(time.process_time() - begin)
        state.epoch += 1
        state.training.append(score.value)
        told = f"{name} seed {seed} epoch {state.epoch}: train {score.value:.4f}, {state.seconds[-1]:.1f} s"
        if state.epoch % CHECKED_EVERY == 0 or state.epoch == epochs:
            sample = train[torch.randperm(len(train), generator=generator)[:CALIBRATED]]
            fit.calibrate(model, source, sample, BATCH, generator)
            state.validation[state.epoch] = error(model, source, data, data.split.validation, draws)
            told += f", validation {state.validation[state.epoch]:.4f}"
            if state.best_epoch == state.epoch:
                state.best = copy.deepcopy(model.state_dict())
            state.weights, state.optimizer = model.state_dict(), optimizer.state_dict()
            state.generator = generator.get_state()
            torch.save(vars(state), stored.with_suffix(".new"))
            stored.with_suffix(".new").replace(stored)
        print(told, flush=True)
    model.load_state_dict(state.best)
    test = error(model, source, data, data.split.test, draws) if tested else None
    return {
        "method": name,
        "seed": seed,
        **asdict(method),
        "epochs": epochs,
        "parameters": parameters,
        "data": data.graphs.name,
        "best_epoch": state.best_epoch,
        "validation_mae": state.validation[state.best_epoch],
        "test_mae": test,
        "training": [round(value, 5) for value in state.training],
        "validation": {epoch: round(value, 5) for epoch, value in state.validation.items()},
        "epoch_seconds": round(float(np.median(state.seconds)), 2),
        "machine": f"{platform.machine()}, torch {torch.__version__}, 1 thread",
    }


def finished(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def print_table(folder: Path) -> None:
    """Mean and standard deviation over the seeds of every method, and its difference from the plain one."""
    groups: dict[tuple[int, str], dict[int, dict[str, Any]]] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for each in finished(file):
            groups.setdefault((each["epochs"], each["method"]), {})[each["seed"]] = each
    for (epochs, name), runs in groups.items():
        tests, checks = (
            np.array([each[key] for each in runs.values()], float) for key in ("test_mae", "validation_mae")
        )
        spread = f"{tests.std(ddof=1):.4f}" if len(tests) > 1 else "-"
        first = next(iter(runs.values()))
        told = (
            f"{name}: {first['structure']}, recolor {first['recolor']}, hidden {first['hidden']}, "
            f"{first['parameters']} parameters, {epochs} epochs of {first['epoch_seconds']} s, {len(runs)} seeds: "
            f"test {tests.mean():.4f} ± {spread}, validation {checks.mean():.4f}; {first['data']}"
        )
        of = PLAIN.get(name, "gine6")
        plain = groups.get((epochs, of), {})
        both = sorted(plain.keys() & runs.keys())
        if name != of and len(both) > 1:
            gains = np.array([plain[seed]["test_mae"] - runs[seed]["test_mae"] for seed in both])
            half = stats.t.ppf(0.975, len(gains) - 1) * gains.std(ddof=1) / math.sqrt(len(gains))
            told += f"; better than {of} by {gains.mean():.4f} ± {half:.4f} (95 %, t interval over {len(both)} seeds)"
        print(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", nargs="+", default=["gine6", "wide", "one", "views"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3])
    parser.add_argument("--epochs", type=int, default=80)
    parser.add_argument("--out", type=Path, default=Path("results/zinc"))
    parser.add_argument("--data")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--validation-only", action="store_true")
    for name, kind in (("structure", str), ("recolor", str), ("hidden", int), ("views", int)):
        parser.add_argument(f"--{name}", type=kind)
    arguments = parser.parse_args()
    if arguments.table:
        print_table(arguments.out)
        return
    torch.set_num_threads(1)
    changed = {
        key: getattr(arguments, key)
        for key in ("structure", "recolor", "hidden", "views")
        if getattr(arguments, key) is not None
    }
    data = Data(arguments.data)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for seed in arguments.seeds:
        for name in arguments.method:
            if name not in METHODS and "structure" not in changed:
                raise SystemExit(f"no method {name!r}; there are {', '.join(METHODS)}, or give a --structure")
            method = replace(METHODS.get(name, METHODS["gine6"]), **changed)
            file = arguments.out / f"{name}.jsonl"
            if any((each["seed"], each["epochs"]) == (seed, arguments.epochs) for each in finished(file)):
                continue
            stored = arguments.out / f"{name}-{seed}-{arguments.epochs}.unfinished"
            result = run(data, method, seed, arguments.epochs, name, not arguments.validation_only, stored)
            with file.open("a") as stream:
                stream.write(json.dumps(result) + "\n")
            stored.unlink()
            print(f"{name} seed {seed}: test {result['test_mae']} (epoch {result['best_epoch']})", flush=True)


if __name__ == "__main__":
    main()
