"""A story as a part of a page, and the page around it: one HTML file that asks no other host for anything."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np

from wlt.drawing.layout import Points, layout
from wlt.drawing.palette import OKABE_ITO, SHADES, paint
from wlt.drawing.picture import Picture, picture_of, room_for, short
from wlt.drawing.svg import WIDTH, shapes, text, view_box
from wlt.explorer.story import Frame, Story
from wlt.wording import count

HINT = "Choose a class, in the table or by a click on a node, to read what its nodes have in common."
SIDE, HAIRLINE = 380.0, 0.8
"""Pixels that a side gets on most screens, and what lines measure there at least."""
LONGEST_NAME = 16
"""Letters of a name in the list of the mapping."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""What the browser may load: nothing, but what stands in the file itself."""


def document(title: str, body: str, css: str = "") -> str:
    """A whole page. Its script begins every explorer in the body."""
    script = files("wlt.explorer").joinpath("page.js").read_text("utf-8")
    style = files("wlt.explorer").joinpath("page.css").read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{style}{css}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n<script>{script}</script>\n</body>\n</html>\n"
    )


def page(story: Story, titles: tuple[str, ...]) -> str:
    """The explorer of one story as a page of its own."""
    heading = " and ".join(titles) if len(titles) > 1 else titles[0]
    return document(f"wlt explore: {heading}", f"<h1>{text(heading)}</h1>\n{section(story, titles)}")


def section(story: Story, titles: tuple[str, ...]) -> str:
    """The explorer itself: two pictures, the steps, the classes, the answer."""
    pictures = _pictures(story)
    letters = "GH"[: len(pictures)]
    sides = [
        f'<g class="side">{_title(letter, title, graph.num_nodes, graph.num_edges, box)}{shapes(picture)}</g>'
        for letter, title, graph, picture, box in zip(
            letters, titles, story.graphs, pictures, map(_box, pictures), strict=True
        )
    ]
    columns = "".join(f'<th scope="col">in {letter}</th>' for letter in letters)
    return (
        '<section class="explorer" aria-label="Steps of color refinement">\n<div class="stage">'
        f'<svg class="wlt-graph" role="group" aria-label="{text(" and ".join(titles))}" '
        f'preserveAspectRatio="xMidYMin meet"><g class="links"></g>{"".join(sides)}</svg>\n{_controls()}</div>\n'
        '<div class="panel"><div class="now" aria-live="polite"><h2 class="title"></h2><p class="text"></p>'
        f'<div class="end" hidden>{_end(story)}</div></div>\n'
        '<div><div class="classes"><table><caption class="quiet how-many"></caption><thead><tr><th scope="col">class'
        f'</th>{columns}</tr></thead><tbody class="rows"></tbody></table></div><p class="words quiet"></p></div>'
        "</div>\n"
        f'<script type="application/json" class="story">{_json(_data(story, pictures))}</script>\n</section>\n'
    )


def _pictures(story: Story) -> list[Picture]:
    """Both graphs; where they are isomorphic, corresponding nodes stand at corresponding places."""
    room = room_for(*story.graphs)
    places: list[Points] = [room * layout(graph.num_nodes, graph.edges()) for graph in story.graphs[:1]]
    for graph in story.graphs[1:]:
        if story.mapping is None:
            places.append(room * layout(graph.num_nodes, graph.edges()))
        else:
            places.append(places[0][np.argsort(story.mapping)])
    return [
        _seen_small(picture_of(graph, np.zeros(graph.num_nodes, np.int64), points))
        for graph, points in zip(story.graphs, places, strict=True)
    ]


def _seen_small(picture: Picture) -> Picture:
    """With lines that can be seen where a wide picture is made as narrow as a screen."""
    width = HAIRLINE * view_box(picture)[2] / SIDE
    return picture if width <= WIDTH else replace(picture, widths=(width,) * len(picture.lines))


def _box(picture: Picture) -> tuple[float, float, float, float]:
    """The room of one side, with a line for its title."""
    x, y, width, height = view_box(picture)
    wider = max(0.0, 190.0 - width)
    line = 1.9 * _letters(width + wider)
    return x - wider / 2, y - line, width + wider, height + line


def _letters(width: float) -> float:
    """The size of a title above a picture of this width, which is drawn smaller than it is where it is wide."""
    return max(14.0, width / 26)


