"""Where data lives on disk, and parsed datasets kept as arrays.

A cached dataset is one uncompressed .npz file: zip's own checksums tell a damaged file, and nothing in it is pickled.
A key inside names the format and the size and time of the source; a file with another key is no cache. Kernels trust
arrays, so those of a cache are checked as strictly as those of a user: what cannot be a dataset is parsed again.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt import kernels
from wlt.arcs import seen_from_the_other_end
from wlt.graph import Graph
from wlt.graphs import DataError, Graphs, rank_rows
from wlt.io.atomic import replacing
from wlt.io.values import frozen

FORMAT = 4
"""Raise it when the parser or the arrays change."""


def cache_folder() -> Path:
    """The user's cache folder for wlt: $XDG_CACHE_HOME/wlt or ~/.cache/wlt."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base and os.path.isabs(base) else expanded("~/.cache")) / "wlt"


def data_root(root: str | os.PathLike[str] | None = None) -> Path:
    """The folder that holds data sets: `root`, else the environment variable WLT_DATA, else the user's cache folder."""
    if root is not None:
        return expanded(root)
    named = os.environ.get("WLT_DATA")
    return expanded(named) if named else cache_folder()


def expanded(path: str | os.PathLike[str]) -> Path:
    """The path with ~ and ~user written out."""
    try:
        return Path(path).expanduser()
    except RuntimeError:  # a user that does not exist, or one without a home, as in some containers
        raise DataError(f"{os.fspath(path)}: there is no such home folder; set WLT_DATA and XDG_CACHE_HOME") from None


def _is_sound(union: Graph) -> bool:
    """Can these arrays be a union of graphs?"""
    offsets, neighbors, starts, arcs = union.offsets, union.neighbors, union.starts, union.arcs
    types: list[tuple[NDArray[Any], Any]] = [
        (offsets, np.int64),
        (neighbors, np.int32),
        (starts, np.int64),
        (arcs, np.int32),
    ]
    if any(array.ndim != 1 or array.dtype != dtype for array, dtype in types):
        return False
    for bounds, end in ((offsets, len(neighbors)), (starts, len(offsets) - 1)):
        if len(bounds) < 2 or bounds[0] != 0 or bounds[-1] != end or (np.diff(bounds) < 0).any():
            return False
    if (np.diff(starts) == 0).any():  # no TU dataset has an empty graph
        return False
    if not kernels.is_adjacency(offsets, neighbors, starts):
        return False
    if not len(arcs):
        return not union.arc_labels
    if len(arcs) != len(neighbors) or arcs.min() < 0 or arcs.max() >= len(union.arc_labels):
        return False
    number = {label: i for i, label in enumerate(union.arc_labels)}
    turned = [number.get(seen_from_the_other_end(label), -1) for label in union.arc_labels]
    return len(number) == len(union.arc_labels) and np.array_equal(
        np.array(turned, np.int64)[arcs], arcs[union.reverse_entries]
    )


class ArrayCache:
    """The place in the cache folder for one source file, or the text files of one folder, read in one way."""

    def __init__(
        self, source: Path, files: Iterable[Path], node_labels: str, edge_labels: str | None, wanted: str | None
    ):
        """wanted: the dataset's name where it must be this one, None for whichever is in the source."""
        read_as = [node_labels] if edge_labels is None else [node_labels, edge_labels]
        where = " ".join([str(source.resolve()), *read_as])
        name = f"{source.stem}-{hashlib.sha256(where.encode()).hexdigest()[:16]}.npz"
        self.path = cache_folder() / "arrays" / name
        states = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in sorted(files)]
        self.key = json.dumps([FORMAT, *read_as, states])
        self.wanted = wanted

    def read(self) -> Graphs | None:
        """The dataset, or None where it is not there, is damaged or was made from something else."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                if any(member.compress_size != member.file_size for member in archive.infolist()):
                    return None  # wlt writes none that unpacks
            with np.load(self.path, allow_pickle=False) as arrays:
                if str(arrays["key"]) != self.key or self.wanted not in (None, str(arrays["name"])):
                    return None
                if sorted(arrays.files) != str(arrays["members"]).split():
                    return None  # checksums cover contents, not names: one that is damaged would pass for an absence
                loops, repeats = arrays["removed"].tolist()
                labels, ignored = json.loads(str(arrays["edges"]))
                edges = arrays["offsets"], arrays["neighbors"]
                carried = {"arcs": arrays["arcs"], "arc_labels": frozen(labels), "ignored": tuple(ignored)}
                union = Graph(*edges, arrays["starts"], loops, repeats, **carried)
                if not _is_sound(union):
                    return None
                kind, codes, values, targets = str(arrays["kind"]), arrays["codes"], arrays["values"], arrays["targets"]
                if kind not in ("labels", "degrees", "features") or codes.dtype != np.int32:
                    return None
                if len(rank_rows(values)[0]) != len(values) or targets.dtype != np.int64 or targets.ndim != 1:
                    return None
                if kind == "degrees" and not np.array_equal(values[codes], union.degrees):
                    return None
                return Graphs(union, codes, values, kind, targets, name=str(arrays["name"]))  # type: ignore[arg-type]
        except Exception:  # whatever is wrong with a cache, parsing again is right
            return None

    def write(self, graphs: Graphs) -> None:
        union = graphs.union
        arrays: dict[str, Any] = {
            "key": np.array(self.key),
            "name": np.array(graphs.name),
            "removed": np.array([union.removed_loops, union.removed_repeats]),
            "offsets": union.offsets,
            "neighbors": union.neighbors,
            "starts": union.starts,
            "arcs": union.arcs,
            "edges": np.array(json.dumps([union.arc_labels, union.ignored])),
            "codes": graphs.codes,
            "values": np.asarray(graphs.values),
            "kind": np.array(graphs.kind),
            "targets": np.asarray(graphs.targets),
        }
        arrays["members"] = np.array(" ".join(sorted([*arrays, "members"])))
        try:
            with replacing(self.path, listed=False) as file:
                np.savez(file, **arrays)
        except OSError as error:
            warnings.warn(f"{graphs.name} was not cached and will be parsed again next time: {error}", stacklevel=4)
