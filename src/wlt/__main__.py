"""`python -m wlt` is the command `wlt`."""

from wlt.cli import main

main()
