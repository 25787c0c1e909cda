"""Nodes of a Ray cluster that make calls. Ray moves arguments and results, and makes a call again whose node dies."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Generator, Iterable, Mapping
from typing import Any

from wlt.cluster import code_version, connected, other_code
from wlt.work.calls import MAX_ATTEMPTS, Began, Call, Done, Event, Failed
from wlt.work.packing import failure, packed


class RayCluster:
    """The cluster at this address ("auto" is the one this machine belongs to), whose nodes must have the same wlt.

    Every call takes one core."""

    def __init__(self, address: str):
        self.address = address
        self._cores = 0

    def at_once(self) -> int:
        """Cores of the cluster; it is asked once."""
        if not self._cores:
            with connected(self.address) as ray:
                self._cores = _cores(ray)
        return self._cores

    def events(
        self, calls: Iterable[Call], shared: Mapping[str, Any] | None = None, ahead: int | None = None
    ) -> Generator[Event, None, None]:
        """Closing the iterator disconnects from the cluster, which stops the calls."""
        with connected(self.address) as ray:
            task = ray.remote(num_cpus=1, max_retries=MAX_ATTEMPTS - 1)(_remote)
            left, stored, version = enumerate(calls), dict[str, Any](), code_version()
            pending: dict[Any, int] = {}
            sent, more = 0, True
            queue = deque[int]()  # half of them wait, so that no core does
            while True:
                cores = _cores(ray)
                while more and len(pending) < 2 * cores:
                    if ahead is not None and sent >= min(pending.values(), default=sent) + ahead:
                        break
                    numbered = next(left, None)
                    if numbered is None:
                        more = False
                        break
                    number, (function, arguments, name) = numbered
                    if name and name not in stored:
                        stored[name] = ray.put(packed((shared or {})[name]))
                    reference = task.remote(version, packed((function, arguments)), stored.get(name))
                    pending[reference] = number
                    queue.append(number)
                    sent = number + 1
                while queue and len(pending) - len(queue) < cores:
                    yield Began(queue.popleft())
                if not pending:
                    return
                (reference,), _ = ray.wait(list(pending), num_returns=1)
                number = pending.pop(reference)
                if number in queue:
                    queue.remove(number)
                yield _event(ray, number, reference)


def _cores(ray: Any) -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 0)))


def _event(ray: Any, number: int, reference: Any) -> Event:
    try:
        value, reason, error = pickle.loads(ray.get(reference))
    except ray.exceptions.RayError as gave_up:
        return Failed(number, f"Ray gave up: {type(gave_up).__name__}: {str(gave_up).strip().splitlines()[0]}")
    return Failed(number, reason, error) if reason else Done(number, value)


def _remote(version: str, call: bytes, shared: bytes | None) -> bytes:
    """On a node: what the call returns, or what went wrong. (Ray does not make a call again that raises.)

    All are bytes, as they go to processes: what can be sent to one can be sent to the other."""
    if problem := other_code(version):
        return packed((None, problem, None))
    try:
        function, arguments = pickle.loads(call)
        value = None if shared is None else pickle.loads(shared)
        return packed((function(lambda what: None, value, *arguments), "", None))
    except Exception as error:
        return packed((None, *failure(error)))
