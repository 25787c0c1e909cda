"""WLT-GNN as scikit-learn estimators, and their model files."""
