"""`python -m wlt` is the command `wlt`."""

from wlt_command import main

if __name__ == "__main__":  # workers import the main module, too
    main()
