"""Folders of graph files with a table of labels."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from wlt.data import DataError
from wlt.data.folder import read_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four graphs in four formats, two of them with an attribute `atom`."""
    ring = nx.cycle_graph(4)
    nx.set_node_attributes(ring, dict(enumerate("CCNO")), "atom")
    chain = nx.path_graph(3)
    nx.set_node_attributes(chain, "C", "atom")
    nx.write_graphml(ring, tmp_path / "ring.graphml")
    nx.write_gml(chain, tmp_path / "chain.gml")
    (tmp_path / "triangle.g6").write_text("Bw\n")
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n1,2\n2,3\n3,4\n")
    return tmp_path


def test_rows_of_the_table_name_the_files(folder: Path) -> None:
    (folder / "labels.csv").write_text("file,y\ntriangle.g6,b\nedges.csv,a\nring,b\n")
    graphs = read_folder(folder, "y", node_labels="degrees")
    assert graphs.targets is not None
    assert (graphs.targets.tolist(), graphs.table.unreadable) == (["b", "a", "b"], ())
    assert graphs.union.graph_sizes.tolist() == [3, 5, 4]
    assert graphs.kind == "degrees"


def test_a_table_by_another_name_is_found_by_its_column(folder: Path) -> None:
    (folder / "classes.tsv").write_text("Name\tkind\nring.graphml\t1\nchain\t0\n")
    graphs = read_folder(folder, "kind", node_labels="atom")
    assert graphs.targets is not None
    assert graphs.targets.tolist() == [1, 0]
    values = [graphs.values[code] for code in graphs.codes]
    assert (graphs.kind, values) == ("labels", list("CCNOCCC"))


def test_files_in_folders_within_are_named_by_their_path(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "ring.g6").write_text("Bw\n")
    (folder / "labels.csv").write_text("file,y\nmore/ring.g6,0\n./ring,1\nmore\\ring,0\n")
    graphs = read_folder(folder, "y", node_labels="degrees")
    assert graphs.union.graph_sizes.tolist() == [3, 4, 3]


def test_what_cannot_be_used_is_listed_with_the_reason(folder: Path) -> None:
    (folder / "bad.g6").write_text("B\n")
    (folder / "empty.g6").write_text("?\n")
    (folder / "two.g6").write_text("Bw\nBw\n")
    (folder / "ring.g6").write_text("Bw\n")
    (folder / "plan.png").write_bytes(b"\x89PNG")
    nx.write_graphml(nx.DiGraph([(0, 1)]), folder / "arrow.graphml")
    names = ["triangle", "gone", "bad", "empty", "two", "ring", "../triangle", "plan.png", "arrow", "ring.graphml"]
    (folder / "labels.csv").write_text("file,y\n" + "".join(f"{name},1\n" for name in names))
    graphs = read_folder(folder, "y", node_labels="degrees")
    assert graphs.table.used == (0, 8, 9)
    reasons = {each.text: each.reason for each in graphs.table.unreadable}
    expected = {
        "gone": "no such file in the folder",
        "bad": "truncated graph6 text",
        "empty": "the graph has no nodes",
        "two": "2 graphs in this file",
        "ring": "several files have this name: ring.g6, ring.graphml",
        "../triangle": "no such file in the folder",
        "plan.png": "unknown suffix '.png'",
    }
    assert reasons.keys() == expected.keys()
    for name, reason in expected.items():
        assert reason in reasons[name]


def test_a_file_without_the_attribute_is_listed(folder: Path) -> None:
    (folder / "labels.csv").write_text("file,y\ntriangle,1\nring,0\n")
    graphs = read_folder(folder, "y", node_labels="atom")
    assert len(graphs) == 1
    assert "has no named node attributes" in graphs.table.unreadable[0].reason


def test_without_a_table_all_files_are_read_in_the_order_of_their_names(folder: Path) -> None:
    (folder / ".hidden").write_text("x")
    graphs = read_folder(folder, node_labels="degrees")
    assert [row[0] for row in graphs.table.rows] == ["chain.gml", "edges.csv", "ring.graphml", "triangle.g6"]
    assert graphs.union.graph_sizes.tolist() == [3, 5, 4, 3]


@pytest.mark.parametrize(
    ("files", "target", "message"),
    [
        pytest.param({}, "y", "no CSV file of labels with a column that names the files in edges.csv", id="no table"),
        pytest.param({"labels.csv": "graph,y\nring,0\n"}, "x", "no column 'x'; there are: 'graph', 'y'", id="column"),
        pytest.param({"labels.csv": "graph,y\n"}, "y", "no rows below the names of the columns", id="empty table"),
        pytest.param({"labels.csv": "graph,y\nx,1\n"}, "y", "no row can be used: line 2: 'x': no such file", id="none"),
        pytest.param(
            {"a.csv": "file,y\nring,0\n", "b.csv": "file,y\nring,0\n"}, "y", "several tables, a.csv, b.csv", id="two"
        ),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused(
    folder: Path, files: dict[str, str], target: str, message: str
) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)
    with pytest.raises(DataError, match=message):
        read_folder(folder, target)


def test_graph_files_that_the_table_does_not_name_are_listed(folder: Path) -> None:
    (folder / "labels.csv").write_text("file,y\nring,a\ngone,b\nchain,\nsomething/else.g6\n")
    (folder / "notes.md").write_text("no graph")
    graphs = read_folder(folder, "y", node_labels="degrees")
    assert graphs.table.unlisted == ("edges.csv", "triangle.g6")  # chain has a row, though it cannot be used
    (folder / "labels.csv").unlink()
    assert read_folder(folder, node_labels="degrees").table.unlisted == ()


def test_no_folder_and_an_empty_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no folder"):
        read_folder(tmp_path / "nothing")
    with pytest.raises(DataError, match="no files in this folder"):
        read_folder(tmp_path)
