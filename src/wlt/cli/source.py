"""DATA of the commands: what it is, by what is there and what is in it, and its graphs."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wlt.cli.console import say
from wlt.extras import missing
from wlt.table import Table
from wlt.wording import count, shortened

if TYPE_CHECKING:
    from wlt.data.table import Target
    from wlt.graphs import Graphs
    from wlt.io.molecules import Atoms

KINDS = (
    "a TU dataset (name, zip file or folder), ZINC, BBBP, ESOL, FreeSolv, Tox21 or HIV by name, a folder of graph "
    "files with a CSV of labels, a CSV or .smi file with SMILES, a file of graphs such as .g6, a SMILES, graph6 text, "
    "or - for what is piped in"
)

TargetOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with the labels; a TU dataset has its own.")
]
SmilesOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with the SMILES, if it has another name.")
]
NodeLabelsOption = Annotated[
    str, typer.Option(metavar="ATTR", help="Node attribute of .graphml, .gml and such files, or 'degrees'.")
]
EdgeLabelsOption = Annotated[
    str,
    typer.Option(
        metavar="ATTR",
        help="Edge attribute of .graphml and .gml files; 'auto': edge labels of a dataset, bonds; 'none': no labels; "
        "of a TU dataset also 'labels' or 'features'.",
    ),
]
AtomsOption = Annotated[
    Literal["all", "element"],
    typer.Option(
        help="What atoms of molecules carry: element, charge, hydrogens, aromaticity, ring and chirality, and bonds "
        "likewise; or the element and the type of the bond alone."
    ),
]
RootOption = Annotated[
    str | None,
    typer.Option("--data", metavar="DIR", help="Folder that holds tu/NAME.zip; else WLT_DATA, else the user's cache."),
]

WRITTEN_LIKE_SMILES = re.compile(r"(?=.*[()\[\]=#@])[A-Za-z0-9()\[\]=#@+\-/\\%.:*$~]+")
"""Letters, digits and what joins atoms; at least one sign that is rare in the names of files."""
A_NAME = "the name of a TU dataset, because there is no such file or folder"
"""That is not at hand: all that is known of it is that it could be one."""
Kind = Literal[
    "TU dataset",
    "set of molecules",
    "folder of graph files",
    "table of molecules",
    "SMILES",
    "graph6 text",
    "file of graphs",
]


@dataclass(frozen=True)
class Source:
    """What a DATA argument is."""

    kind: Kind
    data: str
    """The path, the name of a dataset, or the text that describes a graph."""
    why: str
    """What it was taken for, and by what, as a part of a sentence."""
    suffix: str = ""
    """The format of a file of graphs, or .smi for a list of SMILES whose name does not say so."""


def recognize(data: str, root: str | None = None, smiles: str | None = None, unlabelled: bool = False) -> Source:
    """What DATA is; ValueError, with near misses, if it is nothing that wlt reads.

    root: where datasets are looked for by name. smiles: the column that the user says has the SMILES, if any.
    unlabelled: the nodes of the graphs carry nothing, so that text which could be both, such as CC, is graph6 and no
    molecule."""
    try:
        return _recognized(data, root, smiles, unlabelled)
    except OSError as error:  # such as a name that is too long to be one
        raise ValueError(f"{shortened(data, 100)}: {error.strerror}") from None


def _recognized(data: str, root: str | None, smiles: str | None, unlabelled: bool) -> Source:
    from wlt.data.cache import data_root
    from wlt.data.load import molecule_set
    from wlt.data.tu import is_name, locate

    if not data.strip():
        raise ValueError(f"an empty path: DATA is {KINDS}")
    if data == "-":
        data = "/dev/stdin"
    path = Path(data)
    if is_name(data) and locate(data, data_root(root) / "tu"):
        return Source("TU dataset", data, "a TU dataset by its name")
    if path.is_dir():
        if any(path.glob("*_A.txt")) or any(path.glob("raw/*_A.txt")):
            return Source("TU dataset", data, "a TU dataset, for its file NAME_A.txt")
        return Source("folder of graph files", data, "a folder of graph files")
    if path.exists():
        return _recognized_file(data, smiles)
    if known := molecule_set(data, root):
        return Source("set of molecules", known, "a set of molecules by its name")
    described = _described(data, unlabelled)
    if described is not None:
        return described
    if is_name(data) and "." not in data:
        return Source("TU dataset", data, A_NAME)
    raise ValueError(f"there is no file or folder {shortened(data)}{near_miss(path) or _no_smiles(data)}")


def _described(text: str, unlabelled: bool) -> Source | None:
    """The one graph that this text describes, if it does."""
    molecule = Source("SMILES", text, "a SMILES") if is_smiles(text) else None
    graph6 = Source("graph6 text", text, "graph6 text") if is_graph6(text) else None
    return graph6 or molecule if unlabelled else molecule or graph6


def is_graph6(text: str) -> bool:
    """No name of a well-known dataset is: their lengths are not those that graph6 has."""
    from wlt.io.graph6 import from_graph6

    try:
        from_graph6(text)
    except ValueError:
        return False
    return True


def _no_smiles(text: str) -> str:
    """Why it is no molecule, if it is written like one, as the end of a message."""
    if not WRITTEN_LIKE_SMILES.fullmatch(text):
        return ""
    if not find_spec("rdkit"):
        return f"; if it is a SMILES: {missing('rdkit', 'reading it')}"
    from wlt.data.smiles import parsed

    return f"; as SMILES: {parsed([text])[1][0]}"


def _recognized_file(data: str, smiles: str | None) -> Source:
    from wlt.data.table import SMILES_LISTS
    from wlt.io.content import first_bytes, sniffed, suffix_of
    from wlt.io.files import READERS

    suffix, by = suffix_of(data), "its name"
    if suffix == ".zip":
        return Source("TU dataset", data, "the zip file of a TU dataset")
    if suffix in SMILES_LISTS:
        return Source("table of molecules", data, "a list of SMILES, by its name")
    if suffix in (".csv", ".tsv") and (smiles is not None or not _joins_nodes(data)):
        return Source("table of molecules", data, "a table of molecules, by its name")
    if suffix not in READERS:
        begins = first_bytes(data)
        if not begins.strip():
            raise ValueError("nothing came through the pipe" if data == "/dev/stdin" else f"{data}: the file is empty")
        suffix, by = sniffed(begins) or "", "its content"
        if suffix == ".zip":
            return Source("TU dataset", data, "the zip file of a TU dataset, by its content")
        if suffix == ".csv" and (smiles is not None or not _joins_nodes(data)):
            return Source("table of molecules", data, "a table of molecules, by its content")
        if suffix in ("", ".edges") and _is_list_of_smiles(data, named=suffix == ".edges"):
            return Source("table of molecules", data, "a list of SMILES, by its content", ".smi")
    if suffix not in READERS:
        raise ValueError(f"{data} is none of what this command reads: {KINDS}")
    return Source("file of graphs", data, f"a file of graphs ({suffix}), by {by}", suffix)


def is_smiles(text: str) -> bool:
    """Does rdkit, where it is, take this for a molecule? No name of a well-known dataset or file is one."""
    from importlib.util import find_spec

    if not find_spec("rdkit") or not text.isascii() or len(text.split()) != 1:
        return False
    from wlt.data.smiles import parsed

    return parsed([text])[0] is not None


def _is_list_of_smiles(data: str, named: bool = False) -> bool:
    """Do the first lines begin with molecules? named: and go on with words that are none, as those of an edge list,
    whose columns hold the same names, would be."""
    from wlt.io.content import first_bytes
    from wlt.io.text import decoded

    try:
        lines = [line.split() for line in decoded(first_bytes(data)).split("\n") if line.strip()][:10]
    except ValueError:
        return False
    if named:
        return all(is_smiles(cells[0]) for cells in lines) and not any(map(is_smiles, (cells[-1] for cells in lines)))
    return bool(lines) and any(is_smiles(cells[0]) for cells in lines)


def _joins_nodes(data: str) -> bool:
    """Is the table an edge list? Its first line says so, or has numbers only."""
    from wlt.io.content import first_bytes
    from wlt.io.edgelist import TITLES
    from wlt.io.text import decoded

    try:
        first = decoded(first_bytes(data).split(b"\n")[0])
    except ValueError:  # the reader will say what is wrong with it
        return False
    cells = [cell.strip().strip('"').lower() for cell in first.replace(";", ",").replace("\t", ",").split(",")]
    return any(source in cells and target in cells for source, target in TITLES) or (
        len(cells) >= 2 and all(cell.isdigit() for cell in cells[:2])
    )


def near_miss(path: Path) -> str:
    """Files beside it whose names are like this one, as the end of a message."""
    from difflib import get_close_matches

    try:
        beside = [entry.name for entry in os.scandir(path.parent)]
    except OSError:
        return ""
    near = get_close_matches(path.name, beside, n=3, cutoff=0.7)
    return f"; do you mean {' or '.join(str(path.with_name(name)) for name in near)}?" if near else ""


def read(
    data: str,
    target: Target | None,
    smiles: str | None,
    node_labels: str,
    root: str | None,
    labelled: bool = False,
    edge_labels: Hashable = "auto",
    atoms: Atoms = "all",
    unlabelled: bool = False,
) -> Graphs:
    """DATA of any kind; what cannot be used of it is said on stderr. root: where datasets are looked for by name.

    edge_labels: as everywhere; None leaves them out, and this is said. unlabelled: as in `recognize`."""
    source = recognize(data, root, smiles, unlabelled)
    check_options(source, target, smiles, node_labels, edge_labels, labelled)
    if "content" in source.why:
        say(f"{source.data} is taken for {source.why}")
    try:
        return _graphs(source, target, smiles, node_labels, root, labelled, edge_labels, atoms)
    except ValueError as error:
        if "taken for" in str(error):
            raise
        # what it was taken for is half of the diagnosis
        perhaps = near_miss(Path(source.data)) + _or_smiles() if source.why == A_NAME else ""
        raise ValueError(f"{error} ({source.data} was taken for {source.why}{perhaps})") from None


def _or_smiles() -> str:
    """Without rdkit a short SMILES such as CCO looks like the name of a dataset."""
    return "" if find_spec("rdkit") else f"; if it is a SMILES: {missing('rdkit', 'reading it')}"


def edge_labels_of(option: str) -> str | None:
    """What --edge-labels means."""
    return None if option == "none" else option


def check_options(
    source: Source,
    target: Target | None,
    smiles: str | None,
    node_labels: str,
    edge_labels: Hashable,
    labelled: bool,
) -> None:
    """Options that do not go with this kind of source."""
    from wlt.io.files import GRAPH6

    molecules = source.kind in ("table of molecules", "set of molecules", "SMILES")
    tu, own = source.kind == "TU dataset", source.kind in ("TU dataset", "set of molecules")
    if smiles is not None and source.kind != "table of molecules":
        raise ValueError(f"--smiles is for CSV files, and {source.data} is none: it was taken for {source.why}")
    if tu and target is not None and source.why == A_NAME:
        raise ValueError(
            f"there is no file or folder {shortened(source.data)}"
        )  # and a dataset by this name would need no target
    if tu and target is not None:
        raise ValueError(f"--target is for CSV files; the TU dataset {source.data} has its own labels")
    if molecules and node_labels not in ("auto", "degrees"):
        raise ValueError(f"--node-labels {node_labels}: molecules have no such attribute, their atoms are labelled")
    if molecules and edge_labels not in ("auto", None):
        raise ValueError(f"--edge-labels {edge_labels}: molecules have no such attribute, their bonds are labelled")
    if tu and edge_labels not in ("auto", "labels", "features", None):
        kinds = "use 'auto', 'labels', 'features' or 'none'"
        raise ValueError(f"--edge-labels {edge_labels}: a TU dataset has no such attribute; {kinds}")
    plain = source.kind == "graph6 text" or source.suffix in GRAPH6
    what = "a TU dataset" if tu else "graph6"
    if (tu or plain) and node_labels not in ("auto", "degrees"):
        raise ValueError(f"--node-labels {node_labels}: {what} has no such attribute; use 'auto' or 'degrees'")
    if plain and edge_labels not in ("auto", None):
        raise ValueError(f"--edge-labels {edge_labels}: {what} has no such attribute; use 'auto' or 'none'")
    if source.kind == "set of molecules" and target is not None:
        raise ValueError(f"--target is for CSV files; {source.data} has its own targets")
    if source.kind in ("file of graphs", "SMILES", "graph6 text") and (labelled or target is not None):
        needed = "a folder of graph files with a CSV of labels, or a TU dataset"
        raise ValueError(f"{source.data} was taken for {source.why}, which has no labels; use {needed}")
    if labelled and target is None and not own:
        there = _columns(source)
        listed = f"; there are: {', '.join(map(repr, there))}" if there else ""
        raise ValueError(f"--target is needed: the column with the labels{listed}")


def _columns(source: Source) -> list[str]:
    """Of the table, where it can be read twice."""
    from wlt.data.folder import table_of_folder
    from wlt.data.table import read_table

    if source.kind == "folder of graph files":
        table = table_of_folder(source.data)
        return [] if table is None else table.columns
    return read_table(source.data).columns if Path(source.data).is_file() else []


def _graphs(
    source: Source,
    target: Target | None,
    smiles: str | None,
    node_labels: str,
    root: str | None,
    labelled: bool,
    edge_labels: Hashable,
    atoms: Atoms,
) -> Graphs:
    from wlt.io import as_graphs

    if source.kind == "TU dataset":
        from wlt.data import load

        kind: Any = "auto" if edge_labels is None else edge_labels
        graphs = load(source.data, root, edge_labels=kind)
        for what in graphs.union.ignored:
            say(f"{graphs.name}: {what} are not used; isomorphic copies may differ in them")
        return as_graphs(_wanted(graphs, edge_labels, labelled), node_labels=node_labels)
    if source.kind == "set of molecules":
        from wlt.data import load

        graphs = load(source.data, root, atoms=atoms)
        _tell_problems(graphs)
        _tell_oddities(graphs)
        return as_graphs(_wanted(graphs, edge_labels, labelled), node_labels=node_labels)
    if source.kind == "file of graphs":
        return _of_file(source, node_labels, edge_labels)
    if source.kind == "graph6 text":
        return replace(as_graphs([source.data]), name="graph6 text", names=(source.data,))
    if source.kind == "folder of graph files":
        from wlt.data import read_folder

        graphs = read_folder(source.data, target, node_labels=node_labels, edge_labels=edge_labels)
        _tell_problems(graphs)
        return graphs
    from wlt.data.smiles import molecules_of
    from wlt.data.table import read_table

    if source.kind == "SMILES":
        graphs = molecules_of(Table(Path("SMILES"), ["smiles"], [[source.data]], [1]), atoms=atoms)
        graphs = replace(graphs, names=(source.data,))
    else:
        graphs = molecules_of(read_table(source.data, source.suffix), target, smiles, atoms=atoms)
    _tell_problems(graphs)
    _tell_oddities(graphs)
    # degrees instead of the atoms, or bonds without a type, if these are wanted
    return as_graphs(_wanted(graphs, edge_labels, labelled), node_labels=node_labels)


def _wanted(graphs: Graphs, edge_labels: Hashable, labelled: bool) -> Graphs:
    """The graphs without what their edges carry, if that is wanted; where a model is made, it is said."""
    if edge_labels is not None or not len(graphs.union.arcs):
        return graphs
    if labelled:
        say(f"{graphs.name}: what its edges carry is not used; isomorphic copies may differ in it")
    return graphs.without_edge_labels()


def _of_file(source: Source, node_labels: str, edge_labels: Hashable) -> Graphs:
    """All graphs of one file."""
    from wlt.io import as_graphs
    from wlt.io.files import read_sources

    name = Path(source.data).name
    sources = read_sources(source.data, source.suffix)
    graphs = as_graphs(sources, node_labels=node_labels, edge_labels=edge_labels, empty=False)
    for what in graphs.union.ignored:
        say(f"{name}: {what} not used; isomorphic copies may differ in it")
    return replace(graphs, name=name)


def _tell_problems(graphs: Graphs) -> None:
    """One line on stderr for every row and file that is not used."""
    table = graphs.table
    assert table is not None
    files = table.path.is_dir()  # without a table that lists them
    for unreadable in table.unreadable:
        say(unreadable.reason if files else f"{table.path.name}, {unreadable}")
    if table.unreadable:
        say(f"{len(table.unreadable)} of {count(len(table.rows), 'file' if files else 'row')} cannot be used")
    if table.unlisted:
        shown = ", ".join(table.unlisted[:5]) + (", ..." if len(table.unlisted) > 5 else "")
        are = "graph file is" if len(table.unlisted) == 1 else "graph files are"
        say(f"{len(table.unlisted)} {are} not in {table.path.name}: {shown}")


def _tell_oddities(graphs: Graphs) -> None:
    """One line each on stderr for molecules that are used, and that a user may want to know of."""
    from wlt.data.smiles import odd_molecules

    for what, which in odd_molecules(graphs).items():
        if len(which):
            places = f", the first is {graphs.place(int(which[0]))}" if graphs.names else ""
            say(f"{graphs.name}: {len(which)} of {count(len(graphs), 'molecule')} {what}{places}")
