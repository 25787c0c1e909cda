"""The TU format: sound files, unsound files and their messages, the cache, the download, the real sets."""

from __future__ import annotations

import functools
import os
import struct
import tempfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wlt
from wlt.data import DataError, load, tu
from wlt.data import cache as cache_module
from wlt.graph import Graph
from wlt.graphs import Graphs

# Two graphs: a triangle with a tail, and an edge.
GOOD = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n3, 4\n4, 3\n5, 6\n6, 5\n",
    "graph_indicator": "1\n1\n1\n1\n2\n2\n",
    "graph_labels": "7\n-1\n",
    "node_labels": "3\n3\n3\n8\n8\n8\n",
    "node_attributes": "0.5, 1\n0.5, 1.0\n0.5,1e0\n2, 2\n2, 2\n-0.0, 2\n",
}
TRIANGLE_WITH_TAIL = [(0, 1), (1, 2), (0, 2), (2, 3)]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """No test reads or writes the user's cache or data."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("WLT_DATA", raising=False)


def write_folder(folder: Path, name: str, parts: dict[str, str | bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for part, text in parts.items():
        (folder / f"{name}_{part}.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def write_zip(path: Path, name: str, parts: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression) as archive:
        for part, text in parts.items():
            archive.writestr(f"{name}/{name}_{part}.txt", text)
    return path


def same(a: Graphs, b: Graphs) -> bool:
    arrays = ("codes", "values", "targets")
    return (
        (a.name, a.kind) == (b.name, b.kind)
        and a.union.same_edges(b.union)
        and np.array_equal(a.union.starts, b.union.starts)
        and a.union.removed_loops == b.union.removed_loops
        and a.union.removed_repeats == b.union.removed_repeats
        and all(np.array_equal(getattr(a, key), getattr(b, key)) for key in arrays)
    )


def files_under(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# Sound files


def test_what_a_set_becomes(tmp_path):
    dataset = load(write_folder(tmp_path / "T", "T", GOOD))
    assert dataset.name == "T"
    assert dataset.union[0].same_edges(Graph.from_edges(4, TRIANGLE_WITH_TAIL))
    assert dataset.union[1].same_edges(Graph.from_edges(2, [(0, 1)]))
    assert (dataset.class_numbers.tolist(), dataset.classes.tolist()) == ([1, 0], [-1, 7])
    assert (dataset.codes.tolist(), dataset.values.tolist()) == ([0, 0, 0, 1, 1, 1], [3, 8])
    assert dataset.kind == "labels"
    assert repr(dataset) == "Graphs(T: 2 graphs, 6 nodes, 5 edges; nodes: labels; 2 classes)"


@pytest.mark.parametrize(
    ("node_labels", "names", "expected"),
    [
        pytest.param("labels", [3, 8], [0, 0, 0, 1, 1, 1], id="labels"),
        pytest.param("degrees", [1, 2, 3], [1, 1, 2, 0, 0, 0], id="degrees"),
        pytest.param("features", [[0, 2, 8], [0.5, 1, 3], [2, 2, 8]], [1, 1, 1, 2, 2, 0], id="features"),
    ],
)
def test_initial_colors_on_request(tmp_path, node_labels, names, expected):
    folder = write_folder(tmp_path / "T", "T", GOOD)
    for _ in range(2):  # parsed, then from the cache
        dataset = load(folder, node_labels=node_labels)
        assert (dataset.kind, dataset.values.tolist(), dataset.codes.tolist()) == (node_labels, names, expected)


def test_auto_colors_are_degrees_without_node_labels(tmp_path):
    parts = {part: GOOD[part] for part in ("A", "graph_indicator", "graph_labels")}
    dataset = load(write_folder(tmp_path / "T", "T", parts))
    assert dataset.kind == "degrees"
    assert dataset.values[dataset.codes].tolist() == dataset.union.degrees.tolist()


def test_several_node_labels_make_one_color(tmp_path):
    dataset = load(write_folder(tmp_path / "T", "T", GOOD | {"node_labels": "0, 1\n0, 1\n1, 0\n0, 1\n2, 0\n0, 0\n"}))
    assert dataset.values.tolist() == [[0, 0], [0, 1], [1, 0], [2, 0]]
    assert dataset.codes.tolist() == [1, 1, 2, 1, 3, 0]


def test_features_that_are_equal_numbers_in_other_words(tmp_path):
    parts = changed("node_labels", None) | {"node_attributes": "-0.0\n0\n0e5\n10\n1e1\n.5\n"}
    assert load(write_folder(tmp_path / "T", "T", parts), node_labels="features").codes.tolist() == [0, 0, 0, 2, 2, 1]


def test_features_with_carriage_returns(tmp_path):
    parts = {part: text.replace("\n", "\r\n") for part, text in GOOD.items()}
    features = load(write_folder(tmp_path / "T", "T", GOOD), node_labels="features")
    assert same(load(write_folder(tmp_path / "U", "T", parts), node_labels="features"), features)


graph_lists = st.lists(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=12),
            st.integers(-3, 3),
        )
    ),
    min_size=1,
    max_size=6,
)
SEPARATORS = [", ", ",", " ,\t"]
ENDINGS = ["\n", "\r\n", " \n"]


@given(
    graph_lists,
    st.sampled_from(SEPARATORS),
    st.sampled_from(ENDINGS),
    st.sampled_from(["", "\n", "\n\n \n"]),
    st.sampled_from([None, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2]),
)
def test_any_graphs_in_any_spelling(graphs, separator, ending, tail, compression):
    starts = np.cumsum([0] + [n for n, _, _ in graphs])
    edges = [(u + first, v + first) for (_, pairs, _), first in zip(graphs, starts, strict=False) for u, v in pairs]
    lines = {
        "A": [f"{u + 1}{separator}{v + 1}" for u, v in edges],
        "graph_indicator": [str(i + 1) for i, (n, _, _) in enumerate(graphs) for _ in range(n)],
        "graph_labels": [str(label) for _, _, label in graphs],
    }
    parts = {part: ending.join(text) + tail for part, text in lines.items()}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if compression is None:
            path = write_folder(folder / "T", "T", parts)
        else:
            path = write_zip(folder / "T.zip", "T", parts, compression)
        dataset = tu.read(path)
    expected = Graph.from_edges(int(starts[-1]), edges, starts)
    assert dataset.union.same_edges(expected)
    assert dataset.union.starts.tolist() == starts.tolist()
    assert dataset.union.removed_loops == expected.removed_loops
    assert dataset.union.removed_repeats == expected.removed_repeats
    assert dataset.targets.tolist() == [label for _, _, label in graphs]


# Edge labels and attributes

EDGES = {
    "edge_labels": "1\n1\n0\n0\n1\n1\n2\n2\n0\n0\n",
    "edge_attributes": "0.5, 1\n0.5, 1\n0,0\n0,0\n1,1\n1,1\n2,2\n2,2\n0,0\n0,0\n",
}
ONCE = [(0, 1), (1, 2), (0, 2), (2, 3), (4, 5)]


@pytest.mark.parametrize(
    ("edge_labels", "parts", "expected", "ignored"),
    [
        pytest.param("auto", EDGES, [1, 0, 1, 2, 0], ("the edge attributes",), id="labels first"),
        pytest.param("labels", EDGES, [1, 0, 1, 2, 0], ("the edge attributes",), id="labels"),
        pytest.param(
            "features", EDGES, [(0.5, 1, 1), (0, 0, 0), (1, 1, 1), (2, 2, 2), (0, 0, 0)], (), id="attributes and labels"
        ),
        pytest.param(
            "auto",
            {"edge_attributes": EDGES["edge_attributes"]},
            [(0.5, 1), (0, 0), (1, 1), (2, 2), (0, 0)],
            (),
            id="attributes alone",
        ),
        pytest.param(None, EDGES, None, ("the labels of edges", "the edge attributes"), id="none"),
        pytest.param("auto", {"A": "3, 3\n" + GOOD["A"] + GOOD["A"]}, None, ("1 loop",), id="loops and repeats"),
        pytest.param("auto", {}, None, (), id="a set without"),
    ],
)
def test_what_edges_carry(tmp_path, edge_labels, parts, expected, ignored):
    folder = write_folder(tmp_path / "T", "T", GOOD | parts)
    for _ in range(2):  # parsed, then from the cache
        dataset = load(folder, edge_labels=edge_labels)
        assert dataset.union.same_edges(Graph.from_edges(6, ONCE, [0, 4, 6], edge_labels=expected))
        assert dataset.union.ignored == ignored
        assert dataset.edge_kind == ("none" if expected is None else "labels" if expected[0] == 1 else "features")


def test_loops_repeats_and_directions_of_labelled_edges(tmp_path):
    parts = {
        "A": "1, 2\n2, 1\n1, 1\n2, 3\n1, 2\n3, 4\n4, 3\n",
        "graph_indicator": "1\n1\n1\n1\n",
        "graph_labels": "0\n",
        "edge_labels": "5\n5\n9\n6\n8\n7\n4\n",
    }
    union = load(write_folder(tmp_path / "T", "T", parts)).union
    assert (union.removed_loops, union.removed_repeats) == (1, 1)
    directed = np.array([False, False, True, True])
    edges = [(0, 1), (1, 2), (2, 3), (3, 2)]
    assert union.same_edges(Graph.from_edges(4, edges, edge_labels=[5, 6, 7, 4], directed=directed, multigraph=True))


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        pytest.param("edge_labels", "1\n1\n", r"T_edge_labels.txt: 2 lines, but T_A.txt has 10 edges", id="too few"),
        pytest.param("edge_labels", "x\n" * 10, r"T_edge_labels.txt, line 1: a whole number expected", id="a letter"),
        pytest.param("edge_attributes", "nan\n" * 10, r"T_edge_attributes.txt, line 1: 1 finite numbers", id="nan"),
    ],
)
def test_bad_edge_labels(tmp_path, part, text, message):
    folder = write_folder(tmp_path / "T", "T", GOOD | {part: text})
    with pytest.raises(DataError, match=message):
        load(folder)
    assert load(folder, edge_labels=None).edge_kind == "none"


def test_edge_labels_that_are_not_there(tmp_path):
    folder = write_folder(tmp_path / "T", "T", GOOD)
    with pytest.raises(DataError, match=r"T_edge_labels.txt is missing"):
        load(folder, edge_labels="labels")
    with pytest.raises(ValueError, match="edge_labels='bonds': use 'auto', 'labels', 'features' or None"):
        load(folder, edge_labels="bonds")


@pytest.mark.parametrize(
    ("name", "with_labels", "without"),
    [
        ("MUTAG", (188, 100), (175, 100)),
        ("PTC_FM", (342, 99.71), (331, 98.28)),
        ("AIDS", (1933, 100), (1902, 100)),
    ],
)
def test_wl_with_edge_labels_tells_all_molecules_apart(data_dir, name, with_labels, without):
    """As many classes of WL as of isomorphism: no two molecules look alike."""
    for edge_labels, (classes, ceiling) in (("auto", with_labels), (None, without)):
        bounds = wlt.audit(load(name, data_dir, edge_labels=edge_labels)).bounds
        for bound in (bounds["wl"], bounds["isomorphism"]):
            assert (bound.distinct, round(bound.ceiling, 2)) == (classes, ceiling)


# Where a set is looked for


def test_root_argument_before_environment_before_cache_folder(tmp_path, monkeypatch):
    places = {"argument": tmp_path / "a", "environment": tmp_path / "e", "cache": tmp_path / "cache" / "wlt"}
    for label, place in enumerate(places.values()):
        write_zip(place / "tu" / "T.zip", "T", GOOD | {"graph_labels": f"{label}\n{label}\n"})
    assert load("T").classes.tolist() == [2]
    monkeypatch.setenv("WLT_DATA", str(places["environment"]))
    assert load("T").classes.tolist() == [1]
    assert load("T", places["argument"]).classes.tolist() == [0]


def test_zip_and_pyg_layout_give_the_same(tmp_path):
    write_zip(tmp_path / "zipped" / "tu" / "T.zip", "T", GOOD)
    write_folder(tmp_path / "pyg" / "tu" / "T" / "raw", "T", GOOD)
    assert same(load("T", tmp_path / "zipped"), load("T", tmp_path / "pyg"))


@pytest.mark.parametrize("kind", [str, Path], ids=["str", "Path"])
def test_a_path_of_the_user(tmp_path, kind):
    archive = write_zip(tmp_path / "renamed.zip", "T", GOOD)
    folder = write_folder(tmp_path / "own", "T", GOOD)
    write_folder(tmp_path / "pyg" / "T" / "raw", "T", GOOD)
    expected = load(archive)
    assert expected.name == "T"
    assert same(load(kind(archive)), expected)
    assert same(load(kind(folder)), expected)
    assert same(load(kind(tmp_path / "pyg" / "T")), expected)


def test_what_is_here_by_this_name_is_not_downloaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tu, "fetch", lambda *_: pytest.fail("this would be a download"))
    (tmp_path / "graphs").mkdir()
    (tmp_path / "molecules.csv").write_text("smiles\nCC\n")
    with pytest.raises(DataError, match="graphs: no file named NAME_A"):
        load("graphs", tmp_path / "root")
    with pytest.raises(DataError, match=r"molecules\.csv is not a sound zip file"):
        load("molecules.csv", tmp_path / "root")
    assert not (tmp_path / "root").exists()


def test_a_folder_here_by_its_bare_name(tmp_path, monkeypatch):
    write_folder(tmp_path / "mine", "T", GOOD)
    monkeypatch.chdir(tmp_path)
    assert load("mine", tmp_path).name == "T"


@pytest.mark.parametrize(
    "name", ["../../x", "a/b", "/x/y", ".hidden", "..", "", "a b", "x\n", "C:\\x", "ü", "T.zip"], ids=repr
)
def test_names_that_are_none(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"neither an existing file or folder nor the name|no file named NAME_A.txt"):
        load(name, tmp_path)
    assert files_under(tmp_path) == []


def test_arguments_of_a_wrong_kind(tmp_path):
    with pytest.raises(TypeError, match="for PyG datasets use from_pyg"):
        load([1, 2])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="node_labels='atoms': use 'auto', 'labels', 'degrees' or 'features'"):
        load("T", tmp_path, node_labels="atoms")  # type: ignore[arg-type]


# Unsound files: each one line, with the file and, where there is one, the line


def changed(part: str, text: str | bytes | None) -> dict[str, str | bytes]:
    parts: dict[str, str | bytes] = dict(GOOD)
    if text is None:
        del parts[part]
    else:
        parts[part] = text
    return parts


BAD = [
    pytest.param("A", None, r"T_A.txt is missing", id="no-A"),
    pytest.param("graph_indicator", None, r"T_graph_indicator.txt is missing", id="no-indicator"),
    pytest.param("graph_labels", None, r"T_graph_labels.txt is missing", id="no-labels"),
    pytest.param("A", "1, 2\n2, x\n", r"T_A.txt, line 2: 2 whole numbers .* expected, found '2, x'$", id="a-letter"),
    pytest.param("A", "1, 2\n2, 1.0\n", r"T_A.txt, line 2: .*found '2, 1.0'$", id="a-fraction"),
    pytest.param("A", "1 2\n", r"T_A.txt, line 1: .*found '1 2'$", id="no-comma"),
    pytest.param("A", "1, 2, 3\n", r"T_A.txt, line 1: .*found '1, 2, 3'$", id="three-numbers"),
    pytest.param("A", "1, 2\n\n2, 1\n", r"T_A.txt, line 2: .*found ''$", id="blank-line"),
    pytest.param("A", "1, 2\n3\n", r"T_A.txt, line 2: .*found '3'$", id="one-number"),
    pytest.param("A", "1, 2\n2,", r"T_A.txt, line 2: .*found '2,'$", id="cut-off"),
    pytest.param("A", "1, --2\n", r"T_A.txt, line 1: .*found '1, --2'$", id="two-signs"),
    pytest.param("A", b"1, 2\n1, \xff\n", r"T_A.txt, line 2: .*found '1, \\\\xff'$", id="not-ascii"),
    pytest.param("A", b"1, 2\n\x00\x00", r"T_A.txt, line 2: .*found", id="zero-bytes"),
    pytest.param("A", "1, 99999999999\n", r"T_A.txt, line 1: .*found '1, 99999999999' \(numbers", id="beyond-int32"),
    pytest.param("A", f"1, {2**64 + 2}", r"T_A.txt, line 1: .*found", id="beyond-int64"),
    pytest.param("A", "1, 2\n1, 7\n", r"T_A.txt, line 2: node 7 is not among the nodes 1 .. 6", id="index-too-large"),
    pytest.param("A", "1, 2\n0, 1\n", r"T_A.txt, line 2: node 0 is not among the nodes 1 .. 6", id="index-0"),
    pytest.param("A", "1, -2\n", r"T_A.txt, line 1: node -2 is not among the nodes 1 .. 6", id="index-negative"),
    pytest.param("A", "1, 2\n5, 4\n", r"T_A.txt, line 2: nodes 5 and 4 are in two graphs, 2 and 1$", id="two-graphs"),
    pytest.param("graph_indicator", "", r"T_graph_indicator.txt is empty", id="no-nodes"),
    pytest.param(
        "graph_indicator", "1\n1\n1\n1\n3\n3\n", r"indicator.txt, line 5: graph 3 .*is empty", id="empty-graph"
    ),
    pytest.param("graph_indicator", "2\n2\n2\n2\n3\n3\n", r"line 1: graph 2 .*graph 1 .*is empty", id="empty-first"),
    pytest.param("graph_indicator", "0\n0\n0\n0\n1\n1\n", r"line 1: graph 0, but .* counted from 1", id="from-0"),
    pytest.param("graph_indicator", "1\n2\n1\n1\n2\n2\n", r"line 3: graph 1 after graph 2; .*together", id="unsorted"),
    pytest.param(
        "graph_indicator", "1\n1\n1\n1\n2\nb\n", r"line 6: a whole number expected, found 'b'", id="indicator-b"
    ),
    pytest.param("graph_labels", "0\n", r"T_graph_labels.txt: 1 labels, but .* 2 graphs", id="too-few-labels"),
    pytest.param("graph_labels", "0\n1\n1\n", r"T_graph_labels.txt: 3 labels, but .* 2 graphs", id="empty-last-graph"),
    pytest.param("graph_labels", "0\n0.5\n", r"T_graph_labels.txt, line 2: .*found '0.5'$", id="real-label"),
    pytest.param("graph_labels", "0\nnan\n", r"T_graph_labels.txt, line 2: .*found 'nan'$", id="label-nan"),
    pytest.param("node_labels", "1\n1\n1\n1\n1\n", r"T_node_labels.txt: 5 lines, but .* 6 nodes", id="node-labels-few"),
    pytest.param("node_labels", "", r"T_node_labels.txt: 0 lines, but .* 6 nodes", id="node-labels-empty"),
    pytest.param("node_labels", "1\n1, 2\n1\n1\n1\n1\n", r"T_node_labels.txt, line 2: ", id="node-labels-ragged"),
]
BAD_FEATURES = [
    pytest.param("node_attributes", None, r"T_node_attributes.txt is missing", id="none"),
    pytest.param(
        "node_attributes", "1\n2\nx\n4\n5\n6", r"attributes.txt, line 3: 1 finite numbers .*'x'$", id="a-letter"
    ),
    pytest.param("node_attributes", "1\n2\n3, 3\n4\n5\n6", r"attributes.txt, line 3: .*'3, 3'$", id="ragged"),
    pytest.param("node_attributes", "1\n2\n\n4\n5\n6", r"attributes.txt, line 3: .*''$", id="blank-line"),
    pytest.param("node_attributes", "1\n2\nnan\n4\n5\n6", r"attributes.txt, line 3: .*'nan'$", id="nan"),
    pytest.param("node_attributes", "1\n2\n1e999\n4\n5\n6", r"attributes.txt, line 3: .*'1e999'$", id="infinite"),
    pytest.param("node_attributes", "1\n2\n3\n4\n5", r"attributes.txt: 5 lines, but .* 6 nodes", id="too-few"),
    pytest.param("node_attributes", "", r"attributes.txt: 0 lines, but .* 6 nodes", id="empty"),
    pytest.param("node_labels", "1\n1\n1\n1\n1\n", r"T_node_labels.txt: 5 lines, but .* 6 nodes", id="labels-too-few"),
]


def check_refused(path: Path, node_labels: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        load(path, node_labels=node_labels)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert path.name in str(caught.value)
    assert not list(cache_module.cache_folder().rglob("*.npz"))
    assert not list(cache_module.cache_folder().rglob("*.part"))


@pytest.mark.parametrize(("part", "text", "message"), BAD)
def test_bad_text(tmp_path, part, text, message):
    root = tmp_path / "root"
    if (part, text) != ("A", None):  # without it nobody knows the name
        check_refused(write_zip(tmp_path / "T.zip", "T", changed(part, text)), "auto", message)
    write_folder(root / "tu" / "T" / "raw", "T", changed(part, text))
    with pytest.raises(DataError, match=message):
        load("T", root)


@pytest.mark.parametrize(("part", "text", "message"), BAD_FEATURES)
def test_bad_features(tmp_path, part, text, message):
    check_refused(write_folder(tmp_path / "T", "T", changed(part, text)), "features", message)


def test_labels_asked_for_and_not_there(tmp_path):
    check_refused(
        write_folder(tmp_path / "T", "T", changed("node_labels", None)), "labels", "T_node_labels.txt is missing"
    )


def test_folder_with_two_sets(tmp_path):
    folder = write_folder(write_folder(tmp_path / "T", "T", GOOD), "U", GOOD)
    check_refused(folder, "auto", "one file NAME_A.txt is needed, found T, U")


def test_archive_without_a_set(tmp_path):
    check_refused(write_zip(tmp_path / "T.zip", "T", changed("A", None)), "auto", "NAME_A.txt is needed, found none")


def test_folder_without_a_set(tmp_path):
    with pytest.raises(DataError, match=r"no file named NAME_A\.txt in this folder or in its folder raw"):
        load(tmp_path)


# Unsound archives


@pytest.mark.parametrize(
    "member", ["../T_A.txt", "T/../../x.txt", "/etc/x", "..\\x.txt", "C:/x.txt", "C:\\x.txt"], ids=repr
)
def test_member_that_points_out_of_the_archive(tmp_path, member):
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("x")
        info.filename = member
        archive.writestr(info, "1, 2\n")
    check_refused(path, "auto", "points out of the archive")
    assert files_under(tmp_path) == ["T.zip"]


def state_size(path: Path, member: str, size: int) -> None:
    """Make the archive's directory state another unpacked size for a member."""
    data = bytearray(path.read_bytes())
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        length = struct.unpack_from("<H", data, at + 28)[0]
        if data[at + 46 : at + 46 + length] == member.encode():
            struct.pack_into("<I", data, at + 24, size)
        at = data.find(b"PK\x01\x02", at + 4)
    path.write_bytes(data)


