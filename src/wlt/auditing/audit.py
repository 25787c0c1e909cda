"""Audit: what a dataset allows before anyone trains.

Ceilings are the best training accuracy of every model bounded by WL, of WLT-GNN, and of every model that gives
isomorphic graphs the same answer. "Isomorphic" always respects what nodes and edges carry; `Audit.ignored` says what
was not looked at.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wlt.auditing.bounds import Bound, Classes, Labels, Numbers, bound, isomorphism_classes
from wlt.auditing.compression import Compression, compression
from wlt.auditing.copies import Copies, count_copies
from wlt.auditing.recoloring import RECOLORING_BUDGET, recoloring_bounds
from wlt.auditing.wording import conclusion
from wlt.graph import Graph
from wlt.graphs import Graphs
from wlt.io.graphs import as_graphs
from wlt.recoloring.outcomes import equal_multisets
from wlt.refine.bliss import DEFAULT_SECONDS, TimeLimit
from wlt.refine.partition import Colors, as_colors, stable_partition
from wlt.refine.rounds import wl_rounds
from wlt.structure import Structure
from wlt.targets import kind_of, target_table
from wlt.wording import count


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
    rounds = depth if rounds is None else rounds
    for what, number, least in (("rounds", rounds, 0), ("folds", folds, 2), ("seed", seed, 0)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"{what} must be a whole number, not {number!r}")
        if not least <= number < 2**32:
            raise ValueError(f"{what} must be at least {least} and below 2**32, not {number}")
    union, aim = data.union, _aim(data)
    colorings = _colorings(union, data.codes, max(rounds, depth))

    def colors_at(round: int) -> Colors:
        return colorings[min(round, len(colorings) - 1)]

    shallow, wl_depth = (equal_multisets(union.starts, colors_at(round)) for round in (rounds, depth))
    stable = stable_partition(union, colorings[-1]).colors
    wl = equal_multisets(union.starts, stable)
    limit = TimeLimit(time_limit)
    isomorphism, identified, unknown = isomorphism_classes(union, stable, wl, limit)
    before, *after = layers.blocks
    recoloring, too_many = recoloring_bounds(
        union, aim, colors_at(before), after, wl_depth, isomorphism, recoloring_budget
    )
    bounds = {
        "wl_rounds": bound(shallow, aim),
        "wl": bound(wl, aim),
        **recoloring,
        "isomorphism": Bound(None, None) if len(unknown) else bound(isomorphism, aim),
    }
    notes = [f"what {layers} separates: {too_many}"] if too_many else []
    if len(unknown):
        copies, no_folds = Copies(None, None, None, None, int(folds), int(seed)), ""
        which = f"{data.place(int(unknown[0]))} and {count(len(unknown) - 1, 'other')}"
        of_whom = which if len(unknown) > 1 else data.place(int(unknown[0]))
        notes.append(f"which graphs are isomorphic: undecided within {limit.seconds:g} s for {of_whom}")
    else:
        copies, no_folds = count_copies(data, isomorphism, int(folds), int(seed))
    return Audit(
        name=data.name,
        graphs=len(data),
        structure=str(layers),
        rounds=int(rounds),
        bounds=bounds,
        identified=100 * float(identified.mean()),
        amenable=None if len(union.arcs) else 100 * float(identified.mean()),
        copies=copies,
        compression=compression(union, [colors_at(round) for round in range(depth + 1)], seed),
        notes=(*notes, no_folds) if no_folds else tuple(notes),
        conclusion=conclusion(len(data), str(layers), int(rounds), bounds, copies),
        ignored=union.ignored,
        wl_classes=wl,
        isomorphism_classes=isomorphism,
    )


def _aim(data: Graphs) -> Labels | Numbers | None:
    """What models are to fit."""
    if data.targets is None:
        return None
    if kind_of(data.targets) == "classes":
        return data.class_numbers
    return target_table(data.targets, len(data))


def _colorings(union: Graph, codes: Colors, most: int) -> list[Colors]:
    """Colours after 0, 1, 2, ... rounds, dense; the list ends early where another round would split nothing."""
    dense = as_colors(codes, union)
    rounds = takewhile(lambda after: after.split, islice(wl_rounds(union, dense), most))
    return [dense, *(after.colors for after in rounds)]


def _read(graphs: Any, targets: ArrayLike | None, **carried: Any) -> Graphs:
    try:
        return as_graphs(graphs, targets, **carried)
    except ValueError as error:
        if isinstance(graphs, str):
            raise ValueError(f"{error}; for a dataset: wlt.audit(wlt.data.load({graphs!r}))") from None
        raise
