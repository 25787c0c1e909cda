"""What happens to one graph or two, step by step: every WL round and every recoloring of Tinhofer's algorithm.

Nothing is refined here. A round is `refine_once` of the colours before it, a recoloring is a step that Tinhofer's
algorithm recorded, and what they lead to is checked against the results of `isomorphism`. Only the numbers of classes
are this module's own: when a class splits, its largest part keeps its number, so that a picture changes as little as
possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.arcs import IN, OUT, PLAIN, ArcLabel
from wlt.compare.exact import IsomorphismResult, isomorphism
from wlt.compare.meaning import answers, meaning
from wlt.compare.pair import Pair, Verdict, as_pair, not_looked_at
from wlt.compare.tinhofer import RecoloringStep
from wlt.drawing.picture import short, text_of
from wlt.graph import Graph
from wlt.io import as_graph, labels_of, node_codes
from wlt.refine.partition import Colors, as_colors
from wlt.refine.rounds import refine_once
from wlt.wording import count

MOST_PARTS = 8
"""Parts of a signature, and classes that split, that a sentence tells."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One step: the colours after it, and what is said about it."""

    kind: str
    """start, round, stable, recoloring or end"""
    title: str
    text: str
    colors: Colors
    """[nodes of all graphs] The class of every node."""
    words: Mapping[int, str] = field(default_factory=dict)
    """For classes that are made in this step: what their nodes have in common, and no node of another class has."""
    chosen: int | None = None
    """The class that a recoloring chose."""
    pair: tuple[int, int] | None = None
    """The nodes of g and of h that it recoloured."""


@dataclass(frozen=True, eq=False)
class Story:
    graphs: tuple[Graph, ...]
    frames: tuple[Frame, ...]
    answers: tuple[tuple[str, str, str, str], ...]
    """About two graphs: test, answer, what it took, what it is worth."""
    conclusion: str
    ignored: tuple[str, ...]
    """What the graphs have besides and was not looked at."""
    mapping: NDArray[np.int64] | None = None
    """From the nodes of g to those of h, if they are isomorphic."""


def story_of_one(
    g: Any, *, node_labels: ArrayLike | str | None = None, edge_labels: Hashable = "auto", simple: bool = False
) -> Story:
    """The rounds of WL on one graph."""
    graph = as_graph(g, edge_labels=edge_labels, simple=simple)
    if graph.num_graphs != 1:
        raise ValueError(f"a disjoint union of {graph.num_graphs} graphs; explore one of them, such as graph[0]")
    colors = as_colors(labels_of(g, node_labels), graph)
    values = _values_of([g], node_labels) if isinstance(node_labels, str) else None
    frames = [_start(graph, colors, values), *_rounds(graph, colors, graph.num_nodes, "WL round")]
    colors = frames[-1].colors
    conclusion = (
        "Every node has a class of its own: WL tells this graph from every graph that differs."
        if _number_of(colors) == graph.num_nodes
        else "WL cannot tell the nodes of one class apart. wlt inspect says how far its answers about this graph can "
        "be trusted."
    )
    rounds = count(len(frames) - 1, "round")
    frames.append(Frame("end", f"Stable after {rounds}: the next round splits no class", conclusion, colors))
    return Story((graph,), tuple(frames), (), conclusion, graph.ignored)


def story_of_two(
    g: Any,
    h: Any,
    *,
    node_labels: Sequence[ArrayLike] | str | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
    seed: int = 0,
    values: Sequence[Hashable] | None = None,
) -> Story:
    """The rounds of WL on two graphs, the recolorings of Tinhofer's algorithm, and the answer.

    values: what the label of every node of both graphs is called, where node_labels are only numbers."""
    left, right = (as_graph(source, edge_labels=edge_labels, simple=simple) for source in (g, h))
    if isinstance(node_labels, str):
        values = _values_of([g, h], node_labels)
        node_labels, _ = node_codes([g, h], node_labels)
    pair = as_pair(left, right, node_labels)
    result = isomorphism(left, right, node_labels=node_labels, seed=seed)
    frames = [_start(pair.graph, pair.colors, values)]
    if _balanced(pair.colors, pair.border):
        frames += _rounds(pair.graph, pair.colors, pair.border, "WL round")
    balanced = _balanced(frames[-1].colors, pair.border)
    _check(balanced == (result.wl.verdict is Verdict.POSSIBLY_ISOMORPHIC), "wl_test")
    if balanced:
        _check(_same_partition(frames[-1].colors, np.concatenate(result.wl.colors)), "wl_test")
        frames.append(_stable(frames[-1].colors, len(frames) - 1))
        frames += _recolorings(pair, (left, right), frames[-1].colors, result)
    frames.append(Frame("end", _verdict(result), meaning(result), frames[-1].colors))
    rows = tuple((name, str(verdict), took, worth) for name, verdict, took, worth in answers(result))
    return Story((left, right), tuple(frames), rows, meaning(result), result.ignored, result.mapping)


