"""Pictures of graphs: all that a graph has is drawn, nothing of its names is run, and colours can be told apart."""

from __future__ import annotations

import random
import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import wlt
from strategies import graphs
from wlt.drawing.layout import layout
from wlt.drawing.palette import OKABE_ITO, luminance, paint
from wlt.graph import MOST_DRAWN, Graph

matplotlib.use("Agg")
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ['<script>alert("x")</script>', "\"'><img src=x onerror=alert(1)>", "]]>&amp;", "\x00\x1b", "名前", " " * 80]


def parts(drawing: wlt.Drawing, kind: str) -> list[ElementTree.Element]:
    """The elements of a class, after parsing as XML, which fails where anything was not escaped."""
    return [element for element in ElementTree.fromstring(drawing.svg).iter() if element.get("class") == kind]


def written(drawing: wlt.Drawing, kind: str) -> list[str]:
    return [element.text or "" for element in parts(drawing, kind)]


@given(graphs(12))
def test_every_node_and_every_edge_is_drawn_once(graph: Graph) -> None:
    drawing = wlt.draw(graph, wlt.closure(graph))
    assert [int(node.get("data-node", -1)) for node in parts(drawing, "node")] == list(range(graph.num_nodes))
    drawn = [(int(line.get("data-source", -1)), int(line.get("data-target", -1))) for line in parts(drawing, "edge")]
    assert drawn == [tuple(edge) for edge in graph.edges().tolist()]
    assert written(drawing, "number") == [str(color) for color in wlt.closure(graph).tolist()]


@given(graphs(12))
def test_places_are_finite_repeatable_and_of_different_nodes(graph: Graph) -> None:
    points = layout(graph.num_nodes, graph.edges())
    assert np.array_equal(points, layout(graph.num_nodes, graph.edges()))
    assert np.isfinite(points).all()
    assert all(np.hypot(*(points[u] - points[v])) > 5 for u, v in combinations(range(graph.num_nodes), 2))


def test_places_of_large_graphs_are_repeatable_and_leave_the_random_state_alone() -> None:
    graph = wlt.as_graph(nx.random_labeled_tree(310, seed=0))
    random.seed(5)
    first = layout(310, graph.edges())
    expected = random.random()
    random.seed(5)
    assert random.random() == expected
    assert np.array_equal(layout(310, graph.edges()), first)


@pytest.mark.parametrize("graph", [nx.gnm_random_graph(120, 4900, seed=1), nx.random_labeled_tree(310, seed=0)])
def test_most_nodes_do_not_overlap(graph: nx.Graph[int]) -> None:
    drawn = wlt.draw(graph).svg
    places = np.array([[float(x), float(y)] for x, y in re.findall(r"translate\(([-\d.]+),([-\d.]+)\)", drawn)])
    radius = float(re.findall(r'<circle r="([\d.]+)"', drawn)[0])
    near = np.sort(np.linalg.norm(places[:, None] - places, axis=2), axis=1)[:, 1]
    assert np.mean(near > 2 * radius) > 0.9


@pytest.mark.parametrize("angle", [0, 20, 45, 70, 90, 135])
def test_labels_of_parallel_edges_stand_apart(angle: float) -> None:
    labels = ["acquainted with", "likes", "employs"]
    ends = 120 * np.array([[0, 0], [np.cos(np.radians(angle)), np.sin(np.radians(angle))]])
    drawing = wlt.draw(wlt.Graph.from_edges(2, [(0, 1)] * 3, edge_labels=labels, directed=True), positions=ends)
    texts = [
        (float(each.get("x", 0)), float(each.get("y", 0)), each.text or "") for each in parts(drawing, "edge-label")
    ]
    assert len(texts) == 3
    for (x, y, one), (u, v, other) in combinations(texts, 2):
        assert abs(x - u) > 6 * (len(one) + len(other)) / 2 or abs(y - v) > 11


def test_directions_parallel_edges_labels_and_loops_are_drawn() -> None:
    graph = nx.MultiDiGraph()
    graph.add_edge("a", "b", kind="likes")
    graph.add_edge("b", "a", kind="knows")
    graph.add_edge("a", "b", kind="likes")
    graph.add_edge("a", "a", kind="is")
    drawing = wlt.draw(graph, edge_labels="kind")
    assert sorted(written(drawing, "edge-label")) == ["is", "knows", "likes", "likes"]
    assert len(parts(drawing, "arrow")) == 3
    assert len(parts(drawing, "loop")) == 1
    arrows = [(line.get("data-source"), line.get("data-target")) for line in parts(drawing, "edge")]
    assert sorted(arrows) == [("0", "1"), ("0", "1"), ("1", "0")]
    curves = [line.get("d") for line in parts(drawing, "line") if line.get("d")]
    assert len(set(curves)) == 3, "parallel edges lie on each other"
    assert not parts(wlt.draw(graph, simple=True), "arrow")


