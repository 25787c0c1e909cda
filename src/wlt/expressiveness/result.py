"""Separation: the result of one model on one benchmark."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wlt.expressiveness.benchmarks import Benchmark
from wlt.expressiveness.figure import Bars, figure_of, saved
from wlt.expressiveness.page import Unseen, page
from wlt.expressiveness.references import merged, references
from wlt.expressiveness.table import as_html, as_text, short
from wlt.io.atomic import replacing
from wlt.wording import count, duration

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

    @property
    def label(self) -> str:
        """What a column is called: the model, and how it was looked at where that is not clear."""
        layers = "" if self.structure in ("", "unlimited depth") else short(self.structure)
        more = ", ".join(filter(None, (layers, "" if self.mode == "colors" else self.mode)))
        return f"{self.model} ({more})" if more else self.model

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table: a row for every part and one for all, a column for this model and each it is compared with."""
        columns = [self, *self.compared]
        names = list(dict.fromkeys(part for each in columns for part in each.parts))
        rows = [("", "pairs", *(each.label for each in columns))]
        for name in [*names, *(["all"] if len(names) > 1 else [])]:
            found = [each.total if name == "all" else each.parts.get(name) for each in columns]
            pairs = max(part.pairs for part in found if part is not None)
            rows.append((name, str(pairs), *("-" if part is None else str(part.separated) for part in found)))
        rows.append(("copies", "", *(f"{e.total.control_failures} of {e.total.controls} differ" for e in columns)))
        rows.append(("decided by", "", *(", ".join(each.statistics) for each in columns)))
        rows.append(("time", "", *(duration(each.seconds) for each in columns)))
        return rows

    def __str__(self) -> str:
        return as_text(f"{self.benchmark}: pairs told apart", self.rows, self._all_sentences())

    def _repr_html_(self) -> str:
        return as_html(self.rows)

    def _all_sentences(self) -> list[str]:
        return [f"{each.model}: {said}" for each in (self, *self.compared) for said in each.sentences]

    def figure(self, known: bool = True) -> Figure:
        """One bar for every rung or part: this model, those it is compared with, and known tests and models."""
        sizes = merged(self.benchmark, {name: part.pairs for name, part in self.parts.items()})
        bars = [
            Bars(
                each.label,
                merged(self.benchmark, {name: part.separated for name, part in each.parts.items()}),
                "compared" if number else "model",
            )
            for number, each in enumerate((self, *self.compared))
        ]
        there = {each.name for each in bars}
        others = {name: counts for name, counts in references(self.benchmark).items() if known and name not in there}
        return figure_of(self.benchmark, sizes, bars + [Bars(*each, "known") for each in others.items()])

    def html(self) -> str:
        """A page that needs nothing else: the table, the figure, and graphs that the model does not see."""
        drawing = saved(self.figure(), "svg").decode()
        return page(self.model, self.benchmark, self.rows, self._all_sentences(), drawing, self._unseen())

    def _unseen(self) -> list[Unseen]:
        bench = self.source
        if bench is None:
            return []
        return [
            Unseen(bench.parts[i], bench.names[i] if bench.names else f"pair {i}", bench.graphs.take(bench.groups[i]))
            for i in self.unseen
            if len(bench.groups[i]) == 2
        ]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page (.html), JSON (.json) or the figure (.svg, .png, .pdf), by the name of the file."""
        path = Path(path)
        if path.suffix in (".html", ".json"):
            content = (self.html() if path.suffix == ".html" else json.dumps(self.to_dict(), indent=1)).encode()
        elif path.suffix in (".svg", ".png", ".pdf"):
            content = saved(self.figure(), path.suffix[1:])
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
        rest = {name: value for name, value in fields.items() if name not in (*sums, "schema")}
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
