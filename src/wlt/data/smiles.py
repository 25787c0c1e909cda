"""Molecules as graphs, from SMILES (by rdkit, the extra `mol`): atoms are nodes, labelled by element, bonds are edges,
labelled by their type ("single", "double", "triple", "aromatic" and rdkit's rarer ones).

Hydrogens count as nodes only where rdkit keeps them, which is in molecules of nothing else. Charges and
stereochemistry are not used. A salt of several parts is one graph that is not connected.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from wlt.data.table import Target, column, find_column, graphs_of_rows, read_table, usable_rows
from wlt.graph import Graph
from wlt.graphs import DataError, Graphs


def molecules(smiles: Iterable[str], *, edge_labels: Literal["auto"] | None = "auto") -> Graphs:
    """The graphs of these molecules, in this order. A SMILES that cannot be read is an error, which names it.

    edge_labels: "auto" labels bonds by their type; None does not.

    >>> molecules(["CCO", "c1ccccc1"])  # ethanol and benzene
    Graphs(molecules: 2 graphs, 9 nodes, 8 edges; nodes: labels)
    """
    if isinstance(smiles, str):
        raise TypeError("molecules takes a list of SMILES, not one; use [smiles]")
    texts = list(smiles)
    for i, each in enumerate(texts):
        if not isinstance(each, str):
            raise TypeError(f"molecule {i}: SMILES are strings, not {each!r}")
    graphs, reasons = parsed(texts, edge_labels)
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
    edge_labels: Literal["auto"] | None = "auto",
) -> Graphs:
    """The molecules of a CSV file and, with a `target`, the labels in that column, or the numbers in several columns.

    `smiles` names the column with the SMILES; it can be left out where one is called that, or canonical_smiles, in
    capital or small letters. edge_labels: "auto" labels bonds by their type; None does not. Rows that cannot be used
    are in the result's `table.unreadable`, with the reason."""
    table = read_table(path)
    key = smiles_column(table.columns, smiles, table.path)
    rows = usable_rows(table, key, target)
    return graphs_of_rows(table, rows, *parsed(rows.keys, edge_labels))


def smiles_column(columns: Sequence[str], wanted: str | None, path: str | os.PathLike[str]) -> int:
    """Which of the columns has the SMILES: the one that is wanted, or else the one that is called so."""
    if wanted is not None:
        return column(columns, wanted, path)
    found = find_column(columns, "smiles", "canonical_smiles")
    if found is None:
        there = ", ".join(map(repr, columns))
        raise DataError(f"{path}: no column 'smiles'; say which one has the SMILES; there are: {there}")
    return found


def smiles_of(graphs: Graphs, wanted: str | None = None) -> list[str] | None:
    """The SMILES of graphs that come from a table with a column of them; None where there is none, or no rdkit."""
    table = graphs.table
    if table is None or not find_spec("rdkit"):
        return None
    key = find_column(table.columns, "smiles", "canonical_smiles") if wanted is None else table.columns.index(wanted)
    return None if key is None else [table.rows[row][key] for row in table.used]


def parsed(smiles: list[str], edge_labels: Literal["auto"] | None) -> tuple[Graphs | None, list[str]]:
    """The graphs of those that can be read (None if there are none), and for each why not, or ""."""
    if edge_labels not in ("auto", None):
        raise ValueError(f"edge_labels={edge_labels!r}: use 'auto' or None")
    chem = _rdkit()
    sizes, reasons = [], []
    bonds, codes = array("q"), array("i")  # both ends of every bond; lists would fill gigabytes with large tables
    types = array("i")  # rdkit's number of every bond's type
    number: dict[str, int] = {}  # of every element
    nodes = 0
    from rdkit import rdBase

    with rdBase.BlockLogs():
        for text in smiles:
            molecule = chem.MolFromSmiles(text)
            if molecule is None or not molecule.GetNumAtoms():
                reasons.append("no atoms" if molecule is not None else _reason(chem, text))
                continue
            reasons.append("")
            codes.extend(number.setdefault(atom.GetSymbol(), len(number)) for atom in molecule.GetAtoms())
            for bond in molecule.GetBonds():
                bonds.extend((nodes + bond.GetBeginAtomIdx(), nodes + bond.GetEndAtomIdx()))
                types.append(int(bond.GetBondType()))
            sizes.append(molecule.GetNumAtoms())
            nodes += sizes[-1]
    if not sizes:
        return None, reasons
    names = {int(kind): name.lower() for name, kind in chem.BondType.names.items()}
    labels = None if edge_labels is None else [names[kind] for kind in types]
    pairs = np.array(bonds, np.int64).reshape(-1, 2)
    union = Graph.from_edges(nodes, pairs, np.cumsum([0, *sizes]), edge_labels=labels)
    elements, rank = np.unique(list(number), return_inverse=True)
    return Graphs(union, rank.astype(np.int32)[np.array(codes)], elements, "labels", name="molecules"), reasons


def _reason(chem: Any, text: str) -> str:
    """Why rdkit does not take this: it may be no SMILES, or a molecule that cannot be."""
    molecule = chem.MolFromSmiles(text, sanitize=False)
    if molecule is None:
        return "not readable as SMILES"
    try:
        chem.SanitizeMol(molecule)
    except ValueError as error:
        return str(error).splitlines()[0]
    return "not readable as a molecule"


def _rdkit() -> Any:
    try:
        from rdkit import Chem
    except ImportError:
        raise DataError("reading SMILES needs rdkit, which is not installed: pip install 'wlt[mol]'") from None
    return Chem
