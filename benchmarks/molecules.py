"""MoleculeNet: wlt's estimators with their defaults beside models that everyone knows, on splits by scaffold.

    python benchmarks/molecules.py [--set NAME ...] [--method NAME ...] [--seeds 0 1 2] [--out results/molecules]
                                   [--data DIR] [--chemprop DIR] [--table | --speed]

Sets: BBBP, ESOL, FreeSolv, Tox21, HIV. A seed divides a set by scaffold, balanced: 80 % for training, 10 % for
validation, 10 % for the test. Scores are of the test molecules: ROC AUC, the mean of the columns where there are
several, or the root of the mean squared error. A finished run is one line of OUT/SET.jsonl; runs that are there are not
run again.

    wlt      WLTClassifier or WLTRegressor as they are, trained on training and validation molecules
    gine     five of PyG's GINEConv layers with the same inputs, width and MLPs as wlt's network, without recoloring;
             Adam with wlt's settings for as many epochs, of which the validation molecules choose one
    forest   Morgan fingerprints (radius 2, 2048 bits) and a random forest of 300 trees, on training and validation
    chemprop `chemprop train` as it is: 50 epochs, of which the validation molecules choose one

chemprop is no part of wlt's environment. It goes into a folder, which --chemprop (or CHEMPROP) names:

    pip install --target DIR --no-deps chemprop==2.1.2 lightning pytorch-lightning lightning-utilities torchmetrics \\
        astartes ConfigArgParse descriptastorus pandas pandas_flavor xarray aiohttp pyyaml tqdm tabulate six

--speed compares processor seconds of an epoch with chemprop's, one thread each: batches of 128 molecules, and chemprop
with as many layers, and as wide as gives it the number of weights of wlt's network. A time is the difference of two
runs that differ by their epochs alone, so that imports and reading do not count; chemprop's epoch has the validation
molecules in it, which are a ninth of the training molecules.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from wlt.data import load, scaffold_split
from wlt.evaluation.baseline import baseline_answers, fingerprints
from wlt.evaluation.metrics import scores
from wlt.graphs import Graphs
from wlt.targets import Kind

SETS: dict[str, Kind] = {
    "BBBP": "classes",
    "ESOL": "numbers",
    "FreeSolv": "numbers",
    "Tox21": "binaries",
    "HIV": "classes",
}
EPOCHS, RATE, HALVE, BATCH, HIDDEN = 100, 0.01, 50, 128, 128  # WLTClassifier's defaults
CHEMPROP_EPOCHS = 50  # chemprop's default

CHEMPROP = "from chemprop.cli.main import main; main()"
CHEMPROP_TASK: dict[Kind, str] = {"classes": "classification", "binaries": "classification", "numbers": "regression"}

Indices = NDArray[np.int64]


class Split:
    """A set divided by scaffold."""

    def __init__(self, name: str, seed: int, root: str | None):
        self.kind, self.seed = SETS[name], seed
        self.graphs: Graphs = load(name, root)
        assert self.graphs.table is not None
        column = self.graphs.table.columns.index("smiles")
        self.smiles = [self.graphs.table.rows[row][column] for row in self.graphs.table.used]
        self.train, self.validation, self.test = scaffold_split(self.smiles, seed=seed)
        self.both = np.sort(np.concatenate([self.train, self.validation]))

    @property
    def truth(self) -> NDArray[Any]:
        """Class numbers, or [graphs, columns]."""
        if self.kind == "classes":
            return self.graphs.class_numbers
        return np.asarray(self.graphs.targets, np.float64).reshape(len(self.graphs), -1)

    def score(self, answers: NDArray[np.float64]) -> float:
        """Of answers about the test molecules."""
        name = "RMSE" if self.kind == "numbers" else "ROC AUC"
        return float(np.nanmean([each[name] for each in scores(self.kind, self.truth[self.test], answers)]))


def by_wlt(split: Split) -> tuple[NDArray[np.float64], float]:
    """Answers for the test molecules, and seconds of the processor for an epoch."""
    from wlt import WLTClassifier, WLTRegressor

    parameters: dict[str, Any] = {"calibrate": False, "audit": False, "random_state": split.seed}
    training, asked = split.graphs.take(split.both), split.graphs.take(split.test)
    begin = time.process_time()
    if split.kind == "numbers":
        regressor = WLTRegressor(**parameters).fit(training)
        seconds = (time.process_time() - begin) / len(regressor.history_)
        return regressor.predict(asked).reshape(len(asked), -1), seconds
    classifier = WLTClassifier(**parameters).fit(training)
    seconds = (time.process_time() - begin) / len(classifier.history_)
    return classifier.predict_proba(asked), seconds


def by_forest(split: Split) -> tuple[NDArray[np.float64], float]:
    begin = time.process_time()
    features = fingerprints(split.smiles)
    arguments = (split.truth, 2, split.both, split.test, split.seed)
    return baseline_answers(split.kind, True, features, *arguments), time.process_time() - begin


def by_gine(split: Split) -> tuple[NDArray[np.float64], float]:
    """PyG's own layers, on the same rows of 0 and 1."""
    from torch.nn import BatchNorm1d, Linear, ReLU, Sequential
    from torch.nn import functional as F
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader
    from torch_geometric.nn import GINEConv, global_add_pool

    from wlt.estimator.edge_table import EdgeTable
    from wlt.estimator.label_table import LabelTable
    from wlt.train.target import Binaries, Classes, Numbers

    graphs, truth = split.graphs, split.truth
    known = graphs.take(split.train)
    nodes, edges = LabelTable.learn(known), EdgeTable.learn(known.union)
    codes, table = nodes.apply(graphs, "ignore")
    union, tokens = edges.apply(graphs.union, "ignore")
    assert table is not None
    rows, columns = union.edge_index()
    bonds = tokens.numbers[tokens.codes[tokens.offsets[union.arcs]]]
    target: Any = Classes(graphs.classes) if split.kind == "classes" else Binaries(graphs.target_names)
    if split.kind == "numbers":
        target = Numbers.learn(truth[split.train])
    aims = torch.from_numpy(truth) if split.kind == "classes" else target.encode(truth)
    data = []
    for i in range(len(graphs)):
        low, high = int(union.starts[i]), int(union.starts[i + 1])
        begin, end = union.offsets[low], union.offsets[high]
        ends = torch.from_numpy(np.stack([rows[begin:end], columns[begin:end]]) - low).long()
        x = torch.from_numpy(table[codes[low:high]]).float()
        data.append(Data(x, ends, torch.from_numpy(bonds[begin:end]).float(), aims[i : i + 1]))

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            widths = [nodes.num_inputs] + [HIDDEN] * 4
            self.convs = torch.nn.ModuleList(
                GINEConv(
                    Sequential(Linear(width, HIDDEN), ReLU(), Linear(HIDDEN, HIDDEN), ReLU(), BatchNorm1d(HIDDEN)),
                    edge_dim=edges.edge_features,
                )
                for width in widths
            )
            first = 1 / (5 * float(union.graph_sizes.mean())) if split.kind == "numbers" else 1.0  # as WLTRegressor
            self.layer_weights = torch.nn.Parameter(torch.full((5,), first))
            self.linear1, self.linear2 = Linear(HIDDEN, HIDDEN), Linear(HIDDEN, target.outputs)

        def forward(self, batch: Any) -> Any:
            x, out = batch.x, torch.zeros(())
            for conv, weight in zip(self.convs, self.layer_weights, strict=True):
                x = conv(x, batch.edge_index, batch.edge_attr)
                out = out + weight * global_add_pool(x, batch.batch)
            dropped = 0.0 if split.kind == "numbers" else 0.5
            return self.linear2(F.dropout(F.relu(self.linear1(out)), dropped, self.training))

    torch.manual_seed(split.seed)
    model = Network()
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    decay = torch.optim.lr_scheduler.StepLR(optimizer, HALVE, 0.5)

    @torch.no_grad()
    def outputs(which: Indices) -> torch.Tensor:
        model.eval()
        return torch.cat([model(batch) for batch in DataLoader([data[i] for i in which], BATCH)])

    best, answers, begin_cpu = np.inf, np.zeros(0), time.process_time()
    for _ in range(EPOCHS):
        model.train()
        # the last, smaller batch is left out: of one atom alone torch's BatchNorm cannot take a variance
        for batch in DataLoader([data[i] for i in split.train], BATCH, shuffle=True, drop_last=True):
            optimizer.zero_grad()
            target.loss(model(batch), batch.y).backward()
            optimizer.step()
        decay.step()
        loss = float(target.loss(outputs(split.validation), aims[split.validation]))
        if loss < best:
            best, answers = loss, target.decode(outputs(split.test)).double().numpy()
    return answers, (time.process_time() - begin_cpu) / EPOCHS


