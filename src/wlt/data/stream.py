"""Graphs from files of any size, in chunks: what stands where, and the graphs of a chunk.

A chunk is text that is not parsed yet, so that whoever reads a file has little to do, and its graphs can be made
elsewhere. Chunks of the same files are always the same. Memory holds a chunk, not a file: `CHUNK_GRAPHS` graphs or
`CHUNK_BYTES` of text, or one graph where that is larger. A TU dataset is the exception: its edges may stand in any
order, so it is loaded whole, about 30 bytes for every edge.
"""

from __future__ import annotations

import codecs
import csv
import warnings
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from wlt.data.folder import names_files
from wlt.data.load import load
from wlt.data.smiles import parsed, smiles_column
from wlt.data.table import MISSING, SMILES_LISTS, column
from wlt.graph import Graph
from wlt.graphs import DataError, Graphs
from wlt.io.content import suffix_of
from wlt.io.files import GRAPH6, READERS
from wlt.io.graph6 import HEADERS
from wlt.io.graphs import as_graphs
from wlt.io.lines import lines_of, opened
from wlt.io.molecules import Atoms
from wlt.io.objects import as_graph

CHUNK_GRAPHS = 4096
CHUNK_BYTES = 1 << 20

NOT_IN_MOLECULES: dict[Atoms, str] = {
    "all": "molecules are compared without isotopes, and without stereochemistry beyond R, S, E and Z",
    "element": "molecules are compared by elements and bonds, without charges, hydrogens and stereochemistry",
}

StreamKind = Literal["graph6 lines", "SMILES", "graph file", "folder", "TU dataset"]


@dataclass(frozen=True)
class Reading:
    """How graphs are read: the arguments of `wlt.as_graphs` and the column with the SMILES."""

    node_labels: str = "auto"
    edge_labels: Hashable = "auto"
    smiles: str | None = None
    root: str | None = None
    atoms: Atoms = "all"
    """What atoms of molecules carry, as in `wlt.data.molecules`."""
    target: str | None = None
    """The column with the labels; a TU dataset has its own."""


class Problem(NamedTuple):
    """A graph that there is no graph of, or no key."""

    place: str
    reason: str


@dataclass(frozen=True)
class Chunk:
    """Text of some graphs."""

    kind: StreamKind
    places: list[str]
    """Where each stands: its line, its number in a TU dataset (from 0), or its file in a folder."""
    content: Any
    """A list of texts; of a TU dataset, the graphs."""
    problems: list[Problem] = field(default_factory=list)
    """What showed before anything was parsed."""
    size: int = 0
    """Bytes of text."""
    labels: list[str] = field(default_factory=list)
    """As they are written, one for each place, if a target was asked for."""


@dataclass(frozen=True)
class Stream:
    """A file, folder or dataset, of any size."""

    kind: StreamKind
    data: str
    """Its path, or its name where it is a dataset that is known by it."""
    reading: Reading = Reading()
    suffix: str = ""
    """The format of a graph file, where its name does not tell."""

    def files(self) -> list[Path]:
        """What it is read from."""
        path = Path(self.data)
        if self.kind == "folder":
            return graph_files(path)
        return [path] if path.is_file() else []

    def chunks(self) -> Iterator[Chunk]:
        """All of it, in chunks."""
        if self.kind == "TU dataset":
            graphs = load(self.data, self.reading.root, atoms=self.reading.atoms)
            for low in range(0, len(graphs), CHUNK_GRAPHS):
                part = graphs[low : low + CHUNK_GRAPHS]
                yield Chunk(self.kind, [str(low + i) for i in range(len(part))], part)
            return
        texts = {
            "graph6 lines": _graph6_lines,
            "SMILES": _smiles,
            "folder": _folder,
            "graph file": _graph_file,
        }[self.kind](self)
        yield from _grouped(self.kind, texts)


class Text(NamedTuple):
    """One graph, unread."""

    place: str
    content: Any  # or a Problem
    size: int
    label: str | None = None


