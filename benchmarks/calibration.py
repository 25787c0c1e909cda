"""How many graphs BatchNorm's statistics need: accuracies with 512 of them after every epoch, with 128 and with fewer.

    python benchmarks/calibration.py [NAME ...] [--data DIR] [--graphs 512 128 32] [--folds N] [--json]

Ten folds of Table 1's protocol (`wlt.reproduce.job.run_job`), the same seeds for every number of graphs; on the regular
graphs of `fullerenes` (C40 to C44) and `csl`, where lagging statistics would ruin every evaluation, with recolor="all".
Table: mean and standard deviation over the folds of the test accuracy, by the rules of docs/results.md, and how much
the test accuracy changes from one epoch to the next in the last fifty (the noise of the statistics is part of it).
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

import numpy as np

from wlt.data import csl, fullerenes, load
from wlt.graphs import Graphs
from wlt.reproduce.job import run_job
from wlt.reproduce.report.rules import TABLE1_RULES, score
from wlt.reproduce.spec import Spec, table1

NAMES = ("MUTAG", "PROTEINS", "IMDB-BINARY", "IMDB-MULTI", "NCI1", "fullerenes", "csl")


def experiment(name: str, root: str | None) -> tuple[Graphs, Spec]:
    """The graphs, and what is trained on them."""
    regular = {"fullerenes": lambda: fullerenes((40, 42, 44)), "csl": csl}
    if name in regular:
        (spec,) = table1(name, "wlt-all")
        return regular[name](), replace(spec, batch_size=32, learning_rate=0.003)
    (spec,) = table1(name, "wlt")
    return load(name, root, edge_labels=None), spec


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", default=NAMES)
    parser.add_argument("--data", help="folder that contains tu/NAME.zip (default: as wlt.data.load)")
    parser.add_argument("--graphs", nargs="+", type=int, default=[512, 128, 32])
    parser.add_argument("--folds", type=int, default=10, help="the first so many of ten")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.json:
        print(f"{'dataset':14}{'graphs':>7}" + "".join(f"{rule:>18}" for rule in TABLE1_RULES) + f"{'jitter':>9}")
    for name in options.names:
        data, spec = experiment(name, options.data)
        for graphs in options.graphs:
            curves = [run_job(replace(spec, calibration=graphs), fold, data) for fold in range(options.folds)]
            scores = {rule: score(curves, choose) for rule, choose in TABLE1_RULES.items()}
            late = np.array([curve.accuracy("test")[-50:] for curve in curves])
            jitter = 100 * float(np.abs(np.diff(late, axis=1)).mean())
            if options.json:
                figures = {rule: [each.mean, each.std] for rule, each in scores.items()}
                print(json.dumps({"dataset": name, "graphs": graphs, **figures, "jitter": jitter}), flush=True)
            else:
                columns = (f"{each.mean:.2f} +- {each.std:.2f}" for each in scores.values())
                print(
                    f"{name:14}{graphs:7}" + "".join(f"{text:>18}" for text in columns) + f"{jitter:9.2f}", flush=True
                )


if __name__ == "__main__":
    main()
