"""Audit: what a dataset allows before anyone trains.

A model can do no better than give all graphs that it cannot tell apart the label that most of them have. This is its
ceiling: the best training accuracy of every model bounded by WL, of WLT-GNN, and of every model that gives isomorphic
graphs the same answer. "Isomorphic" always respects the initial node colours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from itertools import islice, takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.data import Dataset
from wlt.graph import Graph
from wlt.graphs import rank_rows
from wlt.io.colored import ColoredGraphs
from wlt.io.coloring import colored
from wlt.recoloring.outcomes import equal_multisets, recoloring_outcomes
from wlt.refine import round_kernels
from wlt.refine.canonical import canonical_form
from wlt.refine.core import core_cells, core_of, stable_quotient
from wlt.refine.partition import Colors, Partition, as_colors, stable_partition
from wlt.refine.rounds import wl_rounds
from wlt.structure import Structure
from wlt.targets import classes_of
from wlt.wording import count

Classes = NDArray[np.int64]  # [graphs] equal numbers: graphs that are not told apart

BATCH_SIZE = 128
"""Graphs in the batches of which the compression is measured: the paper's."""

RECOLORING_BUDGET = 1_000_000_000
"""Nodes and edges that may be visited to find out what recoloring separates: some seconds."""


@dataclass(frozen=True)
class Audit:
    """What `audit` found. Ceilings and shares are in percent; what needs labels is None where there are none."""

    name: str
    graphs: int
    structure: str
    rounds: int
    distinct_wl_rounds: int
    """Graphs that differ after so many WL rounds: what a GNN of that depth can tell apart."""
    distinct_wl: int
    """Graphs that differ after any number of WL rounds."""
    distinct_wlt: int | None
    """Graphs for which some weights of WLT-GNN of this structure give different distributions over the random draws."""
    distinct_wlt_all: int | None
    """Likewise different means of the readouts, which is all that recolor="all" sees of a distribution."""
    distinct_isomorphism: int
    ceiling_wl_rounds: float | None
    ceiling_wl: float | None
    ceiling_wlt: float | None
    """Of WLT-GNN whose answers are averaged over many draws."""
    ceiling_wlt_all: float | None
    """Of WLT-GNN with recolor="all", which averages readouts."""
    ceiling_wlt_one_draw: float | None
    """Of WLT-GNN that draws once for every answer, as in the paper: the expected accuracy."""
    ceiling_isomorphism: float | None
    amenable: float
    """Share of the graphs that WL identifies: whatever passes WL beside such a graph is isomorphic to it."""
    duplicates: int
    """Graphs beyond the first of their isomorphism class."""
    duplicate_groups: int
    """Isomorphism classes of two graphs or more."""
    contradictions: int | None
    """Graphs whose isomorphism class has more than one label."""
    leaks: int | None
    """Graphs with an isomorphic copy in another fold of the stratified split: seen in training, asked in the test."""
    folds: int
    seed: int
    rows_kept: tuple[float, ...]
    """Per WL round, up to the depth of the structure: classes for 100 nodes, in random batches of 128 graphs."""
    edges_kept: tuple[float, ...]
    """Likewise the entries of the matrix between classes, for 100 entries of the adjacency matrix."""
    rows_kept_whole: tuple[float, ...]
    """As rows_kept, with the whole set as one batch."""
    edges_kept_whole: tuple[float, ...]
    notes: tuple[str, ...]
    """Why something is None."""
    isomorphism_classes: Classes = field(repr=False, compare=False)
    """[graphs] Graphs are isomorphic iff their numbers are equal; numbered by first appearance. Not in to_dict()."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON knows them."""
        return {key: value for key, value in asdict(self).items() if key != "isomorphism_classes"}

    @property
    def conclusion(self) -> str:
        """What the numbers mean, in plain sentences."""
        return " ".join([_about_separation(self), *_about_duplicates(self)])