def _start(graph: Graph, colors: Colors, values: Sequence[Hashable] | None) -> Frame:
    classes = _number_of(colors)
    if classes < 2:
        return Frame("start", "Start: all nodes look alike", "Every node is in class 0.", colors)
    words = {}
    if values is not None:
        for number in range(classes):
            node = int(np.argmax(colors == number))
            words[number] = (
                f"Class {number}: the nodes with the label {short(text_of(values[node]))}{_loops(graph, node)}."
            )
    text = "Nodes are told apart by their labels" + (" and loops." if len(graph.loops) else ".")
    return Frame("start", f"Start: {classes} classes", text, colors, words)


def _loops(graph: Graph, node: int) -> str:
    loops = len(graph.loop_labels[graph.loops[node]]) if len(graph.loops) else 0
    return f" and {count(loops, 'loop')}" if loops else ""


def _verdict(result: IsomorphismResult) -> str:
    """The answer as a title; not certain about what was not looked at."""
    if not result.certain:
        return "Undecided"
    return f"The graphs{not_looked_at(result.ignored)}{',' if result.ignored else ''} are {result.verdict}"


def _stable(colors: Colors, rounds: int) -> Frame:
    text = (
        "Every class has as many nodes of G as of H, so WL cannot tell the graphs apart: possibly isomorphic, which is "
        "not certain."
    )
    return Frame("stable", f"Stable after {count(rounds, 'round')}: the next round splits no class", text, colors)


def _rounds(graph: Graph, colors: Colors, border: int, name: str) -> Iterator[Frame]:
    """Rounds until no class splits, or until a class has not as many nodes below the border as above it."""
    number = 0
    while True:
        new = _renumbered(colors, refine_once(graph, node_labels=colors)[0])
        before, after = _number_of(colors), _number_of(new)
        if after == before:
            return
        number += 1
        words = _signatures(graph, colors, new, f"{name} {number}")
        split = sorted(set(colors[np.isin(new, list(words))].tolist()))
        text = f"{_listed_classes(split)} split, because nodes of one class have different neighbours."
        yield Frame(
            "round", f"{name} {number}: {before} → {after} classes", text + _difference(new, border), new, words
        )
        if border < graph.num_nodes and not _balanced(new, border):
            return
        colors = new


def _recolorings(pair: Pair, graphs: tuple[Graph, Graph], colors: Colors, result: IsomorphismResult) -> Iterator[Frame]:
    """Tinhofer's algorithm from the stable colours on, as its recorded steps say."""
    tinhofer = result.tinhofer
    for i, step in enumerate(tinhofer.steps, start=1):
        frame = _recoloring(i, step, pair, graphs, colors)
        yield frame
        colors = frame.colors
        for frame in _rounds(pair.graph, colors, pair.border, f"After recoloring {i}, round"):
            yield frame
            colors = frame.colors
        rejected = tinhofer.mapping is None and i == len(tinhofer.steps)
        _check(_balanced(colors, pair.border) != rejected, "tinhofer_test")
        _check(rejected or _number_of(colors) == step.classes, "tinhofer_test")


def _recoloring(number: int, step: RecoloringStep, pair: Pair, graphs: tuple[Graph, Graph], colors: Colors) -> Frame:
    nodes = step.node_g, pair.border + step.node_h
    chosen, other = (int(colors[node]) for node in nodes)
    _check(chosen == other, "tinhofer_test")
    new = colors.copy()
    new[list(nodes)] = fresh = _number_of(colors)
    u, v = (_name(graph, node) for graph, node in zip(graphs, (step.node_g, step.node_h), strict=True))
    text = (
        f"Class {chosen} has several nodes of each graph. One of each, drawn at random, gets the new colour {fresh}: "
        f"node {u} of G and node {v} of H. It is a guess that an isomorphism takes {u} to {v}."
    )
    words = {
        fresh: f"Class {fresh}: node {u} of G and node {v} of H, taken out of class {chosen} by recoloring {number}."
    }
    pair_of_nodes = (step.node_g, step.node_h)
    return Frame("recoloring", f"Recoloring {number}: {u} of G and {v} of H", text, new, words, chosen, pair_of_nodes)


def _renumbered(old: Colors, new: Colors) -> Colors:
    """The new classes, numbered so that the largest part of every old class keeps its number."""
    sizes = np.bincount(new)
    first = np.unique(new, return_index=True)[1]
    parent = old[first]
    order = np.lexsort((first, -sizes, parent))
    keeps = np.diff(parent[order], prepend=-1) != 0  # the first of every parent
    numbers = np.empty(len(sizes), np.int32)
    numbers[order[keeps]] = parent[order[keeps]]
    numbers[order[~keeps]] = _number_of(old) + np.arange(np.count_nonzero(~keeps))
    renumbered: Colors = numbers[new]
    return renumbered


