"""The text of docs/expressiveness.md, without its tables."""

PAGE = """\
# Which graphs are told apart

Written by `wlt expressiveness --all --results FILE --markdown docs/expressiveness.md`, which goes on where it was
stopped. One thread; seconds with the reading of the data. One line of it:
`wlt expressiveness brec --policy canonical --json`.

Benchmarks: CSL, ten circulant graphs with skip links (41 nodes); EXP, 600 pairs; SR25, the 15 strongly regular graphs
SR(25,12,5,6), 105 pairs; graph8c, all pairs of the 11117 connected graphs on 8 nodes; BREC, 400 pairs
(arXiv:2304.07702). Every graph is also compared with relabelled copies of itself: "copies taken for different" counts
where that failed. It must be 0 for an answer to mean anything.

Policies, what a recoloring layer `r` does with the largest class of a graph:

- `none`: there is no `r`; GIN-0, bounded by WL.
- `one`: one random node, the paper's WLT-GNN; `half`: half of the class, its WLT-GNN(0.5).
- `draws:8`: eight random draws, their readouts averaged; `all`: every node in turn, averaged.
- `canonical`: one node, chosen by what its individualisation refines to. Where colour refinement proves that the nodes
  which remain are equivalent, any of them is taken. Where it does not (mostly strongly regular and CFI graphs), the
  canonical order of BLISS decides among them, so the choice is always the same up to automorphism. (Without it, taking
  the first would tell 149 of BREC's 800 graphs from their own copies: `tests/expressiveness/test_separate_colors.py`.)
  Carried on until all nodes differ, it is complete by construction: it tells all non-isomorphic graphs apart, and no
  others.

## Integer colours

Exact: colours are integers and all draws are enumerated, so `all` stands for `one` and `draws:K` too, as distributions.
Where classes tie for the largest, the largest colour is taken, in the numbering by first appearance. Other rules
for ties give other counts; for one `r` the last column has the pairs separated whatever the rule, and by some rule.

<!-- colors -->

## Random weights, float64

Two graphs are separated if their vectors are further apart than 1000 times the distance of either from its relabelled
copy. Random policies draw anew for the copy, and fail the control unless all nodes of the class are alike: one draw is
no invariant. The structure for graph8c with `canonical` is the best of six that were tried; deeper ones lose digits in
a batch of 11117 graphs.

<!-- random -->

## Trained

CSL and EXP: accuracy of ten-fold cross-validation; the epoch is that with the smallest loss on a validation fold. The
folds keep the pairs of EXP together. GIN-0 gives all graphs of CSL one answer, most often a class with many training
graphs, and so with few in the test fold: below 10 %. The settings were changed after test figures were seen: at first,
with the learning rate 0.01, the last epoch and pairs that folds divide, EXP had 95.9 %, one fold of ten at 60 %.
Measured apart, on folds that were not looked at before: `canonical` has 100.0 % on CSL and on EXP
(`wlt expressiveness csl --mode trained --seed 1`, and likewise `exp`).

BREC: its own procedure for every pair, 32 relabellings, 16 dimensions, cosine loss and Hotelling's T-squared. The
published form of the test, in brackets, omits a factor q = 32 and gives 0 where the covariance is zero; the corrected
form has the factor, treats directions without spread as exact, and has a level for all 400 pairs together.

`draws:8` and `all` are not trained: their replicas make it many times as long.

<!-- trained -->

## Published results on BREC

Pairs separated of 400, from Wang and Zhang, arXiv:2304.07702, whose procedure is that of the last table in its
published form. The list is not complete: N²-GNN (arXiv:2306.03266) and others have results that were not checked.

<!-- published -->

They are trained models without a search for canonical nodes (3-WL is a test); `canonical` pays for its completeness
with individualisation and refinement, whose cost is exponential in the worst case through BLISS, though not on any
graph of these benchmarks.
"""