def audit(
    graphs: Dataset | ColoredGraphs | Graph | Iterable[Any],
    labels: ArrayLike | None = None,
    colors: ArrayLike | None = None,
    rounds: int | None = None,
    structure: str = "gggrgg",
    folds: int = 10,
    seed: int = 0,
    node_colors: str = "auto",
) -> Audit:
    """What can be told apart in these graphs, by which kind of model, and what accuracy that allows.

    graphs: a Dataset, ColoredGraphs, a disjoint union, or a list of anything `as_graph` takes. labels: a string,
    number or boolean for every graph; a Dataset has its own. node_colors: what the nodes carry, as WLTClassifier takes
    it: "auto" is a Dataset's colours or PyG's x, else degrees; "degrees"; or the name of a node attribute.
    colors: an integer per node of the union instead. rounds: WL rounds of a GNN; default: the depth of the structure.
    folds, seed: the split in which leaks are counted.

    What WLT-GNN separates is computed on integer colours, for one recoloured node at each r. An outcome of a draw is
    the histogram of the final colours. Two graphs count as the same iff no weights give them different distributions
    of outcomes: these agree for every class that may be chosen among those that tie for the largest, which is up to
    the messages, that is the weights. All that is said of WLT-GNN is therefore an upper bound: weights that separate
    one pair of graphs need not separate another. With a single r and no ties it is exact; only a structure that begins
    with r may separate less, since its recoloured nodes forget their initial colour.

    >>> hexagon = (6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)])
    >>> triangles = (6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    >>> result = audit([hexagon, triangles, hexagon], labels=[0, 1, 0])
    >>> result.distinct_wl, result.distinct_wlt, result.distinct_isomorphism, result.duplicates
    (1, 2, 2, 1)
    >>> round(result.ceiling_wl, 1), result.ceiling_wlt
    (66.7, 100.0)
    """
    try:
        found = colored(graphs, node_colors if colors is None else "degrees", empty=True)
    except ValueError as error:
        if isinstance(graphs, str):
            raise ValueError(f"{error}; for a dataset: wlt.audit(wlt.data.load({graphs!r}))") from None
        raise
    if labels is None and isinstance(graphs, Dataset):
        labels = graphs.classes[graphs.labels]
    given = _given(graphs.name if isinstance(graphs, Dataset) else "graphs", found, labels, colors)
    layers = Structure(structure)
    if rounds is None:
        rounds = layers.depth
    for what, number, least in (("rounds", rounds, 0), ("folds", folds, 2), ("seed", seed, 0)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"{what} must be a whole number, not {number!r}")
        if not least <= number < 2**32:
            raise ValueError(f"{what} must be at least {least} and below 2**32, not {number}")
    union = given.union
    colorings = _wl_rounds(given, max(rounds, layers.depth))
    stable = stable_partition(union, colorings[-1]).colors
    wl_rounds = equal_multisets(union.starts, _at(colorings, rounds))
    wl_depth = equal_multisets(union.starts, _at(colorings, layers.depth))
    wl = equal_multisets(union.starts, stable)
    isomorphism, amenable = _isomorphism_classes(union, stable, wl)
    recoloring = _recoloring(given, layers, colorings, wl_depth, isomorphism)
    leaks, leak_note = _leaks(given, isomorphism, folds, seed)
    batches = np.random.default_rng(seed).permutation(union.num_graphs)
    compression = [_compression(union, colorings, layers.depth, batches, size) for size in (BATCH_SIZE, len(batches))]
    copies = np.bincount(isomorphism)
    return Audit(
        name=given.name,
        graphs=union.num_graphs,
        structure=str(layers),
        rounds=int(rounds),
        distinct_wl_rounds=_number(wl_rounds),
        distinct_wl=_number(wl),
        distinct_wlt=recoloring.distinct,
        distinct_wlt_all=recoloring.distinct_all,
        distinct_isomorphism=len(copies),
        ceiling_wl_rounds=_ceiling(wl_rounds, given.labels),
        ceiling_wl=_ceiling(wl, given.labels),
        ceiling_wlt=recoloring.ceiling,
        ceiling_wlt_all=recoloring.ceiling_all,
        ceiling_wlt_one_draw=recoloring.ceiling_one_draw,
        ceiling_isomorphism=_ceiling(isomorphism, given.labels),
        amenable=100 * float(amenable.mean()),
        duplicates=union.num_graphs - len(copies),
        duplicate_groups=int((copies > 1).sum()),
        contradictions=_contradictions(isomorphism, given.labels),
        leaks=leaks,
        folds=int(folds),
        seed=int(seed),
        rows_kept=compression[0].rows,
        edges_kept=compression[0].edges,
        rows_kept_whole=compression[1].rows,
        edges_kept_whole=compression[1].edges,
        notes=tuple(note for note in (recoloring.note, leak_note) if note),
        isomorphism_classes=isomorphism,
    )


