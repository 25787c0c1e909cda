"""Datasets: graphs as one disjoint union, initial node colours, and a class for every graph."""

from wlt.data.csl import csl
from wlt.data.fullerenes import fullerene_spirals, fullerenes
from wlt.data.pyg import from_pyg
from wlt.data.summary import PAPER_DATASETS, PUBLISHED, Statistics, summary
from wlt.data.tu import load
from wlt.graphs import DataError, Dataset

__all__ = [
    "PAPER_DATASETS",
    "PUBLISHED",
    "DataError",
    "Dataset",
    "Statistics",
    "csl",
    "from_pyg",
    "fullerene_spirals",
    "fullerenes",
    "load",
    "summary",
]
