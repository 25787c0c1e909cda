"""Molecules from SMILES, against rdkit's own adjacency."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wlt import Graphs, as_graphs, keys
from wlt.data import DataError
from wlt.data.smiles import molecules, read_molecules
from wlt.graph import Graph

SMILES = ["CCO", "c1ccccc1", "C", "[Na+].[Cl-]", "N#Cc1ccc(F)cc1", "[H][H]", "[13CH4]", "C[C@H](N)C(=O)O"]
rdkit = pytest.importorskip("rdkit", reason="rdkit is not installed: pip install 'wlt[mol]'")


@pytest.mark.parametrize("smiles", SMILES)
def test_graphs_are_rdkits(smiles: str) -> None:
    from rdkit import Chem

    molecule = Chem.MolFromSmiles(smiles)
    found = molecules([smiles])
    assert np.array_equal(found.union.to_scipy().toarray(), Chem.GetAdjacencyMatrix(molecule))
    expected = [
        (a.GetSymbol(), a.GetFormalCharge(), a.GetTotalNumHs(), a.GetIsAromatic(), a.IsInRing())
        for a in molecule.GetAtoms()
    ]
    assert [found.values[color][:5] for color in found.codes] == expected
    assert found.kind == "labels"
    elements = molecules([smiles], atoms="element")
    assert [elements.values[color] for color in elements.codes] == [atom.GetSymbol() for atom in molecule.GetAtoms()]


def test_what_atoms_and_bonds_carry() -> None:
    """Alanine, E-difluoroethene, butadiene and pyrrole, by hand."""
    alanine, fluorine, butadiene, pyrrole = molecules(["C[C@H](N)C(=O)[O-]", "F/C=C/F", "C=CC=C", "c1cc[nH]c1"])
    assert [alanine.values[code] for code in alanine.codes] == [
        ("C", 0, 3, False, False, "none"),
        ("C", 0, 1, False, False, "S"),
        ("N", 0, 2, False, False, "none"),
        ("C", 0, 0, False, False, "none"),
        ("O", 0, 0, False, False, "none"),
        ("O", -1, 0, False, False, "none"),
    ]
    assert bond_rows(fluorine)[1, 2] == ("double", False, False, "E")
    assert bond_rows(butadiene)[1, 2] == ("single", True, False, "none")
    assert set(bond_rows(pyrrole).values()) == {("aromatic", True, True, "none")}
    assert str(pyrrole.values[pyrrole.codes[3]]) == "NH aromatic"
    assert str(bond_rows(butadiene)[0, 1]) == "double conjugated"


def bond_rows(graphs: Graphs) -> dict[tuple[int, int], Any]:
    union = graphs.union
    pairs = zip(*union.edge_index().tolist(), strict=True)
    return {pair: union.arc_labels[code][0][1] for pair, code in zip(pairs, union.arcs.tolist(), strict=True)}


@pytest.mark.parametrize(
    "smiles",
    [
        "C[C@H](N)C(=O)O",
        "C/C=C/C(=O)N[C@@H](C)c1ccc2[nH]ccc2c1",
        "[Na+].[O-]C(=O)[C@@H]1CCCN1",
        "CN1[C@H]2CC[C@@H]1[C@H]([C@H](C2)OC(=O)C3=CC=CC=C3)C(=O)OC",
        "O=C1O[C@H]([C@@H](O)CO)C(O)=C1O",
    ],
)
def test_a_molecule_is_one_graph_however_it_is_written(smiles: str) -> None:
    """What atoms carry must not depend on their order, as rdkit's tags of chirality do."""
    from rdkit import Chem

    molecule = Chem.MolFromSmiles(smiles)
    written = [Chem.MolToSmiles(molecule, doRandom=True, canonical=False) for _ in range(10)]
    assert len(set(keys(molecules([smiles, *written])))) == 1


def test_what_only_a_chemist_sees_is_seen() -> None:
    """Mirror images, E and Z, charges and hydrogens; elements and bonds alone are the same."""
    pairs = [
        ("C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"),
        ("F/C=C/F", "F/C=C\\F"),
        ("CC(=O)O", "CC(=O)[O-]"),
        ("C", "[CH2]"),
    ]
    for one, other in pairs:
        first, second = keys(molecules([one, other]))
        assert first != second
        first, second = keys(molecules([one, other], atoms="element"))
        assert first == second


def test_molecules_of_rdkit_are_graphs() -> None:
    from rdkit import Chem

    objects = [Chem.MolFromSmiles(smiles) for smiles in SMILES]
    assert keys(as_graphs(objects)) == keys(molecules(SMILES))
    assert len(as_graphs(objects[1])) == 1
    assert as_graphs(objects, node_labels="degrees").kind == "degrees"
    assert as_graphs(objects, edge_labels=None).edge_kind == "none"
    unfinished = Chem.MolFromSmiles("CC1CC1", sanitize=False)
    (atom,) = (atom for atom in as_graphs([unfinished]).values if atom.hydrogens == 1)
    assert (atom.in_ring, unfinished.NeedsUpdatePropertyCache()) == (True, True)
    with pytest.raises(TypeError, match="graph 1 is NoneType, no molecule: rdkit could not read it"):
        as_graphs([objects[0], None])


