"""Mode `colors`: what integer colours separate, exactly.

"one", "draws:K" and "all" ask the same question here: do two graphs have the same multiset of outcomes over all draws
(`wlt.recoloring.outcomes`)? Where classes tie for the largest, the paper takes the one with the largest message; here
it is the one with the largest colour, numbered by first appearance in the graphs that are compared, as in
`refine_once`. "nodes" asks it about all nodes of the graph; nothing ties there. Without a structure, depth is
unlimited: colours are stable before and after every recoloring.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wlt.expressiveness.benchmarks import Benchmark, num_pairs
from wlt.expressiveness.result import Outcome, Part
from wlt.graph import Graph
from wlt.graphs import Graphs, rank_rows
from wlt.recolor import Recolor
from wlt.recoloring import kernels as recoloring_kernels
from wlt.recoloring.choice import CanonicalChoice
from wlt.recoloring.names import recolored_names
from wlt.recoloring.outcomes import Outcomes, color_words, equal_multisets, recoloring_outcomes
from wlt.refine.partition import Colors
from wlt.refine.rounds import colors_after
from wlt.structure import Structure

Classes = NDArray[np.int64]  # [graphs] equal numbers: graphs that are not told apart

OUTCOMES_BUDGET = 20_000_000_000
"""About a minute."""


def separate_colors(
    benchmark: Benchmark,
    recolor: Recolor | None,
    structure: Structure | None = None,
    seed: int = 0,
    *,
    budget: int = OUTCOMES_BUDGET,
) -> tuple[list[Outcome], dict[str, object]]:
    """Which pairs does recoloring tell apart, exactly? As a control, every graph is compared with a relabelled copy.

    recolor: None is WL alone. structure: None is unlimited depth, with one recoloring; canonical recoloring then goes
    on until every node has its own colour. seed: relabels the copies. budget: nodes and edges that may be visited for
    one group of graphs, to enumerate the outcomes of random recoloring."""
    if recolor is not None and (recolor.kind == "share" or recolor.number > 1):
        raise ValueError(
            f"mode colors: policy {recolor} has too many draws to enumerate; use one, all, nodes or canonical"
        )
    copies = benchmark.relabelled(seed)
    union = Graph.union([benchmark.graphs.union, copies.graphs.union])
    colors = np.concatenate([initial_colors(benchmark.graphs), initial_colors(copies.graphs)])
    details: dict[str, object] = {}
    if recolor is None:
        depth = None if structure is None else structure.depth
        classes = equal_multisets(union.starts, colors_after(union, colors, depth))
    elif recolor.kind == "canonical":
        classes = _canonical_classes(union, colors, structure)
    else:
        every_node = recolor.kind == "nodes"
        classes, ties = _distribution_classes(union, colors, benchmark, structure, budget, every_node)
        if ties is not None:
            details["separated_by_every_tie_and_by_some"] = ties
    outcomes = []
    for part, group in zip(benchmark.parts, benchmark.groups, strict=True):
        same = classes[group] == classes[group + len(benchmark.graphs)]
        counted = Part(num_pairs(len(group)), _separated(classes[group]), len(group), int((~same).sum()))
        outcomes.append(Outcome(part, counted, "colours"))
    return outcomes, details


def initial_colors(graphs: Graphs) -> Colors:
    """The nodes' colours before the first round: what they carry, or one colour for all."""
    return np.zeros_like(graphs.codes) if graphs.kind == "degrees" else graphs.codes


