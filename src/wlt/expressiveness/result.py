"""Separation: the result of one run on one benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from wlt.recolor import Recolor


class Part(NamedTuple):
    """The count for one part of a benchmark."""

    pairs: int
    separated: int
    controls: int
    """Comparisons of a graph with a relabelled copy of itself."""
    control_failures: int
    """Copies that were taken for different graphs."""

    def __add__(self, other: Part) -> Part:  # type: ignore[override]
        return Part(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True)
class Separation:
    """How many pairs of different graphs were told apart, and how many graphs from their own copies."""

    benchmark: str
    mode: str
    policy: str
    """`policy_name` of the recoloring."""
    structure: str
    parts: Mapping[str, Part]
    seconds: float
    details: Mapping[str, Any] = field(default_factory=dict)
    """What belongs to one mode only, such as `accuracy`."""

    @property
    def total(self) -> Part:
        return sum(self.parts.values(), Part(0, 0, 0, 0))

    def to_dict(self) -> dict[str, Any]:
        """One JSON object with the sums at its top: pairs, separated, controls, control_failures."""
        own = asdict(self)
        parts = {name: part._asdict() for name, part in self.parts.items()}
        return {**self.total._asdict(), **own.pop("details"), **own, "parts": parts}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Separation:
        """The inverse of `to_dict`."""
        rest = {name: value for name, value in fields.items() if name not in Part._fields}
        parts = {name: Part(**part) for name, part in rest.pop("parts").items()}
        own = {name: rest.pop(name) for name in ("benchmark", "mode", "policy", "structure", "seconds")}
        return cls(**own, parts=parts, details=rest)


def policy_name(recolor: Recolor | None) -> str:
    """What tables and JSON call a recoloring; "none": the recoloring layers are left out.

    >>> policy_name(None), policy_name(Recolor(0.5))
    ('none', 'half')
    """
    return "none" if recolor is None else str(recolor)
