"""The drawings of the front page and of "Class rows": `python docs/pictures.py` writes them to docs/pictures/."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import wlt
from wlt.drawing.palette import paint
from wlt.drawing.picture import picture_of
from wlt.drawing.svg import EDGE, FONT, INK, shapes, text

FOLDER = Path(__file__).parent / "pictures"
QUIET = "#59636e"


def refinement() -> str:
    """C6 and 2C3: what WL sees, and what it sees after one node of each was recoloured."""
    hexagon = wlt.as_graph(nx.cycle_graph(6))
    triangles = wlt.as_graph(nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)))
    union = wlt.Graph.union([hexagon, triangles])
    marked = np.zeros(12, np.int64)
    marked[[0, 6]] = 1
    once = wlt.refine_once(union, node_labels=marked)[0]
    steps = {
        "WL: one colour": np.zeros(12, np.int64),
        "one node is recoloured": marked,
        "one round of WL": once,
        "stable: they differ": wlt.closure(union, node_labels=marked),
    }
    columns = []
    for i, (title, colors) in enumerate(steps.items()):
        numbers = _by_first_appearance(colors)
        x = 20 + 250 * i
        columns.append(_title(x + 115, 26, title))
        columns.append(_drawn(hexagon, numbers[:6], _ring(6, x + 115, 125, 58)))
        columns.append(
            _drawn(triangles, numbers[6:], np.vstack([_ring(3, x + 58, 280, 42), _ring(3, x + 172, 280, 42)]))
        )
    return _svg(1040, 340, "".join(columns), "C6 and 2C3 under refinement, before and after a recoloring")


def _ring(nodes: int, x: float, y: float, radius: float) -> NDArray[np.float64]:
    angles = -np.pi / 2 + 2 * np.pi * np.arange(nodes) / nodes
    return np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=1)


def class_rows() -> str:
    """A batch of two graphs, its classes after one round, and the layer's row for each of them."""
    star, tree = nx.star_graph(5), nx.balanced_tree(2, 3)
    graphs = [wlt.as_graph(star), wlt.as_graph(nx.Graph(list(tree.edges)[:8]))]
    union = wlt.Graph.union(graphs)
    colors = _by_first_appearance(wlt.refine_once(union)[0])
    border = graphs[0].num_nodes
    parts = [
        _title(170, 26, f"a batch: {union.num_nodes} nodes"),
        _placed(graphs[0], colors[:border], 10, 50, 150),
        _placed(graphs[1], colors[border:], 165, 50, 190),
        _title(520, 26, f"{len(set(colors.tolist()))} classes after one round"),
        _title(830, 26, "the layer's rows"),
    ]
    for number in sorted(set(colors.tolist())):
        y = 70 + 52 * number
        fill, ink = paint(number)
        members = int((colors == number).sum())
        parts.append(f'<circle cx="420" cy="{y}" r="15" fill="{fill}" stroke="{INK}"/>')
        parts.append(_text(420, y, str(number), ink, 15))
        parts.append(_text(450, y, f"{members} node{'s' * (members > 1)} of the batch", QUIET, 14, "start"))
        parts.append(f'<path d="M620 {y}H700" stroke="{EDGE}" stroke-width="1.6"/>')
        parts.append(f'<polygon points="708,{y} 698,{y - 5} 698,{y + 5}" fill="{EDGE}"/>')
        cells = (
            f'<rect x="{720 + 28 * cell}" y="{y - 14}" width="26" height="28" rx="3" fill="{fill}" stroke="{INK}"/>'
            for cell in range(8)
        )
        parts.append("".join(cells))
    return _svg(960, 80 + 52 * len(set(colors.tolist())), "".join(parts), "A batch of two graphs and its class rows")


def _placed(graph: wlt.Graph, colors: NDArray[np.int64], x: float, y: float, width: float) -> str:
    """A graph in a box of this width."""
    points = picture_of(graph).points
    points = points - points.min(axis=0)
    return _drawn(graph, colors, points * (width - 30) / points[:, 0].max() + [x + 15, y + 15])


def _drawn(graph: wlt.Graph, colors: NDArray[np.int64], points: NDArray[np.float64]) -> str:
    return shapes(replace(picture_of(graph, colors, points), radius=13.0))


def _by_first_appearance(colors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Colours as 0, 1, ... in the order in which they appear, that of node 1 first: node 0 may be recoloured."""
    number: dict[int, int] = {int(colors[1]): 0}
    for color in colors.tolist():
        number.setdefault(color, len(number))
    return np.array([number[color] for color in colors.tolist()])


def _title(x: float, y: float, content: str) -> str:
    return _text(x, y, content, INK, 16)


def _text(x: float, y: float, content: str, ink: str, size: int, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" dominant-baseline="central" font-size="{size}" '
        f'fill="{ink}">{text(content)}</text>'
    )


def _svg(width: int, height: int, content: str, title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" style="{FONT}">'
        f'<title>{text(title)}</title><rect width="{width}" height="{height}" rx="10" fill="#ffffff"/>{content}</svg>\n'
    )


DRAWINGS = {"refinement.svg": refinement, "class-rows.svg": class_rows}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, drawing in DRAWINGS.items():
        (FOLDER / name).write_text(drawing(), "utf-8")