def test_molecules_come_in_their_order() -> None:
    together = molecules(SMILES)
    assert len(together) == len(SMILES)
    for i, smiles in enumerate(SMILES):
        alone = molecules([smiles])
        assert together[i].union.same_edges(alone.union)
        assert [together.values[c] for c in together[i].codes] == [alone.values[c] for c in alone.codes]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param(["CC", "C1CC"], r"molecule 1 \('C1CC'\): not readable as SMILES", id="open ring"),
        pytest.param(["C(C)(C)(C)(C)C"], "Explicit valence for atom # 0 C, 5", id="valence"),
        pytest.param(["c1cccc1"], "kekul", id="aromaticity"),
        pytest.param(["[#999]"], "not readable as a molecule: no such element", id="no element"),
        pytest.param(["[CH999]"], "not readable as a molecule: .* impossible number of hydrogens", id="hydrogens"),
        pytest.param(["CC", "x", ""], r"molecule 1 .*; and 1 more cannot be read", id="several"),
        pytest.param([""], "no atoms", id="empty"),
        pytest.param([], "no molecules", id="none"),
        pytest.param(["CC", None], "molecule 1: SMILES are strings, not None", id="no text"),
        pytest.param("CCO", "takes a list of SMILES, not one", id="one text"),
    ],
)
def test_what_is_no_molecule_is_refused(given: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        molecules(given)
    assert capfd.readouterr().err == ""  # rdkit's own log stays quiet


def table(folder: Path, text: str) -> Path:
    (folder / "m.csv").write_text(text)
    return folder / "m.csv"


def test_a_table_gives_graphs_labels_and_what_could_not_be_read(tmp_path: Path) -> None:
    text = "id,Smiles,active\n1,CCO,yes\n2,C1CC,no\n3,c1ccccc1,no\n4,CC,\n5,,yes\n6,CN,yes\n"
    graphs = read_molecules(table(tmp_path, text), "active")
    assert graphs.targets is not None
    assert graphs.targets.tolist() == ["yes", "no", "yes"]
    assert graphs.table.used == (0, 2, 5)
    assert graphs.union.graph_sizes.tolist() == [3, 6, 2]
    assert [str(each) for each in graphs.table.unreadable] == [
        "line 3: 'C1CC': not readable as SMILES",
        "line 5: 'CC': no label in column 'active'",
        "line 6: '': nothing in column 'Smiles'",
    ]
    assert len(graphs) + len(graphs.table.unreadable) == len(graphs.table.rows)


def test_without_a_target_no_label_is_needed(tmp_path: Path) -> None:
    graphs = read_molecules(table(tmp_path, "mol\nCC\nCO\n"), smiles="mol")
    assert (graphs.targets, len(graphs)) == (None, 2)


@pytest.mark.parametrize(
    ("text", "target", "smiles", "message"),
    [
        pytest.param("", "y", None, "the file is empty", id="empty"),
        pytest.param("mol,y\nCC,1\n", "y", None, "no column 'smiles'; .* there are: 'mol', 'y'", id="no smiles"),
        pytest.param("smiles,y\nCC,1\n", "x", None, "no column 'x'; there are: 'smiles', 'y'", id="target"),
        pytest.param("smiles,y\nCC,1\n", "y", "mol", "no column 'mol'; there are", id="smiles column"),
        pytest.param("smiles,y\nx,1\nC1,2\n", "y", None, "no row can be used: line 2: 'x': .*, and 1 more", id="none"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(
    tmp_path: Path, text: str, target: str, smiles: str | None, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_molecules(table(tmp_path, text), target, smiles)


def test_without_rdkit_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(DataError, match=r"needs rdkit, which is not installed: pip install 'wlt\[mol\]'"):
        molecules(["CC"])


def test_bonds_are_labelled_by_their_type_unless_nobody_wants_it() -> None:
    """Propene, acetonitrile, benzene; the old view has the same adjacency without labels."""
    smiles = ["CC=C", "CC#N", "c1ccccc1"]
    graphs = molecules(smiles, atoms="element")
    assert [label for ((_, label),) in graphs.union.arc_labels] == ["aromatic", "double", "single", "triple"]
    assert graphs.edge_kind == "labels"
    assert graphs.union[0].same_edges(Graph.from_edges(3, [(0, 1), (1, 2)], edge_labels=["single", "double"]))
    plain = molecules(smiles, edge_labels=None)
    assert (plain.edge_kind, plain.union.same_edges(graphs.union.without_labels())) == ("none", True)
    with pytest.raises(ValueError, match="edge_labels='order': use 'auto' or None"):
        molecules(smiles, edge_labels="order")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="atoms='atom': use 'all' or 'element'"):
        molecules(smiles, atoms="atom")  # type: ignore[arg-type]
