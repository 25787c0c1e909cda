"""Evidence drawn on a graph, or on a molecule as chemists draw it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wlt.drawing.palette import mixed, on
from wlt.drawing.picture import Picture, picture_of
from wlt.drawing.svg import svg
from wlt.graphs import Graphs
from wlt.pictures.molecule import is_molecule, molecule_svg

FOR, AGAINST, NOTHING = "#0072b2", "#d55e00", "#ffffff"
"""Blue and orange, which everybody tells apart, and white for what contributes nothing."""
THIN, THICK = 1.6, 7.0


def evidence_svg(
    graph: Graphs,
    nodes: NDArray[np.float64],
    edges: NDArray[np.int64],
    edge_contributions: NDArray[np.float64],
    title: str = "",
) -> str:
    """One picture of a graph; the strongest node, and the strongest edge, has the full colour."""
    union, carried = graph.union, graph.carried()
    if is_molecule(union, carried):
        atoms = {v: _color(share, 0.75) for v, share in enumerate(_shares(nodes))}
        of_bonds = zip(edges.tolist(), _shares(edge_contributions), strict=True)
        bonds = {(u, v): _color(share, 0.75) for (u, v), share in of_bonds}
        return molecule_svg(union, carried, atoms, bonds)
    return svg(evidence_picture(graph, nodes, edges, edge_contributions), title)


def evidence_picture(
    graph: Graphs, nodes: NDArray[np.float64], edges: NDArray[np.int64], edge_contributions: NDArray[np.float64]
) -> Picture:
    plain = picture_of(graph.union)
    values = [f"{value:+.3g}" for value in nodes]
    spots = [
        spot._replace(paint=on(_color(share)), title=f"{spot.title}: {value}")
        for spot, share, value in zip(plain.spots, _shares(nodes), values, strict=True)
    ]
    of_pair = dict(zip(map(tuple, edges.tolist()), _shares(edge_contributions), strict=True))
    shares = [of_pair[min(line.source, line.target), max(line.source, line.target)] for line in plain.lines]
    return replace(
        plain,
        spots=tuple(spots),
        widths=tuple(THIN + (THICK - THIN) * abs(share) for share in shares),
        strokes=tuple(mixed("#9aa5b0", FOR if share > 0 else AGAINST, min(1.0, 2 * abs(share))) for share in shares),
    )


def _shares(values: NDArray[np.float64]) -> list[float]:
    """Of the strongest, from -1 to 1."""
    strongest = np.abs(values).max(initial=0.0)
    return [float(value / strongest) if strongest > 0 else 0.0 for value in values]


def _color(share: float, most: float = 1.0) -> str:
    return mixed(NOTHING, FOR if share > 0 else AGAINST, most * abs(share))
