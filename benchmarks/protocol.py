"""Table 1's protocol: the cost of one ten-fold run of WLT-GNN beside the same in plain PyG, and the driver's share.

    python benchmarks/protocol.py [NAME ...] [--data DIR] [--epochs N] [--calibration N] [--json]
    python benchmarks/protocol.py --overhead NAME [--data DIR] [--epochs N] [--json]

An epoch trains on eight folds and evaluates on the validation and the test fold. Measured: the fastest of some whole
epochs of the first fold after a warm-up epoch, in a fresh process with one thread, as workers have it. Extrapolated:
100 epochs times 10 folds, in hours of one core. wlt is gggrgg, and takes BatchNorm's statistics anew after every epoch,
from as many graphs as --calibration says (the paper's tables in results/: 512). PyG is ggggg, the same layers and head
on nodes, without recoloring and new statistics, so it does strictly less; its one-hot features are built batch by
batch, since those of REDDIT-BINARY together would take gigabytes.

--overhead runs ten folds on processes and compares the time of all workers together with that of the jobs alone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import tempfile
import time
from typing import Any

EPOCHS, FOLDS = 100, 10
NAMES = ("PROTEINS", "NCI1", "IMDB-BINARY", "IMDB-MULTI", "COLLAB", "REDDIT-BINARY")


def wlt_epochs(name: str, root: str | None, epochs: int, calibration: int) -> list[float]:
    """Seconds of each epoch of our job."""
    from dataclasses import replace

    from wlt.data import load
    from wlt.reproduce.job import run_job
    from wlt.reproduce.spec import table1

    (spec,) = table1(name, "wlt")
    spec = replace(
        spec, epochs=epochs, calibration=calibration, degrees="one-hot"
    )  # PyG's side gets one-hot colours, too
    ends: list[float] = []
    run_job(spec, 0, load(name, root, edge_labels=None), lambda epoch: ends.append(time.perf_counter()))
    return [end - begin for begin, end in itertools.pairwise(ends)]


def pyg_epochs(name: str, root: str | None, epochs: int) -> list[float]:
    """The same in PyG, with its DataLoader, GINConv and pooling."""
    import torch
    import torch.nn.functional as F
    from torch.nn import BatchNorm1d, Linear, ReLU, Sequential
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader
    from torch_geometric.nn import GINConv, global_add_pool

    from wlt.data import load
    from wlt.reproduce.spec import table1
    from wlt.train.folds import cross_validation

    torch.set_num_threads(1)
    torch.manual_seed(0)
    (spec,) = table1(name, "wlt")
    dataset = load(name, root, edge_labels=None)
    graphs = dataset.union
    items = []
    for i, graph in enumerate(graphs):
        colors = torch.tensor(dataset.codes[graphs.starts[i] : graphs.starts[i + 1]]).long()
        edges = torch.from_numpy(graph.edge_index().astype("int64"))
        items.append(Data(color=colors, edge_index=edges, y=int(dataset.class_numbers[i]), num_nodes=graph.num_nodes))

    class Net(torch.nn.Module):
        def __init__(self, hidden: int):
            super().__init__()
            widths = [len(dataset.values)] + [hidden] * 4
            self.layers = torch.nn.ModuleList(
                GINConv(Sequential(Linear(w, hidden), ReLU(), Linear(hidden, hidden), ReLU(), BatchNorm1d(hidden)))
                for w in widths
            )
            self.weights = torch.nn.Parameter(torch.ones(5))
            self.linear1, self.linear2 = Linear(hidden, hidden), Linear(hidden, len(dataset.classes))

        def forward(self, data: Any) -> Any:
            x = F.one_hot(data.color, len(dataset.values)).float()
            total = 0
            for weight, layer in zip(self.weights, self.layers, strict=True):
                x = layer(x, data.edge_index)
                total = total + weight * global_add_pool(x, data.batch, size=data.num_graphs)
            x = F.dropout(self.linear1(total).relu(), spec.dropout, self.training)
            return self.linear2(x)

    split = cross_validation(dataset.class_numbers, FOLDS, 0)[0]
    loaders = [DataLoader([items[i] for i in part], spec.batch_size, shuffle=part is split.train) for part in split]
    model = Net(spec.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=spec.learning_rate)
    seconds = []
    for _ in range(epochs):
        begin = time.perf_counter()
        model.train()
        for batch in loaders[0]:
            optimizer.zero_grad()
            F.cross_entropy(model(batch), batch.y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            for loader in loaders[1:]:
                for batch in loader:
                    F.cross_entropy(model(batch), batch.y, reduction="sum").item()
        seconds.append(time.perf_counter() - begin)
    return seconds[1:]


def measure(side: Any, name: str, root: str | None, epochs: int, *calibration: int) -> float:
    """Seconds of the fastest epoch, in a process of its own; the first epoch is a warm-up."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return float(min(pool.apply(side, (name, root, epochs + 1, *calibration))))


