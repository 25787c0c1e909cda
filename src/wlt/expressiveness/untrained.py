"""Untrained models: do vectors keep two graphs apart, and relabelled copies of one together?

A model that gives copies of a graph the same vector, up to rounding, is judged by distances: two graphs are separated
if they are 1000 times as far apart as any of them from its copy. Whole numbers have no rounding: where they differ, the
vectors do. Weights that happen to hide a difference are no
verdict: other seeds are tried before two graphs count as not separated. A model that gives copies different vectors is
not invariant, and said to be so; whether it tells two graphs apart on average is asked of 32 relabellings of either, by
Hotelling's test."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from wlt.expressiveness.benchmarks import num_pairs, relabelled
from wlt.expressiveness.hotelling import hotelling
from wlt.expressiveness.result import Outcome, Part
from wlt.expressiveness.subject import ModelError, Subject, Vectors
from wlt.graphs import Graphs

Pairs = NDArray[np.int64]  # [pairs, 2]

SEPARATED = 1000.0
"""Two graphs are separated if they are this many times as far apart as a graph and its relabelled copy."""
ROUNDING = {False: 1e-12, True: 1e-7}
"""A distance of copies counts as at least this, relative to the length of the vectors: it may be 0 by chance. By
whether vectors are of float32. So a difference below 1e-9 of the length, or 1e-4, is not seen."""
WHOLE = 2.0**16
"""A column of whole numbers below this is exact. Rounded ones are not whole by accident: even float32 has 256 steps
between two of them; beyond 2^23 it has whole numbers only."""
EQUAL = 1e-9
"""Copies that are no further apart than this, relative to the length of the vectors, are together."""
IN_SINGLE = 1e4
"""Of copies that are further apart, a module is asked in float32 as well. If it tells them apart by its nature, their
distance is about the same there; rounding errors are 5e8 times as large. What grows by this is taken for rounding."""
SAME = {False: 1e-4, True: 1e-3}
"""For what cannot be asked so, functions and modules of float32 only: copies that are further apart differ. Nothing but
the word "not invariant" hangs on it: whatever distance copies have, pairs must be 1000 times as far apart."""
DOUBTFUL = 30.0
"""Times the distance of copies. In between, more seeds are asked."""
SEEDS, MOST_SEEDS = 3, 10
RELABELLINGS, MOST_DIMS = 32, 16
CONFIRMED = 0.05
"""The level at which a second sample must say what the first one says."""
MOST_LISTED = 5_000_000
"""Pairs that may be left for the next seed; beyond, the first seed decides."""

NOT_DETERMINISTIC = "not deterministic: two calls on the same graphs give different vectors"
NOT_INVARIANT = "not invariant: relabelled copies of a graph get different vectors"


def examine(subject: Subject, graphs: Graphs, seed: int, level: float) -> Outcome:
    """What the model says about one group of graphs. seed: of weights and relabellings; level: of Hotelling's test."""
    apart = 0
    left: Pairs | None = None  # what no seed has separated yet
    pairs = num_pairs(len(graphs))
    used = 0
    for used in range(1, MOST_SEEDS + 1):
        number = seed * MOST_SEEDS + used - 1
        vectors = subject.at(number)
        own = vectors(graphs)
        copies = _as_wide(vectors(_copies(graphs, number))[::-1], own, subject)
        whole = _whole_numbers(own, copies)
        length = float(np.linalg.norm(own[:, ~whole], axis=1).max())
        control = np.linalg.norm((own - copies)[:, ~whole], axis=1)  # [graphs]
        told = (own != copies)[:, whole].any(axis=1)  # [graphs]
        failures = int((told | _told_from_copies(subject, graphs, number, control, length, ~whole)).sum())
        if failures:
            _note(subject, NOT_INVARIANT)
            again = np.abs(_as_wide(vectors(graphs), own, subject) - own)
            if (again[:, whole] > 0).any() or (np.linalg.norm(again[:, ~whole], axis=1) > EQUAL * length).any():
                _note(subject, NOT_DETERMINISTIC)
            if len(graphs) > 2:
                return Outcome("", Part(pairs, apart, len(graphs), failures), "distance", used)
            separated = _on_average(vectors, graphs, np.random.default_rng([seed, number]), level, subject.single)
            return Outcome("", Part(pairs, int(separated), len(graphs), failures), "Hotelling", used)
        unit = max(float(control.max()), ROUNDING[subject.single] * length)
        points = np.where(whole, own * (2 * SEPARATED * unit or 1.0), own)  # whole numbers that differ are far apart
        close = _pairs_within(points, SEPARATED * unit, left)
        if close is None:
            alike = _count_within(points, SEPARATED * unit)
            return Outcome("", Part(pairs, pairs - alike, len(graphs), 0), "distance")
        left = close
        apart = pairs - len(left)
        distances = np.linalg.norm(points[left[:, 0]] - points[left[:, 1]], axis=1)
        doubtful = bool((distances > DOUBTFUL * unit).any())
        if not len(left) or (not subject.seeded and not doubtful) or (used >= SEEDS and not doubtful):
            break
    return Outcome("", Part(pairs, apart, len(graphs), 0), "distance", used)


