"""One training epoch: PyG's GIN-0 against wlt's WLT-GNN and GIN-0, side by side in one run.

    python benchmarks/epoch.py NAME [--data DIR] [--repeat N] [--hidden H] [--simple] [--torch-alone]
        [--normalized-degrees] [--json]

Forward, backward and Adam over the whole dataset, batch size 128, hidden 128 (PROTEINS 32), five convolutions. PyG: the
GIN0 model and the DataLoader of its own kernel benchmark. wlt: gggrgg, and ggggg for `gin_s`. Both get the same input,
one-hot labels or, where a set has none, one-hot degrees. With degrees of 1000 and more (REDDIT) PyG's benchmark gives
its model a single number instead, the normalised degree: another model, which --normalized-degrees measures.
Where edges have labels, both sides look at them: PyG by GINEConv, with a linear map of the one-hot label in each layer,
wlt by its GINE. --simple leaves them out. --torch-alone measures wlt as it runs on a GPU, without kernels, on the CPU.
Each side in its better mode: one process with all cores as threads, or one process per core with one thread each, at
the same time (then the time of an epoch is the slowest process's divided by their number). Every measurement is a fresh
process: a warm-up epoch, then the fastest of five or more epochs, in four seconds or more. Where the first epoch takes
more than 15 seconds it is the figure itself, one epoch without a warm-up (PyG on COLLAB and REDDIT-BINARY). Memory is
the peak resident size of the one-process run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import queue
import resource
import tempfile
import time
import zipfile
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

CORES = os.cpu_count() or 1
SIDES = ("pyg", "wlt", "wlt0.5", "gin")
BATCH = 128
SECONDS = 4.0
SLOW = 15.0


class Task(NamedTuple):
    """What is measured, on both sides."""

    name: str
    root: str | None
    hidden: int
    simple: bool
    normalized: bool
    torch_alone: bool


def wlt_epoch(task: Task, structure: str, recolor: float) -> Any:
    """A function that trains one epoch of our model and returns the number of batches."""
    import numpy as np
    import torch

    from wlt.data import load
    from wlt.nn import WLTGNN, Collection
    from wlt.nn.device import torch_alone
    from wlt.structure import Structure
    from wlt.train import target
    from wlt.train.fit import Schedule, train_epoch

    data = load(task.name, task.root, edge_labels=None if task.simple else "auto")
    generator = torch.Generator().manual_seed(0)
    sizes = (len(data.values), task.hidden, len(data.classes))
    options: Any = {"structure": structure, "recolor": recolor, "dropout": 0.5, "generator": generator}
    model = WLTGNN(*sizes, num_edge_labels=len(data.union.tokens), **options)
    source = Collection(data.union, data.codes, Structure(structure).known_rounds)
    optimizer = torch.optim.Adam(model.parameters(), lr=Schedule().learning_rate, fused=True)
    targets, everything = target.Task.classify(data.class_numbers), np.arange(len(data))
    settings = (model, optimizer, source, targets, everything, BATCH, generator)

    def epoch() -> None:
        with torch_alone() if task.torch_alone else nullcontext():
            train_epoch(*settings)

    return epoch


def pyg_epoch(task: Task) -> Any:
    """The same for PyG's GIN0 or GINE: model, loader, features and optimiser (plain Adam) of its benchmark/kernel."""
    import torch
    import torch.nn.functional as F
    import torch_geometric.transforms as T
    from torch.nn import BatchNorm1d, Linear, ReLU, Sequential
    from torch_geometric.datasets import TUDataset
    from torch_geometric.loader import DataLoader
    from torch_geometric.nn import GINConv, GINEConv, global_mean_pool
    from torch_geometric.utils import degree

    dataset = TUDataset(unpacked(task.name, task.root), task.name, cleaned=False)
    if task.simple:
        dataset._data.edge_attr = None
    labels = 0 if dataset._data.edge_attr is None else dataset.num_edge_features
    if dataset._data.x is None:
        degrees = [degree(data.edge_index[0], data.num_nodes, dtype=torch.long) for data in dataset]
        highest = max(int(d.max()) for d in degrees)
        if highest < 1000 or not task.normalized:
            dataset.transform = T.OneHotDegree(highest)
        else:
            every = torch.cat(degrees).float()
            mean, std = every.mean(), every.std()

            def normalized_degree(data: Any) -> Any:
                deg = degree(data.edge_index[0], data.num_nodes, dtype=torch.float)
                data.x = ((deg - mean) / std).view(-1, 1)
                return data

            dataset.transform = normalized_degree
    hidden = task.hidden

    def mlp(width: int) -> Sequential:
        return Sequential(Linear(width, hidden), ReLU(), Linear(hidden, hidden), ReLU(), BatchNorm1d(hidden))

    class GIN0(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            widths = [dataset.num_features] + [hidden] * 4
            kind = partial(GINEConv, edge_dim=labels) if labels else GINConv
            self.convs = torch.nn.ModuleList(kind(mlp(width), train_eps=False) for width in widths)
            self.lin1 = Linear(hidden, hidden)
            self.lin2 = Linear(hidden, dataset.num_classes)

        def forward(self, data: Any) -> Any:
            x = data.x
            for conv in self.convs:
                x = conv(x, data.edge_index, data.edge_attr) if labels else conv(x, data.edge_index)
            x = F.relu(self.lin1(global_mean_pool(x, data.batch)))
            return F.log_softmax(self.lin2(F.dropout(x, p=0.5, training=self.training)), dim=-1)

    model = GIN0()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loader = DataLoader(dataset, BATCH, shuffle=True)

    def epoch() -> None:
        model.train()
        for data in loader:
            optimizer.zero_grad()
            F.nll_loss(model(data), data.y.view(-1)).backward()
            optimizer.step()

    return epoch


def unpacked(name: str, root: str | None) -> str:
    """A folder in PyG's layout with the set's text files; PyG's own processed copy stays there for the next process.

    Another file of that name, in another --data or changed, has another folder."""
    from wlt.data.cache import data_root

    source = (data_root(root) / "tu" / f"{name}.zip").resolve()
    if not source.is_file():
        raise SystemExit(
            f"{source} is not there: give the name of a TU set, and --data the folder that has tu/NAME.zip"
        )
    state = f"{source} {source.stat().st_size} {source.stat().st_mtime_ns}"
    folder = Path(tempfile.gettempdir()) / "wlt-benchmark-pyg" / hashlib.sha256(state.encode()).hexdigest()[:16]
    raw = folder / name / "raw"
    if not raw.is_dir():
        partial = folder / name / "raw.partial"
        partial.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(source) as archive:
            for member in archive.namelist():
                if not member.endswith("/"):
                    (partial / Path(member).name).write_bytes(archive.read(member))
        partial.rename(raw)
    return str(folder)


def measure(side: str, task: Task, threads: int, repeat: int, barrier: Any, answer: Any) -> None:
    """In a process of its own: warm up, wait for the others, time the epochs."""
    import torch

    torch.set_num_threads(threads)
    if side == "pyg":
        epoch = pyg_epoch(task)
    else:
        structure, recolor = {"wlt": ("gggrgg", 1), "wlt0.5": ("gggrgg", 0.5), "gin": ("ggggg", 1)}[side]
        epoch = wlt_epoch(task, structure, recolor)
    start = time.perf_counter()
    epoch()
    first = time.perf_counter() - start
    slow = first > SLOW  # whole minutes for one epoch: the warm-up is what is measured
    times = [first] if slow else []
    barrier.wait()
    while not slow and (len(times) < repeat or sum(times) < SECONDS):
        start = time.perf_counter()
        epoch()
        times.append(time.perf_counter() - start)
    answer.put((min(times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def run(side: str, task: Task, processes: int, repeat: int) -> tuple[float, float]:
    """Seconds per epoch and peak megabytes of a process."""
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(processes), context.Queue()
    arguments = (side, task, CORES // processes, repeat, barrier, answers)
    workers = [context.Process(target=measure, args=arguments) for _ in range(processes)]
    for worker in workers:
        worker.start()
    results: list[tuple[float, float]] = []
    while len(results) < processes:
        try:
            results.append(answers.get(timeout=1))
        except queue.Empty:
            dead = [worker.exitcode for worker in workers if worker.exitcode]
            if dead:  # the others wait for it at the barrier
                for worker in workers:
                    worker.kill()
                raise SystemExit(
                    f"{task.name} {side}: a measuring process ended with code {dead[0]}; memory?"
                ) from None
    for worker in workers:
        worker.join()
    return max(seconds for seconds, _ in results) / processes, max(megabytes for _, megabytes in results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--data", help="folder that contains tu/NAME.zip (default: as wlt.data.load)")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--hidden", type=int, help="width of the layers (default: 128, of PROTEINS 32)")
    parser.add_argument("--simple", action="store_true", help="leave edge labels out, on both sides")
    parser.add_argument("--normalized-degrees", action="store_true", help="PyG's own input for degrees above 999")
    parser.add_argument("--torch-alone", action="store_true", help="wlt without kernels, as on a GPU")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    unpacked(arguments.name, arguments.data)
    hidden = arguments.hidden or (32 if arguments.name == "PROTEINS" else 128)
    task = Task(
        arguments.name, arguments.data, hidden, arguments.simple, arguments.normalized_degrees, arguments.torch_alone
    )
    seconds: dict[str, float] = {}
    megabytes: dict[str, float] = {}
    for side in SIDES:
        modes = {}
        for processes in (1, CORES):
            modes[processes], peak = run(side, task, processes, arguments.repeat)
            if processes == 1:
                megabytes[side] = peak
        seconds[side] = min(modes.values())
        shown = ", ".join(f"{count} x {CORES // count} threads {value:.4f} s" for count, value in modes.items())
        print(f"{arguments.name} {side:7} {shown}, {megabytes[side]:.0f} MB", flush=True)
    result = {
        "dataset": arguments.name,
        "pyg_s": round(seconds["pyg"], 5),
        "wlt_s": round(seconds["wlt"], 5),
        "wlt05_s": round(seconds["wlt0.5"], 5),
        "gin_s": round(seconds["gin"], 5),
        "ratio": round(seconds["pyg"] / seconds["wlt"], 2),
        "recoloring": round(max(seconds["wlt"], seconds["wlt0.5"]) / seconds["gin"], 3),
        "pyg_mb": round(megabytes["pyg"]),
        "wlt_mb": round(megabytes["wlt"]),
    }
    if arguments.json:
        print(json.dumps(result))
    else:
        print(f"PyG / wlt = {result['ratio']}; recoloring costs {result['recoloring']} times the epoch without it")


if __name__ == "__main__":
    main()