# ---------------------------------------------------------------------------------------------------------------------
# Input
# ---------------------------------------------------------------------------------------------------------------------


class _Given(NamedTuple):
    name: str
    union: Graph
    colors: Colors
    labels: NDArray[np.int64] | None  # [graphs] 0 .. classes-1
    classes: NDArray[Any] | None  # [classes] their names


def _given(name: str, graphs: ColoredGraphs, labels: ArrayLike | None, colors: ArrayLike | None) -> _Given:
    union = graphs.graphs
    dense_colors = as_colors(graphs.colors if colors is None else colors, union.num_nodes)
    if labels is None:
        return _Given(name, union, dense_colors, None, None)
    classes, numbers = classes_of(labels, union.num_graphs)
    return _Given(name, union, dense_colors, numbers, classes)


# ---------------------------------------------------------------------------------------------------------------------
# WL and isomorphism
# ---------------------------------------------------------------------------------------------------------------------


def _wl_rounds(given: _Given, most: int) -> list[Colors]:
    """Colours after 0, 1, 2, ... rounds, dense; the list ends early where another round would split nothing."""
    rounds = takewhile(lambda after: after.split, islice(wl_rounds(given.union, given.colors), most))
    return [given.colors, *(after.colors for after in rounds)]


def _at(colorings: list[Colors], rounds: int) -> Colors:
    return colorings[min(rounds, len(colorings) - 1)]


def _number(classes: Classes) -> int:
    return int(classes.max()) + 1


def _isomorphism_classes(union: Graph, stable: Colors, wl: Classes) -> tuple[Classes, NDArray[np.bool_]]:
    """Isomorphism classes, numbered by first appearance, and which graphs are amenable.

    Graphs that are equal for WL are isomorphic iff the cores of their stable partitions are; the core of an amenable
    graph is empty. So igraph's canonical forms are needed only for what is left, and only of cores."""
    graph_of = union.graph_of
    partition = Partition(union, graph_of * (int(stable.max(initial=0)) + 1) + stable)  # every graph has its own cells
    quotient = stable_quotient(partition)
    left = core_cells(quotient)
    graph_of_cell = graph_of[quotient.first_node]
    amenable = np.bincount(graph_of_cell, left, union.num_graphs) == 0
    undecided = ~amenable & (np.bincount(wl)[wl] > 1)  # [graphs]
    if not undecided.any():
        return wl, amenable
    nodes, edges = core_of(partition, quotient, left & undecided[graph_of_cell])
    cores = Graph.from_edges(len(nodes), edges, np.searchsorted(nodes, union.starts))
    core_colors = stable[nodes]
    numbers: dict[tuple[int, bytes], int] = {}
    classes = np.empty(union.num_graphs, np.int64)
    for i, (low, high) in enumerate(zip(cores.starts, cores.starts[1:], strict=False)):
        form = canonical_form(cores[i], core_colors[low:high]).key if undecided[i] else b""
        classes[i] = numbers.setdefault((int(wl[i]), form), len(numbers))
    return classes, amenable


# ---------------------------------------------------------------------------------------------------------------------
# What WLT-GNN separates
# ---------------------------------------------------------------------------------------------------------------------


class _Recoloring(NamedTuple):
    distinct: int | None = None
    distinct_all: int | None = None
    ceiling: float | None = None
    ceiling_all: float | None = None
    ceiling_one_draw: float | None = None
    note: str = ""


