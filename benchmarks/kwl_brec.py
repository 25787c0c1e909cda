"""Folklore k-WL on BREC, part by part, and a GIN on the ladder: how many pairs, in how many seconds.

    python benchmarks/kwl_brec.py --data FOLDER [--nodes 100]

Each pair is asked once, without controls, after a first pair that compiles. Seconds are of the clock and, in brackets,
of the processor. `examples/models/gin.py` is examined untrained, as `wlt expressiveness ladder` does it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import wlt
from wlt.expressiveness import evaluate, load

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "models"))

LARGE = 100
"""Pairs of more nodes are counted apart."""


def timed(call: Callable[[], Any]) -> tuple[Any, float, float]:
    """What it returns, seconds of the clock, seconds of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    result = call()
    return result, time.perf_counter() - clock, time.process_time() - processor


def on_brec(k: int, data: str | None, nodes: int) -> None:
    bench = load("brec", data)
    graphs = list(bench.graphs.union)
    wlt.kwl_test("C~", "CF", k)
    rows: dict[tuple[str, bool], list[tuple[bool, float, float]]] = {}
    for part, (i, j) in zip(bench.parts, bench.groups, strict=True):
        g, h = graphs[i], graphs[j]
        if k == 3 and g.num_nodes > nodes:
            continue
        result, clock, processor = timed(lambda g=g, h=h: wlt.kwl_test(g, h, k))  # type: ignore[misc]
        apart = result.verdict is wlt.Verdict.NON_ISOMORPHIC
        rows.setdefault((part, g.num_nodes > LARGE), []).append((apart, clock, processor))
    for (part, large), found in rows.items():
        print(f"  {part}{f', over {LARGE} nodes' if large else ''}: {counted(found)}")
    for name, larger in ((f"up to {LARGE} nodes", (False,)), ("all of these", (False, True))):
        print(f"  {name}: {counted([each for (_, large), found in rows.items() if large in larger for each in found])}")


def counted(found: list[tuple[bool, float, float]]) -> str:
    apart, clock, processor = (sum(column) for column in zip(*found, strict=True))
    return f"{apart} of {len(found)} told apart, {clock:.2f} s ({processor:.2f} s)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder that contains expressiveness/; else WLT_DATA")
    parser.add_argument("--nodes", type=int, default=1000, help="3-FWL on pairs of at most so many nodes")
    options = parser.parse_args()
    for k in (2, 3):
        print(f"{k}-FWL on BREC", flush=True)
        on_brec(k, options.data, options.nodes)
    from gin import GIN

    result, clock, processor = timed(lambda: evaluate(GIN(), "ladder"))
    print(f"GIN on the ladder: {result.total.separated} of {result.total.pairs}, {clock:.1f} s ({processor:.1f} s)")


if __name__ == "__main__":
    main()
