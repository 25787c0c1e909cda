"""How far probabilities are from what they say: expected calibration errors of held-out graphs, before and after.

    python benchmarks/reliability.py [NAME ...] [--folds K] [--seeds 0 1 ...] [--out results/reliability] [--data DIR]
                                     [--table]

Stratified folds; on each, a `WLTClassifier` with its defaults is trained on the others and asked about it, with the
calibration that it learned there ("after") and without ("before", which is how wlt 0.1 was). A finished fold is a line
of OUT/NAME.jsonl and is not run again. Errors are of the answers of all folds together, in ten equal ranges.

Even probabilities that are right have an error: of a few graphs in a range not exactly the expected share is of one
class. `a perfect model` is the mean error if the true classes were drawn from the probabilities "after" themselves: no
method can be expected below it.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from wlt import WLTClassifier
from wlt.data import load
from wlt.estimator.calibration import expected_calibration_error
from wlt.train.folds import stratified


def finished(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def error_of_a_perfect_model(shares: Any, draws: int = 1000) -> float:
    """The mean error of these probabilities for classes that are drawn from them."""
    random = np.random.default_rng(0)
    steps = shares.cumsum(axis=1)
    drawn = [(random.random((len(shares), 1)) > steps).sum(axis=1) for _ in range(draws)]
    return float(np.mean([expected_calibration_error(shares, np.minimum(each, shares.shape[1] - 1)) for each in drawn]))


def print_table(file: Path) -> None:
    """Of every seed whose folds are all there."""
    lines = finished(file)
    for seed in sorted({line["seed"] for line in lines}):
        runs = [line for line in lines if line["seed"] == seed]
        if len(runs) < runs[0]["folds"]:
            continue
        truth = np.concatenate([run["truth"] for run in runs])
        shares = {name: np.concatenate([run[name] for run in runs]) for name in ("before", "after")}
        errors = {name: round(expected_calibration_error(each, truth), 4) for name, each in shares.items()}
        surprise = {
            name: round(float(-np.log(np.maximum(each[np.arange(len(truth)), truth], 1e-300)).mean()), 3)
            for name, each in shares.items()
        }
        row = {
            "set": file.stem,
            "seed": seed,
            "graphs": len(truth),
            "folds": len(runs),
            "accuracy": round(float((shares["after"].argmax(axis=1) == truth).mean()), 4),
            **errors,
            "perfect": round(error_of_a_perfect_model(shares["after"]), 4),
            "surprise": surprise,
            "beyond 0.99": {name: round(float((each.max(axis=1) > 0.99).mean()), 3) for name, each in shares.items()},
        }
        print(json.dumps(row))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", default=["MUTAG", "BBBP"])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--out", type=Path, default=Path("results/reliability"))
    parser.add_argument("--data")
    parser.add_argument("--table", action="store_true", help="the errors of what is finished")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for name in options.names:
        file = options.out / f"{name}.jsonl"
        if not options.table:
            graphs = load(name, options.data)
            for seed in options.seeds:
                done = {(line["seed"], line["fold"], line["folds"]) for line in finished(file)}
                for fold, test in enumerate(stratified(graphs.class_numbers, options.folds, seed)):
                    if (seed, fold, options.folds) in done:
                        continue
                    known, asked = graphs.take(np.setdiff1d(np.arange(len(graphs)), test)), graphs.take(test)
                    model = WLTClassifier(audit=False, random_state=seed).fit(known)
                    shares = {
                        name: model.predict_proba(asked, calibrated=calibrated).round(9).tolist()
                        for name, calibrated in (("before", False), ("after", True))
                    }
                    line = {"seed": seed, "fold": fold, "folds": options.folds, **shares}
                    with file.open("a") as stream:
                        stream.write(json.dumps({**line, "truth": graphs.class_numbers[test].tolist()}) + "\n")
        print_table(file)


if __name__ == "__main__":
    main()
