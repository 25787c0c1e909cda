"""Results that nobody ran, for tests of tables and pages."""

from __future__ import annotations

import numpy as np

from wlt.data import Statistics
from wlt.reproduce.environment import Environment
from wlt.reproduce.record import Curve, Facts, Record, Results
from wlt.reproduce.spec import Spec

ENVIRONMENT = Environment("a machine, 2 cores", "wlt 0", "abc")


def curve(spec: Spec, fold: int, size: int, level: float) -> Curve:
    """Learning that approaches a level, with noise."""
    random = np.random.default_rng([fold, spec.hidden, size, len(spec.structure)])
    share = 1 - np.exp(-np.arange(1, spec.epochs + 1) / 15)
    test = size // spec.folds if spec.folds else size
    sizes = (size - 2 * test, test, test) if spec.folds else (size, 0, size)

    def right(count: int) -> tuple[int, ...]:
        values = count * (0.5 + (level - 0.5) * share + random.normal(0, 0.01, spec.epochs))
        return tuple(np.clip(np.round(values), 0, count).astype(int).tolist())

    def loss(start: float) -> tuple[int, ...]:
        return tuple(np.round(1e5 * (start - 0.4 * share + random.random(spec.epochs) / 50)).astype(int).tolist())

    evaluation = loss(0.7), right(test)
    rest = (*evaluation, (), right(test)) if spec.folds else ((), (), *evaluation)
    return Curve(sizes, loss(0.72), right(sizes[0]), *rest)


def record(spec: Spec, fold: int, size: int = 1000, level: float = 0.75) -> Record:
    return Record(spec, fold, curve(spec, fold, size, level), ENVIRONMENT, 12.5, "2026-01-02 03:04:05")


def facts(size: int = 1000) -> Facts:
    statistics = Statistics(size, size * 20, size * 40, (size // 2, size - size // 2), 0, 0, 0)
    audit = {"ceiling_wl": 99.7, "ceiling_wlt": 99.8, "ceiling_isomorphism": 99.9, "duplicates": 4, "leaks": 3}
    return Facts("d" * 32, statistics, audit)


def results(records: list[Record]) -> Results:
    return Results(records, {name: facts() for name in {r.spec.dataset for r in records}})