def _grouped(kind: StreamKind, texts: Iterable[Text]) -> Iterator[Chunk]:
    places: list[str] = []
    content: list[Any] = []
    problems: list[Problem] = []
    labels: list[str] = []
    size = 0
    for text in texts:
        if isinstance(text.content, Problem):
            problems.append(text.content)
        else:
            places.append(text.place)
            content.append(text.content)
            labels += [] if text.label is None else [text.label]
        size += text.size
        if len(places) + len(problems) == CHUNK_GRAPHS or size >= CHUNK_BYTES:
            yield Chunk(kind, places, content, problems, size, labels)
            places, content, problems, labels, size = [], [], [], [], 0
    if places or problems:
        yield Chunk(kind, places, content, problems, size, labels)


def _graph6_lines(stream: Stream) -> Iterator[Text]:
    for number, line in lines_of(stream.data):
        if number > 1 or line.strip().decode("latin-1") not in HEADERS:
            yield Text(str(number), line, len(line) + 1)


def _smiles(stream: Stream) -> Iterator[Text]:
    """Rows of a CSV file, or lines of a .smi file, in which the SMILES comes first."""
    path = Path(stream.data)
    target = stream.reading.target
    if suffix_of(path) in SMILES_LISTS:
        for number, line in lines_of(path):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").split(None, 1)[0]
            except UnicodeDecodeError:
                yield Text(str(number), Problem(str(number), "no UTF-8 text"), len(line))
                continue
            if number > 1 or text.lower() != "smiles":
                yield Text(str(number), text, len(line) + 1)
        return
    with opened(path) as raw:
        first = raw.readline(1 << 20).decode("latin-1")
    delimiter = max(",;\t", key=first.count)
    with opened(path) as raw:
        lines = codecs.getreader("utf-8-sig")(raw)
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        before = 0
        at, label_at, width = -1, -1, 0
        try:
            for row in reader:
                begins, before = before + 1, reader.line_num
                size = sum(map(len, row)) + len(row)
                if not any(cell.strip() for cell in row):
                    continue
                place = str(begins)
                if at < 0:
                    names = [cell.strip() for cell in row]
                    at, width = smiles_column(names, stream.reading.smiles, str(path)), len(row)
                    label_at = -1 if target is None else column(names, target, str(path))
                elif len(row) != width:
                    yield Text(place, Problem(place, f"{len(row)} cells, but there are {width} columns"), size)
                elif not row[at].strip():
                    yield Text(place, Problem(place, f"nothing in column {names[at]!r}"), size)
                elif target is not None and row[label_at].strip().lower() in MISSING:
                    yield Text(place, Problem(place, f"no label in column {target!r}"), size)
                else:
                    yield Text(place, row[at].strip(), size, row[label_at].strip() if target is not None else None)
        except csv.Error as error:
            raise DataError(f"{path}, line {reader.line_num}: not readable as CSV: {error}") from None
        except UnicodeDecodeError as error:
            raise DataError(f"{path}, behind line {reader.line_num}: no UTF-8 text ({error.reason})") from None
    if at < 0:
        raise DataError(f"{path}: the file is empty")


def _graph_file(stream: Stream) -> Iterator[Text]:
    """One file of another format: as a rule one graph."""
    with opened(stream.data) as raw:
        data = raw.read()
    yield Text("", (stream.suffix or suffix_of(stream.data), data), len(data))