def test_an_arrow_points_at_its_target() -> None:
    for edge in [(0, 1), (1, 0)]:
        drawing = wlt.draw(Graph.from_edges(2, [edge], directed=True), positions=[[0, 0], [100, 0]])
        (head,) = parts(drawing, "arrow")
        tip, *others = (float(corner.split(",")[0]) for corner in head.get("points", "").split())
        place = 100.0 * edge[1]
        assert abs(tip - place) < min(abs(other - place) for other in others) < 50


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("colored", [False, True])
def test_hostile_names_and_labels_are_text(name: str, colored: bool) -> None:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_edge(name, "b", kind=name)
    drawing = wlt.draw(graph, [0, 1] if colored else None, edge_labels="kind", title=name)
    tree = ElementTree.fromstring(drawing.svg)
    assert {element.tag for element in tree.iter()} <= {
        f"{SVG}{tag}" for tag in ("svg", "title", "rect", "g", "path", "circle", "text")
    }
    assert not any(attribute.startswith("on") for element in tree.iter() for attribute in element.attrib)
    wlt.as_graph(graph)._repr_html_()
    assert "<script" not in drawing.svg


def test_lines_are_the_fainter_the_more_there_are() -> None:
    def faint(graph: nx.Graph[int]) -> set[str | None]:
        return {line.get("stroke-opacity") for line in parts(wlt.draw(graph), "line")}

    assert faint(nx.path_graph(300)) == faint(nx.complete_graph(8)) == {None}
    (some,), (most,) = (faint(nx.circulant_graph(60, range(1, n))) for n in (6, 25))
    assert some is not None
    assert most is not None
    assert 0 < float(most) < float(some) < 1


def test_equal_colors_look_alike_and_others_do_not() -> None:
    assert len({paint(number).fill for number in range(24)}) == 24
    drawing = wlt.draw(nx.path_graph(4), [3, 0, 0, 3])
    fills = [re.findall(r'fill="(#\w+)"', ElementTree.tostring(node, "unicode"))[0] for node in parts(drawing, "node")]
    assert fills[0] == fills[3] != fills[1] == fills[2]


def test_numbers_can_be_read_on_every_color() -> None:
    for number in range(24):
        fill, ink = (luminance(color) + 0.05 for color in paint(number))
        assert max(fill, ink) / min(fill, ink) >= 4.5, number


@pytest.mark.parametrize(
    "confusion",
    [
        [[0.567, 0.433, 0.0], [0.558, 0.442, 0.0], [0.0, 0.242, 0.758]],  # protanopia
        [[0.625, 0.375, 0.0], [0.7, 0.3, 0.0], [0.0, 0.3, 0.7]],  # deuteranopia
    ],
    ids=["protanopia", "deuteranopia"],
)
def test_colour_blind_people_tell_the_first_colours_apart(confusion: list[list[float]]) -> None:
    seen = [np.array(confusion) @ [int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in OKABE_ITO]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 25


def test_on_an_axis_of_matplotlib() -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    graph = nx.MultiDiGraph([("$a", "b"), ("b", "$a"), ("b", "b")])
    assert wlt.draw(graph, [0, 1], ax=axes, title="two nodes") is axes
    figure.canvas.draw()
    assert {"0", "1", "$a", "b"} <= {text.get_text() for text in axes.texts}
    assert axes.get_title() == "two nodes"
    pyplot.close(figure)


def test_bad_input_is_told_in_one_sentence(tmp_path: Path) -> None:
    path = nx.path_graph(3)
    with pytest.raises(ValueError, match=r"colors of shape \(2,\).* 3 nodes; one whole number or string"):
        wlt.draw(path, [0, 1])
    with pytest.raises(ValueError, match="whole number"):
        wlt.draw(path, [0.5, 1.0, 2.0])
    with pytest.raises(ValueError, match="finite x and y"):
        wlt.draw(path, positions=[[0, 0], [1, np.nan], [2, 2]])
    with pytest.raises(ValueError, match="at most 2000 nodes"):
        wlt.draw((2001, []))
    with pytest.raises(ValueError, match=r"a drawing is written as \.svg; other formats"):
        wlt.draw(path).save(tmp_path / "path.png")
    wlt.draw(path).save(tmp_path / "path.svg")
    assert (tmp_path / "path.svg").read_text("utf-8").startswith("<svg")


def test_a_notebook_shows_small_graphs_and_describes_large_ones() -> None:
    assert "<svg" in wlt.as_graph(nx.petersen_graph())._repr_html_()
    assert wlt.draw("A_")._repr_svg_().startswith("<svg")
    large = Graph.from_edges(MOST_DRAWN + 1, [])._repr_html_()
    assert "svg" not in large
    assert f"nodes={MOST_DRAWN + 1}" in large
    assert "svg" not in Graph.from_edges(0, [])._repr_html_()


def test_colors_may_be_strings_in_a_list() -> None:
    path = nx.path_graph(3)
    assert wlt.draw(path, ["C", "O", "C"]).svg == wlt.draw(path, [0, 1, 0]).svg
    with pytest.raises(TypeError, match="integers or strings, not both"):
        wlt.draw(path, ["C", 1, "C"])
