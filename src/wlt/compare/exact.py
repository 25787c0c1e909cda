"""The exact answer: are two graphs isomorphic? Certificates where they are cheap, igraph's BLISS for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wlt.compare.pair import Verdict, as_pair
from wlt.compare.tinhofer import Mapping, tinhofer_test
from wlt.compare.wl import wl_test


@dataclass(frozen=True)
class IsomorphismResult:
    verdict: Verdict
    """ISOMORPHIC or NON_ISOMORPHIC, both certain."""
    mapping: Mapping | None
    """Node v of g goes to node mapping[v] of h; None when they are not isomorphic."""

    def __bool__(self) -> bool:
        return self.verdict is Verdict.ISOMORPHIC


def isomorphism(g: Any, h: Any, colors: Sequence[ArrayLike] | str | None = None) -> IsomorphismResult:
    """The exact answer, with its mapping checked edge by edge.

    WL's "non-isomorphic" and Tinhofer's "isomorphic" are certain, and both take near-linear time; where neither of
    them speaks, igraph's BLISS decides, starting from the stable colours.

    >>> bool(isomorphism((3, [(0, 1)]), (3, [(1, 2)]))), bool(isomorphism((3, [(0, 1)]), (3, [])))
    (True, False)
    """
    pair = as_pair(g, h, colors)
    left, right = pair.graph[0], pair.graph[1]
    own_colors = pair.colors[: pair.border], pair.colors[pair.border :]
    wl = wl_test(left, right, own_colors)
    if wl.verdict is Verdict.NON_ISOMORPHIC:
        return IsomorphismResult(Verdict.NON_ISOMORPHIC, None)
    tinhofer = tinhofer_test(left, right, own_colors, seed=0)
    if tinhofer.mapping is not None:
        return IsomorphismResult(Verdict.ISOMORPHIC, tinhofer.mapping)
    stable_left, stable_right = (part.tolist() for part in wl.colors)
    found, mapping, _ = left.to_igraph().isomorphic_bliss(
        right.to_igraph(), return_mapping_12=True, color1=stable_left, color2=stable_right
    )
    if not found:
        return IsomorphismResult(Verdict.NON_ISOMORPHIC, None)
    certificate = np.asarray(mapping, dtype=np.int64)
    if not pair.is_isomorphism(certificate):
        certificate = np.argsort(certificate)  # igraph's direction of mapping_12 differs between versions
    if not pair.is_isomorphism(certificate):
        raise AssertionError("igraph's mapping is no isomorphism: this is a bug, please report it")
    return IsomorphismResult(Verdict.ISOMORPHIC, certificate)
