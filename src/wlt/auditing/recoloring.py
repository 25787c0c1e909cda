"""What WLT-GNN separates, computed on integer colours, for one recoloured node at each r.

An outcome of a draw is the histogram of the final colours. Two graphs count as the same iff no weights give them
different distributions of outcomes: these agree for every class that may be chosen among those that tie for the
largest, which is up to the messages, that is the weights. All that is said of WLT-GNN is therefore an upper bound:
weights that separate one pair of graphs need not separate another. With a single r and no ties it is exact; only a
structure that begins with r may separate less, since its recoloured nodes forget their initial colour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from wlt.auditing.bounds import Bound, Classes, Labels, Numbers, bound, label_counts, most_correct, number_of
from wlt.graphs import Graphs, rank_rows
from wlt.recoloring.kernels import COST_OF_A_GRAPH
from wlt.recoloring.outcomes import equal_multisets, recoloring_outcomes
from wlt.refine.partition import as_colors
from wlt.refine.rounds import colors_after

RECOLORING_BUDGET = 1_000_000_000
"""Nodes and edges that may be visited to find out what recoloring separates: some seconds."""


def recoloring_bounds(
    fetch: Callable[[NDArray[np.int64]], Graphs],
    labels: Labels | Numbers | None,
    blocks: Sequence[int],
    wl_depth: Classes,
    isomorphism: Classes,
    budget: int,
) -> tuple[dict[str, Bound], str]:
    """What recoloring adds to WL rounds of the same depth: of many draws, of "all", of "nodes", and of one draw.

    fetch: the graphs with these numbers. blocks: WL rounds before the first r and behind each. wl_depth: the classes of
    graphs after as many rounds without r. Where finding the bounds would visit more nodes and edges than the budget,
    they are unknown, and the second result says why.

    Recoloring only has a chance in WL classes with more than one isomorphism class; there one graph of each is tried.
    """
    one_of_each = np.unique(isomorphism, return_index=True)[1]  # [isomorphism classes] a graph of each
    tried = one_of_each[np.bincount(wl_depth[one_of_each])[wl_depth[one_of_each]] > 1]
    names = "wlt", "wlt_all", "wlt_nodes", "wlt_one_draw"
    before, *rounds = blocks
    if not rounds or not len(tried):
        same = bound(wl_depth, labels)
        return dict(zip(names, (same, same, same, Bound(None, same.ceiling)), strict=True)), ""
    outcomes = of_every_node = None
    if len(tried) * COST_OF_A_GRAPH <= budget:
        graphs = fetch(tried)
        union, codes = graphs.union, as_colors(graphs.codes, graphs.union)
        colors = colors_after(union, codes, before)
        outcomes, of_every_node = (
            recoloring_outcomes(union, np.arange(len(tried)), colors, rounds, budget, every_node)
            for every_node in (False, True)
        )
    if outcomes is None:
        why = f"too many outcomes of recoloring {len(tried)} graphs that WL cannot tell apart"
        return dict.fromkeys(names, Bound(None, None)), why
    bounds, histograms, steps, ways = outcomes
    _, outcome = rank_rows(histograms)  # [draws]

    def of_all_graphs(classes_of_tried: Classes) -> Classes:
        """A graph is like the one of its isomorphism class that was tried; if none was, its WL class is all copies."""
        classes = wl_depth.copy()
        classes[tried] = number_of(wl_depth) + classes_of_tried
        return np.unique(classes[one_of_each[isomorphism]], return_inverse=True)[1]

    distribution = of_all_graphs(equal_multisets(bounds, outcome))
    mean = of_all_graphs(_equal_means(bounds, histograms, steps))
    nodes = Bound(None, None)
    if of_every_node is not None:  # no choices are made: the mean is over all nodes, whatever their class
        no_choice = np.zeros_like(of_every_node.steps)
        nodes = bound(of_all_graphs(_equal_means(of_every_node.bounds, of_every_node.histograms, no_choice)), labels)
    one_draw = None
    if labels is not None and labels.ndim == 1:
        of_tried = np.isin(isomorphism, isomorphism[tried])  # [graphs]
        counts = _labels_of(tried, isomorphism, labels.astype(np.int64))
        correct = _expected_correct(np.repeat(counts, np.diff(bounds), axis=0) / ways[:, None], outcome, steps)
        correct += most_correct(wl_depth[~of_tried], labels[~of_tried].astype(np.int64))
        one_draw = 100 * correct / len(labels)
    bounded = bound(distribution, labels), bound(mean, labels), nodes, Bound(None, one_draw)
    return dict(zip(names, bounded, strict=True)), ""


def _labels_of(tried: NDArray[np.int64], isomorphism: Classes, labels: Labels) -> NDArray[np.int64]:
    """[tried, labels] How many graphs are isomorphic to each of these, by label."""
    counts = np.zeros((len(tried), int(labels.max()) + 1), np.int64)
    row = np.full(number_of(isomorphism), -1)
    row[isomorphism[tried]] = np.arange(len(tried))
    pairs = label_counts(isomorphism, labels)
    kept = row[pairs.classes] >= 0
    counts[row[pairs.classes[kept]], pairs.labels[kept]] = pairs.counts[kept]
    return counts


def _equal_means(bounds: NDArray[np.int64], histograms: NDArray[np.uint64], steps: NDArray[np.uint64]) -> Classes:
    """For which graphs do the mean histograms agree, over the draws of every possible choice of classes?

    The words of a histogram are sums over its nodes, so adding them up adds up histograms."""
    _, path = rank_rows(steps.reshape(len(steps), -1))
    graph = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    _, first, index = np.unique(graph * (int(path.max()) + 1) + path, return_index=True, return_inverse=True)
    totals = np.zeros((len(first), 2), np.uint64)
    np.add.at(totals, index, histograms)
    _, means = rank_rows(np.column_stack([path[first].astype(np.uint64), totals]))
    return equal_multisets(np.searchsorted(graph[first], np.arange(len(bounds))), means)


def _expected_correct(weights: NDArray[np.float64], outcomes: NDArray[np.int32], steps: NDArray[np.uint64]) -> float:
    """The expected number of right answers, if every outcome gets its best label and every tie its best choice.

    weights [draws, labels]: expected graphs of each label that come to that draw. steps [draws, recolorings, 2]: what
    each recoloring found, and the class that it chose. From the last recoloring to the first: answers add up over all
    that can happen after a choice, and the best choice counts."""
    _, first, index = np.unique(outcomes, return_index=True, return_inverse=True)
    expected = np.zeros((len(first), weights.shape[1]))
    np.add.at(expected, index, weights)
    correct = expected.max(axis=1)  # [outcomes]
    steps = steps[first]
    for level in reversed(range(steps.shape[1])):
        _, first, index = np.unique(steps[:, level], axis=0, return_index=True, return_inverse=True)
        choices = np.bincount(index.reshape(-1), correct)
        steps = steps[first]
        _, first, index = np.unique(steps[:, level, 0], return_index=True, return_inverse=True)
        correct = np.zeros(len(first))
        np.maximum.at(correct, index, choices)
        steps = steps[first]
    return float(correct.sum())
