"""How many threads torch uses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


def number_of_threads(n_jobs: int | None) -> int:
    """scikit-learn's n_jobs as a number: None means 1, -1 all cores, -2 all cores but one, and so on."""
    wanted = 1 if n_jobs is None else int(n_jobs)
    return wanted if wanted > 0 else max(1, (os.cpu_count() or 1) + 1 + wanted)


@contextmanager
def torch_threads(n_jobs: int | None = None) -> Iterator[None]:
    """Set torch's number of threads for a block or a decorated function, and restore it afterward.

    One thread is the default because matrices as small as ours lose more time to a second thread than they gain."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(number_of_threads(n_jobs))
    try:
        yield
    finally:
        torch.set_num_threads(before)
