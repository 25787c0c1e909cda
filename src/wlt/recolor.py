"""Recolor: which nodes of the largest class a recoloring layer marks, as a value that explains its errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import nan
from typing import Any, Literal

import numpy as np

from wlt.wording import shortened

MAX_REPLICAS = 4096
"""Replicas of one graph that "all" and "nodes" make at most; beyond, so many are sampled."""

MOST_DRAWS = 4096
"""More draws, in a model file or by mistake, would only fill the memory."""

NOT_RANDOM = ("all", "nodes", "canonical")

ALLOWED = (
    "a number of nodes (1, 2, ...), a share of the class (0.5, '50%', '100%'), 'one', 'half', 'all', 'nodes' or "
    "'canonical', or random nodes in several draws ('draws:8', 'half,draws:8')"
)


@dataclass(frozen=True, init=False, repr=False)
class Recolor:
    """What a recoloring layer does with the largest class of a graph, or ("nodes") with all of its nodes.

    1 or "one"             one random node, the paper's WLT-GNN
    3 or "3"               three random nodes
    0.5, "half" or "50%"   a random half of the class, at least one node: the paper's WLT-GNN(0.5)
    "100%"                 the whole class
    "draws:8"              one random node in each of eight replicas of the graph; likewise "3,draws:8", "half,draws:8"
    "all"                  every node of the class in turn, each in a replica of the graph
    "nodes"                every node of the graph in turn, whatever its class: the node-marked DS-GNN
    "canonical"            one node, the same up to automorphism however the nodes are numbered

    `str` gives the shortest of these, and parsing it gives an equal value.

    >>> Recolor("50%"), Recolor("half") == Recolor(0.5), Recolor("3,draws:8").draws
    (Recolor('half'), True, 8)
    >>> Recolor(1.0)
    Traceback (most recent call last):
    ValueError: recolor 1.0 is ambiguous; write 1 for one node or '100%' for the whole class
    >>> Recolor("all,draws:8")
    Traceback (most recent call last):
    ValueError: recolor 'all,draws:8': 'all' is not random, so it takes no draws
    """

    kind: Literal["number", "share", "all", "nodes", "canonical"]
    number: int
    """Random nodes; 0 unless this is the kind."""
    share: float
    """Random share of the class; 0 unless this is the kind."""
    draws: int
    """Independent recolorings of every graph, each in a replica."""

    def __init__(self, recolor: float | str | Recolor):
        text = str(recolor.item() if isinstance(recolor, np.generic) else recolor)
        told = shortened(repr(recolor))
        several = re.fullmatch(r"(?:([^,]+),)?draws:(.*)", text)
        nodes, draws = (several[1] or "one", several[2]) if several else (text, "1")
        nodes = {"one": "1", "half": "50%"}.get(nodes, nodes)
        kind, number, share = "share", 0, 0.0
        if nodes in NOT_RANDOM:
            kind = nodes
        elif re.fullmatch(r"[1-9][0-9]{0,17}", nodes):
            kind, number = "number", int(nodes)
        else:
            share = _share(nodes)
            if share == 1 and not nodes.endswith("%"):
                raise ValueError(f"recolor {told} is ambiguous; write 1 for one node or '100%' for the whole class")
            if not 0 < share <= 1:
                raise ValueError(f"recolor must be {ALLOWED}; not {told}")
        if not re.fullmatch(r"[0-9]{1,9}", draws) or not 1 <= int(draws) <= MOST_DRAWS:
            raise ValueError(f"recolor {told}: draws must be a whole number from 1 to {MOST_DRAWS}, not {draws[:60]!r}")
        if kind in NOT_RANDOM and int(draws) > 1:
            raise ValueError(f"recolor {told}: {kind!r} is not random, so it takes no draws")
        values: dict[str, Any] = {"kind": kind, "number": number, "share": share, "draws": int(draws)}
        for name, value in values.items():
            object.__setattr__(self, name, value)  # the way into a frozen dataclass

    @property
    def is_random(self) -> bool:
        """Do two calls recolour different nodes?"""
        return self.kind not in NOT_RANDOM

    @property
    def marks_each(self) -> bool:
        """Is every node of a class, or of the graph, recoloured in a replica of its own?"""
        return self.kind in ("all", "nodes")

    def __str__(self) -> str:
        words = {"number": "one" if self.number == 1 else str(self.number), "share": str(self.share)}
        nodes = words.get(self.kind, self.kind)
        nodes = {"0.5": "half", "1.0": "100%"}.get(nodes, nodes)
        if self.draws == 1:
            return nodes
        return f"draws:{self.draws}" if nodes == "one" else f"{nodes},draws:{self.draws}"

    def __repr__(self) -> str:
        return f"Recolor({str(self)!r})"


def _share(text: str) -> float:
    """The number that a text such as "0.25" or "25%" says; NaN where it says none."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return nan
