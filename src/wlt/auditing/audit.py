"""Audit: what a dataset allows before anyone trains.

Ceilings are the best training accuracy of every model bounded by WL, of WLT-GNN, and of every model that gives
isomorphic graphs the same answer. "Isomorphic" always respects what nodes and edges carry; `Audit.ignored` says what
was not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.auditing.bounds import Bound, Classes, Labels, Numbers, bound, isomorphism_classes
from wlt.auditing.compression import BATCH_SIZE, Compression
from wlt.auditing.copies import Copies, count_copies
from wlt.auditing.recoloring import RECOLORING_BUDGET, recoloring_bounds
from wlt.auditing.summary import Collected, Whole, summarize
from wlt.auditing.wording import conclusion
from wlt.canon.labels import Labelled
from wlt.graph import Graph
from wlt.graphs import Graphs
from wlt.io.graphs import as_graphs
from wlt.refine.bliss import DEFAULT_SECONDS, TimeLimit
from wlt.structure import Structure
from wlt.targets import classes_of, kind_of, target_table
from wlt.wording import count, html_table

PART_SIZE = 1 << 19
"""Nodes and adjacency entries that are looked at together: what they need fits into memory many times."""


@dataclass(frozen=True)
class Audit:
    """The answers of `audit`. Ceilings and shares are in percent; what needs labels is None where there are none."""

    name: str
    graphs: int
    structure: str
    rounds: int
    bounds: Mapping[str, Bound]
    """By name, what models can tell apart (`distinct`) and their best training accuracy (`ceiling`) or, where numbers
    are to be predicted, their smallest errors on the graphs themselves (`mae`, `rmse`, in each column):

    wl_rounds     after so many WL rounds: a GNN of that depth
    wl            after any number of WL rounds
    wlt           WLT-GNN of this structure whose answers are averaged over many draws
    wlt_all       WLT-GNN with recolor="all", which averages readouts
    wlt_nodes     WLT-GNN with recolor="nodes", which averages readouts over all nodes
    wlt_one_draw  WLT-GNN that draws once for every answer, as in the paper: the expected accuracy
    isomorphism   every model that gives isomorphic graphs the same answer
    """
    identified: float
    """Share of the graphs that WL is shown to identify: whatever passes WL beside such a graph is isomorphic to it.
    There may be more of them where edges carry labels, directions or parallel edges."""
    amenable: float | None
    """The same share where the edges carry nothing: there the theorem about amenable graphs finds all of them. Else
    None."""
    copies: Copies
    compression: Compression
    notes: tuple[str, ...]
    """Why something is None."""
    conclusion: str
    """What the numbers mean, in plain sentences."""
    ignored: tuple[str, ...]
    """What the graphs have besides and was not looked at: all that is said is about the graphs without it."""
    wl_classes: Classes = field(repr=False, compare=False)
    """[graphs] WL tells graphs apart iff their numbers differ."""
    isomorphism_classes: Classes = field(repr=False, compare=False)
    """[graphs] Graphs are isomorphic iff their numbers are equal; numbered by first appearance. Where exact search ran
    out of time (then `bounds["isomorphism"].distinct` is None), graphs with different numbers may be isomorphic too."""

    def __repr__(self) -> str:
        """Some lines for people; `to_dict()` has all numbers."""
        lines = [f"Audit of {self.name}: {count(self.graphs, 'graph')}, {self.identified:.1f} % identified by WL"]
        lines += [f"  {name}: {', '.join(filter(None, cells))}" for name, *cells in self._rows() if any(cells)]
        copies = self.copies
        told = {"duplicates": copies.duplicates, "contradictions": copies.contradictions, "leaks": copies.leaks}
        lines.append("  " + ", ".join(f"{name}: {'-' if n is None else n}" for name, n in told.items()))
        return "\n".join([*lines, f"  {self.conclusion}"])

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        return html_table(f"{self.name}: {count(self.graphs, 'graph')}", self._rows(), self.conclusion)

    def _rows(self) -> list[tuple[str, str, str]]:
        """For every bound its name, how many graphs it tells apart, and its ceiling."""
        return [
            (
                name,
                "" if each.distinct is None else f"{each.distinct} told apart",
                "" if each.ceiling is None else f"at most {each.ceiling:.2f} %",
            )
            for name, each in self.bounds.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The numbers as one flat JSON object."""
        distinct = {f"distinct_{name}": each.distinct for name, each in self.bounds.items() if name != "wlt_one_draw"}
        ceilings = {f"ceiling_{name}": each.ceiling for name, each in self.bounds.items()}
        errors = {
            f"{what}_{name}": values
            for name, each in self.bounds.items()
            for what, values in (("mae", each.mae), ("rmse", each.rmse))
            if values is not None
        }
        batches, whole = self.compression
        return {
            "name": self.name,
            "graphs": self.graphs,
            "structure": self.structure,
            "rounds": self.rounds,
            **distinct,
            **ceilings,
            **errors,
            "identified": self.identified,
            "amenable": self.amenable,
            **self.copies._asdict(),
            "rows_kept": batches.rows,
            "edges_kept": batches.edges,
            "rows_kept_whole": whole.rows,
            "edges_kept_whole": whole.edges,
            "notes": self.notes,
            "ignored": self.ignored,
        }


