"""An audit as a page: ceilings as a figure, and the graphs themselves that copies, contradictions and WL are about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.auditing.audit import Audit
from wlt.auditing.copies import different_targets
from wlt.auditing.wording import errors, meaning_of_models, model_names
from wlt.drawing.svg import text
from wlt.explorer.explore import MOST_EDGES, MOST_NODES
from wlt.explorer.page import document, section
from wlt.explorer.story import story_of_two
from wlt.graphs import Graphs
from wlt.pictures.figure import CSS as PICTURES
from wlt.pictures.figure import figure
from wlt.wording import count

MOST_SHOWN = 6
"""Groups of copies, and pairs that WL cannot tell apart, that are drawn."""

CSS = """
.bars { width: 100%; max-width: 900px; border-collapse: collapse; background: var(--paper); border-radius: 8px; }
.bars th, .bars td { text-align: left; padding: 5px 10px; font-weight: 400; vertical-align: middle; }
.bars thead th { font-weight: 600; color: var(--quiet); }
.bars .number { text-align: right; }
.bars td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.bars td:has(.track) { width: 34%; }
.bars .track { background: var(--rule); border-radius: 4px; min-width: 60px; }
.bars .bar { background: var(--accent); border-radius: 4px; height: 14px; }
.bars + p { margin-top: 10px; max-width: 900px; }
@media (min-width: 700px) { .bars th { white-space: nowrap; } }
@media (max-width: 699px) {
  .bars th, .bars td { padding: 5px 6px; }
  .bars td:has(.track) { width: 58px; }
  .bars .track { min-width: 46px; }
}
.groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 540px), 1fr)); gap: 12px; }
.groups.narrow { grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); }
.group { background: var(--paper); border: 1px solid var(--rule); border-radius: 8px; padding: 12px; }
.group .pictures { align-items: flex-end; margin-bottom: 8px; }
.group .pictures figure { flex: 1 1 220px; }
.group ul { margin: 0; padding-left: 18px; overflow-wrap: anywhere; font-size: 13.5px; }
.group:has(.watch:target) { grid-column: 1 / -1; }
.watch { display: none; }
.watch:target { display: block; }
main > h2 { margin: 30px 0 8px; }
a { color: var(--accent); }
"""


class Pair(NamedTuple):
    """Two graphs to look at side by side, by their places in the dataset."""

    left: int
    right: int


def audit_page(graphs: Graphs, audit: Audit) -> str:
    """The whole page: one file, without requests to any network."""
    labels = None if graphs.targets is None else different_targets(graphs.targets)
    isomorphism, wl = audit.isomorphism_classes, audit.wl_classes
    known = audit.bounds["isomorphism"].distinct is not None
    contradicting = list(_contradicting(isomorphism, labels)) if known and labels is not None else []
    copies = [group for group in _groups(isomorphism) if known]
    alike = _alike(wl, isomorphism, labels) if known else []
    parts = [
        f"<h1>{text(audit.name)}: what {count(audit.graphs, 'graph')} allow</h1>",
        f"<p>{text(audit.conclusion)}</p>",
        *(f'<p class="quiet">Not known: {text(note)}.</p>' for note in audit.notes),
        f'<p class="quiet">All this is about the graphs without {text(" and ".join(audit.ignored))}.</p>'
        if audit.ignored
        else "",
        _bars(audit, labels),
        *_section(
            graphs,
            "contradicting",
            "Copies with different labels",
            "Isomorphic graphs, drawn once each for two of the labels: no model can be right about both.",
            contradicting,
        ),
        *_section(
            graphs,
            "alike",
            "Graphs that WL cannot tell apart",
            "Not isomorphic, but equal for every model that is bounded by WL, however many layers it has.",
            alike,
        ),
        *_copies(graphs, copies),
        "<p>No two of the graphs are isomorphic, and WL tells all of them apart: there are no copies and no pairs to "
        "draw.</p>"
        if known and not copies and not alike
        else "",
    ]
    return document(f"wlt audit: {audit.name}", "\n".join(parts), PICTURES + CSS)


def _bars(audit: Audit, labels: NDArray[np.int64] | None) -> str:
    """The best training accuracy of every kind of model; without labels, what they tell apart."""
    if audit.bounds["wl"].mae is not None:
        return _errors(audit)
    rows: list[tuple[str, str, float | None]] = []
    if labels is not None and len(labels):
        rows.append(("always the most frequent label", "", 100 * float(np.bincount(labels).max()) / len(labels)))
    for name, model in model_names(audit.structure, audit.rounds).items():
        distinct = audit.bounds[name].distinct
        told = "" if name == "wlt_one_draw" else "–" if distinct is None else str(distinct)
        rows.append((model, told, audit.bounds[name].ceiling))
    head = '<th scope="col">a model bounded by</th><th scope="col" class="number">tells apart</th>'
    if labels is None:  # one draw tells graphs apart by chance: nothing to count
        body = "".join(f"<tr>{_told(model, told)}</tr>" for model, told, _ in rows if told)
        return _table("What models tell apart", head, body, audit)
    head += '<th scope="col" class="number">reaches at most in training</th><th></th>'
    body = "".join(
        f'<tr>{_told(model, told)}<td class="number">{"–" if best is None else f"{best:.2f} %"}</td>'
        f"<td>{_bar(best)}</td></tr>"
        for model, told, best in rows
    )
    return _table("Ceilings", head, body, audit)


def _told(model: str, told: str) -> str:
    return f'<th scope="row">{text(model)}</th><td class="number">{told}</td>'


def _table(title: str, head: str, body: str, audit: Audit) -> str:
    """A table of models, and what its words mean."""
    return (
        f'<h2>{title}</h2>\n<table class="bars"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>\n'
        f'<p class="quiet">{text(meaning_of_models(audit.structure))}</p>'
    )


def _errors(audit: Audit) -> str:
    """The smallest errors of every kind of model."""
    rows = [
        (model, str(audit.bounds[name].distinct), errors(audit.bounds[name]))
        for name, model in model_names(audit.structure, audit.rounds).items()
        if audit.bounds[name].mae is not None
    ]
    body = "".join(f"<tr>{_told(model, told)}<td>{text(least)}</td></tr>" for model, told, least in rows)
    head = (
        '<th scope="col">a model bounded by</th><th scope="col" class="number">tells apart</th>'
        '<th scope="col">has at least these errors in training</th>'
    )
    return _table("Smallest errors", head, body, audit)


def _bar(percent: float | None) -> str:
    if percent is None:
        return ""
    return f'<div class="track"><div class="bar" style="width:{percent:.2f}%"></div></div>'


def _section(graphs: Graphs, name: str, title: str, about: str, pairs: Sequence[Pair]) -> Iterator[str]:
    """Pairs of graphs, drawn, each with a link to the explorer's view of it."""
    if not pairs:
        return
    yield f'<h2>{title}</h2>\n<p>{about} {_how_many(len(pairs), "pair")}</p>\n<div class="groups">'
    for number, pair in enumerate(pairs[:MOST_SHOWN], start=1):
        place = f"{name}-{number}"
        small = all(_can_explore(graphs, graph) for graph in pair)
        link = f'<p><a href="#{place}">Watch refinement on this pair</a></p>' if small else ""
        watch = f'<div class="watch" id="{place}">{_explorer(graphs, pair)}</div>' if small else ""
        figures = "".join(_figure(graphs, graph) for graph in pair)
        yield f'<div class="group"><div class="pictures">{figures}</div>{link}{watch}</div>'
    yield "</div>"


