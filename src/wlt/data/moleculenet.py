"""Sets of MoleculeNet (Wu et al., arXiv:1703.00564) by name: tables of molecules from a user's copy, or downloaded."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from wlt.data.cache import data_root
from wlt.data.download import fetch
from wlt.data.smiles import read_molecules
from wlt.data.table import read_table
from wlt.graphs import DataError, Graphs
from wlt.io.atomic import replacing
from wlt.io.molecules import Atoms

COLLECTION = "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets"


class MoleculeSet(NamedTuple):
    files: tuple[str, ...]
    """What a user's copy may be called; the last is the name of the download."""
    targets: tuple[tuple[str, ...], ...]
    """Its columns: the first of these that are all in the table."""


TOX21 = (
    *("NR-AR", "NR-AR-LBD", "NR-AhR", "NR-Aromatase", "NR-ER", "NR-ER-LBD", "NR-PPAR-gamma"),
    *("SR-ARE", "SR-ATAD5", "SR-HSE", "SR-MMP", "SR-p53"),
)
SETS = {
    "BBBP": MoleculeSet(("bbbp.csv", "BBBP.csv"), (("p_np",),)),
    "ESOL": MoleculeSet(
        ("esol.csv", "delaney-processed.csv"), (("logSolubility",), ("measured log solubility in mols per litre",))
    ),
    "FreeSolv": MoleculeSet(("freesolv.csv", "SAMPL.csv"), (("freesolv",), ("expt",))),
    "Tox21": MoleculeSet(("tox21.csv", "tox21.csv.gz"), (TOX21,)),
    "HIV": MoleculeSet(("hiv.csv", "HIV.csv"), (("HIV_active",),)),
}


def set_called(name: str) -> str | None:
    """The set of this name, in capital or small letters."""
    return next((known for known in SETS if known.lower() == name.lower()), None)


def moleculenet(name: str, root: str | os.PathLike[str] | None = None, *, atoms: Atoms = "all") -> Graphs:
    """A set by its name, with what is to be predicted; Tox21 has twelve columns with gaps.

    It is looked for in the folder `molecules` under `root` (else WLT_DATA, else the user's cache folder), and
    downloaded to it where it is not there. atoms: as in `wlt.data.molecules`."""
    path = table_of(name, root)
    columns = read_table(path).columns
    known = SETS[name].targets
    targets = next((each for each in known if set(each) <= set(columns)), None)
    if targets is None:
        needed = " or ".join(", ".join(map(repr, each)) for each in known)
        raise DataError(f"{path}: this table has no column {needed}; there are: {', '.join(map(repr, columns))}")
    graphs = read_molecules(path, targets[0] if len(targets) == 1 else targets, atoms=atoms)
    return replace(graphs, name=name)


def table_of(name: str, root: str | os.PathLike[str] | None = None) -> Path:
    """The user's copy of a set; downloaded if there is none."""
    folder = data_root(root) / "molecules"
    files = SETS[name].files
    for file in files:
        if (folder / file).is_file():
            return folder / file
    target = folder / files[-1]
    advice = f"put its table, called {files[0]}, into {folder}"
    try:
        with replacing(target, listed=False) as opened:
            fetch(f"{COLLECTION}/{files[-1]}", opened, name)
    except DataError as error:
        raise DataError(f"{name} is not in {folder} and could not be downloaded ({error}); {advice}") from None
    except OSError as error:
        raise DataError(f"{name} is not in {folder} and nothing can be written there ({error}); {advice}") from None
    return target
