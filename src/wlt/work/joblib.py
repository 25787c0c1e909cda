"""scikit-learn's own searches and cross-validations in wlt's workers: `joblib.parallel_config("wlt", n_jobs=2)`.

These import wlt once and stay, whoever needs them next; a call whose worker dies is made again. On a Ray cluster
joblib runs by Ray's own backend (docs/clusters.md)."""

from __future__ import annotations

from functools import partial
from typing import Any

from joblib import register_parallel_backend
from joblib._parallel_backends import ThreadingBackend

from wlt.work.calls import Call, Report, results
from wlt.work.processes import Processes


class Workers(ThreadingBackend):  # type: ignore[misc]
    """A thread for each job, which waits for a worker to do it."""

    uses_threads = False
    supports_sharedmem = False

    def submit(self, func: Any, callback: Any = None) -> Any:
        return super().submit(partial(_elsewhere, func), callback)


def _elsewhere(function: Any) -> Any:
    (result,) = results([Call(_call, (function,))], place=Processes(1))
    return result


def _call(report: Report, shared: None, function: Any) -> Any:
    return function()


def register() -> None:
    """Make the backend known to joblib under the name "wlt"; importing the estimators does so."""
    register_parallel_backend("wlt", Workers)
