"""The estimator: fit and predict on NCI1 against the same model in plain PyG, and 100,000 molecules in one call.

    python benchmarks/estimator.py [--data DIR] [--threads N ...] [--epochs N] [--molecules N] [--json]

fit: so many epochs, batch size 128, hidden 128, from the loaded dataset to the trained model. wlt: WLTClassifier with
its defaults (gggrgg, no audit), and with "ggggg", which is the model of the PyG side: five GINConvs, sum readouts of
all layers added with learned weights, an MLP with dropout, Adam. predict: all 4110 graphs, by wlt in double precision;
gggrgg takes the mean over 8 draws, and once over 1. Every measurement is a process of its own, with one thread and with
all cores unless told otherwise; the first call, which loads compiled kernels, is not counted. Beside the seconds on the
clock stand those of the processor (cpu): with one thread, on a quiet machine, nearly the same. Memory is the peak
resident size of the process. The 100,000 molecules are graphs of NCI1, drawn at random, in one call of predict, with
its progress bar.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import time
from typing import Any

from epoch import unpacked

CORES = os.cpu_count() or 1
NAME = "NCI1"
BATCH, HIDDEN = 128, 128


def timed(name: str, work: Any) -> tuple[dict[str, float], Any]:
    start, start_cpu = time.perf_counter(), time.process_time()
    result = work()
    return {f"{name}_s": time.perf_counter() - start, f"{name}_cpu_s": time.process_time() - start_cpu}, result


def measure_wlt(structure: str, root: str | None, threads: int, epochs: int) -> dict[str, float]:
    import numpy as np

    from wlt.data import load
    from wlt.estimator.classifier import WLTClassifier

    data = load(NAME, root, edge_labels=None)
    labels = data.targets
    model = WLTClassifier(structure, epochs=1, audit=False, n_jobs=threads, random_state=0)
    few = data.take(np.arange(0, len(data), 16))
    model.fit(few).predict(few)
    model.set_params(epochs=epochs)
    fit, _ = timed("fit", lambda: model.fit(data, labels))
    predict, predicted = timed("predict", lambda: model.predict(data))
    result = {**fit, **predict, "accuracy": float((predicted == labels).mean())}
    if "r" in structure:
        model.set_params(prediction_draws=1)
        result |= timed("predict_one_draw", lambda: model.predict(data))[0]
    return result


def measure_pyg(root: str | None, threads: int, epochs: int) -> dict[str, float]:
    import torch
    import torch.nn.functional as F
    from torch.nn import BatchNorm1d, Linear, ReLU, Sequential
    from torch_geometric.datasets import TUDataset
    from torch_geometric.loader import DataLoader
    from torch_geometric.nn import GINConv, global_add_pool

    torch.set_num_threads(threads)
    dataset = TUDataset(unpacked(NAME, root), NAME)
    dataset._data.edge_attr = None

    class GIN(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            widths = [dataset.num_features] + [HIDDEN] * 4
            self.convs = torch.nn.ModuleList(GINConv(self.mlp(width)) for width in widths)
            self.layer_weights = torch.nn.Parameter(torch.ones(5))
            self.linear1, self.linear2 = Linear(HIDDEN, HIDDEN), Linear(HIDDEN, dataset.num_classes)

        @staticmethod
        def mlp(width: int) -> Sequential:
            return Sequential(Linear(width, HIDDEN), ReLU(), Linear(HIDDEN, HIDDEN), ReLU(), BatchNorm1d(HIDDEN))

        def forward(self, data: Any) -> Any:
            x, out = data.x, 0.0
            for conv, weight in zip(self.convs, self.layer_weights, strict=True):
                x = conv(x, data.edge_index)
                out = out + weight * global_add_pool(x, data.batch)
            return self.linear2(F.dropout(F.relu(self.linear1(out)), 0.5, self.training))

    def fit(graphs: Any, epochs: int) -> GIN:
        model = GIN()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(epochs):
            model.train()
            for data in DataLoader(graphs, BATCH, shuffle=True):
                optimizer.zero_grad()
                F.cross_entropy(model(data), data.y).backward()
                optimizer.step()
        return model

    @torch.no_grad()
    def predict(model: GIN, graphs: Any) -> Any:
        model.eval()
        return torch.cat([model(data).argmax(1) for data in DataLoader(graphs, BATCH)])

    predict(fit(dataset[:256], 1), dataset[:256])
    fitting, model = timed("fit", lambda: fit(dataset, epochs))
    predicting, predicted = timed("predict", lambda: predict(model, dataset))
    return {**fitting, **predicting, "accuracy": float((predicted == dataset._data.y).double().mean())}


def measure_molecules(root: str | None, threads: int, count: int) -> dict[str, float]:
    import numpy as np

    from wlt.data import load
    from wlt.estimator.classifier import WLTClassifier

    data = load(NAME, root, edge_labels=None)
    model = WLTClassifier(epochs=1, audit=False, n_jobs=threads, random_state=0).fit(data)
    many = data.take(np.random.default_rng(0).integers(len(data), size=count))
    model.predict(many.take(range(256)))
    before = megabytes()
    seconds, _ = timed("predict", lambda: model.set_params(verbose=1).predict(many))
    return {**seconds, "before_mb": before, "nodes": float(many.union.num_nodes)}


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def work(side: str, root: str | None, threads: int, number: int) -> dict[str, float]:
    if side == "pyg":
        result = measure_pyg(root, threads, number)
    elif side == "molecules":
        result = measure_molecules(root, threads, number)
    else:
        result = measure_wlt(side, root, threads, number)
    return {name: round(value, 3) for name, value in {**result, "peak_mb": megabytes()}.items()}


def in_a_process(side: str, root: str | None, threads: int, number: int) -> dict[str, float]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, (side, root, threads, number))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder that contains tu/NCI1.zip (default: as wlt.data.load)")
    parser.add_argument("--threads", type=int, nargs="+", default=sorted({1, CORES}))
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--molecules", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    unpacked(NAME, arguments.data)
    results: dict[str, dict[str, float]] = {}
    for threads in arguments.threads:
        for side in ("pyg", "ggggg", "gggrgg"):
            found = in_a_process(side, arguments.data, threads, arguments.epochs)
            results[f"{side}, {threads} threads"] = found
            figures = ", ".join(f"{name} {value:g}" for name, value in found.items())
            print(f"{NAME} {side:7} {threads} threads: {figures}", flush=True)
    many = in_a_process("molecules", arguments.data, 1, arguments.molecules)
    results["molecules"] = many
    print(f"{arguments.molecules} molecules, one thread: {', '.join(f'{k} {v:g}' for k, v in many.items())}")
    if arguments.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
