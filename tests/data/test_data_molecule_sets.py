"""ZINC and MoleculeNet by name, and splits by scaffold."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from wlt.data import DataError, load, moleculenet, official_split, scaffold_folds, scaffold_split
from wlt.data.scaffold import scaffolds

rdkit = pytest.importorskip("rdkit", reason="rdkit is not installed: pip install 'wlt[mol]'")

ZINC = """split,smiles,y
train,COc1ccc(O)cc1,0.5
train,C[C@H](N)[NH2+]C,-1.25
val,CC#N,0.125
test,c1cc[nH]c1,1.5
"""


def write(root: Path, name: str, content: str | bytes) -> Path:
    path = root / "molecules" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# ---------------------------------------------------------------------------------------------------------------------
# ZINC
# ---------------------------------------------------------------------------------------------------------------------


def test_zinc_from_a_table(tmp_path: Path) -> None:
    """Labels as in the benchmark: kekulized bonds, hydrogens only where a SMILES writes them."""
    write(tmp_path, "zinc12k.csv", ZINC)
    graphs = load("ZINC", tmp_path)
    assert (graphs.name, graphs.targets.tolist()) == ("ZINC (targets rebuilt)", [0.5, -1.25, 0.125, 1.5])
    assert set(graphs.values) == {"C", "C H1", "N", "N H2 +", "O"}
    assert [label for ((_, label),) in graphs.union.arc_labels] == ["double", "single", "triple"]
    assert [part.tolist() for part in official_split(graphs)] == [[0, 1], [2], [3]]
    with pytest.raises(ValueError, match="do not know their split"):
        official_split(graphs.take([0, 1]))
    assert load("zinc", tmp_path, edge_labels=None).edge_kind == "none"
    assert load("zinc", tmp_path, node_labels="degrees").kind == "degrees"


def test_the_whole_of_zinc(data_dir: Path) -> None:
    """Figures of the benchmark: 21 of its 28 types of atoms are in the 12,000 molecules, and three bonds."""
    graphs = load("ZINC", data_dir)
    assert [len(part) for part in official_split(graphs)] == [10_000, 1_000, 1_000]
    assert (len(graphs.values), len(graphs.union.arc_labels)) == (21, 3)
    sizes = graphs.union.graph_sizes
    assert (round(sizes.mean(), 3), round(sizes.std(), 3)) == (23.155, 4.481)


def pyg_copy(folder: Path) -> None:
    """What torch_geometric.datasets.ZINC has on disk, of three small graphs."""
    from torch_geometric.data import Data, InMemoryDataset

    processed = folder / "subset" / "processed"
    processed.mkdir(parents=True)
    (folder / "raw").mkdir()
    for name in ("train.pickle", "val.pickle", "test.pickle", "train.index", "val.index", "test.index"):
        (folder / "raw" / name).touch()
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    for number, name in enumerate(("train", "val", "test")):
        x, bonds = torch.tensor([[0], [5], [number]]), torch.tensor([1, 1, 2, 2])
        graph = Data(x=x, edge_index=edges, edge_attr=bonds, y=torch.tensor([0.25 + number]))
        InMemoryDataset.save([graph], str(processed / f"{name}.pt"))
    for name in ("pre_transform.pt", "pre_filter.pt"):
        torch.save("None", processed / name)


def test_a_users_own_zinc_comes_first(tmp_path: Path) -> None:
    write(tmp_path, "zinc12k.csv", ZINC)
    pyg_copy(tmp_path / "ZINC")
    graphs = load("ZINC", tmp_path)
    assert (graphs.name, graphs.kind, graphs.targets.tolist()) == ("ZINC", "labels", [0.25, 1.25, 2.25])
    assert [graphs.values[code] for code in graphs.codes] == [0, 5, 0, 0, 5, 1, 0, 5, 2]
    assert [label for ((_, label),) in graphs.union.arc_labels] == [1, 2]
    assert [part.tolist() for part in official_split(graphs)] == [[0], [1], [2]]


def test_zinc_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"ZINC is neither in .*torch_geometric.datasets.ZINC\(.* downloads it"):
        load("ZINC", tmp_path)
    write(tmp_path, "zinc12k.csv", "smiles,y\nCC,1\n")
    with pytest.raises(DataError, match="no column 'split'; there are: 'smiles', 'y'"):
        load("ZINC", tmp_path)


# ---------------------------------------------------------------------------------------------------------------------
# MoleculeNet
# ---------------------------------------------------------------------------------------------------------------------

SMALL = {
    "BBBP": ("num,name,p_np,smiles\n1,a,1,CCO\n2,b,0,CCN\n3,c,1,C1CC\n", [1, 0]),
    "ESOL": ("smiles,measured log solubility in mols per litre\nCCO,-0.77\nCCN,1.5\n", [-0.77, 1.5]),
    "FreeSolv": ("iupac,smiles,expt,calc\na,CCO,-1.5,0\nb,CCN,2.25,0\n", [-1.5, 2.25]),
    "HIV": ("smiles,activity,HIV_active\nCCO,CI,0\nCCN,CA,1\n", [0, 1]),
}


@pytest.mark.parametrize("name", SMALL)
def test_what_the_collection_offers_is_downloaded_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables as they are downloaded have other columns than those of other copies."""
    text, targets = SMALL[name]
    asked: list[str] = []

    def fetch(url: str, file: BinaryIO, what: str) -> None:
        asked.append(url)
        file.write(text.encode())

    monkeypatch.setattr(moleculenet, "fetch", fetch)
    for _ in range(2):
        graphs = load(name.lower(), tmp_path)
        assert (graphs.name, graphs.targets.tolist()) == (name, targets)
    assert asked == [f"{moleculenet.COLLECTION}/{moleculenet.SETS[name].files[-1]}"]


