"""The command line in a process of its own."""

from __future__ import annotations

import sys

WLT = [sys.executable, "-m", "wlt_command"]
