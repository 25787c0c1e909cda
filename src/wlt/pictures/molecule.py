"""A molecule as chemists draw it, by rdkit, from a graph whose nodes are labelled by elements."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from wlt.drawing.picture import lines_of
from wlt.graph import Graph

WIDTH, HEIGHT = 300, 220


def is_molecule(graph: Graph, elements: Sequence[Any]) -> bool:
    """Can it be drawn as one? Every node is called like an element, every edge carries a type of bond or nothing, and
    rdkit is there."""
    if not find_spec("rdkit") or not graph.num_nodes or len(graph.loops):
        return False
    from rdkit import Chem

    table = Chem.GetPeriodicTable()
    known = {table.GetElementSymbol(number) for number in range(1, 119)}
    bonds = {name.lower() for name in Chem.BondType.names}
    return all(isinstance(element, str) and element in known for element in elements) and all(
        len(tokens) == 1 and tokens[0][0] == "both" and tokens[0][1] in {*bonds, None} for tokens in graph.arc_labels
    )


def molecule_svg(
    graph: Graph,
    elements: Sequence[Any],
    atom_colors: Mapping[int, str] | None = None,
    bond_colors: Mapping[tuple[int, int], str] | None = None,
) -> str:
    """The picture. Atoms and bonds, by their nodes, may have a colour behind them."""
    from rdkit import Chem
    from rdkit.Chem.Draw import rdMolDraw2D

    molecule = _molecule(graph, elements)
    drawer: Any = rdMolDraw2D.MolDraw2DSVG(WIDTH, HEIGHT)
    atoms = {node: _rgb(color) for node, color in (atom_colors or {}).items()}
    bonds = {molecule.GetBondBetweenAtoms(u, v).GetIdx(): _rgb(color) for (u, v), color in (bond_colors or {}).items()}
    try:
        ready = rdMolDraw2D.PrepareMolForDrawing(molecule, addChiralHs=False)
    except (ValueError, Chem.KekulizeException):  # no arrangement of double bonds fits the aromatic ones
        ready = rdMolDraw2D.PrepareMolForDrawing(molecule, kekulize=False, addChiralHs=False)
    drawer.drawOptions().prepareMolsBeforeDrawing = False
    drawer.DrawMolecule(
        ready,
        highlightAtoms=list(atoms),
        highlightAtomColors=atoms,
        highlightBonds=list(bonds),
        highlightBondColors=bonds,
    )
    drawer.FinishDrawing()
    text: str = drawer.GetDrawingText()
    inner = text[text.index("<svg") :].replace("\n", " ")
    return re.sub(r"<svg ", f'<svg class="wlt-molecule" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" ', inner, count=1)


def _molecule(graph: Graph, elements: Sequence[Any]) -> Any:
    """rdkit's molecule: the atoms and bonds of the graph and no more. Whether an oxygen has a hydrogen or a charge is
    not in the graph, so neither is drawn, and no valence is checked."""
    from rdkit import Chem

    types = {name.lower(): kind for name, kind in Chem.BondType.names.items()}
    molecule = Chem.RWMol()
    for element in elements:
        atom = Chem.Atom(element)
        atom.SetNoImplicit(True)
        molecule.AddAtom(atom)
    for line in lines_of(graph):
        molecule.AddBond(line.source, line.target, types.get(line.label, Chem.BondType.SINGLE))
        if line.label == "aromatic":
            for node in (line.source, line.target):
                molecule.GetAtomWithIdx(node).SetIsAromatic(True)
            molecule.GetBondBetweenAtoms(line.source, line.target).SetIsAromatic(True)
    molecule.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(molecule)
    return molecule


def _rgb(color: str) -> tuple[float, float, float]:
    return int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255