def audit(
    graphs: Any,
    targets: ArrayLike | None = None,
    *,
    node_labels: ArrayLike = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
    rounds: int | None = None,
    structure: str = "gggrgg",
    folds: int = 10,
    seed: int = 0,
    recoloring_budget: int = RECOLORING_BUDGET,
    time_limit: float | None = DEFAULT_SECONDS,
) -> Audit:
    """What can be told apart in these graphs, by which kind of model, and what accuracy that allows.

    graphs, targets, node_labels, edge_labels, simple: as `wlt.as_graphs` takes them; targets are classes, a string,
    number or boolean for every graph, or numbers (more than 20 different ones, or fractions), or several columns of
    them with NaN in their gaps: then bounds are the smallest errors. rounds: WL rounds of a GNN; default: the depth of
    the structure. folds, seed: the split in which leaks are counted. recoloring_budget: nodes and edges that may be
    visited to find out what recoloring separates. How that is computed, and how exact it is, is told in
    `wlt.auditing.recoloring`. time_limit: seconds that exact search may take for all graphs together; where it does not
    end, what rests on it is None, and `notes` says so.
    None: no limit.

    >>> hexagon = (6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)])
    >>> triangles = (6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    >>> result = audit([hexagon, triangles, hexagon], [0, 1, 0])
    >>> result.bounds["wl"].distinct, result.bounds["wlt"].distinct, result.copies.duplicates
    (1, 2, 1)
    >>> round(result.bounds["wl"].ceiling, 1), result.bounds["wlt"].ceiling
    (66.7, 100.0)
    """
    TimeLimit(time_limit)  # refuses what is none before anything is computed
    data = _read(graphs, targets, node_labels=node_labels, edge_labels=edge_labels, simple=simple)
    layers = Structure(structure)
    depth = layers.depth
    rounds = checked_rounds(layers, rounds, folds, seed)
    order = np.random.default_rng(seed).permutation(len(data))  # so that batches are random ones
    collected = Collected(depth)
    for part in _parts(data.union, order):
        collected.add(summarize(Labelled.by_number(data.take(part)), rounds, depth, collected.levels))
    return concluded(
        collected.whole(order),
        name=data.name,
        targets=data.targets,
        fetch=data.take,
        place=data.place,
        ignored=data.union.ignored,
        structure=layers,
        rounds=rounds,
        folds=int(folds),
        seed=int(seed),
        recoloring_budget=recoloring_budget,
        time_limit=time_limit,
    )


def checked_rounds(structure: Structure, rounds: int | None, folds: int, seed: int) -> int:
    """The rounds that are asked for, or the depth of the structure; an error where one of these numbers is none."""
    rounds = structure.depth if rounds is None else rounds
    for what, number, least in (("rounds", rounds, 0), ("folds", folds, 2), ("seed", seed, 0)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"{what} must be a whole number, not {number!r}")
        if not least <= number < 2**32:
            raise ValueError(f"{what} must be at least {least} and below 2**32, not {number}")
    return int(rounds)


def concluded(
    whole: Whole,
    *,
    name: str,
    targets: NDArray[Any] | None,
    fetch: Callable[[NDArray[np.int64]], Graphs],
    place: Callable[[int], str],
    ignored: tuple[str, ...],
    structure: Structure,
    rounds: int,
    folds: int,
    seed: int,
    recoloring_budget: int,
    time_limit: float | None,
) -> Audit:
    """The audit of graphs of which all parts are summarized. fetch: the graphs with these numbers; place: what messages
    call one of them."""
    aim = _aim(targets)
    shallow, deep, wl = whole.classes
    isomorphism, unknown = isomorphism_classes(wl, whole.identified, fetch, time_limit)
    recoloring, too_many = recoloring_bounds(fetch, aim, structure.blocks, deep, isomorphism, recoloring_budget)
    bounds = {
        "wl_rounds": bound(shallow, aim),
        "wl": bound(wl, aim),
        **recoloring,
        "isomorphism": Bound(None, None) if len(unknown) else bound(isomorphism, aim),
    }
    notes = [f"what {structure} separates: {too_many}"] if too_many else []
    if len(unknown):
        copies, no_folds = Copies(None, None, None, None, folds, seed), ""
        others = f" and {count(len(unknown) - 1, 'other')}" if len(unknown) > 1 else ""
        of_whom = f"{place(int(unknown[0]))}{others}"
        notes.append(f"which graphs are isomorphic: undecided within {time_limit:g} s for {of_whom}")
    else:
        copies, no_folds = count_copies(isomorphism, targets, folds, seed)
    identified = 100 * float(whole.identified.mean())
    return Audit(
        name=name,
        graphs=len(wl),
        structure=str(structure),
        rounds=rounds,
        bounds=bounds,
        identified=identified,
        amenable=None if whole.labelled else identified,
        copies=copies,
        compression=whole.compression,
        notes=(*notes, no_folds) if no_folds else tuple(notes),
        conclusion=conclusion(len(wl), str(structure), rounds, bounds, copies),
        ignored=ignored,
        wl_classes=wl,
        isomorphism_classes=isomorphism,
    )


def _aim(targets: NDArray[Any] | None) -> Labels | Numbers | None:
    """What models are to fit."""
    if targets is None:
        return None
    return classes_of(targets)[1] if kind_of(targets) == "classes" else target_table(targets, len(targets))


def _parts(union: Graph, order: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The graphs in this order, in parts of some batches each."""
    cost = np.diff(union.offsets[union.starts])[order] + union.graph_sizes[order]
    low = 0
    for high in range(BATCH_SIZE, len(order) + BATCH_SIZE, BATCH_SIZE):
        if high >= len(order) or cost[low:high].sum() >= PART_SIZE:
            yield order[low:high]
            low = high


def _read(graphs: Any, targets: ArrayLike | None, **carried: Any) -> Graphs:
    try:
        return as_graphs(graphs, targets, **carried)
    except ValueError as error:
        if isinstance(graphs, str):
            raise ValueError(f"{error}; for a dataset: wlt.audit(wlt.data.load({graphs!r}))") from None
        raise
