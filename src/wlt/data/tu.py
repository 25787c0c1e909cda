"""The TU collection's format (Morris et al., TUDataset, arXiv:2007.08663): found, downloaded, read and checked.

    NAME_A.txt                one directed edge a line, "12, 7"; nodes of all graphs are counted together, from 1
    NAME_graph_indicator.txt  for every node the number of its graph, from 1, ascending
    NAME_graph_labels.txt     for every graph its class
    NAME_node_labels.txt      for every node its label or labels (not in every set)
    NAME_node_attributes.txt  for every node real numbers (not in every set)
    NAME_edge_labels.txt      for every line of NAME_A.txt the label or labels of that edge (not in every set)
    NAME_edge_attributes.txt  for every line of NAME_A.txt real numbers (not in every set)

As in PyG's TUDataset, loops and repeated edges are left out; `Graph.ignored` counts the loops. Two differences: an edge
listed in one direction only counts in both, and a file that breaks a rule above is refused, with its line, instead of
giving a wrong graph. The label of an edge is that of its first line; where (u, v) and (v, u) have different labels,
edges are directed.
"""

from __future__ import annotations

import lzma
import os
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wlt.arcs import both_ways, labelled_adjacency
from wlt.data import kernels
from wlt.data.cache import ArrayCache, data_root, expanded
from wlt.data.download import fetch
from wlt.graph import LABELS, MAX_NODES, Graph, left_out
from wlt.graphs import DataError, Graphs, rank_rows
from wlt.io.atomic import replacing
from wlt.kernels import csr_from_edges
from wlt.wording import shortened

NodeLabels = Literal["auto", "labels", "degrees", "features"]
EdgeLabels = Literal["auto", "labels", "features"] | None

COLLECTION = "https://www.chrsmrrs.com/graphkerneldatasets"
"""Where PyG's TUDataset, too, gets its archives."""

MAX_UNPACKED = 2 << 30
"""Bytes that the members of an archive may unpack to together; COLLAB, the largest of the paper's, has 0.34 GiB."""
MAX_COLUMNS = 10_000
"""Numbers on a line; FRANKENSTEIN, which has most, has 780."""
MAX_LINE = 1 << 20
"""Bytes of a line, or of nothing but blanks."""

WELL_KNOWN = (
    *("AIDS", "BZR", "COLLAB", "COX2", "DD", "DHFR", "ENZYMES", "FRANKENSTEIN", "IMDB-BINARY", "IMDB-MULTI", "MUTAG"),
    *("Mutagenicity", "NCI1", "NCI109", "PROTEINS", "PROTEINS_full", "PTC_FM", "PTC_FR", "PTC_MM", "PTC_MR"),
    *("REDDIT-BINARY", "REDDIT-MULTI-5K", "REDDIT-MULTI-12K", "SYNTHETIC", "Synthie"),
)
"""Names that a user may have misspelled."""

CHUNK = 1 << 16
"""Bytes read at a time: an LZMA member can unpack to 7000 times its size, so this bounds what one step allocates."""


def load(
    name: str | os.PathLike[str],
    root: str | os.PathLike[str] | None = None,
    *,
    node_labels: NodeLabels = "auto",
    edge_labels: EdgeLabels = "auto",
) -> Graphs:
    """A TU dataset by name, or from a user's own zip file or folder in that format.

    A name is looked for under `root` (else the environment variable WLT_DATA, else the user's cache folder), as
    tu/NAME.zip or, in PyG's layout, tu/NAME/raw/NAME_A.txt; what is not there is downloaded to tu/NAME.zip, unless a
    file or folder of this name exists where the user is.
    Parsed sets are cached as arrays in the user's cache folder.

    node_labels: what nodes carry. "auto": node labels where the set has them, else degrees; or "labels", "degrees", or
    "features": a node's attributes together with its labels, if there are any.
    edge_labels: what edges carry. "auto": edge labels where the set has them, else edge attributes, if there are any;
    or "labels", "features" (attributes together with labels), or None: nothing, as in the paper.
    """
    if node_labels not in ("auto", "labels", "degrees", "features"):
        raise ValueError(f"node_labels={node_labels!r}: use 'auto', 'labels', 'degrees' or 'features'")
    if edge_labels not in ("auto", "labels", "features", None):
        raise ValueError(f"edge_labels={edge_labels!r}: use 'auto', 'labels', 'features' or None")
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(f"a dataset's name or path is needed, not {type(name).__name__}; for PyG datasets use from_pyg")
    return _read_cached(*_source(name, root), node_labels, edge_labels)