def graph_files(folder: Path) -> list[Path]:
    """The files of a folder, and of the folders in it, that are of a format of graphs; a table of labels is none."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    known = [file for file in files if suffix_of(file) in READERS]
    return [file for file in known if suffix_of(file) not in (".csv", ".tsv") or not names_files(file)]


def _folder(stream: Stream) -> Iterator[Text]:
    """Every file of a folder; of graph6 files every line."""
    folder = Path(stream.data)
    files = graph_files(folder)
    if not files:
        raise DataError(f"{folder}: no files of graphs in this folder; known are {', '.join(READERS)}")
    for file in files:
        name = file.relative_to(folder).as_posix()
        if suffix_of(file) in GRAPH6:
            for line in _graph6_lines(Stream("graph6 lines", str(file))):
                yield Text(f"{name}:{line.place}", (".g6", line.content), line.size)
        else:
            try:
                with opened(file) as raw:
                    data = raw.read()
            except ValueError as error:
                yield Text(name, Problem(name, str(error).removeprefix(f"{file}: ")), 0)
                continue
            yield Text(name, (suffix_of(file), data), len(data))


class Read(NamedTuple):
    """The graphs of a chunk, where they stand, what cannot be read, and what was read and is not looked at."""

    graphs: list[Graphs]  # together as many graphs as places
    places: list[str]
    problems: list[Problem]
    remarks: list[str]
    labels: list[Any] | None = None  # of each graph, if there are any


def graphs_of(chunk: Chunk, reading: Reading) -> Read:
    """The graphs of a chunk. What cannot be read is among the problems; the others are not lost for it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read = _READ[chunk.kind](chunk, reading)
    ignored = [f"not looked at: {what}" for graphs in read.graphs for what in graphs.union.ignored]
    remarks = dict.fromkeys([*read.remarks, *ignored, *(str(warning.message) for warning in caught)])
    return read._replace(problems=[*chunk.problems, *read.problems], remarks=list(remarks))


def _of_dataset(chunk: Chunk, reading: Reading) -> Read:
    graphs = chunk.content if reading.edge_labels is not None else chunk.content.without_edge_labels()
    labels = None if graphs.targets is None else graphs.targets.tolist()
    return Read([as_graphs(graphs, node_labels=reading.node_labels)], chunk.places, [], [], labels)


def _of_smiles(chunk: Chunk, reading: Reading) -> Read:
    molecules, reasons = parsed(chunk.content, reading.atoms, None if reading.edge_labels is None else "auto")
    every = list(zip(chunk.places, chunk.content, reasons, strict=True))
    problems = [Problem(place, f"{text[:60]!r}: {reason}") for place, text, reason in every if reason]
    places = [place for place, _, reason in every if not reason]
    if molecules is not None and reading.node_labels == "degrees":
        molecules = molecules.without_labels()
    labels = [label for label, reason in zip(chunk.labels, reasons, strict=False) if not reason]
    remarks = [NOT_IN_MOLECULES[reading.atoms]]
    return Read([molecules] if molecules is not None else [], places, problems, remarks, labels or None)


def _of_lines(chunk: Chunk, reading: Reading) -> Read:
    graphs: list[Graph] = []
    places: list[str] = []
    problems: list[Problem] = []
    for place, line in zip(chunk.places, chunk.content, strict=True):
        try:
            graphs.append(as_graph(line, edge_labels=reading.edge_labels))
            places.append(place)
        except ValueError as error:
            problems.append(Problem(place, str(error)))
    return Read([Graphs.by_degree(Graph.union(graphs))] if graphs else [], places, problems, [])


def _of_files(chunk: Chunk, reading: Reading) -> Read:
    sources: list[Any] = []
    places: list[str] = []
    problems: list[Problem] = []
    options: dict[str, Any] = {"node_labels": reading.node_labels, "edge_labels": reading.edge_labels}
    for place, (suffix, data) in zip(chunk.places, chunk.content, strict=True):
        try:
            if not data.strip():
                raise ValueError("the file is empty")
            found = READERS[suffix](data)
            as_graphs(found, **options)
        except (ValueError, TypeError) as error:
            problems.append(Problem(place, str(error)))
            continue
        sources += found
        places += [place] if len(found) == 1 else [f"{place}:{i}".removeprefix(":") for i in range(len(found))]
    if not sources:
        return Read([], [], problems, [])
    try:
        graphs = [as_graphs(sources, **options)]
    except (ValueError, TypeError):  # what their nodes or edges carry is not of one kind
        graphs = [as_graphs([source], **options) for source in sources]
    return Read(graphs, places, problems, [])


_READ = {
    "TU dataset": _of_dataset,
    "SMILES": _of_smiles,
    "graph6 lines": _of_lines,
    "graph file": _of_files,
    "folder": _of_files,
}
