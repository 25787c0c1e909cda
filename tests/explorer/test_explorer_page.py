"""The explorer in a real browser: what is shown after every step is what wlt computed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import wlt
from browser import browser, watched
from wlt.drawing.palette import paint

WIDE = {"viewport": {"width": 1200, "height": 800}}
PHONE = {"viewport": {"width": 400, "height": 800}}
FRAME = {"viewport": {"width": 926, "height": 760}}
"""In a page of the documentation, or in a notebook."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


def two_triangles() -> nx.Graph[int]:
    return nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))


def a_tree() -> wlt.Graph:
    return wlt.as_graph(nx.random_labeled_tree(14, seed=3))


def shuffled(graph: wlt.Graph) -> wlt.Graph:
    return graph.relabel(np.random.default_rng(0).permutation(graph.num_nodes))


def hostile() -> nx.MultiDiGraph[str]:
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    names = ["<script>alert('x')</script>", "\"'><img src=x onerror=alert(1)>", "</script><b>", "&lt;", "\u2028'\\"]
    for i, (u, v) in enumerate(zip(names, names[1:] + names[:1], strict=True)):
        graph.add_edge(u, v, kind=names[i % 2])
    graph.add_edge(names[0], names[1], kind="</script>")
    graph.add_edge(names[2], names[2], kind="loop")
    return graph


PAIRS = {
    "C6-2C3": (nx.cycle_graph(6), two_triangles(), {}),
    "tree-copy": (a_tree(), shuffled(a_tree()), {}),
    "path-star": (nx.path_graph(5), nx.star_graph(4), {}),
    "petersen-copy": (wlt.as_graph(nx.petersen_graph()), shuffled(wlt.as_graph(nx.petersen_graph())), {}),
    "labelled": (hostile(), hostile(), {"edge_labels": "kind"}),
    "sizes": (nx.path_graph(3), nx.path_graph(4), {}),
}


def opened(page: Any, explorer: wlt.Explorer, folder: Path) -> None:
    explorer.save(folder / "explorer.html")
    page.goto((folder / "explorer.html").as_uri())


def shown_colors(page: Any) -> list[int]:
    """The numbers on the nodes of both graphs; each must have the colour that belongs to it."""
    nodes = page.evaluate(
        """[...document.querySelectorAll('.side .node')].map(node => [
            +node.querySelector('.number').textContent, node.querySelector('circle').getAttribute('fill')])"""
    )
    assert all(fill == paint(number).fill for number, fill in nodes)
    return [number for number, _ in nodes]


def shown_table(page: Any) -> dict[int, tuple[int, ...]]:
    rows = page.evaluate(
        "[...document.querySelectorAll('.rows tr')].map(row => [...row.cells].map(c => c.textContent))"
    )
    return {int(first): tuple(map(int, sizes)) for first, *sizes in rows}


def same_partition(colors: Any, others: Any) -> bool:
    return len(set(zip(colors, others, strict=True))) == len(set(colors)) == len(set(others))


@pytest.mark.parametrize("name", PAIRS)
def test_every_step_shows_what_refinement_gives(name: str, chromium: Any, tmp_path: Path) -> None:
    g, h, options = PAIRS[name]
    explorer = wlt.explore(g, h, **options)
    left, right = (wlt.as_graph(source, **options) for source in (g, h))
    union, border = wlt.Graph.union([left, right]), left.num_nodes
    with watched(chromium, **WIDE) as page:
        opened(page, explorer, tmp_path)
        colors: list[int] = []
        for step, frame in enumerate(explorer.story.frames):
            before, colors = colors, shown_colors(page)
            if frame.kind == "start":
                expected = [0] * union.num_nodes if not len(union.loops) else union.loops.tolist()
                assert same_partition(colors, expected)
            elif frame.kind == "round":  # one step of refine's own, from what was shown before
                assert same_partition(colors, wlt.refine_once(union, node_labels=before)[0].tolist())
                assert len(set(colors)) > len(set(before))
            elif frame.kind == "recoloring":
                assert frame.pair is not None
                u, v = frame.pair[0], border + frame.pair[1]
                assert before[u] == before[v] == frame.chosen
                assert colors[u] == colors[v]
                assert colors.count(colors[u]) == 2
                changed = [node for node in range(union.num_nodes) if colors[node] != before[node]]
                assert changed == [u, v]
                assert page.locator(".node.recolored").count() == 2
                assert page.locator(".node.chosen").count() == before.count(frame.chosen)
                assert page.locator(".link").count() == 1
            else:
                assert colors == before
            table = shown_table(page)
            counts = Counter(colors[:border]), Counter(colors[border:])
            assert table == {number: (counts[0][number], counts[1][number]) for number in sorted(set(colors))}
            assert page.locator("h2.title").text_content() == frame.title
            assert page.locator(".place").text_content() == f"{step} / {len(explorer.story.frames) - 1}"
            page.keyboard.press("ArrowRight")
        result = wlt.isomorphism(g, h, **options)
        end = page.locator(".end").text_content()
        assert page.locator(".end").is_visible()
        assert f"exact: {result.verdict}" in end
        assert f"WL: {result.wl.verdict}" in end
        assert f"Tinhofer: {result.tinhofer.verdict}" in end
        pairs = page.evaluate(
            "[...document.querySelectorAll('.link.mapped')].map(l => [+l.dataset.node, +l.dataset.image])"
        )
        assert pairs == ([] if result.mapping is None else [[v, w] for v, w in enumerate(result.mapping.tolist())])
        if result.mapping is not None:  # corresponding nodes stand at corresponding places
            places = page.evaluate(
                """[...document.querySelectorAll('.side')].map(side => [...side.querySelectorAll('.node')]
                    .map(node => node.getAttribute('transform')))"""
            )
            assert places[0] == [places[1][image] for image in result.mapping.tolist()]