@pytest.mark.parametrize(
    "compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA], ids=["stored", "deflate", "lzma"]
)
def test_member_that_unpacks_to_more_than_stated(tmp_path, compression):
    path = write_zip(tmp_path / "T.zip", "T", GOOD | {"A": GOOD["A"] * 100_000}, compression)
    state_size(path, "T/T_A.txt", len(GOOD["A"]))
    check_refused(path, "auto", r"member T/T_A.txt unpacks to more than it states$")


def test_archive_that_states_an_insane_size(tmp_path):
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    for part in ("A", "graph_labels", "graph_indicator"):
        state_size(path, f"T/T_{part}.txt", 2**32 - 2)
    check_refused(path, "auto", r"unpacks to 12.0 GiB, more than the 2 GiB that are accepted; .*unpack it yourself")


def test_damaged_archives(tmp_path):
    sound = write_zip(tmp_path / "sound.zip", "T", GOOD, zipfile.ZIP_STORED).read_bytes()
    path = tmp_path / "T.zip"
    for cut in (0, 1, 30, len(sound) // 2, len(sound) - 1):
        path.write_bytes(sound[:cut])
        check_refused(path, "auto", "T.zip is not a sound zip file")
    at = sound.index(b"1, 2\n2, 1")
    path.write_bytes(sound[:at] + b"2" + sound[at + 1 :])
    check_refused(path, "auto", "member T/T_A.txt cannot be unpacked: Bad CRC-32")


@given(st.data())
def test_no_damage_gives_anything_but_the_truth_or_a_clear_error(data):
    compression = data.draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA]))
    with tempfile.TemporaryDirectory() as temporary:
        path = write_zip(Path(temporary) / "T.zip", "T", GOOD, compression)
        truth = tu.read(path)
        content = bytearray(path.read_bytes())
        position = data.draw(st.integers(0, len(content) - 1))
        content[position] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content)
        try:
            dataset = tu.read(path)
        except DataError:
            return
        assert dataset.union.same_edges(truth.union)
        assert dataset.class_numbers.tolist() == truth.class_numbers.tolist()


