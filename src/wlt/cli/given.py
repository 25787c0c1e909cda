"""DATA of `wlt train` and `wlt predict`: a TU dataset, a folder of graph files, or a table of molecules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wlt.cli.console import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wlt.data.colored import ColoredGraphs
    from wlt.data.table import Records

KINDS = (
    "a TU dataset (name, zip file or folder), a folder of graph files with a CSV of labels, or a CSV file with a "
    "column of SMILES"
)


class Given(NamedTuple):
    """Graphs to learn from or to predict, and the table that they stand in."""

    name: str
    graphs: ColoredGraphs
    labels: NDArray[Any] | None  # [graphs]
    columns: list[str]
    rows: list[list[str]]  # all of them
    used: NDArray[np.int64]  # [graphs] the row of each graph
    places: list[str]  # [rows] how messages call them


def read(data: str, target: str | None, smiles: str | None, node_colors: str, labelled: bool) -> Given:
    """DATA of any kind; what cannot be used of it is said on stderr."""
    path = Path(data)
    if path.suffix.lower() in (".csv", ".tsv"):
        from wlt.data.smiles import read_molecules

        _check_target(labelled, target)
        if node_colors not in ("auto", "degrees"):
            raise ValueError(f"colours by {node_colors!r}: molecules are coloured by their elements")
        return _of_records(read_molecules(path, target, smiles))
    if smiles is not None:
        raise ValueError(f"--smiles is for CSV files, and {data} is none")
    if path.is_dir() and not any(path.glob("*_A.txt")) and not any(path.glob("raw/*_A.txt")):
        from wlt.data.folder import read_folder

        _check_target(labelled, target)
        return _of_records(read_folder(path, target, node_colors))
    import numpy as np

    from wlt.coloring import colored
    from wlt.data import load

    if target is not None:
        raise ValueError(f"--target is for CSV files; the TU dataset {data} has its own labels")
    if path.is_file() and path.suffix.lower() != ".zip":
        raise ValueError(f"{data} is none of what this command reads: {KINDS}")
    dataset = load(data)
    names = dataset.graph_names or tuple(map(str, range(len(dataset))))
    rows, everything = [[name] for name in names], np.arange(len(dataset))
    labels = dataset.classes[dataset.labels]
    places = [f"{dataset.name}, graph {name}" for name in names]
    return Given(dataset.name, colored(dataset, node_colors), labels, ["graph"], rows, everything, places)


def _check_target(labelled: bool, target: str | None) -> None:
    if labelled and target is None:
        raise ValueError("--target is needed: the column with the labels")


def _of_records(records: Records) -> Given:
    table = records.table
    for unreadable in records.unreadable:
        say(f"{table.path.name}, {unreadable}")
    if records.unreadable:
        say(f"{len(records.unreadable)} of {len(table.rows)} rows cannot be used")
    name, rows = table.path.name, table.rows
    places = [f"{name}, line {line} ({', '.join(row)[:60]})" for line, row in zip(table.lines, rows, strict=True)]
    return Given(name, records.graphs, records.labels, table.columns, rows, records.rows, places)
