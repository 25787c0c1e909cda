"""What edges carry, as one label for each entry of the adjacency: edge labels, directions and multiplicities.

The entry (v, u) of a symmetric adjacency stands for all edges between v and u. Each of them is a token as v sees it:
its direction (both ways, out of v, into v) and its own label. The label of the entry is the sorted tuple of these
tokens, so (v, u) and (u, v) have labels that differ by the direction of their tokens only. Loops are no entries: the
labels of all loops at a node, likewise a tuple, belong to the node.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BOTH, OUT, IN, LOOP = "both", "out", "in", "loop"
DIRECTIONS = (BOTH, OUT, IN, LOOP)

Token = tuple[str, Hashable]  # direction, label of the edge; None: it has none
ArcLabel = tuple[Token, ...]

MAX_LABELS = 2**31 - 1  # codes are int32
PLAIN: ArcLabel = ((BOTH, None),)
"""One undirected edge without a label."""


class Arcs(NamedTuple):
    """A labelled adjacency: entries sorted by row and column, and what their labels and the nodes' loops stand for."""

    offsets: NDArray[np.int64]  # [nodes + 1]
    neighbors: NDArray[np.int32]  # [entries]
    arcs: NDArray[np.int32]  # [entries] which of the labels; empty where all are plain
    labels: tuple[ArcLabel, ...]
    loops: NDArray[np.int32]  # [nodes] which of the loop labels; empty where there are no loops
    loop_labels: tuple[tuple[Hashable, ...], ...]  # the first is (): no loop


@dataclass(frozen=True, eq=False)
class TokenTable:
    """The tokens that labels are made of, numbered. In a network every token of an edge sends a message of its own, so
    parallel edges count as often as they are there; a loop is a token with the direction "loop"."""

    tokens: tuple[Token, ...]  # sorted
    offsets: NDArray[np.int64]  # [labels + 1] where the tokens of each label begin
    codes: NDArray[np.int32]  # the tokens of all labels, of arcs and then of loops, one label after the other
    first_loop: int  # the number of the first loop label among all labels

    @classmethod
    def of(cls, labels: Sequence[ArcLabel], loop_labels: Sequence[tuple[Hashable, ...]]) -> TokenTable:
        """
        >>> TokenTable.of([((BOTH, "single"),), ((BOTH, "double"), (BOTH, "single"))], []).codes.tolist()
        [1, 0, 1]
        """
        everything = [*labels, *(tuple((LOOP, value) for value in loops) for loops in loop_labels)]
        tokens = sorted({token for label in everything for token in label}, key=sort_key)
        number = {token: i for i, token in enumerate(tokens)}
        codes = np.array([number[token] for label in everything for token in label], np.int32)
        offsets = np.cumsum([0, *map(len, everything)])
        return cls(tuple(tokens), offsets, codes, len(labels))

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def directions(self) -> NDArray[np.int64]:
        """[tokens] Places in `DIRECTIONS`."""
        return np.array([DIRECTIONS.index(direction) for direction, _ in self.tokens], np.int64)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """[tokens, width] The labels as rows of numbers; ValueError where they are none, or differ in length."""
        rows = [value if isinstance(value, tuple) else (value,) for _, value in self.tokens]
        for (_, value), row in zip(self.tokens, rows, strict=True):
            if len(row) != len(rows[0]) or not all(isinstance(entry, Real) for entry in row):
                raise ValueError(
                    f"the edge label {value!r} is no row of {len(rows[0])} numbers; for labels that are not numbers "
                    "make the model with num_edge_labels"
                )
        return np.array(rows, np.float64).reshape(len(rows), len(rows[0]) if rows else 0)


NO_TOKENS = TokenTable((), np.zeros(1, np.int64), np.zeros(0, np.int32), 0)


