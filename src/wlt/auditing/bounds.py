"""What models of a kind can tell apart, and the best training accuracy that allows.

A model can do no better than give all graphs that it cannot tell apart the label that most of them have."""

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
