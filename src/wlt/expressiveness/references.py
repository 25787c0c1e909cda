"""What is known already, to stand beside a user's model: exact tests, WLT-GNN by exact colours, and published counts.

`references.json` holds what wlt itself computed on the ladder and on BREC; `benchmarks/references.py` writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

Counts = Mapping[str, int]  # pairs separated of each part

OWN = ("1-WL", "2-FWL", "3-FWL", "one", "all", "nodes", "canonical")
"""What is in references.json: tests, and policies of WLT-GNN with unlimited depth."""

BREC_PARTS = {
    "basic": "Basic",
    "regular": "Regular",
    "str": "Regular",
    "extension": "Extension",
    "cfi": "CFI",
    "4vtx": "Regular",
    "dr": "Regular",
}
"""The four parts in which results on BREC are published."""

PUBLISHED_ON_BREC: dict[str, Counts] = {
    name: dict(zip(("Basic", "Regular", "Extension", "CFI"), counts, strict=True))
    for name, counts in {
        "I²-GNN": (60, 100, 100, 21),
        "KP-GNN": (60, 106, 98, 11),
        "GSN": (60, 99, 95, 0),
        "PPGN": (60, 50, 100, 23),
        "SUN": (60, 50, 100, 13),
        "δ-k-LGNN": (60, 50, 100, 6),
        "NGNN": (59, 48, 59, 0),
        "Graphormer": (16, 12, 41, 10),
    }.items()
}
"""Trained models in Wang and Zhang, arXiv:2304.07702, Table 2; those of them that experiments/brec/README.md of
github.com/fseiffarth/SimpleGNN quotes. The paper itself was not at hand."""


def merged(benchmark: str, counts: Counts) -> dict[str, int]:
    """Counts by the parts that figures show: those of publications, for BREC."""
    sums: dict[str, int] = {}
    for part, number in counts.items():
        shown = BREC_PARTS.get(part, part) if benchmark == "brec" else part
        sums[shown] = sums.get(shown, 0) + number
    return sums


@cache
def references(benchmark: str) -> dict[str, Counts]:
    """Names and counts of what is known about a benchmark, in the order in which figures show it.

    >>> sum(references("brec")["2-FWL"].values())
    270
    """
    stored = json.loads(files("wlt.expressiveness").joinpath("references.json").read_text("utf-8"))
    found: dict[str, Counts] = {
        named(name): merged(benchmark, counts) for name, counts in stored.get(benchmark, {}).items()
    }
    if benchmark == "brec":
        found |= {f"{name}, published": dict(counts) for name, counts in PUBLISHED_ON_BREC.items()}
    return found


def named(model: str) -> str:
    """What figures call a test or a policy.

    >>> named("2-FWL"), named("all")
    ('2-FWL', 'WLT-GNN, all')
    """
    return model if model.endswith("WL") else f"WLT-GNN, {model}"
