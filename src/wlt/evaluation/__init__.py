"""How good an estimator is on graphs that it has not seen: folds, scores, a baseline, and a page about them."""