def test_two_members_of_one_name(tmp_path):
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("elsewhere/T_A.txt", "1, 2\n")
    check_refused(path, "auto", "two members are named T_A.txt")


def test_other_members_do_no_harm(tmp_path):
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("T/README.txt", "T is a set")
        archive.writestr("__MACOSX/T/._T_A.txt", b"\x00\x05")
        archive.writestr("T/", "")
    assert len(load(path)) == 2


def test_archive_under_another_name(tmp_path):
    write_zip(tmp_path / "tu" / "T.zip", "U", GOOD)
    with pytest.raises(DataError, match=r"T_A\.txt is missing"):
        load("T", tmp_path)
    assert load(tmp_path / "tu" / "T.zip").name == "U"
    with pytest.raises(DataError, match=r"T_A\.txt is missing"):  # though this file is in the cache now
        load("T", tmp_path)


@pytest.mark.parametrize("member", [".", ""], ids=repr)
def test_member_without_a_name(tmp_path, member):
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(zipfile.ZipInfo(member), "x")
    graphs, said = 0, ""
    try:
        graphs = len(load(path))
    except DataError as error:
        said = str(error)
    # zipfile of some versions cannot read an archive with a member named ""
    assert graphs == 2 or (member == "" and "not a sound zip file" in said)


def test_damaged_bzip2_names_the_member(tmp_path):
    path = write_zip(tmp_path / "T.zip", "T", GOOD, zipfile.ZIP_BZIP2)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"BZh", b"BZx", 1))
    check_refused(path, "auto", "member T/T_A.txt cannot be unpacked: Invalid data stream")


