"""Training: the loop, the folds and the number of threads."""
