"""Environment: the machine, the package versions and the commit that a job ran with."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple


class Environment(NamedTuple):
    """Where a job ran, and with which code."""

    machine: str
    versions: str
    commit: str
    """The commit of wlt itself; empty if it does not run from a git checkout."""


@cache
def machine() -> str:
    """The processor, the number of cores and the operating system of this machine."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
        name = models[0] if models else name
    except OSError:
        pass  # not Linux
    return f"{name}, {os.cpu_count()} cores, {platform.system()}"


@cache
def versions() -> str:
    """The packages whose versions can change a curve."""
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in ("wlt", "torch", "numpy", "numba"))
    return f"{packages}, python {platform.python_version()}"


def git_commit() -> str:
    """The commit of wlt itself, with "-dirty" if files have changed since; empty outside its own git checkout."""
    here = Path(__file__)
    git = ["git", "-C", str(here.parent)]
    try:
        subprocess.run([*git, "ls-files", "--error-unmatch", here.name], check=True, capture_output=True)
        described = subprocess.run(
            [*git, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"], check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return described.stdout.decode().strip()