def run_chemprop(split: Split, into: Path, *options: str) -> float:
    """Let `chemprop train` write its answers into this folder; the seconds of the processor that it took."""
    table = split.truth.reshape(len(split.graphs), -1)
    names = [f"target{column}" for column in range(table.shape[1])]
    part = np.full(len(table), "train", dtype="<U5")
    part[split.validation], part[split.test] = "val", "test"
    with (into / "molecules.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["smiles", "part", *names])
        for smiles, of, row in zip(split.smiles, part, table.tolist(), strict=True):
            writer.writerow([smiles, of, *("" if np.isnan(value) else value for value in row)])
    command = [sys.executable, "-c", CHEMPROP, "train", "--data-path", "molecules.csv", "--smiles-columns", "smiles"]
    command += ["--target-columns", *names, "--splits-column", "part", "--task-type", CHEMPROP_TASK[split.kind]]
    command += ["--save-dir", "out", "--accelerator", "cpu", "--num-workers", "0", "--pytorch-seed", str(split.seed)]
    if not os.environ.get("CHEMPROP"):
        raise SystemExit("chemprop: --chemprop says in which folder it is installed; --help says how")
    settings = {"OMP_NUM_THREADS": "1", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1", "PYTHONPATH": os.environ["CHEMPROP"]}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*command, *options], cwd=into, env=os.environ | settings, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"chemprop ended with {done.returncode}: {done.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_chemprop(split: Split) -> tuple[NDArray[np.float64], float]:
    with tempfile.TemporaryDirectory() as folder:
        seconds = run_chemprop(split, Path(folder))
        with (Path(folder) / "out/model_0/test_predictions.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
    if [row["smiles"] for row in rows] != [split.smiles[i] for i in split.test]:
        raise SystemExit("chemprop: its answers are for other molecules, or in another order")
    answers = np.array([[float(value) for name, value in row.items() if name.startswith("target")] for row in rows])
    return np.hstack([1 - answers, answers]) if split.kind == "classes" else answers, seconds / CHEMPROP_EPOCHS


METHODS = {"wlt": by_wlt, "gine": by_gine, "forest": by_forest, "chemprop": by_chemprop}


def print_speed(split: Split, few: int = 3, many: int = 13) -> None:
    """Seconds of the processor for an epoch of wlt and of chemprop, and their ratio."""
    from wlt import WLTClassifier, WLTRegressor

    def of_wlt(epochs: int) -> tuple[float, int]:
        parameters: dict[str, Any] = {"calibrate": False, "audit": False, "random_state": 0, "epochs": epochs}
        estimator = (WLTRegressor if split.kind == "numbers" else WLTClassifier)(**parameters)
        training = split.graphs.take(split.train)
        begin = time.process_time()
        estimator.fit(training)
        seconds = time.process_time() - begin
        return seconds, sum(weight.numel() for weight in estimator.model_.parameters())

    of_wlt(1)  # compiles
    (short, weights), (long, _) = of_wlt(few), of_wlt(many)
    ours = (long - short) / (many - few)
    outputs = split.truth.reshape(len(split.graphs), -1).shape[1]
    width = round((-(160 + outputs) + ((160 + outputs) ** 2 + 12 * weights) ** 0.5) / 6)  # 3 w^2 + (160 + outputs) w
    size = ("--message-hidden-dim", str(width), "--ffn-hidden-dim", str(width), "--depth", "5", "--batch-size", "128")
    times = []
    for epochs in (few, many):
        with tempfile.TemporaryDirectory() as folder:
            times.append(run_chemprop(split, Path(folder), *size, "--epochs", str(epochs)))
    theirs = (times[1] - times[0]) / (many - few)
    print(
        f"{split.graphs.name}: {weights} weights, wlt {ours:.3f} s, chemprop (width {width}) {theirs:.3f} s an epoch: "
        f"{theirs / ours:.1f} times",
        flush=True,
    )


def finished(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def print_table(folder: Path) -> None:
    """Mean and standard deviation over the seeds."""
    for name in SETS:
        runs = finished(folder / f"{name}.jsonl")
        for method in METHODS:
            found = np.array([each["score"] for each in runs if each["method"] == method])
            if len(found):
                spread = f" ± {found.std(ddof=1):.3f}" if len(found) > 1 else ""
                score = "RMSE" if SETS[name] == "numbers" else "ROC AUC"
                print(f"{name} {method}: {score} {found.mean():.3f}{spread}, {len(found)} seeds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs="+", choices=list(SETS), default=["FreeSolv", "ESOL", "BBBP", "Tox21", "HIV"])
    parser.add_argument("--method", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--out", type=Path, default=Path("results/molecules"))
    parser.add_argument("--data")
    parser.add_argument("--chemprop", help="the folder in which chemprop is installed (default: $CHEMPROP)")
    parser.add_argument("--table", action="store_true", help="the means of the runs in OUT")
    parser.add_argument("--speed", action="store_true", help="seconds of an epoch of wlt and of chemprop")
    arguments = parser.parse_args()
    if arguments.chemprop:
        os.environ["CHEMPROP"] = os.path.abspath(arguments.chemprop)
    if arguments.table:
        print_table(arguments.out)
        return
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    if arguments.speed:
        for name in arguments.set:
            print_speed(Split(name, 0, arguments.data))
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.set:
        file = arguments.out / f"{name}.jsonl"
        for seed in arguments.seeds:
            missing = [
                method
                for method in arguments.method
                if not any((each["seed"], each["method"]) == (seed, method) for each in finished(file))
            ]
            split = Split(name, seed, arguments.data) if missing else None
            for method in missing:
                assert split is not None
                answers, seconds = METHODS[method](split)
                sizes = [len(part) for part in (split.train, split.validation, split.test)]
                result = {"set": name, "method": method, "seed": seed, "score": split.score(answers), "sizes": sizes}
                with file.open("a") as stream:
                    stream.write(json.dumps({**result, "cpu_seconds": round(seconds, 2)}) + "\n")
                print(f"{name} seed {seed} {method}: {result['score']:.4f}, {seconds:.2f} s", flush=True)


if __name__ == "__main__":
    main()
