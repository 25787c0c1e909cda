"""Model files of either estimator."""

from __future__ import annotations

import os

from wlt.estimator import modelfile
from wlt.estimator.classifier import WLTClassifier
from wlt.estimator.regressor import WLTRegressor


def load(path: str | os.PathLike[str]) -> WLTClassifier | WLTRegressor:
    """The fitted model in a model file, whichever estimator it is of."""
    name = modelfile.read(path).estimator
    for kind in (WLTClassifier, WLTRegressor):
        if kind.__name__ == name:
            return kind.load(path)
    raise modelfile.ModelFileError(f"{path} holds a {name[:60]}, which this wlt does not know")
