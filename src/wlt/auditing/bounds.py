"""What models of a kind can tell apart, and the best training accuracy, or the smallest errors, that allows.

A model can do no better than give all graphs that it cannot tell apart the label that most of them have; of numbers,
their median for the smallest absolute error, and their mean for the smallest squared one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.graphs import Graphs
from wlt.refine.bliss import TimeLimit, Undecided
from wlt.refine.canonical import canonical_form
from wlt.refine.core import core_cells, core_of, stable_quotient
from wlt.refine.partition import Colors, Partition, stable_partition

Classes = NDArray[np.int64]  # [graphs] equal numbers: graphs that are not told apart
Labels = NDArray[np.int64]  # [graphs] 0 .. labels-1
Numbers = NDArray[np.float64]  # [graphs, columns]; NaN where there is none


class Bound(NamedTuple):
    """What one kind of model can do at best."""

    distinct: int | None
    """Graphs that it tells apart."""
    ceiling: float | None
    """Its best training accuracy, in percent; None where there are no labels or it was too long to compute. Of several
    columns of 0 and 1, that of all cells."""
    mae: tuple[float, ...] | None = None
    """Of numbers: the smallest mean absolute error on the graphs themselves, in each column."""
    rmse: tuple[float, ...] | None = None
    """Likewise the smallest root of the mean squared error."""


def bound(classes: Classes, aim: Labels | Numbers | None) -> Bound:
    """Of a model that gives all graphs of a class the same answer."""
    distinct = number_of(classes)
    if aim is None:
        return Bound(distinct, None)
    if aim.ndim == 1:
        return Bound(distinct, 100 * most_correct(classes, aim.astype(np.int64, copy=False)) / len(aim))
    errors = [smallest_errors(classes, column) for column in aim.T]
    mae, rmse = tuple(zip(*errors, strict=True))
    there = ~np.isnan(aim)
    if not np.isin(aim[there], (0, 1)).all():
        return Bound(distinct, None, mae, rmse)
    wrong = sum(error * count for error, count in zip(mae, there.sum(axis=0), strict=True))
    return Bound(distinct, 100 - 100 * float(wrong) / there.sum(), mae, rmse)


def smallest_errors(classes: Classes, values: NDArray[np.float64]) -> tuple[float, float]:
    """The smallest mean absolute error and root mean squared error of one answer for every class; NaN are no values.

    >>> smallest_errors(np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 6.0, 5.0]))
    (1.25, 1.8708286933869707)
    """
    there = ~np.isnan(values)
    if not there.any():
        return np.nan, np.nan
    kinds, known = np.unique(classes[there], return_inverse=True)[1], values[there]
    order = np.lexsort([known, kinds])
    sizes = np.bincount(kinds)
    medians = known[order][np.cumsum(sizes) - sizes + (sizes - 1) // 2]
    means = np.bincount(kinds, known) / sizes
    return float(np.abs(known - medians[kinds]).mean()), float(np.sqrt(np.square(known - means[kinds]).mean()))


def number_of(classes: Classes) -> int:
    return int(classes.max()) + 1


class LabelCounts(NamedTuple):
    """How many graphs of a class have a label, for every pair that occurs, in the order of the classes."""

    classes: NDArray[np.int64]
    labels: NDArray[np.int64]
    counts: NDArray[np.int64]


def label_counts(classes: Classes, labels: Labels) -> LabelCounts:
    num_labels = int(labels.max(initial=0)) + 1
    pairs, counts = np.unique(classes * num_labels + labels, return_counts=True)
    return LabelCounts(*np.divmod(pairs, num_labels), counts)


def most_correct(classes: Classes, labels: Labels) -> int:
    """Right answers, if every class gets its most frequent label."""
    pairs = label_counts(classes, labels)
    first = np.flatnonzero(np.diff(pairs.classes, prepend=-1))
    return int(np.maximum.reduceat(pairs.counts, first).sum()) if len(labels) else 0


class Isomorphism(NamedTuple):
    """Which graphs are isomorphic, as far as exact search could tell within its time limit."""

    classes: Classes
    """Numbered by first appearance. A graph that is undecided has a class of its own."""
    undecided: NDArray[np.int64]
    """The graphs of which it is not known whether they are isomorphic to others."""


def isomorphism_classes(
    wl: Classes, identified: NDArray[np.bool_], fetch: Callable[[NDArray[np.int64]], Graphs], seconds: float | None
) -> Isomorphism:
    """Isomorphism classes; seconds: that exact search may take for all of them together.

    Graphs that are equal for WL are isomorphic iff the cores of their stable partitions are; where the core is empty,
    WL identifies the graph. So igraph's canonical forms are needed only for what is left, and only of cores.
    fetch: the graphs with these numbers."""
    searched = np.flatnonzero(~identified & (np.bincount(wl)[wl] > 1))
    if not len(searched):
        return Isomorphism(wl, searched)
    forms = [b""] * len(wl)
    unknown = []
    cores = _cores(fetch(searched))
    limit = TimeLimit(seconds)
    for i, core, colors in zip(searched.tolist(), *cores, strict=True):
        try:
            forms[i] = canonical_form(core, colors, limit).key
        except Undecided:
            unknown.append(i)
            forms[i] = b"undecided %d" % i  # no key of a graph: those have whole numbers of eight bytes
    numbers: dict[tuple[int, bytes], int] = {}
    classes = [numbers.setdefault(kind, len(numbers)) for kind in zip(wl.tolist(), forms, strict=True)]
    return Isomorphism(np.array(classes, np.int64), np.array(unknown, np.int64))


def _cores(graphs: Graphs) -> tuple[Iterator[Graph], Iterator[Colors]]:
    """The core of every graph, and its stable colours, which mean the same in all of them."""
    union = graphs.union
    stable = stable_partition(union, graphs.codes).colors
    partition = Partition(union, union.graph_of * (int(stable.max(initial=0)) + 1) + stable)  # each has its own cells
    quotient = stable_quotient(partition)
    nodes, cores = core_of(partition, quotient, core_cells(quotient))
    colors = stable[nodes]
    return iter(cores), (colors[low:high] for low, high in pairwise(cores.starts))
