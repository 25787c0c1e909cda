"""Datasets of every format, each as `wlt.Graphs`."""

from wlt.data.csl import csl
from wlt.data.folder import read_folder
from wlt.data.fullerenes import fullerene_spirals, fullerenes
from wlt.data.ladder import Ladder, ladder
from wlt.data.pyg import from_pyg
from wlt.data.smiles import molecules, read_molecules
from wlt.data.summary import PAPER_DATASETS, PUBLISHED, Statistics, summary
from wlt.data.tu import load
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
    "read_folder",
    "read_molecules",
    "summary",
]