def _source(name: str | os.PathLike[str], root: str | os.PathLike[str] | None) -> tuple[Path, str | None]:
    """The zip file or folder of a dataset, downloaded if need be, and its name if it was asked for by name."""
    if isinstance(name, str) and is_name(name):
        folder = data_root(root) / "tu"
        present = locate(name, folder)
        if present is not None or not Path(name).exists():
            near = similar_names(name, folder)
            if present is None and near and near[0] != name and _spelled(near[0]) == _spelled(name):
                raise DataError(f"no dataset is called {name!r}; do you mean {near[0]}?")
            return present or download(name, folder), name
    path = expanded(name)
    if not path.exists():
        raise DataError(f"{os.fspath(name)!r} is neither an existing file or folder nor the name of a dataset")
    source = path if path.is_file() else _text_folder(path)
    if source is None:
        raise DataError(f"{path}: no file named NAME_A.txt in this folder or in its folder raw")
    return source, None


def is_name(text: str) -> bool:
    """Could this be the name of a dataset? Names never lead out of a folder; one that ends in .zip is a path."""
    return re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", text) is not None and not text.endswith(".zip")


def similar_names(name: str, folder: Path) -> list[str]:
    """Datasets at hand, and well-known ones, whose names are like this one; those that only spell it differently first.

    >>> similar_names("imdb_binary", Path("nowhere"))[0]
    'IMDB-BINARY'
    """
    known = {_spelled(each): each for each in (*WELL_KNOWN, *at_hand(folder))}
    return [known[each] for each in get_close_matches(_spelled(name), known, n=3, cutoff=0.75)]


