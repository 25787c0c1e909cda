"""What graphs without edge labels pay for a change: two checkouts of wlt side by side in one run.

    git worktree add ../before COMMIT
    python benchmarks/since.py ../before [--data FOLDER] [--seconds N] [--only WORD]

Each checkout has a process of its own, with its own wlt and its own benchmarks/epoch.py, and one thread. The two run
the same task in turn, in the order old, new, new, old, until both had so many seconds. Shown: the least seconds of
processor time of each, and the median of new / old over the pairs. Tasks: an epoch of gggrgg (edge labels left out), a
TU set from its archive with nothing cached, the stable colouring of three kinds of graphs, Tinhofer's test and the
exact test, and `wlt.as_graph` of a small and of a large networkx graph.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

EPOCHS = ("PROTEINS", "NCI1", "IMDB-BINARY")
SETS = ("NCI1", "IMDB-BINARY")
TASKS = (
    *(f"epoch {name}" for name in EPOCHS),
    *(f"load {name}" for name in SETS),
    *(f"closure {kind}" for kind in ("tree", "sparse", "cubic")),
    "tinhofer cubic",
    "isomorphism cubic",
    "as_graph small",
    "as_graph large",
)


def task(name: str) -> Callable[[], Any]:
    """What to time, made by the wlt that this process imports; it uses only what all versions since 0.1 have."""
    kind, which = name.split()
    if kind == "epoch":
        import epoch  # of the same checkout

        hidden = 32 if which == "PROTEINS" else 128
        if hasattr(epoch, "Task"):
            measured = epoch.Task(which, None, hidden, simple=True, normalized=False, torch_alone=False)
            return epoch.wlt_epoch(measured, "gggrgg", 1)  # type: ignore[no-any-return]
        return epoch.wlt_epoch(which, None, "gggrgg", 1)  # type: ignore[no-any-return]
    if kind == "load":
        return fresh_load(which)

    import networkx as nx

    import wlt

    if kind == "as_graph":
        if which == "small":
            small = nx.petersen_graph()
            return lambda: [wlt.as_graph(small) for _ in range(1000)]
        large = nx.fast_gnp_random_graph(50_000, 6 / 50_000, seed=0)
        return lambda: wlt.as_graph(large)
    nodes = 100_000 if kind == "closure" else 3_000
    source = {
        "tree": lambda: nx.random_labeled_tree(nodes, seed=0),
        "sparse": lambda: nx.fast_gnp_random_graph(nodes, 10 / nodes, seed=0),
        "cubic": lambda: nx.random_regular_graph(3, nodes, seed=0),
    }[which]()
    graph = wlt.as_graph(source)
    if kind == "closure":
        return lambda: wlt.closure(graph)
    turned = wlt.as_graph(nx.relabel_nodes(source, {v: nodes - 1 - v for v in source}))
    return lambda: (wlt.tinhofer_test if kind == "tinhofer" else wlt.isomorphism)(graph, turned)


def fresh_load(name: str) -> Callable[[], Any]:
    from wlt.data import load
    from wlt.data.cache import data_root

    archive = data_root(None) / "tu" / f"{name}.zip"

    def run() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CACHE_HOME"] = folder
            return load(archive)

    return run


def serve() -> None:
    """In a process of its own: a line in names a task, or is empty for one more run; a line out has its seconds."""
    import torch

    torch.set_num_threads(1)
    run: Callable[[], Any] = list
    for line in sys.stdin:
        if line.strip():
            run = task(line.strip())
            run()
        start = time.process_time()
        run()
        print(time.process_time() - start, flush=True)


class Side:
    """A checkout, at work in its own process."""

    def __init__(self, checkout: Path, data: str | None):
        path = os.pathsep.join(str(checkout.resolve() / folder) for folder in ("src", "benchmarks"))
        settings = {**os.environ, "PYTHONPATH": path, **({} if data is None else {"WLT_DATA": data})}
        command = [sys.executable, "-P", str(Path(__file__).resolve()), "--serve"]  # -P: not this folder's epoch.py
        self.process = subprocess.Popen(
            command, env=settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tempfile.gettempdir()
        )

    def run(self, name: str = "") -> float:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(name, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"the process that measures {name or 'a task'} ended; its message is above")
        return float(answer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, nargs="?", help="a checkout of the version to compare with")
    parser.add_argument("--data", help="the folder that contains tu/NAME.zip; else WLT_DATA")
    parser.add_argument("--seconds", type=float, default=6.0, help="for each side of a task, at least")
    parser.add_argument("--only", default="", help="the tasks whose names contain this word")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    if options.before is None or not (options.before / "src" / "wlt").is_dir():
        parser.error("name a checkout of wlt, a folder with src/wlt in it")
    old = Side(options.before, options.data)
    new = Side(Path(__file__).resolve().parent.parent, options.data)
    print(f"{'seconds of processor time':28}{'old':>10}{'new':>10}{'new / old':>11}{'pairs':>7}")
    for name in TASKS:
        if options.only not in name:
            continue
        for side in (old, new):
            side.run(name)
        pairs: list[tuple[float, float]] = []
        while len(pairs) < 4 or sum(map(sum, pairs)) < 2 * options.seconds:
            first = old.run(), new.run()
            second = new.run(), old.run()
            pairs += [first, second[::-1]]
        times = [min(side) for side in zip(*pairs, strict=True)]
        ratio = statistics.median(after / before for before, after in pairs)
        print(f"{name:28}{times[0]:10.4f}{times[1]:10.4f}{ratio:11.2f}{len(pairs):7}", flush=True)


if __name__ == "__main__":
    main()
