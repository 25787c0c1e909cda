"""The process in which BLISS searches: it imports igraph's compiled half and nothing of wlt, and answers one request
after the other.

A search that takes too long is ended by ending the process, which `bliss.py` does. Where nobody is left to do it, the
operating system does: it sends SIGIO, and that ends a process, when the other end of the leash is closed. The leash is
a pipe of its own, because SIGIO also tells that a pipe was written to, and nobody ever writes to this one.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any


@cache
def searching_half() -> Any:
    """The compiled half of igraph, which is all that a search needs. The other half imports matplotlib where there is
    one, and takes a hundred times as long; it finds this half here if it is imported later."""
    package = find_spec("igraph")
    if "igraph" in sys.modules or package is None:
        return import_module("igraph._igraph")
    spec = PathFinder.find_spec("igraph._igraph", package.submodule_search_locations)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def graph_of(plain: Any) -> Any:
    return searching_half().GraphBase(n=plain[0], edges=memoryview(plain[1]))


def canonical_order(plain: Any) -> list[int]:
    """The node that comes to each place."""
    graph, nodes_of = graph_of(plain), searching_half().VertexSeq
    nodes_of(graph)["node"] = range(graph.vcount())
    # Which way the permutation goes differs between versions of igraph; permute_vertices always goes along.
    moved = graph.permute_vertices(graph.canonical_permutation(color=plain[2].tolist()))
    order: list[int] = nodes_of(moved)["node"]
    return order


def automorphisms(plain: Any) -> list[list[int]]:
    """Generators of the group."""
    generators: list[list[int]] = graph_of(plain).automorphism_group(color=plain[2].tolist())
    return generators


def isomorphic(left: Any, right: Any) -> list[list[int]]:
    """Maps between the graphs, one in each direction, whichever is which; none if they are not isomorphic."""
    colors = {"color1": left[2].tolist(), "color2": right[2].tolist()}
    found, *mappings = graph_of(left).isomorphic_bliss(
        graph_of(right), return_mapping_12=True, return_mapping_21=True, **colors
    )
    return mappings if found else []


SEARCHES: dict[str, Callable[..., Any]] = {
    "canonical_order": canonical_order,
    "automorphisms": automorphisms,
    "isomorphic": isomorphic,
}


def serve(leash: int) -> None:
    """Requests are (name, graphs), answers (result, error); the first request is the path for imports."""
    from multiprocessing.connection import Connection

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process decides
    fcntl.fcntl(leash, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(leash, fcntl.F_SETFL, fcntl.fcntl(leash, fcntl.F_GETFL) | os.O_ASYNC)
    requests = Connection(os.dup(0), writable=False)
    answers = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # nothing that a library prints may get among the answers
    try:
        sys.path[:] = requests.recv()
        while True:
            name, graphs = requests.recv()
            try:
                answer = SEARCHES[name](*graphs), ""
            except Exception as error:
                answer = None, f"{type(error).__name__}: {error}"
            answers.send(answer)
    except (EOFError, OSError):  # the other side has ended
        return


if __name__ == "__main__":
    serve(int(sys.argv[1]))
