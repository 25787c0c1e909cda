"""The page at the end of `make demo`: the pair under refinement, the fullerenes drawn, the accuracy figure."""

from __future__ import annotations

import io
from collections import Counter
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import wlt
from wlt.explorer.page import document, section
from wlt.io.atomic import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wlt.graphs import Graphs

CSS = """
main > h2 { margin: 34px 0 8px; font-size: 19px; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); gap: 14px; }
.row figure, .chart { margin: 0; border: 1px solid var(--rule); border-radius: 8px; padding: 10px; }
.row figure { background: var(--paper); }
.row figcaption { color: var(--quiet); font-size: 13.5px; }
.row svg, .chart svg { display: block; width: 100%; height: auto; }
.row svg { max-height: 330px; }
.chart { max-width: 760px; background: #fff; } /* matplotlib draws in black */
.facts { border-collapse: collapse; background: var(--paper); border-radius: 8px; margin-top: 12px; }
.facts th, .facts td { padding: 5px 12px; text-align: right; font-variant-numeric: tabular-nums; }
.facts th:first-child, .facts td:first-child { text-align: left; }
.facts th { font-weight: 600; color: var(--quiet); }
"""


def write_page(path: Path, molecules: Graphs, rows: list[tuple[object, ...]], figure: Figure) -> None:
    """rows: of the table of accuracies, as the demo prints it; figure: the accuracies epoch by epoch."""
    body = "\n".join([*_pair(), *_fullerenes(molecules), *_accuracies(rows, figure)])
    with replacing(path) as file:
        file.write(document("wlt demo", body, CSS).encode("utf-8"))


def _pair() -> list[str]:
    triangles = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    explorer = wlt.explore(nx.cycle_graph(6), triangles, titles=("a hexagon", "two triangles"))
    return [
        "<h1>Weisfeiler-Leman and Tinhofer</h1>",
        "<p>A hexagon and two triangles. Every node has two neighbours, so colour refinement gives all of them one "
        "colour, and no network that only passes messages can tell them apart. Step through it: one node of each "
        "gets a new colour, and the difference is there.</p>",
        section(explorer.story, explorer.titles),
    ]


def _fullerenes(molecules: Graphs) -> list[str]:
    """Two isomers of one size with different labels, each as WL sees it and with one atom recoloured."""
    sizes = molecules.union.graph_sizes
    labels = molecules.class_numbers
    first = next(i for i in range(len(molecules)) if labels[i] == 0)
    other = next(i for i in range(len(molecules)) if labels[i] == 1 and sizes[i] == sizes[first])
    figures = []
    for which in (first, other):
        graph = molecules.union[which]
        kind = "less" if labels[which] else "more"
        points, atoms = schlegel(graph), f"C{sizes[which]}, a {kind} stable isomer"
        marked = np.zeros(graph.num_nodes, np.int64)
        marked[0] = 1
        views: dict[str, NDArray[Any]] = {
            "what WL sees: one colour": wlt.closure(graph),
            "with one atom recoloured": wlt.closure(graph, node_labels=marked),
            "what counts: pentagons at each atom": pentagons(graph),
        }
        for caption, colors in views.items():
            drawn = wlt.draw(graph, colors, positions=points).svg
            figures.append(f"<figure>{drawn}<figcaption>{atoms}: {caption}</figcaption></figure>")
    return [
        "<h2>Two isomers</h2>",
        "<p>Fullerenes are molecules of carbon: every atom has three neighbours, every ring is a pentagon or a "
        "hexagon. The more pentagons stand side by side, the less stable is the molecule. WL sees one colour, so it "
        "sees no pentagon. After one atom is recoloured, it sees how the rings lie around that atom.</p>",
        f'<div class="row">{"".join(figures)}</div>',
    ]


def _accuracies(rows: list[tuple[object, ...]], figure: Figure) -> list[str]:
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg")
    svg = drawn.getvalue()
    cells = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    head = "<tr><th></th><th>training</th><th>test</th><th>spread over folds</th></tr>"
    return [
        "<h2>What networks learn</h2>",
        "<p>Which isomers are the less stable ones? Accuracy on molecules that were not in the training, in percent: "
        "GIN stays at the ceiling of WL, WLT-GNN does not.</p>",
        f'<div class="chart">{svg[svg.index("<svg") :]}</div>',
        f'<table class="facts"><thead>{head}</thead><tbody>{cells}</tbody></table>',
    ]


def schlegel(graph: wlt.Graph) -> NDArray[np.float64]:
    """A fullerene without crossings: a pentagon outside, and every other atom amid its neighbours (Tutte).

    With equal weights atoms far from the pentagon are crowded. Long bonds pull harder, again and again, until lengths
    are similar; no weights above 0 make lines cross."""
    outer = next(_pentagon_rings(graph))
    angles = 2 * np.pi * np.arange(len(outer)) / len(outer) - np.pi / 2
    points = np.zeros((graph.num_nodes, 2))
    points[outer] = 200 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    inner = np.setdiff1d(np.arange(graph.num_nodes), outer)
    pull = graph.to_scipy().toarray().astype(np.float64)
    for _ in range(30):
        laplacian = np.diag(pull.sum(axis=1)) - pull
        forces = -laplacian[np.ix_(inner, outer)] @ points[outer]
        points[inner] = np.linalg.solve(laplacian[np.ix_(inner, inner)], forces)
        pull *= np.linalg.norm(points[:, np.newaxis] - points, axis=2) ** 0.25
        pull /= pull.max()
    return points


def pentagons(graph: wlt.Graph) -> NDArray[np.int64]:
    """How many pentagons each atom is in."""
    found = Counter(v for ring in _pentagon_rings(graph) for v in ring)
    return np.array([found[v] for v in range(graph.num_nodes)])


def _pentagon_rings(graph: wlt.Graph) -> Any:
    rings = nx.simple_cycles(graph.to_networkx(), length_bound=5)
    return (ring for ring in rings if len(ring) == 5)