def test_recolorings_are_those_of_tinhofer_test() -> None:
    g, h, _ = PAIRS["petersen-copy"]
    story = wlt.explore(g, h, seed=5).story
    steps = wlt.tinhofer_test(g, h, seed=5).steps
    shown = [frame.pair for frame in story.frames if frame.kind == "recoloring"]
    assert shown == [(step.node_g, step.node_h) for step in steps]


def test_keys_buttons_and_slider_lead_to_the_same_steps(chromium: Any, tmp_path: Path) -> None:
    explorer = wlt.explore(nx.cycle_graph(6), two_triangles())
    last = len(explorer.story.frames) - 1
    with watched(chromium, **WIDE) as page:
        opened(page, explorer, tmp_path)

        def step() -> int:
            return int(page.locator(".explorer").get_attribute("data-step"))

        assert step() == 0
        page.keyboard.press("ArrowLeft")
        assert step() == 0
        page.keyboard.press("End")
        assert step() == last
        page.keyboard.press("ArrowRight")
        assert step() == last
        page.keyboard.press("ArrowLeft")
        assert step() == last - 1
        page.keyboard.press("Home")
        assert step() == 0
        page.keyboard.press(" ")  # plays: one step at once
        assert step() == 1
        page.keyboard.press(" ")  # and stops
        assert page.locator("[data-go=play]").text_content() == "play"
        page.click("[data-go=next]")
        assert step() == 2
        page.click("[data-go=back]")
        assert step() == 1
        page.click("[data-go=last]")
        assert step() == last
        at_end = shown_colors(page)
        page.click("[data-go=first]")
        assert step() == 0
        slider = page.locator("input[type=range]")
        slider.focus()
        page.keyboard.press("ArrowRight")
        assert step() == 1
        box = slider.bounding_box()
        page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
        assert step() == last
        assert shown_colors(page) == at_end


def test_playing_goes_on_to_the_end(chromium: Any, tmp_path: Path) -> None:
    explorer = wlt.explore(nx.path_graph(4), nx.star_graph(3))
    with watched(chromium, **WIDE) as page:
        page.clock.install()
        opened(page, explorer, tmp_path)
        page.click("[data-go=play]")
        assert page.locator("[data-go=play]").text_content() == "pause"
        for _ in explorer.story.frames:
            page.clock.run_for(1200)
        assert page.locator(".explorer").get_attribute("data-step") == str(len(explorer.story.frames) - 1)
        assert page.locator("[data-go=play]").text_content() == "play"


def test_a_chosen_class_is_explained_in_words(chromium: Any, tmp_path: Path) -> None:
    explorer = wlt.explore(nx.path_graph(5))
    with watched(chromium, **WIDE) as page:
        opened(page, explorer, tmp_path)
        assert "Choose a class" in page.locator(".words").text_content()
        page.keyboard.press("ArrowRight")
        page.click(".rows tr[data-class='1'] button")
        words = page.locator(".words").text_content()
        assert words == "Class 1 split off class 0 in WL round 1: each of its nodes has 1 neighbour in class 0."
        assert page.locator(".node:not(.other)").count() == 2
        page.locator(".node").nth(2).click()  # the middle, which is in class 0
        assert page.locator(".words").text_content().startswith("Class 0 kept its number")
        assert page.locator(".node:not(.other)").count() == 3
        page.locator(".node").nth(2).click()
        assert page.locator(".node.other").count() == 0


