"""A result as a page: the table, the figure, and graphs that the model does not see, side by side."""

from __future__ import annotations

from wlt.drawing.picture import picture_of
from wlt.drawing.svg import svg, text
from wlt.explorer.page import document
from wlt.expressiveness.figure import saved_figure
from wlt.expressiveness.result import Separation
from wlt.expressiveness.table import cells
from wlt.graphs import Graphs
from wlt.refine.partition import closure

MOST_SHOWN = 4
"""Pairs of each part that are drawn."""
MOST_DRAWN = 150
"""Nodes of a graph that is drawn."""

CSS = """
.counts { border-collapse: collapse; background: var(--paper); border-radius: 8px; }
.counts th, .counts td { text-align: right; padding: 5px 12px; font-weight: 400; font-variant-numeric: tabular-nums; }
.counts th:first-child { text-align: left; }
.counts thead th { border-bottom: 1px solid var(--rule); }
.scroll { overflow-x: auto; }
.drawn { background: #fff; border-radius: 8px; padding: 8px; overflow-x: auto; }
.drawn > svg { max-width: none; height: auto; }
.groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 540px), 1fr)); gap: 12px; }
.group { background: var(--paper); border: 1px solid var(--rule); border-radius: 8px; padding: 12px; }
.group p { margin: 0 0 8px; }
.pictures { display: flex; flex-wrap: wrap; gap: 14px; align-items: flex-end; }
.pictures svg { max-height: 240px; width: auto; max-width: 100%; display: block; border: 1px solid var(--rule);
  border-radius: 6px; }
main > h2 { margin: 30px 0 8px; }
"""


def page(result: Separation) -> str:
    """One file, without requests to any network."""
    drawing = saved_figure(result, "svg").decode()
    title = f"What {result.model} sees"
    body = [
        f"<h1>{text(title)}</h1>",
        f"<p>Pairs of graphs of {text(result.benchmark)} that are told apart. A copy is a graph with its nodes "
        "renumbered: it must not be told apart from the original.</p>",
        table(result),
        *(
            f"<p>{text(each.model)}: {text(said)}.</p>"
            for each in (result, *result.compared)
            for said in each.sentences
        ),
        "<h2>Beside what is known</h2>",
        f'<div class="drawn">{drawing[drawing.index("<svg") :]}</div>',
        *_unseen(result),
    ]
    return document(title, "\n".join(body), CSS)


def table(result: Separation) -> str:
    head, *rows = cells(result)
    lines = ["".join(f"<th>{text(cell)}</th>" for cell in head)]
    lines += [f"<th>{text(row[0])}</th>" + "".join(f"<td>{text(cell)}</td>" for cell in row[1:]) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines[1:])
    head_row = f"<thead><tr>{lines[0]}</tr></thead>"
    return f'<div class="scroll"><table class="counts">{head_row}<tbody>{body}</tbody></table></div>'


def _unseen(result: Separation) -> list[str]:
    """Graphs that the model takes for the same, a few of every part."""
    bench = result.source
    if bench is None or not result.unseen:
        return []
    shown: dict[str, list[int]] = {}
    for number in result.unseen:
        pair = bench.groups[number]
        small = bench.graphs.union.graph_sizes[pair].max() <= MOST_DRAWN
        if len(pair) == 2 and small and len(shown.setdefault(bench.parts[number], [])) < MOST_SHOWN:
            shown[bench.parts[number]].append(number)
    parts = [
        "<h2>What it does not see</h2>",
        f"<p>{len(result.unseen)} of {len(result.outcomes)} groups have a pair that was not told apart; up to "
        f"{MOST_SHOWN} of each part are drawn. Numbers are the classes of color refinement: nodes with one number look "
        "alike to WL.</p>",
    ]
    for part, numbers in shown.items():
        parts += [f"<h2>{text(part)}</h2>", '<div class="groups">']
        for number in numbers:
            name = bench.names[number] if bench.names else f"pair {number}"
            parts.append(
                f'<div class="group"><p>{text(name)}</p>{_side_by_side(bench.graphs.take(bench.groups[number]))}</div>'
            )
        parts.append("</div>")
    return parts


def _side_by_side(pair: Graphs) -> str:
    labels = None if pair.kind == "degrees" else pair.codes
    colors = closure(pair.union, node_labels=labels)
    border = pair.union.starts[1]
    sides = [
        svg(picture_of(graph, classes), title)
        for graph, classes, title in zip(
            pair.union, (colors[:border], colors[border:]), ("first", "second"), strict=True
        )
    ]
    return f'<div class="pictures">{"".join(sides)}</div>'
