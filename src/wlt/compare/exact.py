"""The exact answer: are two graphs isomorphic? Certificates where they are cheap, igraph's BLISS for the rest."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from wlt.compare.pair import Pair, Verdict, as_pair, not_looked_at
from wlt.compare.tinhofer import Mapping, TinhoferResult, random_nodes, tinhofer_result
from wlt.compare.wl import WLResult, wl_result
from wlt.recolor import Recolor
from wlt.refine.bliss import DEFAULT_SECONDS, TimeLimit, Undecided, isomorphic
from wlt.wording import count, html_table


@dataclass(frozen=True)
class IsomorphismResult:
    verdict: Verdict
    """ISOMORPHIC or NON_ISOMORPHIC, both certain; UNDECIDED if the search did not end within its time limit."""
    mapping: Mapping | None
    """Node v of g goes to node mapping[v] of h; None when they are not isomorphic, or when that is undecided."""
    wl: WLResult
    """What WL said on the way."""
    tinhofer: TinhoferResult
    """What Tinhofer's algorithm said on the way."""
    ignored: tuple[str, ...] = ()
    """What the graphs have besides and was not looked at: the verdict is about the graphs without it."""

    names: tuple[tuple[Hashable, ...], tuple[Hashable, ...]] = ((), ())
    """The names of the nodes of g and of h; empty where they are 0, 1, 2, ..."""

    time_limit: float | None = None
    """Seconds that exact search was given."""

    @property
    def certain(self) -> bool:
        return self.verdict is not Verdict.UNDECIDED

    def __repr__(self) -> str:
        wl = f"WL says {self.wl.verdict} after {count(self.wl.rounds, 'round')}"
        tinhofer = f"Tinhofer {self.tinhofer.verdict} after {count(len(self.tinhofer.steps), 'recoloring')}"
        return f"IsomorphismResult({self._answer()}; {wl}, {tinhofer})"

    def _repr_html_(self) -> str:
        """The answers as a table, for notebooks."""
        wl, tinhofer = self.wl, self.tinhofer
        rows = [
            ("WL", wl.verdict, count(wl.rounds, "round")),
            ("Tinhofer", tinhofer.verdict, count(len(tinhofer.steps), "recoloring")),
            ("exact", self.verdict, "certain" if self.certain else "not known"),
        ]
        return html_table(self._answer(), rows)

    def _answer(self) -> str:
        certain = ", certain" if self.certain else f" within {self.time_limit:g} s"
        return f"{self.verdict}{certain}{not_looked_at(self.ignored)}"

    def __bool__(self) -> bool:
        """Undecided if it is undecided: neither True nor False would be right."""
        if not self.certain:
            raise Undecided(self.time_limit or DEFAULT_SECONDS)
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
    recolor: float | str | Recolor = 1,
    guided: bool = False,
    seed: int | None = 0,
    trials: int = 1,
    time_limit: float | None = DEFAULT_SECONDS,
) -> IsomorphismResult:
    """The exact answer, with its mapping checked edge by edge.

    WL's "non-isomorphic" and Tinhofer's "isomorphic" are certain, and both take near-linear time; where neither of
    them speaks, igraph's BLISS decides, starting from the stable colours. Its time has no good bound: after
    `time_limit` seconds (None: never) the verdict is UNDECIDED.

    `node_labels`: integers for the nodes of g and for those of h, which a mapping must keep, or the name of a node
    attribute; None: all nodes alike. `edge_labels` and `simple` say what of the edges is looked at, as in `as_graph`;
    the verdict is about the graphs without what `ignored` tells. `recolor`, `guided`, `seed` and
    `trials` are those of `tinhofer_test`.

    >>> bool(isomorphism((3, [(0, 1)]), (3, [(1, 2)]))), bool(isomorphism((3, [(0, 1)]), (3, [])))
    (True, False)
    """
    TimeLimit(time_limit)  # refuses what is none before anything is computed
    drawn = random_nodes(recolor)
    pair = as_pair(g, h, node_labels, edge_labels, simple)
    closure = pair.closure()
    wl = wl_result(pair, closure)
    tinhofer = tinhofer_result(pair, closure, seed, trials, drawn, guided)
    mapping = tinhofer.mapping
    verdict = Verdict.NON_ISOMORPHIC
    if mapping is None and closure.balanced:
        # One more run, with a fixed seed, often spares the search, whose time has no good bound.
        mapping = tinhofer_result(pair, closure, 0, 1).mapping if seed != 0 else None
        if mapping is None:
            try:
                mapping = _search(pair, wl, TimeLimit(time_limit))
            except Undecided:
                verdict = Verdict.UNDECIDED
    if mapping is not None:
        verdict = Verdict.ISOMORPHIC
    return IsomorphismResult(verdict, mapping, wl, tinhofer, pair.graph.ignored, pair.names, time_limit)


def _search(pair: Pair, wl: WLResult, limit: TimeLimit) -> Mapping | None:
    """BLISS decides, with WL's colours."""
    left, right = zip(pair.graph, wl.colors, strict=True)
    mappings = isomorphic(left, right, limit)
    if not mappings:
        return None
    for certificate in mappings:
        if pair.is_isomorphism(certificate):
            return certificate
    raise AssertionError("igraph's mapping is no isomorphism: this is a bug, please report it")
