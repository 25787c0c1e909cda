"""Folds by scaffold, as `wlt train --split scaffold` asks for them."""

from __future__ import annotations

import numpy as np
import pytest

from wlt.data import molecules
from wlt.data.scaffold import scaffolds
from wlt.evaluation.splits import split

pytest.importorskip("rdkit", reason="rdkit is not installed: pip install 'wlt[mol]'")

SMILES = ["c1ccccc1", "Cc1ccccc1", "CCc1ccccc1", "C1CC1", "CC1CC1", "c1ccncc1", "Cc1ccncc1", "CCO", "CCN", "CC"]


def test_no_scaffold_is_in_training_and_test() -> None:
    graphs = molecules(SMILES).with_targets(np.linspace(0, 1, len(SMILES)))
    kinds = np.array(scaffolds(SMILES))
    splits = split(graphs, "numbers", "scaffold", 3, 0, SMILES)
    assert splits.described == "3 scaffold folds (seed 0)"
    assert sorted(np.concatenate([fold.test for fold in splits.folds]).tolist()) == list(range(len(SMILES)))
    for fold in splits.folds:
        assert not set(kinds[fold.train]) & set(kinds[fold.test])


def test_graphs_without_smiles_have_no_scaffolds() -> None:
    graphs = molecules(SMILES).with_targets(np.linspace(0, 1, len(SMILES)))
    with pytest.raises(ValueError, match="a split by scaffold is for molecules; molecules has no SMILES"):
        split(graphs, "numbers", "scaffold", 3, 0)
