"""Separation: the result of one model on one benchmark."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wlt.expressiveness.benchmarks import Benchmark
from wlt.io.atomic import replacing
from wlt.wording import count

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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


class Outcome(NamedTuple):
    """What was decided about one group of graphs, most often a pair."""

    part: str
    counted: Part
    statistic: str
    """What decided: "colours", "k-FWL", "distance", "Hotelling" or "accuracy"."""
    seeds: int = 1
    """Sets of weights that were looked at."""
    published: tuple[int, int] | None = None
    """By BREC's published test: pairs separated, controls failed."""

    def to_dict(self) -> dict[str, Any]:
        own = {**self._asdict(), **self.counted._asdict()}
        del own["counted"]
        return own

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Outcome:
        counted = Part(*(fields[name] for name in Part._fields))
        published = None if fields["published"] is None else (fields["published"][0], fields["published"][1])
        return cls(fields["part"], counted, fields["statistic"], fields["seeds"], published)


@dataclass(frozen=True)
class Separation:
    """How many pairs of different graphs a model told apart, and how many graphs from their own copies.

    It prints as a table, is an object of JSON by `to_dict`, a figure by `figure` and a page by `save`."""

    benchmark: str
    mode: str
    model: str
    structure: str
    """The layers of wlt's own models; empty for others."""
    outcomes: tuple[Outcome, ...]
    groups: int
    """Of the benchmark; more than there are outcomes if it was stopped early."""
    seconds: float
    notes: tuple[str, ...] = ()
    """What was found about the model, in sentences."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What belongs to one mode only, such as `accuracy`."""
    compared: tuple[Separation, ...] = ()
    """Results of other models, to stand beside this one."""
    source: Benchmark | None = field(default=None, compare=False, repr=False)
    """The graphs, for pictures; None in a result that was read from JSON."""

    @property
    def parts(self) -> dict[str, Part]:
        """The sums over each part of the benchmark."""
        sums: dict[str, Part] = {}
        for outcome in self.outcomes:
            sums[outcome.part] = sums.get(outcome.part, Part(0, 0, 0, 0)) + outcome.counted
        return sums

    @property
    def total(self) -> Part:
        return sum(self.parts.values(), Part(0, 0, 0, 0))

    @property
    def complete(self) -> bool:
        return len(self.outcomes) == self.groups

    @property
    def published(self) -> tuple[int, int] | None:
        """Pairs separated and controls failed by BREC's published test; None where it was not asked."""
        found = [outcome.published for outcome in self.outcomes if outcome.published is not None]
        return (sum(a for a, _ in found), sum(b for _, b in found)) if found else None

    @property
    def unseen(self) -> tuple[int, ...]:
        """The groups in which a pair was not told apart."""
        return tuple(i for i, each in enumerate(self.outcomes) if each.counted.separated < each.counted.pairs)

    @property
    def statistics(self) -> dict[str, int]:
        """How many pairs each statistic decided."""
        sums: dict[str, int] = {}
        for outcome in self.outcomes:
            sums[outcome.statistic] = sums.get(outcome.statistic, 0) + outcome.counted.pairs
        return sums

    @property
    def sentences(self) -> tuple[str, ...]:
        """What there is to say beside the numbers."""
        said = [*self.notes]
        if self.published is not None:
            separated, failed = self.published
            said.append(
                f"by BREC's test as published: {separated} of {self.total.pairs} separated, "
                f"{count(failed, 'control')} failed"
            )
        if "accuracy" in self.details:
            said.append(f"accuracy: {self.details['accuracy']:.1f} %")
        if "separated_by_every_tie_and_by_some" in self.details:
            every, some = self.details["separated_by_every_tie_and_by_some"]
            said.append(f"whatever the rule for ties: {every} separated; by some rule: {some}")
        if not self.complete:
            said.append(f"not complete: {len(self.outcomes)} of {self.groups} groups of graphs")
        return tuple(said)

    def beside(self, others: Sequence[Separation]) -> Separation:
        """This result with others to compare it with; all are of one benchmark."""
        for other in others:
            if other.benchmark != self.benchmark:
                raise ValueError(
                    f"compare: {other.model} was run on {other.benchmark}, {self.model} on {self.benchmark}"
                )
        return replace(self, compared=tuple(others))

    def __str__(self) -> str:
        from wlt.expressiveness.table import text

        return text(self)

    def _repr_html_(self) -> str:
        from wlt.expressiveness.page import table

        return table(self)

    def figure(self, references: bool = True) -> Figure:
        """One bar for every rung or part: this model, those it is compared with, and known tests and models."""
        from wlt.expressiveness.figure import figure

        return figure(self, references)

    def html(self) -> str:
        """A page that needs nothing else: the table, the figure, and graphs that the model does not see."""
        from wlt.expressiveness.page import page

        return page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page (.html), JSON (.json) or the figure (.svg, .png, .pdf), by the name of the file."""
        from wlt.expressiveness.figure import saved_figure

        path = Path(path)
        if path.suffix in (".html", ".json"):
            content = (self.html() if path.suffix == ".html" else json.dumps(self.to_dict(), indent=1)).encode()
        elif path.suffix in (".svg", ".png", ".pdf"):
            content = saved_figure(self, path.suffix[1:])
        else:
            raise ValueError(f"{path}: the name ends in .html, .json, .svg, .png or .pdf")
        with replacing(path) as file:
            file.write(content)

    def to_dict(self) -> dict[str, Any]:
        """One JSON object with the sums at its top: pairs, separated, controls, control_failures."""
        names = ("benchmark", "mode", "model", "structure", "groups", "seconds", "notes")
        found = self.published
        published = {} if found is None else {"published_separated": found[0], "published_control_failures": found[1]}
        return {
            **self.total._asdict(),
            **published,
            **self.details,
            **{name: getattr(self, name) for name in names},
            "notes": list(self.notes),
            "complete": self.complete,
            "statistics": self.statistics,
            "parts": {name: part._asdict() for name, part in self.parts.items()},
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
            **({"compared": [other.to_dict() for other in self.compared]} if self.compared else {}),
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Separation:
        """The inverse of `to_dict`, but for the graphs."""
        sums = (*Part._fields, "published_separated", "published_control_failures", "complete", "statistics", "parts")
        rest = {name: value for name, value in fields.items() if name not in sums}
        own = {name: rest.pop(name) for name in ("benchmark", "mode", "model", "structure", "groups", "seconds")}
        return cls(
            **own,
            outcomes=tuple(Outcome.from_dict(each) for each in rest.pop("outcomes")),
            notes=tuple(rest.pop("notes")),
            compared=tuple(cls.from_dict(other) for other in rest.pop("compared", [])),
            details=rest,
        )


def read_result(path: str | os.PathLike[str]) -> Separation:
    """A result that `Separation.save` or `wlt expressiveness --json` wrote."""
    try:
        return Separation.from_dict(json.loads(Path(path).read_text("utf-8")))
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError(f"{path} is no result of wlt expressiveness; --json and --save write such files") from None
