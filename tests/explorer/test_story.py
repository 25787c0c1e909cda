"""The steps that the explorer shows, without a browser: they end where the tests end, and say what is so."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wlt
from strategies import graphs, relabeled_graphs
from wlt.cli import main


@given(graphs(9), graphs(9), st.integers(0, 3))
def test_the_steps_of_any_two_graphs_end_with_the_answer(g: wlt.Graph, h: wlt.Graph, seed: int) -> None:
    story = wlt.explore(g, h, seed=seed).story
    wl, result = wlt.wl_test(g, h), wlt.isomorphism(g, h, seed=seed)
    assert sum(frame.title.startswith("WL round") for frame in story.frames) == wl.rounds
    assert story.answers[0][1] == str(wl.verdict)
    assert story.answers[-1][1] == str(result.verdict)
    numbers = [frame.colors.max(initial=-1) for frame in story.frames]
    assert numbers == sorted(numbers)


@given(relabeled_graphs(9))
def test_copies_are_mapped(pair: tuple[wlt.Graph, wlt.Graph, list[int], list[int], list[int]]) -> None:
    g, h, mine, theirs, _ = pair
    story = wlt.explore(g, h, node_labels=[mine, theirs]).story
    assert story.mapping is not None
    assert np.array_equal(np.array(mine), np.array(theirs, dtype=np.int64)[story.mapping])


@given(graphs(10))
def test_one_graph_ends_with_its_stable_colours(g: wlt.Graph) -> None:
    shown, stable = wlt.explore(g).story.frames[-1].colors.tolist(), wlt.closure(g).tolist()
    assert len(set(zip(shown, stable, strict=True))) == len(set(shown)) == len(set(stable))


def test_a_class_that_does_not_split_keeps_its_number() -> None:
    frames = wlt.explore(nx.path_graph(9)).story.frames
    for before, after in pairwise(frames):
        for number in set(before.colors.tolist()):
            parts = after.colors[before.colors == number]
            assert number in parts
            assert (parts == number).sum() == max(np.bincount(parts))


def test_signatures_tell_labels_and_directions_apart() -> None:
    graph = nx.MultiDiGraph()
    graph.add_edge(0, 1, kind="x")
    graph.add_edge(2, 1, kind="y")
    words = " ".join(wlt.explore(graph, edge_labels="kind").story.frames[1].words.values())
    assert "1 neighbour in class 0 by an arrow to it labelled x" in words
    assert "1 neighbour in class 0 by an arrow to it labelled y" in words
    assert "by an arrow from it labelled x and 1 in class 0 by an arrow from it labelled y" in words


def test_named_labels_are_told() -> None:
    water = nx.path_graph(3)
    nx.set_node_attributes(water, dict(enumerate("HOH")), "atom")
    start = wlt.explore(water, node_labels="atom").story.frames[0]
    assert sorted(start.words.values()) == [
        "Class 0: the nodes with the label H.",
        "Class 1: the nodes with the label O.",
    ]


def test_what_was_not_looked_at_is_on_the_page() -> None:
    weighted = nx.Graph()
    weighted.add_edge(0, 1, weight=2.5)
    explorer = wlt.explore(weighted, weighted)
    assert "weight" in explorer.story.frames[-1].text
    assert "Not looked at: the edge attribute &#x27;weight&#x27;." in explorer.html


def test_too_large_graphs_are_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"H has 501 nodes; the explorer draws up to 500; wlt compare and wlt inspect"):
        wlt.explore((500, []), (501, []))
    with pytest.raises(ValueError, match="G has 5050 edges"):
        wlt.explore(nx.complete_graph(101))
    with pytest.raises(ValueError, match="1 titles for 2 graphs"):
        wlt.explore("A_", "A_", titles=("one",))
    with pytest.raises(ValueError, match=r"union of 2 graphs; explore one of them"):
        wlt.explore(wlt.Graph.union([wlt.as_graph("A_")] * 2))


def test_empty_graphs_have_a_page_too() -> None:
    assert "isomorphic" in wlt.explore((0, []), (0, [])).html


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    with pytest.raises(SystemExit) as ended:
        main(["explore", "EhEG", "EwCW", "--html", str(page), "--no-open"])
    assert not ended.value.code
    assert str(page) in capsys.readouterr().out
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_the_command_opens_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr("webbrowser.open", seen.append)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(SystemExit):
        main(["explore", "EhEG"])
    (address,) = seen
    assert address.startswith("file://")
    assert address.endswith("explore.html")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["EhEG", "--html", "."], "is a folder; --html names a file"),
        (["EhEG", "--html", "nowhere/page.html"], "there is no folder"),
        (["EhEG", "EwCW", "--node-labels", "atom"], "has no named node attributes"),
        (["missing.g6"], "there is no file missing.g6"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["explore", *arguments, "--no-open"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1
