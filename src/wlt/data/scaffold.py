"""Splits of molecules by scaffold (Bemis and Murcko, by rdkit): the rings of a molecule and what joins them.

Molecules with one scaffold stay together, so a model is asked about scaffolds that it has never seen. Molecules without
rings have one scaffold together, the empty one. Chirality does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wlt.data.smiles import rdkit_or_error
from wlt.graphs import DataError

Indices = NDArray[np.int64]


def scaffolds(smiles: Sequence[str]) -> list[str]:
    """The scaffold of each molecule, as SMILES.

    >>> scaffolds(["Cc1ccccc1CC", "CCO", "C1CC1CC1CC1"])
    ['c1ccccc1', '', 'C1CC1CC1CC1']
    """
    chem = rdkit_or_error()
    from rdkit import rdBase
    from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles

    found = []
    with rdBase.BlockLogs():
        for i, text in enumerate(smiles):
            molecule = chem.MolFromSmiles(text)
            if molecule is None:
                raise DataError(f"molecule {i} ({text[:60]!r}) cannot be read, so it has no scaffold")
            found.append(MurckoScaffoldSmiles(mol=molecule, includeChirality=False))  # type: ignore[no-untyped-call]
    return found


def scaffold_folds(smiles: Sequence[str], folds: int, seed: int) -> list[Indices]:
    """So many folds of nearly equal size, none of which shares a scaffold with another.

    Large groups first, each into the fold that has fewest molecules; the seed decides among equals."""
    groups = _groups(smiles)
    if len(groups) < folds:
        raise ValueError(f"{len(groups)} different scaffolds, too few for {folds} folds")
    random = np.random.default_rng(seed)
    random.shuffle(groups)
    tests: list[list[int]] = [[] for _ in range(folds)]
    for group in sorted(groups, key=len, reverse=True):  # stable: groups of one size stay in their random order
        sizes = np.array([len(test) for test in tests])
        tests[int(random.choice(np.flatnonzero(sizes == sizes.min())))] += group
    return [np.sort(np.array(test, np.int64)) for test in tests]


def scaffold_split(
    smiles: Sequence[str], shares: Sequence[float] = (0.8, 0.1, 0.1), seed: int = 0
) -> tuple[Indices, Indices, Indices]:
    """Molecules to train, validate and test on, balanced as chemprop does it: groups of one scaffold that are larger
    than half of a test set are for training, and all others are given out in random order."""
    if len(shares) != 3 or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ValueError(f"shares are three positive numbers with the sum 1, not {list(shares)}")
    train_size, validation_size, test_size = (share * len(smiles) for share in shares)
    groups = _groups(smiles)
    big = [group for group in groups if len(group) > min(validation_size, test_size) / 2]
    small = [group for group in groups if len(group) <= min(validation_size, test_size) / 2]
    random = np.random.default_rng(seed)
    random.shuffle(big)
    random.shuffle(small)
    train: list[int] = []
    validation: list[int] = []
    test: list[int] = []
    for group in [*big, *small]:
        if len(train) + len(group) <= train_size:
            train += group
        elif len(validation) + len(group) <= validation_size:
            validation += group
        else:
            test += group
    parts = train, validation, test
    if not all(parts):
        raise ValueError(f"{len(groups)} different scaffolds are too few to train, validate and test on")
    return tuple(np.sort(np.array(part, np.int64)) for part in parts)  # type: ignore[return-value]


def _groups(smiles: Sequence[str]) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for i, scaffold in enumerate(scaffolds(smiles)):
        groups.setdefault(scaffold, []).append(i)
    return list(groups.values())