def _copies(graphs: Graphs, groups: Sequence[NDArray[np.int64]]) -> Iterator[str]:
    if not groups:
        return
    yield f"<h2>Isomorphic copies</h2>\n<p>The largest groups first. {_how_many(len(groups), 'group')}</p>"
    yield '<div class="groups narrow">'
    for group in groups[:MOST_SHOWN]:
        places = [text(_called(graphs, int(graph))) for graph in group[:MOST_SHOWN]]
        more = [f"and {len(group) - MOST_SHOWN} more"] if len(group) > MOST_SHOWN else []
        listed = "".join(f"<li>{line}</li>" for line in places + more)
        picture = figure(graphs, int(group[0]), f"{len(group)} copies:")
        yield f'<div class="group"><div class="pictures">{picture}</div><ul>{listed}</ul></div>'
    yield "</div>"


def _how_many(number: int, thing: str) -> str:
    if number <= MOST_SHOWN:
        return f"{count(number, thing)}."
    return f"{MOST_SHOWN} of {count(number, thing)} are shown."


def _figure(graphs: Graphs, graph: int) -> str:
    return figure(graphs, graph, _called(graphs, graph))


def _called(graphs: Graphs, graph: int) -> str:
    label = "" if graphs.targets is None else f", label {graphs.targets[graph]}"
    return f"{graphs.place(graph)}{label}"


def _can_explore(graphs: Graphs, graph: int) -> bool:
    union = graphs[graph].union
    return union.num_nodes <= MOST_NODES and union.num_edges <= MOST_EDGES


def _explorer(graphs: Graphs, pair: Pair) -> str:
    left, right = (graphs[graph] for graph in pair)
    if left.kind == "degrees":  # WL finds degrees by itself, in its first round
        story = story_of_two(left.union, right.union)
    else:
        labels = [left.codes, right.codes]
        story = story_of_two(left.union, right.union, node_labels=labels, values=[*left.carried(), *right.carried()])
    return section(story, tuple(_called(graphs, graph) for graph in pair))


def _groups(classes: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Classes of two graphs or more, large ones first."""
    order = np.argsort(classes, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(classes[order])) + 1)
    return sorted((group for group in groups if len(group) > 1), key=lambda group: (-len(group), int(group[0])))


def _contradicting(classes: NDArray[np.int64], labels: NDArray[np.int64]) -> Iterator[Pair]:
    """Of every class with several labels, its first graph and the first with another label."""
    for group in _groups(classes):
        others = group[labels[group] != labels[group[0]]]
        if len(others):
            yield Pair(int(group[0]), int(others[0]))


def _alike(wl: NDArray[np.int64], isomorphism: NDArray[np.int64], labels: NDArray[np.int64] | None) -> list[Pair]:
    """Of every class of WL its first graph with the first of each other isomorphism class. Pairs whose labels differ
    come first, and pairs of other classes before further pairs of one class."""
    pairs = []
    for group in _groups(wl):
        _, first = np.unique(isomorphism[group], return_index=True)
        one, *others = group[np.sort(first)].tolist()
        different = [] if labels is None else [other for other in others if labels[other] != labels[one]]
        alike = [other for other in others if other not in set(different)]
        pairs += [(not different, i, Pair(one, other)) for i, other in enumerate(different + alike)]
    return [pair for *_, pair in sorted(pairs)]