def test_nodes_can_be_dragged_and_their_lines_follow(chromium: Any, tmp_path: Path) -> None:
    g, h, options = PAIRS["labelled"]
    with watched(chromium, **WIDE) as page:
        opened(page, wlt.explore(g, h, **options), tmp_path)
        lines = "[...document.querySelectorAll('.side:nth-of-type(2) .line')].map(l => l.getAttribute('d'))"
        before = page.evaluate(lines)
        node = page.locator(".node").first
        box = node.locator("circle").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 20, y + 15, steps=4)
        page.mouse.up()
        moved = node.locator("circle").bounding_box()
        assert abs(moved["x"] - box["x"] - 20) < 1.5
        assert abs(moved["y"] - box["y"] - 15) < 1.5
        after = page.evaluate(lines)
        touching = page.evaluate(
            """[...document.querySelectorAll('.side:nth-of-type(2) .edge')]
                .filter(e => e.dataset.source === '0' || e.dataset.target === '0').length"""
        )
        assert sum(a != b for a, b in zip(before, after, strict=True)) == touching == 3
        assert page.locator(".node.other").count() == 0, "a drag is no click"
        # moved back to where it was, every line is what Python drew
        page.mouse.move(x + 20, y + 15)
        page.mouse.down()
        page.mouse.move(x, y, steps=4)
        page.mouse.up()
        numbers = [[float(n) for n in re.findall(r"-?[\d.]+", line or "")] for line in page.evaluate(lines)]
        drawn = [[float(n) for n in re.findall(r"-?[\d.]+", line or "")] for line in before]
        assert all(np.allclose(a, b, atol=1.0) for a, b in zip(numbers, drawn, strict=True))


def people() -> nx.MultiDiGraph[str]:
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for source, target, kind in [
        ("alice", "bob", "likes"),
        ("bob", "alice", "knows"),
        ("bob", "carol", "likes"),
        ("carol", "dave", "knows"),
        ("dave", "alice", "likes"),
        ("alice", "carol", "employs"),
        ("dave", "dave", "self"),
    ]:
        graph.add_edge(source, target, kind=kind)
    return graph


@pytest.mark.parametrize(
    "graph",
    [
        people(),
        nx.DiGraph([("root", "left"), ("root", "right"), ("left", "leaf one"), ("left", "leaf two")]),
        nx.DiGraph([("north", "south"), ("south", "north")]),
    ],
    ids=["people", "tree", "both-ways"],
)
def test_names_labels_and_nodes_do_not_touch(graph: Any, chromium: Any, tmp_path: Path) -> None:
    with watched(chromium, **WIDE) as page:
        opened(page, wlt.explore(graph), tmp_path)
        boxes = page.evaluate(
            """[...document.querySelectorAll('.side .name, .side .edge-label, .side .node circle')].map(shape => {
                const box = shape.getBoundingClientRect();
                return [shape.textContent || 'node', box.left, box.right, box.top + 2, box.bottom - 2]; })"""
        )
        for (one, *a), (other, *b) in combinations(boxes, 2):
            assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2], f"{one} touches {other}"
        stage = page.locator(".stage svg").bounding_box()
        for name, left, right, top, bottom in boxes:
            assert stage["x"] <= left < right <= stage["x"] + stage["width"], f"{name} is cut"
            assert stage["y"] <= top < bottom <= stage["y"] + stage["height"], f"{name} is cut"


def test_an_entry_of_the_mapping_is_one_line(chromium: Any, tmp_path: Path) -> None:
    names = {"alice": "a name that is longer than the panel of the answers is wide", "bob": "B"}
    with watched(chromium, **WIDE) as page:
        opened(page, wlt.explore(people(), nx.relabel_nodes(people(), names), edge_labels="kind"), tmp_path)
        page.keyboard.press("End")
        entries = page.locator(".pairs div")
        assert len({entries.nth(i).bounding_box()["height"] for i in range(entries.count())}) == 1
        assert entries.first.get_attribute("title") == f"alice → {names['alice']}"
        assert page.evaluate("(e => e.scrollWidth <= e.clientWidth)(document.querySelector('.pairs'))")


def test_all_of_a_long_mapping_can_be_reached(chromium: Any, tmp_path: Path) -> None:
    with watched(chromium, **WIDE) as page:
        opened(page, wlt.explore(nx.cycle_graph(90), nx.cycle_graph(90)), tmp_path)
        page.keyboard.press("End")
        room = page.locator(".pairs").bounding_box()
        for entry in page.locator(".pairs div").all()[::89]:  # the first and the last
            entry.scroll_into_view_if_needed()
            box = entry.bounding_box()
            assert room["x"] <= box["x"] < box["x"] + box["width"] <= room["x"] + room["width"] + 1
            assert room["y"] - 1 <= box["y"] < box["y"] + box["height"] <= room["y"] + room["height"] + 1


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_lines_of_the_mapping_stay_in_the_picture(size: dict[str, Any], chromium: Any, tmp_path: Path) -> None:
    long = nx.relabel_nodes(nx.cycle_graph(8), {i: f"the long name of node number {i}" for i in range(8)})
    with watched(chromium, **size) as page:
        opened(page, wlt.explore(long, long), tmp_path)
        page.keyboard.press("End")
        stage, *lines = page.evaluate(
            """[document.querySelector('.stage svg'), ...document.querySelectorAll('.link')].map(shape => {
                const box = shape.getBoundingClientRect();
                return [box.left, box.right, box.top, box.bottom]; })"""
        )
        assert len(lines) == 8
        for left, right, top, bottom in lines:
            assert stage[0] <= left <= right <= stage[1]
            assert stage[2] <= top <= bottom <= stage[3]


