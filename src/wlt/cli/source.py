"""DATA of `wlt train`, `predict` and `audit`: a TU dataset, a folder of graph files, or a table of molecules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wlt.cli.console import say
from wlt.wording import count

if TYPE_CHECKING:
    from wlt.graphs import Graphs

KINDS = (
    "a TU dataset (name, zip file or folder), a folder of graph files with a CSV of labels, or a CSV file with a "
    "column of SMILES"
)

TargetOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with the labels; a TU dataset has its own.")
]
SmilesOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with the SMILES, if it has another name.")
]
NodeLabelsOption = Annotated[
    str, typer.Option(metavar="ATTR", help="Node attribute of .graphml and .gml files, or 'degrees'.")
]
RootOption = Annotated[
    str | None,
    typer.Option("--data", metavar="DIR", help="Folder that holds tu/NAME.zip; else WLT_DATA, else the user's cache."),
]


def read(
    data: str,
    target: str | None,
    smiles: str | None,
    node_labels: str,
    root: str | None,
    labelled: bool = False,
    edges: bool = True,
) -> Graphs:
    """DATA of any kind; what cannot be used of it is said on stderr. root: where datasets are looked for by name.

    edges: is what edges carry, such as bonds, to be looked at?"""
    graphs = _read(data, target, smiles, node_labels, root, labelled)
    if edges or not len(graphs.union.arcs):
        return graphs
    say(f"{graphs.name}: what its edges carry is not used; isomorphic copies may differ in it")
    return graphs.without_edge_labels()


def _read(
    data: str, target: str | None, smiles: str | None, node_labels: str, root: str | None, labelled: bool
) -> Graphs:
    from wlt.io import as_graphs

    path = Path(data)
    if path.suffix.lower() in (".csv", ".tsv"):
        from wlt.data import read_molecules

        _check_target(labelled, target)
        if node_labels not in ("auto", "degrees"):
            raise ValueError(f"--node-labels {node_labels}: molecules have no such attribute, their atoms are labelled")
        graphs = read_molecules(path, target, smiles)
        _tell_problems(graphs)
        return as_graphs(graphs, node_labels=node_labels)  # degrees instead of the atoms, if these are wanted
    if smiles is not None:
        raise ValueError(f"--smiles is for CSV files, and {data} is none")
    if path.is_dir() and not _is_dataset(data, root):
        from wlt.data import read_folder

        _check_target(labelled, target)
        graphs = read_folder(path, target, node_labels=node_labels)
        _tell_problems(graphs)
        return graphs
    from wlt.data import load
    from wlt.io.files import READERS

    if target is not None:
        if not path.exists() and not _is_dataset(data, root):
            raise ValueError(f"there is no file or folder {data}")
        raise ValueError(f"--target is for CSV files; the TU dataset {data} has its own labels")
    if path.suffix.lower() in READERS or (path.is_file() and path.suffix.lower() != ".zip"):
        raise ValueError(f"{data} is none of what this command reads: {KINDS}")
    graphs = load(data, root)
    for what in graphs.union.ignored:
        say(f"{graphs.name}: {what} are not used; isomorphic copies may differ in them")
    return as_graphs(graphs, node_labels=node_labels)


def _is_dataset(data: str, root: str | None) -> bool:
    """Is this the name of a dataset that is at hand, or a folder in the TU collection's format?"""
    from wlt.data.cache import data_root
    from wlt.data.tu import is_name, locate

    if is_name(data) and locate(data, data_root(root) / "tu"):
        return True
    return any(Path(data).glob("*_A.txt")) or any(Path(data).glob("raw/*_A.txt"))


def _check_target(labelled: bool, target: str | None) -> None:
    if labelled and target is None:
        raise ValueError("--target is needed: the column with the labels")


def _tell_problems(graphs: Graphs) -> None:
    """One line on stderr for every row and file that is not used."""
    table = graphs.table
    assert table is not None
    for unreadable in table.unreadable:
        say(f"{table.path.name}, {unreadable}")
    if table.unreadable:
        say(f"{len(table.unreadable)} of {count(len(table.rows), 'row')} cannot be used")
    if table.unlisted:
        shown = ", ".join(table.unlisted[:5]) + (", ..." if len(table.unlisted) > 5 else "")
        are = "graph file is" if len(table.unlisted) == 1 else "graph files are"
        say(f"{len(table.unlisted)} {are} not in {table.path.name}: {shown}")