def _recoloring(
    given: _Given, layers: Structure, colorings: list[Colors], wl_depth: Classes, isomorphism: Classes
) -> _Recoloring:
    """What recoloring adds to WL rounds of the same depth, and the accuracy that this allows.

    It only has a chance in WL classes with more than one isomorphism class; there one graph of each is tried."""
    before, *after = layers.rstrip("r").split("r")
    one_of_each = np.unique(isomorphism, return_index=True)[1]  # [isomorphism classes] a graph of each
    tried = one_of_each[np.bincount(wl_depth[one_of_each])[wl_depth[one_of_each]] > 1]
    if not after or not len(tried):
        distinct, ceiling = _number(wl_depth), _ceiling(wl_depth, given.labels)
        return _Recoloring(distinct, distinct, ceiling, ceiling, ceiling)
    union = given.union
    colors = _at(colorings, len(before))
    found = recoloring_outcomes(union, tried, colors, [len(part) for part in after], RECOLORING_BUDGET)
    if found is None:
        note = f"what {layers} separates: too many outcomes of recoloring {len(tried)} graphs that WL cannot tell apart"
        return _Recoloring(note=note)
    bounds, histograms, steps, ways = found
    _, outcomes = rank_rows(histograms)  # [draws]

    def of_all_graphs(classes_of_tried: Classes) -> Classes:
        """A graph is like the one of its isomorphism class that was tried; if none was, its WL class is all copies."""
        classes = wl_depth.copy()
        classes[tried] = _number(wl_depth) + classes_of_tried
        return np.unique(classes[one_of_each[isomorphism]], return_inverse=True)[1]

    distribution = of_all_graphs(equal_multisets(bounds, outcomes))
    mean = of_all_graphs(_equal_means(bounds, histograms, steps))
    one_draw = None
    if given.labels is not None:
        of_tried = np.isin(isomorphism, isomorphism[tried])  # [graphs]
        counts = _label_counts(isomorphism, given.labels)[isomorphism[tried]]  # [tried, labels]
        correct = _expected_correct(np.repeat(counts, np.diff(bounds), axis=0) / ways[:, None], outcomes, steps)
        correct += _most_correct(wl_depth[~of_tried], given.labels[~of_tried])
        one_draw = 100 * correct / union.num_graphs
    return _Recoloring(
        _number(distribution),
        _number(mean),
        _ceiling(distribution, given.labels),
        _ceiling(mean, given.labels),
        one_draw,
    )


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


# ---------------------------------------------------------------------------------------------------------------------
# Labels, folds, compression
# ---------------------------------------------------------------------------------------------------------------------


