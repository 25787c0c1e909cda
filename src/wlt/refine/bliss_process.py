"""The process in which BLISS searches: it imports igraph and nothing of wlt, and answers one request after the other.

A search that takes too long is ended by ending the process, which `bliss.py` does. Where nobody is left to do it, the
operating system does: it sends SIGIO, and that ends a process, when the other end of the pipe is closed.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def graph_of(plain: Any) -> Any:
    import igraph

    return igraph.Graph(n=plain[0], edges=plain[1])


def canonical_order(plain: Any) -> list[int]:
    """The node that comes to each place."""
    graph = graph_of(plain)
    graph.vs["node"] = range(graph.vcount())
    # Which way the permutation goes differs between versions of igraph; permute_vertices always goes along.
    moved = graph.permute_vertices(graph.canonical_permutation(color=plain[2].tolist()))
    order: list[int] = moved.vs["node"]
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


def serve() -> None:
    """Requests are (name, graphs), answers (result, error); the first request is the path for imports."""
    from multiprocessing.connection import Connection

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process decides
    requests = Connection(os.dup(0), writable=False)
    answers = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # nothing that a library prints may get among the answers
    try:
        sys.path[:] = requests.recv()
        while True:
            name, graphs = requests.recv()
            with _ending_with_the_pipe(requests.fileno()):
                try:
                    answer = SEARCHES[name](*graphs), ""
                except Exception as error:
                    answer = None, f"{type(error).__name__}: {error}"
            answers.send(answer)
    except (EOFError, OSError):  # the other side has ended
        return


@contextmanager
def _ending_with_the_pipe(pipe: int) -> Iterator[None]:
    flags = fcntl.fcntl(pipe, fcntl.F_GETFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, flags | os.O_ASYNC)
    try:
        yield
    finally:
        fcntl.fcntl(pipe, fcntl.F_SETFL, flags)


if __name__ == "__main__":
    serve()