def test_names_and_labels_are_text(chromium: Any, tmp_path: Path) -> None:
    g = hostile()
    with watched(chromium, **WIDE) as page:
        opened(page, wlt.explore(g, g, edge_labels="kind", titles=("<b>G</b>", "'\"><script>")), tmp_path)
        page.keyboard.press("End")
        titles = page.evaluate(
            "[...document.querySelectorAll('.side:nth-of-type(2) .node title')].map(t => t.textContent)"
        )
        names = [title.removeprefix("node ").rpartition(", class ")[0] for title in titles]
        assert names == list(g)
        assert page.locator("main script:not(.story), img, b").count() == 0
        assert page.locator("h1").text_content() == "<b>G</b> and '\"><script>"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE, FRAME], ids=["wide", "phone", "frame"])
def test_it_fits_and_can_be_read(size: dict[str, Any], scheme: str, chromium: Any, tmp_path: Path) -> None:
    with watched(chromium, color_scheme=scheme, **size) as page:
        opened(page, wlt.explore(nx.cycle_graph(6), two_triangles()), tmp_path)
        page.keyboard.press("End")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["viewport"]["width"]
        boxes = [page.locator(".side").nth(i).bounding_box() for i in (0, 1)]
        beside = boxes[1]["x"] >= boxes[0]["x"] + boxes[0]["width"] - 1
        below = boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"] - 1
        assert (beside, below) == ((False, True) if size is PHONE else (True, False))
        ground, ink = page.evaluate("(s => [s.backgroundColor, s.color])(getComputedStyle(document.body))")
        light = [sum(map(int, re.findall(r"\d+", color)[:3])) for color in (ground, ink)]
        assert (light[0] > light[1] + 300) if scheme == "light" else (light[1] > light[0] + 300)
        assert page.locator(".node circle").first.bounding_box()["width"] > 12


def test_lines_of_large_graphs_can_be_seen(chromium: Any, tmp_path: Path) -> None:
    with watched(chromium, **PHONE) as page:
        opened(page, wlt.explore(nx.random_labeled_tree(500, seed=1)), tmp_path)
        pixels = "line => parseFloat(getComputedStyle(line).strokeWidth) * line.getScreenCTM().a"
        assert page.evaluate(f"({pixels})(document.querySelector('.line'))") > 0.7


def milliseconds(page: Any, key: str) -> float:
    """What a step takes that a key asks for."""
    return float(
        page.evaluate(
            """key => { const start = performance.now();
                document.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
                document.body.getBoundingClientRect(); return performance.now() - start; }""",
            key,
        )
    )


def test_500_nodes_take_less_than_a_second_a_step(chromium: Any, tmp_path: Path) -> None:
    g = wlt.as_graph(nx.path_graph(500))  # 249 rounds, then a recoloring: every node has a class of its own
    explorer = wlt.explore(g, shuffled(g))
    assert explorer.story.answers[-1][1] == "isomorphic"
    keys = ["End", "Home", *["ArrowRight"] * 5, "End", *["ArrowLeft"] * 5, "End"]
    with watched(chromium, **WIDE) as page:
        opened(page, explorer, tmp_path)
        # of every step, and the layout that follows it in the browser, the shortest of three: others use this machine
        spent = np.min([[milliseconds(page, key) for key in keys] for _ in range(3)], axis=0)
        assert spent.max() < 1000
        assert len(set(shown_colors(page))) == 500


def test_a_notebook_shows_the_page_in_a_frame(chromium: Any, tmp_path: Path) -> None:
    explorer = wlt.explore(nx.cycle_graph(6), two_triangles())
    (tmp_path / "notebook.html").write_text(f"<!DOCTYPE html><body>{explorer._repr_html_()}</body>", "utf-8")
    with watched(chromium, **WIDE) as page:
        page.goto((tmp_path / "notebook.html").as_uri())
        frame = page.frame_locator("iframe")
        frame.locator("[data-go=last]").click()
        assert frame.locator("h2.title").text_content() == "The graphs are non-isomorphic"
