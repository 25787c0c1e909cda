"""What models of a kind can tell apart, and the best training accuracy, or the smallest errors, that allows.

A model can do no better than give all graphs that it cannot tell apart the label that most of them have; of numbers,
their median for the smallest absolute error, and their mean for the smallest squared one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.refine.bliss import TimeLimit, Undecided
from wlt.refine.canonical import canonical_form
from wlt.refine.core import core_cells, core_of, stable_quotient
from wlt.refine.partition import Colors, Partition

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


def label_counts(classes: Classes, labels: Labels) -> NDArray[np.int64]:
    """[classes, labels] graphs of each label in each class."""
    num_labels = int(labels.max()) + 1
    counts = np.bincount(classes * num_labels + labels, minlength=number_of(classes) * num_labels)
    return counts.reshape(-1, num_labels)


def most_correct(classes: Classes, labels: Labels) -> int:
    """Right answers, if every class gets its most frequent label."""
    return int(label_counts(classes, labels).max(axis=1).sum()) if len(labels) else 0


class Isomorphism(NamedTuple):
    """Which graphs are isomorphic, as far as exact search could tell within its time limit."""

    classes: Classes
    """Numbered by first appearance. A graph that is undecided has a class of its own."""
    identified: NDArray[np.bool_]
    """Which graphs WL is shown to identify: an empty core proves it. Without edge labels, the amenable graphs."""
    undecided: NDArray[np.int64]
    """The graphs of which it is not known whether they are isomorphic to others."""


def isomorphism_classes(union: Graph, stable: Colors, wl: Classes, limit: TimeLimit | None = None) -> Isomorphism:
    """Isomorphism classes, within a time limit for all of them together.

    Graphs that are equal for WL are isomorphic iff the cores of their stable partitions are; where the core is empty,
    WL identifies the graph. So igraph's canonical forms are needed only for what is left, and only of cores."""
    graph_of = union.graph_of
    partition = Partition(union, graph_of * (int(stable.max(initial=0)) + 1) + stable)  # every graph has its own cells
    quotient = stable_quotient(partition)
    left = core_cells(quotient)
    graph_of_cell = graph_of[quotient.first_node]
    identified = np.bincount(graph_of_cell, left, union.num_graphs) == 0
    undecided = ~identified & (np.bincount(wl)[wl] > 1)  # [graphs]
    if not undecided.any():
        return Isomorphism(wl, identified, np.zeros(0, np.int64))
    nodes, cores = core_of(partition, quotient, left & undecided[graph_of_cell])
    core_colors = stable[nodes]
    numbers: dict[tuple[int, bytes], int] = {}
    classes = np.empty(union.num_graphs, np.int64)
    unknown = []
    limit = limit or TimeLimit()
    for i, (low, high) in enumerate(zip(cores.starts, cores.starts[1:], strict=False)):
        form = b""
        if undecided[i]:
            try:
                form = canonical_form(cores[i], core_colors[low:high], limit).key
            except Undecided:
                unknown.append(i)
                form = b"undecided %d" % i  # no key of a graph: those have whole numbers of eight bytes
        classes[i] = numbers.setdefault((int(wl[i]), form), len(numbers))
    return Isomorphism(classes, identified, np.array(unknown, np.int64))