def _copies(graphs: Graphs, number: int) -> Graphs:
    """A relabelled copy of every graph, the last one first."""
    return relabelled(graphs, number)[::-1]


def _as_wide(vectors: Vectors, others: Vectors, subject: Subject) -> Vectors:
    if vectors.shape != others.shape:
        raise ModelError(
            f"{subject.name} returned {others.shape[1]} numbers for every graph, and {vectors.shape[1]} when it was "
            "asked about the same graphs again; as many are needed in every call"
        )
    return vectors


def _whole_numbers(*vectors: Vectors) -> NDArray[np.bool_]:
    """[dims] Which columns have whole numbers only, which are exact?"""
    rows = np.concatenate(vectors)
    whole: NDArray[np.bool_] = ((rows == np.round(rows)) & (np.abs(rows) < WHOLE)).all(axis=0)
    return whole


def _told_from_copies(
    subject: Subject, graphs: Graphs, number: int, control: Vectors, length: float, dims: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """[graphs] Is the distance of a graph and its copy in these dimensions, `control`, more than rounding?"""
    apart = control > EQUAL * length
    if not apart.any() or not subject.is_module or subject.single:
        return control > SAME[subject.single] * length
    try:
        vectors = subject.in_single(number)
        differences = vectors(graphs) - vectors(_copies(graphs, number))[::-1]
        in_single = np.linalg.norm(differences[:, dims], axis=1)
    except ModelError:  # what is finite in float64 need not be in float32
        return control > SAME[False] * length
    found: NDArray[np.bool_] = apart & (in_single < IN_SINGLE * control)
    return found


def _note(subject: Subject, note: str) -> None:
    if note not in subject.notes:
        subject.notes.append(note)


def _on_average(
    vectors: Callable[[Graphs], Vectors], pair: Graphs, random: np.random.Generator, level: float, single: bool
) -> bool:
    """Is the mean vector of relabellings of one graph that of relabellings of the other? Vectors are not normal, so
    what the first sample says must be confirmed by a second."""
    for allowed in (level, CONFIRMED):
        rows = vectors(relabelled(pair.take([0, 1] * RELABELLINGS), random))
        length = float(np.linalg.norm(rows, axis=1).max())
        differences = rows[0::2] - rows[1::2]
        if differences.shape[1] > MOST_DIMS:  # as many dimensions as relabellings would leave the test blind
            directions = np.random.default_rng(0).normal(size=(differences.shape[1], MOST_DIMS))
            differences = differences @ np.linalg.qr(directions)[0]
        if not hotelling(differences, length, allowed, single=single).separated:
            return False
    return True


def _pairs_within(points: Vectors, distance: float, among: Pairs | None) -> Pairs | None:
    """The pairs no further apart than this, among all or among these; None: too many to list."""
    if among is None and len(points) > 256:
        if _count_within(points, distance) > MOST_LISTED:
            return None
        from scipy.spatial import cKDTree

        found: Pairs = cKDTree(points).query_pairs(distance, output_type="ndarray").reshape(-1, 2).astype(np.int64)
        return found
    pairs: Pairs = np.argwhere(np.triu(np.ones((len(points),) * 2), 1)) if among is None else among
    close: Pairs = pairs[np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1) <= distance]
    return close


def _count_within(points: Vectors, distance: float) -> int:
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    return (int(tree.count_neighbors(tree, distance)) - len(points)) // 2  # ordered pairs, and each point with itself