def test_tox21_has_columns_with_gaps(tmp_path: Path) -> None:
    columns = ",".join(moleculenet.TOX21)
    rows = f"{columns},mol_id,smiles\n" + "0,1,,,,,,,,,,,T1,CCO\n" + ",,,,,,,,,,,,T2,CCN\n" + "1,,,,,,,,,,,0,T3,CC\n"
    write(tmp_path, "tox21.csv.gz", gzip.compress(rows.encode()))
    graphs = load("Tox21", tmp_path, atoms="element")
    assert graphs.target_names == moleculenet.TOX21
    assert (graphs.targets.shape, int(np.isnan(graphs.targets).sum())) == ((2, 12), 20)
    assert [each.reason for each in graphs.table.unreadable] == ["no value in any of the target columns"]
    assert set(graphs.values) == {"C", "O", "N"} - {"N"}


def test_what_cannot_be_downloaded_says_where_to_put_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(url: str, file: BinaryIO, what: str) -> None:
        raise DataError(f"{url} could not be reached: no network")

    monkeypatch.setattr(moleculenet, "fetch", fetch)
    with pytest.raises(
        DataError, match=r"HIV is not in .*could not be downloaded \(.*no network\); put its table, called"
    ):
        load("HIV", tmp_path)
    assert not list((tmp_path / "molecules").glob("*"))
    write(tmp_path, "hiv.csv", "smiles,y\nCC,1\n")
    with pytest.raises(DataError, match="this table has no column 'HIV_active'; there are: 'smiles', 'y'"):
        load("HIV", tmp_path)
    with pytest.raises(ValueError, match="HIV has labels and no features"):
        load("HIV", tmp_path, node_labels="features")


def test_the_tables_at_hand(data_dir: Path) -> None:
    graphs = load("ESOL", data_dir)
    assert (len(graphs), graphs.target_names, len(graphs.table.unreadable)) == (1128, ("logSolubility",), 0)


# ---------------------------------------------------------------------------------------------------------------------
# Scaffolds
# ---------------------------------------------------------------------------------------------------------------------

RINGS = ["c1ccccc1", "C1CCCCC1", "c1ccncc1", "C1CCNC1", "c1ccsc1", "C1CC1", "c1ccc2ccccc2c1", "C1CCOC1", "c1cc[nH]c1"]
CHAINS = ["C", "CC", "CCO", "CCN", "CCC", "OCC", "NCCC", "CCCCC"]


def molecules_of(groups: list[int]) -> list[str]:
    """So many molecules with each of the rings, which differ in their chains."""
    return [CHAINS[i] + ring if i else ring for ring, size in zip(RINGS, groups, strict=False) for i in range(size)]


@given(st.lists(st.integers(1, 8), min_size=5, max_size=9), st.integers(2, 5), st.integers(0, 3))
def test_folds_share_no_scaffold(groups: list[int], folds: int, seed: int) -> None:
    smiles = molecules_of(groups)
    kinds = np.array(scaffolds(smiles))
    tests = scaffold_folds(smiles, folds, seed)
    assert sorted(np.concatenate(tests).tolist()) == list(range(len(smiles)))
    assert len(np.unique(kinds)) == sum(len(np.unique(kinds[test])) for test in tests)
    sizes = [len(test) for test in tests]
    assert max(sizes) - min(sizes) <= max(groups)  # of any assignment of large ones first to the smallest
    assert all(np.array_equal(a, b) for a, b in zip(tests, scaffold_folds(smiles, folds, seed), strict=True))


@pytest.mark.parametrize("seed", range(3))
def test_a_balanced_split(seed: int) -> None:
    smiles = molecules_of([8, 1, 2, 3, 1, 1, 2, 1, 1])
    kinds = np.array(scaffolds(smiles))
    parts = scaffold_split(smiles, (0.6, 0.2, 0.2), seed)
    assert sorted(np.concatenate(parts).tolist()) == list(range(20))
    assert (kinds[parts[0]] == "c1ccccc1").sum() == 8  # larger than half of a test set: for training
    assert len(np.unique(kinds)) == sum(len(np.unique(kinds[part])) for part in parts)
    other = scaffold_split(smiles, (0.6, 0.2, 0.2), seed + 1)
    assert not all(np.array_equal(a, b) for a, b in zip(parts, other, strict=True))


@pytest.mark.parametrize(
    ("smiles", "arguments", "message"),
    [
        (["CC", "CCC"], {"folds": 2, "seed": 0}, "1 different scaffolds, too few for 2 folds"),
        (["CC", "C1CC"], {"folds": 2, "seed": 0}, r"molecule 1 \('C1CC'\) cannot be read"),
    ],
)
def test_bad_input_of_folds(smiles: list[str], arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scaffold_folds(smiles, **arguments)


def test_bad_input_of_splits() -> None:
    with pytest.raises(ValueError, match="three positive numbers with the sum 1"):
        scaffold_split(["CC"], (0.5, 0.5))
    with pytest.raises(ValueError, match="1 different scaffolds are too few"):
        scaffold_split(["CC"] * 10)
