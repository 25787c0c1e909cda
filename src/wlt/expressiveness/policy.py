"""Policy: what a recoloring layer does, by the name it has on the command line."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Policy:
    """The arguments of `wlt.nn.Recoloring`, or no recoloring at all.

    >>> Policy.parse("draws:8")
    Policy(name='draws:8', recolor=1, draws=8)
    """

    name: str
    recolor: float | str | None
    """None: recoloring layers are left out, which leaves GIN, bounded by WL."""
    draws: int = 1

    @classmethod
    def parse(cls, name: str) -> Policy:
        """One of none, one, half, all, canonical, or draws:K."""
        known: dict[str, float | str | None] = {
            "none": None,
            "one": 1,
            "half": 0.5,
            "all": "all",
            "canonical": "canonical",
        }
        if name in known:
            return cls(name, known[name])
        draws = re.fullmatch(r"draws:([1-9][0-9]{0,3})", name)
        if draws is None:
            raise ValueError(f"unknown policy {name!r}; there are {', '.join(known)} and draws:K, K draws of one node")
        return cls(name, 1, int(draws[1]))
