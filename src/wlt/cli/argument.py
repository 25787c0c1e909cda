"""A graph on the command line: a file, one of the graphs in it, or graph6 text; and what of it is looked at."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any

import typer

import wlt
from wlt.cli.console import BadInput, reading_input, say, telling_warnings
from wlt.cli.source import edge_labels_of, is_graph6, is_smiles, near_miss
from wlt.wording import count, printable

_GRAPH = (
    "A file (.g6, .graphml, .gml, .mtx, .edges, .csv, ...; FILE:2 is the third graph in it), - for what is piped in, "
    "or graph6 text."
)
FirstGraph = Annotated[str, typer.Argument(metavar="G", help=_GRAPH, show_default=False)]
SecondGraph = Annotated[str, typer.Argument(metavar="H", help="Likewise.", show_default=False)]
NodeLabelsOption = Annotated[str | None, typer.Option(metavar="ATTR", help="Node attribute that a mapping must keep.")]
EdgeLabelsOption = Annotated[
    str | None,
    typer.Option(metavar="ATTR", help="Edge attribute, or column of an edge list, that it must keep; or 'none'."),
]
SimpleOption = Annotated[
    bool,
    typer.Option("--simple", help="Only who is joined to whom: no labels, directions, parallel edges, loops."),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the random choices in Tinhofer's algorithm.")]


def read_argument(argument: str) -> Any:
    """A graph, or a networkx graph with attributes, from a file, from FILE:INDEX, or from graph6 or sparse6 text.

    Nothing is both: every suffix has a dot, a path to another folder has a slash, and graph6 has neither.
    """
    from wlt.io import read_source

    if not argument.strip():
        raise BadInput("an empty path; a graph is a file, - for what is piped in, or graph6 text")
    if argument == "-":
        argument = "/dev/stdin"
    path, index = path_and_index(argument)
    if is_molecule(path):
        raise BadInput(
            f"{shortened(argument)} is a molecule, and G and H are graphs without atoms; wlt keys gives molecules "
            "keys, which are equal for equal molecules, and wlt duplicates finds equal ones in files"
        )
    if not os.path.exists(path) and ("." in path or "/" in path):
        raise BadInput(f"there is no file {shortened(path)}{near_miss(Path(path))}")
    if os.path.exists(path):
        with reading_input(), telling_warnings():
            return read_source(path) if index is None else read_source(path, index)
    with reading_input(f"{shortened(argument)!r} is no file, and as text: "):
        return wlt.as_graph(argument)


def is_molecule(path: str) -> bool:
    """A list of SMILES by its name, or a SMILES that is no graph6 text."""
    from wlt.data.table import SMILES_LISTS
    from wlt.io.content import suffix_of

    if os.path.exists(path):
        return suffix_of(path) in SMILES_LISTS
    return not is_graph6(path) and is_smiles(path)  # in this order: rdkit takes long to import


def path_and_index(argument: str) -> tuple[str, int | None]:
    """FILE:INDEX in its two parts; all else as it is."""
    indexed = re.fullmatch(r"(.+\.\w+):([0-9]{1,18})", argument)
    if indexed is None or os.path.exists(argument):
        return argument, None
    return indexed[1], int(indexed[2])


def graph_of(argument: str, source: Any, edge_labels: str | None, simple: bool) -> wlt.Graph:
    """The graph of what was read; what had to be left out is said on stderr."""
    with reading_input(f"{shortened(argument)}: "):
        graph = wlt.as_graph(source, edge_labels=edge_labels_of(edge_labels or "auto"), simple=simple)
    if graph.removed_loops or graph.removed_repeats:
        loops, repeats = count(graph.removed_loops, "loop"), count(graph.removed_repeats, "repeated edge")
        say(f"{shortened(argument)}: {loops} and {repeats} left out")
    return graph


def counted_from(graph: wlt.Graph) -> int:
    """The number of the first node, as the source counts its nodes."""
    return int(graph.num_nodes > 0 and graph.names == tuple(range(1, graph.num_nodes + 1)))


def shortened(argument: str) -> str:
    """An argument of any length on one line. Its end is kept, because the end of a path is the name of the file."""
    return printable(argument if len(argument) <= 50 else f"{argument[:12]}...{argument[-35:]}")
