"""Opening a TU dataset: wlt beside PyG's TUDataset, the same text files, one process, one after the other.

    python benchmarks/load.py COLLAB [--data FOLDER]

PyG works on unpacked files and wlt also on the archive itself, so unpacking is timed for itself as well.
Each figure is one run with nothing cached before it; numba's machine code is compiled beforehand.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    parser.add_argument("name", help="a dataset of the TU collection whose zip file is at hand")
    parser.add_argument("--data", help="the folder that contains tu/NAME.zip; else WLT_DATA")
    arguments = parser.parse_args()
    name: str = arguments.name
    archive = data_root(arguments.data) / "tu" / f"{name}.zip"
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


if __name__ == "__main__":
    main()