@pytest.mark.parametrize("ask", [lambda: load("~no-such-user/T.zip"), lambda: load("T", "~no-such-user")])
def test_home_of_nobody(ask):
    with pytest.raises(DataError, match=r"~no-such-user.*there is no such home folder"):
        ask()


# The cache of arrays


@pytest.fixture
def parses(monkeypatch):
    """How often a set was parsed."""
    calls = []
    original = tu.read

    def counting(*arguments, **named):
        calls.append(arguments)
        return original(*arguments, **named)

    monkeypatch.setattr(tu, "read", counting)
    return calls


def cached_file() -> Path:
    (path,) = cache_module.cache_folder().rglob("*.npz")
    return path


@pytest.mark.parametrize("write", [write_zip, write_folder], ids=["zip", "folder"])
def test_second_time_comes_from_the_cache(tmp_path, parses, write):
    path = write(tmp_path / "T.zip", "T", GOOD)
    first, second = load(path), load(path)
    assert len(parses) == 1
    assert same(first, second)
    assert files_under(cache_module.cache_folder()) == [f"arrays/{cached_file().name}"]


def test_a_changed_source_is_parsed_again(tmp_path, parses):
    path = write_folder(tmp_path / "T", "T", GOOD)
    load(path)
    write_folder(path, "T", {"graph_labels": "5\n-6\n"})  # as long as it was
    os.utime(path / "T_graph_labels.txt", ns=(1, 1))
    assert load(path).classes.tolist() == [-6, 5]
    write_folder(path, "T", {"graph_labels": "50\n60\n"})
    os.utime(path / "T_graph_labels.txt", ns=(1, 1))
    assert load(path).classes.tolist() == [50, 60]
    assert len(parses) == 3
    cached_file()  # the old one was replaced


