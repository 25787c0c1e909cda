"""Datasets of every format, each as `wlt.Graphs`."""

from wlt.data.csl import csl
from wlt.data.folder import read_folder
from wlt.data.fullerenes import fullerene_spirals, fullerenes
from wlt.data.ladder import Ladder, ladder
from wlt.data.load import load
from wlt.data.pyg import from_pyg
from wlt.data.scaffold import scaffold_folds, scaffold_split
from wlt.data.smiles import molecules, read_molecules
from wlt.data.summary import PAPER_DATASETS, PUBLISHED, Statistics, summary
from wlt.data.zinc import official_split
from wlt.graphs import DataError

__all__ = [
    "PAPER_DATASETS",
    "PUBLISHED",
    "DataError",
    "Ladder",
    "Statistics",
    "csl",
    "from_pyg",
    "fullerene_spirals",
    "fullerenes",
    "ladder",
    "load",
    "molecules",
    "official_split",
    "read_folder",
    "read_molecules",
    "scaffold_folds",
    "scaffold_split",
    "summary",
]