def _separated(classes: Classes) -> int:
    alike = np.unique(classes, return_counts=True)[1]
    return num_pairs(len(classes)) - int((alike * (alike - 1) // 2).sum())


def _canonical_classes(graphs: Graph, colors: Colors, structure: Structure | None) -> Classes:
    """Which graphs have the same colours after the last round, with canonical recolorings?"""
    names = colors.astype(np.uint64)
    choose = CanonicalChoice()
    blocks = None if structure is None else structure.blocks
    colors = colors_after(graphs, colors, None if blocks is None else blocks[0])
    recolorings = 0
    while blocks is None or recolorings + 1 < len(blocks):
        num_colors = int(colors.max(initial=-1)) + 1
        bounds, nodes = recoloring_kernels.nodes_of_largest_classes(graphs.starts, colors, num_colors)
        if not len(nodes):
            break
        chosen = choose(graphs, names, bounds, nodes)
        recolorings += 1
        colors = colors.copy()
        colors[chosen] += num_colors
        colors = np.unique(colors, return_inverse=True)[1].astype(np.int32)
        names = recolored_names(names, chosen, recolorings)
        colors = colors_after(graphs, colors, None if blocks is None else blocks[recolorings])
    return equal_multisets(graphs.starts, colors)


def _distribution_classes(
    graphs: Graph, colors: Colors, benchmark: Benchmark, structure: Structure | None, budget: int, every_node: bool
) -> tuple[Classes, list[int] | None]:
    """Which graphs of a group, and which of their copies, have the same distribution of outcomes?

    Graphs that WL tells apart at that depth differ anyway; the others are compared group by group. With one recoloring
    of the largest class, the list counts the pairs separated by every choice among the classes that tie, and by at
    least one choice."""
    half = len(benchmark.graphs)
    depth = None if structure is None else structure.depth
    classes = equal_multisets(graphs.starts, colors_after(graphs, colors, depth))
    by_every = by_some = sum(_separated(classes[group]) for group in benchmark.groups)
    count = int(classes.max()) + 1
    for group in benchmark.groups:
        alike, sizes = np.unique(classes[group], return_counts=True)
        for wl_class in alike[sizes > 1]:
            originals = group[classes[group] == wl_class]
            both = np.concatenate([originals, originals + half])
            alike_colors = colors[graphs.nodes_of(both)]
            outcome_classes, by_ties = _outcome_classes(graphs.take(both), alike_colors, structure, budget, every_node)
            classes[both] = count + outcome_classes
            count += int(outcome_classes.max()) + 1
            apart = by_ties[:, : len(originals), None] != by_ties[:, None, : len(originals)]  # [ties, graphs, graphs]
            by_every += int(apart.all(axis=0).sum()) // 2
            by_some += int(apart.any(axis=0).sum()) // 2
    one = structure is None or len(structure.blocks) == 2
    return classes, [by_every, by_some] if one and not every_node else None


def _outcome_classes(
    graphs: Graph, colors: Colors, structure: Structure | None, budget: int, every_node: bool
) -> tuple[Classes, NDArray[np.int64]]:
    """Which graphs have the same distribution of outcomes? [graphs]; and [ties, graphs] however the tie is broken."""
    enough = int(graphs.graph_sizes.max())  # rounds
    before, *after = (enough, enough) if structure is None else structure.blocks
    colors = colors_after(graphs, np.unique(colors, return_inverse=True)[1].astype(np.int32), before)
    if not after:
        classes = equal_multisets(graphs.starts, colors)
        return classes, classes[None]
    which = np.arange(graphs.num_graphs)
    outcomes = recoloring_outcomes(graphs, which, colors, after, budget, every_node)
    if outcomes is None:
        raise ValueError(f"structure {structure}: too many outcomes to enumerate; use fewer recolorings, or canonical")
    if every_node:
        classes = _classes_of(outcomes, np.ones(len(outcomes.ways), np.bool_))
        return classes, classes[None]
    ties = [_classes_of(outcomes, outcomes.steps[:, 0, 1] == word) for word in np.unique(outcomes.steps[:, 0, 1])]
    return _classes_of(outcomes, _largest_color_chosen(outcomes, colors)), np.array(ties)


def _classes_of(outcomes: Outcomes, kept: NDArray[np.bool_]) -> Classes:
    """Which graphs have the same multiset of outcomes, counting only those that are kept?"""
    _, ranks = rank_rows(outcomes.histograms[kept])
    place = np.concatenate([[0], np.cumsum(kept)])
    return equal_multisets(place[outcomes.bounds], ranks)


def _largest_color_chosen(outcomes: Outcomes, colors: Colors) -> NDArray[np.bool_]:
    """[outcomes] Did every recoloring break the tie for the largest class by the largest colour (later ones: word)?"""
    words, first = np.unique(color_words(colors)[0], return_index=True)
    kept = np.ones(len(outcomes.ways), np.bool_)
    for level in range(outcomes.steps.shape[1]):
        state, chosen = outcomes.steps[:, level].T
        if level == 0:
            known = np.searchsorted(words, chosen).clip(max=len(words) - 1)
            chosen = np.where(words[known] == chosen, colors[first[known]] + 1, 0).astype(np.uint64)
        _, state_index = np.unique(state, return_inverse=True)
        largest = np.zeros(int(state_index.max(initial=-1)) + 1, np.uint64)
        np.maximum.at(largest, state_index, chosen)
        kept &= chosen == largest[state_index]
    return kept
