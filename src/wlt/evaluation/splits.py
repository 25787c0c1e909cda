"""Which graphs a model is trained on and which it is then asked about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.data.scaffold import scaffold_folds
from wlt.graphs import Graphs
from wlt.targets import Kind
from wlt.train.folds import check_class_sizes, stratified, unstratified
from wlt.wording import count, listed

Indices = NDArray[np.int64]

SPLITS = ("stratified", "random", "scaffold")
"""Everything else is the name of a column."""
TEST = "test"
TRAIN = "train"


class Fold(NamedTuple):
    train: Indices
    test: Indices


class Splits(NamedTuple):
    """The folds, and how they were made."""

    folds: list[Fold]
    described: str
    remarks: tuple[str, ...] = ()


def split(
    graphs: Graphs, kind: Kind, how: str | None, folds: int, seed: int, smiles: Sequence[str] | None = None
) -> Splits:
    """The folds of these graphs. how: "stratified", for classes, "random", "scaffold", for molecules, or a column of
    the table; None is stratified for classes and random for all else.

    A column with the words train and test is one fold. The values of any other column are the folds: each is the test
    fold once."""
    made = _made(graphs, kind, how, folds, seed, smiles)
    _check(made, graphs, kind)
    return made


def _made(graphs: Graphs, kind: Kind, how: str | None, folds: int, seed: int, smiles: Sequence[str] | None) -> Splits:
    if how is None:
        how = "stratified" if kind == "classes" else "random"
    if how not in SPLITS:
        return _by_column(graphs, how)
    if how == "stratified":
        if kind != "classes":
            raise ValueError("a stratified split is for classes, one for every graph; use random")
        check_class_sizes(graphs.class_numbers, folds, graphs.classes)
        tests = stratified(graphs.class_numbers, folds, seed)
    elif how == "scaffold":
        if smiles is None:
            raise ValueError(f"a split by scaffold is for molecules; {graphs.name} has no SMILES")
        tests = scaffold_folds(smiles, folds, seed)
    else:
        tests = unstratified(len(graphs), folds, seed)
    return _numbered(tests, f"{folds} {how} folds (seed {seed})")


def _numbered(tests: list[Indices], described: str) -> Splits:
    everything = np.concatenate(tests)
    return Splits([Fold(np.setdiff1d(everything, test), np.sort(test)) for test in tests], described)


def _by_column(graphs: Graphs, name: str) -> Splits:
    table = graphs.table
    if table is None or name not in table.columns:
        there = "there is no table" if table is None else f"there are: {', '.join(map(repr, table.columns))}"
        raise ValueError(f"the split {name!r} is none of {', '.join(SPLITS)} and no column; {there}")
    place = table.columns.index(name)
    words = np.array([table.rows[row][place].strip() for row in table.used])
    lower = np.char.lower(words)
    if TRAIN in lower and TEST in lower:
        others = Counter(words[(lower != TRAIN) & (lower != TEST)].tolist())
        left_out = f"{count(sum(others.values()), 'graph')} of column {name!r} are neither train nor test"
        remarks = (f"{left_out} ({listed(list(others))}) and are not used",) if others else ()
        one = Fold(np.flatnonzero(lower == TRAIN), np.flatnonzero(lower == TEST))
        return Splits([one], f"1 split, column {name!r}", remarks)
    groups = [np.flatnonzero(words == word) for word in np.unique(words) if word]
    if len(groups) < 2:
        raise ValueError(f"column {name!r} has {count(len(groups), 'value')}; a split needs two, or train and test")
    if len(groups) > len(words) / 2:
        raise ValueError(f"column {name!r} has {len(groups)} different values for {len(words)} graphs: too many folds")
    empty = int((words == "").sum())
    remarks = (f"{count(empty, 'graph')} without a value in column {name!r} are not used",) if empty else ()
    return _numbered(groups, f"{len(groups)} folds, the values of column {name!r}")._replace(remarks=remarks)


def _check(made: Splits, graphs: Graphs, kind: Kind) -> None:
    """ValueError where a fold leaves nothing to learn, or nothing to ask."""
    assert graphs.targets is not None
    table = graphs.targets.reshape(len(graphs), -1)
    names = graphs.target_names or tuple(map(str, range(table.shape[1])))
    for number, fold in enumerate(made.folds, start=1):
        where = f"fold {number} of {len(made.folds)} ({made.described})"
        if len(fold.train) < 2 or not len(fold.test):
            sizes = f"{count(len(fold.train), 'graph')} to train on and {len(fold.test)} to test"
            raise ValueError(f"{where}: {sizes}; use another split")
        for name, values in zip(names, table[fold.train].T, strict=True):
            known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
            what = "the label" if kind == "classes" else f"the target {name!r}"
            if not len(known):
                raise ValueError(f"{where}: no training graph has a value of {what}; use another split")
            if kind != "binaries" and (known == known[0]).all():
                raise ValueError(f"{where}: {what} is {known[0]!s} for all training graphs; use another split")