def _spelled(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def locate(name: str, folder: Path) -> Path | None:
    """The zip file, or the folder of text files, of this dataset in a folder of datasets."""
    archive, raw = folder / f"{name}.zip", folder / name / "raw"
    return archive if archive.is_file() else raw if raw.is_dir() else None


def at_hand(folder: Path) -> list[str]:
    """The names of all datasets in a folder of datasets."""
    if not folder.is_dir():
        return []
    names = {path.stem if path.suffix == ".zip" else path.name for path in folder.iterdir()}
    return sorted(name for name in names if is_name(name) and locate(name, folder))


def download(name: str, folder: Path, collection: str = COLLECTION) -> Path:
    """Fetch NAME.zip from the collection into the folder; it appears there only when all of it is sound."""
    target = folder / f"{name}.zip"
    url = f"{collection}/{name}.zip"
    advice = f"put {name}.zip into {folder}, or its text files into {folder / name / 'raw'}"
    try:
        with replacing(target, listed=False) as file:
            fetch(url, file, name)
            file.flush()
            read(Path(file.name), name=name, shown=target)
    except DataError as error:
        near = similar_names(name, folder)
        advice += f"; or do you mean {' or '.join(near)}?" if near and name not in near else ""
        raise DataError(f"{name} is not in {folder} and could not be downloaded ({error}); {advice}") from None
    except OSError as error:
        raise DataError(f"{name} is not in {folder} and nothing can be written there ({error}); {advice}") from None
    return target


def read(
    path: Path,
    node_labels: NodeLabels = "auto",
    edge_labels: EdgeLabels = "auto",
    *,
    name: str | None = None,
    shown: Path | None = None,
) -> Graphs:
    """Parse and check a zip file or a folder of text files. Messages call it `shown` where it is only passing by."""
    parts = (_zip_parts if path.is_file() else _folder_parts)(path, name, shown or path)
    starts, graph_of = _graphs_of_nodes(parts)
    union = _union(parts, starts, graph_of, edge_labels)
    labels = _numbers(parts, "graph_labels", 1, lines=len(starts) - 1)[0]
    if len(labels) != len(starts) - 1:
        raise DataError(
            f"{parts.where('graph_labels')}: {len(labels)} labels, but {parts.file('graph_indicator')} has "
            f"{len(starts) - 1} graphs"
        )
    if node_labels == "auto":
        node_labels = "labels" if "node_labels" in parts.readers else "degrees"
    rows = (
        union.degrees
        if node_labels == "degrees"
        else _rows(parts, "node", node_labels, "graph_indicator", union.num_nodes)
    )
    return Graphs.by_rows(union, rows, node_labels, targets=labels, name=parts.name)


def _read_cached(path: Path, name: str | None, node_labels: NodeLabels, edge_labels: EdgeLabels) -> Graphs:
    try:
        files = [path] if path.is_file() else list(path.glob("*.txt"))
        cache = ArrayCache(path, files, node_labels, edge_labels, name)
        graphs = cache.read()
        if graphs is None:
            graphs = read(path, node_labels, edge_labels, name=name)
            cache.write(graphs)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    return graphs


def _text_folder(path: Path) -> Path | None:
    """The folder itself or its folder raw, whichever has a file NAME_A.txt."""
    return next((folder for folder in (path, path / "raw") if any(folder.glob("[!.]*_A.txt"))), None)


# Files


@dataclass(frozen=True)
class _Parts:
    """The text files of one dataset, by what stands in them ("A", "graph_labels" and so on), wherever they are."""

    name: str
    container: Path
    readers: dict[str, Callable[[], Iterator[bytes]]]
    """Each reads one file, some bytes at a time."""

    def file(self, part: str) -> str:
        return f"{self.name}_{part}.txt"

    def where(self, part: str, row: int | None = None) -> str:
        line = "" if row is None else f", line {row + 1}"
        return f"{self.container}: {self.file(part)}{line}"

    def read(self, part: str, lines: int | None = None) -> NDArray[np.uint8]:
        """The bytes of a file; the last line ends in one newline. Empty if nothing but blanks stands in it.

        lines: how many there should be. A file that has far more, or an endless line, is not read to its end: a few
        bytes of a zip file can unpack to gigabytes."""
        if part not in self.readers:
            raise DataError(f"{self.where(part)} is missing")
        chunks: list[bytes] = []
        size, number, line, solid = 0, 0, 0, 0  # bytes and lines so far; where the last line begins, the last word ends
        for chunk in self.readers[part]():
            chunks.append(chunk)
            line = size + chunk.rfind(b"\n") + 1 if b"\n" in chunk else line
            words = len(chunk.rstrip())
            solid = size + words if words else solid
            size += len(chunk)
            if size - min(solid, line) > MAX_LINE + len(chunk):
                row = sum(each.count(b"\n") for each in chunks)
                raise DataError(f"{self.where(part, row)}: more than {MAX_LINE >> 20} MiB without a number on it")
            if lines is not None:
                number += int(np.count_nonzero(np.frombuffer(chunk, np.uint8) == ord("\n")))  # bytes.count is slow
                if number > 2 * lines + CHUNK:
                    raise DataError(f"{self.where(part)}: more than {number - 1} lines, and {lines} are expected")
        text = np.frombuffer(bytearray().join([*chunks, b"\n"]), np.uint8)  # at once: bytes that grow are copied often
        end = int(kernels.end_of_text(text[:-1]))
        text[end] = ord("\n")
        return text[: end + 1] if end else text[:0]


PARTS = (
    "A",
    "graph_indicator",
    "graph_labels",
    "node_labels",
    "node_attributes",
    "edge_labels",
    "edge_attributes",
)


def _dataset_name(files: list[str], name: str | None, shown: Path) -> str:
    """The NAME of the one file NAME_A.txt."""
    names = sorted(file.removesuffix("_A.txt") for file in files if file.endswith("_A.txt"))
    if name is not None and name not in names:
        raise DataError(f"{shown}: {name}_A.txt is missing")
    if name is None and len(names) != 1:
        raise DataError(f"{shown}: one file NAME_A.txt is needed, found {', '.join(names) or 'none'}")
    return name or names[0]


def _folder_parts(path: Path, name: str | None, shown: Path) -> _Parts:
    name = _dataset_name([file.name for file in path.glob("[!.]*.txt")], name, shown)
    files = {part: path / f"{name}_{part}.txt" for part in PARTS}
    readers = {part: _file_reader(file) for part, file in files.items() if file.is_file()}
    return _Parts(name, shown, readers)


def _file_reader(path: Path) -> Callable[[], Iterator[bytes]]:
    def read_bytes() -> Iterator[bytes]:
        with path.open("rb", buffering=0) as file:
            while chunk := file.read(CHUNK):
                yield chunk

    return read_bytes


UNSOUND = (zipfile.BadZipFile, ValueError, IndexError, EOFError, NotImplementedError, struct.error)
"""What zipfile raises where an archive is damaged; names that are no text are a ValueError."""


def _zip_parts(path: Path, name: str | None, shown: Path) -> _Parts:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
    except UNSOUND as error:
        raise DataError(f"{shown} is not a sound zip file: {error}") from None
    by_file: dict[str, zipfile.ZipInfo] = {}
    for member in members:
        inside = PurePosixPath(member.filename.replace("\\", "/"))
        if inside.is_absolute() or ".." in inside.parts or ":" in "".join(inside.parts[:1]):
            named = shortened(repr(member.filename))
            raise DataError(f"{shown}: member {named} points out of the archive; this file is not trusted")
        if by_file.setdefault(inside.name, member) is not member and inside.name.endswith(".txt"):
            raise DataError(f"{shown}: two members are named {inside.name}")
    name = _dataset_name([file for file in by_file if not file.startswith(".")], name, shown)
    wanted = {part: by_file[f"{name}_{part}.txt"] for part in PARTS if f"{name}_{part}.txt" in by_file}
    unpacked = sum(member.file_size for member in wanted.values())
    if unpacked > MAX_UNPACKED:
        raise DataError(
            f"{shown} unpacks to {unpacked / 2**30:.1f} GiB, more than the {MAX_UNPACKED >> 30} GiB that are accepted; "
            f"if you trust it, unpack it yourself and load the folder"
        )
    return _Parts(name, shown, {part: _member_reader(path, member, shown) for part, member in wanted.items()})


def _member_reader(path: Path, member: zipfile.ZipInfo, shown: Path) -> Callable[[], Iterator[bytes]]:
    def read_bytes() -> Iterator[bytes]:
        stated = member.file_size
        size = 0
        try:
            with zipfile.ZipFile(path) as archive:
                info = archive.getinfo(member.filename)
                info.file_size = sys.maxsize  # else zipfile cuts off what is too much and blames the checksum
                with archive.open(info) as stream:
                    while chunk := stream.read(CHUNK):
                        size += len(chunk)
                        if size > stated:
                            raise DataError(
                                f"{shown}: member {shortened(member.filename)} unpacks to more than it states"
                            )
                        yield chunk
        except DataError:
            raise
        except (*UNSOUND, zlib.error, lzma.LZMAError, OSError, RuntimeError, KeyError) as error:
            raise DataError(
                f"{shown}: member {shortened(member.filename)} cannot be unpacked: {shortened(str(error), 200)}"
            ) from None

    return read_bytes


# Contents


def _numbers(
    parts: _Parts, part: str, columns: int | None, dtype: DTypeLike = np.int64, lines: int | None = None
) -> NDArray[Any]:
    """A file of whole numbers as [columns, lines]; None: as many columns as its first line has."""
    text = parts.read(part, lines)
    rows = int(kernels.count_newlines(text))
    if columns is None:
        columns = 1 + text[:MAX_LINE].tobytes().split(b"\n")[0].count(b",")
        if columns > MAX_COLUMNS:
            raise DataError(f"{parts.where(part, 0)}: {columns} numbers; at most {MAX_COLUMNS} are accepted")
    # a number takes two bytes: so many lines of so many numbers do not fit in, and one of these is shorter
    out = np.empty((columns, min(rows, len(text) // (2 * columns) + 1)), dtype)
    limit = min(int(np.iinfo(out.dtype).max), 10**18 - 1)
    row, begin = kernels.parse_integers(text, out, limit)
    if row >= 0:
        line = text[begin : begin + 60].tobytes().split(b"\n")[0].decode("ascii", "backslashreplace").strip()
        wanted = "a whole number" if columns == 1 else f"{columns} whole numbers with commas between them"
        long = re.search(r"\d{10}", line) is not None
        too_large = " (numbers here end at 2147483647)" if out.dtype == np.int32 and long else ""
        raise DataError(f"{parts.where(part, row)}: {wanted} expected, found {line!r}{too_large}")
    return out


def _graphs_of_nodes(parts: _Parts) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The first node of each graph (and the number of nodes), and for every node its graph, counted from 1."""
    graph_of: NDArray[np.int32] = _numbers(parts, "graph_indicator", 1, np.int32)[0]
    if len(graph_of) == 0:
        raise DataError(f"{parts.where('graph_indicator')} is empty")
    step = np.diff(graph_of, prepend=np.int32(0))
    wrong = (step != 0) & (step != 1)
    wrong[0] = step[0] != 1
    if wrong.any():
        row = int(np.argmax(wrong))
        here, before = int(graph_of[row]), int(graph_of[row - 1]) if row else 0
        if here < 1:
            problem = f"graph {here}, but graphs are counted from 1"
        elif here > before:
            problem = f"graph {here} stands where graph {before + 1} should begin, so that graph is empty"
        else:
            problem = f"graph {here} after graph {before}; the nodes of a graph must stand together, graphs in order"
        raise DataError(f"{parts.where('graph_indicator', row)}: {problem}")
    starts = np.append(np.flatnonzero(step), len(graph_of))
    return starts, graph_of


def _union(parts: _Parts, starts: NDArray[np.int64], graph_of: NDArray[np.int32], edge_labels: EdgeLabels) -> Graph:
    n = len(graph_of)
    if n > MAX_NODES:
        raise DataError(f"{parts.where('graph_indicator')}: {n} nodes; at most {MAX_NODES} are possible")
    source, target = _numbers(parts, "A", 2, np.int32)
    row = kernels.edges_from_one(source, target, graph_of)
    if row >= 0:
        u, v = int(source[row]), int(target[row])
        outside = [node for node in (u, v) if not 1 <= node <= n]
        if outside:
            problem = f"node {outside[0]} is not among the nodes 1 .. {n} of {parts.file('graph_indicator')}"
        else:
            problem = f"nodes {u} and {v} are in two graphs, {graph_of[u - 1]} and {graph_of[v - 1]}"
        raise DataError(f"{parts.where('A', row)}: {problem}")
    offsets, neighbors, loops, repeats = csr_from_edges(n, source, target)
    carried = {"labels": LABELS, "features": "the edge attributes"}
    known = [
        kind for kind, part in (("labels", "labels"), ("features", "attributes")) if f"edge_{part}" in parts.readers
    ]
    wanted = next(iter(known), None) if edge_labels == "auto" else edge_labels
    unused = [carried[kind] for kind in known if wanted is None or (kind, wanted) == ("features", "labels")]
    told = (*unused, *left_out(loops, 0))  # that every line stands there twice is usual, and means nothing
    union = Graph(offsets, neighbors, starts, int(loops), int(repeats), ignored=told)
    if wanted is None:
        return union
    rows = _rows(parts, "edge", wanted, "A", len(source))
    return _labelled(union, np.stack([source, target], axis=1).astype(np.int64), rows)


def _labelled(union: Graph, lines: NDArray[np.int64], rows: NDArray[Any]) -> Graph:
    """The union with what each of these lines says about its edge; loops and repeated lines do not count."""
    distinct, codes = rank_rows(rows)
    values = [tuple(value) if isinstance(value, list) else value for value in distinct.tolist()]
    keys = lines[:, 0] << 32 | lines[:, 1]
    first = np.sort(np.unique(keys, return_index=True)[1])
    first = first[lines[first, 0] != lines[first, 1]]
    pairs, codes = lines[first], codes[first].astype(np.int64)
    again, one_way = both_ways(pairs, codes)
    mirrored = np.isin(pairs[:, 1] << 32 | pairs[:, 0], keys)
    kept = ~again
    carried = labelled_adjacency(union.num_nodes, pairs[kept], codes[kept], values, (one_way & mirrored)[kept], True)
    return replace(union, arcs=carried.arcs, arc_labels=carried.labels)


def _rows(parts: _Parts, whose: str, kind: str, counted: str, number: int) -> NDArray[Any]:
    """What nodes or edges carry, one number or one row of numbers each; as many lines as the file `counted` has."""

    def labels_of_each() -> NDArray[np.int64]:
        labels = _numbers(parts, f"{whose}_labels", None, lines=number)
        check(f"{whose}_labels", labels.shape[1])
        return labels

    def check(part: str, lines: int) -> None:
        if lines != number:
            things = "nodes" if whose == "node" else "edges"
            raise DataError(f"{parts.where(part)}: {lines} lines, but {parts.file(counted)} has {number} {things}")

    if kind == "labels":
        labels = labels_of_each()
        return labels[0] if len(labels) == 1 else labels.T
    attributes = _real_numbers(parts, f"{whose}_attributes", number)
    check(f"{whose}_attributes", len(attributes))
    if f"{whose}_labels" not in parts.readers:
        return attributes
    return np.concatenate([attributes, labels_of_each().T], axis=1)


def _real_numbers(parts: _Parts, part: str, expected: int) -> NDArray[np.float64]:
    """A file of real numbers as [lines, columns]; so many lines are expected."""
    lines = parts.read(part, expected).tobytes().decode("ascii", "backslashreplace").split("\n")[:-1]
    if not lines:
        return np.empty((0, 1))
    if lines[0].count(",") >= MAX_COLUMNS:
        columns = lines[0].count(",") + 1
        raise DataError(f"{parts.where(part, 0)}: {columns} numbers; at most {MAX_COLUMNS} are accepted")
    try:
        rows = np.loadtxt(lines, np.float64, comments=None, delimiter=",", ndmin=2)
        if len(rows) == len(lines) and np.isfinite(rows).all():
            return rows
    except ValueError:
        pass
    columns = len(lines[0].split(","))
    for row, line in enumerate(lines):  # numpy refused the file: find out where
        try:
            values = [float(word) for word in line.split(",")]
        except ValueError:
            values = [np.nan]
        if len(values) != columns or not np.isfinite(values).all():
            raise DataError(f"{parts.where(part, row)}: {columns} finite numbers expected, found {line[:60].strip()!r}")
    raise DataError(f"{parts.where(part)}: not a table of numbers")
