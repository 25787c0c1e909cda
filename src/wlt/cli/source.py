"""DATA of `wlt train`, `predict` and `audit`: a TU dataset, a folder of graph files, or a table of molecules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from wlt.cli.console import say
from wlt.wording import count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wlt.data.table import Records
    from wlt.io.colored import ColoredGraphs

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
NodeColorsOption = Annotated[
    str, typer.Option(metavar="ATTR", help="Node attribute of .graphml and .gml files, or 'degrees'.")
]
RootOption = Annotated[
    str | None,
    typer.Option("--data", metavar="DIR", help="Folder that holds tu/NAME.zip; else WLT_DATA, else the user's cache."),
]


class Given(NamedTuple):
    """Graphs to learn from or to predict, and the table that they stand in."""

    name: str
    graphs: ColoredGraphs
    labels: NDArray[Any] | None  # [graphs]
    columns: list[str]
    rows: list[list[str]]  # all of them
    used: NDArray[np.int64]  # [graphs] the row of each graph
    places: list[str]  # [rows] how messages call them


def read(
    data: str,
    target: str | None,
    smiles: str | None,
    node_colors: str,
    root: str | None,
    labelled: bool = False,
) -> Given:
    """DATA of any kind; what cannot be used of it is said on stderr. root: where datasets are looked for by name."""
    path = Path(data)
    if path.suffix.lower() in (".csv", ".tsv"):
        from wlt.data.smiles import read_molecules

        _check_target(labelled, target)
        if node_colors not in ("auto", "degrees"):
            raise ValueError(f"colours by {node_colors!r}: molecules are coloured by their elements")
        return _of_records(path.name, read_molecules(path, target, smiles), node_colors)
    if smiles is not None:
        raise ValueError(f"--smiles is for CSV files, and {data} is none")
    if path.is_dir() and not _is_dataset(data, root):
        from wlt.data.folder import read_folder

        _check_target(labelled, target)
        return _of_records(path.resolve().name, read_folder(path, target, node_colors), node_colors)
    import numpy as np

    from wlt.data import load
    from wlt.data.tu import unused_parts
    from wlt.io.coloring import colored
    from wlt.io.files import READERS

    if target is not None:
        if not path.exists() and not _is_dataset(data, root):
            raise ValueError(f"there is no file or folder {data}")
        raise ValueError(f"--target is for CSV files; the TU dataset {data} has its own labels")
    if path.suffix.lower() in READERS or (path.is_file() and path.suffix.lower() != ".zip"):
        raise ValueError(f"{data} is none of what this command reads: {KINDS}")
    dataset = load(data, root)
    if unused := unused_parts(data, root):
        say(f"{dataset.name}: its {' and '.join(unused)} are not used; isomorphic copies may differ in them")
    names = dataset.graph_names or tuple(map(str, range(len(dataset))))
    rows, everything = [[name] for name in names], np.arange(len(dataset))
    labels = dataset.classes[dataset.labels]
    places = [f"{dataset.name}, graph {name}" for name in names]
    return Given(dataset.name, colored(dataset, node_colors), labels, ["graph"], rows, everything, places)


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


def _of_records(name: str, records: Records, node_colors: str) -> Given:
    from wlt.io.coloring import colored

    table = records.table
    for unreadable in records.unreadable:
        say(f"{table.path.name}, {unreadable}")
    if records.unreadable:
        say(f"{len(records.unreadable)} of {count(len(table.rows), 'row')} cannot be used")
    if records.unlisted:
        shown = ", ".join(records.unlisted[:5]) + (", ..." if len(records.unlisted) > 5 else "")
        are = "graph file is" if len(records.unlisted) == 1 else "graph files are"
        say(f"{len(records.unlisted)} {are} not in {table.path.name}: {shown}")
    file, rows = table.path.name, table.rows
    places = [f"{file}, line {line} ({', '.join(row)[:60]})" for line, row in zip(table.lines, rows, strict=True)]
    graphs = colored(records.graphs, node_colors)  # degrees instead of the atoms, if these are wanted
    return Given(name, graphs, records.labels, table.columns, rows, records.rows, places)
