"""Draws the smallest pair of every family of the ladder, for docs/ladder.md.

    python examples/ladder.py

`wlt.data.ladder()` makes all pairs by code; no data is needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import wlt

DOCS = Path(__file__).parents[1] / "docs"
SEEN_BY = {
    0: "WL tells these pairs apart, after more and more rounds. A model that misses one does not reach WL.",
    1: "WL is blind for these pairs; 2-FWL, which most papers call 3-WL, tells them apart.",
    2: "2-FWL is blind for these pairs; 3-FWL tells them apart.",
    3: "3-FWL is blind for these pairs as well. Exact search proves that they differ.",
}


def main() -> None:
    ladder = wlt.data.ladder()
    sizes = ladder.graphs.union.graph_sizes[::2]
    (DOCS / "ladder").mkdir(exist_ok=True)
    lines = [
        "# The ladder",
        "",
        f"`wlt.data.ladder()`: {len(ladder)} pairs of graphs that are harder and harder to tell apart. "
        "Every pair is proved not to be isomorphic by exact search, and its rung by folklore k-WL "
        "(`wlt.data.ladder().certify(i)`, for all pairs in `tests/data/test_data_ladder.py`). `wlt expressiveness "
        "ladder --model file.py:name` examines a model on it; [expressiveness.md](expressiveness.md) says how.",
        "",
        "The smallest pair of every family is drawn (`python examples/ladder.py`). Numbers in nodes are the classes of "
        "color refinement in both graphs together: equal numbers look alike to WL.",
    ]
    for rung in range(4):
        here = np.flatnonzero(ladder.rungs == rung)
        lines += ["", f"## Rung {rung}: {len(here)} pairs", "", SEEN_BY[rung]]
        for family in dict.fromkeys(ladder.families[i] for i in here):
            members = [int(i) for i in here if ladder.families[i] == family]
            smallest = min(members, key=lambda i: int(sizes[i]))
            lines += ["", f"**{family}**, {len(members)} of them: {ladder.pair_names[smallest]}", ""]
            lines.append(drawn(ladder.pair(smallest), f"rung{rung}-{slug(family)}"))
    (DOCS / "ladder.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def drawn(pair: wlt.Graphs, name: str) -> str:
    colors = wlt.closure(pair.union, node_labels=pair.codes)
    border = int(pair.union.starts[1])
    images = []
    for side, graph, own in zip("gh", pair.union, (colors[:border], colors[border:]), strict=True):
        wlt.draw(graph, own).save(DOCS / "ladder" / f"{name}-{side}.svg")
        images.append(f'<img src="ladder/{name}-{side}.svg" width="300" alt="graph {side}">')
    return " ".join(images)


def slug(family: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in family.lower()).replace("--", "-")


if __name__ == "__main__":
    main()