def labelled_adjacency(
    num_nodes: int,
    pairs: NDArray[np.int64],
    codes: NDArray[np.int64],
    values: Sequence[Hashable],
    directed: bool | NDArray[np.bool_],
    multigraph: bool,
) -> Arcs:
    """The adjacency of edges, [edges, 2], each with the value that its code stands for; repeats are parallel edges.

    directed: all edges, none, or those of a mask. In a multigraph every row is an edge. Otherwise an undirected edge
    may be listed in one direction or in both; if the labels of the two differ, ValueError says so."""
    is_loop = pairs[:, 0] == pairs[:, 1]
    loops, loop_labels = _loops(num_nodes, pairs[is_loop, 0], codes[is_loop], values)
    one_way = np.broadcast_to(directed, len(pairs))[~is_loop]
    pairs, codes = pairs[~is_loop], codes[~is_loop]
    if not multigraph and not one_way.any():
        pairs, codes = _each_once(pairs, codes, values)
        one_way = one_way[: len(pairs)]
    rows, columns = np.concatenate([pairs, pairs[:, ::-1]]).T
    tokens = np.concatenate([3 * codes + one_way, 3 * codes + 2 * one_way])  # both ways; or out of one, into the other
    place = rows * num_nodes + columns
    order = np.lexsort((tokens, place))
    rows, columns, tokens, place = rows[order], columns[order], tokens[order], place[order]
    first = np.flatnonzero(np.diff(place, prepend=-1)) if len(rows) else np.zeros(0, np.int64)
    kinds, runs = rank_runs(np.append(first, len(rows)), tokens)
    labels = [in_label([_token(token, values) for token in run]) for run in runs]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows[first], minlength=num_nodes))])
    arcs, table = in_order(kinds, labels)
    if table == (PLAIN,) or not table:
        arcs, table = np.zeros(0, np.int32), ()
    return Arcs(offsets, columns[first].astype(np.int32), arcs, table, loops, loop_labels)


def in_label(tokens: list[Any]) -> tuple[Any, ...]:
    """The label of these tokens, in whatever order they come."""
    return tuple(sorted(tokens, key=sort_key) if len(tokens) > 1 else tokens)


def seen_from_the_other_end(label: ArcLabel) -> ArcLabel:
    """The label of the entry (u, v) where that of (v, u) is this one.

    >>> seen_from_the_other_end((("both", 5), ("out", 7)))
    (('both', 5), ('in', 7))
    """
    turned = {OUT: IN, IN: OUT}
    return in_label([(turned.get(direction, direction), value) for direction, value in label])