def _title(letter: str, title: str, nodes: int, edges: int, box: tuple[float, float, float, float]) -> str:
    size = _letters(box[2])
    room = max(8, int(box[2] / (0.57 * size)) - len(letter) - 4)
    shown = title if len(title) <= room else f"{title[: room - 1]}…"
    named = letter if title in ("", letter) else f"{letter}: {shown}"
    whole = f"{title}: {count(nodes, 'node')}, {count(edges, 'edge')}"
    return (
        f'<text class="side-title" x="{box[0] + box[2] / 2:.1f}" y="{box[1] + 1.1 * size:.1f}" text-anchor="middle" '
        f'font-size="{size:.1f}"><title>{text(whole)}</title>{text(named)}</text>'
    )


def _controls() -> str:
    buttons = {
        "first": ("⇤", "First step (Home)"),
        "back": ("←", "One step back (left)"),
        "next": ("→", "One step on (right)"),
        "last": ("⇥", "Last step (End)"),
        "play": ("play", "Play (space)"),
    }
    drawn = [
        f'<button type="button" data-go="{go}" aria-label="{label}" title="{label}">{sign}</button>'
        for go, (sign, label) in buttons.items()
    ]
    return (
        f'<div class="controls">{"".join(drawn)}<input type="range" min="0" max="0" value="0" aria-label="Step">'
        '<output class="place"></output></div>\n'
        '<p class="quiet">Keys: left, right, Home, End; space plays. Nodes can be dragged.</p>'
    )


def _end(story: Story) -> str:
    ignored = f"<p>Not looked at: {text(' and '.join(story.ignored))}.</p>" if story.ignored else ""
    if not story.answers:
        return ignored
    rows = "".join(
        f"<dt>{text(test)}: {text(answer)}</dt><dd>{text(worth)}; {text(took)}</dd>"
        for test, answer, took, worth in story.answers
    )
    pairs = ""
    if story.mapping is not None and len(story.mapping):
        left, right = (graph.names or range(graph.num_nodes) for graph in story.graphs)
        named = [(str(left[v]), str(right[image])) for v, image in enumerate(story.mapping.tolist())]
        shown = [f"{short(v, LONGEST_NAME)} → {short(image, LONGEST_NAME)}" for v, image in named]
        lines = "".join(
            f'<div title="{text(v)} → {text(image)}">{text(entry)}</div>'
            for (v, image), entry in zip(named, shown, strict=True)
        )
        room = max(map(len, shown)) + 1  # so many columns as there is room for whole entries
        columns = f"grid-template-columns:repeat(auto-fill,minmax(min(100%,{room}ch),1fr))"
        pairs = f'<p>The mapping:</p><div class="pairs" style="{columns}">{lines}</div>'
    return f'<dl class="answers">{rows}</dl>{ignored}{pairs}'


def _data(story: Story, pictures: list[Picture]) -> dict[str, Any]:
    """What the script needs. Of every step only the nodes whose class changes: steps of large graphs are many."""
    before = np.zeros(sum(graph.num_nodes for graph in story.graphs), np.int32)
    frames = []
    for frame in story.frames:
        frames.append(_frame(frame, before))
        before = frame.colors
    return {
        "frames": frames,
        "palette": [list(paint(number)) for number in range(len(OKABE_ITO) * len(SHADES))],
        "sides": [
            {
                "radius": round(picture.radius, 1),
                "box": [round(value, 1) for value in _box(picture)],
                "places": picture.points.round(1).tolist(),
                "names": [str(name) for name in graph.names or range(graph.num_nodes)],
            }
            for graph, picture in zip(story.graphs, pictures, strict=True)
        ],
        "mapping": None if story.mapping is None else story.mapping.tolist(),
        "hint": HINT,
    }


def _frame(frame: Frame, before: Any) -> dict[str, Any]:
    changed = np.flatnonzero(frame.colors != before)
    return {
        "kind": frame.kind,
        "title": frame.title,
        "text": frame.text,
        "changes": np.column_stack([changed, frame.colors[changed]]).tolist(),
        "words": {str(number): words for number, words in frame.words.items()},
        "chosen": frame.chosen,
        "pair": frame.pair,
    }


def _json(data: Any) -> str:
    """JSON that no text in it can end: `<` and what else HTML knows stand as escapes."""
    written = json.dumps(data, separators=(",", ":"))  # ASCII only
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
