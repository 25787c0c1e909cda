"""The exact answer: are two graphs isomorphic? Certificates where they are cheap, igraph's BLISS for the rest."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wlt.compare.pair import Pair, Verdict, as_pair
from wlt.compare.tinhofer import Mapping, TinhoferResult, tinhofer_result
from wlt.compare.wl import WLResult, wl_result
from wlt.refine.canonical import in_igraph


@dataclass(frozen=True)
class IsomorphismResult:
    verdict: Verdict
    """ISOMORPHIC or NON_ISOMORPHIC, both certain."""
    mapping: Mapping | None
    """Node v of g goes to node mapping[v] of h; None when they are not isomorphic."""
    wl: WLResult
    """What WL said on the way."""
    tinhofer: TinhoferResult
    """What Tinhofer's algorithm said on the way."""
    ignored: tuple[str, ...] = ()
    """What the graphs have besides and was not looked at: the verdict is about the graphs without it."""

    names: tuple[tuple[Hashable, ...], tuple[Hashable, ...]] = ((), ())
    """The names of the nodes of g and of h; empty where they are 0, 1, 2, ..."""

    def __bool__(self) -> bool:
        return self.verdict is Verdict.ISOMORPHIC

    @property
    def named_mapping(self) -> dict[Hashable, Hashable] | None:
        """The mapping by the names of the nodes."""
        if self.mapping is None:
            return None
        left, right = (names or range(len(self.mapping)) for names in self.names)
        return {left[v]: right[image] for v, image in enumerate(self.mapping.tolist())}


def isomorphism(
    g: Any,
    h: Any,
    *,
    node_labels: Sequence[ArrayLike] | str | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
    seed: int | None = 0,
    trials: int = 1,
) -> IsomorphismResult:
    """The exact answer, with its mapping checked edge by edge.

    WL's "non-isomorphic" and Tinhofer's "isomorphic" are certain, and both take near-linear time; where neither of
    them speaks, igraph's BLISS decides, starting from the stable colours.

    `node_labels`: integers for the nodes of g and for those of h, which a mapping must keep, or the name of a node
    attribute; None: all nodes alike. `edge_labels` and `simple` say what of the edges is looked at, as in `as_graph`;
    the verdict is about the graphs without what `ignored` tells. `seed` and `trials` are those of Tinhofer's algorithm.

    >>> bool(isomorphism((3, [(0, 1)]), (3, [(1, 2)]))), bool(isomorphism((3, [(0, 1)]), (3, [])))
    (True, False)
    """
    pair = as_pair(g, h, node_labels, edge_labels, simple)
    closure = pair.closure()
    wl = wl_result(pair, closure)
    tinhofer = tinhofer_result(pair, closure, seed, trials)
    mapping = tinhofer.mapping
    if mapping is None and closure.balanced:
        # One more run, with a fixed seed, often spares the search, whose time has no good bound.
        mapping = tinhofer_result(pair, closure, 0, 1).mapping if seed != 0 else None
        if mapping is None:
            mapping = _search(pair, wl)
    verdict = Verdict.NON_ISOMORPHIC if mapping is None else Verdict.ISOMORPHIC
    return IsomorphismResult(verdict, mapping, wl, tinhofer, pair.graph.ignored, pair.names)


def _search(pair: Pair, wl: WLResult) -> Mapping | None:
    """BLISS decides, with WL's colours."""
    (left, left_colors), (right, right_colors) = map(in_igraph, pair.graph, wl.colors)
    isomorphic, *mappings = left.isomorphic_bliss(
        right, return_mapping_12=True, return_mapping_21=True, color1=left_colors, color2=right_colors
    )
    if not isomorphic:
        return None
    certificate, other = (np.asarray(mapping[: pair.border], dtype=np.int64) for mapping in mappings)
    if not pair.is_isomorphism(certificate):
        certificate = other  # igraph's direction of mapping_12 differs between versions
    if not pair.is_isomorphism(certificate):
        raise AssertionError("igraph's mapping is no isomorphism: this is a bug, please report it")
    return certificate