def test_cache_of_another_version(tmp_path, parses, monkeypatch):
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    monkeypatch.setattr(cache_module, "FORMAT", cache_module.FORMAT - 1)
    old = load(path)
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    before = cached_file().read_bytes()
    assert same(load(path), old)
    assert cached_file().read_bytes() != before


@pytest.mark.parametrize("size", [0, 1, 100, -1], ids=["empty", "one-byte", "cut-early", "last-byte-missing"])
def test_truncated_cache(tmp_path, parses, size):
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    truth = load(path)
    sound = cached_file().read_bytes()
    cached_file().write_bytes(sound[:size])
    assert same(load(path), truth)
    assert len(parses) == 2
    assert cached_file().read_bytes() == sound


def test_damaged_cache_is_never_believed(tmp_path, parses):
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    truth = load(path)
    sound = cached_file().read_bytes()
    random = np.random.default_rng(0)
    for position in random.choice(len(sound), 150, replace=False):
        damaged = bytearray(sound)
        damaged[position] ^= int(random.integers(1, 256))
        cached_file().write_bytes(damaged)
        assert same(load(path), truth), position


def test_cache_that_cannot_be_written(tmp_path, parses):
    (tmp_path / "cache").write_text("a file, not a folder")
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    for _ in range(2):
        with pytest.warns(UserWarning, match="T was not cached and will be parsed again next time"):
            assert len(load(path)) == 2
    assert len(parses) == 2


