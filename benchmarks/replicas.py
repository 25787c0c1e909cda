"""What averaging over all recolorings costs: recolor="all" against one draw, where there is the most to average.

    python benchmarks/replicas.py [--json]

One training step (forward, backward, Adam) of gggrgg, hidden 128, on a batch of 128 vertex-transitive graphs of 41
nodes: circulants, whose one class gives 41 replicas of every graph. Replicas that an automorphism maps onto each other
have equal colours, so that all of a graph's need no more rows than one; what remains is integer work. One thread,
median of the repetitions, which alternate.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

import networkx as nx
import numpy as np
import torch

from wlt.nn import WLTGNN, Batch

GRAPHS, NODES, HIDDEN, REPEAT = 128, 41, 128, 15


def step(recolor: int | str) -> Callable[[], None]:
    """A function that trains one step."""
    jumps = np.random.default_rng(0)
    graphs = [
        nx.circulant_graph(NODES, jumps.choice(np.arange(1, 21), jumps.integers(1, 5), replace=False).tolist())
        for _ in range(GRAPHS)
    ]
    batch = Batch.from_graphs(graphs)
    labels = torch.arange(GRAPHS) % 2
    generator = torch.Generator().manual_seed(0)
    model = WLTGNN(NODES, HIDDEN, 2, recolor=recolor, dropout=0.5, generator=generator)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, fused=True)

    def train() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(batch, generator), labels).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return train


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    steps = {"one": step(1), "all": step("all")}
    times: dict[str, list[float]] = {name: [] for name in steps}
    for repetition in range(REPEAT + 2):
        for name, train in steps.items():
            start = time.perf_counter()
            train()
            if repetition >= 2:
                times[name].append(time.perf_counter() - start)
    one, every = (statistics.median(times[name]) for name in ("one", "all"))
    if arguments.json:
        print(json.dumps({"one_s": round(one, 5), "all_s": round(every, 5), "ratio": round(every / one, 2)}))
    else:
        print(f"one draw {1000 * one:.1f} ms, all {NODES} nodes {1000 * every:.1f} ms: {every / one:.2f} times")


if __name__ == "__main__":
    main()
