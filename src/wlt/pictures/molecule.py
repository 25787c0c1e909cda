"""A molecule as chemists draw it, by rdkit, from a graph whose nodes are labelled by atoms or by elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from wlt.graph import Graph
from wlt.io.molecules import Atom, Bond

WIDTH, HEIGHT = 300, 220


def is_molecule(graph: Graph, atoms: Sequence[Any]) -> bool:
    """Can it be drawn as one? Every node is an `Atom` or called like an element, every edge carries a `Bond`, a type of
    bond or nothing, and rdkit is there."""
    if not find_spec("rdkit") or not graph.num_nodes or len(graph.loops):
        return False
    from rdkit import Chem

    table = Chem.GetPeriodicTable()
    known = {table.GetElementSymbol(number) for number in range(1, 119)}
    types = {name.lower() for name in Chem.BondType.names}
    return all(_element(atom) in known for atom in atoms) and all(
        len(tokens) == 1 and tokens[0][0] == "both" and _bond_type(tokens[0][1]) in {*types, None}
        for tokens in graph.arc_labels
    )


def _element(atom: Any) -> Any:
    return atom[0] if _is_row(atom, len(Atom._fields)) else atom


def _bond_type(bond: Any) -> Any:
    return bond[0] if _is_row(bond, len(Bond._fields)) else bond


def _is_row(value: Any, width: int) -> bool:
    """A row of labels, whether or not it still has the names of its columns."""
    return isinstance(value, tuple) and len(value) == width


def molecule_svg(
    graph: Graph,
    atoms: Sequence[Any],
    atom_colors: Mapping[int, str] | None = None,
    bond_colors: Mapping[tuple[int, int], str] | None = None,
) -> str:
    """The picture. Atoms and bonds, by their nodes, may have a colour behind them, and then have their numbers."""
    from rdkit import Chem
    from rdkit.Chem.Draw import rdMolDraw2D

    molecule = _molecule(graph, atoms)
    drawer: Any = rdMolDraw2D.MolDraw2DSVG(WIDTH, HEIGHT)
    shaded = {node: _rgb(color) for node, color in (atom_colors or {}).items()}
    bonds = {molecule.GetBondBetweenAtoms(u, v).GetIdx(): _rgb(color) for (u, v), color in (bond_colors or {}).items()}
    try:
        ready = rdMolDraw2D.PrepareMolForDrawing(molecule, addChiralHs=False)
    except (ValueError, Chem.KekulizeException):  # no arrangement of double bonds fits the aromatic ones
        ready = rdMolDraw2D.PrepareMolForDrawing(molecule, kekulize=False, addChiralHs=False)
    drawer.drawOptions().prepareMolsBeforeDrawing = False
    drawer.drawOptions().addAtomIndices = bool(shaded)
    drawer.DrawMolecule(
        ready,
        highlightAtoms=list(shaded),
        highlightAtomColors=shaded,
        highlightBonds=list(bonds),
        highlightBondColors=bonds,
    )
    drawer.FinishDrawing()
    text: str = drawer.GetDrawingText()
    inner = text[text.index("<svg") :].replace("\n", " ")
    return inner.replace("<svg ", '<svg class="wlt-molecule" role="img" ', 1)


def _molecule(graph: Graph, atoms: Sequence[Any]) -> Any:
    """rdkit's molecule: what is in the graph and no more. Where nodes are elements alone, neither hydrogens nor charges
    are drawn, and no valence is checked. R, S, E and Z are not drawn."""
    from rdkit import Chem

    types = {name.lower(): kind for name, kind in Chem.BondType.names.items()}
    molecule = Chem.RWMol()
    for carried in atoms:
        atom = Chem.Atom(_element(carried))
        atom.SetNoImplicit(True)
        if _is_row(carried, len(Atom._fields)):
            row = Atom(*carried)
            atom.SetFormalCharge(row.charge)
            atom.SetNumExplicitHs(row.hydrogens)
        molecule.AddAtom(atom)
    rows, columns = graph.edge_index()
    codes = graph.arcs.tolist() if len(graph.arcs) else [0] * len(rows)
    for u, v, code in zip(rows.tolist(), columns.tolist(), codes, strict=True):
        if u > v:
            continue
        kind = _bond_type(graph.arc_labels[code][0][1]) if graph.arc_labels else None
        molecule.AddBond(u, v, types.get(kind, Chem.BondType.SINGLE))
        if kind == "aromatic":
            for node in (u, v):
                molecule.GetAtomWithIdx(node).SetIsAromatic(True)
            molecule.GetBondBetweenAtoms(u, v).SetIsAromatic(True)
    molecule.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(molecule)
    return molecule


def _rgb(color: str) -> tuple[float, float, float]:
    return int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255
