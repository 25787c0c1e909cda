"""Where the work of a command is done, by what the user says."""

from __future__ import annotations

import multiprocessing
import os

from wlt.work.calls import Place
from wlt.work.processes import Processes


def place_for(workers: int | None, ray: str | None = None) -> Place | None:
    """This process (None), so many processes (workers=None: one for each core), or the Ray cluster at an address.

    A worker starts no workers of its own: there it is always this process."""
    if ray is not None:
        if workers is not None:
            raise ValueError("--workers is for processes on this machine, --ray for a cluster: use only one of them")
        from wlt.work.ray import RayCluster

        return RayCluster(ray)
    number = workers or os.cpu_count() or 1
    return Processes(number) if number > 1 and not multiprocessing.current_process().daemon else None