def _token(token: int, values: Sequence[Hashable]) -> Token:
    return DIRECTIONS[token % 3], values[token // 3]


def _loops(
    num_nodes: int, nodes: NDArray[np.int64], codes: NDArray[np.int64], values: Sequence[Hashable]
) -> tuple[NDArray[np.int32], tuple[tuple[Hashable, ...], ...]]:
    if not len(nodes):
        return np.zeros(0, np.int32), ()
    order = np.lexsort((codes, nodes))
    nodes, codes = nodes[order], codes[order]
    first = np.flatnonzero(np.diff(nodes, prepend=-1))
    kinds, runs = rank_runs(np.append(first, len(nodes)), codes)
    labels: list[Any] = [(), *(in_label([values[code] for code in run]) for run in runs)]
    loops = np.zeros(num_nodes, np.int64)
    loops[nodes[first]] = 1 + kinds
    return in_order(loops, labels)


def _each_once(
    pairs: NDArray[np.int64], codes: NDArray[np.int64], values: Sequence[Hashable]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Undirected edges once each: of a pair of nodes that is listed in both directions, only the first direction."""
    ends = np.sort(pairs, axis=1)
    backward = pairs[:, 0] > pairs[:, 1]
    order = np.lexsort((codes, backward, ends[:, 1], ends[:, 0]))
    ends, codes, backward = ends[order], codes[order], backward[order]
    group = np.cumsum(np.append(True, (ends[1:] != ends[:-1]).any(axis=1))) - 1 if len(ends) else np.zeros(0, np.int64)
    there, back = (np.bincount(group, weights=side, minlength=1).astype(np.int64) for side in (~backward, backward))
    both = (there > 0) & (back > 0)
    twin = np.flatnonzero(backward & both[group]) if len(ends) else np.zeros(0, np.int64)
    uneven = both & (there != back)
    if uneven.any() or (codes[twin] != codes[twin - there[group[twin]]]).any():
        bad = (
            int(np.argmax(uneven))
            if uneven.any()
            else int(group[twin[np.argmax(codes[twin] != codes[twin - there[group[twin]]])]])
        )
        u, v = ends[group == bad][0]
        one, other = ([values[code] for code in codes[(group == bad) & side]] for side in (~backward, backward))
        raise ValueError(
            f"edge ({u}, {v}) has the label {_shown(one)} and ({v}, {u}) has {_shown(other)}; an undirected graph has "
            "one label for both; where two are meant, a directed graph keeps them"
        )
    kept = np.ones(len(ends), np.bool_)
    kept[twin] = False
    return ends[kept], codes[kept]


def both_ways(pairs: NDArray[Any], codes: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of a list in which (u, v) and (v, u) with equal labels are one undirected edge, and all other edges are directed:
    which rows list an undirected edge a second time, and which are directed.

    >>> again, directed = both_ways(np.array([[0, 1], [1, 0], [1, 2], [2, 2]]), np.zeros(4, np.int64))
    >>> again.tolist(), directed.tolist()
    ([False, True, False, False], [False, False, True, False])
    """
    ends = np.sort(pairs.astype(np.int64, copy=False), axis=1)  # of any integer type; matrices bring int32
    backward = pairs[:, 0] > pairs[:, 1]
    pair_of = _ranked(ends[:, 0] << 32 | ends[:, 1])[1]
    kind_of = _ranked(pair_of * (1 + codes.max(initial=0)) + codes)[1]
    surplus = np.bincount(kind_of, np.where(backward, -1, 1))
    one_way = np.bincount(pair_of, surplus[kind_of] != 0)[pair_of] > 0
    directed = one_way & (ends[:, 0] != ends[:, 1])
    return backward & ~directed, directed


def _shown(labels: list[Any]) -> str:
    return repr(labels[0]) if len(labels) == 1 else repr(labels)


def rank_runs(bounds: NDArray[np.int64], items: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[list[int]]]:
    """Which of the runs items[bounds[i]:bounds[i + 1]] are equal? Their numbers, and the items of each kind of run.

    >>> kinds, runs = rank_runs(np.array([0, 1, 3, 4]), np.array([7, 7, 9, 7]))
    >>> kinds.tolist(), runs
    ([0, 1, 0], [[7], [7, 9]])
    """
    sizes = np.diff(bounds)
    first, kinds = _ranked(items[bounds[:-1]])
    for step in range(1, int(sizes.max(initial=1))):
        longer = sizes > step
        following = np.zeros(len(sizes), np.int64)
        following[longer] = 1 + _ranked(items[bounds[:-1][longer] + step])[1]
        first, kinds = _ranked(kinds * (1 + following.max()) + following)
    ends = zip(bounds[:-1][first].tolist(), bounds[1:][first].tolist(), strict=True)
    return kinds, [items[low:high].tolist() for low, high in ends]


def _ranked(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each of the different values, ascending and none of them negative, comes first, and which of them each is.

    Without sorting, unless they are few and far apart."""
    size = int(values.max(initial=-1)) + 1
    if size > 4 * len(values) + 64:
        _, first, codes = np.unique(values, return_index=True, return_inverse=True)
        return first, codes
    first = np.full(size, -1)
    first[values[::-1]] = np.arange(len(values))[::-1]  # of several places of a value, the last that is written stays
    there = first >= 0
    return first[there], (np.cumsum(there) - 1)[values]


def in_order(codes: NDArray[Any], labels: Sequence[Any]) -> tuple[NDArray[np.int32], tuple[Any, ...]]:
    """Codes of labels that are sorted, so that equal graphs have equal codes however their edges were listed."""
    _check_count(labels)
    order = sorted(range(len(labels)), key=lambda i: sort_key(labels[i]))
    rank = np.empty(len(labels), np.int32)
    rank[order] = np.arange(len(labels), dtype=np.int32)
    return rank[codes], tuple(labels[i] for i in order)


def joined(tables: Iterable[tuple[Any, ...]]) -> tuple[tuple[Any, ...], list[NDArray[np.int32]]]:
    """One table of all labels, sorted, and for each of the tables the new codes of its labels."""
    tables = list(tables)
    everything = sorted({label for table in tables for label in table}, key=sort_key)
    _check_count(everything)
    number = {label: i for i, label in enumerate(everything)}
    return tuple(everything), [np.array([number[label] for label in table], np.int32) for table in tables]


def _check_count(labels: Sequence[Any]) -> None:
    if len(labels) > MAX_LABELS:
        raise ValueError(
            f"{len(labels)} different labels; at most {MAX_LABELS} are possible: make fewer of them, for example by "
            "rounding, or leave edge labels out with edge_labels=None"
        )


def sort_key(value: Any) -> tuple[str, Any]:
    """An order of values of any types. Numbers come first, by size: 1 and 1.0 are one value with two type names."""
    if isinstance(value, str):
        return ("str", value)
    if isinstance(value, tuple):
        return ("tuple", tuple(map(sort_key, value)))
    if isinstance(value, (int, float, Real)):  # asking for Real alone is slow
        return ("", value)
    return (type(value).__name__, repr(value))


def label_words(labels: Iterable[Any]) -> NDArray[np.uint64]:
    """A 64-bit word for each label that depends on the label alone, not on the others or on the process."""
    return np.array([_word(label) for label in labels], np.uint64)


@lru_cache(1 << 16)
def _word(label: Any) -> int:
    return int.from_bytes(hashlib.blake2b(repr(_as_text(label)).encode(), digest_size=8).digest())


def _as_text(value: Any) -> Any:
    """Equal for equal values: 1, 1.0 and True are one."""
    if isinstance(value, tuple):
        return tuple(map(_as_text, value))
    if isinstance(value, Real):
        number: Any = value
        return int(number) if number == number // 1 else float(number)
    return repr(value)