def _signatures(graph: Graph, old: Colors, new: Colors, when: str) -> dict[int, str]:
    """For every part of a class that was split, the neighbours that its nodes have, in words."""
    parts = np.unique(np.stack([old, new]), axis=1).T
    splits = np.bincount(parts[:, 0]) > 1
    words = {}
    for parent, part in parts[splits[parts[:, 0]]].tolist():
        node = int(np.argmax(new == part))
        origin = "kept its number when it split" if part == parent else f"split off class {parent}"
        words[part] = f"Class {part} {origin} in {_small(when)}: each of its nodes has {_neighbors(graph, old, node)}."
    return words


def _small(when: str) -> str:
    """A title as it stands inside a sentence.

    >>> _small("WL round 2"), _small("After recoloring 1, round 3")
    ('WL round 2', 'round 3 after recoloring 1')
    """
    recoloring, _, number = when.partition(", round ")
    return f"round {number} {recoloring[0].lower()}{recoloring[1:]}" if number else when


def _neighbors(graph: Graph, colors: Colors, node: int) -> str:
    """The neighbours of a node by class, and by what the edges carry."""
    entries = slice(*graph.offsets[node : node + 2].tolist())
    classes = colors[graph.neighbors[entries]].tolist()
    arcs = graph.arcs[entries].tolist() if len(graph.arcs) else [-1] * len(classes)
    counts = Counter(zip(classes, arcs, strict=True))
    if not counts:
        return "no neighbours"
    parts = [
        f"{number} in class {color}" + ("" if arc < 0 else by_edges(graph.arc_labels[arc]))
        for (color, arc), number in sorted(counts.items())
    ]
    more = f" and {len(parts) - MOST_PARTS} kinds more" if len(parts) > MOST_PARTS else ""
    first, *others = parts[:MOST_PARTS]
    word = " neighbour in" if first.startswith("1 ") else " neighbours in"
    told = [first.replace(" in", word, 1), *others]
    return (", ".join(told) if more else " and ".join(filter(None, [", ".join(told[:-1]), told[-1]]))) + more


def by_edges(label: ArcLabel) -> str:
    """What joins two nodes, as it follows the name of the neighbour.

    >>> by_edges(PLAIN), by_edges((("out", None),)), by_edges((("both", "double"), ("in", "x")))
    ('', ' by an arrow to it', ' by an edge labelled double and an arrow from it labelled x')
    """
    if label == PLAIN:
        return ""
    shapes = {OUT: "an arrow to it", IN: "an arrow from it"}
    edges = [
        shapes.get(direction, "an edge") + ("" if value is None else f" labelled {short(text_of(value))}")
        for direction, value in label
    ]
    return f" by {' and '.join(edges)}"


def _difference(colors: Colors, border: int) -> str:
    """Where the graphs differ, if they do."""
    if border == len(colors) or _balanced(colors, border):
        return ""
    k = _number_of(colors)
    left, right = np.bincount(colors[:border], minlength=k), np.bincount(colors[border:], minlength=k)
    where = int(np.argmax(left != right))
    return f" Now class {where} has {count(int(left[where]), 'node')} of G and {right[where]} of H: the graphs differ."


def _listed_classes(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:MOST_PARTS]))
    more = f" and {len(numbers) - MOST_PARTS} more" if len(numbers) > MOST_PARTS else ""
    return f"Class {shown}" if len(numbers) == 1 else f"Classes {shown}{more}"


def _values_of(sources: Sequence[Any], attribute: str) -> list[Hashable]:
    """The value of a node attribute at every node of all graphs."""
    codes, table = node_codes(sources, attribute)
    values = {code: value for value, code in table.items()}
    return [values[code] for code in np.concatenate(codes).tolist()]


def _name(graph: Graph, node: int) -> str:
    return short(str(graph.names[node])) if graph.names else str(node)


def _balanced(colors: Colors, border: int) -> bool:
    return np.array_equal(np.sort(colors[:border]), np.sort(colors[border:]))


def _same_partition(colors: Colors, others: Colors) -> bool:
    both = len(np.unique(np.stack([colors, others]), axis=1).T) if len(colors) else 0
    return both == _number_of(colors) == len(np.unique(others))


def _number_of(colors: Colors) -> int:
    return int(colors.max(initial=-1)) + 1


def _check(agrees: bool, test: str) -> None:
    if not agrees:
        raise AssertionError(f"the steps shown are not those of {test}: this is a bug in wlt, please report it")
