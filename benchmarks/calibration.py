"""How many graphs BatchNorm's statistics need: accuracies with 512 of them after every epoch, with 128 and with fewer.

    python benchmarks/calibration.py [NAME ...] [--data DIR] [--graphs 512 128 32] [--folds N]

Ten folds of Table 1's protocol (`wlt.reproduce.job.run_job`), the same seeds for every number of graphs. Printed: mean
and standard deviation over the folds of the test accuracy, by the rules of docs/results.md, and how much the test
accuracy changes from one epoch to the next in the last fifty (the noise of the statistics is part of it).

`fullerenes` (C44 to C48) and `csl` are regular graphs, on which statistics that lag would ruin every evaluation. There
the whole set trains, and is evaluated after every epoch: both accuracies, means over the last ten epochs. They agree
where the statistics are good. `csl` has 150 graphs, so 512 and 128 hardly differ there.
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
from wlt.reproduce.spec import Spec, table1, table2

NAMES = ("MUTAG", "PROTEINS", "IMDB-BINARY", "IMDB-MULTI", "NCI1", *(REGULAR := ("fullerenes", "csl")))


def regular(name: str) -> tuple[Graphs, Spec]:
    """Regular graphs, and a model that learns them."""
    (spec,) = table2(name, "wlt-all")
    if name == "csl":
        changes = {"structure": "g4rg4", "hidden": 32, "epochs": 60, "learning_rate": 0.003, "decay_every": 15}
        return csl(), replace(spec, **changes, decay=0.5, batch_size=32)
    changes = {"structure": "rgggg", "hidden": 16, "epochs": 120, "decay": 0.1, "decay_every": 80}
    return fullerenes((44, 46, 48)), replace(spec, **changes, batch_size=24)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", default=NAMES)
    parser.add_argument("--data", help="folder that contains tu/NAME.zip (default: as wlt.data.load)")
    parser.add_argument("--graphs", nargs="+", type=int, default=[512, 128, 32])
    parser.add_argument("--folds", type=int, default=10, help="the first so many of ten")
    options = parser.parse_args()
    for name in options.names:
        if name in REGULAR:
            data, spec = regular(name)
            for graphs in options.graphs:
                curve = run_job(replace(spec, calibration=graphs), 0, data)
                trained, evaluated = (100 * curve.accuracy(part)[-10:].mean() for part in ("train", "test"))
                figures = {"trained": round(trained, 1), "evaluated": round(evaluated, 1)}
                print(json.dumps({"dataset": name, "graphs": graphs, **figures}), flush=True)
            continue
        (spec,) = table1(name, "wlt")
        data = load(name, options.data, edge_labels=None)
        for graphs in options.graphs:
            curves = [run_job(replace(spec, calibration=graphs), fold, data) for fold in range(options.folds)]
            scores = {rule: score(curves, choose) for rule, choose in TABLE1_RULES.items()}
            late = np.array([curve.accuracy("test")[-50:] for curve in curves])
            jitter = 100 * float(np.abs(np.diff(late, axis=1)).mean())
            figures = {rule: [round(each.mean, 2), round(each.std, 2)] for rule, each in scores.items()}
            print(json.dumps({"dataset": name, "graphs": graphs, **figures, "jitter": round(jitter, 2)}), flush=True)


if __name__ == "__main__":
    main()
