"""One of several graphs as a figure of a page: a molecule as chemists draw it, everything else as a drawing."""

from __future__ import annotations

from wlt.drawing.picture import picture_of
from wlt.drawing.svg import svg, text
from wlt.graphs import Graphs
from wlt.pictures.molecule import is_molecule, molecule_svg
from wlt.wording import count

MOST_DRAWN = 150
"""Nodes of a graph that is drawn."""

CSS = """
.pictures { display: flex; flex-wrap: wrap; gap: 14px; align-items: flex-start; }
.pictures figure { margin: 0; max-width: 100%; }
.pictures figcaption { font-size: 13px; color: var(--quiet); max-width: 300px; overflow-wrap: anywhere; }
.pictures svg { max-height: 240px; width: auto; max-width: 100%; display: block; }
.pictures svg.wlt-molecule { background: #fff; border-radius: 6px; }
"""


def figure(graphs: Graphs, graph: int, caption: str) -> str:
    """The picture of one of the graphs, with words below."""
    one = graphs[graph]
    if one.union.num_nodes > MOST_DRAWN:
        picture = f"<p>{count(one.union.num_nodes, 'node')}: too large to be drawn</p>"
    else:
        carried = one.carried()
        picture = (
            molecule_svg(one.union, carried)
            if is_molecule(one.union, carried)
            else svg(picture_of(one.union, None if one.kind == "degrees" else one.codes))
        )
    return f"<figure>{picture}<figcaption>{text(caption)}</figcaption></figure>"
