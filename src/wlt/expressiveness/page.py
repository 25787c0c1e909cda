"""What a model sees as a page: the table, the figure, and graphs that it does not see, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wlt.drawing.picture import picture_of
from wlt.drawing.svg import svg, text
from wlt.explorer.page import document
from wlt.expressiveness.table import Rows, as_html
from wlt.graphs import Graphs
from wlt.refine.partition import closure

MOST_SHOWN = 4
"""Pairs of each part that are drawn."""
MOST_DRAWN = 150
"""Nodes of a graph that is drawn."""

RUNGS = (
    "The ladder has pairs that are harder and harder to tell apart. WL, the Weisfeiler-Leman test, sees those of rung "
    "0 and no others. On rung 1 it takes 2-FWL, which most papers call 3-WL, on rung 2 3-FWL, and on rung 3 more than "
    "that."
)
CSS = """
.counts { border-collapse: collapse; background: var(--paper); border-radius: 8px; }
.counts th, .counts td { text-align: right; padding: 5px 12px; font-weight: 400; font-variant-numeric: tabular-nums; }
.counts th:first-child { text-align: left; }
.counts thead th { border-bottom: 1px solid var(--rule); }
.scroll { overflow-x: auto; }
.drawn { background: #fff; border-radius: 8px; padding: 8px; overflow-x: auto; width: fit-content; max-width: 100%; }
.drawn > svg { max-width: none; height: auto; }
.groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 540px), 1fr)); gap: 12px; }
.group { background: var(--paper); border: 1px solid var(--rule); border-radius: 8px; padding: 12px; }
.group p { margin: 0 0 8px; }
.pictures { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; align-items: end; justify-items: center; }
.pictures svg { max-height: 240px; width: auto; max-width: 100%; display: block; border: 1px solid var(--rule);
  border-radius: 6px; }
main > h2 { margin: 30px 0 8px; }
"""


class Unseen(NamedTuple):
    """A pair that the model takes for the same."""

    part: str
    name: str
    pair: Graphs


def page(
    model: str, benchmark: str, rows: Rows, sentences: Iterable[str], drawing: str, unseen: Sequence[Unseen]
) -> str:
    """One file, without requests to any network. drawing: the figure as SVG."""
    title = f"What the model “{model}” sees"
    body = [
        f"<h1>{text(title)}</h1>",
        f"<p>How many pairs of graphs of the benchmark “{text(benchmark)}” are told apart. A copy is a graph with its "
        "nodes renumbered: it must not be told apart from the original.</p>",
        f"<p>{text(RUNGS)}</p>" if benchmark == "ladder" else "",
        as_html(rows),
        *(f"<p>{text(sentence)}.</p>" for sentence in sentences),
        "<h2>Beside what is known</h2>",
        f'<div class="drawn">{drawing[drawing.index("<svg") :]}</div>',
        *_unseen(unseen),
    ]
    return document(title, "\n".join(body), CSS)


def _unseen(unseen: Sequence[Unseen]) -> list[str]:
    """Graphs that the model takes for the same, a few of every part."""
    if not unseen:
        return []
    shown: dict[str, list[Unseen]] = {}
    for each in unseen:
        few = shown.setdefault(each.part, [])
        if len(few) < MOST_SHOWN and each.pair.union.graph_sizes.max() <= MOST_DRAWN:
            few.append(each)
    parts = [
        "<h2>What it does not see</h2>",
        f"<p>{len(unseen)} pairs were not told apart; up to {MOST_SHOWN} of each part are drawn. Numbers are the "
        "classes of color refinement: nodes with one number look alike to WL.</p>",
    ]
    for part, few in shown.items():
        parts += [f"<h2>{text(part)}</h2>", '<div class="groups">']
        parts += [f'<div class="group"><p>{text(each.name)}</p>{_side_by_side(each.pair)}</div>' for each in few]
        parts.append("</div>")
    return parts


def _side_by_side(pair: Graphs) -> str:
    colors = closure(pair.union, node_labels=None if pair.kind == "degrees" else pair.codes)
    border = pair.union.starts[1]
    halves = zip(pair.union, (colors[:border], colors[border:]), ("first", "second"), strict=True)
    return f'<div class="pictures">{"".join(svg(picture_of(graph, own), title) for graph, own, title in halves)}</div>'
