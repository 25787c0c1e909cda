"""Numbers of things in sentences."""

from __future__ import annotations


def count(number: int, thing: str) -> str:
    """
    >>> count(1, "graph"), count(2, "graph")
    ('1 graph', '2 graphs')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
