"""Imported by the fork server of test_faults: torch, scikit-learn and compiled kernels are there in every fork.

Drivers that are killed and started again twenty times would spend their lives importing torch. Forking is safe here:
with one thread, and no other device than the CPU, torch starts no threads."""

from __future__ import annotations

import torch
from small import DATASETS, FULLERENES, jobs

from wlt.reproduce.job import run_job

torch.set_num_threads(1)
for job in jobs(folds=1, epochs=1):
    run_job(job.spec, job.fold, DATASETS[FULLERENES.name])
