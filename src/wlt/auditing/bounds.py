"""What models of a kind can tell apart, and the best training accuracy that allows.

A model can do no better than give all graphs that it cannot tell apart the label that most of them have."""

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


class Bound(NamedTuple):
    """What one kind of model can do at best."""

    distinct: int | None
    """Graphs that it tells apart."""
    ceiling: float | None
    """Its best training accuracy, in percent; None where there are no labels or it was too long to compute."""


def bound(classes: Classes, labels: Labels | None) -> Bound:
    """Of a model that gives all graphs of a class the same answer."""
    return Bound(number_of(classes), None if labels is None else 100 * most_correct(classes, labels) / len(labels))


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
