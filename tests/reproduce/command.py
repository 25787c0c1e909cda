"""The command line in a process of its own."""

from __future__ import annotations

import sys

WLT = [sys.executable, "-c", "from wlt.cli import main; main()"]
