"""Molecules of rdkit (the extra `mol`) as graphs: what atoms and bonds carry.

Everything they carry depends on the molecule alone, not on how it is written. So chirality is R or S, and the stereo of
a double bond E or Z: rdkit's tags of clockwise and counterclockwise depend on the order of the atoms in a SMILES.
Centres without such a name, as in 4-methylcyclohexanol, and isotopes are not seen.

Hydrogens count as nodes only where rdkit keeps them, which is in molecules of nothing else and for isotopes. A salt of
several parts is one graph that is not connected.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from typing import Any, Literal, NamedTuple

import numpy as np

from wlt.arcs import in_order
from wlt.graph import Graph
from wlt.graphs import Graphs

Atoms = Literal["all", "element"]

NO_STEREO = "none"


class Atom(NamedTuple):
    """What an atom carries: a row of labels."""

    element: str
    charge: int
    hydrogens: int
    aromatic: bool
    in_ring: bool
    chirality: str
    """R, S or none."""

    def __str__(self) -> str:
        """
        >>> print(Atom("N", 1, 2, False, True, "none"), Atom("C", 0, 1, False, False, "S"))
        NH2+ ring CH S
        """
        hydrogens = "" if not self.hydrogens else f"H{self.hydrogens if self.hydrogens > 1 else ''}"
        size = "" if abs(self.charge) < 2 else str(abs(self.charge))
        charge = "" if not self.charge else size + ("+" if self.charge > 0 else "-")
        words = [f"{self.element}{hydrogens}{charge}", "aromatic" * self.aromatic]
        words += ["ring" * (self.in_ring and not self.aromatic), self.chirality * (self.chirality != NO_STEREO)]
        return " ".join(filter(None, words))


class Bond(NamedTuple):
    """What a bond carries: a row of labels."""

    type: str
    """single, double, triple, aromatic, or one of rdkit's rarer ones."""
    conjugated: bool
    in_ring: bool
    stereo: str
    """E, Z or none."""

    def __str__(self) -> str:
        """
        >>> print(Bond("double", True, False, "E"))
        double conjugated E
        """
        plain = self.type != "aromatic"  # which is conjugated and in a ring
        words = [self.type, "conjugated" * (self.conjugated and plain), "ring" * (self.in_ring and plain)]
        return " ".join(filter(None, [*words, self.stereo * (self.stereo != NO_STEREO)]))


def atom_row(atom: Any) -> Atom:
    """What rdkit's atom carries."""
    chirality = atom.GetProp("_CIPCode") if atom.HasProp("_CIPCode") else NO_STEREO
    numbers = atom.GetFormalCharge(), atom.GetTotalNumHs()
    return Atom(atom.GetSymbol(), *numbers, atom.GetIsAromatic(), atom.IsInRing(), chirality)


def bond_row(bond: Any) -> Bond:
    """What rdkit's bond carries."""
    stereo = {"STEREOE": "E", "STEREOZ": "Z"}.get(bond.GetStereo().name, NO_STEREO)
    return Bond(bond_type(bond), bond.GetIsConjugated(), bond.IsInRing(), stereo)


def element(atom: Any) -> str:
    symbol: str = atom.GetSymbol()
    return symbol


def bond_type(bond: Any) -> str:
    name: str = bond.GetBondType().name
    return name.lower()


class MoleculeReader:
    """Takes molecules of rdkit one by one and gives the graphs of them all.

    of_atom, of_bond: what an atom and a bond carry; without of_bond, bonds carry nothing."""

    def __init__(self, of_atom: Callable[[Any], Hashable], of_bond: Callable[[Any], Hashable] | None):
        self._of_atom, self._of_bond = of_atom, of_bond
        self._starts = [0]
        # lists would fill gigabytes with large tables
        self._ends, self._atom_codes, self._bond_codes = array("q"), array("i"), array("i")
        self._atoms: dict[Hashable, int] = {}
        self._bonds: dict[Hashable, int] = {}

    @classmethod
    def of(cls, atoms: Atoms = "all", edge_labels: Literal["auto"] | None = "auto") -> MoleculeReader:
        """atoms: "all" labels atoms and bonds by rows, `Atom` and `Bond`; "element" atoms by their element and bonds by
        their type. edge_labels: None leaves out what bonds carry."""
        if atoms not in ("all", "element"):
            raise ValueError(f"atoms={atoms!r}: use 'all' or 'element'")
        if edge_labels not in ("auto", None):
            raise ValueError(f"edge_labels={edge_labels!r}: use 'auto' or None")
        of_atom, of_bond = (atom_row, bond_row) if atoms == "all" else (element, bond_type)
        return cls(of_atom, None if edge_labels is None else of_bond)

    def add(self, molecule: Any) -> None:
        """molecule: rdkit's, with an atom at least."""
        start = self._starts[-1]
        if molecule.NeedsUpdatePropertyCache():  # a user's own, which was not sanitized
            molecule = _finished(molecule)
        atoms, bonds = self._atoms, self._bonds
        for atom in molecule.GetAtoms():
            self._atom_codes.append(atoms.setdefault(self._of_atom(atom), len(atoms)))
        for bond in molecule.GetBonds():
            self._ends.extend((start + bond.GetBeginAtomIdx(), start + bond.GetEndAtomIdx()))
            if self._of_bond is not None:
                self._bond_codes.append(bonds.setdefault(self._of_bond(bond), len(bonds)))
        self._starts.append(start + molecule.GetNumAtoms())

    def __len__(self) -> int:
        return len(self._starts) - 1

    def graphs(self) -> Graphs:
        """Of all molecules, in their order."""
        bonds: Any = list(self._bonds)
        labels = None if self._of_bond is None else [bonds[code] for code in self._bond_codes]
        pairs = np.array(self._ends, np.int64).reshape(-1, 2)
        union = Graph.from_edges(self._starts[-1], pairs, np.array(self._starts), edge_labels=labels)
        codes, values = in_order(np.array(self._atom_codes, np.int32), list(self._atoms))
        return Graphs(union, codes, values, "labels", name="molecules")


def _finished(molecule: Any) -> Any:
    """A copy that knows its hydrogens and rings."""
    from rdkit import Chem

    copy = Chem.Mol(molecule)
    copy.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(copy)
    return copy
