"""How many threads torch uses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def torch_threads(n_jobs: int | None = None) -> Iterator[None]:
    """Set torch's number of threads for a block or a decorated function, and restore it afterward.

    n_jobs is scikit-learn's: None means 1, -1 all cores, -2 all cores but one, and so on. One thread is the default
    because matrices as small as ours lose more time to a second thread than they gain."""
    import torch

    before, cores = torch.get_num_threads(), os.cpu_count() or 1
    wanted = 1 if n_jobs is None else int(n_jobs)
    torch.set_num_threads(wanted if wanted > 0 else max(1, cores + 1 + wanted))
    try:
        yield
    finally:
        torch.set_num_threads(before)