def _label_counts(classes: Classes, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """[classes, labels] graphs of each label in each class."""
    num_labels = int(labels.max()) + 1
    counts = np.bincount(classes * num_labels + labels, minlength=_number(classes) * num_labels)
    return counts.reshape(-1, num_labels)


def _ceiling(classes: Classes, labels: NDArray[np.int64] | None) -> float | None:
    """Best accuracy, in percent, of a model that gives all graphs of a class the same answer."""
    return None if labels is None else 100 * _most_correct(classes, labels) / len(labels)


def _most_correct(classes: Classes, labels: NDArray[np.int64]) -> int:
    return int(_label_counts(classes, labels).max(axis=1).sum()) if len(labels) else 0


def _contradictions(isomorphism: Classes, labels: NDArray[np.int64] | None) -> int | None:
    if labels is None:
        return None
    counts = _label_counts(isomorphism, labels)
    return int(counts[(counts > 0).sum(axis=1) > 1].sum())


def _leaks(given: _Given, isomorphism: Classes, folds: int, seed: int) -> tuple[int | None, str]:
    """Graphs with an isomorphic copy in another fold; or why there are no folds."""
    labels = given.labels
    if labels is None:
        return None, "ceilings, contradictions and leaks: there are no labels"
    from wlt.train.folds import check_class_sizes, stratified

    try:
        check_class_sizes(labels, folds, given.classes)
    except ValueError as error:
        return None, f"leaks: {error}"
    fold_of = np.empty(len(labels), np.int64)
    for fold, test in enumerate(stratified(labels, folds, seed)):
        fold_of[test] = fold
    copies = np.bincount(isomorphism)[isomorphism]
    in_same_fold = np.unique(isomorphism * folds + fold_of, return_inverse=True, return_counts=True)
    return int((copies > in_same_fold[2][in_same_fold[1]]).sum()), ""


class _Kept(NamedTuple):
    rows: tuple[float, ...]
    edges: tuple[float, ...]


def _compression(
    union: Graph, colorings: list[Colors], depth: int, graphs: NDArray[np.int64], batch_size: int
) -> _Kept:
    """Rows and edges, in percent, that are left where a layer computes one row per class, in batches of this order."""
    nodes = union.nodes_of(graphs)
    ends = np.cumsum(union.graph_sizes[graphs])
    starts = np.concatenate([[0], ends[batch_size - 1 : -1 : batch_size], ends[-1:]])
    rows, edges = [], []
    for layer in range(1, depth + 1):
        earlier, colors = _at(colorings, layer - 1), _at(colorings, layer)
        first_node = np.unique(colors, return_index=True)[1]
        num_earlier = int(earlier.max(initial=-1)) + 1
        offsets = round_kernels.class_counts(union.adjacency, earlier, num_earlier, first_node).offsets
        classes = round_kernels.graph_histograms(starts, colors[nodes], len(first_node)).columns
        rows.append(100 * len(classes) / max(1, union.num_nodes))
        edges.append(100 * int(np.diff(offsets)[classes].sum()) / max(1, len(union.neighbors)))
    return _Kept(tuple(rows), tuple(edges))


# ---------------------------------------------------------------------------------------------------------------------
# In plain words
# ---------------------------------------------------------------------------------------------------------------------


def _about_separation(found: Audit) -> str:
    different, structure = found.distinct_isomorphism, found.structure
    if found.distinct_wl == different:
        if found.distinct_wl_rounds == different:
            return "WL already separates all graphs that differ: recoloring cannot raise training accuracy here."
        seen = f"rounds: {found.rounds}, graphs seen as different: {found.distinct_wl_rounds} of {different}"
        return f"WL separates all graphs that differ, but only with more layers ({seen}): these do what recoloring can."
    start = f"WL sees {different} different graphs as {found.distinct_wl}"
    wl, best = found.ceiling_wl, found.ceiling_isomorphism
    if found.distinct_wlt is None:
        limits = "" if wl is None else f" its ceiling of {wl:.2f} % could rise to {best:.2f} %, but"
        return f"{start}:{limits} what {structure} would see was too long to compute."
    if wl is None or best is None or found.ceiling_wlt is None:
        return f"{start}, {structure} as {found.distinct_wlt}."
    if wl == best:
        return f"{start}, but no label depends on that: recoloring cannot raise training accuracy here."
    if found.ceiling_wlt <= wl:
        rise = f"the ceiling of {wl:.2f} % could rise to {best:.2f} %; try"
        if "r" not in structure:
            return f"{start}, as does {structure}: {rise} an r with g behind it."
        return f"{start}, and recoloring one node as in {structure} does not help: {rise} more g behind the r."
    rise = f"recoloring one node ({structure}) can raise the ceiling from {wl:.2f} % to {found.ceiling_wlt:.2f} %"
    others = f'{found.ceiling_wlt_all:.2f} % with recolor="all", {found.ceiling_wlt_one_draw:.2f} % with one draw'
    return f"{start}: {rise} over many draws ({others})."


def _about_duplicates(found: Audit) -> list[str]:
    sentences = []
    if found.contradictions:
        cap = f"contradicting labels cap any model of node colours and edges at {found.ceiling_isomorphism:.2f} %"
        sentences.append(f"{found.contradictions} graphs have isomorphic copies with other labels: {cap}.")
    if found.leaks:
        leaked = f"{found.leaks} graphs ({100 * found.leaks / found.graphs:.1f} %)"
        sentences.append(f"{leaked} leak: each has an isomorphic copy in another of the {found.folds} folds.")
    elif found.duplicates:
        are = "is an isomorphic duplicate" if found.duplicates == 1 else "are isomorphic duplicates"
        sentences.append(f"{count(found.duplicates, 'graph')} {are}.")
    return sentences