# The download


@pytest.fixture
def collection(tmp_path, monkeypatch):
    """A server with sound and unsound archives; gives its address."""
    monkeypatch.setenv("no_proxy", "*")
    sound = write_zip(tmp_path / "made" / "T.zip", "T", GOOD, zipfile.ZIP_LZMA).read_bytes()
    wrong = write_zip(tmp_path / "made" / "WRONG.zip", "WRONG", changed("A", "1, 9\n")).read_bytes()
    replies = {
        "/T.zip": (sound, len(sound)),
        "/SHORT.zip": (sound[:200], len(sound)),
        "/HTML.zip": (b"<html>not a zip file</html>", None),
        "/WRONG.zip": (wrong, None),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path not in replies:
                self.send_error(404)
                return
            body, length = replies[self.path]
            self.send_response(200)
            if length is not None:
                self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_download_once_then_from_disk(tmp_path, monkeypatch, collection):
    monkeypatch.setattr(tu, "download", functools.partial(tu.download, collection=collection))
    root = tmp_path / "root"
    dataset = load("T", root)
    assert same(dataset, load(tmp_path / "made" / "T.zip"))
    assert files_under(root) == ["tu/T.zip"]
    assert (root / "tu" / "T.zip").read_bytes() == (tmp_path / "made" / "T.zip").read_bytes()
    monkeypatch.undo()
    monkeypatch.setattr(tu, "fetch", None)
    assert same(load("T", root), dataset)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("SHORT", r"SHORT.zip was cut short: 200 of \d+ bytes arrived", id="cut-short"),
        pytest.param("NONE", r"NONE.zip answered 404 Not Found", id="404"),
        pytest.param("HTML", r"HTML.zip is not a sound zip file", id="not-a-zip"),
        pytest.param("WRONG", r"WRONG_A.txt, line 1: node 9 is not among the nodes 1 .. 6", id="bad-content"),
    ],
)
def test_download_that_fails(tmp_path, collection, name, message):
    folder = tmp_path / "root" / "tu"
    with pytest.raises(DataError, match=message) as caught:
        tu.download(name, folder, collection)
    text = str(caught.value)
    assert "\n" not in text
    assert ".part" not in text
    assert text.endswith(f"put {name}.zip into {folder}, or its text files into {folder / name / 'raw'}")
    assert not (tmp_path / "root").exists()


