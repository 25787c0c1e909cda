"""Mode `colors`: what integer colours separate, exactly.

Policies one, draws:K and all have the same distribution of outcomes to be told apart, the multiset over all draws
(`distributions`). Where classes tie for the largest, the paper takes the one with the largest message; here it is the
one with the largest colour, in the numbering by first appearance in the graphs that are compared, as in `refine_once`.
Without a structure the depth is unlimited: colours are stable before and after every recoloring.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from wlt.expressiveness.benchmarks import Benchmark
from wlt.expressiveness.policy import Policy
from wlt.expressiveness.result import Part, Separation
from wlt.graph import Graph
from wlt.graphs import rank_rows
from wlt.recoloring import kernels as recoloring_kernels
from wlt.recoloring.choice import CanonicalChoice
from wlt.recoloring.names import recolored_names
from wlt.recoloring.outcomes import Outcomes, color_words, equal_multisets, recoloring_outcomes
from wlt.refine.partition import Colors
from wlt.refine.rounds import colors_after
from wlt.structure import Structure

Classes = NDArray[np.int64]  # [graphs] equal numbers: graphs that are not told apart

OUTCOMES_BUDGET = 20_000_000_000
"""Nodes and edges that may be visited for one group of graphs: about a minute."""


def separate_colors(
    benchmark: Benchmark, policy: Policy, structure: Structure | None = None, seed: int = 0
) -> Separation:
    """Which pairs does the policy tell apart, exactly? As a control every graph has a relabelled copy beside it.

    structure: None is unlimited depth, with one recoloring; policy canonical then recolours until every node has its
    own colour. `seed` relabels the copies."""
    if policy.recolor == 0.5:
        raise ValueError("mode colors: policy half has too many draws to enumerate; use one, all or canonical")
    start = time.perf_counter()
    copies = benchmark.relabelled(seed)
    union = Graph.union([benchmark.graphs, copies.graphs])
    colors = np.concatenate([benchmark.colors, copies.colors])
    details: dict[str, object] = {}
    if policy.recolor in (None, "canonical"):
        classes = canonical_classes(union, colors, policy, structure)
    else:
        classes, ties = _distribution_classes(union, colors, benchmark, structure)
        if ties is not None:
            details["separated_by_every_tie_and_by_some"] = ties
    parts: dict[str, Part] = {}
    for part, group in zip(benchmark.parts, benchmark.groups, strict=True):
        same = classes[group] == classes[group + benchmark.graphs.num_graphs]
        counted = Part(num_pairs(len(group)), _separated(classes[group]), len(group), int((~same).sum()))
        parts[part] = parts.get(part, Part(0, 0, 0, 0)) + counted
    depth = "unlimited depth" if structure is None else str(structure)
    return Separation(benchmark.name, "colors", policy.name, depth, parts, time.perf_counter() - start, details)


def num_pairs(graphs: int) -> int:
    return graphs * (graphs - 1) // 2


def _separated(classes: Classes) -> int:
    alike = np.unique(classes, return_counts=True)[1]
    return num_pairs(len(classes)) - int((alike * (alike - 1) // 2).sum())


def canonical_classes(graphs: Graph, colors: Colors, policy: Policy, structure: Structure | None) -> Classes:
    """Which graphs have the same colours in the end, with the node to recolour chosen by `canonical`, or none."""
    names = colors.astype(np.uint64)
    choose = CanonicalChoice()
    parts = None if structure is None else [len(part) for part in structure.rstrip("r").split("r")]
    colors = colors_after(graphs, colors, None if parts is None else parts[0])
    recolorings = 0
    while policy.recolor is not None and (parts is None or recolorings + 1 < len(parts)):
        bounds, nodes = recoloring_kernels.nodes_of_largest_classes(
            graphs.starts, colors, int(colors.max(initial=-1)) + 1
        )
        if not len(nodes):
            break
        chosen = choose(graphs, names, bounds, nodes)
        recolorings += 1
        colors = colors.copy()
        colors[chosen] += int(colors.max()) + 1
        colors = np.unique(colors, return_inverse=True)[1].astype(np.int32)
        names = recolored_names(names, chosen, recolorings)
        colors = colors_after(graphs, colors, None if parts is None else parts[recolorings])
    if policy.recolor is None and parts is not None:
        colors = colors_after(graphs, colors, sum(parts[1:]))
    return equal_multisets(graphs.starts, colors)


def _distribution_classes(
    graphs: Graph, colors: Colors, benchmark: Benchmark, structure: Structure | None
) -> tuple[Classes, list[int] | None]:
    """Which graphs of a group, and which copies of these, have the same distribution of outcomes?

    Graphs that WL tells apart at that depth are different anyway; the others are compared group by group. With one
    recoloring, also how many pairs are separated whichever of the classes that tie is taken, and by some of them."""
    half = benchmark.graphs.num_graphs
    depth = None if structure is None else structure.depth
    classes = equal_multisets(graphs.starts, colors_after(graphs, colors, depth))
    by_every = by_some = sum(_separated(classes[group]) for group in benchmark.groups)
    count = int(classes.max()) + 1
    for group in benchmark.groups:
        alike, sizes = np.unique(classes[group], return_counts=True)
        for wl_class in alike[sizes > 1]:
            originals = group[classes[group] == wl_class]
            both = np.concatenate([originals, originals + half])
            found, by_ties = _outcome_classes(graphs.take(both), colors[graphs.nodes_of(both)], structure)
            classes[both] = count + found
            count += int(found.max()) + 1
            apart = by_ties[:, : len(originals), None] != by_ties[:, None, : len(originals)]  # [ties, graphs, graphs]
            by_every += int(apart.all(axis=0).sum()) // 2
            by_some += int(apart.any(axis=0).sum()) // 2
    one = structure is None or structure.rstrip("r").count("r") == 1
    return classes, [by_every, by_some] if one else None


def _outcome_classes(graphs: Graph, colors: Colors, structure: Structure | None) -> tuple[Classes, NDArray[np.int64]]:
    """Which graphs have the same distribution of outcomes? And with each class that ties at the first recoloring."""
    enough = int(graphs.graph_sizes.max())  # rounds
    before, *after = [enough, enough] if structure is None else [len(part) for part in structure.rstrip("r").split("r")]
    colors = colors_after(graphs, np.unique(colors, return_inverse=True)[1].astype(np.int32), before)
    if not after:
        classes = equal_multisets(graphs.starts, colors)
        return classes, classes[None]
    which = np.arange(graphs.num_graphs)
    found = recoloring_outcomes(graphs, which, colors, after, OUTCOMES_BUDGET)
    if found is None:
        raise ValueError(f"structure {structure}: too many outcomes to enumerate; use fewer recolorings, or canonical")
    ties = [_classes_of(found, found.steps[:, 0, 1] == word) for word in np.unique(found.steps[:, 0, 1])]
    return _classes_of(found, _largest_color_chosen(found, colors)), np.array(ties)


def _classes_of(found: Outcomes, kept: NDArray[np.bool_]) -> Classes:
    """Which graphs have the same multiset of outcomes, of those that are kept?"""
    _, outcomes = rank_rows(found.histograms[kept])
    place = np.concatenate([[0], np.cumsum(kept)])
    return equal_multisets(place[found.bounds], outcomes)


def _largest_color_chosen(found: Outcomes, colors: Colors) -> NDArray[np.bool_]:
    """[outcomes] Was, at every recoloring, the tie for the largest class won by the largest colour (later: word)?"""
    words, first = np.unique(color_words(colors)[0], return_index=True)
    kept = np.ones(len(found.ways), np.bool_)
    for level in range(found.steps.shape[1]):
        state, chosen = found.steps[:, level].T
        if level == 0:
            known = np.searchsorted(words, chosen).clip(max=len(words) - 1)
            chosen = np.where(words[known] == chosen, colors[first[known]] + 1, 0).astype(np.uint64)
        _, state_index = np.unique(state, return_inverse=True)
        largest = np.zeros(int(state_index.max(initial=-1)) + 1, np.uint64)
        np.maximum.at(largest, state_index, chosen)
        kept &= chosen == largest[state_index]
    return kept
