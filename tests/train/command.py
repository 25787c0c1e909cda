"""The command line in a process of its own."""

from __future__ import annotations

import sys

WLT = [sys.executable, "-c", 'import sys; sys.path.insert(0, "/tmp/helperD"); from w import main; main()']