def test_without_a_network_the_message_says_what_to_put_where(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    folder = tmp_path / "tu"
    with pytest.raises(DataError, match=r"could not be reached: .*put T.zip into .*, or its text files into "):
        tu.download("T", folder, "http://127.0.0.1:1")
    assert files_under(tmp_path) == []


def test_download_into_a_place_that_is_no_folder(tmp_path, collection):
    (tmp_path / "tu").write_text("a file")
    with pytest.raises(DataError, match="nothing can be written there"):
        tu.download("T", tmp_path / "tu", collection)


# Graphs


def test_take_keeps_the_numbers_of_codes(tmp_path):
    dataset = load(write_folder(tmp_path / "T", "T", GOOD))
    part = dataset.take([1, 1, 0])
    assert len(part) == 3
    assert part.class_numbers.tolist() == [0, 0, 1]
    assert part.codes.tolist() == [1, 1, 1, 1, 0, 0, 0, 1]
    assert (part.targets.tolist(), len(part.values)) == ([-1, -1, 7], 2)
    assert part.union[2].same_edges(dataset.union[0])
    assert len(dataset.take([])) == 0
    with pytest.raises(IndexError):
        dataset.take([2])
    for no_index in (dataset.class_numbers == 1, [0.7, 1.2]):
        with pytest.raises(TypeError, match="graph indices"):
            dataset.take(no_index)


def test_graphs_check_their_shapes_and_are_read_only(tmp_path):
    dataset = load(write_folder(tmp_path / "T", "T", GOOD))
    with pytest.raises(ValueError, match="read-only"):
        dataset.targets[0] = 1
    fields = {key: getattr(dataset, key) for key in Graphs.__dataclass_fields__}
    for key, value, message in (
        ("targets", np.zeros(3, np.int64), "3 targets for 2 graphs"),
        ("codes", np.zeros(5, np.int32), "codes of shape"),
        ("codes", np.full(6, -1, np.int32), "a node's code is not among 0 .. 1"),
        ("codes", np.full(6, 2, np.int32), "a node's code is not among 0 .. 1"),
        ("names", ("one",), "1 names for 2 graphs"),
    ):
        with pytest.raises(ValueError, match=message):
            Graphs(**(fields | {key: value}))


# The real sets

STATISTICS = {  # graphs, nodes, directed edges without loops and repeats, class sizes, node labels, loops, repeats
    "PROTEINS": (1113, 43471, 162088, [663, 450], 3, 0, 0),
    "NCI1": (4110, 122747, 265506, [2053, 2057], 37, 0, 0),
    "COLLAB": (5000, 372474, 24572158, [2600, 775, 1625], None, 2837, 0),
    "IMDB-BINARY": (1000, 19773, 193062, [500, 500], None, 0, 386124 - 193062),
    "IMDB-MULTI": (1500, 19502, 197806, [500, 500, 500], None, 0, 395612 - 197806),
    "REDDIT-BINARY": (2000, 859254, 1991016, [1000, 1000], None, 0, 0),
    "MUTAG": (188, 3371, 7442, [63, 125], 7, 0, 0),
    "EXP": (1200, 58442, 145060, [600, 600], 2, 0, 0),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics_of_the_real_sets(data_dir, name):
    if tu.locate(name, data_dir / "tu") is None:
        pytest.skip(f"{name} is not at hand")
    dataset = load(name, data_dir)
    graphs, nodes, entries, sizes, node_labels, loops, repeats = STATISTICS[name]
    assert (len(dataset), dataset.union.num_nodes, len(dataset.union.neighbors)) == (graphs, nodes, entries)
    assert np.bincount(dataset.class_numbers).tolist() == sizes
    assert (dataset.union.removed_loops, dataset.union.removed_repeats) == (loops, repeats)
    assert dataset.kind == ("degrees" if node_labels is None else "labels")
    if node_labels is not None:
        assert len(dataset.values) == node_labels


@pytest.mark.parametrize(
    "name",
    [
        "MUTAG",
        "PROTEINS",
        "IMDB-BINARY",
        "NCI1",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("IMDB-MULTI", "EXP", "REDDIT-BINARY", "COLLAB")),
    ],
)
def test_equal_to_pyg_graph_by_graph(data_dir, tmp_path, name):
    archive = tu.locate(name, data_dir / "tu")
    if archive is None or not archive.is_file():
        pytest.skip(f"{name}.zip is not at hand")
    from torch_geometric.datasets import TUDataset

    raw = tmp_path / "pyg" / name / "raw"
    raw.mkdir(parents=True)
    with zipfile.ZipFile(archive) as file:
        for member in file.infolist():
            (raw / Path(member.filename).name).write_bytes(file.read(member))
    has_attributes = (raw / f"{name}_node_attributes.txt").exists()
    reference = TUDataset(str(tmp_path / "pyg"), name, use_node_attr=True)
    dataset = load(name, data_dir)
    features = load(name, data_dir, node_labels="features") if has_attributes else None
    assert len(dataset) == len(reference)
    assert dataset.class_numbers.tolist() == [int(data.y) for data in reference]
    width = reference.num_node_labels
    for i, data in enumerate(reference):
        graph = dataset.union[i]
        assert graph.num_nodes == data.num_nodes
        assert np.array_equal(graph.edge_index(), data.edge_index.numpy())
        nodes = slice(dataset.union.starts[i], dataset.union.starts[i + 1])
        if dataset.kind == "labels":
            one_hot = data.x.numpy()[:, data.x.shape[1] - width :]
            label = dataset.values[dataset.codes[nodes]] - dataset.values.min()
            assert np.array_equal(one_hot.argmax(axis=1), label)
        if features is not None:
            rows = features.values[features.codes[nodes]]
            columns = reference.num_node_attributes
            assert np.array_equal(rows[:, :columns].astype(np.float32), data.x.numpy()[:, :columns])
            assert np.array_equal(rows[:, columns], dataset.values[dataset.codes[nodes]])


# ---------------------------------------------------------------------------------------------------------------------
# Hostile archives and caches
# ---------------------------------------------------------------------------------------------------------------------


def test_columns_without_number_ask_for_no_memory(tmp_path, monkeypatch):
    """A first line of many columns, and as many lines of one: together they would be 484 GiB."""
    asked = []
    empty = np.empty

    def counting(shape, *rest, **named):
        asked.append(int(np.prod(shape)))
        return empty(shape, *rest, **named)

    monkeypatch.setattr("wlt.data.tu.np.empty", counting)
    first = ", ".join(["1"] * 65_001)
    check_refused(write_zip(tmp_path / "T.zip", "T", {**GOOD, "node_labels": first + "\n1" * 5}), "labels", "at most")
    wide = ", ".join(["1"] * 9_000) + "\n1" * 5
    check_refused(write_zip(tmp_path / "T.zip", "T", {**GOOD, "node_labels": wide}), "labels", "line 2: 9000 whole")
    assert max(asked) < 100_000


@pytest.mark.parametrize("part", ["graph_labels", "node_labels", "node_attributes"])
@pytest.mark.parametrize(
    "filling", [b"1\n", b" ", b"1,", b"0", b"\n"], ids=["lines", "blanks", "columns", "0s", "newlines"]
)
def test_a_member_of_a_gigabyte_for_six_nodes_is_not_read_to_its_end(tmp_path, monkeypatch, part, filling):
    """64 MiB stand for it: what is read of them is counted."""
    path = write_zip(tmp_path / "T.zip", "T", {**GOOD, part: GOOD["graph_indicator"].encode() + filling * 2**25})
    read = []
    original = tu.CHUNK
    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted(zipfile.ZipExtFile.read, read))
    kind = "features" if part == "node_attributes" else "labels"
    check_refused(path, kind, r"more than|line|expected|at most|6 nodes|2 graphs|labels, but")
    assert sum(read) < 8 * 2**20 + original


