"""A cheap audit for `fit`: one sentence where no weights can fit the labels well, or where recoloring cannot help."""

from __future__ import annotations

import numpy as np

from wlt.auditing.audit import Audit, audit
from wlt.auditing.bounds import Bound
from wlt.graph import Graph
from wlt.graphs import Graphs
from wlt.recolor import MAX_REPLICAS, Recolor
from wlt.recoloring.outcomes import equal_multisets
from wlt.refine.rounds import colors_after
from wlt.structure import Structure

LOW_CEILING = 90.0
"""Percent; `limits` speaks up where no weights can reach this training accuracy."""

AUDITED = 5_000_000
"""Nodes and adjacency entries of graphs that WL cannot tell apart, up to which `limits` looks why."""

RECOLORINGS_AUDITED = 100_000
"""Likewise, up to which it also looks what recoloring tells apart."""


def ceiling(result: Audit, union: Graph, recolor: Recolor) -> float | None:
    """Of WLT-GNN's training accuracy on these graphs, for what its r do; None where no bound is known."""
    known = bound_of_model(result, union, recolor)
    return None if known is None else known.ceiling


def bound_of_model(result: Audit, union: Graph, recolor: Recolor) -> Bound | None:
    """Of WLT-GNN on these graphs, for what its r do; None where no bound is known.

    The audit looks at one random node for every r. The mean of several draws says no more than their distribution,
    if they are draws of one r: those of the next r are not independent of each other. "all" and "nodes" see the mean,
    unless they need too many replicas and sample them. Several nodes, shares and "canonical" can see more than any of
    these. Where WL sees all that matters, every recoloring does."""
    bounds = result.bounds
    if bounds["wl_rounds"][1:] == bounds["isomorphism"][1:]:
        return bounds["isomorphism"]
    recolorings = len(Structure(result.structure).blocks) - 1
    if not recolorings or (recolor.number == 1 and (recolor.draws == 1 or recolorings == 1)):
        return bounds["wlt"]
    replicas = int(union.graph_sizes.max()) ** recolorings
    return bounds[f"wlt_{recolor.kind}"] if recolor.marks_each and replicas <= MAX_REPLICAS else None


def limits(
    graphs: Graphs,
    structure: str,
    recolor: Recolor,
    *,
    most_audited: int = AUDITED,
    most_recolorings_audited: int = RECOLORINGS_AUDITED,
) -> str | None:
    """One sentence where no weights can fit these labels well, or where recoloring cannot help.

    Only graphs that WL sees alike, and whose labels differ, need a closer look; where these are too many, nothing is
    said."""
    layers, union, labels = Structure(structure), graphs.union, graphs.class_numbers
    alike = equal_multisets(union.starts, colors_after(union, graphs.codes, layers.depth))
    kinds = np.unique(np.stack([alike, labels]), axis=1)[0]  # one entry for every label of every class of WL
    mixed = np.flatnonzero(np.bincount(kinds)[alike] > 1)
    wl = recoloring = isomorphism = 100.0
    if len(mixed):
        part = graphs.take(mixed)
        size = part.union.num_nodes + len(part.union.neighbors)
        if size > most_audited:
            return None
        tried = str(layers) if size <= most_recolorings_audited else "g" * layers.depth
        result = audit(part, structure=tried)
        wlt = ceiling(result, part.union, recolor) if tried == layers else None  # not computed, it can be anything
        wl, recoloring, isomorphism = (
            100.0 if best is None else 100 - (100 - best) * len(mixed) / len(labels)
            for best in (result.bounds["wl_rounds"].ceiling, wlt, result.bounds["isomorphism"].ceiling)
        )
    reachable = min(recoloring, isomorphism) if layers.recolorings else wl
    sentences = []
    if layers.recolorings and wl >= isomorphism - 1e-9:
        but = "" if isomorphism == 100 else ", except isomorphic ones"
        sentences.append(f"WL tells all graphs with different labels apart{but}: recoloring cannot help to fit them")
    if reachable < LOW_CEILING and reachable >= isomorphism - 1e-9:
        why = "isomorphic graphs have different labels"
        sentences.append(f"no model can fit more than {reachable:.1f} % of these graphs, because {why}")
    elif reachable < LOW_CEILING:
        advice = "more g behind the r" if layers.recolorings else "more g, or an r,"
        best_of_all = f"{advice} may help, up to {isomorphism:.1f} %"
        sentences.append(f"{layers} cannot fit more than {reachable:.1f} % of these graphs; {best_of_all}")
    if sentences and union.ignored:
        sentences.append(f"all this is about the graphs without {' and '.join(union.ignored)}")
    return "; ".join(sentences) or None
