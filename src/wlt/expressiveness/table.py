"""docs/expressiveness.md: every policy on every benchmark, beside published results. Pure functions of results."""

from __future__ import annotations

from collections.abc import Sequence

from wlt.expressiveness.benchmarks import BENCHMARKS
from wlt.expressiveness.experiment import MODES, TRAINED
from wlt.expressiveness.page import PAGE
from wlt.expressiveness.result import Separation
from wlt.structure import Structure

Run = tuple[str, str, str, str | None]  # benchmark, mode, policy, structure

POLICIES = ("none", "one", "half", "draws:8", "all", "canonical")
CHEAP_POLICIES = ("none", "one", "half", "canonical")
"""Without replicas, which make training many times as long."""

RUNS: list[Run] = [
    *((name, "colors", "none", None) for name in BENCHMARKS),
    *((name, "colors", "all", structure) for name in BENCHMARKS for structure in ("gggrgg", None)),
    *((name, "colors", "canonical", None) for name in BENCHMARKS),
    *((name, "random", policy, None) for name in BENCHMARKS for policy in POLICIES),
    *((name, "trained", policy, None) for name in TRAINED for policy in CHEAP_POLICIES),
]

PUBLISHED = [("I²-GNN", 281), ("KP-GNN", 275), ("3-WL test", 270), ("GSN", 254), ("PPGN", 233)]
"""Of BREC's 400 pairs, in the table of Wang and Zhang, arXiv:2304.07702."""

HEAD = (
    "benchmark",
    "mode",
    "policy",
    "structure",
    "separated",
    "copies taken for different",
    "accuracy",
    "whatever the tie / by some tie",
    "CPU seconds",
)


def row(found: Separation) -> tuple[str, ...]:
    """One line of the table."""
    total = found.total
    published = found.details.get("published_separated")
    separated = f"{total.separated} of {total.pairs}" + ("" if published is None else f" (as published: {published})")
    failures = found.details.get("published_control_failures")
    copies = f"{total.control_failures} of {total.controls}" + ("" if failures is None else f" ({failures})")
    accuracy = found.details.get("accuracy")
    ties = found.details.get("separated_by_every_tie_and_by_some")
    return (
        found.benchmark,
        found.mode,
        found.policy,
        short(found.structure),
        separated,
        copies,
        "" if accuracy is None else f"{accuracy:.1f} %",
        "" if ties is None else " / ".join(map(str, ties)),
        f"{found.details.get('cpu_seconds', found.seconds):.1f}",
    )


def short(structure: str) -> str:
    """A structure with equal blocks rg..g in brackets.

    >>> short("ggggrggggrgggg"), short("gggrgg"), short("unlimited depth")
    ('g4(rg4)2', 'gggrgg', 'unlimited depth')
    """
    if set(structure) - {"g", "r"}:
        return structure
    first, *rest = Structure(structure).blocks
    if not first or len(rest) < 2 or len(set(rest)) > 1 or structure.endswith("r"):
        return structure
    return f"g{first}(rg{rest[0]}){len(rest)}"


def page(found: Sequence[Separation]) -> str:
    """The whole page, as Markdown."""
    text = PAGE
    for mode in MODES:
        text = text.replace(f"<!-- {mode} -->", _table([result for result in found if result.mode == mode]))
    others = [f"| {name} | {pairs} |" for name, pairs in PUBLISHED]
    return text.replace("<!-- published -->", "\n".join(["| method | pairs |", "|---|---|", *others]))


def _table(found: Sequence[Separation]) -> str:
    rows = [row(result) for result in found]
    # the mode is the heading
    columns = [i for i, name in enumerate(HEAD) if name != "mode" and any(cells[i] for cells in rows)]
    lines = [f"| {' | '.join(cells[i] for i in columns)} |" for cells in [HEAD, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(columns), *lines[1:]])
