"""`explore`: one graph or two, with every step to look at, as an object that shows itself."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wlt.drawing.svg import text
from wlt.explorer.page import page
from wlt.explorer.story import Story, story_of_one, story_of_two
from wlt.io import as_graph
from wlt.io.atomic import replacing
from wlt.wording import count

MOST_NODES = 500
MOST_EDGES = 5000
"""Of each graph. More of them can be computed with, but not looked at."""


@dataclass(frozen=True, eq=False)
class Explorer:
    """The steps of WL and of Tinhofer's algorithm. In a notebook it shows itself; `save` writes one HTML file."""

    story: Story
    titles: tuple[str, ...]

    @property
    def html(self) -> str:
        """The page: one file that needs no network and no server."""
        return page(self.story, self.titles)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page."""
        with replacing(Path(path)) as file:
            file.write(self.html.encode("utf-8"))

    def _repr_html_(self) -> str:
        frame = 'style="width:100%;height:720px;border:0" title="wlt explore"'
        return f'<iframe srcdoc="{text(self.html)}" {frame}></iframe>'

    def __repr__(self) -> str:
        steps = count(len(self.story.frames), "step")
        return f"Explorer({' and '.join(self.titles)}: {steps}; .save(path) writes a page, notebooks show it)"


def explore(
    g: Any,
    h: Any = None,
    *,
    node_labels: Any = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
    seed: int = 0,
    titles: tuple[str, ...] = (),
) -> Explorer:
    """Every WL round of one graph, or of two; of two also every recoloring of Tinhofer's algorithm, and the answer.

    `node_labels`, `edge_labels` and `simple` are those of `closure` (one graph) and of `isomorphism` (two), and so is
    `seed`. `titles`: what the graphs are called on the page. Graphs of more than 500 nodes are refused.

    >>> import networkx as nx
    >>> explore(nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)))
    Explorer(G and H: 6 steps; .save(path) writes a page, notebooks show it)
    """
    sources = (g,) if h is None else (g, h)
    graphs = [as_graph(source, edge_labels=edge_labels, simple=simple) for source in sources]
    for letter, graph in zip("GH", graphs, strict=False):
        for number, most, thing in ((graph.num_nodes, MOST_NODES, "node"), (graph.num_edges, MOST_EDGES, "edge")):
            if number > most:
                raise ValueError(
                    f"{letter} has {count(number, thing)}; the explorer draws up to {most}; wlt compare and wlt "
                    "inspect have no such limit"
                )
    options: dict[str, Any] = {"node_labels": node_labels, "edge_labels": edge_labels, "simple": simple}
    story = story_of_one(g, **options) if h is None else story_of_two(g, h, seed=seed, **options)
    named = titles or ("G", "H")[: len(sources)]
    if len(named) != len(sources):
        raise ValueError(f"{len(named)} titles for {count(len(sources), 'graph')}")
    return Explorer(story, named)
