"""A model that everyone knows, to compare with: Morgan fingerprints and a random forest for molecules, and the features
of the Weisfeiler-Leman kernel and a linear model for other graphs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from wlt.graphs import Graphs
from wlt.refine.partition import as_colors
from wlt.refine.rounds import wl_rounds
from wlt.targets import Kind

RADIUS, BITS = 2, 2048
TREES = 300
WL_ROUNDS = 3

MORGAN = "Morgan + random forest"
WL_KERNEL = "WL kernel + linear model"


def fingerprints(smiles: Sequence[str]) -> Any:
    """[molecules, bits], sparse: rdkit's Morgan fingerprints of radius 2; empty for what is no molecule."""
    from rdkit import Chem, rdBase
    from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

    generator = GetMorganGenerator(radius=RADIUS, fpSize=BITS)
    with rdBase.BlockLogs():
        read = [Chem.MolFromSmiles(text) for text in smiles]
    empty = np.zeros(BITS, np.uint8)
    rows = [empty if molecule is None else generator.GetFingerprintAsNumPy(molecule) for molecule in read]
    return sparse.csr_matrix(np.array(rows, np.float32))


def wl_features(graphs: Graphs) -> Any:
    """[graphs, colours], sparse: how many nodes have each colour, before and after each WL round; rows of length 1."""
    union = graphs.union
    graph_of = union.graph_of
    colorings = [as_colors(graphs.codes, union)]
    colorings += [after.colors for after in islice(wl_rounds(union, colorings[0]), WL_ROUNDS)]
    blocks = []
    for colors in colorings:
        shape = (len(graphs), int(colors.max(initial=-1)) + 1)
        blocks.append(sparse.coo_matrix((np.ones(len(colors)), (graph_of, colors)), shape).tocsr())
    features = sparse.hstack(blocks).tocsr()
    lengths = np.sqrt(np.asarray(features.multiply(features).sum(axis=1)).reshape(-1))
    return sparse.diags(1 / np.maximum(lengths, 1e-12)) @ features


def baseline_answers(
    kind: Kind,
    forest: bool,
    features: Any,
    truth: NDArray[Any],
    classes: int,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    seed: int,
) -> NDArray[np.float64]:
    """Answers for the test graphs, as `wlt.evaluation.metrics.scores` takes them."""
    if kind == "classes":
        shares = np.zeros((len(test), classes))
        model = _classifier(forest, truth[train], seed).fit(features[train], truth[train])
        shares[:, model.classes_.astype(int)] = model.predict_proba(features[test])
        return shares
    answers = np.empty((len(test), truth.shape[1]))
    for column in range(truth.shape[1]):
        known = train[~np.isnan(truth[train, column])]
        values = truth[known, column]
        if not len(values) or (values == values[0]).all():
            answers[:, column] = values[0] if len(values) else 0.5
        elif kind == "numbers":
            answers[:, column] = _regressor(forest, seed).fit(features[known], values).predict(features[test])
        else:
            fitted = _classifier(forest, values, seed).fit(features[known], values)
            answers[:, column] = fitted.predict_proba(features[test])[:, 1]
    return answers


def _classifier(forest: bool, truth: NDArray[Any], seed: int) -> Any:
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV

    members = np.unique(truth, return_counts=True)[1]
    if len(members) < 2:
        return DummyClassifier()
    if forest:
        return RandomForestClassifier(TREES, random_state=seed)
    model = LogisticRegression(C=10.0, max_iter=1000)
    if members.min() < 3:
        return model
    return GridSearchCV(model, {"C": [0.1, 1.0, 10.0, 100.0, 1000.0]}, cv=3)


def _regressor(forest: bool, seed: int) -> Any:
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV, KFold

    if forest:
        return RandomForestRegressor(TREES, random_state=seed)
    folds = KFold(3, shuffle=True, random_state=seed)
    return GridSearchCV(Ridge(), {"alpha": [1e-3, 1e-2, 1e-1, 1.0, 10.0]}, cv=folds)


def quietly(function: Any, *arguments: Any) -> Any:
    """The call on one thread, without scikit-learn's warnings: they are about models that are only there to compare."""
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return function(*arguments)
