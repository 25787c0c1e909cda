"""A driver to be run, and ended, in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
from pathlib import Path

from small import DATASETS

from wlt.reproduce.job import Job
from wlt.reproduce.run import run
from wlt.reproduce.store import Store, StoreError
from wlt.work.processes import Processes


def drive(folder: Path, jobs: list[Job], largest_file: int | None = None) -> None:
    """Run the jobs on two workers. largest_file: writing beyond so many bytes fails, as on a full disk."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if largest_file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    try:
        with Store(folder) as store:
            os.register_at_fork(after_in_child=lambda: os.close(store.lock))  # which new processes do not inherit
            forks = multiprocessing.get_context("fork")  # see warm.py
            run(jobs, DATASETS, store, Processes(2, forks))
    except StoreError as error:
        (folder / "error.txt").write_text(str(error))
        sys.exit(2)
