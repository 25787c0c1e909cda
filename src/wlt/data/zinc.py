"""ZINC-12k, the benchmark of Dwivedi et al. (arXiv:2003.00982): 12,000 molecules with one number to predict of each,
the penalized logP, and an official split of 10,000, 1,000 and 1,000.

Atoms are labelled as there, by element, the hydrogens that a SMILES writes and charge ("N H1 +"), and bonds by their
type, of which there are three: aromatic rings are written with single and double bonds. Neither rings nor aromaticity
are labelled; a model has to see them itself.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.data.cache import data_root
from wlt.data.smiles import rdkit_or_error, read_smiles
from wlt.data.table import graphs_of_rows, read_table, usable_rows
from wlt.graphs import DataError, Graphs
from wlt.io.molecules import MoleculeReader, bond_type
from wlt.table import Table

NAMES = {"train": "train", "val": "validation", "valid": "validation", "validation": "validation", "test": "test"}
REBUILT = "ZINC (targets rebuilt)"
"""What graphs of the table are called, because their targets are not those that were published."""


class OfficialSplit(NamedTuple):
    """Which graphs are for which purpose."""

    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]


def zinc(root: str | os.PathLike[str] | None = None) -> Graphs:
    """The molecules of ZINC-12k, with `table` telling the split of each; `official_split` reads it.

    Looked for under `root` (else WLT_DATA, else the user's cache folder): PyG's own copy, ZINC/subset/processed, or
    molecules/zinc12k.csv, a table with the columns smiles, y and split. The targets of that table were computed anew,
    to about 1e-4 for all but few molecules, and the name of the graphs says so."""
    folder = data_root(root)
    for copy in (folder / "ZINC", folder / "molecules" / "ZINC"):
        if (copy / "subset" / "processed" / "train.pt").is_file():
            return _from_pyg(copy)
    table = folder / "molecules" / "zinc12k.csv"
    if table.is_file():
        return _from_table(table)
    download = f"torch_geometric.datasets.ZINC({str(folder / 'ZINC')!r}, subset=True)"
    raise DataError(f"ZINC is neither in {folder / 'ZINC'} nor {table}; {download} downloads it")


def official_split(graphs: Graphs) -> OfficialSplit:
    """The graphs to train, validate and test on."""
    table = graphs.table
    if table is None or "split" not in table.columns:
        raise ValueError(
            f"{graphs.name}: these graphs do not know their split; take them as `wlt.data.load` gives them"
        )
    place = table.columns.index("split")
    words = np.array([NAMES.get(table.rows[row][place].lower(), "") for row in table.used])
    return OfficialSplit(*(np.flatnonzero(words == name) for name in OfficialSplit._fields))


def _from_table(path: Path) -> Graphs:
    table = read_table(path)
    for name in ("smiles", "y", "split"):
        if name not in table.columns:
            raise DataError(f"{path}: no column {name!r}; there are: {', '.join(map(repr, table.columns))}")
    rows = usable_rows(table, table.columns.index("smiles"), "y")
    chem = rdkit_or_error()
    reader = MoleculeReader(_atom_type, bond_type)
    reasons = read_smiles(rows.keys, reader, lambda molecule: chem.Kekulize(molecule, clearAromaticFlags=True))
    graphs = graphs_of_rows(table, rows, reader.graphs() if len(reader) else None, reasons)
    return replace(graphs, name=REBUILT)


def _atom_type(atom: Any) -> str:
    """
    >>> from rdkit import Chem
    >>> [_atom_type(atom) for atom in Chem.MolFromSmiles("C[C@H](F)[NH2+]C").GetAtoms()]
    ['C', 'C H1', 'F', 'N H2 +', 'C']
    """
    hydrogens, charge = atom.GetNumExplicitHs(), atom.GetFormalCharge()
    sign = "" if not charge else f" {'+' if charge > 0 else '-'}{abs(charge) if abs(charge) > 1 else ''}"
    return f"{atom.GetSymbol()}{f' H{hydrogens}' if hydrogens else ''}{sign}"


def _from_pyg(folder: Path) -> Graphs:
    from torch_geometric.datasets import ZINC

    from wlt.data.pyg import from_pyg
    from wlt.io.graphs import as_graphs

    parts = [from_pyg(ZINC(str(folder), subset=True, split=name), name="ZINC") for name in ("train", "val", "test")]
    graphs = as_graphs(parts)
    assert graphs.targets is not None
    words = [name for name, part in zip(("train", "val", "test"), parts, strict=True) for _ in range(len(part))]
    rows = [[word, f"{value:.9g}"] for word, value in zip(words, graphs.targets.tolist(), strict=True)]
    table = Table(folder, ["split", "y"], rows, list(range(1, len(rows) + 1)), tuple(range(len(rows))))
    types = np.ravel(np.array([np.ravel(value)[0] for value in graphs.values]))
    return replace(graphs, values=types, kind="labels", name="ZINC", table=table)
