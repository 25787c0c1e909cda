"""Molecules from SMILES, by rdkit (the extra `mol`): atoms are nodes, bonds are edges. What they carry is told in
`wlt.io.molecules`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wlt.data.table import Target, column, find_column, graphs_of_rows, read_table, usable_rows
from wlt.graphs import DataError, Graphs
from wlt.io.molecules import Atoms, MoleculeReader
from wlt.io.objects import no_table
from wlt.table import Table
from wlt.wording import listed


def molecules(smiles: Iterable[str], *, atoms: Atoms = "all", edge_labels: Literal["auto"] | None = "auto") -> Graphs:
    """The graphs of these molecules, in this order. A SMILES that cannot be read is an error, which names it.

    atoms: "all" labels atoms by element, charge, number of hydrogens, aromaticity, ring membership and chirality, and
    bonds by type, conjugation, ring membership and stereo; two atoms are equal if all of these are. "element" labels
    atoms by their element and bonds by their type. edge_labels: "auto", or None for bonds without labels.

    >>> ethanol_and_benzene = molecules(["CCO", "c1ccccc1"])
    >>> ethanol_and_benzene
    Graphs(molecules: 2 graphs, 9 nodes, 8 edges; nodes: labels)
    >>> ethanol_and_benzene.values[0]
    Atom(element='C', charge=0, hydrogens=1, aromatic=True, in_ring=True, chirality='none')
    """
    if isinstance(smiles, str):
        raise TypeError("molecules takes a list of SMILES, not one; use [smiles]")
    no_table(smiles, "SMILES")
    texts = list(smiles)
    for i, each in enumerate(texts):
        if not isinstance(each, str):
            raise TypeError(f"molecule {i}: SMILES are strings, not {each!r}")
    graphs, reasons = parsed(texts, atoms, edge_labels)
    bad = [f"molecule {i} ({texts[i][:60]!r}): {reason}" for i, reason in enumerate(reasons) if reason]
    if bad:
        raise DataError(bad[0] + (f"; and {len(bad) - 1} more cannot be read" if len(bad) > 1 else ""))
    if graphs is None:
        raise ValueError("no molecules")
    return graphs


def read_molecules(
    path: str | os.PathLike[str],
    target: Target | None = None,
    smiles: str | None = None,
    *,
    atoms: Atoms = "all",
    edge_labels: Literal["auto"] | None = "auto",
) -> Graphs:
    """The molecules of a CSV file and, with a `target`, the labels in that column, or the numbers in several columns.

    `smiles` names the column with the SMILES; it can be left out where one is called that, or canonical_smiles, in
    capital or small letters. atoms, edge_labels: as in `molecules`. Rows that cannot be used are in the result's
    `table.unreadable`, with the reason."""
    return molecules_of(read_table(path), target, smiles, atoms=atoms, edge_labels=edge_labels)


def molecules_of(
    table: Table,
    target: Target | None = None,
    smiles: str | None = None,
    *,
    atoms: Atoms = "all",
    edge_labels: Literal["auto"] | None = "auto",
) -> Graphs:
    """The molecules of a table that was read already; see `read_molecules`."""
    key = smiles_column(table.columns, smiles, table.path)
    rows = usable_rows(table, key, target)
    return graphs_of_rows(table, rows, *parsed(rows.keys, atoms, edge_labels))


def smiles_column(columns: Sequence[str], wanted: str | None, path: str | os.PathLike[str]) -> int:
    """Which of the columns has the SMILES: the one that is wanted, or else the one that is called so."""
    if wanted is not None:
        return column(columns, wanted, path)
    found = find_column(columns, "smiles", "canonical_smiles")
    if found is None:
        there = listed(columns, 30)
        raise DataError(f"{path}: no column 'smiles'; say which one has the SMILES; there are: {there}")
    return found


def smiles_of(graphs: Graphs, wanted: str | None = None) -> list[str] | None:
    """The SMILES of graphs that come from a table with a column of them; None where there is none, or no rdkit."""
    table = graphs.table
    if table is None or not find_spec("rdkit"):
        return None
    key = find_column(table.columns, "smiles", "canonical_smiles") if wanted is None else table.columns.index(wanted)
    return None if key is None else [table.rows[row][key] for row in table.used]


def parsed(
    smiles: list[str], atoms: Atoms = "all", edge_labels: Literal["auto"] | None = "auto"
) -> tuple[Graphs | None, list[str]]:
    """The graphs of those that can be read (None if there are none), and for each why not, or ""."""
    reader = MoleculeReader.of(atoms, edge_labels)
    reasons = read_smiles(smiles, reader)
    return reader.graphs() if len(reader) else None, reasons


def read_smiles(
    smiles: Iterable[str], reader: MoleculeReader, prepare: Callable[[Any], None] = lambda molecule: None
) -> list[str]:
    """Give the reader the molecules that can be read; for each of the SMILES why it cannot, or "".

    prepare: what is done with every molecule before."""
    chem = rdkit_or_error()
    from rdkit import rdBase

    reasons = []
    with rdBase.BlockLogs():
        for text in smiles:
            molecule = chem.MolFromSmiles(text)
            if molecule is None or not molecule.GetNumAtoms():
                reasons.append("no atoms" if molecule is not None else _reason(chem, text))
            else:
                reasons.append("")
                prepare(molecule)
                reader.add(molecule)
    return reasons


def _reason(chem: Any, text: str) -> str:
    """Why rdkit does not take this: it may be no SMILES, or a molecule that cannot be."""
    try:
        molecule = chem.MolFromSmiles(text, sanitize=False)
        if molecule is None:
            return "not readable as SMILES"
        chem.SanitizeMol(molecule)
    except ValueError as error:
        return str(error).splitlines()[0]
    except RuntimeError:  # rdkit's own assertions, which speak of its code: [#999], [CH999]
        return "not readable as a molecule: no such element, or an impossible number of hydrogens"
    return "not readable as a molecule"


def odd_molecules(graphs: Graphs) -> dict[str, NDArray[np.int64]]:
    """What is special about some molecules, as the end of a sentence, and which they are."""
    from scipy.sparse.csgraph import connected_components

    union = graphs.union
    _, part = connected_components(union.to_scipy(), directed=False)
    first_nodes = np.unique(part, return_index=True)[1]
    parts = np.bincount(np.searchsorted(union.starts, first_nodes, side="right") - 1, minlength=len(graphs))
    wild = np.array([value == "*" or (isinstance(value, tuple) and value[0] == "*") for value in graphs.values], bool)
    nodes = np.flatnonzero(wild[graphs.codes])
    return {
        "have several parts, as salts and mixtures do; each is one graph": np.flatnonzero(parts > 1),
        "have wildcard atoms (*), which count as an element of their own": np.unique(
            np.searchsorted(union.starts, nodes, side="right") - 1
        ),
    }


def rdkit_or_error() -> Any:
    """rdkit.Chem; DataError, which says what to install, where there is none."""
    try:
        from rdkit import Chem
    except ImportError:
        raise DataError("reading SMILES needs rdkit, which is not installed: pip install 'wlt[mol]'") from None
    return Chem