def overhead(name: str, root: str | None, epochs: int) -> dict[str, Any]:
    """Ten folds on all cores: the time of the jobs alone, of the workers, and of the driver's own process."""
    from dataclasses import replace

    from wlt.data import load
    from wlt.reproduce.job import Job
    from wlt.reproduce.run import run
    from wlt.reproduce.spec import table1
    from wlt.reproduce.store import Store
    from wlt.work.calls import Began, Done
    from wlt.work.processes import Processes

    workers = os.cpu_count() or 1
    (spec,) = table1(name, "wlt")
    jobs = [Job(replace(spec, epochs=epochs), fold) for fold in range(FOLDS)]
    moments: list[float] = []
    busy: list[float] = []

    class Watched(Processes):
        def events(self, *arguments: Any, **options: Any) -> Any:
            for event in super().events(*arguments, **options):
                if isinstance(event, Began):
                    moments.append(time.perf_counter())
                if isinstance(event, Done):
                    busy.append(event.value.seconds)
                yield event
                if isinstance(event, Done):  # after it was stored
                    moments.append(time.perf_counter())

    dataset = load(name, root, edge_labels=None)
    with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
        cpu = time.process_time()
        run(jobs, {name: dataset}, store, Watched(workers))
        cpu = time.process_time() - cpu
    return {
        "dataset": name,
        "epochs": epochs,
        "workers": workers,
        "job_seconds": round(sum(busy), 2),
        "worker_seconds": round(workers * (max(moments) - min(moments)), 2),
        "driver_cpu_seconds": round(cpu, 3),
        "driver_percent": round(100 * cpu / sum(busy), 2),
        "workers_not_training_percent": round(100 * (workers * (max(moments) - min(moments)) / sum(busy) - 1), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default: {', '.join(NAMES)}")
    parser.add_argument("--data", help="the folder that contains tu/NAME.zip; else WLT_DATA")
    parser.add_argument("--epochs", type=int, help="whole epochs measured (3), or of the jobs of --overhead (20)")
    parser.add_argument("--calibration", type=int, default=128, help="graphs that wlt takes new statistics from (128)")
    parser.add_argument("--overhead", metavar="NAME", help="measure the driver and the store instead")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    if options.overhead:
        found = overhead(options.overhead, options.data, options.epochs or 20)
        print(json.dumps(found) if options.json else "\n".join(f"{key:30}{value}" for key, value in found.items()))
        return
    if not options.json:
        print(
            f"{'dataset':16}{'wlt s/epoch':>12}{'PyG s/epoch':>12}{'ratio':>7}{'wlt h':>8}{'PyG h':>8}   (extrapolated)"
        )
    for name in options.names or NAMES:
        epochs = options.epochs or 3
        ours = measure(wlt_epochs, name, options.data, epochs, options.calibration)
        theirs = measure(pyg_epochs, name, options.data, epochs)
        hours = [seconds * EPOCHS * FOLDS / 3600 for seconds in (ours, theirs)]
        if options.json:
            row = {
                "dataset": name,
                "wlt_epoch": ours,
                "pyg_epoch": theirs,
                "wlt_hours": hours[0],
                "pyg_hours": hours[1],
            }
            print(json.dumps(row), flush=True)
        else:
            figures = f"{ours:12.3f}{theirs:12.3f}{theirs / ours:7.1f}{hours[0]:8.2f}{hours[1]:8.2f}"
            print(f"{name:16}{figures}", flush=True)


if __name__ == "__main__":
    main()
