"""Opening a TU dataset: wlt beside PyG's TUDataset, the same text files, one process, one after the other.

    python benchmarks/load.py COLLAB [--data FOLDER]
    python benchmarks/load.py --lines 3000000

PyG works on unpacked files and wlt also on the archive itself, so unpacking is timed for itself as well.
Each figure is one run with nothing cached before it; numba's machine code is compiled beforehand.

With --lines: one random graph of so many edges, six for each node, as an edge list, a CSV file, a MatrixMarket file and
with names and labels; wlt.read_graph beside the reader of igraph and the parser of numpy or scipy, which makes none.
The best of three runs, the readers in turn.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import zipfile
from collections.abc import Callable
from functools import partial, reduce
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io

import wlt
from wlt import Graphs
from wlt.data import load
from wlt.data.cache import data_root


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = action()
    return time.perf_counter() - begin, result


def compile_kernels(folder: Path) -> None:
    """A set of one graph, through every kernel that loading uses."""
    folder.mkdir()
    for part, text in {"A": "1, 2\n", "graph_indicator": "1\n1\n", "graph_labels": "0\n"}.items():
        (folder / f"TINY_{part}.txt").write_text(text)
    load(folder, edge_labels=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", help="a dataset of the TU collection whose zip file is at hand")
    parser.add_argument("--lines", type=int, help="files of so many edges instead of a dataset")
    parser.add_argument("--data", help="the folder that contains tu/NAME.zip; else WLT_DATA")
    arguments = parser.parse_args()
    if (arguments.name is None) == (arguments.lines is None):
        parser.error("either the name of a dataset or --lines")
    if arguments.lines:
        read_files_of_edges(arguments.lines)
    else:
        load_dataset(arguments.name, arguments.data)


def load_dataset(name: str, data: str | None) -> None:
    archive = data_root(data) / "tu" / f"{name}.zip"
    if not archive.is_file():
        raise SystemExit(f"{archive} is not there")

    from torch_geometric.datasets import TUDataset

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["XDG_CACHE_HOME"] = temporary  # nothing is cached at the start, nothing stays behind
        compile_kernels(folder / "TINY")
        raw = folder / name / "raw"
        raw.mkdir(parents=True)

        def unpack() -> None:
            with zipfile.ZipFile(archive) as file:
                for member in file.infolist():
                    (raw / Path(member.filename).name).write_bytes(file.read(member))

        unpacking, _ = timed(unpack)
        ours_text, dataset = timed(lambda: load(raw, edge_labels=None))
        ours_zip, _ = timed(lambda: load(archive, edge_labels=None))
        ours_again, again = timed(lambda: load(archive, edge_labels=None))
        pyg_text, reference = timed(lambda: TUDataset(temporary, name))
        pyg_again, _ = timed(lambda: TUDataset(temporary, name))

        check(dataset, reference)
        assert again.union.same_edges(dataset.union)
        entries = len(dataset.union.neighbors)
        print(f"{name}: {len(dataset)} graphs, {dataset.union.num_nodes} nodes, {entries} directed edges; seconds")
        print(f"{'':38}{'PyG':>9}{'wlt':>9}{'ratio':>8}")
        for row, pyg, ours in (
            ("first time, from unpacked text files", pyg_text, ours_text),
            ("first time, from the zip file", unpacking + pyg_text, ours_zip),
            ("second time", pyg_again, ours_again),
        ):
            print(f"{row:38}{pyg:9.3f}{ours:9.3f}{pyg / ours:8.1f}")
        print(f"unpacking the zip file alone takes {unpacking:.3f} seconds; it is part of both figures of its row")


def check(dataset: Graphs, reference: Any) -> None:
    """Both must have read the same graphs."""
    assert len(dataset) == len(reference)
    assert dataset.class_numbers.tolist() == reference._data.y.tolist()
    assert len(dataset.union.neighbors) == reference._data.edge_index.shape[1]


def read_files_of_edges(lines: int) -> None:
    import igraph

    random = np.random.default_rng(0)
    nodes = lines // 6 + 2
    pairs = np.unique(np.sort(random.integers(0, nodes, (lines, 2)), axis=1), axis=0)
    pairs = random.permutation(pairs[pairs[:, 0] < pairs[:, 1]])
    names = np.array([f"node_{i:07d}" for i in random.permutation(nodes)], dtype=object)
    labels = pairs.sum(axis=1) % 7
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(folder / "numbers.edges", "", pairs[:, 0], " ", pairs[:, 1])
        write(folder / "numbers.csv", "source,target\n", pairs[:, 0], ",", pairs[:, 1])
        write(folder / "names.edges", "", names[pairs[:, 0]], " ", names[pairs[:, 1]])
        write(folder / "labels.edges", "", pairs[:, 0], " ", pairs[:, 1], " ", labels)
        head = f"%%MatrixMarket matrix coordinate pattern symmetric\n{nodes} {nodes} {len(pairs)}\n"
        write(folder / "matrix.mtx", head, pairs[:, 1] + 1, " ", pairs[:, 0] + 1)
        write(folder / "tiny.edges", "", np.array([0]), " ", np.array([1]))
        wlt.read_graph(folder / "tiny.edges", edge_labels=None)
        rows: list[tuple[str, str, Callable[[str], Any], str, Callable[[str], Any] | None, dict[str, Any]]] = [
            ("edge list", "numbers.edges", numpy_numbers(" "), "Read_Edgelist", igraph.Graph.Read_Edgelist, {}),
            ("CSV with titles", "numbers.csv", numpy_numbers(",", 1), "", None, {}),
            ("MatrixMarket", "matrix.mtx", scipy.io.mmread, "", None, {}),
            ("names", "names.edges", numpy_names, "Read_Ncol", igraph.Graph.Read_Ncol, {}),
            ("labels, used", "labels.edges", numpy_numbers(" "), "Read_Ncol", igraph.Graph.Read_Ncol, LABELLED),
        ]
        print(f"{len(pairs)} edges, {nodes} nodes; seconds")
        print(f"{'':18}{'parser':>9}{'igraph':>9}{'wlt':>9}{'igraph / wlt':>14}   igraph's reader")
        for title, file, parse, reader, igraph_read, options in rows:
            path = str(folder / file)
            readers: list[Callable[[], Any]] = [
                partial(parse, path),
                partial(igraph_read or parse, path),
                partial(wlt.read_graph, path, **options),
            ]
            runs = [[timed(read)[0] for read in readers] for _ in range(3)]
            parser, peer, ours = np.min(runs, axis=0)
            assert wlt.read_graph(path, **options).num_edges == len(pairs)
            shown = f"{peer:9.2f}{ours:9.2f}{peer / ours:14.1f}   {reader}" if reader else f"{'':9}{ours:9.2f}"
            print(f"{title:18}{parser:9.2f}{shown}")


LABELLED = {"edge_labels": "3"}


def numpy_numbers(delimiter: str, titles: int = 0) -> Callable[[str], Any]:
    return partial(np.loadtxt, dtype=np.int64, delimiter=delimiter, skiprows=titles)


def numpy_names(path: str) -> Any:
    return np.loadtxt(path, dtype=object)


def write(path: Path, head: str, *columns: Any) -> None:
    """Columns of values, with what stands between them."""
    cells = [column.astype(str) if isinstance(column, np.ndarray) else column for column in columns]
    text = reduce(np.char.add, cells)
    path.write_text(head + "\n".join(text.tolist()) + "\n")


if __name__ == "__main__":
    main()