def counted(read, sizes):
    def reading(stream, *arguments):
        data = read(stream, *arguments)
        sizes.append(len(data))
        return data

    return reading


def test_names_in_an_archive_that_are_no_text(tmp_path):
    """The name in front of a member says UTF-8 and is none; the list at the end is sound."""
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    data = bytearray(path.read_bytes())
    data[6:8] = (0x800).to_bytes(2, "little")
    data[30] = 0xFF
    path.write_bytes(data)
    check_refused(path, "auto", r"cannot be unpacked|not a sound zip")


def tampered(change):
    """Replace arrays of the cache; the file stays a sound .npz with right checksums."""
    with np.load(cached_file()) as stored:
        arrays = {name: stored[name].copy() for name in stored.files}
    change(arrays)
    np.savez(cached_file(), **arrays)


def setting(name, place, value):
    def change(arrays):
        arrays[name][place] = value

    return change


def replacing_array(name, make):
    def change(arrays):
        arrays[name] = make(arrays[name])

    return change


@pytest.mark.parametrize(
    "change",
    [
        setting("neighbors", 0, 10**9),
        setting("neighbors", 0, -1),
        setting("neighbors", 0, 0),
        setting("offsets", 1, 10**15),
        setting("offsets", 1, -5),
        setting("offsets", 0, 1),
        setting("offsets", -1, 0),
        setting("starts", 1, 10**9),
        setting("starts", 1, 1),
        setting("starts", -1, 10**9),
        setting("codes", 0, 10**6),
        setting("codes", 0, -1),
        replacing_array("neighbors", lambda a: a[::-1].copy()),
        replacing_array("neighbors", lambda a: a[:-1]),
        replacing_array("neighbors", lambda a: a.astype(np.int64)),
        replacing_array("neighbors", lambda a: a.reshape(1, -1)),
        replacing_array("codes", lambda a: a[:-1]),
        replacing_array("codes", lambda a: a.astype(np.float64)),
        replacing_array("targets", lambda a: a[:-1]),
        replacing_array("targets", lambda a: a.astype(str)),
        replacing_array("values", lambda a: np.zeros_like(a)),
        replacing_array("kind", lambda a: np.array("nothing")),
        replacing_array("starts", lambda a: np.zeros(0, np.int64)),
        setting("arcs", 0, 7),
        setting("arcs", 0, -1),
        replacing_array("arcs", lambda a: a[:-1]),
        replacing_array("edges", lambda a: np.array('[[[["both",1]],[["both",1]]],[]]')),
        replacing_array("edges", lambda a: np.array('[[[["out",1]],[["out",2]]],[]]')),
    ],
)
def test_a_cache_of_wrong_arrays_is_parsed_again(tmp_path, parses, change):
    """With right checksums they crashed the interpreter, or gave a wrong audit."""
    path = write_zip(tmp_path / "T.zip", "T", {**GOOD, "edge_labels": "1\n" * GOOD["A"].count("\n")})
    sound = load(path)
    tampered(change)
    again = load(path)
    assert len(parses) == 2
    assert again.union.edges().tolist() == sound.union.edges().tolist()
    assert again.codes.tolist() == sound.codes.tolist()
    assert np.asarray(again.targets).tolist() == np.asarray(sound.targets).tolist()


def test_a_cache_that_unpacks_is_none_of_ours(tmp_path, parses):
    path = write_zip(tmp_path / "T.zip", "T", GOOD)
    load(path)
    with np.load(cached_file()) as stored:
        arrays = {name: stored[name] for name in stored.files}
    np.savez_compressed(cached_file(), **arrays)
    load(path)
    assert len(parses) == 2
