"""A Ray cluster: connecting to it, and making sure that its nodes have the same wlt."""

from __future__ import annotations

import hashlib
import logging
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from importlib import metadata
from pathlib import Path
from threading import current_thread
from typing import Any

from wlt.extras import missing


class RayError(Exception):
    """No cluster to run on. The message is one line."""


class _WithoutRay:
    """Standard output without what Ray's own threads print there, such as that a node died: that goes to stderr.

    On standard output stand results, which programs read."""

    def __init__(self, stdout: Any):
        self._stdout = stdout

    def write(self, text: str) -> int:
        by_ray = current_thread().name.startswith("ray_")
        return (sys.stderr if by_ray else self._stdout).write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stdout, name)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """The module ray, connected to the cluster at this address ("auto": the one that this machine belongs to).

    At the end of the block it is disconnected, which stops what it still does for us."""
    try:
        import ray
    except ModuleNotFoundError:
        raise RayError(missing("ray", "running on a cluster")) from None
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        if host and port.isdigit():
            socket.create_connection((host, int(port)), timeout=10).close()  # Ray itself would try for many minutes
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError) as error:
        first = str(error).strip().partition("\n")[0] or type(error).__name__
        raise RayError(f"no Ray cluster at {address!r} ({first}); `ray start --head` starts one") from None
    stdout = sys.stdout
    watched: Any = _WithoutRay(stdout)
    sys.stdout = watched
    try:
        yield ray
    finally:
        if sys.stdout is watched:
            sys.stdout = stdout
        with redirect_stdout(sys.stderr):  # here Ray prints, in this thread, what it held back
            ray.shutdown()


@cache
def code_version() -> str:
    """The version of wlt and a digest of its source, which tells two states of one version under development apart."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode() + path.read_bytes())
    return f"{metadata.version('wlt')} ({digest.hexdigest()[:12]})"


def other_code(version: str) -> str:
    """What is wrong with a node whose wlt is not that of the driver, or an empty text."""
    same = code_version() == version
    return "" if same else f"a node of the cluster has wlt {code_version()}, the driver has {version}"
