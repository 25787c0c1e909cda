"""What defaults of `WLTRegressor` are chosen by: numbers that rdkit computes, of molecules that are in no benchmark.

    python benchmarks/defaults.py [--set NAME ...] [--seeds 0 1 ...] [--data DIR] [NAME=VALUE ...]

Molecules are the pieces (BRICS) that molecules of ZINC fall into, 300 for each set, 3 to 30 atoms. Targets are computed
and then blurred by noise with 15 % of their standard deviation, as measurements are. A fifth of the molecules is held
out by scaffold. A line is one training: the root of the mean squared error of the held-out molecules, in standard
deviations of their targets. NAME=VALUE are parameters of the estimator that differ from the defaults.

    python benchmarks/defaults.py                              # the defaults
    python benchmarks/defaults.py residual=False               # without residual layers

Nothing here looks at MoleculeNet, so that what is chosen here can be tested there.
"""

from __future__ import annotations

import argparse
import ast
import csv
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from rdkit import Chem, rdBase
from rdkit.Chem import BRICS, Crippen, Descriptors, GraphDescriptors

from wlt import WLTRegressor
from wlt.data import molecules, scaffold_split
from wlt.data.cache import data_root

COUNT, NOISE, BROKEN = 300, 0.15, 1500

TARGETS: dict[str, Callable[[Any], float]] = {
    "logP": Crippen.MolLogP,  # type: ignore[attr-defined]
    "shape": lambda molecule: float(np.log(GraphDescriptors.BalabanJ(molecule) + 0.5)),
    "saturation": lambda molecule: 3 * Descriptors.FractionCSP3(molecule) - 0.03 * Descriptors.TPSA(molecule),
}


def pieces(root: str | None) -> list[str]:
    """Of the first molecules of ZINC-12k's training set, in a random order; cut bonds end in hydrogens."""
    with (data_root(root) / "molecules" / "zinc12k.csv").open(newline="") as stream:
        smiles = [row["smiles"] for row in csv.DictReader(stream) if row["split"] == "train"][:BROKEN]
    found = set()
    for text in smiles:
        for piece in BRICS.BRICSDecompose(Chem.MolFromSmiles(text)):
            molecule = Chem.MolFromSmiles(piece)
            for atom in molecule.GetAtoms():
                if atom.GetAtomicNum() == 0:
                    atom.SetAtomicNum(1)
                    atom.SetIsotope(0)
            molecule = Chem.RemoveHs(molecule)
            if molecule.GetNumAtoms() > 2:
                found.add(Chem.MolToSmiles(molecule))
    ordered = sorted(found)
    return [ordered[i] for i in np.random.default_rng(0).permutation(len(ordered))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE", help="that differ from the defaults")
    parser.add_argument("--set", nargs="+", choices=list(TARGETS), default=list(TARGETS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--data")
    options = parser.parse_args()
    changed = {name: ast.literal_eval(value) for name, value in (each.split("=") for each in options.parameters)}
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    with rdBase.BlockLogs():
        found = pieces(options.data)
    for number, name in enumerate(TARGETS):
        if name not in options.set:
            continue
        smiles = found[number * COUNT : (number + 1) * COUNT]
        values = np.array([TARGETS[name](Chem.MolFromSmiles(each)) for each in smiles])
        values += NOISE * values.std() * np.random.default_rng(number).normal(size=len(values))
        graphs = molecules(smiles)
        for seed in options.seeds:
            train, *others = scaffold_split(smiles, seed=seed)
            held = np.concatenate(others)
            model = WLTRegressor(**changed, calibrate=False, random_state=seed)
            begin = time.process_time()
            model.fit(graphs.take(train), values[train])
            seconds = time.process_time() - begin
            errors = model.predict(graphs.take(held)) - values[held]
            error = np.sqrt((errors**2).mean()) / values[held].std()
            told = " ".join(options.parameters) or "defaults"
            print(f"{name} seed {seed}, {told}: {error:.3f} ({seconds:.1f} s of the processor)", flush=True)


if __name__ == "__main__":
    main()
