"""Molecules of rdkit (the extra `mol`) as graphs: what atoms and bonds carry.

Everything they carry depends on the molecule alone, not on how it is written. So chirality is R or S, and the stereo of
a double bond E or Z: rdkit's tags of clockwise and counterclockwise depend on the order of the atoms in a SMILES.
Centres without such a name, as in 4-methylcyclohexanol, and isotopes are not seen.

Hydrogens count as nodes only where rdkit keeps them, which is in molecules of nothing else and for isotopes. A salt of
several parts is one graph that is not connected.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable
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


class MoleculeReader:
    """Takes molecules one by one and gives the graphs of them all.

    atoms: "all" labels atoms and bonds by rows, `Atom` and `Bond`; "element" atoms by their element and bonds by their
    type. edge_labels: None leaves out what bonds carry."""

    def __init__(self, atoms: Atoms = "all", edge_labels: Literal["auto"] | None = "auto"):
        if atoms not in ("all", "element"):
            raise ValueError(f"atoms={atoms!r}: use 'all' or 'element'")
        if edge_labels not in ("auto", None):
            raise ValueError(f"edge_labels={edge_labels!r}: use 'auto' or None")
        from rdkit import Chem

        self._whole, self._labelled = atoms == "all", edge_labels is not None
        self._bond_types = {kind: name.lower() for name, kind in Chem.BondType.names.items()}
        stereo = Chem.BondStereo.names
        self._stereo = {stereo["STEREOE"]: "E", stereo["STEREOZ"]: "Z"}
        self._starts = [0]
        # lists would fill gigabytes with large tables
        self._ends, self._atom_codes, self._bond_codes = array("q"), array("i"), array("i")
        self._atoms: dict[Hashable, int] = {}
        self._bonds: dict[Hashable, int] = {}

    def add(self, molecule: Any) -> None:
        """molecule: rdkit's, with an atom at least."""
        start = self._starts[-1]
        if molecule.NeedsUpdatePropertyCache():  # a user's own, which was not sanitized
            molecule = _finished(molecule)
        atoms, bonds = self._atoms, self._bonds
        for atom in molecule.GetAtoms():
            carried = self._atom(atom) if self._whole else atom.GetSymbol()
            self._atom_codes.append(atoms.setdefault(carried, len(atoms)))
        for bond in molecule.GetBonds():
            self._ends.extend((start + bond.GetBeginAtomIdx(), start + bond.GetEndAtomIdx()))
            if self._labelled:
                carried = self._bond(bond) if self._whole else self._bond_types[bond.GetBondType()]
                self._bond_codes.append(bonds.setdefault(carried, len(bonds)))
        self._starts.append(start + molecule.GetNumAtoms())

    def _atom(self, atom: Any) -> Atom:
        chirality = atom.GetProp("_CIPCode") if atom.HasProp("_CIPCode") else NO_STEREO
        numbers = atom.GetFormalCharge(), atom.GetTotalNumHs()
        return Atom(atom.GetSymbol(), *numbers, atom.GetIsAromatic(), atom.IsInRing(), chirality)

    def _bond(self, bond: Any) -> Bond:
        stereo = self._stereo.get(bond.GetStereo(), NO_STEREO)
        return Bond(self._bond_types[bond.GetBondType()], bond.GetIsConjugated(), bond.IsInRing(), stereo)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def graphs(self) -> Graphs:
        """Of all molecules, in their order."""
        bonds: Any = list(self._bonds)
        labels = [bonds[code] for code in self._bond_codes] if self._labelled else None
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
