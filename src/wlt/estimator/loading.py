"""A model file whatever estimator it holds."""

from __future__ import annotations

import os

from wlt.estimator import modelfile
from wlt.estimator.classifier import WLTClassifier
from wlt.estimator.regressor import WLTRegressor


def load_estimator(path: str | os.PathLike[str]) -> WLTClassifier | WLTRegressor:
    """The fitted WLTClassifier or WLTRegressor in a model file."""
    return (WLTRegressor if modelfile.read(path).estimator == WLTRegressor.__name__ else WLTClassifier).load(path)
