"""WLT-GNN as scikit-learn estimators, and their model files."""

from wlt.extras import need

need("torch", "wlt.estimator")
