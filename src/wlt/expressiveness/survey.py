"""Every policy on every benchmark, one run after the other; results are stored, so a survey can be continued."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from wlt.expressiveness import evaluation
from wlt.expressiveness.benchmarks import BENCHMARKS
from wlt.expressiveness.result import Separation
from wlt.graphs import DataError

Run = tuple[str, str, str, str | None]  # benchmark, mode, model, structure

POLICIES = ("none", "one", "half", "draws:8", "all", "nodes", "canonical")
CHEAP_POLICIES = ("none", "one", "half", "canonical")
"""Those without replicas, which make training many times as long."""

TRAINED = ("csl", "exp", "brec")
TESTED = ("ladder", "brec")
"""Benchmarks of pairs on which k-FWL is run; on graph8c there are 61 million pairs."""

RUNS: tuple[Run, ...] = (
    *((name, "colors", "none", None) for name in BENCHMARKS),
    *((name, "colors", test, None) for name in TESTED for test in ("2-FWL", "3-FWL")),
    *((name, "colors", "all", structure) for name in BENCHMARKS for structure in ("gggrgg", None)),
    *((name, "colors", "nodes", structure) for name in BENCHMARKS for structure in ("gggrgg", None)),
    *((name, "colors", "canonical", None) for name in BENCHMARKS),
    *((name, "untrained", policy, None) for name in BENCHMARKS for policy in POLICIES),
    *((name, "trained", policy, None) for name in TRAINED for policy in CHEAP_POLICIES),
)


def survey(
    data: str | os.PathLike[str] | None = None, seed: int = 0, store: Path | None = None, *, runs: Sequence[Run] = RUNS
) -> Iterator[Separation]:
    """The results of all runs, in order. Runs whose results are in the file `store` are skipped; new ones are added."""
    results = {} if store is None else _stored(store)
    for run in runs:
        key = json.dumps([*run, seed])
        if key not in results:
            benchmark, mode, model, structure = run
            results[key] = evaluation.evaluate(
                model,
                benchmark,
                mode=mode,  # type: ignore[arg-type]
                structure=structure,
                data=data,
                seed=seed,
            )
            if store is not None:
                with store.open("a") as file:
                    print(json.dumps({"run": key, **results[key].to_dict()}), file=file)
        yield results[key]


def _stored(store: Path) -> dict[str, Separation]:
    """Earlier results by benchmark, mode, model, structure and seed."""
    results: dict[str, Separation] = {}
    try:
        text = store.read_text("utf-8") if store.exists() else ""
    except UnicodeDecodeError:
        raise DataError(f"{store} is not text, so it holds no results of wlt expressiveness --all") from None
    *lines, torn = text.split("\n")
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            key = entry.pop("run")
            results[key] = Separation.from_dict(entry)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise DataError(f"{store}: line {number} is no result of wlt expressiveness --all; remove it") from None
    if torn and not torn.startswith('{"run": '):
        raise DataError(f"{store}: line {len(lines) + 1} is no result of wlt expressiveness --all; remove it")
    if torn:  # the disk was full, or the process was killed, in the middle of this line: it is measured again
        os.truncate(store, len(text.encode()) - len(torn.encode()))
    return results
